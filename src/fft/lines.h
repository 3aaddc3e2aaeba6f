// One-dimensional FFTs of WP_FFT_LINES lines at once: the interface to the FFT library. Internal to
// this layer.
#ifndef WP_FFT_LINES_H
#define WP_FFT_LINES_H

#include "fft.h"

enum { WP_FFT_LINES = 16 };

enum wp_fft_order {
    WP_FFT_ROWS,   // sample i of line j at [j * n + i]
    WP_FFT_COLUMNS // sample i of line j at [i * WP_FFT_LINES + j]
};

struct wp_fft_lines;

// Prepares transforms of n samples per line. NULL after an error.
struct wp_fft_lines *wp_fft_lines_create(int n, enum wp_fft_order order,
                                         enum wp_fft_direction direction,
                                         enum wp_fft_effort effort);
void wp_fft_lines_destroy(struct wp_fft_lines **lines); // accepts NULL, clears the pointer

// Transforms in place, unscaled. `block` has n * WP_FFT_LINES samples, aligned to WP_FFT_ALIGNMENT
// bytes; `line` is scratch memory for n samples. Calls with different memory may overlap.
void wp_fft_lines_run(const struct wp_fft_lines *lines, float complex *block, float complex *line);

#endif
