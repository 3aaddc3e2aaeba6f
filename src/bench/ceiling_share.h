// Which ceiling of its run a row came nearest to.
#ifndef WP_CEILING_SHARE_H
#define WP_CEILING_SHARE_H

#include "backend.h"
#include "results.h"

// A ceiling of the row's backend and size: what it does, and how long that takes.
struct wp_ceiling_time {
    const char *name;
    struct wp_cost cost;
    double ns;
};

// The work of `cost` takes at least as long as its bytes, its fetches, or its quads written take
// at the best rate that one of the ceilings shows of each. Sets the ceiling's name, what binds,
// and its share of the row's median, by the longest of the three. All are of one precision. Rows
// without a median stay.
void wp_ceiling_share(struct wp_row *row, const struct wp_cost *cost, enum wp_precision precision,
                      const struct wp_ceiling_time *ceiling, int count);

#endif
