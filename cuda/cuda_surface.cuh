// Access to quads of a level in surfaces.
#ifndef WP_CUDA_SURFACE_CUH
#define WP_CUDA_SURFACE_CUH

#include "cuda_access.cuh"

// Where a kernel reads and writes a level: in linear memory, or as quads in a surface.
template <bool LOADS_QUADS, bool STORES_QUADS>
struct wp_quad_layout {
    static constexpr bool loads_quads = LOADS_QUADS, stores_quads = STORES_QUADS;
};

// Sample (x, y) of the quads that a level reads; 0 if a coordinate is -1.
template <bool INVERSE>
__device__ inline float wp_get_of_quads(const wp_cuda_shared &s, int x, int y)
{
    if (x < 0 || y < 0)
        return 0.0f;
    if (INVERSE && s.low && !(x & 1) && !(y & 1))
        return s.low[(ptrdiff_t)(y >> 1) * s.low_pitch + (x >> 1)];
    const float4 q = surf2Dread<float4>(s.from.surface,
                                        (s.from.x + (x >> 1)) * (int)sizeof(float4),
                                        s.from.y + (y >> 1));
    return y & 1 ? (x & 1 ? q.w : q.z) : x & 1 ? q.y : q.x;
}

// Reads quad (x, n), all of whose samples exist, without scaling.
template <bool INVERSE>
__device__ __forceinline__ float4 wp_read_quad(const wp_cuda_shared &s, int x, int n)
{
    float4 q = surf2Dread<float4>(s.from.surface, (s.from.x + x) * (int)sizeof(float4),
                                  s.from.y + n);
    if (INVERSE && s.low)
        q.x = __ldg(s.low + (ptrdiff_t)n * s.low_pitch + x);
    return q;
}

// Scales a quad that an inverse level has read; forward returns it unchanged.
template <bool INVERSE>
__device__ __forceinline__ float4 wp_scale_quad(const wp_frame &f, float4 q)
{
    return INVERSE ? make_float4(q.x * f.scale[0], q.y * f.scale[1], q.z * f.scale[2],
                                 q.w * f.scale[3])
                   : q;
}

// Reads quad (x, n), which may be outside the image, and scales it (inverse).
template <bool INVERSE>
__device__ __forceinline__ float4 wp_get_quad(const wp_frame &f, const wp_cuda_shared &s, int x,
                                              int n)
{
    if (x >= 0 && 2 * x + 1 < f.width && n >= 0 && 2 * n + 1 < f.height)
        return wp_scale_quad<INVERSE>(f, wp_read_quad<INVERSE>(s, x, n));
    const wp_columns at = wp_find_pair(f, x);
    const int even = wp_device_extend(f.extension, 2 * n, f.height);
    const int odd = f.height > 1 ? wp_device_extend(f.extension, 2 * n + 1, f.height) : -1;
    return wp_scale_quad<INVERSE>(f, make_float4(wp_get_of_quads<INVERSE>(s, at.even, even),
                                                 wp_get_of_quads<INVERSE>(s, at.odd, even),
                                                 wp_get_of_quads<INVERSE>(s, at.even, odd),
                                                 wp_get_of_quads<INVERSE>(s, at.odd, odd)));
}

// Writes quad (x, n), not negative, if it is inside the image; forward, scales it and also writes
// LL to linear memory.
template <bool INVERSE>
__device__ __forceinline__ void wp_put_quad(const wp_frame &f, const wp_cuda_shared &s, int x,
                                            int n, float4 q)
{
    if (2 * x >= f.width || 2 * n >= f.height)
        return;
    if constexpr (!INVERSE) {
        q.x *= f.scale[0], q.y *= f.scale[1];
        q.z *= f.scale[2], q.w *= f.scale[3];
        if (s.low)
            s.low[(ptrdiff_t)n * s.low_pitch + x] = q.x;
    }
    surf2Dwrite(q, s.to.surface, (s.to.x + x) * (int)sizeof(float4), s.to.y + n);
}

#endif
