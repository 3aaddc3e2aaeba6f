// How a reconstruction went, iteration by iteration: `reconstruct --log` and `--plot`.
#ifndef WP_CURVE_H
#define WP_CURVE_H

#include <stdbool.h>

struct wp_curve_point {
    int iteration; // from 1
    double residual, seconds;
    double psnr, ssim; // NaN where they were not measured
};

struct wp_curve {
    int count, capacity;
    struct wp_curve_point *point;
};

void wp_curve_add(struct wp_curve *curve, const struct wp_curve_point *point);
void wp_curve_free(struct wp_curve *curve);

// False after WP_ERROR_USAGE where the name ends in neither .json nor .csv.
bool wp_curve_check_log(const char *path, bool overwrite);
bool wp_curve_write_log(const struct wp_curve *curve, const char *path, bool overwrite);

// An SVG: PSNR, where it was measured, and below it the residual.
bool wp_curve_write_plot(const struct wp_curve *curve, const char *title, const char *path,
                         bool overwrite);

#endif
