#include "instance.h"

#include "backend_gl.h"
#include "edit.h"
#include "execute.h"
#include "memory.h"
#include "surfaces.h"
#include "view_shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Reversible transforms. The viewer's samples are scaled to 0..1, these transforms need the
// integers of the file: inputs are multiplied by the divisor that the reader used, and outputs and
// coefficients are divided by it.

static size_t plane_samples(const struct wp_plane *plane)
{
    return (size_t)plane->width * (size_t)plane->height * (size_t)plane->depth;
}

// Returns false after WP_ERROR_USAGE if the samples are not integers in the file, and after
// WP_ERROR_FILE if they are too large for exact steps.
static bool check_integers(const struct wp_plane *plane, const struct wp_description *description)
{
    const size_t width = (size_t)plane->width, count = plane_samples(plane);
    // Rounding error of the division and multiplication in floats is below this.
    const float off = plane->unit > 1 ? 0.01F : 0;
    float least = 0, greatest = 0;
    for (size_t i = 0; i < count; i++) {
        const float value = plane->samples[i] * plane->unit;
        if (!(fabsf(value - rintf(value)) <= off))
            return wp_fail(WP_ERROR_USAGE, "the sample in column %zu, row %zu is %.9g, and a "
                                           "reversible transform requires integers"
                                           "\nhint: single channels of a color image have integers",
                           i % width, i / width, (double)value);
        least = fminf(least, value);
        greatest = fmaxf(greatest, value);
    }
    return wp_description_check_range(description, "the image", rint((double)least),
                                      rint((double)greatest));
}

// ---- Devices.

static int find_backend(const char *name)
{
    for (int i = 0; wp_backends[i]; i++)
        if (strcmp(wp_backends[i]->name, name) == 0)
            return i;
    return -1;
}

// Compute shaders take minutes to compile on a software renderer and would block the window.
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

static struct wp_description describe(const struct wp_instance *instance)
{
    return (struct wp_description){
        .wavelet = &instance->wavelet, .kind = &wp_scheme_kinds[instance->params.view.scheme],
        .form = instance->params.view.plain ? WP_FORM_PLAIN : WP_FORM_SHADER,
        .norm = (enum wp_norm)instance->params.norm,
        .border = (enum wp_border)instance->params.border, .layout = WP_LAYOUT_MALLAT,
        .precision = (enum wp_precision)instance->params.view.precision,
        .reversible = instance->params.view.reversible, .levels = instance->levels,
        .size = {instance->plane.width, instance->plane.height},
    };
}

static bool prepare(struct wp_instance *instance, struct wp_device *device,
                    enum wp_direction direction)
{
    const char *name = instance->params.view.variant[0] ? instance->params.view.variant : NULL;
    const struct wp_variant *variant;
    struct wp_description d = instance->description;
    d.direction = direction;
    if (wp_description_check(&d) && wp_backend_find_variant(instance->backend, name, &d, &variant))
        instance->exec[direction] = instance->backend->prepare(device, &d, variant);
    return instance->exec[direction] != NULL;
}

// The texture interface of the backend, or NULL. Reversible transforms, which need integers in host
// memory, and volumes do not use it.
static const struct wp_backend_gl *textures_of(const struct wp_instance *instance)
{
    return instance->volume || instance->params.view.reversible ? NULL : instance->backend->gl;
}

// NULL if results must be copied to textures.
static const struct wp_surfaces *surfaces_of(const struct wp_instance *instance,
                                             enum wp_direction direction,
                                             const struct wp_schedule **schedule)
{
    const struct wp_backend_gl *gl = textures_of(instance);
    return gl && gl->surfaces ? gl->surfaces(instance->exec[direction], schedule) : NULL;
}

// True if the backend computes on textures that can be displayed directly.
static bool has_surfaces(const struct wp_instance *instance)
{
    const struct wp_schedule *schedule;
    return instance->backend && surfaces_of(instance, WP_FORWARD, &schedule);
}

// True if the backend copies between its memory and textures. Other backends use host memory.
static bool exchanges(const struct wp_instance *instance)
{
    const struct wp_backend_gl *gl = textures_of(instance);
    return gl && gl->read_quads && instance->levels > 0;
}

// True if the backend reads the image texture directly. Others need a copy with extended
// boundaries.
static bool reads_image(const struct wp_instance *instance)
{
    const struct wp_backend_gl *gl = instance->backend ? textures_of(instance) : NULL;
    return gl && gl->read_from && instance->levels > 0;
}

