#include "surfaces.h"

#include "memory.h"
#include "port_gl.h"
#include "program.h"

#include <stdlib.h>

// A strip of about this size is packed and sent at a time: the plane is never held twice.
enum { STRIP_BYTES = 1 << 20 };

bool wp_surfaces_create(struct wp_gl *gl, const struct wp_plan *plan,
                        struct wp_surfaces *surfaces)
{
    *surfaces = (struct wp_surfaces){.gl = gl, .plan = plan};
    surfaces->texture =
        wp_allocate((size_t)plan->surface_count, sizeof *surfaces->texture, "the textures");
    bool ok = surfaces->texture != NULL;
    surfaces->count = ok ? plan->surface_count : 0;
    int widest = 1;
    for (int s = 0; s < plan->surface_count && ok; s++) {
        const struct wp_surface *surface = &plan->surface[s];
        widest = surface->width > widest ? surface->width : widest;
        const struct wp_texture_params params = {
            .width = surface->width,
            .height = surface->height * wp_description_planes(&plan->description),
            .layers = surface->layers,
            .half = plan->description.precision == WP_PRECISION_F16,
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

// Does `act` with every strip of some ports of each plane.
static bool for_each_strip(const struct wp_surfaces *surfaces, const struct wp_port *ports,
                           int count,
                           bool (*act)(void *user, const struct wp_port *port, int plane, int y,
                                       int rows),
                           void *user)
{
    for (int p = 0; p < count * wp_description_planes(&surfaces->plan->description); p++) {
        const struct wp_port *port = &ports[p % count];
        const int most = surfaces->strip_quads / port->domain.width;
        for (int y = 0; y < port->domain.height; y += most) {
            const int left = port->domain.height - y;
            if (!act(user, port, p / count, y, left < most ? left : most))
                return false;
        }
    }
    return true;
}

// Quads on their way between a caller's memory and the textures.
struct traffic {
    const struct wp_surfaces *surfaces;
    const struct wp_place *place;
};

static bool pack_strip(void *user, const struct wp_port *port, int plane, int y, int rows)
{
    const struct traffic *t = user;
    wp_port_load(&t->surfaces->plan->description, port, t->place, plane, y, rows,
                 t->surfaces->strip);
    return true;
}

static bool unpack_strip(void *user, const struct wp_port *port, int plane, int y, int rows)
{
    const struct traffic *t = user;
    wp_port_store(&t->surfaces->plan->description, port, t->surfaces->strip, y, rows, t->place,
                  plane);
    return true;
}

static bool load_strip(void *user, const struct wp_port *port, int plane, int y, int rows)
{
    const struct traffic *t = user;
    const struct wp_surfaces *surfaces = t->surfaces;
    pack_strip(user, port, plane, y, rows);
    return wp_texture_write_layer(&surfaces->texture[port->surface], port->layer,
                                  port->x + port->domain.x,
                                  first_row(surfaces->plan, port, plane) + y, port->domain.width,
                                  rows, surfaces->strip);
}

bool wp_surfaces_pack(const struct wp_surfaces *surfaces, const struct wp_place *from)
{
    struct traffic traffic = {surfaces, from};
    return for_each_strip(surfaces, surfaces->plan->load, surfaces->plan->load_count, pack_strip,
                          &traffic);
}

bool wp_surfaces_unpack(const struct wp_surfaces *surfaces, const struct wp_place *to)
{
    struct traffic traffic = {surfaces, to};
    return for_each_strip(surfaces, surfaces->plan->store, surfaces->plan->store_count,
                          unpack_strip, &traffic);
}

bool wp_surfaces_load(const struct wp_surfaces *surfaces, const struct wp_place *from)
{
    struct traffic traffic = {surfaces, from};
    return wp_gl_make_current(surfaces->gl) &&
           for_each_strip(surfaces, surfaces->plan->load, surfaces->plan->load_count, load_strip,
                          &traffic) &&
           wp_gl_finish(surfaces->gl);
}

// Rows of a port on their way back.
struct strip {
    const struct wp_port *port;
    int plane, y, rows;
    struct wp_texture_copy copy;
};

// While a strip is taken apart, the GPU sends the next one.
struct download {
    struct traffic traffic;
    struct strip strip[2];
    int count;
};

static bool store_strip(const struct traffic *t, const struct strip *strip)
{
    const float *quads = wp_texture_copy_wait(&strip->copy);
    if (!quads)
        return false;
    wp_port_store(&t->surfaces->plan->description, strip->port, quads, strip->y, strip->rows,
                  t->place, strip->plane);
    wp_texture_copy_return(&strip->copy);
    return true;
}

static bool fetch_strip(void *user, const struct wp_port *port, int plane, int y, int rows)
{
    struct download *d = user;
    const struct wp_surfaces *surfaces = d->traffic.surfaces;
    struct strip *s = &d->strip[d->count++ % 2];
    s->port = port;
    s->plane = plane;
    s->y = y;
    s->rows = rows;
    wp_texture_copy_begin(&s->copy, &surfaces->texture[port->surface], port->layer,
                          port->x + port->domain.x, first_row(surfaces->plan, port, plane) + y,
                          port->domain.width, rows);
    return d->count == 1 || store_strip(&d->traffic, &d->strip[d->count % 2]);
}

bool wp_surfaces_store(const struct wp_surfaces *surfaces, const struct wp_place *to)
{
    const struct wp_plan *plan = surfaces->plan;
    struct download d = {.traffic = {surfaces, to}};
    if (!wp_gl_make_current(surfaces->gl))
        return false;
    const bool ok = for_each_strip(surfaces, plan->store, plan->store_count, fetch_strip, &d) &&
                    (d.count == 0 || store_strip(&d.traffic, &d.strip[(d.count - 1) % 2]));
    for (int i = 0; i < 2; i++)
        wp_texture_copy_destroy(&d.strip[i].copy);
    return ok && wp_gl_finish(surfaces->gl);
}

bool wp_surfaces_load_texture(const struct wp_surfaces *surfaces, const struct wp_texture *from,
                              int channel)
{
    const struct wp_plan *plan = surfaces->plan;
    bool ok = wp_gl_make_current(surfaces->gl);
    for (int p = 0; p < plan->load_count && ok; p++)
        ok = wp_port_load_texture(surfaces->gl, &plan->description, &plan->load[p], from, channel,
                                  &surfaces->texture[plan->load[p].surface]);
    return ok;
}

bool wp_surfaces_store_texture(const struct wp_surfaces *surfaces, const struct wp_texture *to,
                               int channel)
{
    const struct wp_plan *plan = surfaces->plan;
    bool ok = wp_gl_make_current(surfaces->gl);
    for (int p = 0; p < plan->store_count && ok; p++)
        ok = wp_port_store_texture(surfaces->gl, &plan->description, &plan->store[p],
                                   &surfaces->texture[plan->store[p].surface], to, channel);
    return ok;
}
