// The calls forward and inverse: checks, plans and executes.
#include "transform_struct.h"

#include "clock.h"
#include "gl_operands.h"
#include "log.h"
#include "text.h"

#include <string.h>

void wp_transform_release(struct wp_transform *t)
{
    if (t->second)
        t->choice.backend->release(t->second);
    t->second = NULL;
    wp_plan_destroy(&t->plan);
}

static bool make_plan(struct wp_transform *t, struct wp_problem problem)
{
    const struct wp_planner planner = {t->choice.backend, t->choice.device, t->variant,
                                       t->external_context != NULL};
    // The fallback may have changed the scheme.
    problem.description.kind = t->description.kind;
    problem.description.form = t->description.form;
    wp_transform_set_threads(t);
    t->plan = wp_plan_create(&planner, &problem);
    return t->plan;
}

// If the chosen variant fails, falls back to the backend's default.
static bool make_chosen_plan(struct wp_transform *t, const struct wp_problem *problem)
{
    struct wp_text error = {0};
    t->capture(&error);
    bool ok = make_plan(t, *problem);
    t->capture(NULL);
    if (!ok) {
        const char *kind = t->description.kind->name;
        const char *variant = t->variant ? t->variant->name : NULL;
        wp_clear_error();
        t->capture = NULL;
        t->description.kind = t->default_kind;
        t->description.form = t->default_form;
        t->variant = t->default_variant;
        ok = make_plan(t, *problem);
        if (ok)
            wp_log(WP_LOG_WARNING, "the fastest variant, %s%s%s, does not support %dx%d (%.*s); "
                   "using the default %s", kind, variant ? ", variant " : "",
                   variant ? variant : "", t->description.size[WP_X], t->description.size[WP_Y],
                   (int)strcspn(wp_text_get(&error), "\n"), wp_text_get(&error),
                   t->description.kind->name);
        t->fell_back = ok && !t->described;
    }
    wp_text_free(&error);
    return ok;
}

// Sets the facts when the first direction is planned; they are equal for the other one.
static bool describe_plan(struct wp_transform *t)
{
    const struct wp_backend *backend = t->choice.backend;
    if (t->fell_back && !wp_transform_fill_info(t))
        return false;
    if (backend->variant)
        t->info.variant = backend->variant(wp_plan_exec(t->plan))->name;
    if (backend->bench && backend->bench->counts) {
        const struct wp_counts counts = backend->bench->counts(wp_plan_exec(t->plan));
        t->info.operations = counts.operations;
        t->info.fetches = counts.fetches;
    }
    t->described = true;
    return true;
}

static bool transform_plan(struct wp_transform *t, struct wp_problem problem)
{
    if (t->plan && wp_problem_equals(&t->plan->problem, &problem))
        return true;
    wp_transform_release(t);
    if (!(t->capture ? make_chosen_plan(t, &problem) : make_plan(t, problem)))
        return false;
    if (t->described || describe_plan(t))
        return true;
    wp_transform_release(t);
    return false;
}

static struct wp_problem problem_of(const struct wp_transform *t, const struct wp_operand *from,
                                    const struct wp_operand *to, int planes)
{
    const bool forward = t->description.direction == WP_FORWARD;
    struct wp_problem problem = {
        .description = t->description,
        .slices = t->depth,
        .from = from->location,
        .to = to->location,
    };
    problem.description.planes = planes;
    problem.description.samples = (forward ? from : to)->type;
    problem.description.coefficients = (forward ? to : from)->type;
    return problem;
}

// A locked call: checks it, plans it if necessary, and executes the plan.
static bool run(struct wp_transform *t, enum wp_direction direction,
                const struct wp_operand *given_from, const struct wp_operand *given_to)
{
    struct wp_textures_scope scope;
    struct wp_execution execution = {.stream = t->stream, .planes = t->planes};
    struct wp_operand from, to;
    t->description.direction = direction;
    if (!wp_transform_check_operands(t, given_from, given_to, &from, &to))
        return false;
    const struct wp_batch_dims dims = wp_batch_dims_fuse(t, &from, &to);
    const struct wp_problem problem = problem_of(t, &from, &to, dims.planes);
    const bool planned = t->plan && wp_problem_equals(&t->plan->problem, &problem);
    wp_transform_enter(t, planned && from.location == WP_LOCATION_BUFFER, &scope);
    t->info.seconds = t->info.load_seconds = t->info.store_seconds = 0;
    const bool ok = (planned || transform_plan(t, problem)) &&
                    (dims.loops ? wp_batch_dims_run(&dims, t, &from, &to, &execution)
                                : t->plan->kind->apply(t->plan, &from, &to, &execution));
    t->info.seconds = execution.seconds.run;
    t->info.load_seconds = execution.seconds.load;
    t->info.store_seconds = execution.seconds.store;
    if (ok)
        t->info.planes_at_once = wp_plan_planes(t->plan);
    wp_textures_leave(&scope);
    return ok;
}

bool wp_transform_forward(struct wp_transform *t, const struct wp_operand *image,
                          const struct wp_operand *coefficients)
{
    return wp_transform_lock(t) &&
           wp_transform_unlock(t, run(t, WP_FORWARD, image, coefficients));
}

bool wp_transform_inverse(struct wp_transform *t, const struct wp_operand *coefficients,
                          const struct wp_operand *image)
{
    return wp_transform_lock(t) &&
           wp_transform_unlock(t, run(t, WP_INVERSE, coefficients, image));
}

