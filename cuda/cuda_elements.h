// Samples or coefficients in device memory in types other than float, and their conversion.
#ifndef WP_CUDA_ELEMENTS_H
#define WP_CUDA_ELEMENTS_H

#include "cuda_level.h"
#include "elements.h"

// In the exec's memory elements of a row are contiguous, and rows begin at multiples of
// WP_CUDA_ELEMENTS_LINE elements.
enum { WP_CUDA_ELEMENTS_LINE = 128 };
struct wp_cuda_elements {
    enum wp_element type; // all but F32
    void *data;           // NULL: no elements
    ptrdiff_t column;     // elements between columns; 0: 1
    ptrdiff_t pitch;      // elements between rows
    ptrdiff_t slice;      // elements between slices
    struct wp_element_scale scale;
};

// Numbers of elements that could not represent their value (struct wp_lost), in device
// memory.
struct wp_cuda_lost {
    unsigned long long outside, no_number;
};

#ifdef __cplusplus
extern "C" {
#endif

// Convert between elements, but f64, and floats whose rows are contiguous, in a cudaStream_t;
// bit-identical to elements.h. If `lost` is not NULL, values of integers outside `range` (wp_element_range()) are
// counted. Return a cudaError_t.
int wp_cuda_elements_read(const struct wp_cuda_elements *from, const struct wp_cuda_band *to,
                          const int size[WP_DIMS_MAX], void *stream);
int wp_cuda_elements_write(const struct wp_cuda_band *from, const struct wp_cuda_elements *to,
                           const int size[WP_DIMS_MAX], const float range[2],
                           struct wp_cuda_lost *lost, void *stream);

#ifdef __cplusplus
}
#endif

#endif
