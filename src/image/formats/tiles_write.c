#include "sidecar_path.h"
#include "image_io.h"
#include "memory.h"
#include "output.h"
#include "tiff_io.h"
#include "tiff_tiles.h"
#include "xmemory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A row of tiles of one plane, which is written when it is complete.
struct band {
    int first; // number of its first row; -1: empty
    int rows;  // number of rows it has
    float *data;
};

struct page {
    struct wp_tiles_page info;
    size_t columns; // rounded up to complete tiles
    uint64_t directory;
    unsigned long long first; // byte offset of the first tile, if space is reserved
    // By plane. If rows are rotated, the first rows may belong to an incomplete row of tiles, which
    // waits for the last rows.
    struct band *band, *waiting;
};

struct wp_tiles_output {
    char *path;
    struct wp_output *file;
    TIFF *tiff;
    struct wp_tiff_errors errors;
    struct wp_tiles_params params;
    struct page *page;
    int current;  // page of libtiff's current directory
    float *tile;
};

static size_t columns_of(const struct wp_tiles_page *page, int tile)
{
    return ((size_t)page->width + (size_t)tile - 1) / (size_t)tile * (size_t)tile;
}

size_t wp_tiles_memory(const struct wp_tiles_params *params)
{
    size_t floats = (size_t)params->width;
    for (int i = 0; i < params->pages; i++)
        floats += columns_of(&params->page[i], params->width) * (size_t)params->page[i].planes *
                  (params->rotated ? 2 : 1);
    return floats * (size_t)params->height * sizeof(float);
}

// Reports the stream's error (errno) if it has one, else libtiff's.
static bool fail_write(const struct wp_tiles_output *o)
{
    const bool stream = ferror(wp_output_stream(o->file));
    return wp_fail(!stream && o->errors.out_of_memory ? WP_ERROR_TOO_LARGE
                   : stream                    ? wp_error_of_errno()
                                               : WP_ERROR_FILE,
                   "cannot write %s (%s)", o->path,
                   stream                ? strerror(errno ? errno : EIO)
                   : o->errors.message[0] ? o->errors.message
                                        : "write error");
}

static void set_tags(TIFF *tiff, const struct wp_tiles_params *params, int number)
{
    const struct wp_tiles_page *page = &params->page[number];
    wp_tiff_set_samples(tiff, page->width, page->height, page->planes, false,
                        params->integers ? WP_STORED_I32 : WP_STORED_FLOAT);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_SEPARATE);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION,
                 params->deflate ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, (uint32_t)params->width);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, (uint32_t)params->height);
    TIFFSetField(tiff, TIFFTAG_PAGENAME, page->name);
    TIFFSetField(tiff, TIFFTAG_PAGENUMBER, number, params->pages);
}

// Writes all directories first, so that pages can be written alternately; the positions of tiles
// are set later. libtiff requires to defer and then force the writing of these arrays.
static bool write_directories(struct wp_tiles_output *o)
{
    const struct wp_tiles_params *params = &o->params;
    bool ok = true;
    for (int i = 0; i < params->pages && ok; i++) {
        set_tags(o->tiff, params, i);
        ok = TIFFDeferStrileArrayWriting(o->tiff) == 1 &&
             TIFFWriteCheck(o->tiff, 1, "directory") == 1 && !o->errors.message[0] &&
             TIFFWriteDirectory(o->tiff) == 1 && !o->errors.message[0];
    }
    for (int i = 0; i < params->pages && ok; i++) {
        ok = TIFFSetDirectory(o->tiff, (uint16_t)i) == 1 && !o->errors.message[0] &&
             TIFFForceStrileArrayWriting(o->tiff) == 1 && !o->errors.message[0];
        o->page[i].directory = TIFFCurrentDirOffset(o->tiff);
        o->current = i;
    }
    return ok;
}

