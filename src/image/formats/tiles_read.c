#include "memory.h"
#include "tiff_page.h"
#include "tiff_tiles.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

struct page {
    struct wp_tiles_page info;
    uint64_t directory;
    struct wp_tiff_layout layout;
};

struct wp_tiles {
    struct wp_tiff t;
    struct page page[WP_TILES_PAGES];
    int pages, current;
    unsigned char *tile;
    size_t tile_bytes;
};

static bool fail_page(const struct wp_tiles *tiles, const char *reason)
{
    return wp_source_fail(&tiles->t.source, "page %d of the TIFF has no tiles of coefficients (%s)",
                          tiles->pages + 1, reason);
}

// Checks the samples of the current directory, and its tiles.
static bool parse_layout(struct wp_tiles *tiles, struct wp_tiff_layout *layout)
{
    TIFF *tiff = tiles->t.tiff;
    struct wp_tiff_blocks *blocks = &layout->blocks;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height);
    if (!wp_source_check_size(&tiles->t.source, layout->width, layout->height))
        return false;
    const uint16_t format = wp_tiff_get16(tiff, TIFFTAG_SAMPLEFORMAT);
    layout->planes = wp_tiff_get16(tiff, TIFFTAG_SAMPLESPERPIXEL);
    if (!TIFFIsTiled(tiff))
        return fail_page(tiles, "it has strips");
    if (wp_tiff_get16(tiff, TIFFTAG_BITSPERSAMPLE) != 32 ||
        (format != SAMPLEFORMAT_IEEEFP && format != SAMPLEFORMAT_INT))
        return fail_page(tiles, "samples are not 32-bit floats or integers");
    if (layout->planes < 1 || layout->planes > WP_IMAGE_MAX_PLANES ||
        (layout->planes > 1 &&
         wp_tiff_get16(tiff, TIFFTAG_PLANARCONFIG) != PLANARCONFIG_SEPARATE))
        return fail_page(tiles, "channels are interleaved or too many");
    layout->separate = blocks->tiled = true;
    layout->samples = (struct wp_samples){
        .type = format == SAMPLEFORMAT_INT ? WP_SAMPLE_I32 : WP_SAMPLE_F32,
        .big_endian = wp_host_big_endian()}; // libtiff converts
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &blocks->width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &blocks->height);
    blocks->bytes = (tmsize_t)((size_t)blocks->width * blocks->height * sizeof(float));
    return true;
}

static bool parse_page(struct wp_tiles *tiles)
{
    char *name = NULL;
    if (tiles->pages == WP_TILES_PAGES)
        return fail_page(tiles, "too many pages");
    struct page *page = &tiles->page[tiles->pages];
    struct wp_tiff_layout *layout = &page->layout;
    if (!parse_layout(tiles, layout))
        return false;
    if (!TIFFGetField(tiles->t.tiff, TIFFTAG_PAGENAME, &name) || !name[0] ||
        strlen(name) >= sizeof page->info.name)
        return fail_page(tiles, "it has no name");
    page->info = (struct wp_tiles_page){
        .width = (int)layout->width, .height = (int)layout->height, .planes = layout->planes};
    strcpy(page->info.name, name);
    page->directory = TIFFCurrentDirOffset(tiles->t.tiff);
    const struct wp_tiff_blocks *blocks = &layout->blocks;
    if (blocks->width == 0 || blocks->height == 0 || blocks->width > WP_IMAGE_MAX_SIDE ||
        blocks->height > WP_IMAGE_MAX_SIDE)
        return fail_page(tiles, "its tiles are empty");
    tiles->pages++;
    return true;
}

static bool parse_pages(struct wp_tiles *tiles)
{
    struct wp_tiff *t = &tiles->t;
    bool ok = parse_page(tiles);
    while (ok && !TIFFLastDirectory(t->tiff))
        ok = (TIFFReadDirectory(t->tiff) == 1 || wp_tiff_fail(t)) && parse_page(tiles);
    tiles->current = tiles->pages - 1;
    return ok && (t->missing <= t->source.size || wp_tiff_fail(t));
}

static bool open_file(struct wp_tiles *tiles, const char *path)
{
    struct wp_tiff *t = &tiles->t;
    unsigned long long size;
    t->bytes = wp_bytes_open(path, false);
    if (!t->bytes)
        return false;
    t->source.name = wp_bytes_name(t->bytes);
    if (!wp_bytes_size(t->bytes, &size))
        return wp_source_fail(&t->source, "not a regular file, which is required to read tiles");
    t->source.size = (size_t)size;
    return true;
}

struct wp_tiles *wp_tiles_open(const char *path)
{
    struct wp_tiles *tiles = wp_xcalloc(1, sizeof *tiles);
    bool ok = open_file(tiles, path);
    if (ok) {
        wp_tiff_begin(&tiles->t);
        // 'O': load directory entries on demand
        ok = wp_tiff_open(&tiles->t, "rmO") && parse_pages(tiles);
        wp_tiff_end(&tiles->t);
    }
    if (!ok)
        wp_tiles_close(&tiles);
    return tiles;
}

void wp_tiles_close(struct wp_tiles **slot)
{
    struct wp_tiles *tiles = *slot;
    *slot = NULL;
    if (!tiles)
        return;
    wp_tiff_close(&tiles->t);
    free(tiles->tile);
    free(tiles);
}

int wp_tiles_pages(const struct wp_tiles *tiles)
{
    return tiles->pages;
}

const struct wp_tiles_page *wp_tiles_page(const struct wp_tiles *tiles, int page)
{
    return &tiles->page[page].info;
}

int wp_tiles_height(const struct wp_tiles *tiles, int page)
{
    return (int)tiles->page[page].layout.blocks.height;
}

struct wp_tiles_counts wp_tiles_counts(const struct wp_tiles *tiles)
{
    return (struct wp_tiles_counts){.tiles = tiles->t.decoded, .bytes = tiles->t.read};
}

bool wp_tiles_unchanged(const struct wp_tiles *tiles)
{
    return wp_bytes_unchanged(tiles->t.bytes) ||
           wp_source_fail(&tiles->t.source, "was changed while it was read");
}

static bool select_page(struct wp_tiles *tiles, int number)
{
    struct wp_tiff *t = &tiles->t;
    const size_t bytes = (size_t)tiles->page[number].layout.blocks.bytes;
    if (tiles->current != number &&
        TIFFSetSubDirectory(t->tiff, tiles->page[number].directory) != 1) {
        tiles->current = -1;
        return wp_tiff_fail(t);
    }
    tiles->current = number;
    if (TIFFTileSize(t->tiff) != (tmsize_t)bytes)
        return wp_source_fail(&t->source, "damaged TIFF (empty tiles)");
    if (tiles->tile_bytes >= bytes)
        return true;
    free(tiles->tile);
    tiles->tile = wp_allocate(bytes, 1, "a tile");
    tiles->tile_bytes = tiles->tile ? bytes : 0;
    return tiles->tile;
}

bool wp_tiles_read(struct wp_tiles *tiles, int page, int plane, int x, int y, int width, int height,
                   float *to, size_t step)
{
    struct wp_tiff_part part = {.x = (uint32_t)x, .y = (uint32_t)y, .width = (uint32_t)width,
                                .height = (uint32_t)height, .step = step};
    if (width <= 0 || height <= 0)
        return true;
    part.to[plane] = to;
    wp_tiff_begin(&tiles->t);
    const bool ok = select_page(tiles, page) &&
                    wp_tiff_read_part(&tiles->t, &tiles->page[page].layout, tiles->tile, &part);
    wp_tiff_end(&tiles->t);
    return ok;
}
