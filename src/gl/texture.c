#include "texture.h"

#include "gl_internal.h"
#include "log.h"

static bool allocate(int width, int height, GLenum format, struct wp_texture *texture)
{
    *texture = (struct wp_texture){.width = width, .height = height};
    glGenTextures(1, &texture->id);
    glBindTexture(GL_TEXTURE_2D, texture->id);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    if (glGetError() != GL_NO_ERROR)
        return false;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return true;
}

GLenum wp_gl_try_texture(int width, int height, struct wp_texture *texture)
{
    if (!allocate(width, height, GL_RGBA32F, texture))
        return 0;
    glGenFramebuffers(1, &texture->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, texture->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture->id, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER);
}

static bool check_size(const struct wp_gl *gl, int width, int height)
{
    const int limit = gl->info.max_texture;
    if (width > limit || height > limit)
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "a texture of %dx%d texels exceeds this device's limit of %d (an image of "
                       "up to about %dx%d pixels fits)"
                       "\nhint: -b cpu has no such limit",
                       width, height, limit, 2 * (limit - 16), 2 * (limit - 16));
    return true;
}

static bool fail_memory(int width, int height)
{
    return wp_fail(WP_ERROR_TOO_LARGE,
                   "no memory on this device for a texture of %dx%d texels"
                   "\nhint: -b cpu takes the computer's own memory",
                   width, height);
}

bool wp_texture_create(struct wp_gl *gl, int width, int height, struct wp_texture *texture)
{
    *texture = (struct wp_texture){0};
    if (!check_size(gl, width, height))
        return false;
    const GLenum status = wp_gl_try_texture(width, height, texture);
    if (status == GL_FRAMEBUFFER_COMPLETE)
        return true;
    wp_texture_destroy(texture);
    return status ? wp_fail(WP_ERROR_INTERNAL,
                            "the framebuffer of a %dx%d texture is not complete (status 0x%x)",
                            width, height, status)
                  : fail_memory(width, height);
}

bool wp_texture_create_single(struct wp_gl *gl, int width, int height,
                              struct wp_texture *texture)
{
    *texture = (struct wp_texture){0};
    if (!check_size(gl, width, height))
        return false;
    if (allocate(width, height, GL_R32F, texture))
        return true;
    wp_texture_destroy(texture);
    return fail_memory(width, height);
}

void wp_texture_destroy(struct wp_texture *texture)
{
    if (texture->framebuffer)
        glDeleteFramebuffers(1, &texture->framebuffer);
    if (texture->id)
        glDeleteTextures(1, &texture->id);
    *texture = (struct wp_texture){0};
}

void wp_texture_write(const struct wp_texture *texture, int x, int y, int width, int height,
                      const float *texels)
{
    glBindTexture(GL_TEXTURE_2D, texture->id);
    glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, width, height, GL_RGBA, GL_FLOAT, texels);
}

void wp_texture_read(const struct wp_texture *texture, int x, int y, int width, int height,
                     float *texels)
{
    glBindFramebuffer(GL_FRAMEBUFFER, texture->framebuffer);
    glReadPixels(x, y, width, height, GL_RGBA, GL_FLOAT, texels);
}
