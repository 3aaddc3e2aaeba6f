// Transforms in an OpenGL context of the caller. A build without OpenGL has stubs that fail.
#ifndef WP_TEXTURES_H
#define WP_TEXTURES_H

#include "registry.h"

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

#endif
