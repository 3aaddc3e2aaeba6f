// The scheduler of the papers' schemes: one draw per pass, alternating between two textures.
#include "schedule_internal.h"

#include "memory.h"
#include "min_max.h"

#include <stdlib.h>

// Sets the positions of quad (0, 0); surfaces include the margins.
static void set_origins(struct wp_op *op, const struct wp_schedule_level *source,
                        const struct wp_schedule_level *destination)
{
    op->source_x = -source->input.x;
    op->source_y = -source->input.y;
    op->source_z = -source->input_z.first;
    op->destination_x = -destination->input.x;
    op->destination_y = -destination->input.y;
    op->destination_z = -destination->input_z.first;
}

static void enlarge_to_level(struct wp_surface *surface, const struct wp_schedule_level *level)
{
    wp_schedule_enlarge(surface, level->input);
    wp_schedule_deepen(surface, level->input_z);
}

// Loads the input of a level with its margin.
static void add_load(struct wp_schedule *schedule, const struct wp_schedule_level *level,
                     int surface, int number)
{
    struct wp_transfer *transfer =
        wp_schedule_add_transfer(schedule, true, level, surface, level->input);
    transfer->octets = level->input_z;
    wp_transfer_set_level(&schedule->description, transfer, number);
}

// Adds the passes of a level, alternating between two surfaces and starting with `input`. Returns
// the surface of the result.
static int add_passes(struct wp_schedule *schedule, const struct wp_schedule_level *level,
                      int input, int scratch)
{
    int source = input;
    for (int p = 0; p < level->scheme->pass_count; p++) {
        struct wp_op *op = wp_schedule_add_op(schedule, WP_OP_PASS, level);
        op->scheme = level->scheme;
        op->pass = p;
        op->source = source;
        op->destination = source == input ? scratch : input;
        set_origins(op, level, level);
        op->domain = level->domain[p];
        op->octets = level->domain_z[p];
        source = op->destination;
    }
    return source;
}

// Each level adds one surface of its size and alternates between it and the surface that the
// previous level left unused. All levels use 1 + 4/3 times the memory of the first one, and results
// are not overwritten before they are stored.
static void schedule_forward(struct wp_schedule *schedule, struct wp_schedule_level *levels)
{
    const int count = wp_description_levels(&schedule->description);
    schedule->surface_count = 1 + count;
    int idle = 0, result = -1;
    for (int l = 0; l < count; l++) {
        const struct wp_schedule_level *level = &levels[l];
        const int bands = 1 + l;
        enlarge_to_level(&schedule->surface[idle], level);
        enlarge_to_level(&schedule->surface[bands], level);
        if (l == 0) {
            add_load(schedule, level, idle, 0);
        } else {
            struct wp_op *op = wp_schedule_add_op(schedule, WP_OP_GATHER, level);
            op->source = result;
            op->destination = idle;
            set_origins(op, &levels[l - 1], level);
            op->domain = level->input;
            op->octets = level->input_z;
            op->interior = wp_schedule_full_quads(level);
            op->split = levels[l - 1].split;
        }
        result = add_passes(schedule, level, idle, bands);
        idle = result == idle ? bands : idle;
        wp_transfer_set_level(
            &schedule->description,
            wp_schedule_add_transfer(schedule, false, level, result, level->output), level->number);
    }
}

// Surface 0 is scratch; the coefficients of level l are loaded into surface l. The result of a
// level becomes component 0 of the next finer level's coefficients.
static void schedule_inverse(struct wp_schedule *schedule, struct wp_schedule_level *levels)
{
    enum { SCRATCH, FIRST_INPUT };
    const int count = wp_description_levels(&schedule->description);
    schedule->surface_count = FIRST_INPUT + count;
    int result = -1;
    for (int l = count - 1; l >= 0; l--) {
        const struct wp_schedule_level *level = &levels[l];
        const int input = FIRST_INPUT + l;
        enlarge_to_level(&schedule->surface[input], level);
        enlarge_to_level(&schedule->surface[SCRATCH], level);
        add_load(schedule, level, input, level->number);
        if (result >= 0) {
            struct wp_op *op = wp_schedule_add_op(schedule, WP_OP_SPREAD, level);
            op->source = result;
            op->destination = input;
            set_origins(op, &levels[l + 1], level);
            op->domain = level->input;
            op->octets = level->input_z;
            op->interior = level->output;
            op->split = level->split;
        }
        result = add_passes(schedule, level, input, SCRATCH);
    }
    wp_transfer_set_level(
        &schedule->description,
        wp_schedule_add_transfer(schedule, false, &levels[0], result, levels[0].output), 0);
}

struct wp_schedule *wp_schedule_passes(const struct wp_description *description)
{
    return wp_schedule_make(description, wp_description_depth(description) > 1, schedule_forward,
                        schedule_inverse);
}

// ---- fused schedules ----

// The schedulers with one operation per level, on surfaces of quads and on planes of samples.

