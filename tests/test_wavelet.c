// Wavelets: runs all tests in wavelet_*.c. WP_TEST_ASSETS is the directory of the shipped files.
#include "wavelet_tests.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

char logged[2048];
int errors;

static void catch_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    errors += level == WP_LOG_ERROR;
    snprintf(logged, sizeof logged, "%s", message);
}

void forget(void)
{
    logged[0] = '\0';
    errors = 0;
    wp_clear_error();
}

int setup(void **state)
{
    (void)state;
    wp_log_set_handler(catch_message, NULL);
    forget();
    return unsetenv("WAVEPASS_WAVELETS");
}

void assert_failed(enum wp_error kind, const char *message)
{
    assert_string_equal(logged, message);
    assert_int_equal(errors, 1);
    assert_int_equal(wp_last_error(), kind);
    forget();
}

void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

void check_filters_against_steps(const struct wp_wavelet *w)
{
    enum { N = 32 };
    double x[2 * N], even[N], odd[N], low[WP_FILTER_SIZE], high[WP_FILTER_SIZE];
    for (int i = 0; i < 2 * N; i++)
        x[i] = (i * 37 % 64) / 8.0;
    x[5] = -7.25;
    x[40] = 1000;
    for (int n = 0; n < N; n++) {
        even[n] = x[2 * n];
        odd[n] = x[2 * n + 1];
    }
    for (int p = 0; p < w->pairs; p++) {
        for (int n = 0; n < N; n++)
            for (int t = 0; t < w->pair[p].predict.count; t++) {
                const struct wp_tap tap = w->pair[p].predict.tap[t];
                odd[n] += tap.c * even[(n + tap.k + 64 * N) % N];
            }
        for (int n = 0; n < N; n++)
            for (int t = 0; t < w->pair[p].update.count; t++) {
                const struct wp_tap tap = w->pair[p].update.tap[t];
                even[n] += tap.c * odd[(n + tap.k + 64 * N) % N];
            }
    }
    wp_wavelet_filters(w, low, high);
    for (int n = 0; n < N; n++) {
        double l = 0, h = 0;
        for (int j = 0; j < WP_FILTER_SIZE; j++) {
            const int at = 2 * n + j - WP_FILTER_CENTER + 256 * N;
            l += low[j] * x[at % (2 * N)];
            h += high[j] * x[(at + 1) % (2 * N)];
        }
        assert_near(l, even[n] / w->zeta, 1e-9);
        assert_near(h, odd[n] * w->zeta, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_published_filters, setup),
        cmocka_unit_test_setup(test_table, setup),
        cmocka_unit_test_setup(test_finish_rejects, setup),
        cmocka_unit_test_setup(test_finish_accepts, setup),
        cmocka_unit_test_setup(test_symmetry, setup),
        cmocka_unit_test_setup(test_shipped, setup),
        cmocka_unit_test_setup(test_every_file_is_checked, setup),
        cmocka_unit_test_setup(test_wrong_tap_is_told, setup),
        cmocka_unit_test_setup(test_parse, setup),
        cmocka_unit_test_setup(test_rejections, setup),
        cmocka_unit_test_setup(test_limits, setup),
        cmocka_unit_test_setup(test_expressions, setup),
        cmocka_unit_test_setup(test_decimal_comma, setup),
        cmocka_unit_test_setup_teardown(test_read, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_longest_file, make_directory, remove_directory),
        cmocka_unit_test_setup(test_parse_taps, setup),
        cmocka_unit_test_setup(test_taps, setup),
        cmocka_unit_test_setup(test_find, setup),
        cmocka_unit_test_setup_teardown(test_directories, make_directory, remove_directory),
    };
    return cmocka_run_group_tests_name("wavelet", tests, NULL, NULL);
}
