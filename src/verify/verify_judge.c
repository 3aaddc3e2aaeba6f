// Tolerances, and the comparison of results with those of the reference.
#include "verify.h"

#include "min_max.h"
#include "wavelet_growth.h"
#include "wavelet_taps.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// The factor of the tolerance for volume schemes; 1 for spatial-temporal transforms, where no pass
// processes three axes.
static double digits_lost(const struct wp_description *d)
{
    struct wp_description chain[WP_CHAIN_MAX];
    if (!d->kind || d->wavelet->pairs < 2 || d->levels == 0 || d->levels_z == 0 ||
        wp_description_chain(d, chain) > 1)
        return 1;
    return d->form == WP_FORM_PLAIN ? WP_VERIFY_LOST_PLAIN : WP_VERIFY_LOST;
}

// The number of levels that an axis has undergone at `level` of x and y and `level_z` of z.
static int levels_along(const struct wp_description *d, int axis, int level, int level_z)
{
    return axis == WP_Z ? wp_min(level_z, d->levels_z) : wp_min(level, d->levels);
}

// The number of axes that are lifted before any is scaled: 1 for schemeless backends, which process
// one axis after the other; 0 for plain convolutions, which have no steps (optimized ones have
// constant steps).
static int unscaled_axes(const struct wp_description *d)
{
    struct wp_description chain[WP_CHAIN_MAX];
    if (!d->kind)
        return 1;
    if (d->kind->grouping == WP_GROUP_ALL && d->form == WP_FORM_PLAIN)
        return 0;
    const bool plane = d->levels > 0, depth = d->levels_z > 0;
    return wp_description_chain(d, chain) > 1 ? 2 : 2 * plane + depth;
}

// True if samples are sums of many rounded terms: in plain form, and in optimized non-separable
// convolution with long filters.
static bool has_many_terms(const struct wp_description *d)
{
    enum { LONG = 10 };
    struct wp_series low, high;
    if (!d->kind || d->form == WP_FORM_PLAIN)
        return d->kind;
    return d->kind->grouping == WP_GROUP_ALL && wp_wavelet_taps(d->wavelet, &low, &high) &&
           (low.count > LONG || high.count > LONG);
}

// Does the border extend by differences of samples?
static bool has_lines(enum wp_border border)
{
    return border == WP_BORDER_PYWT_SMOOTH || border == WP_BORDER_PYWT_ANTIREFLECT;
}

static double tolerance_at(const struct wp_description *given, int level, int level_z)
{
    if (given->reversible)
        return 0.5;
    // The noise gains and errors of filters are those of one norm.
    struct wp_wavelet dual;
    struct wp_description described = *given;
    const struct wp_description *const d = &described;
    if (given->adjoint && wp_lifting_dual(given->wavelet, WP_NORM_ORTHONORMAL, &dual))
        described.wavelet = &dual;
    const double half = (d->precision == WP_PRECISION_F16 ? WP_VERIFY_HALF : 1) *
                        (has_lines(d->border) ? WP_VERIFY_LINES : 1);
    double gain = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int levels = levels_along(d, a, level, level_z);
        if (levels > 0)
            gain *= wp_wavelet_noise_gain(d->wavelet, false, levels);
        if (levels > 0 && d->direction == WP_INVERSE)
            gain *= wp_wavelet_noise_gain(d->wavelet, true, levels);
    }
    const double minimum = digits_lost(d) * WP_WAVELET_EXACT;
    return half * fmax(minimum,
                       gain * wp_wavelet_error(d->wavelet, unscaled_axes(d),
                                               has_many_terms(d), minimum));
}

double wp_verify_tolerance(const struct wp_description *d, int level)
{
    if (wp_description_is_redundant(d))
        return WP_VERIFY_REDUNDANT * (1 + level) *
               (d->precision == WP_PRECISION_F16 ? WP_VERIFY_HALF : 1);
    return tolerance_at(d, level, level);
}

// The position of a sample of a band in an array of an operand's strides.
static ptrdiff_t position(const struct wp_operand *array, const struct wp_band_grid *grid, int x,
                          int y, int z)
{
    const int at[WP_DIMS_MAX] = {x, y, z};
    ptrdiff_t sum = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        sum += (grid->first[a] + at[a] * (ptrdiff_t)grid->every[a]) * array->stride[a];
    return sum;
}

