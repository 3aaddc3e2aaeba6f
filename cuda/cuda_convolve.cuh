// Convolution along one axis (galiano2011, section 3; galiano2012 for volumes). A level is one pass
// per axis, with arrays of interleaved results between the passes. The filters are equivalent to
// the lifting steps; in both directions they are filters of the interleaved signal.
#ifndef WP_CUDA_CONVOLVE_CUH
#define WP_CUDA_CONVOLVE_CUH

#include "cuda_access.cuh"
#include "cuda_internal.h"

#include <type_traits>

// An array as lines along an axis, grouped in sheets. Strides in floats between elements of a line,
// between lines, and between sheets.
struct wp_convolve_lines {
    float *data;
    ptrdiff_t along, across, beyond;
};

// The first pass of an inverse level reads bands, and the last pass of a forward level writes
// bands. The other passes use `from` and `to`, whose rows have no gaps.
struct wp_convolve_args {
    wp_convolve_lines from, to;
    // Indexed by the parity of element (bit 0), line (bit 1) and sheet (bit 2), if these are split.
    wp_convolve_lines band[WP_OCTET_BANDS];
    float scale[WP_OCTET_BANDS];
    int split_lines, split_sheets; // 1: even and odd ones belong to different bands; 0: not split
    wp_cuda_filter filter[2]; // of the even and of the odd results
    int low, high;            // reach of the filters in samples
    int length, lines, sheets;
    int extension;
};

// A line of bands, or of an array whose elements (ROWS) or lines (not ROWS) are contiguous. Finding
// an element of an array, for every tap, takes one 32-bit multiplication.
template <bool ROWS, bool BANDS>
struct wp_convolve_line {
    float *data[2];
    std::conditional_t<BANDS, ptrdiff_t, int> along[2];
    float scale[2];

    __device__ __forceinline__ wp_convolve_line(const wp_convolve_args &args,
                                                const wp_convolve_lines &array, int line, int sheet)
    {
        if constexpr (BANDS) {
            const int b = 2 * (line & args.split_lines) + 4 * (sheet & args.split_sheets);
            line >>= args.split_lines;
            sheet >>= args.split_sheets;
#pragma unroll
            for (int odd = 0; odd < 2; odd++) {
                const wp_convolve_lines &band = args.band[b + odd];
                data[odd] = band.data + line * band.across + sheet * band.beyond;
                along[odd] = band.along;
                scale[odd] = args.scale[b + odd];
            }
        } else {
            data[0] = array.data + line * (ROWS ? array.across : 1) + sheet * array.beyond;
            along[0] = ROWS ? 1 : (int)array.along;
        }
    }

    __device__ __forceinline__ float get(int i) const
    {
        if constexpr (!BANDS)
            return __ldg(data[0] + (ptrdiff_t)i * along[0]);
        else if (i & 1)
            return __ldg(data[1] + (i >> 1) * along[1]) * scale[1];
        else
            return __ldg(data[0] + (i >> 1) * along[0]) * scale[0];
    }

    __device__ __forceinline__ void put(int i, float value) const
    {
        if constexpr (!BANDS)
            data[0][(ptrdiff_t)i * along[0]] = value;
        else if (i & 1)
            data[1][(i >> 1) * along[1]] = value * scale[1];
        else
            data[0][(i >> 1) * along[0]] = value * scale[0];
    }
};

// Reads element i of a line, which may be outside.
template <class LINE>
__device__ __forceinline__ float wp_convolve_read(const wp_convolve_args &args, const LINE &line,
                                                  int i)
{
    i = wp_device_extend(args.extension, i, args.length);
    return i < 0 ? 0.0f : line.get(i);
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
