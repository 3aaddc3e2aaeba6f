// A pass in symbols: its matrix, the definitions of the symbols, and its constants.
#ifndef WP_REPORT_ALGEBRA_H
#define WP_REPORT_ALGEBRA_H

#include "scheme.h"
#include "text.h"

// Adds a pass as HTML. With `blanks` the matrix has empty entries.
void wp_report_algebra(const struct wp_scheme *scheme, const struct wp_pass *pass, bool blanks,
                       struct wp_text *out);

#endif
