// Typed samples. The forward transform has the same bits as that of scaled floats, for every type
// and memory layout, and the inverse gives the rounded floats (pixel_values.h).
//
//   test_pixels [BACKEND]  default: cpu
#include "every_wavelet.h"
#include "lifting.h"
#include "pixel_values.h"
#include "random_size.h"
#include "sample.h"
#include "wavepass.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLANES_MAX = 3 };

static const char *backend = "cpu";

// All types with which arithmetic is in floats; tests/test_f64.c has f64.
static const enum wp_element narrow[] = {WP_ELEMENT_F32, WP_ELEMENT_F16, WP_ELEMENT_U8,
                                         WP_ELEMENT_U16, WP_ELEMENT_BF16};
enum { NARROW = sizeof narrow / sizeof *narrow };

// Compiling shaders is slow: if sampled, OpenGL runs two of three random cases, and every other
// case if all have different shaders.
static bool is_short(void)
{
    return sample_is_selected() &&
           (strcmp(backend, "fragment") == 0 || strcmp(backend, "compute") == 0);
}

static unsigned cases_of(unsigned cpu, unsigned cuda, unsigned other)
{
    const unsigned cases = strcmp(backend, "cpu") == 0 ? cpu : strcmp(backend, "cuda") == 0 ? cuda : other;
    return sample_count(is_short() ? cases - cases / 3 : cases);
}

static bool runs(size_t number)
{
    return !is_short() || number % 2 == 0;
}

static bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

// Pixels in memory with gaps, which must not change.
struct picture {
    struct wp_operand pixels;
    size_t size; // bytes
};

static struct picture make_picture(const struct wp_transform_params *params, enum wp_element type,
                                   float maximum, unsigned *seed)
{
    const int planes = params->planes > 1 ? params->planes : 1;
    const ptrdiff_t depth = params->depth > 1 ? params->depth : 1;
    const ptrdiff_t side_by_side = planes + (ptrdiff_t)random_below(seed, 2);
    const ptrdiff_t gap = (ptrdiff_t)random_below(seed, 3) * 5;
    const bool mixed = random_below(seed, 2);
    struct picture p = {.pixels = {.type = type, .maximum = maximum}};
    p.pixels.stride[0] = mixed ? side_by_side : 1;
    p.pixels.stride[1] = params->width * p.pixels.stride[0] + gap;
    p.pixels.stride[2] = params->height * p.pixels.stride[1];
    p.pixels.stride[WP_PLANE] = mixed ? 1 : depth * p.pixels.stride[2];
    p.size = (size_t)(depth * p.pixels.stride[2] * (mixed ? 1 : planes)) * pixel_types[type].bytes;
    p.pixels.data = malloc(p.size);
    assert_non_null(p.pixels.data);
    for (size_t i = 0; i < p.size; i++)
        ((unsigned char *)p.pixels.data)[i] = (unsigned char)random_below(seed, 256);
    // Random bits would be infinite, NaN or too large to add in half of these floats.
    for (size_t i = 0; i < p.size && !pixel_is_integer(type); i += pixel_types[type].bytes)
        pixel_set(type, (char *)p.pixels.data + i, (float)random_below(seed, 4096) / 2048 - 0.5F,
                  1, 0);
    return p;
}

// Sample `i` of all planes. Steps that are 0 in the caller's wp_pixels have their values here.
static char *sample_at(const struct picture *p, const struct wp_transform_params *params, size_t i)
{
    const size_t width = (size_t)params->width, height = (size_t)params->height;
    const size_t depth = params->depth > 1 ? (size_t)params->depth : 1;
    const ptrdiff_t *step = p->pixels.stride;
    const ptrdiff_t at = (ptrdiff_t)(i % width) * step[0] +
                         (ptrdiff_t)(i / width % height) * step[1] +
                         (ptrdiff_t)(i / width / height % depth) * step[2] +
                         (ptrdiff_t)(i / width / height / depth) * p->pixels.stride[WP_PLANE];
    return (char *)p->pixels.data + at * (ptrdiff_t)pixel_types[p->pixels.type].bytes;
}

