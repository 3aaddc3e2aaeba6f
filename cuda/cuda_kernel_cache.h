// A cache of kernels compiled at run time: one file of machine code per kernel in the user's cache
// directory.
#ifndef WP_CUDA_KERNEL_CACHE_H
#define WP_CUDA_KERNEL_CACHE_H

#include "cuda_nvrtc.h"

// Gets the code of a kernel's source for a compute capability, from its file, or compiles it and
// writes the file. A file that is damaged, or of another source, compiler or options, is replaced.
// The latest kernels that cannot be written are kept in memory for this process, after one note.
// `progress` (may be NULL) is logged before compiling; `compiled` (may be NULL) is set to whether
// the source was compiled. Returns false if it does not compile; `log` gets the reason.
bool wp_cuda_get_cubin(const char *source, int capability, const char *progress,
                       struct wp_cuda_cubin *cubin, bool *compiled, struct wp_text *log);

// The path of that file, which the caller frees. NULL if there is no cache directory.
char *wp_cuda_kernel_cache_path(const char *source, int capability);

#endif
