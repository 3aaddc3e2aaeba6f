// Kernels for rare layouts of volumes, which NVRTC compiles from the headers of this folder when one is
// first launched. The code is cached on disk; a kernel stays loaded until the process ends.
#ifndef WP_CUDA_JIT_H
#define WP_CUDA_JIT_H

#ifdef __cplusplus
extern "C" {
#endif

// What to compile. The texts are copied.
struct wp_cuda_jit_params {
    const char *name;     // for messages: "volume, wp_shape<…>"
    const char *header;   // that has `function`: "cuda_stream_z.cuh"
    const char *arguments; // type of the kernel's one argument
    const char *function; // __device__ function template that takes it, with its template arguments
    int threads;          // per block
    int resident;         // blocks per multiprocessor at least; 0: any
    int bytes;            // of dynamic shared memory per block
};

// One kernel, on each device. Initialize with {0}; a static variable.
enum { WP_CUDA_JIT_DEVICES = 64 };
struct wp_cuda_jit_slot {
    const struct wp_cuda_jit *of[WP_CUDA_JIT_DEVICES];
};

// The kernel for the current device. NULL where it cannot be compiled, after a note that says why; the
// caller then launches another kernel. Thread safe.
const struct wp_cuda_jit *wp_cuda_jit_get(struct wp_cuda_jit_slot *slot,
                                          const struct wp_cuda_jit_params *params);

// Appends the kernel's source to `text`.
struct wp_text;
void wp_cuda_jit_add_program(const struct wp_cuda_jit_params *params, struct wp_text *text);

// Blocks that the device runs at once.
int wp_cuda_jit_resident(const struct wp_cuda_jit *jit);

// Blocks have 32 x `warps` threads. Returns a cudaError_t.
int wp_cuda_jit_launch(const struct wp_cuda_jit *jit, const unsigned grid[3], unsigned warps,
                       const void *argument, void *stream);

#ifdef __cplusplus
}
#endif

#endif
