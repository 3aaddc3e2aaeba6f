// OpenGL contexts without a window, and their capabilities.
//
// Contexts are created on devices, which are numbered in this order: all EGL devices, EGL's
// surfaceless platform, EGL's default display, a hidden GLFW window. A web page has one device:
// WebGL 2, which is OpenGL ES 3.0.
#ifndef WP_CONTEXT_H
#define WP_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { WP_GL_ANY = -1 };

// Read-only facts of a context.
struct wp_gl_info {
    char device_name[96];   // "EGL device 0 (/dev/dri/renderD128)", "EGL surfaceless"
    char vendor[64], renderer[128], version[96], glsl[48];
    bool software;         // rendered without a GPU: llvmpipe, softpipe, SwiftShader, swrast
    bool gpu_timer;        // GL_TIME_ELAPSED is reliable
    bool late_timer;       // the time is available after the caller has returned; web pages only
    bool links_in_parallel;      // programs link in parallel, and can be queried; web pages only
    int max_texture;       // GL_MAX_TEXTURE_SIZE
    int max_layers;        // GL_MAX_ARRAY_TEXTURE_LAYERS
    int gl_version;        // 10 * major + minor
    bool fine_derivatives; // GL_ARB_derivative_control
    bool texture_views;    // OpenGL 4.3 or GL_ARB_texture_view
    bool half_only;        // RGBA16F is renderable, RGBA32F is not; web pages only
    int max_attachments;   // color attachments that one pass can write
    // Only for compute shaders; 0 before OpenGL 4.3.
    int max_invocations, max_shared; // of a workgroup, along x; shared memory in bytes
    int max_storage;       // bytes of a storage block
    int max_images;        // that fragment shaders can write
};

struct wp_gl; // a context with its programs and vertex array

// Creates a context of OpenGL 3.3 core or later on a device, or with WP_GL_ANY on the first one
// that works: EGL devices with a GPU, EGL devices in software, then the others. RGBA32F textures
// must be renderable. The context is current on return. Returns NULL on failure; `reason` (not
// NULL) gets one line with all attempts and their errors, or "" after WP_ERROR_TOO_LARGE.
struct wp_gl *wp_gl_create(int device, char *reason, size_t reason_size);

// A context that the caller created, such as that of a window. It must be current and outlive
// wp_gl.
struct wp_gl_external {
    const char *name;                   // of the device, for people
    bool (*make_current)(void *handle); // returns true if it is current in this thread
    void *handle;
};

// Like wp_gl_create(). wp_gl_destroy() does not destroy the context.
struct wp_gl *wp_gl_adopt(const struct wp_gl_external *external, char *reason, size_t reason_size);

// Uses the context that is current in the calling thread and that its program continues to use. The
// context must be current in all calls. Its state belongs to this layer until wp_gl_leave(), and
// again from wp_gl_enter() to the next wp_gl_leave(). Messages of the driver are not received.
// Otherwise like wp_gl_create(). wp_gl_destroy() also leaves.
struct wp_gl *wp_gl_wrap(char *reason, size_t reason_size);

// wp_gl_enter() saves the state and sets the one that functions of this layer assume; wp_gl_leave()
// restores it. Pending errors are lost. Both do nothing for contexts that are not wrapped, or if
// called twice. Between them no time query, transform feedback or conditional rendering may be
// active.
void wp_gl_enter(struct wp_gl *gl);
// wp_gl_enter() for dispatches on buffers only, with a tenth of the GL calls.
void wp_gl_enter_dispatches(struct wp_gl *gl);
void wp_gl_leave(struct wp_gl *gl);

// The number of textures, framebuffers, programs, shaders, buffers and queries, for tests of leaks.
// Requires the context to be current.
int wp_gl_count_objects(struct wp_gl *gl);

void wp_gl_destroy(struct wp_gl **gl); // accepts NULL, clears the pointer

// Makes the context current in this thread, which all functions of texture.h and program.h require.
// Logs messages of the driver, as wp_gl_finish() does.
bool wp_gl_make_current(struct wp_gl *gl);

// The context that is current in this thread, for code that temporarily makes another one current:
// EGL's, with the bound API, and GLFW's after a hidden window was created. Contexts of GLX and WGL
// that GLFW did not create are not supported.
struct wp_gl_current {
    void *display, *draw, *read, *context, *window;
    unsigned api;
};
struct wp_gl_current wp_gl_get_current(void);
// Restores the current context, or releases the context if none was current.
void wp_gl_set_current(const struct wp_gl_current *current);

const struct wp_gl_info *wp_gl_get_info(const struct wp_gl *gl);

// The number of devices, and the name of each. Create nothing.
int wp_gl_device_count(void);
void wp_gl_device_name(int device, char *name, size_t size);

// The number of the device whose GPU is a CUDA device, or -1; EGL's order may differ from CUDA's.
// Creates nothing.
int wp_gl_find_cuda_device(int cuda_device);

#endif
