// Denoising: thresholds and noise by their formulas, computed here from the coefficients of another
// transform; rules; cycle spinning; colors; operands; rejected parameters.
#include "denoise_tests.h"

#include "edit.h"
#include "operand.h"
#include "shrink.h"
#include "transform.h"

#include <stdio.h>
#include <stdlib.h>

enum { BANDS_MAX = 64 };

// Rectangles and a ramp, with noise.
static void make(float *x, int width, int height, int depth, double sigma, uint64_t seed)
{
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++)
            for (int i = 0; i < width; i++)
                x[(z * height + y) * width + i] =
                    (float)((i / 9 + y / 7 + z / 5) % 2 * 0.5 + i * 0.004 + sigma * normal(&seed));
}

struct seen {
    int count;
    struct {
        int plane, level;
        char name[8];
        double sigma, threshold;
    } band[BANDS_MAX];
};

static void see(void *user, int plane, const struct wp_band_info *band, double sigma,
                double threshold)
{
    struct seen *s = user;
    assert_true(s->count < BANDS_MAX);
    s->band[s->count].plane = plane;
    s->band[s->count].level = band->level;
    s->band[s->count].sigma = sigma;
    s->band[s->count].threshold = threshold;
    snprintf(s->band[s->count++].name, sizeof s->band[0].name, "%s", band->name);
}

static void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance) && !(isinf(actual) && isinf(expected)))
        fail_msg("%.9g, but expected %.9g", actual, expected);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The thresholds by definition, for n sorted magnitudes.
static double universal(double n, double sigma)
{
    return sigma * sqrt(2 * log(n));
}

static double bayes(const double *m, int n, double sigma)
{
    double energy = 0;
    for (int i = 0; i < n; i++)
        energy += m[i] * m[i];
    const double variance = energy / n - sigma * sigma;
    return variance > 0 ? sigma * sigma / sqrt(variance) : INFINITY;
}

static double sure(const double *m, int n, double sigma)
{
    double energy = 0, best = 0, least = n;
    for (int i = 0; i < n; i++)
        energy += m[i] * m[i] / (sigma * sigma);
    if (energy / n - 1 <= pow(log2(n), 1.5) / sqrt(n))
        return universal(n, sigma);
    for (int k = 0; k < n; k++) {
        const double t = m[k] / sigma;
        double risk = n;
        if (t > sqrt(2 * log(n)))
            break;
        for (int i = 0; i < n; i++) {
            const double x = m[i] / sigma;
            risk += fmin(x, t) * fmin(x, t) - (x <= t ? 2 : 0);
        }
        if (risk < least) {
            least = risk;
            best = t;
        }
    }
    return best * sigma;
}

// The coefficients of a subband of Haar's orthonormal transform, by its definition for one level:
// sums and differences of 2x2 samples.
static int haar(const float *x, int width, int height, int high_x, int high_y, double *m)
{
    int n = 0;
    for (int y = 0; y < height; y += 2)
        for (int i = 0; i < width; i += 2) {
            const float *at = &x[y * width + i];
            m[n++] = fabs(at[0] + (high_x ? -1 : 1) * at[1] +
                          (high_y ? -1 : 1) * (at[width] + (high_x ? -1 : 1) * at[width + 1])) / 2;
        }
    qsort(m, (size_t)n, sizeof *m, compare);
    return n;
}

static void test_thresholds(void **state)
{
    (void)state;
    enum { W = 40, H = 26 };
    static const char *const methods[] = {"bayes", "sure", "visu"};
    static float x[W * H], y[W * H];
    static double m[W * H / 4];
    const struct wp_transform_params size =
        WP_TRANSFORM_PARAMS(.width = W, .height = H, .levels = 1, .wavelet = "haar");
    for (int given = 0; given < 2; given++) {
        for (int k = 0; k < 3; k++) {
            struct seen seen = {0};
            const struct wp_denoise_params params = WP_DENOISE_PARAMS(
                .transform = &size, .method = methods[k], .shifts = 1, .on_band = see,
                .user = &seen, .sigma = given ? 0.07 : 0);
            make(x, W, H, 1, 0.1, 5);
            int n = haar(x, W, H, 1, 1, m);
            const double sigma =
                given ? 0.07 : (m[n / 2 - 1] + m[n / 2]) / 2 / 0.6744897501960817;
            assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
            assert_int_equal(seen.count, 3);
            for (int b = 0; b < 3; b++) {
                n = haar(x, W, H, seen.band[b].name[0] == 'H', seen.band[b].name[1] == 'H', m);
                const double t = k == 0   ? bayes(m, n, sigma)
                                 : k == 1 ? sure(m, n, sigma)
                                          : universal(W * H, sigma);
                assert_near(seen.band[b].sigma, sigma, 1e-6);
                assert_near(seen.band[b].threshold, t, 2e-6 * t);
            }
        }
    }
}

