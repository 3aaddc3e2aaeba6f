#include "acts.h"

#include "packet_view.h"
#include "solver_view.h"

#include <string.h>

#define AT(member) 1 + offsetof(struct wp_view_state, member)
#define TOGGLE(member) .toggles = AT(member)
#define CYCLE(member, number, step) .cycles = AT(member), .count = number, .argument = step
#define RUN(function, number) .run = wp_act_##function, .argument = number
#define ACT(function) .act = wp_act_##function
#define CALL(function, number) .run = function, .argument = number
#define REPEATS .repeats = true
#define OF(scenes) .of = WP_OF_##scenes

const struct wp_action wp_actions[] = {
    {"open", "File", "Open, go to, set …", "Ctrl+O", RUN(open_popup, WP_POPUP_PROMPT), OF(ALL)},
    {"next-file", "File", "Next file or frame, or ten slices forward", "PgDn", RUN(next_page, 1),
     REPEATS},
    {"previous-file", "File", "Previous file, or ten slices back", "PgUp", RUN(next_page, -1),
     REPEATS},
    {"next-volume", "File", "Next file, also for volumes", "Ctrl+PgDn", CALL(wp_viewer_next, 1)},
    {"previous-volume", "File", "Previous file, also for volumes", "Ctrl+PgUp",
     CALL(wp_viewer_next, -1)},
    {"reload", "File", "Reload image and shaders", "Ctrl+R", ACT(reload), OF(IMAGES)},
    {"save", "File", "Save coefficients", "Ctrl+S", ACT(save)},
    {"screenshot", "File", "Screenshot of the canvas", "F12", RUN(screenshot, 0), OF(ALL)},
    {"screenshot-window", "File", "Screenshot of the window", "Shift+F12", RUN(screenshot, 1),
     OF(ALL)},
    {"command", "File", "Copy the command for this view", "K", ACT(copy_command), OF(ALL)},
    {"copy-text", "File", "Copy the visible matrix or shader", "Ctrl+C", ACT(copy_text)},
    {"save-diagram", "File", "Save the scheme's diagram as SVG", "Ctrl+Shift+S", ACT(save_diagram)},
    {"quit", "File", "Quit", "Ctrl+Q", ACT(quit), OF(ALL)},

    {"mosaic", "View", "Mosaic", "0", RUN(set_mode, WP_VIEW_MOSAIC)},
    {"ll", "View", "Band LL, or LLL", "1", RUN(select_band, WP_BAND_LL)},
    {"hl", "View", "Band HL, or HLL", "2", RUN(select_band, WP_BAND_HL)},
    {"lh", "View", "Band LH, or LHL", "3", RUN(select_band, WP_BAND_LH)},
    {"hh", "View", "Band HH, or HHL", "4", RUN(select_band, WP_BAND_HH)},
    {"llh", "View", "Band LLH of a volume", "5", RUN(select_band, 4)},
    {"hlh", "View", "Band HLH of a volume", "6", RUN(select_band, 5)},
    {"lhh", "View", "Band LHH of a volume", "7", RUN(select_band, 6)},
    {"hhh", "View", "Band HHH of a volume", "8", RUN(select_band, 7)},
    {"left", "View", "Previous band, or pixel to the left", "Left", RUN(arrow, 0), REPEATS},
    {"right", "View", "Next band, or pixel to the right", "Right", RUN(arrow, 1), REPEATS},
    {"up", "View", "Coarser level, or pixel above", "Up", RUN(arrow, 2), REPEATS},
    {"down", "View", "Finer level, or pixel below", "Down", RUN(arrow, 3), REPEATS},
    {"next-mode", "View", "Next view mode", "V", RUN(cycle_mode, 1)},
    {"previous-mode", "View", "Previous view mode", "Shift+V", RUN(cycle_mode, -1)},
    {"fit", "View", "Fit to the window", "F", TOGGLE(fit), OF(ALL)},
    {"one-to-one", "View", "1:1", "Ctrl+0", ACT(one_to_one), OF(ALL)},
    {"zoom-in", "View", "Zoom in", "+|=", RUN(zoom, 1), REPEATS, OF(ALL)},
    {"zoom-out", "View", "Zoom out", "-", RUN(zoom, -1), REPEATS, OF(ALL)},
    {"centre", "View", "Center, or the first slice", "Home", ACT(centre), OF(IMAGES)},
    {"go-to", "View", "Go to x y zoom …", "Ctrl+G", RUN(open_popup, WP_POPUP_GO_TO), OF(ALL)},
    {"grid", "View", "Pixel grid", "G", TOGGLE(grid), OF(ALL)},
    {"values", "View", "Pixel values", "Ctrl+P", TOGGLE(values), OF(ALL)},
    {"panels", "View", "Panels", "Tab", TOGGLE(panels), OF(ALL)},
    {"left-panel", "View", "Collapse or expand the left panel", "F7", CALL(wp_panel_layout_fold, 0),
     OF(ALL)},
    {"right-panel", "View", "Collapse or expand the right panel", "F8",
     CALL(wp_panel_layout_fold, 1)},
    {"large", "View", "Matrix, shader, diagram … instead of the canvas", "F9", TOGGLE(large)},
    {"next-panel", "View", "Keyboard focus to the next panel", "F6", RUN(enter_panels, 1), OF(ALL)},
    {"previous-panel", "View", "Keyboard focus to the previous panel", "Shift+F6",
     RUN(enter_panels, -1), OF(ALL)},
    {"signal", "View", "The row under the pointer and its subbands", "F2", ACT(signal)},
    {"move-right", "View", "Move the row by a sample", "Ctrl+Right", RUN(move_signal, 1), REPEATS},
    {"move-left", "View", "Move the row back by a sample", "Ctrl+Left", RUN(move_signal, -1),
     REPEATS},
    {"full-screen", "View", "Full screen", "F11", ACT(full_screen), OF(ALL)},
    {"theme", "View", "Next theme", "Ctrl+T", CYCLE(theme, WP_THEME_COUNT, 1), OF(ALL)},
    {"larger", "View", "Larger interface", "Ctrl++|Ctrl+=", RUN(scale_ui, 1), REPEATS, OF(ALL)},
    {"smaller", "View", "Smaller interface", "Ctrl+-", RUN(scale_ui, -1), REPEATS, OF(ALL)},

    {"next-slice", "Slices", "Next slice", ">", RUN(next_slice, 1), REPEATS},
    {"previous-slice", "Slices", "Previous slice", "<", RUN(next_slice, -1), REPEATS},
    {"last-slice", "Slices", "Last slice", "End", RUN(next_slice, WP_LAST_SLICE)},
    {"next-pane", "Slices", "Next view", "\\", CYCLE(pane, WP_SLICE_PANES, 1)},
    {"single", "Slices", "Only the active view", "Enter", TOGGLE(single)},
    {"fourth", "Slices", "Fourth view: subbands, maximum projection, cube", "Ctrl+Y",
     CYCLE(fourth, WP_FOURTHS, 1)},
    {"behind", "Slices", "The cube of subbands from behind", "9", TOGGLE(behind)},
    {"crosshair", "Slices", "Crosshair", "Ctrl+H", TOGGLE(crosshair)},
    {"radiological", "Slices", "The patient's right on the left", "Ctrl+Shift+H",
     TOGGLE(radiological)},

    {"gain-up", "Display", "Brighter", "E", RUN(change_gain, 1), REPEATS, OF(ALL)},
    {"gain-down", "Display", "Darker", "Shift+E", RUN(change_gain, -1), REPEATS, OF(ALL)},
    {"offset-up", "Display", "Offset up", "O", RUN(change_offset, 1), REPEATS, OF(ALL)},
    {"offset-down", "Display", "Offset down", "Shift+O", RUN(change_offset, -1), REPEATS, OF(ALL)},
    {"range-band", "Display", "One range per band", "N", RUN(set_range, WP_RANGE_BAND)},
    {"range-all", "Display", "One range for all bands", "Shift+N", RUN(set_range, WP_RANGE_ALL)},
    {"next-scale", "Display", "Signed, absolute, logarithm", "A", CYCLE(scale, WP_SCALES, 1)},
    {"next-map", "Display", "Next color map", "C", RUN(cycle_map, 1), OF(ALL)},
    {"previous-map", "Display", "Previous color map", "Shift+C", RUN(cycle_map, -1), OF(ALL)},
    {"reset", "Display", "Reset the display", "R", ACT(reset_display), OF(ALL)},
    {"times", "Display", "Show measured times", "Ctrl+M", TOGGLE(times), OF(ALL)},

    {"wavelets", "Transform", "Find a wavelet …", "Ctrl+F", CALL(wp_wavelet_list_open, WP_A),
     OF(BOTH)},
    {"next-wavelet", "Transform", "Next wavelet", "W", RUN(cycle_wavelet, 1), OF(BOTH)},
    {"previous-wavelet", "Transform", "Previous wavelet", "Shift+W", RUN(cycle_wavelet, -1),
     OF(BOTH)},
    {"next-scheme", "Transform", "Next scheme", "S", RUN(cycle_scheme, 1)},
    {"previous-scheme", "Transform", "Previous scheme", "Shift+S", RUN(cycle_scheme, -1)},
    {"plain", "Transform", "Without optimization", "P", TOGGLE(a.plain)},
    {"more-levels", "Transform", "More levels", "L", RUN(change_levels, 1), OF(BOTH)},
    {"fewer-levels", "Transform", "Fewer levels", "Shift+L", RUN(change_levels, -1), OF(BOTH)},
    {"border", "Transform", "Next border", "Ctrl+B", RUN(cycle_border, 1)},
    {"norm", "Transform", "Next normalization", "Ctrl+N", CYCLE(norm, WP_NORM_COUNT, 1)},
    {"adjoint", "Transform", "Adjoint", "Ctrl+J", TOGGLE(adjoint)},
    {"channel", "Transform", "Color, luma, or one channel", "H", RUN(cycle_channel, 1), OF(IMAGES)},
    {"next-backend", "Transform", "Next backend", "B", RUN(cycle_backend, 1)},
    {"previous-backend", "Transform", "Previous backend", "Shift+B", RUN(cycle_backend, -1)},
    {"bank", "Transform", "Next filter bank: decimated, undecimated, starlet, packets", "Ctrl+K",
     ACT(cycle_bank)},
    {"basis", "Transform", "Tree of packets: full, best basis, wavelet, edited", "Shift+K",
     .act = wp_packets_cycle_basis},
    {"split", "Transform", "Split or join the selected node of packets", "/",
     .act = wp_packets_split},
    {"precision", "Transform", "32 or 16 bits", "U", CYCLE(a.precision, WP_PRECISION_COUNT, 1)},

    {"next-compare", "Compare", "Wipe, side by side, flip, difference", "X", RUN(cycle_compare, 1)},
    {"previous-compare", "Compare", "Reverse the order", "Shift+X", RUN(cycle_compare, -1)},
    {"show-b", "Compare", "Show B (or hold Shift)", "Y", TOGGLE(flipped)},
    {"swap", "Compare", "Swap A and B", "T", ACT(swap_instances)},
    {"next-metric", "Compare", "Next metric: E, AE, SE, RAE, RSE", "M",
     CYCLE(metric, WP_VIEW_METRICS, 1)},
    {"previous-metric", "Compare", "Previous metric", "Shift+M",
     CYCLE(metric, WP_VIEW_METRICS, -1)},
    {"split-left", "Compare", "Wipe to the left", "[", RUN(move_split, -1), REPEATS},
    {"split-right", "Compare", "Wipe to the right", "]", RUN(move_split, 1), REPEATS},
    {"live", "Compare", "Live: run in every frame", "Ctrl+L", TOGGLE(live)},

    {"next-pass", "Step", "Next pass", "F10|.", RUN(step_pass, 1), REPEATS},
    {"previous-pass", "Step", "Previous pass", "Shift+F10|,", RUN(step_pass, -1), REPEATS},
    {"before", "Step", "Before or after the pass", "D", TOGGLE(before)},
    {"quads", "Step", "Quads of a pass interleaved, as four components, or both", ";",
     RUN(cycle_quads, 1)},
    {"play", "Step", "Play passes, files, frames or slices", "Space", ACT(play)},
    {"direction", "Step", "Forward or inverse passes", "Ctrl+D", RUN(change_direction, 1)},
    {"next-tab", "Step", "Next tab of the inspector", "Ctrl+I", CYCLE(inspector, WP_INSPECTORS, 1)},

    {"zero", "Edit", "Zero the selected subband", "Z", ACT(zero_band)},
    {"restore", "Edit", "Undo all edits", "Shift+Z", ACT(restore_bands)},
    {"impulse", "Edit", "Impulse (basis function)", "I", ACT(impulse)},
    {"threshold", "Edit", "Threshold: none, hard, soft, garrote", "Q",
     CYCLE(threshold, WP_THRESHOLDS, 1)},
    {"scales", "Edit", "Sliders of the levels", "Ctrl+E", ACT(show_scales)},
    {"denoise", "Edit", "Denoise: thresholds from the noise", "Shift+Q", ACT(denoise)},
    {"add-band", "Edit", "Keep one more subband", "J", RUN(add_band, 1), REPEATS},
    {"drop-band", "Edit", "Keep one subband fewer", "Shift+J", RUN(add_band, -1), REPEATS},

    {"run", "Reconstruct", "Run or pause the solver", "Space", ACT(run_solver), OF(SOLVER)},
    {"iterate", "Reconstruct", "One iteration", "F10|.", .act = wp_solver_view_step, REPEATS,
     OF(SOLVER)},
    {"restart", "Reconstruct", "Restart from zeros", "Backspace", .act = wp_solver_view_restart,
     OF(SOLVER)},
    {"go-on", "Reconstruct", "New weights continue from the current image", "Ctrl+U",
     TOGGLE(keep), OF(SOLVER)},
    {"slice-up", "Reconstruct", "Next slice of the image", ">|PgDn", RUN(next_slice, 1),
     REPEATS, OF(SOLVER)},
    {"slice-down", "Reconstruct", "Previous slice of the image", "<|PgUp",
     RUN(next_slice, -1), REPEATS, OF(SOLVER)},
    {"slice-axis", "Reconstruct", "Slices along another axis", "\\", ACT(solver_axis), OF(SOLVER)},
    {"save-image", "Reconstruct", "Save the image", "Ctrl+S", ACT(save), OF(SOLVER)},

    {"help", "Help", "Keys", "?|F1", RUN(open_popup, WP_POPUP_HELP), OF(ALL)},
    {"palette", "Help", "All actions and settings …", "Ctrl+Shift+P",
     RUN(open_popup, WP_POPUP_PALETTE), OF(ALL)},
    {"close", NULL, "Close the topmost panel, unpin the pixel", "Esc", ACT(close_top), OF(ALL)},
    {0},
};

