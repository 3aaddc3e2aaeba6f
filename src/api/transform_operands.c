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
    [WP_LOCATION_CUDA] = {"on a CUDA device", false, true, true},
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

// "planes", "batch dimension 2".
static const char *dimension_name(int dimension, char name[32])
{
    static const char *const names[] = {"columns", "rows", "slices", "planes"};
    if (dimension < WP_BATCH)
        return names[dimension];
    snprintf(name, 32, "batch dimension %d", dimension - WP_BATCH + 1);
    return name;
}

// Replaces strides of 0 with those of an array without gaps. False if one is too large.
static bool fill_strides(struct wp_operand *array, const int size[WP_DIMENSIONS])
{
    ptrdiff_t *s = array->stride, previous = 1, longest = 1;
    for (int a = 0; a < WP_DIMENSIONS; a++) {
        // Batches follow the longest of the dimensions before them.
        const ptrdiff_t dense = a < WP_BATCH ? previous : longest;
        s[a] = s[a] || array->strided ? s[a] : dense;
        if (__builtin_mul_overflow(s[a] < 0 ? -s[a] : s[a], size[a], &previous))
            return false;
        longest = previous > longest ? previous : longest;
    }
    array->strided = true;
    return true;
}

// "37x22", and the extents of further dimensions.
static const char *size_text(const int size[WP_DIMENSIONS], char text[96])
{
    int last = WP_Y, n = 0;
    for (int a = 0; a < WP_DIMENSIONS; a++)
        last = size[a] > 1 && a > last ? a : last;
    for (int a = 0; a <= last; a++)
        n += snprintf(text + n, n < 96 ? 96 - (size_t)n : 0, a ? "x%d" : "%d", size[a]);
    return text;
}

static bool fail_overlap(const struct wp_operand *array, const int size[WP_DIMENSIONS],
                         const char *name)
{
    const ptrdiff_t *s = array->stride;
    char strides[320], batch[32];
    int n = size[WP_Z] == 1
                ? snprintf(strides, sizeof strides, "%td, %td and %td between columns, rows and "
                           "planes", s[WP_X], s[WP_Y], s[WP_PLANE])
                : snprintf(strides, sizeof strides,
                           "%td, %td, %td and %td between columns, rows, slices and planes",
                           s[WP_X], s[WP_Y], s[WP_Z], s[WP_PLANE]);
    for (int a = WP_BATCH; a < WP_DIMENSIONS; a++)
        if (size[a] > 1 && n < (int)sizeof strides)
            n += snprintf(strides + n, sizeof strides - (size_t)n, ", %td in %s of %d", s[a],
                          dimension_name(a, batch), size[a]);
    return wp_fail(WP_ERROR_USAGE,
                   "samples of the %s overlap (%dx%d in %d plane%s, with distances of %s)", name,
                   size[WP_X], size[WP_Y], size[WP_PLANE], WP_PLURAL(size[WP_PLANE]), strides);
}

// How an operand is checked.
struct check {
    const char *name; // for messages
    bool written;
    bool planned; // only types, locations and strides, without addresses
};