void wp_instance_unbind(struct wp_instance *instance)
{
    if (reads_image(instance))
        instance->backend->gl->read_from(instance->exec[WP_FORWARD], NULL);
}

unsigned wp_instance_image_texture(const struct wp_instance *instance)
{
    const bool reads_it = instance->backend && (has_surfaces(instance) || exchanges(instance));
    return reads_it ? instance->plane.quads->id : 0;
}

static int level_width(const struct wp_instance *instance, int level)
{
    return wp_level_size(instance->plane.width, level - 1);
}

static int level_height(const struct wp_instance *instance, int level)
{
    return wp_level_size(instance->plane.height, level - 1);
}

static bool is_half(const struct wp_instance *instance)
{
    return instance->params.view.precision == WP_PRECISION_F16;
}

// For the given number of samples, in the instance's precision, so that edited coefficients are
// displayed as the inverse reads them.
static bool make_texture(struct wp_instance *instance, int width, int height,
                         struct wp_texture *texture)
{
    const struct wp_texture_params params = {
        .width = width / 2 + width % 2, .height = height / 2 + height % 2,
        .half = is_half(instance),
    };
    return texture->id || wp_texture_create_from(instance->gl, &params, texture);
}

static bool make_textures(struct wp_instance *instance, struct wp_texture *textures)
{
    bool ok = true;
    for (int l = 1; l <= instance->levels && ok; l++)
        ok = make_texture(instance, level_width(instance, l), level_height(instance, l),
                          &textures[l]);
    return ok;
}

// The level of a transfer, found by its size.
static int level_of(const struct wp_instance *instance, const struct wp_transfer *transfer)
{
    int level = 1;
    while (level < instance->levels && (level_width(instance, level) != transfer->width ||
                                    level_height(instance, level) != transfer->height))
        level++;
    return level;
}

// Sets `level` from the schedule's stores, for a backend with surfaces.
static void find_levels(struct wp_instance *instance)
{
    const struct wp_schedule *schedule;
    const struct wp_surfaces *surfaces = surfaces_of(instance, WP_FORWARD, &schedule);
    for (int p = 0; p < schedule->store_count; p++) {
        const struct wp_transfer *transfer = &schedule->store[p];
        instance->level[level_of(instance, transfer)] =
            (struct wp_quads){&surfaces->texture[transfer->surface], transfer->x, transfer->y};
    }
}

static void count(struct wp_instance *instance)
{
    struct wp_scheme *scheme = wp_description_scheme(&instance->description, WP_AXIS_BOTH);
    snprintf(instance->name, sizeof instance->name, "%s", scheme->name);
    instance->steps = scheme->pass_count;
    const struct wp_backend *b = instance->backend;
    const struct wp_exec *exec = instance->exec[WP_FORWARD];
    const struct wp_counts counts =
        b->bench && b->bench->counts && instance->levels > 0
            ? b->bench->counts(exec)
            : (struct wp_counts){wp_scheme_operations(scheme), wp_scheme_fetches(scheme)};
    instance->operations = counts.operations;
    instance->fetches = counts.fetches;
    instance->at_once = b->variant && b->variant(exec)->counts;
    wp_scheme_destroy(&scheme);
}

static bool make_copies(struct wp_instance *instance)
{
    if ((!exchanges(instance) &&
         !(instance->coefficients = wp_allocate(plane_samples(&instance->plane), sizeof(float),
                                                "coefficients"))) ||
        !make_textures(instance, instance->copy))
        return false;
    for (int l = 1; l <= instance->levels; l++)
        instance->level[l] = (struct wp_quads){&instance->copy[l], 0, 0};
    return true;
}

static int levels_or_none(int levels)
{
    return levels > 0 ? levels : WP_LEVELS_NONE;
}

