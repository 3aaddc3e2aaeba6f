// The borders of PyWavelets: maps along axes against the definition of each rule, transposes, sizes,
// and transforms on every backend against filters applied to the extended signal. The oracle
// convolves as PyWavelets does and knows nothing of periodic transforms, maps and lifting.
// scripts/borders.py compares with PyWavelets itself.
#include "axis_map.h"
#include "log.h"
#include "transform_struct.h"
#include "wavepass.h"
#include "wavepass_query.h"
#include "wavelet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LONGEST = 320, LEVELS = 4, TAPS = 64 };

static uint32_t seed = 1;

static double noise(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

// ---- The oracle.

// Sample i of the extended signal: one reflection, or one period, at a time.
static double extended(enum wp_border border, const double *x, int n, int i)
{
    if (i >= 0 && i < n)
        return x[i];
    const int last = n - 1;
    switch (border) {
    case WP_BORDER_PYWT_CONSTANT:
    case WP_BORDER_PYWT_PERIODIZATION: return x[i < 0 ? 0 : last];
    case WP_BORDER_PYWT_SYMMETRIC: return extended(border, x, n, i < 0 ? -1 - i : 2 * n - 1 - i);
    case WP_BORDER_PYWT_ANTISYMMETRIC:
        return -extended(border, x, n, i < 0 ? -1 - i : 2 * n - 1 - i);
    case WP_BORDER_PYWT_REFLECT:
        return n == 1 ? x[0] : extended(border, x, n, i < 0 ? -i : 2 * last - i);
    case WP_BORDER_PYWT_ANTIREFLECT:
        return n == 1 ? x[0]
                      : 2 * x[i < 0 ? 0 : last] -
                            extended(border, x, n, i < 0 ? -i : 2 * last - i);
    case WP_BORDER_PYWT_PERIODIC: return extended(border, x, n, i < 0 ? i + n : i - n);
    case WP_BORDER_PYWT_SMOOTH:
        if (n == 1)
            return x[0];
        return i < 0 ? x[0] + i * (x[1] - x[0]) : x[last] + (i - last) * (x[last] - x[last - 1]);
    default: return 0;
    }
}

struct filters {
    int taps;               // F
    double low[TAPS], high[TAPS]; // tap j of coefficient k reads x[2k + 1 - j]
};

static struct filters filters_of(const char *name)
{
    struct filters f = {0};
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    f.taps = wavelet.window;
    assert_true(f.taps >= 2 && f.taps <= TAPS);
    for (int high = 0; high < 2; high++) {
        int first;
        double tap[TAPS];
        const int count = wp_query_filter(
            name, "pywt", high ? WP_QUERY_ANALYSIS_HIGH : WP_QUERY_ANALYSIS_LOW, &first, tap, TAPS);
        assert_true(count > 0 && count <= f.taps);
        // Sample 2n + F/2 is tap 0.
        for (int i = 0; i < count; i++) {
            const int j = f.taps / 2 - (first + i + high);
            assert_true(j >= 0 && j < f.taps);
            (high ? f.high : f.low)[j] = tap[i];
        }
    }
    return f;
}

static int bands_of(enum wp_border border, int n, int taps)
{
    return border == WP_BORDER_PYWT_PERIODIZATION ? (n + 1) / 2 : (n + taps - 1) / 2;
}

static double coefficient(const struct filters *f, enum wp_border border, const double *x, int n,
                          int k, bool high)
{
    const bool periodic = border == WP_BORDER_PYWT_PERIODIZATION;
    const int even = n + n % 2;
    double sum = 0;
    for (int j = 0; j < f->taps; j++) {
        int i = 2 * k + (periodic ? f->taps / 2 : 1) - j;
        if (periodic)
            i = (i % even + even) % even;
        sum += (high ? f->high : f->low)[j] * extended(border, x, n, i);
    }
    return sum;
}

// ---- Transforms of a signal.

static struct wp_transform *create(const struct wp_transform_params *params)
{
    struct wp_transform *t = wp_transform_create(params);
    if (!t)
        fail_msg("%s", wp_last_error_text());
    return t;
}

// Operands of doubles, or of copies in floats.
static void run(struct wp_transform *t, bool inverse, bool wide, double *from, size_t count,
                double *to, size_t to_count)
{
    float *floats = calloc(count + to_count, sizeof *floats), *out = floats + count;
    assert_non_null(floats);
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)from[i];
    const enum wp_element type = wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32;
    const struct wp_operand source = {.data = wide ? (void *)from : floats, .type = type};
    const struct wp_operand target = {.data = wide ? (void *)to : out, .type = type};
    assert_true((inverse ? wp_transform_inverse : wp_transform_forward)(t, &source, &target));
    for (size_t i = 0; i < to_count && !wide; i++)
        to[i] = (double)out[i];
    free(floats);
}

