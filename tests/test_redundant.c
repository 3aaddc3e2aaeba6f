// Redundant filter banks: every backend that has them against filters on the
// extended signal, which are applied one axis after the other as redundant.h
// defines them; the inverse against the image; adjoints against the transposed
// matrices, by products; batches against single planes, bit for bit;
// descriptions that are rejected.
#include "log.h"
#include "operand.h"
#include "registry.h"
#include "transform_struct.h"
#include "wavelet.h"
#include "wavepass.h"
#include "wavepass_query.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { TAPS = 64, MOST = 1 << 21 };

static uint32_t seed = 1;

static double noise(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

// ---- The oracle.

struct oracle {
    bool starlet, mirrored;
    int count[2], first[2]; // of the low and the high filter
    double tap[2][TAPS];
    int size[3];
    unsigned axes;
    int levels, start;
};

// Sample i of an extended signal: one reflection or one period at a time.
static int extended(const struct oracle *o, int i, int n)
{
    if (i >= 0 && i < n)
        return i;
    if (!o->mirrored)
        return extended(o, i < 0 ? i + n : i - n, n);
    return n == 1 ? 0 : extended(o, i < 0 ? -i : 2 * (n - 1) - i, n);
}

static void read_filters(struct oracle *o, const struct wp_transform_params *p)
{
    static const double spline[] = {0.0625, 0.25, 0.375, 0.25, 0.0625};
    const bool tight = strcmp(p->norm, "orthonormal") == 0;
    for (int high = 0; high < 2; high++) {
        o->count[high] = wp_query_filter(p->wavelet, p->norm,
                                         high ? WP_QUERY_ANALYSIS_HIGH : WP_QUERY_ANALYSIS_LOW,
                                         &o->first[high], o->tap[high], TAPS);
        assert_in_range(o->count[high], 1, TAPS);
        o->first[high] += high && !o->mirrored;
        for (int i = 0; tight && i < o->count[high]; i++)
            o->tap[high][i] /= sqrt(2);
    }
    if (!o->starlet)
        return;
    o->count[0] = 5;
    o->first[0] = -2;
    memcpy(o->tap[0], spline, sizeof spline);
}

static struct oracle oracle_of(const struct wp_transform_params *p)
{
    struct oracle o = {.starlet = strcmp(p->bank, "starlet") == 0,
                       .mirrored = strcmp(p->border, "symmetric") == 0,
                       .size = {p->width, p->height, p->depth > 1 ? p->depth : 1},
                       .levels = p->levels > p->levels_z ? p->levels : p->levels_z,
                       .start = p->start_level};
    for (int a = 0; a < 3; a++)
        o.axes |= o.size[a] > 1 && (a < 2 ? p->levels : p->levels_z) > 0 ? 1U << a : 0;
    o.axes = o.axes ? o.axes : 1;
    read_filters(&o, p);
    return o;
}

// Filters `from` along an axis.
static void filter_axis(const struct oracle *o, int axis, int high, int distance,
                        const double *from, double *to)
{
    const int step[] = {1, o->size[0], o->size[0] * o->size[1]};
    for (int i = 0; i < o->size[0] * o->size[1] * o->size[2]; i++) {
        const int n = o->size[axis], at = i / step[axis] % n;
        to[i] = 0;
        for (int t = 0; t < o->count[high]; t++)
            to[i] +=
                o->tap[high][t] *
                from[i + (extended(o, at + (o->first[high] + t) * distance, n) - at) * step[axis]];
    }
}

static void filter_all(const struct oracle *o, unsigned band, int distance, const double *from,
                       double *to)
{
    const size_t bytes = (size_t)(o->size[0] * o->size[1] * o->size[2]) * sizeof *to;
    double *line = malloc(bytes);
    memcpy(to, from, bytes);
    for (int a = 0; a < 3; a++) {
        if (!(o->axes >> a & 1))
            continue;
        filter_axis(o, a, (int)(band >> a & 1), distance, to, line);
        memcpy(to, line, bytes);
    }
    free(line);
}

// The band, of the bands that a level adds, in their order; 0 after the last
// one.
static unsigned next_band(const struct oracle *o, unsigned band)
{
    if (o->starlet)
        return band == 0 ? o->axes : 0;
    do
        band++;
    while (band < 8 && band & ~o->axes);
    return band < 8 ? band : 0;
}

static int bands_of(const struct oracle *o)
{
    int bands = 1;
    for (unsigned b = next_band(o, 0); b; b = next_band(o, b))
        bands += o->levels;
    return bands;
}

// Band number i of the coefficients, which are stacked along z or y.
static void put_band(const struct oracle *o, int i, const double *band, double *coefficients)
{
    const int *n = o->size, bands = bands_of(o);
    const bool along_z = o->axes >> 2 & 1;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            memcpy(coefficients + (along_z ? ((i * n[2] + z) * n[1] + y) * n[0]
                                           : ((z * bands + i) * n[1] + y) * n[0]),
                   band + (z * n[1] + y) * n[0], (size_t)n[0] * sizeof *band);
}

static void oracle_forward(const struct oracle *o, const double *image, double *coefficients)
{
    const size_t samples = (size_t)(o->size[0] * o->size[1] * o->size[2]);
    double *c = malloc(samples * sizeof *c), *low = malloc(samples * sizeof *c);
    double *band = malloc(samples * sizeof *c);
    const int added = (bands_of(o) - 1) / o->levels;
    memcpy(c, image, samples * sizeof *c);
    for (int l = 1; l <= o->levels; l++) {
        int i = 1 + (o->levels - l) * added;
        filter_all(o, 0, 1 << (o->start + l - 1), c, low);
        for (unsigned b = next_band(o, 0); b; b = next_band(o, b)) {
            if (!o->starlet)
                filter_all(o, b, 1 << (o->start + l - 1), c, band);
            for (size_t k = 0; k < samples && o->starlet; k++)
                band[k] = c[k] - low[k];
            put_band(o, i++, band, coefficients);
        }
        memcpy(c, low, samples * sizeof *c);
    }
    put_band(o, 0, c, coefficients);
    free(c);
    free(low);
    free(band);
}

// ---- Transforms.

static struct wp_transform *create(const struct wp_transform_params *p)
{
    struct wp_transform *t = wp_transform_create(p);
    if (!t)
        fail_msg("%s", wp_last_error_text());
    return t;
}

static void run(struct wp_transform *t, bool inverse, const double *from, size_t from_count,
                double *to, size_t to_count, bool wide)
{
    struct wp_operand in = {.data = (void *)from, .type = WP_ELEMENT_F64};
    struct wp_operand out = {.data = to, .type = WP_ELEMENT_F64};
    float *floats = malloc((from_count + to_count) * sizeof *floats);
    for (size_t i = 0; i < from_count; i++)
        floats[i] = (float)from[i];
    if (!wide) {
        in = (struct wp_operand){.data = floats};
        out = (struct wp_operand){.data = floats + from_count};
    }
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(t, &in, &out))
        fail_msg("%s", wp_last_error_text());
    for (size_t i = 0; i < to_count && !wide; i++)
        to[i] = (double)floats[from_count + i];
    free(floats);
}

