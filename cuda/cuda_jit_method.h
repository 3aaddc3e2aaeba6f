// Kernels compiled at run time from the lifting program of a description, with the taps of one
// wavelet: patches (cuda_patch.cuh), or strips (cuda_lifting.cuh) if the reach of steps is long.
#ifndef WP_CUDA_JIT_METHOD_H
#define WP_CUDA_JIT_METHOD_H

#include "cuda_exec.h"
#include "cuda_geometry.h"

// Parameters for the steps of a level, as measured. `wide`: all bands can be accessed four elements
// at a time.
struct wp_cuda_geometry wp_cuda_jit_geometry(const struct wp_cuda_level *level, bool wide);

// Removes the limit of registers after the compiler could not meet it, and sets `by_row`, which
// needs fewer. Returns false if there was no limit.
bool wp_cuda_jit_relax(struct wp_cuda_geometry *geometry);

// Returns false and the reason if the rows or the reach of a wavelet exceed the limits of a warp.
bool wp_cuda_jit_covers(const struct wp_cuda_level *level, const char *name, char *why,
                         size_t why_size);

// Functions of a struct wp_cuda_method.
int wp_cuda_jit_prepare(struct wp_exec *exec);
int wp_cuda_jit_run(const struct wp_exec *exec);
void wp_cuda_jit_release(struct wp_exec *exec);
size_t wp_cuda_jit_scratch(const struct wp_exec *exec);

#endif
