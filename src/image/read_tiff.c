#include "image_io.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "orientation.h"
#include "rows_io.h"
#include "slices_io.h"
#include "tiff_view.h"
#include "xmemory.h"

// Version 42, and 43 for BigTIFF.
bool wp_match_tiff(const struct wp_source *source)
{
    static const char magic[][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (source->size >= 4 && memcmp(source->data, magic[i], 4) == 0)
            return true;
    return false;
}

struct layout {
    struct wp_samples samples;
    uint32_t width, height;
    uint16_t planes, orientation;
    bool alpha, separate, white_is_zero;
};

// A tag's value, or its default; 0 where it has none.
static uint16_t get16(TIFF *tiff, uint32_t tag)
{
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : 0;
}

static bool find_samples(TIFF *tiff, struct wp_samples *samples)
{
    const uint16_t bits = get16(tiff, TIFFTAG_BITSPERSAMPLE);
    const bool is_float = get16(tiff, TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_IEEEFP;
    const bool is_unsigned = get16(tiff, TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_UINT;
    const bool is_signed = get16(tiff, TIFFTAG_SAMPLEFORMAT) == SAMPLEFORMAT_INT;
    samples->big_endian = wp_host_big_endian(); // libtiff swaps
    samples->maximum = bits == 16 ? 65535.0F : 255.0F;
    samples->type = bits == 8    ? WP_SAMPLE_U8
                    : bits == 16 ? WP_SAMPLE_U16
                    : bits == 32 ? WP_SAMPLE_F32
                                 : WP_SAMPLE_F64;
    if (is_signed)
        samples->type = bits == 8    ? WP_SAMPLE_I8
                        : bits == 16 ? WP_SAMPLE_I16
                                     : WP_SAMPLE_I32;
    return (is_signed && (bits == 8 || bits == 16 || bits == 32)) ||
           (is_unsigned && (bits == 8 || bits == 16)) || (is_float && (bits == 32 || bits == 64));
}

// Sizes come first, so that an absurd header is named as such.
static bool read_layout(const struct wp_source *source, TIFF *tiff, struct layout *layout)
{
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height);
    if (!wp_source_check_size(source, layout->width, layout->height))
        return false;
    const uint16_t photometric = get16(tiff, TIFFTAG_PHOTOMETRIC);
    const bool gray =
        photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
    layout->planes = get16(tiff, TIFFTAG_SAMPLESPERPIXEL);
    layout->orientation = get16(tiff, TIFFTAG_ORIENTATION);
    layout->separate = get16(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    layout->white_is_zero = photometric == PHOTOMETRIC_MINISWHITE;
    uint16_t extras = 0, *kinds = NULL;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kinds);
    // A last sample that is explicitly of no kind is data.
    layout->alpha = layout->planes % 2 == 0 &&
                    (extras == 0 || kinds[extras - 1] != EXTRASAMPLE_UNSPECIFIED);
    if (!gray && photometric != PHOTOMETRIC_RGB)
        return wp_source_fail(source, "not supported (TIFF neither gray nor RGB)");
    if (layout->planes < (gray ? 1 : 3) || layout->planes > WP_IMAGE_MAX_PLANES)
        return wp_source_fail(source, "not supported (TIFF with %u samples a pixel)",
                              layout->planes);
    if (!find_samples(tiff, &layout->samples))
        return wp_source_fail(source, "not supported (TIFF of %u-bit samples of format %u)\n"
                                      "hint: save it as 8 or 16-bit unsigned or 32 or 64-bit float",
                              get16(tiff, TIFFTAG_BITSPERSAMPLE),
                              get16(tiff, TIFFTAG_SAMPLEFORMAT));
    return true;
}

// Strips and tiles alike are blocks of the image. A strip is as wide as the image and cut off
// at its bottom; a tile is always whole.
struct blocks {
    bool tiled;
    uint32_t width, height;
    tmsize_t bytes;
};

// What is not compressed has to be there as a whole. No compression in use makes more than
// about 32000 bytes of one.
static bool find_blocks(const struct wp_source *source, TIFF *tiff, const struct layout *layout,
                        struct blocks *blocks)
{
    enum { MOST_EXPANSION = 65536 };
    blocks->tiled = TIFFIsTiled(tiff) != 0;
    blocks->width = layout->width;
    if (blocks->tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &blocks->width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &blocks->height);
        blocks->bytes = TIFFTileSize(tiff);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &blocks->height);
        if (blocks->height > layout->height)
            blocks->height = layout->height;
        blocks->bytes = TIFFStripSize(tiff);
    }
    if (blocks->width == 0 || blocks->height == 0 || blocks->bytes <= 0)
        return wp_source_fail(source, "damaged TIFF (strips or tiles of no size)");
    const unsigned long long total = (unsigned long long)layout->width * layout->height *
                                     layout->planes * wp_samples_bytes(layout->samples.type);
    const unsigned long long largest =
        total > (unsigned long long)blocks->bytes ? total : (unsigned long long)blocks->bytes;
    return get16(tiff, TIFFTAG_COMPRESSION) == COMPRESSION_NONE
               ? wp_source_needs(source, total)
               : wp_source_needs(source, largest / MOST_EXPANSION);
}

