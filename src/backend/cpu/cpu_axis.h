// An axis of a level of a batch: where its samples and coefficients are among the positions that
// the steps process, and what the positions are that no input fills.
//
// Positions count even and odd samples in turn: 2q and 2q + 1 are those of quad q, 0 the first one
// of quads whose results are needed. For borders that backends compute sample x is at position x.
// For others (border.h) the samples follow those before their first end, and the coefficients of an
// adjoint follow zeros.
#ifndef WP_CPU_AXIS_H
#define WP_CPU_AXIS_H

#include "axis_map.h"
#include "description.h"

// Positions that are sums of others: number i is to[i], the sum of entries begin[i]..begin[i+1]-1,
// possibly none. In ascending order.
struct wp_cpu_sums {
    int count, *to, *begin;
    struct wp_axis_entry *entry;
};

struct wp_cpu_axis {
    int size, origin;           // samples, the first one at position `origin`
    int coefficients[2], first; // of the low and the high band, the first ones in quad `first`
    int quads;                  // whose results are needed,
    int before, after;          // and that are read in addition; 0, 0 without steps
    struct wp_cpu_sums beyond;  // positions that are read, but neither samples nor coefficients
    // Samples of the output that are sums of positions, themselves and some that are no samples.
    // Positions run[0]..run[1]-1 are the other samples.
    struct wp_cpu_sums folded;
    int run[2];
};

// Sets axis `number` of level `level` (from 0), of which `before` and `after` are set already. False
// after WP_ERROR_TOO_LARGE; wp_cpu_axis_free() is required in any case.
bool wp_cpu_axis_set(struct wp_cpu_axis *axis, const struct wp_description *description, int level,
                     int number, enum wp_extension extension);
void wp_cpu_axis_free(struct wp_cpu_axis *axis); // accepts {0}

// The position of the first sample or, of the inverse, coefficient that is read, and their number.
static inline int wp_cpu_axis_begin(const struct wp_cpu_axis *axis, bool forward)
{
    return forward ? axis->origin : 2 * axis->first;
}

static inline int wp_cpu_axis_count(const struct wp_cpu_axis *axis, bool forward)
{
    return forward ? axis->size : axis->coefficients[0] + axis->coefficients[1];
}

#endif
