#include "backends.h"
#include "clock.h"
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "once.h"
#include "names.h"
#include "text.h"
#include "textures.h"
#include "transform.h"
#include "wavepass.h"
#include "windows.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LEVELS = 3 };
enum { AT_ONCE_SAMPLES = 1 << 25 };
enum { CHANNELS = 4 }; // of a texture
enum { WINDOW_LEAST = 64, WINDOW_MOST = 8192 }; // samples along a side

struct wp_transform {
    struct wp_backend_choice choice;
    bool guest; // of another transform's device
    struct wp_gl *visited; // the caller's context in which it runs, or NULL
    struct wp_wavelet wavelet;
    struct wp_description description;
    int planes; // of a call
    int depth;  // slices of a plane; those of the description are of a group
    int threads; // of the CPU; 0: all
    const struct wp_variant *variant; // NULL: the backend's choice
    // What a chooser may give up where `capture` is not NULL, and what it then goes back to.
    void (*capture)(struct wp_text *text);
    const struct wp_scheme_kind *usual_kind;
    const struct wp_variant *usual_variant;
    enum wp_form usual_form;
    bool gave_up;
    bool on_buffers; // of the caller's
    struct wp_transform_info info;
    bool described; // info has the variant and the counts of what was run
    char name[96];
    // One direction is ready at a time, so that memory for one is enough.
    struct wp_description ready; // what `stages`, or `windows`, were made of
    enum wp_element samples;     // of the image of the call that is under way
    struct wp_stages stages;
    struct wp_windows *windows; // where the device cannot take the whole; NULL: it can
    struct wp_exec *second; // as the one of `stages`, of every other item; NULL: there is none
    void *stream; // the caller's
};

// The index of `name` among `names`, or of the first one for NULL. -1 after WP_ERROR_USAGE.
static int find_name(const char *what, const char *name, const char *const names[], int count)
{
    return name ? wp_name_find(what, name, names, count, "there are ") : 0;
}

static bool read_step(const struct wp_step_data *given, int number, struct wp_filter *filter)
{
    if (given->count < 0 || (given->count > 0 && !given->tap))
        return wp_fail(WP_ERROR_USAGE, "step %d of the wavelet has no taps (count %d)", number,
                       given->count);
    for (int t = 0; t < given->count; t++) {
        const int k = given->first + t;
        if (given->tap[t] == 0)
            continue;
        if (filter->count == WP_MAX_TAPS || k < -WP_MAX_REACH || k > WP_MAX_REACH ||
            !isfinite(given->tap[t]))
            return wp_fail(WP_ERROR_USAGE,
                           "step %d of the wavelet: a tap at %d cannot be used (at most %d finite "
                           "ones, from %d to %d)", number, k, (int)WP_MAX_TAPS,
                           -(int)WP_MAX_REACH, (int)WP_MAX_REACH);
        filter->tap[filter->count++] = (struct wp_tap){.k = k, .c = given->tap[t]};
    }
    return true;
}

static bool read_wavelet(const struct wp_wavelet_data *given, struct wp_wavelet *wavelet)
{
    const char *name = given->name ? given->name : "custom";
    if (given->steps < 1 || given->steps > 2 * WP_MAX_PAIRS || !given->step)
        return wp_fail(WP_ERROR_USAGE, "a wavelet of %d steps cannot be used (1 to %d)",
                       given->steps, 2 * WP_MAX_PAIRS);
    *wavelet = (struct wp_wavelet){.pairs = (given->steps + 1) / 2,
                                   .zeta = given->zeta == 0 ? 1 : given->zeta};
    snprintf(wavelet->name, sizeof wavelet->name, "%s", name);
    snprintf(wavelet->title, sizeof wavelet->title, "%s", name);
    for (int s = 0; s < given->steps; s++) {
        struct wp_pair *pair = &wavelet->pair[s / 2];
        if (!read_step(&given->step[s], s + 1, s % 2 ? &pair->update : &pair->predict))
            return false;
    }
    const char *wrong = wp_wavelet_finish(wavelet);
    return !wrong || wp_fail(WP_ERROR_USAGE, "the wavelet '%s' cannot be used (%s)", name, wrong);
}

// Those of the table and of files that can be read.
static void add_reversible_names(struct wp_text *text)
{
    char **names = wp_wavelet_names();
    struct wp_wavelet wavelet;
    wp_begin_attempt();
    for (int i = 0; names && names[i]; i++)
        if (wp_wavelet_find(names[i], &wavelet) && strcmp(wavelet.name, names[i]) == 0 &&
            wp_lifting_is_reversible(&wavelet))
            wp_text_add(text, "%s%s", text->length ? ", " : "", names[i]);
    wp_end_attempt();
    wp_clear_error();
    wp_wavelet_free_names(names);
}

bool wp_transform_check_reversible(const struct wp_wavelet *wavelet)
{
    struct wp_text names = {0};
    if (wp_lifting_is_reversible(wavelet))
        return true;
    add_reversible_names(&names);
    wp_fail(WP_ERROR_USAGE,
            "wavelet '%s' has no reversible form: its steps are scaled, or have taps that are not "
            "whole numbers over a power of two\nhint: these have one: %s",
            wavelet->name, wp_text_get(&names));
    wp_text_free(&names);
    return false;
}

