#include "cpu_real.h"
#define ELEMENT_ROWS wp_cpu_elements_base
#include "element_rows.h"
