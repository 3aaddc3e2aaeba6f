// Large images on the CUDA backend, against the CPU's: where kernels for several levels and the
// tuned sizes of blocks come into play, with all parities of width and height. Skipped without a
// GPU. test_cuda_large [VARIANT...]: other variants than the backend's choice; --every: all of
// them, on fewer sizes.
#include "backends.h"
#include "log.h"
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

enum { VARIANTS_MAX = 64 };

// What the cases of a size run.
struct devices {
    struct wp_device *cuda, *cpu;
    int variants;
    const struct wp_variant *variant[VARIANTS_MAX]; // NULL: the backend's choice
};

static const struct size {
    int width, height, levels;
    enum wp_border border;
} thorough[] = {{4096, 8192, 5, WP_BORDER_PERIODIC},   {8192, 8192, 1, WP_BORDER_SYMMETRIC},
                {8192, 8192, 5, WP_BORDER_SYMMETRIC},  {8191, 4097, 4, WP_BORDER_SYMMETRIC},
                {4098, 8190, 13, WP_BORDER_SYMMETRIC}, {8190, 2051, 2, WP_BORDER_SYMMETRIC},
                {5, 8192, 3, WP_BORDER_SYMMETRIC}},
  brief[] = {{4097, 4099, 5, WP_BORDER_SYMMETRIC}, {4096, 2048, 5, WP_BORDER_PERIODIC},
             {8192, 8192, 4, WP_BORDER_SYMMETRIC}, {8191, 8193, 2, WP_BORDER_SYMMETRIC},
             {8193, 5, 3, WP_BORDER_SYMMETRIC},    {5, 8193, 3, WP_BORDER_SYMMETRIC}};

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

// Forward against the CPU's `expected`, and back to the image.
static void run_variant(const struct devices *on, const struct wp_plan *forward,
                        const struct wp_plan *inverse, const struct wp_variant *variant,
                        const float *image, const float *expected)
{
    const struct wp_plan_params *params = &forward->params;
    const char *name = variant ? variant->name : "auto";
    char why[256];
    if (variant && variant->supports && !variant->supports(forward, why, sizeof why)) {
        printf("skipped: %s %s %dx%d: %s\n", name, params->wavelet->name, params->width,
               params->height, why);
        skipped++;
        return;
    }
    const size_t count = (size_t)params->width * (size_t)params->height;
    float *found = make_plane(params->width, params->height);
    float *back = make_plane(params->width, params->height);
    const bool there = transform(&wp_backend_cuda, on->cuda, forward, variant, image, found);
    const bool again = there && transform(&wp_backend_cuda, on->cuda, inverse, variant, found,
                                          back);
    const double forth_error = there ? compare(expected, found, count) : INFINITY;
    const double back_error = again ? compare(image, back, count) : INFINITY;
    const bool good = forth_error <= 1e-5 && back_error <= 1e-5;
    printf("%s: %s %s %s, %d levels of %dx%d: coefficients to %.1e, image to %.1e\n",
           good ? "passed" : "FAIL", name, params->wavelet->name, wp_border_names[params->border],
           params->levels, params->width, params->height, forth_error, back_error);
    passed += good;
    failed += !good;
    free(found);
    free(back);
}

static void run_case(const struct devices *on, const struct wp_wavelet *wavelet,
                     const struct size *size)
{
    struct wp_plan_params params = {.wavelet = wavelet, .kind = &wp_scheme_kinds[0],
                                    .levels = size->levels, .border = size->border,
                                    .width = size->width, .height = size->height,
                                    .direction = WP_FORWARD};
    struct wp_plan *forward = wp_plan_create(&params);
    params.direction = WP_INVERSE;
    struct wp_plan *inverse = wp_plan_create(&params);
    float *image = make_plane(size->width, size->height);
    float *expected = make_plane(size->width, size->height);
    fill_random(image, (size_t)size->width * (size_t)size->height,
                (unsigned)(size->width + 3 * size->height));
    if (!transform(&wp_backend_cpu, on->cpu, forward, NULL, image, expected))
        abort();
    for (int i = 0; i < on->variants; i++)
        run_variant(on, forward, inverse, on->variant[i], image, expected);
    wp_plan_destroy(&forward);
    wp_plan_destroy(&inverse);
    free(image);
    free(expected);
}

static void run_sizes(const struct devices *on, const struct size *size, size_t count)
{
    for (size_t s = 0; s < count; s++)
        for (int w = 0; wp_wavelet_table[w]; w++)
            run_case(on, wp_wavelet_table[w], &size[s]);
}

int main(int argc, char **argv)
{
    char reason[256];
    struct devices on = {.cuda = wp_backend_cuda.open(-1, true, reason, sizeof reason)};
    if (!on.cuda) {
        printf("skipped: %s\n", reason);
        return SKIPPED;
    }
    on.cpu = wp_backend_cpu.open(-1, false, reason, sizeof reason);
    if (!on.cpu)
        return 1;
    const bool every = argc == 2 && strcmp(argv[1], "--every") == 0;
    if (every)
        for (const struct wp_variant *v = wp_backend_cuda.variants; v->name; v++)
            on.variant[on.variants++] = v;
    else
        for (int i = 1; i < argc && i < VARIANTS_MAX; i++)
            if (!wp_backend_find_variant(&wp_backend_cuda, argv[i], NULL,
                                         &on.variant[on.variants++]))
                return 1;
    if (argc == 1)
        on.variants = 1;
    if (every)
        run_sizes(&on, brief, sizeof brief / sizeof *brief);
    else
        run_sizes(&on, thorough, sizeof thorough / sizeof *thorough);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    wp_backend_cpu.close(on.cpu);
    wp_backend_cuda.close(on.cuda);
    return failed != 0;
}
