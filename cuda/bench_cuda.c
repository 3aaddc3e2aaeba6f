// Times the CUDA backend against a device copy of the same bytes. Prints JSON.
//
// Every sample is a batch of launches, one on each of several images in turn, so that no cache
// holds an image when its turn comes again, timed by events; a batch of copies is timed right
// beside each. GB/s counts the image once in and once out.
#include "backends.h"
#include "cuda_backend.h"
#include "log.h"
#include "memory.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 4, SAMPLES = 21, WARM_UP = 2 };

static cudaEvent_t start, stop;
static float *copy_from[IMAGES], *copy_to[IMAGES];

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "bench_cuda: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static void require(bool ok)
{
    if (!ok)
        exit(1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, SAMPLES, sizeof *values, compare);
    return values[SAMPLES / 2];
}

static double end_batch(void)
{
    float milliseconds = 0;
    check(cudaEventRecord(stop, NULL));
    check(cudaEventSynchronize(stop));
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    return (double)milliseconds / IMAGES;
}

static double time_copy(size_t bytes)
{
    check(cudaEventRecord(start, NULL));
    for (int i = 0; i < IMAGES; i++)
        check(cudaMemcpyAsync(copy_to[i], copy_from[i], bytes, cudaMemcpyDeviceToDevice, NULL));
    return end_batch();
}

static double time_exec(struct wp_exec *const exec[IMAGES])
{
    check(cudaEventRecord(start, NULL));
    for (int i = 0; i < IMAGES; i++)
        require(wp_cuda_exec_launch(exec[i]));
    return end_batch();
}

static void fill(float *image, size_t count)
{
    unsigned seed = 1;
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        image[i] = (float)(seed >> 8) / (1 << 24);
    }
}

static struct wp_plan *make_plan(const struct wp_wavelet *wavelet, enum wp_direction direction,
                                 int size, int levels)
{
    struct wp_plan *plan = wp_plan_create(&(struct wp_plan_params){
        .wavelet = wavelet,
        .kind = &wp_scheme_kinds[0],
        .direction = direction,
        .levels = levels,
        .width = size,
        .height = size,
    });
    require(plan != NULL);
    return plan;
}

// One row: fills `out` with what the transform makes of `in`.
static void bench(struct wp_device *device, const struct wp_plan *plan,
                  const struct wp_variant *variant, const float *in, float *out,
                  const char *comma)
{
    const struct wp_plan_params *p = &plan->params;
    const size_t bytes = (size_t)p->width * (size_t)p->height * sizeof(float);
    struct wp_exec *exec[IMAGES];
    for (int i = 0; i < IMAGES; i++) {
        exec[i] = wp_backend_cuda.prepare(device, plan, variant);
        require(exec[i] && wp_backend_cuda.load(exec[i], in));
    }
    double copy[SAMPLES], mine[SAMPLES];
    for (int i = -WARM_UP; i < SAMPLES; i++) {
        const double c = time_copy(bytes), m = time_exec(exec);
        if (i >= 0)
            copy[i] = c, mine[i] = m;
    }
    require(wp_backend_cuda.store(exec[IMAGES - 1], out));
    const char *name = wp_backend_cuda.variant(exec[0])->name;
    for (int i = 0; i < IMAGES; i++)
        wp_backend_cuda.release(exec[i]);
    const double ms = median(mine), copy_ms = median(copy);
    printf("%s  {\"variant\": \"%s\", \"wavelet\": \"%s\", \"direction\": \"%s\", \"levels\": %d, "
           "\"width\": %d, \"height\": %d, \"median_ms\": %.5f, \"min_ms\": %.5f, \"gb_s\": %.1f, "
           "\"copy_ms\": %.5f, \"copy_gb_s\": %.1f, \"share_of_copy\": %.4f",
           comma, name, p->wavelet->name,
           p->direction == WP_FORWARD ? "forward" : "inverse", p->levels, p->width, p->height, ms,
           mine[0], 2e-6 * (double)bytes / ms, copy_ms,
           2e-6 * (double)bytes / copy_ms, copy_ms / ms);
}

