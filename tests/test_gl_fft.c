// Fourier transforms in compute shaders, against double precision.
#include "gl_fft.h"
#include "log.h"

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct wp_gl *gl;

static size_t samples_of(const int size[3])
{
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

// Returns fixed pseudo-random numbers of both signs.
static float complex *make_samples(size_t count)
{
    float complex *samples = allocate(count, sizeof *samples);
    float *part = (float *)samples;
    unsigned state = 12345;
    for (size_t i = 0; i < 2 * count; i++) {
        state = state * 1664525U + 1013904223U;
        part[i] = (float)(state >> 8) / 8388608.0F - 1;
    }
    return samples;
}

// Transforms a line by definition, split by its smallest factor to limit the time for long lines.
static void transform_line(const double complex *in, size_t step, size_t n, int sign,
                           double complex *out)
{
    size_t radix = n;
    for (size_t p = n; p > 1; p--)
        if (n % p == 0)
            radix = p;
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    const size_t each = n / radix;
    double complex *part = allocate(n, sizeof *part);
    for (size_t q = 0; q < radix; q++)
        transform_line(in + q * step, step * radix, each, sign, part + q * each);
    for (size_t k = 0; k < n; k++) {
        out[k] = 0;
        for (size_t q = 0; q < radix; q++)
            out[k] += part[q * each + k % each] *
                      cexp(sign * 2 * acos(-1) * (double)(q * k % n) / (double)n * I);
    }
    free(part);
}

static void transform_axis(const int size[3], int axis, int sign, double complex *samples)
{
    const size_t n = (size_t)size[axis];
    size_t stride = 1;
    for (int a = 0; a < axis; a++)
        stride *= (size_t)size[a];
    double complex *line = allocate(n, sizeof *line), *out = allocate(n, sizeof *out);
    for (size_t first = 0; first < samples_of(size); first++) {
        if (first / stride % n != 0)
            continue;
        for (size_t i = 0; i < n; i++)
            line[i] = samples[first + i * stride];
        transform_line(line, 1, n, sign, out);
        for (size_t i = 0; i < n; i++)
            samples[first + i * stride] = out[i];
    }
    free(line);
    free(out);
}

static double complex *transform(const int size[3], int sign, const float complex *samples)
{
    double complex *result = allocate(samples_of(size), sizeof *result);
    for (size_t i = 0; i < samples_of(size); i++)
        result[i] = samples[i];
    for (int a = 0; a < 3; a++)
        transform_axis(size, a, sign, result);
    return result;
}

// Maximum error, relative to the root mean square of the expected values.
static double error_of(const double complex *expected, const float complex *got, size_t count)
{
    double worst = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference = cabs(expected[i] - got[i]);
        worst = difference > worst || isnan(difference) ? difference : worst;
        sum += creal(expected[i] * conj(expected[i]));
    }
    return worst / sqrt(sum / (double)count);
}

static void create_buffer(const float complex *samples, size_t count, struct wp_buffer *buffer)
{
    assert_true(wp_buffer_create(2 * count, buffer));
    wp_buffer_write(buffer, 0, 2 * count, (const float *)samples);
}

enum { BEYOND = 64 }; // samples after an array, which must not change

static void check(const int size[3], bool inverse, bool in_place)
{
    const size_t count = samples_of(size), total = count + BEYOND;
    float complex *samples = make_samples(total), *got = allocate(total, sizeof *got);
    double complex *expected = transform(size, inverse ? 1 : -1, samples);
    struct wp_buffer from, to = {0};
    struct wp_gl_fft *fft = wp_gl_fft_create(gl, size);
    assert_non_null(fft);
    create_buffer(samples, total, &from);
    if (!in_place)
        create_buffer(samples, total, &to);
    wp_gl_fft_run(fft, inverse, &from, in_place ? &from : &to);
    wp_buffer_read(in_place ? &from : &to, 0, 2 * total, (float *)got);
    const double error = error_of(expected, got, count);
    if (!(error < 6e-6)) // 3e-6 except for lengths with large prime factors
        fail_msg("%dx%dx%d%s: off by %g", size[0], size[1], size[2], inverse ? ", inverse" : "",
                 error);
    assert_true(wp_gl_finish(gl));
    assert_memory_equal(got + count, samples + count, BEYOND * sizeof *got);
    wp_gl_fft_destroy(&fft);
    wp_buffer_destroy(&from);
    wp_buffer_destroy(&to);
    free(samples);
    free(expected);
    free(got);
}

