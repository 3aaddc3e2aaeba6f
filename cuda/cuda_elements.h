// Samples or coefficients in device memory as a caller has them, of other types than floats.
#ifndef WP_CUDA_ELEMENTS_H
#define WP_CUDA_ELEMENTS_H

#include "cuda_level.h"
#include "elements.h"

// Side by side in rows, which begin at multiples of WP_CUDA_ELEMENTS_LINE elements.
enum { WP_CUDA_ELEMENTS_LINE = 128 };
struct wp_cuda_elements {
    enum wp_element type; // all but F32
    void *data;           // NULL: none
    int pitch;            // elements from row to row
    ptrdiff_t slice;      // from slice to slice
    struct wp_element_scale scale;
};

// How many elements are not what they were to be: as struct wp_pixels_lost, in device memory.
struct wp_cuda_lost {
    unsigned long long outside, no_number;
};

#ifdef __cplusplus
extern "C" {
#endif

// Between elements and floats that lie side by side in rows, too, in a cudaStream_t; to the last bit
// as elements.h has it. Where `lost` is not NULL integers that are written are counted there, of values
// beyond a range (wp_pixels_range()). Returns a cudaError_t.
int wp_cuda_elements_read(const struct wp_cuda_elements *from, const struct wp_cuda_band *to,
                          const int size[WP_DIMS_MAX], void *stream);
int wp_cuda_elements_write(const struct wp_cuda_band *from, const struct wp_cuda_elements *to,
                           const int size[WP_DIMS_MAX], const float range[2],
                           struct wp_cuda_lost *lost, void *stream);

#ifdef __cplusplus
}
#endif

#endif
