// Denoising by redundant banks: all shifts at once, reflection at the ends, the noise of subbands,
// planes one by one, the best basis of packets, rejected parameters.
#include "denoise_tests.h"

#include "denoise.h"
#include "transform.h"
#include "wavepass_packets.h"

#include <stdio.h>

// Steps, with noise.
static void make(float *x, int count, double sigma, uint64_t seed)
{
    for (int i = 0; i < count; i++)
        x[i] = (float)(i / 7 % 3 * 0.5 + sigma * normal(&seed));
}

static void assert_near(const float *actual, const float *expected, int count, double tolerance)
{
    double worst = 0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)actual[i] - (double)expected[i]));
    if (!(worst <= tolerance))
        fail_msg("an error of %g, at most %g is expected", worst, tolerance);
}

// With periodic borders and thresholds that do not depend on the coefficients.
static void test_all_shifts(void **state)
{
    (void)state;
    static const struct {
        int width, height, depth, levels, levels_z;
        const char *wavelet, *rule;
    } forms[] = {
        {32, 16, 1, 3, 0, "haar", "soft"},     {32, 16, 1, 2, 0, "db3", "garrote"},
        {16, 32, 1, 2, 0, "cdf97", "soft"},    {8, 8, 8, 2, 0, "cdf53", "soft"},
        {8, 16, 4, 2, WP_LEVELS_NONE, "haar", "soft"}, {64, 1, 1, 4, 0, "sym4", "garrote"},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        enum { MOST = 512 };
        const int count = forms[f].width * forms[f].height * forms[f].depth;
        float x[MOST], all[MOST], once[MOST];
        struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = forms[f].width, .height = forms[f].height, .depth = forms[f].depth,
            .levels = forms[f].levels, .levels_z = forms[f].levels_z, .border = "periodic",
            .wavelet = forms[f].wavelet);
        struct wp_denoise_params params =
            WP_DENOISE_PARAMS(.transform = &size, .method = "visu", .rule = forms[f].rule,
                              .sigma = 0.1, .shifts = WP_SHIFTS_ALL);
        make(x, count, 0.1, f);
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(all)));
        size.bank = "undecimated";
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(once)));
        assert_near(once, all, count, 2e-6);
        double changed = 0;
        for (int i = 0; i < count; i++)
            changed = fmax(changed, fabs((double)(x[i] - once[i])));
        assert_true(changed > 0.05);
    }
}

// The default border is that of a periodic image of two reflected copies, as far as filters reach.
static void test_reflection(void **state)
{
    (void)state;
    enum { W = 20, H = 13, LEVELS = 2, FULL_W = 2 * (W - 1), FULL_H = 2 * (H - 1) };
    static const char *const wavelets[] = {"haar", "db2", "cdf97"};
    for (size_t w = 0; w < sizeof wavelets / sizeof *wavelets; w++) {
        float x[W * H], y[W * H], full[FULL_W * FULL_H], part[W * H];
        const int reach = ((1 << LEVELS) - 1) * (w == 0 ? 1 : w == 1 ? 3 : 0);
        const double samples = (W + 2 * reach) * (H + 2 * reach);
        struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = W, .height = H, .levels = LEVELS, .wavelet = wavelets[w],
            .bank = "undecimated");
        struct wp_denoise_params params =
            WP_DENOISE_PARAMS(.transform = &size, .method = "visu", .sigma = 0.1);
        make(x, W * H, 0.1, 3);
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        for (int v = 0; v < FULL_H; v++)
            for (int u = 0; u < FULL_W; u++)
                full[v * FULL_W + u] = x[(v < H ? v : FULL_H - v) * W + (u < W ? u : FULL_W - u)];
        size.width = FULL_W;
        size.height = FULL_H;
        size.border = "periodic";
        params.sigma *= sqrt(log(samples) / log(FULL_W * FULL_H)); // equal thresholds
        assert_true(wp_denoise(&params, WP_ARRAY(full), WP_ARRAY(full)));
        for (int v = 0; v < H; v++)
            memcpy(part + v * W, full + v * FULL_W, W * sizeof *part);
        assert_near(y, part, W * H, 2e-6);
    }
}

struct sigmas {
    int count, level[64];
    double sigma[64];
};

static void see(void *user, int plane, const struct wp_band_info *band, double sigma,
                double threshold)
{
    struct sigmas *s = user;
    (void)plane, (void)threshold;
    assert_true(s->count < 64);
    s->level[s->count] = band->level;
    s->sigma[s->count++] = sigma;
}

