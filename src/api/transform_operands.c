// Checks of the operands of a call.
#include "elements.h"
#include "log.h"
#include "memory.h"
#include "transform_struct.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 4 }; // of a texture

// Sets `view` to the caller's view with all strides filled in; `name` is for messages. False after
// WP_ERROR_USAGE.
static bool check_view(const struct wp_transform *t, const struct wp_view *given,
                       const int size[WP_DIMS_MAX], const char *name, struct wp_view *view)
{
    char distances[160];
    *view = *given;
    view->step[WP_X] = given->step[WP_X] ? given->step[WP_X] : 1;
    for (int a = WP_Y; a < WP_DIMS_MAX; a++)
        view->step[a] = given->step[a] ? given->step[a] : size[a - 1] * view->step[a - 1];
    view->plane = given->plane ? given->plane : size[WP_Z] * view->step[WP_Z];
    if (!view->data)
        return wp_fail(WP_ERROR_USAGE, "the array of the %s is NULL", name);
    if (wp_view_is_sound(view, size, t->planes))
        return true;
    if (t->depth == 1)
        snprintf(distances, sizeof distances, "%td, %td and %td between columns, rows and planes",
                 view->step[WP_X], view->step[WP_Y], view->plane);
    else
        snprintf(distances, sizeof distances,
                 "%td, %td, %td and %td between columns, rows, slices and planes",
                 view->step[WP_X], view->step[WP_Y], view->step[WP_Z], view->plane);
    return wp_fail(WP_ERROR_USAGE,
                   "samples of the %s overlap (%dx%d in %d plane%s, with distances of %s)", name,
                   size[WP_X], size[WP_Y], t->planes, WP_PLURAL(t->planes), distances);
}

static bool check_type(const struct wp_pixels *given)
{
    if (given->type < 0 || given->type >= WP_ELEMENT_COUNT)
        return wp_fail(WP_ERROR_USAGE, "%d is not a type of samples", (int)given->type);
    const struct wp_element_kind *kind = &wp_elements[given->type];
    if ((uintptr_t)given->data % kind->bytes != 0)
        return wp_fail(WP_ERROR_USAGE, "samples of type %s must begin at a multiple of %zu bytes",
                       kind->name, kind->bytes);
    if (given->maximum == 0)
        return true;
    if (kind->largest == 0)
        return wp_fail(WP_ERROR_USAGE, "samples of type %s have no maximum", kind->name);
    return (given->maximum >= 1 && given->maximum <= kind->largest &&
            rintf(given->maximum) == given->maximum) ||
           wp_fail(WP_ERROR_USAGE, "samples of type %s cannot have a maximum of %g (1 to %g)",
                   kind->name, (double)given->maximum, (double)kind->largest);
}

// Sets the operand to the caller's samples with all strides filled in: floats as `array`, other
// types as `pixels`. False after WP_ERROR_USAGE.
static bool check_pixels(const struct wp_transform *t, const struct wp_pixels *given,
                         const char *name, struct wp_operand *operand)
{
    if (!given)
        return wp_fail(WP_ERROR_USAGE, "the array of the %s is NULL", name);
    const int size[] = {t->description.size[WP_X], t->description.size[WP_Y], t->depth};
    struct wp_view view = {.plane = given->plane};
    memcpy(view.step, given->step, sizeof view.step);
    view.data = given->data;
    if (!check_type(given) || !check_view(t, &view, size, name, &view))
        return false;
    if (given->type == WP_ELEMENT_F32) {
        operand->array = view;
        return true;
    }
    if (given->maximum > 0 && t->description.reversible)
        return wp_fail(WP_ERROR_USAGE, "integers of a reversible transform have no maximum (%g)",
                       (double)given->maximum);
    operand->pixels = *given;
    operand->pixels.plane = view.plane;
    memcpy(operand->pixels.step, view.step, sizeof view.step);
    return true;
}

static bool has_samples(const struct wp_band_info *info)
{
    return info->width > 0 && info->height > 0 && info->depth > 0;
}

static bool check_bands(const struct wp_transform *t, const struct wp_memory *given,
                        struct wp_view *bands)
{
    for (int b = 0; b < given->bands; b++) {
        struct wp_band_info info;
        char name[64];
        wp_transform_get_band(t, b, &info);
        snprintf(name, sizeof name, "band %s of level %d", info.name, info.level);
        if (has_samples(&info) &&
            !check_view(t, &given->band[b], (const int[]){info.width, info.height, info.depth},
                        name, &bands[b]))
            return false;
    }
    return true;
}

static bool check_texture(const struct wp_transform *t, const struct wp_memory *given,
                          const char *name)
{
    if (!t->external_context)
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be a texture: the transform does not run in "
                       "its caller's context\nhint: current_context in the parameters", name);
    if (given->array.data || given->band)
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be a texture and memory at once", name);
    if (t->depth > 1)
        return wp_fail(WP_ERROR_USAGE, "the %s of a volume cannot be a texture yet", name);
    return t->planes <= CHANNELS ||
           wp_fail(WP_ERROR_USAGE, "%d planes do not fit into the %d channels of a texture",
                   t->planes, CHANNELS);
}

