#include "metrics.h"

#include "memory.h"
#include "xmemory.h"

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

enum { WINDOW = 11 }; // side of SSIM's window

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

// The weighted means over a window that SSIM uses.
enum moment { MEAN_A, MEAN_B, SQUARE_A, SQUARE_B, PRODUCT, MOMENTS };

// The moments of a row of samples, weighted along x, for each position of the window.
static void add_row_moments(const float *a, const float *b, int width, const double weight[WINDOW],
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

static double similarity(const double moment[MOMENTS], double peak)
{
    const double c1 = 0.01 * 0.01 * peak * peak, c2 = 0.03 * 0.03 * peak * peak;
    const double a = moment[MEAN_A], b = moment[MEAN_B];
    const double variance_a = moment[SQUARE_A] - a * a, variance_b = moment[SQUARE_B] - b * b;
    const double covariance = moment[PRODUCT] - a * b;
    return (2 * a * b + c1) * (2 * covariance + c2) /
           ((a * a + b * b + c1) * (variance_a + variance_b + c2));
}

// Running sums of a plane.
struct plane_sum {
    double absolute, square, similarity;
    double largest;
    size_t largest_at; // index of the sample
    size_t rows;       // rows added so far, in all slices
    // Ring buffer of the moments of the latest WINDOW rows.
    double *moments;
};

struct wp_metrics_sum {
    int width, height, depth, planes;
    double peak;
    size_t nonfinite, nonfinite_unequal;
    double weight[WINDOW];
    struct plane_sum plane[WP_IMAGE_MAX_PLANES];
};

static bool fits_window(int width, int height)
{
    return width >= WINDOW && height >= WINDOW;
}

static size_t row_moments(int width)
{
    return (size_t)(width - WINDOW + 1) * MOMENTS;
}

size_t wp_metrics_memory(int width, int planes, bool structure)
{
    return structure && width >= WINDOW
               ? row_moments(width) * WINDOW * (size_t)planes * sizeof(double)
               : 0;
}

static double peak_of(const struct wp_image *a, const struct wp_image *b)
{
    return fmax(1, fmax((double)a->origin.peak, (double)b->origin.peak));
}

struct wp_metrics_sum *wp_metrics_begin(const struct wp_image *a, const struct wp_image *b,
                                        bool structure)
{
    const int width = a->width, height = a->height, planes = a->planes;
    struct wp_metrics_sum *sum = wp_xcalloc(1, sizeof *sum);
    *sum = (struct wp_metrics_sum){.width = width, .height = height,
                                   .depth = a->depth, .planes = planes,
                                   .peak = peak_of(a, b)};
    fill_weights(sum->weight);
    for (int p = 0; p < planes && structure && fits_window(width, height); p++) {
        sum->plane[p].moments =
            wp_allocate(row_moments(width), WINDOW * sizeof(double), "SSIM");
        if (!sum->plane[p].moments) {
            wp_metrics_discard(&sum);
            return NULL;
        }
    }
    return sum;
}

void wp_metrics_discard(struct wp_metrics_sum **slot)
{
    struct wp_metrics_sum *sum = *slot;
    *slot = NULL;
    for (int p = 0; sum && p < WP_IMAGE_MAX_PLANES; p++)
        free(sum->plane[p].moments);
    free(sum);
}

// Adds a row of a slice, and the similarities of the windows that end in it.
static void add_similarities(struct wp_metrics_sum *sum, struct plane_sum *plane, int y,
                             const float *a, const float *b)
{
    const size_t row_size = row_moments(sum->width);
    const double *rows = plane->moments;
    add_row_moments(a, b, sum->width, sum->weight,
                    plane->moments + (size_t)(y % WINDOW) * row_size);
    for (int x = 0; y + 1 >= WINDOW && x + WINDOW <= sum->width; x++) {
        double moment[MOMENTS] = {0};
        for (int i = 0; i < WINDOW; i++) {
            const double *row = rows + (size_t)((y + 1 + i) % WINDOW) * row_size;
            for (int m = 0; m < MOMENTS; m++)
                moment[m] += sum->weight[i] * row[x * MOMENTS + m];
        }
        plane->similarity += similarity(moment, sum->peak);
    }
}

void wp_metrics_add(struct wp_metrics_sum *sum, int p, const float *a, const float *b)
{
    struct plane_sum *plane = &sum->plane[p];
    const size_t width = (size_t)sum->width;
    for (size_t x = 0; x < width; x++) {
        const double difference = difference_of(a[x], b[x]);
        if (!isfinite(a[x]) || !isfinite(b[x])) {
            sum->nonfinite++;
            sum->nonfinite_unequal += difference > 0;
        }
        plane->absolute += difference;
        plane->square += difference * difference;
        if (difference > plane->largest) {
            plane->largest = difference;
            plane->largest_at = plane->rows * width + x;
        }
    }
    // SSIM is undefined if a value is not finite.
    if (plane->moments && sum->nonfinite == 0)
        add_similarities(sum, plane, (int)(plane->rows % (size_t)sum->height), a, b);
    plane->rows++;
}

static void update_largest(const struct wp_metrics_sum *sum, int p, struct wp_metrics *metrics)
{
    const size_t at = sum->plane[p].largest_at, width = (size_t)sum->width;
    if (sum->plane[p].largest <= metrics->value[WP_METRIC_MAX])
        return;
    metrics->value[WP_METRIC_MAX] = sum->plane[p].largest;
    metrics->plane = p;
    metrics->x = (int)(at % width);
    metrics->y = (int)(at / width % (size_t)sum->height);
    metrics->z = (int)(at / width / (size_t)sum->height);
}

void wp_metrics_end(struct wp_metrics_sum **slot, struct wp_metrics *metrics)
{
    const struct wp_metrics_sum *sum = *slot;
    *metrics = (struct wp_metrics){.nonfinite = sum->nonfinite,
                                   .nonfinite_unequal = sum->nonfinite_unequal};
    double *value = metrics->value;
    for (int p = 0; p < sum->planes; p++) {
        update_largest(sum, p, metrics);
        value[WP_METRIC_MAE] += sum->plane[p].absolute;
        value[WP_METRIC_MSE] += sum->plane[p].square;
        value[WP_METRIC_SSIM] += sum->plane[p].similarity;
    }
    const double count = (double)sum->width * sum->height * sum->depth * sum->planes;
    value[WP_METRIC_MAE] /= count;
    value[WP_METRIC_MSE] /= count;
    value[WP_METRIC_PSNR] = 10 * log10(sum->peak * sum->peak / value[WP_METRIC_MSE]);
    const int columns = sum->width - WINDOW + 1, lines = sum->height - WINDOW + 1;
    value[WP_METRIC_SSIM] = sum->plane[0].moments && sum->nonfinite == 0
                                ? value[WP_METRIC_SSIM] / columns / lines / sum->depth / sum->planes
                                : NAN;
    wp_metrics_discard(slot);
}

bool wp_metrics_compare(const struct wp_image *a, const struct wp_image *b,
                        struct wp_metrics *metrics)
{
    struct wp_metrics_sum *sum =
        wp_metrics_begin(a, b, true);
    if (!sum)
        return false;
    for (int p = 0; p < a->planes; p++)
        for (size_t at = 0; at < wp_image_samples(a); at += (size_t)a->width)
            wp_metrics_add(sum, p, a->plane[p] + at, b->plane[p] + at);
    wp_metrics_end(&sum, metrics);
    return true;
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
    const double peak = peak_of(a, b);
    return 10 * log10(peak * peak * (double)samples * planes / sum);
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
