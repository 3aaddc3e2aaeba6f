// Streams: their rows are bit-identical to the results of the backend "cpu" for the complete image,
// each row once and in order, for any number of rows that are pushed or pulled at a time.
#include "every_wavelet.h"
#include "lifting.h"
#include "random_size.h"
#include "sample.h"
#include "operand.h"
#include "wavepass_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLANES_MAX = 3, BANDS_MAX = 64 };

// The subbands of all planes, at their positions in the layout "mallat".
struct bands {
    int count;
    size_t bytes;
    struct wp_band_info info[BANDS_MAX];
    struct wp_operand view[BANDS_MAX];
    float *memory;
};

struct transferred {
    struct bands bands;
    int rows[BANDS_MAX][PLANES_MAX]; // number of transferred rows
    int first[BANDS_MAX];            // the first transferred row
    int calls, fails_at;             // 0: never
    bool periodic;
};

// Samples of an axis in the low-pass band of a level.
static int low_of(int size, int level)
{
    for (; level > 0; level--)
        size = size / 2 + size % 2;
    return size;
}

static void open_bands(const struct wp_transform *t, const struct wp_transform_params *params,
                       int planes, struct bands *bands)
{
    const int width = params->width, height = params->height;
    bands->count = wp_transform_band_count(t);
    assert_in_range(bands->count, 1, BANDS_MAX);
    bands->bytes = (size_t)planes * (size_t)width * (size_t)height * sizeof *bands->memory;
    bands->memory = calloc(1, bands->bytes);
    assert_non_null(bands->memory);
    for (int b = 0; b < bands->count; b++) {
        struct wp_band_info *info = &bands->info[b];
        assert_true(wp_transform_get_band(t, b, info));
        const int x = info->name[0] == 'H' ? low_of(width, info->level) : 0;
        const int y = info->name[1] == 'H' ? low_of(height, info->level) : 0;
        bands->view[b] =
            (struct wp_operand){.data = bands->memory + x + (ptrdiff_t)y * width,
                                .stride = {1, width, [WP_PLANE] = (ptrdiff_t)width * height}};
    }
}

// The memory of a row, which must be the next one of its band and plane.
static float *next_row(struct transferred *p, int band, int plane, int row)
{
    if (band < 0 || band >= p->bands.count)
        fail_msg("band %d of %d", band, p->bands.count);
    const struct wp_band_info *info = &p->bands.info[band];
    int *rows = &p->rows[band][plane];
    if (*rows == 0 && plane == 0)
        p->first[band] = row;
    if (!p->periodic)
        assert_int_equal(p->first[band], 0);
    assert_in_range(row, 0, info->height - 1);
    assert_int_not_equal(info->width, 0);
    assert_int_equal(row, (p->first[band] + *rows) % info->height);
    assert_in_range(++*rows, 1, info->height);
    return (float *)p->bands.view[band].data + plane * p->bands.view[band].stride[WP_PLANE] +
           row * p->bands.view[band].stride[1];
}

static size_t row_bytes(const struct transferred *p, int band)
{
    return (size_t)p->bands.info[band].width * sizeof(float);
}

static bool store_row(void *user, int band, int plane, int row, const float *samples)
{
    struct transferred *p = user;
    if (++p->calls == p->fails_at)
        return wp_fail(WP_ERROR_FILE, "the disk is full");
    memcpy(next_row(p, band, plane, row), samples, row_bytes(p, band));
    return true;
}

static bool load_row(void *user, int band, int plane, int row, float *samples)
{
    struct transferred *p = user;
    if (++p->calls == p->fails_at)
        return wp_fail(WP_ERROR_FILE, "the disk is gone");
    memcpy(samples, next_row(p, band, plane, row), row_bytes(p, band));
    return true;
}

static void expect_all_rows(const struct transferred *p, int planes)
{
    for (int b = 0; b < p->bands.count; b++)
        for (int k = 0; k < planes; k++)
            assert_int_equal(p->rows[b][k], p->bands.info[b].width ? p->bands.info[b].height : 0);
}

