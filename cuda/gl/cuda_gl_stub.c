// Shared textures in a build without CUDA: always unavailable.
#include "cuda_gl.h"
#include "log.h"

#include <stdio.h>

bool wp_cuda_gl_possible(char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "CUDA is not in this build: %s", WP_CUDA_MISSING);
    return false;
}

int wp_cuda_gl_device(char *reason, size_t reason_size)
{
    wp_cuda_gl_possible(reason, reason_size);
    return -1;
}

struct wp_cuda_gl *wp_cuda_gl_create(const struct wp_schedule *schedule, const unsigned *texture,
                                     char *reason, size_t reason_size)
{
    (void)schedule, (void)texture;
    wp_cuda_gl_device(reason, reason_size);
    return NULL;
}

void wp_cuda_gl_destroy(struct wp_cuda_gl **gl)
{
    *gl = NULL;
}

// These are never called, because wp_cuda_gl_create() always fails.
bool wp_cuda_gl_map(struct wp_cuda_gl *gl)
{
    (void)gl;
    return wp_fail(WP_ERROR_INTERNAL, "no shared textures");
}

bool wp_cuda_gl_unmap(struct wp_cuda_gl *gl)
{
    return wp_cuda_gl_map(gl);
}

bool wp_cuda_gl_run(struct wp_cuda_gl *gl, double *seconds)
{
    (void)seconds;
    return wp_cuda_gl_map(gl);
}
