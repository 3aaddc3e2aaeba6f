// Links from a report to the page for browsers (web/), which runs what the report shows.
#ifndef WP_REPORT_LINK_H
#define WP_REPORT_LINK_H

#include "report.h"

// False after WP_ERROR_USAGE where nothing can be added to the address.
bool wp_report_link_check(const char *page);

// Adds a paragraph with a link that shows the scheme `kind` in the page, at one of the passes of the
// first level that runs (from 1; 0: none). What the page cannot have is told: an image of one's
// own, a wavelet that is not built in. Nothing where the report is of volumes, or has no page.
void wp_report_link(const struct wp_report_params *params, const struct wp_scheme_kind *kind,
                    int pass, struct wp_text *out);

// The same to a set of questions on the wavelet, where the page has that.
void wp_report_link_questions(const struct wp_report_params *params, int seed,
                              struct wp_text *out);

#endif
