// Kernels that are compiled when first needed: from the source to the launch.
#ifndef WP_CUDA_KERNEL_H
#define WP_CUDA_KERNEL_H

#include "cuda_driver.h"
#include "cuda_exec.h"
#include "text.h"

struct wp_cuda_kernel {
    CUmodule module; // NULL: no kernel
    CUfunction function;
    int blocks; // that the device runs at once
    unsigned bytes; // of dynamic shared memory per block
};

struct wp_cuda_kernel_params {
    const char *name;     // for messages: "cdf97 forward"
    const char *source;   // may include the files of wp_cuda_includes (cuda_program.h)
    const char *function; // name of the kernel in the source
    int threads;          // per block
    int bytes;            // of dynamic shared memory per block
    bool slow_to_compile;      // log a message before it is compiled
    bool may_spill;       // accept a kernel that spills registers to local memory
};

// Returns false and the reason if kernels cannot be compiled for a device.
bool wp_cuda_kernels_run_on(const struct wp_device *device, char *why, size_t why_size);

// Creates a kernel for the current device; cached code (cuda_kernel_cache.h) is not compiled again.
// Returns false and the reason if it cannot be compiled, or spills registers and `may_spill` is not
// set.
bool wp_cuda_kernel_make(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                         struct wp_cuda_kernel *kernel, struct wp_text *why);
void wp_cuda_kernel_free(struct wp_cuda_kernel *kernel); // accepts {0}

// Launches a kernel with its only argument in a cudaStream_t. `early`: it may start before the
// previous launch has ended, and calls cudaGridDependencySynchronize(). Returns a cudaError_t.
int wp_cuda_kernel_launch(const struct wp_cuda_kernel *kernel, const unsigned grid[3],
                          const unsigned block[2], void *argument, bool early, void *stream);

#endif
