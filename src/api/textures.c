#include "textures.h"

#include "backend_gl.h"
#include "buffer.h"
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

bool wp_textures_run(const struct wp_backend *backend, struct wp_exec *exec,
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

bool wp_textures_support_buffers(const struct wp_backend *backend)
{
    return backend->gl && backend->gl->run_on;
}

static struct wp_buffer_band find_band(const struct wp_backend *backend,
                                       const struct wp_exec *exec, int level, enum wp_band band)
{
    struct wp_buffer_band band_at;
    backend->gl->band_at(exec, level, band, &band_at.first, band_at.stride);
    return band_at;
}

void wp_textures_lay_out(const struct wp_backend *backend, const struct wp_exec *exec,
                         const struct wp_description *d, struct wp_buffer_layout *layout,
                         struct wp_buffer_band *bands)
{
    size_t end;
    const size_t plane = backend->gl->floats(exec, &end);
    *layout = (struct wp_buffer_layout){
        .plane = plane,
        .end = end,
        .image = find_band(backend, exec, 0, WP_BAND_LL),
        // Without levels image and coefficients are the same.
        .coefficients = wp_description_levels(d) ? find_band(backend, exec, 1, WP_BAND_LL).first
                                                 : 0,
    };
    for (int i = 0; bands && i < wp_subband_count(d); i++) {
        enum wp_band band = WP_BAND_LL;
        const int level = wp_subband_at(d, i, &band);
        bands[i] = find_band(backend, exec, level, band);
    }
}

bool wp_textures_run_on(const struct wp_backend *backend, struct wp_exec *exec, unsigned buffer,
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
