#include "cpu_real.h"
#define ELEMENT_ROWS wp_cpu_elements_avx2
#include "element_rows.h"
