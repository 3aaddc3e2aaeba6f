// NVTX ranges for Nsight Systems, if the toolkit has NVTX.
#ifndef WP_CUDA_NVTX_H
#define WP_CUDA_NVTX_H

#ifdef WP_CUDA_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

static inline void wp_cuda_range_begin(const char *name)
{
#ifdef WP_CUDA_NVTX
    nvtxRangePushA(name);
#else
    (void)name;
#endif
}

static inline void wp_cuda_range_end(void)
{
#ifdef WP_CUDA_NVTX
    nvtxRangePop();
#endif
}

#endif
