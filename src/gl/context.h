// OpenGL contexts without a window, and what they can do.
//
// A context comes from one of several places: each EGL device, EGL's surfaceless platform,
// EGL's default display, a hidden GLFW window. The places are numbered in that order. In a page
// there is one: WebGL 2, OpenGL ES 3.0.
#ifndef WP_CONTEXT_H
#define WP_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { WP_GL_ANY = -1 };

// Read-only facts of a context.
struct wp_gl_info {
    char device_name[96];   // "EGL device 0 (/dev/dri/renderD128)", "EGL surfaceless"
    char vendor[64], renderer[128], version[96], glsl[48];
    bool software;         // no GPU behind it: llvmpipe, softpipe, SwiftShader, swrast
    bool gpu_timer;        // GL_TIME_ELAPSED can be trusted
    bool late_timer;       // it is known when the caller has returned: in pages alone
    bool links_aside;      // one can ask whether a program is linked: in pages alone
    int max_texture;       // GL_MAX_TEXTURE_SIZE
    int max_layers;        // GL_MAX_ARRAY_TEXTURE_LAYERS
    int gl_version;        // 10 * major + minor
    bool fine_derivatives; // GL_ARB_derivative_control
    bool texture_views;    // OpenGL 4.3 or GL_ARB_texture_view
    bool half_only;        // RGBA16F can be rendered to, RGBA32F cannot: in pages alone
    int max_attachments;   // color attachments that one pass can write
    // Of compute shaders; 0 below OpenGL 4.3.
    int max_invocations, max_shared; // of a workgroup, along x; its shared memory in bytes
    int max_storage;       // bytes of a buffer that they reach
    int max_images;        // that fragments can write without attachments; 0 below OpenGL 4.3
};

struct wp_gl; // a context, with its programs and its one vertex array

// Makes a context of OpenGL 3.3 core or later at a place, or at the first one that works:
// EGL devices with hardware, EGL devices in software, then the other places. Checks that
// RGBA32F textures can be rendered to. It is current on return. NULL on failure; `reason`
// (not NULL) then says in one line what was tried and why it failed; it is "" after
// WP_ERROR_TOO_LARGE, where memory is short.
struct wp_gl *wp_gl_create(int place, char *reason, size_t reason_size);

// A context that someone else made, such as that of a window: it is current, and stays theirs.
struct wp_gl_external {
    const char *name;                   // of the place, for people
    bool (*make_current)(void *handle); // true where it is current in this thread now
    void *handle;
};

// Like wp_gl_create(). wp_gl_destroy() leaves the context itself alone.
struct wp_gl *wp_gl_adopt(const struct wp_gl_external *external, char *reason, size_t reason_size);

// The context that is current in the calling thread, of a program that goes on using it: whatever
// is called for it has to find it current. Its state is ours from here to wp_gl_leave() and from
// each wp_gl_enter() to the next one, and the program's between them; nobody listens to what the
// driver has to say. Like wp_gl_create() else. wp_gl_destroy(), between the two, leaves as well.
struct wp_gl *wp_gl_wrap(char *reason, size_t reason_size);

// enter() keeps the state and sets what the functions of this layer take for granted, leave()
// restores it; errors that are pending are lost. Neither does anything in other contexts, nor a
// second time. Between them there may be no query of time, no transform feedback and no conditional
// rendering.
void wp_gl_enter(struct wp_gl *gl);
// The same for who does nothing but dispatches on buffers, which takes a tenth of the calls.
void wp_gl_enter_dispatches(struct wp_gl *gl);
void wp_gl_leave(struct wp_gl *gl);

// How many textures, framebuffers, programs, shaders, buffers and queries there are: so that a
// test can see whether their number grows. Needs its context to be current.
int wp_gl_count_objects(struct wp_gl *gl);

void wp_gl_destroy(struct wp_gl **gl); // accepts NULL, clears the pointer

// Makes the context current in this thread. Every function of texture.h and program.h needs
// its context to be current. Here and in wp_gl_finish() the driver's messages are logged.
bool wp_gl_make_current(struct wp_gl *gl);

// The context that is current in this thread, for code that makes another one current for a while:
// EGL's, with the API that EGL has bound, and GLFW's once a hidden window has been created. Contexts
// of GLX and WGL that GLFW did not create are not among them.
struct wp_gl_current {
    void *display, *draw, *read, *context, *window;
    unsigned api;
};
struct wp_gl_current wp_gl_get_current(void);
// Makes it current again, or none if none was.
void wp_gl_set_current(const struct wp_gl_current *current);

const struct wp_gl_info *wp_gl_get_info(const struct wp_gl *gl);

// How many places there are, and what each is called. Creates nothing.
int wp_gl_device_count(void);
void wp_gl_device_name(int place, char *name, size_t size);

// The place whose GPU is the CUDA device of that number, or -1: EGL's order of devices is not
// CUDA's. Creates nothing.
int wp_gl_find_cuda_device(int cuda_device);

#endif
