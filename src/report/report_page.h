// `explain --what report`: one page for a class.
#ifndef WP_REPORT_PAGE_H
#define WP_REPORT_PAGE_H

#include "report_run.h"

struct wp_explain_page {
    const struct wp_explain_params *params; // all schemes where none is named
    struct wp_explain_input input;          // without an image: no pictures of passes
    const int *pixel;                       // x and y, or NULL: no arithmetic
    bool worksheet;                         // blanks, and all that they hide behind them
    const char *results;                    // a file of benchmark results, or NULL
};

// Adds a page that is XML and HTML, with everything inside. False after one error.
bool wp_explain_report(const struct wp_explain_page *page, struct wp_text *out);

#endif
