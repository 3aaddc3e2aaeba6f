// The queries of wavepass_query.h agree with the transforms: all names are accepted, the reported
// numbers of levels fit, and the filters compute the coefficients.
#include "wavepass_query.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void ignore_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

static int setup(void **state)
{
    (void)state;
    wp_log_set_handler(ignore_message, NULL);
    return 0;
}

static char **names_of(enum wp_query query, const char *backend)
{
    char **names = wp_query_names(query, backend);
    if (!names)
        fail_msg("%s", wp_last_error_text());
    return names;
}

static bool has(char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void expect_transform(const struct wp_transform_params *params, const char *name)
{
    struct wp_transform *t = wp_transform_create(params);
    if (!t)
        fail_msg("%s: %s", name, wp_last_error_text());
    wp_transform_destroy(&t);
}

// The reference backend supports all schemes, borders, normalizations, layouts and decompositions.
static void test_names_are_accepted(void **state)
{
    (void)state;
    static const struct {
        enum wp_query query;
        size_t member;
        int depth;
        const char *first, *another;
    } lists[] = {
        {WP_QUERY_WAVELETS, offsetof(struct wp_transform_params, wavelet), 1, "haar", "db4"},
        {WP_QUERY_SCHEMES, offsetof(struct wp_transform_params, scheme), 1, NULL,
         "nonsep-lifting"},
        {WP_QUERY_VOLUME_SCHEMES, offsetof(struct wp_transform_params, scheme), 4, NULL,
         "planar-lifting"},
        {WP_QUERY_BORDERS, offsetof(struct wp_transform_params, border), 1, "symmetric", "periodic"},
        {WP_QUERY_NORMS, offsetof(struct wp_transform_params, norm), 1, "jpeg2000", "none"},
        {WP_QUERY_LAYOUTS, offsetof(struct wp_transform_params, layout), 1, "mallat", "mixed"},
        {WP_QUERY_DECOMPOSITIONS, offsetof(struct wp_transform_params, decomposition), 4, "dyadic",
         "spatial-temporal"},
    };
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        char **names = names_of(lists[l].query, NULL);
        assert_true(has(names, lists[l].another));
        if (lists[l].first)
            assert_string_equal(names[0], lists[l].first);
        for (int i = 0; names[i]; i++) {
            struct wp_transform_params params =
                WP_TRANSFORM_PARAMS(.width = 64, .height = 64, .depth = lists[l].depth,
                                    .levels = 1, .wavelet = "haar", .backend = "reference");
            if (lists[l].query == WP_QUERY_WAVELETS)
                params.border = "periodic";
            memcpy((char *)&params + lists[l].member, &names[i], sizeof names[i]);
            expect_transform(&params, names[i]);
        }
        wp_query_free(names);
    }
    char **precisions = names_of(WP_QUERY_PRECISIONS, NULL);
    assert_true(has(precisions, "f32") && has(precisions, "f16"));
    wp_query_free(precisions);
}

static void test_backends(void **state)
{
    (void)state;
    char **backends = names_of(WP_QUERY_BACKENDS, NULL);
    assert_true(has(backends, "cpu") && has(backends, "reference"));
    for (int i = 0; backends[i]; i++) {
        char **variants = names_of(WP_QUERY_VARIANTS, backends[i]);
        char **devices = names_of(WP_QUERY_DEVICES, backends[i]);
        if (strcmp(backends[i], "cpu") == 0) {
            assert_null(devices[1]);
            assert_int_equal(strncmp(devices[0], "CPU", 3), 0);
        }
        for (int d = 0; devices[d]; d++) {
            struct wp_transform_params params = WP_TRANSFORM_PARAMS(
                .width = 8, .height = 8, .backend = backends[i], .device = d + 1);
            struct wp_transform *t = wp_transform_create(&params);
            if (!t && devices[d][0])
                fail_msg("%s, device %d '%s': %s", backends[i], d, devices[d], wp_last_error_text());
            if (t)
                assert_int_equal(
                    strncmp(wp_transform_get_info(t)->device, devices[d], 3), 0);
            wp_transform_destroy(&t);
        }
        wp_query_free(variants);
        wp_query_free(devices);
    }
    char **variants = names_of(WP_QUERY_VARIANTS, "cpu");
    for (int i = 0; variants[i]; i++) {
        const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = 8, .height = 8, .wavelet = "haar", .backend = "cpu", .variant = variants[i]);
        expect_transform(&params, variants[i]);
    }
    wp_query_free(variants);
    wp_query_free(backends);
}

