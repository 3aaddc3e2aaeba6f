// Operands of type f64: the arithmetic of `cpu` and `reference` is then in double precision. The
// backends are compared with the oracle and with each other, every pair of element types with
// conversions by hand, and conversions with their definitions.
#define WP_CPU_F64
#include "cpu_rows.h"
#include "every_wavelet.h"
#include "lifting.h"
#include "log.h"
#include "oracle.h"
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

static double random_value(unsigned *seed)
{
    const double high = (double)random_below(seed, 1 << 24);
    const double low = (double)random_below(seed, 1 << 24);
    return (high + low / (1 << 24)) / (1 << 24);
}

static void fill(double *values, size_t count, unsigned *seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = random_value(seed);
}

static double *allocate(size_t count)
{
    double *values = calloc(count, sizeof *values);
    assert_non_null(values);
    return values;
}

static size_t samples_of(const struct wp_transform_params *params)
{
    return (size_t)params->width * (size_t)params->height *
           (size_t)(params->depth > 1 ? params->depth : 1) *
           (size_t)(params->planes > 1 ? params->planes : 1);
}

static struct wp_operand dense(void *data, enum wp_element type)
{
    return (struct wp_operand){.data = data, .type = type};
}

static void run_operands(const struct wp_transform_params *params, const char *backend,
                         bool inverse, const struct wp_operand *from, const struct wp_operand *to)
{
    struct wp_transform_params with_backend = *params;
    with_backend.backend = backend;
    struct wp_transform *t = wp_transform_create(&with_backend);
    if (!t || !(inverse ? wp_transform_inverse : wp_transform_forward)(t, from, to))
        fail_msg("%s, %s %dx%d: %s", backend, params->wavelet, params->width, params->height,
                 wp_last_error_text());
    wp_transform_destroy(&t);
}

static void run(const struct wp_transform_params *params, const char *backend, bool inverse,
                double *from, double *to)
{
    const struct wp_operand in = dense(from, WP_ELEMENT_F64), out = dense(to, WP_ELEMENT_F64);
    run_operands(params, backend, inverse, &in, &out);
}

// `bound` is relative to the largest expected value.
static void compare(const struct wp_transform_params *params, const char *what, const double *got,
                    const double *expected, double bound)
{
    const size_t count = samples_of(params);
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - expected[i]) <= bound * largest))
            fail_msg("%s, %s %s, variant %s, border %s, norm %s, %dx%dx%d, %d planes, %d levels: "
                     "%.17g instead of %.17g at %zu (largest %g)",
                     what, params->wavelet, params->layout ? params->layout : "",
                     params->variant ? params->variant : "", params->border ? params->border : "",
                     params->norm ? params->norm : "", params->width, params->height,
                     params->depth, params->planes, params->levels, got[i], expected[i], i,
                     largest);
}

// ---- against the oracle ----

static void find_oracle(const struct wp_wavelet *wavelet, struct oracle_filters *filters)
{
    struct oracle_filter step[2 * WP_MAX_PAIRS] = {{0}};
    for (int s = 0; s < 2 * wavelet->pairs; s++) {
        const struct wp_filter *filter = wp_wavelet_step(wavelet, s);
        if (filter->count == 0)
            continue;
        const int first = filter->tap[0].k;
        step[s].first = first;
        step[s].count = filter->tap[filter->count - 1].k - first + 1;
        for (int t = 0; t < filter->count; t++)
            step[s].tap[filter->tap[t].k - first] = filter->tap[t].c;
    }
    if (!oracle_filters_from_lifting(2 * wavelet->pairs, step, wavelet->zeta, filters))
        fail_msg("%s has no filters", wavelet->name);
}

// Steps with large taps lose digits compared with the filters.
static double growth_of(const struct wp_wavelet *wavelet)
{
    double growth = 1;
    for (int s = 0; s < 2 * wavelet->pairs; s++) {
        double sum = 1;
        for (int t = 0; t < wp_wavelet_step(wavelet, s)->count; t++)
            sum += fabs(wp_wavelet_step(wavelet, s)->tap[t].c);
        growth *= sum;
    }
    return growth;
}

