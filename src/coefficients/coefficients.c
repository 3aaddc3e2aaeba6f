#include "coefficients.h"

#include "log.h"
#include "output.h"
#include "text.h"

#include <stdlib.h>

static struct wp_write_params write_params(bool overwrite)
{
    return (struct wp_write_params){.overwrite = overwrite, .content = WP_CONTENT_COEFFICIENTS};
}

bool wp_coefficients_write_check(const char *path, int planes, int depth, bool overwrite)
{
    const struct wp_write_params params = write_params(overwrite);
    char *beside = wp_sidecar_path(path);
    const bool ok = wp_image_write_check_volume(path, planes, depth, &params) &&
                    (!beside || wp_output_check(beside, overwrite));
    free(beside);
    return ok;
}

bool wp_coefficients_write(const struct wp_image *coefficients, const struct wp_sidecar *sidecar,
                           const char *path, bool overwrite)
{
    const struct wp_write_params params = write_params(overwrite);
    char *beside = wp_sidecar_path(path);
    if (!beside) {
        wp_log(WP_LOG_VERBOSE, "no sidecar: coefficients on stdout have no name to put it beside");
        return wp_image_write(coefficients, path, &params);
    }
    struct wp_sidecar complete = *sidecar;
    complete.planes = coefficients->planes;
    complete.alpha = coefficients->alpha;
    complete.source_bits = coefficients->source_bits;
    complete.depth = coefficients->depth;
    complete.geometry = coefficients->geometry;
    complete.gop = sidecar->gop < complete.depth ? sidecar->gop : 0;
    // All of the description is on disk before the coefficients get their name, and gets its own
    // right after them.
    struct wp_output *output = wp_output_open(beside, overwrite);
    const bool ok = output && wp_sidecar_write(&complete, beside, output) &&
                    wp_image_write(coefficients, path, &params) && wp_output_commit(&output);
    wp_output_discard(&output);
    free(beside);
    return ok;
}

static bool fits(const struct wp_sidecar *s, const char *path, const struct wp_image *coefficients)
{
    if (s->width != coefficients->width || s->height != coefficients->height)
        return wp_fail(WP_ERROR_FILE, "%s describes %dx%d, but the coefficients have %dx%d", path,
                       s->width, s->height, coefficients->width, coefficients->height);
    if (s->depth != coefficients->depth)
        return wp_fail(WP_ERROR_FILE, "%s describes %d slice%s, but the coefficients have %d", path,
                       s->depth, WP_PLURAL(s->depth), coefficients->depth);
    if (s->planes != coefficients->planes)
        return wp_fail(WP_ERROR_FILE, "%s describes %d plane%s, but the coefficients have %d", path,
                       s->planes, s->planes == 1 ? "" : "s", coefficients->planes);
    return true;
}

struct wp_image *wp_coefficients_read(const char *path, const struct wp_read_params *given,
                                      struct wp_sidecar *sidecar, bool *described,
                                      size_t *nonfinite)
{
    char *beside = wp_sidecar_path(path);
    struct wp_image *image = NULL;
    struct wp_read_params params = *given;
    *described = false;
    if (!beside || wp_sidecar_read(beside, sidecar, described)) {
        if (*described)
            params.volume = sidecar->depth > 1 ? WP_VOLUME_YES : WP_VOLUME_NO;
        image = wp_image_read_with(path, &params, nonfinite);
    }
    if (image && *described) {
        image->alpha = sidecar->alpha;
        image->source_bits = sidecar->source_bits;
        image->geometry = sidecar->geometry;
        if (!fits(sidecar, beside, image))
            wp_image_destroy(&image);
    }
    free(beside);
    return image;
}
