// Transforms in an OpenGL context of the caller, on its textures and buffers. A build without
// OpenGL has stubs that fail.
#ifndef WP_TEXTURES_H
#define WP_TEXTURES_H

#include "registry.h"
#include "wavepass.h"

struct wp_gl; // context.h

// Opens a backend by name, or for "auto" the first one that works, in the current context. The library
// may change the state of that context until wp_textures_leave(). NULL after WP_ERROR_USAGE or
// WP_ERROR_UNAVAILABLE, with the state restored.
struct wp_gl *wp_textures_open(const char *backend, struct wp_backend_choice *choice);
// Includes wp_textures_leave(). The device must be closed before, between enter() and leave().
// Accepts NULL.
void wp_textures_close(struct wp_gl *gl);

// State of the calling thread that enter() saves and leave() restores: the state of the caller's
// context if the transform runs in it, else which context is current.
struct wp_textures_scope {
    struct wp_gl *external_context;
    bool saved;
    void *current[6];
};

// `external_context` is the caller's context, or NULL. `uses_gl`: the call makes a context of the
// library current. `dispatches`: the call only dispatches on buffers of the caller, so that less
// state is saved.
void wp_textures_enter(struct wp_textures_scope *scope, struct wp_gl *external_context,
                       bool uses_gl, bool dispatches);
void wp_textures_leave(const struct wp_textures_scope *scope);

// The number of devices of a backend on OpenGL; 0 for other backends.
int wp_textures_device_count(const struct wp_backend *backend);

// Runs an exec for plane `plane` of `planes`, which is a channel of operands that are textures.
// False after WP_ERROR_USAGE if a texture is not suitable, or after an error of the backend.
bool wp_textures_run(const struct wp_backend *backend, struct wp_exec *exec,
                     const struct wp_description *description, const struct wp_operand *from,
                     const struct wp_operand *to, int plane, int planes, double *seconds);

// Whether a backend works on buffers of the caller. The functions below require it.
bool wp_textures_support_buffers(const struct wp_backend *backend);
void wp_textures_lay_out(const struct wp_backend *backend, const struct wp_exec *exec,
                         const struct wp_description *description,
                         struct wp_buffer_layout *layout, struct wp_buffer_band *bands);
// Runs an exec on a buffer, from plane `plane` on; planes are `apart` floats apart (0: as in the
// layout).
bool wp_textures_run_on(const struct wp_backend *backend, struct wp_exec *exec, unsigned buffer,
                        int plane, size_t apart);

#endif
