// Reads TIFF: an image or a volume at once, by slices, or by rows.
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "orientation.h"
#include "rows_io.h"
#include "slices_io.h"
#include "tiff_page.h"
#include "xmemory.h"

// True for version 42, and 43 (BigTIFF).
bool wp_match_tiff(const struct wp_source *source)
{
    static const char magic[][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (source->size >= 4 && memcmp(source->data, magic[i], 4) == 0)
            return true;
    return false;
}

// A file that is read in parts.
struct reader {
    struct wp_tiff t;
    struct wp_tiff_layout layout; // of the first page
    unsigned pages;
    // The rest is for rows. A row of blocks is decoded at once; tall strips are decoded by scan
    // lines.
    bool by_scanlines;
    unsigned char *data;
    uint32_t next; // next scan line of libtiff
    struct wp_image *band; // the current row of blocks, from row `top` on
    bool loaded;           // `band` has been decoded
    uint32_t top;
};

static void close_reader(void *state)
{
    struct reader *r = state;
    wp_tiff_close(&r->t);
    wp_image_destroy(&r->band);
    free(r->data);
    free(r);
}

// Opens a file and finds its pages. `r->t` has the source and its bytes. Call wp_tiff_end()
// afterwards, also after an error. 'm': no memory mapping.
static bool open_pages(struct reader *r)
{
    wp_tiff_begin(&r->t);
    return wp_tiff_open(&r->t, "rm") && wp_tiff_find_pages(&r->t, &r->layout, &r->pages);
}

// Closes a file whose bytes belong to the caller. Returns `ok`.
static bool give_up(struct reader *r, bool ok)
{
    r->t.bytes = NULL;
    close_reader(r);
    return ok;
}

// ---- Images and volumes -------------------------------------------------------------------

// Allocates memory for doubles if they are requested and the file has them.
static bool allocate_wide(struct reader *r, const struct wp_image *image)
{
    const struct wp_tiff_layout *layout = &r->layout;
    double **const wide = r->t.source.wide;
    if (!wide || layout->samples.type != WP_SAMPLE_F64 || layout->planes > 1 ||
        layout->converted || layout->white_is_zero || layout->slices > 1 || layout->orientation > 1)
        return true;
    *wide = wp_allocate_pages(wp_image_samples(image), sizeof **wide, r->t.source.name);
    return *wide;
}

static bool read_slices(struct reader *r, const struct wp_image *image)
{
    const size_t slice = (size_t)r->layout.width * r->layout.height;
    bool ok = allocate_wide(r, image);
    for (unsigned z = 0; z < r->pages && ok; z++)
        ok = wp_tiff_read_slice(&r->t, &r->layout, z, image, z * slice);
    return ok;
}

static bool read_all(void *state, const struct wp_image *image)
{
    struct reader *r = state;
    wp_tiff_begin(&r->t);
    wp_tiff_errors_release(&r->t.errors);
    const bool ok = read_slices(r, image);
    wp_tiff_end(&r->t);
    return ok;
}

struct wp_image *wp_read_tiff(const struct wp_source *source)
{
    struct reader r = {.t = {.source = *source, .bytes = wp_bytes_of(source)}};
    const struct wp_tiff_layout *layout = &r.layout;
    struct wp_image *image = NULL;
    if (open_pages(&r))
        image = wp_image_create_volume((int)layout->width, (int)layout->height, (int)r.pages,
                                       layout->planes, layout->alpha);
    if (image) {
        wp_image_set_samples(image, source, &layout->samples);
        if (!read_slices(&r, image))
            wp_image_destroy(&image);
    }
    wp_tiff_close(&r.t);
    wp_tiff_end(&r.t);
    return wp_image_orient(image, layout->orientation);
}

// ---- Slices -------------------------------------------------------------------------------

static bool read_slice(void *state, int number, float *to, bool *end)
{
    struct reader *r = state;
    *end = (unsigned)number == r->pages;
    if (*end)
        return true;
    const struct wp_image slice = {.planes = 1, .plane = {to}};
    wp_tiff_begin(&r->t);
    wp_tiff_errors_release(&r->t.errors);
    const bool ok = wp_tiff_read_slice(&r->t, &r->layout, (unsigned)number, &slice, 0);
    wp_tiff_end(&r->t);
    return ok;
}

bool wp_tiff_slices(struct wp_bytes **bytes, const struct wp_source *head, unsigned long long size,
                    struct wp_slices **slices)
{
    static const struct wp_slices_reader reader = {read_slice, close_reader, read_all};
    if (wp_bytes_file(*bytes) < 0)
        return true;
    struct reader *r = wp_xcalloc(1, sizeof *r);
    r->t = (struct wp_tiff){.source = *head, .bytes = *bytes};
    r->t.source.size = (size_t)size;
    r->t.errors.hold = true; // the file may be opened again instead of being read
    const bool ok = open_pages(r);
    wp_tiff_end(&r->t);
    if (!ok || r->pages < 2 || r->layout.planes != 1 ||
        r->layout.orientation != ORIENTATION_TOPLEFT)
        return give_up(r, ok);
    *bytes = NULL;
    wp_source_fill_facts(head, &r->layout.samples);
    const struct wp_slices_info info = {.width = (int)r->layout.width,
                                        .height = (int)r->layout.height,
                                        .depth = (int)r->pages,
                                        .origin = wp_samples_origin(&r->layout.samples)};
    *slices = wp_slices_create_reader(head->name, &info, &reader, r);
    return true;
}

// ---- Rows ---------------------------------------------------------------------------------

enum { TALL = 1 << 20 }; // strips of more bytes are decoded by scan lines

static bool read_scanline(struct reader *r, uint32_t y, const struct wp_image *image, size_t row)
{
    const uint32_t strip = TIFFComputeStrip(r->t.tiff, y, 0);
    const uint32_t first = strip * r->layout.blocks.height;
    if (!wp_tiff_has(&r->t, false, strip))
        return false;
    // Most compression methods can be decoded only from the top of a strip.
    r->next = r->next >= first && r->next <= y ? r->next : first;
    for (; r->next <= y; r->next++)
        if (TIFFReadScanline(r->t.tiff, r->data, r->next, 0) < 0)
            return wp_tiff_fail(&r->t);
    wp_tiff_store_row(&r->layout, r->data, image, row);
    return true;
}

static bool read_band(struct reader *r, uint32_t y, const struct wp_image *image, size_t row)
{
    const size_t width = r->layout.width;
    const uint32_t height = r->layout.blocks.height, top = y - y % height;
    const uint32_t below = r->layout.height - top;
    if (!r->loaded || r->top != top) {
        const struct wp_tiff_part part =
            wp_tiff_rows_part(&r->layout, top, height < below ? height : below, r->band, 0);
        r->top = top;
        r->loaded = wp_tiff_read_part(&r->t, &r->layout, r->data, &part);
        if (!r->loaded)
            return false;
    }
    for (int p = 0; p < image->planes; p++)
        memcpy(image->plane[p] + row * width, r->band->plane[p] + (y - top) * width,
               width * sizeof(float));
    return true;
}

static bool read_row(void *state, int y, const struct wp_image *image, size_t row)
{
    struct reader *r = state;
    wp_tiff_begin(&r->t);
    wp_tiff_errors_release(&r->t.errors);
    const bool ok = (r->by_scanlines ? read_scanline : read_band)(r, (uint32_t)y, image, row);
    wp_tiff_end(&r->t);
    return ok;
}

// The reason if the file cannot be read by rows, else NULL.
static const char *unfit_for_rows(const struct reader *r)
{
    return r->pages > 1         ? "a TIFF of several pages is a volume"
           : r->layout.converted ? "libtiff converts the colors of this TIFF as a whole"
           : r->layout.orientation != ORIENTATION_TOPLEFT
               ? "a TIFF with an orientation is not stored in row order"
               : NULL;
}

// Allocates the buffers. Returns their size in bytes; 0 after an error.
static size_t allocate_buffers(struct reader *r)
{
    const struct wp_tiff_layout *layout = &r->layout;
    struct wp_tiff_blocks *blocks = &r->layout.blocks;
    const size_t row = (size_t)layout->width * layout->planes;
    r->by_scanlines = !blocks->tiled && !layout->separate && blocks->bytes > TALL;
    if (r->by_scanlines)
        blocks->bytes = TIFFScanlineSize(r->t.tiff);
    const uint32_t height = blocks->height < layout->height ? blocks->height : layout->height;
    r->data = wp_tiff_allocate_block(layout);
    if (!r->by_scanlines && r->data)
        r->band = wp_image_create((int)layout->width, (int)height, layout->planes, false);
    return !r->data || (!r->by_scanlines && !r->band) ? 0
           : (size_t)blocks->bytes + (r->by_scanlines ? 0 : row * height * sizeof(float));
}

bool wp_tiff_rows(struct wp_bytes **bytes, const struct wp_source *head, struct wp_rows **rows,
                  const char **why)
{
    // By scan lines, a tall strip is not decoded as a whole.
    static const struct wp_rows_reader readers[] = {
        [false] = {.read = read_row, .any_order = true, .close = close_reader, .all = read_all},
        [true] = {.read = read_row, .any_order = true, .close = close_reader}};
    struct reader *r = wp_xcalloc(1, sizeof *r);
    r->t = (struct wp_tiff){.source = *head, .bytes = *bytes};
    r->t.errors.hold = true; // the file may be opened again instead of being read
    const bool ok = open_pages(r);
    wp_tiff_end(&r->t);
    *why = ok ? unfit_for_rows(r) : NULL;
    if (!ok || *why)
        return give_up(r, ok);
    const size_t memory = allocate_buffers(r);
    if (memory == 0)
        return give_up(r, false);
    const struct wp_rows_info info = {.width = (int)r->layout.width,
                                      .height = (int)r->layout.height,
                                      .planes = r->layout.planes,
                                      .alpha = r->layout.alpha,
                                      .origin = wp_samples_origin(&r->layout.samples)};
    *bytes = NULL;
    wp_source_fill_facts(head, &r->layout.samples);
    *rows = wp_rows_create_reader(r->t.bytes, &info, memory, &readers[r->by_scanlines], r);
    return true;
}
