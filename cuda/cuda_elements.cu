// Conversion between elements and floats in device memory, in one pass.
#include "cuda_elements.cuh"
#include "cuda_elements.h"

#include "cuda_launch.cuh"

namespace {

enum { BLOCK_X = 32, BLOCK_Y = 8 };

template <class ELEMENT>
struct element_args {
    typename ELEMENT::type *elements;
    ptrdiff_t column, pitch, slice;
    wp_cuda_band floats;
    int width, height, depth;
    wp_reciprocal by;
    wp_element_scale scale;
    float range[2]; // values outside count as lost
    wp_cuda_lost *lost;
};

template <class ELEMENT>
__device__ __forceinline__ float read_element(unsigned word, int k, wp_reciprocal by)
{
    const float v = ELEMENT::template value<true>(word, k, by);
    return ELEMENT::integers ? wp_divide(v, by) : v;
}

template <class ELEMENT, int N>
__device__ __forceinline__ void read_elements(const element_args<ELEMENT> &args,
                                              const typename ELEMENT::type *from, float *to)
{
    constexpr int in_word = 4 / ELEMENT::bytes;
    float v[N];
    if constexpr (N == 1) {
        v[0] = read_element<ELEMENT>(__ldg(from), 0, args.by);
    } else {
        unsigned word[N / in_word];
#pragma unroll
        for (int w = 0; w < N / in_word; w++)
            word[w] = __ldg(reinterpret_cast<const unsigned *>(from) + w);
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = read_element<ELEMENT>(word[i / in_word], i % in_word, args.by);
    }
    wp_write<N>(to, v);
}

template <class ELEMENT, int N>
__device__ __forceinline__ void write_elements(const element_args<ELEMENT> &args, const float *from,
                                               typename ELEMENT::type *to, unsigned lost[2])
{
    constexpr int in_word = 4 / ELEMENT::bytes;
    float v[N];
    unsigned bits[N];
    wp_read<N>(from, v);
#pragma unroll
    for (int i = 0; i < N; i++) {
        bits[i] = ELEMENT::bits(v[i], args.scale);
        lost[0] += v[i] < args.range[0] || v[i] > args.range[1];
        lost[1] += v[i] != v[i];
    }
    if constexpr (N == 1) {
        *to = (typename ELEMENT::type)bits[0];
    } else {
        unsigned word[N / in_word];
#pragma unroll
        for (int w = 0; w < N / in_word; w++)
            word[w] = ELEMENT::pack(bits + w * in_word);
        wp_write_words<N / in_word>(to, word);
    }
}

template <class ELEMENT, int N, bool WRITES>
__device__ __forceinline__ void convert_elements(const element_args<ELEMENT> &args,
                                                 typename ELEMENT::type *elements, float *floats,
                                                 unsigned lost[2])
{
    if constexpr (WRITES)
        write_elements<ELEMENT, N>(args, floats, elements, lost);
    else
        read_elements<ELEMENT, N>(args, elements, floats);
}

// Adds the counts of all lanes of a warp. All lanes must call it.
__device__ __forceinline__ void add_lost(unsigned long long *to, unsigned count)
{
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        count += __shfl_xor_sync(0xffffffffu, count, apart);
    if (threadIdx.x == 0 && count > 0)
        atomicAdd(to, (unsigned long long)count);
}

// Each thread converts N elements with one access; those at the end of a row one by one.
template <class ELEMENT, int N, bool WRITES>
__global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
convert(const __grid_constant__ element_args<ELEMENT> args)
{
    const int x = (int)(blockIdx.x * BLOCK_X + threadIdx.x) * N;
    unsigned lost[2] = {0, 0};
    for (int z = (int)blockIdx.z; z < args.depth; z += (int)gridDim.z)
        for (int y = (int)(blockIdx.y * BLOCK_Y + threadIdx.y); y < args.height && x < args.width;
             y += (int)(gridDim.y * BLOCK_Y)) {
            auto *elements = args.elements + z * args.slice + y * args.pitch + x * args.column;
            float *floats = args.floats.data + z * args.floats.step_z + y * args.floats.step_y + x;
            if (x + N <= args.width)
                convert_elements<ELEMENT, N, WRITES>(args, elements, floats, lost);
            else
                for (int i = 0; x + i < args.width; i++)
                    convert_elements<ELEMENT, 1, WRITES>(args, elements + i * args.column, floats + i,
                                                         lost);
        }
    if constexpr (WRITES)
        if (args.lost) {
            add_lost(&args.lost->outside, lost[0]);
            add_lost(&args.lost->no_number, lost[1]);
        }
}

struct conversion {
    const wp_cuda_elements *elements;
    const wp_cuda_band *floats;
    const int *size;
    bool writes;
    cudaStream_t stream;
    wp_cuda_lost *lost;
    const float *range;
};

template <class ELEMENT, int N, bool WRITES>
cudaError_t launch(const conversion &c)
{
    element_args<ELEMENT> args = {};
    args.elements = static_cast<typename ELEMENT::type *>(c.elements->data);
    args.column = c.elements->column ? c.elements->column : 1;
    args.pitch = c.elements->pitch;
    args.slice = c.elements->slice;
    args.floats = *c.floats;
    args.width = c.size[WP_X];
    args.height = c.size[WP_Y];
    args.depth = c.size[WP_Z];
    args.scale = c.elements->scale;
    if (ELEMENT::integers) {
        args.by = wp_find_reciprocal(args.scale, 0);
        args.lost = c.lost;
    }
    for (int i = 0; i < 2 && args.lost; i++)
        args.range[i] = c.range[i];
    convert<ELEMENT, N, WRITES><<<wp_looped_grid({BLOCK_X * N, BLOCK_Y}, c.size),
                                  dim3(BLOCK_X, BLOCK_Y), 0, c.stream>>>(args);
    return cudaGetLastError();
}

// True if all rows, of elements and of floats, begin at a multiple of four.
bool is_wide(const conversion &c)
{
    const wp_cuda_elements &e = *c.elements;
    return e.column <= 1 && wp_band_is_wide(*c.floats) && e.pitch % 4 == 0 && e.slice % 4 == 0 &&
           reinterpret_cast<size_t>(e.data) % 8 == 0;
}

cudaError_t run(const conversion &c)
{
    if (c.size[WP_X] == 0 || c.size[WP_Y] == 0 || c.size[WP_Z] == 0)
        return cudaSuccess;
    const bool wide = is_wide(c);
    return wp_with_element(c.elements->type, [&](auto element) {
        using ELEMENT = decltype(element);
        return c.writes ? wide ? launch<ELEMENT, 4, true>(c) : launch<ELEMENT, 1, true>(c)
                        : wide ? launch<ELEMENT, 4, false>(c) : launch<ELEMENT, 1, false>(c);
    });
}

} // namespace

int wp_cuda_elements_read(const struct wp_cuda_elements *from, const struct wp_cuda_band *to,
                          const int size[WP_DIMS_MAX], void *stream)
{
    return run({from, to, size, false, static_cast<cudaStream_t>(stream), nullptr, nullptr});
}

int wp_cuda_elements_write(const struct wp_cuda_band *from, const struct wp_cuda_elements *to,
                           const int size[WP_DIMS_MAX], const float range[2],
                           struct wp_cuda_lost *lost, void *stream)
{
    return run({to, from, size, true, static_cast<cudaStream_t>(stream), lost, range});
}
