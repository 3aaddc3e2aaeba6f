#define VECTOR_BYTES 32
#define SUM_BYTES 64
#define NAME "AVX-512VL"
#define TABLE wp_cpu_rows_avx512
#define ELEMENTS wp_cpu_elements_avx2
#include "cpu_rows_impl.h"
