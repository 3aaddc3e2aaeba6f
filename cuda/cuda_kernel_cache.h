// Machine code of kernels that were made at run time, kept for later runs: a file a kernel in the
// user's cache directory.
#ifndef WP_CUDA_KERNEL_CACHE_H
#define WP_CUDA_KERNEL_CACHE_H

#include "cuda_nvrtc.h"

// Of a kernel's source for a compute capability: from its file, or compiled and put there. A file
// that is damaged, or of another source, compiler or options, is made anew; what cannot be written is
// kept for this process, the latest few, which is told once. `progress` (NULL: nothing) is told
// before it is compiled, and `compiled` (may be NULL) whether it was. False where it cannot be, and
// `log` says why.
bool wp_cuda_get_cubin(const char *source, int capability, const char *progress,
                       struct wp_cuda_cubin *cubin, bool *compiled, struct wp_text *log);

// The path of that file; NULL where there is no cache directory. The caller frees it.
char *wp_cuda_kernel_cache_path(const char *source, int capability);

#endif
