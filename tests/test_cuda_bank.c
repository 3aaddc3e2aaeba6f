// Redundant banks and packets on a CUDA device, in host and device memory, against the backend
// `reference`. Skipped without a GPU.
//
//     test_cuda_bank [PATTERN]
//
// runs only the tests whose names match.
//
//     test_cuda_bank speed [SIZE]
//     test_cuda_bank packets SIZE [PLANES [LEVELS]]
//
// print times of levels of one image, or of packets of some, and of a copy.
#include "cuda_cases.h"
#include "elements.h"
#include "scratch.h"
#include "wavepass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 22 };

static float *host[3], *device[2];

static struct wp_transform *create(struct wp_transform_params p, const char *backend)
{
    p.backend = backend;
    return wp_transform_create(&p);
}

static double difference(const float *a, const float *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double d = fabs((double)a[i] - (double)b[i]);
        largest = d > largest || isnan(d) ? d : largest;
    }
    return largest;
}

// One direction: host[0] to host[1] by `reference`, host[2] by `cuda`, and by device memory.
static void compare(const char *name, struct wp_transform *expected, struct wp_transform *got,
                    bool inverse, size_t from, size_t to)
{
    bool (*const run)(struct wp_transform *, const struct wp_operand *, const struct wp_operand *) =
        inverse ? wp_transform_inverse : wp_transform_forward;
    const struct wp_operand in = {.data = device[0], .location = WP_LOCATION_CUDA},
                            out = {.data = device[1], .location = WP_LOCATION_CUDA};
    for (size_t i = 0; i < from; i++)
        host[0][i] = (float)rand() / (float)RAND_MAX;
    if (!run(expected, WP_ARRAY(host[0]), WP_ARRAY(host[1])) ||
        !run(got, WP_ARRAY(host[0]), WP_ARRAY(host[2]))) {
        report(name, "%s", wp_last_error_text());
        return;
    }
    double d = difference(host[1], host[2], to);
    if (!(d < 1e-5))
        report(name, "%s on the host differs by %g", inverse ? "inverse" : "forward", d);
    memset(host[2], 0xFF, to * sizeof(float));
    if (!cuda(name, cudaMemcpy(device[0], host[0], from * sizeof(float), cudaMemcpyHostToDevice),
              "copying") ||
        !run(got, &in, &out) ||
        !cuda(name, cudaMemcpy(host[2], device[1], to * sizeof(float), cudaMemcpyDeviceToHost),
              "copying"))
        return;
    d = difference(host[1], host[2], to);
    if (!(d < 1e-5))
        report(name, "%s on the device differs by %g", inverse ? "inverse" : "forward", d);
}

static void check(const struct wp_transform_params *p)
{
    char name[160];
    const int depth = p->depth > 1 ? p->depth : 1, planes = p->planes > 1 ? p->planes : 1;
    snprintf(name, sizeof name, "%s %s %s%s %dx%dx%d, %d planes, %d levels, %d along z", p->bank,
             p->wavelet, p->border, p->adjoint ? " adjoint" : "", p->width, p->height, depth,
             planes, p->levels, p->levels_z);
    cases++;
    struct wp_transform *expected = create(*p, "reference"), *got = create(*p, "cuda");
    if (expected && got) {
        const size_t samples =
            (size_t)p->width * (size_t)p->height * (size_t)depth * (size_t)planes;
        const size_t bands =
            strcmp(p->bank, "packets") == 0 ? 1 : (size_t)wp_transform_band_count(expected);
        compare(name, expected, got, false, samples, samples * bands);
        compare(name, expected, got, true, samples * bands, samples);
    } else {
        report(name, "%s", wp_last_error_text());
    }
    wp_transform_destroy(&expected);
    wp_transform_destroy(&got);
}

