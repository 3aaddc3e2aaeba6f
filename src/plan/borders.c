// Levels with the borders of PyWavelets, on backends that only have periodic ones. A node
// transforms one level: child[0] is the periodic transform of the extended samples (axis_map.h),
// child[1] the plan of the other levels, from or to the low band.
//
// The maps of a level, by direction:
//     forward  extend the samples, periodic transform, take the coefficients from `first` on
//     inverse  put all coefficients, periodic transform of 2b samples, crop
// A transposed transform has the transposed operations in the reverse order, with the sizes of the
// other direction: the inverse puts coefficients from `first` on into bands of zeros and folds the
// extension back; the forward transform embeds the samples in 2b samples and takes all
// coefficients. level_of(), memory_of() and make_axis() choose the sizes and the map
// (wp_axis_map_transpose()); copy_bands() of such an inverse must clear the coefficients before.
#include "axis_map.h"
#include "clock.h"
#include "log.h"
#include "memory.h"
#include "node.h"

#include <stdlib.h>

struct wp_borders {
    struct wp_description level; // of child[0]: one level, periodic
    struct wp_axis_maps samples; // forward from the samples to the extended ones, inverse back
    int first[WP_DIMS_MAX];      // coefficient of each band of `level` that is number 0
    struct wp_operand extended, coefficients; // of `level`, in memory[0] and memory[1]
    void *memory[2];
    bool owner; // of the memory; else a parent is
};

// ---- The sizes of a level.

// Samples of child[0] along an axis, and the coefficients before those that are taken. `extended`:
// those of an extension; else those of the inverse.
struct axis {
    int size, first, shift; // sample i of child[0] is sample i + shift
};

static struct axis axis_of(const struct wp_description *d, int axis, bool extended)
{
    const int n = wp_description_size(d, axis, 0), b = wp_description_size(d, axis, 1);
    const bool split =
        wp_description_transformed(d) >> axis & 1 && wp_description_axes(d, 1) >> axis & 1;
    if (!split)
        return (struct axis){n, 0, 0};
    if (d->border == WP_BORDER_PYWT_PERIODIZATION)
        return (struct axis){2 * b, 0, 0};
    const int taps = wp_description_taps(d), first = taps / 4;
    if (!extended)
        return (struct axis){2 * b, 0, 1 - taps / 2};
    const int end = 2 * (first + b - 1) + taps / 2 + 1;
    return (struct axis){end + end % 2, first, 1 - taps / 2 - 2 * first};
}

static struct wp_description level_of(const struct wp_description *d, bool extended)
{
    struct wp_description level = *d;
    level.border = WP_BORDER_PERIODIC;
    level.axes = 0;
    level.levels = d->levels > 0;
    level.levels_z = d->levels_z > 0;
    level.samples = level.coefficients = WP_ELEMENT_F32;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        level.size[a] = axis_of(d, a, extended).size;
    return level;
}

// The levels after the first one.
static struct wp_description rest_of(const struct wp_description *d)
{
    struct wp_description rest = *d;
    rest.axes = wp_description_transformed(d);
    rest.samples = WP_ELEMENT_F32;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        rest.size[a] = wp_description_size(d, a, 1);
    rest.levels = d->levels > 0 ? d->levels - 1 : 0;
    rest.levels_z = d->levels_z > 0 ? d->levels_z - 1 : 0;
    return rest;
}

// Samples of a plane in the temporaries of all levels, which use the same memory.
static size_t memory_of(const struct wp_description *d)
{
    struct wp_description rest = *d;
    size_t most = 0;
    for (; wp_description_levels(&rest) > 0; rest = rest_of(&rest)) {
        const struct wp_description level = level_of(&rest, d->direction == WP_FORWARD);
        const size_t samples = wp_description_samples(&level);
        most = samples > most ? samples : most;
    }
    return most;
}

// "pywt-periodization" of even sizes, and no levels, need no extension.
static bool is_periodic(const struct wp_description *d)
{
    bool periodic = d->border == WP_BORDER_PYWT_PERIODIZATION || wp_description_levels(d) == 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        for (int l = 0; l < (a == WP_Z ? d->levels_z : d->levels) && periodic; l++)
            periodic =
                wp_description_size(d, a, l) % 2 == 0 || !(wp_description_transformed(d) >> a & 1);
    return periodic;
}

// ---- Execution.

static bool map(const struct wp_plan *node, struct wp_axis_maps *maps,
                const struct wp_operand *from, const struct wp_operand *to,
                const struct wp_execution *execution)
{
    const struct wp_planner *planner = &node->planner;
    return node->problem.from == WP_LOCATION_CUDA
               ? planner->backend->map(planner->device, maps, from, to, execution->stream)
               : wp_axis_maps_apply(maps, from, to);
}

