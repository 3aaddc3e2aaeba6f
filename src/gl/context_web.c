// The context of a page: WebGL 2 on the canvas "#wavepass-gl", which nobody needs to see.
#include "gl_internal.h"
#include "memory.h"

#include <assert.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char canvas[] = "#wavepass-gl";

// With what the context has more than others.
static void *create(struct wp_gl_info *info, char *reason, size_t reason_size)
{
    EmscriptenWebGLContextAttributes wanted;
    emscripten_webgl_init_context_attributes(&wanted);
    wanted.majorVersion = 2;
    wanted.alpha = wanted.depth = wanted.stencil = wanted.antialias = false;
    wanted.powerPreference = EM_WEBGL_POWER_PREFERENCE_HIGH_PERFORMANCE;
    const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context =
        emscripten_webgl_create_context(canvas, &wanted);
    if (context <= 0) {
        snprintf(reason, reason_size, "this browser has no WebGL 2");
        return NULL;
    }
    emscripten_webgl_make_context_current(context);
    info->late_timer =
        emscripten_webgl_enable_extension(context, "EXT_disjoint_timer_query_webgl2");
    info->links_aside = emscripten_webgl_enable_extension(context, "KHR_parallel_shader_compile");
    return (void *)context;
}

static bool make_current(void *native)
{
    return emscripten_webgl_make_context_current((EMSCRIPTEN_WEBGL_CONTEXT_HANDLE)native) ==
           EMSCRIPTEN_RESULT_SUCCESS;
}

static void destroy(void *native)
{
    emscripten_webgl_destroy_context((EMSCRIPTEN_WEBGL_CONTEXT_HANDLE)native);
}

static const struct wp_gl_provider provider = {
    .make_current = make_current,
    .destroy = destroy,
};

int wp_gl_device_count(void)
{
    return 1;
}

void wp_gl_device_name(int place, char *text, size_t size)
{
    (void)place;
    snprintf(text, size, "WebGL 2");
}

struct wp_gl *wp_gl_create(int place, char *reason, size_t reason_size)
{
    (void)place;
    struct wp_gl *gl = wp_allocate(1, sizeof *gl, "a GL context");
    reason[0] = '\0';
    if (!gl)
        return NULL;
    gl->provider = &provider;
    gl->half_will_do = true;
    wp_gl_device_name(0, gl->info.device_name, sizeof gl->info.device_name);
    gl->native = create(&gl->info, reason, reason_size);
    if (!gl->native || !wp_gl_set_up(gl, reason, reason_size))
        wp_gl_destroy(&gl);
    return gl;
}

// The browser has linked them.
bool wp_gl_load_functions(char *reason, size_t reason_size)
{
    (void)reason, (void)reason_size;
    return true;
}

// "WebKit WebGL" is what a browser says that keeps the name for an extension. Others warn of that.
const GLubyte *wp_gl_get_string_web(GLenum name)
{
#undef glGetString
    enum { UNMASKED_RENDERER = 0x9246 };
    const GLubyte *text = glGetString(name);
    const bool hides = name == GL_RENDERER && text && strncmp((const char *)text, "WebKit", 6) == 0;
    return hides && emscripten_webgl_enable_extension(emscripten_webgl_get_current_context(),
                                                      "WEBGL_debug_renderer_info")
               ? glGetString(UNMASKED_RENDERER)
               : text;
}

// A pixel that is read back comes after everything before it. It is one of a texture of its own:
// of the framebuffers in use some may not be read from.
void wp_gl_finish_web(void)
{
    unsigned char pixel[4];
    GLuint texture, framebuffer;
    GLint bound = 0;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
}

EM_JS(void, get_buffer, (GLenum target, GLintptr first, void *memory, GLsizeiptr bytes), {
    GLctx.getBufferSubData(target, first, HEAPU8, memory, bytes);
})

void wp_gl_get_buffer_web(GLenum target, GLintptr first, GLsizeiptr bytes, void *memory)
{
    get_buffer(target, first, memory, bytes);
}

// Buffers of texels that were read back: surfaces.c has two at a time.
enum { MAPPED_MAX = 4 };
static struct {
    GLint buffer;
    void *memory;
} mapped[MAPPED_MAX];

static GLint bound_to(GLenum target)
{
    GLint buffer = 0;
    assert(target == GL_PIXEL_PACK_BUFFER);
    (void)target;
    glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &buffer);
    return buffer;
}

void *wp_gl_map_web(GLenum target, GLintptr first, GLsizeiptr bytes, GLbitfield access)
{
    (void)access;
    for (int i = 0; i < MAPPED_MAX; i++) {
        if (mapped[i].memory)
            continue;
        mapped[i].buffer = bound_to(target);
        mapped[i].memory = malloc((size_t)bytes);
        if (mapped[i].memory)
            wp_gl_get_buffer_web(target, first, bytes, mapped[i].memory);
        return mapped[i].memory;
    }
    return NULL;
}

GLboolean wp_gl_unmap_web(GLenum target)
{
    const GLint buffer = bound_to(target);
    for (int i = 0; i < MAPPED_MAX; i++) {
        if (!mapped[i].memory || mapped[i].buffer != buffer)
            continue;
        free(mapped[i].memory);
        mapped[i].memory = NULL;
    }
    return GL_TRUE;
}

// A page has no context but ours, so nobody is a shares_device in another's.
struct wp_gl_state *wp_gl_state_create(void)
{
    return NULL;
}

void wp_gl_state_destroy(struct wp_gl_state *state)
{
    (void)state;
}

void wp_gl_state_set(struct wp_gl *gl)
{
    glDisable(GL_DITHER);
    glBindVertexArray(gl->vertex_array);
}

void wp_gl_enter(struct wp_gl *gl)
{
    (void)gl;
}

void wp_gl_leave(struct wp_gl *gl)
{
    (void)gl;
}
