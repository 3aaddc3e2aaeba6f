#include "orientation.h"

#include "xmemory.h"

#include <libexif/exif-data.h>
#include <stdlib.h>
#include <string.h>

int wp_orientation_of_exif(const unsigned char *data, size_t size)
{
    enum { MAGIC = 6, MOST = 65535 }; // maximum size of a JPEG segment
    if (size > MOST - MAGIC)
        return 1;
    unsigned char *segment = wp_xcalloc(MAGIC + size, 1);
    memcpy(segment, "Exif\0", MAGIC);
    memcpy(segment + MAGIC, data, size);
    const int orientation = wp_orientation_of_segment(segment, MAGIC + size);
    free(segment);
    return orientation;
}

int wp_orientation_of_segment(const unsigned char *data, size_t size)
{
    static const char magic[] = "Exif\0"; // with its terminating null
    int orientation = 1;
    if (size < sizeof magic || memcmp(data, magic, sizeof magic) != 0)
        return orientation;
    // A segment has fewer than 65536 bytes.
    ExifData *exif = exif_data_new_from_data(data, (unsigned)size);
    if (!exif)
        return orientation;
    const ExifEntry *entry = exif_content_get_entry(exif->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
    if (entry && entry->format == EXIF_FORMAT_SHORT && entry->size >= 2)
        orientation = exif_get_short(entry->data, exif_data_get_byte_order(exif));
    exif_data_unref(exif);
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

// For each orientation, how positions in the file follow from positions in the upright image.
static const struct {
    bool swapped, from_right, from_bottom;
} mappings[] = {
    [2] = {.from_right = true},
    [3] = {.from_right = true, .from_bottom = true},
    [4] = {.from_bottom = true},
    [5] = {.swapped = true},
    [6] = {.swapped = true, .from_bottom = true}, // a camera held upright
    [7] = {.swapped = true, .from_right = true, .from_bottom = true},
    [8] = {.swapped = true, .from_right = true},
};
enum { MAPPINGS = sizeof mappings / sizeof mappings[0] };

struct wp_image *wp_image_orient(struct wp_image *image, int orientation)
{
    if (!image || orientation <= 1 || orientation >= MAPPINGS)
        return image;
    const bool swapped = mappings[orientation].swapped;
    const int width = image->width, height = image->height;
    struct wp_image *result =
        wp_image_create_volume(swapped ? height : width, swapped ? width : height, image->depth,
                               image->planes, image->alpha);
    // All slices of all planes are consecutive.
    const int slices = image->planes * image->depth;
    const size_t slice = (size_t)width * (size_t)height;
    for (int z = 0; result && z < slices; z++) {
        const float *from = image->plane[0] + (size_t)z * slice;
        float *to = result->plane[0] + (size_t)z * slice;
        for (int y = 0; y < result->height; y++) {
            for (int x = 0; x < result->width; x++) {
                const int u = swapped ? y : x, v = swapped ? x : y;
                const int column = mappings[orientation].from_right ? width - 1 - u : u;
                const int row = mappings[orientation].from_bottom ? height - 1 - v : v;
                *to++ = from[(size_t)row * (size_t)width + (size_t)column];
            }
        }
    }
    if (result)
        result->origin = image->origin;
    wp_image_destroy(&image);
    return result;
}
