#include "edit_rules.h"
#include "memory.h"
#include "wavelet_taps.h"

#include <math.h>
#include <stdlib.h>

// Gains of deeper levels hardly differ from those of the level before.
enum { LEVELS = 8 };

// Along one axis, of the band with each index (packets.h) of each level: 0 is low-pass in all
// levels, 1 high-pass in the last one. Only packets have others.
struct gains {
    const struct wp_taps *low, *high;
    int levels, width; // width: indices of each level
    double *gain;      // of index i of level l: gain[l * width + i]
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

// Sets the gains of the children of a band and of their descendants: the norms of the filters that
// are equivalent to several levels, which are those of the band before, convolved with taps that are
// 2^level samples apart.
static bool split(struct gains *g, const double *filter, int n, int level, int index)
{
    bool ok = true;
    for (int high = 0; high < 2 && ok; high++) {
        const struct wp_taps *taps = high ? g->high : g->low;
        const int longer = n + (taps->last - taps->first) * (1 << level), child = 2 * index + high;
        double *next = wp_allocate((size_t)longer, sizeof *next, "a filter");
        ok = next;
        if (!ok)
            break;
        convolve(filter, n, taps, 1 << level, high ? 1 / sqrt(2) : sqrt(2), next);
        g->gain[(level + 1) * g->width + child] = norm(next, longer);
        if (level + 1 < g->levels && 2 * child < g->width)
            ok = split(g, next, longer, level + 1, child);
        free(next);
    }
    return ok;
}

// The gain of a band of `level` levels, or of its ancestor.
static double gain_of(const struct gains *g, int level, unsigned index)
{
    const int known = level < g->levels ? level : g->levels;
    // Bands of decimated banks have the index 0 or 1 in every level.
    return g->gain[known * g->width + (int)(g->width > 2 ? index >> (level - known) : index)];
}

bool wp_edit_noise_gains(const struct wp_description *d, double *gain)
{
    if (d->bank == WP_BANK_STARLET) { // exact in wp_edit_unit()
        for (int i = 0; i < wp_subband_count(d); i++)
            gain[i] = 1;
        return true;
    }
    const bool packets = d->bank == WP_BANK_PACKETS;
    const int all = wp_description_levels(d), levels = all < LEVELS ? all : LEVELS;
    const struct wp_taps low = wp_wavelet_filter_taps(d->wavelet, WP_ANALYSIS_LOW);
    const struct wp_taps high = low.tap ? wp_wavelet_filter_taps(d->wavelet, WP_ANALYSIS_HIGH)
                                        : (struct wp_taps){0};
    struct gains gains = {&low, &high, levels, packets && levels > 1 ? 1 << levels : 2, NULL};
    const double sample = 1;
    if (high.tap)
        gains.gain = wp_allocate((size_t)(levels + 1) * (size_t)gains.width, sizeof *gains.gain,
                                 "gains of filters");
    bool ok = gains.gain;
    // Axes of one sample are not decomposed, but may have high bands.
    for (int i = 0; ok && i < gains.width; i++)
        gains.gain[i] = 1;
    ok = ok && (levels == 0 || split(&gains, &sample, 1, 0, 0));
    for (int i = 0; ok && i < wp_subband_count(d); i++) {
        const struct wp_subband subband = wp_subband_describe(d, i);
        gain[i] = 1;
        for (int a = 0; a < WP_DIMS_MAX; a++)
            gain[i] *= gain_of(&gains, wp_edit_halvings(d, &subband, a),
                               packets ? subband.index[a] : subband.band >> a & 1);
    }
    free(gains.gain);
    free(low.tap);
    free(high.tap);
    return ok;
}
