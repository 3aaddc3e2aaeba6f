#define WP_SHRINK_ROWS wp_shrink_rows_avx2
#include "shrink_rows_impl.h"
