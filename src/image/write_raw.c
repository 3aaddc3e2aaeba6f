// Writes NPY and PFM: a text header, then samples in the host's byte order, which the header
// declares.
#include "image_io.h"

#include <stdlib.h>

#include "memory.h"

static bool write_rows(const struct wp_image *image, FILE *stream, bool bottom_first,
                       enum wp_stored stored)
{
    const size_t count = (size_t)image->width * (size_t)image->planes;
    float *row = wp_allocate(count, sizeof *row, "a row of an image");
    if (!row)
        return false;
    const size_t rows = (size_t)image->height * (size_t)image->depth;
    for (size_t i = 0; i < rows && !ferror(stream); i++) {
        wp_image_interleave_row(image, bottom_first ? rows - 1 - i : i, row);
        fwrite(row, wp_stored_pack(row, count, stored), count, stream);
    }
    free(row);
    return true;
}

bool wp_write_npy(const struct wp_image *image, FILE *stream, enum wp_stored stored)
{
    wp_write_npy_header(stream, image, stored);
    return write_rows(image, stream, false, stored);
}

void wp_write_pfm_header(FILE *stream, int width, int height, int planes)
{
    fprintf(stream, "P%c\n%d %d\n%s\n", planes == 3 ? 'F' : 'f', width, height,
            wp_host_big_endian() ? "1.0" : "-1.0");
}

bool wp_write_pfm(const struct wp_image *image, FILE *stream)
{
    wp_write_pfm_header(stream, image->width, image->height, image->planes);
    return write_rows(image, stream, true, WP_STORED_FLOAT);
}
