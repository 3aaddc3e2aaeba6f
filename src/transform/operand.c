#include "operand.h"

#include "elements.h"

#include <string.h>

struct wp_operand wp_operand_dense(const struct wp_description *d, float *data)
{
    return (struct wp_operand){
        .data = data,
        .stride = {1, d->size[WP_X], (ptrdiff_t)d->size[WP_X] * d->size[WP_Y],
                   (ptrdiff_t)wp_description_samples(d)},
    };
}

struct wp_operand wp_operand_coefficients(const struct wp_description *d, float *data)
{
    int size[WP_DIMENSIONS];
    wp_operand_extents(d, true, size);
    struct wp_operand operand = {.data = data, .stride = {1}};
    for (int a = 1; a < WP_DIMENSIONS; a++)
        operand.stride[a] = operand.stride[a - 1] * size[a - 1];
    return operand;
}

void wp_operand_extents(const struct wp_description *d, bool coefficients, int size[WP_DIMENSIONS])
{
    for (int a = 0; a < WP_DIMS_MAX; a++)
        size[a] = coefficients ? wp_description_extent(d, a) : wp_description_size(d, a, 0);
    size[WP_PLANE] = wp_description_planes(d);
    for (int a = WP_BATCH; a < WP_DIMENSIONS; a++)
        size[a] = 1;
}

struct wp_operand wp_operand_const(const struct wp_description *d, const float *data)
{
    return wp_operand_dense(d, (float *)data);
}

static void advance(struct wp_operand *array, ptrdiff_t samples)
{
    if (array->data)
        array->data = wp_operand_at(array, samples);
}

struct wp_operand wp_operand_advance(const struct wp_operand *operand, int dimension,
                                     ptrdiff_t count, struct wp_operand *bands)
{
    struct wp_operand advanced = *operand;
    advance(&advanced, count * operand->stride[dimension]);
    for (int b = 0; operand->band && b < operand->bands; b++) {
        bands[b] = operand->band[b];
        advance(&bands[b], count * bands[b].stride[dimension]);
        advanced.band = bands;
    }
    return advanced;
}

struct wp_operand wp_operand_band(const struct wp_description *d, const struct wp_operand *operand,
                                  int level, enum wp_band band, int plane)
{
    const bool separate = operand->band && level > 0;
    struct wp_operand array =
        separate ? operand->band[wp_subband_number(d, level, band)] : *operand;
    ptrdiff_t first = plane * array.stride[WP_PLANE];
    if (!separate) {
        const struct wp_band_grid grid = wp_description_band(d, level, band);
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            first += grid.first[a] * array.stride[a];
            array.stride[a] *= grid.every[a];
        }
    }
    advance(&array, first);
    return array;
}

// Without overflow: extents of operands that were checked fit.
bool wp_operand_extent(const struct wp_operand *array, const int size[WP_DIMENSIONS],
                       struct wp_operand_extent *extent)
{
    ptrdiff_t first = 0, last = 0, bytes = (ptrdiff_t)wp_elements[array->type].bytes;
    for (int a = 0; a < WP_DIMENSIONS; a++) {
        ptrdiff_t *end = array->stride[a] < 0 ? &first : &last, distance = 0;
        if (size[a] > 1 && (__builtin_mul_overflow(array->stride[a], size[a] - 1, &distance) ||
                            __builtin_add_overflow(*end, distance, end)))
            return false;
    }
    ptrdiff_t span;
    if (__builtin_sub_overflow(last, first, &span) || span > PTRDIFF_MAX / bytes - 1)
        return false;
    extent->first = (uintptr_t)array->data + (uintptr_t)(first * bytes);
    extent->end = (uintptr_t)array->data + (uintptr_t)((last + 1) * bytes);
    return true;
}

static struct wp_operand_extent extent_of(const struct wp_operand *array,
                                          const int size[WP_DIMENSIONS])
{
    struct wp_operand_extent extent = {0, UINTPTR_MAX};
    wp_operand_extent(array, size, &extent);
    return extent;
}

static int extents(const struct wp_operand *operand, const struct wp_description *d)
{
    return operand->band ? wp_subband_count(d) : 1;
}

static struct wp_operand_extent extent_at(const struct wp_description *d,
                                          const struct wp_operand *operand, bool coefficients,
                                          int i)
{
    int size[WP_DIMENSIONS];
    wp_operand_extents(d, coefficients, size);
    if (!operand->band)
        return extent_of(operand, size);
    memcpy(size, wp_subband_describe(d, i).grid.size, WP_DIMS_MAX * sizeof *size);
    return size[WP_X] && size[WP_Y] && size[WP_Z] ? extent_of(&operand->band[i], size)
                                                  : (struct wp_operand_extent){0};
}