static bool read_names(const struct wp_transform_params *given, struct wp_transform *t)
{
    struct wp_description *p = &t->description;
    if (given->wavelet && given->wavelet_data)
        return wp_fail(WP_ERROR_USAGE,
                       "a wavelet by name, '%s', and one as data exclude each other",
                       given->wavelet);
    if (given->wavelet_data ? !read_wavelet(given->wavelet_data, &t->wavelet)
                            : !wp_wavelet_find(given->wavelet      ? given->wavelet
                                               : given->reversible ? "cdf53"
                                                                   : "cdf97",
                                               &t->wavelet))
        return false;
    p->wavelet = &t->wavelet;
    p->reversible = given->reversible;
    if (p->reversible && !wp_transform_check_reversible(&t->wavelet))
        return false;
    const bool volume = given->depth > 1;
    const char *usual = volume            ? "planar-polyconvolution"
                        : p->reversible ? "sep-lifting"
                                        : "nonsep-polyconvolution";
    p->kind = wp_scheme_kind_find(given->scheme ? given->scheme : usual, volume ? 3 : 2);
    if (!p->kind)
        return false;
    const int border = find_name("border", given->border, wp_border_names, WP_BORDER_COUNT);
    if (border < 0)
        return false;
    const int norm = find_name("norm", given->norm, wp_norm_names, WP_NORM_COUNT);
    if (norm < 0)
        return false;
    const int layout = find_name("layout", given->layout, wp_layout_names, WP_LAYOUT_COUNT);
    if (layout < 0)
        return false;
    const int precision =
        find_name("precision", given->precision, wp_precision_names, WP_PRECISION_COUNT);
    if (precision < 0)
        return false;
    const int decomposition = find_name("decomposition", given->decomposition,
                                        wp_decomposition_names, WP_DECOMPOSITION_COUNT);
    if (decomposition < 0)
        return false;
    p->decomposition = (enum wp_decomposition)decomposition;
    p->precision = (enum wp_precision)precision;
    p->border = (enum wp_border)border;
    p->norm = (enum wp_norm)norm;
    p->layout = (enum wp_layout)layout;
    p->form = given->plain ? WP_FORM_PLAIN : WP_FORM_SHADER;
    if (given->planes < 0)
        return wp_fail(WP_ERROR_USAGE, "%d planes cannot be transformed", given->planes);
    if (given->threads < 0)
        return wp_fail(WP_ERROR_USAGE, "%d threads cannot share work", given->threads);
    t->threads = given->threads;
    t->planes = given->planes > 1 ? given->planes : 1;
    p->size[WP_X] = given->width;
    p->size[WP_Y] = given->height;
    p->size[WP_Z] = given->gop > 0 && given->gop < given->depth ? given->gop : given->depth;
    t->depth = given->depth > 1 ? given->depth : 1;
    if (given->gop < 0)
        return wp_fail(WP_ERROR_USAGE, "groups of %d slices make no sense", given->gop);
    if (given->levels == WP_LEVELS_NONE && (t->depth == 1 || given->levels_z == WP_LEVELS_NONE))
        return wp_fail(WP_ERROR_USAGE, "0 levels leave %s as it is\nhint: 1, 2, 3, … or max",
                       t->depth > 1 ? "a volume" : "an image");
    return true;
}

// Of one axis, or two that share a number.
static int choose_number(int asked, int most, int usual)
{
    if (asked == WP_LEVELS_MOST)
        return most;
    if (asked == 0)
        return most < usual ? most : usual;
    return asked;
}

static void choose_levels(const struct wp_transform_params *given, struct wp_description *p)
{
    const int plane = wp_levels_most(p->size, p->border);
    const int depth = wp_description_depth(p);
    if (depth == 1) {
        p->levels = choose_number(given->levels, plane, DEFAULT_LEVELS);
        p->levels_z = given->levels_z > 0 ? given->levels_z : 0;
        return;
    }
    const int along_z = wp_levels_z_most(depth, p->border);
    const bool dyadic = p->decomposition == WP_DECOMPOSITION_DYADIC;
    // Levels along z by themselves go on to no sample that the plane's would pass through.
    if (!dyadic && given->levels == WP_LEVELS_MOST && given->levels_z == 0) {
        p->levels = p->levels_z = plane < along_z ? plane : along_z;
        return;
    }
    p->levels = given->levels == WP_LEVELS_NONE
                    ? 0
                    : choose_number(given->levels, plane, DEFAULT_LEVELS);
    p->levels_z = given->levels_z == WP_LEVELS_NONE
                      ? 0
                      : choose_number(given->levels_z, along_z, p->levels);
}

// Whether there are any to be set.
static bool set_threads(struct wp_transform *t)
{
    if (!t->choice.backend->set_threads)
        return false;
    t->choice.backend->set_threads(t->choice.device, t->threads);
    return true;
}

static bool describe(struct wp_transform *t)
{
    struct wp_description forward = t->description;
    forward.direction = WP_FORWARD;
    struct wp_scheme *scheme = t->depth > 1 ? wp_description_octet_scheme(&forward, WP_AXIS_ALL)
                                            : wp_description_scheme(&forward, WP_AXIS_BOTH);
    if (!scheme)
        return false;
    if (set_threads(t))
        t->choice.backend->describe(t->choice.device, &t->choice.info);
    snprintf(t->name, sizeof t->name, "%s", scheme->name);
    t->info = (struct wp_transform_info){
        .name = t->name,
        .note = scheme->note,
        .levels = t->description.levels,
        .levels_z = t->description.levels_z,
        .steps = scheme->pass_count,
        .operations = wp_scheme_operations(scheme),
        .fetches = wp_scheme_fetches(scheme),
        .backend = t->choice.backend->name,
        .device = t->choice.info.name,
        .software = t->choice.info.software,
        .reason = t->choice.reason,
    };
    const double room = forward.reversible ? wp_description_room(&forward, -1, 1) : 0;
    t->info.largest = floor(room);
    if (room < 0) {
        wp_scheme_destroy(&scheme);
        return false;
    }
    // A backend that runs every scheme alike runs none of them.
    if (t->choice.backend->schemeless) {
        snprintf(t->name, sizeof t->name, "%s", t->wavelet.name);
        t->info.note = t->choice.past_software
                           ? "OpenGL is software here, and slower; -s or -b fragment takes shaders"
                           : NULL;
        t->info.steps = 0;
        t->info.operations = t->info.fetches = 0;
    }
    wp_scheme_destroy(&scheme);
    return true;
}

