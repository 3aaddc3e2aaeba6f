#include "array_shape.h"

#include "log.h"

#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MOST = 1 << 24 }; // of a transformed axis, as of an image

static bool is_transformed(const struct wp_array_shape *s, int axis)
{
    bool is = false;
    for (int a = 0; a < s->axes; a++)
        is = is || s->axis[a] == axis;
    return is;
}

// The last axis is x.
static void sort_axes(struct wp_array_shape *s)
{
    for (int a = 0; a < s->axes; a++) {
        for (int b = a + 1; b < s->axes; b++) {
            const int first = s->axis[a];
            if (s->axis[b] > first) {
                s->axis[a] = s->axis[b];
                s->axis[b] = first;
            }
        }
    }
}

// Parses one axis, and moves on to the next one.
static bool parse_axis(const char **at, struct wp_array_shape *s, const char *text)
{
    char *end;
    const long given = strtol(*at, &end, 10), axis = given < 0 ? given + s->rank : given;
    const bool number = end > *at && (*end == ',' || *end == '\0') && **at != ' ' && **at != '+';
    if (!number || (*end == ',' && end[1] == '\0'))
        return wp_fail(WP_ERROR_USAGE, "axes: '%s' is not a list of axes\nhint: 1,2 or -1", text);
    if (axis < 0 || axis >= s->rank)
        return wp_fail(WP_ERROR_USAGE, "axes: an array of %d ax%s has no axis %ld (0 to %d, or "
                       "-%d to -1)", s->rank, s->rank == 1 ? "is" : "es", given, s->rank - 1,
                       s->rank);
    if (is_transformed(s, (int)axis))
        return wp_fail(WP_ERROR_USAGE, "axes: '%s' has axis %ld twice", text, axis);
    if (s->axes == WP_ARRAY_AXES)
        return wp_fail(WP_ERROR_USAGE, "axes: '%s' has more than %d axes", text,
                       (int)WP_ARRAY_AXES);
    s->axis[s->axes++] = (int)axis;
    *at = *end ? end + 1 : end;
    return true;
}

bool wp_array_shape_set(struct wp_array_shape *s, const struct wp_npy_info *info, const char *axes,
                        const char *name)
{
    *s = (struct wp_array_shape){.rank = info->axes};
    const char *at = axes;
    if (info->axes == 0)
        return wp_fail(WP_ERROR_FILE, "%s: a single number has no axes", name);
    memcpy(s->extent, info->shape, sizeof s->extent);
    do {
        if (!parse_axis(&at, s, axes))
            return false;
    } while (*at);
    sort_axes(s);
    for (int a = 0; a < s->rank; a++) {
        const size_t most = is_transformed(s, a) ? SIDE_MOST : INT_MAX;
        if (s->extent[a] > most)
            return wp_fail(WP_ERROR_FILE, "%s: axis %d is too long (%zu; the limit is %zu)", name,
                           a, s->extent[a], most);
    }
    return true;
}

bool wp_array_shape_equals(const struct wp_array_shape *a, const struct wp_array_shape *b)
{
    bool same = a->rank == b->rank && a->axes == b->axes;
    for (int i = 0; i < a->rank && same; i++)
        same = a->extent[i] == b->extent[i];
    for (int i = 0; i < a->axes && same; i++)
        same = a->axis[i] == b->axis[i];
    return same;
}

size_t wp_array_shape_samples(const struct wp_array_shape *s)
{
    size_t samples = 1;
    for (int a = 0; a < s->rank; a++)
        samples *= s->extent[a];
    return samples;
}

void wp_array_shape_add(const struct wp_array_shape *s, struct wp_text *text)
{
    wp_text_add(text, s->axes == 1 ? "axis " : "axes ");
    for (int a = s->axes - 1; a >= 0; a--)
        wp_text_add(text, "%d%s", s->axis[a], a > 0 ? ", " : " of ");
    for (int a = 0; a < s->rank; a++)
        wp_text_add(text, "%s%zu", a > 0 ? "x" : "", s->extent[a]);
}

// Calls `visit` for each axis, the last one first, with its dimension in an operand.
static void visit_axes(const struct wp_array_shape *s,
                       void (*visit)(void *user, int dimension, int axis), void *user)
{
    int dimension = WP_PLANE;
    for (int a = 0; a < s->axes; a++)
        visit(user, a, s->axis[a]);
    for (int axis = s->rank - 1; axis >= 0; axis--)
        if (!is_transformed(s, axis))
            visit(user, dimension++, axis);
}

struct sizes {
    const struct wp_array_shape *shape;
    struct wp_transform_params *params;
};

