// Reads files of uncompressed samples, in which the offset of a row can be computed.
#include "memory.h"
#include "rows_io.h"
#include "slices_io.h"
#include "xmemory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The size of the buffer in bytes, unless a row is larger.
enum { BUFFER_BYTES = 1 << 16 };

static size_t row_bytes(const struct wp_raster_layout *layout)
{
    return (size_t)layout->width * (size_t)layout->planes * wp_samples_bytes(layout->samples.type);
}

static void set_axes(const struct wp_raster_layout *layout, struct wp_origin *origin)
{
    origin->slice_axis = layout->slice_axis;
    origin->plane_axis = layout->plane_axis;
}

unsigned long long wp_raster_layout_end(const struct wp_raster_layout *layout)
{
    return layout->offset + layout->depth * layout->height * row_bytes(layout);
}

// Checks the integers of a row of a PNM or PAM; those of 16 bits are big endian.
static bool check_row(const struct wp_source *source, const struct wp_raster_layout *layout,
                      const unsigned char *from, int y)
{
    const struct wp_samples *samples = &layout->samples;
    const unsigned most = (unsigned)fmaxf(samples->maximum, samples->peak);
    const size_t bytes = row_bytes(layout);
    unsigned largest = 0;
    for (size_t i = 0; i < bytes && samples->type == WP_SAMPLE_U8; i++)
        largest = from[i] > largest ? from[i] : largest;
    for (size_t i = 0; i < bytes && samples->type == WP_SAMPLE_U16; i += 2) {
        const unsigned value = (unsigned)from[i] << 8 | from[i + 1];
        largest = value > largest ? value : largest;
    }
    return largest <= most ||
           wp_source_fail(source, "damaged %s (a sample of row %d exceeds %u)",
                          source->data[1] == '7' ? "PAM" : "PNM", y + 1, most);
}

// Converts to row `row` of `image`; `y` is the row of the file's image, for messages.
static bool convert_row(const struct wp_source *source, const struct wp_raster_layout *layout,
                        const unsigned char *from, const struct wp_image *image, size_t row, int y)
{
    if (layout->bounded && !check_row(source, layout, from, y))
        return false;
    wp_samples_convert_row(&layout->samples, from, image, row);
    return true;
}

// The number of a row in the file, which may be stored from the bottom.
static size_t file_row(const struct wp_raster_layout *layout, size_t y)
{
    return layout->bottom_up ? (size_t)layout->height - 1 - y : y;
}

// PNM allows one white space character before the samples, but some programs write two.
static void warn_of_line_feed(const struct wp_source *source, const struct wp_raster_layout *layout)
{
    if (layout->line_feed && !source->needs && source->size == wp_raster_layout_end(layout) + 1)
        wp_log(WP_LOG_WARNING,
               "%s: the header ends in CR LF, but PNM allows one of them, and the file is one byte "
               "too long: samples are probably shifted by one byte",
               source->name);
}

// Converts row `row` of a file in Fortran order; rows are counted through all slices.
static void gather_row(const struct wp_source *source, const struct wp_raster_layout *layout,
                       struct wp_image *image, size_t row)
{
    const size_t bytes = wp_samples_bytes(layout->samples.type);
    const size_t w = (size_t)layout->width, h = (size_t)layout->height, d = (size_t)layout->depth;
    for (size_t p = 0; p < (size_t)layout->planes; p++)
        wp_samples_convert(&layout->samples,
                           source->data + layout->offset +
                               (p * w * h * d + row % h * d + row / h) * bytes,
                           h * d * bytes, image->plane[p] + row * w, w);
}

struct wp_image *wp_read_layout(const struct wp_source *source,
                                const struct wp_raster_layout *layout)
{
    struct wp_image *image =
        wp_image_create_volume((int)layout->width, (int)layout->height, (int)layout->depth,
                               layout->planes, layout->alpha);
    bool ok = image;
    if (!image)
        return NULL;
    warn_of_line_feed(source, layout);
    wp_image_set_samples(image, source, &layout->samples);
    set_axes(layout, &image->origin);
    for (size_t y = 0; y < layout->height * layout->depth && ok; y++)
        if (layout->fortran)
            gather_row(source, layout, image, y);
        else
            ok = convert_row(source, layout,
                             source->data + layout->offset +
                                 file_row(layout, y) * row_bytes(layout),
                             image, y, (int)y);
    if (!ok)
        wp_image_destroy(&image);
    return image;
}

struct wp_image *wp_read_raster(const struct wp_source *source, wp_raster_layout_finder *find,
                                const char *damaged)
{
    struct wp_raster_layout layout;
    if (!find(source, &layout))
        return NULL;
    if (layout.width == 0) {
        wp_source_fail(source, "%s", damaged);
        return NULL;
    }
    return wp_source_needs(source, wp_raster_layout_end(&layout)) ? wp_read_layout(source, &layout)
                                                                  : NULL;
}

struct reader {
    struct wp_bytes *bytes;
    struct wp_source source;
    struct wp_raster_layout layout;
    size_t capacity;     // of `data`, in rows
    size_t first, count; // rows in `data`, numbered as in the file
    unsigned char *data;
};