static void check_oracle(const struct wp_wavelet *wavelet, const char *backend, unsigned *seed)
{
    static const char *const norms[] = {"none", "jpeg2000", "orthonormal"};
    const unsigned norm = random_below(seed, 3);
    struct wp_transform_params params = {
        .struct_size = sizeof params, .wavelet = wavelet->name, .norm = norms[norm]};
    if (wavelet->symmetry == WP_SYMMETRY_NONE || random_below(seed, 2))
        params.border = "periodic";
    random_size(&params, seed);
    if (params.levels < 1)
        params.levels = 1;
    struct oracle_filters filters;
    find_oracle(wavelet, &filters);
    const size_t count = samples_of(&params);
    double *in = allocate(3 * count), *got = in + count, *expected = got + count;
    const enum oracle_border border = params.border ? ORACLE_PERIODIC : ORACLE_SYMMETRIC;
    const double bound = 2e-15 * growth_of(wavelet);
    fill(in, count, seed);
    for (int inverse = 0; inverse < 2; inverse++) {
        assert_true((inverse ? oracle_inverse : oracle_forward)(
            &filters, border, (enum oracle_norm)norm, params.levels, params.width, params.height,
            in, expected));
        run(&params, backend, inverse, in, got);
        compare(&params, backend, got, expected, bound < 1e-11 ? bound : 1e-11);
    }
    free(in);
}

enum { FAMILIES = 4 };

// The table's wavelets, and some of the families. Returns their number.
static int some_wavelets(struct wp_wavelet list[EVERY_WAVELET_MAX + FAMILIES])
{
    static const char *const family[FAMILIES] = {"db2", "db4", "sym8", "bior4.4"};
    const int count = every_wavelet(list);
    for (int f = 0; f < FAMILIES; f++)
        assert_true(wp_wavelet_find(family[f], &list[count + f]));
    return count + FAMILIES;
}

static void test_oracle(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX + FAMILIES];
    unsigned seed = 1;
    const int count = some_wavelets(list);
    for (int w = 0; w < count; w++) {
        for (unsigned i = 0; i < sample_count(16); i++)
            check_oracle(&list[w], i % 2 ? "cpu" : "reference", &seed);
    }
}

// ---- cpu against reference ----

static void random_params(struct wp_transform_params *params, const struct wp_wavelet *wavelet,
                          unsigned *seed)
{
    static const char *const norms[] = {NULL, "orthonormal", "none"};
    static const char *const variants[] = {NULL, NULL, "lifting-row-column", "conv-row-column",
                                           "smdwt"};
    *params = (struct wp_transform_params){
        .struct_size = sizeof *params,
        .wavelet = wavelet->name,
        .norm = norms[random_below(seed, 3)],
        .layout = random_below(seed, 4) ? NULL : "mixed",
        .threads = 1 + (int)random_below(seed, 3),
        .planes = random_below(seed, 3) ? 1 : 2 + (int)random_below(seed, 17),
        .variant = variants[random_below(seed, 5)],
    };
    if (wavelet->symmetry == WP_SYMMETRY_NONE || random_below(seed, 3) == 0)
        params->border = "periodic";
    random_size(params, seed);
}

static void check_reference(const struct wp_transform_params *params, double bound, unsigned *seed)
{
    const size_t count = samples_of(params);
    struct wp_transform_params plain = *params;
    plain.variant = NULL;
    plain.threads = 0;
    double *in = allocate(3 * count), *got = in + count, *expected = got + count;
    fill(in, count, seed);
    for (int inverse = 0; inverse < 2; inverse++) {
        run(&plain, "reference", inverse, in, expected);
        run(params, "cpu", inverse, in, got);
        compare(params, inverse ? "inverse" : "forward", got, expected, bound);
        // In place.
        memcpy(got, in, count * sizeof *got);
        run(params, "cpu", inverse, got, got);
        compare(params, inverse ? "inverse in place" : "forward in place", got, expected, bound);
    }
    free(in);
}

