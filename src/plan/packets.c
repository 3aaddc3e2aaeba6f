// Wavelet packets: each level is one level of the decimated bank for all nodes that it splits. Nodes
// of one size that lie one below the other, and whose children are alike, are planes of one plan.
// Levels alternate between two temporaries; leaves are written to and read from the coefficients.
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "node.h"
#include "packets.h"

#include <stdlib.h>
#include <string.h>

// Planes whose temporaries have more samples are transformed in groups.
enum { GROUP_SAMPLES = 1 << 24 };

// `count` nodes of equal size, one after the other along an axis, are split, or joined.
struct step {
    struct wp_packet node; // the first one
    int count;
    unsigned leaves; // bit i: child i is a leaf
    // Numbers of plans: of all nodes of all planes, and of the planes of one node, for operands
    // whose strides do not nest.
    int all, each;
};

struct plan {
    struct wp_description description;
    struct wp_plan *plan;
};

struct wp_packets {
    struct step *step; // sorted by level
    int steps;
    struct plan *plan; // number 0 is child[0] of the node
    int plans;
    int axis; // along which nodes are planes
    void *memory[2];
    struct wp_operand temporary[2]; // of the results of odd and of even levels
    void *mark;                     // of the work in these
};

// ---- Steps.

// The axis along which neighboring nodes are planes of one transform; -1: none, for volumes.
static int axis_of(const struct wp_description *d)
{
    const unsigned axes = wp_packet_axes(d);
    return wp_description_depth(d) > 1 ? -1 : axes >> WP_Y & 1 ? WP_Y : WP_X;
}

// Finds the leaves among the children of all nodes that are split.
static int list_nodes(const struct wp_description *d, struct step *step)
{
    int parent[WP_MAX_LEVELS + 1] = {0}, count = 0;
    struct wp_packet_walk walk = {.description = d};
    while (wp_packet_next(&walk)) {
        const int level = walk.node.level;
        if (walk.split) {
            step[count] = (struct step){.node = walk.node, .count = 1};
            parent[level] = count++;
        } else if (level > 0) {
            step[parent[level - 1]].leaves |= 1U << walk.child[level];
        }
    }
    return count;
}

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

// By level, and by the position along x, z and y, so that neighbors along y follow each other, or
// for signals along x.
static int compare_steps(const void *a, const void *b)
{
    static const int order[WP_DIMS_MAX] = {WP_X, WP_Z, WP_Y};
    const struct wp_packet *x = &((const struct step *)a)->node;
    const struct wp_packet *y = &((const struct step *)b)->node;
    int result = compare(x->level, y->level);
    for (int i = 0; i < WP_DIMS_MAX && result == 0; i++)
        result = compare(x->grid.first[order[i]], y->grid.first[order[i]]);
    return result;
}

// Does a node continue the nodes of a step?
static bool continues(const struct step *step, const struct step *next, int axis)
{
    const struct wp_band_grid *a = &step->node.grid, *b = &next->node.grid;
    if (axis < 0 || step->node.level != next->node.level || step->leaves != next->leaves)
        return false;
    for (int i = 0; i < WP_DIMS_MAX; i++)
        if (a->size[i] != b->size[i] ||
            b->first[i] != a->first[i] + (i == axis ? step->count * a->size[i] : 0))
            return false;
    return true;
}

// Lists the steps; as many as leaves are more than enough.
static bool list_steps(const struct wp_description *d, struct wp_packets *p)
{
    p->step = wp_allocate((size_t)wp_packet_leaves(d), sizeof *p->step, "a plan");
    if (!p->step)
        return false;
    const int count = list_nodes(d, p->step);
    qsort(p->step, (size_t)count, sizeof *p->step, compare_steps);
    for (int i = 0; i < count; i++) {
        struct step *last = p->steps > 0 ? &p->step[p->steps - 1] : NULL;
        if (last && continues(last, &p->step[i], p->axis))
            last->count++;
        else
            p->step[p->steps++] = p->step[i];
    }
    return true;
}

// ---- Execution.

// The operand of a level's results, with all strides of an array.
static const struct wp_operand *result_of(const struct wp_packets *p, int level)
{
    return &p->temporary[level % 2];
}