// All lengths, along x or y; along both if compiling is fast.
static void test_lengths(void **state)
{
    (void)state;
    const bool both = !wp_gl_get_info(gl)->software;
    for (int n = 1; n <= 64; n++) {
        if (both || n % 2 == 0)
            check((const int[]){n, 3, 1}, n % 4 == 0, n % 3 == 0);
        if (both || n % 2 == 1)
            check((const int[]){3, n, 1}, n % 4 == 1, n % 3 == 1);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    static const int sizes[][3] = {
        {8, 8, 8},    {7, 11, 13},  {18, 5, 40},   {128, 256, 3}, {96, 128, 2}, {181, 217, 2},
        {224, 192, 1}, {3, 1024, 1}, {2048, 2, 1}, {3, 2500, 1},  {1, 3, 3600}, {1009, 2, 1},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int mode = 0; mode < 4; mode++)
            if (mode < 2 || samples_of(sizes[i]) < 10000)
                check(sizes[i], mode % 2 == 1, (mode / 2 + (int)i) % 2 == 1);
}

// Forward, a multiplication with sum in the same program, and inverse.
static void check_between(const int size[3])
{
    static const char text[] =
        "layout(std430, binding = 3) buffer Weights { float weight[]; };\n"
        "layout(std430, binding = 4) buffer Sums { vec2 sums[]; };\n"
        "vec2 sum = vec2(0.0);\n"
        "vec2 between(int index, vec2 value)\n"
        "{\n"
        "    sum += vec2(dot(value, value), 1.0);\n"
        "    return weight[index] * value;\n"
        "}\n"
        "void finish()\n"
        "{\n"
        "    vec2 all = sum_of_group(sum);\n"
        "    if (gl_LocalInvocationIndex == 0u)\n"
        "        sums[group_number()] = all;\n"
        "}\n";
    const size_t count = samples_of(size);
    float complex *samples = make_samples(count), *got = allocate(count, sizeof *got);
    float *weight = allocate(count, sizeof *weight);
    double complex *expected = transform(size, -1, samples);
    double power = 0, got_power = 0, got_count = 0;
    for (size_t i = 0; i < count; i++) {
        weight[i] = (float)(i % 7) - 2;
        power += creal(expected[i] * conj(expected[i]));
        expected[i] *= (double)weight[i];
    }
    for (int a = 0; a < 3; a++)
        transform_axis(size, a, 1, expected);
    struct wp_gl_fft *fft = wp_gl_fft_create(gl, size);
    assert_non_null(fft);
    struct wp_program *program = wp_gl_fft_program(fft, text);
    assert_non_null(program);
    const size_t groups = (size_t)wp_gl_fft_groups(fft);
    struct wp_buffer from, to, weights, sums;
    create_buffer(samples, count, &from);
    create_buffer(samples, count, &to);
    assert_true(wp_buffer_create(count, &weights) && wp_buffer_create(2 * groups, &sums));
    wp_buffer_write(&weights, 0, count, weight);
    wp_gl_fft_run_between(fft, program, &from, &to,
                          (const struct wp_buffer *const[]){&weights, &sums}, 2);
    wp_buffer_read(&to, 0, 2 * count, (float *)got);
    float *sum = allocate(2 * groups, sizeof *sum);
    wp_buffer_read(&sums, 0, 2 * groups, sum);
    for (size_t g = 0; g < groups; g++) {
        got_power += sum[2 * g];
        got_count += sum[2 * g + 1];
    }
    const double error = error_of(expected, got, count);
    if (!(error < 6e-6) || !(fabs(got_power / power - 1) < 1e-5) || got_count != (double)count)
        fail_msg("%dx%dx%d: off by %g, power %g times what it is, of %g samples", size[0], size[1],
                 size[2], error, got_power / power, got_count);
    wp_gl_fft_destroy(&fft);
    struct wp_buffer *const buffer[] = {&from, &to, &weights, &sums};
    for (size_t i = 0; i < sizeof buffer / sizeof *buffer; i++)
        wp_buffer_destroy(buffer[i]);
    free(samples);
    free(got);
    free(weight);
    free(expected);
    free(sum);
}

static void test_between(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},   {16, 1, 1}, {9, 1, 1},  {32, 24, 1}, {8, 8, 8},
                                   {7, 11, 13}, {5, 31, 1}, {3, 2, 74}, {6, 5, 128}, {3, 256, 1},
                                   {1, 6, 4},   {17, 1, 1}, {20, 181, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_between(sizes[i]);
}

static void silence(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

static void test_too_long(void **state)
{
    (void)state;
    wp_log_set_handler(silence, NULL);
    assert_null(wp_gl_fft_create(gl, (const int[]){1, 1 << 20, 1}));
    assert_int_equal(wp_last_error(), WP_ERROR_UNAVAILABLE);
    assert_non_null(strstr(wp_last_error_text(), "backend 'cpu'"));
    wp_log_set_handler(NULL, NULL);
}

// A device with the minimum limits of OpenGL.
static void test_plans(void **state)
{
    (void)state;
    const struct wp_fourier_limits limits = {.shared = 32768, .threads = 1024};
    int longest = 0;
    for (int n = 1; n <= 5000; n++) {
        struct wp_fourier_plan schedule;
        int limit = 0;
        if (!wp_fourier_plan_make(n, n % 2 == 0, 1000, &limits, &schedule, &limit)) {
            assert_true(n > limit);
            continue;
        }
        int product = 1;
        longest = n;
        for (int i = 0; i < schedule.passes; i++)
            product *= schedule.radix[i];
        assert_int_equal(product, n);
        assert_false(wp_fourier_is_summed(schedule.radix[0]));
        assert_false(wp_fourier_is_summed(schedule.radix[schedule.passes - 1]));
        assert_in_range(schedule.cells * 8, 8 * schedule.threads, limits.shared);
        assert_in_range(schedule.threads, 1, limits.threads);
    }
    assert_true(longest >= 3800);
}

int main(void)
{
    enum { SKIPPED = 77 };
    char reason[384] = "";
    gl = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (!gl || wp_gl_get_info(gl)->max_invocations == 0) {
        printf("skipped: %s\n", gl ? "no compute shaders" : reason);
        wp_gl_destroy(&gl);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),   cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_shapes),  cmocka_unit_test(test_between),
        cmocka_unit_test(test_too_long),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wp_gl_destroy(&gl);
    return failed;
}
