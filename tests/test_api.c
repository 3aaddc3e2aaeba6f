// The library's API: memory views, wavelets as data, and rejected calls with their messages.
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

enum { WIDTH = 37, HEIGHT = 22, SAMPLES = WIDTH * HEIGHT, PLANES = 3, LEVELS = 3,
       BANDS = 1 + 3 * LEVELS };

static float image[PLANES * SAMPLES], expected[PLANES * SAMPLES];

static void silence(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

static const struct wp_transform_params default_params =
    WP_TRANSFORM_PARAMS(.width = WIDTH, .height = HEIGHT, .planes = PLANES, .levels = LEVELS,
                        .wavelet = "cdf97", .backend = "cpu");

static struct wp_transform *create(const struct wp_transform_params *params)
{
    struct wp_transform *t = wp_transform_create(params);
    if (!t)
        fail_msg("%s", wp_last_error_text());
    return t;
}

static int setup(void **state)
{
    (void)state;
    wp_log_set_handler(silence, NULL);
    unsigned seed = 3;
    for (int i = 0; i < PLANES * SAMPLES; i++) {
        seed = seed * 1664525u + 1013904223u;
        image[i] = (float)(seed >> 8) / (1 << 24);
    }
    struct wp_transform *t = create(&default_params);
    const bool ok = wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(expected));
    wp_transform_destroy(&t);
    return !ok;
}

// Makes views of all bands in an array with the Mallat layout.
static void mallat(const struct wp_transform *t, float *data, ptrdiff_t pitch, ptrdiff_t plane,
                   struct wp_operand band[BANDS])
{
    for (int b = 0; b < BANDS; b++) {
        struct wp_band_info info;
        assert_true(wp_transform_get_band(t, b, &info));
        // LL of a level is the rest of the image, without the other bands.
        int w = WIDTH, h = HEIGHT;
        for (int l = 0; l < info.level; l++)
            w = (w + 1) / 2, h = (h + 1) / 2;
        const ptrdiff_t x = info.name[0] == 'H' ? w : 0, y = info.name[1] == 'H' ? h : 0;
        band[b] = (struct wp_operand){.data = data + y * pitch + x, .stride = {1, pitch, 0, plane}};
    }
}

// Every kind of view gives bit-identical coefficients and the same image after the inverse.
static void test_views(void **state)
{
    (void)state;
    enum { PITCH = WIDTH + 5, PLANE = PITCH * HEIGHT + 7 };
    static float wide[PLANES * PLANE], mixed[PLANES * SAMPLES], restored[PLANES * SAMPLES];
    struct wp_transform *t = create(&default_params);
    struct wp_operand band[BANDS];
    const struct wp_operand dense = {.data = image};
    // An array with gaps, its bands, and planes interleaved per pixel.
    for (int kind = 0; kind < 3; kind++) {
        const ptrdiff_t x = kind == 2 ? PLANES : 1, y = kind == 2 ? PLANES * WIDTH : PITCH;
        const ptrdiff_t plane = kind == 2 ? 1 : PLANE;
        float *const data = kind == 2 ? mixed : wide;
        const size_t size = kind == 2 ? sizeof mixed : sizeof wide;
        for (size_t i = 0; i < size / sizeof *data; i++)
            data[i] = -7.25F;
        mallat(t, wide, PITCH, PLANE, band);
        const struct wp_operand to =
            kind == 1 ? (struct wp_operand){.band = band, .bands = BANDS}
                      : (struct wp_operand){.data = data, .stride = {x, y, 0, plane}};
        if (!wp_transform_forward(t, &dense, &to))
            fail_msg("view %d: %s", kind, wp_last_error_text());
        size_t untouched = 0;
        for (size_t i = 0; i < size / sizeof *data; i++)
            untouched += data[i] == -7.25F;
        assert_int_equal(untouched, size / sizeof *data - PLANES * SAMPLES);
        for (int i = 0; i < PLANES * SAMPLES; i++) {
            const int p = i / SAMPLES, at = i % SAMPLES;
            assert_true(data[at % WIDTH * x + at / WIDTH * y + p * plane] == expected[i]);
        }
        const struct wp_operand to_image = {.data = restored};
        assert_true(wp_transform_inverse(t, &to, &to_image));
        for (int i = 0; i < PLANES * SAMPLES; i++)
            assert_true(fabs((double)restored[i] - (double)image[i]) < 1e-5);
    }
    // In place.
    memcpy(restored, image, sizeof restored);
    assert_true(wp_transform_forward(t, WP_ARRAY(restored), WP_ARRAY(restored)));
    assert_memory_equal(restored, expected, sizeof restored);
    wp_transform_destroy(&t);
}

