#include "transform_struct.h"

#include "backend_gl.h"
#include "log.h"

#include <stdio.h>
#include <string.h>

static bool borrow(const struct wp_backend *backend, struct wp_gl *gl,
                   struct wp_backend_choice *choice, char *reason, size_t reason_size)
{
    if (!backend->gl) {
        snprintf(reason, reason_size, "it does not run on OpenGL");
        return false;
    }
    reason[0] = '\0';
    choice->device = backend->gl->borrow(gl, reason, reason_size);
    if (!choice->device)
        return false;
    choice->backend = backend;
    backend->describe(choice->device, &choice->info);
    return true;
}

static bool open_in(struct wp_gl *gl, const char *name, struct wp_backend_choice *choice)
{
    char reason[384] = "";
    choice->automatic = strcmp(name, "auto") == 0;
    const struct wp_backend *backend = choice->automatic ? NULL : wp_backend_find(name);
    if (!choice->automatic && !backend)
        return false;
    for (int i = 0; choice->automatic && wp_backends[i]; i++)
        if (borrow(wp_backends[i], gl, choice, reason, sizeof reason))
            return true;
    if (backend && borrow(backend, gl, choice, reason, sizeof reason))
        return true;
    return reason[0] &&
           wp_fail(WP_ERROR_UNAVAILABLE,
                   "backend '%s' is not available in the current context (%s)", name, reason);
}

struct wp_gl *wp_textures_open(const char *name, struct wp_backend_choice *choice)
{
    char reason[384];
    *choice = (struct wp_backend_choice){0};
    struct wp_gl *gl = wp_gl_wrap(reason, sizeof reason);
    if (!gl && reason[0])
        wp_fail(WP_ERROR_UNAVAILABLE, "the current OpenGL context cannot be used (%s)", reason);
    else if (gl && !open_in(gl, name, choice))
        wp_gl_destroy(&gl);
    return gl;
}

void wp_textures_enter(struct wp_textures_scope *scope, struct wp_gl *external_context,
                       bool uses_gl, bool dispatches)
{
    *scope = (struct wp_textures_scope){.external_context = external_context,
                                        .saved = !external_context && uses_gl};
    if (external_context)
        (dispatches ? wp_gl_enter_dispatches : wp_gl_enter)(external_context);
    if (!scope->saved)
        return;
    const struct wp_gl_current current = wp_gl_get_current();
    _Static_assert(sizeof current <= sizeof scope->current, "a saved context fits");
    memcpy(scope->current, &current, sizeof current);
}

void wp_textures_leave(const struct wp_textures_scope *scope)
{
    struct wp_gl_current current;
    if (scope->external_context)
        wp_gl_leave(scope->external_context);
    if (!scope->saved)
        return;
    memcpy(&current, scope->current, sizeof current);
    wp_gl_set_current(&current);
}

void wp_textures_close(struct wp_gl *gl)
{
    wp_gl_destroy(&gl);
}

int wp_textures_device_count(const struct wp_backend *backend)
{
    return backend->gl ? wp_gl_device_count() : 0;
}
