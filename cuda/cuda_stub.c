// The CUDA backend in a build without CUDA.
#include "cuda_backend.h"
#include "log.h"

#include <stdio.h>

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    (void)index;
    snprintf(reason, reason_size, "not in this build: %s", WP_CUDA_MISSING);
    if (!quiet)
        wp_fail(WP_ERROR_UNAVAILABLE,
                "backend 'cuda' is not available (%s)"
                "\nhint: 'wavepass info' shows what works; backend 'cpu' needs no GPU",
                reason);
    return NULL;
}

// Other members are never called, because no device can be opened.
const struct wp_backend wp_backend_cuda = {
    .name = "cuda",
    .summary = "CUDA kernels in registers, one launch per level",
    .open = open_device,
};
