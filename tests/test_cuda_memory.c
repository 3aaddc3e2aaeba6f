// Transforms on memory of a CUDA device: every kind of memory with every other, sizes, variants,
// order in a stream, overlapping operands, and copies. Skipped without a GPU.
#include "cuda_backend.h"
#include "cuda_calls.h"
#include "cuda_cases.h"
#include "cuda_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kinds images = {
    6, .image = {DENSE, PITCHED, SHIFTED, ODD, STRIDED, PIXELS}};
static const struct kinds mallats = {
    10, .coefficients = {DENSE, PITCHED, SHIFTED, ODD, STRIDED, PIXELS, MALLAT_BANDS, BANDS,
                         BANDS_ODD, BANDS_SOME}};
static const struct kinds mixeds = {
    6, .coefficients = {DENSE, PITCHED, SHIFTED, ODD, STRIDED, PIXELS}};

static void test_sizes(void **state)
{
    (void)state;
    static const struct config configs[] = {
        {.wavelet = "cdf97", .size = {64, 48}, .levels = 2},
        {.wavelet = "cdf97", .size = {131, 77}, .planes = 3, .levels = 3},
        {.wavelet = "cdf97", .size = {128, 96}, .planes = 3, .levels = WP_LEVELS_MOST},
        {.wavelet = "cdf53", .size = {130, 66}, .levels = 3},
        {.wavelet = "dd137", .size = {200, 100}, .levels = 3},
        {.wavelet = "haar", .size = {256, 128}, .levels = 5}, // four levels in one launch
        {.wavelet = "haar", .size = {256, 128}, .planes = 2, .levels = 4},
        {.wavelet = "haar", .size = {131, 77}, .levels = 3},
        {.wavelet = "cdf97", .border = "periodic", .size = {64, 48}, .levels = 2},
        {.data = &wide, .size = {131, 77}, .levels = 2},
        {.wavelet = "cdf97", .size = {1, 9}},
        {.wavelet = "cdf97", .size = {9, 1}, .planes = 3},
        {.wavelet = "haar", .size = {1, 16}, .levels = WP_LEVELS_MOST},
        {.wavelet = "cdf53", .size = {64, 1}, .planes = 2},
        {.wavelet = "cdf97", .size = {1, 1}},
        {.wavelet = "cdf97", .size = {1, 1}, .planes = 3},
        {.wavelet = "cdf97", .size = {2, 3}},
        {.wavelet = "dd137", .size = {5, 7}, .levels = WP_LEVELS_MOST},
    };
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        struct config c = configs[i];
        run_config(&c, &images, &mallats, true, false, stream);
        c.layout = "mixed";
        run_config(&c, &images, &mixeds, true, false, stream);
    }
    // In the default stream.
    run_config(&configs[1], &images, &mallats, true, false, NULL);
    cudaStreamDestroy(stream);
    finish("sizes", cases_before, failures_before);
}

// A configuration that the variant supports.
static struct config config_of(const struct wp_variant *v, int width, int height)
{
    struct config c = {.wavelet = "cdf97", .variant = v->name, .size = {width, height},
                       .levels = 3};
    // Only Haar has filters within pairs of samples.
    if (strcmp(v->name, "mixed-band") == 0 || strcmp(v->name, "blocks") == 0)
        c.wavelet = "haar";
    return c;
}

static void test_variants(void **state)
{
    (void)state;
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    for (const struct wp_variant *v = wp_cuda_variants; v->name; v++) {
        struct config c = config_of(v, 131, 77);
        run_config(&c, &images, &mallats, true, false, stream);
        c = config_of(v, 192, 160);
        run_config(&c, &images, &mallats, true, false, stream);
        c.layout = "mixed";
        c.planes = 2;
        run_config(&c, &images, &mixeds, true, false, stream);
        c = strcmp(v->name, "batch") ? config_of(v, 1, 40) : config_of(v, 40, 1);
        run_config(&c, &images, &mallats, true, false, stream);
    }
    // Kernels for any wavelet, in variants that run on the caller's memory.
    static const char *const any[] = {"ilp", "smem", "reg", "hybrid", "full-register",
                                      "block-sep-lifting", "gmem"};
    for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
        const struct config c = {.data = &wide, .variant = any[i], .size = {131, 77}, .levels = 2};
        run_config(&c, &images, &mallats, true, false, stream);
    }
    cudaStreamDestroy(stream);
    finish("variants", cases_before, failures_before);
}

