// Differences between two images or two arrays of coefficients: max, MAE, MSE, PSNR, SSIM.
#ifndef WP_METRICS_H
#define WP_METRICS_H

#include "image.h"

#include <stdbool.h>
#include <stddef.h>

// Indices of wp_metrics.value.
enum wp_metric {
    WP_METRIC_MAX,
    WP_METRIC_MAE,
    WP_METRIC_MSE,
    WP_METRIC_PSNR,
    WP_METRIC_SSIM,
    WP_METRIC_COUNT
};

extern const char *const wp_metric_names[WP_METRIC_COUNT]; // "max", "mae", …

// True for metrics that increase with similarity: PSNR, SSIM.
bool wp_metric_is_likeness(enum wp_metric metric);

struct wp_metrics {
    // Over all samples of all planes. The peak of PSNR and the range of SSIM are the larger
    // `origin.peak` of both images, at least 1.
    //   max   largest |a - b|
    //   mae   mean of |a - b|
    //   mse   mean of (a - b)^2
    //   psnr  10 log10(peak^2 / mse) in dB, infinite for equal images
    //   ssim  Wang et al., Image quality assessment, 2004: mean over all 11x11 windows inside a
    //         slice, Gaussian weights with sigma 1.5, K1 = 0.01, K2 = 0.03; then the mean over
    //         slices and planes. NaN if width or height is less than 11 or a value is not finite.
    double value[WP_METRIC_COUNT];
    int plane, x, y, z; // position of the first sample that has the difference max
    // Samples that are not finite in a or b. Two NaNs, or equal infinities, count as equal; all
    // other such pairs have an infinite difference.
    size_t nonfinite;
    size_t nonfinite_unequal; // those with an infinite difference
};

// Compares images or volumes of the same size and number of planes. False after WP_ERROR_TOO_LARGE.
bool wp_metrics_compare(const struct wp_image *a, const struct wp_image *b,
                        struct wp_metrics *metrics);

// Computes the metrics row by row; only the sizes and origins of `a` and `b` are used. With
// `structure` SSIM is computed, which takes most of the time; else it is NaN. NULL after
// WP_ERROR_TOO_LARGE.
struct wp_metrics_sum;
struct wp_metrics_sum *wp_metrics_begin(const struct wp_image *a, const struct wp_image *b,
                                        bool structure);
size_t wp_metrics_memory(int width, int planes, bool structure); // bytes that are allocated
// Adds the next row of a plane; rows of all slices follow each other.
void wp_metrics_add(struct wp_metrics_sum *sum, int plane, const float *a, const float *b);
// Computes the metrics after all rows were added, and frees the sums.
void wp_metrics_end(struct wp_metrics_sum **sum, struct wp_metrics *metrics);
void wp_metrics_discard(struct wp_metrics_sum **sum); // accepts NULL, clears the pointer

// PSNR of all planes but alpha, much faster than wp_metrics_compare(), which computes SSIM.
double wp_metrics_psnr(const struct wp_image *a, const struct wp_image *b);

// The image of |a - b| / white, with |a - b| as in the metrics. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_metrics_difference(const struct wp_image *a, const struct wp_image *b,
                                       double white);

#endif
