#include "texture.h"

#include "gl_internal.h"
#include "log.h"

GLenum wp_gl_try_texture(int width, int height, struct wp_texture *texture)
{
    *texture = (struct wp_texture){.width = width, .height = height};
    glGenTextures(1, &texture->id);
    glBindTexture(GL_TEXTURE_2D, texture->id);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, width, height);
    if (glGetError() != GL_NO_ERROR)
        return 0;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenFramebuffers(1, &texture->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, texture->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture->id, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER);
}

bool wp_texture_create(struct wp_gl *gl, int width, int height, struct wp_texture *texture)
{
    *texture = (struct wp_texture){0};
    const int limit = gl->info.max_texture;
    if (width > limit || height > limit)
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "a texture of %dx%d texels exceeds this device's limit of %d (an image of "
                       "up to about %dx%d pixels fits)"
                       "\nhint: -b reference has no such limit",
                       width, height, limit, 2 * (limit - 16), 2 * (limit - 16));
    const GLenum status = wp_gl_try_texture(width, height, texture);
    if (status == GL_FRAMEBUFFER_COMPLETE)
        return true;
    wp_texture_destroy(texture);
    return wp_fail(status ? WP_ERROR_INTERNAL : WP_ERROR_TOO_LARGE,
                   status ? "the framebuffer of a %dx%d texture is not complete (status 0x%x)"
                          : "no memory on this device for a texture of %dx%d texels"
                            "\nhint: -b reference takes the computer's own memory",
                   width, height, status);
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
