// Determines the ceiling that limits a row and the share that the row reaches.
#ifndef WP_CEILING_SHARE_H
#define WP_CEILING_SHARE_H

#include "backend.h"
#include "results.h"

// A measured ceiling of the row's backend and size: its cost and time.
struct wp_ceiling_time {
    const char *name;
    struct wp_cost cost;
    double ns;
};

// Sets the ceiling's name, the bound and the share of a row of this cost. Its bytes, its fetches
// and the quads it writes each have a minimum time at the best rate of a ceiling; the longest of
// the three is the bound, and the share is that time over the row's median. Precisions must be
// equal. Rows without a median are not changed.
void wp_ceiling_share(struct wp_row *row, const struct wp_cost *cost, enum wp_precision precision,
                      const struct wp_ceiling_time *ceiling, int count);

#endif
