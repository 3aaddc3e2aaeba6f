// Batches of images on a CUDA device, in host and device memory with any strides, against the
// backend `reference` or, for many samples, `cpu`. Skipped without a GPU.
#include "cuda_cases.h"
#include "wavepass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 22 }; // samples of an operand

enum strides { DENSE, PADDED, INTERLEAVED, STRIDES };
static const char *const stride_names[STRIDES] = {"dense", "padded", "interleaved"};

static float *host[2], *device[2]; // input, output

static void set_strides(ptrdiff_t stride[WP_DIMENSIONS], enum strides kind, int width, int height,
                        int planes)
{
    const ptrdiff_t w = width + (kind == PADDED ? 3 : 0), h = height + (kind == PADDED ? 1 : 0);
    const ptrdiff_t step = kind == INTERLEAVED ? planes : 1;
    const ptrdiff_t all[] = {step, w * step, w * h * step, kind == INTERLEAVED ? 1 : w * h};
    memcpy(stride, all, sizeof all);
}

static struct wp_operand operand(float *data, enum wp_location location, enum strides kind,
                                 const struct wp_transform_params *p)
{
    struct wp_operand o = {.data = data, .location = location};
    set_strides(o.stride, kind, p->width, p->height, p->planes);
    return o;
}

// The largest difference of the samples of an operand from those of a dense one.
static double largest_difference(const struct wp_operand *a, const float *dense,
                                 const struct wp_transform_params *p)
{
    double largest = 0;
    const float *data = a->data;
    for (int z = 0; z < p->planes; z++)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++, dense++) {
                const double d = fabs((double)data[x * a->stride[0] + y * a->stride[1] +
                                                   z * a->stride[WP_PLANE]] - (double)*dense);
                largest = d > largest || isnan(d) ? d : largest;
            }
    return largest;
}

// Runs one direction on device memory, from a dense array on the host to `result`, a host copy of
// the output.
static bool run_device(struct wp_transform *t, bool inverse, enum strides kind,
                       const struct wp_transform_params *p, const float *dense,
                       struct wp_operand *result)
{
    struct wp_operand in = operand(host[0], WP_LOCATION_HOST, kind, p);
    for (int z = 0; z < p->planes; z++)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++)
                host[0][x * in.stride[0] + y * in.stride[1] + z * in.stride[WP_PLANE]] = *dense++;
    const struct wp_operand from = operand(device[0], WP_LOCATION_CUDA, kind, p);
    const struct wp_operand to = operand(device[1], WP_LOCATION_CUDA, kind, p);
    *result = operand(host[1], WP_LOCATION_HOST, kind, p);
    const size_t bytes = ROOM * sizeof(float);
    return cudaMemcpy(device[0], host[0], bytes, cudaMemcpyHostToDevice) == cudaSuccess &&
           cudaMemset(device[1], 0xFF, bytes) == cudaSuccess &&
           (inverse ? wp_transform_inverse : wp_transform_forward)(t, &from, &to) &&
           cudaMemcpy(host[1], device[1], bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
}

// Checks that the output has no sample outside its planes.
static bool is_untouched(const struct wp_operand *result, const struct wp_transform_params *p)
{
    const size_t samples = (size_t)p->planes * (size_t)p->width * (size_t)p->height;
    const float *data = result->data;
    size_t written = 0;
    for (size_t i = 0; i < ROOM; i++)
        written += isnan(data[i]) ? 0 : 1;
    return written == samples;
}

static void check(const char *name, const struct wp_transform_params *params, enum strides kind,
                  bool expects_batch)
{
    struct wp_transform_params p = *params, on_cpu = *params;
    const size_t samples = (size_t)p.planes * (size_t)p.width * (size_t)p.height;
    on_cpu.backend = samples < 100000 ? "reference" : "cpu";
    on_cpu.variant = NULL;
    p.backend = "cuda";
    struct wp_transform *t = wp_transform_create(&p), *reference = wp_transform_create(&on_cpu);
    float *dense = calloc(3 * samples, sizeof *dense);
    float *expected = dense + samples, *got = expected + samples;
    struct wp_operand result;
    cases++;
    for (size_t i = 0; i < samples; i++)
        dense[i] = (float)(rand() % 1000) / (p.reversible ? 1 : 1000);
    if (!t || !reference || !wp_transform_forward(reference, WP_ARRAY(dense), WP_ARRAY(expected)) ||
        !wp_transform_forward(t, WP_ARRAY(dense), WP_ARRAY(got))) {
        report(name, "%s", wp_last_error_text());
    } else {
        const struct wp_operand plain = operand(got, WP_LOCATION_HOST, DENSE, &p);
        const double limit = 2e-5, error = largest_difference(&plain, expected, &p);
        const struct wp_operand array = {.location = WP_LOCATION_CUDA};
        const char *plan = wp_transform_describe(t, false, &array, &array);
        if (!plan || !strstr(plan, expects_batch ? "planes as slices" : "loop over planes"))
            report(name, "the plan is %s", plan);
        if (!(error <= limit))
            report(name, "host memory: differs by %g", error);
        for (int inverse = 0; inverse < 2; inverse++) {
            const float *from = inverse ? expected : dense, *to = inverse ? dense : expected;
            if (!run_device(t, inverse, kind, &p, from, &result))
                report(name, "%s: %s", inverse ? "inverse" : "forward", wp_last_error_text());
            else if (!(largest_difference(&result, to, &p) <= limit))
                report(name, "%s: differs by %g", inverse ? "inverse" : "forward",
                       largest_difference(&result, to, &p));
            else if (!is_untouched(&result, &p))
                report(name, "%s wrote outside the planes", inverse ? "inverse" : "forward");
        }
    }
    free(dense);
    wp_transform_destroy(&t);
    wp_transform_destroy(&reference);
}