static void fail_case(const struct wp_transform_params *params, const struct wp_operand *pixels,
                      const char *problem)
{
    fail_msg("%s%s, %s, %dx%dx%d, %d planes, %s of %g, steps %td, %td, %td, %td: the %s",
             params->wavelet, params->reversible ? " reversible" : "",
             params->variant ? params->variant : "", params->width, params->height, params->depth,
             params->planes, pixel_types[pixels->type].name, (double)pixels->maximum, pixels->stride[0],
             pixels->stride[1], pixels->stride[2], pixels->stride[WP_PLANE], problem);
}

static size_t samples_of(const struct wp_transform_params *params)
{
    return (size_t)params->width * (size_t)params->height *
           (size_t)(params->depth > 1 ? params->depth : 1) *
           (size_t)(params->planes > 1 ? params->planes : 1);
}

// The value that stands for 1, and the largest integer.
struct scale {
    float one, largest;
};

static struct scale scale_of(const struct wp_transform_params *params, const struct picture *p)
{
    const float most = pixel_types[p->pixels.type].largest;
    const float one = params->reversible ? 1 : p->pixels.maximum > 0 ? p->pixels.maximum : most;
    return (struct scale){one, params->reversible ? most : one};
}

static void check_forward(struct wp_transform *t, const struct wp_transform_params *params,
                          const struct picture *p, float *coefficients)
{
    const size_t count = samples_of(params);
    float *floats = malloc(2 * count * sizeof *floats), *actual = floats + count;
    assert_non_null(floats);
    for (size_t i = 0; i < count; i++)
        floats[i] = pixel_get(p->pixels.type, sample_at(p, params, i), scale_of(params, p).one);
    assert_true(wp_transform_forward(t, WP_ARRAY(floats), WP_ARRAY(coefficients)));
    memset(actual, 0xFF, count * sizeof *actual);
    if (!wp_transform_forward(t, &p->pixels, WP_ARRAY(actual)))
        fail_msg("%s", wp_last_error_text());
    if (memcmp(actual, coefficients, count * sizeof *actual) != 0)
        fail_case(params, &p->pixels, "coefficients differ");
    free(floats);
}

// Without counters of lost samples a device may use another kernel.
static void check_samples(struct wp_transform *t, const struct wp_transform_params *params,
                          const struct picture *p, const struct picture *right,
                          const float *floats, float *coefficients)
{
    const size_t count = samples_of(params);
    const enum wp_element type = p->pixels.type;
    const struct scale scale = scale_of(params, p);
    if (!wp_transform_inverse(t, WP_ARRAY(coefficients),
                                     &p->pixels))
        fail_msg("%s", wp_last_error_text());
    for (size_t i = 0; i < count; i++) {
        char *sample = sample_at(right, params, i);
        pixel_set(type, sample, floats[i], scale.one, scale.largest);
        // Any NaN is accepted.
        if (pixel_is_short_float(type) && isnan(floats[i]) &&
            isnan(pixel_get(type, sample_at(p, params, i), scale.one)))
            memcpy(sample, sample_at(p, params, i), pixel_types[type].bytes);
    }
    if (memcmp(right->pixels.data, p->pixels.data, p->size) != 0)
        fail_case(params, &p->pixels, "samples differ");
}

static void check_inverse(struct wp_transform *t, const struct wp_transform_params *params,
                          struct picture *p, float *coefficients)
{
    const size_t count = samples_of(params);
    const struct scale scale = scale_of(params, p);
    const float one = scale.one;
    float *floats = malloc(count * sizeof *floats);
    struct picture right = *p, uncounted = *p;
    right.pixels.data = malloc(p->size);
    uncounted.pixels.data = malloc(p->size);
    uncounted.pixels.lost = NULL;
    assert_true(floats && right.pixels.data && uncounted.pixels.data);
    assert_true(wp_transform_inverse(t, WP_ARRAY(coefficients), WP_ARRAY(floats)));
    memcpy(right.pixels.data, p->pixels.data, p->size);
    memcpy(uncounted.pixels.data, p->pixels.data, p->size);
    struct wp_lost lost = {0}, expected = {0};
    p->pixels.lost = &lost;
    check_samples(t, params, p, &right, floats, coefficients);
    check_samples(t, params, &uncounted, &right, floats, coefficients);
    for (size_t i = 0; i < count && pixel_types[p->pixels.type].largest > 0; i++) {
        expected.outside += floats[i] < -(0.5F / one) ||
                            floats[i] > scale.largest / one + 0.5F / one;
        expected.no_number += isnan(floats[i]) ? 1 : 0;
    }
    if (lost.outside != expected.outside || lost.no_number != expected.no_number)
        fail_case(params, &p->pixels, "counts of what is lost differ");
    free(right.pixels.data);
    free(uncounted.pixels.data);
    free(floats);
}