const struct wp_action *wp_action_find(const char *name)
{
    for (const struct wp_action *a = wp_actions; a->name; a++)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

static int key_parse(const char *name, size_t length)
{
    static const struct {
        const char *name;
        int key;
    } names[] = {
        {"Esc", WP_KEY_ESCAPE}, {"Enter", WP_KEY_ENTER}, {"Tab", WP_KEY_TAB},
        {"Backspace", WP_KEY_BACKSPACE}, {"Del", WP_KEY_DELETE}, {"Left", WP_KEY_LEFT},
        {"Right", WP_KEY_RIGHT}, {"Up", WP_KEY_UP}, {"Down", WP_KEY_DOWN},
        {"PgUp", WP_KEY_PAGE_UP}, {"PgDn", WP_KEY_PAGE_DOWN}, {"Home", WP_KEY_HOME},
        {"End", WP_KEY_END}, {"Space", ' '}, {"Shift", WP_KEY_SHIFT}, {"Ctrl", WP_KEY_CTRL},
        // key names refer to a US keyboard
        {"?", '/' | WP_MOD_SHIFT}, {"+", '=' | WP_MOD_SHIFT},
        {"<", ',' | WP_MOD_SHIFT}, {">", '.' | WP_MOD_SHIFT},
        {"F1", WP_KEY_F1}, {"F2", WP_KEY_F2}, {"F3", WP_KEY_F3}, {"F4", WP_KEY_F4},
        {"F5", WP_KEY_F5}, {"F6", WP_KEY_F6}, {"F7", WP_KEY_F7}, {"F8", WP_KEY_F8},
        {"F9", WP_KEY_F9}, {"F10", WP_KEY_F10}, {"F11", WP_KEY_F11}, {"F12", WP_KEY_F12},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, name, length) == 0)
            return names[i].key;
    return length == 1 && name[0] > ' ' ? (unsigned char)name[0] : 0;
}

