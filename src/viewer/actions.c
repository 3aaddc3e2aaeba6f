#include "actions.h"

#include "output.h"
#include "save.h"
#include "scheme.h"
#include "sidecar.h"
#include "solver_view.h"
#include "view_shaders.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const float LEAST_CANVAS = 18;

// True if a panel of its default width leaves enough space for the canvas; `taken` is the width of
// the other panel.
static bool leaves_canvas(float width, float used, double default_width)
{
    return width - used - (float)default_width >= LEAST_CANVAS;
}

void wp_panel_layout_choose(struct wp_viewer *v, float width)
{
    const struct wp_view_state *s = &v->state;
    v->folded[WP_LEFT] = s->fold_left || !leaves_canvas(width, 0, WP_LEFT_WIDTH);
    const float left = v->folded[WP_LEFT] ? WP_STRIP : (float)WP_LEFT_WIDTH;
    v->folded[WP_RIGHT] = s->fold_right || !leaves_canvas(width, left, WP_RIGHT_WIDTH);
}

void wp_panel_layout_fold(struct wp_viewer *v, int panel)
{
    bool *const fold[] = {&v->state.fold_left, &v->state.fold_right};
    const bool opens = v->folded[panel];
    const float width = (float)v->screen.width / wp_ui_em();
    *fold[panel] = !opens;
    wp_panel_layout_choose(v, width);
    if (opens && v->folded[panel])
        *fold[!panel] = true;
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
        if (wp_viewer_can(v, name, reason, sizeof reason)) {
            wp_instance_set_backend(&v->state.a, wp_backends[now]);
            return;
        }
        wp_viewer_notice(v, WP_LOG_WARNING, "skipped %s: %s", name, reason);
    }
}

static void cycle_precision(struct wp_viewer *v, int step)
{
    v->state.a.precision = wrap(v->state.a.precision, step, WP_PRECISION_COUNT);
}

static void change_levels(struct wp_viewer *v, int step)
{
    const struct wp_instance *a = &v->instance[WP_A];
    const int most = a->backend ? wp_levels_most((const int[]){a->plane.width, a->plane.height},
                                                 (enum wp_border)v->state.border)
                                : WP_MAX_LEVELS;
    const int levels = v->state.levels + step;
    v->state.levels = levels < 0 ? 0 : levels > most ? most : levels;
}

static void cycle_border(struct wp_viewer *v, int step)
{
    v->state.border = wrap(v->state.border, step, WP_BORDER_COUNT);
}

static void cycle_norm(struct wp_viewer *v, int step)
{
    v->state.norm = wrap(v->state.norm, step, WP_NORM_COUNT);
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
    const struct wp_description *d = &v->instance[WP_A].description;
    if (!v->volume && band >= WP_BAND_COUNT)
        return;
    v->state.band = band;
    if (band == WP_BAND_LL)
        v->state.level = v->instance[WP_A].backend ? wp_description_levels(d) : 1;
    v->state.level = v->state.level > 0 ? v->state.level : 1;
    v->pinned = false;
    set_mode(v, WP_VIEW_BAND);
}

