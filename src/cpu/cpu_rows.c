#include "cpu_rows.h"

extern const struct wp_cpu_rows wp_cpu_rows_base;
extern const struct wp_cpu_rows wp_cpu_rows_avx2;

const struct wp_cpu_rows *wp_cpu_rows(void)
{
#ifdef WP_CPU_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &wp_cpu_rows_avx2;
#endif
    return &wp_cpu_rows_base;
}