// The stride of an axis with one sample may have any value.
static void test_single_rows(void **state)
{
    (void)state;
    static const char *const backends[] = {"cpu", "reference", "cuda"};
    static const ptrdiff_t step[2][2] = {{1, 5}, {7, 1}};
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        for (int column = 0; column < 2; column++) {
            const struct wp_transform_params params =
                WP_TRANSFORM_PARAMS(.width = column ? 1 : WIDTH, .height = column ? WIDTH : 1,
                                    .levels = 2, .backend = backends[b]);
            struct wp_transform *t = wp_transform_create(&params);
            if (!t) {
                print_message("skipped %s: %s\n", backends[b], wp_last_error_text());
                break;
            }
            float coefficients[WIDTH], restored[WIDTH];
            const ptrdiff_t *s = step[column];
            const struct wp_operand from = {.data = image, .stride = {s[0], s[1], 0}};
            const struct wp_operand to = {.data = coefficients};
            const struct wp_operand to_image = {.data = restored};
            if (!wp_transform_forward(t, &from, &to) ||
                !wp_transform_inverse(t, &to, &to_image))
                fail_msg("%s: %s", backends[b], wp_last_error_text());
            for (int i = 0; i < WIDTH; i++)
                assert_true(fabs((double)(restored[i] - image[i])) < 1e-5);
            wp_transform_destroy(&t);
        }
    }
}

// Offset of the high band of a level along an axis of n samples.
static int first_high(int n, int level)
{
    for (int l = 0; l < level; l++)
        n = n / 2 + n % 2;
    return n;
}

// Views of the bands of one plane or volume in an array; the stride of planes is not required and
// not given.
static void test_bands_in_an_array(void **state)
{
    (void)state;
    enum { SIDE = 12, DEPTH = 5 };
    static float in[DEPTH * SIDE * SIDE], array[DEPTH * SIDE * SIDE], out[DEPTH * SIDE * SIDE];
    for (int i = 0; i < DEPTH * SIDE * SIDE; i++)
        in[i] = (float)(i * 7 % 31);
    for (int depth = 1; depth <= DEPTH; depth += DEPTH - 1) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = SIDE, .height = SIDE, .depth = depth, .levels = 2, .backend = "cpu");
        struct wp_transform *t = create(&params);
        struct wp_operand band[1 + 2 * 7];
        const int bands = wp_transform_band_count(t);
        assert_int_equal(bands, depth > 1 ? 15 : 7);
        for (int i = 0; i < bands; i++) {
            struct wp_band_info info;
            assert_true(wp_transform_get_band(t, i, &info));
            const int x = info.name[0] == 'H' ? first_high(SIDE, info.level) : 0;
            const int y = info.name[1] == 'H' ? first_high(SIDE, info.level) : 0;
            const int z = info.name[2] == 'H' ? first_high(depth, info.level) : 0;
            band[i] = (struct wp_operand){.data = array + (z * SIDE + y) * SIDE + x,
                                       .stride = {0, SIDE, depth > 1 ? SIDE * SIDE : 0}};
        }
        const struct wp_operand from = {.data = in}, to = {.band = band, .bands = bands};
        if (!wp_transform_forward(t, &from, &to) ||
            !wp_transform_forward(t, WP_ARRAY(in), WP_ARRAY(out)))
            fail_msg("%s", wp_last_error_text());
        assert_memory_equal(array, out, (size_t)(depth * SIDE * SIDE) * sizeof *out);
        // One float earlier, the last band overlaps its neighbor.
        band[bands - 1].data = (float *)band[bands - 1].data - 1;
        assert_false(wp_transform_forward(t, &from, &to));
        assert_non_null(strstr(wp_last_error_text(), "overlap"));
        wp_transform_destroy(&t);
    }
}

