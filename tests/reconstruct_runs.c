// Runs: bit-identical results of interrupted runs, costs, start and stop.
#include "golden.h"
#include "reconstruct_problem.h"
#include "reconstruct_tests.h"
#include "sample.h"
#include "text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The results are bit-identical for any number of threads, for several iterations per call of the
// engine, and after a run was interrupted and resumed.
static void check_same_bits(const struct problem *p, struct wp_reconstruct_params params)
{
    const size_t n = 2 * samples_of(p->size);
    params.threads = 1;
    float *uninterrupted = solve(p, &params);
    params.threads = strcmp(backend, "cpu") == 0 ? 3 : 1;
    params.report = 3;
    float *shared = solve(p, &params);
    assert_memory_equal(uninterrupted, shared, n * sizeof *uninterrupted);
    params.threads = params.report = 1;
    struct wp_reconstruct *first = create(p, &params), *second = create(p, &params);
    int half = 6; // within an outer loop
    assert_true(wp_reconstruct_run(first, stop_at, &half));
    assert_int_equal(wp_reconstruct_get_info(first)->iterations, half);
    const size_t size = wp_reconstruct_state_size(first);
    unsigned char *saved = save(first);
    assert_true(wp_reconstruct_resume(second, saved, size));
    assert_true(wp_reconstruct_run(second, NULL, NULL));
    assert_true(wp_reconstruct_image(second, shared));
    assert_memory_equal(uninterrupted, shared, n * sizeof *uninterrupted);
    assert_true(wp_reconstruct_get_info(second)->finished);
    wp_reconstruct_destroy(&first);
    wp_reconstruct_destroy(&second);
    // Rejects states of other parameters, truncated states, and other files.
    params.mu = 50;
    second = create(p, &params);
    assert_false(wp_reconstruct_resume(second, saved, size));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_false(wp_reconstruct_resume(second, saved, 20));
    saved[0] ^= 1;
    assert_false(wp_reconstruct_resume(second, saved, size));
    wp_reconstruct_destroy(&second);
    free(saved);
    free(shared);
    free(uninterrupted);
}

void test_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet;
        bool spin, exact;
    } modes[] = {{"haar", false, false}, {"haar", true, false}, {"cdf97", false, false},
                 {"cdf97", false, true}};
    static const int sizes[][3] = {{64, 96, 1}, {32, 24, 36}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct problem p;
        make_problem(&p, sizes[s][0], sizes[s][1], sizes[s][2], false);
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            // If a sample is selected, compute shaders test each mode in one of the sizes.
            if (strcmp(backend, "compute") == 0 && sample_is_selected() && i % 2 != s)
                continue;
            struct wp_reconstruct_params params = params_of(&p);
            params.tv = 1;
            params.wav = 0.2;
            params.wavelet = modes[i].wavelet;
            params.spin = modes[i].spin;
            params.exact = modes[i].exact;
            params.seed = 5;
            check_same_bits(&p, params);
        }
        end_problem(&p);
    }
}

// Memory traffic and number of Fourier transforms of an iteration, as each engine's source counts
// them: complex numbers per sample, independent of the size except for the padding.
void test_costs(void **state)
{
    (void)state;
    static const int sizes[][3] = {{32, 24, 1}, {32, 24, 4}, {30, 21, 1}, {600, 160, 1}};
    static const struct {
        double tv, wav;
        bool spin, exact, coils;
    } modes[] = {{1, 0, false, false, false}, {0, 0.1, false, false, false},
                 {1, 0.1, false, false, false}, {1, 0.1, true, false, false},
                 {1, 0.1, false, true, false},  {0, 0.1, false, true, false},
                 {1, 0.1, false, false, true},  {1, 0.1, true, false, true}};
    struct wp_text text = {0};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct problem p;
        make_problem(&p, sizes[s][0], sizes[s][1], sizes[s][2], false);
        const size_t n = samples_of(p.size);
        float *ones = floats(2 * n);
        for (size_t i = 0; i < n; i++)
            ones[2 * i] = 1;
        struct wp_cartesian *coil = wp_cartesian_create(p.size, p.mask, ones, 1, 1);
        struct wp_cartesian *const plain = p.k;
        assert_non_null(coil);
        for (size_t w = 0; w < sizeof modes / sizeof *modes; w++) {
            struct wp_reconstruct_params params = params_of(&p);
            params.tv = modes[w].tv;
            params.wav = modes[w].wav;
            params.spin = modes[w].spin;
            params.exact = modes[w].exact;
            params.wavelet = modes[w].exact ? "cdf97" : "haar";
            p.k = modes[w].coils ? coil : plain;
            struct wp_reconstruct *r = create(&p, &params);
            const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r);
            wp_text_add(&text, "%dx%dx%d tv %g wav %g%s%s%s: %s, padded %dx%dx%d, %d transforms, "
                               "%.3f complex numbers a sample\n",
                        p.size[0], p.size[1], p.size[2], params.tv, params.wav,
                        params.spin ? " spin" : "", params.exact ? " exact" : "",
                        modes[w].coils ? " coil" : "", info->form, info->padded[0],
                        info->padded[1], info->padded[2], info->transforms,
                        info->bytes / (2 * sizeof(float) * (double)n));
            wp_reconstruct_destroy(&r);
        }
        p.k = plain;
        wp_cartesian_destroy(&coil);
        free(ones);
        end_problem(&p);
    }
    char file[64];
    snprintf(file, sizeof file, "reconstruct_costs_%s.txt", backend);
    assert_golden(file, wp_text_get(&text));
    wp_text_free(&text);
}

