#include "cuda_jit.h"

#include "cuda_kernel.h"
#include "cuda_program.h"
#include "log.h"
#include "memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct wp_cuda_jit {
    struct wp_cuda_kernel kernel;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// The entry for a kernel that cannot be compiled.
static const struct wp_cuda_jit none;

void wp_cuda_jit_add_program(const struct wp_cuda_jit_params *params, struct wp_text *text)
{
    wp_text_add(text,
                "#include \"%s\"\n\n"
                "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n"
                WP_CUDA_PROGRAM_KERNEL "(const __grid_constant__ %s args)\n"
                "{\n"
                "    %s(args);\n"
                "}\n",
                params->header, params->threads, params->resident, params->arguments,
                params->function);
}

static bool compile(int number, const struct wp_cuda_jit_params *params, struct wp_cuda_jit *jit,
                    struct wp_text *why)
{
    struct wp_device *device = wp_try_allocate(1, sizeof *device);
    char reason[256];
    struct wp_text source = {0};
    bool ok = device && cudaGetDeviceProperties(&device->properties, number) == cudaSuccess;
    if (ok && !wp_cuda_kernels_run_on(device, reason, sizeof reason)) {
        wp_text_add(why, "%s", reason);
        ok = false;
    }
    wp_cuda_jit_add_program(params, &source);
    const struct wp_cuda_kernel_params of_kernel = {
        .name = params->name,
        .source = wp_text_get(&source),
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = params->threads,
        .bytes = params->bytes,
        .may_spill = true,
    };
    ok = ok && !source.failed && wp_cuda_kernel_make(device, &of_kernel, &jit->kernel, why);
    wp_text_free(&source);
    free(device);
    return ok;
}

// Called with the mutex locked.
static const struct wp_cuda_jit *make(int device, const struct wp_cuda_jit_params *params)
{
    static bool noted;
    struct wp_cuda_jit *jit = wp_try_allocate(1, sizeof *jit);
    struct wp_text why = {0};
    if (jit && compile(device, params, jit, &why)) {
        wp_text_free(&why);
        return jit;
    }
    if (!noted)
        wp_log(WP_LOG_INFO,
               "note: volumes are slower on CUDA than they could be, because the kernel of "
               "%s cannot be compiled (%s)",
               params->name, why.data ? wp_text_get(&why) : "not enough memory");
    noted = true;
    wp_text_free(&why);
    free(jit);
    return &none;
}

const struct wp_cuda_jit *wp_cuda_jit_get(struct wp_cuda_jit_slot *slot,
                                          const struct wp_cuda_jit_params *params)
{
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= WP_CUDA_JIT_DEVICES)
        return NULL;
    const struct wp_cuda_jit *jit = __atomic_load_n(&slot->kernel[device], __ATOMIC_ACQUIRE);
    if (!jit) {
        pthread_mutex_lock(&mutex);
        jit = slot->kernel[device];
        if (!jit) {
            jit = make(device, params);
            __atomic_store_n(&slot->kernel[device], jit, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&mutex);
    }
    return jit == &none ? NULL : jit;
}

int wp_cuda_jit_resident(const struct wp_cuda_jit *jit)
{
    return jit->kernel.blocks > 0 ? jit->kernel.blocks : 1;
}

int wp_cuda_jit_launch(const struct wp_cuda_jit *jit, const unsigned grid[3], unsigned warps,
                       const void *argument, void *stream)
{
    const unsigned block[2] = {32, warps};
    // The driver reads the argument only.
    return wp_cuda_kernel_launch(&jit->kernel, grid, block, (void *)(uintptr_t)argument, false,
                                 stream);
}