// The nodes of a step, as planes of an array.
static struct wp_operand nodes_at(const struct wp_operand *array, const struct wp_packet *node)
{
    struct wp_operand at = *array;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        at = wp_operand_advance(&at, a, node->grid.first[a], NULL);
    return at;
}

// An array with its planes, or with the nodes of a step as planes, which it may also have together.
// False if the strides of both do not nest.
static bool make_planes(const struct wp_packets *p, const struct step *step, int planes,
                        struct wp_operand *array)
{
    const ptrdiff_t distance =
        step->count > 1 ? step->node.grid.size[p->axis] * array->stride[p->axis] : 0;
    const ptrdiff_t plane = array->stride[WP_PLANE];
    if (step->count > 1)
        array->stride[WP_PLANE] = distance;
    return step->count == 1 || planes == 1 || plane == step->count * distance;
}

// Are some children of the nodes leaves, and others not?
static bool is_mixed(const struct wp_description *d, const struct step *step)
{
    return step->leaves != 0 && step->leaves != (1U << wp_packet_children(d)) - 1;
}

// The operands of a step: its nodes, and their children, of which `band` has views if they are in
// both arrays.
struct views {
    struct wp_operand node, children, band[WP_OCTET_BANDS];
};

static void view_bands(const struct wp_plan *node, const struct step *step,
                       const struct wp_operand *coefficients, struct views *v)
{
    const struct wp_packets *p = node->packets;
    const struct wp_description *d = &node->problem.description;
    const struct wp_description *level = &p->plan[step->all].description;
    const unsigned axes = wp_packet_axes(d);
    v->children.band = v->band;
    v->children.bands = wp_subband_count(level);
    for (int i = 0; i < v->children.bands; i++) {
        enum wp_band band;
        int child = 0, place = 0;
        wp_subband_at(level, i, &band);
        for (int a = 0; a < WP_DIMS_MAX; a++)
            if (axes >> a & 1)
                child |= (int)(band >> a & 1) << place++;
        const struct wp_packet packet = wp_packet_child(d, &step->node, child);
        v->band[i] = nodes_at(step->leaves >> child & 1 ? coefficients
                                                        : result_of(p, packet.level), &packet);
        if (band & ~axes)
            v->band[i].data = NULL; // without samples
    }
}

// `coefficients` has the leaves.
static void view(const struct wp_plan *node, const struct step *step,
                 const struct wp_operand *samples, const struct wp_operand *coefficients,
                 struct views *v)
{
    const struct wp_packets *p = node->packets;
    const int level = step->node.level;
    v->node = nodes_at(level == 0 ? samples : result_of(p, level), &step->node);
    v->children = nodes_at(step->leaves ? coefficients : result_of(p, level + 1), &step->node);
    if (is_mixed(&node->problem.description, step))
        view_bands(node, step, coefficients, v);
}

static bool run_plan(const struct wp_plan *node, int number, const struct views *v,
                     struct wp_execution *execution)
{
    const struct wp_plan *plan = node->packets->plan[number].plan;
    const bool forward = node->problem.description.direction == WP_FORWARD;
    return plan->kind->apply(plan, forward ? &v->node : &v->children,
                             forward ? &v->children : &v->node, execution);
}

// One node after the other, with all planes.
static bool run_each(const struct wp_plan *node, const struct step *step,
                     const struct wp_operand *samples, const struct wp_operand *coefficients,
                     struct wp_execution *execution)
{
    const struct wp_packets *p = node->packets;
    struct step one = *step;
    bool ok = true;
    one.count = 1;
    for (int i = 0; i < step->count && ok; i++) {
        struct views v;
        view(node, &one, samples, coefficients, &v);
        ok = run_plan(node, step->each, &v, execution);
        one.node.grid.first[p->axis] += one.node.grid.size[p->axis];
    }
    return ok;
}

static bool run_step(const struct wp_plan *node, const struct step *step,
                     const struct wp_operand *samples, const struct wp_operand *coefficients,
                     struct wp_execution *execution)
{
    const struct wp_packets *p = node->packets;
    const int planes = wp_description_planes(&node->problem.description);
    struct views v;
    view(node, step, samples, coefficients, &v);
    bool nest = make_planes(p, step, planes, &v.node);
    if (!v.children.band)
        nest = make_planes(p, step, planes, &v.children) && nest;
    for (int i = 0; v.children.band && i < v.children.bands; i++)
        nest = make_planes(p, step, planes, &v.band[i]) && nest;
    return nest ? run_plan(node, step->all, &v, execution)
                : run_each(node, step, samples, coefficients, execution);
}