// White noise has the same estimate in each level: the gains of subbands are exact.
static void test_sigma(void **state)
{
    (void)state;
    enum { N = 65536 };
    static const struct {
        const char *bank, *wavelet;
        int width, height, depth, levels, bands;
    } forms[] = {
        {"undecimated", "haar", 256, 256, 1, 3, 9}, {"undecimated", "cdf97", 256, 256, 1, 3, 9},
        {"starlet", NULL, 256, 256, 1, 3, 3},       {"starlet", NULL, N, 1, 1, 4, 4},
        {"starlet", NULL, 64, 32, 32, 2, 2},
    };
    static float x[N], y[N];
    uint64_t seed = 3;
    for (int i = 0; i < N; i++)
        x[i] = (float)(2 * normal(&seed));
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct sigmas seen = {0};
        const struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = forms[f].width, .height = forms[f].height, .depth = forms[f].depth,
            .levels = forms[f].levels, .wavelet = forms[f].wavelet, .bank = forms[f].bank,
            .border = "periodic");
        const struct wp_denoise_params params = WP_DENOISE_PARAMS(
            .transform = &size, .on_band = see, .user = &seen, .per_level = true);
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        assert_int_equal(seen.count, forms[f].bands);
        // Errors of medians as of a decimated subband, which has fewer coefficients.
        const int axes = (forms[f].height > 1) + (forms[f].depth > 1) + 1;
        for (int b = 0; b < seen.count; b++) {
            const double n = N / pow(2, axes * seen.level[b]);
            if (!(fabs(seen.sigma[b] - 2) <= 4 * 1.2 * 2 / sqrt(n)))
                fail_msg("%s %s, level %d: noise of %g, but it has 2", forms[f].bank,
                         forms[f].wavelet, seen.level[b], seen.sigma[b]);
        }
        double squares = 0;
        for (int i = 0; i < N; i++)
            squares += (double)y[i] * (double)y[i];
        assert_true(sqrt(squares / N) < 0.8);
    }
}

// Planes have the bits of each alone, whether they are transformed together or not.
static void test_planes(void **state)
{
    (void)state;
    enum { W = 40, H = 30, P = 5, N = W * H };
    static const char *const banks[] = {"undecimated", "starlet", "packets"};
    static float x[P * N], y[P * N], one[N];
    for (int b = 0; b < 3; b++) {
        struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = W, .height = H, .planes = P, .levels = 3, .bank = banks[b]);
        const struct wp_denoise_params params = WP_DENOISE_PARAMS(.transform = &size);
        make(x, P * N, 0.1, 5);
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        size.planes = 1;
        for (int p = 0; p < P; p++) {
            assert_true(wp_denoise(&params, WP_ARRAY(x + p * N), WP_ARRAY(one)));
            assert_near(y + p * N, one, N, 0);
        }
    }
    // Coefficients of one plane at a time: 6 MiB and 10 subbands, but 3 planes.
    enum { LARGE = 1254, SAMPLES = LARGE * LARGE };
    static float image[3 * SAMPLES], plane[SAMPLES];
    const float *last = image + 2 * SAMPLES;
    struct wp_transform_params size = WP_TRANSFORM_PARAMS(
        .width = LARGE, .height = LARGE, .planes = 3, .levels = 3, .bank = "undecimated");
    const struct wp_denoise_params params = WP_DENOISE_PARAMS(.transform = &size);
    struct wp_denoiser *denoiser = wp_denoise_create(&params);
    assert_non_null(denoiser);
    assert_true(wp_denoise_bytes(denoiser) < 21 * 4.0 * LARGE * LARGE);
    make(image, 3 * SAMPLES, 0.1, 6);
    memcpy(plane, last, sizeof plane);
    assert_true(wp_denoise_run(denoiser, WP_ARRAY(image), WP_ARRAY(image)));
    wp_denoise_destroy(&denoiser);
    size.planes = 1;
    assert_true(wp_denoise(&params, WP_ARRAY(plane), WP_ARRAY(plane)));
    assert_near(last, plane, SAMPLES, 0);
}

// The best basis is that of wp_packets_best() with the error of thresholds of 3 sigma, in which the
// low-pass nodes are split, and nodes have the thresholds that `wavepass edit` finds.
static void test_packets(void **state)
{
    (void)state;
    enum { W = 64, H = 48, N = W * H, LEVELS = 3 };
    static const char *const wavelets[] = {"haar", NULL};
    static float x[N], y[N], expected[N], c[N];
    for (int w = 0; w < 2; w++) {
        struct wp_transform_params size =
            WP_TRANSFORM_PARAMS(.width = W, .height = H, .levels = LEVELS, .bank = "packets",
                                .wavelet = wavelets[w], .border = "symmetric", .backend = "cpu",
                                .norm = "orthonormal");
        struct wp_denoise_params params =
            WP_DENOISE_PARAMS(.transform = &size, .sigma = 0.1, .shifts = 1);
        const struct wp_packet_cost cost = {.name = "error", .parameter = 0.1 * 3};
        char tree[WP_TREE_SIZE];
        struct wp_edit edit;
        make(x, N, 0.1, 4);
        for (int i = 0; i < N; i++) // a mean, and high frequencies
            x[i] = (float)(x[i] / 2 + 1 + 0.3 * cos(2.5 * (i % W)) * cos(2.8 * (i / W)));
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
        size.wavelet = wavelets[w] ? wavelets[w] : "cdf97";
        assert_true(wp_packets_best(&size, WP_ARRAY(x), &cost, tree));
        assert_true(strncmp(tree, "111", LEVELS) == 0 && strlen(tree) > 5 && strchr(tree, '0'));
        size.tree = tree;
        struct wp_transform *t = wp_transform_create(&size);
        const struct wp_description *d = wp_transform_description(t);
        double gain[64];
        assert_true(wp_edit_noise_gains(d, gain));
        assert_true(wp_edit_parse("threshold", "soft:bayes", &edit));
        assert_true(wp_transform_forward(t, WP_ARRAY(x), WP_ARRAY(c)));
        assert_true(wp_edit_apply(&edit, &(struct wp_edit_noise){.sigma = 0.1, .gain = gain},
                                  &(struct wp_edit_target){d, 1, 1, c}, NULL));
        assert_true(wp_transform_inverse(t, WP_ARRAY(c), WP_ARRAY(expected)));
        assert_near(y, expected, N, 0);
        // A tree that is given is not searched.
        assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(c)));
        assert_near(c, expected, N, 0);
        wp_transform_destroy(&t);
    }
    // Without an image, the low-pass nodes are split all the same.
    uint64_t seed = 2;
    double squares = 0;
    for (int i = 0; i < N; i++)
        x[i] = (float)normal(&seed);
    const struct wp_transform_params size =
        WP_TRANSFORM_PARAMS(.width = W, .height = H, .bank = "packets", .levels = LEVELS);
    const struct wp_denoise_params params = WP_DENOISE_PARAMS(.transform = &size, .shifts = 1);
    assert_true(wp_denoise(&params, WP_ARRAY(x), WP_ARRAY(y)));
    for (int i = 0; i < N; i++)
        squares += (double)y[i] * (double)y[i];
    assert_true(squares / N < 0.1);
}

