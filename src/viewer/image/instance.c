#include "instance.h"

#include "backend_gl.h"
#include "edit.h"
#include "exchange.h"
#include "execute.h"
#include "instance_packets.h"
#include "memory.h"
#include "quick_inverse.h"
#include "redundant.h"
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

void wp_instance_set_backend(struct wp_instance_view *view, const struct wp_backend *backend)
{
    snprintf(view->backend, sizeof view->backend, "%s", backend->name);
    view->variant[0] = '\0';
    if (!backend->half)
        view->precision = WP_PRECISION_F32;
}

// Packets without levels are the image.
static struct wp_description describe(const struct wp_instance *t)
{
    const enum wp_bank bank = t->levels == 0 && t->params.view.bank == WP_BANK_PACKETS
                                  ? WP_BANK_DECIMATED : (enum wp_bank)t->params.view.bank;
    return (struct wp_description){
        .wavelet = &t->wavelet, .kind = &wp_scheme_kinds[t->params.view.scheme],
        .form = t->params.view.plain ? WP_FORM_PLAIN : WP_FORM_SHADER,
        .norm = (enum wp_norm)t->params.norm,
        .border = (enum wp_border)t->params.border, .layout = WP_LAYOUT_MALLAT,
        .precision = (enum wp_precision)t->params.view.precision,
        .bank = bank, .reversible = t->params.view.reversible,
        .adjoint = t->params.adjoint, .levels = t->levels,
        .size = {t->plane.width, t->plane.height},
    };
}

struct wp_band_grid wp_instance_band(const struct wp_instance *t, int level, enum wp_band band)
{
    return wp_description_band(&t->description, level, band);
}

static bool prepare(struct wp_instance *t, struct wp_device *device, enum wp_direction direction)
{
    const char *name = t->params.view.variant[0] ? t->params.view.variant : NULL;
    const struct wp_variant *variant;
    struct wp_description d = t->description;
    d.direction = direction;
    if (!wp_description_check(&d) || !wp_backend_find_variant(t->backend, name, &d, &variant))
        return false;
    if (wp_description_is_native(&d)) {
        t->exec[direction] = t->backend->prepare(device, &d, variant);
        return t->exec[direction] != NULL;
    }
    if (!t->of_plans) {
        t->of_plans = wp_allocate(1, sizeof *t->of_plans, "a plan");
        if (!t->of_plans)
            return false;
        *t->of_plans = t->wavelet;
    }
    d.wavelet = t->of_plans;
    const struct wp_planner planner = {t->backend, device, variant, false};
    const struct wp_problem problem = wp_problem_of(&d);
    t->plan[direction] = wp_plan_create(&planner, &problem);
    return t->plan[direction] != NULL;
}

// For queries.
static const struct wp_exec *exec_of(const struct wp_instance *t)
{
    return t->plan[WP_FORWARD] ? wp_plan_exec(t->plan[WP_FORWARD]) : t->exec[WP_FORWARD];
}

// Have textures a quad for each sample? Without levels a redundant bank is a copy of quads.
static bool has_elements(const struct wp_instance *t)
{
    return wp_schedule_is_redundant(&t->description);
}

// Finds how images are exchanged with the backend. Reversible transforms, which need integers in
// host memory, and plans do not use its textures.
static void find_exchange(struct wp_instance *t)
{
    const bool host = t->params.view.reversible || t->plan[WP_FORWARD];
    const struct wp_backend_gl *gl = host ? NULL : t->backend->gl;
    t->textures = gl;
    for (int d = WP_FORWARD; d <= WP_INVERSE && gl && gl->surfaces; d++) {
        t->surfaces[d] = gl->surfaces(t->exec[d], &t->schedule[d]);
        t->schedule[d] = t->surfaces[d] ? t->schedule[d] : NULL;
    }
    t->exchanges = gl && gl->read_quads && t->levels > 0;
    t->reads_image = gl && gl->read_from && t->levels > 0;
}

