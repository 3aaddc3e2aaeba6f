#include "bytes.h"
#include "memory.h"
#include "tiff_view.h"
#include "tiff_tiles.h"
#include "xmemory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct page {
    struct wp_tiles_page info;
    uint64_t directory;
    uint32_t width, height; // of a tile
    bool integers;
};

struct wp_tiles {
    struct wp_bytes *bytes;
    struct wp_source source;
    struct wp_tiff_view view;
    struct stat state; // when the file was opened
    TIFF *tiff;
    struct page page[WP_TILES_PAGES];
    int pages, current;
    unsigned char *tile;
    size_t tile_bytes;
    unsigned long long decoded;
};

static uint16_t get16(TIFF *tiff, uint32_t tag)
{
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : 0;
}

static bool fail_page(const struct wp_tiles *t, const char *reason)
{
    return wp_source_fail(&t->source, "page %d of the TIFF has no tiles of coefficients (%s)",
                          t->pages + 1, reason);
}

static bool parse_page(struct wp_tiles *t)
{
    struct page *page = &t->page[t->pages];
    TIFF *tiff = t->tiff;
    uint32_t width = 0, height = 0;
    char *name = NULL;
    if (t->pages == WP_TILES_PAGES)
        return fail_page(t, "too many pages");
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    if (!wp_source_check_size(&t->source, width, height))
        return false;
    const uint16_t planes = get16(tiff, TIFFTAG_SAMPLESPERPIXEL);
    const uint16_t format = get16(tiff, TIFFTAG_SAMPLEFORMAT);
    if (!TIFFIsTiled(tiff))
        return fail_page(t, "it has strips");
    if (get16(tiff, TIFFTAG_BITSPERSAMPLE) != 32 ||
        (format != SAMPLEFORMAT_IEEEFP && format != SAMPLEFORMAT_INT))
        return fail_page(t, "samples are not 32-bit floats or integers");
    if (planes < 1 || planes > WP_IMAGE_MAX_PLANES ||
        (planes > 1 && get16(tiff, TIFFTAG_PLANARCONFIG) != PLANARCONFIG_SEPARATE))
        return fail_page(t, "channels are interleaved or too many");
    if (!TIFFGetField(tiff, TIFFTAG_PAGENAME, &name) || !name[0] ||
        strlen(name) >= sizeof page->info.name)
        return fail_page(t, "it has no name");
    page->info.width = (int)width;
    page->info.height = (int)height;
    page->info.planes = planes;
    strcpy(page->info.name, name);
    page->integers = format == SAMPLEFORMAT_INT;
    page->directory = TIFFCurrentDirOffset(tiff);
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &page->width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &page->height);
    if (page->width == 0 || page->height == 0 || page->width > WP_IMAGE_MAX_SIDE ||
        page->height > WP_IMAGE_MAX_SIDE)
        return fail_page(t, "its tiles are empty");
    t->pages++;
    return true;
}

static bool parse_pages(struct wp_tiles *t, const struct wp_tiff_errors *errors)
{
    bool ok = parse_page(t);
    while (ok && !TIFFLastDirectory(t->tiff)) {
        ok = TIFFReadDirectory(t->tiff) == 1;
        if (!ok)
            wp_tiff_view_report(&t->view, errors);
        ok = ok && parse_page(t);
    }
    t->current = t->pages - 1;
    if (ok && t->view.missing > t->view.source->size) {
        wp_tiff_view_report(&t->view, errors);
        return false;
    }
    return ok;
}

static bool open_file(struct wp_tiles *t, const char *path)
{
    unsigned long long size;
    t->bytes = wp_bytes_open(path, false);
    if (!t->bytes)
        return false;
    t->source = (struct wp_source){.name = wp_bytes_name(t->bytes)};
    if (!wp_bytes_size(t->bytes, &size) || fstat(wp_bytes_file(t->bytes), &t->state) != 0)
        return wp_source_fail(&t->source, "not a regular file, which is required to read tiles");
    t->source.size = (size_t)size;
    t->view = (struct wp_tiff_view){.source = &t->source, .file = wp_bytes_file(t->bytes)};
    return true;
}

struct wp_tiles *wp_tiles_open(const char *path)
{
    struct wp_tiff_errors errors;
    struct wp_tiles *t = wp_xcalloc(1, sizeof *t);
    bool ok = open_file(t, path);
    if (ok) {
        wp_tiff_errors_begin(&errors, t->source.name, &t->view.messages);
        t->tiff = wp_tiff_view_open(&t->view, "rmO"); // 'O': load directory entries on demand
        if (!t->tiff)
            wp_tiff_view_report_unopened(&t->view, &errors);
        ok = t->tiff && parse_pages(t, &errors);
        wp_tiff_errors_end(&errors);
    }
    if (!ok)
        wp_tiles_close(&t);
    return t;
}

