// Memory that runs out: whichever allocation of libwavepass fails, the call that wanted it fails
// with a message, leaves nothing behind, and the next one works as if nothing had been.
#include "failing_heap.h"
#include "sample.h"
#include "wavepass_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 20, HEIGHT = 12, PLANES = 2, SAMPLES = PLANES * WIDTH * HEIGHT, BANDS_MAX = 16,
       DEPTH = PLANES };

struct way {
    const char *backend, *variant, *wavelet, *scheme, *layout, *border, *precision;
    bool data;  // the wavelet as such
    bool bands; // coefficients at places of their own
    bool pixels; // the image is of 16-bit integers, in the memory that it would have as floats
    int planes;
    int depth; // DEPTH, of one plane: a volume
};

// A transform there and back, again after a rest; what came out.
struct results {
    float there[SAMPLES], back[SAMPLES], again[SAMPLES];
};

static struct wp_transform *create(const struct way *way)
{
    static const double predict[] = {-0.5, -0.5}, update[] = {0.25, 0.25};
    static const struct wp_step_data step[] = {{0, 2, predict}, {-1, 2, update}};
    static const struct wp_wavelet_data data = {.steps = 2, .step = step};
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = WIDTH, .height = HEIGHT, .depth = way->depth, .planes = way->planes,
            .levels = 2,
            .wavelet = way->wavelet, .scheme = way->scheme, .layout = way->layout,
            .border = way->border, .precision = way->precision, .backend = way->backend,
            .variant = way->variant, .threads = 2, .wavelet_data = way->data ? &data : NULL);
    return wp_transform_create(&params);
}

// Bands one behind the other, in every plane.
static bool run(struct wp_transform *t, const struct way *way, bool inverse, const float *in,
                float *out)
{
    struct wp_memory coefficients = {.array.data = inverse ? (float *)(uintptr_t)in : out};
    const struct wp_memory image = {.array.data = inverse ? out : (float *)(uintptr_t)in};
    struct wp_view band[BANDS_MAX];
    float *at = coefficients.array.data;
    if (way->bands) {
        coefficients.band = band;
        coefficients.bands = wp_transform_band_count(t);
    }
    for (int b = 0; b < coefficients.bands; b++) {
        struct wp_band_info info;
        assert_true(wp_transform_get_band(t, b, &info));
        band[b] = (struct wp_view){.data = at, .plane = WIDTH * HEIGHT};
        at += info.width * info.height;
    }
    const struct wp_pixels pixels = {.data = image.array.data, .type = WP_ELEMENT_U16};
    if (way->pixels)
        return inverse ? wp_transform_inverse_pixels(t, &coefficients, &pixels)
                       : wp_transform_forward_pixels(t, &pixels, &coefficients);
    return inverse ? wp_transform_inverse_at(t, &coefficients, &image)
                   : wp_transform_forward_at(t, &image, &coefficients);
}

// A call that may fail for want of memory, and then, where nothing fails any more, does it.
static void run_twice(struct wp_transform *t, const struct way *way, bool inverse, const float *in,
                      float *out)
{
    failing_heap_start();
    if (run(t, way, inverse, in, out))
        return;
    failing_heap_expect_short();
    failing_heap_from(0, false);
    assert_true(run(t, way, inverse, in, out));
}

