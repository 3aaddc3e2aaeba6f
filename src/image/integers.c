// Integers of images: as they are in files, and back.
#include "image_io.h"

#include <math.h>
#include <string.h>

const char *const wp_stored_names[WP_STORED_COUNT] = {
    [WP_STORED_FLOAT] = "f32", [WP_STORED_U8] = "u8",   [WP_STORED_U16] = "u16",
    [WP_STORED_I8] = "i8",     [WP_STORED_I16] = "i16", [WP_STORED_I32] = "i32",
};

// All whole floats below this are exact; of larger ones it is not known what they were rounded from.
static const float exact = 16777216.0F;

static const struct {
    float least, greatest;
} limits[WP_STORED_COUNT] = {
    [WP_STORED_FLOAT] = {-exact, exact}, [WP_STORED_U8] = {0, 255},
    [WP_STORED_U16] = {0, 65535},        [WP_STORED_I8] = {-128, 127},
    [WP_STORED_I16] = {-32768, 32767},   [WP_STORED_I32] = {-exact, exact},
};

// The type of a file's samples, without its byte order.
static enum wp_stored stored_type(const char *type)
{
    const size_t length = strcspn(type, " ");
    for (int i = WP_STORED_U8; i < WP_STORED_COUNT; i++)
        if (strlen(wp_stored_names[i]) == length && memcmp(type, wp_stored_names[i], length) == 0)
            return (enum wp_stored)i;
    return WP_STORED_FLOAT;
}

bool wp_image_check_integers(const struct wp_image *image, const char *path, enum wp_stored stored)
{
    const size_t width = (size_t)image->width, count = wp_image_samples(image);
    for (int p = 0; p < image->planes; p++) {
        for (size_t i = 0; i < count; i++) {
            const float value = image->plane[p][i];
            const bool whole = isfinite(value) && rintf(value) - value == 0;
            if (whole && value >= limits[stored].least && value <= limits[stored].greatest)
                continue;
            return wp_fail(WP_ERROR_FILE, "%s: the sample in column %zu, row %zu, plane %d is %.9g, %s",
                           path, i % width, i / width, p, (double)value,
                           !whole                      ? "and no whole number"
                           : stored == WP_STORED_FLOAT ? "too large to be exact as a float"
                                                       : "too large for its type");
        }
    }
    return true;
}

enum wp_stored wp_image_stored(const struct wp_file_facts *facts)
{
    return stored_type(facts->type);
}

bool wp_image_take_integers(struct wp_image *image, const struct wp_file_facts *facts,
                            const char *path, enum wp_stored *stored)
{
    const size_t count = (size_t)image->planes * wp_image_samples(image);
    const float maximum = (float)facts->maximum;
    *stored = stored_type(facts->type);
    // A quotient of floats is off by less than half of what two integers are apart here.
    for (size_t i = 0; i < count; i++) {
        const float value = image->plane[0][i];
        image->plane[0][i] = (maximum > 0 ? rintf(value * maximum) : value) + 0.0F; // no -0
    }
    return wp_image_check_integers(image, path, WP_STORED_FLOAT);
}

size_t wp_stored_pack(float *row, size_t count, enum wp_stored stored)
{
    // What is written never runs past what is still to be read.
    unsigned char *to = (unsigned char *)row;
    static const size_t bytes[WP_STORED_COUNT] = {
        [WP_STORED_FLOAT] = 4, [WP_STORED_U8] = 1,  [WP_STORED_U16] = 2,
        [WP_STORED_I8] = 1,    [WP_STORED_I16] = 2, [WP_STORED_I32] = 4,
    };
    for (size_t i = 0; i < count && stored != WP_STORED_FLOAT; i++) {
        const int32_t value = (int32_t)row[i];
        const uint16_t two = (uint16_t)value;
        const uint8_t one = (uint8_t)value;
        memcpy(to + i * bytes[stored],
               bytes[stored] == 4   ? (const void *)&value
               : bytes[stored] == 2 ? (const void *)&two
                                    : &one,
               bytes[stored]);
    }
    return bytes[stored];
}
