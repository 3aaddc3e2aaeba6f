// Checks of the operands of a call.
#include "elements.h"
#include "gl_operands.h"
#include "log.h"
#include "memory.h"
#include "transform_struct.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 4 }; // of a texture

// What operands of a location support. Every combination of locations and types that these two
// tables do not reject works.
static const struct {
    const char *name;
    bool context; // it requires a transform in the caller's OpenGL context
    bool types;   // samples of other types than f32; a texture's format is its type
    bool bands;   // one array per subband
} locations[WP_LOCATION_COUNT] = {
    [WP_LOCATION_HOST] = {"in the host's memory", false, true, true},
    [WP_LOCATION_CUDA] = {"on a CUDA device", false, false, true},
    [WP_LOCATION_TEXTURE] = {"in a texture", true, false, false},
    [WP_LOCATION_BUFFER] = {"in a buffer", true, false, false},
};

// Why an input at one location and an output at another cannot be combined; NULL: they can.
static const char cuda_alone[] =
    "a transform on memory of a CUDA device requires both operands there",
                  buffer_alone[] = "a transform on a buffer requires both operands in it, with the "
                                   "same distance between planes";
static const char *const rejected[WP_LOCATION_COUNT][WP_LOCATION_COUNT] = {
    [WP_LOCATION_HOST] = {[WP_LOCATION_CUDA] = cuda_alone, [WP_LOCATION_BUFFER] = buffer_alone},
    [WP_LOCATION_CUDA] = {cuda_alone, NULL, cuda_alone, cuda_alone},
    [WP_LOCATION_TEXTURE] = {[WP_LOCATION_CUDA] = cuda_alone, [WP_LOCATION_BUFFER] = buffer_alone},
    [WP_LOCATION_BUFFER] = {buffer_alone, cuda_alone, buffer_alone, NULL},
};

static void sizes_of(const struct wp_transform *t, bool coefficients, int size[WP_DIMENSIONS])
{
    wp_operand_extents(&t->description, coefficients, size);
    if (t->depth > wp_transform_group_depth(t))
        size[WP_Z] = t->depth;
    size[WP_PLANE] = t->planes;
}

// Replaces strides of 0 with those of an array without gaps. `name` is for messages. False after
// WP_ERROR_USAGE.
static bool check_strides(struct wp_operand *array, const int size[WP_DIMENSIONS],
                          const char *name)
{
    char strides[160];
    ptrdiff_t *s = array->stride;
    s[0] = s[0] ? s[0] : 1;
    for (int a = 1; a < WP_DIMENSIONS; a++)
        s[a] = s[a] ? s[a] : size[a - 1] * s[a - 1];
    if (!array->data)
        return wp_fail(WP_ERROR_USAGE, "the array of the %s is NULL", name);
    if (wp_operand_is_sound(array, size))
        return true;
    if (size[WP_Z] == 1)
        snprintf(strides, sizeof strides, "%td, %td and %td between columns, rows and planes",
                 s[WP_X], s[WP_Y], s[WP_PLANE]);
    else
        snprintf(strides, sizeof strides,
                 "%td, %td, %td and %td between columns, rows, slices and planes", s[WP_X],
                 s[WP_Y], s[WP_Z], s[WP_PLANE]);
    return wp_fail(WP_ERROR_USAGE,
                   "samples of the %s overlap (%dx%d in %d plane%s, with distances of %s)", name,
                   size[WP_X], size[WP_Y], size[WP_PLANE], WP_PLURAL(size[WP_PLANE]), strides);
}

static bool check_type(const struct wp_transform *t, const struct wp_operand *array)
{
    const struct wp_element_kind *kind = &wp_elements[array->type];
    if ((uintptr_t)array->data % kind->bytes != 0)
        return wp_fail(WP_ERROR_USAGE, "samples of type %s must begin at a multiple of %zu bytes",
                       kind->name, kind->bytes);
    if (array->maximum == 0)
        return true;
    if (kind->largest == 0)
        return wp_fail(WP_ERROR_USAGE, "samples of type %s have no maximum", kind->name);
    if (t->description.reversible)
        return wp_fail(WP_ERROR_USAGE, "integers of a reversible transform have no maximum (%g)",
                       (double)array->maximum);
    return (array->maximum >= 1 && array->maximum <= kind->largest &&
            rintf(array->maximum) == array->maximum) ||
           wp_fail(WP_ERROR_USAGE, "samples of type %s cannot have a maximum of %g (1 to %g)",
                   kind->name, (double)array->maximum, (double)kind->largest);
}

