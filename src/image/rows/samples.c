#include "image_io.h"

#include "elements.h"

#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
    float largest;   // of integers; 0 for other types
    bool is_unsigned;
} types[WP_SAMPLE_TYPES] = {
    [WP_SAMPLE_U8] = {"u8", 1, 255.0F, true},     [WP_SAMPLE_U16] = {"u16", 2, 65535.0F, true},
    [WP_SAMPLE_U32] = {"u32", 4, 0x1p32F, true},  [WP_SAMPLE_U64] = {"u64", 8, 0x1p64F, true},
    [WP_SAMPLE_I8] = {"i8", 1, 127.0F, false},    [WP_SAMPLE_I16] = {"i16", 2, 32767.0F, false},
    [WP_SAMPLE_I32] = {"i32", 4, 0x1p31F, false}, [WP_SAMPLE_I64] = {"i64", 8, 0x1p63F, false},
    [WP_SAMPLE_F16] = {"f16", 2, 0, false},       [WP_SAMPLE_F32] = {"f32", 4, 0, false},
    [WP_SAMPLE_F64] = {"f64", 8, 0, false},       [WP_SAMPLE_BOOL] = {"bool", 1, 0, false},
};

size_t wp_samples_bytes(enum wp_sample_type type)
{
    return types[type].bytes;
}

struct wp_samples wp_samples_of(const struct wp_source *source, enum wp_sample_type type,
                                bool big_endian, bool picture, float largest)
{
    const bool small = types[type].is_unsigned && types[type].bytes <= 2;
    const bool unit = source->values == WP_VALUES_UNIT ||
                      (source->values == WP_VALUES_AUTO && picture && small);
    const float one = types[type].largest == 0 ? 0 : largest > 0 ? largest : types[type].largest;
    return (struct wp_samples){.type = type,
                               .big_endian = big_endian,
                               .maximum = unit ? one : 0,
                               .peak = small && !unit ? one : 1};
}

void wp_source_fill_facts(const struct wp_source *source, const struct wp_samples *samples)
{
    struct wp_file_facts *facts = source->facts;
    if (!facts)
        return;
    const char *name = types[samples->type].name;
    if (samples->bits > 0)
        snprintf(facts->type, sizeof facts->type, "%s of %d bits", name, samples->bits);
    else
        snprintf(facts->type, sizeof facts->type, "%s%s", name,
                 wp_samples_bytes(samples->type) == 1 ? ""
                 : samples->big_endian                ? " big-endian"
                                                      : " little-endian");
    facts->maximum = (double)samples->maximum;
}

struct wp_origin wp_samples_origin(const struct wp_samples *samples)
{
    const size_t bytes = types[samples->type].bytes;
    const bool rounded = bytes >= 4 && samples->type != WP_SAMPLE_F32;
    const bool divided = samples->maximum > 0 && types[samples->type].is_unsigned && bytes <= 2;
    return (struct wp_origin){.bits = rounded ? 64 : divided ? (int)bytes * 8 : 32,
                              .peak = samples->peak > 0 ? samples->peak : 1,
                              .wide = types[samples->type].largest > 0 && bytes >= 4};
}

void wp_image_set_samples(struct wp_image *image, const struct wp_source *source,
                          const struct wp_samples *samples)
{
    image->origin = wp_samples_origin(samples);
    wp_source_fill_facts(source, samples);
}

bool wp_host_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

// Loads `size` bytes as an unsigned number. Compilers optimize it to a load and a byte swap.
static inline uint64_t load(const unsigned char *from, size_t size, bool big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | from[big_endian ? i : size - 1 - i];
    return value;
}

const char *const wp_values_names[WP_VALUES_COUNT] = {"auto", "raw", "unit"};

static float from_half(uint16_t half)
{
    float value;
    wp_element_rows.read[WP_ELEMENT_F16](&value, &half, 1, (struct wp_element_scale){0}, 1);
    return value;
}

// The stored value. Two's complement without implementation-defined casts.
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
    case WP_SAMPLE_U32:
        return (double)load(from, 4, big);
    case WP_SAMPLE_U64:
        return (double)load(from, 8, big);
    case WP_SAMPLE_I64:
        bits = load(from, 8, big);
        return bits >> 63 ? -(double)(~bits + 1) : (double)bits;
    case WP_SAMPLE_BOOL:
        return from[0] ? 1.0 : 0.0;
    case WP_SAMPLE_U8:
    case WP_SAMPLE_TYPES:
        break;
    }
    return (double)from[0];
}

void wp_samples_convert(const struct wp_samples *samples, const unsigned char *from, size_t step,
                        float *to, size_t count)
{
    const bool big = samples->big_endian;
    // Divided, not multiplied by the inverse, so that the largest value becomes exactly 1.
    const float maximum = samples->maximum > 0 ? samples->maximum : 1;
    switch (samples->type) {
    case WP_SAMPLE_U8:
        for (size_t i = 0; i < count && maximum == 1; i++)
            to[i] = (float)from[i * step];
        for (size_t i = 0; i < count && maximum != 1; i++)
            to[i] = (float)from[i * step] / maximum;
        break;
    case WP_SAMPLE_U16:
        for (size_t i = 0; i < count && maximum == 1; i++)
            to[i] = (float)(uint16_t)load(from + i * step, 2, big);
        for (size_t i = 0; i < count && maximum != 1; i++)
            to[i] = (float)(uint16_t)load(from + i * step, 2, big) / maximum;
        break;
    case WP_SAMPLE_F32: // copies bits, which preserves NaN payloads
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
        // Values beyond the range of float become infinite, as IEC 60559 defines the conversion.
        for (size_t i = 0; i < count; i++)
            to[i] = (float)(value_at(samples->type, big, from + i * step) / (double)maximum);
        break;
    }
}

void wp_samples_convert_f64(const struct wp_samples *samples, const unsigned char *from, size_t step,
                            double *to, size_t count)
{
    const double maximum = samples->maximum > 0 ? (double)samples->maximum : 1;
    for (size_t i = 0; i < count; i++)
        to[i] = value_at(samples->type, samples->big_endian, from + i * step) / maximum;
}

void wp_samples_convert_scaled(const struct wp_samples *samples, double slope, double intercept,
                               const unsigned char *from, size_t step, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(slope * value_at(samples->type, samples->big_endian, from + i * step) +
                        intercept);
}

void wp_samples_copy(const struct wp_samples *samples, const unsigned char *from, size_t step,
                     void *to, size_t count)
{
    const size_t bytes = wp_samples_bytes(samples->type);
    uint16_t *pairs = to;
    wp_elements_copy(bytes, to, 1, from, (ptrdiff_t)(step / bytes), count);
    if (bytes == 1 || samples->big_endian == wp_host_big_endian())
        return;
    for (size_t i = 0; i < count; i++)
        pairs[i] = (uint16_t)(pairs[i] << 8 | pairs[i] >> 8);
}

void wp_samples_convert_row(const struct wp_samples *samples, const unsigned char *from,
                            const struct wp_image *image, size_t row)
{
    const size_t bytes = wp_samples_bytes(samples->type);
    const size_t width = (size_t)image->width, step = (size_t)image->planes * bytes;
    for (int p = 0; p < image->planes; p++, from += bytes) {
        void *to = wp_image_at(image, p, row * width);
        if (image->pixels.data)
            wp_samples_copy(samples, from, step, to, width);
        else
            wp_samples_convert(samples, from, step, to, width);
    }
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
