// Discrete Fourier transforms of complex images and volumes, with FFTW in single precision if the
// build has it (GPL: binaries may be redistributed only under its terms), else kissfft (BSD).
#ifndef WP_FFT_H
#define WP_FFT_H

#include <complex.h>

enum wp_fft_direction { WP_FFT_FORWARD, WP_FFT_INVERSE };

// How FFTW selects its algorithm; kissfft has only one.
enum wp_fft_effort {
    WP_FFT_ESTIMATED, // by rules, immediately: results are reproducible
    WP_FFT_MEASURED   // by measuring for up to a second: faster, but the last bits vary
};

struct wp_fft;

// Prepares transforms of size[0]*size[1]*size[2] samples, x fastest, on `threads` (at least 1)
// threads. Axes of length 1 are skipped. NULL after an error. Calls of wp_fft_run() with the same
// object must not overlap.
struct wp_fft *wp_fft_create(const int size[3], int threads, enum wp_fft_effort effort);
void wp_fft_destroy(struct wp_fft **fft); // accepts NULL, clears the pointer

// Transforms in place along all axes; DC is at index 0. Unitary: both directions are scaled by one
// over the square root of the number of samples, so that the adjoint is the inverse. `samples` must
// be aligned to WP_FFT_ALIGNMENT bytes.
enum { WP_FFT_ALIGNMENT = 64 };
void wp_fft_run(struct wp_fft *fft, enum wp_fft_direction direction, float complex *samples);

// The library, for `info`: "FFTW 3.3.10" or "kissfft"; and its license.
const char *wp_fft_library(void);
const char *wp_fft_licence(void);

#endif