void wp_instance_unbind(struct wp_instance *t)
{
    if (t->reads_image)
        t->textures->read_from(t->exec[WP_FORWARD], NULL);
}

unsigned wp_instance_image_texture(const struct wp_instance *t)
{
    return t->surfaces[WP_FORWARD] || t->exchanges ? t->plane.quads->id : 0;
}

static bool is_half(const struct wp_instance *t)
{
    return t->params.view.precision == WP_PRECISION_F16;
}

// For the given number of quads, in the instance's precision, so that edited coefficients are
// displayed as the inverse reads them.
static bool make_texture(struct wp_instance *t, int width, int height, struct wp_texture *texture)
{
    const struct wp_texture_params params = {
        .width = width, .height = height, .half = is_half(t)};
    return texture->id || wp_texture_create_from(t->gl, &params, texture);
}

static bool make_textures(struct wp_instance *t, struct wp_texture *textures)
{
    bool ok = true;
    for (int l = 1; l <= t->levels && ok; l++)
        ok = make_texture(t, wp_description_size(&t->description, WP_X, l),
                          wp_description_size(&t->description, WP_Y, l), &textures[l]);
    return ok;
}

// The level of a transfer of coefficients.
static int level_of(const struct wp_transfer *transfer)
{
    int c = 0;
    while (c < WP_COMPONENTS - 1 && !transfer->used[c])
        c++;
    return transfer->band[c].level;
}

static void count(struct wp_instance *t)
{
    struct wp_scheme *scheme = has_elements(t)
                                   ? wp_redundant_scheme(&t->description)
                                   : wp_description_scheme(&t->description, WP_AXIS_BOTH);
    snprintf(t->name, sizeof t->name, "%s", scheme->name);
    t->steps = scheme->pass_count;
    const struct wp_backend *b = t->backend;
    const struct wp_exec *exec = exec_of(t);
    const struct wp_counts counts =
        b->bench && b->bench->counts && t->levels > 0
            ? b->bench->counts(exec)
            : (struct wp_counts){wp_scheme_operations(scheme), wp_scheme_fetches(scheme)};
    t->operations = counts.operations;
    t->fetches = counts.fetches;
    t->at_once = b->variant && b->variant(exec)->counts;
    wp_scheme_destroy(&scheme);
}

// Instances for `count` planes, which wp_instance_set() creates together.
struct wp_instances {
    const struct wp_plane *plane;
    int count;
    const struct wp_instance *first;
    const struct wp_instance_packets *known; // of the previous instances, or NULL
};

// The larger one of the samples and the coefficients.
static size_t buffer_samples(const struct wp_instance *t)
{
    const size_t samples = plane_samples(&t->plane);
    const size_t coefficients = wp_description_coefficients(&t->description);
    return samples > coefficients ? samples : coefficients;
}

// Bytes of textures of all levels, `sets` for each of them, and of others.
static double texture_bytes(const struct wp_instance *t, int sets, int planes)
{
    const struct wp_description *d = &t->description;
    enum { OTHERS = 6 };
    return (double)(sets * t->levels + OTHERS) * (double)planes *
           (double)wp_description_samples(d) * 4 * (double)wp_precision_bytes(d->precision);
}

// Textures of both directions, and the edited ones. The quick inverse has one set more, or is not
// used.
static bool check_memory(struct wp_instance *t, double limit, int planes)
{
    enum { SETS = 3 };
    t->no_quick = has_elements(t) && limit > 0 && texture_bytes(t, SETS + 1, planes) > limit;
    return !has_elements(t) || wp_instance_check_memory(&t->description, planes,
                                                        texture_bytes(t, SETS, planes), limit);
}

// The tree and the coefficients of packets. The first plane finds the tree for all.
static bool create_packets(struct wp_instance *t, struct wp_device *device,
                           const struct wp_instances *all)
{
    const char *name = t->params.view.variant[0] ? t->params.view.variant : NULL;
    struct wp_planner planner = {.backend = t->backend, .device = device};
    if (t != all->first)
        return wp_instance_packets_share(t, all->first->packets);
    return wp_backend_find_variant(t->backend, name, &t->description, &planner.variant) &&
           wp_instance_packets_find(t, &planner, all->plane, all->count, all->known);
}

