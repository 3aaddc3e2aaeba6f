#include "actions.h"

#include "save.h"
#include "scheme.h"
#include "sidecar.h"
#include "solver_view.h"
#include "view_shaders.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const float LEAST_CANVAS = 18;

void wp_panel_layout_choose(struct wp_viewer *v, float width)
{
    const struct wp_view_state *s = &v->state;
    // A panel of its default width must leave enough space for the canvas.
    v->folded[WP_LEFT] = s->fold[WP_LEFT] || width - (float)WP_LEFT_WIDTH < LEAST_CANVAS;
    const float left = v->folded[WP_LEFT] ? WP_STRIP : (float)WP_LEFT_WIDTH;
    v->folded[WP_RIGHT] = s->fold[WP_RIGHT] || width - left - (float)WP_RIGHT_WIDTH < LEAST_CANVAS;
}

void wp_panel_layout_fold(struct wp_viewer *v, int panel)
{
    const bool opens = v->folded[panel];
    const float width = (float)v->screen.width / wp_ui_em();
    v->state.fold[panel] = !opens;
    wp_panel_layout_choose(v, width);
    if (opens && v->folded[panel])
        v->state.fold[!panel] = true;
    wp_panel_layout_choose(v, width);
}

static int wrap(int value, int step, int count)
{
    return ((value + step) % count + count) % count;
}

static void cycle_mode(struct wp_viewer *v, int step)
{
    // Skip the timeline.
    do
        v->state.mode = wrap(v->state.mode, step, WP_VIEW_MODES);
    while (v->state.mode == WP_VIEW_PASS || (v->volume && !wp_slices_have_mode(v->state.mode)));
    v->state.fit = v->state.fit || !v->volume;
}

static void set_mode(struct wp_viewer *v, int mode)
{
    v->state.mode = mode;
    v->state.fit = v->state.fit || !v->volume; // slices keep their position
}

static void cycle_wavelet(struct wp_viewer *v, int step)
{
    char **names = wp_wavelet_names();
    int count = 0, now = -1;
    for (; names[count]; count++)
        if (strcmp(names[count], v->state.a.wavelet) == 0)
            now = count;
    snprintf(v->state.a.wavelet, sizeof v->state.a.wavelet, "%s", names[wrap(now, step, count)]);
    wp_wavelet_free_names(names);
}

static void cycle_scheme(struct wp_viewer *v, int step)
{
    const int dims = v->volume ? 3 : 2;
    const struct wp_scheme_kind *kind;
    int count = 0, now = 0;
    for (; (kind = wp_scheme_kind_at(dims, count)); count++)
        if (kind == &wp_scheme_kinds[v->state.a.scheme])
            now = count;
    kind = wp_scheme_kind_at(dims, wrap(now, step, count));
    v->state.a.scheme = (int)(kind - wp_scheme_kinds);
}

// Skips backends that are not available, with a notice.
static void cycle_backend(struct wp_viewer *v, int step)
{
    int count = 0, now = 0;
    for (; wp_backends[count]; count++)
        if (strcmp(wp_backends[count]->name, v->state.a.backend) == 0)
            now = count;
    for (int tried = 0; tried < count; tried++) {
        char reason[384];
        now = wrap(now, step, count);
        const char *name = wp_backends[now]->name;
        if (wp_devices_probe(&v->devices, name, reason, sizeof reason)) {
            wp_instance_set_backend(&v->state.a, wp_backends[now]);
            return;
        }
        wp_viewer_notice(v, WP_LOG_WARNING, "skipped %s: %s", name, reason);
    }
}

static void change_levels(struct wp_viewer *v, int step)
{
    const struct wp_instance *a = v->instance[WP_A];
    const int most = a->backend ? wp_instance_levels_most(&a->wavelet, v->state.border,
                                                          a->plane.width, a->plane.height)
                                : WP_MAX_LEVELS;
    const int levels = v->state.levels + step;
    v->state.levels = levels < 0 ? 0 : levels > most ? most : levels;
}

static void cycle_border(struct wp_viewer *v, int step)
{
    v->state.border = (v->state.border + step + WP_BORDER_COUNT) % WP_BORDER_COUNT;
}