// White noise of a known standard deviation, for wavelets whose subbands have different gains of
// noise; and noise that is stronger in the second level.
static void test_sigma(void **state)
{
    (void)state;
    enum { W = 256 };
    static const char *const wavelets[] = {"haar", "db4", "cdf53", "cdf97"};
    static float x[W * W], y[W * W];
    for (size_t w = 0; w < sizeof wavelets / sizeof *wavelets; w++) {
        struct seen seen = {0};
        const struct wp_transform_params size =
            WP_TRANSFORM_PARAMS(.width = W, .height = W, .levels = 3, .wavelet = wavelets[w],
                                .border = "periodic"); // the others change noise at the ends
        struct wp_denoise_params params = WP_DENOISE_PARAMS(
            .transform = &size, .shifts = 1, .on_band = see, .user = &seen, .per_level = true);
        uint64_t seed = 3;
        for (int i = 0; i < W * W; i++)
            x[i] = (float)(2 * normal(&seed));
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        // The relative error of a median of n numbers is about 1.2 / sqrt(n).
        assert_int_equal(seen.count, 9);
        for (int b = 0; b < seen.count; b++)
            assert_near(seen.band[b].sigma, 2, 4 * 1.2 * 2 / (W >> seen.band[b].level));
        // Nothing but noise: it is removed but for the mean.
        double squares = 0;
        for (int i = 0; i < W * W; i++)
            squares += (double)y[i] * (double)y[i];
        assert_true(sqrt(squares / (W * W)) < 0.5);
        // Noise of blocks of 2x2 samples is white from the second level on.
        for (int i = 0; i < W * W; i++)
            x[i] = i / W % 2 ? x[i - W] : i % 2 ? x[i - 1] : x[i];
        seen.count = 0;
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        assert_true(seen.band[0].sigma > 3 && seen.band[8].sigma < 1.5);
    }
}

static void test_rules(void **state)
{
    (void)state;
    const float t = 0.75F;
    for (int rule = 0; rule < WP_SHRINK_COUNT; rule++) {
        for (int step = 1; step < 3; step++) {
            float x[2 * 41], expected[2 * 41];
            for (int i = 0; i < 2 * 41; i++)
                x[i] = expected[i] = (float)(i / step - 20) / 8;
            for (int i = 0; i < 41; i++) {
                const float v = x[i * step];
                expected[i * step] = fabsf(v) <= t            ? 0
                                     : rule == WP_SHRINK_HARD ? v
                                     : rule == WP_SHRINK_SOFT ? (v < 0 ? v + t : v - t)
                                                              : v - t * t / v;
            }
            x[3 * step] = expected[3 * step] = NAN;
            wp_shrink_row((enum wp_shrink)rule, x, step, 41, t);
            for (int i = 0; i < 2 * 41; i++)
                assert_true(isnan(expected[i]) ? isnan(x[i])
                                               : fabsf(x[i] - expected[i]) <= 1e-7F);
            wp_shrink_row((enum wp_shrink)rule, x, step, 41, INFINITY);
            for (int i = 0; i < 41; i++)
                assert_true(i == 3 ? isnan(x[i * step]) : x[i * step] == 0);
        }
    }
    const float x[] = {1, 2, NAN, 3, 4, 5, 6, 7, 8, INFINITY, 9};
    assert_near(wp_shrink_energy(x, 1, 11), 285, 0);
    assert_near(wp_shrink_energy(x, 5, 3), 1 + 25 + 81, 0);
}