// Operations of fused schedules and schedules of planes.
static void add_level_ops(struct wp_schedule *schedule, struct wp_schedule_level *levels)
{
    const int count = wp_description_levels(&schedule->description);
    const bool forward = schedule->description.direction == WP_FORWARD;
    schedule->surface_count = 1 + count;
    for (int i = 0; i < count; i++) {
        struct wp_schedule_level *level = &levels[forward ? i : count - 1 - i];
        struct wp_op *op = wp_schedule_add_level_op(schedule, level);
        op->input = forward ? WP_INPUT_LOW : WP_INPUT_QUADS;
        op->source = forward ? level->number - 1 : level->number;
        op->destination = forward ? level->number : level->number - 1;
    }
}

static void set_pixels(struct wp_schedule *schedule, const struct wp_schedule_level *finest)
{
    const bool loads = schedule->description.direction == WP_FORWARD;
    wp_schedule_enlarge(&schedule->surface[0], finest->output);
    wp_schedule_deepen(&schedule->surface[0], finest->output_z);
    wp_transfer_set_level(&schedule->description,
                          wp_schedule_add_transfer(schedule, loads, finest, 0, finest->output), 0);
}

static void set_coefficients(struct wp_schedule *schedule, const struct wp_schedule_level *level)
{
    const bool loads = schedule->description.direction == WP_INVERSE;
    wp_schedule_enlarge(&schedule->surface[level->number], level->output);
    wp_schedule_deepen(&schedule->surface[level->number], level->output_z);
    wp_transfer_set_level(
        &schedule->description,
        wp_schedule_add_transfer(schedule, loads, level, level->number, level->output),
        level->number);
}

static void schedule_fused(struct wp_schedule *schedule, struct wp_schedule_level *levels)
{
    add_level_ops(schedule, levels);
    if (schedule->description.direction == WP_FORWARD)
        schedule->op[0].input = WP_INPUT_QUADS;
    set_pixels(schedule, &levels[0]);
    for (int l = 0; l < wp_description_levels(&schedule->description); l++)
        set_coefficients(schedule, &levels[l]);
}

static void make_planes(struct wp_surface *surface, int width, int height, int layers)
{
    *surface = (struct wp_surface){
        .width = (width + 7) / 8 * 8, // 32 bytes, the unit of memory transactions
        .height = height + height % 2,
        .layers = layers,
        .planes = true,
    };
}

static void add_plane_transfer(struct wp_schedule *schedule, struct wp_schedule_level *level,
                               bool loads, int surface, struct wp_transfer_band band)
{
    const struct wp_description *d = &schedule->description;
    const struct wp_band_grid grid = wp_description_band(d, band.level, band.band);
    const struct wp_rect domain = {0, 0, schedule->surface[surface].width, grid.size[WP_Y]};
    if (grid.size[WP_X] == 0 || grid.size[WP_Y] == 0)
        return;
    struct wp_transfer *transfer =
        wp_schedule_add_transfer(schedule, loads, level, surface, domain);
    transfer->layer = (int)band.band;
    transfer->planes = true;
    transfer->band[0] = band;
    transfer->used[0] = true;
}

static void schedule_planes(struct wp_schedule *schedule, struct wp_schedule_level *levels)
{
    const struct wp_description *d = &schedule->description;
    const bool forward = d->direction == WP_FORWARD;
    add_level_ops(schedule, levels);
    make_planes(&schedule->surface[0], d->size[WP_X], d->size[WP_Y], 1);
    add_plane_transfer(schedule, &levels[0], forward, 0,
                       (struct wp_transfer_band){.every = {1, 1, 1}});
    for (int l = 1; l <= d->levels; l++) {
        struct wp_schedule_level *level = &levels[l - 1];
        make_planes(&schedule->surface[l], level->output.width, level->output.height,
                    WP_BAND_COUNT);
        for (int band = l == d->levels ? WP_BAND_LL : WP_BAND_HL; band < WP_BAND_COUNT; band++)
            add_plane_transfer(schedule, level, !forward, l,
                               (struct wp_transfer_band){
                               l, (enum wp_band)band, .every = {1, 1, 1}});
    }
}

struct wp_schedule *wp_schedule_fused(const struct wp_description *description)
{
    return wp_schedule_make(description, false, schedule_fused, schedule_fused);
}

struct wp_schedule *wp_schedule_planes(const struct wp_description *description)
{
    return wp_schedule_make(description, false, schedule_planes, schedule_planes);
}

// ---- slices ----

// The scheduler of volumes for programs that process slices, each like the planes of
// wp_schedule_planes().

// Rows of 32 bytes and planes of a multiple of 256, the alignment of buffer ranges.
static struct wp_surface make_surface(int width, int height, int slices, int layers)
{
    return (struct wp_surface){
        .width = wp_round_up(width, 8),
        .height = wp_round_up(height, 8),
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