int wp_chord_parse(const char *text, size_t length)
{
    static const char *const names[] = {"Shift+", "Ctrl+"};
    static const int mods[] = {WP_MOD_SHIFT, WP_MOD_CTRL};
    for (int i = 0; i < 2; i++) {
        const size_t name = strlen(names[i]);
        if (length <= name || strncmp(text, names[i], name) != 0)
            continue;
        const int key = wp_chord_parse(text + name, length - name);
        return key ? key | mods[i] : 0;
    }
    return key_parse(text, length);
}

static unsigned scenes_of(const struct wp_action *action)
{
    return action->of ? (unsigned)action->of : WP_OF_TRANSFORMS;
}

bool wp_action_is_available(const struct wp_viewer *v, const struct wp_action *action)
{
    return (scenes_of(action) >> v->scene->kind & 1) != 0;
}

const struct wp_action *wp_action_find_key(const struct wp_viewer *v, int chord)
{
    for (const struct wp_action *a = wp_actions; a->name; a++) {
        for (const char *keys = wp_action_is_available(v, a) ? a->keys : NULL; keys;) {
            const size_t length = strcspn(keys, "|");
            if (wp_chord_parse(keys, length) == chord)
                return a;
            keys = keys[length] ? keys + length + 1 : NULL;
        }
    }
    return NULL;
}

