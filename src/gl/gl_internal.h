// Shared by the files of this layer.
#ifndef WP_GL_INTERNAL_H
#define WP_GL_INTERNAL_H

#include "functions.h"

#include "context.h"
#include "context_internal.h"
#include "texture.h"

#include <pthread.h>

// Messages of the driver that nobody was told yet; messages.c.
struct wp_gl_messages {
    pthread_mutex_t lock;
    size_t used;
    int lost; // for which there was no room
    bool listens;
    char text[8192];
};

// _begin and _end need the context to be current, and _log is for its thread.
// Without `listen` the driver's messages go where they went.
void wp_gl_messages_begin(struct wp_gl_messages *messages, bool listen);
void wp_gl_messages_log(struct wp_gl_messages *messages);
void wp_gl_messages_end(struct wp_gl_messages *messages);

// What programs are told to do, and the device's count of it; draw_check.c.
enum wp_gl_draw_check_kind { WP_GL_DRAW_CHECK_DRAWN, WP_GL_DRAW_CHECK_COMPUTED, WP_GL_DRAW_CHECK_KINDS };
struct wp_gl_draw_check {
    GLuint query; // 0: it is not counted
    double told;  // texels or invocations
};
void wp_gl_draw_check_free(struct wp_gl *gl); // needs the context to be current

struct wp_gl {
    struct wp_gl_info info;
    const struct wp_gl_provider *provider;
    struct wp_gl_provider adopted; // the provider of a context that is not ours
    void *native;
    unsigned vertex_array;
    struct wp_gl_cache *cache;
    struct wp_gl_draw_check work[WP_GL_DRAW_CHECK_KINDS];
    struct wp_gl_messages messages;
    struct wp_gl_state *shares_device; // of a external_context context: what it is to get back; else NULL
    bool half_will_do; // where render targets have 16 bits at most (wp_gl_info.half_only)
};

// Finds the functions of OpenGL for the current context. False with the reason where some are not
// there.
bool wp_gl_load_functions(char *reason, size_t reason_size);

// Fills in what is known of the current context, whose provider and native handle are set. False
// with the reason where it does not do.
bool wp_gl_set_up(struct wp_gl *gl, char *reason, size_t reason_size);

// What a program had set in its context; state.c.
struct wp_gl_state;
struct wp_gl_state *wp_gl_state_create(void); // NULL after WP_ERROR_TOO_LARGE
void wp_gl_state_destroy(struct wp_gl_state *state); // accepts NULL
// What the functions of this layer take for granted.
void wp_gl_state_set(struct wp_gl *gl);

// Makes a texture and its framebuffer and returns the framebuffer's status, or 0 when the
// texture itself could not be had. Destroy the texture in any case.
GLenum wp_gl_try_texture(const struct wp_texture_params *params, struct wp_texture *texture);

#endif