static struct wp_transform *create(const struct wp_transform_params *params)
{
    struct wp_transform_params with_backend = *params;
    with_backend.backend = backend;
    struct wp_transform *t = wp_transform_create(&with_backend);
    if (!t)
        fail_msg("%s %dx%d: %s", params->wavelet, params->width, params->height,
                 wp_last_error_text());
    return t;
}

// Forward and inverse; the inverse of coefficients whose samples are partly out of range.
static void check(const struct wp_transform_params *params, enum wp_element type, float maximum,
                  unsigned seed)
{
    struct wp_transform *t = create(params);
    const size_t count = samples_of(params);
    float *coefficients = malloc(count * sizeof *coefficients);
    assert_non_null(coefficients);
    struct picture p = make_picture(params, type, maximum, &seed);
    check_forward(t, params, &p, coefficients);
    for (size_t i = 0; i < count; i++)
        coefficients[i] = params->reversible
                              ? coefficients[i] + (float)random_below(&seed, 32)
                              : 1.2F * coefficients[i];
    // Only integer types, since two NaNs may differ in bits; coefficients of reversible transforms
    // are integers.
    if (pixel_types[type].largest > 0 && !params->reversible && random_below(&seed, 8) == 0)
        coefficients[random_below(&seed, (unsigned)count)] = NAN;
    check_inverse(t, params, &p, coefficients);
    free(p.pixels.data);
    free(coefficients);
    wp_transform_destroy(&t);
}

// All values of a type, and values that round to each from both sides, at even samples of even rows
// with zeros between them. Haar halves those exactly, so that all results can be compared bit by
// bit.
static void check_every_value(enum wp_element type, float maximum)
{
    enum { SIDE = 512, VALUES = SIDE * SIDE / 4 };
    static float coefficients[SIDE * SIDE], floats[SIDE * SIDE], value[PIXEL_VALUES];
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .wavelet = "haar", .norm = "none", .width = SIDE, .height = SIDE, .levels = 1);
    struct wp_transform *t = create(&params);
    unsigned seed = 8;
    struct picture p = make_picture(&params, type, maximum, &seed);
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        const unsigned x = i % SIDE, y = i / SIDE, number = x / 2 + y / 2 * (SIDE / 2);
        const bool used = x % 2 == 0 && y % 2 == 0 &&
                          (type != WP_ELEMENT_F16 || (number & pixel_finite(type)) != pixel_finite(type));
        const uint16_t two = used ? (uint16_t)number : 0;
        const uint8_t byte = (uint8_t)two;
        memcpy(sample_at(&p, &params, i), type == WP_ELEMENT_U8 ? (const void *)&byte : &two,
               pixel_types[type].bytes);
    }
    check_forward(t, &params, &p, coefficients);
    pixel_make_values(type, scale_of(&params, &p).one, value);
    for (int half = 0; half < PIXEL_VALUES / VALUES; half++) {
        for (int i = 0; i < SIDE * SIDE; i++) {
            const int x = i % SIDE, y = i / SIDE, number = x / 2 + y / 2 * (SIDE / 2);
            floats[i] = x % 2 || y % 2 ? 0 : value[half * VALUES + number];
        }
        assert_true(wp_transform_forward(t, WP_ARRAY(floats), WP_ARRAY(coefficients)));
        check_inverse(t, &params, &p, coefficients);
    }
    free(p.pixels.data);
    wp_transform_destroy(&t);
}

static void test_every_value(void **state)
{
    (void)state;
    check_every_value(WP_ELEMENT_F16, 0);
    check_every_value(WP_ELEMENT_U8, 0);
    check_every_value(WP_ELEMENT_U8, 100);
    check_every_value(WP_ELEMENT_U16, 0);
    check_every_value(WP_ELEMENT_U16, 1023);
}