static float *floats(size_t count)
{
    float *array = malloc(count * sizeof *array);
    assert_non_null(array);
    for (size_t i = 0; i < count; i++)
        array[i] = NAN;
    return array;
}

static size_t extent_of(const struct wp_transform *t)
{
    int size[WP_DIMENSIONS];
    wp_operand_extents(wp_transform_description(t), true, size);
    return (size_t)size[WP_X] * (size_t)size[WP_Y] * (size_t)size[WP_Z];
}

// Errors of doubles are at most 2^-29 times those of floats, except that the filters of the oracle
// have errors, too.
static void check_signal(const char *backend, const char *wavelet, const struct filters *f,
                         enum wp_border border, int n, int levels, bool wide)
{
    const double unit = wide ? 0x1p-27 : 1;
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = n, .height = 1, .wavelet = wavelet, .border = wp_border_names[border],
            .norm = "pywt", .backend = backend, .levels = levels);
    static double low[LONGEST], next[LONGEST], samples[LONGEST], restored[LONGEST];
    struct wp_transform *t = create(&params);
    const size_t count = extent_of(t);
    double *coefficients = calloc(count, sizeof *coefficients);
    assert_non_null(coefficients);
    for (int i = 0; i < n; i++)
        low[i] = samples[i] = noise();
    run(t, false, wide, samples, (size_t)n, coefficients, count);
    double largest = 1, error = 0;
    for (int level = 1, m = n; level <= levels; level++) {
        const int b = bands_of(border, m, f->taps);
        for (int high = level < levels; high < 2; high++) {
            struct wp_band_info info;
            const int index = high ? 1 + 3 * (levels - level) : 0;
            assert_true(wp_transform_get_band(t, index, &info));
            assert_int_equal(info.width, b);
            assert_int_equal(info.level, level);
            for (int k = 0; k < b; k++) {
                const double exact = coefficient(f, border, low, m, k, high);
                largest = fmax(largest, fabs(exact));
                error = fmax(error, fabs(exact - coefficients[info.offset + k]));
                if (!(fabs(exact - coefficients[info.offset + k]) <= 1e-4 * unit * largest))
                    fail_msg("%s %s %s: %d samples, level %d, band %d, coefficient %d is %g, not %g",
                             backend, wavelet, wp_border_names[border], n, level, high, k,
                             coefficients[info.offset + k], exact);
            }
        }
        for (int k = 0; k < b; k++)
            next[k] = coefficient(f, border, low, m, k, false);
        memcpy(low, next, sizeof low);
        m = b;
    }
    const double bound = levels * unit * (border == WP_BORDER_PYWT_SMOOTH ? 1e-5 : 1e-6);
    if (!(error <= bound * largest))
        fail_msg("%s %s %s%s: %d samples, %d levels: error %g of %g", backend, wavelet,
                 wp_border_names[border], wide ? " in f64" : "", n, levels, error, largest);
    run(t, true, wide, coefficients, count, restored, (size_t)n);
    for (int i = 0; i < n; i++)
        assert_true(fabs(restored[i] - samples[i]) <= 2e-6 * unit * largest);
    free(coefficients);
    wp_transform_destroy(&t);
}