static void test_reference(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX + FAMILIES];
    unsigned seed = 2;
    const int count = some_wavelets(list);
    for (int w = 0; w < count; w++) {
        for (unsigned i = 0; i < sample_count(24); i++) {
            struct wp_transform_params params;
            random_params(&params, &list[w], &seed);
            check_reference(&params, 1e-13, &seed);
        }
    }
}

// Stripes of several threads, batches of images and of signals, and volumes.
static void test_large(void **state)
{
    (void)state;
    static const struct {
        int width, height, depth, planes, levels;
        const char *decomposition;
    } cases[] = {{1030, 518, 1, 1, 3, NULL},        {64, 64, 1, 37, 3, NULL},
                 {200, 150, 1, 9, 2, NULL},         {70002, 1, 1, 1, 5, NULL},
                 {1024, 1, 1, 21, 4, NULL},         {42, 38, 17, 1, 2, NULL},
                 {66, 130, 24, 2, 1, NULL},         {30, 20, 9, 1, 2, "spatial-temporal"},
                 {1, 300, 1, 3, 2, NULL},           {2, 2, 1, 1, 1, NULL}};
    static const char *const names[] = {"cdf97", "haar", "cdf53", "dd137"};
    unsigned seed = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t w = 0; w < sizeof names / sizeof *names; w++) {
            const struct wp_transform_params params = {
                .struct_size = sizeof params,
                .wavelet = names[w],
                .width = cases[i].width,
                .height = cases[i].height,
                .depth = cases[i].depth,
                .planes = cases[i].planes,
                .levels = cases[i].levels,
                .decomposition = cases[i].decomposition,
                .threads = 1 + (int)(i + w) % 3,
            };
            check_reference(&params, 1e-13, &seed);
        }
    }
}

// Reversible transforms give the integers of those in floats, and larger ones.
static void test_reversible(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf53", "dd137"};
    enum { WIDTH = 77, HEIGHT = 45, COUNT = WIDTH * HEIGHT };
    static double in[COUNT], out[COUNT], back[COUNT];
    static float floats[COUNT], expected[COUNT];
    unsigned seed = 4;
    for (int w = 0; w < 3; w++) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .wavelet = names[w], .width = WIDTH, .height = HEIGHT, .levels = 3,
            .reversible = true, .backend = "cpu", .threads = 2);
        for (int i = 0; i < COUNT; i++)
            in[i] = floats[i] = (float)random_below(&seed, 4096);
        run(&params, "cpu", false, in, out);
        struct wp_transform *t = wp_transform_create(&params);
        assert_true(t && wp_transform_forward(t, WP_ARRAY(floats), WP_ARRAY(expected)));
        wp_transform_destroy(&t);
        for (int i = 0; i < COUNT; i++)
            assert_true(out[i] == (double)expected[i]);
        for (int i = 0; i < COUNT; i++)
            in[i] = floor(0x1p40 * random_value(&seed)) - 0x1p39;
        run(&params, "cpu", false, in, out);
        run(&params, "cpu", true, out, back);
        for (int i = 0; i < COUNT; i++)
            assert_true(out[i] == floor(out[i]) && back[i] == in[i]);
    }
}

// ---- types ----

static const struct {
    size_t bytes;
    double largest;
} types[WP_ELEMENT_COUNT] = {
    [WP_ELEMENT_F32] = {4, 0}, [WP_ELEMENT_F16] = {2, 0}, [WP_ELEMENT_U8] = {1, 255},
    [WP_ELEMENT_U16] = {2, 65535}, [WP_ELEMENT_F64] = {8, 0}, [WP_ELEMENT_BF16] = {2, 0}};

// Binary floats with a sign bit: digits after the first one, and exponents.
struct format {
    int digits, exponent_bits;
};

static struct format format_of(enum wp_element type)
{
    return type == WP_ELEMENT_F16    ? (struct format){10, 5}
           : type == WP_ELEMENT_BF16 ? (struct format){7, 8}
                                     : (struct format){23, 8};
}

