// Images with unscaled integer samples.
#include "pixels.h"

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

struct wp_image *wp_image_read_pixels(struct wp_rows *rows, const struct wp_file_facts *facts)
{
    const struct wp_rows_info *info = wp_rows_info(rows);
    struct wp_image *image =
        wp_image_create_pixels(info->width, info->height, info->planes, info->alpha,
                               type_of(facts), facts->maximum > 0 ? (float)facts->maximum : 1);
    if (image && !wp_rows_read_all(rows, image))
        wp_image_destroy(&image);
    return image;
}
