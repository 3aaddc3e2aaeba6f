#include "choose.h"

#include "log.h"
#include "suggest.h"
#include "transform.h"

#include <math.h>

enum {
    LEVELS_LEFT = 3,   // of those that fit, which are too coarse for noise
    PACKET_LEVELS = 4, // of packets, all of whose nodes but one have details
    STARLET_TAPS = 5,
};
// Nodes of packets by Haar overlap in frequency. Both wavelets support every size.
static const char default_wavelet[] = "haar", packet_wavelet[] = "cdf97";

// Finds the wavelet of the parameters. False after an error.
static bool find_wavelet(const struct wp_transform_params *p, struct wp_wavelet *wavelet)
{
    struct wp_description description;
    const struct wp_transform_params probe = WP_TRANSFORM_PARAMS(
        .width = 2, .height = 1, .levels = 1, .wavelet = p->wavelet,
        .wavelet_data = p->wavelet_data, .border = wp_border_names[WP_BORDER_PERIODIC]);
    return wp_transform_resolve(&probe, wavelet, &description);
}

// The levels that pywt.dwtn_max_level() finds, without the coarsest ones, or of packets at most 4.
static int default_levels(const struct wp_transform_params *p, int taps, bool packets)
{
    const int size[WP_DIMS_MAX] = {p->width, p->height, p->depth};
    int levels = WP_MAX_LEVELS;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        int fit = 0;
        while (size[a] >> (fit + 1) >= taps - 1)
            fit++;
        levels = size[a] > 1 && fit < levels ? fit : levels;
    }
    levels = levels < WP_MAX_LEVELS ? levels : 0; // all axes have one sample
    if (packets)
        return levels < 1 ? 1 : levels < PACKET_LEVELS ? levels : PACKET_LEVELS;
    return levels > LEVELS_LEFT ? levels - LEVELS_LEFT : 1;
}

// The border, and whether planes are extended by reflection and then by that border.
static bool choose_border(const struct wp_wavelet *wavelet, enum wp_bank bank, enum wp_border *border)
{
    const bool mirrors = bank == WP_BANK_STARLET || wavelet->symmetry == WP_SYMMETRY_WHOLE;
    *border = WP_BORDER_SYMMETRIC;
    if (bank == WP_BANK_DECIMATED && wavelet->symmetry == WP_SYMMETRY_NONE)
        *border = WP_BORDER_PYWT_SYMMETRIC;
    if (bank != WP_BANK_DECIMATED && !mirrors)
        *border = WP_BORDER_PERIODIC;
    // Packets of an extended image would have another size.
    return *border == WP_BORDER_PERIODIC && bank != WP_BANK_PACKETS;
}

// As far as the filters of all levels and of their inverses reach, but not farther than a period of
// the reflected samples.
static void choose_margins(struct wp_denoise_choice *c, const struct wp_transform_params *p,
                           int taps)
{
    const int size[WP_DIMS_MAX] = {p->width, p->height, p->depth};
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const double reach = (ldexp(1, c->levels[a]) - 1) * (taps - 1);
        c->margin[a] = size[a] <= 1 ? 0 : reach < size[a] ? (int)reach : size[a] - 1;
    }
}

bool wp_denoise_choose(struct wp_transform_params *p, int shifts, struct wp_denoise_choice *c)
{
    struct wp_wavelet wavelet;
    struct wp_description description;
    int bank = WP_BANK_DECIMATED;
    bool extends = false;
    if (p->bank && (bank = wp_name_find("bank", p->bank, wp_bank_names, WP_BANK_COUNT,
                                        "there are ")) < 0)
        return false;
    const bool packets = bank == WP_BANK_PACKETS;
    const bool redundant = bank != WP_BANK_DECIMATED && !packets;
    if (redundant && shifts > 1)
        return wp_fail(WP_ERROR_USAGE, "%d shifts cannot be averaged with bank '%s', whose result "
                       "is already that of all shifts\nhint: omit the shifts, or use bank '%s'",
                       shifts, wp_bank_names[bank], wp_bank_names[WP_BANK_DECIMATED]);
    if (!p->wavelet && !p->wavelet_data)
        p->wavelet = packets ? packet_wavelet : default_wavelet;
    if (!find_wavelet(p, &wavelet))
        return false;
    if (!p->border) {
        enum wp_border border;
        extends = choose_border(&wavelet, (enum wp_bank)bank, &border);
        p->border = wp_border_names[border];
    }
    // Of redundant banks "pywt" is the one with the filters of the orthonormal transform.
    p->norm = wp_norm_names[redundant ? WP_NORM_PYWT : WP_NORM_ORTHONORMAL];
    const int taps = bank == WP_BANK_STARLET ? STARLET_TAPS : wavelet.window;
    p->layout = NULL;
    p->backend = p->backend ? p->backend : "cpu";
    if (p->levels == 0 && p->levels_z <= 0) {
        struct wp_transform_params most = *p;
        most.levels = p->levels_z == 0 ? WP_LEVELS_MOST : 0;
        const int levels = default_levels(p, taps, packets);
        if (!wp_transform_resolve(&most, &wavelet, &description))
            return false;
        // Periodic borders have fewer levels than fit.
        p->levels = levels < description.levels || description.levels == 0 ? levels
                                                                           : description.levels;
    }
    if (!wp_transform_resolve(p, &wavelet, &description))
        return false;
    c->wraps = !extends && (description.border == WP_BORDER_PERIODIC ||
                                 description.border == WP_BORDER_PYWT_PERIODIC ||
                                 description.border == WP_BORDER_PYWT_PERIODIZATION);
    c->haar = wavelet.window == 2 && description.border >= WP_BORDER_NATIVE;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        c->levels[a] = a == WP_Z ? description.levels_z : description.levels;
    if (extends)
        choose_margins(c, p, taps);
    return true;
}

// The filters of Haar do not reach beyond the ends of even sizes: every border has the same
// coefficients then, and those of PyWavelets take longer.
void wp_denoise_avoid_border(const struct wp_denoise_choice *c, struct wp_transform_params *p)
{
    const int size[WP_DIMS_MAX] = {p->width, p->height, p->depth};
    bool even = c->haar;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        even = even && (size[a] > 1 ? size[a] % (1LL << c->levels[a]) == 0 : a >= p->rank);
    if (even)
        p->border = wp_border_names[WP_BORDER_SYMMETRIC];
}
