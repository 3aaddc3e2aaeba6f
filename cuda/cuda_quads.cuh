// Access to quads of a level, for kernels of the emitter (src/emit/dialect_cuda.c).
#ifndef WP_CUDA_QUADS_CUH
#define WP_CUDA_QUADS_CUH

#include "cuda_access.cuh"

// True if all samples of width x height quads from (x, y) on exist.
__device__ __forceinline__ bool wp_quads_exist(const wp_frame &f, int x, int y, int width,
                                               int height)
{
    return x >= 0 && y >= 0 && 2 * (x + width) <= f.width && 2 * (y + height) <= f.height;
}

// Loads a quad whose samples all exist; coefficients are scaled.
template <bool INVERSE>
__device__ __forceinline__ float4 wp_load_quad(const wp_frame &f, int x, int y)
{
    if constexpr (INVERSE) {
        float v[WP_BAND_COUNT];
#pragma unroll
        for (int b = 0; b < WP_BAND_COUNT; b++)
            v[b] = __ldg(f.band[b].data + x * f.band[b].step_x + y * f.band[b].step_y) *
                   f.scale[b];
        return make_float4(v[0], v[1], v[2], v[3]);
    } else {
        const float2 *line =
            reinterpret_cast<const float2 *>(f.plane + (ptrdiff_t)(2 * y) * f.pitch) + x;
        const float2 upper = __ldg(line), lower = __ldg(line + f.pitch / 2);
        return make_float4(upper.x, upper.y, lower.x, lower.y);
    }
}

// Loads any quad of a column; samples outside the image are extended.
template <bool INVERSE>
__device__ __forceinline__ float4 wp_load_extended(const wp_frame &f, wp_columns columns, int y)
{
    const float2 upper = wp_get_pair<INVERSE>(f, columns, 2 * y);
    const float2 lower = wp_get_pair<INVERSE>(f, columns, 2 * y + 1);
    return make_float4(upper.x, upper.y, lower.x, lower.y);
}

// Stores a quad that this kernel does not read again, so it is evicted from the cache first.
template <bool INVERSE>
__device__ __forceinline__ void wp_store_quad(const wp_frame &f, int x, int y, float4 q)
{
    if constexpr (INVERSE) {
        float2 *line = reinterpret_cast<float2 *>(f.plane + (ptrdiff_t)(2 * y) * f.pitch) + x;
        __stcs(line, make_float2(q.x, q.y));
        __stcs(line + f.pitch / 2, make_float2(q.z, q.w));
    } else {
        const float v[WP_BAND_COUNT] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int b = 0; b < WP_BAND_COUNT; b++)
            __stcs(f.band[b].data + x * f.band[b].step_x + y * f.band[b].step_y,
                   v[b] * f.scale[b]);
    }
}

// Writes quad (x, y), not negative: completely if `exists`, otherwise its samples inside the image.
template <bool INVERSE>
__device__ __forceinline__ void wp_write_quad(const wp_frame &f, bool exists, int x, int y,
                                              float4 quad)
{
    if (exists) {
        wp_store_quad<INVERSE>(f, x, y, quad);
    } else {
        wp_put_pair<INVERSE>(f, x, 2 * y, quad.x, quad.y);
        wp_put_pair<INVERSE>(f, x, 2 * y + 1, quad.z, quad.w);
    }
}

#endif