// With a threshold of almost 0 each shift restores the image, at every position, also at the ends.
// Shifts of a periodic image do not change the result.
static void test_shifts(void **state)
{
    (void)state;
    static const struct {
        int width, height, depth, shifts, levels;
        const char *wavelet, *border;
    } forms[] = {
        {37, 22, 1, 7, 2, NULL, NULL},       {37, 22, 1, WP_SHIFTS_ALL, 2, "cdf97", NULL},
        {37, 1, 1, 5, 3, NULL, NULL},        {13, 9, 6, 9, 1, NULL, NULL},
        {13, 9, 6, WP_SHIFTS_ALL, 2, "sym4", NULL}, {32, 16, 1, 16, 2, "db2", "periodic"},
        {31, 17, 1, 16, 2, "db2", "pywt-zero"},     {1, 12, 1, 4, 2, NULL, NULL},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        const int count = forms[f].width * forms[f].height * forms[f].depth;
        float x[37 * 22], y[37 * 22], turned[37 * 22], z[37 * 22];
        const struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = forms[f].width, .height = forms[f].height, .depth = forms[f].depth,
            .levels = forms[f].levels, .wavelet = forms[f].wavelet, .border = forms[f].border);
        struct wp_denoise_params params = WP_DENOISE_PARAMS(
            .transform = &size, .shifts = forms[f].shifts, .sigma = 1e-9, .method = "visu");
        make(x, forms[f].width, forms[f].height, forms[f].depth, 0.1, 7);
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        for (int i = 0; i < count; i++)
            assert_near((double)y[i], (double)x[i], 2e-6);
        if (!forms[f].border || strcmp(forms[f].border, "periodic") != 0)
            continue;
        // All shifts of the image, and those of the image moved by (3, 1), are the same set.
        params.sigma = 0.1;
        params.shifts = WP_SHIFTS_ALL;
        const int w = forms[f].width, h = forms[f].height;
        for (int i = 0; i < count; i++)
            turned[i] = x[(i / w + 1) % h * w + (i % w + 3) % w];
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        assert_true(wp_denoise(&params, WP_ARRAY(turned), WP_ARRAY(z)));
        for (int i = 0; i < count; i++)
            assert_near((double)z[i], (double)y[(i / w + 1) % h * w + (i % w + 3) % w], 2e-6);
    }
}

// One shift is the transform, an edit of its coefficients and the inverse.
static void test_one_shift(void **state)
{
    (void)state;
    enum { W = 45, H = 30, EXTENT = 47 * 32 };
    static const char *const borders[] = {"symmetric", "pywt-symmetric"};
    for (int b = 0; b < 2; b++) {
        float x[W * H], y[W * H], expected[W * H], c[2 * EXTENT];
        struct wp_wavelet wavelet;
        struct wp_description description;
        struct wp_transform_params size =
            WP_TRANSFORM_PARAMS(.width = W, .height = H, .levels = 2, .wavelet = "haar",
                                .border = borders[b], .backend = "cpu", .norm = "orthonormal");
        const struct wp_denoise_params params =
            WP_DENOISE_PARAMS(.transform = &size, .shifts = 1, .rule = "garrote");
        struct wp_transform *t = wp_transform_create(&size);
        struct wp_edit edit;
        make(x, W, H, 1, 0.1, 9);
        assert_true(wp_transform_resolve(&size, &wavelet, &description));
        assert_true(wp_description_coefficients(&description) <= 2 * EXTENT);
        const struct wp_edit_target target = {&description, 1, 1, c};
        assert_true(wp_transform_forward(t, WP_ARRAY(x), WP_ARRAY(c)));
        assert_true(wp_edit_parse("threshold", "garrote:bayes", &edit));
        assert_true(wp_edit_apply(&edit, NULL, &target, NULL));
        assert_true(wp_transform_inverse(t, WP_ARRAY(c), WP_ARRAY(expected)));
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        double changed = 0;
        for (int i = 0; i < W * H; i++) {
            assert_near((double)y[i], (double)expected[i], 1e-6);
            changed = fmax(changed, fabs((double)(y[i] - x[i])));
        }
        assert_true(changed > 0.1);
        wp_transform_destroy(&t);
    }
}

// An image without noise is not changed, although shifts have details that look like noise.
static void test_no_noise(void **state)
{
    (void)state;
    enum { W = 64, N = W * W };
    static const char *const methods[] = {"bayes", "sure", "visu"};
    static float x[N], y[N];
    const struct wp_transform_params size = WP_TRANSFORM_PARAMS(.width = W, .height = W);
    for (int i = 0; i < N; i++)
        x[i] = (float)((i % W / 8 + i / W / 4) % 2);
    for (int k = 0; k < 3; k++) {
        const struct wp_denoise_params params =
            WP_DENOISE_PARAMS(.transform = &size, .method = methods[k]);
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        for (int i = 0; i < N; i++)
            assert_near((double)y[i], (double)x[i], 2e-6);
    }
}