static bool run_steps(const struct wp_plan *node, const struct wp_operand *from,
                      const struct wp_operand *to, struct wp_execution *execution)
{
    const struct wp_packets *p = node->packets;
    const bool forward = node->problem.description.direction == WP_FORWARD;
    bool ok = true;
    if (p->steps == 0)
        return p->plan[0].plan->kind->apply(p->plan[0].plan, from, to, execution);
    for (int i = 0; i < p->steps && ok; i++)
        ok = run_step(node, &p->step[forward ? i : p->steps - 1 - i], forward ? from : to,
                      forward ? to : from, execution);
    return ok;
}

// Calls in other streams use the same temporaries, also after a failure.
static bool apply(const struct wp_plan *node, const struct wp_operand *from,
                  const struct wp_operand *to, struct wp_execution *execution)
{
    const struct wp_planner *planner = &node->planner;
    struct wp_packets *p = node->packets;
    if (node->problem.from != WP_LOCATION_CUDA)
        return run_steps(node, from, to, execution);
    if (!planner->backend->wait_for_mark(planner->device, p->mark, execution->stream))
        return false;
    const bool ok = run_steps(node, from, to, execution);
    return planner->backend->mark_stream(planner->device, &p->mark, execution->stream) && ok;
}

// "packets of 3 levels: 64 nodes by 7 transforms of a level, of which the first is".
static void print(const struct wp_plan *node, struct wp_text *text)
{
    const struct wp_description *d = &node->problem.description;
    const int levels = wp_description_levels(d), leaves = wp_packet_leaves(d);
    const int steps = node->packets->steps;
    wp_text_add(text, "packets of %d level%s: %d node%s by %d transform%s of a level, of which the "
                "first is", levels, WP_PLURAL(levels), leaves, WP_PLURAL(leaves), steps,
                WP_PLURAL(steps));
}

static const struct wp_plan_kind kind = {apply, print};

// ---- Planning.

static void release(struct wp_plan *node)
{
    const struct wp_planner *planner = &node->planner;
    struct wp_packets *p = node->packets;
    const bool on_device = node->problem.from == WP_LOCATION_CUDA;
    for (int i = 1; i < p->plans; i++)
        wp_plan_destroy(&p->plan[i].plan);
    if (on_device)
        planner->backend->free_mark(planner->device, p->mark);
    for (int i = 0; i < 2; i++) {
        if (on_device)
            planner->backend->free_memory(planner->device, p->memory[i]);
        else
            free(p->memory[i]);
    }
    free(p->plan);
    free(p->step);
    free(p);
}

// One level of some nodes of equal size, of all planes.
static struct wp_description level_of(const struct wp_description *d, const struct step *step,
                                      int planes)
{
    const enum wp_element type = wp_description_arithmetic(d);
    struct wp_description level = *d;
    level.bank = WP_BANK_DECIMATED;
    level.tree = NULL;
    level.planes = planes;
    level.levels = step && d->levels > 0;
    level.levels_z = step && d->levels_z > 0;
    if (!step)
        return level;
    memcpy(level.size, step->node.grid.size, sizeof level.size);
    if (step->node.level > 0)
        level.samples = type;
    if (step->leaves == 0)
        level.coefficients = type;
    return level;
}

static bool equals(const struct wp_description *a, const struct wp_description *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 && a->planes == b->planes &&
           a->samples == b->samples && a->coefficients == b->coefficients;
}

// Plans a step (NULL: the copy of a tree that is only the root) unless an equal one is planned; the
// number of the plan, or -1.
static int add_plan(struct wp_plan *node, const struct wp_subproblem *problem,
                    const struct step *step, int planes)
{
    struct wp_packets *p = node->packets;
    const struct wp_description d = level_of(&node->problem.description, step, planes);
    for (int i = 0; i < p->plans; i++)
        if (equals(&p->plan[i].description, &d))
            return i;
    struct wp_subproblem part = *problem;
    part.whole = (struct wp_problem){d, wp_description_depth(&d), problem->whole.from,
                                     problem->whole.to};
    struct wp_plan *plan = problem->solve(&node->planner, &part);
    if (!plan)
        return -1;
    p->plan[p->plans] = (struct plan){d, plan};
    if (p->plans == 0)
        node->child[0] = plan;
    return p->plans++;
}

