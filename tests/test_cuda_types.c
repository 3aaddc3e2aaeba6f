// Element types on a CUDA device, in host and device memory, against the backend `reference` in
// doubles. Skipped without a GPU.
#include "cuda_cases.h"
#include "elements.h"
#include "log.h"
#include "wavepass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 18 }; // samples

struct size {
    const char *wavelet, *border;
    int width, height, planes, levels, depth, levels_z;
};

static double *exact, *expected, *got; // MOST samples each
static void *host[2], *device[2];      // input, output

static struct wp_operand operand(void *data, enum wp_element type, enum wp_location location)
{
    return (struct wp_operand){.data = data, .type = type, .location = location};
}

// Largest relative errors: of the type that is written, and of arithmetic in floats.
static double limit_of(enum wp_element written, enum wp_element read, bool in_floats)
{
    static const double steps[WP_ELEMENT_COUNT] = {
        [WP_ELEMENT_F32] = 1e-7,  [WP_ELEMENT_F16] = 6e-4,  [WP_ELEMENT_BF16] = 5e-3,
        [WP_ELEMENT_U8] = 2.5e-3, [WP_ELEMENT_U16] = 1e-5, [WP_ELEMENT_F64] = 1e-13,
    };
    const bool wide = !in_floats && (written == WP_ELEMENT_F64 || read == WP_ELEMENT_F64);
    return steps[written] + (wide ? 0 : 3e-6);
}

// Converts between an array of doubles and one of another type, both without gaps.
static void read_elements(double *to, void *from, enum wp_element type, int count)
{
    const struct wp_operand array = {.data = from, .type = type, .stride = {1}};
    wp_operand_read_f64(&wp_element_rows_f64, to, &array, 0, false, count);
}

static void write_elements(void *to, enum wp_element type, const double *from, int count)
{
    const struct wp_operand array = {.data = to, .type = type, .stride = {1}};
    wp_operand_write_f64(&wp_element_rows_f64, &array, 0, from, false, count);
}

