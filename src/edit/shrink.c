#include "shrink_rows.h"

const char *const wp_shrink_names[WP_SHRINK_COUNT] = {
    [WP_SHRINK_HARD] = "hard", [WP_SHRINK_SOFT] = "soft", [WP_SHRINK_GARROTE] = "garrote"};

static const struct wp_shrink_rows *rows(void)
{
#ifdef WP_SHRINK_AVX2
    if (__builtin_cpu_supports("avx2"))
        return &wp_shrink_rows_avx2;
#endif
    return &wp_shrink_rows_base;
}

void wp_shrink_row(enum wp_shrink rule, float *x, ptrdiff_t step, int count, float threshold)
{
    rows()->shrink[rule](x, step, count, threshold);
}

double wp_shrink_energy(const float *x, ptrdiff_t step, int count)
{
    return rows()->energy(x, step, count);
}
