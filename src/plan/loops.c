// Nodes that execute parts of a problem one after the other: groups of slices, planes, slabs of
// rows.
#include "memory.h"
#include "node.h"

static bool apply_loop(const struct wp_plan *node, const struct wp_operand *from,
                       const struct wp_operand *to, struct wp_execution *execution)
{
    const int parts = node->count + (node->child[1] != NULL), plane = execution->plane;
    bool ok = true;
    for (int i = 0; i < parts && ok; i++) {
        const int first = i * node->size;
        const struct wp_operand in =
            wp_operand_advance(from, node->dimension, first, node->bands[0]);
        const struct wp_operand out =
            wp_operand_advance(to, node->dimension, first, node->bands[1]);
        if (node->dimension == WP_PLANE)
            execution->plane = plane + first;
        const struct wp_plan *part = node->child[i == node->count];
        ok = part->kind->apply(part, &in, &out, execution);
    }
    execution->plane = plane;
    return ok;
}

static void print_loop(const struct wp_plan *node, struct wp_text *text)
{
    static const char *const names[WP_DIMENSIONS] = {"columns", "rows", "slices", "planes"};
    wp_text_add(text, "loop over %s: %d", names[node->dimension], node->count);
    if (node->size > 1)
        wp_text_add(text, " x %d", node->size);
    const struct wp_problem *rest = node->child[1] ? &node->child[1]->problem : NULL;
    if (rest)
        wp_text_add(text, " + %d",
                    node->dimension == WP_Y       ? rest->description.size[WP_Y]
                    : node->dimension == WP_PLANE ? wp_description_planes(&rest->description)
                                                  : rest->slices);
}

static const struct wp_plan_kind loop = {apply_loop, print_loop};

static struct wp_plan *create_loop(const struct wp_planner *planner,
                                   const struct wp_subproblem *problem, int dimension, int count,
                                   int size)
{
    struct wp_plan *node = wp_node_create(&loop, planner, &problem->whole);
    if (!node)
        return NULL;
    node->dimension = dimension;
    node->count = count;
    node->size = size;
    return node;
}

// Solves the parts of a loop, and the rest if `rest` is not NULL. Returns the loop; NULL after
// destroying it if one of them failed.
static struct wp_plan *solve_parts(struct wp_plan *node, const struct wp_planner *planner,
                                   const struct wp_subproblem *part,
                                   const struct wp_subproblem *rest)
{
    if (!node)
        return NULL;
    node->child[0] = part->solve(planner, part);
    if (rest && node->child[0])
        node->child[1] = part->solve(planner, rest);
    return wp_node_check(node, node->child[0] && (!rest || node->child[1]));
}

// ---- Groups of slices, each with its own borders along z.

static bool has_groups(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    (void)planner;
    return problem->whole.slices > wp_description_depth(&problem->whole.description);
}

static struct wp_plan *solve_groups(const struct wp_planner *planner,
                                    const struct wp_subproblem *problem)
{
    const int depth = wp_description_depth(&problem->whole.description);
    const int count = problem->whole.slices / depth;
    struct wp_subproblem group = *problem, rest = *problem;
    group.whole.slices = depth;
    rest.whole.slices = problem->whole.slices % depth;
    if (rest.whole.slices)
        rest.whole.description =
            wp_description_group(&problem->whole.description, rest.whole.slices);
    return solve_parts(create_loop(planner, problem, WP_Z, count, depth), planner, &group,
                       rest.whole.slices ? &rest : NULL);
}

const struct wp_solver wp_solve_groups = {has_groups, solve_groups, false};

// ---- Planes.

// Planes of more than GROUP_SAMPLES samples are transformed all together or one after the other.
enum { TOGETHER_SAMPLES = 1 << 25, GROUP_SAMPLES = 1 << 20 };

static bool has_planes(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    (void)planner;
    return wp_description_planes(&problem->whole.description) > 1 && !problem->together;
}