static double float_value(struct format f, uint32_t bits)
{
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    const uint32_t digits = bits & ((1U << f.digits) - 1);
    const int exponent = (int)(bits >> f.digits & ((1U << f.exponent_bits) - 1));
    const bool negative = bits >> (f.digits + f.exponent_bits) & 1;
    const double one = ldexp(1, f.digits);
    const double size = exponent == 2 * bias + 1 ? (digits ? NAN : INFINITY)
                        : exponent == 0 ? ldexp(digits, 1 - bias - f.digits)
                                        : ldexp(one + digits, exponent - bias - f.digits);
    return negative ? -size : size;
}

// Rounds to nearest, ties to even.
static double rounded(struct format f, double value)
{
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    int exponent;
    if (isnan(value) || isinf(value) || value == 0)
        return value;
    frexp(value, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    const double unit = ldexp(1, exponent - f.digits);
    const double result = nearbyint(value / unit) * unit; // both exact
    return fabs(result) >= ldexp(1, bias + 1) ? copysign(INFINITY, value) : result;
}

static uint32_t bits_at(enum wp_element type, const void *at)
{
    uint32_t bits = 0;
    memcpy(&bits, at, types[type].bytes);
    return bits;
}

// The value of a sample; integers stand for 0..1.
static double value_of(enum wp_element type, const void *at)
{
    double value;
    if (type == WP_ELEMENT_F64) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    return types[type].largest > 0 ? (double)bits_at(type, at) / types[type].largest
                                   : float_value(format_of(type), bits_at(type, at));
}

// The value of a sample after `value` was written.
static double stored(enum wp_element type, double value)
{
    const double largest = types[type].largest, scaled = value * largest;
    if (type == WP_ELEMENT_F64)
        return value;
    if (largest > 0)
        return (!(scaled > 0) ? 0 : scaled >= largest ? largest : floor(scaled + 0.5)) / largest;
    return rounded(format_of(type), value);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

// The sets of conversions, the table's first.
static const struct wp_element_rows_f64 *rows_set(int i)
{
    const struct wp_cpu_rows *rows = i ? wp_cpu_rows_get(i - 1) : NULL;
    return i == 0 ? &wp_element_rows_f64 : rows ? rows->elements : NULL;
}

enum { NUMBERS = 1 << 16 };

// Every number of 16 bits, and floats.
static void test_reading(void **state)
{
    (void)state;
    static uint64_t memory[3 * NUMBERS];
    static double got[NUMBERS];
    const struct wp_element_rows_f64 *rows;
    for (int set = 0; (rows = rows_set(set)) != NULL; set++) {
        for (int type = 0; type < WP_ELEMENT_COUNT; type++) {
            const size_t bytes = types[type].bytes;
            const float one = (float)types[type].largest;
            for (ptrdiff_t step = 1; step <= 3; step++) {
                unsigned seed = 6;
                for (size_t i = 0; i < NUMBERS; i++) {
                    const uint64_t number = bytes <= 2 ? i : bytes == 4 ? (uint64_t)i << 16 | 0x1234
                                                                        : (uint64_t)i << 48;
                    char *at = (char *)memory + i * (size_t)step * bytes;
                    const double value = random_value(&seed);
                    memcpy(at, bytes == 8 && i % 2 ? (const void *)&value : &number, bytes);
                }
                rows->read[type](got, memory, step, (struct wp_element_scale){one, one}, NUMBERS);
                for (size_t i = 0; i < NUMBERS; i++) {
                    const char *at = (char *)memory + i * (size_t)step * bytes;
                    if (!same(got[i], value_of((enum wp_element)type, at)))
                        fail_msg("type %d, number %zu: %.17g instead of %.17g", type, i, got[i],
                                 value_of((enum wp_element)type, at));
                }
            }
        }
    }
}

// Doubles next to the middle of two numbers of a type, which would be rounded in the other
// direction if they were first rounded to float.
static void test_writing(void **state)
{
    (void)state;
    static uint64_t memory[3 * NUMBERS];
    static double values[NUMBERS];
    static const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-300,
                                     -1e-300, 65519.999999999, 65520.0, 0x1.fffffefffffffp127,
                                     0x1.ffffffp127, 0x1.fep127, 0x1.fefffffffffffp127,
                                     0x1.ffp127, 0x1p-24, 0x1p-25, 0x1.0000000001p-25, 0x1p-134,
                                     0x1.000000001p-134, 0x1p-150, 0x1.0000000001p-150};
    enum { SPECIAL = sizeof special / sizeof *special };
    const struct wp_element_rows_f64 *rows;
    for (int type = 0; type < WP_ELEMENT_COUNT; type++) {
        const bool integer = types[type].largest > 0;
        const struct format f = format_of((enum wp_element)type);
        const float one = (float)types[type].largest;
        unsigned seed = 7;
        for (uint32_t i = 0; i < NUMBERS; i++) {
            // Without those that are not finite.
            const uint32_t bits = type == WP_ELEMENT_F32 ? i * 65521U : i;
            const double below = integer ? (double)(i % 65536) / types[type].largest
                                         : float_value(f, bits);
            const double above = integer ? (double)(i % 65536 + 1) / types[type].largest
                                         : float_value(f, bits + 1);
            const double middle = below / 2 + above / 2;
            const double near[] = {middle, nextafter(middle, INFINITY),
                                   nextafter(middle, -INFINITY), random_value(&seed) - 0.5};
            values[i] = i < SPECIAL ? special[i] : near[random_below(&seed, 4)];
        }
        for (int set = 0; (rows = rows_set(set)) != NULL; set++) {
            for (ptrdiff_t step = 1; step <= 3; step++) {
                rows->write[type](memory, step, values, (struct wp_element_scale){one, one},
                                  NUMBERS);
                for (size_t i = 0; i < NUMBERS; i++) {
                    const char *at =
                        (char *)memory + i * (size_t)step * types[type].bytes;
                    const double got = value_of((enum wp_element)type, at);
                    const double expected = stored((enum wp_element)type, values[i]);
                    if (!same(got, expected))
                        fail_msg("type %d, %a: %a instead of %a", type, values[i], got, expected);
                }
            }
        }
    }
}

// Every pair of types of which one is f64, with gaps: as if the input was converted to doubles
// before, and the output after.
static void check_pair(const struct wp_transform_params *params, const char *backend,
                       enum wp_element in_type, enum wp_element out_type, bool inverse)
{
    enum { GAP = 3 };
    const int width = params->width, height = params->height, planes = params->planes;
    const size_t count = samples_of(params), pitch = (size_t)width + GAP;
    const size_t spanned = pitch * (size_t)(height * planes);
    double *from = allocate(3 * count), *expected = from + count;
    char *in = malloc(spanned * types[in_type].bytes);
    char *out = calloc(spanned, types[out_type].bytes);
    assert_true(in && out);
    unsigned seed = 8;
    for (size_t i = 0; i < spanned; i++) {
        const double value = random_value(&seed);
        const struct wp_operand one = {.data = in + i * types[in_type].bytes, .type = in_type,
                                       .stride = {1}};
        wp_operand_write_f64(&wp_element_rows_f64, &one, 0, &value, false, 1);
    }
    for (size_t i = 0; i < count; i++)
        from[i] = value_of(in_type, in + (i / (size_t)width * pitch + i % (size_t)width) *
                                             types[in_type].bytes);
    run(params, backend, inverse, from, expected);
    const struct wp_operand source = {.data = in, .type = in_type, .stride = {1, (ptrdiff_t)pitch}};
    const struct wp_operand target = {.data = out, .type = out_type,
                                      .stride = {1, (ptrdiff_t)pitch}};
    run_operands(params, backend, inverse, &source, &target);
    for (size_t i = 0; i < count; i++) {
        const char *at = out + (i / (size_t)width * pitch + i % (size_t)width) *
                                   types[out_type].bytes;
        if (!same(value_of(out_type, at), stored(out_type, expected[i])))
            fail_msg("%s %s, types %d to %d: %.17g instead of %.17g at %zu", backend,
                     inverse ? "inverse" : "forward", (int)in_type, (int)out_type,
                     value_of(out_type, at), stored(out_type, expected[i]), i);
    }
    for (size_t i = 0; i < spanned * types[out_type].bytes; i++)
        if (i / types[out_type].bytes % pitch >= (size_t)width)
            assert_int_equal(out[i], 0);
    free(from);
    free(in);
    free(out);
}

static void test_pairs(void **state)
{
    (void)state;
    static const char *const backends[] = {"cpu", "reference"};
    static const int sizes[][3] = {{37, 22, 1}, {20, 18, 11}, {150, 1, 5}};
    for (int b = 0; b < 2; b++) {
        for (int s = 0; s < 3; s++) {
            const struct wp_transform_params params = {
                .struct_size = sizeof params, .wavelet = s ? "cdf53" : "cdf97",
                .width = sizes[s][0], .height = sizes[s][1], .planes = sizes[s][2], .levels = 2};
            for (int type = 0; type < WP_ELEMENT_COUNT; type++) {
                const enum wp_element other = (enum wp_element)type;
                check_pair(&params, backends[b], other, WP_ELEMENT_F64, false);
                check_pair(&params, backends[b], WP_ELEMENT_F64, other, true);
                if (types[type].largest > 0)
                    continue;
                check_pair(&params, backends[b], WP_ELEMENT_F64, other, false);
                check_pair(&params, backends[b], other, WP_ELEMENT_F64, true);
            }
        }
    }
}

// ---- memory ----

// Rows, columns and planes in other orders.
static void test_strides(void **state)
{
    (void)state;
    enum { WIDTH = 24, HEIGHT = 16, PLANES = 5, COUNT = WIDTH * HEIGHT * PLANES };
    static const ptrdiff_t strides[][4] = {{PLANES, PLANES * WIDTH, 0, 1},
                                           {HEIGHT, 1, 0, WIDTH * HEIGHT},
                                           {HEIGHT * PLANES, PLANES, 0, 1}};
    static double in[COUNT], expected[COUNT], moved[2][COUNT];
    static const char *const backends[] = {"cpu", "reference"};
    unsigned seed = 9;
    fill(in, COUNT, &seed);
    for (int b = 0; b < 2; b++) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = WIDTH, .height = HEIGHT, .planes = PLANES, .levels = 2);
        run(&params, backends[b], false, in, expected);
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
            struct wp_operand both[2];
            for (int k = 0; k < 2; k++) {
                both[k] = dense(moved[k], WP_ELEMENT_F64);
                memcpy(both[k].stride, strides[s], sizeof strides[s]);
            }
            for (int i = 0; i < COUNT; i++)
                moved[0][i % WIDTH * strides[s][0] + i / WIDTH % HEIGHT * strides[s][1] +
                         i / WIDTH / HEIGHT * strides[s][3]] = in[i];
            run_operands(&params, backends[b], false, &both[0], &both[1]);
            for (int i = 0; i < COUNT; i++)
                assert_true(moved[1][i % WIDTH * strides[s][0] +
                                     i / WIDTH % HEIGHT * strides[s][1] +
                                     i / WIDTH / HEIGHT * strides[s][3]] == expected[i]);
        }
    }
}

