// Reconstruction: runs all tests of a backend, in reconstruct_*.c, and tests that wrong parameters
// are rejected.
#include "reconstruct_problem.h"
#include "reconstruct_tests.h"
#include "sample.h"

#include <fnmatch.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_rejected(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 16, 16, 1, false);
    const struct wp_reconstruct_model *model = wp_cartesian_model(p.k);
    struct wp_reconstruct_params good = params_of(&p), bad[12];
    good.tv = 1;
    good.wav = 0.1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        bad[i] = good;
    bad[0].tv = -1;
    bad[1].wav = NAN;
    bad[2].mu = -1;
    bad[3].tv = bad[3].wav = 0;
    bad[4].levels = 40;
    bad[5].wavelet = "no-such";
    bad[6].exact = bad[6].spin = true;
    bad[7].width = 0;
    bad[8].inner = -2;
    bad[9].sigma = INFINITY;
    bad[10].struct_size--;
    bad[11].backend = "abacus";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(wp_reconstruct_create(&bad[i], model, p.data));
        assert_int_equal(wp_last_error(), i == 11 ? WP_ERROR_UNAVAILABLE : WP_ERROR_USAGE);
    }
    p.data[5] = NAN;
    assert_null(wp_reconstruct_create(&good, model, p.data));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_null(wp_cartesian_create(p.size, p.mask, NULL, 2, 1));
    end_problem(&p);
}

static void ignore_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

// The reason why the backend is not available, or NULL.
static const char *why_unavailable(void)
{
    const int size[3] = {4, 4, 1};
    const unsigned char mask[16] = {1};
    const float data[32] = {0};
    const struct wp_reconstruct_params params =
        WP_RECONSTRUCT_PARAMS(.width = 4, .height = 4, .tv = 1, .backend = backend);
    struct wp_cartesian *k = wp_cartesian_create(size, mask, NULL, 1, 1);
    assert_non_null(k);
    struct wp_reconstruct *r = wp_reconstruct_create(&params, wp_cartesian_model(k), data);
    const bool available = r != NULL;
    wp_reconstruct_destroy(&r);
    wp_cartesian_destroy(&k);
    return available ? NULL : wp_last_error_text();
}

// test_reconstruct [BACKEND [TEST]]; TEST may contain * and ?
int main(int argc, char **argv)
{
    enum { SKIPPED = 77 };
    wp_log_set_handler(ignore_message, NULL);
    if (argc > 1)
        backend = argv[1];
    const char *reason = why_unavailable();
    if (reason) {
        // Other failures are not skipped.
        const bool unavailable = wp_last_error() == WP_ERROR_UNAVAILABLE && *reason;
        printf("%s: %s\n", unavailable ? "skipped" : "FAIL", reason);
        return unavailable && strcmp(backend, "cpu") != 0 ? SKIPPED : EXIT_FAILURE;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_as_written), cmocka_unit_test(test_soft_threshold),
        cmocka_unit_test(test_constant_image),  cmocka_unit_test(test_fully_sampled),
        cmocka_unit_test(test_wavelet_adjoint), cmocka_unit_test(test_model_adjoint),
        cmocka_unit_test(test_coils),           cmocka_unit_test(test_one_model_of_coils),
        cmocka_unit_test(test_map_of_ones),     cmocka_unit_test(test_exact_step),
        cmocka_unit_test(test_same_bits),       cmocka_unit_test(test_start),
        cmocka_unit_test(test_seeds_differ),    cmocka_unit_test(test_sigma),
        cmocka_unit_test(test_rejected),         cmocka_unit_test(test_family_adjoint),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_state_size),
        cmocka_unit_test(test_states_of_other_parameters),
    };
    const char *pattern = argc > 2 ? argv[2] : "*";
    bool any = false;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        any = any || fnmatch(pattern, tests[i].name, 0) == 0;
    if (!any) {
        printf("there is no test %s\n", pattern);
        return EXIT_FAILURE;
    }
    cmocka_set_test_filter(pattern);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_print();
    return failed;
}
