#include "edit_rules.h"
#include "memory.h"
#include "wavelet_taps.h"

#include <math.h>
#include <stdlib.h>

// Gains of deeper levels hardly differ from that of the level before.
enum { LEVELS = 8 };

// Along one axis, of the low and the high band of each level; [0] has those of the samples.
struct gains {
    double low[LEVELS + 1], high[LEVELS + 1];
};

// Adds the convolution of `n` samples with taps that are `distance` apart to `to`, of zeros.
static void convolve(const double *from, int n, const struct wp_taps *taps, int distance,
                     double scale, double *to)
{
    for (int k = taps->first; k <= taps->last; k++)
        for (int i = 0; i < n; i++)
            to[i + (k - taps->first) * distance] += scale * taps->tap[k - taps->first] * from[i];
}

static double norm(const double *x, int n)
{
    double squares = 0;
    for (int i = 0; i < n; i++)
        squares += x[i] * x[i];
    return sqrt(squares);
}

// The norms of the filters that are equivalent to several levels: with z^(2^(l-1)) for z, the
// filter of level l, times the low-pass filters of the levels before it.
static bool find_gains(const struct wp_taps *low, const struct wp_taps *high, struct gains *gains)
{
    double *before = wp_allocate(1, sizeof *before, "a filter");
    int n = 1;
    gains->low[0] = gains->high[0] = 1;
    if (before)
        before[0] = 1;
    for (int l = 1; before && l <= LEVELS; l++) {
        const int distance = 1 << (l - 1);
        const int n_low = n + (low->last - low->first) * distance;
        const int n_high = n + (high->last - high->first) * distance;
        double *lows = wp_allocate((size_t)n_low, sizeof *lows, "a filter");
        double *highs = lows ? wp_allocate((size_t)n_high, sizeof *highs, "a filter") : NULL;
        if (highs) {
            convolve(before, n, low, distance, sqrt(2), lows);
            convolve(before, n, high, distance, 1 / sqrt(2), highs);
            gains->low[l] = norm(lows, n_low);
            gains->high[l] = norm(highs, n_high);
        } else {
            free(lows);
            lows = NULL;
        }
        free(highs);
        free(before);
        before = lows;
        n = n_low;
    }
    const bool ok = before;
    free(before);
    return ok;
}

// The bands of the starlet, c[l-1] - c[l], of `axes` axes: c[l] is c[l-1] filtered by a B3 spline,
// and a product of one filter for each axis.
static bool find_starlet_gains(int axes, double gain[LEVELS + 1])
{
    double spline[] = {1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};
    const struct wp_taps taps = {-2, 2, spline};
    double *before = wp_allocate(1, sizeof *before, "a filter");
    int n = 1;
    if (before)
        before[0] = 1;
    for (int l = 1; before && l <= LEVELS; l++) {
        const int distance = 1 << (l - 1), margin = 2 * distance;
        double *after = wp_allocate((size_t)(n + 2 * margin), sizeof *after, "a filter");
        double product = 0;
        if (after) {
            convolve(before, n, &taps, distance, 1, after);
            for (int i = 0; i < n; i++)
                product += before[i] * after[i + margin];
            gain[l] = sqrt(pow(norm(before, n), 2 * axes) - 2 * pow(product, axes) +
                           pow(norm(after, n + 2 * margin), 2 * axes));
        }
        free(before);
        before = after;
        n += 2 * margin;
    }
    const bool ok = before;
    free(before);
    return ok;
}

static bool add_starlet_gains(const struct wp_description *d, double *gain)
{
    double levels[LEVELS + 1] = {1};
    int axes = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        axes += (int)(wp_description_axes(d, 1) >> a & 1);
    const bool ok = find_starlet_gains(axes, levels);
    for (int i = 0; i < wp_subband_count(d); i++) {
        const int level = wp_subband_describe(d, i).level;
        const int known = level < LEVELS ? level : LEVELS;
        // Twice as many samples along each axis are averaged in the next level.
        gain[i] = levels[known] * pow(2, -0.5 * axes * (level - known));
    }
    return ok;
}

bool wp_edit_noise_gains(const struct wp_description *d, double *gain)
{
    if (d->bank == WP_BANK_STARLET)
        return add_starlet_gains(d, gain);
    struct gains gains = {{0}, {0}};
    const struct wp_taps low = wp_wavelet_filter_taps(d->wavelet, WP_ANALYSIS_LOW);
    const struct wp_taps high = low.tap ? wp_wavelet_filter_taps(d->wavelet, WP_ANALYSIS_HIGH)
                                        : (struct wp_taps){0};
    const bool ok = high.tap && find_gains(&low, &high, &gains);
    free(low.tap);
    free(high.tap);
    for (int i = 0; ok && i < wp_subband_count(d); i++) {
        const struct wp_subband subband = wp_subband_describe(d, i);
        gain[i] = 1;
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            const int level = wp_edit_halvings(d, &subband, a);
            const int known = level < LEVELS ? level : LEVELS;
            gain[i] *= subband.band >> a & 1 ? gains.high[known] : gains.low[known];
        }
    }
    return ok;
}
