#include "node.h"

#include "log.h"
#include "memory.h"

#include <stdlib.h>

struct wp_plan *wp_node_create(const struct wp_plan_kind *kind, const struct wp_planner *planner,
                               const struct wp_problem *problem)
{
    struct wp_plan *node = wp_allocate(1, sizeof *node, "a plan");
    if (node)
        *node = (struct wp_plan){.kind = kind, .planner = *planner, .problem = *problem};
    return node;
}

struct wp_plan *wp_node_check(struct wp_plan *node, bool complete)
{
    if (!complete)
        wp_plan_destroy(&node);
    return node;
}

struct wp_plan *wp_node_attempt(const struct wp_planner *planner,
                                const struct wp_subproblem *problem)
{
    wp_begin_attempt();
    struct wp_plan *node = problem->solve(planner, problem);
    wp_end_attempt();
    if (!node)
        wp_clear_error();
    return node;
}

void wp_plan_destroy(struct wp_plan **slot)
{
    struct wp_plan *node = *slot;
    *slot = NULL;
    if (!node)
        return;
    for (int i = 0; i < 2; i++) {
        wp_plan_destroy(&node->child[i]);
        free(node->bands[i]);
    }
    if (node->release)
        node->release(node);
    free(node->samples.data);
    free(node->coefficients.data);
    if (node->exec)
        node->planner.backend->release(node->exec);
    wp_tiled_exec_release(&node->tiled);
    free(node);
}

struct wp_operand wp_node_rest(const struct wp_plan *node, const struct wp_operand *coefficients)
{
    const struct wp_description *d = &node->problem.description;
    const struct wp_band_grid low = wp_description_band(d, 1, WP_BAND_LL);
    struct wp_operand rest = *coefficients;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        rest.stride[a] *= low.every[a]; // with layout "mixed"
    if (rest.band)
        rest.bands = wp_subband_count(&node->child[1]->problem.description);
    return rest;
}
