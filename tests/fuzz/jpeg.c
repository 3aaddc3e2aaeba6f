// JPEG, and the orientation in EXIF.
#include "fuzz.h"

#include "fuzz_image.h"
#include "orientation.h"

#include <stdlib.h>
#include <string.h>

// The first bytes are added, so that they need not be found.
void fuzz(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {0xff, 0xd8, 0xff};
    uint8_t *file = malloc(sizeof magic + size);
    FUZZ_CHECK(file);
    memcpy(file, magic, sizeof magic);
    if (size)
        memcpy(file + sizeof magic, data, size);
    struct wp_image *image = fuzz_read_twice(file, sizeof magic + size, WP_VOLUME_NO);
    wp_image_destroy(&image);
    free(file);

    FUZZ_CHECK(wp_orientation_of_segment(data, size) >= 0);
}
