// Denoising by blocks of planes that are too large for caches: the bits of a transform of the whole
// plane, an edit and the inverse; shifts, and operands that overlap.
#include "denoise_tests.h"

#include "denoise.h"
#include "transform.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 20 };

static float x[MOST], y[MOST], expected[2 * MOST], c[2 * MOST];

static int make(const int size[3])
{
    const int count = size[0] * size[1] * size[2];
    uint64_t seed = 3;
    assert_true(count >= 1 << 19 && count <= MOST);
    for (int i = 0; i < count; i++)
        x[i] = (float)((i % size[0] / 9 + i / size[0] / 14) % 2 * 0.5 + 0.1 * normal(&seed));
    return count;
}

static void assert_same(const float *actual, const float *wanted, int count)
{
    for (int i = 0; i < count; i++)
        if (actual[i] != wanted[i])
            fail_msg("sample %d is %g, but expected %g", i, (double)actual[i], (double)wanted[i]);
}

struct limits {
    int count;
    double sigma[64], threshold[64];
};

static void see(void *user, int plane, const struct wp_band_info *band, double sigma,
                double threshold)
{
    struct limits *l = user;
    (void)plane, (void)band;
    assert_true(l->count < 64);
    l->sigma[l->count] = sigma;
    l->threshold[l->count++] = threshold;
}

// A transform of the whole plane, an edit, and the inverse.
static void expect(struct wp_transform_params size, const char *how, bool per_level,
                   const struct limits *seen)
{
    struct wp_edit edit;
    struct wp_edit_limit limit[64] = {{0}};
    double gain[64];
    size.backend = "cpu";
    size.norm = "orthonormal";
    size.wavelet = "haar";
    struct wp_transform *t = wp_transform_create(&size);
    const struct wp_description *d = wp_transform_description(t);
    const struct wp_edit_noise noise = {.per_level = per_level, .gain = gain, .limit = limit};
    assert_true(wp_description_coefficients(d) <= 2 * MOST && wp_subband_count(d) <= 64);
    assert_true(wp_edit_noise_gains(d, gain));
    assert_true(wp_edit_parse("threshold", how, &edit));
    assert_true(wp_transform_forward(t, WP_ARRAY(x), WP_ARRAY(c)));
    assert_true(wp_edit_apply(&edit, &noise,
                              &(struct wp_edit_target){d, wp_description_depth(d), 1, c}, NULL));
    assert_true(wp_transform_inverse(t, WP_ARRAY(c), WP_ARRAY(expected)));
    int count = 0; // bands that have coefficients
    for (int b = 1; b < wp_subband_count(d); b++) {
        const struct wp_band_grid grid = wp_subband_describe(d, b).grid;
        if (grid.size[WP_X] == 0 || grid.size[WP_Y] == 0 || grid.size[WP_Z] == 0)
            continue;
        assert_true(seen->sigma[count] == limit[b].sigma && limit[b].sigma > 0.05);
        assert_true(seen->threshold[count++] == limit[b].threshold && limit[b].threshold > 0);
    }
    assert_int_equal(seen->count, count);
    wp_transform_destroy(&t);
}

