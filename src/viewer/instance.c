#include "instance.h"

#include "backend_gl.h"
#include "edit.h"
#include "log.h"
#include "memory.h"
#include "execute.h"
#include "instance_volume.h"
#include "integer_samples_view.h"
#include "surfaces.h"
#include "view_shaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_backend(const char *name)
{
    for (int i = 0; wp_backends[i]; i++)
        if (strcmp(wp_backends[i]->name, name) == 0)
            return i;
    return -1;
}

// Compute shaders take minutes to compile in software, and the window would stand still.
static bool can_wait_for(const struct wp_backend *backend, const struct wp_gl_info *info,
                         char *reason, size_t size)
{
    if (!backend->slow_in_software || !info->software)
        return true;
    snprintf(reason, size, "%s needs minutes to compile its programs", info->renderer);
    return false;
}

bool wp_devices_probe(struct wp_devices *devices, const char *name, char *reason,
                      size_t reason_size)
{
    const int i = find_backend(name);
    if (i < 0) {
        snprintf(reason, reason_size, "unknown backend");
        return false;
    }
    if (devices->open[i].device)
        return true;
    const struct wp_backend *backend = wp_backends[i];
    if (!can_wait_for(backend, wp_gl_get_info(devices->gl), reason, reason_size))
        return false;
    devices->open[i].device =
        backend->gl ? backend->gl->borrow(devices->gl, reason, reason_size)
                    : backend->open(WP_DEVICE_ANY, true, reason, reason_size);
    if (devices->open[i].device)
        backend->describe(devices->open[i].device, &devices->open[i].info);
    return wp_gl_make_current(devices->gl) && devices->open[i].device;
}

void wp_devices_close(struct wp_devices *devices)
{
    for (int i = 0; wp_backends[i]; i++) {
        if (devices->open[i].device)
            wp_backends[i]->close(devices->open[i].device);
        devices->open[i].device = NULL;
    }
}

void wp_instance_set_backend(struct wp_instance_view *view, const struct wp_backend *backend)
{
    snprintf(view->backend, sizeof view->backend, "%s", backend->name);
    view->variant[0] = '\0';
    if (!backend->half)
        view->precision = WP_PRECISION_F32;
}

static struct wp_description describe(const struct wp_instance *side)
{
    return (struct wp_description){
        .wavelet = &side->wavelet,
        .kind = &wp_scheme_kinds[side->params.view.scheme],
        .form = side->params.view.plain ? WP_FORM_PLAIN : WP_FORM_SHADER,
        .norm = (enum wp_norm)side->params.norm,
        .border = (enum wp_border)side->params.border,
        .layout = WP_LAYOUT_MALLAT,
        .precision = (enum wp_precision)side->params.view.precision,
        .reversible = side->params.view.reversible,
        .levels = side->levels,
        .size = {side->plane.width, side->plane.height},
    };
}

static bool prepare(struct wp_instance *side, struct wp_device *device, enum wp_direction direction)
{
    const char *name = side->params.view.variant[0] ? side->params.view.variant : NULL;
    const struct wp_variant *variant;
    struct wp_description d = side->description;
    d.direction = direction;
    if (wp_description_check(&d) && wp_backend_find_variant(side->backend, name, &d, &variant))
        side->exec[direction] = side->backend->prepare(device, &d, variant);
    return side->exec[direction] != NULL;
}

// What the backend has on textures is not for integers, which are none there (integer_samples_view.h).
static const struct wp_backend_gl *textures_of(const struct wp_instance *side)
{
    return side->volume || side->params.view.reversible ? NULL : side->backend->gl;
}

// NULL where what is computed has to be copied to textures.
static const struct wp_surfaces *surfaces_of(const struct wp_instance *side,
                                             enum wp_direction direction,
                                             const struct wp_plan **plan)
{
    const struct wp_backend_gl *gl = textures_of(side);
    return gl && gl->surfaces ? gl->surfaces(side->exec[direction], plan) : NULL;
}

// What it computes lies on textures of its own, where it is looked at.
static bool has_surfaces(const struct wp_instance *side)
{
    const struct wp_plan *plan;
    return side->backend && surfaces_of(side, WP_FORWARD, &plan);
}

