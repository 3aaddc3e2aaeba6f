#include "tiff_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "tiff_io.h"
#include "xmemory.h"

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

struct wp_tiff_rows {
    TIFF *tiff;
    const char *path;
    FILE *stream;
    struct wp_image shape;
    enum wp_stored stored;
    struct wp_tiff_errors errors;
    bool failed; // an error other than of the stream was reported
};

// Reports an error of libtiff, except if the stream has one, which the caller reports.
static bool check_errors(struct wp_tiff_rows *rows)
{
    const struct wp_tiff_errors *errors = &rows->errors;
    if (!rows->failed && errors->message[0] && !ferror(rows->stream)) {
        rows->failed = true;
        return wp_fail(errors->out_of_memory ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE,
                       "cannot write %s (%s)", rows->path, errors->message);
    }
    return !rows->failed;
}

struct wp_tiff_rows *wp_tiff_rows_create(const struct wp_image *shape, const char *path,
                                         FILE *stream, enum wp_stored stored)
{
    struct wp_tiff_rows *rows = wp_xcalloc(1, sizeof *rows);
    *rows = (struct wp_tiff_rows){.path = path, .stream = stream, .shape = *shape,
                                  .stored = stored, .errors = {.name = path}};
    wp_tiff_errors_begin(&rows->errors);
    // BigTIFF if 32-bit offsets may not suffice.
    const double bytes = (double)wp_image_samples(shape) * shape->planes * 4.0;
    rows->tiff = wp_tiff_open_stream(stream, bytes < 4e9 ? "w" : "w8");
    if (rows->tiff)
        set_tags(rows->tiff, shape, 0, stored);
    wp_tiff_errors_end(&rows->errors);
    if (!check_errors(rows))
        wp_tiff_rows_discard(&rows);
    return rows;
}

static bool write_row(struct wp_tiff_rows *rows, float *pixels, int y)
{
    const size_t count = (size_t)rows->shape.width * (size_t)rows->shape.planes;
    wp_stored_pack(pixels, count, rows->stored);
    return rows->tiff && TIFFWriteScanline(rows->tiff, pixels, (uint32_t)y, 0) == 1;
}

static bool cannot_write(const struct wp_tiff_rows *rows)
{
    return wp_fail(wp_error_of_errno(), "cannot write %s (%s)", rows->path,
                   errno ? strerror(errno) : "write error");
}

bool wp_tiff_rows_write(struct wp_tiff_rows *rows, float *pixels, int y)
{
    wp_tiff_errors_begin(&rows->errors);
    const bool ok = write_row(rows, pixels, y);
    wp_tiff_errors_end(&rows->errors);
    return check_errors(rows) && (ok || cannot_write(rows));
}

static bool reserve(struct wp_tiff_rows *rows)
{
    static unsigned char dummy[1];
    const uint32_t strips = TIFFNumberOfStrips(rows->tiff), height = (uint32_t)rows->shape.height;
    uint32_t strip_rows = height;
    bool ok = true;
    TIFFGetField(rows->tiff, TIFFTAG_ROWSPERSTRIP, &strip_rows);
    wp_tiff_begin_reserve(rows->stream);
    for (uint32_t s = 0, y = 0; s < strips && ok; s++, y += strip_rows) {
        const tmsize_t bytes =
            TIFFVStripSize(rows->tiff, height - y < strip_rows ? height - y : strip_rows);
        ok = TIFFWriteRawStrip(rows->tiff, s, dummy, bytes) == bytes;
    }
    return wp_tiff_end_reserve() && ok;
}

bool wp_tiff_rows_reserve(struct wp_tiff_rows *rows, unsigned long long *first)
{
    wp_tiff_errors_begin(&rows->errors);
    const bool ok = reserve(rows);
    *first = ok ? TIFFGetStrileOffset(rows->tiff, 0) : 0;
    wp_tiff_errors_end(&rows->errors);
    return check_errors(rows) && (ok || cannot_write(rows));
}

// Closes the file. If the stream has failed, errno is preserved.
static bool close_tiff(struct wp_tiff_rows *rows)
{
    const int earlier = errno;
    wp_tiff_errors_begin(&rows->errors);
    if (rows->tiff)
        TIFFClose(rows->tiff);
    rows->tiff = NULL;
    wp_tiff_errors_end(&rows->errors);
    errno = errno ? errno : earlier;
    return check_errors(rows);
}

bool wp_tiff_rows_end(struct wp_tiff_rows **slot)
{
    const bool ok = close_tiff(*slot);
    free(*slot);
    *slot = NULL;
    return ok;
}

void wp_tiff_rows_discard(struct wp_tiff_rows **slot)
{
    struct wp_tiff_rows *rows = *slot;
    *slot = NULL;
    if (!rows)
        return;
    rows->failed = true; // suppresses messages
    close_tiff(rows);
    free(rows);
}

static void write_pages(struct wp_tiff_rows *rows, const struct wp_image *image, float *row)
{
    bool ok = true;
    const size_t height = (size_t)image->height;
    for (int z = 0; z < image->depth && ok; z++) {
        if (z > 0)
            set_tags(rows->tiff, image, z, rows->stored);
        for (size_t y = 0; y < height && ok; y++) {
            wp_image_interleave_row(image, (size_t)z * height + y, row);
            ok = write_row(rows, row, (int)y);
        }
        if (z + 1 < image->depth) // closing writes the last directory
            ok = ok && TIFFWriteDirectory(rows->tiff) == 1;
    }
}

// Write errors of the stream are not reported: the caller checks ferror().
bool wp_write_tiff(const struct wp_image *image, const char *path, FILE *stream,
                   enum wp_stored stored)
{
    struct wp_tiff_rows *rows = wp_tiff_rows_create(image, path, stream, stored);
    float *row = rows ? wp_allocate((size_t)image->width * (size_t)image->planes, sizeof *row,
                                    "a row of a TIFF")
                      : NULL;
    if (row) {
        wp_tiff_errors_begin(&rows->errors);
        write_pages(rows, image, row);
        wp_tiff_errors_end(&rows->errors);
    }
    bool ok = row && check_errors(rows);
    free(row);
    ok = ok && wp_tiff_rows_end(&rows);
    wp_tiff_rows_discard(&rows);
    return ok;
}
