// Preloaded library that makes OpenGL fail. Values of WAVEPASS_FAULT:
//
//   too-old        OpenGL 3.3 contexts cannot be created
//   gl-4.2         the context version is 4.2
//   derivatives    GL_ARB_derivative_control is missing
//   views          GL_ARB_texture_view is missing and the version is 4.2
//   float-target   framebuffers with float textures are never complete
//   texture        textures are limited to 64x64 texels
//   attachments    a pass is limited to two attachments
//   images         fragment shaders do not support image stores
//   shared         shared memory is limited to 256 bytes
//   invocations    workgroups are limited to 128 invocations
//   texture-memory out of memory from the third texture on
//   texture:N      out of memory at texture N, where 1 is the probe for float targets; prints
//                  "gl fault: texture" to stderr
//   high-texture   out of memory for textures that are higher than wide
//   layers         out of memory from the fourth texture with layers on
//   draw:N         draw call N is silently skipped; prints "gl fault: draw" to stderr
//   dispatch:N     dispatch N is silently skipped; prints "gl fault: dispatch" to stderr
//   read-back      reads into buffers and from buffers silently do nothing
//   shader-text    fragment shaders do not compile
//   link           programs are not linked
//   wrong-tap      each 0.5 in a fragment shader becomes 0.56
//   groups         no fault: prints the names of debug groups to stderr
//   objects        no fault: when a context is destroyed, prints how many objects of each kind
//                  leaked and were created to stderr
//
// GLEW loads most functions through glXGetProcAddressARB, which is replaced here. Functions of
// OpenGL 1.1 and of EGL are linked by name and replaced by functions of the same name.
#include <EGL/egl.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*function)(void);

function glXGetProcAddressARB(const GLubyte *name);

// The original function that this library replaces.
static function find(const char *name)
{
    void *library = dlopen(strncmp(name, "egl", 3) == 0 ? "libEGL.so.1" : "libGL.so.1", RTLD_NOW);
    function found = NULL;
    // ISO C does not define a cast from object to function pointers; POSIX does.
    if (library)
        *(void **)&found = dlsym(library, name);
    if (!found)
        abort();
    return found;
}

// The text after the colon, "" without a colon, NULL for another fault.
static const char *option_of(const char *name)
{
    const char *requested = getenv("WAVEPASS_FAULT");
    const size_t length = strlen(name);
    if (!requested || strncmp(requested, name, length) != 0 ||
        (requested[length] && requested[length] != ':'))
        return NULL;
    return requested[length] ? requested + length + 1 : "";
}

static bool fault(const char *name)
{
    const char *option = option_of(name);
    return option && !*option;
}

EGLContext EGLAPIENTRY eglCreateContext(EGLDisplay display, EGLConfig config, EGLContext share,
                                        const EGLint *attributes)
{
    if (fault("too-old"))
        return EGL_NO_CONTEXT;
    return ((EGLContext(EGLAPIENTRY *)(EGLDisplay, EGLConfig, EGLContext, const EGLint *))find(
        "eglCreateContext"))(display, config, share, attributes);
}

static GLenum pending_error;

GLenum APIENTRY glGetError(void)
{
    const GLenum error = pending_error;
    pending_error = GL_NO_ERROR;
    return error ? error : ((GLenum(APIENTRY *)(void))find("glGetError"))();
}

void APIENTRY glGetIntegerv(GLenum name, GLint *value)
{
    enum { SMALL = 64, LITTLE = 256, FEW = 128 };
    ((void(APIENTRY *)(GLenum, GLint *))find("glGetIntegerv"))(name, value);
    if (name == GL_MAX_TEXTURE_SIZE && fault("texture"))
        *value = SMALL;
    if (name == GL_MAX_DRAW_BUFFERS && fault("attachments"))
        *value = 2;
    if (name == GL_MAX_FRAGMENT_IMAGE_UNIFORMS && fault("images"))
        *value = 0;
    if (name == GL_MAX_COMPUTE_SHARED_MEMORY_SIZE && fault("shared"))
        *value = LITTLE;
    if (name == GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS && fault("invocations"))
        *value = FEW;
    if ((name == GL_MAJOR_VERSION || name == GL_MINOR_VERSION) &&
        (fault("gl-4.2") || fault("views")))
        *value = name == GL_MAJOR_VERSION ? 4 : 2;
}

