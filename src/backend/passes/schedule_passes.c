// The scheduler of the papers' schemes: one draw per pass, alternating between two textures.
#include "schedule_internal.h"

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
    wp_plan_enlarge(surface, level->input);
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
