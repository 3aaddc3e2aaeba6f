// Formats whose libraries this build does not have.
#include "image_io.h"

#ifdef WP_EXR_MISSING
static const char exr_hint[] = "build wavepass where Debian's libopenexr-dev is installed";

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
                   "this build cannot read FITS (%s)\nhint: build wavepass where Debian's "
                   "libcfitsio-dev is installed",
                   WP_FITS_MISSING);
    return NULL;
}
#endif
