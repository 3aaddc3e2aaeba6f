// The source of a kernel that is compiled at run time: the lifting program of a level in C++, for
// the templates of cuda_patch.cuh.
#ifndef WP_CUDA_PROGRAM_H
#define WP_CUDA_PROGRAM_H

#include "cuda_geometry.h"
#include "text.h"

// Appends the source of a kernel named WP_CUDA_PROGRAM_KERNEL. `wide`: all bands can be accessed
// four elements at a time.
#define WP_CUDA_PROGRAM_KERNEL "wp_jit_kernel"
void wp_cuda_add_program(const struct wp_cuda_level *level, bool wide,
                         const struct wp_cuda_geometry *geometry, struct wp_text *text);

// The files that sources may include, by name.
struct wp_cuda_include {
    const char *name, *text;
};
enum { WP_CUDA_INCLUDES = 21 };
extern const struct wp_cuda_include wp_cuda_includes[WP_CUDA_INCLUDES];

#endif