// It copies between its memory and such textures. Others go through the host.
static bool exchanges(const struct wp_instance *side)
{
    const struct wp_backend_gl *gl = textures_of(side);
    return gl && gl->read_quads && side->levels > 0;
}

// Others load it into a surface of their own, with what lies beyond the edges.
static bool reads_image(const struct wp_instance *side)
{
    const struct wp_backend_gl *gl = side->backend ? textures_of(side) : NULL;
    return gl && gl->read_from && side->levels > 0;
}

void wp_instance_unbind(struct wp_instance *side)
{
    if (reads_image(side))
        side->backend->gl->read_from(side->exec[WP_FORWARD], NULL);
}

unsigned wp_instance_image_texture(const struct wp_instance *side)
{
    const bool reads_it = side->backend && (has_surfaces(side) || exchanges(side));
    return reads_it ? side->plane.quads->id : 0;
}

static int quads_of(int samples)
{
    return samples / 2 + samples % 2;
}

static int level_width(const struct wp_instance *side, int level)
{
    return wp_level_size(side->plane.width, level - 1);
}

static int level_height(const struct wp_instance *side, int level)
{
    return wp_level_size(side->plane.height, level - 1);
}

static bool is_half(const struct wp_instance *side)
{
    return side->params.view.precision == WP_PRECISION_F16;
}

// For so many samples, in the side's precision: what is changed by hand is seen as the inverse
// takes it.
static bool make_texture(struct wp_instance *side, int width, int height, struct wp_texture *texture)
{
    const struct wp_texture_params params = {
        .width = quads_of(width),
        .height = quads_of(height),
        .half = is_half(side),
    };
    return texture->id || wp_texture_create_from(side->gl, &params, texture);
}

static bool make_textures(struct wp_instance *side, struct wp_texture *textures)
{
    bool ok = true;
    for (int l = 1; l <= side->levels && ok; l++)
        ok = make_texture(side, level_width(side, l), level_height(side, l), &textures[l]);
    return ok;
}

// The level that a port belongs to: sizes halve from one level to the next.
static int level_of(const struct wp_instance *side, const struct wp_transfer *port)
{
    int level = 1;
    while (level < side->levels && (level_width(side, level) != port->width ||
                                    level_height(side, level) != port->height))
        level++;
    return level;
}

// Where coefficients and image lie, for a backend with textures.
static void find_levels(struct wp_instance *side)
{
    const struct wp_plan *plan;
    const struct wp_surfaces *surfaces = surfaces_of(side, WP_FORWARD, &plan);
    for (int p = 0; p < plan->store_count; p++) {
        const struct wp_transfer *port = &plan->store[p];
        side->level[level_of(side, port)] =
            (struct wp_quads){&surfaces->texture[port->surface], port->x, port->y};
    }
}

static void count(struct wp_instance *side)
{
    struct wp_scheme *scheme = wp_description_scheme(&side->description, WP_AXIS_BOTH);
    snprintf(side->name, sizeof side->name, "%s", scheme->name);
    side->steps = scheme->pass_count;
    const struct wp_backend *b = side->backend;
    const struct wp_exec *exec = side->exec[WP_FORWARD];
    const struct wp_counts counts =
        b->bench && b->bench->counts && side->levels > 0
            ? b->bench->counts(exec)
            : (struct wp_counts){wp_scheme_operations(scheme), wp_scheme_fetches(scheme)};
    side->operations = counts.operations;
    side->fetches = counts.fetches;
    side->at_once = b->variant && b->variant(exec)->counts;
    wp_scheme_destroy(&scheme);
}

static bool make_own(struct wp_instance *side)
{
    const size_t samples = (size_t)side->plane.width * (size_t)side->plane.height;
    if (!exchanges(side)) {
        side->coefficients = wp_allocate(samples, sizeof(float), "coefficients");
        if (!side->coefficients)
            return false;
    }
    if (!make_textures(side, side->own))
        return false;
    for (int l = 1; l <= side->levels; l++)
        side->level[l] = (struct wp_quads){&side->own[l], 0, 0};
    return true;
}

static int levels_or_none(int levels)
{
    return levels > 0 ? levels : WP_LEVELS_NONE;
}