static void cycle_channel(struct wp_viewer *v, int step)
{
    const int colours = v->source[WP_A].colours;
    int channel = (int)wp_channel_or_first((enum wp_channel)v->state.channel, colours);
    if (colours < 2) {
        wp_viewer_notice(v, WP_LOG_WARNING, "%s",
                         colours == 1 ? "the image is gray and has "
                                        "one channel"
                                      : "no image is open");
        return;
    }
    do
        channel = wrap(channel, step, WP_CHANNELS);
    while (!wp_channel_is_of((enum wp_channel)channel, colours));
    v->state.channel = channel;
}

static void change_direction(struct wp_viewer *v, int step)
{
    v->state.direction = wrap(v->state.direction, step, 2);
    v->state.op = 0;
}

static void select_band(struct wp_viewer *v, int band)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    if (!v->volume && band >= WP_BAND_COUNT)
        return;
    v->state.band = band;
    if (band == WP_BAND_LL)
        v->state.level = v->instance[WP_A]->backend ? wp_description_levels(d) : 1;
    v->state.level = v->state.level > 0 ? v->state.level : 1;
    v->pinned = false;
    set_mode(v, WP_VIEW_BAND);
}

// Cycles through the bands from the finest to the coarsest level; LL is last.
static void next_band(struct wp_viewer *v, int step)
{
    struct { int level, band; } list[WP_OCTET_BANDS * WP_MAX_LEVELS];
    const struct wp_instance *a = v->instance[WP_A];
    const int levels = a->backend ? wp_description_levels(&a->description) : 0;
    int count = 0, now = 0;
    if (levels == 0)
        return;
    for (int l = 1; l <= levels; l++)
        for (int band = WP_BAND_LL + 1; band < WP_OCTET_BANDS; band++)
            if (((unsigned)band & ~wp_description_axes(&a->description, l)) == 0) {
                list[count].level = l;
                list[count++].band = band;
            }
    list[count].level = levels;
    list[count++].band = WP_BAND_LL;
    for (int i = 0; i < count; i++)
        if (list[i].level == v->state.level && list[i].band == v->state.band)
            now = i;
    now = wrap(now, step, count);
    v->state.level = list[now].level;
    v->state.band = list[now].band;
}

// Arrow keys move a pinned pixel, or select bands.
static void arrow(struct wp_viewer *v, int direction)
{
    const int dx = direction == 0 ? -1 : direction == 1, dy = direction == 2 ? -1 : direction == 3;
    if (v->pinned) {
        v->hover_px += v->hover_px + dx >= 0 ? dx : 0;
        v->hover_py += v->hover_py + dy >= 0 ? dy : 0;
    } else if (dx) {
        next_band(v, dx);
    } else if (v->state.band != WP_BAND_LL && v->instance[WP_A]->backend) {
        const int most = wp_description_levels(&v->instance[WP_A]->description);
        const int level = v->state.level - dy;
        v->state.level = level >= 1 && level <= most ? level : v->state.level;
    }
}

// The next file, or ten slices of a volume.
static void next_page(struct wp_viewer *v, int step)
{
    enum { PAGE = 10 };
    if (v->volume)
        wp_slices_step(v, wp_slices_axis(v), PAGE * step);
    else
        wp_viewer_next(v, step);
}

// Moves by `step` slices; END: to the last slice, -END: to the first.
enum { END = INT_MAX };
static void next_slice(struct wp_viewer *v, int step)
{
    if (v->volume || v->solver)
        wp_slices_step(v, wp_slices_axis(v), step);
}

static void cycle_map(struct wp_viewer *v, int step)
{
    if (v->tiles > 0 && v->tile[0].planes > 1)
        wp_viewer_notice(v, WP_LOG_WARNING, "color maps are for single channels (H: luma, or one "
                                            "channel)");
    else
        v->state.map = wrap(v->state.map, step, WP_MAPS);
}

static void change_gain(struct wp_viewer *v, int step)
{
    v->state.gain = fmin(fmax(v->state.gain * pow(2, 0.5 * step), 1e-4), 1e6);
}

static void change_offset(struct wp_viewer *v, int step)
{
    v->state.offset = fmin(fmax(v->state.offset + 0.05 * step, -10), 10);
}

static void set_range(struct wp_viewer *v, int range)
{
    v->state.range = v->state.range == range ? WP_RANGE_FIXED : range;
}