static void set_size(void *user, int dimension, int axis)
{
    const struct sizes *sizes = user;
    struct wp_transform_params *p = sizes->params;
    int *const extent[WP_BATCH] = {&p->width, &p->height, &p->depth, &p->planes};
    *(dimension < WP_BATCH ? extent[dimension] : &p->batch[dimension - WP_BATCH]) =
        (int)sizes->shape->extent[axis];
}

void wp_array_shape_size(const struct wp_array_shape *s, struct wp_transform_params *params)
{
    params->height = params->depth = params->planes = 1;
    memset(params->batch, 0, sizeof params->batch);
    visit_axes(s, set_size, &(struct sizes){s, params});
}

struct wp_image wp_array_shape_image(const struct wp_array_shape *s)
{
    struct wp_transform_params p = {0};
    wp_array_shape_size(s, &p);
    return (struct wp_image){.width = p.width,
                             .height = p.height,
                             .depth = p.depth,
                             .planes = p.planes,
                             .origin = {.bits = 32, .peak = 1}};
}

struct strides {
    ptrdiff_t of_axis[WP_NPY_AXES];
    struct wp_operand operand;
};

static void set_stride(void *user, int dimension, int axis)
{
    struct strides *strides = user;
    strides->operand.stride[dimension] = strides->of_axis[axis];
}

struct wp_array_shape wp_array_shape_of_coefficients(const struct wp_array_shape *samples,
                                                     const struct wp_description *description)
{
    struct wp_array_shape shape = *samples;
    for (int a = 0; a < shape.axes; a++)
        shape.extent[shape.axis[a]] = (size_t)wp_description_extent(description, a);
    return shape;
}

struct wp_operand wp_array_shape_operand(const struct wp_array_shape *s, enum wp_element type,
                                         void *data)
{
    struct strides strides = {.operand = {.data = data, .type = type}};
    ptrdiff_t step = 1;
    for (int a = s->rank - 1; a >= 0; a--) {
        strides.of_axis[a] = step;
        step *= (ptrdiff_t)s->extent[a];
    }
    visit_axes(s, set_stride, &strides);
    // Dimensions that the array lacks have one sample.
    for (int d = 0; d < WP_DIMENSIONS; d++)
        strides.operand.stride[d] = strides.operand.stride[d] ? strides.operand.stride[d] : step;
    return strides.operand;
}

// ---- JSON

void wp_array_shape_pack(const struct wp_array_shape *s, json_t *object)
{
    json_t *shape = json_array(), *axes = json_array();
    for (int a = 0; a < s->rank; a++)
        json_array_append_new(shape, json_integer((json_int_t)s->extent[a]));
    for (int a = s->axes - 1; a >= 0; a--)
        json_array_append_new(axes, json_integer(s->axis[a]));
    json_object_set_new(object, "shape", shape);
    json_object_set_new(object, "axes", axes);
}

static bool fail_member(const char *path, const char *member)
{
    return wp_fail(WP_ERROR_FILE, "%s: \"%s\" is invalid (up to %d whole numbers)", path, member,
                   strcmp(member, "axes") == 0 ? (int)WP_ARRAY_AXES : (int)WP_NPY_AXES);
}

bool wp_array_shape_unpack(const json_t *object, const char *path, struct wp_array_shape *s)
{
    const json_t *shape = json_object_get(object, "shape"), *axes = json_object_get(object, "axes");
    const size_t rank = json_array_size(shape), count = json_array_size(axes);
    double samples = 1;
    if (rank < 1 || rank > WP_NPY_AXES)
        return fail_member(path, "shape");
    if (count < 1 || count > WP_ARRAY_AXES || count > rank)
        return fail_member(path, "axes");
    *s = (struct wp_array_shape){.rank = (int)rank};
    for (size_t a = 0; a < rank; a++) {
        const json_int_t extent = json_integer_value(json_array_get(shape, a));
        if (extent < 1 || extent > INT_MAX)
            return fail_member(path, "shape");
        s->extent[a] = (size_t)extent;
        samples *= (double)extent;
    }
    for (size_t a = 0; a < count; a++) {
        const json_t *axis = json_array_get(axes, a);
        const json_int_t number = json_integer_value(axis);
        if (!json_is_integer(axis) || number < 0 || number >= (json_int_t)rank ||
            is_transformed(s, (int)number) || s->extent[number] > SIDE_MOST)
            return fail_member(path, "axes");
        s->axis[s->axes++] = (int)number;
    }
    sort_axes(s);
    return samples < (double)(SIZE_MAX / 16) || fail_member(path, "shape");
}
