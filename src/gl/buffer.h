// Buffers of floats that compute shaders read and write. All functions need their context to be
// current, one of OpenGL 4.3.
#ifndef WP_BUFFER_H
#define WP_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct wp_buffer {
    unsigned id;
    size_t first; // where what is counted as float 0 lies, a multiple of WP_BUFFER_ALIGN
};

// What a shader reaches of a buffer, in floats.
struct wp_buffer_part {
    size_t first, count; // `first` is a multiple of WP_BUFFER_ALIGN
};

enum { WP_BUFFER_ALIGN = 64 }; // 256 bytes: the most that OpenGL lets a device ask for

// Room for `count` floats, whose content is undefined. False after WP_ERROR_TOO_LARGE; {0} then.
bool wp_buffer_create(size_t count, struct wp_buffer *buffer);
void wp_buffer_destroy(struct wp_buffer *buffer); // accepts {0}, leaves {0}

// Copies floats from or to memory. Reading waits for the GPU; false after WP_ERROR_INTERNAL where
// nothing came.
void wp_buffer_write(const struct wp_buffer *buffer, size_t first, size_t count,
                     const float *values);
bool wp_buffer_read(const struct wp_buffer *buffer, size_t first, size_t count, float *values);

#endif