static bool has_samples(const struct wp_band_info *info)
{
    return info->width > 0 && info->height > 0 && info->depth > 0;
}

static void band_sizes(const struct wp_transform *t, int index, struct wp_band_info *info,
                       int size[WP_DIMENSIONS])
{
    wp_transform_get_band(t, index, info);
    size[WP_X] = info->width;
    size[WP_Y] = info->height;
    size[WP_Z] = info->depth;
    size[WP_PLANE] = t->planes;
}

// Copies the views of bands to `bands`, with their strides filled in.
static bool check_bands(const struct wp_transform *t, const struct wp_operand *given,
                        struct wp_operand *bands)
{
    for (int b = 0; b < given->bands; b++) {
        struct wp_band_info info;
        int size[WP_DIMENSIONS];
        char name[64];
        band_sizes(t, b, &info, size);
        snprintf(name, sizeof name, "band %s of level %d", info.name, info.level);
        bands[b] = has_samples(&info) ? given->band[b] : (struct wp_operand){0};
        if (bands[b].type != WP_ELEMENT_F32)
            return wp_fail(WP_ERROR_USAGE, "one array per subband is only supported for samples of "
                           "type %s", wp_elements[WP_ELEMENT_F32].name);
        if (has_samples(&info) && !check_strides(&bands[b], size, name))
            return false;
    }
    return true;
}

static bool check_separate(const struct wp_transform *t, const struct wp_operand *given,
                           bool coefficients)
{
    const struct wp_description *d = &t->description;
    const int count = wp_subband_count(d);
    if (!coefficients)
        return wp_fail(WP_ERROR_USAGE, "an image has no subbands, but views of them were given");
    if (t->depth > wp_transform_group_depth(t))
        return wp_fail(WP_ERROR_USAGE,
                       "one array per subband is not supported for slices in groups");
    if (t->depth > 1 && d->decomposition != WP_DECOMPOSITION_DYADIC)
        return wp_fail(WP_ERROR_USAGE, "one array per subband is not supported for the "
                       "decomposition '%s'", wp_decomposition_names[d->decomposition]);
    if (given->bands != count)
        return wp_fail(WP_ERROR_USAGE, "views of %d subbands were given, but there are %d",
                       given->bands, count);
    return d->layout == WP_LAYOUT_MALLAT ||
           wp_fail(WP_ERROR_USAGE, "one array per subband is not supported for the layout '%s'"
                   "\nhint: omit the layout", wp_layout_names[d->layout]);
}

bool wp_transform_check_buffer(const struct wp_transform *t)
{
    if (!t->external_context)
        return wp_fail(WP_ERROR_USAGE, "buffers require a transform in the caller's context"
                       "\nhint: current_context in the parameters");
    if (!wp_gl_operands_support_buffers(t->choice.backend))
        return wp_fail(WP_ERROR_USAGE, "buffers are for the backend 'compute', and this transform "
                       "runs on '%s'", t->choice.backend->name);
    if (!wp_description_check_native(&t->description, "a transform of buffers"))
        return false;
    struct wp_description stage[WP_CHAIN_MAX];
    return (t->depth == wp_transform_group_depth(t) &&
            wp_description_chain(&t->description, stage) == 1) ||
           wp_fail(WP_ERROR_USAGE, "buffers do not support slices in groups or decompositions "
                   "other than '%s'", wp_decomposition_names[WP_DECOMPOSITION_DYADIC]);
}

bool wp_transform_check_cuda(const struct wp_transform *t)
{
    if (!t->choice.backend->transform_device)
        return wp_fail(WP_ERROR_USAGE,
                       "memory of a CUDA device requires the backend 'cuda', and this transform "
                       "runs on '%s'", t->choice.backend->name);
    return t->choice.backend->map ||
           wp_description_check_native(&t->description, "a transform of CUDA memory");
}

