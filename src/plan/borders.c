// Levels that backends do not compute: the borders of PyWavelets, of which they only have the
// periodic one, and adjoints. A node transforms one level: child[0] is a transform by the backend
// of extended samples (border.h), child[1] the plan of the other levels, from or to the low band.
// A backend may compute some of these descriptions itself (wp_backend.borders).
//
// Adjoints with border "symmetric" have one of two forms. For wavelets whose steps do not read
// beyond their pair of samples, an odd size is one sample longer, which is extended by "constant".
// For symmetric wavelets W^-T = D V D^-1 and W^T = D V^-1 D^-1, where V is the transform of the
// dual wavelet with the same border, and D multiplies the first and the last of n > 1 samples, or
// of coefficients at their positions, by 1/2. This follows from the periodic transform P of 2n - 2
// samples, of which the mirrored ones E x are a subspace: P E = E W and P^-T E = E V, with E for
// samples and coefficients, and E^T E = 2 D^-1 has the number of copies of each.
#include "border.h"
#include "clock.h"
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "node.h"

#include <stdlib.h>

struct wp_borders {
    struct wp_description level; // of child[0]: one level, that backends compute, of the type of
                                 // the arithmetic
    struct wp_axis_maps samples; // forward from the samples to the extended ones, inverse back
    struct wp_axis_maps band[WP_OCTET_BANDS]; // between child[0] and all coefficients
    struct wp_axis_maps zeros;                // sets all coefficients of child[0] to 0
    int first[WP_DIMS_MAX];      // coefficient of each band of `level` that is number 0
    struct wp_operand extended, coefficients; // of `level`, in memory[0] and memory[1]
    void *memory[2];
    bool owner; // of the memory; else a parent is
    void *mark; // of the owner on a device: the end of its latest call (backend.h)
};

// ---- Levels.

