// Declarations shared by the files of this layer.
#ifndef WP_GL_INTERNAL_H
#define WP_GL_INTERNAL_H

#include "context.h"
#include "functions.h"
#include "texture.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct wp_gl_cache; // programs by kind and source; program.c

// ---- providers of contexts (EGL, GLFW), and the program cache ----

struct wp_gl_provider {
    // The number of devices; 0 if the provider is not available.
    int (*count)(void);
    void (*name)(int index, char *name, size_t size);
    // True if the device is known to render in software; it is tried after the others.
    bool (*is_software)(int index);
    // Creates a context and makes it current. NULL and a reason on failure.
    void *(*create)(int index, char *reason, size_t reason_size);
    bool (*make_current)(void *native);
    void (*destroy)(void *native); // the context need not be current
};

extern const struct wp_gl_provider wp_gl_provider_egl;
extern const struct wp_gl_provider wp_gl_provider_glfw;

// The GLFW window that is current in this thread. NULL before a hidden window was created.
void *wp_gl_glfw_get_current(void);
void wp_gl_glfw_set_current(void *window);

struct wp_gl_cache *wp_gl_cache_create(void);
void wp_gl_cache_destroy(struct wp_gl_cache *cache); // requires the context to be current

// ---- the layer ----

// Messages of the driver that were not logged yet; messages.c.
struct wp_gl_messages {
    pthread_mutex_t lock;
    size_t used;
    int lost; // messages that did not fit
    bool listens;
    char text[8192];
};

// _begin and _end require the context to be current; _log must be called in its thread. If `listen`
// is false, messages of the driver are not received.
void wp_gl_messages_begin(struct wp_gl_messages *messages, bool listen);
void wp_gl_messages_log(struct wp_gl_messages *messages);
void wp_gl_messages_end(struct wp_gl_messages *messages);

// The numbers of fragments and invocations, as requested and as counted by the device;
// draw_check.c.
enum wp_gl_draw_check_kind {
    WP_GL_DRAW_CHECK_DRAWN,
    WP_GL_DRAW_CHECK_COMPUTED,
    WP_GL_DRAW_CHECK_KINDS
};
struct wp_gl_draw_check {
    GLuint query; // 0: not counted
    double expected;  // requested texels or invocations
};
void wp_gl_draw_check_free(struct wp_gl *gl); // requires the context to be current

struct wp_gl {
    struct wp_gl_info info;
    const struct wp_gl_provider *provider;
    struct wp_gl_provider adopted; // provider of a context of the caller
    void *native;
    unsigned vertex_array;
    struct wp_gl_cache *cache;
    struct wp_gl_draw_check draw_check[WP_GL_DRAW_CHECK_KINDS];
    struct wp_gl_messages messages;
    struct wp_gl_state *saved_state; // of a wrapped context: its saved state; else NULL
    bool accepts_half; // accept 16-bit render targets if there are no others (wp_gl_info.half_only)
};

// Loads the functions of OpenGL for the current context. False and the reason if some are missing.
bool wp_gl_load_functions(char *reason, size_t reason_size);

// Queries the current context, whose provider and native handle are set. False and the reason if it
// does not meet the requirements.
bool wp_gl_set_up(struct wp_gl *gl, char *reason, size_t reason_size);

// The saved state of a wrapped context; state.c.
struct wp_gl_state;
struct wp_gl_state *wp_gl_state_create(void); // NULL after WP_ERROR_TOO_LARGE
void wp_gl_state_destroy(struct wp_gl_state *state); // accepts NULL
// Sets the state that functions of this layer assume.
void wp_gl_state_set(struct wp_gl *gl);

// Creates a texture and its framebuffer and returns the framebuffer's status, or 0 if the texture
// cannot be created. The texture must be destroyed in any case.
GLenum wp_gl_try_texture(const struct wp_texture_params *params, struct wp_texture *texture);

#endif
