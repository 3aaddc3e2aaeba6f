#include "wavelet_growth.h"

#include "wavelet_taps.h"

#include <math.h>
#include <string.h>

_Static_assert((int)WP_WAVELET_AXES == WP_FACTOR_AXES, "one table of growth");

// Upper bounds of the maximum error among 1e5 results, divided by the growth. The smaller one holds
// for few steps, with matrices that are split as in the optimized schemes: sums of few rounding
// errors have short tails. It decides about wavelets that just meet the tolerance. Measurements are
// in docs/decisions.md.
static const double ERROR_OF_GROWTH = 9.5e-7, ERROR_OF_FEW = 4.5e-7;
enum { FEW_STEPS = 4 };

static struct wp_factor_step make_step(bool odd, const struct wp_filter *filter)
{
    struct wp_factor_step step = {.odd = odd};
    for (int t = 0; t < filter->count; t++)
        wp_series_add(&step.filter, filter->tap[t].k, filter->tap[t].c);
    return step;
}

bool wp_wavelet_growth(const struct wp_wavelet *wavelet, double growth[WP_WAVELET_AXES][2])
{
    struct wp_series low, high;
    if (!wp_wavelet_taps(wavelet, &low, &high))
        return false;
    struct wp_factor_step step[2 * WP_MAX_PAIRS];
    int steps = 0;
    for (int p = 0; p < wavelet->pairs; p++) {
        step[steps++] = make_step(true, &wavelet->pair[p].predict);
        step[steps++] = make_step(false, &wavelet->pair[p].update);
    }
    return wp_factor_growth(&low, &high, steps, step, growth);
}

static int count_steps(const struct wp_wavelet *wavelet)
{
    int steps = 0;
    for (int p = 0; p < wavelet->pairs; p++)
        steps += (wavelet->pair[p].predict.count > 0) + (wavelet->pair[p].update.count > 0);
    return steps;
}

// Convolutions round the sums of both axes.
enum { CONVOLUTIONS = 2 };

double wp_wavelet_error(const struct wp_wavelet *wavelet, int axes, bool many_terms,
                        double tolerance)
{
    double growth[WP_WAVELET_AXES][2];
    if (axes == 0 || !wp_wavelet_growth(wavelet, growth))
        return ERROR_OF_GROWTH * CONVOLUTIONS;
    const double *const of = growth[axes - 1];
    const double max = fmax(of[0], of[1]), few = ERROR_OF_FEW * max;
    const bool exact = !many_terms && count_steps(wavelet) <= FEW_STEPS && few <= tolerance;
    return exact ? few : ERROR_OF_GROWTH * max;
}

void wp_wavelet_write_error(const struct wp_wavelet *wavelet, struct wp_text *out)
{
    const double joint = wp_wavelet_error(wavelet, 2, false, WP_WAVELET_EXACT);
    const double separate = wp_wavelet_error(wavelet, 1, false, WP_WAVELET_EXACT);
    if (joint > WP_WAVELET_EXACT)
        wp_text_add(out, "float32 error about %.1e if both axes are lifted in each step, %.1e if "
                         "one axis after the other", joint,
                    separate > WP_WAVELET_EXACT ? separate : WP_WAVELET_EXACT);
}

enum { CENTER = WP_SERIES_MAX, SIZE = 2 * WP_SERIES_MAX + 1 };

// The autocorrelation of the low-pass filter: of the forward transform, or of the inverse, whose
// taps are those of the high-pass filter with every other sign changed; it distributes errors to
// twice as many samples.
static void correlate(const struct wp_series *filter, bool inverse, double a[SIZE])
{
    memset(a, 0, SIZE * sizeof *a);
    for (int i = 0; i < filter->count; i++)
        for (int j = 0; j < filter->count; j++) {
            const double product = (double)(filter->c[i] * filter->c[j]);
            a[CENTER + i - j] += !inverse      ? product
                                 : (i - j) % 2 ? -product / 2
                                               : product / 2;
        }
}

// The autocorrelation of noise after one level: filtered and downsampled. (The inverse is the
// transpose, which gives the same final value.)
static void pass_level(const double a[SIZE], double noise[SIZE])
{
    double next[SIZE] = {0};
    for (int k = -CENTER / 2; k <= CENTER / 2; k++)
        for (int j = 2 * k - CENTER; j <= 2 * k + CENTER; j++)
            if (j >= -CENTER && j <= CENTER)
                next[CENTER + k] += a[CENTER + 2 * k - j] * noise[CENTER + j];
    memcpy(noise, next, sizeof next);
}

// The inverse from a low band over `levels` levels has 2^levels phases. Returns the largest sum of
// squares of their taps: recursively those of the even and the odd positions of the product of g
// and c.
static double peak_power(const double g[WP_SERIES_MAX], int taps, const double c[WP_SERIES_MAX],
                         int count, int levels)
{
    double sum = 0, phase[2][WP_SERIES_MAX] = {{0}};
    if (levels == 0) {
        for (int i = 0; i < count; i++)
            sum += c[i] * c[i];
        return sum;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < taps; j++)
            phase[(i + j) % 2][(i + j) / 2] += g[j] * c[i];
    const int products = count + taps - 1;
    return fmax(peak_power(g, taps, phase[0], (products + 1) / 2, levels - 1),
                peak_power(g, taps, phase[1], products / 2, levels - 1));
}

// The number of phases doubles with each level; deeper levels are extrapolated from the last one.
enum { PHASE_LEVELS = 6 };
// Only few samples are at a peak, and the maximum error of few samples is smaller by this factor.
static const double TAIL_OF_FEW = 1.5;

static double peak_gain(const struct wp_series *high, int levels)
{
    double g[WP_SERIES_MAX];
    for (int i = 0; i < high->count; i++)
        g[i] = (double)(i % 2 ? -high->c[i] : high->c[i]);
    const double one[WP_SERIES_MAX] = {1};
    const int counted = levels < PHASE_LEVELS ? levels : PHASE_LEVELS;
    const double peak = peak_power(g, high->count, one, 1, counted);
    const double before = levels > counted ? peak_power(g, high->count, one, 1, counted - 1) : peak;
    return sqrt(peak * pow(peak / before, levels - counted)) / TAIL_OF_FEW;
}

double wp_wavelet_noise_gain(const struct wp_wavelet *wavelet, bool inverse, int levels)
{
    struct wp_series low, high;
    if (!wp_wavelet_taps(wavelet, &low, &high))
        return 1;
    double a[SIZE], noise[SIZE] = {[CENTER] = 1}, max = 1;
    correlate(inverse ? &high : &low, inverse, a);
    for (int level = 0; level < levels; level++) {
        pass_level(a, noise);
        max = fmax(max, noise[CENTER]);
    }
    return inverse && levels > 0 ? fmax(sqrt(max), peak_gain(&high, levels)) : sqrt(max);
}
