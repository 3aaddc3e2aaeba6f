// NPY and PFM: a header of text, then floats. Both can say which byte order they are in, so
// both are written in the host's.
#include "image_io.h"

#include <stdlib.h>

#include "memory.h"

static bool write_rows(const struct wp_image *image, FILE *stream, bool bottom_first)
{
    const size_t count = (size_t)image->width * (size_t)image->planes;
    float *row = wp_allocate(count, sizeof *row, "a row of an image");
    if (!row)
        return false;
    const size_t rows = (size_t)image->height * (size_t)image->depth;
    for (size_t i = 0; i < rows && !ferror(stream); i++) {
        wp_image_interleave_row(image, bottom_first ? rows - 1 - i : i, row);
        fwrite(row, sizeof *row, count, stream);
    }
    free(row);
    return true;
}

void wp_write_npy_header(FILE *stream, int width, int height, int depth, int planes)
{
    char slices[16] = "", last[16] = "";
    if (depth > 1)
        snprintf(slices, sizeof slices, "%d, ", depth);
    if (planes > 1)
        snprintf(last, sizeof last, ", %d", planes);
    char text[160];
    const int length =
        snprintf(text, sizeof text,
                 "{'descr': '%cf4', 'fortran_order': False, 'shape': (%s%d, %d%s), }",
                 wp_host_big_endian() ? '>' : '<', slices, height, width, last);
    // Magic, version 1.0, the length in two bytes, the text, and spaces up to a line feed, in
    // all a multiple of 64 bytes.
    enum { FIXED = 10, ALIGNMENT = 64 };
    const int total = (FIXED + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const int stated = total - FIXED;
    fwrite("\x93NUMPY\1\0", 1, 8, stream);
    fputc(stated & 255, stream);
    fputc(stated >> 8, stream);
    fprintf(stream, "%-*s\n", stated - 1, text);
}

bool wp_write_npy(const struct wp_image *image, FILE *stream)
{
    wp_write_npy_header(stream, image->width, image->height, image->depth, image->planes);
    return write_rows(image, stream, false);
}

bool wp_write_pfm(const struct wp_image *image, FILE *stream)
{
    fprintf(stream, "P%c\n%d %d\n%s\n", image->planes == 3 ? 'F' : 'f', image->width, image->height,
            wp_host_big_endian() ? "1.0" : "-1.0");
    return write_rows(image, stream, true);
}
