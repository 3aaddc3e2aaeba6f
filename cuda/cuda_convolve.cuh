// Convolution along one axis, a pair of results a thread: galiano2011, section 3. A level is a pass
// along the rows into an intermediate plane and one along the columns; the filters are those that
// the lifting steps amount to, of the interleaved signal in both directions.
#ifndef WP_CUDA_CONVOLVE_CUH
#define WP_CUDA_CONVOLVE_CUH

#include "cuda_access.cuh"
#include "cuda_internal.h"

// What a pass along the rows reads, and one along the columns writes, is the level's; between
// them lies `plane`, of interleaved results.
struct wp_convolve_args {
    wp_frame frame;
    float *between; // frame.height rows of frame.pitch
    wp_cuda_filter filter[2]; // of the even and of the odd results
    int low, high;  // samples that they reach
    int length, lines;
};

// Elements of the axis in global memory.
template <bool INVERSE, bool COLUMNS>
struct wp_global_source {
    const wp_convolve_args &args;
    __device__ __forceinline__ float operator()(int line, int i) const
    {
        i = wp_device_extend(args.frame.extension, i, args.length);
        if (i < 0)
            return 0.0f;
        if constexpr (COLUMNS)
            return __ldg(args.between + (ptrdiff_t)i * args.frame.pitch + line);
        else
            return wp_get<INVERSE>(args.frame, i, line);
    }
};

// Element 2n + odd of a line of results.
template <bool INVERSE, bool COLUMNS>
__device__ __forceinline__ void wp_put_result(const wp_convolve_args &args, int line, int i,
                                              float value)
{
    if (i >= args.length || line >= args.lines)
        return;
    if constexpr (COLUMNS)
        wp_put<INVERSE>(args.frame, line, i, value);
    else
        args.between[(ptrdiff_t)line * args.frame.pitch + i] = value;
}

template <class READ>
__device__ __forceinline__ float wp_convolve(const wp_cuda_filter &filter, int center, READ read)
{
    float sum = 0;
    for (int t = 0; t < filter.count; t++)
        sum += filter.c[t] * read(center + filter.first + t);
    return sum;
}

#endif
