#include "surfaces.h"

#include "memory.h"
#include "program.h"

#include <stdlib.h>

// A strip of about this size is packed and sent at a time: the plane is never held twice.
enum { STRIP_BYTES = 1 << 20 };

bool wp_surfaces_create(struct wp_gl *gl, const struct wp_plan *plan,
                        struct wp_surfaces *surfaces)
{
    const size_t count = (size_t)plan->surface_count;
    *surfaces = (struct wp_surfaces){
        .gl = gl,
        .plan = plan,
        .count = plan->surface_count,
    };
    surfaces->texture = wp_xcalloc(count, sizeof *surfaces->texture);
    int widest = 1;
    bool ok = true;
    for (int s = 0; s < plan->surface_count && ok; s++) {
        const struct wp_surface *surface = &plan->surface[s];
        widest = surface->width > widest ? surface->width : widest;
        const struct wp_texture_params params = {
            .width = surface->width,
            .height = surface->height * wp_plan_stack(&plan->params),
            .layers = surface->layers,
            .half = plan->params.precision == WP_PRECISION_F16,
        };
        ok = wp_texture_create_from(gl, &params, &surfaces->texture[s]);
    }
    const int strip = STRIP_BYTES / (4 * (int)sizeof(float));
    surfaces->strip_quads = widest > strip ? widest : strip;
    if (ok)
        surfaces->strip = wp_allocate((size_t)surfaces->strip_quads, 4 * sizeof(float),
                                      "a strip");
    if (!surfaces->strip)
        wp_surfaces_destroy(surfaces);
    return surfaces->strip != NULL;
}

void wp_surfaces_destroy(struct wp_surfaces *surfaces)
{
    const bool current = surfaces->gl && wp_gl_make_current(surfaces->gl);
    for (int s = 0; s < surfaces->count && current; s++)
        wp_texture_destroy(&surfaces->texture[s]);
    free(surfaces->texture);
    free(surfaces->strip);
    *surfaces = (struct wp_surfaces){0};
}

// The row of a port's texture in which row 0 of its domain lies.
static int first_row(const struct wp_plan *plan, const struct wp_port *port, int index)
{
    return port->y + port->domain.y + index * plan->surface[port->surface].height;
}

static void load(const struct wp_surfaces *surfaces, const struct wp_port *port, int index,
                 const float *planes)
{
    const struct wp_plan *plan = surfaces->plan;
    const struct wp_rect *d = &port->domain;
    const int rows = surfaces->strip_quads / d->width;
    for (int y = 0; y < d->height; y += rows) {
        const int count = y + rows < d->height ? rows : d->height - y;
        wp_port_load(port, planes + wp_plan_plane_start(&plan->params, index), y, count,
                     surfaces->strip);
        wp_texture_write_layer(&surfaces->texture[port->surface], port->layer, port->x + d->x,
                               first_row(plan, port, index) + y, d->width, count,
                               surfaces->strip);
    }
}

bool wp_surfaces_load(const struct wp_surfaces *surfaces, const float *planes)
{
    const struct wp_plan *plan = surfaces->plan;
    if (!wp_gl_make_current(surfaces->gl))
        return false;
    for (int i = 0; i < wp_plan_stack(&plan->params); i++)
        for (int p = 0; p < plan->load_count; p++)
            load(surfaces, &plan->load[p], i, planes);
    return wp_gl_finish(surfaces->gl);
}

// Rows of a port on their way to the host.
struct strip {
    const struct wp_port *port;
    float *plane; // that they are of
    int y, rows;
    struct wp_texture_copy copy;
};

static bool store_strip(const struct strip *strip)
{
    const float *quads = wp_texture_copy_wait(&strip->copy);
    if (!quads)
        return false;
    wp_port_store(strip->port, quads, strip->y, strip->rows, strip->plane);
    wp_texture_copy_return(&strip->copy);
    return true;
}

// While a strip is taken apart, the GPU sends the next one.
static bool store_strips(const struct wp_surfaces *surfaces, struct strip strip[2], float *planes)
{
    const struct wp_plan *plan = surfaces->plan;
    const int ports = plan->store_count * wp_plan_stack(&plan->params);
    int count = 0;
    for (int p = 0; p < ports; p++) {
        const struct wp_port *port = &plan->store[p % plan->store_count];
        const int index = p / plan->store_count;
        const struct wp_rect *d = &port->domain;
        const int most = surfaces->strip_quads / d->width;
        for (int y = 0; y < d->height; y += most) {
            struct strip *s = &strip[count++ % 2];
            s->port = port;
            s->plane = planes + wp_plan_plane_start(&plan->params, index);
            s->y = y;
            s->rows = y + most < d->height ? most : d->height - y;
            wp_texture_copy_begin(&s->copy, &surfaces->texture[port->surface], port->layer,
                                  port->x + d->x, first_row(plan, port, index) + y, d->width,
                                  s->rows);
            if (count > 1 && !store_strip(&strip[count % 2]))
                return false;
        }
    }
    return count == 0 || store_strip(&strip[(count - 1) % 2]);
}

bool wp_surfaces_store(const struct wp_surfaces *surfaces, float *planes)
{
    struct strip strip[2] = {{0}, {0}};
    if (!wp_gl_make_current(surfaces->gl))
        return false;
    const bool ok = store_strips(surfaces, strip, planes);
    for (int i = 0; i < 2; i++)
        wp_texture_copy_destroy(&strip[i].copy);
    return ok && wp_gl_finish(surfaces->gl);
}
