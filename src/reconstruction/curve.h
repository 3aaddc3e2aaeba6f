// The convergence curve of a reconstruction.
#ifndef WP_CURVE_H
#define WP_CURVE_H

struct wp_curve_point {
    int iteration; // from 1
    double residual, seconds;
    double psnr, ssim; // NaN if not measured
};

struct wp_curve {
    int count, capacity;
    struct wp_curve_point *point;
};

void wp_curve_add(struct wp_curve *curve, const struct wp_curve_point *point);
void wp_curve_free(struct wp_curve *curve);

#endif
