#include "ceiling_share.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

// In this order, so that of bounds that are alike the more special one is named: a copy by
// render passes moves its bytes only as fast as it fills.
static const struct {
    const char *name;
    size_t offset;
} bounds[] = {
    {"fill", offsetof(struct wp_cost, fill)},
    {"fetches", offsetof(struct wp_cost, fetches)},
    {"bytes", offsetof(struct wp_cost, bytes)},
};

static const double alike = 1.05;

static double amount(const struct wp_cost *cost, int bound)
{
    return *(const double *)(const void *)((const char *)cost + bounds[bound].offset);
}

// `quad` is the bytes of one. A ceiling that fetches more than it moves says nothing of bytes, as
// fetches may be what takes its time; nor does one that only writes, or takes no longer than filling
// alone does.
static bool is_about(const struct wp_ceiling_time *ceiling, int bound, double quad,
                     double fill_rate)
{
    const struct wp_cost *cost = &ceiling->cost;
    if (bounds[bound].offset != offsetof(struct wp_cost, bytes))
        return true;
    if ((cost->fetches + cost->fill) * quad > cost->bytes * alike)
        return false;
    return cost->fill <= 0 ||
           (cost->fetches > 0 && ceiling->ns * fill_rate > cost->fill * alike);
}

// The best rate of one kind that a ceiling shows, per ns, or 0.
static double best_rate(const struct wp_ceiling_time *ceiling, int count, int bound, double quad,
                        double fill_rate, const struct wp_ceiling_time **best)
{
    double rate = 0;
    for (int i = 0; i < count; i++) {
        const double its = amount(&ceiling[i].cost, bound) / ceiling[i].ns;
        if (is_about(&ceiling[i], bound, quad, fill_rate) && its > rate) {
            rate = its;
            *best = &ceiling[i];
        }
    }
    return rate;
}

void wp_ceiling_share(struct wp_row *row, const struct wp_cost *cost, enum wp_precision precision,
                      const struct wp_ceiling_time *ceiling, int count)
{
    const double quad = 4 * (double)wp_precision_bytes(precision);
    double longest = 0, fill_rate = 0;
    for (int b = 0; b < (int)(sizeof bounds / sizeof *bounds); b++) {
        const struct wp_ceiling_time *best = NULL;
        const double rate = best_rate(ceiling, count, b, quad, fill_rate, &best);
        if (b == 0)
            fill_rate = rate;
        const double ns = best ? amount(cost, b) / rate : 0;
        if (!best || isnan(row->median_ns) || ns <= longest * alike)
            continue;
        longest = ns;
        row->ceiling_share = ns / row->median_ns;
        snprintf(row->ceiling_name, sizeof row->ceiling_name, "%s", best->name);
        snprintf(row->ceiling_binds, sizeof row->ceiling_binds, "%s", bounds[b].name);
    }
}