static void reset(struct transferred *p)
{
    memset(p->rows, 0, sizeof p->rows);
    p->calls = p->fails_at = 0;
}

// An image with its planes one after the other; the gaps between samples must not change.
struct image {
    int width, height, planes;
    struct wp_operand view;
    float *memory;
    size_t floats;
};

static struct image make_image(const struct wp_transform_params *params, unsigned *seed,
                               bool by_row)
{
    struct image image = {.width = params->width,
                          .height = params->height,
                          .planes = params->planes ? params->planes : 1};
    const ptrdiff_t step = by_row ? 1 : 1 + (ptrdiff_t)random_below(seed, 2);
    const ptrdiff_t line = image.width * step;
    image.view =
        by_row ? (struct wp_operand){.stride = {1, line * image.planes, [WP_PLANE] = line}}
               : (struct wp_operand){.stride = {step, line, [WP_PLANE] = line * image.height}};
    image.floats = (size_t)(line * image.height * image.planes);
    image.view.data = image.memory = calloc(image.floats, sizeof *image.memory);
    assert_non_null(image.memory);
    for (size_t i = 0; i < image.floats; i++)
        image.memory[i] = params->reversible ? (float)random_below(seed, 256)
                                             : (float)random_below(seed, 1 << 24) / (1 << 24);
    return image;
}

// All rows, a random number at a time.
static void push_all(struct wp_stream *s, const struct image *image, unsigned *seed, bool inverse)
{
    for (int y = 0, count; y < image->height; y += count) {
        const int left = image->height - y;
        count = random_below(seed, 4) == 0 ? left : (int)random_below(seed, 5);
        count = count < left ? count : left;
        struct wp_operand rows = image->view;
        rows = wp_operand_advance(&rows, 1, y, NULL);
        assert_int_equal(wp_stream_get_info(s)->rows, y);
        // The distances of an array without gaps are optional.
        if (rows.stride[WP_PLANE] == image->width && random_below(seed, 2))
            rows = (struct wp_operand){.data = rows.data};
        if (!(inverse ? wp_stream_pull : wp_stream_push)(s, &rows, count))
            fail_msg("%s", wp_last_error_text());
    }
}

static struct wp_stream *open_stream(const struct wp_transform_params *given,
                                     struct transferred *transferred, bool inverse)
{
    const struct wp_transform_params params = *given;
    struct wp_stream *s = inverse ? wp_stream_create_inverse(&params, load_row, transferred)
                                  : wp_stream_create_forward(&params, store_row, transferred);
    if (!s)
        fail_msg("%s", wp_last_error_text());
    transferred->periodic = given->border && strcmp(given->border, "periodic") == 0;
    return s;
}

static void expect_same_bands(const struct wp_transform *t, const struct wp_stream *s)
{
    assert_int_equal(wp_stream_band_count(s), wp_transform_band_count(t));
    for (int b = 0; b < wp_stream_band_count(s); b++) {
        struct wp_band_info x, y;
        assert_true(wp_transform_get_band(t, b, &x) && wp_stream_get_band(s, b, &y));
        assert_string_equal(x.name, y.name);
        assert_true(x.level == y.level && x.width == y.width && x.height == y.height);
    }
}

static bool fail_row(void *user, int band, int plane, int row, float *samples)
{
    (void)user, (void)band, (void)plane, (void)row, (void)samples;
    return false;
}

static bool ignore_row(void *user, int band, int plane, int row, const float *samples)
{
    (void)user, (void)band, (void)plane, (void)row, (void)samples;
    return true;
}

static void expect_rejected(const struct wp_transform_params *given, enum wp_error error)
{
    const struct wp_transform_params params = *given;
    size_t bytes = 7;
    wp_clear_error();
    assert_null(wp_stream_create_forward(&params, ignore_row, NULL));
    assert_int_equal(wp_last_error(), error);
    wp_clear_error();
    assert_null(wp_stream_create_inverse(&params, fail_row, NULL));
    assert_int_equal(wp_last_error(), error);
    wp_clear_error();
    assert_false(wp_stream_memory(&params, false, &bytes));
    assert_int_equal(wp_last_error(), error);
}