// Reserves space for all tiles: writes them without their bytes.
static bool reserve(struct wp_tiles_output *o)
{
    static unsigned char dummy[1];
    const tmsize_t bytes = TIFFTileSize(o->tiff);
    bool ok = true;
    for (int i = 0; i < o->params.pages && ok; i++) {
        struct page *page = &o->page[i];
        ok = o->current == i || TIFFSetSubDirectory(o->tiff, page->directory) == 1;
        o->current = i;
        const uint32_t tiles = ok ? TIFFNumberOfTiles(o->tiff) : 0;
        wp_tiff_begin_reserve(wp_output_stream(o->file));
        for (uint32_t t = 0; t < tiles && ok; t++)
            ok = TIFFWriteRawTile(o->tiff, t, dummy, bytes) == bytes;
        ok = wp_tiff_end_reserve() && ok;
        page->first = ok ? TIFFGetStrileOffset(o->tiff, 0) : 0;
        ok = ok && TIFFFlush(o->tiff) == 1 && !o->errors.message[0];
    }
    return ok && fflush(wp_output_stream(o->file)) == 0;
}

struct wp_output *wp_tiles_file(const struct wp_tiles_output *o)
{
    return o->file;
}

unsigned long long wp_tiles_first(const struct wp_tiles_output *o, int page)
{
    return o->page[page].first;
}

static struct band *create_bands(size_t columns, int height, int planes)
{
    struct band *band = wp_xcalloc((size_t)planes, sizeof *band);
    for (int p = 0; p < planes; p++) {
        band[p].first = -1;
        band[p].data = wp_allocate(columns * (size_t)height, sizeof *band->data, "a row of tiles");
    }
    return band;
}

static bool are_allocated(const struct band *band, int planes)
{
    for (int p = 0; p < planes; p++)
        if (!band[p].data)
            return false;
    return true;
}

static bool allocate(struct wp_tiles_output *o)
{
    const struct wp_tiles_params *params = &o->params;
    bool ok = true;
    for (int i = 0; i < params->pages && ok; i++) {
        struct page *page = &o->page[i];
        page->info = params->page[i];
        page->columns = columns_of(&page->info, params->width);
        if (params->reserved)
            continue;
        page->band = create_bands(page->columns, params->height, page->info.planes);
        ok = are_allocated(page->band, page->info.planes);
        if (ok && params->rotated) {
            page->waiting = create_bands(page->columns, params->height, page->info.planes);
            ok = are_allocated(page->waiting, page->info.planes);
        }
    }
    if (params->reserved)
        return true;
    if (ok)
        o->tile = wp_allocate((size_t)params->width * (size_t)params->height, sizeof *o->tile,
                              "a tile");
    return ok && o->tile;
}

struct wp_tiles_output *wp_tiles_create(const char *path, const struct wp_tiles_params *params)
{
    struct wp_tiles_output *o = wp_xcalloc(1, sizeof *o);
    o->params = *params;
    o->path = wp_xstrdup(path);
    o->errors.name = o->path;
    o->page = wp_xcalloc((size_t)params->pages, sizeof *o->page);
    o->file = params->unnamed ? wp_output_open_unnamed(path)
                              : wp_output_open(path, params->overwrite);
    if (!o->file || !allocate(o)) {
        wp_tiles_discard(&o);
        return NULL;
    }
    wp_output_on_replace(o->file, wp_sidecar_path_remove);
    o->params.page = NULL; // belongs to the caller
    wp_tiff_errors_begin(&o->errors);
    o->tiff = wp_tiff_open_stream(wp_output_stream(o->file), "w8");
    o->params.page = params->page;
    const bool ok =
        (o->tiff && write_directories(o) && (!params->reserved || reserve(o))) || fail_write(o);
    o->params.page = NULL;
    wp_tiff_errors_end(&o->errors);
    if (!ok)
        wp_tiles_discard(&o);
    return o;
}

