// A pass in symbols: its matrix, what they mean, and the constants beside it.
#ifndef WP_REPORT_ALGEBRA_H
#define WP_REPORT_ALGEBRA_H

#include "scheme.h"
#include "text.h"

// With `blanks` the matrix has empty entries.
void wp_report_algebra(const struct wp_scheme *scheme, const struct wp_pass *pass, bool blanks,
                       struct wp_text *out);

#endif
