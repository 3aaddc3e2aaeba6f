#include "context.h"

#include "gl_internal.h"
#include "log.h"
#include "memory.h"
#include "shader_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool names_software(const char *renderer)
{
    static const char *const words[] = {"llvmpipe", "softpipe", "swrast", "SwiftShader",
                                        "Software Rasterizer"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(renderer, words[i]))
            return true;
    return false;
}

static void copy_string(char *out, size_t size, GLenum name)
{
    const GLubyte *text = glGetString(name);
    snprintf(out, size, "%s", text ? (const char *)text : "unknown");
}

static bool check_float_target(struct wp_gl *gl, char *reason, size_t reason_size)
{
    GLenum status = 0;
    for (int half = 0; half <= gl->accepts_half; half++) {
        struct wp_texture probe;
        const GLenum found = wp_gl_try_texture(
            &(struct wp_texture_params){.width = 4, .height = 4, .half = half}, &probe);
        wp_texture_destroy(&probe);
        gl->info.half_only = half;
        if (found == GL_FRAMEBUFFER_COMPLETE)
            return true;
        status = half ? status : found;
    }
    snprintf(reason, reason_size,
             "no float render targets: a framebuffer with an RGBA32F texture has status 0x%x",
             status);
    return false;
}

// GLEW's variables for extensions with functions only say whether these were found; Mesa has them
// all.
static bool has_extension(const char *name)
{
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        if (strcmp((const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i), name) == 0)
            return true;
    return false;
}

static void read_limits(struct wp_gl_info *info)
{
    GLint major = 0, minor = 0, along_x = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &info->max_texture);
    glGetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &info->max_layers);
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    info->gl_version = 10 * major + minor;
    // The specification of GL_ARB_derivative_control requires GLSL 4.00.
    info->texture_views = info->gl_version >= 43 || has_extension("GL_ARB_texture_view");
    info->fine_derivatives = info->gl_version >= 40 && has_extension("GL_ARB_derivative_control");
    GLint buffers = 0;
    glGetIntegerv(GL_MAX_DRAW_BUFFERS, &buffers);
    glGetIntegerv(GL_MAX_COLOR_ATTACHMENTS, &info->max_attachments);
    info->max_attachments = buffers < info->max_attachments ? buffers : info->max_attachments;
    if (info->gl_version < 43)
        return;
    glGetIntegerv(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, &info->max_invocations);
    glGetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_SIZE, 0, &along_x);
    info->max_invocations = along_x < info->max_invocations ? along_x : info->max_invocations;
    glGetIntegerv(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &info->max_shared);
    glGetIntegerv(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &info->max_storage);
    glGetIntegerv(GL_MAX_FRAGMENT_IMAGE_UNIFORMS, &info->max_images);
}

bool wp_gl_set_up(struct wp_gl *gl, char *reason, size_t reason_size)
{
    if (!wp_gl_load_functions(reason, reason_size))
        return false;
    struct wp_gl_info *info = &gl->info;
    copy_string(info->vendor, sizeof info->vendor, GL_VENDOR);
    copy_string(info->renderer, sizeof info->renderer, GL_RENDERER);
    copy_string(info->version, sizeof info->version, GL_VERSION);
    copy_string(info->glsl, sizeof info->glsl, GL_SHADING_LANGUAGE_VERSION);
    if (strstr(info->version, "Mesa"))
        wp_gl_log_shader_cache();
    info->software = names_software(info->renderer);
    // Timer queries of llvmpipe return invalid times.
    info->gpu_timer = !info->software && glGetQueryObjectui64v;
    read_limits(info);
    gl->cache = wp_gl_cache_create();
    if (!gl->cache)
        return false;
    wp_gl_messages_begin(&gl->messages, !gl->saved_state);
    glGenVertexArrays(1, &gl->vertex_array);
    (gl->saved_state ? wp_gl_enter : wp_gl_state_set)(gl);
    return check_float_target(gl, reason, reason_size);
}

