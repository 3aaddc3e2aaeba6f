// Rejected calls on memory of a CUDA device, and valid calls after them. Skipped without a GPU.
#include "cuda_calls.h"
#include "cuda_cases.h"

#include <stdlib.h>
#include <string.h>

static void expect_rejection(bool rejected, const char *words)
{
    cases++;
    if (!rejected || wp_last_error() != WP_ERROR_USAGE || !strstr(wp_last_error_text(), words))
        report("refusals", "'%s' where '%s' was expected", wp_last_error_text(), words);
    wp_clear_error();
}

static void test_rejected(void **state)
{
    (void)state;
    enum { W = 64, H = 48, LEVELS = 2, BAND_COUNT = 1 + 3 * LEVELS, PLANE_COUNT = 3 };
    const int cases_before = cases, failures_before = failures;
    const size_t floats = W * H * (PLANE_COUNT + 1);
    struct config c = {.wavelet = "cdf97", .size = {W, H}, .planes = PLANE_COUNT,
                       .levels = LEVELS};
    float *host = calloc(floats, sizeof(float)), *pinned = NULL, *device = NULL, *other = NULL;
    struct wp_transform *t = create(&c);
    if (t && host &&
        cuda("refusals", cudaMallocHost((void **)&pinned, floats * sizeof(float)), "memory") &&
        cuda("refusals", cudaMalloc((void **)&device, floats * sizeof(float)), "memory") &&
        cuda("refusals", cudaMalloc((void **)&other, floats * sizeof(float)), "memory")) {
        const struct wp_operand on_device = {.data = device, .location = WP_LOCATION_CUDA};
        struct wp_operand to = {.data = other, .location = WP_LOCATION_CUDA};
        const struct wp_operand on_host = {.data = host};
        expect_rejection(!wp_transform_forward(t, &on_device, &on_host),
                         "requires both operands there");
        expect_rejection(!wp_transform_forward(t, &on_host, &on_device),
                         "requires both operands there");
        expect_rejection(!wp_transform_inverse(t, &on_device, &on_host),
                         "requires both operands there");
        const struct wp_operand wrong = {.data = host, .location = WP_LOCATION_CUDA};
        const struct wp_operand locked = {.data = pinned, .location = WP_LOCATION_CUDA};
        expect_rejection(!wp_transform_forward(t, &wrong, &to), "the pointer to the image");
        expect_rejection(!wp_transform_forward(t, &on_device, &wrong),
                         "the pointer to the coefficients");
        expect_rejection(!wp_transform_forward(t, &locked, &to), "(it is on the host)");
        expect_rejection(!wp_transform_inverse(t, &wrong, &to),
                         "the pointer to the coefficients");
        struct wp_operand band[BAND_COUNT];
        for (int b = 0; b < BAND_COUNT; b++) {
            struct wp_band_info info;
            int origin[2];
            wp_transform_get_band(t, b, &info);
            band_origin(&info, c.size, origin);
            band[b] = (struct wp_operand){.data = other + origin[1] * W + origin[0],
                                          .stride = {1, W, 0, W * H}};
        }
        band[4].data = host;
        to = (struct wp_operand){.band = band, .bands = BAND_COUNT, .location = WP_LOCATION_CUDA};
        expect_rejection(!wp_transform_forward(t, &on_device, &to),
                         "the pointer to band HL of level 1");
        expect_rejection(!wp_transform_inverse(t, &to, &on_device),
                         "the pointer to band HL of level 1");
        const struct wp_operand shifted = {.data = device + 4, .location = WP_LOCATION_CUDA};
        expect_rejection(!wp_transform_forward(t, &on_device, &shifted),
                         "the output of plane 1 would overwrite the input of plane 2");
        // A valid call still works.
        to = (struct wp_operand){.data = other, .location = WP_LOCATION_CUDA};
        if (!wp_transform_forward(t, &on_device, &to))
            report("refusals", "refused: %s", wp_last_error_text());
    }
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 1 && t && other) {
        float *other_device = NULL;
        cudaSetDevice(1);
        const bool ok =
            cuda("refusals", cudaMalloc((void **)&other_device, floats * sizeof(float)), "memory");
        const struct wp_operand from = {.data = other_device, .location = WP_LOCATION_CUDA};
        const struct wp_operand to = {.data = other, .location = WP_LOCATION_CUDA};
        if (ok)
            expect_rejection(!wp_transform_forward(t, &from, &to), "(it is on device 1)");
        int current = 0;
        cudaGetDevice(&current);
        if (current != 1)
            report("refusals", "the caller's device is %d now", current);
        cudaFree(other_device);
        cudaSetDevice(0);
    }
    wp_transform_destroy(&t);
    cuda("refusals", cudaDeviceSynchronize(), "waiting");
    cudaFree(device);
    cudaFree(other);
    cudaFreeHost(pinned);
    free(host);
    finish("refusals", cases_before, failures_before);
}

int main(void)
{
    if (!find_device())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
