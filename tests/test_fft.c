// Fourier transforms against direct summation in double precision.
#include "fft.h"
#include "log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES_MAX = 4096 };

static const int sizes[][3] = {
    {1, 1, 1},   {2, 1, 1},   {3, 1, 1},    {5, 1, 1},   {7, 1, 1},   {16, 1, 1},  {30, 1, 1},
    {97, 1, 1},  {210, 1, 1}, {1009, 1, 1}, {1, 12, 1},  {1, 1, 35},  {8, 8, 1},   {6, 10, 1},
    {17, 3, 1},  {15, 33, 1}, {48, 40, 1},  {1, 9, 14},  {20, 1, 21}, {4, 4, 4},   {2, 3, 5},
    {7, 11, 13}, {16, 16, 16}, {18, 5, 40}, {5, 17, 19},
};

static size_t samples_of(const int size[3])
{
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
}

// Fills with fixed pseudo-random numbers of both signs.
static void fill(float complex *samples, size_t count)
{
    unsigned state = 12345;
    float *part = (float *)samples;
    for (size_t i = 0; i < 2 * count; i++) {
        state = state * 1664525U + 1013904223U;
        part[i] = (float)(state >> 8) / 8388608.0F - 1;
    }
}

static float complex *allocate(size_t count)
{
    const size_t bytes = (count * sizeof(float complex) + WP_FFT_ALIGNMENT - 1) /
                         WP_FFT_ALIGNMENT * WP_FFT_ALIGNMENT;
    float complex *samples = aligned_alloc(WP_FFT_ALIGNMENT, bytes);
    assert_non_null(samples);
    return samples;
}

// Unitary transform along one axis by direct summation.
static void sum_axis(const int size[3], int axis, int sign, double complex *samples)
{
    static double complex line[SAMPLES_MAX], root[SAMPLES_MAX];
    const size_t n = (size_t)size[axis];
    const size_t step = axis == 0 ? 1 : axis == 1 ? (size_t)size[0]
                                                  : (size_t)size[0] * (size_t)size[1];
    for (size_t i = 0; i < n; i++)
        root[i] = cexp(sign * 2 * acos(-1) * (double)i / (double)n * I) / sqrt((double)n);
    for (size_t first = 0; first < samples_of(size); first++) {
        if (first / step % n != 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            line[k] = 0;
            for (size_t i = 0; i < n; i++)
                line[k] += samples[first + i * step] * root[i * k % n];
        }
        for (size_t k = 0; k < n; k++)
            samples[first + k * step] = line[k];
    }
}

static void check_against_sums(const int size[3], int threads, enum wp_fft_effort effort,
                               enum wp_fft_direction direction)
{
    static double complex expected[SAMPLES_MAX];
    const size_t count = samples_of(size);
    float complex *samples = allocate(count);
    struct wp_fft *fft = wp_fft_create(size, threads, effort);
    assert_non_null(fft);
    fill(samples, count);
    for (size_t i = 0; i < count; i++)
        expected[i] = samples[i];
    for (int axis = 0; axis < 3; axis++)
        sum_axis(size, axis, direction == WP_FFT_FORWARD ? -1 : 1, expected);
    wp_fft_run(fft, direction, samples);
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, cabs(samples[i] - expected[i]));
    if (!(largest < 4e-6))
        fail_msg("%dx%dx%d, %d thread(s), effort %d, direction %d: %g", size[0], size[1],
                 size[2], threads, effort, direction, largest);
    wp_fft_destroy(&fft);
    assert_null(fft);
    free(samples);
}

static void equals_sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_true(samples_of(sizes[i]) <= SAMPLES_MAX);
        for (int effort = WP_FFT_ESTIMATED; effort <= WP_FFT_MEASURED; effort++)
            for (int threads = 1; threads <= 3; threads += 2) {
                check_against_sums(sizes[i], threads, (enum wp_fft_effort)effort, WP_FFT_FORWARD);
                check_against_sums(sizes[i], threads, (enum wp_fft_effort)effort, WP_FFT_INVERSE);
            }
    }
}

static double energy(const float complex *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)crealf(samples[i]) * crealf(samples[i]) +
               (double)cimagf(samples[i]) * cimagf(samples[i]);
    return sum;
}

static void round_trip_preserves_energy(void **state)
{
    static const int large[][3] = {{224, 192, 1}, {181, 217, 1}, {64, 60, 63}, {128, 8, 128}};
    (void)state;
    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++) {
        const size_t count = samples_of(large[s]);
        float complex *samples = allocate(count), *before = allocate(count);
        struct wp_fft *fft = wp_fft_create(large[s], 2, WP_FFT_MEASURED);
        assert_non_null(fft);
        fill(before, count);
        memcpy(samples, before, count * sizeof *samples);
        wp_fft_run(fft, WP_FFT_FORWARD, samples);
        const double ratio = energy(samples, count) / energy(before, count);
        assert_true(fabs(ratio - 1) < 1e-6);
        wp_fft_run(fft, WP_FFT_INVERSE, samples);
        double largest = 0;
        for (size_t i = 0; i < count; i++)
            largest = fmax(largest, cabsf(samples[i] - before[i]));
        assert_true(largest < 3e-6);
        wp_fft_destroy(&fft);
        free(samples);
        free(before);
    }
}

// An impulse at index 0 is constant in k-space; the transform of a constant is an impulse at 0.
static void zero_frequency_comes_first(void **state)
{
    static const int size[3] = {6, 5, 4};
    const size_t count = samples_of(size);
    float complex *samples = allocate(count);
    struct wp_fft *fft = wp_fft_create(size, 1, WP_FFT_MEASURED);
    (void)state;
    assert_non_null(fft);
    for (size_t i = 0; i < count; i++)
        samples[i] = 1;
    wp_fft_run(fft, WP_FFT_FORWARD, samples);
    assert_true(cabsf(samples[0] - sqrtf((float)count)) < 1e-5F);
    for (size_t i = 1; i < count; i++)
        assert_true(cabsf(samples[i]) < 1e-5F);
    wp_fft_destroy(&fft);
    wp_fft_destroy(&fft);
    free(samples);
}

static void library_has_a_licence(void **state)
{
    (void)state;
    print_message("%s, %s\n", wp_fft_library(), wp_fft_licence());
    const bool fftw = strncmp(wp_fft_library(), "FFTW ", 5) == 0;
    assert_int_equal(fftw, WP_TEST_FFTW);
    assert_non_null(strstr(wp_fft_licence(), fftw ? "GPL" : "BSD"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_sums),
        cmocka_unit_test(round_trip_preserves_energy),
        cmocka_unit_test(zero_frequency_comes_first),
        cmocka_unit_test(library_has_a_licence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
