// The kernel of patches for images of u8, u16 or f16 samples. It is compiled by NVRTC when a transform
// of such an image is prepared, once per type, shape and direction; the code is cached on disk.
#ifndef WP_CUDA_TYPED_KERNEL_H
#define WP_CUDA_TYPED_KERNEL_H

#include "cuda_exec.h"
#include "text.h"

struct wp_cuda_typed_kernel;

// For level 0 of `exec`, whose samples have the type of `elements`. NULL where no kernel has the
// level's shape, or where none can be compiled, after a note that says why.
struct wp_cuda_typed_kernel *wp_cuda_typed_kernel_create(const struct wp_exec *exec,
                                                         const struct wp_cuda_elements *elements);
void wp_cuda_typed_kernel_destroy(struct wp_cuda_typed_kernel *kernel); // accepts NULL

// Launches the level that it was made for, with the samples in `elements` and none in level->plane.
// Returns a cudaError_t.
int wp_cuda_typed_kernel_run(const struct wp_cuda_typed_kernel *kernel,
                             const struct wp_cuda_level *level,
                             const struct wp_cuda_elements *elements);

// Appends the source of the kernel for a type and a level to `text`. False where there is none.
bool wp_cuda_typed_add_program(enum wp_element type, const struct wp_cuda_level *level,
                               struct wp_text *text);

#endif
