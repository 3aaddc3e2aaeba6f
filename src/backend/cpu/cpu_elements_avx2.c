#define ELEMENT_ROWS wp_cpu_elements_avx2
#include "element_rows.h"
