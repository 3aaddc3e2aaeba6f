#include "image_io.h"

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

// True unless the directory is a reduced copy of a page or a mask.
static bool is_page(TIFF *tiff)
{
    uint32_t kind = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &kind);
    return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

// Advances to the next directory that is a page. Returns false at the end, with *ok, and after an
// error. libtiff does not report a directory truncated before its last offset, but ends there.
static bool next_page(const struct wp_tiff_view *view, TIFF *tiff,
                      const struct wp_tiff_errors *errors, bool *ok)
{
    do {
        *ok = view->missing <= view->source->size && !view->truncated;
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

// Advances to a page that was counted before.
static bool advance(const struct wp_tiff_view *view, TIFF *tiff,
                    const struct wp_tiff_errors *errors)
{
    bool ok = true;
    if (next_page(view, tiff, errors, &ok))
        return true;
    return ok ? wp_source_fail(view->source, "was changed while it was read") : false;
}

bool wp_tiff_find_pages(const struct wp_tiff_view *view, TIFF *tiff,
                        const struct wp_tiff_errors *errors, struct wp_tiff_layout *first,
                        unsigned *pages)
{
    const struct wp_source *source = view->source;
    struct wp_tiff_blocks blocks;
    bool ok = true;
    if (!wp_tiff_read_layout(source, tiff, first) ||
        !wp_tiff_find_blocks(source, tiff, first, &blocks))
        return false;
    for (*pages = 1; source->volume != WP_VOLUME_NO && next_page(view, tiff, errors, &ok);
         ++*pages) {
        struct wp_tiff_layout layout = {0};
        if (!wp_tiff_read_layout(source, tiff, &layout))
            return false;
        if (!wp_tiff_same_kind(&layout, first))
            return wp_source_fail(source,
                                  "page %u has another format than page 1 (%ux%u, %u planes of "
                                  "%d bits; not %ux%u, %u of %d)",
                                  *pages + 1, layout.width, layout.height, layout.planes,
                                  (int)wp_samples_bytes(layout.samples.type) * 8, first->width,
                                  first->height, first->planes,
                                  (int)wp_samples_bytes(first->samples.type) * 8);
        if (!wp_tiff_find_blocks(source, tiff, &layout, &blocks))
            return false;
    }
    *pages = first->slices > 1 ? first->slices : *pages;
    if (ok && first->declared > 0 && first->declared != *pages)
        wp_log(WP_LOG_WARNING, "%s: ImageJ's description names %u images, but the file has %u",
               source->name, first->declared, *pages);
    return ok && wp_source_check_volume(source, first->width, first->height, *pages);
}

// Reads slice z; slices must be read in order.
static bool read_page(const struct wp_tiff_view *view, TIFF *tiff,
                      const struct wp_tiff_errors *errors, const struct wp_tiff_layout *layout,
                      unsigned z, const struct wp_tiff_page *page)
{
    return layout->slices > 1 ? wp_tiff_read_slice(view, layout, z, page)
                              : (z == 0 || advance(view, tiff, errors)) &&
                                    wp_tiff_decode_page(view, tiff, errors, page);
}

static struct wp_image *decode(const struct wp_tiff_view *view, TIFF *tiff,
                               const struct wp_tiff_errors *errors)
{
    struct wp_tiff_layout layout = {0};
    unsigned pages;
    if (!wp_tiff_find_pages(view, tiff, errors, &layout, &pages))
        return NULL;
    if (view->source->volume != WP_VOLUME_NO && !TIFFSetDirectory(tiff, 0)) {
        wp_tiff_view_report(view, errors);
        return NULL;
    }
    struct wp_image *image = wp_image_create_volume((int)layout.width, (int)layout.height,
                                                    (int)pages, layout.planes, layout.alpha);
    if (!image)
        return NULL;
    wp_image_set_samples(image, view->source, &layout.samples);
    const size_t slice = (size_t)layout.width * layout.height;
    bool ok = true;
    for (unsigned z = 0; z < pages && ok; z++) {
        ok = read_page(view, tiff, errors, &layout, z,
                       &(struct wp_tiff_page){image, z * slice, 0});
    }
    if (!ok)
        wp_image_destroy(&image);
    return wp_image_orient(image, layout.orientation);
}

struct wp_image *wp_read_tiff(const struct wp_source *source)
{
    struct wp_tiff_view view = {.source = source, .file = -1};
    struct wp_tiff_errors errors;
    wp_tiff_errors_begin(&errors, source->name, &view.messages);
    // 'm': no memory mapping, since the file is in memory.
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

// A file whose pages are read in order.
struct slices {
    struct wp_bytes *bytes;
    struct wp_source source;
    struct wp_tiff_view view;
    TIFF *tiff;
    struct wp_tiff_layout layout;
    unsigned pages;
};

static bool read_plane(struct slices *s, int number, float *to,
                       const struct wp_tiff_errors *errors)
{
    struct wp_image slice = {.width = (int)s->layout.width,
                             .height = (int)s->layout.height,
                             .depth = 1,
                             .planes = 1,
                             .plane = {to}};
    return read_page(&s->view, s->tiff, errors, &s->layout, (unsigned)number,
                     &(struct wp_tiff_page){&slice, 0, 0});
}

static bool read_slice(void *state, int number, float *to, bool *end)
{
    struct slices *s = state;
    struct wp_tiff_errors errors;
    *end = (unsigned)number == s->pages;
    if (*end)
        return true;
    wp_tiff_errors_begin(&errors, s->source.name, &s->view.messages);
    const bool ok = read_plane(s, number, to, &errors);
    wp_tiff_errors_end(&errors);
    return ok;
}

static void close_slices(void *state)
{
    struct slices *s = state;
    if (s->tiff)
        TIFFClose(s->tiff);
    wp_bytes_close(&s->bytes);
    free(s);
}

// Opens the file and checks for several upright pages of one plane. False after an error.
static bool find_slices(struct slices *s, bool *found)
{
    struct wp_tiff_errors errors;
    wp_tiff_errors_begin(&errors, s->source.name, &s->view.messages);
    s->tiff = wp_tiff_view_open(&s->view, "rm");
    bool ok = s->tiff && wp_tiff_find_pages(&s->view, s->tiff, &errors, &s->layout, &s->pages);
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
                                        .origin = wp_samples_origin(&s->layout.samples)};
    *slices = wp_slices_create_reader(head->name, &info, &reader, s);
    return true;
}