static bool choose(struct wp_transform *t, const struct wp_transform_chooser *chooser)
{
    t->usual_kind = t->description.kind;
    t->usual_form = t->description.form;
    t->usual_variant = t->variant;
    chooser->choose(chooser->user, &t->choice, &t->description, &t->variant);
    if (t->usual_kind != t->description.kind || t->usual_form != t->description.form ||
        t->usual_variant != t->variant)
        t->capture = chooser->capture;
    return wp_description_check(&t->description);
}

const char *wp_version(void)
{
    return WAVEPASS_VERSION;
}

bool wp_transform_read_params(const struct wp_transform_params *given,
                              struct wp_transform_params *params)
{
    if (!given || given->struct_size < offsetof(struct wp_transform_params, threads))
        return wp_fail(WP_ERROR_USAGE, "the parameters are %s"
                       "\nhint: begin with WP_TRANSFORM_PARAMS()",
                       given ? "of no known version (struct_size)" : "NULL");
    if (given->struct_size > sizeof *params)
        return wp_fail(WP_ERROR_USAGE,
                       "the parameters are of a later version than this library, %s "
                       "(%zu bytes, and it knows %zu)",
                       wp_version(), given->struct_size, sizeof *params);
    *params = (struct wp_transform_params){0};
    memcpy(params, given, given->struct_size);
    return true;
}

struct wp_transform *wp_transform_create(const struct wp_transform_params *given)
{
    struct wp_transform_params params;
    return wp_transform_read_params(given, &params) ? wp_transform_create_chosen(&params, NULL)
                                                    : NULL;
}

// Who names a scheme, a variant or 16 bits wants shaders.
static enum wp_in_software wanted_of(const struct wp_transform *t,
                                     const struct wp_transform_params *given)
{
    if (!given->scheme && !given->variant && t->description.precision == WP_PRECISION_F32)
        return WP_IN_SOFTWARE_NONE;
    return t->depth > 1 ? WP_IN_SOFTWARE_QUICK : WP_IN_SOFTWARE_ANY;
}

static bool open_backend(struct wp_transform *t, const struct wp_transform_params *given,
                         const struct wp_transform *beside)
{
    if (beside) {
        t->choice = beside->choice;
        t->guest = true;
        return true;
    }
    const char *name = given->backend ? given->backend : "auto";
    if (!given->current_context)
        return wp_backend_open(name, given->device - 1, wanted_of(t, given), &t->choice);
    if (given->device != 0)
        return wp_fail(WP_ERROR_USAGE,
                       "device %d and the current OpenGL context exclude each other",
                       given->device - 1);
    t->visited = wp_textures_visit(name, &t->choice);
    return t->visited != NULL;
}

struct wp_description wp_transform_group(const struct wp_transform *t, int depth)
{
    return wp_description_group(&t->description, depth);
}

static int group_depth(const struct wp_transform *t)
{
    return wp_description_depth(&t->description);
}

static bool check_groups(const struct wp_transform *t)
{
    const int rest = t->depth % group_depth(t);
    const struct wp_description last = wp_transform_group(t, rest ? rest : group_depth(t));
    return wp_description_check(&t->description) && wp_description_check(&last);
}

// All that takes no device.
static bool read_params(const struct wp_transform_params *given, struct wp_transform *t)
{
    if (!read_names(given, t))
        return false;
    choose_levels(given, &t->description);
    return check_groups(t);
}

bool wp_transform_describe(const struct wp_transform_params *params, struct wp_wavelet *wavelet,
                           struct wp_description *description)
{
    struct wp_transform t = {0};
    const bool ok = read_params(params, &t);
    *wavelet = t.wavelet;
    *description = t.description;
    description->wavelet = wavelet;
    return ok;
}

struct wp_transform *wp_transform_create_chosen(const struct wp_transform_params *given,
                                                const struct wp_transform_chooser *chooser)
{
    struct wp_transform *t = wp_allocate(1, sizeof *t, "a transform");
    if (!t)
        return NULL;
    if (read_params(given, t) && open_backend(t, given, chooser ? chooser->beside : NULL) &&
        wp_backend_check_precision(t->choice.backend, t->description.precision) &&
        (!t->description.reversible || wp_backend_check_reversible(t->choice.backend)) &&
        wp_backend_find_variant(t->choice.backend, given->variant, &t->description,
                                &t->variant) &&
        (!chooser || choose(t, chooser)) && describe(t)) {
        wp_textures_leave(t->visited);
        return t;
    }
    wp_transform_destroy(&t);
    return NULL;
}

static void release(struct wp_transform *t)
{
    if (t->second)
        t->choice.backend->release(t->second);
    t->second = NULL;
    wp_stages_release(&t->stages);
    wp_windows_release(&t->windows);
}

void wp_transform_rest(struct wp_transform *t)
{
    wp_textures_enter(t->visited);
    release(t);
    wp_textures_leave(t->visited);
}

void wp_transform_destroy(struct wp_transform **slot)
{
    struct wp_transform *t = *slot;
    *slot = NULL;
    if (!t)
        return;
    wp_textures_enter(t->visited);
    release(t);
    if (!t->guest)
        wp_backend_close(&t->choice);
    wp_textures_close(t->visited);
    free(t);
}

const struct wp_transform_info *wp_transform_get_info(struct wp_transform *t)
{
    return &t->info;
}

const struct wp_description *wp_transform_description(const struct wp_transform *t)
{
    return &t->description;
}

const struct wp_backend_choice *wp_transform_choice(const struct wp_transform *t)
{
    return &t->choice;
}

bool wp_transform_gave_up(const struct wp_transform *t)
{
    return t->gave_up;
}

