// Asynchronous copies from global to shared memory.
#ifndef WP_CUDA_FETCH_CUH
#define WP_CUDA_FETCH_CUH

#include <cuda_runtime.h>

// Copies N floats, on GPUs with cp.async without registers. A thread may start a copy to a slot
// that it has just read: the read was issued before. Copies use the L1 cache, because lanes of
// eight samples read halves of sectors; L1 has no stale data of other kernels, as it is empty when
// a kernel starts.
template <int N>
__device__ __forceinline__ void wp_fetch(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"(4 * N)
                 : "memory");
#else
#pragma unroll
    for (int i = 0; i < N; i++)
        to[i] = __ldg(from + i);
#endif
}

// Ends a group of fetches.
__device__ __forceinline__ void wp_fetch_end()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for all groups except the latest N.
template <int N>
__device__ __forceinline__ void wp_fetch_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

#endif
