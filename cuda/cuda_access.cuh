// Access to planes and bands in kernels: several elements at a time, single ones at borders, and
// asynchronous copies to shared memory.
#ifndef WP_CUDA_ACCESS_CUH
#define WP_CUDA_ACCESS_CUH

#include "cuda_level.h"

#include <cuda_runtime.h>

// wp_extend() as a loop, for indices at most a few periods outside.
__device__ inline int wp_device_extend(int extension, int i, int n)
{
    while (i < 0 || i >= n) {
        switch (extension) {
        case WP_EXTEND_MIRROR:
            if (n == 1)
                return 0;
            i = i < 0 ? -i : 2 * (n - 1) - i;
            break;
        case WP_EXTEND_WRAP: i += i < 0 ? n : -n; break;
        case WP_EXTEND_CLAMP: return i < 0 ? 0 : n - 1;
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

// Copies N floats, or a double, from global to shared memory asynchronously, on GPUs with cp.async
// without registers. A thread may start a copy to a slot that it has just read: the read was issued
// before. Copies use the L1 cache, because lanes of eight samples read halves of sectors; L1 has no
// stale data of other kernels, as it is empty when a kernel starts.
template <int N, class T>
__device__ __forceinline__ void wp_fetch(T *to, const T *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"(sizeof(T) * N)
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

inline cudaStream_t wp_stream(const wp_cuda_level &level)
{
    return static_cast<cudaStream_t>(level.stream);
}

// The samples and bands of a level, a kernel argument.
struct wp_frame {
    int width, height, extension, pitch;
    float *plane;
    wp_cuda_band band[WP_BAND_COUNT];
    float scale[WP_BAND_COUNT];
};

inline wp_frame wp_make_frame(const wp_cuda_level &level)
{
    wp_frame frame = {};
    frame.width = level.width;
    frame.height = level.height;
    frame.extension = level.extension;
    frame.pitch = level.pitch;
    frame.plane = level.plane;
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        frame.band[b] = level.band[b];
        frame.scale[b] = level.scale[b];
    }
    return frame;
}

// The columns of the samples of a pair; -1: the sample is zero.
struct wp_columns {
    int even, odd;
};

// Finds the samples of pair p of columns, which may be outside the image.
__device__ __forceinline__ wp_columns wp_find_pair(const wp_frame &f, int p)
{
    if (p >= 0 && 2 * p + 1 < f.width)
        return {2 * p, 2 * p + 1};
    // An axis of one sample has no odd samples.
    return {wp_device_extend(f.extension, 2 * p, f.width),
            f.width > 1 ? wp_device_extend(f.extension, 2 * p + 1, f.width) : -1};
}

// Reads row y of a pair of columns; y may be outside the image.
template <bool INVERSE>
__device__ __forceinline__ float2 wp_get_pair(const wp_frame &f, wp_columns x, int y)
{
    if ((unsigned)y >= (unsigned)f.height)
        y = wp_device_extend(f.extension, y, f.height);
    float2 pair = {0.0f, 0.0f};
    if (y < 0)
        return pair;
    if constexpr (INVERSE) {
        const int r = 2 * (y & 1);
        const wp_cuda_band &low = r ? f.band[WP_BAND_LH] : f.band[WP_BAND_LL];
        const wp_cuda_band &high = r ? f.band[WP_BAND_HH] : f.band[WP_BAND_HL];
        if (x.even >= 0)
            pair.x = __ldg(low.data + (x.even >> 1) * low.step_x + (y >> 1) * low.step_y) *
                     f.scale[r];
        if (x.odd >= 0)
            pair.y = __ldg(high.data + (x.odd >> 1) * high.step_x + (y >> 1) * high.step_y) *
                     f.scale[r + 1];
    } else {
        const float *line = f.plane + (ptrdiff_t)y * f.pitch;
        if (x.odd == x.even + 1)
            return __ldg(reinterpret_cast<const float2 *>(line + x.even));
        pair = make_float2(__ldg(line + x.even), x.odd < 0 ? 0.0f : __ldg(line + x.odd));
    }
    return pair;
}

// Writes a result at (x, y) of the interleaved bands, or of the plane. Must be inside the image.
template <bool INVERSE>
__device__ __forceinline__ void wp_put(const wp_frame &f, int x, int y, float value)
{
    if constexpr (INVERSE) {
        f.plane[(ptrdiff_t)y * f.pitch + x] = value;
    } else {
        const int b = (x & 1) + 2 * (y & 1);
        const wp_cuda_band &band = f.band[b];
        band.data[(x >> 1) * band.step_x + (y >> 1) * band.step_y] = value * f.scale[b];
    }
}

// Writes columns 2p and 2p + 1 of row y, if inside the image; p and y are not negative.
template <bool INVERSE>
__device__ __forceinline__ void wp_put_pair(const wp_frame &f, int p, int y, float even, float odd)
{
    if (y >= f.height || 2 * p >= f.width)
        return;
    if (INVERSE && 2 * p + 1 < f.width) {
        reinterpret_cast<float2 *>(f.plane + (ptrdiff_t)y * f.pitch)[p] = make_float2(even, odd);
        return;
    }
    wp_put<INVERSE>(f, 2 * p, y, even);
    if (2 * p + 1 < f.width)
        wp_put<INVERSE>(f, 2 * p + 1, y, odd);
}

// True if the rows of a band can be accessed four elements at a time.
inline bool wp_band_is_wide(const wp_cuda_band &band)
{
    return band.step_x == 1 && band.step_y % 4 == 0 && band.step_z % 4 == 0 &&
           reinterpret_cast<size_t>(band.data) % 16 == 0;
}

#endif
