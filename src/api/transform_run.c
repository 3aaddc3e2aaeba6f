// The calls forward and inverse, for all kinds of operands.
#include "elements.h"
#include "log.h"
#include "transform_struct.h"

#include <stdlib.h>

// Transforms one plane, the planes of one execution, or one group of slices.
static bool run_plane(struct wp_transform *t, int plane, const struct wp_operand *from,
                      const struct wp_operand *to)
{
    struct wp_exec_seconds seconds = {0};
    const bool texture =
        from->location == WP_LOCATION_TEXTURE || to->location == WP_LOCATION_TEXTURE;
    bool ok;
    if (t->tiled && (texture || from->location == WP_LOCATION_CUDA))
        ok = wp_fail(WP_ERROR_TOO_LARGE, "%dx%d does not fit %s, and only memory of the host can be "
                     "processed in tiles",
                     t->ready.size[WP_X], t->ready.size[WP_Y], t->choice.info.name);
    else if (from->location == WP_LOCATION_BUFFER)
        ok = wp_textures_run_on(t->choice.backend, t->chain.part[0].exec, from->name, plane,
                                (size_t)from->stride[WP_PLANE]);
    else if (texture)
        ok = wp_textures_run(t->choice.backend, t->chain.part[0].exec, &t->ready, from, to, plane,
                             t->planes, &seconds.run);
    else if (from->location == WP_LOCATION_CUDA)
        ok = wp_exec_chain_transform_device(&t->chain, from, to, t->stream);
    else if (t->tiled)
        ok = wp_tiled_exec_transform(t->tiled, from, to, &seconds);
    else
        ok = wp_exec_chain_transform(&t->chain, from, to, &seconds);
    t->info.seconds += seconds.run;
    t->info.load_seconds += seconds.load;
    t->info.store_seconds += seconds.store;
    return ok;
}

// Transforms slices first..end-1 of all planes, in groups of `depth` slices.
static bool run_groups(struct wp_transform *t, enum wp_direction direction,
                       const struct wp_operand *from, const struct wp_operand *to, int first,
                       int end, int depth)
{
    if (first == end)
        return true;
    if (!wp_transform_prepare(t, direction, depth))
        return false;
    const int at_once = wp_description_planes(&t->ready);
    struct wp_operand *bands = t->bands ? t->bands + wp_subband_count(&t->description) : NULL;
    for (int p = 0; p < t->planes; p += at_once) {
        const struct wp_operand from_plane = wp_operand_advance(from, WP_PLANE, p, bands);
        const struct wp_operand to_plane = wp_operand_advance(to, WP_PLANE, p, bands);
        for (int z = first; z < end; z += depth) {
            const struct wp_operand in = wp_operand_advance(&from_plane, WP_Z, z, bands);
            const struct wp_operand out = wp_operand_advance(&to_plane, WP_Z, z, bands);
            if (!run_plane(t, p, &in, &out))
                return false;
        }
    }
    t->info.planes_at_once = at_once;
    return true;
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

static bool run(struct wp_transform *t, enum wp_direction direction, const struct wp_operand *from,
                const struct wp_operand *to)
{
    struct wp_textures_scope scope;
    const int depth = wp_transform_group_depth(t), full = t->depth - t->depth % depth;
    const bool buffer = from->location == WP_LOCATION_BUFFER;
    wp_transform_enter(t, buffer && t->on_buffers && wp_transform_is_ready(t, direction, t->depth),
                       &scope);
    t->samples = (direction == WP_FORWARD ? from : to)->type;
    t->coefficients = (direction == WP_FORWARD ? to : from)->type;
    t->info.seconds = t->info.load_seconds = t->info.store_seconds = 0;
    wp_transform_use_buffers(t, buffer);
    const bool ok = run_groups(t, direction, from, to, 0, full, depth) &&
                    run_groups(t, direction, from, to, full, t->depth, t->depth - full);
    t->samples = t->coefficients = WP_ELEMENT_F32;
    wp_textures_leave(&scope);
    return ok;
}

static bool transform(struct wp_transform *t, enum wp_direction direction,
                      const struct wp_operand *given_from, const struct wp_operand *given_to)
{
    struct wp_operand from, to;
    if (!wp_transform_lock(t))
        return false;
    t->description.direction = direction;
    return wp_transform_unlock(t,
                               wp_transform_check_operands(t, given_from, given_to, &from, &to) &&
                                   run(t, direction, &from, &to));
}

bool wp_transform_forward(struct wp_transform *t, const struct wp_operand *image,
                          const struct wp_operand *coefficients)
{
    return transform(t, WP_FORWARD, image, coefficients);
}

bool wp_transform_inverse(struct wp_transform *t, const struct wp_operand *coefficients,
                          const struct wp_operand *image)
{
    return transform(t, WP_INVERSE, coefficients, image);
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

bool wp_transform_get_buffer_layout(struct wp_transform *t, bool inverse,
                                    struct wp_buffer_layout *layout, struct wp_buffer_band *bands)
{
    return wp_transform_lock(t) &&
           wp_transform_unlock(t, get_buffer_layout(t, inverse, layout, bands));
}
