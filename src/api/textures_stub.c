#include "textures.h"

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

// Never called: wp_textures_open() failed.
bool wp_textures_run(const struct wp_backend *backend, struct wp_exec *exec,
                     const struct wp_description *d, const struct wp_operand *from,
                     const struct wp_operand *to, int plane, int planes, double *seconds)
{
    (void)backend, (void)exec, (void)d, (void)from, (void)to, (void)plane, (void)planes,
        (void)seconds;
    return wp_fail(WP_ERROR_UNAVAILABLE, "this libwavepass was built without OpenGL");
}

bool wp_textures_support_buffers(const struct wp_backend *backend)
{
    (void)backend;
    return false;
}

void wp_textures_lay_out(const struct wp_backend *backend, const struct wp_exec *exec,
                         const struct wp_description *d, struct wp_buffer_layout *layout,
                         struct wp_buffer_band *bands)
{
    (void)backend, (void)exec, (void)d, (void)layout, (void)bands;
}

bool wp_textures_run_on(const struct wp_backend *backend, struct wp_exec *exec, unsigned buffer,
                        int plane, size_t apart)
{
    (void)backend, (void)exec, (void)buffer, (void)plane, (void)apart;
    return false;
}
