// Opens files for reading by slices.
#include "slices_io.h"
#include "stream.h"
#include "xmemory.h"
#include "y4m.h"

#include <stdlib.h>
#include <string.h>

static bool read_frame(void *state, int number, float *to, bool *end)
{
    struct wp_y4m *y4m = state;
    (void)number;
    return wp_y4m_begin(y4m, end) && (*end || wp_y4m_read(y4m, to));
}

static void close_y4m(void *state)
{
    struct wp_y4m *y4m = state;
    wp_y4m_destroy(&y4m);
}

static struct wp_slices *slices_of_y4m(struct wp_bytes *bytes)
{
    static const struct wp_slices_reader reader = {read_frame, close_y4m};
    char *name = wp_xstrdup(wp_bytes_name(bytes));
    struct wp_y4m *y4m = wp_y4m_create(bytes);
    struct wp_slices *slices = NULL;
    if (y4m) {
        const struct wp_y4m_info info = wp_y4m_info(y4m);
        slices = wp_slices_create_reader(name,
                                         &(struct wp_slices_info){
                                             .width = info.width,
                                             .height = info.height,
                                             .origin = info.origin,
                                             .geometry = info.geometry,
                                         },
                                         &reader, y4m);
    }
    free(name);
    return slices;
}

static bool is_complete(const struct wp_bytes *bytes, const struct wp_source *head,
                        const struct wp_raster_layout *layout)
{
    struct wp_source source = *head;
    unsigned long long size;
    if (!wp_bytes_size(bytes, &size))
        return true;
    source.size = (size_t)size;
    return wp_source_needs(&source, wp_raster_layout_end(layout));
}

static bool begins(const struct wp_source *head, const char *magic)
{
    const size_t length = strlen(magic);
    return head->size >= length && memcmp(head->data, magic, length) == 0;
}

static bool find_layout(struct wp_bytes *bytes, struct wp_source *head, const struct wp_raw *raw,
                        struct wp_raster_layout *layout)
{
    unsigned long long size;
    *layout = (struct wp_raster_layout){0};
    if (!raw)
        return !begins(head, "\x93NUMPY") ||
               (wp_bytes_peek(bytes, WP_BYTES_PEEK, &head->data, &head->size) &&
                wp_npy_layout(head, layout));
    // For a pipe, only its end shows that it has no more bytes.
    if (!wp_bytes_size(bytes, &size))
        return true;
    *layout = raw->layout;
    return wp_raw_check(raw, head->name, size) &&
           wp_source_check_volume(head, layout->width, layout->height, layout->depth);
}

// Opens TIFF and NIfTI.
static bool open_format(struct wp_bytes **bytes, struct wp_source *head, struct wp_slices **slices)
{
    unsigned long long size;
    if (!wp_bytes_size(*bytes, &size))
        return true;
    if (!wp_bytes_peek(*bytes, WP_BYTES_PEEK, &head->data, &head->size))
        return false;
    return wp_stream_begins(head, WP_FITS_MAGIC) || // possibly gzipped, as NIfTI can be
           (wp_match_tiff(head) ? wp_tiff_slices : wp_nifti_slices)(bytes, head, size, slices);
}

bool wp_slices_of(struct wp_bytes **bytes, const struct wp_read_params *params,
                  const struct wp_raw *raw, struct wp_slices **slices)
{
    struct wp_raster_layout layout;
    struct wp_bytes *input = *bytes;
    struct wp_source head = wp_source_of(wp_bytes_name(input), params);
    *slices = NULL;
    if (!wp_bytes_peek(input, WP_BYTES_MAGIC, &head.data, &head.size))
        return false;
    if (!raw && begins(&head, "YUV4MPEG2")) {
        *bytes = NULL;
        *slices = slices_of_y4m(input);
        return *slices != NULL;
    }
    if (!raw && !open_format(bytes, &head, slices))
        return false;
    if (*slices)
        return true;
    if (!find_layout(input, &head, raw, &layout))
        return false;
    if (layout.depth < 2 || layout.planes != 1 || layout.fortran)
        return true;
    if (!is_complete(input, &head, &layout))
        return false;
    *bytes = NULL;
    *slices = wp_layout_slices(input, &layout);
    return *slices != NULL;
}