// Where a page goes: slice z of an image, by its first sample in each plane; or its rows from `top`
// on.
struct page {
    struct wp_image *image;
    size_t first;
    uint32_t top;
};

// Rows of the block at (x, y) into plane `p`, or into all where samples are not separate.
static void convert_block(const struct layout *layout, const struct blocks *blocks,
                          const unsigned char *data, uint32_t x, uint32_t y, int p,
                          const struct page *page)
{
    const size_t bytes = wp_samples_bytes(layout->samples.type);
    const size_t together = layout->separate ? 1 : layout->planes;
    const uint32_t right = layout->width - x < blocks->width ? layout->width : x + blocks->width;
    const uint32_t bottom =
        layout->height - y < blocks->height ? layout->height : y + blocks->height;
    for (uint32_t row = y; row < bottom; row++) {
        const unsigned char *from = data + (size_t)(row - y) * blocks->width * together * bytes;
        for (size_t i = 0; i < together; i++)
            wp_samples_convert(&layout->samples, from + i * bytes, together * bytes,
                               page->image->plane[(size_t)p + i] + page->first +
                                   (size_t)(row - page->top) * layout->width + x,
                               right - x);
    }
}

// False after an error.
static bool read_block(const struct wp_tiff_view *view, TIFF *tiff,
                       const struct wp_tiff_errors *errors, const struct blocks *blocks,
                       uint32_t index, unsigned char *data)
{
    if (!wp_tiff_view_has(view, tiff, errors, blocks->tiled, index))
        return false;
    if ((blocks->tiled ? TIFFReadEncodedTile : TIFFReadEncodedStrip)(tiff, index, data,
                                                                     blocks->bytes) >= 0)
        return true;
    wp_tiff_view_report(view, errors);
    return false;
}

// Those that begin in row `y`, and so all samples of their rows.
static bool read_block_row(const struct wp_tiff_view *view, TIFF *tiff,
                           const struct wp_tiff_errors *errors, const struct layout *layout,
                           const struct blocks *blocks, uint32_t y, unsigned char *data,
                           const struct page *page)
{
    const int sweeps = layout->separate ? layout->planes : 1;
    for (int p = 0; p < sweeps; p++) {
        for (uint32_t x = 0; x < layout->width; x += blocks->width) {
            const uint16_t sample = (uint16_t)p;
            const uint32_t index = blocks->tiled ? TIFFComputeTile(tiff, x, y, 0, sample)
                                                 : TIFFComputeStrip(tiff, y, sample);
            if (!read_block(view, tiff, errors, blocks, index, data))
                return false;
            convert_block(layout, blocks, data, x, y, p, page);
        }
    }
    return true;
}