static void destroy_nothing(void *native)
{
    (void)native;
}

struct wp_gl *wp_gl_adopt(const struct wp_gl_external *external, char *reason, size_t reason_size)
{
    struct wp_gl *gl = wp_allocate(1, sizeof *gl, "a GL context");
    reason[0] = '\0';
    if (!gl)
        return NULL;
    snprintf(gl->info.device_name, sizeof gl->info.device_name, "%s", external->name);
    gl->adopted = (struct wp_gl_provider){
        .make_current = external->make_current,
        .destroy = destroy_nothing,
    };
    gl->provider = &gl->adopted;
    gl->native = external->handle;
    if (!wp_gl_set_up(gl, reason, reason_size))
        wp_gl_destroy(&gl);
    return gl;
}

static bool is_current(void *native)
{
    (void)native;
    return true;
}

struct wp_gl *wp_gl_wrap(char *reason, size_t reason_size)
{
    struct wp_gl *gl = wp_allocate(1, sizeof *gl, "a GL context");
    reason[0] = '\0';
    if (!gl)
        return NULL;
    snprintf(gl->info.device_name, sizeof gl->info.device_name, "the current context");
    gl->adopted = (struct wp_gl_provider){.make_current = is_current, .destroy = destroy_nothing};
    gl->provider = &gl->adopted;
    gl->saved_state = wp_gl_state_create();
    gl->native = gl;
    if (!gl->saved_state || !wp_gl_set_up(gl, reason, reason_size))
        wp_gl_destroy(&gl);
    return gl;
}

// An upper bound of object names. Some drivers reuse free names, so that at most SPARE more are in
// use; Mesa continues from the largest.
static GLuint find_largest_name(void)
{
    enum { KINDS = 5, SPARE = 4096 };
    GLuint number[KINDS], most = 0;
    glGenTextures(1, &number[0]);
    glGenFramebuffers(1, &number[1]);
    glGenBuffers(1, &number[2]);
    glGenQueries(1, &number[3]);
    number[4] = glCreateProgram();
    glDeleteTextures(1, &number[0]);
    glDeleteFramebuffers(1, &number[1]);
    glDeleteBuffers(1, &number[2]);
    glDeleteQueries(1, &number[3]);
    glDeleteProgram(number[4]);
    for (int kind = 0; kind < KINDS; kind++)
        most = number[kind] > most ? number[kind] : most;
    return most + SPARE;
}

int wp_gl_count_objects(struct wp_gl *gl)
{
    (void)gl;
    const GLuint numbers = find_largest_name();
    int count = 0;
    for (GLuint i = 1; i <= numbers; i++)
        count += (glIsTexture(i) == GL_TRUE) + (glIsFramebuffer(i) == GL_TRUE) +
                 (glIsProgram(i) == GL_TRUE) + (glIsShader(i) == GL_TRUE) +
                 (glIsBuffer(i) == GL_TRUE) + (glIsQuery(i) == GL_TRUE);
    return count;
}

void wp_gl_destroy(struct wp_gl **slot)
{
    struct wp_gl *gl = *slot;
    *slot = NULL;
    if (!gl)
        return;
    if (gl->native) {
        if (gl->cache && wp_gl_make_current(gl)) {
            wp_gl_cache_destroy(gl->cache);
            wp_gl_draw_check_free(gl);
            glDeleteVertexArrays(1, &gl->vertex_array);
            wp_gl_messages_end(&gl->messages);
            wp_gl_leave(gl);
        }
        wp_gl_state_destroy(gl->saved_state);
        gl->provider->destroy(gl->native);
    }
    free(gl);
}

bool wp_gl_make_current(struct wp_gl *gl)
{
    if (!gl->provider->make_current(gl->native))
        return wp_fail(WP_ERROR_INTERNAL, "cannot make the GL context current");
    wp_gl_messages_log(&gl->messages);
    return true;
}

const struct wp_gl_info *wp_gl_get_info(const struct wp_gl *gl)
{
    return &gl->info;
}
