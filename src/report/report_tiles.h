// `explain --show tiles`: costs of variants that compute a level in one operation.
#ifndef WP_REPORT_TILES_H
#define WP_REPORT_TILES_H

#include "explain.h"

// Adds a table of operations and fetches per texel and level, including overlaps that are computed
// repeatedly, for each variant that counts its operations, and for the scheme of `params` or all
// schemes. The form is that in which variants run: block, or plain if `params` has it. Formats:
// TXT, CSV, MD, JSON.
void wp_report_tiles(const struct wp_explain_params *params, struct wp_text *out);

#endif