// Band `band` of child[0], from coefficient `first` on.
static struct wp_operand band_of(const struct wp_borders *b, enum wp_band band)
{
    struct wp_operand view = wp_operand_band(&b->level, &b->coefficients, 1, band, 0);
    for (int a = 0; a < WP_DIMS_MAX; a++)
        view = wp_operand_advance(&view, a, b->first[a], NULL);
    return view;
}

// Copies the bands of the level between child[0] and the operand with all coefficients; the low
// band only if it is the last level.
static bool copy_bands(const struct wp_plan *node, const struct wp_operand *coefficients,
                       const struct wp_execution *execution)
{
    const struct wp_description *d = &node->problem.description;
    const unsigned axes = wp_description_axes(d, 1);
    bool ok = true;
    for (unsigned band = node->child[1] ? 1 : 0; band < WP_OCTET_BANDS && ok; band++) {
        const struct wp_band_grid grid = wp_description_band(d, 1, (enum wp_band)band);
        if (band & ~axes || !grid.size[WP_X] || !grid.size[WP_Y] || !grid.size[WP_Z])
            continue;
        struct wp_axis_maps copy = {.planes = wp_description_planes(d)};
        for (int a = 0; a < WP_DIMS_MAX; a++)
            copy.axis[a] = wp_axis_map_identity(grid.size[a]);
        const struct wp_operand inner = band_of(node->borders, (enum wp_band)band);
        const struct wp_operand outer = wp_operand_band(d, coefficients, 1, (enum wp_band)band, 0);
        ok = d->direction == WP_FORWARD ? map(node, &copy, &inner, &outer, execution)
                                        : map(node, &copy, &outer, &inner, execution);
    }
    return ok;
}

// The operand without the bands of the level.
static struct wp_operand rest_operand(const struct wp_plan *node,
                                      const struct wp_operand *coefficients)
{
    struct wp_operand rest = *coefficients;
    if (rest.band)
        rest.bands = wp_subband_count(&node->child[1]->problem.description);
    return rest;
}

static bool apply(const struct wp_plan *child, const struct wp_operand *from,
                  const struct wp_operand *to, struct wp_execution *execution)
{
    return !child || child->kind->apply(child, from, to, execution);
}

static bool apply_forward(const struct wp_plan *node, const struct wp_operand *from,
                          const struct wp_operand *to, struct wp_execution *execution)
{
    struct wp_borders *b = node->borders;
    const double start = wp_clock_seconds();
    if (!map(node, &b->samples, from, &b->extended, execution))
        return false;
    execution->seconds.load += wp_clock_seconds() - start;
    if (!apply(node->child[0], &b->extended, &b->coefficients, execution))
        return false;
    const double transformed = wp_clock_seconds();
    if (!copy_bands(node, to, execution))
        return false;
    execution->seconds.store += wp_clock_seconds() - transformed;
    if (!node->child[1])
        return true;
    const struct wp_operand low = band_of(b, WP_BAND_LL), rest = rest_operand(node, to);
    return apply(node->child[1], &low, &rest, execution);
}

static bool apply_inverse(const struct wp_plan *node, const struct wp_operand *from,
                          const struct wp_operand *to, struct wp_execution *execution)
{
    struct wp_borders *b = node->borders;
    if (node->child[1]) {
        const struct wp_operand low = band_of(b, WP_BAND_LL), rest = rest_operand(node, from);
        if (!apply(node->child[1], &rest, &low, execution))
            return false;
    }
    const double start = wp_clock_seconds();
    if (!copy_bands(node, from, execution))
        return false;
    execution->seconds.load += wp_clock_seconds() - start;
    if (!apply(node->child[0], &b->coefficients, &b->extended, execution))
        return false;
    const double transformed = wp_clock_seconds();
    const bool ok = map(node, &b->samples, &b->extended, to, execution);
    execution->seconds.store += wp_clock_seconds() - transformed;
    return ok;
}

// "a level with border pywt-zero: 17x13 as 20x16".
static void print(const struct wp_plan *node, struct wp_text *text)
{
    const struct wp_description *d = &node->problem.description;
    const int axes = wp_description_depth(&node->borders->level) > 1 ? WP_DIMS_MAX : WP_Z;
    wp_text_add(text, "a level with border %s:", wp_border_names[d->border]);
    for (int a = 0; a < axes; a++)
        wp_text_add(text, "%s%d", a ? "x" : " ", wp_description_size(d, a, 0));
    for (int a = 0; a < axes; a++)
        wp_text_add(text, "%s%d", a ? "x" : " as ", node->borders->level.size[a]);
}

static const struct wp_plan_kind forward = {apply_forward, print}, inverse = {apply_inverse, print};

// ---- Planning.

// Batches of planes have at most as many samples, or are one plane.
enum { BATCH_SAMPLES = 1 << 22 };

