// The rows of shrink.c, which is compiled for several instruction sets.
#include "shrink_rows.h"

#include <math.h>

static float hard(float x, float t)
{
    return fabsf(x) <= t ? 0 : x;
}

static float soft(float x, float t)
{
    const float below = t < x ? t : x; // NaN stays NaN
    return x - (-t > below ? -t : below);
}

static float garrote(float x, float t)
{
    return fabsf(x) <= t ? 0 : x - t * (t / x);
}

// Loops over contiguous coefficients and others, which the compiler vectorizes apart.
#define SHRINK_ROW(rule) \
    static void rule##_row(float *restrict x, ptrdiff_t step, int count, float t) \
    { \
        if (step == 1) \
            for (int i = 0; i < count; i++) \
                x[i] = rule(x[i], t); \
        else \
            for (int i = 0; i < count; i++) \
                x[i * step] = rule(x[i * step], t); \
    }
SHRINK_ROW(hard)
SHRINK_ROW(soft)
SHRINK_ROW(garrote)

// In lanes, whose sums do not depend on each other.
enum { LANES = 8 };

static double energy_row(const float *x, ptrdiff_t step, int count)
{
    double lane[LANES] = {0}, sum = 0;
    int i = 0;
    if (step == 1)
        for (; i + LANES <= count; i += LANES)
            for (int l = 0; l < LANES; l++)
                lane[l] += (double)x[i + l] * (double)x[i + l];
    for (; i < count; i++)
        lane[i % LANES] += (double)x[i * step] * (double)x[i * step];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    if (isfinite(sum))
        return sum;
    sum = 0;
    for (i = 0; i < count; i++)
        sum += isfinite(x[i * step]) ? (double)x[i * step] * (double)x[i * step] : 0;
    return sum;
}

const struct wp_shrink_rows WP_SHRINK_ROWS = {
    .shrink = {[WP_SHRINK_HARD] = hard_row, [WP_SHRINK_SOFT] = soft_row,
               [WP_SHRINK_GARROTE] = garrote_row},
    .energy = energy_row,
};
