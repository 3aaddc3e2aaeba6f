#include "cuda_cases.h"

#include "cuda_backend.h"

#include <stdio.h>
#include <stdlib.h>

enum { PRINTED_MAX = 25 };

int cases, failures;
static int printed; // reports of this test; reports over the limit are only counted
bool broken;

void report(const char *name, const char *format, ...)
{
    va_list list;
    failures++;
    if (printed++ >= PRINTED_MAX)
        return;
    printf("FAIL %s: ", name);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    fflush(stdout);
}

bool cuda(const char *name, cudaError_t error, const char *label)
{
    if (error == cudaSuccess)
        return true;
    report(name, "%s: %s", label, cudaGetErrorString(error));
    cudaGetLastError();
    if (cudaDeviceSynchronize() != cudaSuccess) {
        broken = true;
        printf("the CUDA context is lost; the remaining cases are skipped\n");
    }
    return false;
}

cudaStream_t make_stream(void)
{
    cudaStream_t stream = NULL;
    cuda("a stream", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating");
    return stream;
}

void finish(const char *label, int cases_before, int failures_before)
{
    printf("%s: %d cases, %d failures\n", label, cases - cases_before, failures - failures_before);
    fflush(stdout);
    printed = 0;
    assert_false(broken);
    assert_int_equal(failures, failures_before);
}

bool find_device(void)
{
    setenv("WAVEPASS_CUDA_GUARD", "1", 1);
    char reason[256];
    struct wp_device *device = wp_backend_cuda.open(-1, true, reason, sizeof reason);
    if (device)
        wp_backend_cuda.close(device);
    else
        printf("skipped: %s\n", reason);
    return device != NULL;
}
