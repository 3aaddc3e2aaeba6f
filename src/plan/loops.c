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
        wp_text_add(text, " + %d", node->dimension == WP_Y ? rest->description.size[WP_Y]
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

enum { TOGETHER_SAMPLES = 1 << 25 };

static bool has_planes(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    (void)planner;
    return wp_description_planes(&problem->whole.description) > 1 && !problem->together;
}

// Planes are transformed together if the device supports it, because the overhead of draws and
// dispatches is paid once. For more than TOGETHER_SAMPLES samples, on an H200, fragment shaders
// gain at most 3 % and compute shaders between -10 and 10 % (docs/lab/tiles.md), so memory is
// saved.
static bool fits_together(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    const struct wp_backend *backend = planner->backend;
    const double samples = (double)wp_description_planes(d) * (double)wp_description_samples(d);
    struct wp_description one = *d;
    one.planes = 1;
    return has_planes(planner, problem) && backend->planes_max && samples <= TOGETHER_SAMPLES &&
           (!planner->external_context || problem->whole.from == WP_LOCATION_BUFFER) &&
           wp_description_depth(d) == 1 &&
           backend->planes_max(planner->device, &one) >= wp_description_planes(d);
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

static struct wp_plan *solve_planes(const struct wp_planner *planner,
                                    const struct wp_subproblem *problem)
{
    struct wp_plan *node =
        create_loop(planner, problem, WP_PLANE,
                    wp_description_planes(&problem->whole.description), 1);
    struct wp_subproblem plane = *problem;
    plane.whole.description.planes = 1;
    return node && allocate_bands(node) ? solve_parts(node, planner, &plane, NULL)
                                        : wp_node_check(node, false);
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
