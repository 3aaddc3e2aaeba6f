#include "context.h"
#include "gl_internal.h"
#include "memory.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Device numbers: all EGL devices, then the surfaceless platform, then the default display.
enum { DEVICE_MAX = 32 };

struct native {
    EGLDisplay display;
    EGLContext context;
    EGLSurface surface; // EGL_NO_SURFACE if the display supports contexts without a surface
};

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool has_client_extension(const char *name)
{
    return has_word(eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS), name);
}

// eglGetProcAddress() returns a function pointer type that must be cast.
static __eglMustCastToProperFunctionPointerType find(const char *name)
{
    return eglGetProcAddress(name);
}

static int list_devices(EGLDeviceEXT devices[DEVICE_MAX])
{
    if (!has_client_extension("EGL_EXT_device_enumeration") &&
        !has_client_extension("EGL_EXT_device_base"))
        return 0;
    const PFNEGLQUERYDEVICESEXTPROC query =
        (PFNEGLQUERYDEVICESEXTPROC)find("eglQueryDevicesEXT");
    EGLint count = 0;
    return query && query(DEVICE_MAX, devices, &count) ? count : 0;
}

static const char *device_string(EGLDeviceEXT device, EGLint name)
{
    const PFNEGLQUERYDEVICESTRINGEXTPROC query =
        (PFNEGLQUERYDEVICESTRINGEXTPROC)find("eglQueryDeviceStringEXT");
    return query ? query(device, name) : NULL;
}

static int count(void)
{
    EGLDeviceEXT devices[DEVICE_MAX];
    return list_devices(devices) + 2;
}

static bool is_software(int index)
{
    EGLDeviceEXT devices[DEVICE_MAX];
    return index < list_devices(devices) &&
           has_word(device_string(devices[index], EGL_EXTENSIONS), "EGL_MESA_device_software");
}

static void name(int index, char *text, size_t size)
{
    EGLDeviceEXT devices[DEVICE_MAX];
    const int device_count = list_devices(devices);
    if (index >= device_count) {
        snprintf(text, size, "EGL %s",
                 index == device_count ? "surfaceless platform" : "default display");
        return;
    }
    const char *extensions = device_string(devices[index], EGL_EXTENSIONS);
    const char *file = has_word(extensions, "EGL_EXT_device_drm")
                           ? device_string(devices[index], EGL_DRM_DEVICE_FILE_EXT)
                           : NULL;
    snprintf(text, size, "EGL device %d%s%s%s%s", index, file ? " (" : "", file ? file : "",
             file ? ")" : "", is_software(index) ? " (software)" : "");
}

int wp_gl_find_cuda_device(int cuda_device)
{
    EGLDeviceEXT devices[DEVICE_MAX];
    const PFNEGLQUERYDEVICEATTRIBEXTPROC query =
        (PFNEGLQUERYDEVICEATTRIBEXTPROC)find("eglQueryDeviceAttribEXT");
    const int device_count = list_devices(devices);
    for (int index = 0; query && index < device_count; index++) {
        EGLAttrib number = -1;
        if (has_word(device_string(devices[index], EGL_EXTENSIONS), "EGL_NV_device_cuda") &&
            query(devices[index], EGL_CUDA_DEVICE_NV, &number) && number == cuda_device)
            return index;
    }
    return -1;
}

static EGLDisplay get_display(int index, char *reason, size_t reason_size)
{
    EGLDeviceEXT devices[DEVICE_MAX];
    const int device_count = list_devices(devices);
    const PFNEGLGETPLATFORMDISPLAYEXTPROC get_platform =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)find("eglGetPlatformDisplayEXT");
    EGLDisplay display = EGL_NO_DISPLAY;
    if (index > device_count) {
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    } else {
        const bool device = index < device_count;
        const char *extension =
            device ? "EGL_EXT_platform_device" : "EGL_MESA_platform_surfaceless";
        if (!get_platform || !has_client_extension(extension)) {
            snprintf(reason, reason_size, "no %s", extension);
            return EGL_NO_DISPLAY;
        }
        display = device ? get_platform(EGL_PLATFORM_DEVICE_EXT, devices[index], NULL)
                         : get_platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    }
    if (display == EGL_NO_DISPLAY)
        snprintf(reason, reason_size, "no EGL display");
    return display;
}

