// How a reconstruction went as a file: `reconstruct --log` and `--plot`.
#ifndef WP_CURVE_FILE_H
#define WP_CURVE_FILE_H

#include "curve.h"

#include <stdbool.h>

// False after WP_ERROR_USAGE where the name ends in neither .json nor .csv.
bool wp_curve_check_log(const char *path, bool overwrite);
bool wp_curve_write_log(const struct wp_curve *curve, const char *path, bool overwrite);

// An SVG: PSNR, where it was measured, and below it the residual.
bool wp_curve_write_plot(const struct wp_curve *curve, const char *title, const char *path,
                         bool overwrite);

#endif