// Planes go through the passes together where the device can: a draw or a dispatch and what stands
// between two of them take their time once. For more samples than these, on an H200, fragments
// gain 3 % at most and compute shaders lose a tenth or gain it (docs/tiles.md): the memory is better
// saved.
static int choose_at_once(const struct wp_transform *t)
{
    const struct wp_backend *backend = t->choice.backend;
    const double samples = (double)t->planes * (double)wp_description_samples(&t->description);
    if (!backend->planes_max || samples > AT_ONCE_SAMPLES ||
        (t->visited && !t->on_buffers) ||
        t->depth > 1)
        return 1;
    return backend->planes_max(t->choice.device, &t->description) < t->planes ? 1 : t->planes;
}

static bool make_whole(struct wp_transform *t)
{
    return wp_stages_prepare(&t->stages, t->choice.backend, t->choice.device, &t->ready,
                             t->variant);
}

// In the largest windows that the device takes.
static bool make_windows(struct wp_transform *t)
{
    const struct wp_backend *backend = t->choice.backend;
    for (int side = WINDOW_MOST; side >= WINDOW_LEAST && !t->windows; side /= 2)
        if (wp_windows_can(backend, &t->ready, side)) {
            t->windows = wp_windows_prepare(backend, t->choice.device, &t->ready, t->variant, side);
            if (t->windows)
                wp_log(WP_LOG_VERBOSE, "%dx%d is too large for %s: it goes in windows of up to "
                       "%dx%d", t->ready.size[WP_X], t->ready.size[WP_Y], t->choice.info.name, side,
                       side);
        }
    return t->windows;
}

// Makes ready what takes so many planes at once.
static bool make_for(struct wp_transform *t, int planes, int depth)
{
    t->ready = wp_transform_group(t, depth);
    t->ready.planes = planes;
    t->ready.samples = t->samples;
    set_threads(t);
    if (t->on_buffers || !wp_windows_can(t->choice.backend, &t->ready, WINDOW_LEAST))
        return make_whole(t);
    wp_begin_attempt();
    const bool ok = make_whole(t) ||
                    (wp_last_error() == WP_ERROR_TOO_LARGE && make_windows(t));
    wp_end_attempt();
    if (ok)
        wp_clear_error();
    return ok || make_whole(t); // which tells why not
}

static bool make_exec(struct wp_transform *t, int depth)
{
    release(t);
    const int planes = choose_at_once(t);
    if (planes > 1) {
        wp_begin_attempt();
        const bool ok = make_for(t, planes, depth);
        wp_end_attempt();
        if (ok)
            return true;
        // As where memory is enough for one plane only.
        wp_clear_error();
    }
    return make_for(t, 1, depth);
}

// Whoever left the choice to the program gets a transform wherever the backend has one.
static bool make_chosen(struct wp_transform *t, int depth)
{
    struct wp_text error = {0};
    t->capture(&error);
    bool ok = make_exec(t, depth);
    t->capture(NULL);
    if (!ok) {
        const char *kind = t->description.kind->name;
        const char *variant = t->variant ? t->variant->name : NULL;
        wp_clear_error();
        t->capture = NULL;
        t->description.kind = t->usual_kind;
        t->description.form = t->usual_form;
        t->variant = t->usual_variant;
        ok = make_exec(t, depth);
        if (ok)
            wp_log(WP_LOG_WARNING, "the fastest here, %s%s%s, is not possible for %dx%d (%.*s); "
                   "the usual %s is taken", kind, variant ? ", variant " : "",
                   variant ? variant : "", t->description.size[WP_X],
                   t->description.size[WP_Y],
                   (int)strcspn(wp_text_get(&error), "\n"), wp_text_get(&error),
                   t->description.kind->name);
        t->gave_up = ok && !t->described;
    }
    wp_text_free(&error);
    return ok;
}

static bool is_ready(const struct wp_transform *t, enum wp_direction direction, int depth)
{
    return (t->stages.count || t->windows) && t->ready.direction == direction &&
           t->ready.samples == t->samples &&
           wp_description_depth(&t->ready) == depth;
}

// For groups of so many slices.
static bool prepare(struct wp_transform *t, enum wp_direction direction, int depth)
{
    if (is_ready(t, direction, depth))
        return true;
    t->description.direction = direction;
    if (!(t->capture ? make_chosen(t, depth) : make_exec(t, depth)))
        return false;
    if (t->gave_up && !t->described && !describe(t)) {
        release(t);
        return false;
    }
    // Of the direction that was asked for first; a round trip checks it.
    const struct wp_backend *backend = t->choice.backend;
    const struct wp_exec *exec = t->windows ? wp_windows_exec(t->windows)
                                            : t->stages.stage[0].exec;
    if (!t->described && backend->variant)
        t->info.variant = backend->variant(exec)->name;
    if (!t->described && backend->bench && backend->bench->counts) {
        const struct wp_counts counts = backend->bench->counts(exec);
        t->info.operations = counts.operations;
        t->info.fetches = counts.fetches;
    }
    t->described = true;
    return true;
}

bool wp_transform_band_of(const struct wp_description *d, int index, struct wp_band_info *info)
{
    if (index < 0 || index >= wp_place_bands(d))
        return wp_fail(WP_ERROR_USAGE, "there is no band number %d (there are %d)", index,
                       wp_place_bands(d));
    const struct wp_band_place place = wp_place_band_describe(d, index);
    *info = (struct wp_band_info){
        .name = place.letters,
        .level = place.level,
        .level_z = place.level_z,
        .width = place.grid.size[WP_X],
        .height = place.grid.size[WP_Y],
        .depth = place.grid.size[WP_Z],
    };
    return true;
}

int wp_transform_band_count(const struct wp_transform *t)
{
    return wp_place_bands(&t->description);
}

bool wp_transform_get_band(const struct wp_transform *t, int index, struct wp_band_info *info)
{
    return wp_transform_band_of(&t->description, index, info);
}

