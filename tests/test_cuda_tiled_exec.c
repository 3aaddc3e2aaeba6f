// An image that a CUDA device has no memory for goes through it in windows, from and to memory of the
// host that the device reaches by itself or does not, with what the whole gives but for the last bits,
// which other kernels round than those of larger levels. Skipped without a GPU.
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

// All of the device's memory but for so many bytes; NULL after a report.
static void *leave(size_t bytes)
{
    size_t available = 0, total = 0;
    void *hog = NULL;
    if (cuda("windows", cudaMemGetInfo(&available, &total), "asking for memory") &&
        available > bytes)
        cuda("windows", cudaMalloc(&hog, available - bytes), "taking memory");
    return hog;
}

static float most_apart(const float *a, const float *b, size_t count)
{
    float most = 0;
    for (size_t i = 0; i < count; i++)
        most = fabsf(a[i] - b[i]) <= most ? most : fabsf(a[i] - b[i]);
    return most;
}

static void run_both(const struct config *c, const char *name, bool windows, const float *image,
                     float *coefficients, float *back)
{
    struct wp_transform *t = create(c);
    is_tiled = false;
    cases++;
    if (!t || !wp_transform_forward(t, image, coefficients) ||
        !wp_transform_inverse(t, coefficients, back))
        report(name, "%s", wp_last_error_text());
    else if (is_tiled != windows)
        report(name, "it goes %s", is_tiled ? "in windows" : "as a whole");
    wp_transform_destroy(&t);
}

static void test_tiled_exec(void **state)
{
    (void)state;
    const int cases_before = cases, failures_before = failures;
    const size_t samples = (size_t)SIDE * SIDE, bytes = samples * sizeof(float);
    struct config c = {.wavelet = "cdf97", .size = {SIDE, SIDE}, .levels = LEVELS};
    float *memory[5]; // an image, its coefficients and the image again, and these two again
    for (int i = 0; i < 5; i++) {
        memory[i] = malloc(bytes);
        assert_non_null(memory[i]);
    }
    for (size_t i = 0; i < samples; i++)
        memory[0][i] = (float)(i * 2654435761u % 1021) / 1021;
    wp_log_set_handler(listen, NULL);
    run_both(&c, "the whole", false, memory[0], memory[1], memory[2]);
    void *hog = leave(bytes + bytes / 4);
    for (int pinned = 0; pinned < 2 && hog; pinned++) {
        const char *name = pinned ? "windows, pinned" : "windows";
        for (int i = 0; i < 5 && pinned; i++)
            cuda(name, cudaHostRegister(memory[i], bytes, cudaHostRegisterDefault), "pinning");
        memset(memory[3], 0xFF, bytes);
        memset(memory[4], 0xFF, bytes);
        run_both(&c, name, true, memory[0], memory[3], memory[4]);
        for (int i = 1; i < 3; i++) {
            const float most = most_apart(memory[i], memory[i + 2], samples);
            if (!(most <= 4e-6F))
                report(name, "%s apart by %g", i == 1 ? "coefficients" : "samples", (double)most);
        }
        for (int i = 0; i < 5 && pinned; i++)
            cudaHostUnregister(memory[i]);
    }
    wp_log_set_handler(NULL, NULL);
    cudaFree(hog);
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
