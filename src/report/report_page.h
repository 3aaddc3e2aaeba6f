// `explain --show report`: a page for teaching.
#ifndef WP_REPORT_PAGE_H
#define WP_REPORT_PAGE_H

#include "report.h"

// Adds a self-contained page that is valid XML and HTML, of all schemes if none is named. False
// after an error.
bool wp_report_page(const struct wp_report_params *params, struct wp_text *out);

#endif
