#include "gl_operands.h"

#include "log.h"

bool wp_gl_operands_run(const struct wp_backend *backend, struct wp_exec *exec,
                     const struct wp_description *d, const struct wp_operand *from,
                     const struct wp_operand *to, int plane, int planes, double *seconds)
{
    (void)backend, (void)exec, (void)d, (void)from, (void)to, (void)plane, (void)planes,
        (void)seconds;
    return wp_fail(WP_ERROR_UNAVAILABLE, "this libwavepass was built without OpenGL");
}

bool wp_gl_operands_support_buffers(const struct wp_backend *backend)
{
    (void)backend;
    return false;
}

bool wp_gl_operands_run_on(const struct wp_backend *backend, struct wp_exec *exec, unsigned buffer,
                        int plane, size_t apart)
{
    (void)backend, (void)exec, (void)buffer, (void)plane, (void)apart;
    return false;
}

size_t wp_gl_operands_floats(const struct wp_backend *backend, const struct wp_exec *exec,
                          size_t *end)
{
    (void)backend, (void)exec, (void)end;
    return 0;
}

void wp_gl_operands_band_at(const struct wp_backend *backend, const struct wp_exec *exec, int level,
                         enum wp_band band, ptrdiff_t *first, ptrdiff_t stride[WP_DIMS_MAX])
{
    (void)backend, (void)exec, (void)level, (void)band, (void)first, (void)stride;
}