// Coefficients stored as binary16 (or floats), in any memory layout, equal the rounded floats, and
// their inverse is bit-identical to that of the rounded floats.
static void check_halves(const struct wp_transform_params *params, enum wp_element type,
                         enum wp_element stored, unsigned seed)
{
    struct wp_transform *t = create(params);
    const size_t count = samples_of(params);
    float *floats = malloc(2 * count * sizeof *floats), *coefficients = floats + count;
    assert_non_null(floats);
    struct picture p = make_picture(params, type, 0, &seed);
    struct picture halves = make_picture(params, stored, 0, &seed), before = halves;
    before.pixels.data = malloc(halves.size);
    assert_non_null(before.pixels.data);
    memcpy(before.pixels.data, halves.pixels.data, halves.size);
    for (size_t i = 0; i < count; i++)
        floats[i] = pixel_get(type, sample_at(&p, params, i), scale_of(params, &p).one);
    // A value that becomes infinite.
    if (type == WP_ELEMENT_F32) {
        floats[0] = 1e30F;
        memcpy(sample_at(&p, params, 0), floats, sizeof *floats);
    }
    assert_true(wp_transform_forward(t, WP_ARRAY(floats), WP_ARRAY(coefficients)));
    for (size_t i = 0; i < count; i++)
        pixel_set(stored, sample_at(&before, params, i), coefficients[i], 1, 0);
    if (!wp_transform_forward(t, &p.pixels, &halves.pixels))
        fail_msg("%s", wp_last_error_text());
    if (memcmp(before.pixels.data, halves.pixels.data, halves.size) != 0)
        fail_case(params, &halves.pixels, "coefficients differ");
    for (size_t i = 0; i < count; i++)
        coefficients[i] = pixel_get(stored, sample_at(&halves, params, i), 1);
    assert_true(wp_transform_inverse(t, WP_ARRAY(coefficients), WP_ARRAY(floats)));
    if (!wp_transform_inverse(t, &halves.pixels, &p.pixels))
        fail_msg("%s", wp_last_error_text());
    for (size_t i = 0; i < count; i++) {
        float expected = 0;
        uint32_t bits = 0;
        pixel_set(type, &bits, floats[i], scale_of(params, &p).one, pixel_types[type].largest);
        expected = pixel_get(type, &bits, scale_of(params, &p).one);
        if (!same_float(expected, pixel_get(type, sample_at(&p, params, i),
                                           scale_of(params, &p).one)))
            fail_case(params, &p.pixels, "samples differ");
    }
    free(before.pixels.data);
    free(halves.pixels.data);
    free(p.pixels.data);
    free(floats);
    wp_transform_destroy(&t);
}

static void test_halves(void **state)
{
    (void)state;
    static const char *const variants[] = {NULL, "lifting-row-column", "conv-row-column", "smdwt"};
    static const char *const layouts[] = {NULL, "mixed"};
    const bool cpu = strcmp(backend, "cpu") == 0;
    unsigned seed = 9;
    const unsigned cases = cases_of(300, 120, 24);
    for (unsigned i = 0; i < cases; i++) {
        struct wp_transform_params params = {
            .struct_size = sizeof params,
            .wavelet = (const char *[]){"cdf97", "cdf53", "haar", "dd137", "db4"}[i % 5],
            .planes = (int)random_below(&seed, 4),
            .threads = 1 + (int)random_below(&seed, 3),
            .layout = layouts[random_below(&seed, 2)],
            .border = i % 5 == 4 || random_below(&seed, 3) == 0 ? "periodic" : NULL,
            .variant = cpu ? variants[random_below(&seed, 4)] : NULL,
            .levels = random_below(&seed, 2) ? WP_LEVELS_MOST : 0,
        };
        random_size(&params, &seed);
        check_halves(&params, narrow[random_below(&seed, NARROW)],
                     i % 7 == 0   ? WP_ELEMENT_F32
                     : i % 2 == 0 ? WP_ELEMENT_F16
                                  : WP_ELEMENT_BF16,
                     random_below(&seed, 1 << 24));
    }
    for (int i = 0; i < 4; i++)
        check_halves(&(const struct wp_transform_params)WP_TRANSFORM_PARAMS(
                         .wavelet = "cdf53", .width = 19, .height = 12, .depth = 9,
                         .gop = i & 1 ? 4 : 0, .planes = 2,
                         .decomposition = i & 2 ? "spatial-temporal" : NULL),
                     WP_ELEMENT_U8, WP_ELEMENT_F16, random_below(&seed, 1 << 24));
}