// Fills in the strides of an array and rejects those that cannot be read or written. False after
// WP_ERROR_USAGE.
static bool check_strides(struct wp_operand *array, const int size[WP_DIMENSIONS],
                          const struct check *check)
{
    struct wp_operand_extent extent;
    int distinct[WP_DIMENSIONS]; // without dimensions that are read repeatedly
    char sizes[96], name[32];
    if (!fill_strides(array, size) || !wp_operand_extent(array, size, &extent))
        return wp_fail(WP_ERROR_USAGE, "the %s of %s with samples of %zu bytes does not fit the "
                       "address space with these strides", check->name, size_text(size, sizes),
                       wp_elements[array->type].bytes);
    if (!array->data && !check->planned)
        return wp_fail(WP_ERROR_USAGE, "the array of the %s is NULL", check->name);
    for (int a = 0; a < WP_DIMENSIONS; a++) {
        distinct[a] = array->stride[a] == 0 ? 1 : size[a];
        if (check->written && distinct[a] < size[a])
            return wp_fail(WP_ERROR_USAGE, "an output, the %s, has a stride of 0 in %s, but %d of "
                           "them are written\nhint: only an input may have strides of 0",
                           check->name, dimension_name(a, name), size[a]);
    }
    return wp_operand_is_sound(array, distinct) || fail_overlap(array, size, check->name);
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

static bool check_band_type(enum wp_element type, enum wp_element first)
{
    return type == first ||
           wp_fail(WP_ERROR_USAGE, "the subbands have samples of the types %s and %s, but must "
                   "have one type", wp_elements[first].name, wp_elements[type].name);
}

// Copies the views of bands to `bands`, with their strides filled in.
static bool check_bands(const struct wp_transform *t, const struct wp_operand *given,
                        const struct check *check, struct wp_operand *bands)
{
    for (int b = 0; b < given->bands; b++) {
        struct wp_band_info info;
        int size[WP_DIMENSIONS];
        char name[64];
        const struct check band = {name, check->written, check->planned};
        wp_transform_band_sizes(t, b, &info, size);
        snprintf(name, sizeof name, "band %s of level %d", info.name, info.level);
        bands[b] = has_samples(&info) ? given->band[b] : (struct wp_operand){0};
        if (has_samples(&info) &&
            (!check_band_type(bands[b].type, bands[0].type) || !check_type(t, &bands[b]) ||
             !check_strides(&bands[b], size, &band)))
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
    if (d->bank == WP_BANK_PACKETS)
        return wp_fail(WP_ERROR_USAGE, "one array per subband is not supported for bank '%s', whose "
                       "nodes are rectangles of one array", wp_bank_names[d->bank]);
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
    return t->choice.backend->transform_device ||
           wp_fail(WP_ERROR_USAGE,
                   "memory of a CUDA device requires the backend 'cuda', and this transform runs "
                   "on '%s'", t->choice.backend->name);
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
    if (locations[given->location].context && wp_transform_has_batch(t))
        return wp_fail(WP_ERROR_USAGE, "the %s of a batch cannot be %s", name, place);
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
                          bool coefficients, const struct check *check, struct wp_operand **bands,
                          struct wp_operand *operand)
{
    const char *name = check->name;
    int size[WP_DIMENSIONS];
    wp_transform_sizes(t, coefficients, size);
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
        return check_type(t, operand) && check_strides(operand, size, check);
    // The second half is for an entry of the loops over the batch.
    if (!*bands)
        *bands = wp_allocate(2 * (size_t)given->bands, sizeof **bands, "the views of bands");
    operand->band = *bands;
    if (!*bands || !check_bands(t, given, check, *bands))
        return false;
    operand->type = (*bands)[0].type; // LL, which always has samples
    return true;
}

// False after WP_ERROR_USAGE if a sample would be written twice.
static bool check_written(const struct wp_transform *t, const struct wp_operand *operand)
{
    const int count = operand->band ? operand->bands : 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            struct wp_band_info x, y;
            int size_x[WP_DIMENSIONS], size_y[WP_DIMENSIONS];
            wp_transform_band_sizes(t, a, &x, size_x);
            wp_transform_band_sizes(t, b, &y, size_y);
            if (!has_samples(&x) || !has_samples(&y) ||
                wp_operands_are_apart(&operand->band[a], size_x, &operand->band[b], size_y))
                continue;
            return wp_fail(WP_ERROR_USAGE, "band %s of level %d and band %s of level %d overlap",
                           x.name, x.level, y.name, y.level);
        }
    }
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

static bool check_both(struct wp_transform *t, bool planned, const struct wp_operand *given_from,
                       const struct wp_operand *given_to, struct wp_operand *from,
                       struct wp_operand *to)
{
    const bool forward = t->description.direction == WP_FORWARD;
    const struct check in = {name_of(!forward), false, planned},
                       out = {name_of(forward), true, planned};
    return check_operand(t, given_from, !forward, &in, &t->bands, from) &&
           check_operand(t, given_to, forward, &out, &t->bands, to) && check_pair(t, from, to);
}

bool wp_transform_read_strides(struct wp_transform *t, const struct wp_operand *given_from,
                               const struct wp_operand *given_to, struct wp_operand *from,
                               struct wp_operand *to)
{
    return check_both(t, true, given_from, given_to, from, to);
}

bool wp_transform_check_operands(struct wp_transform *t, const struct wp_operand *given_from,
                                 const struct wp_operand *given_to, struct wp_operand *from,
                                 struct wp_operand *to)
{
    return check_both(t, false, given_from, given_to, from, to) &&
           (locations[from->location].context || locations[to->location].context ||
            (check_written(t, to) && wp_transform_check_overlap(t, from, to)));
}

bool wp_transform_check_image(struct wp_transform *t, const struct wp_operand *given, bool written,
                              struct wp_operand *image)
{
    const struct check check = {name_of(false), written, false};
    struct wp_operand *no_bands = NULL;
    if (given && given->location != WP_LOCATION_HOST)
        return wp_fail(WP_ERROR_USAGE, "the image must be in the host's memory");
    return check_operand(t, given, false, &check, &no_bands, image);
}