void APIENTRY glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                           GLenum type, void *pixels)
{
    if (pixels || !fault("read-back"))
        ((void(APIENTRY *)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *))find(
            "glReadPixels"))(x, y, width, height, format, type, pixels);
}

// True for the call that `draw:N` or `dispatch:N` names.
static bool is_skipped(const char *call)
{
    static int count;
    const char *number = option_of(call);
    if (!number || !*number || ++count != atoi(number))
        return false;
    dprintf(STDERR_FILENO, "gl fault: %s\n", call);
    return true;
}

void APIENTRY glDrawArrays(GLenum mode, GLint first, GLsizei count)
{
    if (!is_skipped("draw"))
        ((void(APIENTRY *)(GLenum, GLint, GLsizei))find("glDrawArrays"))(mode, first, count);
}

static void APIENTRY read_nothing(GLenum target, GLintptr first, GLsizeiptr bytes, void *memory)
{
    (void)target, (void)first, (void)bytes, (void)memory;
}

static PFNGLDRAWARRAYSINSTANCEDPROC real_instances;

static void APIENTRY draw_instances(GLenum mode, GLint first, GLsizei count, GLsizei instances)
{
    if (!is_skipped("draw"))
        real_instances(mode, first, count, instances);
}

static PFNGLDISPATCHCOMPUTEPROC real_dispatch;

static void APIENTRY dispatch(GLuint x, GLuint y, GLuint z)
{
    if (!is_skipped("dispatch"))
        real_dispatch(x, y, z);
}

static PFNGLGETSTRINGIPROC real_string;

static const GLubyte *hide(GLenum name, GLuint index, const char *extension)
{
    const GLubyte *text = real_string(name, index);
    const bool hidden = text && strcmp((const char *)text, extension) == 0;
    return hidden ? (const GLubyte *)"GL_WAVEPASS_hidden" : text;
}

static const GLubyte *APIENTRY hide_derivatives(GLenum name, GLuint index)
{
    return hide(name, index, "GL_ARB_derivative_control");
}

static const GLubyte *APIENTRY hide_views(GLenum name, GLuint index)
{
    return hide(name, index, "GL_ARB_texture_view");
}

static void APIENTRY link_nothing(GLuint program)
{
    (void)program;
}

static GLenum APIENTRY check_framebuffer(GLenum target)
{
    (void)target;
    return GL_FRAMEBUFFER_UNSUPPORTED;
}

static PFNGLTEXSTORAGE2DPROC real_storage;

static void APIENTRY fail_storage(GLenum target, GLsizei levels, GLenum format, GLsizei width,
                                  GLsizei height)
{
    // The first one is the probe for float targets.
    enum { GOOD_TEXTURES = 2 };
    static int count;
    if (count++ < GOOD_TEXTURES)
        real_storage(target, levels, format, width, height);
    else
        pending_error = GL_OUT_OF_MEMORY;
}

static void APIENTRY fail_one_storage(GLenum target, GLsizei levels, GLenum format, GLsizei width,
                                      GLsizei height)
{
    static int count;
    if (++count != atoi(option_of("texture"))) {
        real_storage(target, levels, format, width, height);
        return;
    }
    dprintf(STDERR_FILENO, "gl fault: texture\n");
    pending_error = GL_OUT_OF_MEMORY;
}

static void APIENTRY fail_high_storage(GLenum target, GLsizei levels, GLenum format, GLsizei width,
                                       GLsizei height)
{
    if (height <= width)
        real_storage(target, levels, format, width, height);
    else
        pending_error = GL_OUT_OF_MEMORY;
}

