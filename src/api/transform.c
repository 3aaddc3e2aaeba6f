#include "backends.h"
#include "log.h"
#include "memory.h"
#include "names.h"
#include "text.h"
#include "transform.h"
#include "wavepass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LEVELS = 3 };
enum { STACK_SAMPLES = 1 << 25 };

struct wp_transform {
    struct wp_backend_choice choice;
    struct wp_wavelet wavelet;
    struct wp_plan_params params;
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
    struct wp_plan *plan;
    struct wp_exec *exec;
};

// The index of `name` among `names`, or of the first one for NULL. -1 after WP_ERROR_USAGE.
static int find_name(const char *what, const char *name, const char *const names[], int count)
{
    return name ? wp_name_find(what, name, names, count, "there are ") : 0;
}

static bool read_names(const struct wp_transform_params *given, struct wp_transform *t)
{
    struct wp_plan_params *p = &t->params;
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
    p->width = given->width;
    p->height = given->height;
    return true;
}

static void choose_levels(const struct wp_transform_params *given, struct wp_plan_params *p)
{
    const int most = wp_plan_levels_max(p->width, p->height, p->border);
    if (given->levels == WP_LEVELS_MOST)
        p->levels = most;
    else if (given->levels == 0)
        p->levels = most < DEFAULT_LEVELS ? most : DEFAULT_LEVELS;
    else
        p->levels = given->levels;
}

static void describe(struct wp_transform *t, const struct wp_plan *plan)
{
    const struct wp_scheme_params params = {
        .wavelet = &t->wavelet,
        .kind = plan->params.kind,
        .form = plan->params.form,
        .norm = plan->params.norm,
    };
    struct wp_scheme *scheme = wp_scheme_create(&params);
    snprintf(t->name, sizeof t->name, "%s", scheme->name);
    t->info = (struct wp_transform_info){
        .name = t->name,
        .note = scheme->note,
        .levels = plan->params.levels,
        .steps = scheme->pass_count,
        .operations = wp_scheme_operations(scheme),
        .fetches = wp_scheme_fetches(scheme),
        .backend = t->choice.backend->name,
        .device = t->choice.info.name,
        .software = t->choice.info.software,
        .reason = t->choice.reason,
    };
    wp_scheme_destroy(&scheme);
}

// The plan is remade where the choice changes it.
static bool choose(struct wp_transform *t, const struct wp_transform_chooser *chooser)
{
    t->usual_kind = t->params.kind;
    t->usual_form = t->params.form;
    t->usual_variant = t->variant;
    chooser->choose(chooser->user, &t->choice, &t->params, &t->variant);
    const bool same_plan = t->usual_kind == t->params.kind && t->usual_form == t->params.form;
    if (!same_plan || t->usual_variant != t->variant)
        t->capture = chooser->capture;
    if (same_plan)
        return true;
    wp_plan_destroy(&t->plan);
    t->plan = wp_plan_create(&t->params);
    return t->plan != NULL;
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
        choose_levels(given, &t->params);
        // A plan for its checks, before a device is opened.
        t->plan = wp_plan_create(&t->params);
        const char *backend = given->backend ? given->backend : "auto";
        if (t->plan && wp_backend_open(backend, given->device - 1, &t->choice) &&
            wp_backend_check_precision(t->choice.backend, t->params.precision) &&
            wp_backend_find_variant(t->choice.backend, given->variant, t->plan, &t->variant) &&
            (!chooser || choose(t, chooser))) {
            describe(t, t->plan);
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
    wp_plan_destroy(&t->plan);
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

const struct wp_plan_params *wp_transform_plan_params(const struct wp_transform *t)
{
    return &t->params;
}

bool wp_transform_gave_up(const struct wp_transform *t)
{
    return t->gave_up;
}

// Planes go through the passes together where the device can: a draw or a dispatch and what stands
// between two of them take their time once. For more samples than these, on an H200, fragments
// gain 3 % at most and compute shaders lose a tenth or gain it (docs/tiles.md): the memory is better
// saved.
static int choose_stack(const struct wp_transform *t)
{
    const struct wp_backend *backend = t->choice.backend;
    const double samples = (double)t->planes * t->params.width * t->params.height;
    if (!backend->stack_max || samples > STACK_SAMPLES)
        return 1;
    return backend->stack_max(t->choice.device, t->plan) < t->planes ? 1 : t->planes;
}

// Makes the plan ready for `stack` planes at once.
static bool make_stack(struct wp_transform *t, int stack)
{
    t->plan->params.stack = stack;
    t->exec = t->choice.backend->prepare(t->choice.device, t->plan, t->variant);
    return t->exec != NULL;
}

static bool make_exec(struct wp_transform *t)
{
    wp_transform_rest(t);
    t->plan = wp_plan_create(&t->params);
    if (!t->plan)
        return false;
    const int stack = choose_stack(t);
    if (stack > 1) {
        wp_begin_attempt();
        const bool ok = make_stack(t, stack);
        wp_end_attempt();
        if (ok)
            return true;
        // As where memory is enough for one plane only.
        wp_clear_error();
    }
    return make_stack(t, 1);
}

// Whoever left the choice to the program gets a transform wherever the backend has one.
static bool make_chosen(struct wp_transform *t)
{
    struct wp_text error = {0};
    t->capture(&error);
    bool ok = make_exec(t);
    t->capture(NULL);
    if (!ok) {
        const char *kind = t->params.kind->name, *variant = t->variant ? t->variant->name : NULL;
        wp_clear_error();
        t->capture = NULL;
        t->params.kind = t->usual_kind;
        t->params.form = t->usual_form;
        t->variant = t->usual_variant;
        ok = make_exec(t);
        if (ok)
            wp_log(WP_LOG_WARNING, "the fastest here, %s%s%s, is not possible for %dx%d (%.*s); "
                   "the usual %s is taken", kind, variant ? ", variant " : "",
                   variant ? variant : "", t->params.width, t->params.height,
                   (int)strcspn(wp_text_get(&error), "\n"), wp_text_get(&error),
                   t->params.kind->name);
        if (ok && !t->described) {
            t->gave_up = true;
            describe(t, t->plan);
        }
    }
    wp_text_free(&error);
    return ok;
}

static bool prepare(struct wp_transform *t, enum wp_direction direction)
{
    if (t->exec && t->plan->params.direction == direction)
        return true;
    t->params.direction = direction;
    if (!(t->capture ? make_chosen(t) : make_exec(t)))
        return false;
    // Of the direction that was asked for first; a round trip checks it.
    const struct wp_backend *backend = t->choice.backend;
    if (!t->described && backend->variant)
        t->info.variant = backend->variant(t->exec)->name;
    if (!t->described && backend->counts) {
        const struct wp_counts counts = backend->counts(t->exec);
        t->info.operations = counts.operations;
        t->info.fetches = counts.fetches;
    }
    t->described = true;
    return true;
}

static bool run(struct wp_transform *t, enum wp_direction direction, const float *in, float *out)
{
    const struct wp_backend *backend = t->choice.backend;
    if (!prepare(t, direction))
        return false;
    const int at_once = wp_plan_stack(&t->plan->params);
    double all = 0;
    for (int p = 0; p < t->planes; p += at_once) {
        const size_t first = wp_plan_plane_start(&t->params, p);
        double seconds = 0;
        if (!backend->load(t->exec, in + first) || !backend->run(t->exec, &seconds) ||
            !backend->store(t->exec, out + first))
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
