// The scheduler of volumes for programs that process slices, each like the planes of
// wp_schedule_planes().
#include "memory.h"
#include "schedule_internal.h"

#include <stdlib.h>

static int rounded(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

// Rows of 32 bytes and planes of a multiple of 256, the alignment of buffer ranges.
static struct wp_surface make_surface(int width, int height, int slices, int layers)
{
    return (struct wp_surface){
        .width = rounded(width, 8),
        .height = rounded(height, 8),
        .layers = layers,
        .planes = true,
        .slices = slices,
    };
}

static bool transforms_axis(const struct wp_schedule *schedule, int level, int axis)
{
    return wp_description_axes(&schedule->description, level) >> axis & 1;
}

// Distance of slices with the low band of a level.
static int slice_step(const struct wp_schedule *schedule, int level)
{
    return level > 0 && transforms_axis(schedule, level, WP_Z) ? 2 : 1;
}

// Adds one operation for all axes of a level. False if memory for its scheme is exhausted.
static bool add_level(struct wp_schedule *schedule, int level)
{
    const struct wp_description *d = &schedule->description;
    const bool forward = d->direction == WP_FORWARD;
    int size[WP_DIMS_MAX];
    for (int a = 0; a < WP_DIMS_MAX; a++)
        size[a] = wp_description_size(d, a, level - 1);
    const int quads[] = {size[WP_X] / 2 + size[WP_X] % 2, size[WP_Y] / 2 + size[WP_Y] % 2};
    struct wp_op *op = &schedule->op[schedule->op_count++];
    *op = (struct wp_op){
        .kind = WP_OP_LEVEL,
        .level = level,
        .input = forward ? WP_INPUT_LOW : WP_INPUT_QUADS,
        .source = forward ? level - 1 : level,
        .destination = forward ? level : level - 1,
        .domain = {0, 0, quads[WP_X], quads[WP_Y]},
        .interior = {0, 0, size[WP_X] / 2, size[WP_Y] / 2},
        .extension = schedule->extension,
        .width = size[WP_X],
        .height = size[WP_Y],
        .low = -1,
        .along_z = transforms_axis(schedule, level, WP_Z),
        .slices = size[WP_Z],
        .source_step = forward ? slice_step(schedule, level - 1) : 1,
        .destination_step = forward ? 1 : slice_step(schedule, level - 1),
    };
    if (!transforms_axis(schedule, level, WP_X)) {
        schedule->surface[level] = make_surface(size[WP_X], size[WP_Y], size[WP_Z], 1);
        return true;
    }
    schedule->surface[level] = make_surface(quads[WP_X], quads[WP_Y], size[WP_Z], WP_BAND_COUNT);
    const unsigned axes = wp_lifting_axes(size, 2);
    if (!schedule->scheme[axes])
        schedule->scheme[axes] = wp_description_scheme(d, axes);
    op->scheme = schedule->scheme[axes];
    return op->scheme != NULL;
}

// Splits the last operation into one for x and y and one for z, with a surface in between.
static void split(struct wp_schedule *schedule)
{
    struct wp_op *first = &schedule->op[schedule->op_count - 1],
                 *second = &schedule->op[schedule->op_count++];
    const bool forward = schedule->description.direction == WP_FORWARD;
    const int between = schedule->surface_count++;
    *second = *first;
    first->destination = second->source = between;
    first->destination_step = second->source_step = 1;
    (forward ? first : second)->along_z = false;
    (forward ? second : first)->scheme = NULL;
    schedule->surface[between] = schedule->surface[first->level];
}

static bool allocate(struct wp_schedule *schedule, size_t levels)
{
    schedule->surface = wp_allocate(2 * levels + 1, sizeof *schedule->surface, "a schedule");
    schedule->op =
        schedule->surface ? wp_allocate(2 * levels + 1, sizeof *schedule->op, "a schedule") : NULL;
    return schedule->op != NULL;
}

struct wp_schedule *wp_schedule_slices(const struct wp_description *d, bool separate_z)
{
    const int levels = wp_description_levels(d);
    struct wp_schedule *schedule = wp_schedule_begin(d);
    if (!schedule)
        return NULL;
    bool ok = allocate(schedule, (size_t)levels);
    if (ok)
        schedule->surface[0] =
            make_surface(d->size[WP_X], d->size[WP_Y], wp_description_depth(d), 1);
    schedule->surface_count = 1 + levels;
    for (int i = 0; i < levels && ok; i++) {
        ok = add_level(schedule, d->direction == WP_FORWARD ? 1 + i : levels - i);
        const struct wp_op *op = &schedule->op[schedule->op_count - 1];
        if (ok && separate_z && op->scheme && op->along_z)
            split(schedule);
    }
    if (!ok)
        wp_schedule_destroy(&schedule);
    return schedule;
}
