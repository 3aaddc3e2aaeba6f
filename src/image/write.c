// Writes an image to a file: selects the writer by the suffix. The file appears complete or not at
// all.
#include "image_io.h"

#include "sidecar_path.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum format {
    FORMAT_PNG,
    FORMAT_NPY,
    FORMAT_PFM,
    FORMAT_TIFF,
    FORMAT_EXR,
    FORMAT_NIFTI,
    FORMAT_NIFTI_ZIPPED,
    FORMAT_Y4M,
    FORMAT_NONE
};

static const struct {
    const char *suffix;
    enum format format;
} suffixes[] = {
    {".png", FORMAT_PNG},  {".npy", FORMAT_NPY},  {".pfm", FORMAT_PFM},
    {".tiff", FORMAT_TIFF}, {".tif", FORMAT_TIFF}, {".exr", FORMAT_EXR},
    {".nii", FORMAT_NIFTI}, {".nii.gz", FORMAT_NIFTI_ZIPPED}, {".y4m", FORMAT_Y4M},
};

static enum format find_format(const char *path)
{
    if (strcmp(path, "-") == 0)
        return FORMAT_NPY;
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const size_t suffix = strlen(suffixes[i].suffix);
        if (length > suffix && strcasecmp(path + length - suffix, suffixes[i].suffix) == 0)
            return suffixes[i].format;
    }
    return FORMAT_NONE;
}

// Lists the suffixes for the content, for messages.
static const char *list_suffixes(int depth, enum wp_content content)
{
    const bool picture = content == WP_CONTENT_PICTURE;
    if (depth > 1)
        return picture ? WP_VOLUME_WRITES : WP_VOLUME_WRITES_COEFFICIENTS;
    return picture ? WP_IMAGE_WRITES : WP_IMAGE_WRITES_COEFFICIENTS;
}

bool wp_write_file_check(const char *path, int planes, int depth,
                         const struct wp_write_params *params)
{
    const enum format format = find_format(path);
    const bool picture = params->content == WP_CONTENT_PICTURE;
    const char *suffixes_for = list_suffixes(depth, params->content);
    if (format == FORMAT_NONE)
        return wp_fail(WP_ERROR_FILE, "cannot write %s (unknown suffix)\nhint: use %s", path,
                       suffixes_for);
    if (depth > 1 && (format == FORMAT_PNG || format == FORMAT_PFM || format == FORMAT_EXR))
        return wp_fail(WP_ERROR_FILE, "%s cannot hold a volume (%d slices)\nhint: use %s", path,
                       depth, suffixes_for);
    if (format == FORMAT_PNG && !picture)
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold coefficients (signed 32-bit float)\nhint: use %s",
                       path, suffixes_for);
    if (format == FORMAT_Y4M && !picture)
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold coefficients (signed 32-bit float)\nhint: use %s", path,
                       suffixes_for);
    if (planes != 1 &&
        (format == FORMAT_NIFTI || format == FORMAT_NIFTI_ZIPPED || format == FORMAT_Y4M))
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold %d planes (%s has 1)\nhint: use .npy or .tiff", path,
                       planes, format == FORMAT_Y4M ? "Y4M" : "NIfTI");
    if (format == FORMAT_PFM && planes != 1 && planes != 3)
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold %d planes (PFM has 1 or 3)\nhint: use .npy or .tiff", path,
                       planes);
    if (params->depth != 0 && params->depth != 8 && params->depth != 16)
        return wp_fail(WP_ERROR_USAGE, "invalid depth %d (PNG supports 8 and 16 bits)",
                       params->depth);
    return wp_output_check(path, params->overwrite);
}

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
    const enum format format = find_format(path);
    switch (format) {
    case FORMAT_PNG:
        ok = wp_write_png(image, path, stream, params);
        break;
    case FORMAT_NPY:
    case FORMAT_PFM:
    case FORMAT_TIFF:
        ok = wp_write_rows(image, path, stream, params->stored);
        break;
    case FORMAT_EXR:
        ok = wp_write_exr(image, path, stream, params->stored);
        break;
    case FORMAT_NIFTI:
    case FORMAT_NIFTI_ZIPPED:
        ok = wp_write_nifti(image, path, params->note, stream, format == FORMAT_NIFTI_ZIPPED);
        break;
    case FORMAT_Y4M:
        ok = wp_write_y4m(image, stream);
        break;
    case FORMAT_NONE:
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