bool wp_operand_overlaps(const struct wp_description *d, const struct wp_operand *from,
                         const struct wp_operand *to)
{
    const bool forward = d->direction == WP_FORWARD;
    for (int i = 0; i < extents(from, d); i++) {
        for (int k = 0; k < extents(to, d); k++) {
            const struct wp_operand_extent a = extent_at(d, from, !forward, i);
            const struct wp_operand_extent b = extent_at(d, to, forward, k);
            if (a.first < b.end && b.first < a.end)
                return true;
        }
    }
    return false;
}

// The dimensions of an array that have more than one address, sorted by step, from its lowest
// address on. Steps are positive.
struct axes {
    ptrdiff_t step[WP_DIMENSIONS];
    int count[WP_DIMENSIONS];
    int number;
};

static void add_axis(struct axes *axes, ptrdiff_t step, int count)
{
    int at = axes->number++;
    for (; at > 0 && axes->step[at - 1] > step; at--) {
        axes->step[at] = axes->step[at - 1];
        axes->count[at] = axes->count[at - 1];
    }
    axes->step[at] = step;
    axes->count[at] = count;
}

static ptrdiff_t magnitude(ptrdiff_t stride)
{
    return stride < 0 ? -stride : stride;
}

bool wp_operand_is_sound(const struct wp_operand *array, const int size[WP_DIMENSIONS])
{
    struct axes axes = {.number = 0};
    for (int a = 0; a < WP_DIMENSIONS; a++)
        if (size[a] > 1)
            add_axis(&axes, magnitude(array->stride[a]), size[a]);
    ptrdiff_t span = 0; // from the first to the last sample within one step
    for (int i = 0; i < axes.number; i++) {
        if (axes.step[i] <= span)
            return false;
        span += (axes.count[i] - 1) * axes.step[i];
    }
    return true;
}

// Distance from the first to the last sample within one step of axis i.
static ptrdiff_t span_of(const struct axes *axes, int i)
{
    ptrdiff_t span = 0;
    for (int k = 0; k < i; k++)
        span += (axes->count[k] - 1) * axes->step[k];
    return span;
}

// Are the distances of all later axes multiples of that of axis i?
static bool repeats(const struct axes *axes, int i)
{
    for (int k = i + 1; k < axes->number; k++)
        if (axes->count[k] > 1 && axes->step[k] % axes->step[i] != 0)
            return false;
    return true;
}

// The axes of both views, those that have more than one sample in one of them. The step of an axis
// with one sample is arbitrary: it is that of the other view.
static void pair_axes(const struct wp_operand *a, const int size_a[WP_DIMENSIONS],
                      const struct wp_operand *b, const int size_b[WP_DIMENSIONS], struct axes *x,
                      struct axes *y)
{
    *x = *y = (struct axes){.number = 0};
    for (int i = 0; i < WP_DIMENSIONS; i++) {
        const ptrdiff_t s = magnitude(a->stride[i]), t = magnitude(b->stride[i]);
        const int n = s ? size_a[i] : 1, m = t ? size_b[i] : 1;
        if (n > 1 || m > 1) {
            add_axis(x, n > 1 ? s : t, n);
            add_axis(y, m > 1 ? t : s, m);
        }
    }
}

bool wp_operands_are_apart(const struct wp_operand *a, const int size_a[WP_DIMENSIONS],
                           const struct wp_operand *b, const int size_b[WP_DIMENSIONS])
{
    const struct wp_operand_extent e = extent_of(a, size_a), f = extent_of(b, size_b);
    const ptrdiff_t bytes = (ptrdiff_t)wp_elements[a->type].bytes;
    if (e.end <= f.first || f.end <= e.first)
        return true;
    if (f.first < e.first)
        return wp_operands_are_apart(b, size_b, a, size_a);
    const ptrdiff_t distance = (ptrdiff_t)(f.first - e.first) / bytes;
    if (a->type != b->type || (ptrdiff_t)(f.first - e.first) % bytes != 0)
        return false;
    struct axes x, y;
    pair_axes(a, size_a, b, size_b, &x, &y);
    for (int i = x.number - 1; i >= 0; i--) {
        const ptrdiff_t step = x.step[i], span_a = span_of(&x, i), span_b = span_of(&y, i);
        if (step != y.step[i] || !repeats(&x, i) || !repeats(&y, i))
            return false;
        // Modulo the step, samples of `a` are in 0..span_a, those of `b` from `at` on.
        const ptrdiff_t at = distance % step;
        if (at > span_a && at + span_b < step)
            return true;
        // If the views differ by less than a step, only the positions within a step remain.
        if (distance + span_b < step && span_a < step)
            x.count[i] = y.count[i] = 1;
    }
    return false;
}
