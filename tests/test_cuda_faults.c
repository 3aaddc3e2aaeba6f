// Error messages of the CUDA backend. Skipped without a GPU.
#include "cuda_backend.h"
#include "cuda_exec.h"
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

static char message[1024];
static int failures;

static void store_message(void *user, enum wp_log_level level, const char *text)
{
    (void)user;
    if (level == WP_LOG_ERROR)
        snprintf(message, sizeof message, "%s", text);
}

static void expect(bool rejected, enum wp_error kind, const char *const words[])
{
    bool ok = rejected && wp_last_error() == kind;
    for (int i = 0; words[i]; i++)
        ok = ok && strstr(message, words[i]);
    printf("%s: %s\n", ok ? "passed" : "FAIL", message);
    failures += !ok;
    wp_clear_error();
    message[0] = '\0';
}

static struct wp_description describe(int width, int height)
{
    return (struct wp_description){
        .wavelet = wp_wavelet_table[2], .levels = 1, .size = {width, height}};
}

int main(void)
{
    const struct wp_backend *backend = &wp_backend_cuda;
    char reason[256];
    struct wp_device *device = backend->open(-1, true, reason, sizeof reason);
    if (!device) {
        printf("skipped: %s\n", reason);
        return SKIPPED;
    }
    wp_log_set_handler(store_message, NULL);

    struct wp_device *none = backend->open(99, false, reason, sizeof reason);
    expect(!none, WP_ERROR_UNAVAILABLE, (const char *const[]){"CUDA device", "numbered from 0", 0});

    // 400000 x 400000 floats require 640 GB, without canaries.
    device->guard = false;
    const struct wp_description huge = describe(400000, 400000);
    struct wp_exec *exec = backend->prepare(device, &huge, NULL);
    expect(!exec, WP_ERROR_TOO_LARGE, (const char *const[]){"the image", "640000000000 bytes", 0});

    // Simulates a write beyond a buffer between the kernel and the check.
    device->guard = true;
    const struct wp_description d = describe(64, 48);
    static float image[64 * 48];
    const struct wp_operand operand = wp_operand_dense(&d, image);
    exec = backend->prepare(device, &d, NULL);
    bool ok = exec && backend->load(exec, &operand) && backend->run(exec, NULL) &&
              backend->store(exec, &operand);
    printf("%s: guards report nothing\n", ok ? "passed" : "FAIL");
    failures += !ok;
    cudaMemset(exec->buffer[0].data + exec->buffer[0].floats, 0, 4);
    expect(!backend->store(exec, &operand), WP_ERROR_INTERNAL,
           (const char *const[]){"64x48", "4 after", 0});

    // Last, because the context is lost: a kernel that reads an invalid address.
    exec->level[0].plane = (float *)(size_t)4096;
    expect(!backend->run(exec, NULL), WP_ERROR_INTERNAL,
           (const char *const[]){"kernel 'patches'", "64x48", "failed", 0});
    expect(!backend->store(exec, &operand), WP_ERROR_INTERNAL, (const char *const[]){"device", 0});
    backend->release(exec);
    backend->close(device);
    printf("%d failed\n", failures);
    return failures != 0;
}
