#include "metrics.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const wp_metric_names[WP_METRIC_COUNT] = {
    [WP_METRIC_MAX] = "max",   [WP_METRIC_MAE] = "mae",   [WP_METRIC_MSE] = "mse",
    [WP_METRIC_PSNR] = "psnr", [WP_METRIC_SSIM] = "ssim",
};

bool wp_metric_is_likeness(enum wp_metric metric)
{
    return metric == WP_METRIC_PSNR || metric == WP_METRIC_SSIM;
}

static double difference_of(float a, float b)
{
    if (isfinite(a) && isfinite(b))
        return fabs((double)a - (double)b);
    const bool equal = (isnan(a) && isnan(b)) ||
                       (isinf(a) && isinf(b) && signbit(a) == signbit(b));
    return equal ? 0 : INFINITY;
}

// SSIM's window.
enum { WINDOW = 11 };

static void fill_weights(double weight[WINDOW])
{
    double sum = 0;
    for (int i = 0; i < WINDOW; i++) {
        const double distance = i - WINDOW / 2;
        sum += weight[i] = exp(-distance * distance / (2 * 1.5 * 1.5));
    }
    for (int i = 0; i < WINDOW; i++)
        weight[i] /= sum;
}

// What SSIM averages over a window.
enum moment { MEAN_A, MEAN_B, SQUARE_A, SQUARE_B, PRODUCT, MOMENTS };

// The moments of a row of samples, weighted along x, for each window that fits.
static void weigh_row(const float *a, const float *b, int width, const double weight[WINDOW],
                      double *moments)
{
    for (int x = 0; x + WINDOW <= width; x++) {
        double sum[MOMENTS] = {0};
        for (int i = 0; i < WINDOW; i++) {
            const double p = (double)a[x + i], q = (double)b[x + i];
            sum[MEAN_A] += weight[i] * p;
            sum[MEAN_B] += weight[i] * q;
            sum[SQUARE_A] += weight[i] * p * p;
            sum[SQUARE_B] += weight[i] * q * q;
            sum[PRODUCT] += weight[i] * p * q;
        }
        memcpy(&moments[x * MOMENTS], sum, sizeof sum);
    }
}

static double similarity(const double moment[MOMENTS])
{
    const double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;
    const double a = moment[MEAN_A], b = moment[MEAN_B];
    const double variance_a = moment[SQUARE_A] - a * a, variance_b = moment[SQUARE_B] - b * b;
    const double covariance = moment[PRODUCT] - a * b;
    return (2 * a * b + c1) * (2 * covariance + c2) /
           ((a * a + b * b + c1) * (variance_a + variance_b + c2));
}

// The sum over all windows of a plane. `rows` is room for the moments of WINDOW rows, of which
// each is used again for the row WINDOW below it.
static double sum_similarities(const float *a, const float *b, int width, int height,
                               double *rows)
{
    const size_t row_size = (size_t)(width - WINDOW + 1) * MOMENTS;
    double weight[WINDOW], sum = 0;
    fill_weights(weight);
    for (int y = 0; y < height; y++) {
        const size_t at = (size_t)y * (size_t)width;
        weigh_row(a + at, b + at, width, weight, rows + (size_t)(y % WINDOW) * row_size);
        if (y + 1 < WINDOW)
            continue;
        for (int x = 0; x + WINDOW <= width; x++) {
            double moment[MOMENTS] = {0};
            for (int i = 0; i < WINDOW; i++) {
                const double *row = rows + (size_t)((y + 1 + i) % WINDOW) * row_size;
                for (int m = 0; m < MOMENTS; m++)
                    moment[m] += weight[i] * row[x * MOMENTS + m];
            }
            sum += similarity(moment);
        }
    }
    return sum;
}

static bool compare_structure(const struct wp_image *a, const struct wp_image *b, double *ssim)
{
    const int columns = a->width - WINDOW + 1, lines = a->height - WINDOW + 1;
    *ssim = NAN;
    if (columns < 1 || lines < 1)
        return true;
    double *rows = wp_allocate((size_t)columns * MOMENTS, WINDOW * sizeof *rows, "SSIM");
    if (!rows)
        return false;
    double sum = 0;
    const size_t slice = (size_t)a->width * (size_t)a->height;
    for (int p = 0; p < a->planes; p++)
        for (size_t at = 0; at < wp_image_samples(a); at += slice)
            sum += sum_similarities(a->plane[p] + at, b->plane[p] + at, a->width, a->height, rows);
    free(rows);
    *ssim = sum / columns / lines / a->depth / a->planes;
    return true;
}

bool wp_metrics_compare(const struct wp_image *a, const struct wp_image *b,
                        struct wp_metrics *metrics)
{
    *metrics = (struct wp_metrics){0};
    double *value = metrics->value;
    const size_t samples = wp_image_samples(a);
    for (int p = 0; p < a->planes; p++) {
        for (size_t i = 0; i < samples; i++) {
            const float va = a->plane[p][i], vb = b->plane[p][i];
            const double difference = difference_of(va, vb);
            if (!isfinite(va) || !isfinite(vb)) {
                metrics->nonfinite++;
                metrics->nonfinite_unequal += difference > 0;
            }
            value[WP_METRIC_MAE] += difference;
            value[WP_METRIC_MSE] += difference * difference;
            if (difference > value[WP_METRIC_MAX]) {
                value[WP_METRIC_MAX] = difference;
                metrics->plane = p;
                metrics->x = (int)(i % (size_t)a->width);
                metrics->y = (int)(i / (size_t)a->width % (size_t)a->height);
                metrics->z = (int)(i / (size_t)a->width / (size_t)a->height);
            }
        }
    }
    const double count = (double)samples * a->planes;
    value[WP_METRIC_MAE] /= count;
    value[WP_METRIC_MSE] /= count;
    value[WP_METRIC_PSNR] = -10 * log10(value[WP_METRIC_MSE]);
    if (metrics->nonfinite) {
        value[WP_METRIC_SSIM] = NAN;
        return true;
    }
    return compare_structure(a, b, &value[WP_METRIC_SSIM]);
}

double wp_metrics_psnr(const struct wp_image *a, const struct wp_image *b)
{
    double sum = 0;
    const size_t samples = wp_image_samples(a);
    const int planes = wp_image_colour_planes(a);
    for (int p = 0; p < planes; p++) {
        for (size_t i = 0; i < samples; i++) {
            const double d = (double)a->plane[p][i] - (double)b->plane[p][i];
            sum += d * d;
        }
    }
    return 10 * log10((double)samples * planes / sum);
}

struct wp_image *wp_metrics_difference(const struct wp_image *a, const struct wp_image *b,
                                       double white)
{
    struct wp_image *image =
        wp_image_create_volume(a->width, a->height, a->depth, a->planes, false);
    if (image)
        image->geometry = a->geometry;
    const size_t samples = wp_image_samples(a);
    for (int p = 0; image && p < a->planes; p++)
        for (size_t i = 0; i < samples; i++)
            image->plane[p][i] = (float)(difference_of(a->plane[p][i], b->plane[p][i]) / white);
    return image;
}
