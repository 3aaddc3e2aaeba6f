// Patches (cuda_patch.cuh) of an image whose samples are integers or halves.
#ifndef WP_CUDA_PATCH_ELEMENTS_CUH
#define WP_CUDA_PATCH_ELEMENTS_CUH

#include "cuda_elements.cuh"
#include "cuda_patch.cuh"

// Arguments for elements. The member `plane` is not used; `pitch` is that of the elements.
template <class SHAPE, class ELEMENT>
struct wp_element_args : wp_lifting_args<SHAPE> {
    typename ELEMENT::type *elements;
    wp_reciprocal by; // scaled by 2^ELEMENT::shift
    wp_element_scale scale;
};

// Access to elements, with the interface of wp_floats. If steps round, integers are not scaled.
template <class ELEMENT>
struct wp_elements_plane {
    using type = typename ELEMENT::type;
    template <class SHAPE>
    using args = wp_element_args<SHAPE, ELEMENT>;
    static constexpr int in_word = 4 / ELEMENT::bytes;

    template <class SHAPE>
    static __device__ __forceinline__ type *plane(const args<SHAPE> &a)
    {
        return a.elements;
    }
    template <int V, class SHAPE>
    static __device__ __forceinline__ void read(const args<SHAPE> &a, const type *from, float *v)
    {
        unsigned word[V / in_word];
        wp_read_cached<V / in_word>(static_cast<const void *>(from), word);
#pragma unroll
        for (int i = 0; i < V; i++)
            v[i] = ELEMENT::template value<SHAPE::rounds>(word[i / in_word], i % in_word, a.by);
    }
    template <class SHAPE>
    static __device__ __forceinline__ float read_one(const args<SHAPE> &a, const type *from)
    {
        return ELEMENT::template value<SHAPE::rounds>(__ldg(from), 0, a.by);
    }
    template <class SHAPE>
    static __device__ __forceinline__ unsigned bits(const args<SHAPE> &a, float value)
    {
        return SHAPE::rounds ? ELEMENT::bits(value, a.scale)
                             : ELEMENT::bits_of_unit(value, a.scale.one);
    }
    template <int V, class SHAPE>
    static __device__ __forceinline__ void write(const args<SHAPE> &a, type *to, const float *v)
    {
        unsigned word[V / in_word];
#pragma unroll
        for (int w = 0; w < V / in_word; w++) {
            unsigned element[in_word];
#pragma unroll
            for (int k = 0; k < in_word; k++)
                element[k] = bits(a, v[w * in_word + k]);
            word[w] = ELEMENT::pack(element);
        }
        wp_write_words<V / in_word>(to, word);
    }
    template <class SHAPE>
    static __device__ __forceinline__ void write_one(const args<SHAPE> &a, type *to, float value)
    {
        *to = (type)bits(a, value);
    }
};

#endif
