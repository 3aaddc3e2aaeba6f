// The planner of the papers' schemes: a draw a pass between two textures in turn.
#include "plan_internal.h"

// Where quads (0, 0) lie; surfaces hold levels with their margins.
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

static void make_room(struct wp_surface *surface, const struct wp_plan_level *level)
{
    wp_plan_enlarge(surface, level->input);
    wp_plan_deepen(surface, level->input_z);
}

// A port that loads the input of a level with its margin.
static void add_load(struct wp_plan *plan, const struct wp_plan_level *level, int surface,
                     int number)
{
    struct wp_transfer *transfer = wp_plan_add_transfer(plan, true, level, surface, level->input);
    transfer->octets = level->input_z;
    wp_transfer_set_level(&plan->description, transfer, number);
}

// The passes of a level, from one of two surfaces to the other in turn, beginning with `input`.
// Returns the surface that holds the result. In both, quad (0, 0) lies at the level's origin.
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

// Every level brings one surface of its size along and borrows the one that the level before
// left idle; between the two its passes go to and fro. So all levels together take 1 + 4/3
// times the first one's memory, and every result stays where it is until it is stored.
static void plan_forward(struct wp_plan *plan, struct wp_plan_level *levels)
{
    const int count = wp_description_levels(&plan->description);
    plan->surface_count = 1 + count;
    int idle = 0, result = -1;
    for (int l = 0; l < count; l++) {
        const struct wp_plan_level *level = &levels[l];
        const int own = 1 + l;
        make_room(&plan->surface[idle], level);
        make_room(&plan->surface[own], level);
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
        result = add_passes(plan, level, idle, own);
        idle = result == idle ? own : idle;
        wp_transfer_set_level(&plan->description,
                          wp_plan_add_transfer(plan, false, level, result, level->output),
                          level->number);
    }
}

// Surfaces: 0 is scratch, level l's coefficients are loaded into l. The result of a level
// becomes component 0 of the next finer one's coefficients.
static void plan_inverse(struct wp_plan *plan, struct wp_plan_level *levels)
{
    enum { SCRATCH, FIRST_INPUT };
    const int count = wp_description_levels(&plan->description);
    plan->surface_count = FIRST_INPUT + count;
    int result = -1;
    for (int l = count - 1; l >= 0; l--) {
        const struct wp_plan_level *level = &levels[l];
        const int input = FIRST_INPUT + l;
        make_room(&plan->surface[input], level);
        make_room(&plan->surface[SCRATCH], level);
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
                      wp_plan_add_transfer(plan, false, &levels[0], result, levels[0].output), 0);
}

struct wp_plan *wp_plan_passes(const struct wp_description *description)
{
    return wp_plan_make(description, wp_description_depth(description) > 1, plan_forward,
                        plan_inverse);
}