// Each kernel takes NVRTC half a second, so most banks have only the first size, and few an adjoint.
static void test_banks(void **state)
{
    (void)state;
    static const struct {
        const char *bank, *wavelet, *border;
        int sizes, adjoints; // the first ones
    } kind[] = {{"undecimated", "cdf97", "symmetric", 7, 2}, {"starlet", "cdf97", "symmetric", 7, 2},
                {"undecimated", "db4", "periodic", 2, 1},    {"undecimated", "haar", "periodic", 1, 0},
                {"undecimated", "cdf97", "periodic", 1, 0},  {"starlet", "cdf97", "periodic", 1, 0}};
    static const int size[][4] = {{37, 23, 3, 3}, {700, 517, 1, 6}, {64, 64, 1, 4}, {5, 7, 1, 2},
                                  {300, 1, 9, 5}, {1, 40, 1, 3}, {129, 40, 40, 1}};
    const int before = cases, failed = failures;
    for (size_t k = 0; k < sizeof kind / sizeof *kind && !broken; k++)
        for (int c = 0; c < kind[k].sizes + kind[k].adjoints && !broken; c++) {
            const bool adjoint = c >= kind[k].sizes;
            const int *of = size[adjoint ? c - kind[k].sizes : c];
            const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
                .width = of[0], .height = of[1], .planes = of[2], .levels = of[3],
                .bank = kind[k].bank, .wavelet = kind[k].wavelet, .border = kind[k].border,
                .adjoint = adjoint);
            check(&p);
        }
    finish("banks", before, failed);
}

static void test_volumes(void **state)
{
    (void)state;
    static const struct {
        const char *bank, *border;
        bool adjoint;
    } kind[] = {{"undecimated", "symmetric", false}, {"undecimated", "symmetric", true},
                {"undecimated", "periodic", false}, {"starlet", "symmetric", false},
                {"starlet", "symmetric", true}};
    const int before = cases, failed = failures;
    for (size_t k = 0; k < sizeof kind / sizeof *kind && !broken; k++) {
        const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
            .width = 20, .height = 11, .depth = 9, .levels = 2, .levels_z = 2,
            .bank = kind[k].bank, .wavelet = "cdf53", .border = kind[k].border,
            .adjoint = kind[k].adjoint);
        check(&p);
    }
    finish("volumes", before, failed);
}

// Samples and coefficients of 16 bits, against floats of the same values: the largest error of
// rounding the result, relative to the largest one, and of sums in floats.
static void compare_narrow(const char *name, struct wp_transform *expected, struct wp_transform *got,
                           bool inverse, enum wp_element type, size_t from, size_t to)
{
    bool (*const run)(struct wp_transform *, const struct wp_operand *, const struct wp_operand *) =
        inverse ? wp_transform_inverse : wp_transform_forward;
    const double step = type == WP_ELEMENT_F16 ? 0x1p-11 : 0x1p-8;
    const struct wp_operand narrow = {.data = host[2], .type = type, .stride = {1}};
    const struct wp_operand in = {.data = device[0], .type = type, .location = WP_LOCATION_CUDA},
                            out = {.data = device[1], .type = type, .location = WP_LOCATION_CUDA};
    const int samples = (int)from, results = (int)to;
    for (size_t i = 0; i < from; i++)
        host[0][i] = (float)rand() / (float)RAND_MAX - 0.5f;
    wp_operand_write(&wp_element_rows, &narrow, 0, host[0], false, samples);
    wp_operand_read(&wp_element_rows, host[0], &narrow, 0, false, samples);
    if (!run(expected, WP_ARRAY(host[0]), WP_ARRAY(host[1])) ||
        !cuda(name, cudaMemcpy(device[0], host[2], from * 2, cudaMemcpyHostToDevice), "copying") ||
        !cuda(name, cudaMemset(device[1], 0xFF, to * 2), "setting") || !run(got, &in, &out) ||
        !cuda(name, cudaMemcpy(host[2], device[1], to * 2, cudaMemcpyDeviceToHost), "copying")) {
        report(name, "%s", wp_last_error_text());
        return;
    }
    double largest = 0;
    for (size_t i = 0; i < to; i++)
        largest = fmax(largest, fabs((double)host[1][i]));
    wp_operand_read(&wp_element_rows, host[0], &narrow, 0, false, results);
    const double d = difference(host[1], host[0], to);
    if (!(d <= step * largest * 1.01))
        report(name, "%s differs by %g of %g", inverse ? "inverse" : "forward", d, largest);
}

