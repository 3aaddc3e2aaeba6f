// Reads TIFF pages by rows.
#include "memory.h"
#include "rows_io.h"
#include "tiff_page.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

// A page that is open. A row of blocks is decoded at once; tall strips are decoded by scan lines.
struct rows {
    struct wp_bytes *bytes;
    struct wp_source source;
    struct wp_tiff_view view;
    TIFF *tiff;
    struct wp_tiff_layout layout;
    struct wp_tiff_blocks blocks;
    bool by_scanlines;
    bool warned; // warnings of the directory were logged
    unsigned char *data;
    uint32_t next; // next scan line of libtiff
    struct wp_image *band; // the current row of blocks, from row `page.top` on
    bool loaded;             // `band` has been decoded
    struct wp_tiff_page page;
};

enum { TALL = 1 << 20 }; // strips of more bytes are decoded by scan lines

static bool read_scanline(struct rows *r, uint32_t y, const struct wp_tiff_errors *errors,
                          struct wp_image *row_image)
{
    const uint32_t strip = TIFFComputeStrip(r->tiff, y, 0);
    const uint32_t first = strip * r->blocks.height;
    if (!wp_tiff_view_has(&r->view, r->tiff, errors, false, strip))
        return false;
    // Most compression methods can be decoded only from the top of a strip.
    r->next = r->next >= first && r->next <= y ? r->next : first;
    for (; r->next <= y; r->next++) {
        if (TIFFReadScanline(r->tiff, r->data, r->next, 0) < 0) {
            wp_tiff_view_report(&r->view, errors);
            return false;
        }
    }
    wp_tiff_convert_row(&r->layout, r->data, &r->blocks, row_image);
    return true;
}

static bool read_blocks(struct rows *r, uint32_t y, const struct wp_tiff_errors *errors,
                        struct wp_image *row_image)
{
    const size_t width = r->layout.width;
    const uint32_t top = y - y % r->blocks.height;
    if (!r->loaded || r->page.top != top) {
        r->page.top = top;
        r->loaded = wp_tiff_read_block_row(&r->view, r->tiff, errors, &r->layout, &r->blocks, top,
                                           r->data, &r->page);
        if (!r->loaded)
            return false;
    }
    for (int p = 0; p < row_image->planes; p++)
        memcpy(row_image->plane[p], r->band->plane[p] + (y - r->page.top) * width,
               width * sizeof(float));
    return true;
}

static bool read_row(void *state, int y, struct wp_image *row_image)
{
    struct rows *r = state;
    struct wp_tiff_errors errors;
    if (!r->warned)
        r->view.messages.count = 0;
    wp_tiff_errors_begin(&errors, r->source.name, &r->view.messages);
    // The first time, read the directory again to log its warnings.
    bool ok = r->warned || TIFFSetDirectory(r->tiff, 0);
    r->warned = true;
    if (!ok)
        wp_tiff_view_report(&r->view, &errors);
    ok = ok && (r->by_scanlines ? read_scanline : read_blocks)(r, (uint32_t)y, &errors, row_image);
    wp_tiff_errors_end(&errors);
    return ok;
}

static void close_rows(void *state)
{
    struct rows *r = state;
    if (r->tiff)
        TIFFClose(r->tiff);
    wp_bytes_close(&r->bytes);
    wp_image_destroy(&r->band);
    free(r->data);
    free(r);
}

// Finds the only page and its blocks. Sets `why` if it cannot be read by rows. False after an
// error.
static bool find_rows(struct rows *r, const char **why)
{
    struct wp_tiff_errors errors;
    unsigned pages = 1;
    r->view.messages.count = WP_TIFF_MESSAGES; // no warnings yet: the file may be opened again
    wp_tiff_errors_begin(&errors, r->source.name, &r->view.messages);
    r->tiff = wp_tiff_view_open(&r->view, "rm");
    bool ok = r->tiff && wp_tiff_find_pages(&r->view, r->tiff, &errors, &r->layout, &pages);
    if (!r->tiff)
        wp_tiff_view_report_unopened(&r->view, &errors);
    if (ok && pages > 1)
        *why = "a TIFF of several pages is a volume";
    else if (ok && r->layout.converted)
        *why = "libtiff converts the colors of this TIFF as a whole";
    else if (ok && r->layout.orientation != ORIENTATION_TOPLEFT)
        *why = "a TIFF with an orientation is not stored in row order";
    else if (ok && (!TIFFSetDirectory(r->tiff, 0))) {
        wp_tiff_view_report(&r->view, &errors);
        ok = false;
    }
    ok = ok && wp_tiff_find_blocks(&r->source, r->tiff, &r->layout, &r->blocks);
    wp_tiff_errors_end(&errors);
    return ok;
}

// Allocates the buffers. Returns their size in bytes; 0 after an error.
static size_t allocate_buffers(struct rows *r)
{
    const size_t row = (size_t)r->layout.width * r->layout.planes;
    r->by_scanlines = !r->blocks.tiled && !r->layout.separate && r->blocks.bytes > TALL;
    if (r->by_scanlines)
        r->blocks.bytes = TIFFScanlineSize(r->tiff);
    const size_t bytes = (size_t)r->blocks.bytes;
    const uint32_t height =
        r->blocks.height < r->layout.height ? r->blocks.height : r->layout.height;
    r->data = wp_tiff_allocate_block(&r->layout, &r->blocks);
    if (!r->by_scanlines && r->data)
        r->band = wp_image_create((int)r->layout.width, (int)height, r->layout.planes, false);
    r->page = (struct wp_tiff_page){.image = r->band};
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
                                      .origin = wp_samples_origin(&r->layout.samples)};
    const size_t memory = allocate_buffers(r);
    if (memory == 0) {
        close_rows(r);
        return false;
    }
    r->bytes = *bytes;
    *bytes = NULL;
    wp_source_fill_facts(head, &r->layout.samples);
    *rows = wp_rows_create_reader(head->name, r->view.file, &info, memory, &reader, r);
    return *rows;
}
