#include "backends.h"
#include "log.h"
#include "memory.h"
#include "once.h"
#include "names.h"
#include "text.h"
#include "transform.h"
#include "wavepass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LEVELS = 3 };
enum { AT_ONCE_SAMPLES = 1 << 25 };

struct wp_transform {
    struct wp_backend_choice choice;
    struct wp_wavelet wavelet;
    struct wp_description description;
    int planes; // of a call
    const struct wp_variant *variant; // NULL: the backend's choice
    // What a chooser may give up where `capture` is not NULL, and what it then goes back to.
    void (*capture)(struct wp_text *text);
    const struct wp_scheme_kind *usual_kind;
    const struct wp_variant *usual_variant;
    enum wp_form usual_form;
    bool gave_up;
    struct wp_transform_info info;
    bool described; // info has the variant and the counts of what was run
    char name[96];
    // One direction is ready at a time, so that memory for one is enough.
    struct wp_description ready; // what `exec` was made of
    struct wp_exec *exec;
};

// The index of `name` among `names`, or of the first one for NULL. -1 after WP_ERROR_USAGE.
static int find_name(const char *what, const char *name, const char *const names[], int count)
{
    return name ? wp_name_find(what, name, names, count, "there are ") : 0;
}

static bool read_names(const struct wp_transform_params *given, struct wp_transform *t)
{
    struct wp_description *p = &t->description;
    if (!wp_wavelet_find(given->wavelet ? given->wavelet : "cdf97", &t->wavelet))
        return false;
    p->wavelet = &t->wavelet;
    p->kind = wp_scheme_kind_find(given->scheme ? given->scheme : "nonsep-polyconvolution");
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
    p->precision = (enum wp_precision)precision;
    p->border = (enum wp_border)border;
    p->norm = (enum wp_norm)norm;
    p->layout = (enum wp_layout)layout;
    p->form = given->plain ? WP_FORM_PLAIN : WP_FORM_SHADER;
    if (given->planes < 0)
        return wp_fail(WP_ERROR_USAGE, "%d planes cannot be transformed", given->planes);
    t->planes = given->planes > 1 ? given->planes : 1;
    p->size[WP_X] = given->width;
    p->size[WP_Y] = given->height;
    return true;
}

static void choose_levels(const struct wp_transform_params *given, struct wp_description *p)
{
    const int most = wp_levels_most(p->size, p->border);
    if (given->levels == WP_LEVELS_MOST)
        p->levels = most;
    else if (given->levels == 0)
        p->levels = most < DEFAULT_LEVELS ? most : DEFAULT_LEVELS;
    else
        p->levels = given->levels;
}

