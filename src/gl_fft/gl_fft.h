// Discrete Fourier transforms of complex images and volumes in buffers of an OpenGL context, by
// compute shaders: float32, of any length whose lines fit a workgroup's shared memory. All
// functions need their context to be current; what they launch is not waited for.
#ifndef WP_GL_FFT_H
#define WP_GL_FFT_H

#include "buffer.h"
#include "context.h"
#include "program.h"

#include <stdbool.h>

struct wp_gl_fft;

// Of arrays of size[0]*size[1]*size[2] samples, x fastest; an axis of 1 is passed by. NULL after
// WP_ERROR_UNAVAILABLE where an axis is too long for this device, or another error.
struct wp_gl_fft *wp_gl_fft_create(struct wp_gl *gl, const int size[3]);
void wp_gl_fft_destroy(struct wp_gl_fft **fft); // accepts NULL, clears the pointer

// Along all axes, with zero frequency at index 0; not scaled. The two buffers may be the same one.
void wp_gl_fft_run(const struct wp_gl_fft *fft, bool inverse, const struct wp_buffer *from,
                   const struct wp_buffer *to);

// Forward, something done to every sample in k-space, and back: what would be the last axis of the
// one and the first of the other is one walk through memory. `between` is GLSL that defines
//
//     vec2 between(int index, vec2 value);   // the new value of a sample
//     void finish();                         // called once by every invocation, behind all of them
//
// and whatever they want, storage blocks from WP_GL_FFT_BLOCKS on. finish() may call
// sum_of_group(vec2), which is the sum over a workgroup, and group_number(), of
// wp_gl_fft_groups() numbers. NULL after an error; the program is the context's.
enum { WP_GL_FFT_BLOCKS = 3 };
struct wp_program *wp_gl_fft_program(const struct wp_gl_fft *fft, const char *between);
int wp_gl_fft_groups(const struct wp_gl_fft *fft);
void wp_gl_fft_run_between(const struct wp_gl_fft *fft, struct wp_program *program,
                           const struct wp_buffer *from, const struct wp_buffer *to,
                           const struct wp_buffer *const more[], int more_count);

#endif