// Forward and inverse; with `fails`, also after a failed callback and a rewind.
static void check(const struct wp_transform_params *params, unsigned seed, bool fails)
{
    struct wp_transform_params cpu_params = *params;
    cpu_params.backend = "cpu";
    struct wp_transform *t = wp_transform_create(&cpu_params);
    if (!t && params->levels <= 0 && strstr(wp_last_error_text(), "has no levels")) {
        expect_rejected(params, WP_ERROR_USAGE);
        return;
    }
    if (!t)
        fail_msg("%s %dx%d: %s", params->wavelet, params->width, params->height,
                 wp_last_error_text());
    const int planes = params->planes ? params->planes : 1;
    static struct transferred transferred;
    transferred = (struct transferred){0};
    struct bands reference;
    open_bands(t, params, planes, &reference);
    open_bands(t, params, planes, &transferred.bands);
    struct image image = make_image(params, &seed, random_below(&seed, 2));
    struct image restored = make_image(params, &seed, random_below(&seed, 2));
    struct image expected = restored;
    expected.view.data = expected.memory = malloc(restored.floats * sizeof(float));
    assert_non_null(expected.memory);
    memcpy(expected.memory, restored.memory, restored.floats * sizeof(float));
    const struct wp_operand coefficients = {.data = reference.memory};
    assert_true(wp_transform_forward(t, &image.view,
                                        &coefficients));
    assert_true(wp_transform_inverse(t, &coefficients,
                                        &expected.view));
    for (int inverse = 0; inverse < 2; inverse++) {
        struct wp_stream *s = open_stream(params, &transferred, inverse);
        expect_same_bands(t, s);
        reset(&transferred);
        const struct image *operand = inverse ? &restored : &image;
        if (inverse)
            memcpy(transferred.bands.memory, reference.memory, reference.bytes);
        if (fails) {
            transferred.fails_at = 1 + (int)random_below(&seed, 6);
            const struct wp_operand rows = operand->view;
            const bool ok = (inverse ? wp_stream_pull : wp_stream_push)(s, &rows, operand->height);
            assert_int_equal(ok, transferred.calls < transferred.fails_at);
            if (!ok) {
                assert_int_equal(wp_last_error(), WP_ERROR_FILE);
                assert_false((inverse ? wp_stream_pull : wp_stream_push)(s, &rows, 0));
                assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
            }
            wp_stream_rewind(s);
            reset(&transferred);
        }
        push_all(s, operand, &seed, inverse);
        expect_all_rows(&transferred, planes);
        assert_int_equal(wp_stream_get_info(s)->rows, params->height);
        if (inverse ? memcmp(restored.memory, expected.memory, restored.floats * sizeof(float)) != 0
                    : memcmp(transferred.bands.memory, reference.memory, reference.bytes) != 0)
            fail_msg("%s%s %dx%d, levels %d of %d, %s, %s: the %s differs", params->wavelet,
                     params->reversible ? " reversible" : "", params->width, params->height,
                     wp_stream_get_info(s)->levels, params->levels,
                     params->border ? params->border : "symmetric",
                     params->norm ? params->norm : "jpeg2000", inverse ? "inverse" : "forward");
        wp_stream_destroy(&s);
        assert_null(s);
    }
    free(image.memory);
    free(restored.memory);
    free(expected.memory);
    free(reference.memory);
    free(transferred.bands.memory);
    wp_transform_destroy(&t);
}

