#include "noise.h"

#include "edit_rules.h"
#include "log.h"
#include "operand.h"
#include "transform.h"

#include <string.h>

struct wp_transform_params wp_noise_params(const struct wp_transform_params *given, bool along_z)
{
    struct wp_transform_params p = *given;
    p.wavelet = "haar";
    p.wavelet_data = NULL;
    p.scheme = p.variant = p.bank = NULL;
    p.border = wp_border_names[WP_BORDER_SYMMETRIC];
    p.norm = wp_norm_names[WP_NORM_ORTHONORMAL];
    p.levels = p.levels == WP_LEVELS_NONE ? WP_LEVELS_NONE : 1;
    p.levels_z = p.depth <= 1 ? 0 : along_z ? 1 : WP_LEVELS_NONE;
    p.planes = 1;
    memset(p.batch, 0, sizeof p.batch);
    return p;
}

bool wp_noise_estimate(struct wp_transform *transform, const float *samples, float *coefficients,
                       double *sigma)
{
    const struct wp_description *d = wp_transform_description(transform);
    const struct wp_edit_target target = {d, wp_description_depth(d), 1, coefficients};
    struct wp_edit_bands bands;
    if (!wp_transform_forward(transform, WP_ARRAY(samples), WP_ARRAY(coefficients)) ||
        !wp_edit_bands_make(&target, &bands))
        return false;
    const int finest = wp_edit_noisiest(&bands);
    const bool ok = finest >= 0 && wp_edit_estimate(&bands, finest, 0, sigma);
    wp_edit_bands_free(&bands);
    return ok || wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to estimate the noise of a plane");
}
