#include "forward_parts.h"

#include "command.h"
#include "memory.h"
#include "transform.h"
#include "wavepass.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>

void wp_forward_warn_of_infinity(const struct wp_flow *f)
{
    if (isinf(f->max_error))
        wp_log(WP_LOG_WARNING, "the image's values are too large for %d-bit samples: some are not "
                               "finite after the round trip"
                               "\nhint: scale the image",
               wp_transform_description(f->transform)->precision == WP_PRECISION_F16 ? 16 : 32);
}

// Row `i` of all planes of the image, as samples that were transformed. `scratch`: one row.
static const float *image_row(const struct wp_flow *f, size_t i, float *scratch)
{
    const size_t rows = wp_image_samples(f->image) / (size_t)f->image->width;
    return wp_image_row(f->image, (int)(i / rows), i % rows, f->params->reversible, scratch);
}

// Number of rows of all planes but alpha.
static size_t image_rows(const struct wp_image *image)
{
    return wp_image_samples(image) / (size_t)image->width * (size_t)wp_image_colour_planes(image);
}

// Rejects a round-trip error above 5 % of the largest sample. Rounding errors are much smaller; a
// driver that is out of memory may skip a draw without reporting an error.
static bool check_restored(const struct wp_flow *f, float *scratch)
{
    const struct wp_forward_options *o = f->options;
    const size_t width = (size_t)f->image->width, rows = image_rows(f->image);
    const double least = isfinite(f->max_error) ? f->max_error / 0.05 : 0;
    for (size_t i = 0; i < rows; i++) {
        const float *row = image_row(f, i, scratch);
        for (size_t x = 0; x < width; x++)
            if (fabs((double)row[x]) >= least)
                return true;
    }
    const bool halves = o->half || wp_transform_description(f->transform)->precision ==
                                       WP_PRECISION_F16;
    return wp_fail(WP_ERROR_MISMATCH,
                   "the coefficients do not reconstruct the image (max|err| %.2g)"
                   "\nhint: %s", f->max_error,
                   halves && f->max_error < 0x1p-14
                       ? "its values are too small for 16-bit floats: scale it, or use 32 bits"
                       : "'wavepass verify' checks the backends of this machine");
}

// Inverts the transform to `restored` and sets max_error.
static bool restore(struct wp_flow *f, struct wp_transform *transform, float *restored)
{
    if (!wp_transform_inverse(transform, WP_ARRAY(f->coefficients->plane[0]), WP_ARRAY(restored)))
        return false;
    const size_t width = (size_t)f->image->width, rows = image_rows(f->image);
    float *scratch = wp_xmalloc(width * sizeof *scratch);
    f->max_error = 0;
    for (size_t i = 0; i < rows; i++)
        f->max_error = fmax(f->max_error, wp_run_difference(restored + i * width,
                                                            image_row(f, i, scratch), width));
    wp_log(WP_LOG_VERBOSE, "round trip checked");
    wp_forward_warn_of_infinity(f);
    const bool ok = check_restored(f, scratch);
    free(scratch);
    return ok;
}

// With many images, the inverse has its own transform, since a transform that changes direction
// reallocates its buffers.
bool wp_forward_check(struct wp_flow *f)
{
    const struct wp_forward_options *o = f->options;
    const int planes = wp_image_colour_planes(f->image);
    if (f->values.nonfinite || !o->check)
        return true;
    wp_progress("checking %d plane%s", planes, WP_PLURAL(planes));
    enum wp_chosen_by by;
    struct wp_transform *transform =
        f->single ? f->transform
                  : wp_transform_cache_get(f->cache, f->params, f->image, WP_INVERSE, 0, &by);
    float *restored = transform ? wp_allocate_pages(wp_image_samples(f->image) * (size_t)planes,
                                                    sizeof *restored, "the reconstructed image")
                                : NULL;
    const bool ok = restored && restore(f, transform, restored);
    free(restored);
    return ok;
}