static void test_bits(void **state)
{
    (void)state;
    static const struct {
        int size[3], levels, levels_z;
        const char *border, *method, *how;
        bool per_level;
    } forms[] = {
        {{1021, 517, 1}, 5, 0, "symmetric", "bayes", "soft:bayes", false},
        {{1024, 512, 1}, 4, 0, "periodic", "bayes", "soft:bayes", true},
        {{701, 777, 1}, 6, 0, "pywt-symmetric", "bayes", "soft:bayes", true},
        {{1000, 527, 1}, 3, 0, "pywt-smooth", "visu", "soft:universal", false},
        {{90, 6001, 1}, 3, 0, "pywt-antireflect", "bayes", "soft:bayes", false},
        {{600000, 1, 1}, 4, 0, "symmetric", "bayes", "soft:bayes", false},
        {{101, 77, 69}, 3, 3, "symmetric", "bayes", "soft:bayes", false},
        {{128, 64, 72}, 4, 4, "pywt-symmetric", "visu", "soft:universal", true},
        {{130, 65, 67}, 3, WP_LEVELS_NONE, "symmetric", "bayes", "soft:bayes", true},
        {{67, 70, 129}, WP_LEVELS_NONE, 3, "pywt-zero", "bayes", "soft:bayes", false},
        // Blocks with the first levels only.
        {{9001, 115, 1}, 6, 0, "symmetric", "bayes", "soft:bayes", true},
        {{9000, 100, 1}, 6, 0, "pywt-symmetric", "visu", "soft:universal", false},
        {{512, 61, 33}, 5, 5, "symmetric", "bayes", "soft:bayes", true},
        {{511, 60, 33}, 5, 5, "pywt-constant", "bayes", "soft:bayes", false},
        {{1400, 64, 11}, 6, 2, "symmetric", "bayes", "soft:bayes", false},
        {{8190, 2, 63}, WP_LEVELS_NONE, 5, "symmetric", "bayes", "soft:bayes", false},
        {{300, 600, 3}, 2, 1, "symmetric", "bayes", "soft:bayes", false},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct limits seen = {0};
        const int *n = forms[f].size, count = make(n);
        const struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = n[0], .height = n[1], .depth = n[2], .levels = forms[f].levels,
            .levels_z = forms[f].levels_z, .border = forms[f].border, .threads = (int)f % 3);
        const struct wp_denoise_params params =
            WP_DENOISE_PARAMS(.transform = &size, .shifts = 1, .method = forms[f].method,
                              .per_level = forms[f].per_level, .on_band = see, .user = &seen);
        struct wp_denoiser *d = wp_denoise_create(&params);
        assert_non_null(d);
        assert_true(wp_denoise_run(d, WP_ARRAY(x), WP_ARRAY(y)));
        expect(size, forms[f].how, forms[f].per_level, &seen);
        assert_same(y, expected, count);
        seen.count = 0;
        // In place, again, and to an array that overlaps the samples by a part.
        memcpy(c, x, (size_t)count * sizeof *c);
        assert_true(wp_denoise_run(d, WP_ARRAY(c), WP_ARRAY(c)));
        assert_same(c, expected, count);
        seen.count = 0;
        memcpy(c, x, (size_t)count * sizeof *c);
        assert_true(wp_denoise_run(d, WP_ARRAY(c), WP_ARRAY(c + 1000)));
        assert_same(c + 1000, expected, count);
        wp_denoise_destroy(&d);
    }
}

// The mean of shifts, of an image in an array that is larger by the largest one.
static void test_shifts(void **state)
{
    (void)state;
    enum { W = 900, H = 611, SHIFTS = 3, LEVELS = 3, LARGER = 7 };
    static float moved[(W + LARGER) * (H + LARGER)];
    static double sum[W * H];
    const int shift[SHIFTS][2] = {{0, 0}, {11 % 8, 0}, {0, 11 % 8}};
    struct limits seen = {0};
    struct wp_transform_params size =
        WP_TRANSFORM_PARAMS(.width = W, .height = H, .levels = LEVELS);
    struct wp_denoise_params params = WP_DENOISE_PARAMS(.transform = &size, .shifts = SHIFTS,
                                                        .on_band = see, .user = &seen);
    make((const int[]){W, H, 1});
    assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
    params.on_band = NULL;
    params.shifts = 1;
    params.sigma = seen.sigma[0]; // of the first shift
    size.width = W + 3;
    size.height = H + 3;
    for (int i = 0; i < SHIFTS; i++) {
        for (int v = 0; v < size.height; v++) {
            for (int u = 0; u < size.width; u++) {
                const int a = abs(u - shift[i][0]), b = abs(v - shift[i][1]);
                moved[v * size.width + u] =
                    x[(b < H ? b : 2 * (H - 1) - b) * W + (a < W ? a : 2 * (W - 1) - a)];
            }
        }
        assert_true(wp_denoise(&params, WP_ARRAY(moved), WP_ARRAY(moved)));
        for (int k = 0; k < W * H; k++)
            sum[k] += (double)moved[(k / W + shift[i][1]) * size.width + k % W + shift[i][0]];
    }
    for (int k = 0; k < W * H; k++)
        if (!(fabs((double)y[k] - sum[k] / SHIFTS) <= 1e-6))
            fail_msg("sample %d is %g, but expected %g", k, (double)y[k], sum[k] / SHIFTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_shifts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
