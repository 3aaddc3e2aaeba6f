// Large images on a GPU backend, compared with the CPU backend. The sizes reach the kernels that
// compute several levels and the tuned block sizes, with all parities of width and height. Skipped
// without a GPU.
//
//     test_large BACKEND [--every | VARIANT...]
//
// Given variants are tested instead of the backend's default. --every tests all variants, and
// all schemes if the backend distinguishes them, with fewer sizes.
#include "registry.h"
#include "cpu_backend.h"
#include "plan.h"
#include "log.h"
#include "schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

enum { VARIANTS_MAX = 64 };

// The devices, schemes and variants to test.
struct devices {
    struct wp_backend_choice gpu;
    struct wp_device *cpu;
    int schemes;
    int variants;
    const struct wp_variant *variant[VARIANTS_MAX]; // NULL: the backend's default
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

// Compares the forward transform with `expected`, and its inverse with the image.
static void run_variant(const struct devices *on, const struct wp_description *forward,
                        const struct wp_variant *variant, const float *image,
                        const float *expected)
{
    const struct wp_backend *backend = on->gpu.backend;
    const char *name = variant ? variant->name : "auto";
    const int width = forward->size[WP_X], height = forward->size[WP_Y];
    char why[256];
    if (variant &&
        ((variant->supports && !variant->supports(variant, forward, why, sizeof why)) ||
         (variant->runs_on && !variant->runs_on(variant, on->gpu.device, why, sizeof why)))) {
        printf("skipped: %s %s %dx%d: %s\n", name, forward->wavelet->name, width, height, why);
        skipped++;
        return;
    }
    struct wp_description inverse = *forward;
    inverse.direction = WP_INVERSE;
    const struct wp_execute exec = {backend, on->gpu.device, variant};
    const size_t count = wp_description_samples(forward);
    float *found = make_plane(width, height), *restored = make_plane(width, height);
    const bool forward_ok =
        wp_execute(&exec, forward, 1, (const float *[]){image}, (float *[]){found});
    const bool inverse_ok = forward_ok && wp_execute(&exec, &inverse, 1, (const float *[]){found},
                                                     (float *[]){restored});
    const double forward_error = forward_ok ? compare(expected, found, count) : INFINITY;
    const double inverse_error = inverse_ok ? compare(image, restored, count) : INFINITY;
    const bool good = forward_error <= 1e-5 && inverse_error <= 1e-5;
    printf("%s: %s %s%s%s %s, %d levels of %dx%d: coefficients to %.1e, image to %.1e\n",
           good ? "passed" : "FAIL", name, forward->wavelet->name,
           backend->schemeless ? "" : "/", backend->schemeless ? "" : forward->kind->name,
           wp_border_names[forward->border], forward->levels, width, height, forward_error,
           inverse_error);
    passed += good;
    failed += !good;
    free(found);
    free(restored);
}

static void run_case(const struct devices *on, const struct wp_wavelet *wavelet,
                     const struct wp_scheme_kind *kind, const struct size *size)
{
    const struct wp_description forward = {.wavelet = wavelet, .kind = kind,
                                           .levels = size->levels, .border = size->border,
                                           .size = {size->width, size->height}};
    const struct wp_execute cpu = {&wp_backend_cpu, on->cpu, NULL};
    float *image = make_plane(size->width, size->height);
    float *expected = make_plane(size->width, size->height);
    fill_random(image, wp_description_samples(&forward),
                (unsigned)(size->width + 3 * size->height));
    if (!wp_execute(&cpu, &forward, 1, (const float *[]){image}, (float *[]){expected}))
        abort();
    for (int i = 0; i < on->variants; i++)
        run_variant(on, &forward, on->variant[i], image, expected);
    free(image);
    free(expected);
}

static void run_sizes(const struct devices *on, const struct size *size, size_t count)
{
    for (size_t s = 0; s < count; s++)
        for (int w = 0; wp_wavelet_table[w]; w++)
            for (int k = 0; k < on->schemes; k++)
                run_case(on, wp_wavelet_table[w], &wp_scheme_kinds[k], &size[s]);
}

int main(int argc, char **argv)
{
    char reason[256] = "no such backend";
    struct devices on = {.schemes = 1};
    for (int i = 0; wp_backends[i] && argc > 1; i++)
        if (strcmp(wp_backends[i]->name, argv[1]) == 0)
            on.gpu.backend = wp_backends[i];
    if (!on.gpu.backend) {
        fprintf(stderr, "usage: test_large BACKEND [--every | VARIANT...]\n");
        return 1;
    }
    on.gpu.device = on.gpu.backend->open(-1, true, reason, sizeof reason);
    if (on.gpu.device)
        on.gpu.backend->describe(on.gpu.device, &on.gpu.info);
    if (!on.gpu.device || on.gpu.info.software) {
        printf("skipped: %s\n", on.gpu.device ? "this device is not a GPU" : reason);
        if (on.gpu.device)
            on.gpu.backend->close(on.gpu.device);
        return SKIPPED;
    }
    on.cpu = wp_backend_cpu.open(-1, false, reason, sizeof reason);
    if (!on.cpu)
        return 1;
    const bool every = argc == 3 && strcmp(argv[2], "--every") == 0;
    if (every && !on.gpu.backend->schemeless)
        on.schemes = WP_SCHEME_KINDS;
    for (const struct wp_variant *v = every ? on.gpu.backend->variants : NULL; v && v->name; v++)
        on.variant[on.variants++] = v;
    for (int i = 2; i < argc && i < VARIANTS_MAX && !every; i++)
        if (!wp_backend_find_variant(on.gpu.backend, argv[i], NULL, &on.variant[on.variants++]))
            return 1;
    if (on.variants == 0)
        on.variants = 1;
    if (every)
        run_sizes(&on, brief, sizeof brief / sizeof *brief);
    else
        run_sizes(&on, thorough, sizeof thorough / sizeof *thorough);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    wp_backend_cpu.close(on.cpu);
    on.gpu.backend->close(on.gpu.device);
    return failed != 0;
}
