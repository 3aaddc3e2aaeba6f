#include "image_io.h"

#include <string.h>

size_t wp_samples_bytes(enum wp_sample_type type)
{
    static const size_t bytes[] = {
        [WP_SAMPLE_U8] = 1, [WP_SAMPLE_U16] = 2, [WP_SAMPLE_F32] = 4, [WP_SAMPLE_F64] = 8};
    return bytes[type];
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
    case WP_SAMPLE_F32:
        for (size_t i = 0; i < count; i++) {
            const uint32_t bits = (uint32_t)load(from + i * step, 4, big);
            memcpy(&to[i], &bits, sizeof to[i]);
        }
        break;
    case WP_SAMPLE_F64:
        for (size_t i = 0; i < count; i++) {
            const uint64_t bits = load(from + i * step, 8, big);
            double value;
            memcpy(&value, &bits, sizeof value);
            // Beyond float's range a cast is undefined in C; IEC 60559 makes it infinity.
            to[i] = (float)value;
        }
        break;
    }
}

void wp_samples_convert_row(const struct wp_samples *samples, const unsigned char *from,
                            struct wp_image *image, int y)
{
    const size_t bytes = wp_samples_bytes(samples->type);
    const size_t width = (size_t)image->width;
    for (int p = 0; p < image->planes; p++)
        wp_samples_convert(samples, from + (size_t)p * bytes, (size_t)image->planes * bytes,
                           image->plane[p] + (size_t)y * width, width);
}

void wp_image_interleave_row(const struct wp_image *image, int y, float *row)
{
    const size_t width = (size_t)image->width, planes = (size_t)image->planes;
    for (size_t p = 0; p < planes; p++) {
        const float *plane = image->plane[p] + (size_t)y * width;
        for (size_t x = 0; x < width; x++)
            row[x * planes + p] = plane[x];
    }
}
