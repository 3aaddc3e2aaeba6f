#include "node.h"

#include "log.h"

#include <stdio.h>

static const struct wp_solver *const solvers[] = {
    &wp_solve_groups,  &wp_solve_packets,  &wp_solve_borders, &wp_solve_together,
    &wp_solve_batches, &wp_solve_planes,   &wp_solve_axes,    &wp_solve_convert,
    &wp_solve_sequence, &wp_solve_rows,    &wp_solve_exec,    &wp_solve_tiles,
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

struct wp_problem wp_problem_of(const struct wp_description *d)
{
    return (struct wp_problem){.description = *d, .slices = wp_description_depth(d)};
}

bool wp_problem_equals(const struct wp_problem *a, const struct wp_problem *b)
{
    const struct wp_description *x = &a->description, *y = &b->description;
    return x->direction == y->direction && x->samples == y->samples &&
           x->coefficients == y->coefficients &&
           wp_description_planes(x) == wp_description_planes(y) && a->slices == b->slices &&
           a->from == b->from && a->to == b->to;
}

// The first solver from number `i` on that applies, after the first one an alternative; or SOLVERS.
static int next_solver(const struct wp_planner *planner, const struct wp_subproblem *problem, int i,
                       bool alternative)
{
    while (i < SOLVERS && ((alternative && !solvers[i]->alternative) ||
                           !solvers[i]->applies(planner, problem)))
        i++;
    return i;
}

// If there are alternatives, errors are only reported if all fail: the first error.
static struct wp_plan *solve(const struct wp_planner *planner,
                             const struct wp_subproblem *problem)
{
    const int i = next_solver(planner, problem, 0, false);
    int next = next_solver(planner, problem, i + 1, true);
    if (next == SOLVERS)
        return solvers[i]->solve(planner, problem);
    wp_begin_attempt();
    struct wp_plan *node = solvers[i]->solve(planner, problem);
    const enum wp_error kind = wp_last_error();
    char error[1024];
    snprintf(error, sizeof error, "%s", wp_last_error_text());
    for (; !node && next < SOLVERS && kind == WP_ERROR_TOO_LARGE;
         next = next_solver(planner, problem, next + 1, true))
        node = solvers[next]->solve(planner, problem);
    wp_end_attempt();
    if (node)
        wp_clear_error();
    else
        wp_fail(kind, "%s", error);
    return node;
}

struct wp_plan *wp_plan_create(const struct wp_planner *planner, const struct wp_problem *problem)
{
    return solve(planner, &(struct wp_subproblem){.whole = *problem, .solve = solve});
}

static void print(const struct wp_plan *node, int indent, struct wp_text *text)
{
    wp_text_add(text, "%*s(", indent, "");
    node->kind->print(node, text);
    for (int i = 0; i < 2; i++) {
        if (!node->child[i])
            continue;
        wp_text_add(text, "\n");
        print(node->child[i], indent + 2, text);
    }
    wp_text_add(text, ")");
}

void wp_plan_print(const struct wp_plan *plan, int indent, struct wp_text *text)
{
    print(plan, indent, text);
}

static const struct wp_plan *leaf_of(const struct wp_plan *plan)
{
    while (plan->child[0])
        plan = plan->child[0];
    return plan;
}

const struct wp_exec *wp_plan_exec(const struct wp_plan *plan)
{
    const struct wp_plan *leaf = leaf_of(plan);
    return leaf->tiled ? wp_tiled_exec_tile_exec(leaf->tiled) : leaf->exec;
}

int wp_plan_planes(const struct wp_plan *plan)
{
    const int batch = wp_plan_batch(plan);
    return batch ? batch : wp_description_planes(&leaf_of(plan)->problem.description);
}

static bool transform(const struct wp_execute *execute, struct wp_device *device,
                      const struct wp_description *d, int count, const float *const from[],
                      float *const to[])
{
    const struct wp_planner planner = {execute->backend, device, execute->variant, false};
    const struct wp_problem problem = wp_problem_of(d);
    struct wp_plan *plan = wp_plan_create(&planner, &problem);
    bool ok = plan;
    for (int i = 0; i < count && ok; i++) {
        const bool forward = d->direction == WP_FORWARD;
        const struct wp_operand in =
            (forward ? wp_operand_dense : wp_operand_coefficients)(d, (float *)from[i]);
        const struct wp_operand out =
            (forward ? wp_operand_coefficients : wp_operand_dense)(d, to[i]);
        ok = plan->kind->apply(plan, &in, &out, &(struct wp_execution){0});
    }
    wp_plan_destroy(&plan);
    return ok;
}

bool wp_execute(const struct wp_execute *execute, const struct wp_description *d, int count,
                const float *const from[], float *const to[])
{
    char reason[256];
    if (execute->device)
        return transform(execute, execute->device, d, count, from, to);
    struct wp_device *device = execute->backend->open(-1, false, reason, sizeof reason);
    const bool ok = device && transform(execute, device, d, count, from, to);
    if (device)
        execute->backend->close(device);
    return ok;
}
