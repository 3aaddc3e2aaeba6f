// NVRTC, the CUDA compiler as a library, where the machine has one: it is opened when it is first
// asked for.
#ifndef WP_CUDA_NVRTC_H
#define WP_CUDA_NVRTC_H

#include "text.h"

// NULL, or why kernels cannot be compiled here: "no libnvrtc.so.13 …". $WAVEPASS_NVRTC names the
// library in place of those that are looked for.
const char *wp_cuda_nvrtc_why_not(void);

// 13000 is 13.0; 0 without one.
int wp_cuda_nvrtc_version(void);

// Whether it makes code for a compute capability, such as 90.
bool wp_cuda_nvrtc_knows(int capability);

// Machine code.
struct wp_cuda_cubin {
    char *data; // NULL: none
    size_t size;
};
void wp_cuda_cubin_free(struct wp_cuda_cubin *cubin); // accepts {0}

// The options that every source is compiled with, of which the first names the compute capability.
enum { WP_CUDA_NVRTC_OPTIONS = 5 };
struct wp_cuda_options {
    char capability[32];
    const char *option[WP_CUDA_NVRTC_OPTIONS];
};
void wp_cuda_set_options(struct wp_cuda_options *options, int capability);

// `source`, which may include wp_cuda_includes (cuda_program.h), for a compute capability. The log
// tells registers and spills ("Used 72 registers"), or what is wrong where it returns false; it is
// without a message then, and the log may be empty.
bool wp_cuda_nvrtc_compile(const char *source, int capability, struct wp_cuda_cubin *cubin,
                           struct wp_text *log);

#endif
