#include "image_io.h"

#include <stdlib.h>

#include "memory.h"
#include "tiff_io.h"

static void set_type(TIFF *tiff, enum wp_stored stored)
{
    const bool small = stored == WP_STORED_U8 || stored == WP_STORED_I8;
    const bool medium = stored == WP_STORED_U16 || stored == WP_STORED_I16;
    const bool is_unsigned = stored == WP_STORED_U8 || stored == WP_STORED_U16;
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, small ? 8 : medium ? 16 : 32);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
                 stored == WP_STORED_FLOAT ? SAMPLEFORMAT_IEEEFP
                 : is_unsigned             ? SAMPLEFORMAT_UINT
                                           : SAMPLEFORMAT_INT);
}

static void set_tags(TIFF *tiff, const struct wp_image *image, int page, enum wp_stored stored)
{
    const int colour = image->planes >= 3 ? 3 : 1;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)image->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)image->height);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, image->planes);
    set_type(tiff, stored);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 colour == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    if (image->planes > colour) {
        const uint16_t kind = image->alpha ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_UNSPECIFIED;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0));
    if (image->depth > 1)
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
    if (image->depth > 1 && image->depth <= UINT16_MAX)
        TIFFSetField(tiff, TIFFTAG_PAGENUMBER, page, image->depth);
}

static bool write_pages(TIFF *tiff, const struct wp_image *image, enum wp_stored stored)
{
    const size_t count = (size_t)image->width * (size_t)image->planes;
    float *row = wp_allocate(count, sizeof *row, "a row of a TIFF");
    if (!row)
        return false;
    bool ok = true;
    const size_t height = (size_t)image->height;
    for (int z = 0; z < image->depth && ok; z++) {
        set_tags(tiff, image, z, stored);
        for (size_t y = 0; y < height && ok; y++) {
            wp_image_interleave_row(image, (size_t)z * height + y, row);
            wp_stored_pack(row, count, stored);
            ok = TIFFWriteScanline(tiff, row, (uint32_t)y, 0) == 1;
        }
        if (z + 1 < image->depth) // closing writes the last directory
            ok = ok && TIFFWriteDirectory(tiff) == 1;
    }
    free(row);
    return true;
}

bool wp_write_tiff(const struct wp_image *image, const char *path, FILE *stream,
                   enum wp_stored stored)
{
    struct wp_tiff_errors errors;
    struct wp_tiff_told told = {0};
    wp_tiff_errors_begin(&errors, path, &told);
    // BigTIFF where 32-bit offsets do not reach.
    const double bytes = (double)wp_image_samples(image) * image->planes * 4.0;
    TIFF *tiff = wp_tiff_open_stream(stream, bytes < 4e9 ? "w" : "w8");
    bool ok = true;
    if (tiff) {
        ok = write_pages(tiff, image, stored);
        TIFFClose(tiff);
    }
    wp_tiff_errors_end(&errors);
    if (ok && errors.message[0] && !ferror(stream))
        ok = wp_fail(errors.is_short ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE, "cannot write %s (%s)", path, errors.message);
    return ok;
}
