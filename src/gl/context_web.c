// The context of a web page: WebGL 2 on the canvas "#wavepass-gl", which may be hidden.
#include "gl_internal.h"
#include "memory.h"

#include <assert.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char canvas[] = "#wavepass-gl";

// Creates the context and sets the members of `info` that depend on extensions.
static void *create(struct wp_gl_info *info, char *reason, size_t reason_size)
{
    EmscriptenWebGLContextAttributes attributes;
    emscripten_webgl_init_context_attributes(&attributes);
    attributes.majorVersion = 2;
    attributes.alpha = attributes.depth = attributes.stencil = attributes.antialias = false;
    attributes.powerPreference = EM_WEBGL_POWER_PREFERENCE_HIGH_PERFORMANCE;
    const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context =
        emscripten_webgl_create_context(canvas, &attributes);
    if (context <= 0) {
        snprintf(reason, reason_size, "this browser has no WebGL 2");
        return NULL;
    }
    emscripten_webgl_make_context_current(context);
    info->late_timer =
        emscripten_webgl_enable_extension(context, "EXT_disjoint_timer_query_webgl2");
    info->links_in_parallel =
        emscripten_webgl_enable_extension(context, "KHR_parallel_shader_compile");
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

void wp_gl_device_name(int device, char *text, size_t size)
{
    (void)device;
    snprintf(text, size, "WebGL 2");
}

struct wp_gl *wp_gl_create(int device, char *reason, size_t reason_size)
{
    (void)device;
    struct wp_gl *gl = wp_allocate(1, sizeof *gl, "a GL context");
    reason[0] = '\0';
    if (!gl)
        return NULL;
    gl->provider = &provider;
    gl->accepts_half = true;
    wp_gl_device_name(0, gl->info.device_name, sizeof gl->info.device_name);
    gl->native = create(&gl->info, reason, reason_size);
    if (!gl->native || !wp_gl_set_up(gl, reason, reason_size))
        wp_gl_destroy(&gl);
    return gl;
}

// Functions are linked by Emscripten.
bool wp_gl_load_functions(char *reason, size_t reason_size)
{
    (void)reason, (void)reason_size;
    return true;
}

// Browsers that return "WebKit WebGL" have the name in an extension; others warn about its use.
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

// Reading a pixel waits for all previous commands. It is read from a separate texture, because the
// current framebuffer may not be readable.
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

// Copies of buffers that are mapped; surfaces.c maps two at a time.
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

// Contexts of other programs do not exist in a web page, so there is no state to save.
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