static bool read_blocks(const struct wp_tiff_view *view, TIFF *tiff,
                        const struct wp_tiff_errors *errors, const struct layout *layout,
                        const struct blocks *blocks,
                        unsigned char *data, const struct page *page)
{
    bool ok = true;
    for (uint32_t y = 0; y < layout->height && ok; y += blocks->height)
        ok = read_block_row(view, tiff, errors, layout, blocks, y, data, page);
    return ok;
}

static void invert(float *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = 1.0F - samples[i];
}

// The page that the directory at hand is of.
static bool decode_page(const struct wp_tiff_view *view, TIFF *tiff,
                        const struct wp_tiff_errors *errors, const struct page *page)
{
    struct layout layout = {0};
    struct blocks blocks;
    if (!read_layout(view->source, tiff, &layout) ||
        !find_blocks(view->source, tiff, &layout, &blocks))
        return false;
    unsigned char *data = wp_allocate((size_t)blocks.bytes, 1, "a strip or tile of a TIFF");
    const bool ok = data && read_blocks(view, tiff, errors, &layout, &blocks, data, page);
    free(data);
    if (ok && layout.white_is_zero)
        invert(page->image->plane[0] + page->first, (size_t)layout.width * layout.height);
    return ok;
}

// Smaller copies of pages and masks of them are directories, too.
static bool is_page(TIFF *tiff)
{
    uint32_t kind = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &kind);
    return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

static bool same_kind(const struct layout *a, const struct layout *b)
{
    return a->width == b->width && a->height == b->height && a->planes == b->planes &&
           a->alpha == b->alpha && a->orientation == b->orientation &&
           a->samples.type == b->samples.type;
}

// Goes to the next directory that is a page. False at the end and after an error, which `ok` tells
// apart: libtiff takes a directory that is cut off before its last offset for the last one.
static bool next_page(const struct wp_tiff_view *view, TIFF *tiff,
                      const struct wp_tiff_errors *errors, bool *ok)
{
    do {
        *ok = view->missing <= view->source->size && !view->is_cut;
        if (*ok && TIFFLastDirectory(tiff))
            return false;
        if (!*ok || !TIFFReadDirectory(tiff)) {
            wp_tiff_view_report(view, errors);
            *ok = false;
            return false;
        }
    } while (!is_page(tiff));
    return true;
}

// To a page that was counted before.
static bool go_on(const struct wp_tiff_view *view, TIFF *tiff, const struct wp_tiff_errors *errors)
{
    bool ok = true;
    if (next_page(view, tiff, errors, &ok))
        return true;
    return ok ? wp_source_fail(view->source, "was changed while it was read") : false;
}

// Counts the pages from the first directory on, which counts whatever it is of, and leaves its
// layout.
static bool find_pages(const struct wp_tiff_view *view, TIFF *tiff,
                       const struct wp_tiff_errors *errors, struct layout *first,
                       unsigned *pages)
{
    const struct wp_source *source = view->source;
    struct blocks blocks;
    bool ok = true;
    if (!read_layout(source, tiff, first) || !find_blocks(source, tiff, first, &blocks))
        return false;
    for (*pages = 1; source->volume != WP_VOLUME_NO && next_page(view, tiff, errors, &ok);
         ++*pages) {
        struct layout layout = {0};
        if (!read_layout(source, tiff, &layout))
            return false;
        if (!same_kind(&layout, first))
            return wp_source_fail(source,
                                  "page %u is of another kind than page 1 (%ux%u of %u planes of "
                                  "%d bits, not %ux%u of %u of %d)",
                                  *pages + 1, layout.width, layout.height, layout.planes,
                                  (int)wp_samples_bytes(layout.samples.type) * 8, first->width,
                                  first->height, first->planes,
                                  (int)wp_samples_bytes(first->samples.type) * 8);
        if (!find_blocks(source, tiff, &layout, &blocks))
            return false;
    }
    return ok && wp_source_check_volume(source, first->width, first->height, *pages);
}

