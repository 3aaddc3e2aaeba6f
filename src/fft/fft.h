// Discrete Fourier transforms of complex images and volumes, with FFTW in single precision if the
// build has it (GPL: binaries may be redistributed only under its terms), else kissfft (BSD).
#ifndef WP_FFT_H
#define WP_FFT_H

#include <complex.h>

struct wp_fft;
struct wp_fft_lines;

enum wp_fft_direction { WP_FFT_FORWARD, WP_FFT_INVERSE };

// How FFTW selects its algorithm; kissfft has only one.
enum wp_fft_effort {
    WP_FFT_ESTIMATED, // by rules, immediately: results are reproducible
    WP_FFT_MEASURED   // by measuring for up to a second: faster, but the last bits vary
};

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

// ---- transforms of lines, by FFTW or kissfft (lines_fftw.c, lines_kiss.c). Internal ----

enum { WP_FFT_LINES = 16 };

enum wp_fft_order {
    WP_FFT_ROWS,   // sample i of line j at [j * n + i]
    WP_FFT_COLUMNS // sample i of line j at [i * WP_FFT_LINES + j]
};

// Prepares transforms of n samples per line. NULL after an error.
struct wp_fft_lines *wp_fft_lines_create(int n, enum wp_fft_order order,
                                         enum wp_fft_direction direction,
                                         enum wp_fft_effort effort);
void wp_fft_lines_destroy(struct wp_fft_lines **lines); // accepts NULL, clears the pointer

// Transforms in place, unscaled. `block` has n * WP_FFT_LINES samples, aligned to WP_FFT_ALIGNMENT
// bytes; `line` is scratch memory for n samples. Calls with different memory may overlap.
void wp_fft_lines_run(const struct wp_fft_lines *lines, float complex *block, float complex *line);

#endif