// Cycles through the bands from the finest to the coarsest level; LL is last.
static void next_band(struct wp_viewer *v, int step)
{
    struct { int level, band; } list[WP_OCTET_BANDS * WP_MAX_LEVELS];
    const struct wp_instance *a = &v->instance[WP_A];
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

static void next_level(struct wp_viewer *v, int step)
{
    const struct wp_instance *a = &v->instance[WP_A];
    const int level = v->state.level + step;
    const bool valid = a->backend && level >= 1 && level <= wp_description_levels(&a->description);
    if (v->state.band != WP_BAND_LL && valid)
        v->state.level = level;
}

// Arrow keys move a pinned pixel, or select bands.
static void arrow(struct wp_viewer *v, int direction)
{
    const int dx = direction == 0 ? -1 : direction == 1, dy = direction == 2 ? -1 : direction == 3;
    if (!v->pinned) {
        if (dx)
            next_band(v, dx);
        else
            next_level(v, -dy);
        return;
    }
    v->hover_px += v->hover_px + dx >= 0 ? dx : 0;
    v->hover_py += v->hover_py + dy >= 0 ? dy : 0;
}

static void next_file(struct wp_viewer *v, int step)
{
    wp_viewer_next(v, step);
}

// The next file, or ten slices of a volume.
static void next_page(struct wp_viewer *v, int step)
{
    enum { PAGE = 10 };
    if (v->volume)
        wp_slices_step(v, wp_slices_axis(v), PAGE * step);
    else
        next_file(v, step);
}

static void next_slice(struct wp_viewer *v, int step)
{
    if (v->volume)
        wp_slices_step(v, wp_slices_axis(v), step);
}

// Moves to the first or last slice.
static void jump_to_end(struct wp_viewer *v, int step)
{
    if (!v->volume)
        return;
    const int axis = wp_slices_axis(v);
    wp_slices_step(v, axis, step * v->slices.size[axis]);
}

static void next_pane(struct wp_viewer *v, int step)
{
    v->state.pane = wrap(v->state.pane, step, WP_SLICE_PANES);
}

static void cycle_fourth(struct wp_viewer *v, int step)
{
    v->state.fourth = wrap(v->state.fourth, step, WP_FOURTHS);
}

static void cycle_scale(struct wp_viewer *v, int step)
{
    v->state.scale = wrap(v->state.scale, step, WP_SCALES);
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

static void reset_display(struct wp_viewer *v, int unused)
{
    (void)unused;
    struct wp_view_state *s = &v->state;
    s->gain = 1;
    s->offset = 0;
    s->scale = WP_SCALE_SIGNED;
    s->map = WP_MAP_DIVERGING;
    s->range = WP_RANGE_BAND;
}

static void one_to_one(struct wp_viewer *v, int unused)
{
    (void)unused;
    v->state.fit = false;
    v->state.zoom = 1;
}

static void zoom(struct wp_viewer *v, int step)
{
    wp_panes_zoom(v, pow(2, 0.5 * step), v->canvas.x + 0.5F * v->canvas.width,
                  v->canvas.y + 0.5F * v->canvas.height);
}

static void centre(struct wp_viewer *v, int unused)
{
    (void)unused;
    if (v->volume) {
        jump_to_end(v, -1);
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

static void cycle_metric(struct wp_viewer *v, int step)
{
    v->state.metric = wrap(v->state.metric, step, WP_VIEW_METRICS);
}

static void swap_instances(struct wp_viewer *v, int unused)
{
    (void)unused;
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
    const struct wp_schedule *schedule =
        v->ready[WP_A]
            ? wp_instance_schedule(&v->instance[WP_A], (enum wp_direction)v->state.direction)
            : NULL;
    const int count = schedule ? schedule->op_count : 0;
    const int op = v->state.op + step;
    v->state.op = op < 0 ? 0 : op > count ? count : op;
    v->state.before = false;
}

static void cycle_quads(struct wp_viewer *v, int step)
{
    v->state.quads = wrap(v->state.quads, step, WP_QUADS_VIEWS);
    v->state.fit = true;
}

static void play(struct wp_viewer *v, int unused)
{
    (void)unused;
    v->state.playing = !v->state.playing;
    if (v->state.playing && !v->volume && v->state.mode != WP_VIEW_PASS && v->file_count < 2 &&
        !v->video) {
        set_mode(v, WP_VIEW_PASS);
        v->state.op = 0;
    }
}

static void zero_band(struct wp_viewer *v, int unused)
{
    (void)unused;
    struct wp_view_state *s = &v->state;
    const char *const *names = wp_instance_band_names(&v->instance[WP_A]);
    const bool zeroed = wp_view_is_zeroed(s, names, s->level, (enum wp_band)s->band);
    wp_view_set_zeroed(s, names, s->level, (enum wp_band)s->band, !zeroed);
}

static void restore_bands(struct wp_viewer *v, int unused)
{
    (void)unused;
    v->state.zeroed[0] = '\0';
    v->state.kept = -1;
    v->state.threshold = WP_THRESHOLD_NONE;
    v->state.impulse = false;
}

static void add_band(struct wp_viewer *v, int step)
{
    const struct wp_instance *a = &v->instance[WP_A];
    const int count = a->backend ? wp_subband_count(&a->description) : 1;
    const int now = v->state.kept < 0 ? count : v->state.kept;
    const int next = now + step;
    v->state.kept = next >= count ? -1 : next < 0 ? 0 : next;
}

static void set_impulse(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_plane *plane = &v->instance[WP_A].plane;
    if (v->hover_tile >= 0 && v->tile[v->hover_tile].level > 0 &&
        v->tile[v->hover_tile].stride_log < 0) {
        s->level = v->tile[v->hover_tile].level;
        s->band = v->tile[v->hover_tile].band;
        s->impulse_x = v->hover_px;
        s->impulse_y = v->hover_py;
    } else {
        const struct wp_band_view view = wp_band_view(plane->width, plane->height, s->level,
                                                      (enum wp_band)s->band, WP_LAYOUT_MALLAT);
        s->impulse_x = view.width / 2;
        s->impulse_y = view.height / 2;
    }
}

// Puts the impulse and the crosshair at the center of the selected band of the first group.
static void set_impulse_in_volume(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_description *d = &v->instance[WP_A].description;
    const struct wp_band_grid grid = wp_description_band(d, s->level, (enum wp_band)s->band);
    int *const at[WP_DIMS_MAX] = {&s->impulse_x, &s->impulse_y, &s->impulse_z};
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int levels = a == WP_Z ? d->levels_z : d->levels;
        *at[a] = grid.size[a] / 2;
        s->cross[a] = *at[a] << (s->level < levels ? s->level : levels);
    }
}

// Toggles the impulse: at the pointer if it is over a band, else at the center of the selected one.
static void impulse(struct wp_viewer *v, int unused)
{
    (void)unused;
    struct wp_view_state *s = &v->state;
    if (!v->instance[WP_A].backend || wp_description_levels(&v->instance[WP_A].description) == 0)
        return;
    s->impulse = !s->impulse;
    if (!s->impulse)
        return;
    if (v->volume)
        set_impulse_in_volume(v);
    else
        set_impulse(v);
    set_mode(v, WP_VIEW_RECONSTRUCTION);
}

static void cycle_threshold(struct wp_viewer *v, int step)
{
    v->state.threshold = wrap(v->state.threshold, step, WP_THRESHOLDS);
}

static void copy_command(struct wp_viewer *v, int unused)
{
    (void)unused;
    wp_viewer_catch(v);
    struct wp_text text = {0};
    const bool ok = v->scene->command(v, &text);
    wp_viewer_caught(v);
    if (ok)
        wp_viewer_copy(v, wp_text_get(&text));
    wp_text_free(&text);
    if (!ok)
        return;
    wp_viewer_notice(v, WP_LOG_INFO, "copied: %s", wp_text_get(&v->clipboard));
}

static void copy_text(struct wp_viewer *v, int unused)
{
    (void)unused;
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

static void save_image(struct wp_viewer *v, int unused)
{
    (void)unused;
    char path[64];
    name_file("npy", path, sizeof path);
    wp_viewer_catch(v);
    if (v->scene->save(v, path, false))
        wp_viewer_notice(v, WP_LOG_INFO, "wrote %s", path);
    wp_viewer_caught(v);
}

static bool write_text(const char *path, const struct wp_text *text)
{
    struct wp_output *output = wp_output_open(path, false);
    if (!output)
        return false;
    fputs(wp_text_get(text), wp_output_stream(output));
    return wp_output_commit(&output);
}

static void save_diagram(struct wp_viewer *v, int unused)
{
    (void)unused;
    char path[64];
    struct wp_text svg = {0};
    name_file("svg", path, sizeof path);
    wp_viewer_catch(v);
    if (wp_listing_diagram(v, &svg) && write_text(path, &svg))
        wp_viewer_notice(v, WP_LOG_INFO, "wrote %s", path);
    wp_viewer_caught(v);
    wp_text_free(&svg);
}

static void run_solver(struct wp_viewer *v, int unused)
{
    (void)unused;
    v->state.playing = !v->state.playing && !v->solver->shown.ended;
}

static void step_solver(struct wp_viewer *v, int unused)
{
    (void)unused;
    wp_solver_view_step(v);
}

static void restart_solver(struct wp_viewer *v, int unused)
{
    (void)unused;
    wp_solver_view_restart(v);
}

static void solver_slice(struct wp_viewer *v, int step)
{
    wp_solver_view_slice(v, step);
}

static void solver_axis(struct wp_viewer *v, int unused)
{
    (void)unused;
    const int axis = wp_solver_view_axis(v);
    v->state.pane = axis == WP_Z ? WP_PANE_Y : axis == WP_Y ? WP_PANE_X : WP_PANE_Z;
}

static void save_coefficients(struct wp_viewer *v, int unused)
{
    (void)unused;
    char path[64];
    name_file("npy", path, sizeof path);
    wp_viewer_catch(v);
    if (wp_viewer_save_coefficients(v, path, false))
        wp_viewer_notice(v, WP_LOG_INFO, "wrote %s and %s.json", path, path);
    wp_viewer_caught(v);
}

static void reload(struct wp_viewer *v, int unused)
{
    (void)unused;
    int count = 0;
    wp_viewer_reload(v);
    if (v->scene->reload)
        v->scene->reload(v);
    if (!v->params->shaders) {
        wp_viewer_notice(v, WP_LOG_INFO, "reloaded");
        return;
    }
    wp_viewer_catch(v);
    if (wp_view_shaders_reload(v->gl, v->params->shaders, &count))
        wp_viewer_notice(v, WP_LOG_INFO, "reloaded, %d shader%s changed", count,
                         WP_PLURAL(count));
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
static void close_top(struct wp_viewer *v, int unused)
{
    (void)unused;
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

static void full_screen(struct wp_viewer *v, int unused)
{
    (void)unused;
    v->full_screen = !v->full_screen;
    if (v->set_full_screen)
        v->set_full_screen(v, v->full_screen);
}

static void enter_panels(struct wp_viewer *v, int step)
{
    v->state.panels = true;
    wp_ui_enter(step);
}

static void fold_panel(struct wp_viewer *v, int right)
{
    wp_panel_layout_fold(v, right);
}

static void cycle_theme(struct wp_viewer *v, int step)
{
    v->state.theme = wrap(v->state.theme, step, WP_THEME_COUNT);
}

static void scale_ui(struct wp_viewer *v, int step)
{
    v->state.ui_scale = fmin(fmax(v->state.ui_scale + 0.125 * step, 0.5), 4);
}

static void next_tab(struct wp_viewer *v, int step)
{
    v->state.inspector = wrap(v->state.inspector, step, WP_INSPECTORS);
}

static void quit(struct wp_viewer *v, int unused)
{
    (void)unused;
    v->quit = true;
}

#define TOGGLE(member) .toggles = 1 + offsetof(struct wp_view_state, member)

const struct wp_action wp_actions[] = {
    {"open", "File", "Open, go to, set …", "Ctrl+O", .run = open_popup,
     .argument = WP_POPUP_PROMPT, .of = WP_OF_ALL},
    {"next-file", "File", "Next file or frame, or ten slices forward", "PgDn", .run = next_page,
     .argument = 1, .repeats = true},
    {"previous-file", "File", "Previous file, or ten slices back", "PgUp", .run = next_page,
     .argument = -1, .repeats = true},
    {"next-volume", "File", "Next file, also for volumes", "Ctrl+PgDn", .run = next_file,
     .argument = 1},
    {"previous-volume", "File", "Previous file, also for volumes", "Ctrl+PgUp", .run = next_file,
     .argument = -1},
    {"reload", "File", "Reload image and shaders", "Ctrl+R", .run = reload,
     .of = WP_OF_IMAGES},
    {"save", "File", "Save coefficients", "Ctrl+S", .run = save_coefficients},
    {"screenshot", "File", "Screenshot of the canvas", "F12", .run = screenshot, .of = WP_OF_ALL},
    {"screenshot-window", "File", "Screenshot of the window", "Shift+F12", .run = screenshot,
     .argument = 1, .of = WP_OF_ALL},
    {"command", "File", "Copy the command for this view", "K", .run = copy_command,
     .of = WP_OF_ALL},
    {"copy-text", "File", "Copy the visible matrix or shader", "Ctrl+C", .run = copy_text},
    {"save-diagram", "File", "Save the scheme's diagram as SVG", "Ctrl+Shift+S",
     .run = save_diagram},
    {"quit", "File", "Quit", "Ctrl+Q", .run = quit, .of = WP_OF_ALL},

    {"mosaic", "View", "Mosaic", "0", .run = set_mode, .argument = WP_VIEW_MOSAIC},
    {"ll", "View", "Band LL, or LLL", "1", .run = select_band, .argument = WP_BAND_LL},
    {"hl", "View", "Band HL, or HLL", "2", .run = select_band, .argument = WP_BAND_HL},
    {"lh", "View", "Band LH, or LHL", "3", .run = select_band, .argument = WP_BAND_LH},
    {"hh", "View", "Band HH, or HHL", "4", .run = select_band, .argument = WP_BAND_HH},
    {"llh", "View", "Band LLH of a volume", "5", .run = select_band, .argument = 4},
    {"hlh", "View", "Band HLH of a volume", "6", .run = select_band, .argument = 5},
    {"lhh", "View", "Band LHH of a volume", "7", .run = select_band, .argument = 6},
    {"hhh", "View", "Band HHH of a volume", "8", .run = select_band, .argument = 7},
    {"left", "View", "Previous band, or pixel to the left", "Left", .run = arrow, .argument = 0,
     .repeats = true},
    {"right", "View", "Next band, or pixel to the right", "Right", .run = arrow, .argument = 1,
     .repeats = true},
    {"up", "View", "Coarser level, or pixel above", "Up", .run = arrow, .argument = 2,
     .repeats = true},
    {"down", "View", "Finer level, or pixel below", "Down", .run = arrow, .argument = 3,
     .repeats = true},
    {"next-mode", "View", "Next view mode", "V", .run = cycle_mode, .argument = 1},
    {"previous-mode", "View", "Previous view mode", "Shift+V", .run = cycle_mode,
     .argument = -1},
    {"fit", "View", "Fit to the window", "F", TOGGLE(fit), .of = WP_OF_ALL},
    {"one-to-one", "View", "1:1", "Ctrl+0", .run = one_to_one, .of = WP_OF_ALL},
    {"zoom-in", "View", "Zoom in", "+|=", .run = zoom, .argument = 1, .repeats = true,
     .of = WP_OF_ALL},
    {"zoom-out", "View", "Zoom out", "-", .run = zoom, .argument = -1, .repeats = true,
     .of = WP_OF_ALL},
    {"centre", "View", "Center, or the first slice", "Home", .run = centre,
     .of = WP_OF_IMAGES},
    {"go-to", "View", "Go to x y zoom …", "Ctrl+G", .run = open_popup,
     .argument = WP_POPUP_GO_TO, .of = WP_OF_ALL},
    {"grid", "View", "Pixel grid", "G", TOGGLE(grid), .of = WP_OF_ALL},
    {"values", "View", "Pixel values", "Ctrl+P", TOGGLE(values), .of = WP_OF_ALL},
    {"panels", "View", "Panels", "Tab", TOGGLE(panels), .of = WP_OF_ALL},
    {"left-panel", "View", "Collapse or expand the left panel", "F7",
     .run = fold_panel, .argument = 0,
     .of = WP_OF_ALL},
    {"right-panel", "View", "Collapse or expand the right panel", "F8", .run = fold_panel,
     .argument = 1},
    {"large", "View", "Matrix, shader, diagram … instead of the canvas", "F9", TOGGLE(large)},
    {"next-panel", "View", "Keyboard focus to the next panel", "F6", .run = enter_panels,
     .argument = 1, .of = WP_OF_ALL},
    {"previous-panel", "View", "Keyboard focus to the previous panel", "Shift+F6",
     .run = enter_panels,
     .argument = -1, .of = WP_OF_ALL},
    {"full-screen", "View", "Full screen", "F11", .run = full_screen, .of = WP_OF_ALL},
    {"theme", "View", "Next theme", "Ctrl+T", .run = cycle_theme, .argument = 1, .of = WP_OF_ALL},
    {"larger", "View", "Larger interface", "Ctrl++|Ctrl+=", .run = scale_ui, .argument = 1,
     .repeats = true, .of = WP_OF_ALL},
    {"smaller", "View", "Smaller interface", "Ctrl+-", .run = scale_ui, .argument = -1,
     .repeats = true, .of = WP_OF_ALL},

    {"next-slice", "Slices", "Next slice", ">", .run = next_slice, .argument = 1,
     .repeats = true},
    {"previous-slice", "Slices", "Previous slice", "<", .run = next_slice, .argument = -1,
     .repeats = true},
    {"last-slice", "Slices", "Last slice", "End", .run = jump_to_end, .argument = 1},
    {"next-pane", "Slices", "Next view", "\\", .run = next_pane, .argument = 1},
    {"single", "Slices", "Only the active view", "Enter", TOGGLE(single)},
    {"fourth", "Slices", "Fourth view: subbands, maximum projection, cube", "Ctrl+Y",
     .run = cycle_fourth, .argument = 1},
    {"behind", "Slices", "The cube of subbands from behind", "9", TOGGLE(behind)},
    {"crosshair", "Slices", "Crosshair", "Ctrl+H", TOGGLE(crosshair)},
    {"radiological", "Slices", "The patient's right on the left", "Ctrl+Shift+H",
     TOGGLE(radiological)},

    {"gain-up", "Display", "Brighter", "E", .run = change_gain, .argument = 1, .repeats = true,
     .of = WP_OF_ALL},
    {"gain-down", "Display", "Darker", "Shift+E", .run = change_gain, .argument = -1,
     .repeats = true, .of = WP_OF_ALL},
    {"offset-up", "Display", "Offset up", "O", .run = change_offset, .argument = 1,
     .repeats = true, .of = WP_OF_ALL},
    {"offset-down", "Display", "Offset down", "Shift+O", .run = change_offset, .argument = -1,
     .repeats = true, .of = WP_OF_ALL},
    {"range-band", "Display", "One range per band", "N", .run = set_range,
     .argument = WP_RANGE_BAND},
    {"range-all", "Display", "One range for all bands", "Shift+N", .run = set_range,
     .argument = WP_RANGE_ALL},
    {"next-scale", "Display", "Signed, absolute, logarithm", "A", .run = cycle_scale,
     .argument = 1},
    {"next-map", "Display", "Next color map", "C", .run = cycle_map, .argument = 1,
     .of = WP_OF_ALL},
    {"previous-map", "Display", "Previous color map", "Shift+C", .run = cycle_map,
     .argument = -1, .of = WP_OF_ALL},
    {"reset", "Display", "Reset the display", "R", .run = reset_display, .of = WP_OF_ALL},
    {"times", "Display", "Show measured times", "Ctrl+M", TOGGLE(times), .of = WP_OF_ALL},

    {"wavelets", "Transform", "Find a wavelet …", "Ctrl+F", .run = wp_wavelet_list_open,
     .argument = WP_A, .of = WP_OF_BOTH},
    {"next-wavelet", "Transform", "Next wavelet", "W", .run = cycle_wavelet, .argument = 1,
     .of = WP_OF_BOTH},
    {"previous-wavelet", "Transform", "Previous wavelet", "Shift+W", .run = cycle_wavelet,
     .argument = -1, .of = WP_OF_BOTH},
    {"next-scheme", "Transform", "Next scheme", "S", .run = cycle_scheme, .argument = 1},
    {"previous-scheme", "Transform", "Previous scheme", "Shift+S", .run = cycle_scheme,
     .argument = -1},
    {"plain", "Transform", "Without optimization", "P", TOGGLE(a.plain)},
    {"more-levels", "Transform", "More levels", "L", .run = change_levels, .argument = 1,
     .of = WP_OF_BOTH},
    {"fewer-levels", "Transform", "Fewer levels", "Shift+L", .run = change_levels,
     .argument = -1, .of = WP_OF_BOTH},
    {"border", "Transform", "Next border", "Ctrl+B", .run = cycle_border, .argument = 1},
    {"norm", "Transform", "Next normalization", "Ctrl+N", .run = cycle_norm, .argument = 1},
    {"channel", "Transform", "Color, luma, or one channel", "H", .run = cycle_channel,
     .argument = 1, .of = WP_OF_IMAGES},
    {"next-backend", "Transform", "Next backend", "B", .run = cycle_backend, .argument = 1},
    {"previous-backend", "Transform", "Previous backend", "Shift+B", .run = cycle_backend,
     .argument = -1},
    {"precision", "Transform", "32 or 16 bits", "U", .run = cycle_precision, .argument = 1},

    {"next-compare", "Compare", "Wipe, side by side, flip, difference", "X",
     .run = cycle_compare, .argument = 1},
    {"previous-compare", "Compare", "Reverse the order", "Shift+X", .run = cycle_compare,
     .argument = -1},
    {"show-b", "Compare", "Show B (or hold Shift)", "Y", TOGGLE(flipped)},
    {"swap", "Compare", "Swap A and B", "T", .run = swap_instances},
    {"next-metric", "Compare", "Next metric: E, AE, SE, RAE, RSE", "M", .run = cycle_metric,
     .argument = 1},
    {"previous-metric", "Compare", "Previous metric", "Shift+M", .run = cycle_metric,
     .argument = -1},
    {"split-left", "Compare", "Wipe to the left", "[", .run = move_split, .argument = -1,
     .repeats = true},
    {"split-right", "Compare", "Wipe to the right", "]", .run = move_split, .argument = 1,
     .repeats = true},
    {"live", "Compare", "Live: run in every frame", "Ctrl+L", TOGGLE(live)},

    {"next-pass", "Step", "Next pass", "F10|.", .run = step_pass, .argument = 1,
     .repeats = true},
    {"previous-pass", "Step", "Previous pass", "Shift+F10|,", .run = step_pass, .argument = -1,
     .repeats = true},
    {"before", "Step", "Before or after the pass", "D", TOGGLE(before)},
    {"quads", "Step", "Quads of a pass interleaved, as four components, or both", ";",
     .run = cycle_quads, .argument = 1},
    {"play", "Step", "Play passes, files, frames or slices", "Space", .run = play},
    {"direction", "Step", "Forward or inverse passes", "Ctrl+D", .run = change_direction,
     .argument = 1},
    {"next-tab", "Step", "Next tab of the inspector", "Ctrl+I", .run = next_tab, .argument = 1},

    {"zero", "Edit", "Zero the selected subband", "Z", .run = zero_band},
    {"restore", "Edit", "Undo all edits", "Shift+Z", .run = restore_bands},
    {"impulse", "Edit", "Impulse (basis function)", "I", .run = impulse},
    {"threshold", "Edit", "Threshold: none, hard, soft", "Q", .run = cycle_threshold,
     .argument = 1},
    {"add-band", "Edit", "Keep one more subband", "J",
     .run = add_band, .argument = 1, .repeats = true},
    {"drop-band", "Edit", "Keep one subband fewer", "Shift+J", .run = add_band, .argument = -1,
     .repeats = true},

    {"run", "Reconstruct", "Run or pause the solver", "Space", .run = run_solver,
     .of = WP_OF_SOLVER},
    {"iterate", "Reconstruct", "One iteration", "F10|.", .run = step_solver, .repeats = true,
     .of = WP_OF_SOLVER},
    {"restart", "Reconstruct", "Restart from zeros", "Backspace", .run = restart_solver,
     .of = WP_OF_SOLVER},
    {"go-on", "Reconstruct", "New weights continue from the current image", "Ctrl+U",
     TOGGLE(solver.keep), .of = WP_OF_SOLVER},
    {"slice-up", "Reconstruct", "Next slice of the image", ">|PgDn", .run = solver_slice,
     .argument = 1, .repeats = true, .of = WP_OF_SOLVER},
    {"slice-down", "Reconstruct", "Previous slice of the image", "<|PgUp", .run = solver_slice,
     .argument = -1, .repeats = true, .of = WP_OF_SOLVER},
    {"slice-axis", "Reconstruct", "Slices along another axis", "\\", .run = solver_axis,
     .of = WP_OF_SOLVER},
    {"save-image", "Reconstruct", "Save the image", "Ctrl+S", .run = save_image,
     .of = WP_OF_SOLVER},

    {"help", "Help", "Keys", "?|F1", .run = open_popup, .argument = WP_POPUP_HELP,
     .of = WP_OF_ALL},
    {"palette", "Help", "All actions and settings …", "Ctrl+Shift+P", .run = open_popup,
     .argument = WP_POPUP_PALETTE, .of = WP_OF_ALL},
    {"close", NULL, "Close the topmost panel, unpin the pixel", "Esc", .run = close_top,
     .of = WP_OF_ALL},
    {0},
};

const struct wp_action *wp_action_find(const char *name)
{
    for (const struct wp_action *a = wp_actions; a->name; a++)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

// Parses "1" to "12".
static int function_key_parse(const char *number, size_t length)
{
    int value = 0;
    for (size_t i = 0; i < length; i++) {
        if (number[i] < '0' || number[i] > '9' || length > 2 || number[0] == '0')
            return 0;
        value = 10 * value + (number[i] - '0');
    }
    return value <= 12 ? WP_KEY_F1 + value - 1 : 0;
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
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, name, length) == 0)
            return names[i].key;
    if (length >= 2 && name[0] == 'F')
        return function_key_parse(name + 1, length - 1);
    return length == 1 && name[0] > ' ' ? (unsigned char)name[0] : 0;
}

int wp_chord_parse(const char *text, size_t length)
{
    static const char shift[] = "Shift+", ctrl[] = "Ctrl+";
    int mods = 0;
    for (;;) {
        const size_t s = sizeof shift - 1, c = sizeof ctrl - 1;
        if (length > s && strncmp(text, shift, s) == 0) {
            mods |= WP_MOD_SHIFT;
            text += s;
            length -= s;
        } else if (length > c && strncmp(text, ctrl, c) == 0) {
            mods |= WP_MOD_CTRL;
            text += c;
            length -= c;
        } else {
            const int key = key_parse(text, length);
            return key ? key | mods : 0;
        }
    }
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
