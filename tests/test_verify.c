// The verifier detects errors, with their position: a wrong tap in the backend's wavelet, and a
// wrong value in its result.
#include "reference.h"
#include "verify.h"
#include "wavelet_growth.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 21, HEIGHT = 14, DEPTH = 9, AREA = WIDTH * HEIGHT, ROWS_MAX = 200 };

static float image[AREA * DEPTH]; // the tests of images use its first slice

struct rows {
    int count;
    struct wp_verify_row row[ROWS_MAX];
};

static void store_row(void *user, const struct wp_verify_row *row)
{
    struct rows *rows = user;
    assert_true(rows->count < ROWS_MAX);
    rows->row[rows->count++] = *row;
}

static struct wp_wavelet find(const char *name)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    return wavelet;
}

static void fill_image(float scale)
{
    uint32_t seed = 5;
    for (int i = 0; i < AREA * DEPTH; i++) {
        seed = seed * 1664525u + 1013904223u;
        image[i] = (float)(seed >> 8) / (float)(1 << 24) * scale;
    }
}

static struct rows verify_with(const struct wp_backend *backend,
                               const struct wp_verify_params *given)
{
    char reason[256];
    struct wp_device *device = wp_backend_reference.open(-1, false, reason, sizeof reason);
    assert_non_null(device);
    struct rows rows = {0};
    struct wp_verify_params params = *given;
    params.backend = backend;
    params.device = device;
    params.plane = image;
    assert_true(wp_verify(&params, store_row, &rows));
    wp_backend_reference.close(device);
    return rows;
}

// Verifies the reference backend, or one derived from it.
static struct rows verify(const struct wp_backend *backend, const struct wp_wavelet *wavelet,
                          const struct wp_wavelet *tested, enum wp_norm norm, int levels)
{
    return verify_with(backend, &(struct wp_verify_params){.wavelet = wavelet,
                                                           .tested = tested,
                                                           .norm = norm,
                                                           .extent = {{WIDTH, HEIGHT}, levels, 0}});
}

static struct rows verify_volume(const struct wp_backend *backend,
                                 const struct wp_wavelet *wavelet, enum wp_norm norm, int levels,
                                 int levels_z)
{
    return verify_with(backend, &(struct wp_verify_params){
                                    .wavelet = wavelet,
                                    .norm = norm,
                                    .extent = {{WIDTH, HEIGHT, DEPTH}, levels, levels_z}});
}

static struct rows verify_temporal(const struct wp_backend *backend,
                                   const struct wp_wavelet *wavelet, enum wp_norm norm)
{
    return verify_with(backend, &(struct wp_verify_params){
                                    .wavelet = wavelet,
                                    .norm = norm,
                                    .decomposition = WP_DECOMPOSITION_SPATIAL_TEMPORAL,
                                    .extent = {{WIDTH, HEIGHT, DEPTH}, 2, 3}});
}

static void test_everything_passes(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("cdf97");
    const struct rows rows = verify(&wp_backend_reference, &wavelet, NULL, WP_NORM_JPEG2000, 3);
    assert_int_equal(rows.count,
                     WP_SCHEME_KINDS * 2 * WP_BORDER_NATIVE * WP_VERIFY_ONE_SLICE);
    for (int i = 0; i < rows.count; i++) {
        assert_int_equal(rows.row[i].status, WP_VERIFY_PASSED);
        // The plain forms of lifting steps have a larger tolerance.
        const bool less = rows.row[i].form == WP_FORM_PLAIN &&
                          rows.row[i].kind->grouping != WP_GROUP_ALL;
        assert_true(rows.row[i].error <= 1e-6);
        assert_true(less ? rows.row[i].tolerance > 1e-5 && rows.row[i].tolerance < 2e-5
                         : rows.row[i].tolerance == 1e-5);
        assert_null(rows.row[i].reason);
        for (int j = 0; j < i; j++)
            assert_false(rows.row[j].kind == rows.row[i].kind &&
                         rows.row[j].form == rows.row[i].form &&
                         rows.row[j].border == rows.row[i].border &&
                         rows.row[j].check == rows.row[i].check);
    }
}

