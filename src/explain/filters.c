#include "filters.h"

#include "xmemory.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

struct wp_taps wp_filters_taps(const struct wp_wavelet *wavelet, enum wp_filter_kind kind)
{
    const struct wp_taps taps = wp_wavelet_filter_taps(wavelet, kind);
    if (!taps.tap)
        wp_xmemory_end();
    return taps;
}

double wp_filters_response(const struct wp_taps *taps, double w)
{
    double complex sum = 0.0;
    for (int k = taps->first; k <= taps->last; k++)
        sum += taps->tap[k - taps->first] * cexp(-w * k * I);
    return cabs(sum);
}

int wp_filters_moments(const struct wp_taps *high)
{
    const int length = high->last - high->first + 1;
    for (int p = 0; p < length; p++) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < length; i++) {
            // About the middle, for accuracy; moments vanish about every point.
            const double term = high->tap[i] * pow(i - 0.5 * (length - 1), p);
            sum += term;
            size += fabs(term);
        }
        if (fabs(sum) > 1e-6 * size)
            return p;
    }
    return length;
}

static double sum_of(const struct wp_taps *taps)
{
    double sum = 0.0;
    for (int k = taps->first; k <= taps->last; k++)
        sum += taps->tap[k - taps->first];
    return sum;
}

double wp_filters_smoothness(const struct wp_taps *low, int zeros)
{
    int degree = low->last - low->first;
    if (degree >= WP_SMOOTHNESS_TAPS)
        return NAN;
    double *q = wp_xcalloc((size_t)degree + 1, sizeof *q);
    const double sum = sum_of(low);
    for (int i = 0; i <= degree; i++)
        q[i] = low->tap[i] / sum;
    // Divide by (1 + z)/2; the remainder is only rounding.
    for (int zero = 0; zero < zeros && degree > 0; zero++, degree--) {
        double carry = 0.0;
        for (int i = 0; i < degree; i++)
            q[i] = carry = 2.0 * q[i] - carry;
    }
    // Coefficients -degree..degree of |q|^2 and of f. The operator keeps the even coefficients of
    // their product, times 2.
    const int size = 2 * degree + 1;
    double *square = wp_xcalloc((size_t)size, sizeof *square);
    double *f = wp_xcalloc((size_t)size, sizeof *f), *g = wp_xcalloc((size_t)size, sizeof *g);
    for (int i = 0; i <= degree; i++)
        for (int j = 0; j <= degree; j++)
            square[degree + i - j] += q[i] * q[j];
    f[degree] = 1.0;
    enum { STEPS = 1000 };
    double norm = 0.0;
    for (int step = 0; step < STEPS; step++) {
        const double previous = norm;
        norm = 0.0;
        for (int n = -degree; n <= degree; n++) {
            g[degree + n] = 0.0;
            for (int k = -degree; k <= degree; k++)
                if (abs(2 * n - k) <= degree)
                    g[degree + n] += 2.0 * square[degree + 2 * n - k] * f[degree + k];
            norm += fabs(g[degree + n]);
        }
        for (int i = 0; i < size; i++)
            f[i] = g[i] / norm;
        if (fabs(norm - previous) < 1e-12 * norm)
            break;
    }
    free(q);
    free(square);
    free(f);
    free(g);
    return zeros - log2(norm) / 2.0;
}

// One step: halves the grid spacing and applies the filter.
static void refine(struct wp_curve *curve, const struct wp_taps *taps, double scale, int spacing)
{
    // value(t) = scale sum h_k old(2t - k): the same samples at half the distance.
    const int length = taps->last - taps->first;
    const int count = curve->count + length * spacing;
    double *value = wp_xcalloc((size_t)count, sizeof *value);
    for (int k = 0; k <= length; k++)
        for (int i = 0; i < curve->count; i++)
            value[i + k * spacing] += scale * taps->tap[k] * curve->value[i];
    free(curve->value);
    *curve = (struct wp_curve){(curve->first + taps->first) / 2.0, count, value};
}

struct wp_curve wp_filters_cascade(const struct wp_taps *low, const struct wp_taps *high)
{
    struct wp_curve curve = {0.0, 1, wp_xcalloc(1, sizeof(double))};
    curve.value[0] = 1.0;
    const int steps = high ? WP_CURVE_LEVELS - 1 : WP_CURVE_LEVELS;
    for (int step = 0; step < steps; step++)
        refine(&curve, low, 2.0 / sum_of(low), 1 << step);
    if (high) {
        refine(&curve, high, 2.0 / sum_of(low), 1 << steps);
        curve.first += 0.5; // odd samples
    }
    return curve;
}
