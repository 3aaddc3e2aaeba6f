#include "slice_range.h"

#include "log.h"

enum { LAYERS_MAX = 65535 }; // of workgroups; the minimum limit in OpenGL

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// Slices from..to of the level in a surface, where they are `step` slices apart.
static struct wp_buffer_part part_of(const struct wp_planes *planes, int surface, int step,
                                     int from, int to)
{
    const size_t stride = wp_planes_stride(&planes->schedule->surface[surface]);
    return (struct wp_buffer_part){
        .first = planes->part[surface].first + (size_t)(from * step) * stride,
        .count = (size_t)((to - from) * step + 1) * stride,
    };
}

static bool is_within(const struct wp_planes *planes, const struct wp_buffer_part *part)
{
    return part->count * sizeof(float) <= planes->max_range;
}

bool wp_slice_range_find(const struct wp_planes *planes, const struct wp_op *op,
                         const struct wp_lines_reach *reach, int first, int count,
                         struct wp_slice_range *range)
{
    const struct wp_surface *surface = planes->schedule->surface;
    const int end = smaller(first + count, op->slices);
    int low = first, high = end - 1;
    for (int i = first - reach->before; i < end + reach->after; i++) {
        const int index = larger(0, wp_extend(op->extension, i, op->slices));
        low = smaller(low, index);
        high = larger(high, index);
    }
    const int source = (int)wp_planes_stride(&surface[op->source]) * op->source_step;
    const int result = (int)wp_planes_stride(&surface[op->destination]) * op->destination_step;
    *range = (struct wp_slice_range){
        .first = first,
        .end = end,
        .source = part_of(planes, op->source, op->source_step, low, high),
        .result = part_of(planes, op->destination, op->destination_step, first, end - 1),
        .step = {source, low, result, first},
    };
    return is_within(planes, &range->source) && is_within(planes, &range->result);
}

// Do all ranges fit? If not, `large` is the range that is too large.
static bool all_fit(const struct wp_planes *planes, const struct wp_op *op,
                    const struct wp_lines_reach *reach, int count, struct wp_buffer_part *large)
{
    struct wp_slice_range range;
    for (int first = 0; first < op->slices; first += count) {
        if (wp_slice_range_find(planes, op, reach, first, count, &range))
            continue;
        *large = is_within(planes, &range.source) ? range.result : range.source;
        return false;
    }
    return true;
}

int wp_slice_range_max(const struct wp_planes *planes, const struct wp_op *op,
                       const struct wp_lines_reach *reach)
{
    const int min_count = op->along_z ? 2 : 1;
    int count = smaller(op->slices + op->slices % min_count, LAYERS_MAX - 1);
    struct wp_buffer_part large;
    while (count > min_count && !all_fit(planes, op, reach, count, &large))
        count = larger(min_count, count / 2 / min_count * min_count);
    if (all_fit(planes, op, reach, count, &large))
        return count;
    wp_fail(WP_ERROR_TOO_LARGE,
            "%zu bytes, the input of a few slices of level %d, exceed the %zu that compute shaders "
            "of this device can access (GL_MAX_SHADER_STORAGE_BLOCK_SIZE)"
            "\nhint: backend 'cpu' has no such limit",
            large.count * sizeof(float), op->level, planes->max_range);
    return 0;
}