static bool create(struct wp_instance *t, struct wp_devices *devices,
                   const struct wp_instances *all)
{
    const char *name = t->params.view.backend;
    const int number = wp_devices_find(name);
    char reason[384];
    if (!wp_devices_probe(devices, name, reason, sizeof reason)) // no reason: memory was exhausted
        return reason[0] && wp_fail(WP_ERROR_UNAVAILABLE, "backend '%s' is not available (%s)",
                                    name, reason);
    t->backend = wp_backends[number];
    t->device = &devices->open[number].info;
    t->gl = devices->gl;
    t->devices = devices;
    t->levels = t->params.levels;
    if (!wp_backend_check_precision(t->backend, (enum wp_precision)t->params.view.precision) ||
        !wp_backend_check_bank(t->backend, (enum wp_bank)t->params.view.bank) ||
        !wp_wavelet_find(t->params.view.wavelet, &t->wavelet))
        return false;
    const int size[] = {t->plane.width, t->plane.height, t->plane.depth};
    const int most = wp_instance_levels_most(&t->wavelet, t->params.view.bank, t->params.border,
                                             size);
    t->levels = t->levels < most ? t->levels : most;
    if (t->plane.depth > 1)
        return wp_instance_check_volume(t->params.view.bank) &&
               wp_instance_make_volume(t, devices->host_memory, all->count);
    t->description = describe(t);
    if (!check_memory(t, devices->memory, all->count))
        return false;
    if (t->description.bank == WP_BANK_PACKETS &&
        !create_packets(t, devices->open[number].device, all))
        return false;
    if (t->params.view.reversible &&
        (!wp_description_check(&t->description) || !check_integers(&t->plane, &t->description)))
        return false;
    if (!prepare(t, devices->open[number].device, WP_FORWARD) ||
        !prepare(t, devices->open[number].device, WP_INVERSE) || !wp_gl_make_current(t->gl))
        return false;
    find_exchange(t);
    if (t->reads_image && !t->textures->read_from(t->exec[WP_FORWARD], t->plane.quads))
        return false;
    count(t);
    const struct wp_surfaces *surfaces = t->surfaces[WP_FORWARD];
    for (int p = 0; surfaces && t->levels > 0 && p < t->schedule[WP_FORWARD]->store_count; p++) {
        const struct wp_transfer *store = &t->schedule[WP_FORWARD]->store[p];
        t->level[level_of(store)] =
            (struct wp_quads){&surfaces->texture[store->surface], store->x, store->y};
    }
    if (surfaces)
        return true;
    for (int l = 1; l <= t->levels && !t->packets; l++)
        t->level[l] = (struct wp_quads){&t->copy[l], 0, 0};
    if (!t->exchanges)
        t->coefficients = wp_allocate(buffer_samples(t), sizeof(float), "coefficients");
    return (t->exchanges || t->coefficients) && (t->packets || make_textures(t, t->copy));
}

void wp_instance_destroy(struct wp_instance *t)
{
    for (int d = WP_FORWARD; d <= WP_INVERSE; d++) {
        if (t->exec[d])
            t->backend->release(t->exec[d]);
        wp_plan_destroy(&t->plan[d]);
    }
    // Destroying a volume's transform restores the window's context.
    wp_instance_volume_destroy(&t->volume);
    if (t->gl && wp_gl_make_current(t->gl)) {
        for (int l = 0; l <= WP_MAX_LEVELS; l++) {
            wp_texture_destroy(&t->copy[l]);
            wp_texture_destroy(&t->changed[l]);
        }
        wp_texture_destroy(&t->image_copy);
        wp_instance_packets_destroy(&t->packets);
        wp_quick_inverse_destroy(&t->quick);
    }
    free(t->of_plans);
    free(t->coefficients);
    *t = (struct wp_instance){0};
}

