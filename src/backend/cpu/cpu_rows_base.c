#define VECTOR_BYTES 16
#define NAME "generic"
#define TABLE wp_cpu_rows_base
#define ELEMENTS wp_cpu_elements_base
#include "cpu_rows_impl.h"
