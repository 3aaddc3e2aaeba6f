#include "noise.h"

#include "edit_rules.h"
#include "log.h"
#include "memory.h"
#include "operand.h"
#include "transform.h"

#include <stdlib.h>
#include <string.h>

struct wp_transform_params wp_noise_params(const struct wp_transform_params *given, bool along_z)
{
    struct wp_transform_params p = *given;
    if (!p.bank || strcmp(p.bank, wp_bank_names[WP_BANK_PACKETS]) != 0) {
        p.wavelet = "haar";
        p.wavelet_data = NULL;
        p.border = wp_border_names[WP_BORDER_SYMMETRIC];
    }
    p.scheme = p.variant = p.bank = p.tree = NULL;
    p.norm = wp_norm_names[WP_NORM_ORTHONORMAL];
    p.levels = p.levels == WP_LEVELS_NONE ? WP_LEVELS_NONE : 1;
    p.levels_z = p.depth <= 1 ? 0 : along_z ? 1 : WP_LEVELS_NONE;
    p.planes = 1;
    memset(p.batch, 0, sizeof p.batch);
    return p;
}

bool wp_noise_gain(struct wp_transform *transform, double *gain)
{
    const struct wp_description *d = wp_transform_description(transform);
    const int bands = wp_subband_count(d);
    double *gains = wp_allocate((size_t)bands, sizeof *gains, "gains of noise");
    const bool ok = gains && wp_edit_noise_gains(d, gains);
    // The last band is that of the diagonal details. Filters of two taps have rounding errors.
    *gain = ok && d->wavelet->window > 2 ? gains[bands - 1] : 1;
    free(gains);
    return ok;
}

bool wp_noise_estimate(struct wp_transform *transform, const float *samples, float *coefficients,
                       double gain, double *sigma)
{
    const struct wp_description *d = wp_transform_description(transform);
    const struct wp_edit_target target = {d, wp_description_depth(d), 1, coefficients};
    struct wp_edit_bands bands;
    if (!wp_transform_forward(transform, WP_ARRAY(samples), WP_ARRAY(coefficients)) ||
        !wp_edit_bands_make(&target, &bands))
        return false;
    const int finest = wp_edit_noisiest(&bands);
    const bool ok = finest >= 0 && wp_edit_estimate(&bands, finest, 0, sigma);
    *sigma = ok ? *sigma / gain : 0;
    wp_edit_bands_free(&bands);
    return ok || wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to estimate the noise of a plane");
}
