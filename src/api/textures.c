#include "textures.h"

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

struct wp_gl *wp_textures_visit(const char *name, struct wp_backend_choice *choice)
{
    char reason[384];
    *choice = (struct wp_backend_choice){0};
    struct wp_gl *gl = wp_gl_visit(reason, sizeof reason);
    if (!gl && reason[0])
        wp_fail(WP_ERROR_UNAVAILABLE, "the current OpenGL context cannot be used (%s)", reason);
    else if (gl && !open_in(gl, name, choice))
        wp_gl_destroy(&gl);
    return gl;
}

void wp_textures_enter(struct wp_gl *gl)
{
    if (gl)
        wp_gl_enter(gl);
}

void wp_textures_leave(struct wp_gl *gl)
{
    if (gl)
        wp_gl_leave(gl);
}

void wp_textures_close(struct wp_gl *gl)
{
    wp_gl_destroy(&gl);
}

static bool load(const struct wp_backend *backend, struct wp_exec *exec,
                 const struct wp_description *d, const struct wp_textures_side *from)
{
    struct wp_texture texture;
    if (!from->name)
        return backend->load(exec, &from->place);
    return wp_texture_of_name(from->name, d->size[WP_X], d->size[WP_Y], from->channels,
                              &texture) &&
           backend->gl->load_texture(exec, &texture, from->channel);
}

bool wp_textures_run(const struct wp_backend *backend, struct wp_exec *exec,
                     const struct wp_description *d, const struct wp_textures_side *from,
                     const struct wp_textures_side *to, double *seconds)
{
    // What cannot take the results is refused before there are any.
    struct wp_texture target = {0};
    if (to->name && !wp_texture_of_target(to->name, d->size[WP_X], d->size[WP_Y],
                                          to->channels, &target))
        return false;
    const bool ok = load(backend, exec, d, from) && backend->run(exec, seconds) &&
                    (to->name ? backend->gl->store_texture(exec, &target, to->channel)
                              : backend->store(exec, &to->place));
    wp_texture_let_go(&target);
    return ok;
}