static void reset_display(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    s->gain = 1;
    s->offset = 0;
    s->scale = WP_SCALE_SIGNED;
    s->map = WP_MAP_DIVERGING;
    s->range = WP_RANGE_BAND;
}

static void one_to_one(struct wp_viewer *v)
{
    v->state.fit = false;
    v->state.zoom = 1;
}

static void zoom(struct wp_viewer *v, int step)
{
    wp_panes_zoom(v, pow(2, 0.5 * step), v->canvas.x + 0.5F * v->canvas.width,
                  v->canvas.y + 0.5F * v->canvas.height);
}

static void centre(struct wp_viewer *v)
{
    if (v->volume) {
        next_slice(v, -END);
        return;
    }
    wp_panes_centre(v);
    v->state.fit = false;
}

static void cycle_compare(struct wp_viewer *v, int step)
{
    v->state.compare = wrap(v->state.compare, step, WP_COMPARES);
    v->state.flipped = false;
}

static void swap_instances(struct wp_viewer *v)
{
    if (!wp_viewer_comparing(v))
        return;
    const struct wp_instance_view a = v->state.a;
    v->state.a = v->state.b;
    v->state.b = a;
}

static void move_split(struct wp_viewer *v, int step)
{
    v->state.split = fmin(fmax(v->state.split + 0.02 * step, 0), 1);
}

static void step_pass(struct wp_viewer *v, int step)
{
    if (v->state.mode != WP_VIEW_PASS) {
        set_mode(v, WP_VIEW_PASS);
        v->state.op = step > 0 ? 0 : v->state.op;
        return;
    }
    const struct wp_schedule *schedule = wp_viewer_schedule(v);
    const int count = schedule ? schedule->op_count : 0, op = v->state.op + step;
    v->state.op = op < 0 ? 0 : op > count ? count : op;
    v->state.before = false;
}

static void cycle_quads(struct wp_viewer *v, int step)
{
    v->state.quads = wrap(v->state.quads, step, WP_QUADS_VIEWS);
    v->state.fit = true;
}

static void play(struct wp_viewer *v)
{
    v->state.playing = !v->state.playing;
    if (v->state.playing && !v->volume && v->state.mode != WP_VIEW_PASS && v->file_count < 2 &&
        !v->video) {
        set_mode(v, WP_VIEW_PASS);
        v->state.op = 0;
    }
}

static void zero_band(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const char *const *names = wp_instance_band_names(v->instance[WP_A]);
    const bool zeroed = wp_view_is_zeroed(s, names, s->level, (enum wp_band)s->band);
    wp_view_set_zeroed(s, names, s->level, (enum wp_band)s->band, !zeroed);
}

static void restore_bands(struct wp_viewer *v)
{
    v->state.zeroed[0] = '\0';
    v->state.kept = -1;
    v->state.threshold = WP_THRESHOLD_NONE;
    v->state.impulse = false;
}

static void add_band(struct wp_viewer *v, int step)
{
    const struct wp_instance *a = v->instance[WP_A];
    const int count = a->backend ? wp_subband_count(&a->description) : 1;
    const int now = v->state.kept < 0 ? count : v->state.kept, next = now + step;
    v->state.kept = next >= count ? -1 : next < 0 ? 0 : next;
}

// Toggles the impulse. It is put on the sample under the pointer, if that is of an image's band,
// else at the center of the selected band; in a volume, with the crosshair, of the first group.
static void impulse(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_description *d = &v->instance[WP_A]->description;
    if (!v->instance[WP_A]->backend || wp_description_levels(d) == 0)
        return;
    s->impulse = !s->impulse;
    if (!s->impulse)
        return;
    set_mode(v, WP_VIEW_RECONSTRUCTION);
    const struct wp_tile *tile = v->hover_tile >= 0 ? &v->tile[v->hover_tile] : NULL;
    if (!v->volume && tile && tile->level > 0 && tile->stride_log < 0) {
        s->level = tile->level;
        s->band = tile->band;
        s->impulse_x = v->hover_px;
        s->impulse_y = v->hover_py;
        return;
    }
    const struct wp_band_grid grid = wp_description_band(d, s->level, (enum wp_band)s->band);
    int *const at[WP_DIMS_MAX] = {&s->impulse_x, &s->impulse_y, &s->impulse_z};
    for (int a = 0; a < (v->volume ? WP_DIMS_MAX : 2); a++) {
        const int levels = a == WP_Z ? d->levels_z : d->levels;
        *at[a] = grid.size[a] / 2;
        if (v->volume)
            s->cross[a] = *at[a] << (s->level < levels ? s->level : levels);
    }
}

