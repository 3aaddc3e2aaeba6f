// Formats of output files: by the suffix, with what they can hold.
#include "image_io.h"

#include "output.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *suffix;
    enum wp_format format;
} suffixes[] = {
    {".png", WP_FORMAT_PNG},  {".npy", WP_FORMAT_NPY},  {".pfm", WP_FORMAT_PFM},
    {".tiff", WP_FORMAT_TIFF}, {".tif", WP_FORMAT_TIFF}, {".exr", WP_FORMAT_EXR},
    {".nii", WP_FORMAT_NIFTI}, {".nii.gz", WP_FORMAT_NIFTI_ZIPPED}, {".y4m", WP_FORMAT_Y4M},
};

enum wp_format wp_format_of(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const size_t suffix = strlen(suffixes[i].suffix);
        if (length > suffix && strcasecmp(path + length - suffix, suffixes[i].suffix) == 0)
            return suffixes[i].format;
    }
    return WP_FORMAT_NONE;
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
    const enum wp_format format = strcmp(path, "-") == 0 ? WP_FORMAT_NPY : wp_format_of(path);
    const bool picture = params->content == WP_CONTENT_PICTURE;
    const char *suffixes_for = list_suffixes(depth, params->content);
    if (format == WP_FORMAT_NONE)
        return wp_fail(WP_ERROR_FILE, "cannot write %s (unknown suffix)\nhint: use %s", path,
                       suffixes_for);
    if (depth > 1 &&
        (format == WP_FORMAT_PNG || format == WP_FORMAT_PFM || format == WP_FORMAT_EXR))
        return wp_fail(WP_ERROR_FILE, "%s cannot hold a volume (%d slices)\nhint: use %s", path,
                       depth, suffixes_for);
    if ((format == WP_FORMAT_PNG || format == WP_FORMAT_Y4M) && !picture)
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold coefficients (signed 32-bit float)\nhint: use %s", path,
                       suffixes_for);
    if (planes != 1 &&
        (format == WP_FORMAT_NIFTI || format == WP_FORMAT_NIFTI_ZIPPED || format == WP_FORMAT_Y4M))
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold %d planes (%s has 1)\nhint: use .npy or .tiff", path,
                       planes, format == WP_FORMAT_Y4M ? "Y4M" : "NIfTI");
    if (format == WP_FORMAT_PFM && planes != 1 && planes != 3)
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold %d planes (PFM has 1 or 3)\nhint: use .npy or .tiff", path,
                       planes);
    if (params->depth != 0 && params->depth != 8 && params->depth != 16)
        return wp_fail(WP_ERROR_USAGE, "invalid depth %d (PNG supports 8 and 16 bits)",
                       params->depth);
    return wp_output_check(path, params->overwrite);
}