// False where there was no transform.
static bool go_through(const void *user, void *result)
{
    const struct way *way = user;
    struct results *r = result;
    static float image[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        image[i] = (float)(i * 7919 % 1000) / 999;
    *r = (struct results){0};
    failing_heap_start();
    struct wp_transform *t = create(way);
    if (!t)
        return false;
    run_twice(t, way, false, image, r->there);
    run_twice(t, way, true, r->there, r->back);
    wp_transform_rest(t);
    run_twice(t, way, false, image, r->again);
    wp_transform_destroy(&t);
    return true;
}

static void try_ways(const struct way *ways, int alike)
{
    for (; ways->backend; ways++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", ways->backend, ways->variant ? ways->variant : "");
        // Where each allocation compiles shaders first.
        if (alike == 1 && !sample_has_name(name))
            continue;
        const struct failing_heap_operation walk = {name, go_through, ways, sizeof(struct results)};
        failing_heap_try(&walk, false, alike);
        failing_heap_try(&walk, true, alike);
    }
}

static void test_cpu(void **state)
{
    (void)state;
    const struct way ways[] = {
        {.backend = "cpu"},
        {.backend = "cpu", .wavelet = "d4", .border = "periodic", .layout = "mixed"},
        {.backend = "cpu", .data = true, .bands = true, .planes = PLANES},
        {.backend = "cpu", .pixels = true, .planes = PLANES},
        {.backend = "cpu", .variant = "smdwt", .wavelet = "cdf53"},
        {.backend = "cpu", .variant = "conv-row-column", .wavelet = "haar"},
        {.backend = "cpu", .depth = DEPTH},
        {0},
    };
    try_ways(ways, 30);
}

static void test_reference(void **state)
{
    (void)state;
    const struct way ways[] = {
        {.backend = "reference"},
        {.backend = "reference", .wavelet = "d4", .border = "periodic", .layout = "mixed"},
        {.backend = "reference", .data = true, .bands = true, .planes = PLANES},
        {.backend = "reference", .pixels = true, .planes = PLANES},
        {.backend = "reference", .scheme = "sep-lifting", .wavelet = "haar"},
        {.backend = "reference", .depth = DEPTH},
        {0},
    };
    try_ways(ways, 30);
}

// Skipped where there is no such backend.
static void need(const char *backend)
{
    const struct way way = {.backend = backend};
    failing_heap_start();
    struct wp_transform *t = create(&way);
    if (!t) {
        printf("%s\n", wp_last_error_text());
        skip();
    }
    wp_transform_destroy(&t);
}

static void test_fragment(void **state)
{
    (void)state;
    const struct way ways[] = {
        {.backend = "fragment", .wavelet = "haar", .scheme = "sep-lifting"},
        {.backend = "fragment", .data = true, .bands = true, .planes = PLANES, .precision = "f16"},
        {.backend = "fragment", .variant = "tile-2x2", .wavelet = "haar", .layout = "mixed"},
        {0},
    };
    need("fragment");
    try_ways(ways, 1);
}

static void test_compute(void **state)
{
    (void)state;
    const struct way ways[] = {
        {.backend = "compute", .wavelet = "haar", .scheme = "sep-lifting"},
        {0},
    };
    need("compute");
    try_ways(ways, 1);
}

struct stream_way {
    const char *name, *wavelet, *border;
    bool inverse, reversible;
};

// Floats that have come out, one behind the other.
struct stream_result {
    int count;
    float out[SAMPLES];
};

static bool take_row(void *user, int band, int plane, int row, const float *samples)
{
    struct stream_result *r = user;
    (void)row;
    r->out[r->count++] = samples[0] + (float)(band + plane);
    return true;
}

static bool give_row(void *user, int band, int plane, int row, float *samples)
{
    (void)user;
    samples[0] = (float)(band + plane + row);
    return true;
}

static struct wp_transform_params params_of(const struct stream_way *way)
{
    return (struct wp_transform_params)WP_TRANSFORM_PARAMS(
            .width = WIDTH, .height = HEIGHT, .planes = PLANES, .levels = 2,
            .wavelet = way->wavelet, .border = way->border, .reversible = way->reversible);
}

// What a stream has is what it said.
static bool go_by(const void *user, void *result)
{
    const struct stream_way *way = user;
    const struct wp_transform_params params = params_of(way);
    struct stream_result *r = result;
    static float image[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        image[i] = (float)(i * 7919 % 1000);
    *r = (struct stream_result){0};
    failing_heap_start();
    size_t stated;
    if (!wp_stream_memory(&params, way->inverse, &stated))
        return false;
    const size_t before = failing_heap_bytes();
    struct wp_stream *s = way->inverse ? wp_stream_create_inverse(&params, give_row, r)
                                       : wp_stream_create_forward(&params, take_row, r);
    if (!s)
        return false;
    assert_int_equal(failing_heap_bytes() - before, stated);
    assert_int_equal(wp_stream_get_info(s)->memory, stated);
    const struct wp_view view = {.data = way->inverse ? r->out : image};
    assert_true((way->inverse ? wp_stream_pull : wp_stream_push)(s, &view, HEIGHT));
    assert_int_equal(failing_heap_bytes() - before, stated);
    wp_stream_destroy(&s);
    assert_int_equal(failing_heap_bytes(), before);
    return true;
}

// No row takes memory.
static void test_rows(void **state)
{
    (void)state;
    static struct stream_result r;
    const struct stream_way way = {.inverse = true};
    const struct wp_transform_params params = params_of(&way);
    const struct wp_view view = {.data = r.out};
    struct wp_stream *in = wp_stream_create_forward(&params, take_row, &r);
    struct wp_stream *out = wp_stream_create_inverse(&params, give_row, &r);
    assert_true(in && out);
    failing_heap_from(1, true);
    assert_true(wp_stream_push(in, &view, HEIGHT) && wp_stream_pull(out, &view, HEIGHT));
    wp_stream_rewind(in);
    wp_stream_rewind(out);
    assert_true(wp_stream_push(in, &view, 1) && wp_stream_pull(out, &view, 1));
    failing_heap_from(0, false);
    wp_stream_destroy(&in);
    wp_stream_destroy(&out);
}

static void test_streams(void **state)
{
    (void)state;
    const struct stream_way ways[] = {
        {.name = "a stream"},
        {.name = "a stream back, periodic", .wavelet = "d4", .border = "periodic",
         .inverse = true},
        {.name = "a stream of integers", .wavelet = "dd137", .reversible = true},
        {0},
    };
    for (const struct stream_way *way = ways; way->name; way++) {
        const struct failing_heap_operation walk = {way->name, go_by, way,
                                                    sizeof(struct stream_result)};
        failing_heap_try(&walk, false, 30);
        failing_heap_try(&walk, true, 30);
    }
}

int main(void)
{
    wp_log_set_handler(failing_heap_message, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_fragment),
        cmocka_unit_test(test_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