// Everything that a call enqueues must run after the gate in its stream.
static void test_order(void **state)
{
    (void)state;
    static const struct kinds from = {4, .image = {DENSE, PITCHED, ODD, STRIDED}};
    static const struct kinds to = {4, .coefficients = {DENSE, BANDS, BANDS_ODD, BANDS_SOME}};
    static const struct kinds mixed = {4, .coefficients = {DENSE, PITCHED, ODD, STRIDED}};
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    for (const struct wp_variant *v = wp_cuda_variants; v->name; v++) {
        struct config c = config_of(v, 192, 160);
        run_config(&c, &from, &to, false, true, stream);
        c.layout = "mixed";
        c.size[0] = 131;
        run_config(&c, &from, &mixed, false, true, stream);
    }
    const struct config fused = {.wavelet = "haar", .size = {256, 128}, .planes = 3, .levels = 5};
    run_config(&fused, &from, &to, false, true, stream);
    // Levels that use patches, and steps of conv-separable.
    const struct config patches = {.wavelet = "cdf97", .size = {1537, 1023}, .levels = 2};
    run_config(&patches, &from, &to, false, true, stream);
    const struct config convolution = {.data = &wide, .size = {131, 77}, .levels = 2};
    run_config(&convolution, &from, &to, false, true, stream);
    const struct config none = {.wavelet = "cdf97", .size = {1, 1}, .planes = 3};
    run_config(&none, &from, &to, false, true, stream);
    cudaStreamDestroy(stream);
    finish("order in a stream", cases_before, failures_before);
}

// Large levels use patches.
static void test_large(void **state)
{
    (void)state;
    static const struct kinds from = {4, .image = {DENSE, PITCHED, ODD, DENSE}};
    static const struct kinds to = {4, .coefficients = {DENSE, BANDS, BANDS_ODD, BANDS_SOME}};
    static const struct kinds mixed = {2, .coefficients = {DENSE, ODD}};
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    const char *const wavelets[] = {"cdf97", "cdf53", "dd137", "haar"};
    for (int w = 0; w < 4; w++) {
        struct config c = {.wavelet = wavelets[w], .size = {4096, 3072}, .levels = 3};
        run_config(&c, &from, &to, false, false, stream);
        c.size[0] = 4099, c.size[1] = 3001;
        run_config(&c, &from, &to, false, false, stream);
        c.size[0] = 2051, c.size[1] = 1027;
        c.layout = "mixed";
        run_config(&c, &from, &mixed, false, false, stream);
    }
    cudaStreamDestroy(stream);
    finish("large", cases_before, failures_before);
}

// The output overlaps the input: completely, partly, or interleaved.
static void test_overlap(void **state)
{
    (void)state;
    static const struct {
        enum kind image, coefficients;
        int shift, planes;
    } layouts[] = {
        {DENSE, DENSE, 0, 1},     {DENSE, DENSE, 4, 1},        {DENSE, DENSE, 1, 1},
        {PITCHED, PITCHED, 0, 1}, {PITCHED, PITCHED, 208, 1},  {ODD, ODD, 0, 1},
        {PITCHED, DENSE, 64, 1},  {DENSE, PITCHED, 0, 1},      {STRIDED, STRIDED, 0, 1},
        {STRIDED, STRIDED, 1, 1}, {DENSE, MALLAT_BANDS, 0, 1}, {DENSE, BANDS, 0, 1},
        {DENSE, BANDS, 64, 1},    {DENSE, BANDS_SOME, 32, 1},  {DENSE, DENSE, 0, 3},
        {PITCHED, PITCHED, 0, 3}, {ODD, ODD, 0, 3},            {PIXELS, PIXELS, 0, 3},
        {STRIDED, STRIDED, 1, 3}, {DENSE, MALLAT_BANDS, 0, 3},
    };
    static struct call call;
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    const char *const variants[] = {NULL, "gmem", "hybrid", "conv-texture", "patches", "patches"};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        for (int s = 0; s < 2; s++) {
            for (size_t w = 0; w < sizeof layouts / sizeof *layouts && !broken; w++) {
                // Haar and CDF 9/7 with patches.
                const struct config c = {.wavelet = v == 4 ? "haar" : "cdf97",
                                         .variant = variants[v],
                                         .size = {s ? 131 : 192, s ? 77 : 160},
                                         .planes = layouts[w].planes, .levels = 3};
                struct wp_transform *t = create(&c);
                struct host h = {0};
                char name[256], more[32];
                if (!t)
                    continue;
                const bool ok = make_host(&c, t, 7, &h);
                snprintf(more, sizeof more, ", overlapping by %d", layouts[w].shift);
                for (int inverse = 0; inverse < 2 && ok; inverse++) {
                    const enum kind a = layouts[w].image, b = layouts[w].coefficients;
                    name_case(name, sizeof name, &c, inverse, inverse ? b : a, inverse ? a : b,
                              more);
                    call = (struct call){.name = name, .t = t, .inverse = inverse, .size = c.size,
                                         .from = inverse ? h.coefficients : h.image,
                                         .to = inverse ? h.round_trip : h.coefficients,
                                         .stream = stream, .shared = true};
                    init_operand(t, inverse ? b : a, c.size, c.planes, &call.in);
                    init_operand(t, inverse ? a : b, c.size, c.planes, &call.out);
                    shift_operand(&call.out, (size_t)layouts[w].shift);
                    run_call(&call);
                }
                if (!ok)
                    report("overlap", "on the host: %s", wp_last_error_text());
                free_host(&h);
                wp_transform_destroy(&t);
            }
        }
    }
    cudaStreamDestroy(stream);
    finish("overlap", cases_before, failures_before);
}