static void check_wavelet(const struct wp_wavelet *wavelet, unsigned cases, unsigned *seed)
{
    static const char *const norms[] = {NULL, "orthonormal", "none"};
    static const int planes[] = {0, 1, 3};
    const bool can_be_reversible = wp_lifting_is_reversible(wavelet);
    for (unsigned i = 0; i < cases; i++) {
        struct wp_transform_params params = {
            .struct_size = sizeof params,
            .wavelet = wavelet->name,
            .norm = norms[random_below(seed, 3)],
            .planes = planes[random_below(seed, 3)],
            .threads = 2,
        };
        params.reversible = can_be_reversible && i % 2;
        if (wavelet->symmetry == WP_SYMMETRY_NONE || random_below(seed, 3) == 0)
            params.border = "periodic";
        if (params.reversible)
            params.norm = NULL;
        random_size(&params, seed);
        check(&params, random_below(seed, 1 << 24), i % 4 == 3);
    }
}

static void test_wavelets(void **state)
{
    (void)state;
    struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    unsigned seed = 1;
    for (int i = 0; i < count; i++)
        check_wavelet(&list[i], sample_count(40), &seed);
    printf("%d wavelets\n", count);
}

static void test_families(void **state)
{
    (void)state;
    static const char *const names[] = {"db4", "db10", "sym5", "coif2", "bior2.6", "bior3.5"};
    unsigned seed = 2;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct wp_wavelet wavelet;
        if (!wp_wavelet_find(names[i], &wavelet))
            fail_msg("%s", wp_last_error_text());
        check_wavelet(&wavelet, sample_count(40), &seed);
    }
}

// All small sizes, where the extension of the samples wraps several times and no level may fit.
static void test_small_sizes(void **state)
{
    (void)state;
    static const char *const names[] = {"cdf53", "cdf97", "haar", "dd137"};
    unsigned seed = 3;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int height = 1; height <= 12; height++)
            for (int width = 1; width <= 9; width++)
                for (int mode = 0; mode < 3; mode++) {
                    const struct wp_transform_params params = {
                        .struct_size = sizeof params,
                        .wavelet = names[i],
                        .width = width,
                        .height = height,
                        .levels = WP_LEVELS_MOST,
                        .border = mode == 1 ? "periodic" : NULL,
                        .reversible = mode == 2 && i != 1,
                    };
                    check(&params, random_below(&seed, 1 << 24), false);
                }
}

#define PARAMS(...) (&(const struct wp_transform_params)WP_TRANSFORM_PARAMS(__VA_ARGS__))

static void test_wrong_use(void **state)
{
    (void)state;
    const struct wp_transform_params *small = PARAMS(.width = 8, .height = 6);
    float rows[8 * 8] = {0};
    const struct wp_operand view = {.data = rows};
    expect_rejected(PARAMS(.width = 8), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .depth = 2), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .layout = "mixed"), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .backend = "cuda"), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .variant = "smdwt"), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .precision = "f16"), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .device = 1), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .current_context = true), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .levels = 9), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 7, .height = 8, .levels = 1, .border = "periodic"),
                    WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .wavelet = "db4"), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .planes = -1), WP_ERROR_USAGE);
    expect_rejected(PARAMS(.width = 8, .height = 8, .reversible = true, .wavelet = "cdf97"),
                    WP_ERROR_USAGE);
    assert_null(wp_stream_create_forward(NULL, ignore_row, NULL));
    assert_null(wp_stream_create_forward(small, NULL, NULL));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);

    struct wp_stream *s = wp_stream_create_forward(small, ignore_row, NULL);
    struct wp_band_info info;
    assert_non_null(s);
    assert_false(wp_stream_pull(s, &view, 1));
    assert_false(wp_stream_push(s, &view, -1));
    assert_false(wp_stream_push(s, &view, 7));
    assert_false(wp_stream_push(s, NULL, 1));
    assert_false(wp_stream_push(s, &(const struct wp_operand){0}, 1));
    assert_false(wp_stream_get_band(s, -1, &info));
    assert_false(wp_stream_get_band(s, wp_stream_band_count(s), &info));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    // The stream can still be used.
    assert_true(wp_stream_push(s, NULL, 0));
    assert_true(wp_stream_push(s, &view, 6));
    assert_false(wp_stream_push(s, &view, 1));
    wp_stream_rewind(s);
    assert_true(wp_stream_push(s, &view, 1));
    wp_stream_destroy(&s);
    wp_stream_destroy(&s);

    s = wp_stream_create_inverse(small, fail_row, NULL);
    assert_non_null(s);
    assert_false(wp_stream_push(s, &view, 1));
    assert_int_equal(wp_stream_get_info(s)->rows, 0);
    assert_false(wp_stream_pull(s, &view, 1));
    wp_stream_destroy(&s);
}

