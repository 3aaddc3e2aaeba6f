// Volumes in device memory that the backend computes in doubles only as images and signals. A node
// transforms one level: forward the signals along z to a temporary whose slices are low or high
// along z, then these slices to the bands; inverse the reverse. child[0] is the plan of the signals,
// child[1] that of the other levels, from or to the low band in a second temporary.
#include "elements.h"
#include "memory.h"
#include "node.h"

#include <limits.h>
#include <stdlib.h>

struct wp_axes {
    struct wp_plan *rows;     // of signals as child[0], but only those of one row
    struct wp_plan *image[2]; // slices that are low or high along z; NULL without levels of x and y
    struct wp_operand split, low; // the temporaries; `low` only if other levels follow
    void *memory[2];
    void *mark; // the end of the latest call (backend.h)
};

// ---- The parts of a level.

static bool has_rest(const struct wp_description *d)
{
    return wp_description_levels(d) > 1;
}

// Signals along z of a volume, as planes of one plan; if there are too many, those of a row.
static int columns_of(const struct wp_description *d)
{
    const double columns = (double)d->size[WP_X] * (double)d->size[WP_Y];
    return columns > INT_MAX ? d->size[WP_X] : (int)columns;
}

// Signals along z as signals along x.
static struct wp_description signals_of(const struct wp_description *d, int planes)
{
    struct wp_description signals = *d;
    signals.size[WP_X] = d->size[WP_Z];
    signals.size[WP_Y] = signals.size[WP_Z] = 1;
    signals.planes = planes;
    signals.levels = 1;
    signals.levels_z = 0;
    signals.layout = WP_LAYOUT_MALLAT;
    if (d->levels > 0)
        signals.coefficients = WP_ELEMENT_F64;
    return signals;
}

static struct wp_description images_of(const struct wp_description *d, bool high)
{
    struct wp_description images = *d;
    const int low = wp_description_size(d, WP_Z, 1);
    images.size[WP_Z] = high ? d->size[WP_Z] - low : low;
    images.levels = 1;
    images.levels_z = 0;
    images.layout = WP_LAYOUT_MALLAT;
    images.samples = WP_ELEMENT_F64;
    return images;
}

static struct wp_description rest_of(const struct wp_description *d)
{
    struct wp_description rest = *d;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        rest.size[a] = wp_description_size(d, a, 1);
    rest.levels = d->levels > 0 ? d->levels - 1 : 0;
    rest.levels_z = d->levels_z > 0 ? d->levels_z - 1 : 0;
    rest.samples = WP_ELEMENT_F64;
    return rest;
}

// ---- Execution.

// Row y of a volume as signals along z, one per column.
static struct wp_operand as_signals(const struct wp_operand *volume, int y)
{
    struct wp_operand signals = wp_operand_advance(volume, WP_Y, y, NULL);
    signals.stride[WP_X] = volume->stride[WP_Z];
    signals.stride[WP_PLANE] = volume->stride[WP_X];
    signals.stride[WP_Y] = signals.stride[WP_Z] = 0;
    signals.strided = true;
    return signals;
}

// True if the columns of all rows are at one distance.
static bool is_one_row(const struct wp_description *d, const struct wp_operand *volume)
{
    return d->size[WP_Y] == 1 || volume->stride[WP_Y] == volume->stride[WP_X] * d->size[WP_X];
}

// A band of the level; the low one of all axes is the temporary if other levels follow.
static struct wp_operand band_of(const struct wp_plan *node, const struct wp_operand *coefficients,
                                 enum wp_band band)
{
    return band == WP_BAND_LL && node->child[1]
               ? node->axes->low
               : wp_operand_band(&node->problem.description, coefficients, 1, band, 0);
}

static bool apply(const struct wp_plan *node, const struct wp_plan *child,
                  const struct wp_operand *samples, const struct wp_operand *coefficients,
                  struct wp_execution *execution)
{
    const bool forward = node->problem.description.direction == WP_FORWARD;
    return !child || child->kind->apply(child, forward ? samples : coefficients,
                                        forward ? coefficients : samples, execution);
}