struct size {
    int width, height, planes, levels;
};

static void check_all(const struct size *s, int sizes, const char *const *wavelets, int count,
                      const char *border)
{
    char name[160];
    for (int i = 0; i < sizes; i++)
        for (int w = 0; w < count && !broken; w++) {
            const enum strides kind = (enum strides)((i + w) % STRIDES); // to compile fewer kernels
            const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
                .width = s[i].width, .height = s[i].height, .planes = s[i].planes,
                .levels = s[i].levels, .wavelet = wavelets[w], .border = border,
                .layout = kind == PADDED && i % 2 ? "mixed" : "mallat");
            snprintf(name, sizeof name, "%s %s, %dx%d, %d planes, %d levels, %s, %s", wavelets[w],
                     border, p.width, p.height, p.planes, p.levels, p.layout, stride_names[kind]);
            check(name, &p, kind, true);
        }
}

static void test_symmetric(void **state)
{
    (void)state;
    static const struct size sizes[] = {
        {64, 64, 70, 3}, {17, 23, 9, 3}, {5, 3, 40, 2},   {2, 2, 33, 1},   {128, 128, 130, 3},
        {100, 7, 4, 2},   {33, 1, 7, 3},  {1, 16, 5, 2},   {129, 257, 3, 5}, {300, 201, 4, 4},
        {1000, 3, 5, 2}, {17, 3, 4, 4},  {2049, 1, 9, 5}, {160, 160, 140, 2},
        {23041, 1, 4, 3}, {50001, 1, 3, 9}};
    // Most of the time is that of compiling kernels, which takes cdf97 three times as long.
    static const struct size few[] = {
        {64, 64, 70, 3}, {17, 23, 9, 3}, {129, 257, 3, 5}, {33, 1, 7, 3}, {23041, 1, 4, 3}};
    static const char *const haar = "haar", *const cdf97 = "cdf97";
    const int before = cases, failed = failures;
    check_all(sizes, sizeof sizes / sizeof *sizes, &haar, 1, "symmetric");
    check_all(few, sizeof few / sizeof *few, &cdf97, 1, "symmetric");
    finish("symmetric", before, failed);
}

static void test_periodic(void **state)
{
    (void)state;
    static const struct size sizes[] = {{64, 64, 70, 3}, {2, 2, 33, 1},  {128, 1, 300, 4},
                                        {512, 256, 6, 3}, {32, 8, 50, 3}, {4096, 1, 5, 6},
                                        {65536, 1, 3, 4}};
    // Kernels of wavelets with many steps take seconds to compile: db20 8 s for 64x64.
    static const struct size few[] = {{32, 8, 50, 3}, {4096, 1, 5, 6}};
    static const char *const wavelets[] = {"haar", "db4"};
    static const char *const sym8 = "sym8", *const db20 = "db20";
    const int before = cases, failed = failures;
    check_all(sizes, sizeof sizes / sizeof *sizes, wavelets, 2, "periodic");
    check_all(few, 2, &sym8, 1, "periodic");
    check_all(few, 1, &db20, 1, "periodic");
    finish("periodic", before, failed);
}

// Variants without batches, and reversible transforms.
static void test_loops(void **state)
{
    (void)state;
    const int before = cases, failed = failures;
    const struct wp_transform_params variant = WP_TRANSFORM_PARAMS(
        .width = 96, .height = 64, .planes = 4, .levels = 2, .variant = "hybrid");
    const struct wp_transform_params reversible = WP_TRANSFORM_PARAMS(
        .width = 96, .height = 64, .planes = 4, .levels = 2, .reversible = true);
    check("variant hybrid", &variant, DENSE, false);
    check("reversible", &reversible, DENSE, false);
    finish("loops", before, failed);
}

int main(void)
{
    if (!find_device())
        return SKIPPED;
    const size_t bytes = ROOM * sizeof(float);
    for (int i = 0; i < 2; i++) {
        host[i] = malloc(bytes);
        if (!host[i] || cudaMalloc((void **)&device[i], bytes) != cudaSuccess)
            return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_loops),
    };
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        free(host[i]);
        cudaFree(device[i]);
    }
    return result;
}
