// Results of `wavepass bench` for the report.
#ifndef WP_REPORT_TIMES_H
#define WP_REPORT_TIMES_H

#include "explain.h"

// Adds the rows of a results file that match the wavelet and direction as an HTML table: one column
// per scheme, with the sizes of each backend, variant and device below a heading. False after
// WP_ERROR_FILE.
bool wp_report_times(const char *path, const struct wp_explain_params *params,
                     struct wp_text *out);

#endif
