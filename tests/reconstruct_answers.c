// Images: the result of the loop in its definition, and problems with a known solution.
#include "reconstruct_oracle.h"
#include "reconstruct_problem.h"
#include "reconstruct_tests.h"
#include "wavepass.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void test_loop_as_written(void **state)
{
    (void)state;
    static const int sizes[][3] = {{8, 8, 8}, {16, 12, 1}, {10, 7, 1}, {6, 5, 9}, {9, 1, 1},
                                   {1, 6, 4}, {4, 1, 6}};
    static const double weights[][2] = {{1, 0}, {0, 1}, {1, 0.3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
            struct problem p;
            make_problem(&p, sizes[i][0], sizes[i][1], sizes[i][2], false);
            struct wp_reconstruct_params params = params_of(&p);
            params.tv = weights[w][0];
            params.wav = weights[w][1];
            params.gamma = 60;
            struct oracle o = {.levels = 2, .n = samples_of(p.size)};
            for (int a = 0; a < 3; a++) {
                o.size[a] = p.size[a];
                o.padded[a] = p.size[a] == 1 ? 1 : (p.size[a] + 3) / 4 * 4;
            }
            o.m = samples_of(o.padded);
            double complex *u = doubles(o.n);
            solve_reference(&o, &params, p.mask, p.data, u);
            float *got = solve(&p, &params);
            double worst = 0;
            for (size_t s = 0; s < o.n; s++)
                worst = fmax(worst, cabs(u[s] - (double)got[2 * s] - I * (double)got[2 * s + 1]));
            if (worst > 1e-5)
                fail_msg("%dx%dx%d, tv %g, wav %g: off by %g", p.size[0], p.size[1], p.size[2],
                         params.tv, params.wav, worst);
            free(u);
            free(got);
            end_problem(&p);
        }
    }
}

static bool copy(void *user, const float *from, float *to)
{
    memcpy(to, from, 2 * *(const size_t *)user * sizeof *to);
    return true;
}

// The minimum of wav |W u| + mu/2 |u - f|^2 is W' shrink(W f, wav/mu), with W f from the
// double-precision Haar transform.
static void check_soft_threshold(int x, int y, int z)
{
    struct oracle o = {.size = {x, y, z}, .padded = {x, y, z}, .levels = 2};
    o.n = o.m = samples_of(o.size);
    float *image = make_image(o.size), *diagonal = floats(o.n), *got = floats(2 * o.n);
    double complex *w = doubles(o.n);
    for (size_t i = 0; i < o.n; i++) {
        diagonal[i] = 1;
        w[i] = (double)image[2 * i] + I * (double)image[2 * i + 1];
    }
    const struct wp_reconstruct_model identity = {
        .user = &o.n, .values = o.n, .forward = copy, .adjoint = copy, .diagonal = diagonal,
        .diagonalises = true};
    const struct wp_reconstruct_params params = WP_RECONSTRUCT_PARAMS(
        .width = x, .height = y, .depth = z, .wav = 0.2, .mu = 1, .gamma = 1, .levels = 2,
        .outer = 1, .inner = 100, .threads = 1, .backend = backend);
    struct wp_reconstruct *r = wp_reconstruct_create(&params, &identity, image);
    assert_non_null(r);
    assert_true(wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, got));
    haar(w, &o, false);
    size_t zeros = 0;
    for (size_t i = 0; i < o.n; i++) {
        w[i] = shrink(w[i], cabs(w[i]), 0.2);
        zeros += w[i] == 0;
    }
    assert_true(zeros > o.n / 5 && zeros < o.n);
    haar(w, &o, true);
    for (size_t i = 0; i < o.n; i++)
        assert_true(cabs(w[i] - (double)got[2 * i] - I * (double)got[2 * i + 1]) < 1e-6);
    wp_reconstruct_destroy(&r);
    free(image);
    free(diagonal);
    free(got);
    free(w);
}

// The larger images have several blocks along y on the cpu, the last one incomplete. Compute
// shaders have no blocks, and may run in software.
void test_soft_threshold(void **state)
{
    (void)state;
    const bool shaders = strcmp(backend, "compute") == 0;
    check_soft_threshold(16, 8, 4);
    check_soft_threshold(shaders ? 120 : 600, shaders ? 40 : 160, 1);
    check_soft_threshold(shaders ? 72 : 520, shaders ? 20 : 52, 8);
}