// One array per band equals the parts of one array.
static void test_bands(void **state)
{
    (void)state;
    enum { WIDTH = 30, HEIGHT = 22, PLANES = 3, PLANE = WIDTH * HEIGHT, BANDS = 7 };
    static double in[PLANES * PLANE], expected[PLANES * PLANE], bands[BANDS][PLANES * PLANE];
    static const char *const backends[] = {"cpu", "reference"};
    unsigned seed = 10;
    fill(in, PLANES * PLANE, &seed);
    for (int b = 0; b < 2; b++) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = WIDTH, .height = HEIGHT, .planes = PLANES, .levels = 2,
            .backend = backends[b]);
        struct wp_transform *t = wp_transform_create(&params);
        assert_non_null(t);
        assert_int_equal(wp_transform_band_count(t), BANDS);
        struct wp_operand view[BANDS];
        for (int i = 0; i < BANDS; i++)
            view[i] = dense(bands[i], WP_ELEMENT_F64);
        const struct wp_operand image = dense(in, WP_ELEMENT_F64);
        const struct wp_operand all = dense(expected, WP_ELEMENT_F64);
        struct wp_operand separate = {.band = view, .bands = BANDS};
        assert_true(wp_transform_forward(t, &image, &all));
        assert_true(wp_transform_forward(t, &image, &separate));
        for (int i = 0; i < BANDS; i++) {
            struct wp_band_info info;
            assert_true(wp_transform_get_band(t, i, &info));
            for (int k = 0; k < info.width * info.height * PLANES; k++) {
                const int x = k % info.width, y = k / info.width % info.height;
                const ptrdiff_t at = info.offset + x * info.stride[0] + y * info.stride[1] +
                                     k / info.width / info.height * (ptrdiff_t)PLANE;
                assert_true(bands[i][k] == expected[at]);
            }
        }
        static double back[2][PLANES * PLANE];
        const struct wp_operand one = dense(back[0], WP_ELEMENT_F64);
        const struct wp_operand other = dense(back[1], WP_ELEMENT_F64);
        assert_true(wp_transform_inverse(t, &all, &one));
        assert_true(wp_transform_inverse(t, &separate, &other));
        assert_memory_equal(back[0], back[1], sizeof back[0]);
        wp_begin_attempt();
        view[3].type = WP_ELEMENT_F32;
        assert_false(wp_transform_forward(t, &image, &separate));
        assert_non_null(strstr(wp_last_error_text(), "of the types f64 and f32"));
        for (int i = 0; i < BANDS; i++)
            view[i].type = WP_ELEMENT_U8;
        assert_false(wp_transform_forward(t, &image, &separate));
        assert_non_null(strstr(wp_last_error_text(), "not floats"));
        wp_end_attempt();
        wp_transform_destroy(&t);
    }
}