static void test_one_scheme(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("haar");
    const struct rows rows =
        verify_with(&wp_backend_reference,
                    &(struct wp_verify_params){.wavelet = &wavelet,
                                               .kinds = 1U << WP_SCHEME_NONSEP_LIFTING,
                                               .extent = {{WIDTH, HEIGHT}, 1, 0}});
    assert_int_equal(rows.count, 2 * WP_BORDER_NATIVE * WP_VERIFY_ONE_SLICE);
    assert_ptr_equal(rows.row[0].kind, &wp_scheme_kinds[WP_SCHEME_NONSEP_LIFTING]);
}

static int run_count;

static bool count_run(struct wp_exec *exec, double *seconds)
{
    run_count++;
    return wp_backend_reference.run(exec, seconds);
}

// If all schemes give the same results, they are run and reported once.
static void test_no_schemes(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("cdf53");
    struct wp_backend backend = wp_backend_reference;
    backend.schemeless = true;
    backend.run = count_run;
    run_count = 0;
    const struct rows rows = verify(&backend, &wavelet, NULL, WP_NORM_JPEG2000, 1);
    assert_int_equal(rows.count, WP_BORDER_NATIVE * WP_VERIFY_ONE_SLICE);
    for (int i = 0; i < rows.count; i++) {
        assert_null(rows.row[i].kind);
        assert_int_equal(rows.row[i].status, WP_VERIFY_PASSED);
    }
    assert_int_equal(run_count, WP_BORDER_NATIVE * 3); // forward, and the inverse of two inputs
}

// One pixel is 1, and the predict tap for the even sample to the right is 0.01 too large. The
// prediction along both axes in the quad to the left and above is then wrong by 0.5^2 - 0.49^2, the
// largest error (the update reduces errors of one axis).
static void test_wrong_tap(void **state)
{
    (void)state;
    enum { COLUMN = 5, ROW = 3 };
    memset(image, 0, sizeof image);
    image[2 * ROW * WIDTH + 2 * COLUMN] = 1;
    const struct wp_wavelet wavelet = find("cdf53");
    struct wp_wavelet wrong = wavelet;
    assert_int_equal(wrong.pair[0].predict.tap[1].k, 1);
    wrong.pair[0].predict.tap[1].c += 0.01;
    const struct rows rows =
        verify(&wp_backend_reference, &wavelet, &wrong, WP_NORM_JPEG2000, 1);
    assert_int_equal(rows.count, WP_SCHEME_KINDS * 2 * WP_BORDER_NATIVE * WP_VERIFY_ONE_SLICE);
    for (int i = 0; i < rows.count; i++) {
        const struct wp_verify_row *row = &rows.row[i];
        // Wrong lifting steps are inverted by equally wrong ones.
        if (row->check == WP_VERIFY_ROUND_TRIP) {
            assert_int_equal(row->status, WP_VERIFY_PASSED);
            continue;
        }
        assert_int_equal(row->status, WP_VERIFY_FAILED);
        if (row->check == WP_VERIFY_INVERSE) {
            assert_null(row->band.letters);
            continue;
        }
        assert_int_equal(row->band.level, 1);
        assert_int_equal(row->band.band, WP_BAND_HH);
        assert_int_equal(row->at[WP_X], COLUMN - 1);
        assert_int_equal(row->at[WP_Y], ROW - 1);
        assert_true(fabs(row->error - 0.0099) < 1e-6);
        assert_true(row->tolerance == 1e-5);
    }
}

// A coefficient of HH2, at (1,2) of the band in the Mallat layout of 21x14.
enum { WRONG_X = 6 + 1, WRONG_Y = 4 + 2 };

static bool store_wrong(struct wp_exec *exec, const struct wp_operand *to)
{
    if (!wp_backend_reference.store(exec, to))
        return false;
    ((float *)to->data)[WRONG_Y * WIDTH + WRONG_X] += 2e-5F;
    return true;
}

static bool store_nan(struct wp_exec *exec, const struct wp_operand *to)
{
    if (!wp_backend_reference.store(exec, to))
        return false;
    ((float *)to->data)[WRONG_Y * WIDTH + WRONG_X] = NAN;
    return true;
}

static const struct wp_verify_row *find_row(const struct rows *rows, enum wp_verify_check check)
{
    for (int i = 0; i < rows->count; i++)
        if (rows->row[i].check == check && rows->row[i].border == WP_BORDER_SYMMETRIC)
            return &rows->row[i];
    fail_msg("no such row");
    return NULL;
}

