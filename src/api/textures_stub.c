#include "transform_struct.h"

#include "log.h"

#include <stddef.h>

struct wp_gl *wp_textures_open(const char *name, struct wp_backend_choice *choice)
{
    (void)name;
    *choice = (struct wp_backend_choice){0};
    wp_fail(WP_ERROR_UNAVAILABLE, "this libwavepass was built without OpenGL");
    return NULL;
}

void wp_textures_enter(struct wp_textures_scope *scope, struct wp_gl *external_context,
                       bool uses_gl, bool dispatches)
{
    (void)scope, (void)external_context, (void)uses_gl, (void)dispatches;
}

void wp_textures_leave(const struct wp_textures_scope *scope)
{
    (void)scope;
}

void wp_textures_close(struct wp_gl *gl)
{
    (void)gl;
}

int wp_textures_device_count(const struct wp_backend *backend)
{
    (void)backend;
    return 0;
}
