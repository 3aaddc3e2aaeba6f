#include "tiff_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "tiff_io.h"
#include "xmemory.h"

static void set_tags(TIFF *tiff, const struct wp_image *image, int page, enum wp_stored stored)
{
    wp_tiff_set_samples(tiff, image->width, image->height, image->planes, image->alpha, stored);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
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

// Reports an error of libtiff, except if the stream has one, which the caller reports. `ok` is
// libtiff's result. False after any error.
static bool check_errors(struct wp_tiff_rows *rows, bool ok)
{
    const struct wp_tiff_errors *errors = &rows->errors;
    if (!rows->failed && (errors->message[0] || !ok) && !ferror(rows->stream)) {
        rows->failed = true;
        return wp_fail(errors->out_of_memory ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE,
                       "cannot write %s (%s)", rows->path,
                       errors->message[0] ? errors->message : "write error");
    }
    return ok && !rows->failed;
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
    if (!check_errors(rows, true))
        wp_tiff_rows_discard(&rows);
    return rows;
}

// Begins a page if the row is its first one. Closing writes the last directory.
static bool begin_page(struct wp_tiff_rows *rows, size_t row)
{
    const size_t height = (size_t)rows->shape.height;
    if (row == 0 || row % height > 0)
        return true;
    const bool ok = TIFFWriteDirectory(rows->tiff) == 1;
    if (ok)
        set_tags(rows->tiff, &rows->shape, (int)(row / height), rows->stored);
    return ok;
}

bool wp_tiff_rows_write(struct wp_tiff_rows *rows, float *pixels, size_t row)
{
    const size_t count = (size_t)rows->shape.width * (size_t)rows->shape.planes;
    const uint32_t y = (uint32_t)(row % (size_t)rows->shape.height);
    wp_tiff_errors_begin(&rows->errors);
    wp_stored_pack(pixels, count, rows->stored);
    const bool ok = rows->tiff && begin_page(rows, row) &&
                    TIFFWriteScanline(rows->tiff, pixels, y, 0) == 1;
    wp_tiff_errors_end(&rows->errors);
    return check_errors(rows, ok);
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
    return check_errors(rows, ok);
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
    return check_errors(rows, true);
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
