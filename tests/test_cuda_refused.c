// What calls on memory of a CUDA device refuse, and that they work after it. Skipped without a GPU.
#include "cuda_calls.h"
#include "cuda_cases.h"

#include <stdlib.h>
#include <string.h>

static void expect_refused(bool refused, const char *words)
{
    cases++;
    if (!refused || wp_last_error() != WP_ERROR_USAGE || !strstr(wp_last_error_text(), words))
        report("refusals", "'%s' where '%s' was expected", wp_last_error_text(), words);
    wp_clear_error();
}

static void test_refused(void **state)
{
    (void)state;
    enum { W = 64, H = 48, LEVELS = 2, BANDS_HERE = 1 + 3 * LEVELS, PLANES_HERE = 3 };
    const int cases_before = cases, failures_before = failures;
    const size_t floats = W * H * (PLANES_HERE + 1);
    struct config c = {.wavelet = "cdf97", .size = {W, H}, .planes = PLANES_HERE,
                       .levels = LEVELS};
    float *host = calloc(floats, sizeof(float)), *pinned = NULL, *device = NULL, *other = NULL;
    struct wp_transform *t = create(&c);
    if (t && host &&
        cuda("refusals", cudaMallocHost((void **)&pinned, floats * sizeof(float)), "memory") &&
        cuda("refusals", cudaMalloc((void **)&device, floats * sizeof(float)), "memory") &&
        cuda("refusals", cudaMalloc((void **)&other, floats * sizeof(float)), "memory")) {
        const struct wp_memory there = {.array.data = device, .cuda = true};
        struct wp_memory to = {.array.data = other, .cuda = true};
        const struct wp_memory here = {.array.data = host};
        expect_refused(!wp_transform_forward_at(t, &there, &here), "requires both sides there");
        expect_refused(!wp_transform_forward_at(t, &here, &there), "requires both sides there");
        expect_refused(!wp_transform_inverse_at(t, &there, &here), "requires both sides there");
        const struct wp_memory wrong = {.array.data = host, .cuda = true};
        const struct wp_memory locked = {.array.data = pinned, .cuda = true};
        expect_refused(!wp_transform_forward_at(t, &wrong, &to), "the pointer to the image");
        expect_refused(!wp_transform_forward_at(t, &there, &wrong),
                       "the pointer to the coefficients");
        expect_refused(!wp_transform_forward_at(t, &locked, &to), "(it is on the host)");
        expect_refused(!wp_transform_inverse_at(t, &wrong, &to),
                       "the pointer to the coefficients");
        struct wp_view band[BANDS_HERE];
        for (int b = 0; b < BANDS_HERE; b++) {
            struct wp_band_info info;
            int origin[2];
            wp_transform_get_band(t, b, &info);
            band_origin(&info, c.size, origin);
            band[b] = (struct wp_view){other + origin[1] * W + origin[0], {1, W}, W * H};
        }
        band[4].data = host;
        to = (struct wp_memory){.band = band, .bands = BANDS_HERE, .cuda = true};
        expect_refused(!wp_transform_forward_at(t, &there, &to),
                       "the pointer to band HL of level 1");
        expect_refused(!wp_transform_inverse_at(t, &to, &there),
                       "the pointer to band HL of level 1");
        const struct wp_memory shifted = {.array.data = device + 4, .cuda = true};
        expect_refused(!wp_transform_forward_at(t, &there, &shifted),
                       "the output of plane 1 would overwrite the input of plane 2");
        // After all that it does what it did.
        to = (struct wp_memory){.array.data = other, .cuda = true};
        if (!wp_transform_forward_at(t, &there, &to))
            report("refusals", "refused: %s", wp_last_error_text());
    }
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 1 && t && other) {
        float *far = NULL;
        cudaSetDevice(1);
        const bool ok =
            cuda("refusals", cudaMalloc((void **)&far, floats * sizeof(float)), "memory");
        const struct wp_memory from = {.array.data = far, .cuda = true};
        const struct wp_memory to = {.array.data = other, .cuda = true};
        if (ok)
            expect_refused(!wp_transform_forward_at(t, &from, &to), "(it is on device 1)");
        int now = 0;
        cudaGetDevice(&now);
        if (now != 1)
            report("refusals", "the caller's device is %d now", now);
        cudaFree(far);
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
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