static struct wp_image *decode(const struct wp_tiff_view *view, TIFF *tiff,
                               const struct wp_tiff_errors *errors)
{
    struct layout layout = {0};
    unsigned pages;
    if (!find_pages(view, tiff, errors, &layout, &pages))
        return NULL;
    if (view->source->volume != WP_VOLUME_NO && !TIFFSetDirectory(tiff, 0)) {
        wp_tiff_view_report(view, errors);
        return NULL;
    }
    struct wp_image *image = wp_image_create_volume((int)layout.width, (int)layout.height,
                                                    (int)pages, layout.planes, layout.alpha);
    if (!image)
        return NULL;
    image->source_bits = wp_samples_bits(layout.samples.type);
    wp_source_tell(view->source, &layout.samples);
    const size_t slice = (size_t)layout.width * layout.height;
    bool ok = true;
    for (unsigned z = 0; z < pages && ok; z++) {
        ok = (z == 0 || go_on(view, tiff, errors)) &&
             decode_page(view, tiff, errors, &(struct page){image, z * slice, 0});
    }
    if (!ok)
        wp_image_destroy(&image);
    return wp_image_turn(image, layout.orientation);
}

struct wp_image *wp_read_tiff(const struct wp_source *source)
{
    struct wp_tiff_view view = {.source = source, .file = -1};
    struct wp_tiff_errors errors;
    wp_tiff_errors_begin(&errors, source->name, &view.told);
    // 'm': no mapping of the file into memory, it is there already.
    TIFF *tiff = wp_tiff_view_open(&view, "rm");
    struct wp_image *image = NULL;
    if (tiff) {
        image = decode(&view, tiff, &errors);
        TIFFClose(tiff);
    } else {
        wp_tiff_view_report_unopened(&view, &errors);
    }
    wp_tiff_errors_end(&errors);
    return image;
}

// A file whose pages are read one after another.
struct slices {
    struct wp_bytes *bytes;
    struct wp_source source;
    struct wp_tiff_view view;
    TIFF *tiff;
    struct layout layout;
    unsigned pages;
};

static bool read_page(struct slices *s, int number, float *to, const struct wp_tiff_errors *errors)
{
    struct wp_image slice = {.width = (int)s->layout.width,
                             .height = (int)s->layout.height,
                             .depth = 1,
                             .planes = 1,
                             .plane = {to}};
    return (number == 0 || go_on(&s->view, s->tiff, errors)) &&
           decode_page(&s->view, s->tiff, errors, &(struct page){&slice, 0, 0});
}

static bool read_slice(void *own, int number, float *to, bool *end)
{
    struct slices *s = own;
    struct wp_tiff_errors errors;
    *end = (unsigned)number == s->pages;
    if (*end)
        return true;
    wp_tiff_errors_begin(&errors, s->source.name, &s->view.told);
    const bool ok = read_page(s, number, to, &errors);
    wp_tiff_errors_end(&errors);
    return ok;
}

static void close_slices(void *own)
{
    struct slices *s = own;
    if (s->tiff)
        TIFFClose(s->tiff);
    wp_bytes_close(&s->bytes);
    free(s);
}

// Upright pages of one plane. False after an error.
static bool find_slices(struct slices *s, bool *found)
{
    struct wp_tiff_errors errors;
    wp_tiff_errors_begin(&errors, s->source.name, &s->view.told);
    s->tiff = wp_tiff_view_open(&s->view, "rm");
    bool ok = s->tiff && find_pages(&s->view, s->tiff, &errors, &s->layout, &s->pages);
    if (!s->tiff)
        wp_tiff_view_report_unopened(&s->view, &errors);
    *found = ok && s->pages > 1 && s->layout.planes == 1 &&
             s->layout.orientation == ORIENTATION_TOPLEFT;
    if (*found && !TIFFSetDirectory(s->tiff, 0)) {
        wp_tiff_view_report(&s->view, &errors);
        ok = false;
    }
    wp_tiff_errors_end(&errors);
    return ok;
}

