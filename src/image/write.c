// Writes an image to a file: selects the writer by the suffix. The file appears complete or not at
// all.
#include "image_io.h"

#include "output.h"
#include "sidecar_path.h"

#include <stdlib.h>

bool wp_write_file(const struct wp_image *image, const char *path,
                   const struct wp_write_params *params)
{
    if (!wp_write_file_check(path, image->planes, image->depth, params))
        return false;
    struct wp_output *output = wp_output_open(path, params->overwrite);
    if (!output)
        return false;
    wp_output_on_replace(output, wp_sidecar_path_remove);
    FILE *stream = wp_output_stream(output);
    bool ok = true;
    const enum wp_format format = wp_format_of(path);
    switch (format) {
    case WP_FORMAT_PNG:
        ok = wp_write_png(image, path, stream, params);
        break;
    case WP_FORMAT_NONE: // "-"
    case WP_FORMAT_NPY:
    case WP_FORMAT_PFM:
    case WP_FORMAT_TIFF:
        ok = wp_write_rows(image, path, stream, params->stored);
        break;
    case WP_FORMAT_EXR:
        ok = wp_write_exr(image, path, stream, params->stored);
        break;
    case WP_FORMAT_NIFTI:
    case WP_FORMAT_NIFTI_ZIPPED:
        ok = wp_write_nifti(image, path, params->note, stream, format == WP_FORMAT_NIFTI_ZIPPED);
        break;
    case WP_FORMAT_Y4M:
        ok = wp_write_y4m(image, stream);
        break;
    }
    if (ok)
        return wp_output_commit_pair(&output, params->first);
    wp_output_discard(&output);
    return false;
}

unsigned char *wp_image_encode_png(const struct wp_image *image, size_t *size)
{
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, size);
    if (!stream) {
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for a picture");
        return NULL;
    }
    const struct wp_write_params params = {.depth = 8};
    bool ok = wp_write_png(image, "a picture in memory", stream, &params);
    if (ok && ferror(stream))
        ok = wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for a picture");
    // If memory was exhausted, fclose() may succeed without a buffer.
    if ((fclose(stream) != 0 || !bytes) && ok)
        ok = wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for a picture");
    if (!ok) {
        free(bytes);
        return NULL;
    }
    return (unsigned char *)bytes;
}
