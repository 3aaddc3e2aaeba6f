// Integer samples and binary16: from images to files and back.
#include "elements.h"
#include "image_io.h"

#include <math.h>
#include <string.h>

const char *const wp_stored_names[WP_STORED_COUNT] = {
    [WP_STORED_FLOAT] = "f32", [WP_STORED_U8] = "u8",   [WP_STORED_U16] = "u16",
    [WP_STORED_I8] = "i8",     [WP_STORED_I16] = "i16", [WP_STORED_I32] = "i32",
    [WP_STORED_F16] = "f16",
};

// Integers in floats are exact below this; larger ones may have been rounded.
static const float exact = 16777216.0F;

static const struct {
    float least, greatest;
} ranges[WP_STORED_COUNT] = {
    [WP_STORED_FLOAT] = {-exact, exact}, [WP_STORED_U8] = {0, 255},
    [WP_STORED_U16] = {0, 65535},        [WP_STORED_I8] = {-128, 127},
    [WP_STORED_I16] = {-32768, 32767},   [WP_STORED_I32] = {-exact, exact},
    [WP_STORED_F16] = {-exact, exact},
};

// The type of a file's integers, without its byte order.
static enum wp_stored stored_type(const char *type)
{
    const size_t length = strcspn(type, " ");
    for (int i = WP_STORED_U8; i <= WP_STORED_I32; i++)
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
            const bool is_integer = isfinite(value) && rintf(value) - value == 0;
            if (is_integer && value >= ranges[stored].least && value <= ranges[stored].greatest)
                continue;
            return wp_fail(WP_ERROR_FILE,
                           "%s: the sample in column %zu, row %zu, plane %d is %.9g, %s", path,
                           i % width, i / width, p, (double)value,
                           !is_integer                 ? "which is not an integer"
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

bool wp_image_read_integers(struct wp_image *image, const struct wp_file_facts *facts,
                            const char *path, enum wp_stored *stored)
{
    const size_t count = (size_t)image->planes * wp_image_samples(image);
    const float maximum = (float)facts->maximum;
    *stored = stored_type(facts->type);
    // The rounding error of the quotient, times the maximum, is less than 1/2.
    for (size_t i = 0; i < count; i++) {
        const float value = image->plane[0][i];
        image->plane[0][i] = (maximum > 0 ? rintf(value * maximum) : value) + 0.0F; // no -0
    }
    return wp_image_check_integers(image, path, WP_STORED_FLOAT);
}

enum { CHUNK = 256 }; // samples converted at a time

static void to_halves(uint16_t *to, const float *from, size_t count)
{
    wp_element_rows.write[WP_ELEMENT_F16](to, 1, from, (struct wp_element_scale){0}, (int)count);
}

static void pack_halves(float *row, size_t count)
{
    uint16_t halves[CHUNK];
    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t part = count - i < CHUNK ? count - i : CHUNK;
        to_halves(halves, row + i, part);
        memcpy((unsigned char *)row + i * sizeof *halves, halves, part * sizeof *halves);
    }
}

size_t wp_image_round_halves(struct wp_image *image)
{
    const size_t samples = (size_t)image->planes * wp_image_samples(image);
    float values[CHUNK];
    uint16_t halves[CHUNK];
    size_t lost = 0;
    for (size_t i = 0; i < samples; i += CHUNK) {
        const size_t part = samples - i < CHUNK ? samples - i : CHUNK;
        float *sample = image->plane[0] + i;
        to_halves(halves, sample, part);
        wp_element_rows.read[WP_ELEMENT_F16](values, halves, 1, (struct wp_element_scale){0},
                                             (int)part);
        for (size_t k = 0; k < part; k++)
            lost += isfinite(sample[k]) && !isfinite(values[k]);
        memcpy(sample, values, part * sizeof *values);
    }
    return lost;
}

size_t wp_stored_pack(float *row, size_t count, enum wp_stored stored)
{
    // Writing never overtakes reading, since no type is wider than float.
    unsigned char *to = (unsigned char *)row;
    static const size_t bytes[WP_STORED_COUNT] = {
        [WP_STORED_FLOAT] = 4, [WP_STORED_U8] = 1,  [WP_STORED_U16] = 2,
        [WP_STORED_I8] = 1,    [WP_STORED_I16] = 2, [WP_STORED_I32] = 4,
        [WP_STORED_F16] = 2,
    };
    if (stored == WP_STORED_F16)
        pack_halves(row, count);
    for (size_t i = 0; i < count && stored != WP_STORED_FLOAT && stored != WP_STORED_F16; i++) {
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
