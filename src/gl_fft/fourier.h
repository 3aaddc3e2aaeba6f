// How a workgroup transforms lines: Stockham passes. Each pass reads lines, applies butterflies of
// its radix and writes the results in the order that the next pass requires.
#ifndef WP_FOURIER_H
#define WP_FOURIER_H

#include "text.h"

#include <stdbool.h>

enum {
    WP_FOURIER_PASSES = 16,
    WP_FOURIER_RADIX = 16, // the largest butterfly in registers; larger primes are summed up
    WP_FOURIER_SPREAD = 16 // lines along x leave a cell free after so many: passes write at
                           // power-of-two strides, which would be in one memory bank
};

struct wp_fourier_plan {
    int length;
    bool along_x; // samples of a line are contiguous; else samples of adjacent lines are
    int passes;
    int radix[WP_FOURIER_PASSES]; // the first and the last are at most WP_FOURIER_RADIX
    int lines;                    // per workgroup
    int threads;
    int cells; // complex numbers in shared memory
};

// Limits of a workgroup on a device.
struct wp_fourier_limits {
    int shared; // bytes
    int threads;
};

// Makes a plan for `count` lines. Returns false if a line is too long; *most is set to the maximum
// length.
bool wp_fourier_plan_make(int length, bool along_x, long long count,
                          const struct wp_fourier_limits *limits, struct wp_fourier_plan *plan,
                          int *most);

// True if a radix is a prime that is summed up.
bool wp_fourier_is_summed(int radix);

// ---- shaders ----

// Transforms lines from one buffer to another; with `between` (gl_fft.h; may be NULL) a round trip
// that applies it in k-space.
void wp_fourier_emit(const struct wp_fourier_plan *schedule, const char *between,
                     struct wp_text *text);

#endif
