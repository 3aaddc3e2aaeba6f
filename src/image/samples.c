#include "image_io.h"

#include "elements.h"

#include <string.h>

size_t wp_samples_bytes(enum wp_sample_type type)
{
    static const size_t bytes[] = {
        [WP_SAMPLE_U8] = 1, [WP_SAMPLE_U16] = 2, [WP_SAMPLE_F16] = 2, [WP_SAMPLE_F32] = 4,
        [WP_SAMPLE_F64] = 8, [WP_SAMPLE_I8] = 1, [WP_SAMPLE_I16] = 2, [WP_SAMPLE_I32] = 4, [WP_SAMPLE_BOOL] = 1};
    return bytes[type];
}

void wp_source_tell(const struct wp_source *source, const struct wp_samples *samples)
{
    static const char *const names[] = {
        [WP_SAMPLE_U8] = "u8", [WP_SAMPLE_U16] = "u16", [WP_SAMPLE_F16] = "f16",
        [WP_SAMPLE_F32] = "f32",
        [WP_SAMPLE_F64] = "f64", [WP_SAMPLE_I8] = "i8", [WP_SAMPLE_I16] = "i16",
        [WP_SAMPLE_I32] = "i32", [WP_SAMPLE_BOOL] = "bool"};
    struct wp_file_facts *facts = source->facts;
    if (!facts)
        return;
    const bool order = wp_samples_bytes(samples->type) > 1;
    const bool divided = samples->type == WP_SAMPLE_U8 || samples->type == WP_SAMPLE_U16;
    snprintf(facts->type, sizeof facts->type, "%s%s", names[samples->type],
             !order ? "" : samples->big_endian ? " big-endian" : " little-endian");
    facts->maximum = divided ? (double)samples->maximum : 0.0;
}

int wp_samples_bits(enum wp_sample_type type)
{
    static const int bits[] = {
        [WP_SAMPLE_U8] = 8,  [WP_SAMPLE_U16] = 16, [WP_SAMPLE_F16] = 32, [WP_SAMPLE_F32] = 32,
        [WP_SAMPLE_F64] = 64,
        [WP_SAMPLE_I8] = 32, [WP_SAMPLE_I16] = 32, [WP_SAMPLE_I32] = 64, [WP_SAMPLE_BOOL] = 32};
    return bits[type];
}

bool wp_host_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

// `size` bytes as an unsigned number. The compiler unrolls it into a load and a swap.
static inline uint64_t load(const unsigned char *from, size_t size, bool big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | from[big_endian ? i : size - 1 - i];
    return value;
}

static float from_half(uint16_t half)
{
    float value;
    wp_element_rows.read[WP_ELEMENT_F16](&value, &half, 1, (struct wp_element_scale){0}, 1);
    return value;
}

// The stored value. Two's complement, as every file has it, without casts that C leaves open.
static inline double value_at(enum wp_sample_type type, bool big, const unsigned char *from)
{
    uint64_t bits;
    uint32_t single;
    double value;
    float narrow;
    switch (type) {
    case WP_SAMPLE_U16:
        return (double)load(from, 2, big);
    case WP_SAMPLE_F16:
        return (double)from_half((uint16_t)load(from, 2, big));
    case WP_SAMPLE_F32:
        single = (uint32_t)load(from, 4, big);
        memcpy(&narrow, &single, sizeof narrow);
        return (double)narrow;
    case WP_SAMPLE_F64:
        bits = load(from, 8, big);
        memcpy(&value, &bits, sizeof value);
        return value;
    case WP_SAMPLE_I8:
        return (double)((int)from[0] - (from[0] & 0x80 ? 0x100 : 0));
    case WP_SAMPLE_I16:
        bits = load(from, 2, big);
        return (double)((int64_t)bits - (bits & 0x8000 ? 0x10000 : 0));
    case WP_SAMPLE_I32:
        bits = load(from, 4, big);
        return (double)((int64_t)bits - (bits & 0x80000000 ? 0x100000000 : 0));
    case WP_SAMPLE_BOOL:
        return from[0] ? 1.0 : 0.0;
    case WP_SAMPLE_U8:
        break;
    }
    return (double)from[0];
}

void wp_samples_convert(const struct wp_samples *samples, const unsigned char *from, size_t step,
                        float *to, size_t count)
{
    const bool big = samples->big_endian;
    // Divided, not multiplied by the inverse, so that the largest value gives 1 exactly.
    const float maximum = samples->maximum;
    switch (samples->type) {
    case WP_SAMPLE_U8:
        for (size_t i = 0; i < count; i++)
            to[i] = (float)from[i * step] / maximum;
        break;
    case WP_SAMPLE_U16:
        for (size_t i = 0; i < count; i++)
            to[i] = (float)(uint16_t)load(from + i * step, 2, big) / maximum;
        break;
    case WP_SAMPLE_F32: // with the bits of what is not a number
        if (step == sizeof *to && big == wp_host_big_endian()) {
            memcpy(to, from, count * sizeof *to);
            break;
        }
        for (size_t i = 0; i < count; i++) {
            const uint32_t bits = (uint32_t)load(from + i * step, 4, big);
            memcpy(&to[i], &bits, sizeof to[i]);
        }
        break;
    default:
        // Beyond float's range a cast is undefined in C; IEC 60559 makes it infinity.
        for (size_t i = 0; i < count; i++)
            to[i] = (float)value_at(samples->type, big, from + i * step);
        break;
    }
}

void wp_samples_convert_scaled(const struct wp_samples *samples, double slope, double intercept,
                               const unsigned char *from, float *to, size_t count)
{
    const size_t step = wp_samples_bytes(samples->type);
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(slope * value_at(samples->type, samples->big_endian, from + i * step) +
                        intercept);
}

void wp_samples_convert_row(const struct wp_samples *samples, const unsigned char *from,
                            struct wp_image *image, size_t row)
{
    const size_t bytes = wp_samples_bytes(samples->type);
    const size_t width = (size_t)image->width;
    for (int p = 0; p < image->planes; p++)
        wp_samples_convert(samples, from + (size_t)p * bytes, (size_t)image->planes * bytes,
                           image->plane[p] + row * width, width);
}

void wp_image_interleave_row(const struct wp_image *image, size_t row, float *to)
{
    const size_t width = (size_t)image->width, planes = (size_t)image->planes;
    for (size_t p = 0; p < planes; p++) {
        const float *plane = image->plane[p] + row * width;
        for (size_t x = 0; x < width; x++)
            to[x * planes + p] = plane[x];
    }
}
