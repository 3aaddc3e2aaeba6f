// Noise, and rejected parameters, for the tests of denoising.
#ifndef WP_DENOISE_TESTS_H
#define WP_DENOISE_TESTS_H

#include "log.h"
#include "wavepass_denoise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

// Normally distributed numbers, by the Box-Muller transform.
static inline double normal(uint64_t *state)
{
    double u[2];
    for (int i = 0; i < 2; i++) {
        *state = *state * 6364136223846793005U + 1442695040888963407U;
        u[i] = ((double)(*state >> 11) + 1) / (double)(1ULL << 53);
    }
    return sqrt(-2 * log(u[0])) * cos(2 * 3.14159265358979323846 * u[1]);
}

// Of up to 3 planes of 64 samples.
static inline void reject(const struct wp_denoise_params *params, const char *message)
{
    float x[3 * 64] = {0};
    wp_begin_attempt();
    assert_false(wp_denoise(params, WP_ARRAY(x), WP_ARRAY(x)));
    wp_end_attempt();
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    if (!strstr(wp_last_error_text(), message))
        fail_msg("'%s' is not in '%s'", message, wp_last_error_text());
    wp_clear_error();
}

#endif
