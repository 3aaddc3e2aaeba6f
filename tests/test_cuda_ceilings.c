// The copies on CUDA that no transform can beat copy all that they are timed for. Skipped without a GPU.
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

// All of a side, to the host or from there.
static void move_side(void *side, bool is_array, float *host, size_t row, size_t rows, bool out)
{
    const enum cudaMemcpyKind kind = out ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    cudaError_t error;
    if (!is_array)
        error = cudaMemcpy(out ? (void *)host : side, out ? side : (void *)host, row * rows, kind);
    else if (out)
        error = cudaMemcpy2DFromArray(host, row, side, 0, 0, row, rows, kind);
    else
        error = cudaMemcpy2DToArray(side, 0, 0, host, row, row, rows, kind);
    assert_int_equal(error, cudaSuccess);
}

static void check(const struct wp_ceiling *ceiling, int width, int height)
{
    const struct wp_backend_bench *bench = wp_backend_cuda.bench;
    struct wp_ceiling_run_state *work = bench->ceiling_prepare(device, ceiling, width, height);
    assert_non_null(work);
    void *side[2] = {NULL, NULL};
    const bool arrays = wp_cuda_ceiling_buffers(work, side);
    // An image of floats is a whole number of quads, an array of half the rows, of quads.
    const size_t quads = ((size_t)width * (size_t)height + 3) / 4;
    const size_t row = 4 * sizeof(float) * (arrays ? ((size_t)width + 1) / 2 : quads);
    const size_t rows = arrays ? ((size_t)height + 1) / 2 : 1;
    const size_t count = row * rows / sizeof(float);
    float *from = malloc(row * rows), *to = calloc(rows, row);
    assert_true(from && to);
    for (size_t i = 0; i < count; i++)
        from[i] = 1 + (float)(i % 4099);
    move_side(side[0], arrays, from, row, rows, false);
    move_side(side[1], arrays, to, row, rows, false);
    double seconds = -1;
    assert_true(bench->ceiling_run(&work, 1, &seconds));
    assert_true(seconds >= 0);
    move_side(side[1], arrays, to, row, rows, true);
    for (size_t i = 0; i < count; i++)
        if (from[i] != to[i])
            fail_msg("%s of %dx%d: float %zu of %zu is %g, not %g", ceiling->name, width, height, i,
                     count, (double)to[i], (double)from[i]);
    assert_true(ceiling->bytes == 8 && row * rows >= sizeof(float) * (size_t)width * (size_t)height);
    bench->ceiling_release(work);
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