bool wp_tiff_slices(struct wp_bytes **bytes, const struct wp_source *head, unsigned long long size,
                    struct wp_slices **slices)
{
    static const struct wp_slices_reader reader = {read_slice, close_slices};
    const int file = wp_bytes_file(*bytes);
    bool found = false;
    if (file < 0)
        return true;
    struct slices *s = wp_xcalloc(1, sizeof *s);
    s->source = *head;
    s->source.size = (size_t)size;
    s->view = (struct wp_tiff_view){.source = &s->source, .file = file};
    const bool ok = find_slices(s, &found);
    if (!ok || !found) {
        close_slices(s);
        return ok;
    }
    s->bytes = *bytes;
    *bytes = NULL;
    const struct wp_slices_info info = {.width = (int)s->layout.width,
                                        .height = (int)s->layout.height,
                                        .depth = (int)s->pages,
                                        .source_bits = wp_samples_bits(s->layout.samples.type)};
    *slices = wp_slices_create_reader(head->name, &info, &reader, s);
    return true;
}

// A page that is read row after row: as many blocks as lie side by side are held; but of strips
// that are tall only what a row needs.
struct rows {
    struct wp_bytes *bytes;
    struct wp_source source;
    struct wp_tiff_view view;
    TIFF *tiff;
    struct layout layout;
    struct blocks blocks;
    bool by_scanlines, told;
    unsigned char *data;
    uint32_t next; // scanline that libtiff is at
    struct wp_image *band; // rows from `page.top` on
    bool held;             // they are there
    struct page page;
};

enum { TALL = 1 << 20 }; // bytes of a strip

static bool read_scanline(struct rows *r, uint32_t y, const struct wp_tiff_errors *errors,
                          struct wp_image *place)
{
    const uint32_t strip = TIFFComputeStrip(r->tiff, y, 0);
    const uint32_t first = strip * r->blocks.height;
    if (!wp_tiff_view_has(&r->view, r->tiff, errors, false, strip))
        return false;
    // Within a strip most kinds of compression go from its top alone.
    r->next = r->next >= first && r->next <= y ? r->next : first;
    for (; r->next <= y; r->next++) {
        if (TIFFReadScanline(r->tiff, r->data, r->next, 0) < 0) {
            wp_tiff_view_report(&r->view, errors);
            return false;
        }
    }
    wp_samples_convert_row(&r->layout.samples, r->data, place, 0);
    return true;
}

static bool read_held(struct rows *r, uint32_t y, const struct wp_tiff_errors *errors,
                      struct wp_image *place)
{
    const size_t width = r->layout.width;
    const uint32_t top = y - y % r->blocks.height;
    if (!r->held || r->page.top != top) {
        r->page.top = top;
        r->held = read_block_row(&r->view, r->tiff, errors, &r->layout, &r->blocks, top, r->data,
                                 &r->page);
        if (!r->held)
            return false;
    }
    for (int p = 0; p < place->planes; p++)
        memcpy(place->plane[p], r->band->plane[p] + (y - r->page.top) * width,
               width * sizeof(float));
    return true;
}

static bool read_row(void *own, int y, struct wp_image *place)
{
    struct rows *r = own;
    struct wp_tiff_errors errors;
    if (!r->told)
        r->view.told.count = 0;
    wp_tiff_errors_begin(&errors, r->source.name, &r->view.told);
    // Now it warns of what it finds in the directory.
    bool ok = r->told || TIFFSetDirectory(r->tiff, 0);
    r->told = true;
    if (!ok)
        wp_tiff_view_report(&r->view, &errors);
    ok = ok && (r->by_scanlines ? read_scanline : read_held)(r, (uint32_t)y, &errors, place);
    wp_tiff_errors_end(&errors);
    if (ok && r->layout.white_is_zero)
        invert(place->plane[0], r->layout.width);
    return ok;
}

