#define ELEMENT_F64
#define ELEMENT_ROWS wp_element_rows_f64
#include "element_rows.h"