static void test_narrow(void **state)
{
    (void)state;
    static const enum wp_element type[] = {WP_ELEMENT_F16, WP_ELEMENT_BF16};
    static const char *const bank[] = {"undecimated", "starlet"};
    static const int size[][3] = {{132, 60, 3}, {45, 37, 2}}; // in aligned groups, and without
    const int before = cases, failed = failures;
    for (size_t c = 0; c < 8 && !broken; c++) {
        const enum wp_element of = type[c & 1];
        const int *s = size[c >> 2];
        struct wp_transform_params p = WP_TRANSFORM_PARAMS(
            .width = s[0], .height = s[1], .levels = s[2], .bank = bank[c >> 1 & 1],
            .wavelet = "cdf97");
        char name[96];
        snprintf(name, sizeof name, "%s %dx%d of %s", p.bank, s[0], s[1], wp_elements[of].name);
        cases++;
        struct wp_transform *expected = create(p, "reference"), *got = create(p, "cuda");
        if (expected && got) {
            const size_t samples = (size_t)s[0] * (size_t)s[1];
            const size_t bands = (size_t)wp_transform_band_count(expected);
            compare_narrow(name, expected, got, false, of, samples, samples * bands);
            compare_narrow(name, expected, got, true, of, samples * bands, samples);
        } else {
            report(name, "%s", wp_last_error_text());
        }
        wp_transform_destroy(&expected);
        wp_transform_destroy(&got);
    }
    finish("16 bits", before, failed);
}

static void test_packets(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet, *border;
        int width, height, planes, levels;
    } kind[] = {{"haar", "symmetric", 128, 128, 40, 3}, {"cdf97", "symmetric", 128, 128, 5, 3},
                {"db2", "periodic", 16, 16, 300, 2},    {"cdf53", "symmetric", 64, 32, 70, 4},
                {"cdf97", "symmetric", 1024, 512, 1, 3}, {"db4", "periodic", 520, 264, 2, 3},
                {"haar", "symmetric", 600, 1024, 1, 3},
                {"db4", "periodic", 4096, 1, 50, 4},    {"cdf97", "symmetric", 192, 1000, 1, 3},
                {"cdf97", "symmetric", 45, 37, 3, 2}};
    const int before = cases, failed = failures;
    for (size_t k = 0; k < sizeof kind / sizeof *kind && !broken; k++) {
        const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
            .width = kind[k].width, .height = kind[k].height, .planes = kind[k].planes,
            .levels = kind[k].levels, .bank = "packets", .wavelet = kind[k].wavelet,
            .border = kind[k].border);
        check(&p);
    }
    finish("packets", before, failed);
}

static double time_of(struct wp_transform *t, bool inverse, float *in, float *out, size_t bytes)
{
    enum { RUNS = 20 };
    cudaEvent_t start, stop;
    float ms = 0;
    const struct wp_operand from = {.data = in, .location = WP_LOCATION_CUDA},
                            to = {.data = out, .location = WP_LOCATION_CUDA};
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int i = -2; i < RUNS; i++) {
        if (i == 0)
            cudaEventRecord(start, NULL);
        if (!t)
            cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, NULL);
        else if (!(inverse ? wp_transform_inverse : wp_transform_forward)(t, &from, &to))
            return 0;
    }
    cudaEventRecord(stop, NULL);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    return (double)ms * 1e3 / RUNS;
}

