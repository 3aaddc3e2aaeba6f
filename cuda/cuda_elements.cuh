// Conversion of integers and halves in kernels, bit-identical to src/transform/element_rows.h.
//
// Reading: v / one, rounded to nearest, is fma(v, high, v * low), where high is 1 / one rounded to
// float, and low the remainder. Before the final rounding the relative error is below 2^-48; a
// quotient of 16-bit integers that is not a float differs by at least 2^-42 from any value that
// lies halfway between two floats.
//
// Intrinsics prevent the compiler from fusing these products and sums with other operations.
#ifndef WP_CUDA_ELEMENTS_CUH
#define WP_CUDA_ELEMENTS_CUH

#include "elements.h"

#include <cuda_runtime.h>

#ifndef __CUDACC_RTC__
#include <cmath>
#endif
#ifndef __CUDACC__
#include <cuda_fp16.h> // for tests/cuda_on_host
#endif

// 1 / one in two parts, scaled by 2^shift.
struct wp_reciprocal {
    float high, low;
};

#ifndef __CUDACC_RTC__ // host code
inline wp_reciprocal wp_find_reciprocal(wp_element_scale scale, int shift)
{
    const double exact = std::ldexp(1.0 / (double)scale.one, shift);
    const float high = (float)exact;
    return {high, (float)(exact - (double)high)};
}
#endif

// NVRTC does not have <cuda_fp16.h>; these are the same instructions.
__device__ __forceinline__ float wp_half_to_float(unsigned short half)
{
#ifdef __CUDACC__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
#else
    return __half2float(__ushort_as_half(half));
#endif
}

__device__ __forceinline__ unsigned short wp_float_to_half(float value)
{
#ifdef __CUDACC__
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
#else
    return __half_as_ushort(__float2half_rn(value));
#endif
}

// A float for a value that is rounded again, to 16 bits: rounded to odd, so that both roundings
// together are one. Floats are returned unchanged.
__device__ __forceinline__ float wp_to_odd(float value)
{
    return value;
}

__device__ __forceinline__ float wp_to_odd(double value)
{
    const float down = __double2float_rz(value);
    const bool exact = (double)down == value || value != value;
    return exact ? down : __uint_as_float(__float_as_uint(down) | 1u);
}

__device__ __forceinline__ float wp_divide(float v, wp_reciprocal by)
{
    return __fmaf_rn(v, by.high, __fmul_rn(v, by.low));
}

constexpr float WP_TO_BITS = 8388608.0f; // 2^23: from there on the spacing of floats is 1

__device__ __forceinline__ unsigned wp_round_clamped(float clamped)
{
    return __float_as_uint(__fadd_rd(__fadd_rn(clamped, 0.5f), WP_TO_BITS));
}

// N elements are N * bytes / 4 words. Each type has:
//   value<INTEGER>(word, k, by)  element k of a word as a float; INTEGER: integers unscaled,
//   otherwise
//                              multiplied by the reciprocal `by`, scaled by 2^shift
//   bits(value, scale)         the element for a value, in the low bits; higher bits are undefined
//   bits_of_unit(value, one)   as bits(), if the largest element is the one for 1
//   pack(bits)                 one word of the bits of all its elements
struct wp_u8 {
    using type = unsigned char;
    static constexpr int bytes = 1;
    static constexpr bool integers = true;
    // A word whose only bits are a byte in bits 16 to 23 is a denormal float: the byte times
    // 2^(16-149) = 2^-133.
    static constexpr int shift = 133;