static bool create_volume(struct wp_instance *instance)
{
    const struct wp_instance_params *p = &instance->params;
    const int depth = p->gop > 0 && p->gop < instance->plane.depth ? p->gop : instance->plane.depth;
    const int most_z = wp_levels_z_most(depth, (enum wp_border)p->border);
    const int requested_z = p->levels_z < 0 ? instance->levels : p->levels_z;
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = instance->plane.width, .height = instance->plane.height,
                            .depth = instance->plane.depth, .wavelet = p->view.wavelet,
                            .scheme = wp_scheme_kinds[p->view.scheme].name, .plain = p->view.plain,
                            .border = wp_border_names[p->border], .norm = wp_norm_names[p->norm],
                            .precision = wp_precision_names[p->view.precision],
                            .reversible = p->view.reversible, .backend = instance->backend->name,
                            .variant = p->view.variant[0] ? p->view.variant : NULL,
                            .levels = levels_or_none(instance->levels),
                            .levels_z = levels_or_none(requested_z < most_z ? requested_z : most_z),
                            .gop = p->gop);
    instance->volume = wp_instance_volume_create(&params);
    if (!instance->volume || !wp_gl_make_current(instance->gl))
        return false;
    const struct wp_transform_info *info = wp_transform_get_info(instance->volume->transform);
    instance->description = *wp_transform_description(instance->volume->transform);
    snprintf(instance->name, sizeof instance->name, "%s", info->name);
    instance->steps = info->steps;
    instance->operations = info->operations;
    instance->fetches = info->fetches;
    return true;
}

static bool create(struct wp_instance *instance, struct wp_devices *devices)
{
    const char *name = instance->params.view.backend;
    const int number = find_backend(name);
    char reason[384];
    if (!wp_devices_probe(devices, name, reason, sizeof reason)) // no reason: memory was exhausted
        return reason[0] && wp_fail(WP_ERROR_UNAVAILABLE, "backend '%s' is not available (%s)",
                                    name, reason);
    instance->backend = wp_backends[number];
    instance->device = &devices->open[number].info;
    instance->gl = devices->gl;
    instance->levels = instance->params.levels;
    if (!wp_backend_check_precision(instance->backend,
                                    (enum wp_precision)instance->params.view.precision) ||
        !wp_wavelet_find(instance->params.view.wavelet, &instance->wavelet))
        return false;
    const int most = wp_levels_most((const int[]){instance->plane.width, instance->plane.height},
                                    (enum wp_border)instance->params.border);
    instance->levels = instance->levels < most ? instance->levels : most;
    if (instance->plane.depth > 1)
        return create_volume(instance);
    instance->description = describe(instance);
    if (instance->params.view.reversible &&
        (!wp_description_check(&instance->description) ||
         !check_integers(&instance->plane, &instance->description)))
        return false;
    if (!prepare(instance, devices->open[number].device, WP_FORWARD) ||
        !prepare(instance, devices->open[number].device, WP_INVERSE) ||
        !wp_gl_make_current(instance->gl))
        return false;
    if (reads_image(instance) &&
        !instance->backend->gl->read_from(instance->exec[WP_FORWARD], instance->plane.quads))
        return false;
    count(instance);
    if (instance->levels > 0 && has_surfaces(instance))
        find_levels(instance);
    return has_surfaces(instance) || make_copies(instance);
}

void wp_instance_destroy(struct wp_instance *instance)
{
    for (int d = WP_FORWARD; d <= WP_INVERSE; d++)
        if (instance->exec[d])
            instance->backend->release(instance->exec[d]);
    // Destroying a volume's transform restores the window's context.
    wp_instance_volume_destroy(&instance->volume);
    if (instance->gl && wp_gl_make_current(instance->gl)) {
        for (int l = 0; l <= WP_MAX_LEVELS; l++) {
            wp_texture_destroy(&instance->copy[l]);
            wp_texture_destroy(&instance->changed[l]);
        }
        wp_texture_destroy(&instance->image_copy);
    }
    free(instance->coefficients);
    *instance = (struct wp_instance){0};
}

const char *wp_instance_variant(const struct wp_instance *instance)
{
    if (instance->volume)
        return wp_transform_get_info(instance->volume->transform)->variant;
    const struct wp_backend *b = instance->backend;
    return b->variant ? b->variant(instance->exec[WP_FORWARD])->name : NULL;
}

bool wp_instance_handover(const struct wp_instance *instance, double *map, double *unmap)
{
    const struct wp_backend_gl *gl = textures_of(instance);
    if (!gl || !gl->handover)
        return false;
    gl->handover(instance->exec[WP_FORWARD], map, unmap);
    return true;
}

const char *const *wp_instance_band_names(const struct wp_instance *instance)
{
    return instance->volume ? wp_octet_band_names : wp_band_names;
}

