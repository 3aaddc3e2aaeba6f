// Exhausted memory: whichever allocation of libwavepass fails, the call fails with a message and
// leaks nothing, and the next call succeeds.
#include "failing_heap.h"
#include "sample.h"
#include "wavepass_denoise.h"
#include "wavepass_packets.h"
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

struct config {
    const char *backend, *variant, *wavelet, *scheme, *layout, *border, *precision, *bank, *tree;
    bool data;   // pass the wavelet as wp_wavelet_data
    bool bands;  // one array per subband
    bool pixels; // the image has 16-bit integers, in the memory of the floats
    int planes;
    int depth; // DEPTH: a volume, with one plane
};

// Results of a forward and an inverse transform, and of a forward transform after
// wp_transform_rest().
struct results {
    float forward[SAMPLES], inverse[SAMPLES], repeated[SAMPLES];
};

static struct wp_transform *create(const struct config *config)
{
    static const double predict[] = {-0.5, -0.5}, update[] = {0.25, 0.25};
    static const struct wp_step_data step[] = {{0, 2, predict}, {-1, 2, update}};
    static const struct wp_wavelet_data data = {.steps = 2, .step = step};
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = WIDTH, .height = HEIGHT, .depth = config->depth, .planes = config->planes,
            .levels = 2,
            .wavelet = config->wavelet, .scheme = config->scheme, .layout = config->layout,
            .border = config->border, .bank = config->bank, .tree = config->tree,
            .precision = config->precision, .backend = config->backend,
            .variant = config->variant, .threads = 2, .wavelet_data = config->data ? &data : NULL);
    return wp_transform_create(&params);
}

// With config->bands, each plane has its subbands one after the other.
static bool run(struct wp_transform *t, const struct config *config, bool inverse, const float *in,
                float *out)
{
    struct wp_operand coefficients = {.data = inverse ? (float *)(uintptr_t)in : out};
    const struct wp_operand image = {.data = inverse ? out : (float *)(uintptr_t)in};
    struct wp_operand band[BANDS_MAX];
    float *at = coefficients.data;
    if (config->bands) {
        coefficients.band = band;
        coefficients.bands = wp_transform_band_count(t);
    }
    for (int b = 0; b < coefficients.bands; b++) {
        struct wp_band_info info;
        assert_true(wp_transform_get_band(t, b, &info));
        band[b] = (struct wp_operand){.data = at, .stride[WP_PLANE] = WIDTH * HEIGHT};
        at += info.width * info.height;
    }
    const struct wp_operand pixels = {.data = image.data, .type = WP_ELEMENT_U16};
    if (config->pixels)
        return inverse ? wp_transform_inverse(t, &coefficients, &pixels)
                       : wp_transform_forward(t, &pixels, &coefficients);
    return inverse ? wp_transform_inverse(t, &coefficients, &image)
                   : wp_transform_forward(t, &image, &coefficients);
}

// Runs a call that may fail for lack of memory, and if it did, repeats it without failures.
static void run_twice(struct wp_transform *t, const struct config *config, bool inverse,
                      const float *in, float *out)
{
    failing_heap_start();
    if (run(t, config, inverse, in, out))
        return;
    failing_heap_expect_short();
    failing_heap_from(0, false);
    assert_true(run(t, config, inverse, in, out));
}

// False if the transform could not be created.
static bool run_round_trip(const void *user, void *result)
{
    const struct config *config = user;
    struct results *r = result;
    static float image[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        image[i] = (float)(i * 7919 % 1000) / 999;
    *r = (struct results){0};
    failing_heap_start();
    struct wp_transform *t = create(config);
    if (!t)
        return false;
    run_twice(t, config, false, image, r->forward);
    run_twice(t, config, true, r->forward, r->inverse);
    wp_transform_rest(t);
    run_twice(t, config, false, image, r->repeated);
    wp_transform_destroy(&t);
    return true;
}

static void try_configs(const struct config *configs, int alike)
{
    for (; configs->backend; configs++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", configs->backend,
                 configs->variant ? configs->variant : "");
        // Sampled if every allocation is preceded by compiling shaders.
        if (alike == 1 && !sample_has_name(name))
            continue;
        const struct failing_heap_operation operation = {name, run_round_trip, configs,
                                                         sizeof(struct results)};
        failing_heap_try(&operation, false, alike);
        failing_heap_try(&operation, true, alike);
    }
}

