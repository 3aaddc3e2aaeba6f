#define NAME "AVX2"
#define TABLE wp_solver_rows_avx2
#include "solver_rows_impl.h"