static void test_managed(void **state)
{
    (void)state;
    int device = 0, managed = 0;
    const int cases_before = cases, failures_before = failures;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&managed, cudaDevAttrConcurrentManagedAccess, device);
    if (!managed) {
        printf("skipped: managed memory is not supported\n");
        return;
    }
    const struct pool in = device_in, out = device_out;
    device_in = (struct pool){.device = true, .managed = true};
    device_out = device_in;
    const cudaStream_t stream = make_stream();
    const struct config c = {.wavelet = "cdf97", .size = {131, 77}, .planes = 3, .levels = 3};
    run_config(&c, &images, &mallats, true, false, stream);
    cudaStreamDestroy(stream);
    cudaFree(device_in.data);
    cudaFree(device_out.data);
    device_in = in;
    device_out = out;
    finish("managed memory", cases_before, failures_before);
}

// Number of floats of a buffer that differ from the fill value of the backend.
static size_t count_used(const char *name, const float *device, size_t floats)
{
    float *got = calloc(floats, sizeof(float));
    size_t used = 0;
    if (got && cuda(name, cudaMemcpy(got, device, floats * sizeof(float), cudaMemcpyDefault),
                    "downloading"))
        for (size_t i = 0; i < floats; i++) {
            uint32_t bits;
            memcpy(&bits, &got[i], sizeof bits);
            used += bits != 0xffffffffu;
        }
    free(got);
    return used;
}

// Kernels that can run on the caller's memory do not copy it: the backend's own buffers, filled by
// the guards, are unchanged.
static void test_borrowed(void **state)
{
    (void)state;
    enum { W = 192, H = 160, N = W * H };
    static const struct {
        const char *variant;
        bool borrows;
    } variants[] = {{"patches", true}, {"hybrid", true},
                    {"ilp", true},     {"smem", true},   {"block-sep-lifting", true},
                    {"gmem", false},   {"conv-separable", false}};
    const int cases_before = cases, failures_before = failures;
    const struct wp_backend *backend = &wp_backend_cuda;
    char reason[256], name[128];
    struct wp_wavelet wavelet;
    struct wp_device *device = backend->open(-1, false, reason, sizeof reason);
    float *data[2] = {NULL};
    bool ok = device && wp_wavelet_find("cdf97", &wavelet);
    for (int i = 0; i < 2 && ok; i++)
        ok = cuda("own memory", cudaMalloc((void **)&data[i], (N + 1) * sizeof(float)), "memory") &&
             cuda("own memory", cudaMemset(data[i], 0, (N + 1) * sizeof(float)), "memory");
    if (!ok && !broken)
        report("own memory", "%s", reason);
    for (size_t v = 0; v < sizeof variants / sizeof *variants && ok && !broken; v++) {
        for (int mode = 0; mode < 4; mode++) {
            const bool inverse = mode & 1, odd = mode & 2;
            const struct wp_description d = {.wavelet = &wavelet, .size = {W, H}, .levels = 2,
                                             .direction = inverse ? WP_INVERSE : WP_FORWARD};
            snprintf(name, sizeof name, "own memory of %s, %s, %s", variants[v].variant,
                     wp_direction_names[d.direction], odd ? "not aligned" : "aligned");
            const struct wp_variant *variant = wp_cuda_variants;
            while (variant->name && strcmp(variant->name, variants[v].variant) != 0)
                variant++;
            device->guard = true;
            struct wp_exec *exec = backend->prepare(device, &d, variant);
            if (!exec) {
                report(name, "%s", wp_last_error_text());
                continue;
            }
            cases++;
            const struct wp_operand from = wp_operand_dense(&d, data[0] + odd);
            const struct wp_operand to = wp_operand_dense(&d, data[1] + odd);
            if (!backend->transform_device(exec, &from, &to, NULL))
                report(name, "%s", wp_last_error_text());
            if (cuda(name, cudaDeviceSynchronize(), "running") && !wp_cuda_check_guards(exec))
                report(name, "%s", wp_last_error_text());
            // Buffers 0 and 1 are the image and the coefficients.
            size_t used = 0;
            for (int b = 0; b < 2 && !broken; b++)
                used += count_used(name, exec->buffer[b].data, exec->buffer[b].floats);
            const bool copied = used > 0;
            if (!broken && copied != (odd || !variants[v].borrows))
                report(name, "%zu floats of the backend's buffers were used", used);
            for (int l = 0; l < exec->levels; l++)
                if (exec->level[l].stream)
                    report(name, "level %d keeps the stream", l);
            if (exec->level[0].plane != exec->plane)
                report(name, "the first level keeps the caller's plane");
            backend->release(exec);
        }
    }
    cudaFree(data[0]);
    cudaFree(data[1]);
    if (device)
        backend->close(device);
    finish("own memory", cases_before, failures_before);
}

int main(void)
{
    if (!find_device())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borrowed), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_variants), cmocka_unit_test(test_order),
        cmocka_unit_test(test_overlap),  cmocka_unit_test(test_managed),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
