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

bool wp_edit_noise_gains(const struct wp_description *d, double *gain)
{
    if (d->bank == WP_BANK_STARLET) { // exact in wp_edit_unit()
        for (int i = 0; i < wp_subband_count(d); i++)
            gain[i] = 1;
        return true;
    }
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
