// Initialization, the loop without a window, and cleanup. The window is in window.c.
#include "viewer.h"

#include "memory.h"
#include "npz.h"
#include "pattern.h"
#include "save.h"
#include "scheme.h"
#include "script.h"
#include "view_shaders.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const unsigned char wp_font_data[], wp_font_mono[];
extern const unsigned long wp_font_data_size, wp_font_mono_size;

const char *const wp_viewer_missing = NULL;

enum { WIDTH = 1280, HEIGHT = 800, STEADY_FRAMES = 3, EXTRA_FRAMES = 8 };
static const double FRAME_SECONDS = 1.0 / 60; // without a window, for deterministic scripts

struct run {
    struct wp_viewer v;
    struct wp_script *script;
    int frames;
    bool may_end; // the next frame may be the screenshot
    bool failed;
};

static bool set_state(struct wp_view_state *state, const struct wp_viewer_params *params)
{
    const struct wp_transform_params *t = &params->transform;
    wp_view_state_reset(state);
    state->times = !params->screenshot;
    if (params->ui_scale > 0)
        state->ui_scale = params->ui_scale;
    if (!params->screenshot)
        wp_preferences_read(state);
    if (params->state && !wp_view_state_read(params->state, state))
        return false;
    if (t->scheme) {
        const struct wp_scheme_kind *kind = wp_scheme_kind_find(t->scheme, 3);
        if (!kind)
            return false;
        state->a.scheme = state->b.scheme = (int)(kind - wp_scheme_kinds);
    }
    // Same defaults as 'forward --reversible'.
    state->a.reversible = state->a.reversible || t->reversible;
    state->adjoint = state->adjoint || t->adjoint;
    if (t->reversible && !t->scheme)
        state->a.scheme = state->b.scheme = WP_SCHEME_SEP_LIFTING;
    const char *name = t->reversible && !params->state ? "cdf53" : NULL;
    struct wp_wavelet wavelet;
    if (t->wavelet && !wp_wavelet_find(t->wavelet, &wavelet))
        return false;
    // Prefer the name of a known wavelet, so that lists show it.
    if (t->wavelet)
        name = strchr(t->wavelet, '/') || !wp_wavelet_is_known(wavelet.name) ? t->wavelet
                                                                            : wavelet.name;
    if (t->bank && strcmp(t->bank, wp_bank_names[WP_BANK_PACKETS]) == 0)
        return wp_fail(WP_ERROR_USAGE, "the viewer does not support bank '%s'"
                       "\nhint: 'forward --picture nodes.png' draws its coefficients", t->bank);
    // The convolutions need the fewest passes, and the starlet has no other schemes.
    if (t->bank && strcmp(t->bank, wp_bank_names[WP_BANK_DECIMATED]) != 0 && !t->scheme)
        state->a.scheme = state->b.scheme = WP_SCHEME_SEP_CONVOLUTION;
    state->a.plain = state->a.plain || t->plain;
    if (t->levels)
        state->levels = t->levels == WP_LEVELS_MOST ? WP_MAX_LEVELS : t->levels;
    if (t->levels_z)
        state->levels_z = t->levels_z == WP_LEVELS_MOST   ? WP_MAX_LEVELS
                          : t->levels_z == WP_LEVELS_NONE ? 0
                                                          : t->levels_z;
    if (t->gop)
        state->gop = t->gop;
    const char *backend = t->backend && strcmp(t->backend, "auto") != 0 ? t->backend : NULL;
    enum wp_channel channel = (enum wp_channel)state->channel;
    if (params->channel && !wp_channel_find(params->channel, &channel))
        return false;
    state->channel = (int)channel;
    const char *const words[][2] = {{"a.wavelet", name}, {"b.wavelet", name},
                                    {"a.bank", t->bank}, {"b.bank", t->bank},
                                    {"border", t->border}, {"norm", t->norm},
                                    {"a.backend", backend}, {"a.variant", t->variant},
                                    {"a.precision", t->precision}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i][1] && !wp_view_state_set(state, words[i][0], words[i][1]))
            return false;
    return true;
}

// Executes script events and draws a frame. Returns false if nothing is left to do.
static bool step(struct wp_viewer *v)
{
    struct run *run = (struct run *)v;
    bool failed = false;
    // Controls can be found after they have been drawn.
    const bool more = run->script && (run->frames == 0 || wp_script_step(run->script, v, &failed));
    run->failed = run->failed || failed;
    // A frame for a screenshot must be displayed, although wp_redraw_next() could defer it.
    const bool needs_pixels = run->script && wp_script_needs_pixels(run->script);
    if (needs_pixels || !v->windowed)
        v->hidden = !needs_pixels && !run->may_end;
    wp_viewer_frame(v);
    v->now += v->dt;
    run->frames++;
    return more && !failed && !v->quit;
}

