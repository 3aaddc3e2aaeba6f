// The source of a kernel that is made at run time: the lifting program of a level as C++ that
// cuda_patch.cuh is compiled with.
#ifndef WP_CUDA_PROGRAM_H
#define WP_CUDA_PROGRAM_H

#include "cuda_geometry.h"
#include "text.h"

// The kernel is called WP_CUDA_PROGRAM_KERNEL. `wide`: all bands can be accessed four elements at
// a time.
#define WP_CUDA_PROGRAM_KERNEL "wp_made_kernel"
void wp_cuda_add_program(const struct wp_cuda_level *level, bool wide,
                         const struct wp_cuda_geometry *geometry, struct wp_text *text);

// The files that it includes, by the names that they have there.
struct wp_cuda_include {
    const char *name, *text;
};
enum { WP_CUDA_INCLUDES = 21 };
extern const struct wp_cuda_include wp_cuda_includes[WP_CUDA_INCLUDES];

#endif