static const char *error_name(EGLint error)
{
    static const struct {
        EGLint error;
        const char *name;
    } names[] = {
        {EGL_NOT_INITIALIZED, "EGL_NOT_INITIALIZED"}, {EGL_BAD_ACCESS, "EGL_BAD_ACCESS"},
        {EGL_BAD_ALLOC, "EGL_BAD_ALLOC"},             {EGL_BAD_ATTRIBUTE, "EGL_BAD_ATTRIBUTE"},
        {EGL_BAD_CONFIG, "EGL_BAD_CONFIG"},           {EGL_BAD_CONTEXT, "EGL_BAD_CONTEXT"},
        {EGL_BAD_DISPLAY, "EGL_BAD_DISPLAY"},         {EGL_BAD_MATCH, "EGL_BAD_MATCH"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error)
            return names[i].name;
    return "unknown error";
}

static bool failed(char *reason, size_t reason_size, const char *function)
{
    snprintf(reason, reason_size, "%s failed: %s", function, error_name(eglGetError()));
    return false;
}

static bool make_context(struct native *native, char *reason, size_t reason_size)
{
    if (!eglInitialize(native->display, NULL, NULL))
        return failed(reason, reason_size, "eglInitialize");
    if (!eglBindAPI(EGL_OPENGL_API))
        return failed(reason, reason_size, "eglBindAPI");
    const char *extensions = eglQueryString(native->display, EGL_EXTENSIONS);
    const bool surfaceless = has_word(extensions, "EGL_KHR_surfaceless_context");

    // A config is only used if the display requires one. It must support pbuffers: by default
    // eglChooseConfig() requires windows, and finds nothing on a headless display.
    EGLConfig config = EGL_NO_CONFIG_KHR;
    if (!surfaceless || !has_word(extensions, "EGL_KHR_no_config_context")) {
        const EGLint attribute_list[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                 EGL_OPENGL_BIT, EGL_NONE};
        EGLint found = 0;
        if (!eglChooseConfig(native->display, attribute_list, &config, 1, &found) || found == 0) {
            snprintf(reason, reason_size, "no EGL config for OpenGL with pbuffers");
            return false;
        }
    }
    // Some drivers create exactly the requested version. 4.3 has compute shaders, 3.3 is
    // sufficient.
    for (int major = 4; major >= 3 && native->context == EGL_NO_CONTEXT; major--) {
        const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, major,
                                     EGL_CONTEXT_MINOR_VERSION, 3,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                     EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                     EGL_NONE};
        native->context = eglCreateContext(native->display, config, EGL_NO_CONTEXT, attributes);
    }
    if (native->context == EGL_NO_CONTEXT)
        return failed(reason, reason_size, "eglCreateContext (OpenGL 3.3 core)");
    if (!surfaceless) {
        const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
        native->surface = eglCreatePbufferSurface(native->display, config, size);
        if (native->surface == EGL_NO_SURFACE)
            return failed(reason, reason_size, "eglCreatePbufferSurface");
    }
    if (!eglMakeCurrent(native->display, native->surface, native->surface, native->context))
        return failed(reason, reason_size, "eglMakeCurrent");
    return true;
}

static bool make_current(void *handle)
{
    const struct native *native = handle;
    return eglMakeCurrent(native->display, native->surface, native->surface, native->context);
}

struct wp_gl_current wp_gl_get_current(void)
{
    return (struct wp_gl_current){
        .display = eglGetCurrentDisplay(),
        .draw = eglGetCurrentSurface(EGL_DRAW),
        .read = eglGetCurrentSurface(EGL_READ),
        .context = eglGetCurrentContext(),
        .window = wp_gl_glfw_get_current(),
        .api = eglQueryAPI(),
    };
}

// The calls refer to the current context of the bound API. OpenGL's context is released.
void wp_gl_set_current(const struct wp_gl_current *current)
{
    wp_gl_glfw_set_current(current->window);
    eglBindAPI(EGL_OPENGL_API);
    const EGLDisplay current_display = eglGetCurrentDisplay();
    if (current->context != EGL_NO_CONTEXT)
        eglMakeCurrent(current->display, current->draw, current->read, current->context);
    else if (current_display != EGL_NO_DISPLAY)
        eglMakeCurrent(current_display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglBindAPI(current->api);
}

// The display stays initialized: all contexts of the process share it, and eglTerminate() would
// destroy them.
static void destroy(void *handle)
{
    struct native *native = handle;
    if (native->context != EGL_NO_CONTEXT) {
        if (eglGetCurrentContext() == native->context)
            eglMakeCurrent(native->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (native->surface != EGL_NO_SURFACE)
            eglDestroySurface(native->display, native->surface);
        eglDestroyContext(native->display, native->context);
    }
    free(native);
}

static void *create(int index, char *reason, size_t reason_size)
{
    struct native *native = wp_allocate(1, sizeof *native, "a GL context");
    if (!native)
        return NULL;
    native->context = EGL_NO_CONTEXT;
    native->surface = EGL_NO_SURFACE;
    native->display = get_display(index, reason, reason_size);
    if (native->display == EGL_NO_DISPLAY || !make_context(native, reason, reason_size)) {
        destroy(native);
        return NULL;
    }
    return native;
}

const struct wp_gl_provider wp_gl_provider_egl = {
    .count = count,
    .name = name,
    .is_software = is_software,
    .create = create,
    .make_current = make_current,
    .destroy = destroy,
};