static bool check_texture(const struct wp_transform *t, const char *name)
{
    if (t->depth > 1)
        return wp_fail(WP_ERROR_USAGE, "the %s of a volume cannot be a texture", name);
    if (!wp_description_check_native(&t->description, "a transform of textures"))
        return false;
    return t->planes <= CHANNELS ||
           wp_fail(WP_ERROR_USAGE, "%d planes do not fit into the %d channels of a texture",
                   t->planes, CHANNELS);
}

static const char *name_of(bool coefficients)
{
    return coefficients ? "coefficients" : "image";
}

// The transform supports the operand's location, and its type there.
static bool check_location(const struct wp_transform *t, const struct wp_operand *given,
                           bool coefficients)
{
    const char *name = name_of(coefficients);
    if (given->type < 0 || given->type >= WP_ELEMENT_COUNT)
        return wp_fail(WP_ERROR_USAGE, "%d is not a type of samples", (int)given->type);
    if (given->location < 0 || given->location >= WP_LOCATION_COUNT)
        return wp_fail(WP_ERROR_USAGE, "%d is not a location of samples", (int)given->location);
    const char *place = locations[given->location].name;
    if (locations[given->location].context && !t->external_context)
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be %s: the transform does not run in its "
                       "caller's context\nhint: current_context in the parameters", name, place);
    if (locations[given->location].context && (given->data || given->band))
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be %s and in memory at once", name, place);
    if (given->type != WP_ELEMENT_F32 && !locations[given->location].types)
        return wp_fail(WP_ERROR_USAGE, "the %s cannot be %s with samples of type %s", name, place,
                       wp_elements[given->type].name);
    switch (given->location) {
    case WP_LOCATION_TEXTURE: return check_texture(t, name);
    case WP_LOCATION_BUFFER: return wp_transform_check_buffer(t);
    case WP_LOCATION_CUDA: return wp_transform_check_cuda(t);
    default: return true;
    }
}

// Sets `operand` to the caller's with all strides filled in; `bands` receives those of its bands.
static bool check_operand(const struct wp_transform *t, const struct wp_operand *given,
                          bool coefficients, struct wp_operand **bands, struct wp_operand *operand)
{
    const char *name = name_of(coefficients);
    int size[WP_DIMENSIONS];
    sizes_of(t, coefficients, size);
    if (!given)
        return wp_fail(WP_ERROR_USAGE, "the array of the %s is NULL", name);
    *operand = *given;
    if (!check_location(t, given, coefficients))
        return false;
    if (locations[given->location].context)
        return true;
    if (given->band && !check_separate(t, given, coefficients))
        return false;
    // Without levels the only band is the array.
    if (given->band && wp_description_levels(&t->description) == 0) {
        *operand = given->band[0];
        operand->location = given->location;
    }
    if (!operand->band)
        return check_type(t, operand) && check_strides(operand, size, name);
    // The second half is for the planes that are executed.
    if (!*bands)
        *bands = wp_allocate(2 * (size_t)given->bands, sizeof **bands, "the views of bands");
    operand->band = *bands;
    return *bands && check_bands(t, given, *bands);
}

// False after WP_ERROR_USAGE if a sample would be written twice.
static bool check_written(const struct wp_transform *t, const struct wp_operand *operand)
{
    const int count = operand->band ? operand->bands : 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            struct wp_band_info x, y;
            int size_x[WP_DIMENSIONS], size_y[WP_DIMENSIONS];
            band_sizes(t, a, &x, size_x);
            band_sizes(t, b, &y, size_y);
            if (!has_samples(&x) || !has_samples(&y) ||
                wp_operands_are_apart(&operand->band[a], size_x, &operand->band[b], size_y))
                continue;
            return wp_fail(WP_ERROR_USAGE, "band %s of level %d and band %s of level %d overlap",
                           x.name, x.level, y.name, y.level);
        }
    }
    return true;
}