const char *wp_instance_variant(const struct wp_instance *t)
{
    if (t->volume)
        return wp_transform_get_info(t->volume->transform)->variant;
    const struct wp_backend *b = t->backend;
    return b->variant ? b->variant(exec_of(t))->name : NULL;
}

bool wp_instance_handover(const struct wp_instance *t, double *map, double *unmap)
{
    if (!t->textures || !t->textures->handover)
        return false;
    t->textures->handover(t->exec[WP_FORWARD], map, unmap);
    return true;
}

const char *const *wp_instance_band_names(const struct wp_instance *t)
{
    // The wavelet plane is high-pass along all axes that levels transform.
    static const char *const starlet[WP_OCTET_BANDS] = {"C", "W", "W", "W", "W", "W", "W", "W"};
    if (t->description.bank == WP_BANK_STARLET)
        return starlet;
    return t->volume ? wp_octet_band_names : wp_band_names;
}

// Replaces an instance with another one.
static void replace(struct wp_instance *t, const struct wp_instance *next)
{
    wp_instance_destroy(t);
    *t = *next;
    if (!t->backend)
        return;
    // Update pointers into the struct itself.
    t->description.wavelet = &t->wavelet;
    for (int l = 1; l <= t->levels && t->level[l].texture && !t->surfaces[WP_FORWARD]; l++)
        t->level[l].texture = &t->copy[l];
}

// The packets of an instance whose transform differs only in the tree, or NULL.
static const struct wp_instance_packets *known_packets(const struct wp_instance *t,
                                                       const struct wp_plane *plane,
                                                       const struct wp_instance_params *params)
{
    struct wp_instance_params same = *params;
    same.packets = t->params.packets;
    return t->packets && t->plane.version == plane->version &&
                   strcmp(params->packets.cost, same.packets.cost) == 0 &&
                   wp_instance_params_equal(&t->params, &same)
               ? t->packets : NULL;
}

bool wp_instance_set(struct wp_instance t[WP_COLOURS], struct wp_devices *devices,
                     const struct wp_plane plane[], int count,
                     const struct wp_instance_params *params)
{
    struct wp_instance next[WP_COLOURS] = {0};
    const struct wp_instances all = {plane, count, next, known_packets(t, plane, params)};
    bool ok = true;
    // One instance at a time may read the textures; kept instances bind them again on the next run.
    for (int p = 0; p < WP_COLOURS; p++)
        wp_instance_unbind(&t[p]);
    for (int p = 0; p < count && ok; p++) {
        next[p].params = *params;
        next[p].plane = plane[p];
        ok = create(&next[p], devices, &all);
    }
    for (int p = 0; p < WP_COLOURS; p++) {
        if (ok)
            replace(&t[p], &next[p]);
        else
            wp_instance_destroy(&next[p]);
    }
    return ok;
}

// Draws the quads of a transfer onto its surface, including the boundary extension.
static void load_transfer(struct wp_program *program, const struct wp_transfer *transfer,
                          const struct wp_surfaces *surfaces, struct wp_quads from)
{
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
}

static bool load_elements(struct wp_instance *t, enum wp_direction direction)
{
    const struct wp_schedule *schedule = t->schedule[direction];
    const struct wp_quads image = {t->plane.quads, 0, 0};
    const bool forward = direction == WP_FORWARD;
    bool ok = true;
    for (int p = 0; p < schedule->load_count && ok; p++) {
        const struct wp_transfer *transfer = &schedule->load[p];
        const struct wp_quads *from = forward ? &image : &t->edited[level_of(transfer)];
        ok = wp_elements_draw(t->gl, forward ? WP_ELEMENTS_SPLIT : WP_ELEMENTS_COPY, from->texture,
                              from->x, from->y, &t->surfaces[direction]->texture[transfer->surface],
                              is_half(t), t->plane.width, t->plane.height);
    }
    return ok;
}

