// Explains the notation of matrices, diagrams and calculations.
#ifndef WP_REPORT_NOTATION_H
#define WP_REPORT_NOTATION_H

#include "explain.h"
#include "text.h"

#include <stdbool.h>

// Adds the names of components, and with `convention` the sign convention of powers of z.
void wp_report_notation(const struct wp_explain_params *params, bool convention,
                        struct wp_text *out);

#endif