// Bands of the decomposition spatial-temporal: each spatial band with each temporal band.
static void test_bands_of_spatial_temporal(void **state)
{
    (void)state;
    static const struct {
        int index;
        struct wp_band_info info;
    } cases[] = {
        {0, {.name = "LL.L", .level = 2, .width = 3, .height = 4, .depth = 2, .level_z = 3}},
        {3, {.name = "HH.L", .level = 2, .width = 3, .height = 3, .depth = 2, .level_z = 3}},
        {4, {.name = "HL.L", .level = 1, .width = 6, .height = 7, .depth = 2, .level_z = 3}},
        {7, {.name = "LL.H", .level = 2, .width = 3, .height = 4, .depth = 1, .level_z = 3}},
        {12, {.name = "LH.H", .level = 1, .width = 6, .height = 6, .depth = 1, .level_z = 3}},
        {15, {.name = "HL.H", .level = 2, .width = 3, .height = 4, .depth = 2, .level_z = 2}},
        {27, {.name = "HH.H", .level = 1, .width = 6, .height = 6, .depth = 4, .level_z = 1}},
    };
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = 12, .height = 13, .depth = 9, .levels = 2, .levels_z = 3, .backend = "cpu",
        .decomposition = "spatial-temporal");
    struct wp_transform *t = create(&params);
    struct wp_operand views[28] = {{0}};
    struct wp_band_info info;
    int samples = 0;
    assert_int_equal(wp_transform_band_count(t), 28);
    for (int i = 0; i < 28; i++) {
        assert_true(wp_transform_get_band(t, i, &info));
        samples += info.width * info.height * info.depth;
    }
    assert_int_equal(samples, 12 * 13 * 9);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(wp_transform_get_band(t, cases[i].index, &info));
        assert_string_equal(info.name, cases[i].info.name);
        assert_int_equal(info.level, cases[i].info.level);
        assert_int_equal(info.level_z, cases[i].info.level_z);
        assert_int_equal(info.width, cases[i].info.width);
        assert_int_equal(info.height, cases[i].info.height);
        assert_int_equal(info.depth, cases[i].info.depth);
    }
    static float in[12 * 13 * 9];
    const struct wp_operand from = {.data = in}, to = {.band = views, .bands = 28};
    assert_false(wp_transform_forward(t, &from, &to));
    assert_non_null(
        strstr(wp_last_error_text(), "not supported for the decomposition 'spatial-temporal'"));
    wp_transform_destroy(&t);
}

// Equals the spatial and temporal transforms one after the other, for more samples than one slab
// along z has.
static void test_spatial_temporal_in_slabs(void **state)
{
    (void)state;
    enum { W = 300, H = 131, D = 128, COUNT = W * H * D };
    static float in[COUNT], by_hand[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i * 7 % 31);
    struct wp_transform_params p = WP_TRANSFORM_PARAMS(
        .width = W, .height = H, .depth = D, .backend = "cpu", .levels = 2,
        .levels_z = 3, .decomposition = "spatial-temporal");
    struct wp_transform *t = create(&p);
    p.levels_z = WP_LEVELS_NONE;
    struct wp_transform *plane = create(&p);
    p.levels = WP_LEVELS_NONE;
    p.levels_z = 3;
    struct wp_transform *time = create(&p);
    assert_true(wp_transform_forward(t, WP_ARRAY(in), WP_ARRAY(out)) &&
                wp_transform_forward(plane, WP_ARRAY(in), WP_ARRAY(by_hand)) &&
                wp_transform_forward(time, WP_ARRAY(by_hand), WP_ARRAY(by_hand)));
    assert_memory_equal(out, by_hand, sizeof out);
    assert_true(wp_transform_inverse(t, WP_ARRAY(out), WP_ARRAY(out)) &&
                wp_transform_inverse(time, WP_ARRAY(by_hand), WP_ARRAY(by_hand)) &&
                wp_transform_inverse(plane, WP_ARRAY(by_hand), WP_ARRAY(by_hand)));
    assert_memory_equal(out, by_hand, sizeof out);
    wp_transform_destroy(&t);
    wp_transform_destroy(&plane);
    wp_transform_destroy(&time);
}