static void copy_command(struct wp_viewer *v)
{
    struct wp_text text = {0};
    wp_viewer_catch(v);
    const bool ok = v->scene->command(v, &text);
    wp_viewer_caught(v);
    if (ok) {
        wp_viewer_copy(v, wp_text_get(&text));
        wp_viewer_notice(v, WP_LOG_INFO, "copied: %s", wp_text_get(&v->clipboard));
    }
    wp_text_free(&text);
}

static void copy_text(struct wp_viewer *v)
{
    struct wp_text text = {0};
    if (wp_listing_text(v, &text)) {
        wp_viewer_copy(v, wp_text_get(&text));
        wp_viewer_notice(v, WP_LOG_INFO, "copied: %s", wp_inspector_names[v->state.inspector]);
    } else {
        wp_viewer_notice(v, WP_LOG_WARNING, "only the Matrix and Shader tabs have text to copy");
    }
    wp_text_free(&text);
}

// Finds the first unused name; its sidecar path must be unused, too.
static void name_file(const char *ending, char *path, size_t size)
{
    bool exists = true;
    for (int number = 1; exists; number++) {
        snprintf(path, size, "wavepass-%03d.%s", number, ending);
        char *sidecar = wp_sidecar_path(path);
        exists = access(path, F_OK) == 0 || access(sidecar, F_OK) == 0;
        free(sidecar);
    }
}

static void screenshot(struct wp_viewer *v, int full_window)
{
    name_file("png", v->screenshot, sizeof v->screenshot);
    v->screenshot_window = full_window;
}

static void run_solver(struct wp_viewer *v)
{
    v->state.playing = !v->state.playing && !v->solver->shown.ended;
}

static void solver_axis(struct wp_viewer *v)
{
    const int axis = wp_slices_axis(v);
    v->state.pane = axis == WP_Z ? WP_PANE_Y : axis == WP_Y ? WP_PANE_X : WP_PANE_Z;
}

// Saves to an unused name.
static void save_to(struct wp_viewer *v, const char *ending,
                    bool (*save)(struct wp_viewer *v, const char *path, bool overwrite))
{
    const bool sidecar = save == wp_viewer_save_coefficients;
    char path[64];
    name_file(ending, path, sizeof path);
    wp_viewer_catch(v);
    if (save(v, path, false))
        wp_viewer_notice(v, WP_LOG_INFO, "wrote %s%s%s%s", path, sidecar ? " and " : "",
                         sidecar ? path : "", sidecar ? ".json" : "");
    wp_viewer_caught(v);
}

static void save(struct wp_viewer *v)
{
    save_to(v, "npy", v->scene->save);
}

static void save_diagram(struct wp_viewer *v)
{
    save_to(v, "svg", wp_viewer_save_diagram);
}

static void reload(struct wp_viewer *v)
{
    int count = 0;
    for (int ab = WP_A; ab <= WP_B; ab++)
        v->source[ab].stale = v->source[ab].file >= 0; // read again
    if (v->scene->reload)
        v->scene->reload(v);
    if (!v->params->shaders) {
        wp_viewer_notice(v, WP_LOG_INFO, "reloaded");
        return;
    }
    wp_viewer_catch(v);
    if (wp_view_shaders_reload(v->gl, v->params->shaders, &count))
        wp_viewer_notice(v, WP_LOG_INFO, "reloaded, %d shader%s changed", count, WP_PLURAL(count));
    wp_viewer_caught(v);
    wp_text_clear(&v->shader_error);
    wp_text_add(&v->shader_error, "%s", wp_text_get(&v->captured));
}

static void open_popup(struct wp_viewer *v, int popup)
{
    v->popup = v->popup == (enum wp_popup)popup ? WP_POPUP_NONE : (enum wp_popup)popup;
    v->popup_opened = true;
    v->typed[0] = '\0';
    v->choice = 0;
}

// Closes the topmost item. Lists and menus are handled before (input.c).
static void close_top(struct wp_viewer *v)
{
    if (v->popup != WP_POPUP_NONE)
        v->popup = WP_POPUP_NONE;
    else if (v->scene->cancel && v->scene->cancel(v))
        return;
    else if (v->notice.length)
        wp_text_clear(&v->notice);
    else if (v->state.large)
        v->state.large = false;
    else
        v->pinned = false;
}