// Planes that are transformed together; 1: one after the other. Together, the overhead of draws and
// dispatches is paid once. For more than TOGETHER_SAMPLES samples, on an H200, fragment shaders
// gain at most 3 % and compute shaders between -10 and 10 % (docs/lab/tiles.md), so memory is
// saved.
static int together_planes(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    const struct wp_backend *backend = planner->backend;
    const int planes = wp_description_planes(d);
    const size_t samples = wp_description_samples(d);
    struct wp_description one = *d;
    one.planes = 1;
    if (planes == 1 || problem->together || !backend->planes_max || wp_description_depth(d) > 1 ||
        samples > TOGETHER_SAMPLES / 2 ||
        (planner->external_context && problem->whole.from != WP_LOCATION_BUFFER))
        return 1;
    const int device = backend->planes_max(planner->device, &one);
    const int memory = (int)(TOGETHER_SAMPLES / samples);
    const int most = device < memory ? device : memory;
    return planes <= most ? planes : samples > GROUP_SAMPLES || most < 1 ? 1 : most;
}

static bool fits_together(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    return has_planes(planner, problem) &&
           together_planes(planner, problem) == wp_description_planes(&problem->whole.description);
}

static struct wp_plan *solve_together(const struct wp_planner *planner,
                                      const struct wp_subproblem *problem)
{
    struct wp_subproblem together = *problem;
    together.together = true;
    return problem->solve(planner, &together);
}

const struct wp_solver wp_solve_together = {fits_together, solve_together, false};

// Two operands of which one may have a view per band.
static bool allocate_bands(struct wp_plan *node)
{
    const size_t count = (size_t)wp_subband_count(&node->problem.description);
    const bool forward = node->problem.description.direction == WP_FORWARD;
    struct wp_operand **bands = &node->bands[forward];
    *bands = wp_allocate(count, sizeof **bands, "the views of bands");
    return *bands;
}

// ---- Batches: planes as slices without levels along z, which the device transforms together.

// A batch saves launches, which no longer matter for large planes. Operands in the host's memory
// are limited, because the device has a copy of them.
enum { BATCH_PLANE_SAMPLES = 1 << 20, BATCH_HOST_SAMPLES = 1 << 26, BATCH_SAMPLES = 1 << 30 };

static struct wp_problem batch_of(const struct wp_problem *problem)
{
    struct wp_problem batch = *problem;
    batch.slices = batch.description.size[WP_Z] = wp_description_planes(&problem->description);
    batch.description.planes = 1;
    batch.description.levels_z = 0;
    return batch;
}

// Planes of a batch; 1: planes are transformed one after the other.
static int batch_planes(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    const struct wp_variant *variant = planner->variant;
    const struct wp_problem batch = batch_of(&problem->whole);
    const int planes = wp_description_planes(d);
    const size_t samples = wp_description_samples(d);
    char why[256];
    if (!planner->backend->batches || planes == 1 || wp_description_depth(d) > 1 ||
        d->reversible || d->levels == 0 || samples > BATCH_PLANE_SAMPLES || problem->together ||
        (variant && (!variant->batches ||
                     (variant->supports &&
                      !variant->supports(variant, &batch.description, why, sizeof why)))))
        return 1;
    const size_t most = (problem->whole.from == WP_LOCATION_HOST ? BATCH_HOST_SAMPLES
                                                                  : BATCH_SAMPLES) / samples;
    return (size_t)planes > most ? (int)most : planes;
}

static bool fits_batch(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    return has_planes(planner, problem) &&
           batch_planes(planner, problem) == wp_description_planes(&problem->whole.description);
}

// `bands` receives the bands, if the operand has any.
static struct wp_operand as_slices(const struct wp_operand *operand, int count,
                                   struct wp_operand *bands)
{
    struct wp_operand slices = wp_operand_advance(operand, WP_PLANE, 0, bands);
    slices.stride[WP_Z] = operand->stride[WP_PLANE];
    for (int i = 0; i < count && slices.band; i++)
        bands[i].stride[WP_Z] = bands[i].stride[WP_PLANE];
    return slices;
}

