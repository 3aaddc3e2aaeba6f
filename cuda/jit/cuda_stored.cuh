// Element types of arrays that kernels read and write directly, with arithmetic in floats or
// doubles.
#ifndef WP_CUDA_STORED_CUH
#define WP_CUDA_STORED_CUH

#include "cuda_access.cuh"
#include "cuda_elements.cuh"
#include "wavepass_operand.h"

#include <type_traits>

// Conversion of the bits of elements of one or two bytes.
template <wp_element TYPE>
struct wp_bits;

template <>
struct wp_bits<WP_ELEMENT_F16> {
    static __device__ __forceinline__ float read(unsigned bits)
    {
        return wp_half_to_float((unsigned short)bits);
    }
    template <class REAL>
    static __device__ __forceinline__ unsigned write(REAL value)
    {
        return wp_float_to_half(wp_to_odd(value));
    }
};

template <>
struct wp_bits<WP_ELEMENT_BF16> {
    static __device__ __forceinline__ float read(unsigned bits)
    {
        return __uint_as_float(bits << 16);
    }
    template <class REAL>
    static __device__ __forceinline__ unsigned write(REAL value)
    {
#if __CUDA_ARCH__ >= 800
        unsigned short bits;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(wp_to_odd(value)));
        return bits;
#else
        return wp_float_to_bf16(wp_to_odd(value));
#endif
    }
};

// Integers are read unscaled, and not written.
template <>
struct wp_bits<WP_ELEMENT_U8> {
    static __device__ __forceinline__ float read(unsigned bits) { return (float)bits; }
};

template <>
struct wp_bits<WP_ELEMENT_U16> : wp_bits<WP_ELEMENT_U8> {
};

// An element type whose values are computed with as REAL. Accesses are to N neighbors: get() loads
// them as one word, which set() converts to shared memory; store() writes them. fetch() copies one
// element to shared memory if `direct` is set, if possible asynchronously (wp_fetch_end()). put()
// writes a value. If `groups` is set, get_group() and then set_group() copy four neighbors to shared
// memory, and put_group() from there, all aligned to 16 bytes or four elements.
template <class REAL, wp_element TYPE>
struct wp_stored {
    using type =
        typename std::conditional<TYPE == WP_ELEMENT_U8, unsigned char, unsigned short>::type;
    static constexpr bool direct = false;
    template <int N>
    using word = typename std::conditional<N == 2, unsigned, type>::type;

    static constexpr bool groups = sizeof(type) == 2;
    using words = uint2;

    template <int N>
    static __device__ __forceinline__ word<N> get(const type *from)
    {
        return __ldcs(reinterpret_cast<const word<N> *>(from));
    }
    static __device__ __forceinline__ void get_group(words &word, REAL *, const type *from)
    {
        word = __ldcs(reinterpret_cast<const uint2 *>(from));
    }
    static __device__ __forceinline__ void set_group(REAL *to, words word)
    {
        set<2>(to, word.x);
        set<2>(to + 2, word.y);
    }
    static __device__ __forceinline__ void put_group(type *to, const REAL *from)
    {
        __stcs(reinterpret_cast<uint2 *>(to),
               make_uint2(wp_bits<TYPE>::write(from[0]) | wp_bits<TYPE>::write(from[1]) << 16,
                          wp_bits<TYPE>::write(from[2]) | wp_bits<TYPE>::write(from[3]) << 16));
    }
    template <int N>
    static __device__ __forceinline__ void set(REAL *to, word<N> bits)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            to[i] = wp_bits<TYPE>::read((unsigned)bits >> 16 * i & 0xFFFFu);
    }
    template <int N>
    static __device__ __forceinline__ void store(type *to, const REAL *from)
    {
        if constexpr (N == 2)
            __stcs(reinterpret_cast<unsigned *>(to),
                   wp_bits<TYPE>::write(from[0]) | wp_bits<TYPE>::write(from[1]) << 16);
        else
            put(to, *from);
    }
    static __device__ __forceinline__ void put(type *to, REAL value)
    {
        __stcs(to, (type)wp_bits<TYPE>::write(value));
    }
};

// Floats and doubles, one at a time.
template <class REAL, class FLOAT>
struct wp_stored_float {
    using type = FLOAT;
    static constexpr bool direct = std::is_same<REAL, FLOAT>::value, groups = direct;
    template <int N>
    using word = FLOAT;
    struct words {};

