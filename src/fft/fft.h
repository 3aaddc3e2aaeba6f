// Discrete Fourier transforms of complex images and volumes in memory, by FFTW in single precision
// where the build has it (GPL, which binds whoever passes the binary on), else by kissfft (BSD).
#ifndef WP_FFT_H
#define WP_FFT_H

#include <complex.h>

enum wp_fft_direction { WP_FFT_FORWARD, WP_FFT_INVERSE };

// How a library that has several ways of computing (FFTW) finds its own.
enum wp_fft_effort {
    WP_FFT_ESTIMATED, // at once, by rules: the same bits in every run
    WP_FFT_MEASURED   // by trying, about a second at most: faster, last bits vary between runs
};

struct wp_fft;

// Of arrays of size[0]*size[1]*size[2] samples, x fastest; an axis of 1 is passed by. `threads`: at
// least 1. NULL after an error. Calls of wp_fft_run() with one object must not overlap.
struct wp_fft *wp_fft_create(const int size[3], int threads, enum wp_fft_effort effort);
void wp_fft_destroy(struct wp_fft **fft); // accepts NULL, clears the pointer

// In place, along all axes, with zero frequency at index 0. Unitary: both directions scale by one
// over the square root of the number of samples, so that the adjoint is the inverse. `samples`:
// aligned to WP_FFT_ALIGNMENT bytes.
enum { WP_FFT_ALIGNMENT = 64 };
void wp_fft_run(struct wp_fft *fft, enum wp_fft_direction direction, float complex *samples);

// What computes them, for `info`: "FFTW 3.3.10", "kissfft"; and its licence.
const char *wp_fft_library(void);
const char *wp_fft_licence(void);

#endif