// A caller's view with its distances filled in. False after WP_ERROR_USAGE.
static bool check_view(const struct wp_transform *t, const struct wp_view *given,
                       const int size[WP_DIMS_MAX], const char *what, struct wp_view *view)
{
    char distances[160];
    *view = *given;
    view->step[WP_X] = given->step[WP_X] ? given->step[WP_X] : 1;
    for (int a = WP_Y; a < WP_DIMS_MAX; a++)
        view->step[a] = given->step[a] ? given->step[a] : size[a - 1] * view->step[a - 1];
    view->plane = given->plane ? given->plane : size[WP_Z] * view->step[WP_Z];
    if (!view->data)
        return wp_fail(WP_ERROR_USAGE, "there is no memory for the %s (NULL)", what);
    if (wp_view_is_sound(view, size, t->planes))
        return true;
    if (t->depth == 1)
        snprintf(distances, sizeof distances, "%td, %td and %td between columns, rows and planes",
                 view->step[WP_X], view->step[WP_Y], view->plane);
    else
        snprintf(distances, sizeof distances,
                 "%td, %td, %td and %td between columns, rows, slices and planes",
                 view->step[WP_X], view->step[WP_Y], view->step[WP_Z], view->plane);
    return wp_fail(WP_ERROR_USAGE,
                   "samples of the %s overlap (%dx%d in %d plane%s, with distances of %s)", what,
                   size[WP_X], size[WP_Y], t->planes, WP_PLURAL(t->planes), distances);
}

static bool check_type(const struct wp_pixels *given)
{
    if (given->type < 0 || given->type >= WP_ELEMENT_COUNT)
        return wp_fail(WP_ERROR_USAGE, "there are no samples of type %d", (int)given->type);
    const struct wp_element_kind *kind = &wp_elements[given->type];
    if ((uintptr_t)given->data % kind->bytes != 0)
        return wp_fail(WP_ERROR_USAGE, "samples of type %s begin at a multiple of %zu bytes",
                       kind->name, kind->bytes);
    if (given->maximum == 0)
        return true;
    if (kind->largest == 0)
        return wp_fail(WP_ERROR_USAGE, "samples of type %s have no maximum", kind->name);
    return (given->maximum >= 1 && given->maximum <= kind->largest &&
            rintf(given->maximum) == given->maximum) ||
           wp_fail(WP_ERROR_USAGE, "samples of type %s cannot have a maximum of %g (1 to %g)",
                   kind->name, (double)given->maximum, (double)kind->largest);
}

// A caller's samples with their distances filled in, of floats as a view. False after
// WP_ERROR_USAGE.
static bool check_pixels(const struct wp_transform *t, const struct wp_pixels *given,
                         struct wp_place *place)
{
    const int size[] = {t->description.size[WP_X], t->description.size[WP_Y], t->depth};
    struct wp_view view = {.plane = given->plane};
    memcpy(view.step, given->step, sizeof view.step);
    // Distances are the same whatever lies there.
    view.data = given->data;
    if (!check_type(given) || !check_view(t, &view, size, "image", &view))
        return false;
    if (given->type == WP_ELEMENT_F32) {
        place->array = view;
        return true;
    }
    if (given->maximum > 0 && t->description.reversible)
        return wp_fail(WP_ERROR_USAGE, "integers of a reversible transform have no maximum (%g)",
                       (double)given->maximum);
    place->pixels = *given;
    place->pixels.plane = view.plane;
    memcpy(place->pixels.step, view.step, sizeof view.step);
    return true;
}

// True where a band has samples.
static bool is_there(const struct wp_band_info *info)
{
    return info->width > 0 && info->height > 0 && info->depth > 0;
}

// A side of a call, with all distances filled in.
struct side {
    unsigned texture; // its name, or 0
    unsigned buffer;  // likewise
    struct wp_place place;
    struct wp_view *band; // its bands, to be freed
    bool cuda;
};

static bool check_bands(const struct wp_transform *t, const struct wp_memory *given,
                        struct wp_view *bands)
{
    for (int b = 0; b < given->bands; b++) {
        struct wp_band_info info;
        char what[64];
        wp_transform_get_band(t, b, &info);
        snprintf(what, sizeof what, "band %s of level %d", info.name, info.level);
        if (is_there(&info) &&
            !check_view(t, &given->band[b], (const int[]){info.width, info.height, info.depth},
                        what, &bands[b]))
            return false;
    }
    return true;
}

static bool check_texture(const struct wp_transform *t, const struct wp_memory *given,
                          const char *what)
{
    if (!t->visited)
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be a texture: the transform does not run in "
                       "its caller's context\nhint: current_context in the parameters", what);
    if (given->array.data || given->band)
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be a texture and memory at once", what);
    if (t->depth > 1)
        return wp_fail(WP_ERROR_USAGE, "the %s of a volume cannot be a texture yet", what);
    return t->planes <= CHANNELS ||
           wp_fail(WP_ERROR_USAGE, "%d planes do not fit into the %d channels of a texture",
                   t->planes, CHANNELS);
}

// Those of the backend's own making lie in one exec, whose layout is the caller's.
static bool check_buffer(const struct wp_transform *t)
{
    if (!t->visited)
        return wp_fail(WP_ERROR_USAGE, "a transform works on buffers in its caller's context alone"
                       "\nhint: current_context in the parameters");
    if (!wp_textures_takes_buffers(t->choice.backend))
        return wp_fail(WP_ERROR_USAGE, "buffers are for the backend 'compute', and this transform "
                       "runs on '%s'", t->choice.backend->name);
    struct wp_description stage[WP_STAGES_MAX];
    return (t->depth == group_depth(t) &&
            wp_description_stages(&t->description, stage) == 1) ||
           wp_fail(WP_ERROR_USAGE, "slices in groups and decompositions other than '%s' have no "
                   "place in a buffer", wp_decomposition_names[WP_DECOMPOSITION_DYADIC]);
}