static PFNGLTEXSTORAGE3DPROC real_layers;

static void APIENTRY fail_layered_storage(GLenum target, GLsizei levels, GLenum format,
                                          GLsizei width, GLsizei height, GLsizei layers)
{
    enum { GOOD_TEXTURES = 3 };
    static int count;
    if (count++ < GOOD_TEXTURES)
        real_layers(target, levels, format, width, height, layers);
    else
        pending_error = GL_OUT_OF_MEMORY;
}

static PFNGLSHADERSOURCEPROC real_source;

// Replaces each `right` in the text with `wrong`, which has the same length.
static void change_source(GLuint shader, const char *text, const char *right, const char *wrong)
{
    const size_t length = strlen(right);
    char *copy = malloc(strlen(text) + 1);
    if (!copy)
        abort();
    strcpy(copy, text);
    for (char *at = copy; (at = strstr(at, right)); at += length)
        memcpy(at, wrong, length);
    const GLchar *const changed = copy;
    real_source(shader, 1, &changed, NULL);
    free(copy);
}

// The program passes one null-terminated string.
static void APIENTRY break_source(GLuint shader, GLsizei count, const GLchar *const *text,
                                  const GLint *length)
{
    (void)count, (void)length;
    change_source(shader, *text, "gl_FragCoord", "gl_FragCoard");
}

static void APIENTRY bend_source(GLuint shader, GLsizei count, const GLchar *const *text,
                                 const GLint *length)
{
    (void)count, (void)length;
    change_source(shader, *text, " 0.5 ", " .56 ");
}

static void APIENTRY show_group(GLenum source, GLuint id, GLsizei length, const GLchar *name)
{
    (void)source, (void)id, (void)length;
    fprintf(stderr, "group: %s\n", name);
}

static void APIENTRY end_group(void)
{
}

// Kinds of objects that are created and deleted as arrays of names.
#define KINDS(X) \
    X(Framebuffers, framebuffers) X(Buffers, buffers) X(VertexArrays, arrays) X(Queries, queries) \
    X(Samplers, samplers)

typedef void(APIENTRY *make)(GLsizei, GLuint *);
typedef void(APIENTRY *unmake)(GLsizei, const GLuint *);
typedef GLuint(APIENTRY *create)(void);
typedef void(APIENTRY *destroy)(GLuint);

#define KIND(name, kind) \
    static int kind, created_##kind; \
    static make real_gen_##kind; \
    static unmake real_delete_##kind; \
    static void APIENTRY gen_##kind(GLsizei count, GLuint *names) \
    { \
        created_##kind += count; \
        kind += count; \
        real_gen_##kind(count, names); \
    } \
    static void APIENTRY delete_##kind(GLsizei count, const GLuint *names) \
    { \
        for (GLsizei i = 0; i < count; i++) \
            kind -= names[i] != 0; \
        real_delete_##kind(count, names); \
    }
KINDS(KIND)

static int textures, created_textures, programs, created_programs;
static create real_create_program;
static destroy real_delete_program;

void APIENTRY glGenTextures(GLsizei count, GLuint *names)
{
    textures += count;
    created_textures += count;
    ((make)find("glGenTextures"))(count, names);
}

void APIENTRY glDeleteTextures(GLsizei count, const GLuint *names)
{
    for (GLsizei i = 0; i < count; i++)
        textures -= names[i] != 0;
    ((unmake)find("glDeleteTextures"))(count, names);
}

static GLuint APIENTRY create_program(void)
{
    programs++;
    created_programs++;
    return real_create_program();
}

static void APIENTRY delete_program(GLuint program)
{
    programs -= program != 0;
    real_delete_program(program);
}

