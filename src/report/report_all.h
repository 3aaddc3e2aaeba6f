// `explain --show all`: everything about a wavelet, as files.
#ifndef WP_REPORT_ALL_H
#define WP_REPORT_ALL_H

#include "report.h"

// Writes to the directory: report.html and worksheet.html; filters, ops and for every scheme
// diagram, footprint, matrix and shaders in the formats there are; with an image the passes of
// every scheme. False after one error.
bool wp_report_all(const struct wp_report_params *params);

#endif