// Signals between the samples and the temporary or, without levels of x and y, the bands.
static bool apply_signals(const struct wp_plan *node, const struct wp_operand *samples,
                          const struct wp_operand *coefficients, struct wp_execution *execution)
{
    const struct wp_description *d = &node->problem.description;
    const struct wp_axes *axes = node->axes;
    const struct wp_operand along_z[2] = {
        axes->image[0] ? axes->split : band_of(node, coefficients, WP_BAND_LL),
        axes->image[0] ? axes->split
                       : band_of(node, coefficients, (enum wp_band)(1U << WP_Z))};
    const bool at_once = columns_of(d) / d->size[WP_X] == d->size[WP_Y] && is_one_row(d, samples) &&
                         is_one_row(d, &along_z[0]) && is_one_row(d, &along_z[1]);
    bool ok = true;
    for (int y = 0; y < (at_once ? 1 : d->size[WP_Y]) && ok; y++) {
        const struct wp_operand in = as_signals(samples, y);
        const struct wp_operand band[2] = {as_signals(&along_z[0], y), as_signals(&along_z[1], y)};
        struct wp_operand out = band[0];
        if (!axes->image[0]) {
            out.band = band;
            out.bands = 2;
        }
        ok = apply(node, at_once ? node->child[0] : axes->rows, &in, &out, execution);
    }
    return ok;
}

// Slices between the temporary and the bands.
static bool apply_images(const struct wp_plan *node, const struct wp_operand *coefficients,
                         struct wp_execution *execution)
{
    const struct wp_axes *axes = node->axes;
    bool ok = true;
    for (unsigned high = 0; high < 2 && axes->image[high] && ok; high++) {
        const struct wp_description *d = &axes->image[high]->problem.description;
        const int low = wp_description_size(&node->problem.description, WP_Z, 1);
        const struct wp_operand slices =
            wp_operand_advance(&axes->split, WP_Z, high ? low : 0, NULL);
        struct wp_operand band[WP_BAND_COUNT], bands = *coefficients;
        bands.band = band;
        bands.bands = wp_subband_count(d);
        for (int i = 0; i < bands.bands; i++) {
            enum wp_band of;
            wp_subband_at(d, i, &of);
            band[i] = band_of(node, coefficients, (enum wp_band)(of | high << WP_Z));
        }
        ok = apply(node, axes->image[high], &slices, &bands, execution);
    }
    return ok;
}

static bool apply_rest(const struct wp_plan *node, const struct wp_operand *coefficients,
                       struct wp_execution *execution)
{
    if (!node->child[1])
        return true;
    const struct wp_operand rest = wp_node_rest(node, coefficients);
    return apply(node, node->child[1], &node->axes->low, &rest, execution);
}

// Calls in other streams use the same temporaries, also after a failure.
static bool apply_axes(const struct wp_plan *node, const struct wp_operand *from,
                       const struct wp_operand *to, struct wp_execution *execution)
{
    const bool forward = node->problem.description.direction == WP_FORWARD;
    const struct wp_operand *samples = forward ? from : to, *coefficients = forward ? to : from;
    const struct wp_planner *planner = &node->planner;
    struct wp_axes *axes = node->axes;
    if (!planner->backend->wait_for_mark(planner->device, axes->mark, execution->stream))
        return false;
    const bool ok = forward ? apply_signals(node, samples, coefficients, execution) &&
                                  apply_images(node, coefficients, execution) &&
                                  apply_rest(node, coefficients, execution)
                            : apply_rest(node, coefficients, execution) &&
                                  apply_images(node, coefficients, execution) &&
                                  apply_signals(node, samples, coefficients, execution);
    return planner->backend->mark_stream(planner->device, &axes->mark, execution->stream) && ok;
}

// "a level of 16x16x8 along z, then of slices".
static void print(const struct wp_plan *node, struct wp_text *text)
{
    const struct wp_description *d = &node->problem.description;
    const bool forward = d->direction == WP_FORWARD;
    wp_text_add(text, "a level of %dx%dx%d", d->size[WP_X], d->size[WP_Y], d->size[WP_Z]);
    if (d->levels == 0)
        wp_text_add(text, " along z");
    else
        wp_text_add(text, forward ? " along z, then of slices" : " of slices, then along z");
}