static void check_signals(const char *backend, bool brief, bool wide)
{
    static const char *const wavelets[] = {"haar", "db2", "sym4", "cdf53", "cdf97", "bior3.1",
                                           "rbio1.3", "cdf62", "d4"};
    for (size_t w = 0; w < sizeof wavelets / sizeof *wavelets; w++) {
        const struct filters f = filters_of(wavelets[w]);
        for (int b = WP_BORDER_NATIVE; b < WP_BORDER_COUNT; b++) {
            for (int n = 1; n <= (brief ? 9 : 40); n += brief ? 4 : 1)
                check_signal(backend, wavelets[w], &f, (enum wp_border)b, n, 1 + n % LEVELS,
                             wide);
            check_signal(backend, wavelets[w], &f, (enum wp_border)b, 257, 3, wide);
        }
    }
}

static void test_reference(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++)
        check_signals("reference", false, wide);
}

static void test_cpu(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++)
        check_signals("cpu", false, wide);
}

// Skips a backend that is not available.
static void check_gl(const char *backend)
{
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = 8, .height = 8, .backend = backend);
    wp_begin_attempt();
    struct wp_transform *t = wp_transform_create(&params);
    wp_end_attempt();
    if (!t)
        skip();
    wp_transform_destroy(&t);
    check_signals(backend, true, false);
}

static void test_fragment(void **state)
{
    (void)state;
    check_gl("fragment");
}

// ---- Maps.

static void apply(const struct wp_axis_map *map, const double *from, double *to)
{
    for (int row = 0; row < map->to; row++) {
        const struct wp_axis_entry *entry;
        struct wp_axis_entry one;
        const int entries = wp_axis_map_row(map, row, &entry, &one);
        to[row] = 0;
        for (int e = 0; e < entries; e++) {
            assert_true(entry[e].from >= 0 && entry[e].from < map->from);
            to[row] += entry[e].weight * from[entry[e].from];
        }
    }
}

static void check_transpose(const struct wp_axis_map *map)
{
    double x[LONGEST], y[LONGEST], ax[LONGEST], aty[LONGEST], left = 0, right = 0;
    struct wp_axis_map transpose;
    assert_true(wp_axis_map_transpose(&transpose, map));
    assert_int_equal(transpose.from, map->to);
    assert_int_equal(transpose.to, map->from);
    for (int i = 0; i < map->from; i++)
        x[i] = noise();
    for (int i = 0; i < map->to; i++)
        y[i] = noise();
    apply(map, x, ax);
    apply(&transpose, y, aty);
    for (int i = 0; i < map->to; i++)
        left += ax[i] * y[i];
    for (int i = 0; i < map->from; i++)
        right += x[i] * aty[i];
    assert_true(fabs(left - right) <= 1e-12 * (1 + fabs(left)) * map->to);
    wp_axis_map_free(&transpose);
}

static void test_maps(void **state)
{
    (void)state;
    static const int lengths[] = {1, 2, 3, 5, 8, 33, 100};
    double x[LONGEST], y[LONGEST];
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const int n = lengths[l];
        for (int i = 0; i < n; i++)
            x[i] = noise();
        for (int b = WP_BORDER_NATIVE; b < WP_BORDER_COUNT; b++) {
            for (int shift = -40; shift <= 3; shift += 43) {
                const int length = n - 2 * shift + 10 > 0 ? n - 2 * shift + 10 : 1;
                struct wp_axis_map map;
                assert_true(wp_axis_map_extend(&map, (enum wp_border)b, n, shift, length));
                apply(&map, x, y);
                for (int i = 0; i < length; i++)
                    assert_true(fabs(y[i] - extended((enum wp_border)b, x, n, i + shift)) < 1e-11);
                check_transpose(&map);
                wp_axis_map_free(&map);
            }
        }
        for (int shift = -4; shift <= 4; shift++) {
            struct wp_axis_map map;
            assert_true(wp_axis_map_shift(&map, n, shift, 7));
            apply(&map, x, y);
            for (int i = 0; i < 7; i++)
                assert_true(y[i] == (i + shift >= 0 && i + shift < n ? x[i + shift] : 0));
            check_transpose(&map);
            wp_axis_map_free(&map);
        }
    }
}

// ---- Arrays.