// Replaces an instance with another one.
static void replace(struct wp_instance *instance, const struct wp_instance *next)
{
    wp_instance_destroy(instance);
    *instance = *next;
    if (!instance->backend)
        return;
    // Update pointers into the struct itself.
    instance->description.wavelet = &instance->wavelet;
    for (int l = 1; l <= instance->levels && !instance->volume && !has_surfaces(instance); l++)
        instance->level[l].texture = &instance->copy[l];
}

bool wp_instance_set(struct wp_instance instance[WP_COLOURS], struct wp_devices *devices,
                     const struct wp_plane plane[], int count,
                     const struct wp_instance_params *params)
{
    struct wp_instance next[WP_COLOURS] = {0};
    bool ok = true;
    // One instance at a time may read the textures; kept instances bind them again on the next run.
    for (int p = 0; p < WP_COLOURS; p++)
        wp_instance_unbind(&instance[p]);
    for (int p = 0; p < count && ok; p++) {
        next[p].params = *params;
        next[p].plane = plane[p];
        ok = create(&next[p], devices);
    }
    for (int p = 0; p < WP_COLOURS; p++) {
        if (ok)
            replace(&instance[p], &next[p]);
        else
            wp_instance_destroy(&next[p]);
    }
    return ok;
}

// Draws the quads of a transfer onto its surface, including the boundary extension.
static bool load_transfer(struct wp_instance *instance, const struct wp_transfer *transfer,
                          const struct wp_surfaces *surfaces, struct wp_quads from)
{
    struct wp_program *program = wp_view_program(instance->gl, WP_SHADER_LOAD, is_half(instance));
    if (!program)
        return false;
    const float used[4] = {transfer->used[0], transfer->used[1], transfer->used[2],
                           transfer->used[3]};
    wp_program_set2(program, "origin", from.x, from.y);
    wp_program_set2(program, "offset", -transfer->x, -transfer->y);
    wp_program_set2(program, "size", transfer->width, transfer->height);
    wp_program_set(program, "extension", (int)transfer->extension);
    wp_program_set_floats(program, "used", 4, used);
    const struct wp_rect *d = &transfer->domain;
    wp_program_draw(program, from.texture, &surfaces->texture[transfer->surface],
                    transfer->x + d->x, transfer->y + d->y, d->width, d->height, WP_DRAW_ALL);
    return true;
}

// Loads the input of a direction, for a backend with surfaces.
static bool load(struct wp_instance *instance, enum wp_direction direction)
{
    const struct wp_schedule *schedule;
    const struct wp_surfaces *surfaces = surfaces_of(instance, direction, &schedule);
    bool ok = true;
    for (int p = 0; p < schedule->load_count && ok; p++) {
        const struct wp_quads image = {instance->plane.quads, 0, 0};
        const bool pixels = direction == WP_FORWARD || instance->levels == 0;
        ok = load_transfer(instance, &schedule->load[p], surfaces,
                           pixels ? image
                                  : instance->edited[level_of(instance, &schedule->load[p])]);
    }
    return ok;
}

// Allocates the quads of a level (0: the image). The caller frees them.
static float *make_quads(const struct wp_transfer *transfer)
{
    return wp_allocate((size_t)transfer->domain.width * (size_t)transfer->domain.height,
                       4 * sizeof(float), "a level");
}

// Copies a level's quads from a plane in host memory to a texture.
static bool upload(const struct wp_instance *instance, int level, const float *plane,
                   const struct wp_texture *texture)
{
    const struct wp_transfer transfer = wp_transfer_of_level(&instance->description, level);
    const struct wp_operand from = wp_operand_const(&instance->description, plane);
    float *quads = make_quads(&transfer);
    if (!quads)
        return false;
    wp_transfer_load(&instance->description, &transfer, &from, 0, 0, transfer.domain.height, quads);
    const bool ok =
        wp_texture_write(texture, 0, 0, transfer.domain.width, transfer.domain.height, quads);
    free(quads);
    return ok;
}

static bool download(const struct wp_instance *instance, int level, struct wp_quads from,
                     float *plane)
{
    const struct wp_transfer transfer = wp_transfer_of_level(&instance->description, level);
    const struct wp_operand to = wp_operand_dense(&instance->description, plane);
    float *quads = make_quads(&transfer);
    if (!quads)
        return false;
    wp_texture_read(from.texture, from.x, from.y, transfer.domain.width, transfer.domain.height,
                    quads);
    wp_transfer_store(&instance->description, &transfer, quads, 0, transfer.domain.height, &to, 0);
    free(quads);
    return true;
}

