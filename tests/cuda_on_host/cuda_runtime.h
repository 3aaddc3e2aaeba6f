// In place of CUDA's header: what kernels of one warp's work ask for, by the host's compiler, so that
// they run, and can be watched by sanitizers, where no GPU is.
//
// The lanes of a warp run one after the other, from the begin to the end, as often as it has shuffles
// and once more: round i is the one in which what shuffle i is given is right, and is kept. What a
// lane writes is right in the last round. There are no barriers.
#ifndef CUDA_ON_HOST_H
#define CUDA_ON_HOST_H

#include <assert.h>
#include <math.h>
#include <stdlib.h>
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
struct dim3 {
    unsigned x, y, z;
    explicit dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
typedef struct CUstream_st *cudaStream_t;

inline dim3 threadIdx, blockIdx;

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
inline void __syncwarp() {}

struct host_warp {
    struct lanes {
        float value[32];
    };
    std::vector<lanes> kept; // of the shuffles before this round's
    lanes taken;
    size_t next; // of a lane's shuffles
    bool last;   // there was none in this round

    float shuffle(float value, int from)
    {
        const int lane = (int)threadIdx.x;
        const size_t i = next++;
        if (i == kept.size()) {
            taken.value[lane] = value;
            last = false;
        }
        return i < kept.size() ? kept[i].value[from >= 0 && from < 32 ? from : lane] : 0.0f;
    }

    // All of a warp's rounds.
    template <class F>
    void run(F &&work)
    {
        kept.clear();
        for (last = false; !last;) {
            last = true;
            size_t count = 0;
            for (unsigned lane = 0; lane < 32; lane++) {
                threadIdx.x = lane;
                next = 0;
                work();
                if (lane && next != count)
                    abort(); // lanes that part before a shuffle
                count = next;
            }
            if (!last)
                kept.push_back(taken);
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

#endif