// A single sample has no levels and one band.
static void test_single_samples(void **state)
{
    (void)state;
    static const char *const backends[] = {"cpu", "reference"};
    for (int b = 0; b < 2; b++) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = 1, .height = 1, .planes = PLANES, .backend = backends[b]);
        struct wp_transform *t = create(&params);
        float coefficients[2 * PLANES] = {0}, restored[PLANES] = {0};
        const struct wp_operand band = {.data = coefficients, .stride[WP_PLANE] = 2};
        const struct wp_operand from = {.data = image}, to_image = {.data = restored};
        const struct wp_operand to = {.band = &band, .bands = 1};
        assert_int_equal(wp_transform_band_count(t), 1);
        if (!wp_transform_forward(t, &from, &to) || !wp_transform_inverse(t, &to, &to_image))
            fail_msg("%s", wp_last_error_text());
        for (int p = 0; p < PLANES; p++) {
            assert_true(coefficients[2 * p] == image[p] && coefficients[2 * p + 1] == 0);
            assert_true(restored[p] == image[p]);
        }
        wp_transform_destroy(&t);
    }
}

// CDF 9/7 from its lifting steps equals the one of the table.
static void test_wavelet_data(void **state)
{
    (void)state;
    static const double c[4][2] = {{-1.586134342059924, -1.586134342059924},
                                   {-0.052980118572961, -0.052980118572961},
                                   {0.882911075530934, 0.882911075530934},
                                   {0.443506852043971, 0.443506852043971}};
    const struct wp_step_data step[4] = {
        {0, 2, c[0]}, {-1, 2, c[1]}, {0, 2, c[2]}, {-1, 2, c[3]}};
    const struct wp_wavelet_data data = {.steps = 4, .step = step, .zeta = 1.230174104914001};
    struct wp_transform_params params = default_params;
    static float got[PLANES * SAMPLES];
    params.wavelet = NULL;
    params.wavelet_data = &data;
    params.threads = 3;
    struct wp_transform *t = create(&params);
    const struct wp_transform_info *info = wp_transform_get_info(t);
    assert_int_equal(strncmp(info->name, "custom", 6), 0);
    if (strcmp(info->backend, "cpu") == 0)
        assert_int_equal(strncmp(info->device, "CPU, 3 threads, ", 16), 0);
    assert_true(wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(got)));
    for (int i = 0; i < PLANES * SAMPLES; i++)
        assert_true(fabs((double)got[i] - (double)expected[i]) < 1e-6);
    wp_transform_destroy(&t);
}

static void expect(bool rejected, const char *message)
{
    if (!rejected || wp_last_error() != WP_ERROR_USAGE || !strstr(wp_last_error_text(), message))
        fail_msg("'%s' where '%s' was expected", wp_last_error_text(), message);
    wp_clear_error();
    assert_string_equal(wp_last_error_text(), "");
}

