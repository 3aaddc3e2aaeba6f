// Kernels for rare layouts of volumes, compiled with NVRTC from the headers of this folder when
// first launched. The code is cached on disk; a kernel stays loaded until the process exits.
#ifndef WP_CUDA_JIT_H
#define WP_CUDA_JIT_H

#ifdef __cplusplus
extern "C" {
#endif

// Parameters of a kernel. Strings are copied.
struct wp_cuda_jit_params {
    const char *name;     // for messages: "volume, wp_shape<…>"
    const char *header;   // that defines `function`: "cuda_stream_z.cuh"
    const char *arguments; // type of the only argument of the kernel
    const char *function; // __device__ function template with its template arguments
    int threads;          // per block
    int resident;         // minimum blocks per multiprocessor; 0: any
    int bytes;            // of dynamic shared memory per block
};

// One kernel on each device: a static variable, initialized with {0}.
enum { WP_CUDA_JIT_DEVICES = 64 };
struct wp_cuda_jit_slot {
    const struct wp_cuda_jit *kernel[WP_CUDA_JIT_DEVICES];
};

// Returns the kernel for the current device, compiled by the first call. NULL if it cannot be
// compiled, after a note; the caller then launches another kernel. Thread safe.
const struct wp_cuda_jit *wp_cuda_jit_get(struct wp_cuda_jit_slot *slot,
                                          const struct wp_cuda_jit_params *params);

// Appends the kernel's source to `text`.
struct wp_text;
void wp_cuda_jit_add_program(const struct wp_cuda_jit_params *params, struct wp_text *text);

// The number of blocks that the device runs at once, at least 1.
int wp_cuda_jit_resident(const struct wp_cuda_jit *jit);

// Launches blocks of 32 x `warps` threads. Returns a cudaError_t.
int wp_cuda_jit_launch(const struct wp_cuda_jit *jit, const unsigned grid[3], unsigned warps,
                       const void *argument, void *stream);

#ifdef __cplusplus
}
#endif

#endif
