#define WP_SHRINK_ROWS wp_shrink_rows_base
#include "shrink_rows_impl.h"