void wp_action_run(struct wp_viewer *v, const struct wp_action *action)
{
    if (!wp_action_is_available(v, action)) {
        wp_viewer_notice(v, WP_LOG_WARNING, "'%s' is for %s", action->label,
                         scenes_of(action) == WP_OF_SOLVER ? "reconstructions"
                                                           : "images and volumes");
    } else if (action->toggles) {
        bool *value = (bool *)((char *)&v->state + action->toggles - 1);
        *value = !*value;
    } else if (action->cycles) {
        int *value = (int *)(void *)((char *)&v->state + action->cycles - 1);
        *value = wp_wrap(*value, action->argument, action->count);
    } else if (action->act) {
        action->act(v);
    } else {
        action->run(v, action->argument);
    }
    v->dirty = true;
}

bool wp_action_ticked(const struct wp_viewer *v, const struct wp_action *action)
{
    return action->toggles && *(const bool *)((const char *)&v->state + action->toggles - 1);
}

bool wp_viewer_key(bool reconstructs, int number, const char **keys, const char **label)
{
    for (const struct wp_action *a = wp_actions; a->name; a++) {
        const unsigned scenes = reconstructs ? WP_OF_SOLVER : WP_OF_TRANSFORMS;
        if (!(scenes_of(a) & scenes) || number-- > 0)
            continue;
        *keys = a->keys;
        *label = a->label;
        return true;
    }
    return false;
}
