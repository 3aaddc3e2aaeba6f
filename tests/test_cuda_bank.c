// Redundant banks on a CUDA device, in host and device memory, against the backend `reference`.
// Skipped without a GPU.
//
//     test_cuda_bank speed [SIZE]
//
// prints times of levels of one image, and of a copy.
#include "cuda_cases.h"
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
    snprintf(name, sizeof name, "%s %s %s%s %dx%dx%d, %d planes, %d levels from %d, %d along z",
             p->bank,
             p->wavelet, p->border, p->adjoint ? " adjoint" : "", p->width, p->height, depth,
             planes, p->levels, p->start_level, p->levels_z);
    cases++;
    struct wp_transform *expected = create(*p, "reference"), *got = create(*p, "cuda");
    if (expected && got) {
        const size_t samples =
            (size_t)p->width * (size_t)p->height * (size_t)depth * (size_t)planes;
        const size_t bands = (size_t)wp_transform_band_count(expected);
        compare(name, expected, got, false, samples, samples * bands);
        compare(name, expected, got, true, samples * bands, samples);
    } else {
        report(name, "%s", wp_last_error_text());
    }
    wp_transform_destroy(&expected);
    wp_transform_destroy(&got);
}

static void test_banks(void **state)
{
    (void)state;
    static const struct {
        const char *bank, *wavelet, *border;
    } kind[] = {{"undecimated", "haar", "periodic"}, {"undecimated", "db4", "periodic"},
                {"undecimated", "cdf97", "symmetric"}, {"undecimated", "cdf97", "periodic"},
                {"starlet", "cdf97", "symmetric"}, {"starlet", "cdf97", "periodic"}};
    static const int size[][5] = {{64, 64, 1, 4}, {37, 23, 3, 3},
                                  {5, 7, 1, 2}, {300, 1, 9, 5}, {1, 40, 1, 3},
                                  {700, 517, 1, 6}, {129, 40, 40, 1},
                                  {257, 130, 2, 2, 3}};
    const int before = cases, failed = failures;
    for (size_t k = 0; k < sizeof kind / sizeof *kind && !broken; k++)
        for (size_t s = 0; s < sizeof size / sizeof *size && !broken; s++)
            for (int adjoint = 0; adjoint < 2 && !broken; adjoint++) {
                const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
                    .width = size[s][0], .height = size[s][1], .planes = size[s][2],
                    .levels = size[s][3], .start_level = size[s][4], .bank = kind[k].bank, .wavelet = kind[k].wavelet,
                    .border = kind[k].border, .adjoint = adjoint);
                check(&p);
            }
    finish("banks", before, failed);
}

static void test_volumes(void **state)
{
    (void)state;
    static const char *const bank[] = {"undecimated", "starlet"};
    const int before = cases, failed = failures;
    for (int b = 0; b < 2; b++)
        for (int adjoint = 0; adjoint < 2 && !broken; adjoint++)
            for (int periodic = 0; periodic < 2 && !broken; periodic++) {
                const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
                    .width = 20, .height = 11, .depth = 9, .levels = 2, .levels_z = 2,
                    .bank = bank[b], .wavelet = "cdf53",
                    .border = periodic ? "periodic" : "symmetric", .adjoint = adjoint);
                check(&p);
            }
    finish("volumes", before, failed);
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

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "speed") == 0)
        return speed(argc > 2 ? atoi(argv[2]) : 4096);
    if (!find_device())
        return SKIPPED;
    for (int i = 0; i < 3; i++)
        host[i] = calloc(16 * (size_t)MOST / 4, sizeof(float));
    for (int i = 0; i < 2; i++)
        if (!host[2] || cudaMalloc((void **)&device[i], 4 * (size_t)MOST * sizeof(float)))
            return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_volumes),
    };
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 3; i++)
        free(host[i]);
    for (int i = 0; i < 2; i++)
        cudaFree(device[i]);
    return result;
}
