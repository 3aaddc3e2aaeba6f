// A missing cuFFT is reported, with or without a GPU.
#define _POSIX_C_SOURCE 200809L
#include "cufft_library.h"
#include "wavepass_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int size[3] = {8, 4, 2};

static void expect_rejection(const char *library, const char *words)
{
    assert_int_equal(setenv("WAVEPASS_CUFFT", library, 1), 0);
    wp_clear_error();
    assert_null(wp_cufft_create(size));
    assert_int_equal(wp_last_error(), WP_ERROR_UNAVAILABLE);
    if (!strstr(wp_last_error_text(), words))
        fail_msg("%s: %s", library, wp_last_error_text());
}

static void test_missing(void **state)
{
    (void)state;
    expect_rejection("/no/such/libcufft.so",
                     "requires cuFFT, and /no/such/libcufft.so cannot be loaded");
}

static void test_another_library(void **state)
{
    (void)state;
    expect_rejection("libm.so.6", "the cuFFT library has no cufftPlanMany");
}

static void silence(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

int main(void)
{
    wp_log_set_handler(silence, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_another_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
