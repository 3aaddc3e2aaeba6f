// Streams of redundant banks have the bits of wp_transform_forward() and wp_transform_inverse(): banks,
// borders, norms, adjoints, planes, images of one window and of many, rows at once.
#include "log.h"
#include "operand.h"
#include "wavepass.h"
#include "wavepass_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct form {
    const char *bank, *wavelet, *border, *norm;
    int width, height, levels, planes, rows;
    bool adjoint;
    int start;
} forms[] = {
    {"undecimated", "cdf53", "symmetric", "jpeg2000", 19, 301, 3, 1, 7, false, 0},
    {"undecimated", "cdf97", "symmetric", "pywt", 33, 200, 2, 3, 1, false, 0},
    {"undecimated", "cdf97", "symmetric", "pywt", 33, 200, 2, 2, 200, true, 0},
    {"undecimated", "haar", "periodic", "orthonormal", 16, 130, 4, 1, 64, false, 0},
    {"undecimated", "haar", "periodic", "orthonormal", 16, 130, 2, 1, 64, false, 2},
    {"starlet", "cdf97", "symmetric", "jpeg2000", 21, 260, 1, 1, 5, false, 4},
    {"undecimated", "db3", "periodic", "none", 31, 257, 3, 2, 50, false, 0},
    {"undecimated", "db3", "periodic", "none", 31, 257, 3, 1, 50, true, 0},
    {"undecimated", "cdf97", "symmetric", "jpeg2000", 40, 30, 3, 2, 30, false, 0}, // one window
    {"undecimated", "db2", "periodic", "jpeg2000", 12, 1, 2, 1, 1, false, 0},
    {"starlet", NULL, "symmetric", NULL, 25, 333, 4, 2, 100, false, 0},
    {"starlet", NULL, "symmetric", NULL, 25, 333, 4, 1, 100, true, 0},
    {"starlet", NULL, "periodic", NULL, 25, 311, 3, 1, 9, false, 0},
    {"starlet", NULL, "periodic", NULL, 25, 311, 3, 1, 9, true, 0},
    {"starlet", NULL, "symmetric", NULL, 3, 300, 8, 1, 1, false, 0},
};

struct store {
    struct wp_stream *stream;
    struct wp_band_info band[128];
    size_t plane;       // samples of a plane of coefficients
    float *coefficients; // written, or read
    int next[128][4];   // the row that is expected next; -1: any
    int seen;
};

// Rows of each band and plane are in order, from any row on.
static float *find(struct store *s, int band, int plane, int row)
{
    const struct wp_band_info *b = &s->band[band];
    int *next = &s->next[band][plane];
    assert_true(row >= 0 && row < b->height && (*next < 0 || row == *next));
    *next = (row + 1) % b->height;
    s->seen++;
    return s->coefficients + (size_t)plane * s->plane + b->offset + row * b->stride[1];
}

static bool take(void *user, int band, int plane, int row, const float *samples)
{
    struct store *s = user;
    memcpy(find(s, band, plane, row), samples, (size_t)s->band[band].width * sizeof *samples);
    return true;
}

static bool fill(void *user, int band, int plane, int row, float *samples)
{
    struct store *s = user;
    memcpy(samples, find(s, band, plane, row), (size_t)s->band[band].width * sizeof *samples);
    return true;
}

static void begin(struct store *s)
{
    memset(s->next, -1, sizeof s->next);
    s->seen = 0;
}