// Loads the input of a direction, for a backend with surfaces.
static bool load(struct wp_instance *t, enum wp_direction direction)
{
    const struct wp_schedule *schedule = t->schedule[direction];
    const bool pixels = direction == WP_FORWARD || t->levels == 0;
    if (has_elements(t))
        return load_elements(t, direction);
    struct wp_program *program = wp_view_program(t->gl, WP_SHADER_LOAD, is_half(t));
    for (int p = 0; p < schedule->load_count && program; p++)
        load_transfer(program, &schedule->load[p], t->surfaces[direction],
                      pixels ? (struct wp_quads){t->plane.quads, 0, 0}
                             : t->edited[level_of(&schedule->load[p])]);
    return program;
}

// Runs a transform through host memory. `in` may equal `out`.
static bool transform(struct wp_instance *t, enum wp_direction direction, const float *in,
                      float *out)
{
    struct wp_description d = t->description;
    const size_t count = plane_samples(&t->plane);
    d.direction = direction;
    if (d.reversible) {
        for (size_t i = 0; i < count; i++) // rounding, which edited coefficients need
            out[i] = rintf(in[i] * t->plane.unit);
        in = out;
    }
    const bool forward = direction == WP_FORWARD;
    const struct wp_operand from =
        (forward ? wp_operand_dense : wp_operand_coefficients)(&d, (float *)in);
    const struct wp_operand to = (forward ? wp_operand_coefficients : wp_operand_dense)(&d, out);
    struct wp_execution execution = {0};
    const struct wp_plan *plan = t->plan[direction];
    const bool ok = plan ? plan->kind->apply(plan, &from, &to, &execution)
                         : wp_exec_transform(t->backend, t->exec[direction], &from, &to,
                                             &execution.seconds);
    t->seconds[direction] = execution.seconds.run;
    for (size_t i = 0; i < count && d.reversible; i++)
        out[i] /= t->plane.unit;
    return ok && wp_gl_make_current(t->gl);
}

// Other edits apply to all levels again.
static void use_unedited(struct wp_instance *t)
{
    memcpy(t->edited, t->level, sizeof t->edited);
    memset(t->stale, true, sizeof t->stale);
    t->is_applied = false;
}

bool wp_instance_forward(struct wp_instance *t)
{
    const struct wp_backend *b = t->backend;
    struct wp_exec *exec = t->exec[WP_FORWARD];
    double *seconds = &t->seconds[WP_FORWARD];
    if (t->volume)
        return wp_instance_volume_run(t->volume, WP_FORWARD, t->plane.samples, seconds) &&
               wp_gl_make_current(t->gl);
    if (t->packets)
        return transform(t, WP_FORWARD, t->plane.samples, t->packets->coefficients) &&
               wp_instance_packets_show(t, t->packets->coefficients);
    use_unedited(t);
    if (t->reads_image)
        return t->textures->read_from(exec, t->plane.quads) && b->run(exec, seconds);
    if (t->surfaces[WP_FORWARD])
        return load(t, WP_FORWARD) && b->run(exec, seconds);
    bool ok = t->exchanges ? b->gl->read_quads(exec, 0, t->plane.quads, 0, 0) &&
                                 b->run(exec, seconds)
                           : transform(t, WP_FORWARD, t->plane.samples, t->coefficients);
    for (int l = 1; l <= t->levels && ok; l++)
        ok = t->exchanges ? b->gl->write_quads(exec, l, &t->copy[l])
                          : wp_exchange_upload(&t->description, l, t->coefficients, &t->copy[l]);
    return ok;
}

static bool can_step(const struct wp_instance *t)
{
    return t->textures && t->textures->step;
}

bool wp_instance_is_band(const struct wp_instance *t, int level, enum wp_band band)
{
    const unsigned axes = wp_description_axes(&t->description, level);
    return t->description.bank == WP_BANK_STARLET ? band == WP_BAND_LL || (unsigned)band == axes
                                                  : ((unsigned)band & ~axes) == 0;
}

bool wp_instance_has_band(const struct wp_instance *t, int level, enum wp_band band)
{
    if (!wp_instance_is_band(t, level, band))
        return false;
    return band != WP_BAND_LL || level == wp_description_levels(&t->description) ||
           (can_step(t) && t->surfaces[WP_FORWARD] &&
            t->edited[level].texture == t->level[level].texture);
}

