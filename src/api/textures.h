// Transforms in a GL context of the caller's, and between textures of it. In a build without
// OpenGL there are none.
#ifndef WP_TEXTURES_H
#define WP_TEXTURES_H

#include "registry.h"
#include "wavepass.h"

struct wp_gl; // context.h

// Opens a backend by name, or with "auto" the first one that can, in the context that is current.
// Its state is the library's until wp_textures_leave(). NULL after WP_ERROR_USAGE or
// WP_ERROR_UNAVAILABLE, and the state is as it was.
struct wp_gl *wp_textures_visit(const char *backend, struct wp_backend_choice *choice);
// Leaves as well. Its device has to be closed before, between enter() and leave(). Accepts NULL.
void wp_textures_close(struct wp_gl *gl);

// What a call of the library changes in the calling thread, and leave() restores: the state of the
// caller's context where the transform runs in it, else the context that was current.
struct wp_textures_scope {
    struct wp_gl *external_context;
    bool saved;
    void *current[6];
};

// `external_context` is the caller's context, or NULL; without one the current context is saved if `own`,
// which a call that makes a context of the library current requires. `dispatches`: the call only
// dispatches on buffers of the caller, which takes a tenth of the calls of OpenGL.
void wp_textures_enter(struct wp_textures_scope *scope, struct wp_gl *external_context, bool own,
                       bool dispatches);
void wp_textures_leave(const struct wp_textures_scope *scope);

// How many device numbers a backend on OpenGL has; 0 for the others.
int wp_textures_device_count(const struct wp_backend *backend);

// A side of a transform of one plane: a channel of a texture, or where its name is 0, memory.
struct wp_texture_operand {
    unsigned name;
    int channel, channels; // which one, and how many of them planes will want
    struct wp_operand memory;
};

// Runs what was made ready for one plane. False after WP_ERROR_USAGE where a texture cannot be
// used, or the backend's error.
bool wp_textures_run(const struct wp_backend *backend, struct wp_exec *exec,
                     const struct wp_description *description, const struct wp_texture_operand *from,
                     const struct wp_texture_operand *to, double *seconds);

// Whether a backend works on buffers of a caller's; the others are for those that do.
bool wp_textures_support_buffers(const struct wp_backend *backend);
void wp_textures_lay_out(const struct wp_backend *backend, const struct wp_exec *exec,
                         const struct wp_description *description,
                         struct wp_buffer_layout *layout, struct wp_buffer_band *bands);
// From plane number `plane` on, with planes `apart`, 0: as they are laid out.
bool wp_textures_run_on(const struct wp_backend *backend, struct wp_exec *exec, unsigned buffer,
                        int plane, size_t apart);

#endif
