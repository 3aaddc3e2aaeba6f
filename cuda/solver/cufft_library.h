// cuFFT, loaded when first needed: the library is large, and everything except reconstruction works
// without it.
#ifndef WP_CUFFT_LIBRARY_H
#define WP_CUFFT_LIBRARY_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

struct wp_cufft;

// Complex transforms of size[0]*size[1]*size[2] samples, x contiguous. NULL after
// WP_ERROR_UNAVAILABLE or WP_ERROR_INTERNAL.
struct wp_cufft *wp_cufft_create(const int size[3]);
void wp_cufft_destroy(struct wp_cufft **fft); // accepts NULL, clears the pointer

// Runs in a stream. Transforms are not scaled: forward and inverse multiply by the number of
// samples. `from` and `to` may be the same.
bool wp_cufft_run(struct wp_cufft *fft, bool inverse, float *from, float *to,
                  cudaStream_t stream);

#endif