int wp_instance_lows(const struct wp_instance *t)
{
    return has_elements(t) && wp_instance_has_band(t, 1, WP_BAND_LL) ? t->levels - 1 : 0;
}

static void set_edit(struct wp_program *program, const struct wp_instance *t,
                     const struct wp_view_edit *edit, int level)
{
    const bool last = level == t->levels;
    float gain[4], limit[4] = {0};
    for (int band = 0; band < WP_BAND_COUNT; band++) {
        if (!wp_instance_is_band(t, level, (enum wp_band)band)) {
            gain[band] = 0;
            continue;
        }
        const int number = wp_subband_number(&t->description, level, (enum wp_band)band);
        const bool none = edit->zeroed[level][band] || (band == WP_BAND_LL && !last);
        gain[band] = none ? 0.0F : (float)edit->gain[level][band];
        if (band != WP_BAND_LL)
            limit[band] = (float)(edit->limit[level][band] / wp_edit_unit(&t->description, number));
    }
    const bool at_level = edit->level == level;
    wp_program_set2(program, "origin", t->level[level].x, t->level[level].y);
    wp_program_set_floats(program, "band_gain", 4, gain);
    wp_program_set(program, "threshold", (int)edit->threshold);
    wp_program_set_floats(program, "limit", 4, limit);
    wp_program_set(program, "impulse", !edit->impulse ? -2 : at_level ? edit->band : -1);
    wp_program_set2(program, "impulse_at", edit->x, edit->y);
}

static bool is_same_edit(const struct wp_view_edit *a, const struct wp_view_edit *b, int level)
{
    return memcmp(a->gain[level], b->gain[level], sizeof a->gain[level]) == 0 &&
           memcmp(a->limit[level], b->limit[level], sizeof a->limit[level]) == 0 &&
           memcmp(a->zeroed[level], b->zeroed[level], sizeof a->zeroed[level]) == 0 &&
           a->threshold == b->threshold && a->impulse == b->impulse && a->level == b->level &&
           a->band == b->band && a->x == b->x && a->y == b->y;
}

bool wp_instance_edit(struct wp_instance *t, const struct wp_view_edit *edit)
{
    if (t->packets)
        return wp_instance_packets_edit(t, edit);
    if (t->volume)
        t->volume->edited = t->volume->coefficients;
    if (!edit || !edit->any) {
        use_unedited(t);
        return true;
    }
    if (t->volume)
        return wp_instance_volume_edit(t->volume, edit);
    struct wp_program *program = wp_view_program(t->gl, WP_SHADER_EDIT, is_half(t));
    if (!program || !make_textures(t, t->changed)) {
        use_unedited(t);
        return false;
    }
    for (int l = 1; l <= t->levels; l++) {
        t->edited[l] = (struct wp_quads){&t->changed[l], 0, 0};
        if (t->is_applied && is_same_edit(edit, &t->applied, l))
            continue; // the slider of another level moved
        t->stale[l] = true;
        set_edit(program, t, edit, l);
        wp_program_draw(program, t->level[l].texture, &t->changed[l], 0, 0,
                        t->changed[l].width, t->changed[l].height, WP_DRAW_ALL);
    }
    t->applied = *edit;
    t->is_applied = true;
    return true;
}

size_t wp_instance_coefficients(const struct wp_instance *t)
{
    const int *extent = t->volume ? t->volume->extent : NULL;
    return extent ? (size_t)extent[WP_X] * (size_t)extent[WP_Y] * (size_t)extent[WP_Z]
                  : wp_description_coefficients(&t->description);
}

