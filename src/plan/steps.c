// Nodes that precede or follow a transform: conversions of element types, and transforms of one
// axis after others.
#include "execute.h"
#include "elements.h"
#include "log.h"
#include "node.h"

// ---- Conversion of whole operands on the host.

static bool apply_conversion(const struct wp_plan *node, const struct wp_operand *from,
                             const struct wp_operand *to, struct wp_execution *execution)
{
    const struct wp_description *d = &node->problem.description;
    const bool forward = d->direction == WP_FORWARD;
    const struct wp_operand *in = forward ? &node->samples : &node->coefficients;
    const struct wp_operand *out = forward ? &node->coefficients : &node->samples;
    if (in->data)
        execution->seconds.load += wp_convert_read(d, !forward, from, in);
    if (!node->child[0]->kind->apply(node->child[0], in->data ? in : from, out->data ? out : to,
                                     execution))
        return false;
    if (out->data)
        execution->seconds.store += wp_convert_write(d, forward, out, to);
    return true;
}

// "convert on the host: samples u8"; the arithmetic only if the type of an operand is f64.
static void print_conversion(const struct wp_plan *node, struct wp_text *text)
{
    const struct wp_description *d = &node->problem.description;
    const bool samples = node->samples.data, coefficients = node->coefficients.data;
    wp_text_add(text, "convert on the host:%s%s%s%s", samples ? " samples " : "",
                samples ? wp_elements[d->samples].name : "", coefficients ? " coefficients " : "",
                coefficients ? wp_elements[d->coefficients].name : "");
    if (wp_description_arithmetic(d) == WP_ELEMENT_F64)
        wp_text_add(text, ", arithmetic %s",
                    wp_elements[wp_plan_arithmetic(&node->planner, &node->problem)].name);
}

static const struct wp_plan_kind conversion = {apply_conversion, print_conversion};

enum wp_element wp_plan_arithmetic(const struct wp_planner *planner,
                                   const struct wp_problem *problem)
{
    const struct wp_backend *backend = planner->backend;
    const struct wp_description *d = &problem->description;
    const bool wide = backend->elements & backend->coefficients & 1U << WP_ELEMENT_F64 &&
                      (!backend->wide || backend->wide(d) || wp_node_has_axes(planner, problem));
    return wide ? wp_description_arithmetic(d) : WP_ELEMENT_F32;
}

static bool lacks(const struct wp_planner *planner, const struct wp_problem *problem,
                  unsigned supported, enum wp_element type)
{
    const struct wp_description *d = &problem->description;
    struct wp_description part[WP_CHAIN_MAX];
    const enum wp_element arithmetic = wp_plan_arithmetic(planner, problem);
    supported |= 1U << WP_ELEMENT_F32;
    if (planner->backend->wide && arithmetic != WP_ELEMENT_F64)
        supported &= ~(1U << WP_ELEMENT_F64);
    return type != arithmetic &&
           (!(supported >> type & 1) || wp_description_chain(d, part) > 1);
}

static bool lacks_samples(const struct wp_planner *planner, const struct wp_problem *problem)
{
    return lacks(planner, problem, planner->backend->elements, problem->description.samples);
}

static bool lacks_coefficients(const struct wp_planner *planner, const struct wp_problem *problem)
{
    return lacks(planner, problem, planner->backend->coefficients,
                 problem->description.coefficients);
}

static bool needs_conversion(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    return lacks_samples(planner, &problem->whole) || lacks_coefficients(planner, &problem->whole);
}

static struct wp_plan *solve_conversion(const struct wp_planner *planner,
                                        const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    const enum wp_element type = wp_plan_arithmetic(planner, &problem->whole);
    struct wp_subproblem converted = *problem;
    if (problem->whole.from == WP_LOCATION_CUDA) {
        wp_fail(WP_ERROR_USAGE, "samples of type %s and coefficients of type %s in CUDA memory are "
                "not supported for this transform\nhint: use f32",
                wp_elements[d->samples].name, wp_elements[d->coefficients].name);
        return NULL;
    }
    struct wp_plan *node = wp_node_create(&conversion, planner, &problem->whole);
    bool ok = node;
    if (ok && lacks_samples(planner, &problem->whole)) {
        converted.whole.description.samples = type;
        node->samples = wp_convert_scratch(d, false, type, "the converted image");
        ok = node->samples.data;
    }
    if (ok && lacks_coefficients(planner, &problem->whole)) {
        converted.whole.description.coefficients = type;
        node->coefficients = wp_convert_scratch(d, true, type, "the converted coefficients");
        ok = node->coefficients.data;
    }
    converted.converted = true;
    if (ok)
        node->child[0] = problem->solve(planner, &converted);
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