// The sizes, no two bands overlap, and only bands are written: an image and a volume.
static void test_bands(void **state)
{
    (void)state;
    for (int depth = 1; depth <= 5; depth += 4) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
                .width = 13, .height = 6, .depth = depth, .wavelet = "db3", .levels = 2,
                .border = "pywt-smooth", .backend = "cpu");
        struct wp_transform *t = create(&params);
        float samples[13 * 6 * 5], *coefficients = floats(extent_of(t));
        char *used = calloc(extent_of(t), 1);
        assert_non_null(used);
        for (int i = 0; i < 13 * 6 * 5; i++)
            samples[i] = (float)noise();
        assert_true(wp_transform_forward(t, WP_ARRAY(samples), WP_ARRAY(coefficients)));
        for (int b = 0; b < wp_transform_band_count(t); b++) {
            struct wp_band_info info;
            assert_true(wp_transform_get_band(t, b, &info));
            assert_int_equal(info.width, info.level == 1 ? 9 : 7);
            assert_int_equal(info.height, 5);
            assert_int_equal(info.depth, depth == 1 ? 1 : 5);
            for (int i = 0; i < info.width * info.height * info.depth; i++) {
                const int x = i % info.width, y = i / info.width % info.height;
                const ptrdiff_t at = info.offset + x * info.stride[0] + y * info.stride[1] +
                                     i / info.width / info.height * info.stride[2];
                assert_true(at >= 0 && (size_t)at < extent_of(t) && !used[at]);
                used[at] = 1;
            }
        }
        for (size_t i = 0; i < extent_of(t); i++)
            assert_int_equal(used[i], !isnan(coefficients[i]));
        free(used);
        free(coefficients);
        wp_transform_destroy(&t);
    }
}

// Strides, interleaved planes, a view per band, integers, halves, and output over the input give
// the result of arrays of floats.
static void test_operands(void **state)
{
    (void)state;
    enum { W = 21, H = 10, PLANES = 3, SAMPLES = W * H * PLANES };
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = W, .height = H, .planes = PLANES, .wavelet = "bior2.2", .levels = 2,
            .border = "pywt-antireflect", .backend = "cpu");
    struct wp_transform *t = create(&params);
    const size_t plane = extent_of(t);
    float samples[SAMPLES], interleaved[SAMPLES], restored[SAMPLES];
    uint8_t pixels[SAMPLES], again[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        pixels[i] = (uint8_t)(127 + 100 * noise());
        samples[i] = (float)pixels[i] / 255;
        interleaved[i % (W * H) * PLANES + i / (W * H)] = samples[i];
    }
    float *expected = floats(plane * PLANES), *got = floats(plane * PLANES);
    assert_true(wp_transform_forward(t, WP_ARRAY(samples), WP_ARRAY(expected)));
    const struct wp_operand strided = {.data = interleaved,
                                       .stride = {PLANES, PLANES * W, PLANES * W * H, 1}};
    assert_true(wp_transform_forward(t, &strided, WP_ARRAY(got)));
    assert_memory_equal(got, expected, plane * PLANES * sizeof *got);
    const struct wp_operand integers = {.data = pixels, .type = WP_ELEMENT_U8};
    assert_true(wp_transform_forward(t, &integers, WP_ARRAY(got)));
    assert_memory_equal(got, expected, plane * PLANES * sizeof *got);
    assert_true(wp_transform_inverse(t, WP_ARRAY(expected),
                                     &(struct wp_operand){.data = again, .type = WP_ELEMENT_U8}));
    assert_memory_equal(again, pixels, sizeof pixels);
    // Views of bands, in another order of memory.
    struct wp_operand bands[7] = {0};
    float *memory[7];
    for (int b = 0; b < 7; b++) {
        struct wp_band_info info;
        assert_true(wp_transform_get_band(t, b, &info));
        bands[b].data = memory[b] = floats((size_t)info.width * (size_t)info.height * PLANES);
        bands[b].stride[0] = info.height;
        bands[b].stride[1] = 1;
        bands[b].stride[WP_PLANE] = (ptrdiff_t)info.width * info.height;
    }
    const struct wp_operand views = {.band = bands, .bands = 7};
    assert_true(wp_transform_forward(t, WP_ARRAY(samples), &views));
    for (int b = 0; b < 7; b++) {
        struct wp_band_info info;
        assert_true(wp_transform_get_band(t, b, &info));
        for (int p = 0; p < PLANES; p++)
            for (int y = 0; y < info.height; y++)
                for (int x = 0; x < info.width; x++)
                    assert_true(memory[b][(p * info.width + x) * info.height + y] ==
                                expected[(size_t)p * plane + (size_t)(info.offset + x +
                                                                      y * info.stride[1])]);
    }
    assert_true(wp_transform_inverse(t, &views, WP_ARRAY(restored)));
    for (int i = 0; i < SAMPLES; i++)
        assert_true(fabs((double)(restored[i] - samples[i])) < 1e-5);
    for (int b = 0; b < 7; b++)
        free(memory[b]);
    // Halves are the rounded floats.
    uint16_t *halves = malloc(plane * PLANES * sizeof *halves);
    assert_non_null(halves);
    const struct wp_operand half = {.data = halves, .type = WP_ELEMENT_F16};
    assert_true(wp_transform_forward(t, WP_ARRAY(samples), &half));
    assert_true(wp_transform_inverse(t, &half, WP_ARRAY(restored)));
    for (int i = 0; i < SAMPLES; i++)
        assert_true(fabs((double)(restored[i] - samples[i])) < 1e-2);
    free(halves);
    wp_transform_destroy(&t);
    // In place: the first plane.
    params.planes = 1;
    t = create(&params);
    memcpy(got, samples, W * H * sizeof *got);
    assert_true(wp_transform_forward(t, WP_ARRAY(got), WP_ARRAY(got)));
    struct wp_band_info info;
    assert_true(wp_transform_get_band(t, 3, &info));
    for (int x = 0; x < info.width; x++)
        assert_true(got[info.offset + x] == expected[info.offset + x]);
    assert_true(wp_transform_inverse(t, WP_ARRAY(got), WP_ARRAY(got)));
    for (int i = 0; i < W * H; i++)
        assert_true(fabs((double)(got[i] - samples[i])) < 1e-5);
    free(expected);
    free(got);
    wp_transform_destroy(&t);
}