static bool is_flat(const struct wp_screen *screen)
{
    const size_t count = 3 * (size_t)screen->width;
    unsigned char *rows = wp_xcalloc(count, 2);
    bool flat = true;
    wp_screen_read(screen, 0, 0, screen->width, 1, rows);
    for (int y = 0; y < screen->height && flat; y++) {
        wp_screen_read(screen, 0, y, screen->width, 1, rows + count);
        for (int x = 0; x < screen->width && flat; x++)
            flat = memcmp(rows, rows + count + 3 * (size_t)x, 3) == 0;
    }
    free(rows);
    return flat;
}

static bool run_headless(struct run *run)
{
    struct wp_viewer *v = &run->v;
    const struct wp_viewer_params *params = v->params;
    v->dt = FRAME_SECONDS;
    while (step(v))
        wp_viewer_watch(v);
    if (run->failed)
        return false;
    // Draw the requested frames, and until the interface has settled.
    for (int i = 0; run->frames < params->frames || i < STEADY_FRAMES ||
                    (v->dirty && i < EXTRA_FRAMES); i++) {
        run->may_end = i >= STEADY_FRAMES - 1;
        step(v);
    }
    if (!params->screenshot)
        return true;
    if (!wp_gl_finish(v->gl))
        return false;
    if (is_flat(&v->screen))
        return wp_fail(WP_ERROR_INTERNAL, "the screenshot has only one color, so %s is not written",
                       params->screenshot);
    return wp_viewer_save_screenshot(v, params->screenshot, true, params->overwrite);
}

static bool open_headless(struct wp_viewer *v, int width, int height)
{
    char reason[512];
    v->gl = wp_gl_create(v->params->transform.device - 1, reason, sizeof reason);
    if (!v->gl)
        return reason[0] && wp_fail(WP_ERROR_UNAVAILABLE, "the viewer needs OpenGL (%s)\nhint: "
                                    "'wavepass info' shows what was tried", reason);
    return wp_viewer_resize(v, width, height);
}

// Sets and checks the levels of A with the rules of `forward`. `-l max` depends on the image;
// default levels are limited to those that fit.
static bool choose_levels(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_transform_params *t = &v->params->transform;
    const int width = v->first.width, height = v->first.height, slices = v->first.depth;
    const int depth = s->gop > 0 && s->gop < slices ? s->gop : slices;
    const enum wp_border border = (enum wp_border)s->border;
    struct wp_wavelet wavelet;
    struct wp_description d = {.wavelet = &wavelet, .border = border,
                               .bank = (enum wp_bank)s->a.bank, .size = {width, height, depth}};
    if (slices > 1 && !wp_instance_check_volume(s->a.bank))
        return false;
    if (!wp_wavelet_find(s->a.wavelet, &wavelet))
        return false;
    const int most = wp_instance_levels_most(&wavelet, s->a.bank, s->border, d.size);
    const int most_z = wp_description_levels_fit(&d, WP_Z);
    if (s->levels > 0 && border < WP_BORDER_NATIVE && s->a.bank == WP_BANK_DECIMATED &&
        !wp_levels_any((const int[]){width, height}, border))
        return false;
    if (t->levels == WP_LEVELS_MOST)
        s->levels = most;
    if (t->levels <= 0 && t->levels_z <= 0)
        return true;
    d.levels = t->levels > 0 || s->levels < most ? s->levels : most;
    const bool common = slices > 1 && wp_bank_is_redundant(d.bank);
    d.levels_z = t->levels_z > 0 ? s->levels_z : d.levels < most_z || common ? d.levels : most_z;
    return wp_description_check(&d);
}

// Rejects options for a third axis if the source is an image. For volumes selects slices, and by
// default the backend cpu and the default scheme of `forward`.
static bool choose_kind(struct wp_viewer *v)
{
    const struct wp_viewer_params *params = v->params;
    const struct wp_transform_params *t = &params->transform;
    const bool named = t->backend && strcmp(t->backend, "auto") != 0;
    if (v->first.depth == 1)
        return ((t->levels_z == 0 && t->gop == 0) ||
                wp_fail(WP_ERROR_USAGE, "%s is for volumes, and the input is an image",
                        t->gop ? "--gop" : "--levels-z")) &&
               (!t->scheme || wp_scheme_kind_find(t->scheme, 2));
    if (!named && !params->state)
        snprintf(v->state.a.backend, sizeof v->state.a.backend, "cpu");
    if (!t->scheme && !params->state && v->state.a.bank == WP_BANK_DECIMATED)
        v->state.a.scheme = v->state.b.scheme = WP_SCHEME_PLANAR_POLYCONVOLUTION;
    if (!params->state)
        v->state.mode = WP_VIEW_ORIGINAL;
    return true;
}

static void set_clipboard(void *user, const char *text)
{
    wp_viewer_copy(user, text);
}

