// Replacements for readers and writers of formats whose libraries the build lacks.
#include "image_io.h"

#ifdef WP_EXR_MISSING
static const char exr_hint[] = "install OpenEXR's C headers (Debian: libopenexr-dev) and rebuild";

struct wp_image *wp_read_exr(const struct wp_source *source)
{
    wp_source_fail(source, "this build cannot read EXR (%s)\nhint: %s", WP_EXR_MISSING, exr_hint);
    return NULL;
}

bool wp_write_exr(const struct wp_image *image, const char *path, FILE *stream,
                  enum wp_stored stored)
{
    (void)image, (void)stream, (void)stored;
    return wp_fail(WP_ERROR_FILE, "cannot write %s: this build has no EXR (%s)\nhint: %s", path,
                   WP_EXR_MISSING, exr_hint);
}
#endif

#ifdef WP_FITS_MISSING
struct wp_image *wp_read_fits(const struct wp_source *source)
{
    wp_source_fail(source,
                   "this build cannot read FITS (%s)\nhint: install CFITSIO's headers (Debian: "
                   "libcfitsio-dev) and rebuild",
                   WP_FITS_MISSING);
    return NULL;
}
#endif