static const struct wp_plan_kind kind = {apply_axes, print};

// ---- Planning.

static bool is_wide(const struct wp_planner *planner, const struct wp_description *d)
{
    return planner->backend->wide && planner->backend->wide(d);
}

static struct wp_problem problem_of(const struct wp_subproblem *of, const struct wp_description *d)
{
    return (struct wp_problem){*d, wp_description_depth(d), of->whole.from, of->whole.to};
}

// The low band of a level that others follow has the type of the coefficients.
bool wp_node_has_axes(const struct wp_planner *planner, const struct wp_problem *problem)
{
    const struct wp_description *d = &problem->description;
    const struct wp_description signals = signals_of(d, 1), images = images_of(d, false);
    struct wp_description part[WP_CHAIN_MAX];
    return problem->from == WP_LOCATION_CUDA && wp_description_depth(d) > 1 && d->levels_z > 0 &&
           wp_description_arithmetic(d) == WP_ELEMENT_F64 && !is_wide(planner, d) &&
           wp_description_chain(d, part) == 1 &&
           (d->coefficients == WP_ELEMENT_F64 || !has_rest(d)) && is_wide(planner, &signals) &&
           (d->levels == 0 || is_wide(planner, &images));
}

static bool applies(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    return wp_node_has_axes(planner, &problem->whole);
}

static bool allocate(const struct wp_plan *node, int i, const struct wp_description *d,
                     struct wp_operand *operand)
{
    const struct wp_planner *planner = &node->planner;
    node->axes->memory[i] = planner->backend->allocate_memory(
        planner->device, wp_description_samples(d) * sizeof(double));
    *operand = wp_operand_dense(d, node->axes->memory[i]);
    operand->type = WP_ELEMENT_F64;
    operand->location = WP_LOCATION_CUDA;
    return node->axes->memory[i];
}

static struct wp_plan *solve_part(const struct wp_planner *planner,
                                  const struct wp_subproblem *problem,
                                  const struct wp_description *d)
{
    struct wp_subproblem part = *problem;
    part.whole = problem_of(problem, d);
    return problem->solve(planner, &part);
}

static void release(struct wp_plan *node)
{
    const struct wp_planner *planner = &node->planner;
    struct wp_axes *axes = node->axes;
    wp_plan_destroy(&axes->rows);
    for (int i = 0; i < 2; i++) {
        wp_plan_destroy(&axes->image[i]);
        planner->backend->free_memory(planner->device, axes->memory[i]);
    }
    planner->backend->free_mark(planner->device, axes->mark);
    free(axes);
}

static bool solve_level(struct wp_plan *node, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &node->problem.description;
    const struct wp_description rest = rest_of(d);
    const struct wp_planner *planner = &node->planner;
    struct wp_axes *axes = node->axes;
    bool ok = (d->levels == 0 || allocate(node, 0, d, &axes->split)) &&
              (!has_rest(d) || allocate(node, 1, &rest, &axes->low));
    for (int rows = 0; rows < 2 && ok; rows++) {
        const struct wp_description signals = signals_of(d, rows ? d->size[WP_X] : columns_of(d));
        struct wp_plan **plan = rows ? &axes->rows : &node->child[0];
        *plan = solve_part(planner, problem, &signals);
        ok = *plan;
    }
    for (int high = 0; high < 2 && d->levels > 0 && ok; high++) {
        const struct wp_description images = images_of(d, high);
        axes->image[high] = solve_part(planner, problem, &images);
        ok = axes->image[high];
    }
    if (ok && has_rest(d)) {
        node->child[1] = solve_part(planner, problem, &rest);
        ok = node->child[1];
    }
    return ok;
}

static struct wp_plan *solve_axes(const struct wp_planner *planner,
                                  const struct wp_subproblem *problem)
{
    struct wp_plan *node = wp_node_create(&kind, planner, &problem->whole);
    if (!node)
        return NULL;
    node->axes = wp_allocate(1, sizeof *node->axes, "a plan");
    if (!node->axes)
        return wp_node_check(node, false);
    node->release = release;
    return wp_node_check(node, solve_level(node, problem));
}

const struct wp_solver wp_solve_axes = {applies, solve_axes, false};