static void assert_near(const double *a, const double *b, size_t n, double tolerance,
                        const struct wp_transform_params *p, const char *what)
{
    double largest = 1;
    for (size_t i = 0; i < n; i++)
        largest = fabs(b[i]) > largest ? fabs(b[i]) : largest;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * largest))
            fail_msg("%s: %s %s %s %s %s%s, %dx%dx%d, %d levels from %d: %g is not %g at %zu", what,
                     p->backend, p->bank, p->wavelet, p->border, p->norm,
                     p->adjoint ? " adjoint" : "", p->width, p->height, p->depth, p->levels,
                     p->start_level, a[i], b[i], i);
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// <W x, y> = <x, W^T y>, and <W^+ y, x> = <y, W^+T x>.
static void check_adjoint(const struct wp_transform_params *given, const double *image,
                          const double *coefficients, size_t samples, size_t count, bool wide)
{
    struct wp_transform_params p = *given;
    p.adjoint = true;
    struct wp_transform *t = create(given), *adjoint = create(&p);
    double *y = malloc(count * sizeof *y), *w = malloc(count * sizeof *w);
    double *x = malloc(samples * sizeof *x);
    double magnitude = 0;
    const double tolerance = wide ? 1e-12 : 1e-6;
    for (size_t i = 0; i < count; i++)
        y[i] = noise();
    for (size_t i = 0; i < count; i++)
        magnitude += fabs(coefficients[i] * y[i]);
    run(adjoint, true, y, count, x, samples, wide);
    double a = product(coefficients, y, count), b = product(image, x, samples);
    if (!(fabs(a - b) <= tolerance * magnitude))
        fail_msg("%s %s %s %s %dx%dx%d: <Wx, y> = %.17g, <x, W^T y> = %.17g", p.backend, p.bank,
                 p.wavelet, p.border, p.width, p.height, p.depth, a, b);
    run(t, true, y, count, x, samples, wide);
    run(adjoint, false, image, samples, w, count, wide);
    a = product(x, image, samples), b = product(y, w, count);
    magnitude = 1;
    for (size_t i = 0; i < samples; i++)
        magnitude += fabs(x[i] * image[i]);
    if (!(fabs(a - b) <= tolerance * magnitude))
        fail_msg("%s %s %s %s %dx%dx%d: <W^+ y, x> = %.17g, <y, W^+T x> = %.17g", p.backend, p.bank,
                 p.wavelet, p.border, p.width, p.height, p.depth, a, b);
    wp_transform_destroy(&t);
    wp_transform_destroy(&adjoint);
    free(y);
    free(w);
    free(x);
}