static void check(const struct form *f, bool inverse)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = f->width, .height = f->height, .planes = f->planes, .levels = f->levels,
        .wavelet = f->wavelet, .bank = f->bank, .border = f->border, .norm = f->norm,
        .adjoint = f->adjoint, .start_level = f->start, .backend = "cpu");
    struct wp_transform *t = wp_transform_create(&params);
    assert_non_null(t);
    const int bands = wp_transform_band_count(t);
    struct store s = {.plane = (size_t)f->width * (size_t)f->height * (size_t)bands};
    const size_t samples = (size_t)f->width * (size_t)f->height * (size_t)f->planes;
    const size_t all = s.plane * (size_t)f->planes;
    float *x = calloc(samples, sizeof *x), *y = calloc(samples, sizeof *y);
    float *c = calloc(all, sizeof *c), *streamed = calloc(all, sizeof *c);
    assert_true(x && y && c && streamed);
    s.coefficients = streamed;
    for (int b = 0; b < bands; b++)
        assert_true(wp_transform_get_band(t, b, &s.band[b]));
    uint32_t seed = 5;
    for (size_t i = 0; i < (inverse ? all : samples); i++) {
        seed = seed * 1664525U + 1013904223U;
        (inverse ? streamed : x)[i] = (float)(seed >> 8) / (float)(1 << 24) - 0.5F;
    }
    if (inverse)
        memcpy(c, streamed, all * sizeof *c);
    assert_true(inverse ? wp_transform_inverse(t, WP_ARRAY(c), WP_ARRAY(x))
                        : wp_transform_forward(t, WP_ARRAY(x), WP_ARRAY(c)));
    s.stream = inverse ? wp_stream_create_inverse(&params, fill, &s)
                       : wp_stream_create_forward(&params, take, &s);
    assert_non_null(s.stream);
    assert_int_equal(wp_stream_band_count(s.stream), bands);
    for (int again = 0; again < 2; again++) {
        begin(&s);
        for (int row = 0; row < f->height; row += f->rows) {
            const int count = f->height - row < f->rows ? f->height - row : f->rows;
            const struct wp_operand rows = {
                .data = (inverse ? y : x) + row * f->width,
                .stride = {1, f->width, [WP_PLANE] = f->width * f->height}};
            assert_true(inverse ? wp_stream_pull(s.stream, &rows, count)
                                : wp_stream_push(s.stream, &rows, count));
        }
        assert_int_equal(s.seen, bands * f->planes * f->height);
        if (inverse ? memcmp(y, x, samples * sizeof *x) : memcmp(streamed, c, all * sizeof *c))
            fail_msg("%s %s %s, %dx%d, %d levels: other bits", f->bank, f->wavelet, f->border,
                     f->width, f->height, f->levels);
        memset(inverse ? y : streamed, 0, (inverse ? samples : all) * sizeof *y);
        if (inverse)
            break; // `streamed` is its input
        wp_stream_rewind(s.stream);
    }
    wp_stream_destroy(&s.stream);
    wp_transform_destroy(&t);
    free(x);
    free(y);
    free(c);
    free(streamed);
}

static void test_bits(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int inverse = 0; inverse < 2; inverse++)
            check(&forms[f], inverse);
}

// The memory does not depend on the height.
static void test_memory(void **state)
{
    (void)state;
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = 100, .height = 1000, .levels = 3, .bank = "starlet");
    size_t bytes[2];
    for (int i = 0; i < 2; i++, params.height *= 1000)
        assert_true(wp_stream_memory(&params, i, &bytes[i]));
    // 64 rows: samples, 4 bands and 2 low bands.
    assert_true(bytes[0] >= 7 * 64 * 100 * sizeof(float) && bytes[0] < 8 * 64 * 100 * sizeof(float));
    assert_true(bytes[1] <= bytes[0]);
}

static bool refuse(void *user, int band, int plane, int row, const float *samples)
{
    (void)user, (void)band, (void)plane, (void)samples;
    return row < 5;
}

static void test_stopped(void **state)
{
    (void)state;
    static float x[20 * 300];
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = 20, .height = 300, .levels = 2, .bank = "starlet");
    struct wp_stream *s = wp_stream_create_forward(&params, refuse, NULL);
    assert_non_null(s);
    assert_true(wp_stream_push(s, WP_ARRAY(x), 10));
    assert_false(wp_stream_push(s, WP_ARRAY(x), 290));
    wp_begin_attempt();
    assert_false(wp_stream_push(s, WP_ARRAY(x), 1));
    wp_end_attempt();
    wp_stream_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
