// The calls forward and inverse, for all kinds of operands.
#include "elements.h"
#include "log.h"
#include "transform_struct.h"

#include <stdlib.h>

// Advances an operand by `count` planes. Textures and buffers have no array.
static void move(const struct wp_transform *t, struct wp_transform_operand *operand, int count)
{
    struct wp_pixels *pixels = &operand->memory.pixels;
    if (pixels->data)
        pixels->data = wp_pixels_at(pixels, count * pixels->plane);
    if (!operand->band && operand->memory.array.data)
        operand->memory.array.data += count * operand->memory.array.plane;
    for (int b = 0; operand->band && b < wp_subband_count(&t->description); b++)
        operand->band[b].data += count * operand->band[b].plane;
}

// Transforms one plane, the planes of one execution, or one group of slices.
static bool run_plane(struct wp_transform *t, int plane, const struct wp_transform_operand *from,
                      const struct wp_transform_operand *to)
{
    struct wp_exec_seconds seconds = {0};
    const struct wp_texture_operand operands[] = {{from->texture, plane, t->planes, from->memory},
                                             {to->texture, plane, t->planes, to->memory}};
    bool ok;
    if (t->tiled && (from->texture || to->texture || from->cuda))
        ok = wp_fail(WP_ERROR_TOO_LARGE, "%dx%d does not fit %s, and only memory of the host can be "
                     "processed in tiles",
                     t->ready.size[WP_X], t->ready.size[WP_Y], t->choice.info.name);
    else if (from->buffer)
        ok = wp_textures_run_on(t->choice.backend, t->chain.part[0].exec, from->buffer, plane,
                                (size_t)from->memory.array.plane);
    else if (from->texture || to->texture)
        ok = wp_textures_run(t->choice.backend, t->chain.part[0].exec, &t->ready, &operands[0],
                             &operands[1], &seconds.run);
    else if (from->cuda)
        ok = wp_exec_chain_transform_device(&t->chain, &from->memory, &to->memory, t->stream);
    else if (t->tiled)
        ok = wp_tiled_exec_transform(t->tiled, &from->memory, &to->memory, &seconds);
    else
        ok = wp_exec_chain_transform(&t->chain, &from->memory, &to->memory, &seconds);
    t->info.seconds += seconds.run;
    t->info.load_seconds += seconds.load;
    t->info.store_seconds += seconds.store;
    return ok;
}

// Advances an operand by `z` slices. Separate bands and textures have no groups of slices.
static void move_slices(struct wp_transform_operand *operand, int z)
{
    struct wp_pixels *pixels = &operand->memory.pixels;
    if (pixels->data)
        pixels->data = wp_pixels_at(pixels, z * pixels->step[WP_Z]);
    if (!operand->band && operand->memory.array.data)
        operand->memory.array.data += z * operand->memory.array.step[WP_Z];
}

// Transforms slices first..end-1 of all planes, in groups of `depth` slices.
static bool run_groups(struct wp_transform *t, enum wp_direction direction,
                       const struct wp_transform_operand *given_from,
                       const struct wp_transform_operand *given_to, int first, int end, int depth)
{
    if (first == end)
        return true;
    if (!wp_transform_prepare(t, direction, depth))
        return false;
    struct wp_transform_operand from = *given_from, to = *given_to;
    const int at_once = wp_description_planes(&t->ready);
    for (int p = 0; p < t->planes; p += at_once) {
        for (int z = first; z < end; z += depth) {
            struct wp_transform_operand in = from, out = to;
            move_slices(&in, z);
            move_slices(&out, z);
            if (!run_plane(t, p, &in, &out))
                return false;
        }
        if (!from.buffer) {
            move(t, &from, at_once);
            move(t, &to, at_once);
        }
    }
    t->info.planes_at_once = at_once;
    return true;
}

static bool run_planes(struct wp_transform *t, enum wp_direction direction,
                       struct wp_transform_operand *from, struct wp_transform_operand *to)
{
    const int depth = wp_transform_group_depth(t), full = t->depth - t->depth % depth;
    if (!wp_transform_check_operands(t, from, to))
        return false;
    t->info.seconds = t->info.load_seconds = t->info.store_seconds = 0;
    wp_transform_use_buffers(t, from->buffer != 0);
    return run_groups(t, direction, from, to, 0, full, depth) &&
           run_groups(t, direction, from, to, full, t->depth, t->depth - full);
}

static enum wp_element type_of(const struct wp_transform_operand *operand)
{
    return operand->memory.pixels.data ? operand->memory.pixels.type : WP_ELEMENT_F32;
}

static bool run(struct wp_transform *t, enum wp_direction direction,
                struct wp_transform_operand *from, struct wp_transform_operand *to)
{
    struct wp_textures_scope scope;
    wp_transform_enter(t, from->buffer && t->on_buffers &&
                              wp_transform_is_ready(t, direction, t->depth), &scope);
    t->samples = type_of(direction == WP_FORWARD ? from : to);
    t->coefficients = type_of(direction == WP_FORWARD ? to : from);
    const bool ok = run_planes(t, direction, from, to);
    t->samples = t->coefficients = WP_ELEMENT_F32;
    wp_textures_leave(&scope);
    return ok;
}

bool wp_transform_set_stream(struct wp_transform *t, void *stream)
{
    if (!wp_transform_lock(t))
        return false;
    const bool ok = wp_transform_check_cuda(t);
    if (ok)
        t->stream = stream;
    return wp_transform_unlock(t, ok);
}

