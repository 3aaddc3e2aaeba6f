// Buffers of floats for compute shaders. All functions require a current context of OpenGL 4.3.
#ifndef WP_BUFFER_H
#define WP_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct wp_buffer {
    unsigned id;
    size_t first; // offset of float 0 in floats, a multiple of WP_BUFFER_ALIGN
};

// The range of a buffer that a shader accesses, in floats.
struct wp_buffer_part {
    size_t first, count; // `first` is a multiple of WP_BUFFER_ALIGN
};

enum { WP_BUFFER_ALIGN = 64 }; // 256 bytes, the maximum alignment that OpenGL devices may require

// Allocates `count` floats, which are undefined. Returns false after WP_ERROR_TOO_LARGE, with {0}.
bool wp_buffer_create(size_t count, struct wp_buffer *buffer);
void wp_buffer_destroy(struct wp_buffer *buffer); // accepts {0}, leaves {0}

// Copy floats from or to memory. Reading waits for the GPU; it returns false after
// WP_ERROR_INTERNAL if no data was read.
void wp_buffer_write(const struct wp_buffer *buffer, size_t first, size_t count,
                     const float *values);
bool wp_buffer_read(const struct wp_buffer *buffer, size_t first, size_t count, float *values);

#endif
