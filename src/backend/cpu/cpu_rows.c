#include "cpu_rows.h"

#include <stdbool.h>
#include <stddef.h>

extern const struct wp_cpu_rows wp_cpu_rows_base;
extern const struct wp_cpu_rows wp_cpu_rows_avx2;
extern const struct wp_cpu_rows wp_cpu_rows_avx512;

const struct wp_cpu_rows *wp_cpu_rows_get(int i)
{
    const struct wp_cpu_rows *list[4] = {NULL};
    int count = 0;
#ifdef WP_CPU_X86
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        list[count++] = &wp_cpu_rows_avx512;
    if (avx2)
        list[count++] = &wp_cpu_rows_avx2;
#endif
    list[count++] = &wp_cpu_rows_base;
    return i < count ? list[i] : NULL;
}