static void test_wrong_value(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("cdf53");
    bool (*const stores[])(struct wp_exec *, const struct wp_operand *) = {store_wrong, store_nan};
    for (int s = 0; s < 2; s++) {
        struct wp_backend backend = wp_backend_reference;
        backend.store = stores[s];
        const struct rows rows = verify(&backend, &wavelet, NULL, WP_NORM_JPEG2000, 2);
        const struct wp_verify_row *forward = find_row(&rows, WP_VERIFY_FORWARD);
        assert_int_equal(forward->status, WP_VERIFY_FAILED);
        assert_int_equal(forward->band.level, 2);
        assert_int_equal(forward->band.band, WP_BAND_HH);
        assert_int_equal(forward->at[WP_X], 1);
        assert_int_equal(forward->at[WP_Y], 2);
        assert_true(s ? isinf(forward->error) : fabs(forward->error - 2e-5) < 1e-6);
        const struct wp_verify_row *inverse = find_row(&rows, WP_VERIFY_INVERSE);
        assert_int_equal(inverse->status, WP_VERIFY_FAILED);
        assert_int_equal(inverse->band.level, 0);
        assert_int_equal(inverse->at[WP_X], WRONG_X);
        assert_int_equal(inverse->at[WP_Y], WRONG_Y);
    }
}

// Tolerances scale with the gain of the band and with the data.
static void test_tolerances(void **state)
{
    (void)state;
    struct wp_backend backend = wp_backend_reference;
    backend.store = store_wrong;
    const struct wp_wavelet wavelet = find("cdf97");
    const double zeta2 = wavelet.zeta * wavelet.zeta;
    // With one level the wrong value is in LL1. Level 2 transforms LL1 and divides by the same
    // gain.
    const struct {
        enum wp_norm norm;
        int levels;
        enum wp_band band;
        double tolerance;
    } cases[] = {
        {WP_NORM_NONE, 1, WP_BAND_LL, 1e-5 * zeta2},
        {WP_NORM_NONE, 2, WP_BAND_HH, 1e-5},
        {WP_NORM_ORTHONORMAL, 2, WP_BAND_HH, 1e-5},
    };
    fill_image(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rows rows = verify(&backend, &wavelet, NULL, cases[i].norm, cases[i].levels);
        const struct wp_verify_row *row = find_row(&rows, WP_VERIFY_FORWARD);
        assert_int_equal(row->status, WP_VERIFY_FAILED);
        assert_int_equal(row->band.level, cases[i].levels);
        assert_int_equal(row->band.band, cases[i].band);
        assert_true(fabs(row->tolerance - cases[i].tolerance) < 1e-15);
    }
    fill_image(4);
    image[7] = -7.25F;
    const struct rows rows = verify(&backend, &wavelet, NULL, WP_NORM_JPEG2000, 2);
    const struct wp_verify_row *row = find_row(&rows, WP_VERIFY_FORWARD);
    assert_int_equal(row->status, WP_VERIFY_PASSED);
    assert_true(fabs(row->tolerance - 7.25e-5) < 1e-15);
}

static double gain_of(const char *name, bool inverse, int levels)
{
    const struct wp_wavelet wavelet = find(name);
    return wp_wavelet_noise_gain(&wavelet, inverse, levels);
}