// Runs a transform through host memory. `in` may equal `out`.
static bool transform(struct wp_instance *instance, enum wp_direction direction, const float *in,
                      float *out)
{
    struct wp_description d = instance->description;
    const size_t count = plane_samples(&instance->plane);
    d.direction = direction;
    if (d.reversible) {
        for (size_t i = 0; i < count; i++) // rounding, which edited coefficients need
            out[i] = rintf(in[i] * instance->plane.unit);
        in = out;
    }
    const struct wp_operand from = wp_operand_const(&d, in), to = wp_operand_dense(&d, out);
    struct wp_exec_seconds seconds = {0};
    const bool ok =
        wp_exec_transform(instance->backend, instance->exec[direction], &from, &to, &seconds);
    instance->seconds[direction] = seconds.run;
    for (size_t i = 0; i < count && d.reversible; i++)
        out[i] /= instance->plane.unit;
    return ok && wp_gl_make_current(instance->gl);
}

bool wp_instance_forward(struct wp_instance *instance)
{
    const struct wp_backend *b = instance->backend;
    struct wp_exec *exec = instance->exec[WP_FORWARD];
    double *seconds = &instance->seconds[WP_FORWARD];
    if (instance->volume)
        return wp_instance_volume_forward(instance->volume, instance->plane.samples, seconds) &&
               wp_gl_make_current(instance->gl);
    memcpy(instance->edited, instance->level, sizeof instance->edited);
    if (reads_image(instance))
        return b->gl->read_from(exec, instance->plane.quads) && b->run(exec, seconds);
    if (has_surfaces(instance))
        return load(instance, WP_FORWARD) && b->run(exec, seconds);
    if (exchanges(instance)) {
        bool ok = b->gl->read_quads(exec, 0, instance->plane.quads, 0, 0) && b->run(exec, seconds);
        for (int l = 1; l <= instance->levels && ok; l++)
            ok = b->gl->write_quads(exec, l, &instance->copy[l]);
        return ok;
    }
    bool ok = transform(instance, WP_FORWARD, instance->plane.samples, instance->coefficients);
    for (int l = 1; l <= instance->levels && ok; l++)
        ok = upload(instance, l, instance->coefficients, &instance->copy[l]);
    return ok;
}

static bool can_step(const struct wp_instance *instance)
{
    const struct wp_backend_gl *gl = textures_of(instance);
    return gl && gl->step;
}

bool wp_instance_has_band(const struct wp_instance *instance, int level, enum wp_band band)
{
    return band != WP_BAND_LL || level == wp_description_levels(&instance->description) ||
           (can_step(instance) && has_surfaces(instance) &&
            instance->edited[level].texture == instance->level[level].texture);
}

static void set_edit(struct wp_program *program, const struct wp_instance *instance,
                     const struct wp_view_edit *edit, int level)
{
    const bool last = level == instance->levels;
    float keep[4], limit[4], detail[4] = {0, 1, 1, 1};
    for (int band = 0; band < WP_BAND_COUNT; band++) {
        const int number =
            wp_subband_number(&instance->description, level, (enum wp_band)band);
        keep[band] = edit->zeroed[level][band] || (band == WP_BAND_LL && !last) ? 0.0F : 1.0F;
        limit[band] = (float)(edit->limit / wp_edit_unit(&instance->description, number));
    }
    const bool at_level = edit->level == level;
    wp_program_set2(program, "origin", instance->level[level].x, instance->level[level].y);
    wp_program_set_floats(program, "band_gain", 4, keep);
    wp_program_set_floats(program, "detail", 4, detail);
    wp_program_set(program, "threshold", (int)edit->threshold);
    wp_program_set_floats(program, "limit", 4, limit);
    wp_program_set(program, "impulse", !edit->impulse ? -2 : at_level ? edit->band : -1);
    wp_program_set2(program, "impulse_at", edit->x, edit->y);
}

