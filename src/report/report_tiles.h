// `explain --show tiles`: what the ways that run a level in one operation compute and read.
#ifndef WP_REPORT_TILES_H
#define WP_REPORT_TILES_H

#include "explain.h"

// Adds a table of every backend and variant that counts for itself, and of the scheme of `params`,
// or all schemes: operations and fetches for a texel of a level, halos that are computed more than
// once included. In the form in which they run: block, or plain where that is asked for. Formats:
// TXT, CSV, MD, JSON.
void wp_report_tiles(const struct wp_explain_params *params, struct wp_text *out);

#endif
