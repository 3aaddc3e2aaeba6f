// `explain --show report`: one page for a class.
#ifndef WP_REPORT_PAGE_H
#define WP_REPORT_PAGE_H

#include "report.h"

// Adds a page that is XML and HTML, with everything inside, of all schemes where none is named.
// False after one error.
bool wp_report_page(const struct wp_report_params *params, struct wp_text *out);

#endif
