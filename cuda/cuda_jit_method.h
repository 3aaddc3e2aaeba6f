// Kernels compiled at run time from the lifting program of a description, with the taps of one wavelet:
// patches (cuda_patch.cuh), or strips (cuda_lifting.cuh) where steps reach far.
#ifndef WP_CUDA_JIT_METHOD_H
#define WP_CUDA_JIT_METHOD_H

#include "cuda_exec.h"
#include "cuda_geometry.h"

// As measured for the steps of a level. `wide`: all bands can be accessed four elements at a time.
struct wp_cuda_geometry wp_cuda_jit_geometry(const struct wp_cuda_level *level, bool wide);

// Gives a kernel the registers that it takes, and has it take fewer at edges, where it was asked to do
// with fewer and a compiler could not. False where it was not asked.
bool wp_cuda_jit_relax(struct wp_cuda_geometry *geometry);

// False where a wavelet's window or reach is more than a warp can have, and why.
bool wp_cuda_jit_covers(const struct wp_cuda_level *level, const char *name, char *why,
                         size_t why_size);

// Functions of a struct wp_cuda_method.
int wp_cuda_jit_prepare(struct wp_exec *exec);
int wp_cuda_jit_run(const struct wp_exec *exec);
void wp_cuda_jit_release(struct wp_exec *exec);
size_t wp_cuda_jit_scratch(const struct wp_exec *exec);

#endif