// Transforms host[0] to host[1], in the memory of the host or of the device.
static bool run(struct wp_transform *t, bool inverse, enum wp_element from, enum wp_element to,
                bool on_device, int count)
{
    const enum wp_location location = on_device ? WP_LOCATION_CUDA : WP_LOCATION_HOST;
    void **memory = on_device ? device : host;
    const struct wp_operand in = operand(memory[0], from, location);
    const struct wp_operand out = operand(memory[1], to, location);
    const size_t in_bytes = (size_t)count * wp_elements[from].bytes;
    const size_t out_bytes = (size_t)count * wp_elements[to].bytes;
    return (!on_device ||
            cudaMemcpy(device[0], host[0], in_bytes, cudaMemcpyHostToDevice) == cudaSuccess) &&
           (inverse ? wp_transform_inverse : wp_transform_forward)(t, &in, &out) &&
           (!on_device ||
            cudaMemcpy(host[1], device[1], out_bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
}

static void check_direction(const char *name, struct wp_transform *t,
                            struct wp_transform *reference, bool inverse, enum wp_element from,
                            enum wp_element to, int count, bool volume)
{
    const struct wp_operand in = operand(exact, WP_ELEMENT_F64, WP_LOCATION_HOST);
    const struct wp_operand out = operand(expected, WP_ELEMENT_F64, WP_LOCATION_HOST);
    double largest = 0;
    write_elements(host[0], from, exact, count);
    read_elements(exact, host[0], from, count); // the values that the type represents
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(reference, &in, &out)) {
        report(name, "reference: %s", wp_last_error_text());
        return;
    }
    for (int i = 0; i < count; i++) {
        if (wp_elements[to].largest > 0)
            expected[i] = fmin(fmax(expected[i], 0), 1);
        largest = fmax(largest, fabs(expected[i]));
    }
    for (int place = 0; place < 2; place++) {
        double error = 0;
        cases++;
        if (!run(t, inverse, from, to, place, count)) {
            report(name, "%s: %s", inverse ? "inverse" : "forward", wp_last_error_text());
            continue;
        }
        read_elements(got, host[1], to, count);
        for (int i = 0; i < count; i++)
            error = fmax(error, isnan(got[i]) ? INFINITY : fabs(got[i] - expected[i]));
        if (!(error <= limit_of(to, from, !place && volume) * largest))
            report(name, "%s on the %s: differs by %g of %g", inverse ? "inverse" : "forward",
                   place ? "device" : "host", error, largest);
    }
    memcpy(exact, expected, (size_t)count * sizeof *exact);
}

static void check(const struct size *s, enum wp_element samples, enum wp_element coefficients)
{
    struct wp_transform_params p = WP_TRANSFORM_PARAMS(
        .width = s->width, .height = s->height, .depth = s->depth, .planes = s->planes,
        .levels = s->levels, .levels_z = s->levels_z,
        .wavelet = s->wavelet, .border = s->border, .backend = "cuda");
    const int count = s->width * s->height * s->planes * (s->depth ? s->depth : 1);
    char name[160];
    snprintf(name, sizeof name, "%s, %dx%dx%d, %d planes, %d levels, samples %s, coefficients %s",
             s->wavelet, s->width, s->height, s->depth, s->planes, s->levels,
             wp_elements[samples].name,
             wp_elements[coefficients].name);
    struct wp_transform *t = wp_transform_create(&p);
    p.backend = "reference";
    struct wp_transform *reference = wp_transform_create(&p);
    for (int i = 0; i < count; i++)
        exact[i] = rand() / (double)RAND_MAX;
    if (t && reference) {
        check_direction(name, t, reference, false, samples, coefficients, count, s->depth > 1);
        check_direction(name, t, reference, true, coefficients, samples, count, s->depth > 1);
    } else {
        report(name, "%s", wp_last_error_text());
    }
    wp_transform_destroy(&t);
    wp_transform_destroy(&reference);
}

static void test_types(void **state)
{
    (void)state;
    enum { F32 = WP_ELEMENT_F32, F64 = WP_ELEMENT_F64, F16 = WP_ELEMENT_F16,
           BF16 = WP_ELEMENT_BF16, U8 = WP_ELEMENT_U8, U16 = WP_ELEMENT_U16 };
    static const struct size sizes[] = {
        {"cdf97", "periodic", 64, 64, 40, 3, 1, 0}, {"cdf97", "symmetric", 33, 31, 7, 2, 1, 0},
        {"haar", "symmetric", 300, 201, 4, 3, 1, 0}, {"db4", "periodic", 128, 1, 300, 4, 1, 0},
        {"db2", "periodic", 256, 192, 3, 2, 1, 0}, {"cdf97", "symmetric", 130, 90, 1, 2, 1, 0},
        {"db2", "periodic", 32768, 1, 2, 3, 1, 0}, {"cdf97", "symmetric", 18001, 1, 3, 5, 1, 0},
        {"haar", "symmetric", 20004, 1, 2, 7, 1, 0},
    };
    static const int pairs[][2] = {{F64, F64}, {F16, F16}, {BF16, BF16}, {U8, F32},  {F32, F64},
                                   {F16, F64}, {BF16, F32}, {F64, BF16}, {U16, F16}, {U8, F64}};
    enum { SIZES = sizeof sizes / sizeof *sizes, PAIRS = sizeof pairs / sizeof *pairs };
    const int before = cases, failed = failures;
    for (int s = 0; s < SIZES; s++)
        for (int k = 0; k < PAIRS && !broken; k++)
            if (k == 0 || (k + s) % 3 == 0) // to compile fewer kernels
                check(&sizes[s], (enum wp_element)pairs[k][0], (enum wp_element)pairs[k][1]);
    finish("types", before, failed);
}

// Volumes. Those of f64 are computed in doubles in device memory, and in floats in the host's.
static void test_volumes(void **state)
{
    (void)state;
    enum { F32 = WP_ELEMENT_F32, F64 = WP_ELEMENT_F64, F16 = WP_ELEMENT_F16,
           BF16 = WP_ELEMENT_BF16, U8 = WP_ELEMENT_U8 };
    static const struct size sizes[] = {
        {"cdf97", "periodic", 32, 16, 1, 2, 8, 0},  {"cdf97", "symmetric", 33, 31, 1, 3, 17, 1},
        {"db2", "periodic", 16, 24, 2, 1, 32, 2},   {"haar", "symmetric", 20, 1, 1, 2, 9, 2},
    };
    static const int pairs[][2] = {{F64, F64}, {F16, F16}, {BF16, F32}, {U8, F64}};
    enum { SIZES = sizeof sizes / sizeof *sizes, PAIRS = sizeof pairs / sizeof *pairs };
    const int before = cases, failed = failures;
    for (int s = 0; s < SIZES; s++)
        for (int k = 0; k < PAIRS && !broken; k++)
            if (k == 0 || (k + s) % 2 == 0)
                check(&sizes[s], (enum wp_element)pairs[k][0], (enum wp_element)pairs[k][1]);
    finish("volumes", before, failed);
}

// f64 is rejected in device memory if all levels along z follow those of slices. The message names
// the types.
static void test_rejected(void **state)
{
    (void)state;
    const struct wp_transform_params volume =
        WP_TRANSFORM_PARAMS(.width = 16, .height = 16, .depth = 8, .levels = 2,
                            .decomposition = "spatial-temporal", .backend = "cuda");
    struct wp_transform *t = wp_transform_create(&volume);
    const struct wp_operand in = operand(device[0], WP_ELEMENT_F64, WP_LOCATION_CUDA);
    const struct wp_operand out = operand(device[1], WP_ELEMENT_F64, WP_LOCATION_CUDA);
    const int before = cases++, failed = failures;
    wp_begin_attempt();
    if (!t || wp_transform_forward(t, &in, &out) || wp_last_error() != WP_ERROR_USAGE ||
        !strstr(wp_last_error_text(), "f64"))
        report("a volume of f64", "'%s'", wp_last_error_text());
    wp_end_attempt();
    wp_transform_destroy(&t);
    finish("rejected", before, failed);
}

int main(void)
{
    if (!find_device())
        return SKIPPED;
    exact = calloc(3 * (size_t)MOST, sizeof *exact);
    if (!exact)
        return 1;
    expected = exact + MOST;
    got = expected + MOST;
    for (int i = 0; i < 2; i++) {
        host[i] = calloc(MOST, sizeof(double));
        if (!host[i] || cudaMalloc(&device[i], MOST * sizeof(double)) != cudaSuccess)
            return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_rejected),
    };
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        free(host[i]);
        cudaFree(device[i]);
    }
    free(exact);
    return result;
}