// Starting from zeros gives the same bits; starting from a correct image gives a smaller residual.
void test_start(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 48, 1, false);
    const size_t n = 2 * samples_of(p.size);
    struct wp_reconstruct_params params = params_of(&p);
    params.tv = 1;
    params.wav = 0.2;
    float *expected = solve(&p, &params), *got = floats(n);
    struct wp_reconstruct *r = create(&p, &params);
    assert_true(wp_reconstruct_start(r, got) && wp_reconstruct_run(r, NULL, NULL));
    assert_true(wp_reconstruct_image(r, got));
    assert_memory_equal(got, expected, n * sizeof *got);
    assert_false(wp_reconstruct_start(r, got));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    wp_reconstruct_destroy(&r);
    double residual[2];
    params.tv = 0.5;
    for (int started = 0; started < 2; started++) {
        int one = 1;
        r = create(&p, &params);
        assert_true(!started || wp_reconstruct_start(r, expected));
        assert_true(wp_reconstruct_run(r, stop_at, &one));
        residual[started] = wp_reconstruct_get_info(r)->residual;
        wp_reconstruct_destroy(&r);
    }
    assert_true(residual[1] < 0.5 * residual[0]);
    free(expected);
    free(got);
    end_problem(&p);
}

void test_seeds_differ(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 32, 1, false);
    struct wp_reconstruct_params params = params_of(&p);
    params.wav = 1;
    params.spin = true;
    float *a = solve(&p, &params);
    params.seed = 1;
    float *b = solve(&p, &params);
    assert_true(worst_of(a, b, 2 * samples_of(p.size)) > 1e-4);
    free(a);
    free(b);
    end_problem(&p);
}

void test_sigma(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 32, 1, false);
    struct wp_reconstruct_params params = params_of(&p);
    params.tv = 1;
    params.outer = 30;
    params.inner = 8;
    params.sigma = 0.05;
    struct wp_reconstruct *r = create(&p, &params);
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r);
    assert_true(info->residual > 1);
    assert_true(wp_reconstruct_run(r, NULL, NULL));
    assert_true(info->reached_sigma && info->finished && info->residual < 0.05);
    assert_in_range(info->iterations, 8, 30 * 8 - 1);
    assert_int_equal(info->iterations % 8, 0);
    // The reported residual is |R F u - f|.
    const struct wp_reconstruct_model *model = wp_cartesian_model(p.k);
    float *u = floats(2 * samples_of(p.size)), *ku = floats(2 * samples_of(p.size));
    assert_true(wp_reconstruct_image(r, u) && model->forward(model->user, u, ku));
    double sum = 0;
    for (size_t i = 0; i < 2 * samples_of(p.size); i++)
        sum += pow((double)ku[i] - (double)p.data[i], 2);
    assert_true(fabs(sqrt(sum) / info->residual - 1) < 1e-3);
    wp_reconstruct_destroy(&r);
    // A sigma that is never reached.
    params.sigma = 1e-12;
    params.outer = 2;
    r = create(&p, &params);
    info = wp_reconstruct_get_info(r);
    assert_true(wp_reconstruct_run(r, NULL, NULL));
    assert_true(info->finished && !info->reached_sigma);
    assert_int_equal(info->iterations, 16);
    wp_reconstruct_destroy(&r);
    free(u);
    free(ku);
    end_problem(&p);
}
