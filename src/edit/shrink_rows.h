// Functions of shrink.h for one instruction set. All compute the same bits.
#ifndef WP_SHRINK_ROWS_H
#define WP_SHRINK_ROWS_H

#include "shrink.h"

struct wp_shrink_rows {
    void (*shrink[WP_SHRINK_COUNT])(float *x, ptrdiff_t step, int count, float threshold);
    double (*energy)(const float *x, ptrdiff_t step, int count);
};

extern const struct wp_shrink_rows wp_shrink_rows_base, wp_shrink_rows_avx2;

#endif
