// OpenEXR.
#include "fuzz.h"

#include "fuzz_image.h"

void fuzz(const uint8_t *data, size_t size)
{
    struct wp_image *image = fuzz_read_twice(data, size, WP_VOLUME_NO);
    wp_image_destroy(&image);
}
