#include "redundant.h"

#include "wavelet_taps.h"

#include <math.h>
#include <stdlib.h>

double wp_filter_gain(const struct wp_wavelet *wavelet, enum wp_norm norm, bool synthesis,
                      bool high)
{
    const double low = wp_norm_is_orthonormal(norm) ? sqrt(2)
                       : norm == WP_NORM_NONE       ? wavelet->zeta
                                                    : 1;
    return (high == synthesis ? low : 1 / low) *
           (high ? wp_norm_high_sign(wavelet, norm) : 1);
}

// The filter of a wavelet; the taps of synthesis filters are halved and, like those of the adjoint
// of an analysis filter, reversed.
static bool make_filter(const struct wp_description *d, bool high,
                        struct wp_redundant_filter *filter)
{
    const bool forward = d->direction == WP_FORWARD, analysis = forward != d->adjoint;
    const enum wp_filter_kind kind = analysis ? (high ? WP_ANALYSIS_HIGH : WP_ANALYSIS_LOW)
                                              : (high ? WP_SYNTHESIS_HIGH : WP_SYNTHESIS_LOW);
    const double tight = d->norm == WP_NORM_ORTHONORMAL ? sqrt(0.5) : 1;
    const double gain =
        wp_filter_gain(d->wavelet, d->norm, !analysis, high) * (analysis ? tight : 0.5 / tight);
    const struct wp_taps taps = wp_wavelet_filter_taps(d->wavelet, kind);
    if (!taps.tap)
        return false;
    // The taps of high filters are relative to the odd sample.
    const int shift = high && d->border == WP_BORDER_PERIODIC;
    filter->count = taps.last - taps.first + 1;
    filter->first = forward ? taps.first + shift : -(taps.last + shift);
    for (int i = 0; i < filter->count; i++)
        filter->tap[i] = gain * taps.tap[forward ? i : filter->count - 1 - i];
    free(taps.tap);
    return true;
}

bool wp_redundant_make(const struct wp_description *d, struct wp_redundant *bank)
{
    static const struct wp_redundant_filter spline = {
        -2, 5, {1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16}};
    const bool forward = d->direction == WP_FORWARD, mirrored = d->border == WP_BORDER_SYMMETRIC;
    *bank = (struct wp_redundant){
        .extension = mirrored ? WP_EXTEND_MIRROR : WP_EXTEND_WRAP,
        .axes = wp_description_axes(d, 1),
        .levels = wp_description_levels(d),
        .start = d->start_level,
        .weighted = mirrored && d->adjoint,
    };
    if (d->bank == WP_BANK_STARLET) {
        bank->rule = forward ? (d->adjoint ? WP_LEVEL_REPEAT : WP_LEVEL_DIFFERENCE)
                             : (d->adjoint ? WP_LEVEL_MERGE : WP_LEVEL_SUM);
        bank->filter[0] = spline;
        bank->weighted = bank->weighted && !forward; // those of copies cancel
        return true;
    }
    bank->rule = forward ? WP_LEVEL_SPLIT : WP_LEVEL_JOIN;
    return make_filter(d, false, &bank->filter[0]) && make_filter(d, true, &bank->filter[1]);
}