    template <bool INTEGER>
    static __device__ __forceinline__ float value(unsigned word, int k, wp_reciprocal by)
    {
        if constexpr (INTEGER)
            return __uint_as_float(__byte_perm(word, 0x4B000000u, 0x7440u | (unsigned)k)) -
                   WP_TO_BITS;
        else
            return wp_divide(
                __uint_as_float(__byte_perm(word, 0u, 0x4044u | (unsigned)k << 8)), by);
    }
    static __device__ __forceinline__ unsigned bits(float value, wp_element_scale scale)
    {
        const float scaled = __fmul_rn(value, scale.one);
        return wp_round_clamped(fminf(fmaxf(scaled, 0.0f), scale.largest));
    }
    static __device__ __forceinline__ unsigned bits_of_unit(float value, float one)
    {
        return wp_round_clamped(__fmul_rn(__saturatef(value), one));
    }
    static __device__ __forceinline__ unsigned pack(const unsigned *bits)
    {
        return __byte_perm(__byte_perm(bits[0], bits[1], 0x0040u),
                           __byte_perm(bits[2], bits[3], 0x0040u), 0x5410u);
    }
};

// What all types of two bytes share.
struct wp_two_bytes {
    using type = unsigned short;
    static constexpr int bytes = 2;
    static constexpr int shift = 0;

    static __device__ __forceinline__ unsigned pack(const unsigned *bits)
    {
        return __byte_perm(bits[0], bits[1], 0x5410u);
    }
};

struct wp_u16 : wp_two_bytes {
    static constexpr bool integers = true;

    template <bool INTEGER>
    static __device__ __forceinline__ float value(unsigned word, int k, wp_reciprocal by)
    {
        const float v = __uint_as_float(__byte_perm(word, 0x4B000000u, k ? 0x7432u : 0x7410u)) -
                        WP_TO_BITS;
        return INTEGER ? v : wp_divide(v, by);
    }
    static __device__ __forceinline__ unsigned bits(float value, wp_element_scale scale)
    {
        return wp_u8::bits(value, scale);
    }
    static __device__ __forceinline__ unsigned bits_of_unit(float value, float one)
    {
        return wp_u8::bits_of_unit(value, one);
    }
};

struct wp_f16 : wp_two_bytes {
    static constexpr bool integers = false;

    template <bool INTEGER>
    static __device__ __forceinline__ float value(unsigned word, int k, wp_reciprocal)
    {
        return wp_half_to_float((unsigned short)(k ? word >> 16 : word));
    }
    static __device__ __forceinline__ unsigned bits(float value, wp_element_scale)
    {
        return wp_float_to_half(value);
    }
    static __device__ __forceinline__ unsigned bits_of_unit(float value, float)
    {
        return bits(value, {});
    }
};

// bfloat16: the upper half of a float, rounded to nearest, ties to even; NaN stays NaN.
__device__ __forceinline__ unsigned short wp_float_to_bf16(float value)
{
    const unsigned bits = __float_as_uint(value);
    return (unsigned short)(value != value ? bits >> 16 | 0x40u
                                           : (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

struct wp_bf16 : wp_two_bytes {
    static constexpr bool integers = false;

    template <bool INTEGER>
    static __device__ __forceinline__ float value(unsigned word, int k, wp_reciprocal)
    {
        return __uint_as_float(k ? word & 0xFFFF0000u : word << 16);
    }
    static __device__ __forceinline__ unsigned bits(float value, wp_element_scale)
    {
        return wp_float_to_bf16(value);
    }
    static __device__ __forceinline__ unsigned bits_of_unit(float value, float)
    {
        return bits(value, {});
    }
};

// Calls f(ELEMENT{}) for a type other than float and double.
template <class F>
auto wp_with_element(wp_element type, F f)
{
    switch (type) {
    case WP_ELEMENT_U8: return f(wp_u8{});
    case WP_ELEMENT_U16: return f(wp_u16{});
    case WP_ELEMENT_BF16: return f(wp_bf16{});
    default: return f(wp_f16{});
    }
}

// Writes W contiguous words.
template <int W>
__device__ __forceinline__ void wp_write_words(void *to, const unsigned *word)
{
    if constexpr (W == 4)
        __stcs(static_cast<uint4 *>(to), make_uint4(word[0], word[1], word[2], word[3]));
    else if constexpr (W == 2)
        __stcs(static_cast<uint2 *>(to), make_uint2(word[0], word[1]));
    else
        __stcs(static_cast<unsigned *>(to), word[0]);
    static_assert(W == 1 || W == 2 || W == 4, "words of one access");
}

#endif