static void full_screen(struct wp_viewer *v)
{
    v->full_screen = !v->full_screen;
    if (v->set_full_screen)
        v->set_full_screen(v, v->full_screen);
}

static void enter_panels(struct wp_viewer *v, int step)
{
    v->state.panels = true;
    wp_ui_enter(step);
}

static void scale_ui(struct wp_viewer *v, int step)
{
    v->state.ui_scale = fmin(fmax(v->state.ui_scale + 0.125 * step, 0.5), 4);
}

static void quit(struct wp_viewer *v)
{
    v->quit = true;
}

#define AT(member) 1 + offsetof(struct wp_view_state, member)
#define TOGGLE(member) .toggles = AT(member)
#define CYCLE(member, number, step) .cycles = AT(member), .count = number, .argument = step
#define RUN(function, number) .run = function, .argument = number
#define ACT(function) .act = function
#define REPEATS .repeats = true
#define OF(scenes) .of = WP_OF_##scenes

const struct wp_action wp_actions[] = {
    {"open", "File", "Open, go to, set …", "Ctrl+O", RUN(open_popup, WP_POPUP_PROMPT), OF(ALL)},
    {"next-file", "File", "Next file or frame, or ten slices forward", "PgDn", RUN(next_page, 1),
     REPEATS},
    {"previous-file", "File", "Previous file, or ten slices back", "PgUp", RUN(next_page, -1),
     REPEATS},
    {"next-volume", "File", "Next file, also for volumes", "Ctrl+PgDn", RUN(wp_viewer_next, 1)},
    {"previous-volume", "File", "Previous file, also for volumes", "Ctrl+PgUp",
     RUN(wp_viewer_next, -1)},
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
    {"left-panel", "View", "Collapse or expand the left panel", "F7", RUN(wp_panel_layout_fold, 0),
     OF(ALL)},
    {"right-panel", "View", "Collapse or expand the right panel", "F8",
     RUN(wp_panel_layout_fold, 1)},
    {"large", "View", "Matrix, shader, diagram … instead of the canvas", "F9", TOGGLE(large)},
    {"next-panel", "View", "Keyboard focus to the next panel", "F6", RUN(enter_panels, 1), OF(ALL)},
    {"previous-panel", "View", "Keyboard focus to the previous panel", "Shift+F6",
     RUN(enter_panels, -1), OF(ALL)},
    {"full-screen", "View", "Full screen", "F11", ACT(full_screen), OF(ALL)},
    {"theme", "View", "Next theme", "Ctrl+T", CYCLE(theme, WP_THEME_COUNT, 1), OF(ALL)},
    {"larger", "View", "Larger interface", "Ctrl++|Ctrl+=", RUN(scale_ui, 1), REPEATS, OF(ALL)},
    {"smaller", "View", "Smaller interface", "Ctrl+-", RUN(scale_ui, -1), REPEATS, OF(ALL)},

    {"next-slice", "Slices", "Next slice", ">", RUN(next_slice, 1), REPEATS},
    {"previous-slice", "Slices", "Previous slice", "<", RUN(next_slice, -1), REPEATS},
    {"last-slice", "Slices", "Last slice", "End", RUN(next_slice, END)},
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

    {"wavelets", "Transform", "Find a wavelet …", "Ctrl+F", RUN(wp_wavelet_list_open, WP_A),
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
    {"threshold", "Edit", "Threshold: none, hard, soft", "Q", CYCLE(threshold, WP_THRESHOLDS, 1)},
    {"add-band", "Edit", "Keep one more subband", "J", RUN(add_band, 1), REPEATS},
    {"drop-band", "Edit", "Keep one subband fewer", "Shift+J", RUN(add_band, -1), REPEATS},

    {"run", "Reconstruct", "Run or pause the solver", "Space", ACT(run_solver), OF(SOLVER)},
    {"iterate", "Reconstruct", "One iteration", "F10|.", ACT(wp_solver_view_step), REPEATS,
     OF(SOLVER)},
    {"restart", "Reconstruct", "Restart from zeros", "Backspace", ACT(wp_solver_view_restart),
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
        *value = wrap(*value, action->argument, action->count);
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
