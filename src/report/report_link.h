// Links from a report to the web page (web/), which runs the scheme that the report shows.
#ifndef WP_REPORT_LINK_H
#define WP_REPORT_LINK_H

#include "report.h"

// False after WP_ERROR_USAGE if parameters cannot be appended to the address.
bool wp_report_link_check(const char *page);

// Adds a paragraph with a link to the web page for the scheme `kind` and a pass of the first level
// that runs (from 1; 0: none). It mentions what the page does not have: the user's image, a wavelet
// that is not built in. Adds nothing for volumes, or if the report has no page.
void wp_report_link(const struct wp_report_params *params, const struct wp_scheme_kind *kind,
                    int pass, struct wp_text *out);

// Adds a link to a set of questions on the wavelet, if the page has the wavelet.
void wp_report_link_questions(const struct wp_report_params *params, int seed,
                              struct wp_text *out);

#endif