static bool create_volume(struct wp_instance *side)
{
    const struct wp_instance_params *p = &side->params;
    const int depth = p->gop > 0 && p->gop < side->plane.depth ? p->gop : side->plane.depth;
    const int most_z = wp_levels_z_most(depth, (enum wp_border)p->border);
    const int asked_z = p->levels_z < 0 ? side->levels : p->levels_z;
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = side->plane.width, .height = side->plane.height, .depth = side->plane.depth,
        .wavelet = p->view.wavelet, .scheme = wp_scheme_kinds[p->view.scheme].name,
        .plain = p->view.plain, .border = wp_border_names[p->border],
        .norm = wp_norm_names[p->norm], .precision = wp_precision_names[p->view.precision],
        .reversible = p->view.reversible, .backend = side->backend->name,
        .variant = p->view.variant[0] ? p->view.variant : NULL,
        .levels = levels_or_none(side->levels),
        .levels_z = levels_or_none(asked_z < most_z ? asked_z : most_z), .gop = p->gop);
    side->volume = wp_instance_volume_create(&params);
    if (!side->volume || !wp_gl_make_current(side->gl))
        return false;
    const struct wp_transform_info *info = wp_transform_get_info(side->volume->transform);
    side->description = *wp_transform_description(side->volume->transform);
    snprintf(side->name, sizeof side->name, "%s", info->name);
    side->steps = info->steps;
    side->operations = info->operations;
    side->fetches = info->fetches;
    return true;
}

static bool create(struct wp_instance *side, struct wp_devices *devices)
{
    const char *name = side->params.view.backend;
    const int number = find_backend(name);
    char reason[384];
    if (!wp_devices_probe(devices, name, reason, sizeof reason)) // without a reason: no memory
        return reason[0] && wp_fail(WP_ERROR_UNAVAILABLE, "backend '%s' is not available (%s)",
                                    name, reason);
    side->backend = wp_backends[number];
    side->device = &devices->open[number].info;
    side->gl = devices->gl;
    side->levels = side->params.levels;
    if (!wp_backend_check_precision(side->backend,
                                    (enum wp_precision)side->params.view.precision) ||
        !wp_wavelet_find(side->params.view.wavelet, &side->wavelet))
        return false;
    const int most = wp_levels_most((const int[]){side->plane.width, side->plane.height},
                                    (enum wp_border)side->params.border);
    side->levels = side->levels < most ? side->levels : most;
    if (side->plane.depth > 1)
        return create_volume(side);
    side->description = describe(side);
    if (side->params.view.reversible &&
        (!wp_description_check(&side->description) ||
         !wp_integer_view_check(&side->plane, &side->description)))
        return false;
    if (!prepare(side, devices->open[number].device, WP_FORWARD) ||
        !prepare(side, devices->open[number].device, WP_INVERSE) || !wp_gl_make_current(side->gl))
        return false;
    if (reads_image(side) &&
        !side->backend->gl->read_from(side->exec[WP_FORWARD], side->plane.quads))
        return false;
    count(side);
    if (side->levels > 0 && has_surfaces(side))
        find_levels(side);
    return has_surfaces(side) || make_own(side);
}

void wp_instance_destroy(struct wp_instance *side)
{
    for (int d = WP_FORWARD; d <= WP_INVERSE; d++)
        if (side->exec[d])
            side->backend->release(side->exec[d]);
    // A volume's transform has a context of its own, after which the window's is current again.
    wp_instance_volume_destroy(&side->volume);
    if (side->gl && wp_gl_make_current(side->gl)) {
        for (int l = 0; l <= WP_MAX_LEVELS; l++) {
            wp_texture_destroy(&side->own[l]);
            wp_texture_destroy(&side->changed[l]);
        }
        wp_texture_destroy(&side->own_image);
    }
    free(side->coefficients);
    *side = (struct wp_instance){0};
}

const char *wp_instance_variant(const struct wp_instance *side)
{
    if (side->volume)
        return wp_transform_get_info(side->volume->transform)->variant;
    const struct wp_backend *b = side->backend;
    return b->variant ? b->variant(side->exec[WP_FORWARD])->name : NULL;
}

bool wp_instance_handover(const struct wp_instance *side, double *map, double *unmap)
{
    const struct wp_backend_gl *gl = textures_of(side);
    if (!gl || !gl->handover)
        return false;
    gl->handover(side->exec[WP_FORWARD], map, unmap);
    return true;
}

