// Nodes that precede or follow a transform: conversions of element types, and transforms of one
// axis after others.
#include "execute.h"
#include "elements.h"
#include "node.h"

// ---- Conversion of whole operands on the host.

static bool apply_conversion(const struct wp_plan *node, const struct wp_operand *from,
                             const struct wp_operand *to, struct wp_execution *execution)
{
    const struct wp_description *d = &node->problem.description;
    const bool forward = d->direction == WP_FORWARD;
    float *in = forward ? node->samples : node->coefficients;
    float *out = forward ? node->coefficients : node->samples;
    const struct wp_operand read = wp_operand_dense(d, in), written = wp_operand_dense(d, out);
    if (in)
        execution->seconds.load += wp_convert_read(d, from, in);
    if (!node->child[0]->kind->apply(node->child[0], in ? &read : from, out ? &written : to,
                                     execution))
        return false;
    if (out)
        execution->seconds.store += wp_convert_write(d, out, to);
    return true;
}

static void print_conversion(const struct wp_plan *node, struct wp_text *text)
{
    const struct wp_description *d = &node->problem.description;
    wp_text_add(text, "convert on the host:%s%s%s%s", node->samples ? " samples " : "",
                node->samples ? wp_elements[d->samples].name : "",
                node->coefficients ? " coefficients " : "",
                node->coefficients ? wp_elements[d->coefficients].name : "");
}

static const struct wp_plan_kind conversion = {apply_conversion, print_conversion};

static bool lacks(const struct wp_description *d, unsigned supported, enum wp_element type)
{
    struct wp_description part[WP_CHAIN_MAX];
    return type != WP_ELEMENT_F32 &&
           (!(supported >> type & 1) || wp_description_chain(d, part) > 1);
}

static bool needs_conversion(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    const struct wp_backend *backend = planner->backend;
    return lacks(d, backend->elements, d->samples) ||
           lacks(d, backend->coefficients, d->coefficients);
}

static struct wp_plan *solve_conversion(const struct wp_planner *planner,
                                        const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    struct wp_subproblem floats = *problem;
    struct wp_plan *node = wp_node_create(&conversion, planner, &problem->whole);
    bool ok = node;
    if (ok && lacks(d, planner->backend->elements, d->samples)) {
        floats.whole.description.samples = WP_ELEMENT_F32;
        node->samples = wp_convert_scratch(d, "the image as floats");
        ok = node->samples;
    }
    if (ok && lacks(d, planner->backend->coefficients, d->coefficients)) {
        floats.whole.description.coefficients = WP_ELEMENT_F32;
        node->coefficients = wp_convert_scratch(d, "the coefficients as floats");
        ok = node->coefficients;
    }
    floats.converted = true;
    if (ok)
        node->child[0] = problem->solve(planner, &floats);
    return wp_node_check(node, ok && node->child[0]);
}

const struct wp_solver wp_solve_convert = {needs_conversion, solve_conversion, false};

// ---- Two dyadic descriptions, one after the other. The first one reads the input and writes the
// output; the second one works in place on the output. The one along z is split into slabs of rows,
// so that a transform in place copies at most one slab.

static bool apply_sequence(const struct wp_plan *node, const struct wp_operand *from,
                           const struct wp_operand *to, struct wp_execution *execution)
{
    return node->child[0]->kind->apply(node->child[0], from, to, execution) &&
           node->child[1]->kind->apply(node->child[1], to, to, execution);
}

static void print_sequence(const struct wp_plan *node, struct wp_text *text)
{
    wp_text_add(text, "%s", node->problem.description.direction == WP_FORWARD
                                ? "slices, then along z"
                                : "along z, then slices");
}

static const struct wp_plan_kind sequence = {apply_sequence, print_sequence};

static bool is_sequence(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    struct wp_description part[WP_CHAIN_MAX];
    return !needs_conversion(planner, problem) &&
           wp_description_chain(&problem->whole.description, part) > 1;
}

static struct wp_plan *solve_sequence(const struct wp_planner *planner,
                                      const struct wp_subproblem *problem)
{
    struct wp_description part[WP_CHAIN_MAX];
    struct wp_plan *node = wp_node_create(&sequence, planner, &problem->whole);
    bool ok = node;
    wp_description_chain(&problem->whole.description, part);
    for (int i = 0; i < WP_CHAIN_MAX && ok; i++) {
        struct wp_subproblem of_part = *problem;
        of_part.whole.description = part[i];
        of_part.row_wise = part[i].levels == 0;
        if (i > 0)
            of_part.whole.from = of_part.whole.to;
        node->child[i] = problem->solve(planner, &of_part);
        ok = node->child[i];
    }
    return wp_node_check(node, ok);
}

const struct wp_solver wp_solve_sequence = {is_sequence, solve_sequence, false};