static void test_cpu(void **state)
{
    (void)state;
    const struct config configs[] = {
        {.backend = "cpu"},
        {.backend = "cpu", .wavelet = "d4", .border = "periodic", .layout = "mixed"},
        {.backend = "cpu", .data = true, .bands = true, .planes = PLANES},
        {.backend = "cpu", .pixels = true, .planes = PLANES},
        {.backend = "cpu", .variant = "smdwt", .wavelet = "cdf53"},
        {.backend = "cpu", .variant = "conv-row-column", .wavelet = "haar"},
        {.backend = "cpu", .depth = DEPTH},
        {.backend = "cpu", .wavelet = "haar", .border = "pywt-zero", .planes = PLANES},
        {.backend = "cpu", .bank = "packets", .planes = PLANES},
        {.backend = "cpu", .bank = "packets", .tree = "10010"},
        {0},
    };
    try_configs(configs, 30);
}

static void test_reference(void **state)
{
    (void)state;
    const struct config configs[] = {
        {.backend = "reference"},
        {.backend = "reference", .wavelet = "d4", .border = "periodic", .layout = "mixed"},
        {.backend = "reference", .data = true, .bands = true, .planes = PLANES},
        {.backend = "reference", .pixels = true, .planes = PLANES},
        {.backend = "reference", .scheme = "sep-lifting", .wavelet = "haar"},
        {.backend = "reference", .depth = DEPTH},
        {0},
    };
    try_configs(configs, 30);
}

// Skips the test if the backend is not available.
static void require_backend(const char *backend)
{
    const struct config config = {.backend = backend};
    failing_heap_start();
    struct wp_transform *t = create(&config);
    if (!t) {
        printf("%s\n", wp_last_error_text());
        skip();
    }
    wp_transform_destroy(&t);
}

static void test_fragment(void **state)
{
    (void)state;
    const struct config configs[] = {
        {.backend = "fragment", .wavelet = "haar", .scheme = "sep-lifting"},
        {.backend = "fragment", .data = true, .bands = true, .planes = PLANES, .precision = "f16"},
        {.backend = "fragment", .variant = "tile-2x2", .wavelet = "haar", .layout = "mixed"},
        {0},
    };
    require_backend("fragment");
    try_configs(configs, 1);
}

static void test_compute(void **state)
{
    (void)state;
    const struct config configs[] = {
        {.backend = "compute", .wavelet = "haar", .scheme = "sep-lifting"},
        {0},
    };
    require_backend("compute");
    try_configs(configs, 1);
}

struct denoise_config {
    const char *name, *method, *border, *color, *bank;
    int planes, shifts;
};

static bool run_denoise(const void *user, void *result)
{
    const struct denoise_config *config = user;
    static float image[3 * WIDTH * HEIGHT];
    const struct wp_transform_params size =
        WP_TRANSFORM_PARAMS(.width = WIDTH, .height = HEIGHT, .planes = config->planes, .levels = 2,
                            .border = config->border, .bank = config->bank, .threads = 2);
    const struct wp_denoise_params params =
        WP_DENOISE_PARAMS(.transform = &size, .method = config->method, .color = config->color,
                          .shifts = config->shifts);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        image[i] = (float)(i * 7919 % 1000) / 1000;
    memset(result, 0, sizeof image);
    failing_heap_start();
    struct wp_denoiser *d = wp_denoise_create(&params);
    const bool ok = d && wp_denoise_run(d, WP_ARRAY(image), WP_ARRAY(result));
    wp_denoise_destroy(&d);
    return ok;
}

static void test_denoise(void **state)
{
    (void)state;
    const struct denoise_config configs[] = {
        {"denoising", "bayes", NULL, NULL, NULL, 2, 1},
        {"denoising, shifts", "sure", NULL, NULL, NULL, 2, 3},
        {"denoising, a border and colors", "visu", "pywt-zero", "ycbcr", NULL, 3, 2},
        {"denoising, packets", "bayes", NULL, NULL, "packets", 1, 1},
        {0},
    };
    for (const struct denoise_config *config = configs; config->name; config++) {
        const struct failing_heap_operation operation = {config->name, run_denoise, config,
                                                         3 * WIDTH * HEIGHT * sizeof(float)};
        failing_heap_try(&operation, false, 30);
        failing_heap_try(&operation, true, 30);
    }
}

enum { LARGE = 725, LARGE_SAMPLES = LARGE * LARGE }; // denoised by blocks

static bool run_blocks(const void *user, void *result)
{
    static float image[LARGE_SAMPLES];
    const struct wp_transform_params size =
        WP_TRANSFORM_PARAMS(.width = LARGE, .height = LARGE, .levels = 9, .threads = 2);
    const struct wp_denoise_params params =
        WP_DENOISE_PARAMS(.transform = &size, .shifts = *(const int *)user);
    for (int i = 0; i < LARGE_SAMPLES; i++)
        image[i] = (float)(i * 7919LL % 1000) / 1000;
    memset(result, 0, sizeof image);
    failing_heap_start();
    return wp_denoise(&params, WP_ARRAY(image), WP_ARRAY(result));
}

