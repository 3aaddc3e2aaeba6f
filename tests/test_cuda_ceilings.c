// The copy ceilings of the CUDA backend copy all samples that they are timed for. Skipped without a
// GPU.
#include "cuda_exec.h"

#include "cuda_backend.h"
#include "log.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

static struct wp_device *device;

// Copies a complete buffer or array, to the host if `out`, else from it.
static void copy_operand(void *buffer, bool is_array, float *host, size_t row, size_t rows,
                         bool out)
{
    const enum cudaMemcpyKind kind = out ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    cudaError_t error;
    if (!is_array)
        error =
            cudaMemcpy(out ? (void *)host : buffer, out ? buffer : (void *)host, row * rows, kind);
    else if (out)
        error = cudaMemcpy2DFromArray(host, row, buffer, 0, 0, row, rows, kind);
    else
        error = cudaMemcpy2DToArray(buffer, 0, 0, host, row, row, rows, kind);
    assert_int_equal(error, cudaSuccess);
}

static void check(const struct wp_ceiling *ceiling, int width, int height)
{
    const struct wp_backend_bench *bench = wp_backend_cuda.bench;
    struct wp_ceiling_run_state *run_state = bench->ceiling_prepare(device, ceiling, width, height);
    assert_non_null(run_state);
    void *buffer[2] = {NULL, NULL};
    const bool arrays = wp_cuda_ceiling_buffers(run_state, buffer);
    // Linear memory has an integer number of quads; arrays have one quad per 2x2 samples.
    const size_t quads = ((size_t)width * (size_t)height + 3) / 4;
    const size_t row = 4 * sizeof(float) * (arrays ? ((size_t)width + 1) / 2 : quads);
    const size_t rows = arrays ? ((size_t)height + 1) / 2 : 1;
    const size_t count = row * rows / sizeof(float);
    float *from = malloc(row * rows), *to = calloc(rows, row);
    assert_true(from && to);
    for (size_t i = 0; i < count; i++)
        from[i] = 1 + (float)(i % 4099);
    copy_operand(buffer[0], arrays, from, row, rows, false);
    copy_operand(buffer[1], arrays, to, row, rows, false);
    double seconds = -1;
    assert_true(bench->ceiling_run(&run_state, 1, &seconds));
    assert_true(seconds >= 0);
    copy_operand(buffer[1], arrays, to, row, rows, true);
    for (size_t i = 0; i < count; i++)
        if (from[i] != to[i])
            fail_msg("%s of %dx%d: float %zu of %zu is %g, not %g", ceiling->name, width, height, i,
                     count, (double)to[i], (double)from[i]);
    assert_true(ceiling->bytes == 8 &&
                row * rows >= sizeof(float) * (size_t)width * (size_t)height);
    bench->ceiling_release(run_state);
    free(from);
    free(to);
}

static void test_copies(void **state)
{
    (void)state;
    static const int sizes[][2] = {{64, 48}, {1023, 517}, {1, 1}, {1030, 2}};
    int ceilings = 0;
    for (const struct wp_ceiling *c = wp_backend_cuda.bench->ceilings; c->name; c++, ceilings++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            check(c, sizes[s][0], sizes[s][1]);
    assert_int_equal(ceilings, 3);
}

int main(void)
{
    char reason[256];
    device = wp_backend_cuda.open(0, true, reason, sizeof reason);
    if (!device) {
        printf("skipped: %s\n", reason);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wp_backend_cuda.close(device);
    return failed;
}