bool wp_transform_check_buffer(const struct wp_transform *t)
{
    if (!t->external_context)
        return wp_fail(WP_ERROR_USAGE, "buffers require a transform in the caller's context"
                       "\nhint: current_context in the parameters");
    if (!wp_textures_support_buffers(t->choice.backend))
        return wp_fail(WP_ERROR_USAGE, "buffers are for the backend 'compute', and this transform "
                       "runs on '%s'", t->choice.backend->name);
    struct wp_description stage[WP_CHAIN_MAX];
    return (t->depth == wp_transform_group_depth(t) &&
            wp_description_chain(&t->description, stage) == 1) ||
           wp_fail(WP_ERROR_USAGE, "buffers do not support slices in groups or decompositions "
                   "other than '%s'", wp_decomposition_names[WP_DECOMPOSITION_DYADIC]);
}

bool wp_transform_check_operand(const struct wp_transform *t, const struct wp_memory *given,
                       bool coefficients, struct wp_transform_operand *operand)
{
    const char *name = coefficients ? "coefficients" : "image";
    const int count = wp_subband_count(&t->description);
    const int size[] = {t->description.size[WP_X], t->description.size[WP_Y], t->depth};
    *operand = (struct wp_transform_operand){0};
    if (!given)
        return wp_fail(WP_ERROR_USAGE, "the array of the %s is NULL", name);
    operand->texture = given->texture;
    operand->cuda = given->cuda;
    operand->buffer = given->buffer;
    if (given->buffer && (given->texture || given->array.data || given->band || given->cuda))
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be in a buffer and elsewhere at once", name);
    operand->memory.array.plane = given->buffer ? given->array.plane : 0;
    if (given->buffer)
        return wp_transform_check_buffer(t);
    if (given->texture)
        return check_texture(t, given, name);
    if (!given->band)
        return check_view(t, &given->array, size, name, &operand->memory.array);
    if (!coefficients)
        return wp_fail(WP_ERROR_USAGE, "an image has no subbands, but views of them were given");
    if (t->depth > wp_transform_group_depth(t))
        return wp_fail(WP_ERROR_USAGE,
                       "one array per subband is not supported for slices in groups");
    if (t->depth > 1 && t->description.decomposition != WP_DECOMPOSITION_DYADIC)
        return wp_fail(WP_ERROR_USAGE, "one array per subband is not supported for the "
                       "decomposition '%s'", wp_decomposition_names[t->description.decomposition]);
    if (given->bands != count)
        return wp_fail(WP_ERROR_USAGE, "views of %d subbands were given, but there are %d",
                       given->bands, count);
    if (t->description.layout != WP_LAYOUT_MALLAT)
        return wp_fail(WP_ERROR_USAGE, "one array per subband is not supported for the layout '%s'"
                       "\nhint: omit the layout", wp_layout_names[t->description.layout]);
    // Without levels the only band is the array.
    if (t->description.levels == 0)
        return check_view(t, &given->band[0], t->description.size, name, &operand->memory.array);
    operand->band = wp_allocate((size_t)count, sizeof *operand->band, "the views of bands");
    operand->memory.band = operand->band;
    return operand->band && check_bands(t, given, operand->band);
}

bool wp_transform_check_apart(const struct wp_transform *t,
                              const struct wp_transform_operand *operand)
{
    const int count = operand->band ? wp_subband_count(&t->description) : 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            struct wp_band_info x, y;
            wp_transform_get_band(t, a, &x);
            wp_transform_get_band(t, b, &y);
            if (!has_samples(&x) || !has_samples(&y) ||
                wp_views_are_apart(&operand->band[a], (const int[]){x.width, x.height, x.depth},
                                   &operand->band[b], (const int[]){y.width, y.height, y.depth},
                                   t->planes))
                continue;
            return wp_fail(WP_ERROR_USAGE, "band %s of level %d and band %s of level %d overlap",
                           x.name, x.level, y.name, y.level);
        }
    }
    return true;
}

bool wp_transform_check_cuda(const struct wp_transform *t)
{
    return t->choice.backend->transform_device ||
           wp_fail(WP_ERROR_USAGE,
                   "memory of a CUDA device requires the backend 'cuda', and this transform runs "
                   "on '%s'", t->choice.backend->name);
}

// The array of a plane of the operand, or of band `index` of the plane, and its size.
static struct wp_view view_at(const struct wp_transform *t,
                              const struct wp_transform_operand *operand, int index, int plane,
                              int size[WP_DIMS_MAX])
{
    struct wp_view view = operand->band ? operand->band[index] : operand->memory.array;
    size[WP_X] = t->description.size[WP_X];
    size[WP_Y] = t->description.size[WP_Y];
    size[WP_Z] = t->depth;
    if (operand->band) {
        struct wp_band_info info;
        wp_transform_get_band(t, index, &info);
        size[WP_X] = info.width;
        size[WP_Y] = info.height;
        size[WP_Z] = info.depth;
    }
    view.data += plane * view.plane;
    return view;
}

