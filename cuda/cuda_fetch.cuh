// Copies into shared memory that run beside what a thread goes on to do.
#ifndef WP_CUDA_FETCH_CUH
#define WP_CUDA_FETCH_CUH

#include <cuda_runtime.h>

// N floats, without a register in between where the GPU can. What the thread itself reads from
// there before is read: it was issued before, and a copy takes far longer. Through the first cache:
// lanes of eight samples take halves of sectors. What another kernel wrote is seen, as a kernel
// begins with an empty first cache.
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

// Waits for all groups but the latest N.
template <int N>
__device__ __forceinline__ void wp_fetch_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

#endif
