// A kernel that is compiled when it is first needed, from its source to its launch.
#ifndef WP_CUDA_KERNEL_H
#define WP_CUDA_KERNEL_H

#include "cuda_driver.h"
#include "cuda_exec.h"
#include "text.h"

struct wp_cuda_kernel {
    CUmodule module; // NULL: none
    CUfunction function;
    int blocks; // that the device holds at once
    unsigned bytes; // of dynamic shared memory per block
};

struct wp_cuda_kernel_params {
    const char *name;     // for messages: "cdf97 forward"
    const char *source;   // may include what wp_cuda_includes has (cuda_program.h)
    const char *function; // of the source
    int threads;          // of a block
    int bytes;            // of dynamic shared memory per block
    bool takes_long;      // a message says that it is compiled
    bool may_spill;       // values may be kept in local memory
};

// Whether a device's kernels can be made, or why not.
bool wp_cuda_kernels_run_on(const struct wp_device *device, char *why, size_t why_size);

// For the current device; code that is kept (cuda_kernel_cache.h) is not compiled again. False where it
// cannot be made, or would spill registers and may not; `why` gets the reason.
bool wp_cuda_kernel_make(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                         struct wp_cuda_kernel *kernel, struct wp_text *why);
void wp_cuda_kernel_free(struct wp_cuda_kernel *kernel); // accepts {0}

// Into a cudaStream_t, with its one argument. `early`: it may begin before the one before has ended,
// and waits for that itself (cudaGridDependencySynchronize()). A cudaError_t.
int wp_cuda_kernel_launch(const struct wp_cuda_kernel *kernel, const unsigned grid[3],
                          const unsigned block[2], void *argument, bool early, void *stream);

#endif