// The levels after the first one.
static struct wp_description rest_of(const struct wp_description *d)
{
    struct wp_description rest = *d;
    rest.axes = wp_description_taps(d) > 0 ? wp_description_transformed(d) : 0;
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
        const struct wp_description level = wp_border_level(&rest, 0);
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

// ---- The ends of axes that D multiplies: bit 2a for the first sample along axis a, 2a + 1 for the
// last one.

static unsigned ends_of_samples(const struct wp_description *d)
{
    unsigned ends = 0;
    for (int a = 0; a < WP_DIMS_MAX && wp_border_has_weights(d); a++)
        ends |= wp_border_is_split(d, a, 0) ? 3U << 2 * a : 0;
    return ends;
}

// Coefficient i of a band is at position 2i, or 2i + 1 if the band is high.
static unsigned ends_of_band(const struct wp_description *d, enum wp_band band)
{
    unsigned ends = 0;
    for (int a = 0; a < WP_DIMS_MAX && wp_border_has_weights(d); a++) {
        const bool high = band >> a & 1, odd = wp_description_size(d, a, 0) % 2;
        if (wp_border_is_split(d, a, 0))
            ends |= (unsigned)(!high + 2 * (high != odd)) << 2 * a;
    }
    return ends;
}

// The factor of an end: that of `ends`, and its inverse for `others`.
static double weight(unsigned ends, unsigned others, int end, double factor)
{
    const bool one = ends >> end & 1, other = others >> end & 1;
    return one == other ? 1 : one ? factor : 1 / factor;
}

// A map of n samples along an axis: multiplies those of `ends` by `factor` and those of `others` by
// 1 / factor.
static bool make_ends(struct wp_axis_map *map, int n, int axis, unsigned ends, unsigned others,
                      double factor)
{
    return wp_axis_map_ends(map, n, weight(ends, others, 2 * axis, factor),
                            weight(ends, others, 2 * axis + 1, factor));
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
    struct wp_borders *b = node->borders;
    bool ok = true;
    for (unsigned band = node->child[1] ? 1 : 0; band < WP_OCTET_BANDS && ok; band++) {
        if (b->band[band].planes == 0)
            continue;
        const struct wp_operand inner = band_of(b, (enum wp_band)band);
        const struct wp_operand outer = wp_operand_band(d, coefficients, 1, (enum wp_band)band, 0);
        ok = d->direction == WP_FORWARD ? map(node, &b->band[band], &inner, &outer, execution)
                                        : map(node, &b->band[band], &outer, &inner, execution);
    }
    return ok;
}

static bool apply(const struct wp_plan *child, const struct wp_operand *from,
                  const struct wp_operand *to, struct wp_execution *execution)
{
    return !child || child->kind->apply(child, from, to, execution);
}

// Adds the time since `start`, for operands of the host; work on a device is asynchronous.
static void add_time(const struct wp_plan *node, double *seconds, double start)
{
    if (node->problem.from == WP_LOCATION_HOST)
        *seconds += wp_clock_seconds() - start;
}

static bool transform_forward(const struct wp_plan *node, const struct wp_operand *from,
                              const struct wp_operand *to, struct wp_execution *execution)
{
    struct wp_borders *b = node->borders;
    const double start = wp_clock_seconds();
    if (!map(node, &b->samples, from, &b->extended, execution))
        return false;
    add_time(node, &execution->seconds.load, start);
    if (!apply(node->child[0], &b->extended, &b->coefficients, execution))
        return false;
    const double transformed = wp_clock_seconds();
    if (!copy_bands(node, to, execution))
        return false;
    add_time(node, &execution->seconds.store, transformed);
    if (!node->child[1])
        return true;
    const struct wp_operand low = band_of(b, WP_BAND_LL), rest = wp_node_rest(node, to);
    return apply(node->child[1], &low, &rest, execution);
}

static bool transform_inverse(const struct wp_plan *node, const struct wp_operand *from,
                              const struct wp_operand *to, struct wp_execution *execution)
{
    struct wp_borders *b = node->borders;
    if (b->zeros.planes && !map(node, &b->zeros, &b->extended, &b->coefficients, execution))
        return false;
    if (node->child[1]) {
        const struct wp_operand low = band_of(b, WP_BAND_LL), rest = wp_node_rest(node, from);
        if (!apply(node->child[1], &rest, &low, execution))
            return false;
    }
    const double start = wp_clock_seconds();
    if (!copy_bands(node, from, execution))
        return false;
    add_time(node, &execution->seconds.load, start);
    if (!apply(node->child[0], &b->coefficients, &b->extended, execution))
        return false;
    const double transformed = wp_clock_seconds();
    const bool ok = map(node, &b->samples, &b->extended, to, execution);
    add_time(node, &execution->seconds.store, transformed);
    return ok;
}

// Calls in other streams use the same temporaries, also after a failure.
static bool apply_border(const struct wp_plan *node, const struct wp_operand *from,
                         const struct wp_operand *to, struct wp_execution *execution)
{
    const bool is_forward = node->problem.description.direction == WP_FORWARD;
    const struct wp_planner *planner = &node->planner;
    struct wp_borders *b = node->borders;
    const bool ordered = b->owner && node->problem.from == WP_LOCATION_CUDA;
    if (ordered &&
        !planner->backend->wait_for_mark(planner->device, b->mark, execution->stream))
        return false;
    const bool ok = (is_forward ? transform_forward : transform_inverse)(node, from, to, execution);
    return (!ordered ||
            planner->backend->mark_stream(planner->device, &b->mark, execution->stream)) &&
           ok;
}

// "a level with border pywt-zero: 17x13 as 20x16", "a transposed level with …".
static void print(const struct wp_plan *node, struct wp_text *text)
{
    const struct wp_description *d = &node->problem.description;
    const int axes = wp_description_depth(&node->borders->level) > 1 ? WP_DIMS_MAX : WP_Z;
    wp_text_add(text, "a %slevel with border %s:", d->adjoint ? "transposed " : "",
                wp_border_names[d->border]);
    for (int a = 0; a < axes; a++)
        wp_text_add(text, "%s%d", a ? "x" : " ", wp_description_size(d, a, 0));
    for (int a = 0; a < axes; a++)
        wp_text_add(text, "%s%d", a ? "x" : " as ", node->borders->level.size[a]);
    if (wp_description_arithmetic(d) == WP_ELEMENT_F64)
        wp_text_add(text, ", arithmetic %s", wp_elements[node->borders->level.samples].name);
}

static const struct wp_plan_kind level_kind = {apply_border, print};

// ---- Planning.

// The type of the levels and of what lies between them: f64 if the backend computes all levels in
// doubles.
static enum wp_element type_of(const struct wp_planner *planner, const struct wp_problem *problem)
{
    const struct wp_description *d = &problem->description;
    struct wp_description rest = *d;
    bool wide = wp_description_arithmetic(d) == WP_ELEMENT_F64;
    for (; wide && wp_description_levels(&rest) > 0; rest = rest_of(&rest)) {
        const struct wp_problem level = {.description = wp_border_level(&rest, 0),
                                         .from = problem->from, .to = problem->to};
        wide = wp_plan_arithmetic(planner, &level) == WP_ELEMENT_F64;
    }
    return wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32;
}

// Each temporary of a batch of planes has at most BATCH_BYTES, or is one plane. On the CPU it stays
// in caches: THREAD_BYTES per thread.
enum { BATCH_BYTES = 1 << 24, THREAD_BYTES = 1 << 18 };

static size_t batch_bytes(const struct wp_planner *planner)
{
    struct wp_device_info info;
    if (!planner->backend->set_threads)
        return BATCH_BYTES;
    planner->backend->describe(planner->device, &info);
    const size_t bytes = (size_t)info.threads * THREAD_BYTES;
    return bytes < BATCH_BYTES ? bytes : BATCH_BYTES;
}

static int batch_of(const struct wp_planner *planner, const struct wp_problem *problem)
{
    const struct wp_description *d = &problem->description;
    const struct wp_description level = wp_border_level(d, 0);
    const size_t samples = memory_of(d), planes = (size_t)wp_description_planes(d);
    const size_t batch = batch_bytes(planner) / wp_elements[type_of(planner, problem)].bytes;
    const size_t most = samples > 0 && samples < batch ? batch / samples : 1;
    return wp_description_depth(&level) > 1 ? 1 : most < planes ? (int)most : (int)planes;
}

// `ends`: of the samples that the parent has left to multiply, as coefficients of its low band.
static bool make_axis(struct wp_borders *b, const struct wp_description *d, int axis, unsigned ends)
{
    const int n = wp_description_size(d, axis, 0);
    b->first[axis] = wp_border_axis(d, axis, 0).first;
    return wp_border_has_weights(d)
               ? make_ends(&b->samples.axis[axis], n, axis, ends_of_samples(d), ends,
                           d->direction == WP_FORWARD ? 2 : 0.5)
               : wp_border_map(&b->samples.axis[axis], d, axis, 0);
}

// The bands of the level that have coefficients.
static bool make_bands(struct wp_borders *b, const struct wp_description *d)
{
    const double factor = d->direction == WP_FORWARD ? 0.5 : 2;
    bool ok = true;
    for (unsigned band = 0; band < WP_OCTET_BANDS && ok; band++) {
        const struct wp_band_grid grid = wp_description_band(d, 1, (enum wp_band)band);
        const unsigned ends = ends_of_band(d, (enum wp_band)band);
        if (band & ~wp_description_axes(d, 1) || !grid.size[WP_X] || !grid.size[WP_Y] ||
            !grid.size[WP_Z])
            continue;
        b->band[band].planes = wp_description_planes(d);
        for (int a = 0; a < WP_DIMS_MAX && ok; a++)
            ok = make_ends(&b->band[band].axis[a], grid.size[a], a, ends, 0, factor);
    }
    return ok;
}

// Are there coefficients of child[0] that are in no band? Only of the inverse.
static bool has_zeros(const struct wp_description *d)
{
    return d->adjoint && d->direction == WP_INVERSE && !wp_border_has_weights(d);
}

// Maps of which no row has an entry.
static bool make_zeros(struct wp_borders *b, const struct wp_description *d)
{
    bool ok = true;
    if (!has_zeros(d))
        return true;
    b->zeros.planes = b->samples.planes;
    for (int a = 0; a < WP_DIMS_MAX && ok; a++) {
        const int n = wp_description_size(&b->level, a, 0);
        ok = wp_axis_map_shift(&b->zeros.axis[a], n, n, n);
    }
    return ok;
}

// Allocates the temporaries, or takes those of the parent.
static bool make_memory(const struct wp_plan *node, const struct wp_subproblem *problem)
{
    const struct wp_planner *planner = &node->planner;
    struct wp_borders *b = node->borders;
    const size_t samples = memory_of(&node->problem.description) *
                           (size_t)wp_description_planes(&node->problem.description);
    const size_t bytes = wp_elements[b->level.samples].bytes;
    b->owner = !problem->memory[0];
    b->extended.location = problem->whole.from;
    for (int i = 0; i < 2; i++) {
        const bool on_device = problem->whole.from == WP_LOCATION_CUDA;
        b->memory[i] =
            !b->owner ? problem->memory[i]
            : on_device ? planner->backend->allocate_memory(planner->device, samples * bytes)
                        : wp_allocate_pages(samples, bytes, "samples with a border");
        if (!b->memory[i])
            return false;
    }
    b->extended = wp_operand_dense(&b->level, b->memory[0]);
    b->coefficients = wp_operand_dense(&b->level, b->memory[1]);
    b->extended.type = b->coefficients.type = b->level.samples;
    b->extended.location = b->coefficients.location = problem->whole.from;
    return true;
}

static void free_maps(const struct wp_planner *planner, struct wp_axis_maps *maps, bool on_device)
{
    if (on_device)
        planner->backend->free_memory(planner->device, maps->on_device);
    wp_axis_maps_free(maps);
}

static void release(struct wp_plan *node)
{
    const struct wp_planner *planner = &node->planner;
    struct wp_borders *b = node->borders;
    const bool on_device = b->extended.location == WP_LOCATION_CUDA;
    if (on_device)
        planner->backend->free_mark(planner->device, b->mark);
    for (int i = 0; i < 2 && b->owner; i++) {
        if (on_device)
            planner->backend->free_memory(planner->device, b->memory[i]);
        else
            free(b->memory[i]);
    }
    free_maps(planner, &b->samples, on_device);
    free_maps(planner, &b->zeros, on_device);
    for (int i = 0; i < WP_OCTET_BANDS; i++)
        free_maps(planner, &b->band[i], on_device);
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
    b->level = wp_border_level(d, 0);
    b->level.samples = b->level.coefficients = type_of(&node->planner, &node->problem);
    b->samples.planes = wp_description_planes(d);
    bool ok = true;
    for (int a = 0; a < WP_DIMS_MAX && ok; a++)
        ok = make_axis(b, d, a, problem->ends);
    return ok && make_bands(b, d) && make_zeros(b, d) && make_memory(node, problem);
}

static bool has_border(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    struct wp_description part[WP_CHAIN_MAX];
    (void)planner;
    return !wp_description_is_native(d) && !problem->weighted && !problem->direct &&
           wp_description_chain(d, part) == 1;
}

static struct wp_plan *solve_level(const struct wp_planner *planner,
                                   const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    struct wp_plan *node = wp_node_create(&level_kind, planner, &problem->whole);
    if (!node || !make_borders(node, problem))
        return wp_node_check(node, false);
    struct wp_subproblem level = {.weighted = true, .solve = problem->solve};
    struct wp_subproblem rest = {.ends = ends_of_band(d, WP_BAND_LL), .solve = problem->solve};
    level.whole =
        (struct wp_problem){node->borders->level, wp_description_depth(&node->borders->level),
                            problem->whole.from, problem->whole.from};
    node->child[0] = problem->solve(planner, &level);
    if (!node->child[0] || wp_description_levels(d) <= 1)
        return wp_node_check(node, node->child[0]);
    rest.whole = (struct wp_problem){rest_of(d), 0, problem->whole.from, problem->whole.from};
    rest.whole.slices = wp_description_depth(&rest.whole.description);
    rest.whole.description.samples = node->borders->level.samples;
    // The low band of zeros would be overwritten.
    for (int i = 0; i < 2 && !has_zeros(d); i++)
        rest.memory[i] = node->borders->memory[i];
    node->child[1] = problem->solve(planner, &rest);
    return wp_node_check(node, node->child[1]);
}

// A plan in which the backend computes the border. NULL if it does not; then without an error.
static struct wp_plan *solve_direct(const struct wp_planner *planner,
                                    const struct wp_subproblem *problem)
{
    const struct wp_problem *whole = &problem->whole;
    const struct wp_backend *backend = planner->backend;
    struct wp_subproblem direct = *problem;
    direct.direct = true;
    direct.whole.description.axes = wp_description_transformed(&whole->description);
    if (!backend->borders || !backend->borders(planner->device, &whole->description,
                                               planner->variant, whole->from))
        return NULL;
    return wp_node_attempt(planner, &direct);
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
    const int batch = batch_of(planner, &problem->whole);
    struct wp_plan *direct = solve_direct(planner, problem);
    if (direct)
        return direct;
    return batch < wp_description_planes(d) ? wp_node_loop_planes(planner, problem, batch)
                                            : solve_level(planner, problem);
}

const struct wp_solver wp_solve_borders = {has_border, solve_border, false};