void wp_tiles_close(struct wp_tiles **slot)
{
    struct wp_tiles *t = *slot;
    *slot = NULL;
    if (!t)
        return;
    if (t->tiff)
        TIFFClose(t->tiff);
    wp_bytes_close(&t->bytes);
    free(t->tile);
    free(t);
}

int wp_tiles_pages(const struct wp_tiles *t)
{
    return t->pages;
}

const struct wp_tiles_page *wp_tiles_page(const struct wp_tiles *t, int page)
{
    return &t->page[page].info;
}

int wp_tiles_height(const struct wp_tiles *t, int page)
{
    return (int)t->page[page].height;
}

struct wp_tiles_counts wp_tiles_counts(const struct wp_tiles *t)
{
    return (struct wp_tiles_counts){.tiles = t->decoded, .bytes = t->view.read};
}

bool wp_tiles_unchanged(const struct wp_tiles *t)
{
    struct stat now;
    return (fstat(wp_bytes_file(t->bytes), &now) == 0 && now.st_size == t->state.st_size &&
            now.st_mtim.tv_sec == t->state.st_mtim.tv_sec &&
            now.st_mtim.tv_nsec == t->state.st_mtim.tv_nsec) ||
           wp_source_fail(&t->source, "was changed while it was read");
}

static bool select_page(struct wp_tiles *t, int number, const struct wp_tiff_errors *errors)
{
    if (t->current != number && TIFFSetSubDirectory(t->tiff, t->page[number].directory) != 1) {
        t->current = -1;
        wp_tiff_view_report(&t->view, errors);
        return false;
    }
    t->current = number;
    const tmsize_t bytes = TIFFTileSize(t->tiff);
    if (bytes <= 0 || (size_t)bytes != (size_t)t->page[number].width * t->page[number].height *
                                           sizeof(float))
        return wp_source_fail(&t->source, "damaged TIFF (empty tiles)");
    if (t->tile_bytes >= (size_t)bytes)
        return true;
    free(t->tile);
    t->tile = wp_allocate((size_t)bytes, 1, "a tile");
    t->tile_bytes = t->tile ? (size_t)bytes : 0;
    return t->tile;
}

struct part {
    int x, y, width, height;
};

// Copies the samples of tile (column, row) that are in the part.
static void copy_part(const struct page *page, const unsigned char *tile, uint32_t column,
                      uint32_t row, const struct part *part, float *to, size_t step)
{
    const int left = (int)(column * page->width), top = (int)(row * page->height);
    const int x0 = part->x > left ? part->x : left, y0 = part->y > top ? part->y : top;
    const int x1 = part->x + part->width < left + (int)page->width ? part->x + part->width
                                                                    : left + (int)page->width;
    const int y1 = part->y + part->height < top + (int)page->height ? part->y + part->height
                                                                     : top + (int)page->height;
    const struct wp_samples samples = {.type = page->integers ? WP_SAMPLE_I32 : WP_SAMPLE_F32,
                                       .big_endian = wp_host_big_endian()}; // libtiff converts
    for (int y = y0; y < y1; y++)
        wp_samples_convert(&samples,
                           tile + ((size_t)(y - top) * page->width + (size_t)(x0 - left)) *
                                      sizeof(float),
                           sizeof(float),
                           to + (size_t)(y - part->y) * step + (size_t)(x0 - part->x),
                           (size_t)(x1 - x0));
}

static bool read_part(struct wp_tiles *t, int number, int plane, const struct part *part,
                      float *to, size_t step, const struct wp_tiff_errors *errors)
{
    const struct page *page = &t->page[number];
    if (!select_page(t, number, errors))
        return false;
    const uint32_t right = (uint32_t)(part->x + part->width - 1) / page->width;
    const uint32_t bottom = (uint32_t)(part->y + part->height - 1) / page->height;
    for (uint32_t row = (uint32_t)part->y / page->height; row <= bottom; row++) {
        for (uint32_t column = (uint32_t)part->x / page->width; column <= right; column++) {
            const uint32_t index = TIFFComputeTile(t->tiff, column * page->width,
                                                   row * page->height, 0, (uint16_t)plane);
            if (!wp_tiff_view_has(&t->view, t->tiff, errors, true, index))
                return false;
            if (TIFFReadEncodedTile(t->tiff, index, t->tile, (tmsize_t)-1) < 0) {
                wp_tiff_view_report(&t->view, errors);
                return false;
            }
            t->decoded++;
            copy_part(page, t->tile, column, row, part, to, step);
        }
    }
    return true;
}

bool wp_tiles_read(struct wp_tiles *t, int page, int plane, int x, int y, int width, int height,
                   float *to, size_t step)
{
    struct wp_tiff_errors errors;
    if (width <= 0 || height <= 0)
        return true;
    wp_tiff_errors_begin(&errors, t->source.name, &t->view.messages);
    const struct part part = {x, y, width, height};
    const bool ok = read_part(t, page, plane, &part, to, step, &errors);
    wp_tiff_errors_end(&errors);
    return ok;
}
