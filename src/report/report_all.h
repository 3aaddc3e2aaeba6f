// `explain --show all`: everything about a wavelet, as files.
#ifndef WP_REPORT_ALL_H
#define WP_REPORT_ALL_H

#include "report.h"

// Writes to the directory: report.html and worksheet.html; filters and ops; for each scheme
// diagram, footprint, matrix and shaders, in all formats; with an image the passes of each scheme.
// False after an error.
bool wp_report_all(const struct wp_report_params *params);

#endif