// A call after wp_clear_error() failed with a usage error that contains `words`.
static void expect_usage(bool done, const char *words)
{
    assert_false(done);
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    if (!strstr(wp_last_error_text(), words))
        fail_msg("'%s' is not in '%s'", words, wp_last_error_text());
}

static void expect_no_elements(struct wp_transform *t, const struct wp_operand *image,
                               const struct wp_operand *coefficients, const char *words)
{
    for (int inverse = 0; inverse < 2; inverse++) {
        wp_clear_error();
        expect_usage(inverse ? wp_transform_inverse(t, coefficients, image)
                             : wp_transform_forward(t, image, coefficients),
                     words);
    }
}

static void test_wrong_halves(void **state)
{
    (void)state;
    static uint16_t image[64], halves[64];
    struct wp_transform *t = wp_transform_create(&(const struct wp_transform_params)
        WP_TRANSFORM_PARAMS(.width = 8, .height = 8, .backend = backend));
    assert_non_null(t);
    const struct wp_operand good = {.data = image, .type = WP_ELEMENT_U16};
    const struct wp_operand to = {.data = halves, .type = WP_ELEMENT_F16};
    struct wp_operand bad = to;
    expect_no_elements(t, NULL, &to, "the array of the image is NULL");
    expect_no_elements(t, &good, NULL, "the array of the coefficients is NULL");
    bad.type = WP_ELEMENT_U8;
    expect_no_elements(t, &good, &bad, "coefficients that are not floats");
    bad = to;
    bad.stride[1] = 7;
    expect_no_elements(t, &good, &bad, "samples of the coefficients overlap");
    bad = to;
    bad.maximum = 1;
    expect_no_elements(t, &good, &bad, "samples of type f16 have no maximum");
    bad = to;
    bad.data = image + 63;
    expect_no_elements(t, &good, &bad, "share memory");
    assert_true(wp_transform_forward(t, &good, &to));
    wp_transform_destroy(&t);
    if (strcmp(backend, "cpu") != 0)
        return;
    t = wp_transform_create(&(const struct wp_transform_params)WP_TRANSFORM_PARAMS(
        .width = 8, .height = 8, .reversible = true, .backend = backend));
    assert_non_null(t);
    expect_no_elements(t, &good, &to, "too few digits for integers");
    wp_transform_destroy(&t);
}

// More samples than a device transfers at once.
static void test_many(void **state)
{
    (void)state;
    check(&(const struct wp_transform_params)WP_TRANSFORM_PARAMS(.wavelet = "cdf53", .width = 4202,
                                                                 .height = 1013, .levels = 1),
          WP_ELEMENT_U8, 0, 1);
    check(&(const struct wp_transform_params)WP_TRANSFORM_PARAMS(.wavelet = "cdf53", .width = 1101,
                                                                 .height = 700, .levels = 1,
                                                                 .planes = 3),
          WP_ELEMENT_U16, 0, 3);
}

static float choose_maximum(enum wp_element type, unsigned *seed)
{
    static const float maxima[WP_ELEMENT_COUNT][3] = {
        [WP_ELEMENT_U8] = {0, 200, 255}, [WP_ELEMENT_U16] = {0, 1023, 65535}};
    return maxima[type][random_below(seed, 3)];
}

