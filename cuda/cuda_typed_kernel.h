// Patch kernels for images of u8, u16 or f16 samples. NVRTC compiles one when a transform of such
// an image is prepared, for each type, shape and direction; the code is cached on disk.
#ifndef WP_CUDA_TYPED_KERNEL_H
#define WP_CUDA_TYPED_KERNEL_H

#include "cuda_exec.h"
#include "text.h"

struct wp_cuda_typed_kernel;

// Creates the kernel for level 0 of `exec`, whose samples have the type of `elements`. NULL if no
// shape covers the level, or if the kernel cannot be compiled, after a note.
struct wp_cuda_typed_kernel *wp_cuda_typed_kernel_create(const struct wp_exec *exec,
                                                         const struct wp_cuda_elements *elements);
void wp_cuda_typed_kernel_destroy(struct wp_cuda_typed_kernel *kernel); // accepts NULL

// Launches the level that the kernel was created for, with the samples in `elements` instead of
// level->plane. Returns a cudaError_t.
int wp_cuda_typed_kernel_run(const struct wp_cuda_typed_kernel *kernel,
                             const struct wp_cuda_level *level,
                             const struct wp_cuda_elements *elements);

// Appends the source of the kernel for a type and a level to `text`. False if there is none.
bool wp_cuda_typed_add_program(enum wp_element type, const struct wp_cuda_level *level,
                               struct wp_text *text);

#endif
