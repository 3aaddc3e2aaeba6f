// The CUDA engine in a build without CUDA.
#include "engine.h"
#include "log.h"

static struct wp_engine *open_engine(const struct wp_task *task)
{
    (void)task;
    wp_fail(WP_ERROR_UNAVAILABLE, "backend 'cuda' is not available (not in this build: %s)"
                                  "\nhint: backend 'cpu' needs no GPU", WP_CUDA_MISSING);
    return NULL;
}

// Other members are never called, because open() always fails.
const struct wp_engine_kind wp_engine_cuda = {.name = "cuda", .open = open_engine};