// Planes that the backend transforms together give the result of each plane: small images in
// groups, and large ones row by row.
static void check_batch(int side, int planes)
{
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = side, .height = side - 1, .planes = planes, .wavelet = "haar", .levels = 1,
            .border = "pywt-periodization", .backend = "cpu");
    struct wp_transform *t = create(&params);
    const char *plan = wp_transform_describe(t, false, NULL, NULL);
    if (!strstr(plan, "planes as slices: "))
        fail_msg("%s", plan);
    const size_t image = (size_t)side * (size_t)(side - 1), plane = extent_of(t);
    const size_t count = (size_t)planes;
    float *samples = malloc(count * image * sizeof *samples), *got = floats(count * plane);
    assert_non_null(samples);
    for (size_t i = 0; i < count * image; i++)
        samples[i] = (float)noise();
    assert_true(wp_transform_forward(t, WP_ARRAY(samples), WP_ARRAY(got)));
    wp_transform_destroy(&t);
    params.planes = 1;
    t = create(&params);
    float *one = floats(plane);
    for (size_t p = 0; p < count; p++) {
        assert_true(wp_transform_forward(t, WP_ARRAY(samples + p * image), WP_ARRAY(one)));
        assert_memory_equal(one, got + p * plane, plane * sizeof *one);
    }
    free(one);
    free(got);
    free(samples);
    wp_transform_destroy(&t);
}

static void test_batches(void **state)
{
    (void)state;
    check_batch(64, 4099);
    check_batch(512, 5);
}

// Random batches of the backend "cpu", which computes them without temporaries, against
// "reference".
enum { RANDOM_MOST = 1 << 19 };

static int below(int n)
{
    return (int)((noise() + 1) / 2 * n);
}

static double *run_backend(struct wp_transform_params params, const char *backend, bool inverse,
                           bool wide, const double *from, size_t count[2])
{
    params.backend = backend;
    struct wp_transform *t = create(&params);
    int size[2][WP_DIMENSIONS];
    for (int i = 0; i < 2; i++) {
        wp_operand_extents(wp_transform_description(t), i, size[i]);
        count[i] = (size_t)size[i][WP_X] * (size_t)size[i][WP_Y] * (size_t)params.planes;
    }
    double *in = calloc(count[inverse], sizeof *in), *out = calloc(count[!inverse], sizeof *out);
    assert_true(in && out && count[inverse] <= RANDOM_MOST);
    memcpy(in, from, count[inverse] * sizeof *in);
    run(t, inverse, wide, in, count[inverse], out, count[!inverse]);
    free(in);
    wp_transform_destroy(&t);
    return out;
}

