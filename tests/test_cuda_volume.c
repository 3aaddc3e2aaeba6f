// Volumes in memory of a CUDA device. The result must equal bit for bit the result on host memory,
// and nothing else may be written. Skipped without a GPU.
#include "cuda_calls.h"
#include "cuda_cases.h"

#include <stdio.h>
#include <string.h>

// Memory layouts of a volume: contiguous; rows and slices padded to multiples of 16 bytes;
// unaligned rows with gaps between columns.
enum volume_kind { VOLUME_DENSE, VOLUME_PITCHED, VOLUME_STRIDED, VOLUME_KINDS };

enum { VOLUME_X = 130, VOLUME_Y = 36, VOLUME_Z = 21, VOLUME_AT = 32 };

static struct wp_operand view_volume(enum volume_kind kind, float *memory)
{
    const ptrdiff_t column = kind == VOLUME_STRIDED ? 2 : 1;
    const ptrdiff_t row = kind == VOLUME_DENSE ? VOLUME_X : column * VOLUME_X + 10;
    const ptrdiff_t slice = VOLUME_Y * row + (kind == VOLUME_PITCHED ? 8 : 0);
    return (struct wp_operand){.data = memory ? memory + VOLUME_AT : NULL,
                            .stride = {column, row, slice}};
}

static size_t volume_floats(enum volume_kind kind)
{
    const struct wp_operand v = view_volume(kind, NULL);
    return (size_t)(VOLUME_Z * v.stride[2]) + VOLUME_AT + GAP;
}

static void put_volume(enum volume_kind kind, const float *from, float *memory)
{
    const struct wp_operand v = view_volume(kind, memory);
    float *data = v.data;
    for (int z = 0; z < VOLUME_Z; z++)
        for (int y = 0; y < VOLUME_Y; y++)
            for (int x = 0; x < VOLUME_X; x++)
                data[x * v.stride[0] + y * v.stride[1] + z * v.stride[2]] =
                    from[((ptrdiff_t)z * VOLUME_Y + y) * VOLUME_X + x];
}

// Makes one call on the device. The output must equal `expected` bit for bit, and nothing else may
// be written.
static void run_volume(const char *name, struct wp_transform *t, bool inverse,
                       const enum volume_kind kind[2], const float *from, const float *expected,
                       cudaStream_t stream)
{
    const size_t in = volume_floats(kind[0]), out = volume_floats(kind[1]);
    cases++;
    if (broken || !grow(name, &host_in, in) || !grow(name, &host_out, out) ||
        !grow(name, &got_out, out) || !grow(name, &device_in, in) ||
        !grow(name, &device_out, out))
        return;
    fill_pattern(host_in.data, in, 1);
    fill_pattern(host_out.data, out, 2);
    put_volume(kind[0], from, host_in.data);
    struct wp_operand a = view_volume(kind[0], device_in.data);
    struct wp_operand b = view_volume(kind[1], device_out.data);
    a.location = b.location = WP_LOCATION_CUDA;
    if (!cuda(name, cudaMemcpy(device_in.data, host_in.data, in * sizeof(float),
                               cudaMemcpyDefault), "uploading") ||
        !cuda(name, cudaMemcpy(device_out.data, host_out.data, out * sizeof(float),
                               cudaMemcpyDefault), "uploading"))
        return;
    if (!wp_transform_set_stream(t, stream) || !run_at(t, inverse, &a, &b)) {
        report(name, "refused: %s", wp_last_error_text());
        return;
    }
    if (!cuda(name, cudaStreamSynchronize(stream), "the stream") ||
        !cuda(name, cudaMemcpy(got_out.data, device_out.data, out * sizeof(float),
                               cudaMemcpyDefault), "downloading"))
        return;
    put_volume(kind[1], expected, host_out.data);
    for (size_t i = 0; i < out; i++) {
        if (memcmp(&got_out.data[i], &host_out.data[i], sizeof(float)) != 0) {
            report(name, "float %zu of %zu is %g, not %g", i, out, (double)got_out.data[i],
                   (double)host_out.data[i]);
            return;
        }
    }
}

static void run_volumes(const char *variant, const char *layout, const char *wavelet,
                        cudaStream_t stream)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = VOLUME_X, .height = VOLUME_Y, .depth = VOLUME_Z, .levels = 2,
            .wavelet = wavelet, .variant = variant, .layout = layout, .backend = "cuda",
            .decomposition = strcmp(variant, "timeline") == 0 ? "spatial-temporal" : NULL);
    const struct config c = {.size = {VOLUME_X, VOLUME_Y * VOLUME_Z}};
    struct host h = {0};
    struct wp_transform *t = wp_transform_create(&params);
    if (!t || !make_host(&c, t, 3, &h)) {
        report(variant, "no transform of a volume (%s)", wp_last_error_text());
        free_host(&h);
        wp_transform_destroy(&t);
        return;
    }
    for (int i = 0; i < 2 * VOLUME_KINDS * VOLUME_KINDS; i++) {
        const bool inverse = i % 2;
        const enum volume_kind kind[2] = {(enum volume_kind)(i / 2 % VOLUME_KINDS),
                                          (enum volume_kind)(i / 2 / VOLUME_KINDS)};
        char name[128];
        snprintf(name, sizeof name, "%s %s, %s, a volume of kind %d to kind %d, %s", variant,
                 wavelet, layout, kind[0], kind[1], inverse ? "inverse" : "forward");
        run_volume(name, t, inverse, kind, inverse ? h.coefficients : h.image,
                   inverse ? h.round_trip : h.coefficients, stream);
    }
    free_host(&h);
    wp_transform_destroy(&t);
}

static void test_volumes(void **state)
{
    (void)state;
    static const char *const variants[] = {"march", "timeline", "planar",
                                           "gmem",  "global",   "shared"};
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        run_volumes(variants[v], "mallat", "cdf97", stream);
        run_volumes(variants[v], "mixed", "cdf97", stream);
        run_volumes(variants[v], "mixed", "haar", stream);
    }
    run_volumes("blocks", "mallat", "haar", stream);
    run_volumes("blocks", "mixed", "haar", stream);
    cudaStreamDestroy(stream);
    finish("volumes", cases_before, failures_before);
}

int main(void)
{
    if (!find_device())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
