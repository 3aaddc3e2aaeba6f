// How far apart two images or two sets of coefficients are.
#ifndef WP_METRICS_H
#define WP_METRICS_H

#include "image.h"

#include <stdbool.h>
#include <stddef.h>

// The names are members of struct wp_metrics.
enum wp_metric {
    WP_METRIC_MAX,
    WP_METRIC_MAE,
    WP_METRIC_MSE,
    WP_METRIC_PSNR,
    WP_METRIC_SSIM,
    WP_METRIC_COUNT
};

extern const char *const wp_metric_names[WP_METRIC_COUNT]; // "max", "mae", …

// True where a larger value means more alike: PSNR, SSIM.
bool wp_metric_is_likeness(enum wp_metric metric);

struct wp_metrics {
    // Over all samples of all planes; the peak of PSNR and the range of SSIM are
    // the larger `origin.peak` of both.
    //   max   largest |a - b|
    //   mae   mean of |a - b|
    //   mse   mean of (a - b)^2
    //   psnr  10 log10(peak^2 / mse) in dB, infinite for equal images
    //   ssim  Wang et al., Image quality assessment, 2004: means of 11x11 windows that lie wholly
    //         inside, Gaussian weights with sigma 1.5, K1 = 0.01, K2 = 0.03; then the mean of
    //         the planes, and of a volume's slices. NaN where a side of these has less than 11
    //         samples or a value is not finite.
    double value[WP_METRIC_COUNT];
    int plane, x, y, z; // where max is, the first such place
    // Samples of which at least one is not finite. A pair of NaNs, and equal infinities, count
    // as equal; every other such pair differs by infinity.
    size_t nonfinite;
    size_t nonfinite_unequal; // those that differ
};

// The images or volumes must have the same size and number of planes. False after
// WP_ERROR_TOO_LARGE.
bool wp_metrics_compare(const struct wp_image *a, const struct wp_image *b,
                        struct wp_metrics *metrics);

// The same of what comes row after row; the samples of `a` and `b` are not used. `structure`: with
// SSIM, which takes most of the time; else it is NaN. NULL after WP_ERROR_TOO_LARGE.
struct wp_metrics_sum;
struct wp_metrics_sum *wp_metrics_begin(const struct wp_image *a, const struct wp_image *b,
                                        bool structure);
size_t wp_metrics_memory(int width, int planes, bool structure); // bytes that it takes
// The next row of a plane, of all slices one after another.
void wp_metrics_add(struct wp_metrics_sum *sum, int plane, const float *a, const float *b);
// All rows were added.
void wp_metrics_end(struct wp_metrics_sum **sum, struct wp_metrics *metrics);
void wp_metrics_discard(struct wp_metrics_sum **sum); // accepts NULL, clears the pointer

// PSNR alone, of all planes but alpha: SSIM takes far longer.
double wp_metrics_psnr(const struct wp_image *a, const struct wp_image *b);

// |a - b| / white of each sample, as it enters the metrics. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_metrics_difference(const struct wp_image *a, const struct wp_image *b,
                                       double white);

#endif
