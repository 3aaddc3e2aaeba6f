#include "buffer.h"

#include "gl_internal.h"
#include "log.h"

#include <stdint.h>
#include <string.h>

// A NaN that no arithmetic yields, stored at the end of memory that is read into (see texture.c).
static const uint32_t unread_marker = 0xffc5a1d3;

bool wp_buffer_create(size_t count, struct wp_buffer *buffer)
{
    const size_t bytes = count * sizeof(float);
    *buffer = (struct wp_buffer){0};
    glGenBuffers(1, &buffer->id);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer->id);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_COPY);
    if (glGetError() == GL_NO_ERROR)
        return true;
    wp_buffer_destroy(buffer);
    return wp_fail(WP_ERROR_TOO_LARGE,
                   "no memory on this device for %zu bytes of samples"
                   "\nhint: backend 'cpu' uses the computer's memory",
                   bytes);
}

void wp_buffer_destroy(struct wp_buffer *buffer)
{
    if (buffer->id)
        glDeleteBuffers(1, &buffer->id);
    *buffer = (struct wp_buffer){0};
}

void wp_buffer_write(const struct wp_buffer *buffer, size_t first, size_t count,
                     const float *values)
{
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer->id);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER,
                    (GLintptr)((buffer->first + first) * sizeof *values),
                    (GLsizeiptr)(count * sizeof *values), values);
}

bool wp_buffer_read(const struct wp_buffer *buffer, size_t first, size_t count, float *values)
{
    float *mark = &values[count - 1];
    memcpy(mark, &unread_marker, sizeof *mark);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer->id);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER,
                       (GLintptr)((buffer->first + first) * sizeof *values),
                       (GLsizeiptr)(count * sizeof *values), values);
    return memcmp(mark, &unread_marker, sizeof *mark) != 0 ||
           wp_fail(WP_ERROR_INTERNAL, "samples could not be read back (OpenGL error 0x%x)",
                   glGetError());
}
