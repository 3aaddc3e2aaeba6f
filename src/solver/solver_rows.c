#include "solver_rows.h"

extern const struct wp_solver_rows wp_solver_rows_base;
#ifdef WP_SOLVER_X86
extern const struct wp_solver_rows wp_solver_rows_avx2;
#endif

const struct wp_solver_rows *wp_solver_rows_get(void)
{
#ifdef WP_SOLVER_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &wp_solver_rows_avx2;
#endif
    return &wp_solver_rows_base;
}