    template <int N>
    static __device__ __forceinline__ FLOAT get(const type *from)
    {
        return __ldcs(from);
    }
    template <int N>
    static __device__ __forceinline__ void set(REAL *to, FLOAT value)
    {
        *to = (REAL)value;
    }
    static __device__ __forceinline__ void fetch(REAL *to, const type *from)
    {
        wp_fetch<1>(to, from);
    }
    static __device__ __forceinline__ void get_group(words &, REAL *to, const type *from)
    {
        constexpr int N = 16 / sizeof(type);
#pragma unroll
        for (int i = 0; i < 4; i += N)
            wp_fetch<N>(to + i, from + i);
    }
    static __device__ __forceinline__ void set_group(REAL *, words) {}
    static __device__ __forceinline__ void put_group(type *to, const REAL *from)
    {
        if constexpr (sizeof(type) == 4) {
            __stcs(reinterpret_cast<float4 *>(to), *reinterpret_cast<const float4 *>(from));
        } else {
            const auto *pair = reinterpret_cast<const double2 *>(from);
            __stcs(reinterpret_cast<double2 *>(to), pair[0]);
            __stcs(reinterpret_cast<double2 *>(to) + 1, pair[1]);
        }
    }
    template <int N>
    static __device__ __forceinline__ void store(type *to, const REAL *from)
    {
        put(to, *from);
    }
    static __device__ __forceinline__ void put(type *to, REAL value) { __stcs(to, (FLOAT)value); }
};

template <class REAL>
struct wp_stored<REAL, WP_ELEMENT_F32> : wp_stored_float<REAL, float> {
};

template <class REAL>
struct wp_stored<REAL, WP_ELEMENT_F64> : wp_stored_float<REAL, double> {
};

// N neighboring elements of an array, aligned to their size if it is at most 16 bytes.
template <class REAL, wp_element TYPE, int N>
struct wp_neighbors {
    using type = typename wp_stored<REAL, TYPE>::type;
    static constexpr int bytes = N * (int)sizeof(type);
    struct alignas(bytes < 16 ? bytes : 16) words {
        type v[N];
    };
    words at;

    __device__ __forceinline__ void load(const type *from)
    {
        at = *reinterpret_cast<const words *>(from);
    }
    __device__ __forceinline__ REAL get(int i) const
    {
        if constexpr (sizeof(type) == 2)
            return wp_bits<TYPE>::read(at.v[i]);
        else
            return (REAL)at.v[i];
    }
    __device__ __forceinline__ void set(int i, REAL value)
    {
        if constexpr (sizeof(type) == 2)
            at.v[i] = (type)wp_bits<TYPE>::write(value);
        else
            at.v[i] = (type)value;
    }
    // AGAIN: it is read soon, by another kernel.
    template <bool AGAIN>
    __device__ __forceinline__ void store(type *to) const
    {
        if constexpr (!AGAIN && bytes % 16 == 0) {
#pragma unroll
            for (int i = 0; i < bytes / 16; i++)
                __stcs(reinterpret_cast<uint4 *>(to) + i, reinterpret_cast<const uint4 *>(&at)[i]);
        } else if constexpr (!AGAIN && bytes == 8) {
            __stcs(reinterpret_cast<uint2 *>(to), *reinterpret_cast<const uint2 *>(&at));
        } else if constexpr (!AGAIN && bytes == 4) {
            __stcs(reinterpret_cast<unsigned *>(to), *reinterpret_cast<const unsigned *>(&at));
        } else {
            *reinterpret_cast<words *>(to) = at;
        }
    }
};

// The number of loads of a tile or of a part of a signal that a thread starts before it waits.
enum { WP_LOADS = 32 };

// The element types of a kernel: of samples, of LL of the last level, and of the other bands.
template <wp_element SAMPLES, wp_element LOW, wp_element HIGH>
struct wp_batch_elements {
    static constexpr bool wide =
        SAMPLES == WP_ELEMENT_F64 || LOW == WP_ELEMENT_F64 || HIGH == WP_ELEMENT_F64;
    static constexpr bool same = LOW == HIGH;
    using real = typename std::conditional<wide, double, float>::type;
    using samples = wp_stored<real, SAMPLES>;
    using low = wp_stored<real, LOW>;
    using high = wp_stored<real, HIGH>;
};

#endif