static void test_parameters_rejected(void **state)
{
    (void)state;
    static const double one[] = {1}, nan[] = {NAN};
    static double filled[17];
    for (int i = 0; i < 17; i++)
        filled[i] = 1;
    const struct wp_step_data good = {0, 1, one}, none = {0, 1, NULL}, bad = {0, 1, nan},
                              negative = {0, -1, one}, long_one = {0, 17, filled},
                              beyond = {65, 1, one};
    struct {
        const char *message;
        struct wp_transform_params params;
        struct wp_wavelet_data data;
    } cases[] = {
        {"of no known version", {.width = 4, .height = 4}, {0}},
        {"0x4 has no pixels", WP_TRANSFORM_PARAMS(.height = 4), {0}},
        {"a volume of 4x4x-2 has no samples",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .depth = -2), {0}},
        {"3 levels are more along z than 4 slices have",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .depth = 4, .levels = 2, .levels_z = 3), {0}},
        {"an image has no levels along z (1 requested)",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .levels_z = 1), {0}},
        {"more than a 4x4x4 volume has",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .depth = 4, .levels = 3, .levels_z = 2), {0}},
        {"would split 6x6x5",
         WP_TRANSFORM_PARAMS(.width = 6, .height = 6, .depth = 5, .levels = 1, .levels_z = 1,
                             .border = "periodic", .backend = "cpu"), {0}},
        {"-3 has no pixels", WP_TRANSFORM_PARAMS(.width = 4, .height = -3), {0}},
        {"9 levels", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .levels = 9), {0}},
        {"0 levels leave an image",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .levels = -2), {0}},
        {"-3 levels", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .levels = -3), {0}},
        {"unknown decomposition",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .decomposition = "x"), {0}},
        {"-1 planes", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .planes = -1), {0}},
        {"-1 threads", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .threads = -1), {0}},
        {"unknown wavelet 'cfd97'",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .wavelet = "cfd97"), {0}},
        {"unknown scheme", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .scheme = "x"), {0}},
        {"unknown border", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .border = "x"), {0}},
        {"unknown norm", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .norm = "x"), {0}},
        {"unknown layout", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .layout = "x"), {0}},
        {"unknown backend", WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .backend = "x"), {0}},
        {"no variant",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .backend = "cpu", .variant = "x"), {0}},
        {"exclude each other",
         WP_TRANSFORM_PARAMS(.width = 4, .height = 4, .wavelet = "haar"), {.steps = 1,
                                                                           .step = &good}},
        {"of 0 steps", WP_TRANSFORM_PARAMS(.width = 4, .height = 4), {.name = "w"}},
        {"of 25 steps", WP_TRANSFORM_PARAMS(.width = 4, .height = 4), {.steps = 25,
                                                                       .step = &good}},
        {"has no taps", WP_TRANSFORM_PARAMS(.width = 4, .height = 4), {.steps = 1, .step = &none}},
        {"has no taps", WP_TRANSFORM_PARAMS(.width = 4, .height = 4), {.steps = 1,
                                                                       .step = &negative}},
        {"a tap at 0 cannot", WP_TRANSFORM_PARAMS(.width = 4, .height = 4), {.steps = 1,
                                                                             .step = &bad}},
        {"a tap at 16 cannot", WP_TRANSFORM_PARAMS(.width = 4, .height = 4), {.steps = 1,
                                                                              .step = &long_one}},
        {"a tap at 65 cannot", WP_TRANSFORM_PARAMS(.width = 4, .height = 4), {.steps = 1,
                                                                              .step = &beyond}},
        {"cannot be used", WP_TRANSFORM_PARAMS(.width = 4, .height = 4), {.steps = 1,
                                                                          .step = &good}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].data.step || cases[i].data.name)
            cases[i].params.wavelet_data = &cases[i].data;
        expect(!wp_transform_create(&cases[i].params), cases[i].message);
    }
    expect(!wp_transform_create(NULL), "are NULL");
    struct wp_transform_params later = default_params;
    later.struct_size += 8;
    expect(!wp_transform_create(&later), "of a later version");
    // The struct of an earlier version, without `threads` and the following members.
    struct wp_transform_params earlier = default_params;
    earlier.struct_size = offsetof(struct wp_transform_params, threads);
    earlier.threads = -1;
    struct wp_transform *t = create(&earlier);
    wp_transform_destroy(&t);
}

// NULL transforms, e.g. of an unchecked wp_transform_create().
static void test_null_rejected(void **state)
{
    (void)state;
    struct wp_transform *none = NULL;
    struct wp_band_info info;
    struct wp_buffer_layout layout;
    const struct wp_operand memory = {.data = image};
    const struct wp_operand pixels = {.data = image};
    const char *const message = "the transform is NULL";
    expect(!wp_transform_forward(none, WP_ARRAY(image), WP_ARRAY(image)), message);
    expect(!wp_transform_inverse(none, WP_ARRAY(image), WP_ARRAY(image)), message);
    expect(!wp_transform_forward(none, &memory, &memory), message);
    expect(!wp_transform_inverse(none, &memory, &memory), message);
    expect(!wp_transform_forward(none, &pixels, &memory), message);
    expect(!wp_transform_inverse(none, &memory, &pixels), message);
    expect(!wp_transform_forward(none, &pixels, &pixels), message);
    expect(!wp_transform_inverse(none, &pixels, &pixels), message);
    expect(!wp_transform_get_buffer_layout(none, false, &layout, NULL), message);
    expect(!wp_transform_set_stream(none, NULL), message);
    expect(!wp_transform_get_band(none, 0, &info), message);
    expect(wp_transform_band_count(none) == 0, message);
    expect(!wp_transform_get_info(none), message);
    wp_clear_error();
    wp_transform_rest(none);
    expect(true, message);
    wp_transform_destroy(&none);
    wp_transform_destroy(NULL);
}

