// The standard deviation of white noise of 1 in the planes of a starlet (redundant.h).
#include "edit_rules.h"

#include <math.h>
#include <string.h>

enum { TAPS = 5, LEVELS = 8 }; // deeper levels follow a power law

static const double spline[TAPS] = {1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};

// Along one axis the products c[l-1] c[l-1], c[l-1] c[l] and c[l] c[l] of the filters c[l] that are
// equivalent to l smoothings by (1, 4, 6, 4, 1)/16, with taps 2^(l-1) apart.
static void find_products(int level, double product[3])
{
    enum { LENGTH = 4 * ((1 << LEVELS) - 1) + 1 };
    double before[LENGTH] = {1}, after[LENGTH];
    int n = 1;
    for (int l = 1; l <= level; l++) {
        const int reach = 2 * (1 << (l - 1)), longer = n + 2 * reach;
        memset(after, 0, sizeof after);
        for (int k = 0; k < TAPS; k++)
            for (int i = 0; i < n; i++)
                after[i + k * reach / 2] += spline[k] * before[i];
        memset(product, 0, 3 * sizeof *product);
        for (int i = 0; i < longer; i++) {
            const double earlier = i >= reach && i < reach + n ? before[i - reach] : 0;
            product[0] += earlier * earlier;
            product[1] += earlier * after[i];
            product[2] += after[i] * after[i];
        }
        memcpy(before, after, sizeof before);
        n = longer;
    }
}

double wp_edit_starlet_noise(const struct wp_description *d, int index)
{
    const struct wp_subband plane = wp_subband_describe(d, index);
    const int level = plane.level, known = level < LEVELS ? level : LEVELS;
    double product[3] = {1, 1, 1};
    int axes = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        axes += (wp_description_axes(d, 1) >> a & 1) != 0;
    find_products(known, product);
    const double squares = plane.band == WP_BAND_LL
                               ? pow(product[2], axes)
                               : pow(product[0], axes) - 2 * pow(product[1], axes) +
                                     pow(product[2], axes);
    // A deeper level halves the products along each axis.
    return sqrt(squares * pow(0.5, axes * (level - known)));
}