// Values of coefficients that are in no band are 0 in both.
static void check_against_reference(const struct wp_transform_params *params, bool inverse,
                                    bool wide)
{
    static double from[RANDOM_MOST];
    size_t count[2];
    for (size_t i = 0; i < RANDOM_MOST; i++)
        from[i] = noise();
    double *got = run_backend(*params, "cpu", inverse, wide, from, count);
    double *expected = run_backend(*params, "reference", inverse, wide, from, count);
    double error = 0, largest = 0;
    for (size_t i = 0; i < count[!inverse]; i++) {
        error = fmax(error, fabs(got[i] - expected[i]));
        largest = fmax(largest, fabs(expected[i]));
    }
    // Weights of extensions that are not 1 grow with the filter.
    const bool grows = strcmp(params->border, "pywt-smooth") == 0 ||
                       strcmp(params->border, "pywt-antireflect") == 0;
    const double bound = params->levels * (grows ? 25 : 1) * (wide ? 1e-12 : 4e-6);
    if (!(error <= bound * largest))
        fail_msg("%s %s%s%s%s: %dx%dx%d, %d levels, rank %d: error %g of %g", params->wavelet,
                 params->border, inverse ? ", inverse" : "", params->adjoint ? ", adjoint" : "",
                 wide ? ", f64" : "", params->planes, params->height, params->width,
                 params->levels, params->rank, error, largest);
    free(got);
    free(expected);
}

static void test_random(void **state)
{
    (void)state;
    static const char *const wavelets[] = {"haar", "db2", "db4", "sym5", "bior2.2", "cdf97",
                                           "rbio3.1", "db10"};
    for (int i = 0; i < 400; i++) {
        const bool signal = i % 4 == 0;
        check_against_reference(
            &(struct wp_transform_params)WP_TRANSFORM_PARAMS(
                .width = 1 + below(i % 20 == 0 ? 5000 : i % 8 == 0 ? 200 : 40),
                .height = signal ? 1 : 1 + below(40), .planes = 1 + below(20),
                .rank = signal && (i % 3 || i % 20 == 0) ? 1 : 2, .levels = 1 + below(LEVELS),
                .wavelet = wavelets[below(sizeof wavelets / sizeof *wavelets)],
                .border = wp_border_names[WP_BORDER_NATIVE +
                                          below(WP_BORDER_COUNT - WP_BORDER_NATIVE)],
                .norm = "pywt", .adjoint = below(2), .threads = 1 + below(3)),
            below(2), below(2));
    }
}

// Even sizes with "pywt-periodization" are the periodic transform without a copy.
static void test_periodization(void **state)
{
    (void)state;
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = 48, .height = 16, .wavelet = "db4", .levels = 3, .backend = "cpu",
            .border = "pywt-periodization");
    struct wp_transform *t = create(&params);
    const char *plan = wp_transform_describe(t, false, NULL, NULL);
    assert_null(strstr(plan, "border"));
    assert_int_equal(extent_of(t), 48 * 16);
    wp_transform_destroy(&t);
}

// `rank` transforms an axis of one sample: PyWavelets' dwt2 of a row.
static void test_rank(void **state)
{
    (void)state;
    for (int rank = 1; rank <= 2; rank++) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
                .width = 9, .height = 1, .wavelet = "db2", .levels = 1, .backend = "cpu",
                .border = "pywt-constant", .norm = "pywt", .rank = rank);
        struct wp_transform *t = create(&params);
        float samples[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, *got = floats(extent_of(t));
        struct wp_band_info low, high;
        assert_true(wp_transform_forward(t, WP_ARRAY(samples), WP_ARRAY(got)));
        assert_true(wp_transform_get_band(t, 0, &low) && wp_transform_get_band(t, 2, &high));
        assert_int_equal(low.width, 6);
        assert_int_equal(low.height, rank == 1 ? 1 : 2);
        assert_int_equal(high.height, rank == 1 ? 0 : 2);
        // A constant column: the low band has the gain sqrt(2), the high band is 0.
        if (rank == 2)
            for (int x = 0; x < 6; x++)
                assert_true(fabsf(got[low.offset + x] - got[low.offset + x + low.stride[1]]) < 1e-5F &&
                            fabsf(got[high.offset + x]) < 1e-5F);
        free(got);
        wp_transform_destroy(&t);
    }
}