bool wp_instance_edit(struct wp_instance *instance, const struct wp_view_edit *edit)
{
    static const struct wp_view_edit nothing;
    memcpy(instance->edited, instance->level, sizeof instance->edited);
    const bool any = edit->threshold != WP_THRESHOLD_NONE || edit->impulse ||
                     memcmp(edit->zeroed, nothing.zeroed, sizeof edit->zeroed) != 0;
    if (instance->volume)
        instance->volume->edited = instance->volume->coefficients;
    if (!any)
        return true;
    if (instance->volume)
        return wp_instance_volume_edit(instance->volume, edit);
    struct wp_program *program = wp_view_program(instance->gl, WP_SHADER_EDIT, is_half(instance));
    if (!program || !make_textures(instance, instance->changed))
        return false;
    for (int l = 1; l <= instance->levels; l++) {
        set_edit(program, instance, edit, l);
        wp_program_draw(program, instance->level[l].texture, &instance->changed[l], 0, 0,
                        instance->changed[l].width, instance->changed[l].height, WP_DRAW_ALL);
        instance->edited[l] = (struct wp_quads){&instance->changed[l], 0, 0};
    }
    return true;
}

bool wp_instance_read_coefficients(struct wp_instance *instance, float *plane)
{
    const float *host = instance->volume ? instance->volume->edited : instance->plane.samples;
    bool ok = true;
    if (instance->volume || instance->levels == 0) {
        memcpy(plane, host, plane_samples(&instance->plane) * sizeof *plane);
        return true;
    }
    for (int l = 1; l <= instance->levels && ok; l++)
        ok = download(instance, l, instance->edited[l], plane);
    return ok;
}

bool wp_instance_inverse(struct wp_instance *instance)
{
    const struct wp_backend *b = instance->backend;
    struct wp_exec *exec = instance->exec[WP_INVERSE];
    double *seconds = &instance->seconds[WP_INVERSE];
    if (instance->volume)
        return wp_instance_volume_inverse(instance->volume, seconds) &&
               wp_gl_make_current(instance->gl);
    const struct wp_schedule *schedule;
    const struct wp_surfaces *surfaces = surfaces_of(instance, WP_INVERSE, &schedule);
    if (surfaces) {
        const struct wp_transfer *transfer = &schedule->store[0];
        instance->image =
            (struct wp_quads){&surfaces->texture[transfer->surface], transfer->x, transfer->y};
        return load(instance, WP_INVERSE) && b->run(exec, seconds);
    }
    if (!make_texture(instance, instance->plane.width, instance->plane.height,
                      &instance->image_copy))
        return false;
    instance->image = (struct wp_quads){&instance->image_copy, 0, 0};
    if (exchanges(instance)) {
        bool ok = true;
        for (int l = 1; l <= instance->levels && ok; l++)
            ok = b->gl->read_quads(exec, l, instance->edited[l].texture, instance->edited[l].x,
                                   instance->edited[l].y);
        return ok && b->run(exec, seconds) && b->gl->write_quads(exec, 0, &instance->image_copy);
    }
    float *plane = wp_allocate(plane_samples(&instance->plane), sizeof *plane, "coefficients");
    const bool ok = plane && wp_instance_read_coefficients(instance, plane) &&
                    transform(instance, WP_INVERSE, plane, plane) &&
                    upload(instance, 0, plane, &instance->image_copy);
    free(plane);
    return ok;
}

const struct wp_schedule *wp_instance_schedule(struct wp_instance *instance,
                                               enum wp_direction direction)
{
    const struct wp_schedule *schedule = NULL;
    return instance->backend && can_step(instance) && surfaces_of(instance, direction, &schedule)
               ? schedule
               : NULL;
}

void wp_instance_explain(const struct wp_instance *instance, struct wp_text *text)
{
    const struct wp_backend *b = instance->backend;
    if (instance->params.view.reversible) {
        wp_text_add(text, "reversible transforms are computed in integers and have no textures "
                          "between passes");
        return;
    }
    // Other variants of the backend may have textures.
    const struct wp_variant *variant =
        can_step(instance) ? b->variant(instance->exec[WP_FORWARD]) : NULL;
    wp_text_add(text, "%s '%s' has no textures between its passes",
                variant ? "variant" : "backend", variant ? variant->name : b->name);
}

bool wp_instance_step(struct wp_instance *instance, enum wp_direction direction, int count,
                      double *seconds)
{
    bool ok = load(instance, direction);
    for (int op = 0; op < count && ok; op++)
        ok = instance->backend->gl->step(instance->exec[direction], op,
                                         seconds ? &seconds[op] : NULL);
    return ok;
}

const struct wp_texture *wp_instance_surface(struct wp_instance *instance,
                                             enum wp_direction direction, int surface)
{
    const struct wp_schedule *schedule;
    return &surfaces_of(instance, direction, &schedule)->texture[surface];
}
