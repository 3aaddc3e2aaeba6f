// How to read a page's matrices, diagrams and calculations.
#ifndef WP_REPORT_NOTATION_H
#define WP_REPORT_NOTATION_H

#include "explain.h"
#include "text.h"

#include <stdbool.h>

// The components' names, and with `convention` how powers of z are meant.
void wp_report_notation(const struct wp_explain_params *params, bool convention,
                        struct wp_text *out);

#endif