static bool describe(struct wp_transform *t, const struct wp_operand *given_from,
                     const struct wp_operand *given_to)
{
    struct wp_textures_scope scope;
    struct wp_operand from, to;
    if (!wp_transform_read_strides(t, given_from, given_to, &from, &to))
        return false;
    const struct wp_batch_dims dims = wp_batch_dims_fuse(t, &from, &to);
    wp_text_clear(&t->text);
    wp_transform_enter(t, false, &scope);
    const bool ok = transform_plan(t, problem_of(t, &from, &to, dims.planes));
    if (ok)
        wp_batch_dims_print(&dims, t->plan, &t->text);
    wp_textures_leave(&scope);
    return ok && wp_text_is_complete(&t->text, "the description of a plan");
}

const char *wp_transform_describe(struct wp_transform *t, bool inverse,
                                  const struct wp_operand *from, const struct wp_operand *to)
{
    const struct wp_operand array = {.data = NULL};
    if (!wp_transform_lock(t))
        return NULL;
    t->description.direction = inverse ? WP_INVERSE : WP_FORWARD;
    const bool ok = describe(t, from ? from : &array, to ? to : &array);
    wp_transform_unlock(t, ok);
    return ok ? wp_text_get(&t->text) : NULL;
}

static bool get_buffer_layout(struct wp_transform *t, bool inverse,
                              struct wp_buffer_layout *layout, struct wp_band_info *bands)
{
    struct wp_textures_scope scope;
    const struct wp_operand buffer = {.location = WP_LOCATION_BUFFER};
    const struct wp_backend *backend = t->choice.backend;
    if (!wp_transform_check_buffer(t))
        return false;
    t->description.direction = inverse ? WP_INVERSE : WP_FORWARD;
    wp_transform_enter(t, false, &scope);
    const bool ok = transform_plan(t, problem_of(t, &buffer, &buffer, t->planes));
    if (ok) {
        const struct wp_exec *exec = wp_plan_exec(t->plan);
        const struct wp_description *d = &t->plan->problem.description;
        ptrdiff_t first = 0, unused[WP_DIMS_MAX];
        *layout = (struct wp_buffer_layout){0};
        layout->plane = wp_gl_operands_floats(backend, exec, &layout->end);
        wp_gl_operands_band_at(backend, exec, 0, WP_BAND_LL, &first, layout->stride);
        // Without levels image and coefficients are the same.
        if (wp_description_levels(d))
            wp_gl_operands_band_at(backend, exec, 1, WP_BAND_LL, &first, unused);
        layout->coefficients = (size_t)first;
        for (int i = 0; bands && i < wp_subband_count(d); i++) {
            enum wp_band band = WP_BAND_LL;
            const int level = wp_subband_at(d, i, &band);
            wp_transform_get_band(t, i, &bands[i]);
            wp_gl_operands_band_at(backend, exec, level, band, &bands[i].offset,
                                   bands[i].stride);
        }
    }
    wp_textures_leave(&scope);
    return ok;
}

bool wp_transform_get_buffer_layout(struct wp_transform *t, bool inverse,
                                    struct wp_buffer_layout *layout, struct wp_band_info *bands)
{
    return wp_transform_lock(t) &&
           wp_transform_unlock(t, get_buffer_layout(t, inverse, layout, bands));
}

bool wp_transform_set_stream(struct wp_transform *t, void *stream)
{
    if (!wp_transform_lock(t))
        return false;
    const bool ok = wp_transform_check_cuda(t);
    if (ok)
        t->stream = stream;
    return wp_transform_unlock(t, ok);
}

// ---- groups of slices in flight ----

static struct wp_exec *prepare_second(const struct wp_transform *t)
{
    const struct wp_backend *backend = t->choice.backend;
    const struct wp_exec *first = wp_plan_exec(t->plan);
    wp_begin_attempt();
    struct wp_exec *exec =
        backend->prepare(t->choice.device, &t->plan->problem.description,
                         backend->variant ? backend->variant(first) : NULL);
    wp_end_attempt();
    if (!exec)
        wp_clear_error(); // memory is enough for one
    return exec;
}

int wp_transform_begin_items(struct wp_transform *t, enum wp_direction direction)
{
    t->description.direction = direction;
    struct wp_problem problem = wp_problem_of(&t->description);
    problem.description.planes = t->planes;
    if (!wp_description_check_native(&t->description, "a pipeline of groups") ||
        !transform_plan(t, problem))
        return 0;
    if (!t->plan->exec) {
        wp_fail(WP_ERROR_TOO_LARGE, "%dx%d does not fit %s, and pipelined groups are not processed "
                "in parts", t->description.size[WP_X], t->description.size[WP_Y],
                t->choice.info.name);
        return 0;
    }
    if (!t->second)
        t->second = prepare_second(t);
    return t->second ? 2 : 1;
}

static struct wp_exec *exec_of(const struct wp_transform *t, int item)
{
    return t->second && item % 2 ? t->second : t->plan->exec;
}

bool wp_transform_load_item(struct wp_transform *t, int item, const float *from)
{
    const struct wp_operand operand = wp_operand_const(&t->description, from);
    const double start = wp_clock_seconds();
    const bool ok = t->choice.backend->load(exec_of(t, item), &operand);
    t->info.load_seconds = wp_clock_seconds() - start;
    return ok;
}

bool wp_transform_run_item(struct wp_transform *t, int item)
{
    return t->choice.backend->run(exec_of(t, item), &t->info.seconds);
}

bool wp_transform_store_item(struct wp_transform *t, int item, float *to)
{
    const struct wp_operand operand = wp_operand_dense(&t->description, to);
    const double start = wp_clock_seconds();
    const bool ok = t->choice.backend->store(exec_of(t, item), &operand);
    t->info.store_seconds = wp_clock_seconds() - start;
    return ok;
}