const char *const *wp_instance_band_names(const struct wp_instance *side)
{
    return side->volume ? wp_octet_band_names : wp_band_names;
}

// Puts one in place of another.
static void take(struct wp_instance *side, const struct wp_instance *next)
{
    wp_instance_destroy(side);
    *side = *next;
    if (!side->backend)
        return;
    // What points into itself moved along.
    side->description.wavelet = &side->wavelet;
    for (int l = 1; l <= side->levels && !side->volume && !has_surfaces(side); l++)
        side->level[l].texture = &side->own[l];
}

bool wp_instance_set(struct wp_instance *const side[WP_COLOURS], struct wp_devices *devices,
                 const struct wp_plane plane[], int count, const struct wp_instance_params *params)
{
    struct wp_instance next[WP_COLOURS] = {0};
    bool ok = true;
    // One at a time; should these stay, they take their textures again.
    for (int p = 0; p < WP_COLOURS; p++)
        wp_instance_unbind(side[p]);
    for (int p = 0; p < count && ok; p++) {
        next[p].params = *params;
        next[p].plane = plane[p];
        ok = create(&next[p], devices);
    }
    for (int p = 0; p < WP_COLOURS; p++) {
        if (ok)
            take(side[p], &next[p]);
        else
            wp_instance_destroy(&next[p]);
    }
    return ok;
}

// Draws the quads that a port takes onto its surface, with what lies beyond the edges.
static bool load_port(struct wp_instance *side, const struct wp_transfer *port,
                      const struct wp_surfaces *surfaces, struct wp_quads from)
{
    struct wp_program *program = wp_view_program(side->gl, WP_SHADER_LOAD, is_half(side));
    if (!program)
        return false;
    const float used[4] = {port->used[0], port->used[1], port->used[2], port->used[3]};
    wp_program_set2(program, "place", from.x, from.y);
    wp_program_set2(program, "offset", -port->x, -port->y);
    wp_program_set2(program, "size", port->width, port->height);
    wp_program_set(program, "extension", (int)port->extension);
    wp_program_set_floats(program, "used", 4, used);
    const struct wp_rect *d = &port->domain;
    wp_program_draw(program, from.texture, &surfaces->texture[port->surface], port->x + d->x,
                    port->y + d->y, d->width, d->height, WP_DRAW_ALL);
    return true;
}

// The input of a direction, for a backend with textures.
static bool load(struct wp_instance *side, enum wp_direction direction)
{
    const struct wp_plan *plan;
    const struct wp_surfaces *surfaces = surfaces_of(side, direction, &plan);
    bool ok = true;
    for (int p = 0; p < plan->load_count && ok; p++) {
        const struct wp_quads image = {side->plane.quads, 0, 0};
        const bool pixels = direction == WP_FORWARD || side->levels == 0;
        ok = load_port(side, &plan->load[p], surfaces,
                       pixels ? image : side->edited[level_of(side, &plan->load[p])]);
    }
    return ok;
}

// Quads of a level (0: of the image) in memory. The caller frees them.
static float *make_quads(const struct wp_transfer *port)
{
    return wp_allocate((size_t)port->domain.width * (size_t)port->domain.height,
                       4 * sizeof(float), "a level");
}

// Copies a level's quads from a plane in memory to a texture.
static bool upload(const struct wp_instance *side, int level, const float *plane,
                   const struct wp_texture *texture)
{
    const struct wp_transfer port = wp_transfer_of_level(&side->description, level);
    const struct wp_operand from = wp_operand_const(&side->description, plane);
    float *quads = make_quads(&port);
    if (!quads)
        return false;
    wp_transfer_load(&side->description, &port, &from, 0, 0, port.domain.height, quads);
    const bool ok =
        wp_texture_write(texture, 0, 0, port.domain.width, port.domain.height, quads);
    free(quads);
    return ok;
}

static bool download(const struct wp_instance *side, int level, struct wp_quads from, float *plane)
{
    const struct wp_transfer port = wp_transfer_of_level(&side->description, level);
    const struct wp_operand to = wp_operand_dense(&side->description, plane);
    float *quads = make_quads(&port);
    if (!quads)
        return false;
    wp_texture_read(from.texture, from.x, from.y, port.domain.width, port.domain.height, quads);
    wp_transfer_store(&side->description, &port, quads, 0, port.domain.height, &to, 0);
    free(quads);
    return true;
}

