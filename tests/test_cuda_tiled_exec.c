// Tiled execution of an image that does not fit in the memory of a CUDA device, from and to pinned
// and pageable host memory. The result equals that of direct execution except for rounding, as
// large levels use other kernels. Skipped without a GPU.
#include "cuda_calls.h"
#include "cuda_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8192, LEVELS = 5 };

static bool is_tiled;

static void listen(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    (void)level;
    is_tiled = is_tiled || strstr(message, "is too large for");
}

// Allocates all of the device's memory except `bytes`; NULL after a report.
static void *reserve_all_but(size_t bytes)
{
    size_t available = 0, total = 0;
    void *reserved = NULL;
    if (cuda("tiles", cudaMemGetInfo(&available, &total), "asking for memory") &&
        available > bytes)
        cuda("tiles", cudaMalloc(&reserved, available - bytes), "taking memory");
    return reserved;
}

static float max_difference(const float *a, const float *b, size_t count)
{
    float difference = 0;
    for (size_t i = 0; i < count; i++)
        difference = fabsf(a[i] - b[i]) <= difference ? difference : fabsf(a[i] - b[i]);
    return difference;
}

static void run_both(const struct config *c, const char *name, bool expect_tiles,
                     const float *image, float *coefficients, float *restored)
{
    struct wp_transform *t = create(c);
    is_tiled = false;
    cases++;
    if (!t || !wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(coefficients)) ||
        !wp_transform_inverse(t, WP_ARRAY(coefficients), WP_ARRAY(restored)))
        report(name, "%s", wp_last_error_text());
    else if (is_tiled != expect_tiles)
        report(name, "execution was %s", is_tiled ? "tiled" : "not tiled");
    wp_transform_destroy(&t);
}

static void test_tiled_exec(void **state)
{
    (void)state;
    const int cases_before = cases, failures_before = failures;
    const size_t samples = (size_t)SIDE * SIDE, bytes = samples * sizeof(float);
    struct config c = {.wavelet = "cdf97", .size = {SIDE, SIDE}, .levels = LEVELS};
    float *memory[5]; // image, coefficients, restored image, and the last two of tiled execution
    for (int i = 0; i < 5; i++) {
        memory[i] = malloc(bytes);
        assert_non_null(memory[i]);
    }
    for (size_t i = 0; i < samples; i++)
        memory[0][i] = (float)(i * 2654435761u % 1021) / 1021;
    wp_log_set_handler(listen, NULL);
    run_both(&c, "direct", false, memory[0], memory[1], memory[2]);
    void *reserved = reserve_all_but(bytes + bytes / 4);
    for (int pinned = 0; pinned < 2 && reserved; pinned++) {
        const char *name = pinned ? "tiles, pinned" : "tiles";
        for (int i = 0; i < 5 && pinned; i++)
            cuda(name, cudaHostRegister(memory[i], bytes, cudaHostRegisterDefault), "pinning");
        memset(memory[3], 0xFF, bytes);
        memset(memory[4], 0xFF, bytes);
        run_both(&c, name, true, memory[0], memory[3], memory[4]);
        for (int i = 1; i < 3; i++) {
            const float difference = max_difference(memory[i], memory[i + 2], samples);
            if (!(difference <= 4e-6F))
                report(name, "%s differ by %g", i == 1 ? "coefficients" : "samples",
                       (double)difference);
        }
        for (int i = 0; i < 5 && pinned; i++)
            cudaHostUnregister(memory[i]);
    }
    wp_log_set_handler(NULL, NULL);
    cudaFree(reserved);
    for (int i = 0; i < 5; i++)
        free(memory[i]);
    finish("images beyond a device's memory", cases_before, failures_before);
}

int main(void)
{
    if (!find_device())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiled_exec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