// Planes go together there, and one at a time on textures: what was made ready for the other goes.
static void use_buffers(struct wp_transform *t, bool on)
{
    if (t->on_buffers != on)
        release(t);
    t->on_buffers = on;
}

bool wp_transform_get_buffer_layout(struct wp_transform *t, bool inverse,
                                    struct wp_buffer_layout *layout,
                                    struct wp_buffer_place *bands)
{
    if (!check_buffer(t))
        return false;
    wp_textures_enter(t->visited);
    use_buffers(t, true);
    const bool ok = prepare(t, inverse ? WP_INVERSE : WP_FORWARD, t->depth);
    if (ok)
        wp_textures_lay_out(t->choice.backend, t->stages.stage[0].exec, &t->ready,
                            layout, bands);
    wp_textures_leave(t->visited);
    return ok;
}

static bool check_side(const struct wp_transform *t, const struct wp_memory *given,
                       bool coefficients, struct side *side)
{
    const char *what = coefficients ? "coefficients" : "image";
    const int count = wp_place_bands(&t->description);
    const int size[] = {t->description.size[WP_X], t->description.size[WP_Y], t->depth};
    *side = (struct side){0};
    if (!given)
        return wp_fail(WP_ERROR_USAGE, "there is no memory for the %s (NULL)", what);
    side->texture = given->texture;
    side->cuda = given->cuda;
    side->buffer = given->buffer;
    if (given->buffer && (given->texture || given->array.data || given->band || given->cuda))
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be in a buffer and elsewhere at once", what);
    side->place.array.plane = given->buffer ? given->array.plane : 0;
    if (given->buffer)
        return check_buffer(t);
    if (given->texture)
        return check_texture(t, given, what);
    if (!given->band)
        return check_view(t, &given->array, size, what, &side->place.array);
    if (!coefficients)
        return wp_fail(WP_ERROR_USAGE, "an image has no bands, and views of them were given");
    if (t->depth > group_depth(t))
        return wp_fail(WP_ERROR_USAGE, "bands at places of their own are not for slices in groups");
    if (t->depth > 1 && t->description.decomposition != WP_DECOMPOSITION_DYADIC)
        return wp_fail(WP_ERROR_USAGE, "bands at places of their own are not for a decomposition "
                       "'%s'", wp_decomposition_names[t->description.decomposition]);
    if (given->bands != count)
        return wp_fail(WP_ERROR_USAGE, "views of %d bands were given, and there are %d",
                       given->bands, count);
    if (t->description.layout != WP_LAYOUT_MALLAT)
        return wp_fail(WP_ERROR_USAGE, "bands at places of their own have no layout '%s'"
                       "\nhint: leave it out", wp_layout_names[t->description.layout]);
    // Of no level the one band is the array.
    if (t->description.levels == 0)
        return check_view(t, &given->band[0], t->description.size, what, &side->place.array);
    side->band = wp_allocate((size_t)count, sizeof *side->band, "the views of bands");
    side->place.band = side->band;
    return side->band && check_bands(t, given, side->band);
}

// What comes out must not be written twice.
static bool check_apart(const struct wp_transform *t, const struct side *side)
{
    const int count = side->band ? wp_place_bands(&t->description) : 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            struct wp_band_info x, y;
            wp_transform_get_band(t, a, &x);
            wp_transform_get_band(t, b, &y);
            if (!is_there(&x) || !is_there(&y) ||
                wp_views_are_apart(&side->band[a], (const int[]){x.width, x.height, x.depth},
                                   &side->band[b], (const int[]){y.width, y.height, y.depth},
                                   t->planes))
                continue;
            return wp_fail(WP_ERROR_USAGE, "band %s of level %d and band %s of level %d overlap",
                           x.name, x.level, y.name, y.level);
        }
    }
    return true;
}

// To the planes that come `count` further on. A texture and a buffer have no array.
static void move(const struct wp_transform *t, struct side *side, int count)
{
    struct wp_pixels *pixels = &side->place.pixels;
    if (pixels->data)
        pixels->data = wp_pixels_at(pixels, count * pixels->plane);
    if (!side->band && side->place.array.data)
        side->place.array.data += count * side->place.array.plane;
    for (int b = 0; side->band && b < wp_place_bands(&t->description); b++)
        side->band[b].data += count * side->band[b].plane;
}

static bool check_cuda(const struct wp_transform *t)
{
    return t->choice.backend->transform_there ||
           wp_fail(WP_ERROR_USAGE,
                   "memory of a CUDA device needs the backend 'cuda', and this transform runs on "
                   "'%s'", t->choice.backend->name);
}

// View number `index` of a side, of plane `plane`, and its size.
static struct wp_view view_at(const struct wp_transform *t, const struct side *side, int index,
                              int plane, int size[WP_DIMS_MAX])
{
    struct wp_view view = side->band ? side->band[index] : side->place.array;
    size[WP_X] = t->description.size[WP_X];
    size[WP_Y] = t->description.size[WP_Y];
    size[WP_Z] = t->depth;
    if (side->band) {
        struct wp_band_info info;
        wp_transform_get_band(t, index, &info);
        size[WP_X] = info.width;
        size[WP_Y] = info.height;
        size[WP_Z] = info.depth;
    }
    view.data += plane * view.plane;
    return view;
}