// Through the computer's memory. `in` may be `out`.
static bool transform(struct wp_instance *side, enum wp_direction direction, const float *in,
                      float *out)
{
    struct wp_description d = side->description;
    d.direction = direction;
    if (d.reversible) {
        wp_integer_view_enter(&side->plane, in, out);
        in = out;
    }
    const struct wp_operand from = wp_operand_const(&d, in), to = wp_operand_dense(&d, out);
    struct wp_exec_seconds seconds = {0};
    const bool ok = wp_exec_transform(side->backend, side->exec[direction], &from, &to, &seconds);
    side->seconds[direction] = seconds.run;
    if (d.reversible)
        wp_integer_view_leave(&side->plane, out);
    return ok && wp_gl_make_current(side->gl);
}

bool wp_instance_forward(struct wp_instance *side)
{
    const struct wp_backend *b = side->backend;
    struct wp_exec *exec = side->exec[WP_FORWARD];
    double *seconds = &side->seconds[WP_FORWARD];
    if (side->volume)
        return wp_instance_volume_forward(side->volume, side->plane.samples, seconds) &&
               wp_gl_make_current(side->gl);
    memcpy(side->edited, side->level, sizeof side->edited);
    if (reads_image(side))
        return b->gl->read_from(exec, side->plane.quads) && b->run(exec, seconds);
    if (has_surfaces(side))
        return load(side, WP_FORWARD) && b->run(exec, seconds);
    if (exchanges(side)) {
        bool ok = b->gl->read_quads(exec, 0, side->plane.quads, 0, 0) && b->run(exec, seconds);
        for (int l = 1; l <= side->levels && ok; l++)
            ok = b->gl->write_quads(exec, l, &side->own[l]);
        return ok;
    }
    bool ok = transform(side, WP_FORWARD, side->plane.samples, side->coefficients);
    for (int l = 1; l <= side->levels && ok; l++)
        ok = upload(side, l, side->coefficients, &side->own[l]);
    return ok;
}

static bool can_step(const struct wp_instance *side)
{
    const struct wp_backend_gl *gl = textures_of(side);
    return gl && gl->step;
}

bool wp_instance_has_band(const struct wp_instance *side, int level, enum wp_band band)
{
    return band != WP_BAND_LL || level == wp_description_levels(&side->description) ||
           (can_step(side) && has_surfaces(side) &&
            side->edited[level].texture == side->level[level].texture);
}

static void set_edit(struct wp_program *program, const struct wp_instance *side,
                     const struct wp_view_edit *edit, int level)
{
    const bool last = level == side->levels;
    float keep[4], limit[4], detail[4] = {0, 1, 1, 1};
    for (int band = 0; band < WP_BAND_COUNT; band++) {
        const int number =
            wp_subband_number(&side->description, level, (enum wp_band)band);
        keep[band] = edit->cut[level][band] || (band == WP_BAND_LL && !last) ? 0.0F : 1.0F;
        limit[band] = (float)(edit->limit / wp_edit_unit(&side->description, number));
    }
    const bool here = edit->level == level;
    wp_program_set2(program, "place", side->level[level].x, side->level[level].y);
    wp_program_set_floats(program, "keep", 4, keep);
    wp_program_set_floats(program, "detail", 4, detail);
    wp_program_set(program, "threshold", (int)edit->threshold);
    wp_program_set_floats(program, "limit", 4, limit);
    wp_program_set(program, "impulse", !edit->impulse ? -2 : here ? edit->band : -1);
    wp_program_set2(program, "impulse_at", edit->x, edit->y);
}

