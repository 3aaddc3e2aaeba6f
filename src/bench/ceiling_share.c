#include "ceiling_share.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

// From special to general: of bounds within tie_ratio the first is named. For example, a copy by
// render passes is limited by its fill rate, which also limits its bytes per second.
static const struct {
    const char *name;
    size_t offset;
} bounds[] = {
    {"fill", offsetof(struct wp_cost, fill)},
    {"fetches", offsetof(struct wp_cost, fetches)},
    {"bytes", offsetof(struct wp_cost, bytes)},
};

static const double tie_ratio = 1.05;

static double amount(const struct wp_cost *cost, int bound)
{
    return *(const double *)(const void *)((const char *)cost + bounds[bound].offset);
}

// True if a ceiling may be limited by `bound`. It does not show the rate of bytes if it fetches
// more than it moves, since fetches may limit it, if it only writes, or if it takes no longer than
// only filling. `quad`: bytes of a quad.
static bool is_bound_by(const struct wp_ceiling_time *ceiling, int bound, double quad,
                     double fill_rate)
{
    const struct wp_cost *cost = &ceiling->cost;
    if (bounds[bound].offset != offsetof(struct wp_cost, bytes))
        return true;
    if ((cost->fetches + cost->fill) * quad > cost->bytes * tie_ratio)
        return false;
    return cost->fill <= 0 ||
           (cost->fetches > 0 && ceiling->ns * fill_rate > cost->fill * tie_ratio);
}

// The best rate of a bound among the ceilings, per ns; 0 if there is none.
static double best_rate(const struct wp_ceiling_time *ceiling, int count, int bound, double quad,
                        double fill_rate, const struct wp_ceiling_time **best)
{
    double rate = 0;
    for (int i = 0; i < count; i++) {
        const double rate_i = amount(&ceiling[i].cost, bound) / ceiling[i].ns;
        if (is_bound_by(&ceiling[i], bound, quad, fill_rate) && rate_i > rate) {
            rate = rate_i;
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
        if (!best || isnan(row->median_ns) || ns <= longest * tie_ratio)
            continue;
        longest = ns;
        row->ceiling_share = ns / row->median_ns;
        snprintf(row->ceiling_name, sizeof row->ceiling_name, "%s", best->name);
        snprintf(row->ceiling_binds, sizeof row->ceiling_binds, "%s", bounds[b].name);
    }
}