// Writes a complete row of tiles. Errors are also taken from messages, since libtiff continues if
// it has no memory for a directory.
static bool write_tiles(struct wp_tiles_output *o, int number, int plane, const struct band *band)
{
    const struct page *page = &o->page[number];
    const size_t width = (size_t)o->params.width, height = (size_t)o->params.height;
    const tmsize_t bytes = (tmsize_t)(width * height * sizeof(float));
    if (o->current != number && TIFFSetSubDirectory(o->tiff, page->directory) != 1)
        return false;
    o->current = number;
    bool ok = !o->errors.message[0];
    for (size_t x = 0; x < page->columns && ok; x += width) {
        for (size_t y = 0; y < height; y++)
            memcpy(o->tile + y * width, band->data + y * page->columns + x, width * sizeof(float));
        if (o->params.integers)
            wp_stored_pack(o->tile, width * height, WP_STORED_I32);
        ok = TIFFWriteEncodedTile(o->tiff,
                                  TIFFComputeTile(o->tiff, (uint32_t)x, (uint32_t)band->first, 0,
                                                  (uint16_t)plane),
                                  o->tile, bytes) == bytes;
    }
    return ok && TIFFFlush(o->tiff) == 1;
}

static bool finish(struct wp_tiles_output *o, int number, int plane, struct band *band)
{
    wp_tiff_errors_begin(&o->errors);
    const bool ok =
        (write_tiles(o, number, plane, band) && !o->errors.message[0]) || fail_write(o);
    wp_tiff_errors_end(&o->errors);
    band->first = -1;
    band->rows = 0;
    memset(band->data, 0,
           o->page[number].columns * (size_t)o->params.height * sizeof *band->data);
    return ok;
}

// The row of tiles that contains row `y`.
static struct band *band_of(struct wp_tiles_output *o, struct page *page, int plane, int y)
{
    const int first = y - y % o->params.height;
    struct band *band = &page->band[plane];
    if (band->first >= 0 && band->first != first) {
        // The first row of tiles is incomplete.
        const struct band previous = *band;
        *band = page->waiting[plane];
        page->waiting[plane] = previous;
    }
    if (page->waiting && page->waiting[plane].first == first) {
        const struct band previous = *band;
        *band = page->waiting[plane];
        page->waiting[plane] = previous;
    }
    band->first = first;
    return band;
}

bool wp_tiles_write(struct wp_tiles_output *o, int number, int plane, int y, const float *row)
{
    struct page *page = &o->page[number];
    struct band *band = band_of(o, page, plane, y);
    const int left = page->info.height - band->first;
    memcpy(band->data + (size_t)(y - band->first) * page->columns, row,
           (size_t)page->info.width * sizeof *row);
    band->rows++;
    return band->rows < (left < o->params.height ? left : o->params.height) ||
           finish(o, number, plane, band);
}

static bool close_tiff(struct wp_tiles_output *o)
{
    wp_tiff_errors_begin(&o->errors);
    if (o->tiff)
        TIFFClose(o->tiff);
    o->tiff = NULL;
    wp_tiff_errors_end(&o->errors);
    return !o->errors.message[0];
}

bool wp_tiles_commit(struct wp_tiles_output **slot, struct wp_output **first)
{
    struct wp_tiles_output *o = *slot;
    const bool ok = (close_tiff(o) || wp_fail(WP_ERROR_FILE, "cannot write %s (libtiff failed to "
                                                             "close it)", o->path)) &&
                    wp_output_commit_pair(&o->file, first);
    wp_tiles_discard(slot);
    return ok;
}

static void free_bands(struct band *band, int planes)
{
    for (int p = 0; band && p < planes; p++)
        free(band[p].data);
    free(band);
}

void wp_tiles_discard(struct wp_tiles_output **slot)
{
    struct wp_tiles_output *o = *slot;
    *slot = NULL;
    if (!o)
        return;
    close_tiff(o);
    wp_output_discard(&o->file);
    for (int i = 0; i < o->params.pages; i++) {
        free_bands(o->page[i].band, o->page[i].info.planes);
        free_bands(o->page[i].waiting, o->page[i].info.planes);
    }
    free(o->page);
    free(o->tile);
    free(o->path);
    free(o);
}
