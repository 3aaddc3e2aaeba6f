// Discrete Fourier transforms of complex images and volumes in buffers, with compute shaders:
// float32, any length whose lines fit into the shared memory of a workgroup. All functions require
// their context to be current; dispatches are asynchronous.
#ifndef WP_GL_FFT_H
#define WP_GL_FFT_H

#include "buffer.h"
#include "context.h"
#include "program.h"
#include "text.h"

#include <stdbool.h>

enum {
    WP_FOURIER_PASSES = 16,
    WP_FOURIER_RADIX = 16, // the largest butterfly in registers; larger primes are summed up
    WP_FOURIER_SPREAD = 16 // lines along x leave a cell free after so many: passes write at
                           // power-of-two strides, which would be in one memory bank
};

struct wp_gl_fft;

// Creates a transform of size[0]*size[1]*size[2] samples, x contiguous; axes of one sample are
// skipped. NULL after WP_ERROR_UNAVAILABLE if an axis is too long for the device, or another error.
struct wp_gl_fft *wp_gl_fft_create(struct wp_gl *gl, const int size[3]);
void wp_gl_fft_destroy(struct wp_gl_fft **fft); // accepts NULL, clears the pointer

// Transforms all axes, without scaling; index 0 is DC. The buffers may be the same.
void wp_gl_fft_run(const struct wp_gl_fft *fft, bool inverse, const struct wp_buffer *from,
                   const struct wp_buffer *to);

// A round trip that applies a function to each sample in k-space; the last axis of the forward and
// the first axis of the inverse transform are one pass over memory. `between` is GLSL that defines
//
//     vec2 between(int index, vec2 value);   // returns the new value of a sample
//     void finish();                         // called once at the end of each invocation
//
// and declarations they need, with storage blocks from WP_GL_FFT_BLOCKS on. finish() may call
// sum_of_group(vec2), the sum over a workgroup, and group_number(), less than wp_gl_fft_groups().
// NULL after an error; the context owns the program.
enum { WP_GL_FFT_BLOCKS = 3 };
struct wp_program *wp_gl_fft_program(const struct wp_gl_fft *fft, const char *between);
int wp_gl_fft_groups(const struct wp_gl_fft *fft);
void wp_gl_fft_run_between(const struct wp_gl_fft *fft, struct wp_program *program,
                           const struct wp_buffer *from, const struct wp_buffer *to,
                           const struct wp_buffer *const more[], int more_count);

// ---- plans ----

// How a workgroup transforms lines: Stockham passes. Each pass reads lines, applies butterflies of
// its radix and writes the results in the order that the next pass requires.

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

#endif
