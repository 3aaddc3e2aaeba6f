#include "quick_inverse.h"

#include "backend_gl.h"
#include "exchange.h"
#include "execute.h"
#include "memory.h"

#include <stdlib.h>

struct wp_quick_inverse {
    const struct wp_backend *backend;
    struct wp_gl *gl;
    struct wp_description description;
    struct wp_wavelet wavelet;
    struct wp_exec *exec;
    float *coefficients, *samples; // for a backend without textures
    bool complete;                 // the backend has all levels
};

const char *wp_quick_inverse_backend(struct wp_devices *devices)
{
    const char *name = wp_gl_get_info(devices->gl)->software ? "cpu" : "compute";
    char reason[256];
    return wp_devices_probe(devices, name, reason, sizeof reason) ? name : NULL;
}

struct wp_quick_inverse *wp_quick_inverse_create(struct wp_devices *devices,
                                                 const struct wp_description *description)
{
    struct wp_quick_inverse *quick = wp_allocate(1, sizeof *quick, "an inverse transform");
    const char *name = quick ? wp_quick_inverse_backend(devices) : NULL;
    if (!name) {
        free(quick);
        return NULL;
    }
    quick->gl = devices->gl;
    quick->backend = wp_backends[wp_devices_find(name)];
    quick->description = *description;
    quick->wavelet = *description->wavelet;
    quick->description.wavelet = &quick->wavelet;
    quick->description.direction = WP_INVERSE;
    const struct wp_description *d = &quick->description;
    quick->exec = quick->backend->prepare(wp_devices_get(devices, name), d, NULL);
    bool ok = quick->exec && wp_gl_make_current(quick->gl);
    if (ok && !quick->backend->gl) {
        quick->coefficients =
            wp_allocate(wp_description_coefficients(d), sizeof(float), "coefficients");
        quick->samples = wp_allocate(wp_description_samples(d), sizeof(float), "an image");
        ok = quick->coefficients && quick->samples;
    }
    if (!ok)
        wp_quick_inverse_destroy(&quick);
    return quick;
}

void wp_quick_inverse_destroy(struct wp_quick_inverse **quick)
{
    struct wp_quick_inverse *q = *quick;
    *quick = NULL;
    if (!q)
        return;
    if (q->exec)
        q->backend->release(q->exec);
    free(q->coefficients);
    free(q->samples);
    free(q);
}

static bool read_level(struct wp_quick_inverse *quick, int l, const struct wp_quads *from)
{
    if (quick->backend->gl)
        return quick->backend->gl->read_quads(quick->exec, l, from->texture, from->x, from->y);
    return wp_exchange_download(&quick->description, l, from->texture, from->x, from->y,
                                quick->coefficients);
}

static bool transform(struct wp_quick_inverse *quick, const struct wp_texture *image,
                      double *seconds)
{
    const struct wp_backend *b = quick->backend;
    const struct wp_description *d = &quick->description;
    double run = 0;
    if (b->gl && !(b->run(quick->exec, &run) && b->gl->write_quads(quick->exec, 0, image)))
        return false;
    if (!b->gl) {
        const struct wp_operand from = wp_operand_coefficients(d, quick->coefficients);
        const struct wp_operand to = wp_operand_dense(d, quick->samples);
        struct wp_exec_seconds times = {0};
        if (!wp_exec_transform(b, quick->exec, &from, &to, &times) ||
            !wp_exchange_upload(d, 0, quick->samples, image))
            return false;
        run = times.run;
    }
    *seconds = run;
    return true;
}

bool wp_quick_inverse_run(struct wp_quick_inverse *quick, const struct wp_quads level[],
                          bool stale[], const struct wp_texture *image, double *seconds)
{
    bool ok = true;
    for (int l = 1; l <= wp_description_levels(&quick->description) && ok; l++) {
        ok = (quick->complete && !stale[l]) || read_level(quick, l, &level[l]);
        stale[l] = stale[l] && !ok;
    }
    quick->complete = ok;
    return ok && transform(quick, image, seconds) && wp_gl_make_current(quick->gl);
}

bool wp_instance_has_quick(const struct wp_instance *t)
{
    const bool steps = t->textures && t->textures->step;
    const bool own = t->exchanges || (t->surfaces[WP_INVERSE] && !steps);
    return t->levels > 0 && !t->volume && !t->packets && !t->plan[WP_INVERSE] &&
           !t->params.view.reversible && t->params.view.precision == WP_PRECISION_F32 && !own &&
           !t->no_quick && wp_quick_inverse_backend(t->devices);
}

bool wp_instance_inverse_quick(struct wp_instance *t)
{
    if (!t->quick)
        t->quick = wp_quick_inverse_create(t->devices, &t->description);
    t->no_quick = !t->quick;
    if (!t->quick || !(t->image_copy.id ||
                       wp_texture_create(t->gl, wp_level_size(t->plane.width, 1),
                                         wp_level_size(t->plane.height, 1), &t->image_copy)))
        return false;
    t->image = (struct wp_quads){&t->image_copy, 0, 0};
    return wp_quick_inverse_run(t->quick, t->edited, t->stale, &t->image_copy,
                                &t->seconds[WP_INVERSE]);
}
