// The same for the arithmetic in doubles.
#define WP_CPU_F64
#include "test_cpu.c"