// The standard deviation of nodes of white noise, for a wavelet whose filters are not orthogonal.
static void test_packet_gains(void **state)
{
    (void)state;
    enum { W = 512, N = W * W, LEVELS = 2, NODES = 16, SIDE = W >> LEVELS };
    static float x[N], c[N];
    static const char *const wavelets[] = {"cdf53", "cdf97", "db4"};
    uint64_t seed = 5;
    for (int i = 0; i < N; i++)
        x[i] = (float)normal(&seed);
    for (int w = 0; w < 3; w++) {
        const struct wp_transform_params size = WP_TRANSFORM_PARAMS(
            .width = W, .height = W, .levels = LEVELS, .bank = "packets", .wavelet = wavelets[w],
            .border = "periodic", .norm = "orthonormal", .backend = "cpu");
        struct wp_transform *t = wp_transform_create(&size);
        double gain[NODES], least = 9, most = 0;
        assert_true(wp_transform_forward(t, WP_ARRAY(x), WP_ARRAY(c)));
        assert_true(wp_edit_noise_gains(wp_transform_description(t), gain));
        for (int n = 0; n < NODES; n++) {
            const struct wp_band_grid grid =
                wp_subband_describe(wp_transform_description(t), n).grid;
            double squares = 0;
            for (int i = 0; i < SIDE * SIDE; i++) {
                const float v = c[(grid.first[WP_Y] + i / SIDE) * W + grid.first[WP_X] + i % SIDE];
                squares += (double)v * (double)v;
            }
            const double found = sqrt(squares) / SIDE;
            if (!(fabs(found - gain[n]) < 0.04 * gain[n]))
                fail_msg("%s, node %d: %g, but its gain is %g", wavelets[w], n, found, gain[n]);
            least = fmin(least, gain[n]);
            most = fmax(most, gain[n]);
        }
        assert_true(w < 2 ? most > 1.1 * least : most - least < 1e-6);
        wp_transform_destroy(&t);
    }
}

static void test_rejected(void **state)
{
    (void)state;
    struct wp_transform_params size =
        WP_TRANSFORM_PARAMS(.width = 8, .height = 8, .bank = "undecimated");
    struct wp_denoise_params p = WP_DENOISE_PARAMS(.transform = &size, .shifts = 4);
    reject(&p, "4 shifts cannot be averaged with bank 'undecimated'");
    p.shifts = 1;
    size.bank = "packets";
    p.per_level = true;
    reject(&p, "nodes of a level have all frequencies");
    p.per_level = false;
    size.levels = 2;
    p.level_sigma = (const double[]){1, 2};
    p.level_sigmas = 2;
    reject(&p, "bank 'packets' has one sigma");
    p.level_sigma = NULL;
    p.level_sigmas = size.levels = 0;
    size.wavelet = "db2";
    size.width = 7;
    reject(&p, "periodic");
    size.wavelet = NULL;
    size.width = 8;
    size.bank = "packets?";
    reject(&p, "unknown bank 'packets?'");
    size.bank = "undecimated";
    size.border = "symmetric";
    reject(&p, "cannot be inverted with border 'symmetric' for wavelet 'haar'");
    size.border = NULL;
    size.levels = 4;
    reject(&p, "at most 3 levels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_shifts), cmocka_unit_test(test_reflection),
        cmocka_unit_test(test_sigma),      cmocka_unit_test(test_planes),
        cmocka_unit_test(test_packets),    cmocka_unit_test(test_packet_gains),
        cmocka_unit_test(test_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