// Several shifts are the mean of the results for the image at these positions, in an array that is
// larger by the largest one, with reflected ends.
static void test_mean_of_shifts(void **state)
{
    (void)state;
    enum { W = 21, H = 14, LEVELS = 2, SHIFTS = 7 };
    float x[W * H], y[W * H], moved[(W + 3) * (H + 3)];
    double sum[W * H] = {0};
    int shift[SHIFTS][2], most[2] = {0, 0};
    for (int i = 0; i < SHIFTS; i++) {
        // Bits 0, 2, ... of i and 1, 3, ....
        shift[i][0] = 11 * ((i & 1) + (i >> 2 & 1) * 2) % 4;
        shift[i][1] = 11 * ((i >> 1 & 1) + (i >> 3 & 1) * 2) % 4;
        for (int a = 0; a < 2; a++)
            most[a] = shift[i][a] > most[a] ? shift[i][a] : most[a];
    }
    struct wp_transform_params size =
        WP_TRANSFORM_PARAMS(.width = W, .height = H, .levels = LEVELS, .wavelet = "cdf53");
    struct wp_denoise_params params =
        WP_DENOISE_PARAMS(.transform = &size, .shifts = SHIFTS, .sigma = 0.1);
    make(x, W, H, 1, 0.1, 2);
    assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
    size.width = W + most[0];
    size.height = H + most[1];
    params.shifts = 1;
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
        assert_near((double)y[k], sum[k] / SHIFTS, 2e-6);
}

// Each plane of a batch as if it were alone, with any strides and types, in place, and more planes
// than are denoised together.
static void test_batch(void **state)
{
    (void)state;
    enum { W = 24, H = 18, P = 3, B = 4, N = W * H };
    static float one[N], plain[N], all[B * P * N];
    static double wide[B * P * N];
    for (int shifts = 1; shifts < 6; shifts += 4) {
        struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = W, .height = H, .planes = P, .batch = {B}, .levels = 2);
        const struct wp_denoise_params params =
            WP_DENOISE_PARAMS(.transform = &size, .shifts = shifts);
        // Interleaved planes of doubles, in reverse order along the batch.
        struct wp_operand array = {.data = wide + (B - 1) * P * N, .type = WP_ELEMENT_F64};
        array.stride[WP_X] = P;
        array.stride[WP_Y] = P * W;
        array.stride[WP_PLANE] = 1;
        array.stride[WP_BATCH] = -P * N;
        for (int e = 0; e < B * P; e++) {
            make(one, W, H, 1, 0.05 * (e + 1), (uint64_t)e);
            memcpy(all + e * N, one, sizeof one);
            for (int i = 0; i < N; i++)
                wide[(B - 1 - e / P) * P * N + i * P + e % P] = (double)one[i];
        }
        assert_true(wp_denoise(&params, &array, &array));
        assert_true(wp_denoise(&params, WP_ARRAY(all), WP_ARRAY(all)));
        size.planes = 1;
        size.batch[0] = 1;
        for (int e = 0; e < B * P; e++) {
            make(one, W, H, 1, 0.05 * (e + 1), (uint64_t)e);
            assert_true(wp_denoise(&params, WP_ARRAY(one), WP_ARRAY(plain)));
            assert_memory_equal(plain, all + e * N, sizeof plain);
            for (int i = 0; i < N; i++)
                assert_near(wide[(B - 1 - e / P) * P * N + i * P + e % P], (double)plain[i], 2e-6);
        }
    }
    // 5 planes of 2^20 samples, of which 4 are a chunk.
    const struct wp_transform_params large =
        WP_TRANSFORM_PARAMS(.width = 1024, .height = 1024, .planes = 5, .levels = 1);
    const struct wp_denoise_params params = WP_DENOISE_PARAMS(.transform = &large, .shifts = 2);
    float *x = calloc(5U << 20, sizeof *x);
    assert_non_null(x);
    for (int p = 0; p < 5; p++)
        make(x + ((size_t)p << 20), 1024, 1024, 1, 0.1, 1);
    assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(x)));
    assert_memory_equal(x, x + (4U << 20), sizeof(float) << 20);
    free(x);
}

