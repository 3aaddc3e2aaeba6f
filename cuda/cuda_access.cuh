// Access to planes and bands: wide where it can be, element by element at the borders.
#ifndef WP_CUDA_ACCESS_CUH
#define WP_CUDA_ACCESS_CUH

#include "cuda_level.h"

#include <cuda_runtime.h>

constexpr unsigned WP_WARP = 0xffffffffu;

// wp_extend() for indices that lie at most a few periods outside.
__device__ inline int wp_device_extend(int extension, int i, int n)
{
    while (i < 0 || i >= n) {
        switch (extension) {
        case WP_CUDA_EXTEND_MIRROR:
            if (n == 1)
                return 0;
            i = i < 0 ? -i : 2 * (n - 1) - i;
            break;
        case WP_CUDA_EXTEND_WRAP: i += i < 0 ? n : -n; break;
        case WP_CUDA_EXTEND_CLAMP: return i < 0 ? 0 : n - 1;
        default: return -1;
        }
    }
    return i;
}

template <int N>
__device__ __forceinline__ void wp_read(const float *__restrict__ from, float *v)
{
    if constexpr (N % 4 == 0) {
#pragma unroll
        for (int i = 0; i < N / 4; i++) {
            const float4 q = __ldg(reinterpret_cast<const float4 *>(from) + i);
            v[4 * i] = q.x, v[4 * i + 1] = q.y, v[4 * i + 2] = q.z, v[4 * i + 3] = q.w;
        }
    } else if constexpr (N == 2) {
        const float2 q = __ldg(reinterpret_cast<const float2 *>(from));
        v[0] = q.x, v[1] = q.y;
    } else {
        static_assert(N == 1, "a lane holds 1, 2 or a multiple of 4 samples");
        v[0] = __ldg(from);
    }
}

template <int N>
__device__ __forceinline__ void wp_write(float *to, const float *v)
{
    if constexpr (N % 4 == 0) {
#pragma unroll
        for (int i = 0; i < N / 4; i++)
            __stcs(reinterpret_cast<float4 *>(to) + i,
                   make_float4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]));
    } else if constexpr (N == 2) {
        __stcs(reinterpret_cast<float2 *>(to), make_float2(v[0], v[1]));
    } else {
        static_assert(N == 1, "a lane holds 1, 2 or a multiple of 4 samples");
        __stcs(to, v[0]);
    }
}

// Whether wide accesses fit a band.
inline bool wp_band_is_wide(const wp_cuda_band &band)
{
    return band.step_x == 1 && band.step_y % 4 == 0 &&
           reinterpret_cast<size_t>(band.data) % 16 == 0;
}

#endif