static void test_denoise_blocks(void **state)
{
    (void)state;
    for (int shifts = 1; shifts < 3; shifts++) {
        const struct failing_heap_operation operation = {"denoising by blocks", run_blocks, &shifts,
                                                         LARGE_SAMPLES * sizeof(float)};
        failing_heap_try(&operation, false, 30);
        failing_heap_try(&operation, true, 30);
    }
}

static bool run_best_tree(const void *user, void *result)
{
    static float image[WIDTH * HEIGHT];
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = WIDTH, .height = HEIGHT, .levels = 2, .bank = "packets", .backend = "cpu", .threads = 2);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i] = (float)(i * 7919 % 1000) / 1000;
    memset(result, 0, WP_TREE_SIZE);
    failing_heap_start();
    return wp_packets_best(&params, WP_ARRAY(image), user, result);
}

static double sum_of(void *user, const double *coefficient, size_t count)
{
    double sum = 0;
    (void)user;
    for (size_t i = 0; i < count; i++)
        sum += coefficient[i] < 0 ? -coefficient[i] : coefficient[i];
    return sum;
}

static void test_best_tree(void **state)
{
    (void)state;
    const struct wp_packet_cost costs[] = {{.name = "shannon"}, {.function = sum_of}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        const struct failing_heap_operation operation = {"the best tree", run_best_tree, &costs[i],
                                                         WP_TREE_SIZE};
        failing_heap_try(&operation, false, 30);
        failing_heap_try(&operation, true, 30);
    }
}

struct stream_config {
    const char *name, *wavelet, *border;
    bool inverse, reversible;
};

// All rows that a stream returned, one after the other.
struct stream_result {
    int count;
    float out[SAMPLES];
};

static bool store_row(void *user, int band, int plane, int row, const float *samples)
{
    struct stream_result *r = user;
    (void)row;
    r->out[r->count++] = samples[0] + (float)(band + plane);
    return true;
}

static bool make_row(void *user, int band, int plane, int row, float *samples)
{
    (void)user;
    samples[0] = (float)(band + plane + row);
    return true;
}

static struct wp_transform_params params_of(const struct stream_config *config)
{
    return (struct wp_transform_params)WP_TRANSFORM_PARAMS(
            .width = WIDTH, .height = HEIGHT, .planes = PLANES, .levels = 2,
            .wavelet = config->wavelet, .border = config->border, .reversible = config->reversible);
}

// A stream allocates exactly the memory that it states.
static bool run_stream(const void *user, void *result)
{
    const struct stream_config *config = user;
    const struct wp_transform_params params = params_of(config);
    struct stream_result *r = result;
    static float image[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        image[i] = (float)(i * 7919 % 1000);
    *r = (struct stream_result){0};
    failing_heap_start();
    size_t stated;
    if (!wp_stream_memory(&params, config->inverse, &stated))
        return false;
    const size_t before = failing_heap_bytes();
    struct wp_stream *s = config->inverse ? wp_stream_create_inverse(&params, make_row, r)
                                       : wp_stream_create_forward(&params, store_row, r);
    if (!s)
        return false;
    assert_int_equal(failing_heap_bytes() - before, stated);
    assert_int_equal(wp_stream_get_info(s)->memory, stated);
    const struct wp_operand view = {.data = config->inverse ? r->out : image};
    assert_true((config->inverse ? wp_stream_pull : wp_stream_push)(s, &view, HEIGHT));
    assert_int_equal(failing_heap_bytes() - before, stated);
    wp_stream_destroy(&s);
    assert_int_equal(failing_heap_bytes(), before);
    return true;
}

// Processing rows allocates no memory.
static void test_rows(void **state)
{
    (void)state;
    static struct stream_result r;
    const struct stream_config config = {.inverse = true};
    const struct wp_transform_params params = params_of(&config);
    const struct wp_operand view = {.data = r.out};
    struct wp_stream *in = wp_stream_create_forward(&params, store_row, &r);
    struct wp_stream *out = wp_stream_create_inverse(&params, make_row, &r);
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
    const struct stream_config configs[] = {
        {.name = "a stream"},
        {.name = "an inverse stream, periodic", .wavelet = "d4", .border = "periodic",
         .inverse = true},
        {.name = "a stream of integers", .wavelet = "dd137", .reversible = true},
        {0},
    };
    for (const struct stream_config *config = configs; config->name; config++) {
        const struct failing_heap_operation operation = {config->name, run_stream, config,
                                                         sizeof(struct stream_result)};
        failing_heap_try(&operation, false, 30);
        failing_heap_try(&operation, true, 30);
    }
}

int main(void)
{
    wp_log_set_handler(failing_heap_message, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_denoise), cmocka_unit_test(test_denoise_blocks),
        cmocka_unit_test(test_best_tree),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_fragment),
        cmocka_unit_test(test_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