// The shares are of the time of a copy of the bytes that the levels read and write.
static int speed(int size)
{
    static const struct {
        const char *bank, *wavelet;
        int levels;
    } kind[] = {{"starlet", "cdf97", 1}, {"starlet", "cdf97", 5}, {"undecimated", "cdf53", 1},
                {"undecimated", "cdf97", 1}, {"undecimated", "cdf97", 4}, {"undecimated", "db4", 1},
                {"undecimated", "db4", 5}, {"undecimated", "cdf53", 5}};
    const size_t samples = (size_t)size * (size_t)size;
    float *from, *to;
    if (cudaMalloc((void **)&from, samples * 4) || cudaMalloc((void **)&to, samples * 4 * 16) ||
        cudaMemset(from, 0, samples * 4) || cudaMemset(to, 0, samples * 64))
        return 1;
    const double copy = time_of(NULL, false, from, to, samples * 4);
    printf("%dx%d: copy %.1f us\n", size, size, copy);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const bool starlet = kind[k].bank[0] == 's';
        const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
            .width = size, .height = size, .bank = kind[k].bank, .wavelet = kind[k].wavelet,
            .levels = kind[k].levels,
            .border = kind[k].wavelet[0] == 'd' ? "periodic" : "symmetric");
        struct wp_transform *t = create(p, "cuda");
        if (!t)
            return 1;
        const double forward = time_of(t, false, from, to, 0);
        const double inverse = time_of(t, true, to, from, 0);
        const double moved = copy / 2 * kind[k].levels * (starlet ? 3 : 5);
        const double summed = starlet ? copy / 2 * (kind[k].levels + 2) : moved;
        printf("%-12s %-6s %d levels: forward %8.1f us, %3.0f %%; inverse %8.1f us, %3.0f %%\n",
               kind[k].bank, kind[k].wavelet, kind[k].levels, forward, 100 * moved / forward,
               inverse, 100 * summed / inverse);
        wp_transform_destroy(&t);
    }
    return 0;
}

// In copies of the array.
static int speed_of_packets(int size, int planes, int levels)
{
    static const char *const wavelet[] = {"haar", "cdf53", "cdf97", "db4"};
    const size_t bytes = (size_t)size * (size_t)size * (size_t)planes * sizeof(float);
    float *from, *to;
    if (cudaMalloc((void **)&from, bytes) || cudaMalloc((void **)&to, bytes) ||
        cudaMemset(from, 0, bytes) || cudaMemset(to, 0, bytes))
        return 1;
    const double copy = time_of(NULL, false, from, to, bytes);
    printf("%d of %dx%d, %d levels: copy %.1f us\n", planes, size, size, levels, copy);
    for (size_t w = 0; w < sizeof wavelet / sizeof *wavelet; w++) {
        const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
            .width = size, .height = size, .planes = planes, .bank = "packets",
            .wavelet = wavelet[w], .levels = levels,
            .border = wavelet[w][0] == 'd' ? "periodic" : "symmetric");
        struct wp_transform *t = create(p, "cuda");
        if (!t)
            return 1;
        const double forward = time_of(t, false, from, to, 0);
        const double inverse = time_of(t, true, to, from, 0);
        printf("%-6s forward %8.1f us, %.2f copies; inverse %8.1f us, %.2f copies\n", wavelet[w],
               forward, forward / copy, inverse, inverse / copy);
        wp_transform_destroy(&t);
    }
    cudaFree(from);
    cudaFree(to);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "packets") == 0)
        return speed_of_packets(atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 1,
                                argc > 4 ? atoi(argv[4]) : 3);
    if (argc > 1 && strcmp(argv[1], "speed") == 0)
        return speed(argc > 2 ? atoi(argv[2]) : 4096);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    char folder[SCRATCH_SIZE], command[SCRATCH_SIZE + 16];
    if (!find_device())
        return SKIPPED;
    // Kernels are compiled once for all cases.
    if (!make_scratch(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 1;
    for (int i = 0; i < 3; i++)
        host[i] = calloc(16 * (size_t)MOST / 4, sizeof(float));
    for (int i = 0; i < 2; i++)
        if (!host[2] || cudaMalloc((void **)&device[i], 4 * (size_t)MOST * sizeof(float)))
            return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_packets),
    };
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 3; i++)
        free(host[i]);
    for (int i = 0; i < 2; i++)
        cudaFree(device[i]);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0 || result != 0;
}