static bool planes_meet(const struct wp_transform *t, const struct side *from, int from_plane,
                        const struct side *to, int to_plane)
{
    const int bands = wp_place_bands(&t->description);
    for (int i = 0; i < (from->band ? bands : 1); i++) {
        for (int k = 0; k < (to->band ? bands : 1); k++) {
            int x[WP_DIMS_MAX], y[WP_DIMS_MAX];
            const struct wp_view a = view_at(t, from, i, from_plane, x);
            const struct wp_view b = view_at(t, to, k, to_plane, y);
            if (x[WP_X] > 0 && x[WP_Y] > 0 && x[WP_Z] > 0 && y[WP_X] > 0 && y[WP_Y] > 0 &&
                y[WP_Z] > 0 && !wp_views_are_apart(&a, x, &b, y, 1))
                return true;
        }
    }
    return false;
}

// Planes go one after the other: what comes out of one must leave the later ones as they are.
static bool check_planes(const struct wp_transform *t, const struct side *from,
                         const struct side *to)
{
    struct wp_description all = t->description;
    all.planes = t->planes;
    all.size[WP_Z] = t->depth;
    if (t->planes == 1 || !wp_place_overlaps(&all, &from->place, &to->place))
        return true;
    for (int p = 0; p + 1 < t->planes; p++)
        for (int later = p + 1; later < t->planes; later++)
            if (planes_meet(t, from, later, to, p))
                return wp_fail(WP_ERROR_USAGE, "plane %d would come out where plane %d goes in, "
                               "which is read later", p + 1, later + 1);
    return true;
}

static bool check_sides(const struct wp_transform *t, const struct side *from,
                        const struct side *to)
{
    if (from->buffer != to->buffer ||
        (from->buffer && from->place.array.plane != to->place.array.plane))
        return wp_fail(WP_ERROR_USAGE, "a transform that works on a buffer has both sides "
                       "there, with planes as far apart");
    if ((from->cuda || to->cuda) && !check_cuda(t))
        return false;
    if (from->cuda != to->cuda)
        return wp_fail(WP_ERROR_USAGE, "what goes in is %s and what comes out is %s: a transform "
                       "on memory of a CUDA device takes both sides from there",
                       from->cuda ? "on the device" : "on the host",
                       to->cuda ? "on the device" : "on the host");
    return from->buffer || from->texture || to->texture || check_planes(t, from, to);
}

// A plane, or several that go together, or a group of its slices.
static bool run_plane(struct wp_transform *t, int plane, const struct side *from,
                      const struct side *to)
{
    struct wp_exec_seconds seconds = {0};
    const struct wp_textures_side sides[] = {{from->texture, plane, t->planes, from->place},
                                             {to->texture, plane, t->planes, to->place}};
    bool ok;
    if (t->windows && (from->texture || to->texture || from->cuda))
        ok = wp_fail(WP_ERROR_TOO_LARGE, "%dx%d does not fit %s as a whole, and goes there in windows "
                     "from and to the host's memory alone",
                     t->ready.size[WP_X], t->ready.size[WP_Y], t->choice.info.name);
    else if (from->buffer)
        ok = wp_textures_run_on(t->choice.backend, t->stages.stage[0].exec, from->buffer, plane,
                                (size_t)from->place.array.plane);
    else if (from->texture || to->texture)
        ok = wp_textures_run(t->choice.backend, t->stages.stage[0].exec, &t->ready, &sides[0],
                             &sides[1], &seconds.run);
    else if (from->cuda)
        ok = wp_stages_transform_there(&t->stages, &from->place, &to->place, t->stream);
    else if (t->windows)
        ok = wp_windows_transform(t->windows, &from->place, &to->place, &seconds);
    else
        ok = wp_stages_transform(&t->stages, &from->place, &to->place, &seconds);
    t->info.seconds += seconds.run;
    t->info.load_seconds += seconds.load;
    t->info.store_seconds += seconds.store;
    return ok;
}

// Bands and textures are of all slices, and have no array.
static void move_slices(struct side *side, int z)
{
    struct wp_pixels *pixels = &side->place.pixels;
    if (pixels->data)
        pixels->data = wp_pixels_at(pixels, z * pixels->step[WP_Z]);
    if (!side->band && side->place.array.data)
        side->place.array.data += z * side->place.array.step[WP_Z];
}

// Planes one after the other, in groups of `depth` slices from number `first` to `end` - 1.
static bool run_groups(struct wp_transform *t, enum wp_direction direction,
                       const struct side *given_from, const struct side *given_to, int first,
                       int end, int depth)
{
    if (first == end)
        return true;
    if (!prepare(t, direction, depth))
        return false;
    struct side from = *given_from, to = *given_to;
    const int at_once = wp_description_planes(&t->ready);
    for (int p = 0; p < t->planes; p += at_once) {
        for (int z = first; z < end; z += depth) {
            struct side in = from, out = to;
            move_slices(&in, z);
            move_slices(&out, z);
            if (!run_plane(t, p, &in, &out))
                return false;
        }
        if (!from.buffer) {
            move(t, &from, at_once);
            move(t, &to, at_once);
        }
    }
    t->info.planes_at_once = at_once;
    return true;
}

static bool run_planes(struct wp_transform *t, enum wp_direction direction, struct side *from,
                       struct side *to)
{
    const int depth = group_depth(t), whole = t->depth - t->depth % depth;
    if (!check_sides(t, from, to))
        return false;
    t->info.seconds = t->info.load_seconds = t->info.store_seconds = 0;
    use_buffers(t, from->buffer != 0);
    return run_groups(t, direction, from, to, 0, whole, depth) &&
           run_groups(t, direction, from, to, whole, t->depth, t->depth - whole);
}

static enum wp_element samples_of(const struct side *image)
{
    return image->place.pixels.data ? image->place.pixels.type : WP_ELEMENT_F32;
}

static bool run(struct wp_transform *t, enum wp_direction direction, struct side *from,
                struct side *to)
{
    if (from->buffer && t->on_buffers && is_ready(t, direction, t->depth))
        wp_textures_enter_dispatches(t->visited);
    else
        wp_textures_enter(t->visited);
    t->samples = samples_of(direction == WP_FORWARD ? from : to);
    const bool ok = run_planes(t, direction, from, to);
    t->samples = WP_ELEMENT_F32;
    wp_textures_leave(t->visited);
    return ok;
}