static void describe(struct wp_transform *t)
{
    struct wp_description forward = t->description;
    forward.direction = WP_FORWARD;
    struct wp_scheme *scheme = wp_description_scheme(&forward, WP_AXIS_BOTH);
    snprintf(t->name, sizeof t->name, "%s", scheme->name);
    t->info = (struct wp_transform_info){
        .name = t->name,
        .note = scheme->note,
        .levels = t->description.levels,
        .steps = scheme->pass_count,
        .operations = wp_scheme_operations(scheme),
        .fetches = wp_scheme_fetches(scheme),
        .backend = t->choice.backend->name,
        .device = t->choice.info.name,
        .software = t->choice.info.software,
        .reason = t->choice.reason,
    };
    // A backend that runs every scheme alike runs none of them.
    if (t->choice.backend->schemeless) {
        snprintf(t->name, sizeof t->name, "%s", t->wavelet.name);
        t->info.note = NULL;
        t->info.steps = 0;
        t->info.operations = t->info.fetches = 0;
    }
    wp_scheme_destroy(&scheme);
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

struct wp_transform *wp_transform_create(const struct wp_transform_params *given)
{
    return wp_transform_create_chosen(given, NULL);
}

struct wp_transform *wp_transform_create_chosen(const struct wp_transform_params *given,
                                                const struct wp_transform_chooser *chooser)
{
    struct wp_transform *t = wp_xcalloc(1, sizeof *t);
    if (read_names(given, t)) {
        choose_levels(given, &t->description);
        const char *backend = given->backend ? given->backend : "auto";
        if (wp_description_check(&t->description) && wp_backend_open(backend, given->device - 1, &t->choice) &&
            wp_backend_check_precision(t->choice.backend, t->description.precision) &&
            wp_backend_find_variant(t->choice.backend, given->variant, &t->description,
                                    &t->variant) &&
            (!chooser || choose(t, chooser))) {
            describe(t);
            return t;
        }
    }
    wp_transform_destroy(&t);
    return NULL;
}

void wp_transform_rest(struct wp_transform *t)
{
    if (t->exec)
        t->choice.backend->release(t->exec);
    t->exec = NULL;
}

void wp_transform_destroy(struct wp_transform **slot)
{
    struct wp_transform *t = *slot;
    *slot = NULL;
    if (!t)
        return;
    wp_transform_rest(t);
    wp_backend_close(&t->choice);
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
    if (!backend->planes_max || samples > AT_ONCE_SAMPLES)
        return 1;
    return backend->planes_max(t->choice.device, &t->description) < t->planes ? 1 : t->planes;
}

// Makes ready what takes so many planes at once.
static bool make_for(struct wp_transform *t, int planes)
{
    t->ready = t->description;
    t->ready.planes = planes;
    t->exec = t->choice.backend->prepare(t->choice.device, &t->ready, t->variant);
    return t->exec != NULL;
}

static bool make_exec(struct wp_transform *t)
{
    wp_transform_rest(t);
    const int planes = choose_at_once(t);
    if (planes > 1) {
        wp_begin_attempt();
        const bool ok = make_for(t, planes);
        wp_end_attempt();
        if (ok)
            return true;
        // As where memory is enough for one plane only.
        wp_clear_error();
    }
    return make_for(t, 1);
}

// Whoever left the choice to the program gets a transform wherever the backend has one.
static bool make_chosen(struct wp_transform *t)
{
    struct wp_text error = {0};
    t->capture(&error);
    bool ok = make_exec(t);
    t->capture(NULL);
    if (!ok) {
        const char *kind = t->description.kind->name, *variant = t->variant ? t->variant->name : NULL;
        wp_clear_error();
        t->capture = NULL;
        t->description.kind = t->usual_kind;
        t->description.form = t->usual_form;
        t->variant = t->usual_variant;
        ok = make_exec(t);
        if (ok)
            wp_log(WP_LOG_WARNING, "the fastest here, %s%s%s, is not possible for %dx%d (%.*s); "
                   "the usual %s is taken", kind, variant ? ", variant " : "",
                   variant ? variant : "", t->description.size[WP_X],
                   t->description.size[WP_Y],
                   (int)strcspn(wp_text_get(&error), "\n"), wp_text_get(&error),
                   t->description.kind->name);
        if (ok && !t->described) {
            t->gave_up = true;
            describe(t);
        }
    }
    wp_text_free(&error);
    return ok;
}

static bool prepare(struct wp_transform *t, enum wp_direction direction)
{
    if (t->exec && t->ready.direction == direction)
        return true;
    t->description.direction = direction;
    if (!(t->capture ? make_chosen(t) : make_exec(t)))
        return false;
    // Of the direction that was asked for first; a round trip checks it.
    const struct wp_backend *backend = t->choice.backend;
    if (!t->described && backend->variant)
        t->info.variant = backend->variant(t->exec)->name;
    if (!t->described && backend->bench && backend->bench->counts) {
        const struct wp_counts counts = backend->bench->counts(t->exec);
        t->info.operations = counts.operations;
        t->info.fetches = counts.fetches;
    }
    t->described = true;
    return true;
}

static bool run(struct wp_transform *t, enum wp_direction direction, const float *in, float *out)
{
    if (!prepare(t, direction))
        return false;
    const int at_once = wp_description_planes(&t->ready);
    const size_t samples = wp_description_samples(&t->ready);
    double all = 0;
    for (int p = 0; p < t->planes; p += at_once) {
        const size_t first = (size_t)p * samples;
        const struct wp_place from = wp_place_const(&t->ready, in + first);
        const struct wp_place to = wp_place_dense(&t->ready, out + first);
        double seconds = 0;
        if (!wp_exec_transform(t->choice.backend, t->exec, &t->ready, &from, &to, &seconds))
            return false;
        all += seconds;
    }
    t->info.planes_at_once = at_once;
    t->info.seconds = all;
    return true;
}

bool wp_transform_forward(struct wp_transform *t, const float *plane, float *coefficients)
{
    return run(t, WP_FORWARD, plane, coefficients);
}

bool wp_transform_inverse(struct wp_transform *t, const float *coefficients, float *plane)
{
    return run(t, WP_INVERSE, coefficients, plane);
}