EGLBoolean EGLAPIENTRY eglDestroyContext(EGLDisplay display, EGLContext context)
{
    if (fault("objects")) {
        fprintf(stderr, "gl objects: %d of %d textures, %d of %d programs", textures,
                created_textures, programs, created_programs);
#define PRINT(name, kind) fprintf(stderr, ", %d of %d " #kind, kind, created_##kind);
        KINDS(PRINT)
        fprintf(stderr, "\n");
    }
    return ((EGLBoolean(EGLAPIENTRY *)(EGLDisplay, EGLContext))find("eglDestroyContext"))(display,
                                                                                        context);
}

static const struct {
    const char *fault, *name;
    function replacement;
} replacements[] = {
    {"derivatives", "glGetStringi", (function)hide_derivatives},
    {"views", "glGetStringi", (function)hide_views},
    {"link", "glLinkProgram", (function)link_nothing},
    {"float-target", "glCheckFramebufferStatus", (function)check_framebuffer},
    {"texture-memory", "glTexStorage2D", (function)fail_storage},
    {"high-texture", "glTexStorage2D", (function)fail_high_storage},
    {"layers", "glTexStorage3D", (function)fail_layered_storage},
    {"read-back", "glGetBufferSubData", (function)read_nothing},
    {"shader-text", "glShaderSource", (function)break_source},
    {"wrong-tap", "glShaderSource", (function)bend_source},
    {"groups", "glPushDebugGroup", (function)show_group},
    {"groups", "glPopDebugGroup", (function)end_group},
    {"objects", "glCreateProgram", (function)create_program},
    {"objects", "glDeleteProgram", (function)delete_program},
#define REPLACE(name, kind) \
    {"objects", "glGen" #name, (function)gen_##kind}, \
    {"objects", "glDelete" #name, (function)delete_##kind},
    KINDS(REPLACE)
};

function glXGetProcAddressARB(const GLubyte *name)
{
    const function real =
        ((function(*)(const GLubyte *))find("glXGetProcAddressARB"))(name);
    const char *text = (const char *)name;
    if (strcmp(text, "glGetStringi") == 0)
        real_string = (PFNGLGETSTRINGIPROC)real;
    if (strcmp(text, "glTexStorage2D") == 0)
        real_storage = (PFNGLTEXSTORAGE2DPROC)real;
    if (strcmp(text, "glTexStorage3D") == 0)
        real_layers = (PFNGLTEXSTORAGE3DPROC)real;
    if (strcmp(text, "glShaderSource") == 0)
        real_source = (PFNGLSHADERSOURCEPROC)real;
    if (strcmp(text, "glDrawArraysInstanced") == 0)
        real_instances = (PFNGLDRAWARRAYSINSTANCEDPROC)real;
    if (strcmp(text, "glCreateProgram") == 0)
        real_create_program = (create)real;
    if (strcmp(text, "glDeleteProgram") == 0)
        real_delete_program = (destroy)real;
#define SAVE_REAL(name, kind) \
    if (strcmp(text, "glGen" #name) == 0) \
        real_gen_##kind = (make)real; \
    if (strcmp(text, "glDelete" #name) == 0) \
        real_delete_##kind = (unmake)real;
    KINDS(SAVE_REAL)
    if (strcmp(text, "glDispatchCompute") == 0)
        real_dispatch = (PFNGLDISPATCHCOMPUTEPROC)real;
    for (size_t i = 0; real && i < sizeof replacements / sizeof replacements[0]; i++)
        if (strcmp(text, replacements[i].name) == 0 && fault(replacements[i].fault))
            return replacements[i].replacement;
    const char *number = option_of("texture");
    if (real && number && *number && strcmp(text, "glTexStorage2D") == 0)
        return (function)fail_one_storage;
    if (real && option_of("draw") && strcmp(text, "glDrawArraysInstanced") == 0)
        return (function)draw_instances;
    if (real && option_of("dispatch") && strcmp(text, "glDispatchCompute") == 0)
        return (function)dispatch;
    return real;
}
