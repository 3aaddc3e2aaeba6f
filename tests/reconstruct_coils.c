// Several coils, and a model that several reconstructions share.
#include "reconstruct_problem.h"
#include "reconstruct_tests.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// Several coils by the same solver: better than one alone, and near the image.
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
    float *alone = solve(&p, &params);
    double error = 0, of_one = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        error += pow((double)got[i] - (double)p.image[i], 2);
        of_one += pow((double)alone[i] - (double)p.image[i], 2);
    }
    if (!(error < 0.5 * of_one))
        fail_msg("squares off by %g, of one coil by %g", error, of_one);
    free(alone);
    free(maps);
    free(data);
    free(got);
    wp_reconstruct_destroy(&r);
    wp_cartesian_destroy(&k);
    end_problem(&p);
}

// A model outlives the reconstructions that use it: two at once by turns, and one after them, come
// to what each comes to by a model of its own. On a device it holds memory and an FFT, whose stream
// is that of whoever asks.
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
    float *wanted[RUNS];
    for (int i = 0; i < RUNS; i++) {
        params[i] = params_of(&p);
        params[i].tv = 1;
        params[i].wav = 0.1 * i;
        struct wp_cartesian *own = wp_cartesian_create(p.size, p.mask, maps, COILS, 1);
        assert_non_null(own);
        r[i] = wp_reconstruct_create(&params[i], wp_cartesian_model(own), data);
        wanted[i] = floats(2 * n);
        assert_true(r[i] && wp_reconstruct_run(r[i], NULL, NULL) &&
                    wp_reconstruct_image(r[i], wanted[i]));
        wp_reconstruct_destroy(&r[i]);
        wp_cartesian_destroy(&own);
    }
    assert_true(worst_of(wanted[0], wanted[1], 2 * n) > 1e-4);
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
        assert_memory_equal(got, wanted[i], 2 * n * sizeof *got);
        wp_reconstruct_destroy(&r[i]);
        free(wanted[i]);
    }
    free(maps);
    free(data);
    free(got);
    wp_cartesian_destroy(&shared);
    end_problem(&p);
}

// One coil that sees all alike, as a map: the same image, though by steps of descent.
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
        float *wanted = solve(&p, &params);
        struct wp_cartesian *plain = p.k;
        p.k = wp_cartesian_create(p.size, p.mask, ones, 1, 1);
        assert_non_null(p.k);
        float *got = solve(&p, &params);
        assert_true(worst_of(got, wanted, 2 * n) < 2e-5);
        wp_cartesian_destroy(&p.k);
        p.k = plain;
        free(wanted);
        free(got);
    }
    free(ones);
    end_problem(&p);
}