// Plans tell the arithmetic and who converts.
static void test_plans(void **state)
{
    (void)state;
    static double memory[2][64];
    const struct {
        const char *backend;
        enum wp_element image, coefficients;
        const char *plan;
    } cases[] = {
        {"cpu", WP_ELEMENT_F64, WP_ELEMENT_F64,
         "(cpu/fused 8x8, 1 level, samples f64, coefficients f64, arithmetic f64)"},
        {"cpu", WP_ELEMENT_U8, WP_ELEMENT_F64,
         "(cpu/fused 8x8, 1 level, samples u8, coefficients f64, arithmetic f64)"},
        {"cpu", WP_ELEMENT_BF16, WP_ELEMENT_BF16,
         "(cpu/fused 8x8, 1 level, samples bf16, coefficients bf16)"},
        {"reference", WP_ELEMENT_F64, WP_ELEMENT_F32,
         "(reference 8x8, 1 level, samples f64, arithmetic f64)"},
        {"reference", WP_ELEMENT_F16, WP_ELEMENT_F64,
         "(convert on the host: samples f16, arithmetic f64\n"
         "  (reference 8x8, 1 level, samples f64, coefficients f64, arithmetic f64))"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wp_operand image = dense(memory[0], cases[i].image);
        const struct wp_operand coefficients = dense(memory[1], cases[i].coefficients);
        struct wp_transform *t = wp_transform_create(&(const struct wp_transform_params)
            WP_TRANSFORM_PARAMS(.width = 8, .height = 8, .levels = 1,
                                .backend = cases[i].backend));
        assert_non_null(t);
        assert_string_equal(wp_transform_describe(t, false, &image, &coefficients), cases[i].plan);
        wp_transform_destroy(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),  cmocka_unit_test(test_reference),
        cmocka_unit_test(test_large),   cmocka_unit_test(test_reversible),
        cmocka_unit_test(test_reading), cmocka_unit_test(test_writing),
        cmocka_unit_test(test_pairs),   cmocka_unit_test(test_strides),
        cmocka_unit_test(test_bands),   cmocka_unit_test(test_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