// An axis that a level leaves with one sample is transformed by the next one: the low band of a
// constant has the gain sqrt(2) along each axis. One sample may grow to more samples in later levels
// than the first one has.
static void test_small(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet;
        int width, height, levels;
    } cases[] = {{"haar", 4, 2, 3}, {"haar", 2, 3, 4}, {"db20", 1, 1, 3}, {"db20", 2, 1, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
                .width = cases[i].width, .height = cases[i].height, .wavelet = cases[i].wavelet,
                .levels = cases[i].levels, .backend = "cpu", .border = "pywt-symmetric",
                .norm = "pywt", .rank = 2);
        struct wp_transform *t = create(&params);
        float samples[8] = {1, 1, 1, 1, 1, 1, 1, 1}, *got = floats(extent_of(t));
        struct wp_band_info low;
        assert_true(wp_transform_forward(t, WP_ARRAY(samples), WP_ARRAY(got)));
        assert_true(wp_transform_get_band(t, 0, &low));
        for (int k = 0; k < low.width * low.height; k++)
            assert_true(fabs((double)got[low.offset + k % low.width +
                                         k / low.width * low.stride[1]] /
                                 ldexp(1, cases[i].levels) - 1) < 1e-4);
        assert_true(wp_transform_inverse(t, WP_ARRAY(got), WP_ARRAY(samples)));
        for (int k = 0; k < cases[i].width * cases[i].height; k++)
            assert_true(fabs((double)samples[k] - 1) < 1e-4);
        free(got);
        wp_transform_destroy(&t);
    }
}

static void expect_rejected(const struct wp_transform_params *params, const char *reason)
{
    wp_begin_attempt();
    assert_null(wp_transform_create(params));
    wp_end_attempt();
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    if (!strstr(wp_last_error_text(), reason))
        fail_msg("%s", wp_last_error_text());
}

static void test_rejected(void **state)
{
    (void)state;
    struct wp_transform_params p = WP_TRANSFORM_PARAMS(
            .width = 16, .height = 16, .border = "pywt-zero", .backend = "cpu");
    p.layout = "mixed";
    expect_rejected(&p, "layout 'mixed' has the coefficients at the positions of the samples");
    p.layout = NULL;
    p.levels = 32;
    expect_rejected(&p, "32 levels are out of range (at most 31)");
    p.levels = 0;
    p.reversible = true;
    expect_rejected(&p, "border 'pywt-zero' has no reversible transform");
    p.reversible = false;
    p.depth = 8;
    p.gop = 4;
    expect_rejected(&p, "border 'pywt-zero' does not support slices in groups");
    p.gop = 0;
    p.decomposition = "spatial-temporal";
    expect_rejected(&p, "decomposition 'spatial-temporal' does not support border 'pywt-zero'");
    p.decomposition = NULL;
    p.depth = 0;
    p.rank = 4;
    expect_rejected(&p, "4 axes cannot be transformed (1 to 3)");
    p.rank = 0;
    p.width = INT32_MAX;
    p.levels = 31;
    expect_rejected(&p, "2147483647 samples along an axis have more coefficients");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),     cmocka_unit_test(test_reference),
        cmocka_unit_test(test_cpu),      cmocka_unit_test(test_fragment),
        cmocka_unit_test(test_bands),    cmocka_unit_test(test_operands),
        cmocka_unit_test(test_batches),  cmocka_unit_test(test_random),
        cmocka_unit_test(test_periodization),
        cmocka_unit_test(test_rank),     cmocka_unit_test(test_small),
        cmocka_unit_test(test_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