// If the library chooses the number of levels, it must be at least 1.
static void test_no_level_rejected(void **state)
{
    (void)state;
    static const struct {
        int width, height, depth, levels;
        const char *message; // NULL: the transform is valid
    } cases[] = {
        {641, 480, 0, 0, "641x480 has no levels"},
        {641, 480, 0, WP_LEVELS_MOST, "641x480 has no levels"},
        {640, 480, 0, 0, NULL},
        {1, 1, 0, 0, NULL}, // nothing to split
        {5, 4, 4, 0, NULL}, // along z only
        {1, 1, 2, 0, NULL},
        {5, 3, 3, 0, "a volume of 5x3x3 has no levels"},
        {5, 3, 3, WP_LEVELS_MOST, "a volume of 5x3x3 has no levels"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wp_transform_params params =
            WP_TRANSFORM_PARAMS(.width = cases[i].width, .height = cases[i].height,
                                .depth = cases[i].depth, .levels = cases[i].levels,
                                .wavelet = "db4", .border = "periodic", .backend = "reference");
        struct wp_transform *t = wp_transform_create(&params);
        if (cases[i].message)
            expect(!t, cases[i].message);
        else if (!t)
            fail_msg("case %zu: %s", i, wp_last_error_text());
        wp_transform_destroy(&t);
    }
}

static void test_memory_rejected(void **state)
{
    (void)state;
    static float out[PLANES * SAMPLES];
    struct wp_transform *t = create(&default_params);
    struct wp_operand band[BANDS];
    struct wp_band_info info;
    const struct wp_operand from = {.data = image};
    struct wp_operand to = {.data = out};
    expect(!wp_transform_forward(t, WP_ARRAY(NULL), WP_ARRAY(out)),
           "the array of the image is NULL");
    expect(!wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(NULL)),
           "the array of the coefficients is NULL");
    expect(!wp_transform_forward(t, NULL, &to), "the array of the image is NULL");
    expect(!wp_transform_forward(t, &from, NULL), "the array of the coefficients is NULL");
    to.stride[1] = WIDTH - 1;
    expect(!wp_transform_forward(t, &from, &to), "samples of the coefficients overlap (37x22");
    to.stride[1] = 1 - WIDTH;
    expect(!wp_transform_forward(t, &from, &to), "overlap");
    to = (struct wp_operand){.data = out, .stride = {[WP_PLANE] = SAMPLES - 1}};
    expect(!wp_transform_forward(t, &from, &to), "overlap");
    // The output of a plane would overwrite the next plane before it is read.
    {
        static float planes[2 * PLANES * SAMPLES];
        const struct wp_operand first = {.data = planes + SAMPLES};
        const struct wp_operand before = {.data = planes};
        to = (struct wp_operand){.data = planes + 2 * SAMPLES};
        expect(!wp_transform_forward(t, &first, &to),
               "the output of plane 1 would overwrite the input of plane 2");
        assert_true(wp_transform_forward(t, &first, &before));
    }
    mallat(t, out, WIDTH, SAMPLES, band);
    to = (struct wp_operand){.band = band, .bands = BANDS - 1};
    expect(!wp_transform_forward(t, &from, &to), "9 subbands were given, but there are 10");
    expect(!wp_transform_inverse(t, &from, &to), "an image has no subbands");
    to.bands = BANDS;
    band[4].data = NULL;
    expect(!wp_transform_forward(t, &from, &to), "the array of the band HL of level 2 is NULL");
    mallat(t, out, WIDTH, SAMPLES, band);
    band[4].data = (float *)band[4].data - 1;
    expect(!wp_transform_forward(t, &from, &to), "band HL of level 2 overlap");
    mallat(t, out, WIDTH, SAMPLES, band);
    band[9].stride[1] = 3;
    expect(!wp_transform_forward(t, &from, &to), "samples of the band HH of level 1 overlap");
    expect(!wp_transform_get_band(t, BANDS, &info), "no band number 10");
    expect(!wp_transform_get_band(t, -1, &info), "no band number -1");
    wp_transform_destroy(&t);

    struct wp_transform_params params = default_params;
    params.layout = "mixed";
    t = create(&params);
    mallat(t, out, WIDTH, SAMPLES, band);
    expect(!wp_transform_forward(t, &from, &to), "not supported for the layout 'mixed'");
    wp_transform_destroy(&t);
    assert_string_equal(wp_version(), WAVEPASS_VERSION);
}

