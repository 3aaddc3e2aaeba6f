// How a workgroup transforms lines of a length: Stockham passes, each of which reads lines, puts
// butterflies of its radix on them and writes them in the order that the next one wants.
#ifndef WP_FOURIER_PLAN_H
#define WP_FOURIER_PLAN_H

#include <stdbool.h>

enum {
    WP_FOURIER_PASSES = 16,
    WP_FOURIER_RADIX = 16, // the largest butterfly in registers; larger primes are summed up
    WP_FOURIER_SPREAD = 16 // of lines along x one cell is left free behind so many: their samples
                           // are written a power of two apart, which would be one bank of memory
};

struct wp_fourier_plan {
    int length;
    bool along_x; // samples of a line are neighbours in memory; else those of lines are
    int passes;
    int radix[WP_FOURIER_PASSES]; // the first and the last are 1 to WP_FOURIER_RADIX
    int lines;                    // that a workgroup takes at a time
    int threads;
    int cells; // complex numbers of shared memory
};

// What a device has for a workgroup.
struct wp_fourier_limits {
    int shared; // bytes
    int threads;
};

// For `count` lines. False where one line is too long; `most` gets the longest length that is not.
bool wp_fourier_plan_make(int length, bool along_x, long long count,
                          const struct wp_fourier_limits *limits, struct wp_fourier_plan *plan,
                          int *most);

// Whether the radix is one that is summed up.
bool wp_fourier_is_summed(int radix);

#endif