static bool add_plans(struct wp_plan *node, const struct wp_subproblem *problem)
{
    struct wp_packets *p = node->packets;
    const int planes = wp_description_planes(&node->problem.description);
    p->plan = wp_allocate(2 * (size_t)p->steps + 1, sizeof *p->plan, "a plan");
    if (!p->plan)
        return false;
    if (p->steps == 0)
        return add_plan(node, problem, NULL, planes) >= 0;
    for (int i = 0; i < p->steps; i++) {
        struct step *step = &p->step[i];
        const bool both = step->count > 1 && planes > 1;
        step->all = add_plan(node, problem, step, planes * step->count);
        step->each = both && step->all >= 0 ? add_plan(node, problem, step, planes) : step->all;
        if (step->all < 0 || step->each < 0)
            return false;
    }
    return true;
}

// One temporary for two levels, two for more.
static bool allocate_temporaries(struct wp_plan *node)
{
    struct wp_packets *p = node->packets;
    const struct wp_planner *planner = &node->planner;
    const struct wp_description *d = &node->problem.description;
    const enum wp_element type = wp_description_arithmetic(d);
    const size_t bytes = wp_elements[type].bytes;
    const size_t samples = wp_description_samples(d) * (size_t)wp_description_planes(d);
    const int deepest = p->steps > 0 ? p->step[p->steps - 1].node.level : 0;
    for (int level = 1; level <= deepest && level <= 2; level++) {
        const int i = level % 2;
        p->memory[i] = node->problem.from == WP_LOCATION_CUDA
                           ? planner->backend->allocate_memory(planner->device, samples * bytes)
                           : wp_allocate_pages(samples, bytes, "wavelet packets");
        if (!p->memory[i])
            return false;
        p->temporary[i] = wp_operand_dense(d, p->memory[i]);
        p->temporary[i].type = type;
        p->temporary[i].location = node->problem.from;
    }
    return true;
}

static bool has_packets(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    (void)planner;
    return problem->whole.description.bank == WP_BANK_PACKETS && !problem->direct;
}

static bool can_be_direct(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    const struct wp_backend *backend = planner->backend;
    return backend->packets &&
           backend->packets(planner->device, &problem->whole.description, planner->variant);
}

// By the backend. A failure is an error only if the variant is given: others cannot replace it.
static struct wp_plan *solve_direct(const struct wp_planner *planner,
                                    const struct wp_subproblem *problem)
{
    struct wp_subproblem direct = *problem;
    direct.direct = true;
    if (planner->variant)
        return problem->solve(planner, &direct);
    return wp_node_attempt(planner, &direct);
}

static struct wp_plan *solve_packets(const struct wp_planner *planner,
                                     const struct wp_subproblem *problem)
{
    const bool tries = can_be_direct(planner, problem);
    struct wp_plan *whole = tries ? solve_direct(planner, problem) : NULL;
    if (whole || (tries && planner->variant))
        return whole;
    const struct wp_description *d = &problem->whole.description;
    const size_t samples = wp_description_samples(d);
    const size_t most = samples < GROUP_SAMPLES ? GROUP_SAMPLES / samples : 1;
    if ((size_t)wp_description_planes(d) > most)
        return wp_node_loop_planes(planner, problem, (int)most);
    struct wp_plan *node = wp_node_create(&kind, planner, &problem->whole);
    struct wp_packets *p = node ? wp_allocate(1, sizeof *p, "a plan") : NULL;
    if (!p)
        return wp_node_check(node, false);
    p->axis = axis_of(d);
    node->packets = p;
    node->release = release;
    return wp_node_check(node, list_steps(d, p) && add_plans(node, problem) &&
                                   allocate_temporaries(node));
}

const struct wp_solver wp_solve_packets = {has_packets, solve_packets, false};
