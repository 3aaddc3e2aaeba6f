// Kernels of the CUDA solver report that they cannot be launched. None can, since no device is
// visible.
#define _POSIX_C_SOURCE 200809L
#include "solver_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// No argument is read.
static void test_no_launch(void **state)
{
    (void)state;
    float a[2] = {0}, b[2] = {0};
    double sum = 0, root = 0;
    const unsigned char mask[1] = {1};
    const struct wp_gradient_args gradient = {.size = {1, 1, 1}};
    const struct wp_planes_args planes = {.size = {1, 1, 1}, .padded = {1, 1, 1}};
    const struct wp_divide_args divide = {.scale = 1};
    const struct wp_descend_args descend = {.scale = 1};
    const struct wp_misfit_args misfit = {.sums = &sum};
    assert_int_not_equal(wp_gradient_run(&gradient, NULL), 0);
    assert_int_not_equal(wp_gather_run(&planes, NULL), 0);
    assert_int_not_equal(wp_scatter_run(&planes, NULL), 0);
    assert_int_not_equal(wp_shrink_run(a, b, 1, 0, false, NULL), 0);
    assert_int_not_equal(wp_divide_run(&divide, NULL), 0);
    assert_int_not_equal(wp_descend_run(&descend, NULL), 0);
    assert_int_not_equal(wp_misfit_run(&misfit, NULL), 0);
    assert_int_not_equal(wp_axpy_run(a, b, 1, NULL, 1, NULL), 0);
    assert_int_not_equal(wp_distance_run(a, b, 1, &sum, NULL), 0);
    assert_int_not_equal(wp_root_run(&sum, &root, NULL), 0);
    assert_int_not_equal(wp_step_run(&sum, &sum, NULL, 0, NULL, 0, a, NULL), 0);
    assert_int_not_equal(wp_multiply_run(a, b, false, false, 1, a, 1, NULL), 0);
    assert_int_not_equal(wp_mask_run(mask, a, 1, b, 1, NULL), 0);
}

int main(void)
{
    if (setenv("CUDA_VISIBLE_DEVICES", "", 1) != 0)
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_launch)};
    return cmocka_run_group_tests_name("kernels of the CUDA solver", tests, NULL, NULL);
}