static void close_rows(void *own)
{
    struct rows *r = own;
    if (r->tiff)
        TIFFClose(r->tiff);
    wp_bytes_close(&r->bytes);
    wp_image_destroy(&r->band);
    free(r->data);
    free(r);
}

// The only page, and its blocks. False after an error; `why` where it has to be read whole.
static bool find_rows(struct rows *r, const char **why)
{
    struct wp_tiff_errors errors;
    unsigned pages = 1;
    r->view.told.count = WP_TIFF_TOLD; // nothing is news: perhaps it is read whole
    wp_tiff_errors_begin(&errors, r->source.name, &r->view.told);
    r->tiff = wp_tiff_view_open(&r->view, "rm");
    bool ok = r->tiff && find_pages(&r->view, r->tiff, &errors, &r->layout, &pages);
    if (!r->tiff)
        wp_tiff_view_report_unopened(&r->view, &errors);
    if (ok && pages > 1)
        *why = "a TIFF of several pages is a volume";
    else if (ok && r->layout.orientation != ORIENTATION_TOPLEFT)
        *why = "a TIFF with an orientation has its rows in another order";
    else if (ok && (!TIFFSetDirectory(r->tiff, 0))) {
        wp_tiff_view_report(&r->view, &errors);
        ok = false;
    }
    ok = ok && find_blocks(&r->source, r->tiff, &r->layout, &r->blocks);
    wp_tiff_errors_end(&errors);
    return ok;
}

static size_t hold(struct rows *r)
{
    const size_t row = (size_t)r->layout.width * r->layout.planes;
    r->by_scanlines = !r->blocks.tiled && !r->layout.separate && r->blocks.bytes > TALL;
    const size_t bytes = r->by_scanlines ? (size_t)TIFFScanlineSize(r->tiff)
                                         : (size_t)r->blocks.bytes;
    const uint32_t height =
        r->blocks.height < r->layout.height ? r->blocks.height : r->layout.height;
    r->data = wp_allocate(bytes, 1, "a strip or tile of a TIFF");
    if (!r->by_scanlines && r->data)
        r->band = wp_image_create((int)r->layout.width, (int)height, r->layout.planes, false);
    r->page = (struct page){.image = r->band};
    return !r->data || (!r->by_scanlines && !r->band) ? 0
           : bytes + (r->by_scanlines ? 0 : row * height * sizeof(float));
}

bool wp_tiff_rows(struct wp_bytes **bytes, const struct wp_source *head, struct wp_rows **rows,
                  const char **why)
{
    static const struct wp_rows_reader reader = {read_row, true, NULL, close_rows};
    struct rows *r = wp_xcalloc(1, sizeof *r);
    r->source = *head;
    r->view = (struct wp_tiff_view){.source = &r->source, .file = wp_bytes_file(*bytes)};
    const bool ok = find_rows(r, why);
    if (!ok || *why) {
        close_rows(r);
        return ok;
    }
    const struct wp_rows_info info = {.width = (int)r->layout.width,
                                      .height = (int)r->layout.height,
                                      .planes = r->layout.planes,
                                      .alpha = r->layout.alpha,
                                      .source_bits = wp_samples_bits(r->layout.samples.type)};
    const size_t memory = hold(r);
    if (memory == 0) {
        close_rows(r);
        return false;
    }
    r->bytes = *bytes;
    *bytes = NULL;
    wp_source_tell(head, &r->layout.samples);
    *rows = wp_rows_create_reader(head->name, r->view.file, &info, memory, &reader, r);
    return *rows;
}