static bool read_at(const struct reader *r, unsigned char *to, size_t bytes,
                    unsigned long long at)
{
    const size_t got = wp_bytes_read_at(r->bytes, to, bytes, at);
    if (got < bytes && errno)
        return wp_fail(wp_error_of_errno(), "cannot read %s (%s)", r->source.name, strerror(errno));
    return got == bytes ||
           wp_source_fail(&r->source, "truncated while it was read (at byte %llu)", at + got);
}

// Reads rows ahead from the file's row `row` on, in the direction of reading.
static bool fill(struct reader *r, size_t row)
{
    const struct wp_raster_layout *layout = &r->layout;
    const size_t height = (size_t)layout->height;
    r->first = !layout->bottom_up ? row : row + 1 < r->capacity ? 0 : row + 1 - r->capacity;
    const size_t last = layout->bottom_up            ? row + 1
                        : height - row < r->capacity ? height
                                                     : row + r->capacity;
    r->count = last - r->first;
    const size_t bytes = r->count * row_bytes(layout);
    return read_at(r, r->data, bytes, layout->offset + r->first * row_bytes(layout));
}

static bool read_row(void *state, int y, const struct wp_image *image, size_t row)
{
    struct reader *r = state;
    const size_t from = file_row(&r->layout, (size_t)y);
    if ((from < r->first || from >= r->first + r->count) && !fill(r, from))
        return false;
    return convert_row(&r->source, &r->layout, r->data + (from - r->first) * row_bytes(&r->layout),
                       image, row, y);
}

// Reads part of a row to the buffer of rows, which becomes empty.
static bool read_part(void *state, int plane, int x, int y, int count, float *to)
{
    struct reader *r = state;
    const struct wp_raster_layout *layout = &r->layout;
    const size_t sample = wp_samples_bytes(layout->samples.type);
    const size_t pixel = sample * (size_t)layout->planes;
    r->count = 0;
    if (!read_at(r, r->data, (size_t)count * pixel,
                 layout->offset + file_row(layout, (size_t)y) * row_bytes(layout) +
                     (size_t)x * pixel))
        return false;
    wp_samples_convert(&layout->samples, r->data + (size_t)plane * sample, pixel, to,
                       (size_t)count);
    return true;
}

static void close_reader(void *state)
{
    struct reader *r = state;
    wp_bytes_close(&r->bytes);
    free(r->data);
    free(r);
}

bool wp_layout_rows(struct wp_bytes **bytes, const struct wp_source *head,
                    const struct wp_raster_layout *layout, struct wp_rows **rows)
{
    static const struct wp_rows_reader reader = {
        .read = read_row, .any_order = true, .part = read_part, .close = close_reader};
    const size_t row = row_bytes(layout);
    const size_t capacity = row < BUFFER_BYTES ? BUFFER_BYTES / row : 1;
    wp_source_fill_facts(head, &layout->samples);
    warn_of_line_feed(head, layout);
    unsigned char *data = wp_allocate(capacity, row, "rows of an image");
    if (!data)
        return false;
    struct reader *r = wp_xcalloc(1, sizeof *r);
    *r = (struct reader){.bytes = *bytes, .source = *head, .layout = *layout, .capacity = capacity,
                         .data = data};
    *bytes = NULL;
    struct wp_rows_info info = {.width = (int)layout->width,
                                      .height = (int)layout->height,
                                      .planes = layout->planes,
                                      .alpha = layout->alpha,
                                      .origin = wp_samples_origin(&layout->samples)};
    set_axes(layout, &info.origin);
    *rows = wp_rows_create_reader(r->bytes, &info, capacity * row, &reader, r);
    return true;
}

// Reads a slice row by row, in order, since the file may be a pipe.
static bool read_slice(void *state, int number, float *to, bool *end)
{
    struct reader *r = state;
    const struct wp_raster_layout *layout = &r->layout;
    const size_t width = (size_t)layout->width, bytes = row_bytes(layout);
    size_t got;
    *end = (unsigned long long)number == layout->depth;
    for (unsigned long long y = 0; y < layout->height && !*end; y++, to += width) {
        if (!wp_bytes_read(r->bytes, r->data, bytes, &got))
            return false;
        if (got < bytes)
            return wp_fail(WP_ERROR_FILE, "%s: truncated in slice %d of %llu",
                           wp_bytes_name(r->bytes), number + 1, layout->depth);
        wp_samples_convert(&layout->samples, r->data, wp_samples_bytes(layout->samples.type), to,
                           width);
    }
    return true;
}

struct wp_slices *wp_layout_slices(struct wp_bytes *bytes, const struct wp_source *head,
                                   const struct wp_raster_layout *layout)
{
    static const struct wp_slices_reader reader = {read_slice, close_reader, NULL};
    struct wp_slices_info info = {.width = (int)layout->width,
                                        .height = (int)layout->height,
                                        .depth = (int)layout->depth,
                                        .origin = wp_samples_origin(&layout->samples)};
    struct reader *r = wp_xcalloc(1, sizeof *r);
    size_t got;
    set_axes(layout, &info.origin);
    wp_source_fill_facts(head, &layout->samples);
    *r = (struct reader){
        .bytes = bytes, .layout = *layout, .data = wp_xcalloc(1, row_bytes(layout))};
    if (wp_bytes_skip(bytes, (size_t)layout->offset, &got))
        return wp_slices_create_reader(head->name, &info, &reader, r);
    close_reader(r);
    return NULL;
}