static void check(const struct wp_transform_params *p, bool wide)
{
    const struct oracle o = oracle_of(p);
    const size_t samples = (size_t)(o.size[0] * o.size[1] * o.size[2]);
    const size_t count = samples * (size_t)bands_of(&o);
    assert_true(count <= MOST);
    double *image = malloc(samples * sizeof *image), *again = malloc(samples * sizeof *again);
    double *expected = malloc(count * sizeof *expected),
           *coefficients = malloc(count * sizeof *expected);
    for (size_t i = 0; i < samples; i++)
        image[i] = wide ? noise() : (double)(float)noise();
    struct wp_transform *t = create(p);
    assert_int_equal(wp_transform_band_count(t), bands_of(&o));
    oracle_forward(&o, image, expected);
    run(t, false, image, samples, coefficients, count, wide);
    assert_near(coefficients, expected, count, wide ? 1e-13 : 1e-6, p, "forward");
    run(t, true, coefficients, count, again, samples, wide);
    assert_near(again, image, samples, wide ? 1e-12 : 3e-6, p, "inverse");
    check_adjoint(p, image, coefficients, samples, count, wide);
    wp_transform_destroy(&t);
    free(image);
    free(again);
    free(expected);
    free(coefficients);
}

static int levels_most(int longest)
{
    int levels = 0;
    while (1 << levels < longest)
        levels++;
    return levels;
}

static const char *const wavelets[] = {"cdf97", "cdf53", "haar", "db3", "bior3.5", "dd137"};
static const char *const norms[] = {"jpeg2000", "orthonormal", "none", "pywt"};
static const char *const backends[] = {"reference", "cpu"};

static bool is_symmetric(const char *name)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    return wavelet.symmetry == WP_SYMMETRY_WHOLE;
}

// All wavelets, banks and borders that go together, of one size; at each second turn from a later
// level on, if there is one.
static void check_size(int width, int height, int depth, int levels, int levels_z)
{
    static int turn = 0;
    const int flat = levels > 0 ? (width > height ? width : height) : 1;
    const int longest = levels_z > 0 && depth > flat ? depth : flat;
    const int later = levels_most(longest) - (levels > levels_z ? levels : levels_z);
    for (size_t b = 0; b < 2; b++) {
        for (size_t w = 0; w < sizeof wavelets / sizeof *wavelets; w++) {
            for (int mirrored = 0; mirrored < 2; mirrored++) {
                for (int starlet = 0; starlet < 2; starlet++, turn++) {
                    if (mirrored && !starlet && !is_symmetric(wavelets[w]))
                        continue;
                    if (starlet && w > 0)
                        continue;
                    const struct wp_transform_params p =
                        WP_TRANSFORM_PARAMS(.width = width, .height = height, .depth = depth,
                                            .levels = levels, .levels_z = levels_z,
                                            .wavelet = wavelets[w], .norm = norms[turn / 3 % 4],
                                            .border = mirrored ? "symmetric" : "periodic",
                                            .bank = starlet ? "starlet" : "undecimated",
                                            .start_level = later > 0 && turn % 2 ? 1 + turn % later : 0,
                                            .backend = backends[b], .threads = 1 + turn % 2);
                    check(&p, turn % 3 > 0);
                }
            }
        }
    }
}

