// Kernels that are compiled when first needed, from the source to the launch: NVRTC, which is the
// CUDA compiler as a library; a cache of its code on disk; the driver.
#ifndef WP_CUDA_KERNEL_H
#define WP_CUDA_KERNEL_H

#include "cuda_exec.h"
#include "text.h"

#include <cuda.h>

// NVRTC is loaded when first needed. NULL, or the reason why kernels cannot be compiled: "no NVRTC:
// ...". $WAVEPASS_NVRTC names the library to load instead of the default ones.
const char *wp_cuda_nvrtc_why_not(void);

// The version: 13000 is 13.0. 0 without NVRTC.
int wp_cuda_nvrtc_version(void);

// True if NVRTC supports a compute capability, such as 90.
bool wp_cuda_nvrtc_knows(int capability);

// Machine code.
struct wp_cuda_cubin {
    char *data; // NULL: no code
    size_t size;
};
void wp_cuda_cubin_free(struct wp_cuda_cubin *cubin); // accepts {0}

// Compiles `source`, which may include the files of wp_cuda_includes (cuda_jit.h), for a compute
// capability. `log` gets the registers and spills ("Used 72 registers"), or the errors. Returns
// false without a message if it does not compile; `log` may be empty if memory is exhausted.
bool wp_cuda_nvrtc_compile(const char *source, int capability, struct wp_cuda_cubin *cubin,
                           struct wp_text *log);

// As wp_cuda_nvrtc_compile(), with a cache: gets the code from a file in the user's cache
// directory, or compiles the source and writes the file. A file that is damaged, or of another
// source, compiler or options, is replaced. The latest kernels that cannot be written are kept in
// memory for this process, after one note. `progress` (may be NULL) is logged before compiling;
// `compiled` (may be NULL) is set to whether the source was compiled.
bool wp_cuda_get_cubin(const char *source, int capability, const char *progress,
                       struct wp_cuda_cubin *cubin, bool *compiled, struct wp_text *log);

// The path of that file, which the caller frees. NULL if there is no cache directory.
char *wp_cuda_kernel_cache_path(const char *source, int capability);

struct wp_cuda_kernel {
    CUmodule module; // NULL: no kernel
    CUfunction function;
    int blocks; // that the device runs at once
    unsigned bytes; // of dynamic shared memory per block
};

struct wp_cuda_kernel_params {
    const char *name;     // for messages: "cdf97 forward"
    struct wp_text *source; // freed, also after a failure
    const char *function; // name of the kernel in the source
    int threads;          // per block
    int bytes;            // of dynamic shared memory per block
    bool slow_to_compile; // log a message before it is compiled
    bool may_spill;       // accept a kernel that spills registers to local memory
};

// Returns false and the reason if kernels cannot be compiled for a device.
bool wp_cuda_kernels_run_on(const struct wp_device *device, char *why, size_t why_size);

// Creates a kernel for the current device. Returns false and the reason if it cannot be compiled,
// or spills registers and `may_spill` is not set; the reason is empty if memory is exhausted.
bool wp_cuda_kernel_make(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                         struct wp_cuda_kernel *kernel, struct wp_text *why);
void wp_cuda_kernel_free(struct wp_cuda_kernel *kernel); // accepts {0}

// Launches a kernel with its only argument in a cudaStream_t. `early`: it may start before the
// previous launch has ended, and calls cudaGridDependencySynchronize(). Returns a cudaError_t.
int wp_cuda_kernel_launch(const struct wp_cuda_kernel *kernel, const unsigned grid[3],
                          const unsigned block[2], void *argument, bool early, void *stream);

#endif
