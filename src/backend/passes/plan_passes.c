// The planner of the papers' schemes: one draw per pass, alternating between two textures.
#include "plan_internal.h"

// Sets the positions of quad (0, 0); surfaces include the margins.
static void set_origins(struct wp_op *op, const struct wp_plan_level *source,
                        const struct wp_plan_level *destination)
{
    op->source_x = -source->input.x;
    op->source_y = -source->input.y;
    op->source_z = -source->input_z.first;
    op->destination_x = -destination->input.x;
    op->destination_y = -destination->input.y;
    op->destination_z = -destination->input_z.first;
}

static void enlarge_to_level(struct wp_surface *surface, const struct wp_plan_level *level)
{
    wp_plan_enlarge(surface, level->input);
    wp_plan_deepen(surface, level->input_z);
}

// Loads the input of a level with its margin.
static void add_load(struct wp_plan *plan, const struct wp_plan_level *level, int surface,
                     int number)
{
    struct wp_transfer *transfer = wp_plan_add_transfer(plan, true, level, surface, level->input);
    transfer->octets = level->input_z;
    wp_transfer_set_level(&plan->description, transfer, number);
}

// Adds the passes of a level, alternating between two surfaces and starting with `input`. Returns
// the surface of the result.
static int add_passes(struct wp_plan *plan, const struct wp_plan_level *level, int input,
                      int scratch)
{
    int source = input;
    for (int p = 0; p < level->scheme->pass_count; p++) {
        struct wp_op *op = wp_plan_add_op(plan, WP_OP_PASS, level);
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
static void plan_forward(struct wp_plan *plan, struct wp_plan_level *levels)
{
    const int count = wp_description_levels(&plan->description);
    plan->surface_count = 1 + count;
    int idle = 0, result = -1;
    for (int l = 0; l < count; l++) {
        const struct wp_plan_level *level = &levels[l];
        const int bands = 1 + l;
        enlarge_to_level(&plan->surface[idle], level);
        enlarge_to_level(&plan->surface[bands], level);
        if (l == 0) {
            add_load(plan, level, idle, 0);
        } else {
            struct wp_op *op = wp_plan_add_op(plan, WP_OP_GATHER, level);
            op->source = result;
            op->destination = idle;
            set_origins(op, &levels[l - 1], level);
            op->domain = level->input;
            op->octets = level->input_z;
            op->interior = wp_plan_full_quads(level);
            op->split = levels[l - 1].split;
        }
        result = add_passes(plan, level, idle, bands);
        idle = result == idle ? bands : idle;
        wp_transfer_set_level(&plan->description,
                              wp_plan_add_transfer(plan, false, level, result, level->output),
                              level->number);
    }
}

// Surface 0 is scratch; the coefficients of level l are loaded into surface l. The result of a
// level becomes component 0 of the next finer level's coefficients.
static void plan_inverse(struct wp_plan *plan, struct wp_plan_level *levels)
{
    enum { SCRATCH, FIRST_INPUT };
    const int count = wp_description_levels(&plan->description);
    plan->surface_count = FIRST_INPUT + count;
    int result = -1;
    for (int l = count - 1; l >= 0; l--) {
        const struct wp_plan_level *level = &levels[l];
        const int input = FIRST_INPUT + l;
        enlarge_to_level(&plan->surface[input], level);
        enlarge_to_level(&plan->surface[SCRATCH], level);
        add_load(plan, level, input, level->number);
        if (result >= 0) {
            struct wp_op *op = wp_plan_add_op(plan, WP_OP_SPREAD, level);
            op->source = result;
            op->destination = input;
            set_origins(op, &levels[l + 1], level);
            op->domain = level->input;
            op->octets = level->input_z;
            op->interior = level->output;
            op->split = level->split;
        }
        result = add_passes(plan, level, input, SCRATCH);
    }
    wp_transfer_set_level(&plan->description,
                          wp_plan_add_transfer(plan, false, &levels[0], result, levels[0].output),
                          0);
}

struct wp_plan *wp_plan_passes(const struct wp_description *description)
{
    return wp_plan_make(description, wp_description_depth(description) > 1, plan_forward,
                        plan_inverse);
}