static void test_signals(void **state)
{
    (void)state;
    for (int n = 2; n <= 20; n++) {
        check_size(n, 1, 1, levels_most(n), 0);
        if (n % 3 == 0)
            check_size(1, n, 1, 1 + n % levels_most(n), 0);
    }
}

static void test_images(void **state)
{
    static const int size[][3] = {{2, 2, 1},  {3, 2, 2},   {5, 7, 3},  {16, 8, 3},
                                  {9, 20, 5}, {33, 70, 2}, {150, 3, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        check_size(size[i][0], size[i][1], 1, size[i][2], 0);
}

static void test_volumes(void **state)
{
    static const int size[][4] = {{2, 2, 2, 1}, {5, 4, 3, 2}, {3, 1, 8, 2}, {9, 6, 5, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        check_size(size[i][0], size[i][1], size[i][2], size[i][3], size[i][3]);
    check_size(6, 5, 4, 2, WP_LEVELS_NONE);
    check_size(6, 5, 4, WP_LEVELS_NONE, 2);
}

// Volumes whose inverses the backend "cpu" computes in strips of rows.
static void test_strips(void **state)
{
    static const struct {
        const char *wavelet, *border;
        int size[3], levels, levels_z;
    } cases[] = {{"cdf53", "symmetric", {96, 150, 9}, 2, 2},
                 {"db3", "periodic", {70, 131, 12}, 1, 1},
                 {"cdf97", "periodic", {1, 150, 200}, 1, 1},
                 {"cdf53", "symmetric", {300, 400, 4}, WP_LEVELS_NONE, 1}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
            .width = cases[i / 2].size[0], .height = cases[i / 2].size[1],
            .depth = cases[i / 2].size[2], .levels = cases[i / 2].levels,
            .levels_z = cases[i / 2].levels_z, .wavelet = cases[i / 2].wavelet,
            .border = cases[i / 2].border, .norm = "pywt", .bank = "undecimated", .backend = "cpu",
            .threads = 3);
        check(&p, i % 2);
    }
}

// A transform of each level, from the low band of the one before, has the bits of all levels
// together.
static void test_start_level(void **state)
{
    enum { W = 37, H = 24, LEVELS = 4, ALL = 3 * LEVELS + 1 };
    static float image[H][W], all[ALL][H][W], level[LEVELS + 1][4][H][W], again[H][W];
    (void)state;
    for (int i = 0; i < W * H; i++)
        (&level[0][0][0][0])[i] = (&image[0][0])[i] = (float)noise();
    for (int b = 0; b < 2; b++) {
        struct wp_transform_params p =
            WP_TRANSFORM_PARAMS(.width = W, .height = H, .levels = LEVELS, .wavelet = "db4",
                                .border = "periodic", .bank = "undecimated", .backend = "cpu",
                                .threads = 1 + b);
        struct wp_transform *t = create(&p);
        assert_true(wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(all)));
        for (int l = 1; l <= LEVELS; l++) {
            p.levels = 1;
            p.start_level = l - 1;
            struct wp_transform *one = create(&p);
            assert_true(wp_transform_forward(one, WP_ARRAY(level[l - 1][0]), WP_ARRAY(level[l])));
            assert_memory_equal(level[l][1], all[1 + 3 * (LEVELS - l)], 3 * sizeof image);
            wp_transform_destroy(&one);
        }
        assert_memory_equal(level[LEVELS][0], all[0], sizeof image);
        assert_true(wp_transform_inverse(t, WP_ARRAY(all), WP_ARRAY(image)));
        for (int l = LEVELS; l > 0; l--) {
            p.start_level = l - 1;
            struct wp_transform *one = create(&p);
            assert_true(wp_transform_inverse(one, WP_ARRAY(level[l]), WP_ARRAY(again)));
            memcpy(level[l - 1][0], again, sizeof again);
            wp_transform_destroy(&one);
        }
        assert_memory_equal(again, image, sizeof image);
        wp_transform_destroy(&t);
    }
}

// Axes of one sample that `rank` names have bands, too.
static void test_rank(void **state)
{
    (void)state;
    struct wp_transform_params p =
        WP_TRANSFORM_PARAMS(.width = 8, .height = 1, .levels = 2, .rank = 2, .wavelet = "haar",
                            .border = "periodic", .norm = "pywt", .bank = "undecimated",
                            .backend = "cpu");
    for (int b = 0; b < 2; b++) {
        p.backend = backends[b];
        struct wp_transform *t = create(&p);
        assert_int_equal(wp_transform_band_count(t), 7);
        double x[8], c[56], again[8];
        for (int i = 0; i < 8; i++)
            x[i] = noise();
        run(t, false, x, 8, c, 56, true);
        for (int i = 16; i < 56; i++)
            assert_true((i / 8 - 1) % 3 == 0 || fabs(c[i]) < 1e-15); // high-pass along y
        run(t, true, c, 56, again, 8, true);
        assert_near(again, x, 8, 1e-14, &p, "rank");
        wp_transform_destroy(&t);
    }
}

// Planes have the bits of single planes, also of other types, and with operands
// per band.
static void test_batches(void **state)
{
    enum { W = 19, H = 11, PLANES = 13, BANDS = 7 };
    static float image[PLANES][H][W], all[PLANES][BANDS][H][W], one[BANDS][H][W];
    static float band[BANDS][H][W];
    static uint8_t bytes[H][W];
    (void)state;
    for (int i = 0; i < PLANES * H * W; i++)
        (&image[0][0][0])[i] = (float)(i * 37 % 251) / 255;
    for (int adjoint = 0; adjoint < 2; adjoint++) {
        struct wp_transform_params p =
            WP_TRANSFORM_PARAMS(.width = W, .height = H, .planes = PLANES, .levels = 2,
                                .bank = "undecimated", .border = "symmetric", .backend = "cpu",
                                .adjoint = adjoint, .threads = 2);
        struct wp_transform *batch = create(&p);
        p.planes = 0;
        struct wp_transform *single = create(&p);
        assert_true(wp_transform_forward(batch, WP_ARRAY(image), WP_ARRAY(all)));
        for (int i = 0; i < PLANES; i++) {
            assert_true(wp_transform_forward(single, WP_ARRAY(image[i]), WP_ARRAY(one)));
            assert_memory_equal(one, all[i], sizeof one);
        }
        static float restored[PLANES][H][W], of_one[H][W];
        assert_true(wp_transform_inverse(batch, WP_ARRAY(all), WP_ARRAY(restored)));
        for (int i = 0; i < PLANES; i++) {
            assert_true(wp_transform_inverse(single, WP_ARRAY(all[i]), WP_ARRAY(of_one)));
            assert_memory_equal(of_one, restored[i], sizeof of_one);
        }
        // Pixels, and one operand per band.
        struct wp_operand view[BANDS] = {{0}}, separate = {.band = view, .bands = BANDS};
        const struct wp_operand pixels = {.data = bytes, .type = WP_ELEMENT_U8};
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                bytes[y][x] = (uint8_t)(x * 31 + y * 57);
                of_one[y][x] = (float)bytes[y][x] / 255;
            }
        for (int b = 0; b < BANDS; b++)
            view[b] = (struct wp_operand){.data = band[b]};
        assert_true(wp_transform_forward(single, &pixels, &separate));
        assert_true(wp_transform_forward(single, WP_ARRAY(of_one), WP_ARRAY(one)));
        assert_memory_equal(one, band, sizeof one);
        assert_true(wp_transform_inverse(single, &separate, WP_ARRAY(restored)));
        assert_true(wp_transform_inverse(single, WP_ARRAY(one), WP_ARRAY(of_one)));
        assert_memory_equal(of_one, restored, sizeof of_one);
        wp_transform_destroy(&batch);
        wp_transform_destroy(&single);
    }
}

static void test_starlet_sum(void **state)
{
    enum { W = 37, H = 22, LEVELS = 4 };
    static float image[H][W], plane[LEVELS + 1][H][W];
    (void)state;
    for (int i = 0; i < W * H; i++)
        (&image[0][0])[i] = (float)noise();
    struct wp_transform_params p = WP_TRANSFORM_PARAMS(.width = W, .height = H, .levels = LEVELS,
                                                       .bank = "starlet", .backend = "cpu");
    struct wp_transform *t = create(&p);
    assert_true(wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(plane)));
    for (int i = 0; i < W * H; i++) {
        double sum = 0;
        for (int l = 0; l <= LEVELS; l++)
            sum += (double)(&plane[l][0][0])[i];
        assert_true(fabs(sum - (double)(&image[0][0])[i]) <= 1e-6);
    }
    wp_transform_destroy(&t);
}