// Memory depends on the width and the levels, not on the height.
static void test_memory_figure(void **state)
{
    (void)state;
    size_t low, high;
    for (int inverse = 0; inverse < 2; inverse++) {
        assert_true(wp_stream_memory(PARAMS(.width = 32768, .height = 4096, .levels = 5), inverse,
                                     &low));
        assert_true(wp_stream_memory(PARAMS(.width = 32768, .height = 1 << 28, .levels = 5),
                                     inverse, &high));
        printf("32768 columns, five levels of cdf97, %s: %.2f MB\n",
               inverse ? "inverse" : "forward", (double)low / 1e6);
        assert_int_equal(low, high);
        assert_in_range(low, 1, 8u << 20);
    }
}

enum { TYPED_WIDTH = 23, TYPED_HEIGHT = 17, TYPED = TYPED_WIDTH * TYPED_HEIGHT };

// All coefficients, in the order of the rows.
struct collected {
    float values[TYPED];
    int count;
};

static bool collect(void *user, int band, int plane, int row, const float *samples)
{
    struct collected *c = user;
    const int width = band == 1 || band == 3 ? TYPED_WIDTH / 2 : (TYPED_WIDTH + 1) / 2;
    (void)plane, (void)row;
    memcpy(&c->values[c->count], samples, (size_t)width * sizeof *samples);
    c->count += width;
    return true;
}

// Rows of 8 and 16 bits give the coefficients of their values as floats.
static void test_types(void **state)
{
    (void)state;
    static uint8_t bytes[TYPED];
    static uint16_t words[TYPED];
    static float floats[2][TYPED];
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = TYPED_WIDTH, .height = TYPED_HEIGHT, .wavelet = "cdf53", .levels = 1);
    for (int i = 0; i < TYPED; i++) {
        bytes[i] = (uint8_t)(i * 37 % 251);
        words[i] = (uint16_t)(i * 997 % 1021);
        floats[0][i] = (float)bytes[i] / 255;
        floats[1][i] = (float)words[i] / 1023;
    }
    const struct wp_operand typed[] = {
        {.data = bytes, .type = WP_ELEMENT_U8},
        {.data = words, .type = WP_ELEMENT_U16, .maximum = 1023},
    };
    for (int t = 0; t < 2; t++) {
        static struct collected of_floats, of_type;
        of_floats.count = of_type.count = 0;
        struct wp_stream *plain = wp_stream_create_forward(&params, collect, &of_floats);
        struct wp_stream *other = wp_stream_create_forward(&params, collect, &of_type);
        assert_true(plain && other);
        assert_true(wp_stream_push(plain, WP_ARRAY(floats[t]), TYPED_HEIGHT));
        assert_true(wp_stream_push(other, &typed[t], TYPED_HEIGHT));
        assert_int_equal(of_floats.count, TYPED);
        assert_int_equal(of_type.count, TYPED);
        assert_memory_equal(of_floats.values, of_type.values, sizeof of_type.values);
        wp_stream_rewind(other);
        const struct wp_operand elsewhere = {.data = bytes, .location = WP_LOCATION_CUDA};
        assert_false(wp_stream_push(other, &elsewhere, 1));
        assert_non_null(strstr(wp_last_error_text(), "one array in the host's memory"));
        wp_stream_destroy(&plain);
        wp_stream_destroy(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_sizes), cmocka_unit_test(test_wavelets),
        cmocka_unit_test(test_families),    cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_memory_figure), cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