// Device memory is rejected without accessing it: these pointers are host pointers.
static void test_cuda_rejected(void **state)
{
    (void)state;
    static const char *const backends[] = {"cpu", "reference"};
    static float out[PLANES * SAMPLES];
    const struct wp_operand host = {.data = image}, to = {.data = out};
    const struct wp_operand device = {.data = image, .location = WP_LOCATION_CUDA};
    const struct wp_operand to_device = {.data = out, .location = WP_LOCATION_CUDA};
    for (int b = 0; b < 2; b++) {
        struct wp_transform_params params = default_params;
        char text[128];
        params.backend = backends[b];
        struct wp_transform *t = create(&params);
        snprintf(text, sizeof text, "memory of a CUDA device requires the backend 'cuda', and this "
                 "transform runs on '%s'", backends[b]);
        expect(!wp_transform_forward(t, &device, &to_device), text);
        expect(!wp_transform_forward(t, &host, &to_device), text);
        expect(!wp_transform_forward(t, &device, &to), text);
        expect(!wp_transform_inverse(t, &device, &to_device), text);
        expect(!wp_transform_inverse(t, &host, &to_device), text);
        expect(!wp_transform_set_stream(t, NULL), text);
        expect(!wp_transform_set_stream(t, &params), text);
        for (int i = 0; i < PLANES * SAMPLES; i++)
            assert_true(out[i] == 0);
        assert_true(wp_transform_forward(t, &host, &to));
        wp_transform_destroy(&t);
        memset(out, 0, sizeof out);
    }
}

// Reversible integer transforms, with the JPEG 2000 wavelet and others, in place.
static void test_reversible(void **state)
{
    (void)state;
    static float integers[PLANES * SAMPLES], samples[PLANES * SAMPLES];
    for (int i = 0; i < PLANES * SAMPLES; i++)
        integers[i] = floorf(65535 * image[i]);
    static const char *const names[] = {NULL, "haar", "dd137"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct wp_transform_params params = default_params;
        params.wavelet = names[n];
        params.reversible = true;
        struct wp_transform *t = create(&params);
        const struct wp_transform_info *info = wp_transform_get_info(t);
        assert_string_equal(info->name, names[n] ? names[n] : "cdf53");
        assert_true(info->largest > 32767 && info->largest < 1 << 24);
        memcpy(samples, integers, sizeof samples);
        assert_true(wp_transform_forward(t, WP_ARRAY(samples), WP_ARRAY(samples)));
        for (int i = 0; i < PLANES * SAMPLES; i++)
            assert_true(samples[i] == floorf(samples[i]));
        assert_memory_not_equal(samples, integers, sizeof samples);
        assert_true(wp_transform_inverse(t, WP_ARRAY(samples), WP_ARRAY(samples)));
        for (int i = 0; i < PLANES * SAMPLES; i++)
            assert_true(samples[i] == integers[i]);
        wp_transform_destroy(&t);
    }
    struct wp_transform *t = create(&default_params);
    assert_true(wp_transform_get_info(t)->largest == 0);
    wp_transform_destroy(&t);
}

static void test_reversible_rejected(void **state)
{
    (void)state;
    const struct {
        const char *wavelet, *scheme, *norm, *variant, *message;
        int depth;
    } wrong[] = {
        {.wavelet = "cdf97", .message = "has no reversible form"},
        {.scheme = "sep-convolution", .message = "is not reversible"},
        {.norm = "orthonormal", .message = "is not reversible"},
        {.variant = "smdwt", .message = "round one by one"},
        {.depth = 8, .message = "their axes round"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct wp_transform_params params = default_params;
        params.reversible = true;
        params.wavelet = wrong[i].wavelet;
        params.scheme = wrong[i].scheme;
        params.norm = wrong[i].norm;
        params.variant = wrong[i].variant;
        params.depth = wrong[i].depth;
        params.planes = 1;
        assert_null(wp_transform_create(&params));
        assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
        assert_non_null(strstr(wp_last_error_text(), wrong[i].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_single_rows),
        cmocka_unit_test(test_bands_in_an_array),
        cmocka_unit_test(test_bands_of_spatial_temporal),
        cmocka_unit_test(test_spatial_temporal_in_slabs),
        cmocka_unit_test(test_single_samples),
        cmocka_unit_test(test_wavelet_data),
        cmocka_unit_test(test_reversible),
        cmocka_unit_test(test_reversible_rejected),
        cmocka_unit_test(test_parameters_rejected),
        cmocka_unit_test(test_null_rejected),
        cmocka_unit_test(test_no_level_rejected),
        cmocka_unit_test(test_memory_rejected),
        cmocka_unit_test(test_cuda_rejected),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