static void test_rejected(void **state)
{
    (void)state;
    const struct {
        struct wp_transform_params params;
        const char *message;
    } cases[] = {
        {WP_TRANSFORM_PARAMS(.border = "pywt-zero", .bank = "undecimated"),
         "does not support border"},
        {WP_TRANSFORM_PARAMS(.wavelet = "db4", .bank = "undecimated"),
         "not symmetric about a sample"},
        {WP_TRANSFORM_PARAMS(.wavelet = "haar", .bank = "undecimated"),
         "not symmetric about a sample"},
        {WP_TRANSFORM_PARAMS(.layout = "mixed", .bank = "starlet"), "layout 'mixed'"},
        {WP_TRANSFORM_PARAMS(.levels = 6, .bank = "starlet"), "at most 5 levels"},
        {WP_TRANSFORM_PARAMS(.levels = 3, .start_level = 3, .bank = "starlet"), "at most 2 levels"},
        {WP_TRANSFORM_PARAMS(.start_level = 5, .bank = "starlet"), "at most 4 here"},
        {WP_TRANSFORM_PARAMS(.start_level = -1, .bank = "starlet"), "(0 to 30)"},
        {WP_TRANSFORM_PARAMS(.start_level = 1), "requires a redundant bank"},
        {WP_TRANSFORM_PARAMS(.reversible = true, .bank = "undecimated"), "no reversible"},
        {WP_TRANSFORM_PARAMS(.depth = 8, .levels = 2, .levels_z = 1, .bank = "starlet"), "as many"},
        {WP_TRANSFORM_PARAMS(.depth = 8, .gop = 4, .bank = "starlet"), "slices in groups"},
        {WP_TRANSFORM_PARAMS(.depth = 8, .bank = "starlet", .decomposition = "spatial-temporal"),
         "decomposition"},
        {WP_TRANSFORM_PARAMS(.backend = "cpu", .variant = "smdwt", .bank = "starlet"),
         "only the variant"},
        {WP_TRANSFORM_PARAMS(.levels_z = 1, .bank = "starlet"), "no levels along z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wp_transform_params p = cases[i].params;
        p.width = 32;
        p.height = 20;
        p.backend = p.backend ? p.backend : "reference";
        wp_begin_attempt();
        struct wp_transform *t = wp_transform_create(&p);
        wp_end_attempt();
        assert_null(t);
        if (!strstr(wp_last_error_text(), cases[i].message))
            fail_msg("case %zu: %s", i, wp_last_error_text());
    }
    // Other backends name those that have it; `auto` finds one.
    for (int i = 0; wp_backends[i]; i++)
        if (!wp_backends[i]->banks) {
            wp_begin_attempt();
            assert_false(wp_backend_check_bank(wp_backends[i], WP_BANK_STARLET));
            wp_end_attempt();
            assert_non_null(strstr(wp_last_error_text(), "'cpu'"));
        }
}

// `auto` skips backends that lack the bank or its levels along z: a shader of a scheme that is named
// would run in fragment. Names do not have the scheme of backends that ignore it, and no wavelet for
// the starlet.
static void test_auto(void **state)
{
    (void)state;
    static const struct {
        const char *bank, *backend, *name;
        int depth;
    } cases[] = {
        {"undecimated", NULL, NULL, 4},
        {"starlet", NULL, NULL, 4},
        {"undecimated", "cpu", "cdf97/undecimated", 1},
        {"undecimated", "reference", "cdf97/undecimated", 4},
        {"starlet", "cpu", "starlet", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
            .width = 8, .height = 8, .depth = cases[i].depth, .bank = cases[i].bank,
            .scheme = cases[i].backend ? NULL : "sep-convolution", .backend = cases[i].backend);
        struct wp_transform *t = wp_transform_create(&p);
        float x[8 * 8 * 4] = {1}, *c = calloc(8 * 8 * 4 * 29, sizeof *c);
        assert_non_null(t);
        assert_non_null(c);
        assert_true(wp_transform_forward(t, WP_ARRAY(x), WP_ARRAY(c)));
        if (cases[i].name)
            assert_string_equal(wp_transform_get_info(t)->name, cases[i].name);
        else
            assert_string_not_equal(wp_transform_get_info(t)->backend, "fragment");
        free(c);
        wp_transform_destroy(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_signals),  cmocka_unit_test(test_images),
        cmocka_unit_test(test_volumes),  cmocka_unit_test(test_start_level),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_batches),  cmocka_unit_test(test_starlet_sum),
        cmocka_unit_test(test_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
