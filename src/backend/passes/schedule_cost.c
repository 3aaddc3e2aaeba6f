#include "schedule.h"

double wp_op_texels(const struct wp_op *op)
{
    double each = op->slices ? op->slices : 1;
    if (op->octets.count)
        each = 2.0 * op->octets.count * (op->layers ? op->layers : 1);
    return (double)op->domain.width * (double)op->domain.height * each;
}

// Complete texels are transferred even if one component is used.
static struct wp_cost op_cost(const struct wp_op *op, double quad_bytes)
{
    const double domain = wp_op_texels(op);
    struct wp_cost cost = {.bytes = domain * 2 * quad_bytes, .fetches = domain, .fill = domain};
    switch (op->kind) {
    case WP_OP_PASS:
        cost.fetches = domain * op->scheme->pass[op->pass].reach.fetches;
        break;
    case WP_OP_GATHER:
        cost.bytes = domain * (4 * quad_bytes + quad_bytes);
        break;
    case WP_OP_SPREAD:
        // `domain` counts the samples that are written.
        cost.bytes = domain * (quad_bytes / 4 + quad_bytes);
        break;
    case WP_OP_LEVEL:
    case WP_OP_DEPTH:
    case WP_OP_KINDS: break;
    }
    return cost;
}

struct wp_cost wp_schedule_cost(const struct wp_schedule *schedule)
{
    struct wp_cost sum = {0};
    const double quad_bytes = 4 * (double)wp_precision_bytes(schedule->description.precision);
    for (int i = 0; i < schedule->op_count; i++) {
        const struct wp_cost cost = op_cost(&schedule->op[i], quad_bytes);
        sum.bytes += cost.bytes;
        sum.fetches += cost.fetches;
        sum.fill += cost.fill;
    }
    return sum;
}