static void test_levels(void **state)
{
    (void)state;
    static const struct {
        int width, height, depth;
        const char *border;
        int levels, levels_z;
    } cases[] = {
        {640, 480, 1, "symmetric", 10, 0}, {640, 480, 1, "periodic", 5, 0},
        {1, 1, 1, "symmetric", 0, 0},      {12, 12, 5, "symmetric", 4, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wp_transform_params params =
            WP_TRANSFORM_PARAMS(.width = cases[i].width, .height = cases[i].height,
                                .depth = cases[i].depth, .border = cases[i].border,
                                .levels = 1, .backend = "reference");
        int levels = -7, levels_z = -7;
        assert_true(wp_query_levels(&params, &levels, &levels_z));
        assert_int_equal(levels, cases[i].levels);
        assert_int_equal(levels_z, cases[i].levels_z);
        if (levels == 0)
            continue;
        params.levels = levels;
        params.levels_z = levels_z;
        expect_transform(&params, "the most levels");
        params.levels++;
        assert_null(wp_transform_create(&params));
    }
}

// An image of one row is transformed along x only.
static void test_filters_make_coefficients(void **state)
{
    (void)state;
    enum { N = 64, TAPS = 256 };
    static const char *const wavelets[] = {"haar", "cdf53", "cdf97", "db4", "bior3.3"};
    static const char *const norms[] = {"jpeg2000", "orthonormal", "none"};
    for (size_t c = 0; c < sizeof wavelets / sizeof *wavelets * 3; c++) {
        const char *wavelet = wavelets[c / 3], *norm = norms[c % 3];
        struct wp_transform_params params =
            WP_TRANSFORM_PARAMS(.width = N, .height = 1, .levels = 1, .border = "periodic",
                                .wavelet = wavelet, .norm = norm, .backend = "reference");
        params.height =
            2; // a periodic axis has an even size: two equal rows have no details along y
        double taps[4][TAPS];
        int first[4], count[4];
        for (int f = 0; f < 4; f++) {
            count[f] =
                wp_query_filter(wavelet, norm, (enum wp_query_filter)f, &first[f], taps[f], TAPS);
            if (count[f] < 1 || count[f] > TAPS)
                fail_msg("%s: %d taps: %s", wavelet, count[f], wp_last_error_text());
            int first_too;
            assert_int_equal(
                wp_query_filter(wavelet, norm, (enum wp_query_filter)f, &first_too, NULL, 0),
                count[f]);
            assert_int_equal(first_too, first[f]);
        }
        float x[2 * N], coefficients[2 * N];
        for (int i = 0; i < N; i++)
            x[i] = x[N + i] = (float)(i * 7 % 11) / 11;
        struct wp_transform *t = wp_transform_create(&params);
        assert_non_null(t);
        assert_true(wp_transform_forward(t, WP_ARRAY(x), WP_ARRAY(coefficients)));
        struct wp_band_info low, high;
        assert_true(wp_transform_get_band(t, 0, &low) && wp_transform_get_band(t, 1, &high));
        // Two equal samples along y become low = gain * value.
        double gain_y = 0;
        for (int k = 0; k < count[0]; k++)
            gain_y += taps[0][k];
        double band[2][N / 2];
        for (int n = 0; n < N / 2; n++) {
            for (int b = 0; b < 2; b++) {
                band[b][n] = 0;
                for (int k = 0; k < count[b]; k++)
                    band[b][n] += taps[b][k] * (double)x[(2 * n + b + first[b] + k + 4 * N) % N];
                const struct wp_band_info *info = b ? &high : &low;
                const double computed =
                    (double)coefficients[info->offset + n * info->stride[0]] / gain_y;
                if (!(fabs(computed - band[b][n]) < 1e-5 * (1 + fabs(band[b][n]))))
                    fail_msg("%s, %s: band %d, coefficient %d is %g, the filter gives %g", wavelet,
                             norm, b, n, computed, band[b][n]);
            }
        }
        // The inverse.
        double restored[N] = {0};
        for (int m = 0; m < N / 2; m++)
            for (int b = 0; b < 2; b++)
                for (int k = 0; k < count[2 + b]; k++)
                    restored[(2 * m + b + first[2 + b] + k + 4 * N) % N] +=
                        taps[2 + b][k] * band[b][m];
        for (int i = 0; i < N; i++)
            if (!(fabs(restored[i] - (double)x[i]) < 1e-9))
                fail_msg("%s, %s: sample %d is %g, not %g", wavelet, norm, i, restored[i],
                         (double)x[i]);
        wp_transform_destroy(&t);
    }
}

// The offset and the steps of a band address its coefficients in the array.
static void test_bands_in_both_layouts(void **state)
{
    (void)state;
    enum { W = 11, H = 6, D = 5, SAMPLES = W * H * D };
    static const char *const layouts[] = {"mallat", "mixed"};
    float in[SAMPLES], array[SAMPLES], packed_mallat[SAMPLES], packed[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        in[i] = (float)(i * 37 % 101);
    for (int layout = 0; layout < 2; layout++) {
        const struct wp_transform_params params =
            WP_TRANSFORM_PARAMS(.width = W, .height = H, .depth = D, .levels = 2, .levels_z = 2,
                                .wavelet = "cdf53", .backend = "reference", .layout = layouts[layout]);
        struct wp_transform *t = wp_transform_create(&params);
        assert_non_null(t);
        assert_true(wp_transform_forward(t, WP_ARRAY(in), WP_ARRAY(array)));
        float *at = packed;
        const int bands = wp_transform_band_count(t);
        for (int b = 0; b < bands; b++) {
            struct wp_band_info info;
            assert_true(wp_transform_get_band(t, b, &info));
            for (int z = 0; z < info.depth; z++)
                for (int y = 0; y < info.height; y++)
                    for (int x = 0; x < info.width; x++)
                        *at++ = array[info.offset + x * info.stride[0] + y * info.stride[1] +
                                      z * info.stride[2]];
        }
        assert_int_equal(at - packed, SAMPLES);
        wp_transform_destroy(&t);
        if (layout == 0)
            memcpy(packed_mallat, packed, sizeof packed);
    }
    // In the order of bands, both layouts have equal coefficients.
    assert_memory_equal(packed_mallat, packed, sizeof packed);
}

static void test_rejected(void **state)
{
    (void)state;
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(.width = 3, .height = 3, .border = "periodic");
    int number;
    double tap;
    assert_null(wp_query_names(WP_QUERY_VARIANTS, "none such"));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_null(wp_query_names(WP_QUERY_DEVICES, NULL));
    assert_null(wp_query_names((enum wp_query)99, NULL));
    assert_false(wp_query_levels(&params, &number, NULL));
    assert_false(wp_query_levels(NULL, &number, NULL));
    wp_clear_error();
    assert_int_equal(wp_query_filter("none such", NULL, WP_QUERY_ANALYSIS_LOW, &number, &tap, 1), 0);
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_int_equal(wp_query_filter("haar", "none such", WP_QUERY_ANALYSIS_LOW, &number, &tap, 1), 0);
    assert_int_equal(wp_query_filter("haar", NULL, (enum wp_query_filter)4, &number, &tap, 1), 0);
    assert_int_equal(wp_query_filter("haar", NULL, WP_QUERY_ANALYSIS_LOW, NULL, &tap, 1), 0);
    assert_int_equal(wp_query_filter("haar", NULL, WP_QUERY_ANALYSIS_LOW, &number, NULL, 1), 0);
    wp_query_free(NULL);
}

static void test_version(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", WAVEPASS_VERSION_MAJOR, WAVEPASS_VERSION_MINOR,
             WAVEPASS_VERSION_PATCH);
    assert_string_equal(text, WAVEPASS_VERSION);
    assert_string_equal(text, wp_version());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_accepted),
        cmocka_unit_test(test_backends),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_filters_make_coefficients),
        cmocka_unit_test(test_bands_in_both_layouts),
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
