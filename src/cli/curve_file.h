// Writes the convergence curve of a reconstruction: `reconstruct --log` and `--plot`.
#ifndef WP_CURVE_FILE_H
#define WP_CURVE_FILE_H

#include "reconstruction.h"

#include <stdbool.h>

// Checks the path of a log. False after WP_ERROR_USAGE if it ends in neither .json nor .csv, or if
// the file must not be overwritten.
bool wp_curve_check_log(const char *path, bool overwrite);
bool wp_curve_write_log(const struct wp_curve *curve, const char *path, bool overwrite);

// Writes an SVG of the PSNR, if it was measured, and below it the residual.
bool wp_curve_write_plot(const struct wp_curve *curve, const char *title, const char *path,
                         bool overwrite);

#endif