// Levels that are large enough for a device's kernel for typed samples: odd sizes, borders, several
// levels, and integer lifting.
static void test_large(void **state)
{
    (void)state;
    static const char *const names[] = {"cdf53", "cdf97", "haar", "dd137"};
    static const int sizes[][2] = {{1607, 1001}, {1352, 1218}, {2048, 776}, {1219, 1311}};
    if (strcmp(backend, "cuda") != 0)
        skip();
    unsigned seed = 6;
    for (int i = 0; i < 48; i++) {
        const enum wp_element type = narrow[1 + i / 4 % (NARROW - 1)];
        const int *size = sizes[random_below(&seed, 4)];
        struct wp_transform_params params = {
            .struct_size = sizeof params,
            .wavelet = names[i % 4],
            .width = size[0],
            .height = size[1],
            .levels = 1 + (int)random_below(&seed, 3),
            .planes = i % 8 ? 1 : 3,
        };
        if (size[0] % 2 == 0 && size[1] % 2 == 0 && i % 3 == 0)
            params.levels = 1, params.border = "periodic";
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(params.wavelet, &wavelet));
        params.reversible =
            i % 5 == 0 && pixel_is_integer(type) && wp_lifting_is_reversible(&wavelet);
        check(&params, type, params.reversible ? 0 : choose_maximum(type, &seed),
              random_below(&seed, 1 << 24));
    }
    // The value that stands for 1 is too small for that kernel.
    for (int largest = 20; largest <= 33; largest += 13)
        check(&(const struct wp_transform_params)WP_TRANSFORM_PARAMS(
                  .wavelet = "cdf97", .width = 2048, .height = 776, .levels = 1),
              WP_ELEMENT_U8, (float)largest, random_below(&seed, 1 << 24));
}

static void check_wavelet(const struct wp_wavelet *wavelet, unsigned cases, unsigned *seed)
{
    static const char *const norms[] = {NULL, "orthonormal", "none"};
    static const char *const of_cpu[] = {NULL, NULL, "lifting-row-column", "conv-row-column",
                                         "smdwt"};
    static const char *const of_fragment[] = {NULL, "passes", "tile-2x2", "tile-2x2-store",
                                              "tile-2x2-four"};
    static const char *const of_cuda[] = {NULL, NULL, "gmem", "conv-global", "hybrid"};
    static const char *const of_others[5] = {NULL};
    const bool fragment = strcmp(backend, "fragment") == 0, cuda = strcmp(backend, "cuda") == 0;
    const char *const *variants = strcmp(backend, "cpu") == 0 ? of_cpu
                                  : fragment                  ? of_fragment
                                  : cuda                      ? of_cuda
                                                              : of_others;
    static const int planes[] = {0, 1, 3};
    const bool can_be_reversible = wp_lifting_is_reversible(wavelet),
               cpu = strcmp(backend, "cpu") == 0;
    const bool gl = fragment || strcmp(backend, "compute") == 0;
    for (unsigned i = 0; i < cases; i++) {
        struct wp_transform_params params = {
            .struct_size = sizeof params,
            .wavelet = wavelet->name,
            .norm = norms[random_below(seed, 3)],
            .planes = planes[random_below(seed, 3)],
            .threads = 1 + (int)random_below(seed, 3),
        };
        const enum wp_element type = narrow[random_below(seed, NARROW)];
        // Floats of any size are not integers that are small enough.
        params.reversible =
            can_be_reversible && (cpu || gl || cuda) && i % 2 && pixel_is_integer(type);
        params.scheme = params.reversible && gl ? "sep-lifting" : NULL;
        if (wavelet->symmetry == WP_SYMMETRY_NONE || random_below(seed, 3) == 0)
            params.border = "periodic";
        if (params.reversible)
            params.norm = NULL;
        else
            params.variant = variants[random_below(seed, 5)];
        random_size(&params, seed);
        check(&params, type, params.reversible ? 0 : choose_maximum(type, seed),
              random_below(seed, 1 << 24));
    }
}

static void test_wavelets(void **state)
{
    (void)state;
    struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    unsigned seed = 1;
    const bool cpu = strcmp(backend, "cpu") == 0;
    const unsigned cases = cases_of(60, 40, 8);
    for (int i = 0; i < (cpu ? count : 3); i++)
        check_wavelet(&list[i], cases, &seed);
    struct wp_wavelet wavelet;
    if (!wp_wavelet_find("db4", &wavelet))
        fail_msg("%s", wp_last_error_text());
    check_wavelet(&wavelet, cases, &seed);
    printf("%d wavelets by %s\n", cpu ? count + 1 : 4, backend);
}

