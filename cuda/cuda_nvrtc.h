// NVRTC, the CUDA compiler as a library, loaded when first needed.
#ifndef WP_CUDA_NVRTC_H
#define WP_CUDA_NVRTC_H

#include "text.h"

// NULL, or the reason why kernels cannot be compiled: "no NVRTC: ...". $WAVEPASS_NVRTC names the
// library to load instead of the default ones.
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

// The options for all sources; the first one names the compute capability.
enum { WP_CUDA_NVRTC_OPTIONS = 5 };
struct wp_cuda_options {
    char capability[32];
    const char *option[WP_CUDA_NVRTC_OPTIONS];
};
void wp_cuda_set_options(struct wp_cuda_options *options, int capability);

// Compiles `source`, which may include the files of wp_cuda_includes (cuda_program.h), for a
// compute capability. `log` gets the registers and spills ("Used 72 registers"), or the errors.
// Returns false without a message if it does not compile; `log` may be empty if memory is
// exhausted.
bool wp_cuda_nvrtc_compile(const char *source, int capability, struct wp_cuda_cubin *cubin,
                           struct wp_text *log);

#endif
