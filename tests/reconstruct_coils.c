// Several coils, and a model that several reconstructions share.
#include "reconstruct_problem.h"
#include "reconstruct_tests.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// The result of several coils is better than that of one coil.
void test_coils(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 32, 1, false);
    const size_t n = samples_of(p.size);
    float *maps = make_maps(p.size), *data = floats(2 * n * COILS), *got = floats(2 * n);
    struct wp_cartesian *k = wp_cartesian_create(p.size, p.mask, maps, COILS, 1);
    assert_non_null(k);
    const struct wp_reconstruct_model *model = wp_cartesian_model(k);
    assert_true(model->forward(model->user, p.image, data));
    struct wp_reconstruct_params params = params_of(&p);
    params.tv = 1;
    params.wav = 0.1;
    params.outer = 16;
    params.inner = 16;
    struct wp_reconstruct *r = wp_reconstruct_create(&params, model, data);
    assert_non_null(r);
    assert_true(wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, got));
    float *single = solve(&p, &params);
    double error = 0, single_error = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        error += pow((double)got[i] - (double)p.image[i], 2);
        single_error += pow((double)single[i] - (double)p.image[i], 2);
    }
    if (!(error < 0.5 * single_error))
        fail_msg("squared error %g, with one coil %g", error, single_error);
    free(single);
    free(maps);
    free(data);
    free(got);
    wp_reconstruct_destroy(&r);
    wp_cartesian_destroy(&k);
    end_problem(&p);
}

// Two reconstructions that run alternately on a shared model, and a third one after them, must have
// the same results as with separate models. On a device the model has memory and an FFT, and runs
// in the stream of the reconstruction that calls it.
void test_one_model_of_coils(void **state)
{
    (void)state;
    enum { RUNS = 3 };
    struct problem p;
    make_problem(&p, 32, 24, 4, false);
    const size_t n = samples_of(p.size);
    float *maps = make_maps(p.size), *data = floats(2 * n * COILS), *got = floats(2 * n);
    struct wp_cartesian *shared = wp_cartesian_create(p.size, p.mask, maps, COILS, 1);
    assert_non_null(shared);
    const struct wp_reconstruct_model *model = wp_cartesian_model(shared);
    assert_true(model->forward(model->user, p.image, data));
    struct wp_reconstruct_params params[RUNS];
    struct wp_reconstruct *r[RUNS];
    float *expected[RUNS];
    for (int i = 0; i < RUNS; i++) {
        params[i] = params_of(&p);
        params[i].tv = 1;
        params[i].wav = 0.1 * i;
        struct wp_cartesian *separate = wp_cartesian_create(p.size, p.mask, maps, COILS, 1);
        assert_non_null(separate);
        r[i] = wp_reconstruct_create(&params[i], wp_cartesian_model(separate), data);
        expected[i] = floats(2 * n);
        assert_true(r[i] && wp_reconstruct_run(r[i], NULL, NULL) &&
                    wp_reconstruct_image(r[i], expected[i]));
        wp_reconstruct_destroy(&r[i]);
        wp_cartesian_destroy(&separate);
    }
    assert_true(worst_of(expected[0], expected[1], 2 * n) > 1e-4);
    for (int i = 0; i < 2; i++) {
        r[i] = wp_reconstruct_create(&params[i], model, data);
        assert_non_null(r[i]);
    }
    for (int stop = 1; stop <= params[0].outer * params[0].inner; stop++)
        for (int i = 0; i < 2; i++)
            assert_true(wp_reconstruct_run(r[i], stop_at, &stop));
    for (int i = 0; i < RUNS; i++) {
        if (i == 2) {
            r[i] = wp_reconstruct_create(&params[i], model, data);
            assert_true(r[i] && wp_reconstruct_run(r[i], NULL, NULL));
        }
        assert_true(wp_reconstruct_get_info(r[i])->finished);
        assert_true(wp_reconstruct_image(r[i], got));
        assert_memory_equal(got, expected[i], 2 * n * sizeof *got);
        wp_reconstruct_destroy(&r[i]);
        free(expected[i]);
    }
    free(maps);
    free(data);
    free(got);
    wp_cartesian_destroy(&shared);
    end_problem(&p);
}

// One coil with a map of ones gives the same image, although it is solved with descent steps.
void test_map_of_ones(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 24, 4, false);
    const size_t n = samples_of(p.size);
    float *ones = floats(2 * n);
    for (size_t i = 0; i < n; i++)
        ones[2 * i] = 1;
    for (int spin = 0; spin < 2; spin++) {
        struct wp_reconstruct_params params = params_of(&p);
        params.tv = 1;
        params.wav = 0.1;
        params.spin = spin;
        params.outer = 4;
        float *expected = solve(&p, &params);
        struct wp_cartesian *plain = p.k;
        p.k = wp_cartesian_create(p.size, p.mask, ones, 1, 1);
        assert_non_null(p.k);
        float *got = solve(&p, &params);
        assert_true(worst_of(got, expected, 2 * n) < 2e-5);
        wp_cartesian_destroy(&p.k);
        p.k = plain;
        free(expected);
        free(got);
    }
    free(ones);
    end_problem(&p);
}