// All small sizes, where the extension of the samples wraps several times and no level may fit.
static void test_small_sizes(void **state)
{
    (void)state;
    static const char *const names[] = {"cdf53", "cdf97", "haar", "dd137"};
    unsigned seed = 3;
    const int most = strcmp(backend, "cpu") == 0 ? 9 : 2;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int height = 1; height <= most; height++)
            for (int width = 1; width <= most; width++)
                for (size_t n = 0; n < NARROW; n++) {
                    const enum wp_element type = narrow[n];
                    if (!runs(i + n))
                        continue;
                    const struct wp_transform_params params = {
                        .struct_size = sizeof params,
                        .wavelet = names[i],
                        .width = width,
                        .height = height,
                        .levels = WP_LEVELS_MOST,
                        .planes = 1 + width % 3,
                        .border = type == WP_ELEMENT_U8 && width % 2 == 0 && height % 2 == 0
                                      ? "periodic" : NULL,
                    };
                    check(&params, type, 0, random_below(&seed, 1 << 24));
                }
}

static void test_volumes(void **state)
{
    (void)state;
    static const struct {
        int gop;
        const char *decomposition, *wavelet;
    } cases[] = {{0, NULL, "cdf97"}, {3, NULL, "cdf53"}, {0, "spatial-temporal", "cdf97"},
                 {0, NULL, "dd137"}, {4, "spatial-temporal", "haar"}};
    unsigned seed = 4;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t n = 0; n < NARROW; n++)
            if (runs(i + n))
                check(&(const struct wp_transform_params)WP_TRANSFORM_PARAMS(
                          .wavelet = cases[i].wavelet, .width = 21, .height = 14, .depth = 7,
                          .gop = cases[i].gop, .decomposition = cases[i].decomposition,
                          .planes = 1 + (int)n % 2),
                      narrow[n], 0, random_below(&seed, 1 << 24));
}

// One transform with samples of alternating types, and floats between them.
static void test_alternating_types(void **state)
{
    (void)state;
    enum { SIDE = 16, COUNT = SIDE * SIDE };
    struct wp_transform *t = wp_transform_create(&(const struct wp_transform_params)
        WP_TRANSFORM_PARAMS(.width = SIDE, .height = SIDE, .backend = backend));
    static float floats[COUNT], expected[COUNT], actual[COUNT];
    static union {
        unsigned char u8[COUNT];
        uint16_t u16[COUNT];
    } samples;
    assert_non_null(t);
    for (int round = 0; round < 6; round++) {
        const enum wp_element type = round % 2 ? WP_ELEMENT_U16 : WP_ELEMENT_U8;
        for (int i = 0; i < COUNT; i++) {
            const int value = (i * 37 + round * 11) % 256;
            floats[i] = (float)value / pixel_types[type].largest;
            if (type == WP_ELEMENT_U8)
                samples.u8[i] = (unsigned char)value;
            else
                samples.u16[i] = (uint16_t)value;
        }
        assert_true(wp_transform_forward(t, WP_ARRAY(floats), WP_ARRAY(expected)));
        for (int again = 0; again < 2; again++) {
            memset(actual, 0, sizeof actual);
            assert_true(wp_transform_forward(
                t, &(struct wp_operand){.data = &samples, .type = type},
                WP_ARRAY(actual)));
            assert_memory_equal(actual, expected, sizeof actual);
        }
        memset(&samples, 0, sizeof samples);
        assert_true(wp_transform_inverse(
            t, WP_ARRAY(actual),
            &(struct wp_operand){.data = &samples, .type = type}));
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(type == WP_ELEMENT_U8 ? samples.u8[i] : samples.u16[i],
                             (i * 37 + round * 11) % 256);
    }
    wp_transform_destroy(&t);
}

static void expect_rejected(struct wp_transform *t, const struct wp_operand *pixels,
                            const struct wp_operand *coefficients, const char *words)
{
    for (int inverse = 0; inverse < 2; inverse++) {
        wp_clear_error();
        expect_usage(inverse ? wp_transform_inverse(t, coefficients, pixels)
                             : wp_transform_forward(t, pixels, coefficients),
                     words);
    }
}

