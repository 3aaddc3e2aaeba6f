// Writes an image or volume to one file or to an image sequence.
#include "frames.h"
#include "image_io.h"
#include "log.h"

bool wp_image_write_check(const char *path, int planes, const struct wp_write_params *params)
{
    return wp_image_write_check_volume(path, planes, 1, params);
}

bool wp_image_write_check_volume(const char *path, int planes, int depth,
                                 const struct wp_write_params *params)
{
    return depth > 1 && wp_frames_is_sequence(path)
               ? wp_frames_check(path, planes, depth, params)
               : wp_write_file_check(path, planes, depth, params);
}

bool wp_image_write_check_size(const char *path, int width, int height, int depth)
{
    return (width <= WP_IMAGE_MAX_SIDE && height <= WP_IMAGE_MAX_SIDE &&
            depth <= WP_IMAGE_MAX_SIDE) ||
           wp_fail(WP_ERROR_TOO_LARGE, "%s: %dx%dx%d samples could not be read again (the limit is %d "
                                       "per side)"
                                       "\nhint: fewer levels; coefficients in a .npz, which has an "
                                       "array for each subband",
                   path, width, height, depth, WP_IMAGE_MAX_SIDE);
}

static bool write_frames(const struct wp_image *volume, const char *path,
                         const struct wp_write_params *params)
{
    struct wp_frames_output *output =
        wp_frames_create(path, volume->planes, volume->depth, params);
    bool ok = output != NULL;
    for (int z = 0; z < volume->depth && ok; z++) {
        const struct wp_image slice = wp_image_slice(volume, z);
        ok = wp_frames_write(output, &slice);
    }
    if (ok)
        return wp_frames_commit(&output, params->first);
    wp_frames_discard(&output);
    return false;
}

bool wp_image_write(const struct wp_image *image, const char *path,
                    const struct wp_write_params *params)
{
    if (!wp_image_write_check_size(path, image->width, image->height, image->depth))
        return false;
    return image->depth > 1 && wp_frames_is_sequence(path) ? write_frames(image, path, params)
                                                           : wp_write_file(image, path, params);
}
