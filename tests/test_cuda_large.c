// Large images on the CUDA backend, against the CPU's: where kernels for several levels and the
// tuned sizes of blocks come into play, with all parities of width and height. Skipped without a
// GPU. test_cuda_large [VARIANT...]: other variants than the backend's choice.
#include "backends.h"
#include "log.h"
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

static const struct {
    int width, height, levels;
} sizes[] = {{8192, 8192, 1},  {8192, 8192, 5},  {8191, 4097, 4},
             {4098, 8190, 13}, {8190, 2051, 2},  {5, 8192, 3}};

static int passed, failed, skipped;

static float *make_plane(int width, int height)
{
    float *plane = malloc((size_t)width * (size_t)height * sizeof *plane);
    if (!plane)
        abort();
    return plane;
}

static void fill_random(float *plane, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        plane[i] = (float)(seed >> 8) / (float)(1 << 24);
    }
}

// The largest difference; a NaN counts as infinite.
static double compare(const float *a, const float *b, size_t count)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = fabs((double)a[i] - (double)b[i]);
        worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
    }
    return worst;
}

static bool transform(const struct wp_backend *backend, struct wp_device *device,
                      const struct wp_plan *plan, const struct wp_variant *variant,
                      const float *from, float *to)
{
    struct wp_exec *exec = backend->prepare(device, plan, variant);
    const bool ok = exec && backend->load(exec, from) && backend->run(exec, NULL) &&
                    backend->store(exec, to);
    if (exec)
        backend->release(exec);
    return ok;
}

// Forward against the CPU, and back to the image.
static void run_case(struct wp_device *cuda, struct wp_device *cpu, struct wp_plan_params params,
                     const struct wp_variant *variant)
{
    const size_t count = (size_t)params.width * (size_t)params.height;
    float *image = make_plane(params.width, params.height);
    float *expected = make_plane(params.width, params.height);
    float *found = make_plane(params.width, params.height);
    fill_random(image, count, (unsigned)(params.width + 3 * params.height));
    params.direction = WP_FORWARD;
    struct wp_plan *forward = wp_plan_create(&params);
    params.direction = WP_INVERSE;
    struct wp_plan *inverse = wp_plan_create(&params);
    char why[256];
    if (variant && variant->supports && !variant->supports(forward, why, sizeof why)) {
        skipped++;
    } else {
        const bool ok =
            transform(&wp_backend_cpu, cpu, forward, NULL, image, expected) &&
            transform(&wp_backend_cuda, cuda, forward, variant, image, found);
        const double there = ok ? compare(expected, found, count) : INFINITY;
        const bool back =
            ok && transform(&wp_backend_cuda, cuda, inverse, variant, found, expected);
        const double again = back ? compare(image, expected, count) : INFINITY;
        const bool good = there <= 1e-5 && again <= 1e-5;
        printf("%s: %s %s %s, %d levels of %dx%d: coefficients to %.1e, image to %.1e\n",
               good ? "passed" : "FAIL", variant ? variant->name : "auto", params.wavelet->name,
               wp_border_names[params.border], params.levels, params.width, params.height, there,
               again);
        passed += good;
        failed += !good;
    }
    wp_plan_destroy(&forward);
    wp_plan_destroy(&inverse);
    free(image);
    free(expected);
    free(found);
}

static void run_sizes(struct wp_device *cuda, struct wp_device *cpu, const char *name)
{
    const struct wp_variant *variant = NULL;
    if (!wp_backend_find_variant(&wp_backend_cuda, name, NULL, &variant)) {
        failed++;
        return;
    }
    for (int w = 0; wp_wavelet_table[w]; w++) {
        struct wp_plan_params params = {
            .wavelet = wp_wavelet_table[w], .kind = &wp_scheme_kinds[0], .levels = 5,
            .border = WP_BORDER_PERIODIC, .width = 4096, .height = 8192};
        run_case(cuda, cpu, params, variant);
        params.border = WP_BORDER_SYMMETRIC;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            params.width = sizes[s].width;
            params.height = sizes[s].height;
            params.levels = sizes[s].levels;
            run_case(cuda, cpu, params, variant);
        }
    }
}

int main(int argc, char **argv)
{
    char reason[256];
    struct wp_device *cuda = wp_backend_cuda.open(-1, true, reason, sizeof reason);
    if (!cuda) {
        printf("skipped: %s\n", reason);
        return SKIPPED;
    }
    struct wp_device *cpu = wp_backend_cpu.open(-1, false, reason, sizeof reason);
    if (!cpu)
        return 1;
    if (argc == 1)
        run_sizes(cuda, cpu, NULL);
    for (int i = 1; i < argc; i++)
        run_sizes(cuda, cpu, argv[i]);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    wp_backend_cpu.close(cpu);
    wp_backend_cuda.close(cuda);
    return failed != 0;
}