// Y, Cb and Cr: noise of equal strength in red, green and blue, and a gray image, which has the
// same values in all of them.
static void test_colors(void **state)
{
    (void)state;
    enum { W = 64, N = W * W };
    static float x[3 * N], y[3 * N];
    struct seen seen = {0};
    const struct wp_transform_params size =
        WP_TRANSFORM_PARAMS(.width = W, .height = W, .planes = 3, .levels = 1);
    struct wp_denoise_params params =
        WP_DENOISE_PARAMS(.transform = &size, .shifts = 1, .sigma = 0.1, .color = "ycbcr",
                          .on_band = see, .user = &seen);
    // The norms of the rows of BT.601: Y, (B - Y) / 1.772, (R - Y) / 1.402.
    const double gains[] = {sqrt(0.299 * 0.299 + 0.587 * 0.587 + 0.114 * 0.114),
                            sqrt(0.299 * 0.299 + 0.587 * 0.587 + 0.886 * 0.886) / 1.772,
                            sqrt(0.701 * 0.701 + 0.587 * 0.587 + 0.114 * 0.114) / 1.402};
    make(x, W, W, 1, 0.1, 3);
    memcpy(x + N, x, N * sizeof *x);
    memcpy(x + 2 * N, x, N * sizeof *x);
    assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
    assert_int_equal(seen.count, 9);
    for (int b = 0; b < 9; b++)
        assert_near(seen.band[b].sigma, 0.1 * gains[b / 3], 1e-7);
    for (int i = 0; i < N; i++) {
        assert_near((double)y[i], (double)y[N + i], 1e-6);
        assert_near((double)y[i], (double)y[2 * N + i], 1e-6);
    }
    params.sigma = 1e-9;
    make(x + N, W, W, 1, 0.3, 4);
    assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
    for (int i = 0; i < 3 * N; i++)
        assert_near((double)y[i], (double)x[i], 2e-6);
}

// A sigma for each level, of a volume with more levels in the plane, of a redundant bank, and of
// chrominance; each level has the threshold of that sigma for all levels.
static void test_level_sigma(void **state)
{
    (void)state;
    enum { W = 32, H = 24, D = 8, LEVELS = 3 };
    static const struct {
        int depth, planes, levels_z;
        const char *bank, *color, *method;
    } forms[] = {
        {1, 1, 0, NULL, NULL, "bayes"},      {D, 1, 2, NULL, NULL, "sure"},
        {1, 1, 0, "starlet", NULL, "bayes"}, {1, 3, 0, NULL, "ycbcr", "visu"},
        {D, 1, WP_LEVELS_NONE, "undecimated", NULL, "bayes"},
    };
    const double sigma[LEVELS] = {0.1, 0.04, 0.07};
    static float x[W * H * D], y[W * H * D];
    make(x, W, H, D, 0.1, 8);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct seen seen = {0};
        const struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = W, .height = H, .depth = forms[f].depth, .planes = forms[f].planes,
            .levels = LEVELS, .levels_z = forms[f].levels_z, .bank = forms[f].bank);
        struct wp_denoise_params p = WP_DENOISE_PARAMS(
            .transform = &size, .method = forms[f].method, .color = forms[f].color, .on_band = see,
            .user = &seen, .level_sigma = sigma, .level_sigmas = LEVELS);
        assert_true(wp_denoise(&p, WP_ARRAY(x), WP_ARRAY(y)));
        p.level_sigma = NULL;
        p.level_sigmas = 0;
        for (int l = 1; l <= LEVELS; l++) {
            struct seen same = {0};
            p.user = &same;
            p.sigma = sigma[l - 1];
            assert_true(wp_denoise(&p, WP_ARRAY(x), WP_ARRAY(y)));
            assert_int_equal(same.count, seen.count);
            int bands = 0;
            for (int b = 0; b < seen.count; b++) {
                if (seen.band[b].level != l)
                    continue;
                bands++;
                assert_near(seen.band[b].sigma, same.band[b].sigma, 0);
                assert_near(seen.band[b].threshold, same.band[b].threshold, 0);
            }
            assert_true(bands > 0);
        }
    }
}