struct mode {
    const char *wavelet;
    bool spin, exact;
};

// Each mode must reconstruct the image.
static void check_image(const struct problem *p, const struct mode modes[], size_t count,
                        double wav, double limit)
{
    for (size_t i = 0; i < count; i++) {
        struct wp_reconstruct_params params = params_of(p);
        params.tv = 1;
        params.wav = wav;
        params.wavelet = modes[i].wavelet;
        params.spin = modes[i].spin;
        params.exact = modes[i].exact;
        params.outer = 16;
        params.inner = 8;
        float *got = solve(p, &params);
        const double worst = worst_of(got, p->image, 2 * samples_of(p->size));
        if (worst > limit)
            fail_msg("%s%s%s: off by %g", modes[i].wavelet, modes[i].spin ? ", cycle spinning" : "",
                     modes[i].exact ? ", exact" : "", worst);
        free(got);
    }
}

void test_constant_image(void **state)
{
    (void)state;
    static const struct mode modes[] = {{"haar", false, false}, {"haar", true, false},
                                        {"cdf97", false, false}, {"cdf97", false, true}};
    struct problem p;
    make_problem(&p, 32, 16, 4, false);
    const struct wp_reconstruct_model *model = wp_cartesian_model(p.k);
    for (size_t i = 0; i < samples_of(p.size); i++) {
        p.image[2 * i] = 0.5F;
        p.image[2 * i + 1] = 0.25F;
    }
    assert_true(model->forward(model->user, p.image, p.data));
    check_image(&p, modes, sizeof modes / sizeof *modes, 0.1, 1e-4);
    end_problem(&p);
}

void test_fully_sampled(void **state)
{
    (void)state;
    static const struct mode modes[] = {{"haar", false, false}, {"haar", true, false},
                                        {"cdf97", false, false}, {"cdf97", false, true},
                                        {"cdf53", true, false}};
    struct problem p;
    make_problem(&p, 32, 24, 4, true);
    check_image(&p, modes, sizeof modes / sizeof *modes, 0.3, 5e-3);
    end_problem(&p);
}

// From u = 0, the first step of `exact` is along z = mu f / (mu + gamma) and minimizes mu/2 |u -
// f|^2 + gamma/2 |W u|^2.
void test_exact_step(void **state)
{
    (void)state;
    enum { SIDE = 32 };
    size_t n = SIDE * SIDE;
    const int size[3] = {SIDE, SIDE, 1};
    const double mu = 3, gamma = 5;
    float *f = make_image(size), *diagonal = floats(n), *got = floats(2 * n), *w = floats(2 * n);
    float *planes = floats(2 * n);
    for (size_t i = 0; i < n; i++) {
        diagonal[i] = 1;
        planes[i] = f[2 * i];
        planes[n + i] = f[2 * i + 1];
    }
    const struct wp_transform_params transform = WP_TRANSFORM_PARAMS(
        .width = SIDE, .height = SIDE, .planes = 2, .border = "periodic", .norm = "orthonormal",
        .backend = "cpu", .levels = 3, .threads = 1);
    struct wp_transform *t = wp_transform_create(&transform);
    assert_true(t && wp_transform_forward(t, WP_ARRAY(planes), WP_ARRAY(w)));
    const double ff = product(f, f, 2 * n), ww = product(w, w, 2 * n);
    assert_true(fabs(ww / ff - 1) > 1e-3);
    const struct wp_reconstruct_model identity = {
        .user = &n, .values = n, .forward = copy, .adjoint = copy, .diagonal = diagonal,
        .diagonalises = true};
    const struct wp_reconstruct_params params = WP_RECONSTRUCT_PARAMS(
        .width = SIDE, .height = SIDE, .wav = 1, .mu = mu, .gamma = gamma, .wavelet = "cdf97",
        .levels = 3, .exact = true, .outer = 1, .inner = 1, .threads = 1, .backend = backend);
    struct wp_reconstruct *r = wp_reconstruct_create(&params, &identity, f);
    assert_non_null(r);
    assert_true(wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, got));
    const double scale = mu * ff / (mu * ff + gamma * ww);
    for (size_t i = 0; i < 2 * n; i++)
        assert_true(fabs((double)got[i] - scale * (double)f[i]) < 1e-5);
    wp_reconstruct_destroy(&r);
    wp_transform_destroy(&t);
    free(f);
    free(diagonal);
    free(got);
    free(w);
    free(planes);
}