// The forward noise gain of a level is the sum of squares of the low-pass taps.
static void test_noise_gain(void **state)
{
    (void)state;
    static double low[WP_FILTER_SIZE], high[WP_FILTER_SIZE];
    const struct wp_wavelet loud = find("cdf75");
    double sum = 0;
    wp_wavelet_filters(&loud, low, high);
    for (int k = 0; k < WP_FILTER_SIZE; k++)
        sum += low[k] * low[k];
    assert_true(sum > 1.05);
    assert_true(fabs(pow(gain_of("cdf75", false, 1), 2) - sum) < 1e-12);
    // An orthogonal wavelet preserves noise: half of it is in the low-pass band.
    assert_true(fabs(gain_of("db4", false, 5) - 1) < 1e-12);
    assert_true(fabs(gain_of("db4", true, 5) - 1) < 1e-12);
    // The inverse of bior3.1 has the low-pass taps -1/4, 3/4, 3/4, -1/4 times 2, whose sum of
    // squares is 5, for two samples. It is the synthesis filter of rbio3.1.
    assert_true(fabs(pow(gain_of("rbio3.1", true, 1), 2) - 2.5) < 1e-12);
    assert_true(gain_of("bior3.1", true, 8) < 1 + 1e-12);
    // One of 2^8 samples is at the peak of rbio3.1's scaling function, which doubles with each
    // level: 181 (from PyWavelets' taps), on average 25. Orthogonal wavelets have almost no peak.
    assert_true(fabs(gain_of("rbio3.1", true, 8) - 181 / 1.5) < 0.5);
    assert_true(fabs(gain_of("rbio3.1", true, 9) / gain_of("rbio3.1", true, 8) - 2) < 0.01);
    assert_true(gain_of("rbio2.2", true, 8) > 3.8);
    assert_true(gain_of("cdf97", true, 8) < 1.1);
    // Smoothed errors grow less: the gain of two levels is below the square.
    assert_true(gain_of("cdf75", false, 2) < sum);
    assert_true(gain_of("cdf75", false, 2) > sqrt(sum));
}

// The low-pass of cdf75 amplifies noise in each level, including rounding errors.
static void test_noise(void **state)
{
    (void)state;
    const struct wp_wavelet quiet = find("cdf97"), loud = find("cdf75");
    assert_true(wp_verify_tolerance(&(struct wp_description){.wavelet = &quiet, .levels = 5}, 5) ==
                1e-5);
    // Each axis to its number of levels.
    const struct wp_description flat = {.wavelet = &loud, .levels = 7};
    const struct wp_description volume = {.wavelet = &loud, .levels = 7, .levels_z = 5};
    const double deep = gain_of("cdf75", false, 7);
    const double single_error = wp_wavelet_error(&loud, 1, false, WP_WAVELET_EXACT);
    const double slices = gain_of("cdf75", false, 5);
    assert_true(wp_verify_tolerance(&flat, 1) == 1e-5);
    assert_true(wp_verify_tolerance(&flat, 7) == deep * deep * single_error);
    assert_true(wp_verify_tolerance(&volume, 7) == deep * deep * slices * single_error);
    assert_true(wp_verify_tolerance(&volume, 7) > wp_verify_tolerance(&flat, 7));
    assert_true(wp_verify_tolerance(&flat, 7) > 2e-5);
    // The inverse of rbio3.1 amplifies noise, the forward transform does not.
    const struct wp_wavelet rbio31 = find("rbio3.1");
    struct wp_description d = {.wavelet = &rbio31, .levels = 5};
    assert_true(wp_verify_tolerance(&d, 5) == 1e-5);
    d.direction = WP_INVERSE;
    assert_true(wp_verify_tolerance(&d, 5) > 4e-5 && wp_verify_tolerance(&d, 5) < 4e-4);
}