bool wp_instance_read_coefficients(struct wp_instance *t, float *plane)
{
    const float *host = t->volume    ? t->volume->edited
                        : t->packets ? t->packets->edited
                                     : t->plane.samples;
    bool ok = true;
    if (t->volume || t->packets || t->levels == 0) {
        memcpy(plane, host, wp_instance_coefficients(t) * sizeof *plane);
        return true;
    }
    if (wp_description_is_expansive(&t->description))
        memset(plane, 0, wp_description_coefficients(&t->description) * sizeof *plane);
    for (int l = 1; l <= t->levels && ok; l++)
        ok = wp_exchange_download(&t->description, l, t->edited[l].texture, t->edited[l].x,
                                  t->edited[l].y, plane);
    return ok;
}

bool wp_instance_inverse(struct wp_instance *t)
{
    const struct wp_backend *b = t->backend;
    struct wp_exec *exec = t->exec[WP_INVERSE];
    double *seconds = &t->seconds[WP_INVERSE];
    if (t->volume)
        return wp_instance_volume_run(t->volume, WP_INVERSE, NULL, seconds) &&
               wp_gl_make_current(t->gl);
    if (t->surfaces[WP_INVERSE] && !has_elements(t)) {
        const struct wp_transfer *store = &t->schedule[WP_INVERSE]->store[0];
        t->image = (struct wp_quads){&t->surfaces[WP_INVERSE]->texture[store->surface], store->x,
                                     store->y};
        return load(t, WP_INVERSE) && b->run(exec, seconds);
    }
    if (!make_texture(t, wp_level_size(t->plane.width, 1), wp_level_size(t->plane.height, 1),
                      &t->image_copy))
        return false;
    t->image = (struct wp_quads){&t->image_copy, 0, 0};
    if (t->surfaces[WP_INVERSE])
        return load(t, WP_INVERSE) && b->run(exec, seconds) &&
               wp_elements_draw(t->gl, WP_ELEMENTS_JOIN, &t->surfaces[WP_INVERSE]->texture[0], 0, 0,
                                &t->image_copy, is_half(t), t->plane.width, t->plane.height);
    if (!t->exchanges)
        return wp_instance_read_coefficients(t, t->coefficients) &&
               transform(t, WP_INVERSE, t->coefficients, t->coefficients) &&
               wp_exchange_upload(&t->description, 0, t->coefficients, &t->image_copy);
    bool ok = true;
    for (int l = 1; l <= t->levels && ok; l++)
        ok = b->gl->read_quads(exec, l, t->edited[l].texture, t->edited[l].x, t->edited[l].y);
    return ok && b->run(exec, seconds) && b->gl->write_quads(exec, 0, &t->image_copy);
}

const struct wp_schedule *wp_instance_schedule(struct wp_instance *t, enum wp_direction direction)
{
    return can_step(t) ? t->schedule[direction] : NULL;
}

void wp_instance_explain(const struct wp_instance *t, struct wp_text *text)
{
    const struct wp_backend *b = t->backend;
    if (t->params.view.reversible) {
        wp_text_add(text, "reversible transforms are computed in integers and have no textures "
                          "between passes");
        return;
    }
    if (t->plan[WP_FORWARD]) {
        wp_text_add(text, "%s%s is computed level by level in host memory",
                    t->packets          ? "bank "
                    : t->params.adjoint ? "the adjoint with border "
                                        : "border ",
                    t->packets ? wp_bank_names[WP_BANK_PACKETS]
                               : wp_border_names[t->params.border]);
        return;
    }
    // Other variants of the backend may have textures.
    const struct wp_variant *variant =
        can_step(t) ? b->variant(t->exec[WP_FORWARD]) : NULL;
    wp_text_add(text, "%s '%s' has no textures between its passes",
                variant ? "variant" : "backend", variant ? variant->name : b->name);
}

bool wp_instance_step(struct wp_instance *t, enum wp_direction direction, int count,
                      double *seconds)
{
    bool ok = load(t, direction);
    for (int op = 0; op < count && ok; op++)
        ok = t->textures->step(t->exec[direction], op, seconds ? &seconds[op] : NULL);
    return ok;
}

const struct wp_texture *wp_instance_surface(struct wp_instance *t,
                                             enum wp_direction direction, int surface)
{
    return &t->surfaces[direction]->texture[surface];
}