static const char *get_clipboard(void *user)
{
    struct wp_viewer *v = user;
    return v->get_clipboard ? v->get_clipboard(v) : wp_text_get(&v->clipboard);
}

// Initializes interface, shaders and scene. Errors are errors of the command.
static bool start(struct wp_viewer *v)
{
    v->devices.gl = v->gl;
    if (v->params->memory_named || wp_gl_get_info(v->gl)->software)
        v->devices.memory = v->params->memory;
    v->devices.host_memory = v->params->memory_named ? v->params->memory : wp_memory_total();
    v->meter.gl = v->gl;
    int count;
    if (!wp_ui_create(wp_font_data, (int)wp_font_data_size, wp_font_mono, (int)wp_font_mono_size))
        return wp_fail(WP_ERROR_INTERNAL, "the user interface cannot be initialized");
    wp_ui_set_clipboard(set_clipboard, get_clipboard, v);
    if (v->params->events)
        wp_ui_report();
    if (v->params->shaders && !wp_view_shaders_reload(v->gl, v->params->shaders, &count))
        return false;
    if (!wp_colours_create(v->gl, &v->maps))
        return false;
    return v->scene->start(v);
}

// Other files are read later, but a missing file is reported at the start.
static bool exists(const char *path)
{
    struct stat s;
    const char *file = wp_y4m_file(path);
    const bool is_file = strcmp(file, "-") != 0 && !wp_pattern_of_path(path) &&
                         !wp_npz_names_array(path);
    return !is_file || stat(file, &s) == 0 || errno != ENOENT ||
           wp_fail(WP_ERROR_FILE, "%s: no such file", file);
}

static bool run_viewer(struct run *run)
{
    struct wp_viewer *v = &run->v;
    const struct wp_viewer_params *params = v->params;
    const int width = params->width ? params->width : WIDTH;
    const int height = params->height ? params->height : HEIGHT;
    const int device = params->transform.device - 1;
    // GLFW cannot select a device or report which one it uses; names are not unique.
    if (!params->screenshot && device != WP_DEVICE_ANY)
        return wp_fail(WP_ERROR_USAGE, "-d %d cannot be combined with a window (the window system "
                                       "selects its device)"
                                       "\nhint: --screenshot FILE draws on device %d",
                       device, device);
    if (!set_state(&v->state, params))
        return false;
    if (params->events && !(run->script = wp_script_read(params->events)))
        return false;
    for (int i = 0; i < params->file_count; i++) {
        if (!exists(params->file[i]))
            return false;
        wp_viewer_add_file(v, params->file[i]);
    }
    const struct wp_write_params write = {.overwrite = params->overwrite};
    if (params->screenshot && !wp_image_write_check(params->screenshot, 3, &write))
        return false;
    if (v->scene->open && !v->scene->open(v))
        return false;
    if (!v->scene->open && v->file_count > 0 &&
        (!wp_viewer_read_first(v) || !choose_kind(v) || !choose_levels(v)))
        return false;
    if (params->screenshot)
        return open_headless(v, width, height) && start(v) && run_headless(run);
    if (!wp_window_open(v, width, height) || !start(v) || !wp_window_loop(v, step) || run->failed)
        return false;
    wp_preferences_write(&v->state);
    return true;
}

static void clean_up(struct run *run)
{
    struct wp_viewer *v = &run->v;
    if (v->gl && wp_gl_make_current(v->gl)) {
        v->scene->release(v);
        wp_view_shaders_reset();
        wp_texture_destroy(&v->maps);
        wp_ui_destroy();
        if (!v->windowed)
            wp_screen_destroy(&v->screen);
        wp_gl_destroy(&v->gl);
    }
    wp_window_close(v);
    if (v->scene->close)
        v->scene->close(v);
    wp_y4m_destroy(&v->video);
    free(v->first.samples);
    for (int i = 0; i < v->file_count; i++)
        free(v->file[i].path);
    free(v->file);
    wp_wavelet_list_free(&v->list);
    wp_text_free(&v->notice);
    wp_text_free(&v->captured);
    wp_text_free(&v->shader_error);
    wp_text_free(&v->clipboard);
    free(v->queue.event);
    wp_script_destroy(&run->script);
}

enum wp_error wp_viewer_run(const struct wp_viewer_params *params)
{
    struct run *run = wp_xcalloc(1, sizeof *run);
    run->v.params = params;
    run->v.scene = params->kspace    ? &wp_scene_solver
                   : params->pyramid ? &wp_scene_pyramid
                                     : &wp_scene_transforms;
    run->v.hover_tile = -1;
    for (int ab = WP_A; ab <= WP_B; ab++)
        run->v.source[ab].file = -1;
    const bool ok = run_viewer(run);
    const enum wp_error code = ok ? WP_ERROR_NONE : wp_last_error();
    clean_up(run);
    free(run);
    return ok || code != WP_ERROR_NONE ? code : WP_ERROR_INTERNAL;
}
