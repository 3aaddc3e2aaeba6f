// Images with unscaled integer samples.
#include "pixels.h"

#include "operand.h"
#include "log.h"
#include "memory.h"

#include <stdlib.h>

// U8 or U16, or F32 for all other types.
static enum wp_element type_of(const struct wp_file_facts *facts)
{
    const enum wp_stored stored = wp_image_stored(facts);
    return stored == WP_STORED_U8    ? WP_ELEMENT_U8
           : stored == WP_STORED_U16 ? WP_ELEMENT_U16
                                     : WP_ELEMENT_F32;
}

bool wp_image_has_pixels(const struct wp_file_facts *facts)
{
    return type_of(facts) != WP_ELEMENT_F32;
}

// Rows are read as integers if the format can, else as floats: those that were scaled are
// multiplied by the maximum again; the rounding error is less than 1/2. Rows that were not scaled
// are written as integers.
static bool read_rows(struct wp_rows *rows, const struct wp_image *image, float *row)
{
    const struct wp_operand *pixels = &image->pixels;
    const size_t width = (size_t)image->width;
    for (int y = 0; y < image->height; y++) {
        const struct wp_operand line = wp_operand_advance(pixels, 1, y, NULL);
        if (wp_rows_have_pixels(rows)) {
            if (!wp_rows_read_pixels(rows, &line))
                return false;
            continue;
        }
        if (!wp_rows_read(rows, row, 1))
            return false;
        for (int p = 0; p < image->planes; p++)
            wp_operand_write(&wp_element_rows, &line, p * line.stride[WP_PLANE],
                             row + (size_t)p * width, pixels->maximum == 0, image->width);
    }
    return true;
}

struct wp_image *wp_image_read_pixels(struct wp_rows *rows, const struct wp_file_facts *facts)
{
    const struct wp_rows_info *info = wp_rows_info(rows);
    struct wp_image *image =
        wp_image_create_pixels(info->width, info->height, info->planes, info->alpha,
                               type_of(facts), (float)facts->maximum);
    float *row = image ? wp_allocate((size_t)info->width * (size_t)info->planes, sizeof *row,
                                     "a row of an image")
                       : NULL;
    const bool ok = row && read_rows(rows, image, row);
    if (ok) {
        image->origin = info->origin;
        image->pixels.maximum = facts->maximum > 0 ? (float)facts->maximum : 1;
    } else {
        wp_image_destroy(&image);
    }
    free(row);
    return image;
}