static void test_wrong_use(void **state)
{
    (void)state;
    static float floats[64 * 3];
    static uint16_t samples[64 * 3];
    struct wp_transform *t = wp_transform_create(&(const struct wp_transform_params)
        WP_TRANSFORM_PARAMS(.width = 8, .height = 8, .planes = 3, .backend = backend));
    assert_non_null(t);
    const struct wp_operand to = {.data = floats};
    const struct wp_operand good = {.data = samples, .type = WP_ELEMENT_U16};
    struct wp_operand bad = good;
    expect_rejected(t, NULL, &to, "the array of the image is NULL");
    expect_rejected(t, &good, NULL, "the array of the coefficients is NULL");
    expect_rejected(t, &good, &(struct wp_operand){0}, "the array of the coefficients is NULL");
    bad.data = NULL;
    expect_rejected(t, &bad, &to, "the array of the image is NULL");
    bad = good;
    bad.type = WP_ELEMENT_COUNT;
    expect_rejected(t, &bad, &to, "6 is not a type of samples");
    bad = good;
    bad.data = (char *)samples + 1;
    expect_rejected(t, &bad, &to, "samples of type u16 must begin at a multiple of 2 bytes");
    bad = good;
    bad.stride[1] = 7;
    expect_rejected(t, &bad, &to, "samples of the image overlap");
    bad.stride[1] = -7;
    expect_rejected(t, &bad, &to, "samples of the image overlap");
    bad = good;
    bad.stride[0] = 2, bad.stride[WP_PLANE] = 1;
    expect_rejected(t, &bad, &to, "samples of the image overlap");
    static const float maxima[] = {-1, 0.5F, 1000.5F, 65536, NAN, INFINITY};
    for (size_t i = 0; i < sizeof maxima / sizeof *maxima; i++) {
        bad = good;
        bad.maximum = maxima[i];
        expect_rejected(t, &bad, &to, "samples of type u16 cannot have a maximum of");
    }
    bad.type = WP_ELEMENT_F16;
    bad.maximum = 2;
    expect_rejected(t, &bad, &to, "samples of type f16 have no maximum");
    // The image begins at the last float of the coefficients.
    bad = (struct wp_operand){.data = floats + 64 * 3 - 1, .type = WP_ELEMENT_U8};
    expect_rejected(t, &bad, &to, "samples of type u8 and the other operand share memory");
    bad = good;
    expect_rejected(t, &bad, &(struct wp_operand){.location = WP_LOCATION_TEXTURE},
                    "caller's context");
    expect_rejected(t, &bad, &(struct wp_operand){.location = WP_LOCATION_BUFFER, .name = 1},
                    "caller's context");
    expect_rejected(t, &bad, &(struct wp_operand){.data = floats, .location = WP_LOCATION_CUDA},
                    "requires");
    // The transform can still be used.
    assert_true(wp_transform_forward(t, &good, &to));
    wp_transform_destroy(&t);

    if (strcmp(backend, "cpu") != 0)
        return;
    t = wp_transform_create(&(const struct wp_transform_params)WP_TRANSFORM_PARAMS(
        .width = 8, .height = 8, .reversible = true, .backend = backend));
    assert_non_null(t);
    bad.maximum = 1023;
    expect_rejected(t, &bad, &to, "integers of a reversible transform have no maximum");
    wp_transform_destroy(&t);
}

static void ignore_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

int main(int argc, char **argv)
{
    backend = argc > 1 ? argv[1] : backend;
    wp_log_set_handler(ignore_message, NULL);
    struct wp_transform *t = wp_transform_create(&(const struct wp_transform_params)
        WP_TRANSFORM_PARAMS(.width = 2, .height = 2, .backend = backend));
    if (!t) {
        printf("%s\n", wp_last_error_text());
        return wp_last_error() != WP_ERROR_UNAVAILABLE;
    }
    wp_transform_destroy(&t);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alternating_types), cmocka_unit_test(test_small_sizes),
        cmocka_unit_test(test_wavelets),      cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_every_value),   cmocka_unit_test(test_many),
        cmocka_unit_test(test_wrong_use),     cmocka_unit_test(test_halves),
        cmocka_unit_test(test_wrong_halves),
    };
    return cmocka_run_group_tests_name(backend, tests, NULL, NULL);
}