// If steps of several axes are fused, rounding errors of one axis are amplified by the others.
static void test_growth(void **state)
{
    (void)state;
    static const char *const exact[] = {"haar", "cdf53", "cdf97", "dd137", "d4", "db4", "sym3"};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        const struct wp_wavelet wavelet = find(exact[i]);
        for (int axes = 0; axes <= 2; axes++) {
            const double error = wp_wavelet_error(&wavelet, axes, false, WP_WAVELET_EXACT);
            if (error > WP_WAVELET_EXACT)
                fail_msg("%s: %g along %d axes", exact[i], error, axes);
        }
    }
    const struct wp_wavelet db20 = find("db20");
    struct wp_description d = {.wavelet = &db20, .levels = 3};
    assert_true(wp_verify_tolerance(&d, 3) < 1.1e-5);
    d.kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION];
    d.form = WP_FORM_PLAIN;
    assert_true(wp_verify_tolerance(&d, 3) == WP_WAVELET_EXACT);
    d.form = WP_FORM_SHADER;
    assert_true(wp_verify_tolerance(&d, 3) > 1e-4);
    d.kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_LIFTING];
    const double images = wp_verify_tolerance(&d, 3);
    assert_true(images == wp_wavelet_error(&db20, 2, false, WP_WAVELET_EXACT));
    assert_true(images > 1e-4 && images < 4e-4);
    d.levels_z = 3;
    assert_true(wp_verify_tolerance(&d, 3) > 4 * images);
    // Few steps with long filters: relevant if all products of both axes are in one sum.
    const struct wp_wavelet longer = find("rbio3.7"), shorter = find("cdf97");
    d = (struct wp_description){.wavelet = &longer, .levels = 1,
                                .kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_LIFTING]};
    assert_true(wp_verify_tolerance(&d, 1) == WP_WAVELET_EXACT);
    d.kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION];
    assert_true(wp_verify_tolerance(&d, 1) > 1.3e-5 && wp_verify_tolerance(&d, 1) < 2e-5);
    d.wavelet = &shorter;
    assert_true(wp_verify_tolerance(&d, 1) == WP_WAVELET_EXACT);
    // Unreasonable steps that are equivalent in exact arithmetic: their errors are reported.
    struct wp_wavelet bad = find("cdf53");
    double good[WP_WAVELET_AXES][2], grown[WP_WAVELET_AXES][2];
    assert_true(wp_wavelet_growth(&bad, good));
    bad.pair[1] = bad.pair[0];
    bad.pairs = 3;
    const struct wp_filter large = {.count = 1, .tap = {{0, 1000}}};
    const struct wp_filter opposite = {.count = 1, .tap = {{0, -1000}}};
    bad.pair[1] = (struct wp_pair){.predict = large};
    bad.pair[2] = (struct wp_pair){.predict = opposite};
    assert_null(wp_wavelet_finish(&bad));
    assert_true(wp_wavelet_growth(&bad, grown));
    assert_true(grown[0][0] > 100 * good[0][0]);
    assert_true(wp_wavelet_error(&bad, 1, false, WP_WAVELET_EXACT) > 1e-4);
}