bool wp_instance_edit(struct wp_instance *side, const struct wp_view_edit *edit)
{
    static const struct wp_view_edit nothing;
    memcpy(side->edited, side->level, sizeof side->edited);
    const bool any = edit->threshold != WP_THRESHOLD_NONE || edit->impulse ||
                     memcmp(edit->cut, nothing.cut, sizeof edit->cut) != 0;
    if (side->volume)
        side->volume->edited = side->volume->coefficients;
    if (!any)
        return true;
    if (side->volume)
        return wp_instance_volume_edit(side->volume, edit);
    struct wp_program *program = wp_view_program(side->gl, WP_SHADER_EDIT, is_half(side));
    if (!program || !make_textures(side, side->changed))
        return false;
    for (int l = 1; l <= side->levels; l++) {
        set_edit(program, side, edit, l);
        wp_program_draw(program, side->level[l].texture, &side->changed[l], 0, 0,
                        side->changed[l].width, side->changed[l].height, WP_DRAW_ALL);
        side->edited[l] = (struct wp_quads){&side->changed[l], 0, 0};
    }
    return true;
}

static size_t plane_samples(const struct wp_instance *side)
{
    return (size_t)side->plane.width * (size_t)side->plane.height * (size_t)side->plane.depth;
}

bool wp_instance_read_coefficients(struct wp_instance *side, float *plane)
{
    const float *host = side->volume ? side->volume->edited : side->plane.samples;
    bool ok = true;
    if (side->volume || side->levels == 0) {
        memcpy(plane, host, plane_samples(side) * sizeof *plane);
        return true;
    }
    for (int l = 1; l <= side->levels && ok; l++)
        ok = download(side, l, side->edited[l], plane);
    return ok;
}

bool wp_instance_inverse(struct wp_instance *side)
{
    const struct wp_backend *b = side->backend;
    struct wp_exec *exec = side->exec[WP_INVERSE];
    double *seconds = &side->seconds[WP_INVERSE];
    if (side->volume)
        return wp_instance_volume_inverse(side->volume, seconds) && wp_gl_make_current(side->gl);
    const struct wp_plan *plan;
    const struct wp_surfaces *surfaces = surfaces_of(side, WP_INVERSE, &plan);
    if (surfaces) {
        const struct wp_transfer *port = &plan->store[0];
        side->image = (struct wp_quads){&surfaces->texture[port->surface], port->x, port->y};
        return load(side, WP_INVERSE) && b->run(exec, seconds);
    }
    if (!make_texture(side, side->plane.width, side->plane.height, &side->own_image))
        return false;
    side->image = (struct wp_quads){&side->own_image, 0, 0};
    if (exchanges(side)) {
        bool ok = true;
        for (int l = 1; l <= side->levels && ok; l++)
            ok = b->gl->read_quads(exec, l, side->edited[l].texture, side->edited[l].x,
                                   side->edited[l].y);
        return ok && b->run(exec, seconds) && b->gl->write_quads(exec, 0, &side->own_image);
    }
    float *plane = wp_allocate(plane_samples(side), sizeof *plane, "coefficients");
    const bool ok = plane && wp_instance_read_coefficients(side, plane) &&
                    transform(side, WP_INVERSE, plane, plane) &&
                    upload(side, 0, plane, &side->own_image);
    free(plane);
    return ok;
}

const struct wp_plan *wp_instance_plan(struct wp_instance *side, enum wp_direction direction)
{
    const struct wp_plan *plan = NULL;
    return side->backend && can_step(side) && surfaces_of(side, direction, &plan) ? plan : NULL;
}

void wp_instance_explain(const struct wp_instance *side, struct wp_text *text)
{
    const struct wp_backend *b = side->backend;
    if (side->params.view.reversible) {
        wp_text_add(text, "reversible transforms are computed in integers and have no textures "
                          "between passes");
        return;
    }
    // Some of its variants have them.
    const struct wp_variant *variant = can_step(side) ? b->variant(side->exec[WP_FORWARD]) : NULL;
    wp_text_add(text, "%s '%s' has no textures between its passes",
                variant ? "variant" : "backend", variant ? variant->name : b->name);
}

bool wp_instance_step(struct wp_instance *side, enum wp_direction direction, int count, double *seconds)
{
    bool ok = load(side, direction);
    for (int op = 0; op < count && ok; op++)
        ok = side->backend->gl->step(side->exec[direction], op, seconds ? &seconds[op] : NULL);
    return ok;
}

const struct wp_texture *wp_instance_surface(struct wp_instance *side, enum wp_direction direction,
                                         int surface)
{
    const struct wp_plan *plan;
    return &surfaces_of(side, direction, &plan)->texture[surface];
}