static bool apply_batch(const struct wp_plan *node, const struct wp_operand *from,
                        const struct wp_operand *to, struct wp_execution *execution)
{
    const int count = wp_subband_count(&node->problem.description);
    const struct wp_operand in = as_slices(from, count, node->bands[0]);
    const struct wp_operand out = as_slices(to, count, node->bands[1]);
    return node->child[0]->kind->apply(node->child[0], &in, &out, execution);
}

static void print_batch(const struct wp_plan *node, struct wp_text *text)
{
    wp_text_add(text, "planes as slices: %d", node->count);
}

static const struct wp_plan_kind batch = {apply_batch, print_batch};

static struct wp_plan *solve_batch(const struct wp_planner *planner,
                                   const struct wp_subproblem *problem)
{
    struct wp_plan *node = wp_node_create(&batch, planner, &problem->whole);
    struct wp_subproblem slices = *problem;
    slices.whole = batch_of(&problem->whole);
    if (!node || !allocate_bands(node))
        return wp_node_check(node, false);
    node->count = slices.whole.slices;
    return solve_parts(node, planner, &slices, NULL);
}

const struct wp_solver wp_solve_batches = {fits_batch, solve_batch, false};

int wp_plan_batch(const struct wp_plan *plan)
{
    while (plan && plan->kind != &batch)
        plan = plan->child[0];
    return plan ? plan->count : 0;
}

struct wp_plan *wp_node_loop_planes(const struct wp_planner *planner,
                                    const struct wp_subproblem *problem, int size)
{
    const int planes = wp_description_planes(&problem->whole.description);
    struct wp_plan *node = create_loop(planner, problem, WP_PLANE, planes / size, size);
    struct wp_subproblem part = *problem, rest = *problem;
    part.whole.description.planes = size;
    rest.whole.description.planes = planes % size;
    // The parent's has all planes, of which the first would overwrite those that later ones read.
    for (int i = 0; i < 2; i++)
        part.memory[i] = rest.memory[i] = NULL;
    return node && allocate_bands(node)
               ? solve_parts(node, planner, &part, planes % size ? &rest : NULL)
               : wp_node_check(node, false);
}

// Planes one after the other, or groups of them. If a group of all lacks memory, of half of them.
static struct wp_plan *solve_planes(const struct wp_planner *planner,
                                    const struct wp_subproblem *problem)
{
    const int planes = wp_description_planes(&problem->whole.description);
    const int slices = batch_planes(planner, problem);
    const int together = together_planes(planner, problem);
    const int most = slices > together ? slices : together;
    return wp_node_loop_planes(planner, problem, most < planes ? most : planes / 2);
}

const struct wp_solver wp_solve_planes = {has_planes, solve_planes, true};

// ---- Slabs of rows. Without levels along y rows are independent.

enum { SLAB_SAMPLES = 1 << 22 }; // so that the overhead per call is negligible

static int slab_rows(const struct wp_description *d)
{
    const size_t row = (size_t)d->size[WP_X] * (size_t)wp_description_depth(d);
    const size_t rows = row < SLAB_SAMPLES ? SLAB_SAMPLES / row : 1;
    return rows < (size_t)d->size[WP_Y] ? (int)rows : d->size[WP_Y];
}

static bool has_slabs(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    (void)planner;
    return problem->row_wise && slab_rows(d) < d->size[WP_Y];
}

static struct wp_plan *solve_slabs(const struct wp_planner *planner,
                                   const struct wp_subproblem *problem)
{
    const int height = problem->whole.description.size[WP_Y];
    const int rows = slab_rows(&problem->whole.description);
    struct wp_subproblem slab = *problem, rest;
    slab.row_wise = false;
    rest = slab;
    slab.whole.description.size[WP_Y] = rows;
    rest.whole.description.size[WP_Y] = height % rows;
    return solve_parts(create_loop(planner, problem, WP_Y, height / rows, rows), planner, &slab,
                       height % rows ? &rest : NULL);
}

const struct wp_solver wp_solve_rows = {has_slabs, solve_slabs, false};
