#include "wavelet_filters.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

struct wp_taps wp_wavelet_filter_taps(const struct wp_wavelet *wavelet, enum wp_filter_kind kind)
{
    struct wp_taps taps = {0};
    double *filters = wp_allocate(2 * (size_t)WP_FILTER_SIZE, sizeof *filters, "filters");
    if (!filters)
        return taps;
    wp_wavelet_filters(wavelet, filters, filters + WP_FILTER_SIZE);
    // The polyphase matrix has determinant 1, so that its inverse is its adjugate: the synthesis
    // filters are the other band's analysis filters, reversed, with odd taps negated.
    const bool synthesis = kind == WP_SYNTHESIS_LOW || kind == WP_SYNTHESIS_HIGH;
    const bool high = kind == WP_ANALYSIS_HIGH || kind == WP_SYNTHESIS_HIGH;
    const double *from = filters + (high != synthesis ? WP_FILTER_SIZE : 0) + WP_FILTER_CENTER;
    const int sign = synthesis ? -1 : 1;
    const double none = 1e-14; // rounding errors of terms that cancel
    taps.first = -WP_FILTER_CENTER;
    taps.last = WP_FILTER_CENTER;
    while (taps.first < taps.last && fabs(from[sign * taps.first]) < none)
        taps.first++;
    while (taps.last > taps.first && fabs(from[sign * taps.last]) < none)
        taps.last--;
    taps.tap = wp_allocate((size_t)(taps.last - taps.first + 1), sizeof *taps.tap, "taps");
    for (int k = taps.first; taps.tap && k <= taps.last; k++)
        taps.tap[k - taps.first] = synthesis && k % 2 ? -from[sign * k] : from[sign * k];
    free(filters);
    return taps;
}