static bool planes_overlap(const struct wp_transform *t, const struct wp_transform_operand *from,
                        int from_plane, const struct wp_transform_operand *to, int to_plane)
{
    const int bands = wp_subband_count(&t->description);
    for (int i = 0; i < (from->band ? bands : 1); i++) {
        for (int k = 0; k < (to->band ? bands : 1); k++) {
            int x[WP_DIMS_MAX], y[WP_DIMS_MAX];
            const struct wp_view a = view_at(t, from, i, from_plane, x);
            const struct wp_view b = view_at(t, to, k, to_plane, y);
            if (x[WP_X] > 0 && x[WP_Y] > 0 && x[WP_Z] > 0 && y[WP_X] > 0 && y[WP_Y] > 0 &&
                y[WP_Z] > 0 && !wp_views_are_apart(&a, x, &b, y, 1))
                return true;
        }
    }
    return false;
}

// Planes are transformed in order: the output of one must not overwrite the input of a later one.
static bool check_planes(const struct wp_transform *t, const struct wp_transform_operand *from,
                         const struct wp_transform_operand *to)
{
    struct wp_description all = t->description;
    all.planes = t->planes;
    all.size[WP_Z] = t->depth;
    if (t->planes == 1 || !wp_operand_overlaps(&all, &from->memory, &to->memory))
        return true;
    for (int p = 0; p + 1 < t->planes; p++)
        for (int later = p + 1; later < t->planes; later++)
            if (planes_overlap(t, from, later, to, p))
                return wp_fail(WP_ERROR_USAGE, "the output of plane %d would overwrite the input "
                               "of plane %d, which is read later", p + 1, later + 1);
    return true;
}

bool wp_transform_check_operands(const struct wp_transform *t,
                                 const struct wp_transform_operand *from,
                                 const struct wp_transform_operand *to)
{
    if (from->buffer != to->buffer ||
        (from->buffer && from->memory.array.plane != to->memory.array.plane))
        return wp_fail(WP_ERROR_USAGE, "a transform on a buffer requires both operands in it, "
                       "with the same distance between planes");
    if ((from->cuda || to->cuda) && !wp_transform_check_cuda(t))
        return false;
    if (from->cuda != to->cuda)
        return wp_fail(WP_ERROR_USAGE, "the input is %s and the output %s: a transform on memory "
                       "of a CUDA device requires both operands there",
                       from->cuda ? "on the device" : "on the host",
                       to->cuda ? "on the device" : "on the host");
    return from->buffer || from->texture || to->texture || check_planes(t, from, to);
}

// Operands of different element types must not overlap.
static bool check_types_apart(const struct wp_transform *t,
                              const struct wp_transform_operand *pixels,
                              const struct wp_transform_operand *bands)
{
    const struct wp_pixels *image = &pixels->memory.pixels, *other = &bands->memory.pixels;
    struct wp_description all = t->description;
    all.planes = t->planes;
    all.size[WP_Z] = t->depth;
    return (!image->data && !other->data) ||
           !wp_operand_overlaps(&all, &pixels->memory, &bands->memory) ||
           wp_fail(WP_ERROR_USAGE, "pixels of type %s and their coefficients share memory",
                   wp_elements[image->data ? image->type : WP_ELEMENT_F32].name);
}

bool wp_transform_check_pixels(const struct wp_transform *t, const struct wp_pixels *image,
                               const struct wp_memory *coefficients,
                               struct wp_transform_operand *pixels,
                               struct wp_transform_operand *bands)
{
    *pixels = *bands = (struct wp_transform_operand){0};
    if (coefficients && (coefficients->texture || coefficients->buffer || coefficients->cuda))
        return wp_fail(WP_ERROR_USAGE, "the coefficients of pixels are in the host's memory, and "
                       "were given %s", coefficients->texture  ? "as a texture"
                                        : coefficients->buffer ? "as a buffer"
                                                               : "on a CUDA device");
    if (!check_pixels(t, image, "image", &pixels->memory) ||
        !wp_transform_check_operand(t, coefficients, true, bands))
        return false;
    return check_types_apart(t, pixels, bands);
}

bool wp_transform_check_elements(const struct wp_transform *t, const struct wp_pixels *image,
                                 const struct wp_pixels *coefficients,
                                 struct wp_transform_operand *pixels,
                                 struct wp_transform_operand *bands)
{
    *pixels = *bands = (struct wp_transform_operand){0};
    if (!check_pixels(t, image, "image", &pixels->memory) ||
        !check_pixels(t, coefficients, "coefficients", &bands->memory))
        return false;
    struct wp_description typed = t->description;
    typed.coefficients = coefficients->type;
    return wp_description_check(&typed) && check_types_apart(t, pixels, bands);
}
