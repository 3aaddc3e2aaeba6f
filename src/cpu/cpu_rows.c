#include "cpu_rows.h"

#include <stddef.h>

extern const struct wp_cpu_rows wp_cpu_rows_base;
extern const struct wp_cpu_rows wp_cpu_rows_avx2;

const struct wp_cpu_rows *wp_cpu_rows_get(int i)
{
#ifdef WP_CPU_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        if (i == 0)
            return &wp_cpu_rows_avx2;
        i--;
    }
#endif
    return i == 0 ? &wp_cpu_rows_base : NULL;
}
