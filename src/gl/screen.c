#include "screen.h"

#include "gl_internal.h"
#include "log.h"
#include "program.h"

bool wp_screen_create(struct wp_gl *gl, int width, int height, struct wp_screen *screen)
{
    *screen = (struct wp_screen){.width = width, .height = height};
    const int limit = gl->info.max_texture;
    if (width > limit || height > limit) {
        *screen = (struct wp_screen){0};
        return wp_fail(WP_ERROR_TOO_LARGE, "%dx%d pixels exceed this device's limit of %d",
                       width, height, limit);
    }
    glGenTextures(1, &screen->id);
    glBindTexture(GL_TEXTURE_2D, screen->id);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
    glGenFramebuffers(1, &screen->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, screen->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, screen->id, 0);
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status == GL_FRAMEBUFFER_COMPLETE && glGetError() == GL_NO_ERROR)
        return true;
    wp_screen_destroy(screen);
    return wp_fail(WP_ERROR_INTERNAL,
                   "the framebuffer of a %dx%d picture is not complete (status 0x%x)", width,
                   height, status);
}

void wp_screen_destroy(struct wp_screen *screen)
{
    if (screen->framebuffer)
        glDeleteFramebuffers(1, &screen->framebuffer);
    if (screen->id)
        glDeleteTextures(1, &screen->id);
    *screen = (struct wp_screen){0};
}

void wp_screen_target(const struct wp_screen *screen)
{
    glBindFramebuffer(GL_FRAMEBUFFER, screen->framebuffer);
    glViewport(0, 0, screen->width, screen->height);
}

void wp_screen_begin(const struct wp_screen *screen, const float rgb[3])
{
    wp_screen_target(screen);
    glClearColor(rgb[0], rgb[1], rgb[2], 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
}

void wp_screen_show(bool shown)
{
    if (shown)
        glDisable(GL_RASTERIZER_DISCARD);
    else
        glEnable(GL_RASTERIZER_DISCARD);
}

void wp_screen_draw(const struct wp_screen *screen, struct wp_program *program, int x, int y,
                    int width, int height)
{
    if (width <= 0 || height <= 0)
        return;
    wp_program_use(program);
    glBindFramebuffer(GL_FRAMEBUFFER, screen->framebuffer);
    glViewport(x, screen->height - y - height, width, height);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void wp_screen_read(const struct wp_screen *screen, int x, int y, int width, int height,
                    unsigned char *rgb)
{
    glBindFramebuffer(GL_FRAMEBUFFER, screen->framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    for (int row = 0; row < height; row++)
        glReadPixels(x, screen->height - 1 - y - row, width, 1, GL_RGB, GL_UNSIGNED_BYTE,
                     rgb + (size_t)row * (size_t)width * 3);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
}