bool wp_transform_set_stream(struct wp_transform *t, void *stream)
{
    if (!check_cuda(t))
        return false;
    t->stream = stream;
    return true;
}

bool wp_transform_forward_at(struct wp_transform *t, const struct wp_memory *image,
                             const struct wp_memory *coefficients)
{
    struct side from, to = {0};
    const bool ok = check_side(t, image, false, &from) &&
                    check_side(t, coefficients, true, &to) && check_apart(t, &to) &&
                    run(t, WP_FORWARD, &from, &to);
    free(to.band);
    return ok;
}

bool wp_transform_inverse_at(struct wp_transform *t, const struct wp_memory *coefficients,
                             const struct wp_memory *image)
{
    struct side from, to;
    const bool ok = check_side(t, coefficients, true, &from) &&
                    check_side(t, image, false, &to) && run(t, WP_INVERSE, &from, &to);
    free(from.band);
    return ok;
}

// Pixels are on the host, and what their coefficients share no memory with.
static bool check_pixel_sides(const struct wp_transform *t, const struct wp_pixels *image,
                              const struct wp_memory *coefficients, struct side *pixels,
                              struct side *bands)
{
    *pixels = *bands = (struct side){0};
    if (!image)
        return wp_fail(WP_ERROR_USAGE, "there is no memory for the image (NULL)");
    if (coefficients && (coefficients->texture || coefficients->buffer || coefficients->cuda))
        return wp_fail(WP_ERROR_USAGE, "the coefficients of pixels are in the host's memory, and "
                       "were given %s", coefficients->texture  ? "as a texture"
                                        : coefficients->buffer ? "as a buffer"
                                                               : "on a CUDA device");
    if (!check_pixels(t, image, &pixels->place) || !check_side(t, coefficients, true, bands))
        return false;
    struct wp_description all = t->description;
    all.planes = t->planes;
    all.size[WP_Z] = t->depth;
    return !pixels->place.pixels.data ||
           !wp_place_overlaps(&all, &pixels->place, &bands->place) ||
           wp_fail(WP_ERROR_USAGE, "pixels of type %s and their coefficients share memory",
                   wp_elements[image->type].name);
}

bool wp_transform_forward_pixels(struct wp_transform *t, const struct wp_pixels *image,
                                 const struct wp_memory *coefficients)
{
    struct side from, to;
    const bool ok = check_pixel_sides(t, image, coefficients, &from, &to) &&
                    check_apart(t, &to) && run(t, WP_FORWARD, &from, &to);
    free(to.band);
    return ok;
}

bool wp_transform_inverse_pixels(struct wp_transform *t, const struct wp_memory *coefficients,
                                 const struct wp_pixels *image)
{
    struct side from, to;
    const bool ok = check_pixel_sides(t, image, coefficients, &to, &from) &&
                    run(t, WP_INVERSE, &from, &to);
    free(from.band);
    return ok;
}

bool wp_transform_forward(struct wp_transform *t, const float *planes, float *coefficients)
{
    const struct wp_memory from = {.array.data = (float *)planes};
    const struct wp_memory to = {.array.data = coefficients};
    return wp_transform_forward_at(t, &from, &to);
}

bool wp_transform_inverse(struct wp_transform *t, const float *coefficients, float *planes)
{
    const struct wp_memory from = {.array.data = (float *)coefficients};
    const struct wp_memory to = {.array.data = planes};
    return wp_transform_inverse_at(t, &from, &to);
}

static struct wp_exec *prepare_second(const struct wp_transform *t)
{
    const struct wp_backend *backend = t->choice.backend;
    const struct wp_stages_part *first = &t->stages.stage[0];
    wp_begin_attempt();
    struct wp_exec *exec =
        backend->prepare(t->choice.device, &first->description,
                         backend->variant ? backend->variant(first->exec) : NULL);
    wp_end_attempt();
    if (!exec)
        wp_clear_error(); // memory is enough for one
    return exec;
}

int wp_transform_begin_items(struct wp_transform *t, enum wp_direction direction)
{
    if (!prepare(t, direction, group_depth(t)))
        return 0;
    if (t->windows) {
        wp_fail(WP_ERROR_TOO_LARGE, "%dx%d does not fit %s as a whole, as items have to",
                t->ready.size[WP_X], t->ready.size[WP_Y], t->choice.info.name);
        return 0;
    }
    if (t->stages.count != 1 || t->stages.stage[0].slabs != 1) {
        wp_fail(WP_ERROR_INTERNAL, "a transform in several parts has no items");
        return 0;
    }
    if (!t->second)
        t->second = prepare_second(t);
    return t->second ? 2 : 1;
}

static struct wp_exec *exec_of(const struct wp_transform *t, int item)
{
    return t->second && item % 2 ? t->second : t->stages.stage[0].exec;
}

bool wp_transform_load_item(struct wp_transform *t, int item, const float *from)
{
    const struct wp_place place = wp_place_const(&t->ready, from);
    const double start = wp_clock_seconds();
    const bool ok = t->choice.backend->load(exec_of(t, item), &place);
    t->info.load_seconds = wp_clock_seconds() - start;
    return ok;
}

bool wp_transform_run_item(struct wp_transform *t, int item)
{
    return t->choice.backend->run(exec_of(t, item), &t->info.seconds);
}

bool wp_transform_store_item(struct wp_transform *t, int item, float *to)
{
    const struct wp_place place = wp_place_dense(&t->ready, to);
    const double start = wp_clock_seconds();
    const bool ok = t->choice.backend->store(exec_of(t, item), &place);
    t->info.store_seconds = wp_clock_seconds() - start;
    return ok;
}