static int batch_of(const struct wp_description *d)
{
    const struct wp_description level = level_of(d, true);
    const size_t samples = memory_of(d), planes = (size_t)wp_description_planes(d);
    const size_t most = samples > 0 && samples < BATCH_SAMPLES ? BATCH_SAMPLES / samples : 1;
    return wp_description_depth(&level) > 1 ? 1 : most < planes ? (int)most : (int)planes;
}

static bool make_axis(struct wp_borders *b, const struct wp_description *d, int axis)
{
    const bool extended = d->direction == WP_FORWARD;
    const struct axis x = axis_of(d, axis, extended);
    const int n = wp_description_size(d, axis, 0);
    struct wp_axis_map *samples = &b->samples.axis[axis];
    b->first[axis] = x.first;
    return extended ? wp_axis_map_extend(samples, d->border, n, x.shift, x.size)
                    : wp_axis_map_shift(samples, x.size, -x.shift, n);
}

// Allocates the temporaries, or takes those of the parent.
static bool make_memory(const struct wp_plan *node, const struct wp_subproblem *problem)
{
    const struct wp_planner *planner = &node->planner;
    struct wp_borders *b = node->borders;
    const size_t samples = memory_of(&node->problem.description) *
                           (size_t)wp_description_planes(&node->problem.description);
    b->owner = !problem->memory[0];
    b->extended.location = problem->whole.from;
    for (int i = 0; i < 2; i++) {
        const bool on_device = problem->whole.from == WP_LOCATION_CUDA;
        b->memory[i] =
            !b->owner ? problem->memory[i]
            : on_device
                ? planner->backend->allocate_memory(planner->device, samples * sizeof(float))
                : wp_allocate_pages(samples, sizeof(float), "samples with a border");
        if (!b->memory[i])
            return false;
    }
    b->extended = wp_operand_dense(&b->level, b->memory[0]);
    b->coefficients = wp_operand_dense(&b->level, b->memory[1]);
    b->extended.location = b->coefficients.location = problem->whole.from;
    return true;
}

static void release(struct wp_plan *node)
{
    const struct wp_planner *planner = &node->planner;
    struct wp_borders *b = node->borders;
    const bool on_device = b->extended.location == WP_LOCATION_CUDA;
    if (on_device)
        planner->backend->free_memory(planner->device, b->samples.on_device);
    for (int i = 0; i < 2 && b->owner; i++) {
        if (on_device)
            planner->backend->free_memory(planner->device, b->memory[i]);
        else
            free(b->memory[i]);
    }
    wp_axis_maps_free(&b->samples);
    free(b);
}

static bool make_borders(struct wp_plan *node, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &node->problem.description;
    struct wp_borders *b = wp_allocate(1, sizeof *b, "a plan");
    node->borders = b;
    if (!b)
        return false;
    node->release = release;
    b->level = level_of(d, d->direction == WP_FORWARD);
    b->samples.planes = wp_description_planes(d);
    bool ok = true;
    for (int a = 0; a < WP_DIMS_MAX && ok; a++)
        ok = make_axis(b, d, a);
    return ok && make_memory(node, problem);
}

static bool has_border(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    (void)planner;
    return problem->whole.description.border >= WP_BORDER_NATIVE;
}

static struct wp_plan *solve_level(const struct wp_planner *planner,
                                   const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    struct wp_plan *node =
        wp_node_create(d->direction == WP_FORWARD ? &forward : &inverse, planner, &problem->whole);
    if (!node || !make_borders(node, problem))
        return wp_node_check(node, false);
    struct wp_subproblem level = {.solve = problem->solve}, rest = level;
    level.whole =
        (struct wp_problem){node->borders->level, wp_description_depth(&node->borders->level),
                            problem->whole.from, problem->whole.from};
    node->child[0] = problem->solve(planner, &level);
    if (!node->child[0] || wp_description_levels(d) <= 1)
        return wp_node_check(node, node->child[0]);
    rest.whole = (struct wp_problem){rest_of(d), 0, problem->whole.from, problem->whole.from};
    rest.whole.slices = wp_description_depth(&rest.whole.description);
    for (int i = 0; i < 2; i++)
        rest.memory[i] = node->borders->memory[i];
    node->child[1] = problem->solve(planner, &rest);
    return wp_node_check(node, node->child[1]);
}

static struct wp_plan *solve_border(const struct wp_planner *planner,
                                    const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    if (is_periodic(d)) {
        struct wp_subproblem periodic = *problem;
        periodic.whole.description.border = WP_BORDER_PERIODIC;
        periodic.whole.description.axes = 0;
        return problem->solve(planner, &periodic);
    }
    const int batch = batch_of(d);
    return batch < wp_description_planes(d) ? wp_node_loop_planes(planner, problem, batch)
                                            : solve_level(planner, problem);
}

const struct wp_solver wp_solve_borders = {has_border, solve_border, false};
