// Many small planes per draw and dispatch: the same bits as each plane alone. The sizes make several
// columns of planes in a texture, several strips of an upload or download, several groups, and
// planes too large to share a strip.
#include "wavepass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct batch {
    const char *variant; // NULL: default
    const char *wavelet;
    int width, height, planes, levels;
    enum wp_element type; // of samples
    bool interleaved;
    int together; // planes per draw or dispatch; 0: all
};

enum { COMPARED = 40 }; // planes of a batch

static struct wp_transform *create(const char *backend, const struct batch *b, int planes)
{
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = b->width, .height = b->height, .planes = planes, .levels = b->levels,
        .wavelet = b->wavelet, .border = b->wavelet[0] == 'd' ? "periodic" : NULL, .backend = backend, .variant = b->variant,
        .scheme = b->variant && strcmp(b->variant, "walks") == 0 ? "sep-lifting" : NULL);
    struct wp_transform *transform = wp_transform_create(&params);
    if (!transform)
        fail_msg("%s: %s", backend, wp_last_error_text());
    return transform;
}

static size_t bytes_of(enum wp_element type)
{
    return type == WP_ELEMENT_U8 ? 1 : type == WP_ELEMENT_F16 ? 2 : sizeof(float);
}

// The operand of plane `plane`, in memory of elements of `bytes` bytes.
static struct wp_operand plane_of(const struct wp_operand *all, int plane, size_t bytes)
{
    struct wp_operand one = *all;
    one.data = (char *)all->data + all->stride[WP_PLANE] * plane * (ptrdiff_t)bytes;
    return one;
}

static void run(struct wp_transform *transform, bool inverse, const struct wp_operand *from,
                const struct wp_operand *to)
{
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(transform, from, to))
        fail_msg("%s", wp_last_error_text());
}

// Transforms the batch, and some of its planes alone to `expected`, which has the same strides.
static void check(const struct batch *b, bool inverse, struct wp_transform *all,
                  struct wp_transform *one, const struct wp_operand *from,
                  const struct wp_operand *to, void *expected, size_t size)
{
    const size_t from_bytes = bytes_of(from->type), to_bytes = bytes_of(to->type);
    const size_t samples = (size_t)b->width * (size_t)b->height;
    run(all, inverse, from, to);
    assert_int_equal(wp_transform_get_info(all)->planes_at_once,
                     b->together ? b->together : b->planes);
    memcpy(expected, to->data, size);
    struct wp_operand place = *to;
    place.data = expected;
    for (int i = 0; i < COMPARED; i++) {
        const int plane = i ? (int)((long long)(b->planes - 1) * i / (COMPARED - 1)) : 0;
        const struct wp_operand in = plane_of(from, plane, from_bytes);
        const struct wp_operand out = plane_of(&place, plane, to_bytes);
        for (size_t s = 0; s < samples; s++)
            memset((char *)out.data + s * (size_t)to->stride[0] * to_bytes, 0x2a, to_bytes);
        run(one, inverse, &in, &out);
        if (memcmp(expected, to->data, size) != 0)
            fail_msg("%s of %d planes of %dx%d, %s %s: plane %d differs",
                     inverse ? "inverse" : "forward", b->planes, b->width, b->height, b->wavelet,
                     b->variant ? b->variant : "", plane);
    }
}

static void check_batch(const char *backend, const struct batch *b)
{
    const size_t samples = (size_t)b->width * (size_t)b->height, all = samples * (size_t)b->planes;
    const size_t bytes = bytes_of(b->type);
    unsigned char *image = malloc(all * bytes), *expected = malloc(all * sizeof(float));
    float *coefficients = malloc(all * sizeof *coefficients);
    assert_true(image && expected && coefficients);
    uint32_t seed = 1;
    for (size_t i = 0; i < all; i++) {
        seed = seed * 1664525U + 1013904223U;
        const float value = (float)(seed >> 16) / 65536;
        const uint16_t half = (uint16_t)(0x3000 + (seed >> 20));
        memcpy(image + i * bytes, b->type == WP_ELEMENT_F32 ? (const void *)&value : &half, bytes);
    }
    const ptrdiff_t planes = b->planes;
    struct wp_operand in = {.data = image, .type = b->type};
    in.stride[0] = b->interleaved ? planes : 1;
    in.stride[1] = in.stride[0] * b->width;
    in.stride[WP_PLANE] = b->interleaved ? 1 : (ptrdiff_t)samples;
    const struct wp_operand out = {
        .data = coefficients, .stride = {1, b->width, 0, (ptrdiff_t)samples}};
    struct wp_transform *many = create(backend, b, b->planes), *one = create(backend, b, 1);
    check(b, false, many, one, &in, &out, expected, all * sizeof(float));
    check(b, true, many, one, &out, &in, expected, all * bytes);
    wp_transform_destroy(&many);
    wp_transform_destroy(&one);
    free(image);
    free(coefficients);
    free(expected);
}

static void test_fragment(void **state)
{
    (void)state;
    static const struct batch batches[] = {
        {NULL, "cdf97", 5, 7, 2100, 1, WP_ELEMENT_F32, false, 0},
        {NULL, "cdf53", 64, 64, 500, 3, WP_ELEMENT_F32, true, 0},
        {NULL, "haar", 17, 4, 3000, 2, WP_ELEMENT_U8, false, 0},
        {NULL, "haar", 3, 9, 2500, 1, WP_ELEMENT_U8, true, 0},
        {NULL, "db2", 6, 6, 1700, 1, WP_ELEMENT_F16, false, 0},
        {NULL, "cdf53", 700, 500, 5, 2, WP_ELEMENT_F32, false, 0},
        {"tile-2x2", "cdf97", 5, 7, 4500, 1, WP_ELEMENT_F32, false, 0},
        {"tile-2x2", "cdf53", 12, 5, 3500, 2, WP_ELEMENT_U8, false, 0},
        {"tile-2x2", "cdf53", 12, 5, 3500, 1, WP_ELEMENT_U8, true, 0},
        {"tile-2x2-store", "cdf53", 7, 5, 4700, 2, WP_ELEMENT_F32, false, 0},
        {"tile-2x2-four", "cdf97", 13, 9, 3300, 2, WP_ELEMENT_F32, false, 0},
        {"tile-2x2-four-store", "cdf97", 13, 9, 3300, 2, WP_ELEMENT_F32, false, 0},
    };
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        check_batch("fragment", &batches[i]);
}

static void test_compute(void **state)
{
    (void)state;
    static const struct batch batches[] = {
        {NULL, "cdf97", 5, 7, 2100, 1, WP_ELEMENT_F32, false, 0},
        {NULL, "cdf53", 64, 64, 500, 3, WP_ELEMENT_F32, true, 0},
        {NULL, "cdf53", 40, 33, 700, 5, WP_ELEMENT_F32, false, 0},
        {NULL, "haar", 17, 4, 3000, 2, WP_ELEMENT_U8, false, 0},
        {NULL, "haar", 3, 9, 2500, 1, WP_ELEMENT_U8, true, 0},
        {NULL, "db2", 6, 6, 1700, 1, WP_ELEMENT_F16, false, 0},
        {NULL, "haar", 2, 2, 70000, 1, WP_ELEMENT_F32, false, 65535}, // layers of workgroups
        {NULL, "cdf53", 700, 500, 5, 2, WP_ELEMENT_F32, false, 0},
        {"walks", "cdf53", 128, 64, 70, 1, WP_ELEMENT_F32, false, 0},
    };
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        check_batch("compute", &batches[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fragment),
        cmocka_unit_test(test_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