static void test_skips(void **state)
{
    (void)state;
    fill_image(1);
    struct wp_wavelet wavelet = find("cdf53");
    wavelet.symmetry = WP_SYMMETRY_NONE;
    const struct rows rows = verify(&wp_backend_reference, &wavelet, NULL, WP_NORM_JPEG2000, 2);
    for (int i = 0; i < rows.count; i++) {
        const bool skipped = rows.row[i].border == WP_BORDER_SYMMETRIC;
        assert_int_equal(rows.row[i].status, skipped ? WP_VERIFY_SKIPPED : WP_VERIFY_PASSED);
        assert_int_equal(rows.row[i].reason != NULL, skipped);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        struct wp_verify_extent extent;
        enum wp_border border;
        struct wp_verify_extent expected;
    } cases[] = {
        {{{131, 97}, 3, 0}, WP_BORDER_SYMMETRIC, {{131, 97}, 3, 0}},
        {{{131, 97}, 31, 0}, WP_BORDER_SYMMETRIC, {{131, 97}, 8, 0}},
        {{{131, 97}, 3, 0}, WP_BORDER_PERIODIC, {{128, 96}, 3, 0}},
        {{{131, 97}, 31, 0}, WP_BORDER_PERIODIC, {{128, 64}, 6, 0}},
        {{{1, 7}, 3, 0}, WP_BORDER_PERIODIC, {{1, 4}, 2, 0}},
        {{{3, 100}, 3, 0}, WP_BORDER_PERIODIC, {{2, 100}, 1, 0}},
        {{{1, 1}, 3, 0}, WP_BORDER_SYMMETRIC, {{1, 1}, 0, 0}},
        {{{1, 1}, 3, 0}, WP_BORDER_PERIODIC, {{1, 1}, 0, 0}},
        {{{131, 97, 9}, 3, 31}, WP_BORDER_SYMMETRIC, {{131, 97, 9}, 3, 4}},
        {{{131, 97, 9}, 3, 2}, WP_BORDER_PERIODIC, {{128, 96, 8}, 3, 2}},
        {{{131, 97, 7}, 0, 3}, WP_BORDER_PERIODIC, {{131, 97, 4}, 0, 2}},
        {{{131, 97, 1}, 3, 0}, WP_BORDER_PERIODIC, {{128, 96, 1}, 3, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wp_verify_extent got = wp_verify_extent(&cases[i].extent, cases[i].border);
        assert_memory_equal(&got, &cases[i].expected, sizeof got);
        assert_true(got.levels <= wp_levels_most(got.size, cases[i].border));
        assert_true(got.levels_z <= wp_levels_z_most(got.size[WP_Z], cases[i].border));
    }
}

// Backends without schemes of volumes are run once; otherwise there are nine schemes. The check of
// one slice is separate.
static void test_volumes(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("cdf97");
    struct wp_backend backend = wp_backend_reference;
    for (int norm = 0; norm < WP_NORM_COUNT; norm++) {
        const struct rows rows = verify_volume(&backend, &wavelet, (enum wp_norm)norm, 2, 3);
        assert_int_equal(rows.count, WP_BORDER_NATIVE * WP_VERIFY_PRODUCTS);
        for (int i = 0; i < rows.count; i++) {
            assert_null(rows.row[i].kind);
            assert_int_equal(rows.row[i].status, WP_VERIFY_PASSED);
            assert_true(rows.row[i].check != WP_VERIFY_ONE_SLICE || rows.row[i].error == 0);
        }
    }
    backend.schemeless_volumes = false;
    const struct rows rows = verify_volume(&backend, &wavelet, WP_NORM_JPEG2000, 2, 1);
    assert_int_equal(rows.count,
                     WP_SCHEME_VOLUME_KINDS * 2 * WP_BORDER_NATIVE * WP_VERIFY_PRODUCTS);
    for (int i = 0; i < rows.count; i++) {
        const struct wp_verify_row *row = &rows.row[i];
        assert_int_equal(row->status, WP_VERIFY_PASSED);
        const double lost = row->form == WP_FORM_PLAIN ? WP_VERIFY_LOST_PLAIN : WP_VERIFY_LOST;
        assert_true(row->tolerance == (row->check == WP_VERIFY_ONE_SLICE ? 0 : lost * 1e-5));
    }
    // Wavelets with one pair, and two axes, have no larger tolerance.
    const struct wp_wavelet one_pair = find("cdf53");
    const struct rows short_ones = verify_volume(&backend, &one_pair, WP_NORM_JPEG2000, 2, 1);
    const struct rows flat_ones = verify_volume(&backend, &wavelet, WP_NORM_JPEG2000, 2, 0);
    for (int i = 0; i < rows.count; i++)
        assert_true(short_ones.row[i].tolerance <= 1e-5 && flat_ones.row[i].tolerance <= 2e-5);
}

// A coefficient of LHH1, at (3,2,1) of the band in the Mallat layout of 21x14x9.
static bool store_wrong_in_volume(struct wp_exec *exec, const struct wp_operand *to)
{
    if (!wp_backend_reference.store(exec, to))
        return false;
    ((float *)to->data)[((5 + 1) * HEIGHT + 7 + 2) * WIDTH + 3] += 4e-5F;
    return true;
}

static void test_wrong_value_in_volume(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("cdf53");
    struct wp_backend backend = wp_backend_reference;
    backend.store = store_wrong_in_volume;
    // Relative to jpeg2000, a low-pass letter has the gain sqrt(2), a high-pass one sqrt(1/2).
    static const double gains[] = {[WP_NORM_JPEG2000] = 1, [WP_NORM_ORTHONORMAL] = 0.5};
    for (int norm = 0; norm <= WP_NORM_ORTHONORMAL; norm++) {
        // The position is also valid in one slice, but wrong in both results that are compared.
        const struct rows rows = verify_volume(&backend, &wavelet, (enum wp_norm)norm, 1, 1);
        const struct wp_verify_row *forward = find_row(&rows, WP_VERIFY_FORWARD);
        assert_int_equal(forward->status, WP_VERIFY_FAILED);
        assert_int_equal(forward->band.level, 1);
        assert_int_equal((int)forward->band.band, 6);
        assert_memory_equal(forward->at, ((const int[]){3, 2, 1}), sizeof forward->at);
        assert_true(fabs(forward->tolerance - 1e-5 * sqrt(gains[norm])) < 1e-15);
        const struct wp_verify_row *inverse = find_row(&rows, WP_VERIFY_INVERSE);
        assert_int_equal(inverse->status, WP_VERIFY_FAILED);
        assert_memory_equal(inverse->at, ((const int[]){3, 9, 6}), sizeof inverse->at);
        assert_int_equal(find_row(&rows, WP_VERIFY_ONE_SLICE)->status, WP_VERIFY_PASSED);
    }
}

static int prepared_depth;

static struct wp_exec *prepare_noted(struct wp_device *device, const struct wp_description *d,
                                     const struct wp_variant *variant)
{
    prepared_depth = d->size[WP_Z];
    return wp_backend_reference.prepare(device, d, variant);
}

static bool store_wrong_slice(struct wp_exec *exec, const struct wp_operand *to)
{
    if (!wp_backend_reference.store(exec, to))
        return false;
    if (prepared_depth == 1)
        ((float *)to->data)[2] += 1e-6F;
    return true;
}

static void test_one_slice(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("cdf53");
    struct wp_backend backend = wp_backend_reference;
    backend.prepare = prepare_noted;
    backend.store = store_wrong_slice;
    const struct rows rows = verify_volume(&backend, &wavelet, WP_NORM_JPEG2000, 1, 1);
    for (int i = 0; i < rows.count; i++) {
        const struct wp_verify_row *row = &rows.row[i];
        const bool slice = row->check == WP_VERIFY_ONE_SLICE;
        assert_int_equal(row->status, slice ? WP_VERIFY_FAILED : WP_VERIFY_PASSED);
        assert_true(slice ? wp_verify_excess(row) > 1e9 : wp_verify_excess(row) < 1);
        if (slice)
            assert_memory_equal(row->at, ((const int[]){2, 0, 0}), sizeof row->at);
    }
}

// Slices first, then all levels along z: no pass has three axes, so the tolerance is not larger.
static void test_spatial_temporal(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("cdf97");
    struct wp_backend backend = wp_backend_reference;
    for (int norm = 0; norm < WP_NORM_COUNT; norm++) {
        const struct rows rows = verify_temporal(&backend, &wavelet, (enum wp_norm)norm);
        assert_int_equal(rows.count, WP_BORDER_NATIVE * WP_VERIFY_PRODUCTS);
        for (int i = 0; i < rows.count; i++)
            assert_int_equal(rows.row[i].status, WP_VERIFY_PASSED);
    }
    backend.schemeless_volumes = false;
    const struct rows rows = verify_temporal(&backend, &wavelet, WP_NORM_JPEG2000);
    for (int i = 0; i < rows.count; i++)
        assert_true(rows.row[i].status == WP_VERIFY_PASSED && rows.row[i].tolerance <= 2e-5);
}

// The first exec that was prepared for levels along z only; NULL after its store.
static struct wp_exec *along_z;
static bool pending;

static struct wp_exec *prepare_along_z(struct wp_device *device, const struct wp_description *d,
                                       const struct wp_variant *variant)
{
    struct wp_exec *exec = wp_backend_reference.prepare(device, d, variant);
    if (pending && d->levels == 0) {
        along_z = exec;
        pending = false;
    }
    return exec;
}

// A coefficient of HL2.H2, at (3,0,1) of the band in the Mallat layout of 21x14x9.
static bool store_wrong_along_z(struct wp_exec *exec, const struct wp_operand *to)
{
    if (!wp_backend_reference.store(exec, to))
        return false;
    if (exec == along_z)
        ((float *)to->data)[(6 + 3) * to->stride[WP_X] + (3 + 1) * to->stride[WP_Z]] += 4e-5F;
    along_z = exec == along_z ? NULL : along_z;
    return true;
}

static void test_wrong_value_in_spatial_temporal(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("cdf53");
    struct wp_backend backend = wp_backend_reference;
    backend.prepare = prepare_along_z;
    backend.store = store_wrong_along_z;
    // Relative to jpeg2000, a low-pass letter has the gain sqrt(2), a high-pass one sqrt(1/2): x
    // and z have one of each.
    static const double gains[] = {[WP_NORM_JPEG2000] = 1, [WP_NORM_ORTHONORMAL] = 2};
    for (int norm = 0; norm <= WP_NORM_ORTHONORMAL; norm++) {
        pending = true;
        const struct rows rows = verify_temporal(&backend, &wavelet, (enum wp_norm)norm);
        const struct wp_verify_row *forward = find_row(&rows, WP_VERIFY_FORWARD);
        assert_int_equal(forward->status, WP_VERIFY_FAILED);
        assert_string_equal(forward->band.letters, "HL.H");
        assert_int_equal(forward->band.level, 2);
        assert_int_equal(forward->band.level_z, 2);
        assert_memory_equal(forward->at, ((const int[]){3, 0, 1}), sizeof forward->at);
        assert_true(fabs(forward->tolerance - 1e-5 * gains[norm]) < 1e-15);
        assert_int_equal(find_row(&rows, WP_VERIFY_INVERSE)->status, WP_VERIFY_PASSED);
    }
}

static bool store_more(struct wp_exec *exec, const struct wp_operand *to)
{
    if (!wp_backend_reference.store(exec, to))
        return false;
    ((float *)to->data)[4 * to->stride[WP_Y] + 4] += 0.1F;
    return true;
}

// The products of adjoints do not depend on the reference: those of another wavelet are equal, those
// of a wrong value are not.
static void test_adjoints(void **state)
{
    (void)state;
    fill_image(1);
    static const unsigned all = (1U << WP_BORDER_COUNT) - 1;
    const struct wp_wavelet wavelet = find("cdf97"), other = find("cdf53");
    struct wp_backend wrong = wp_backend_reference;
    wrong.store = store_more;
    const struct {
        const struct wp_backend *backend;
        const struct wp_wavelet *tested;
        enum wp_verify_status coefficients, products;
    } cases[] = {{&wp_backend_reference, NULL, WP_VERIFY_PASSED, WP_VERIFY_PASSED},
                 {&wp_backend_reference, &other, WP_VERIFY_FAILED, WP_VERIFY_PASSED},
                 {&wrong, NULL, WP_VERIFY_FAILED, WP_VERIFY_FAILED}};
    for (int i = 0; i < 3; i++) {
        const struct rows rows =
            verify_with(cases[i].backend,
                        &(struct wp_verify_params){.wavelet = &wavelet,
                                                   .tested = cases[i].tested,
                                                   .kinds = 1U << WP_SCHEME_SEP_LIFTING,
                                                   .borders = all,
                                                   .adjoint = true,
                                                   .extent = {{WIDTH, HEIGHT}, 2, 0}});
        assert_int_equal(rows.count, 2 * WP_BORDER_COUNT * 4);
        for (int r = 0; r < rows.count; r++) {
            const struct wp_verify_row *row = &rows.row[r];
            assert_true(row->adjoint);
            assert_int_equal(row->is_last, row->check == WP_VERIFY_PRODUCTS);
            // An inverse of the wrong transform is wrong, too, with the lines of two borders less
            // than their tolerance.
            if (row->check == WP_VERIFY_PRODUCTS)
                assert_int_equal(row->status, cases[i].products);
            else if (row->check == WP_VERIFY_FORWARD && row->border < WP_BORDER_PYWT_SMOOTH)
                assert_int_equal(row->status, cases[i].coefficients);
        }
    }
}

// The borders of PyWavelets, of which only the one scheme and form is verified.
static void test_borders(void **state)
{
    (void)state;
    fill_image(1);
    const struct wp_wavelet wavelet = find("db2");
    for (int border = WP_BORDER_NATIVE; border < WP_BORDER_COUNT; border++) {
        const struct rows rows =
            verify_with(&wp_backend_reference,
                        &(struct wp_verify_params){.wavelet = &wavelet,
                                                   .kinds = 1U << WP_SCHEME_NONSEP_LIFTING,
                                                   .borders = 1U << border,
                                                   .one_form = true,
                                                   .extent = {{WIDTH, HEIGHT, DEPTH}, 2, 1}});
        assert_int_equal(rows.count, 3);
        for (int r = 0; r < rows.count; r++) {
            assert_int_equal(rows.row[r].border, border);
            assert_int_equal(rows.row[r].status, WP_VERIFY_PASSED);
            assert_false(rows.row[r].adjoint);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_passes),
        cmocka_unit_test(test_one_scheme),
        cmocka_unit_test(test_no_schemes),
        cmocka_unit_test(test_wrong_tap),
        cmocka_unit_test(test_wrong_value),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_noise_gain),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_skips),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_wrong_value_in_volume),
        cmocka_unit_test(test_one_slice),
        cmocka_unit_test(test_spatial_temporal),
        cmocka_unit_test(test_adjoints),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_wrong_value_in_spatial_temporal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