// An axis of one sample that has high bands, which are 0 but for rounding.
static void test_one_sample(void **state)
{
    (void)state;
    const struct wp_transform_params size = WP_TRANSFORM_PARAMS(
        .width = 64, .height = 1, .rank = 2, .wavelet = "db3", .border = "pywt-symmetric");
    struct seen seen = {0};
    const struct wp_denoise_params p = WP_DENOISE_PARAMS(
        .transform = &size, .rule = "garrote", .shifts = 1, .on_band = see, .user = &seen);
    float x[64], y[64];
    uint64_t seed = 5;
    for (int i = 0; i < 64; i++)
        x[i] = (float)(i / 20 + 0.1 * normal(&seed));
    assert_true(wp_denoise(&p, WP_ARRAY(x), WP_ARRAY(y)));
    assert_true(seen.band[0].sigma > 0.05 && seen.band[0].sigma < 0.3);
    for (int i = 0; i < 64; i++)
        assert_true(fabs((double)(x[i] - y[i])) < 1);
}

static void test_rejected(void **state)
{
    (void)state;
    struct wp_transform_params size = WP_TRANSFORM_PARAMS(.width = 8, .height = 8);
    struct wp_denoise_params p = WP_DENOISE_PARAMS(.transform = &size);
    const struct wp_denoise_params good = p;
    float x[64] = {0};
    assert_true(wp_denoise(&p, WP_ARRAY(x), WP_ARRAY(x)));
    reject(NULL, "the parameters of denoising are NULL");
    reject(&(struct wp_denoise_params){0}, "WP_DENOISE_PARAMS");
    p.struct_size++;
    reject(&p, "of no known version");
    p = good;
    p.method = "bayse";
    reject(&p, "unknown method 'bayse'");
    p = good;
    p.rule = "firm";
    reject(&p, "unknown rule 'firm'");
    p = good;
    p.color = "ycbcr";
    reject(&p, "there is 1 plane");
    p = good;
    p.sigma = -1;
    reject(&p, "sigma cannot be -1");
    p.sigma = NAN;
    reject(&p, "sigma cannot be nan");
    p.sigma = 1;
    p.per_level = true;
    reject(&p, "also to be estimated");
    const double levels[] = {1, 0.5, -1};
    p = good;
    size.levels = 2;
    p.level_sigma = levels;
    p.level_sigmas = 3;
    reject(&p, "sigma is given for 3 levels, and the transform has 2");
    p.level_sigmas = 2;
    assert_true(wp_denoise(&p, WP_ARRAY(x), WP_ARRAY(x)));
    p.sigma = 1;
    reject(&p, "also one of all levels");
    p.sigma = 0;
    p.per_level = true;
    reject(&p, "also to be estimated");
    p.per_level = false;
    size.levels = p.level_sigmas = 3;
    reject(&p, "sigma of level 3 cannot be -1");
    p.level_sigma = NULL;
    reject(&p, "sigma of 3 levels is NULL");
    size.levels = 0;
    p = good;
    p.shifts = -2;
    reject(&p, "-2 shifts");
    p = good;
    p.transform = NULL;
    reject(&p, "the parameters are NULL");
    p = good;
    size.reversible = true;
    reject(&p, "reversible");
    size.reversible = false;
    size.bank = "starlet";
    size.start_level = 1;
    reject(&p, "denoising does not support start levels");
    size.bank = NULL;
    size.start_level = 0;
    size.wavelet = "none";
    reject(&p, "unknown wavelet");
    size.wavelet = NULL;
    wp_begin_attempt();
    assert_false(wp_denoise(&p, WP_ARRAY(x), WP_ARRAY(NULL)));
    assert_false(wp_denoise(&p, WP_ARRAY(x),
                            &(struct wp_operand){.data = x, .location = WP_LOCATION_CUDA}));
    assert_false(wp_denoise_run(NULL, WP_ARRAY(x), WP_ARRAY(x)));
    wp_end_attempt();
    struct wp_denoiser *none = NULL;
    wp_denoise_destroy(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thresholds), cmocka_unit_test(test_sigma),
        cmocka_unit_test(test_rules),      cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_one_shift),  cmocka_unit_test(test_batch),
        cmocka_unit_test(test_mean_of_shifts), cmocka_unit_test(test_no_noise),
        cmocka_unit_test(test_colors),     cmocka_unit_test(test_level_sigma),
        cmocka_unit_test(test_one_sample), cmocka_unit_test(test_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