// The array of a plane of the operand, or of band `index` of the plane, and its size. False if it
// has no samples.
static bool array_at(const struct wp_transform *t, const struct wp_operand *operand,
                     bool coefficients, int index, int plane, struct wp_operand *array,
                     int size[WP_DIMENSIONS])
{
    struct wp_band_info info;
    sizes_of(t, coefficients, size);
    if (operand->band)
        band_sizes(t, index, &info, size);
    size[WP_PLANE] = 1;
    *array = operand->band ? operand->band[index] : *operand;
    if (size[WP_X] > 0 && size[WP_Y] > 0 && size[WP_Z] > 0)
        array->data = wp_operand_at(array, plane * array->stride[WP_PLANE]);
    return size[WP_X] > 0 && size[WP_Y] > 0 && size[WP_Z] > 0;
}

static bool planes_overlap(const struct wp_transform *t, const struct wp_operand *from,
                           int from_plane, const struct wp_operand *to, int to_plane)
{
    const bool forward = t->description.direction == WP_FORWARD;
    for (int i = 0; i < (from->band ? from->bands : 1); i++) {
        for (int k = 0; k < (to->band ? to->bands : 1); k++) {
            struct wp_operand a, b;
            int x[WP_DIMENSIONS], y[WP_DIMENSIONS];
            if (array_at(t, from, !forward, i, from_plane, &a, x) &&
                array_at(t, to, forward, k, to_plane, &b, y) &&
                !wp_operands_are_apart(&a, x, &b, y))
                return true;
        }
    }
    return false;
}

// Operands of different types must not overlap. Planes are transformed in order: the output of one
// must not overwrite the input of a later one.
static bool check_overlap(const struct wp_transform *t, const struct wp_operand *from,
                          const struct wp_operand *to)
{
    struct wp_description all = t->description;
    all.planes = t->planes;
    all.size[WP_Z] = t->depth;
    const enum wp_element type = from->type == WP_ELEMENT_F32 ? to->type : from->type;
    if ((t->planes == 1 && type == WP_ELEMENT_F32) || !wp_operand_overlaps(&all, from, to))
        return true;
    if (type != WP_ELEMENT_F32)
        return wp_fail(WP_ERROR_USAGE, "samples of type %s and the other operand share memory",
                       wp_elements[type].name);
    for (int p = 0; p + 1 < t->planes; p++)
        for (int later = p + 1; later < t->planes; later++)
            if (planes_overlap(t, from, later, to, p))
                return wp_fail(WP_ERROR_USAGE, "the output of plane %d would overwrite the input "
                               "of plane %d, which is read later", p + 1, later + 1);
    return true;
}

// The locations and types of both operands can be combined.
static bool check_pair(const struct wp_transform *t, const struct wp_operand *from,
                       const struct wp_operand *to)
{
    const char *why = rejected[from->location][to->location];
    if (!why && from->location == WP_LOCATION_BUFFER &&
        (from->name != to->name || from->stride[WP_PLANE] != to->stride[WP_PLANE]))
        why = buffer_alone;
    if (why)
        return wp_fail(WP_ERROR_USAGE, "the input is %s and the output %s: %s",
                       locations[from->location].name, locations[to->location].name, why);
    struct wp_description typed = t->description;
    typed.coefficients = (t->description.direction == WP_FORWARD ? to : from)->type;
    return typed.coefficients == WP_ELEMENT_F32 || wp_description_check(&typed);
}

bool wp_transform_check_kinds(const struct wp_transform *t, const struct wp_operand *from,
                              const struct wp_operand *to)
{
    const bool forward = t->description.direction == WP_FORWARD;
    return check_location(t, from, !forward) && check_location(t, to, forward) &&
           check_pair(t, from, to);
}

bool wp_transform_check_operands(struct wp_transform *t, const struct wp_operand *given_from,
                                 const struct wp_operand *given_to, struct wp_operand *from,
                                 struct wp_operand *to)
{
    const bool forward = t->description.direction == WP_FORWARD;
    return check_operand(t, given_from, !forward, &t->bands, from) &&
           check_operand(t, given_to, forward, &t->bands, to) && check_pair(t, from, to) &&
           (locations[from->location].context || locations[to->location].context ||
            (check_written(t, to) && check_overlap(t, from, to)));
}
