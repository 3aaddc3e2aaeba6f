#include "rows.h"

#include "memory.h"
#include "rows_io.h"
#include "xmemory.h"

#include <stdlib.h>

struct wp_rows {
    struct wp_rows_info info;
    const struct wp_bytes *bytes; // belong to the reader
    size_t memory;
    const struct wp_rows_reader *reader;
    void *reader_state;
    int next; // number of the next row
};

struct wp_rows *wp_rows_create_reader(const struct wp_bytes *bytes, const struct wp_rows_info *info,
                                      size_t memory, const struct wp_rows_reader *reader,
                                      void *reader_state)
{
    struct wp_rows *rows = wp_xcalloc(1, sizeof *rows);
    *rows = (struct wp_rows){.info = *info, .bytes = bytes, .memory = memory, .reader = reader,
                             .reader_state = reader_state};
    return rows;
}

void wp_rows_close(struct wp_rows **slot)
{
    struct wp_rows *rows = *slot;
    *slot = NULL;
    if (!rows)
        return;
    rows->reader->close(rows->reader_state);
    free(rows);
}

const struct wp_rows_info *wp_rows_info(const struct wp_rows *rows)
{
    return &rows->info;
}

const char *wp_rows_name(const struct wp_rows *rows)
{
    return wp_bytes_name(rows->bytes);
}

size_t wp_rows_memory(const struct wp_rows *rows)
{
    return rows->memory;
}

// Detects changes of the file, since reading by rows can take minutes.
bool wp_rows_unchanged(const struct wp_rows *rows)
{
    return wp_bytes_unchanged(rows->bytes) ||
           wp_fail(WP_ERROR_FILE, "%s was changed while it was read", wp_rows_name(rows));
}

struct wp_image wp_rows_shape(const struct wp_rows_info *info)
{
    return (struct wp_image){.width = info->width, .height = info->height, .depth = 1,
                             .planes = info->planes, .alpha = info->alpha,
                             .origin = info->origin};
}

bool wp_rows_read(struct wp_rows *rows, float *to, int count)
{
    struct wp_image row = wp_rows_shape(&rows->info);
    row.height = 1;
    for (int i = 0; i < count; i++) {
        for (int p = 0; p < row.planes; p++, to += row.width)
            row.plane[p] = to;
        if (!rows->reader->read(rows->reader_state, rows->next++, &row, 0))
            return false;
    }
    return rows->next < rows->info.height || wp_rows_unchanged(rows);
}

bool wp_rows_read_all(struct wp_rows *rows, struct wp_image *image)
{
    const struct wp_rows_reader *reader = rows->reader;
    bool ok = true;
    image->origin = rows->info.origin;
    if (reader->all)
        ok = reader->all(rows->reader_state, image);
    for (int y = 0; !reader->all && y < image->height && ok; y++)
        ok = reader->read(rows->reader_state, y, image, (size_t)y);
    return ok && wp_rows_unchanged(rows);
}

struct wp_image *wp_rows_read_image(struct wp_rows *rows)
{
    const struct wp_rows_info *info = &rows->info;
    struct wp_image *image =
        wp_image_create(info->width, info->height, info->planes, info->alpha);
    if (image && !wp_rows_read_all(rows, image))
        wp_image_destroy(&image);
    return image;
}

bool wp_rows_go_to(struct wp_rows *rows, int y)
{
    if (rows->reader->any_order) {
        rows->next = y;
        return true;
    }
    const size_t row = (size_t)rows->info.width * (size_t)rows->info.planes;
    float *skipped = rows->next < y ? wp_allocate(row, sizeof *skipped, "a row") : NULL;
    bool ok = rows->next == y || skipped;
    while (ok && rows->next < y)
        ok = wp_rows_read(rows, skipped, 1);
    free(skipped);
    return ok;
}

bool wp_rows_have_rectangles(const struct wp_rows *rows)
{
    return rows->reader->part;
}

bool wp_rows_read_rectangle(struct wp_rows *rows, int plane, int x, int y, int width, int height,
                            float *to, size_t step)
{
    bool ok = true;
    for (int i = 0; i < height && ok && width > 0; i++)
        ok = rows->reader->part(rows->reader_state, plane, x, y + i, width, to + (size_t)i * step);
    return ok;
}