static void print_environment(const struct wp_device_info *info)
{
    int driver = 0, runtime = 0;
    check(cudaDriverGetVersion(&driver));
    check(cudaRuntimeGetVersion(&runtime));
    printf("{\n\"gpu\": \"%s\",\n\"cuda_driver\": %d,\n\"cuda_runtime\": %d,\n", info->name,
           driver, runtime);
    char line[256] = "";
    FILE *smi = popen("nvidia-smi --query-gpu=driver_version,clocks.sm,clocks.mem,"
                      "clocks.max.sm,clocks.max.mem --format=csv,noheader", "r");
    if (smi && fgets(line, sizeof line, smi))
        line[strcspn(line, "\r\n")] = '\0';
    if (smi)
        pclose(smi);
    printf("\"driver_and_clocks\": \"%s\",\n\"images\": %d,\n\"samples\": %d,\n\"rows\": [", line,
           (int)IMAGES, (int)SAMPLES);
}

// bench_cuda [--variants] [-w WAVELET]... SIZE...
int main(int argc, char **argv)
{
    const char *given[16] = {0};
    const char *table[16] = {0};
    bool all = false;
    int wavelets = 0;
    for (int i = 0; wp_wavelet_table[i]; i++)
        table[i] = wp_wavelet_table[i]->name;
    struct wp_backend_choice on;
    require(wp_backend_open("cuda", WP_DEVICE_ANY, &on));
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    print_environment(&on.info);
    const char *comma = "\n";
    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--variants") == 0) {
            all = true;
            continue;
        }
        if (strcmp(argv[a], "-w") == 0 && a + 1 < argc && wavelets < 15) {
            given[wavelets++] = argv[++a];
            continue;
        }
        const char *const *names = wavelets ? given : table;
        const int size = atoi(argv[a]);
        const size_t count = (size_t)size * (size_t)size;
        float *image = wp_allocate(count, sizeof *image, "an image");
        float *coefficients = wp_allocate(count, sizeof *image, "an image");
        float *back = wp_allocate(count, sizeof *image, "an image");
        require(image && coefficients && back);
        fill(image, count);
        for (int i = 0; i < IMAGES; i++) {
            check(cudaMalloc((void **)&copy_from[i], count * sizeof *image));
            check(cudaMalloc((void **)&copy_to[i], count * sizeof *image));
            check(cudaMemcpy(copy_from[i], image, count * sizeof *image, cudaMemcpyDefault));
        }
        for (int w = 0; names[w]; w++) {
            struct wp_wavelet wavelet;
            require(wp_wavelet_find(names[w], &wavelet));
            for (int levels = 1; levels <= (all ? 1 : 4); levels += 3) {
                struct wp_plan *forward = make_plan(&wavelet, WP_FORWARD, size, levels);
                struct wp_plan *inverse = make_plan(&wavelet, WP_INVERSE, size, levels);
                const struct wp_variant *variant = all ? wp_backend_cuda.variants : NULL;
                do {
                    char why[256];
                    if (variant && variant->supports &&
                        !variant->supports(forward, why, sizeof why))
                        continue;
                    bench(on.device, forward, variant, image, coefficients, comma);
                    comma = "},\n";
                    bench(on.device, inverse, variant, coefficients, back, comma);
                    double worst = 0;
                    for (size_t i = 0; i < count; i++)
                        worst = fmax(worst, fabs((double)back[i] - (double)image[i]));
                    printf(", \"round_trip_max_error\": %.2e", worst);
                } while (variant && (++variant)->name);
                wp_plan_destroy(&forward);
                wp_plan_destroy(&inverse);
            }
        }
        for (int i = 0; i < IMAGES; i++) {
            check(cudaFree(copy_from[i]));
            check(cudaFree(copy_to[i]));
        }
        free(image);
        free(coefficients);
        free(back);
    }
    printf("}\n]\n}\n");
    wp_backend_close(&on);
    return 0;
}