static bool forward_at(struct wp_transform *t, const struct wp_memory *image,
                       const struct wp_memory *coefficients)
{
    struct wp_transform_operand from, to = {0};
    const bool ok = wp_transform_check_operand(t, image, false, &from) &&
                    wp_transform_check_operand(t, coefficients, true, &to) &&
                    wp_transform_check_apart(t, &to) &&
                    run(t, WP_FORWARD, &from, &to);
    free(to.band);
    return ok;
}

static bool inverse_at(struct wp_transform *t, const struct wp_memory *coefficients,
                       const struct wp_memory *image)
{
    struct wp_transform_operand from, to;
    const bool ok = wp_transform_check_operand(t, coefficients, true, &from) &&
                    wp_transform_check_operand(t, image, false, &to) &&
                    run(t, WP_INVERSE, &from, &to);
    free(from.band);
    return ok;
}

static bool get_buffer_layout(struct wp_transform *t, bool inverse,
                              struct wp_buffer_layout *layout, struct wp_buffer_band *bands)
{
    struct wp_textures_scope scope;
    if (!wp_transform_check_buffer(t))
        return false;
    wp_transform_enter(t, false, &scope);
    wp_transform_use_buffers(t, true);
    const bool ok = wp_transform_prepare(t, inverse ? WP_INVERSE : WP_FORWARD, t->depth);
    if (ok)
        wp_textures_lay_out(t->choice.backend, t->chain.part[0].exec, &t->ready,
                            layout, bands);
    wp_textures_leave(&scope);
    return ok;
}

static bool forward_pixels(struct wp_transform *t, const struct wp_pixels *image,
                           const struct wp_memory *coefficients)
{
    struct wp_transform_operand from, to;
    const bool ok = wp_transform_check_pixels(t, image, coefficients, &from, &to) &&
                    wp_transform_check_apart(t, &to) && run(t, WP_FORWARD, &from, &to);
    free(to.band);
    return ok;
}

static bool inverse_pixels(struct wp_transform *t, const struct wp_memory *coefficients,
                           const struct wp_pixels *image)
{
    struct wp_transform_operand from, to;
    const bool ok = wp_transform_check_pixels(t, image, coefficients, &to, &from) &&
                    run(t, WP_INVERSE, &from, &to);
    free(from.band);
    return ok;
}

static bool forward_elements(struct wp_transform *t, const struct wp_pixels *image,
                             const struct wp_pixels *coefficients)
{
    struct wp_transform_operand from, to;
    return wp_transform_check_elements(t, image, coefficients, &from, &to) &&
           run(t, WP_FORWARD, &from, &to);
}

static bool inverse_elements(struct wp_transform *t, const struct wp_pixels *coefficients,
                             const struct wp_pixels *image)
{
    struct wp_transform_operand from, to;
    return wp_transform_check_elements(t, image, coefficients, &to, &from) &&
           run(t, WP_INVERSE, &from, &to);
}

// The public functions lock the transform.

bool wp_transform_forward_at(struct wp_transform *t, const struct wp_memory *image,
                             const struct wp_memory *coefficients)
{
    return wp_transform_lock(t) && wp_transform_unlock(t, forward_at(t, image, coefficients));
}

bool wp_transform_inverse_at(struct wp_transform *t, const struct wp_memory *coefficients,
                             const struct wp_memory *image)
{
    return wp_transform_lock(t) && wp_transform_unlock(t, inverse_at(t, coefficients, image));
}

bool wp_transform_forward_pixels(struct wp_transform *t, const struct wp_pixels *image,
                                 const struct wp_memory *coefficients)
{
    return wp_transform_lock(t) && wp_transform_unlock(t, forward_pixels(t, image, coefficients));
}

bool wp_transform_inverse_pixels(struct wp_transform *t, const struct wp_memory *coefficients,
                                 const struct wp_pixels *image)
{
    return wp_transform_lock(t) && wp_transform_unlock(t, inverse_pixels(t, coefficients, image));
}

bool wp_transform_forward_elements(struct wp_transform *t, const struct wp_pixels *image,
                                   const struct wp_pixels *coefficients)
{
    return wp_transform_lock(t) && wp_transform_unlock(t, forward_elements(t, image, coefficients));
}

bool wp_transform_inverse_elements(struct wp_transform *t, const struct wp_pixels *coefficients,
                                   const struct wp_pixels *image)
{
    return wp_transform_lock(t) && wp_transform_unlock(t, inverse_elements(t, coefficients, image));
}

bool wp_transform_get_buffer_layout(struct wp_transform *t, bool inverse,
                                    struct wp_buffer_layout *layout, struct wp_buffer_band *bands)
{
    return wp_transform_lock(t) &&
           wp_transform_unlock(t, get_buffer_layout(t, inverse, layout, bands));
}

bool wp_transform_forward(struct wp_transform *t, const float *planes, float *coefficients)
{
    const struct wp_memory from = {.array.data = (float *)planes};
    const struct wp_memory to = {.array.data = coefficients};
    return wp_transform_forward_at(t, &from, &to);
}

bool wp_transform_inverse(struct wp_transform *t, const float *coefficients, float *planes)
{
    const struct wp_memory from = {.array.data = (float *)coefficients};
    const struct wp_memory to = {.array.data = planes};
    return wp_transform_inverse_at(t, &from, &to);
}