// Updates the row's error with the worst position of a band, or of the samples. The array has the
// strides of `array`.
static void check_band(const struct wp_operand *array, const struct wp_subband *band,
                       const float *got, const float *expected, double tolerance,
                       struct wp_verify_row *row)
{
    const int *const size = band->grid.size;
    for (int i = 0; i < size[WP_Y] * size[WP_Z]; i++) {
        const int y = i % size[WP_Y], z = i / size[WP_Y];
        const ptrdiff_t line = position(array, &band->grid, 0, y, z);
        const ptrdiff_t step = band->grid.every[WP_X] * array->stride[WP_X];
        for (int x = 0; x < size[WP_X]; x++) {
            const ptrdiff_t at = line + x * step;
            double error = fabs((double)got[at] - (double)expected[at]);
            if (!isfinite(error))
                error = INFINITY;
            if (error / tolerance > row->error / row->tolerance || row->tolerance <= 0) {
                row->error = error;
                row->tolerance = tolerance;
                row->band = *band;
                memcpy(row->at, (const int[]){x, y, z}, sizeof row->at);
            }
        }
    }
}

static void check_samples(const struct wp_description *d, double scale, const float *got,
                          const float *expected, struct wp_verify_row *row)
{
    const struct wp_subband extent = {.grid = wp_description_band(d, 0, WP_BAND_LL)};
    const struct wp_operand array = wp_operand_dense(d, NULL);
    const double tolerance = wp_verify_tolerance(d, wp_description_levels(d));
    check_band(&array, &extent, got, expected, tolerance * scale, row);
}

// The largest magnitude of a band.
static double largest_of(const struct wp_operand *array, const struct wp_subband *band,
                         const float *values)
{
    const int *const size = band->grid.size;
    double largest = 0;
    for (int z = 0; z < size[WP_Z]; z++)
        for (int y = 0; y < size[WP_Y]; y++)
            for (int x = 0; x < size[WP_X]; x++)
                largest = fmax(largest,
                               fabs((double)values[position(array, &band->grid, x, y, z)]));
    return largest;
}

// The gain of a band in the norm. Axes of one sample have no gain.
static double gain_of(const struct wp_description *d, const struct wp_subband *band)
{
    double gain = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int levels = levels_along(d, a, band->level, band->level_z);
        for (int l = 1; l <= levels && wp_description_size(d, a, l - 1) > 1; l++)
            gain *= wp_norm_gain(d->wavelet, d->norm, 1U << a, l < levels ? 0 : band->band);
    }
    return gain;
}

// The magnitude of the low band before the level of a band of an adjoint, from which the errors of
// the band come: each level multiplies it by 2 over the gain of the norm along each axis.
static double low_before(const struct wp_description *d, const struct wp_subband *band,
                         const struct wp_operand *array, const float *expected)
{
    const struct wp_subband low = wp_subband_describe(d, 0);
    double magnitude = largest_of(array, &low, expected);
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int all = levels_along(d, a, d->levels, d->levels_z);
        const int own = levels_along(d, a, band->level, band->level_z);
        const double gain = 2 / wp_norm_gain(d->wavelet, d->norm, 1U << a, 0);
        for (int l = own; l <= all && own > 0; l++)
            magnitude /= fabs(gain);
    }
    return magnitude;
}

// Other banks: relative to the largest magnitude of all bands.
static void check_relative(const struct wp_description *d, const struct wp_operand *array,
                            const float *got, const float *expected, struct wp_verify_row *row)
{
    double largest = 0;
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        largest = fmax(largest, largest_of(array, &band, expected));
    }
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        check_band(array, &band, got, expected, wp_verify_tolerance(d, band.level) * largest, row);
    }
}

static void check_bands(const struct wp_description *d, double scale, const float *got,
                        const float *expected, struct wp_verify_row *row)
{
    const struct wp_operand array = wp_operand_coefficients(d, NULL);
    double all = 0;
    if (d->bank != WP_BANK_DECIMATED) {
        check_relative(d, &array, got, expected, row);
        return;
    }
    for (int i = 0; i < wp_subband_count(d) && has_lines(d->border); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        all = fmax(all, largest_of(&array, &band, expected) / gain_of(d, &band));
    }
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        const double tolerance = tolerance_at(d, band.level, band.level_z);
        const double magnitude =
            d->adjoint             ? fmax(low_before(d, &band, &array, expected),
                                          WP_VERIFY_ADJOINT * largest_of(&array, &band, expected))
            : has_lines(d->border) ? fmax(scale, all) * gain_of(d, &band)
                                   : scale * gain_of(d, &band);
        check_band(&array, &band, got, expected, tolerance * magnitude, row);
    }
}

void wp_verify_judge(const struct wp_description *d, double scale, const float *got,
                     const float *expected, struct wp_verify_row *row)
{
    if (d->direction == WP_FORWARD && wp_description_levels(d) > 0)
        check_bands(d, scale, got, expected, row);
    else
        check_samples(d, scale, got, expected, row);
    row->status = row->error <= row->tolerance ? WP_VERIFY_PASSED : WP_VERIFY_FAILED;
}
