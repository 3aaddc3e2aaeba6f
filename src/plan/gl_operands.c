#include "gl_operands.h"

#include "backend_gl.h"
#include "buffer.h"
#include "log.h"

static bool load(const struct wp_backend *backend, struct wp_exec *exec,
                 const struct wp_description *d, const struct wp_operand *from, int plane,
                 int planes)
{
    struct wp_texture texture;
    if (from->location != WP_LOCATION_TEXTURE)
        return backend->load(exec, from);
    return wp_texture_of_name(from->name, d->size[WP_X], d->size[WP_Y], planes, &texture) &&
           backend->gl->load_texture(exec, &texture, plane);
}

bool wp_gl_operands_run(const struct wp_backend *backend, struct wp_exec *exec,
                     const struct wp_description *d, const struct wp_operand *from,
                     const struct wp_operand *to, int plane, int planes, double *seconds)
{
    // Checks the target before the transform runs.
    struct wp_texture target = {0};
    const bool to_texture = to->location == WP_LOCATION_TEXTURE;
    if (to_texture && !wp_texture_of_target(to->name, d->size[WP_X], d->size[WP_Y], planes,
                                            d->direction == WP_INVERSE, &target))
        return false;
    const bool ok = load(backend, exec, d, from, plane, planes) && backend->run(exec, seconds) &&
                    (to_texture ? backend->gl->store_texture(exec, &target, plane)
                                : backend->store(exec, to));
    wp_texture_unbind(&target);
    return ok;
}

bool wp_gl_operands_support_buffers(const struct wp_backend *backend)
{
    return backend->gl && backend->gl->run_on;
}

size_t wp_gl_operands_floats(const struct wp_backend *backend, const struct wp_exec *exec,
                          size_t *end)
{
    return backend->gl->floats(exec, end);
}

void wp_gl_operands_band_at(const struct wp_backend *backend, const struct wp_exec *exec, int level,
                         enum wp_band band, ptrdiff_t *first, ptrdiff_t stride[WP_DIMS_MAX])
{
    size_t at;
    backend->gl->band_at(exec, level, band, &at, stride);
    *first = (ptrdiff_t)at;
}

bool wp_gl_operands_run_on(const struct wp_backend *backend, struct wp_exec *exec, unsigned buffer,
                        int plane, size_t apart)
{
    size_t end;
    const size_t least = backend->gl->floats(exec, &end);
    if (apart != 0 && (apart < least || apart % WP_BUFFER_ALIGN != 0))
        return wp_fail(WP_ERROR_USAGE, "planes of a buffer cannot be %zu floats apart (a multiple "
                       "of %d, at least %zu)", apart, (int)WP_BUFFER_ALIGN, least);
    const size_t step = apart ? apart : least;
    return backend->gl->run_on(exec, buffer, (size_t)plane * step, step);
}
