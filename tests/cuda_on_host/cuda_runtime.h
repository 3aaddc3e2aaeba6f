// Replaces CUDA's header: the features that single-warp kernels use, compiled by the host compiler,
// so that the kernels run under sanitizers on machines without a GPU.
//
// The lanes of a warp run one after the other, from start to end, once per shuffle and once more.
// In round i the arguments of shuffle i are correct and are recorded. The values that lanes write
// are correct in the last round. Blocks with barriers: host_block.h.
#ifndef CUDA_ON_HOST_H
#define CUDA_ON_HOST_H

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define __device__
#define __host__
#define __global__ static
#define __shared__ static
#define __grid_constant__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

struct float2 {
    float x, y;
};
struct alignas(16) double2 {
    double x, y;
};

struct alignas(16) float4 {
    float x, y, z, w;
};
inline float2 make_float2(float x, float y)
{
    return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y)
{
    return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}
struct dim3 {
    unsigned x, y, z;
    explicit dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
typedef struct CUstream_st *cudaStream_t;

inline thread_local dim3 threadIdx;
inline dim3 blockIdx, blockDim, gridDim;

template <class T>
T min(T a, T b)
{
    return a < b ? a : b;
}
template <class T>
T max(T a, T b)
{
    return a > b ? a : b;
}
template <class T>
T __ldg(const T *from)
{
    return *from;
}
template <class T>
void __stcs(T *to, T value)
{
    *to = value;
}

// Compile with floating-point contraction off, so that products are not fused.
inline float __fmul_rn(float a, float b)
{
    return a * b;
}
inline float __fadd_rn(float a, float b)
{
    return a + b;
}
inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}
// Requires a sum from 2^23 to 2^24, where floats are integers.
inline float __fadd_rd(float a, float b)
{
    return (float)floor((double)a + (double)b);
}
inline float __double2float_rz(double value)
{
    const float nearest = (float)value;
    return fabs((double)nearest) > fabs(value) ? nextafterf(nearest, 0.0f) : nearest;
}
inline float __saturatef(float value)
{
    return value > 0.0f ? min(value, 1.0f) : 0.0f;
}
inline float __uint_as_float(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
inline unsigned __float_as_uint(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const unsigned long long all = (unsigned long long)high << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned)(all >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
    return result;
}

// A surface object is a pointer to a host_surface.
struct host_surface {
    std::vector<float4> texel;
    int width;

    float4 &at(int bytes, int y)
    {
        const int x = bytes / (int)sizeof(float4);
        if (x < 0 || x >= width || y < 0 || y >= (int)texel.size() / width)
            abort();
        return texel[(size_t)(y * width + x)];
    }
};

template <class T>
T surf2Dread(unsigned long long surface, int bytes, int y)
{
    return reinterpret_cast<host_surface *>(surface)->at(bytes, y);
}
inline void surf2Dwrite(float4 texel, unsigned long long surface, int bytes, int y)
{
    reinterpret_cast<host_surface *>(surface)->at(bytes, y) = texel;
}

struct host_warp {
    struct lanes {
        float value[32];
    };
    std::vector<lanes> recorded; // results of the shuffles of earlier rounds
    lanes current;
    size_t next; // index of the lane's next shuffle
    bool last;   // no new shuffle was recorded in this round

    float shuffle(float value, int from)
    {
        const int lane = (int)threadIdx.x;
        const size_t i = next++;
        if (i == recorded.size()) {
            current.value[lane] = value;
            last = false;
        }
        return i < recorded.size() ? recorded[i].value[from >= 0 && from < 32 ? from : lane] : 0.0f;
    }

    // Runs all rounds of a warp.
    template <class F>
    void run(F &&body)
    {
        recorded.clear();
        for (last = false; !last;) {
            last = true;
            size_t count = 0;
            for (unsigned lane = 0; lane < 32; lane++) {
                threadIdx.x = lane;
                next = 0;
                body();
                if (lane && next != count)
                    abort(); // lanes diverge before a shuffle
                count = next;
            }
            if (!last)
                recorded.push_back(current);
        }
    }
};
inline host_warp the_warp;

inline float __shfl_up_sync(unsigned, float value, unsigned by)
{
    return the_warp.shuffle(value, (int)threadIdx.x - (int)by);
}
inline float __shfl_down_sync(unsigned, float value, unsigned by)
{
    return the_warp.shuffle(value, (int)threadIdx.x + (int)by);
}
inline float __shfl_xor_sync(unsigned, float value, unsigned mask)
{
    return the_warp.shuffle(value, (int)(threadIdx.x ^ mask));
}

// Handled like a shuffle: writes of all lanes are visible in the next round.
inline void __syncwarp()
{
    the_warp.shuffle(0.0f, (int)threadIdx.x);
}

#endif
