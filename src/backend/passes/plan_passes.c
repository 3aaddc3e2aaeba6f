// The planner of the papers' schemes: a draw a pass between two textures in turn.
#include "plan_internal.h"

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
        op->source_x = op->destination_x = -level->input.x;
        op->source_y = op->destination_y = -level->input.y;
        op->domain = level->domain[p];
        source = op->destination;
    }
    return source;
}

// Every level brings one surface of its size along and borrows the one that the level before
// left idle; between the two its passes go to and fro. So all levels together take 1 + 4/3
// times the first one's memory, and every result stays where it is until it is stored.
static void plan_forward(struct wp_plan *plan, struct wp_plan_level *levels)
{
    plan->surface_count = 1 + plan->description.levels;
    int idle = 0, result = -1;
    for (int l = 0; l < plan->description.levels; l++) {
        const struct wp_plan_level *level = &levels[l];
        const int own = 1 + l;
        wp_plan_enlarge(&plan->surface[idle], level->input);
        wp_plan_enlarge(&plan->surface[own], level->input);
        if (l == 0) {
            wp_port_set_level(&plan->description,
                              wp_plan_add_port(plan, true, level, idle, level->input), 0);
        } else {
            struct wp_op *op = wp_plan_add_op(plan, WP_OP_GATHER, level);
            op->source = result;
            op->source_x = -levels[l - 1].input.x;
            op->source_y = -levels[l - 1].input.y;
            op->destination = idle;
            op->destination_x = -level->input.x;
            op->destination_y = -level->input.y;
            op->domain = level->input;
            op->interior = wp_plan_whole_quads(level);
        }
        result = add_passes(plan, level, idle, own);
        idle = result == idle ? own : idle;
        wp_port_set_level(&plan->description,
                          wp_plan_add_port(plan, false, level, result, level->output),
                          level->number);
    }
}

// Surfaces: 0 is scratch, level l's coefficients are loaded into l. The result of a level
// becomes component 0 of the next finer one's coefficients.
static void plan_inverse(struct wp_plan *plan, struct wp_plan_level *levels)
{
    enum { SCRATCH, FIRST_INPUT };
    plan->surface_count = FIRST_INPUT + plan->description.levels;
    int result = -1;
    for (int l = plan->description.levels - 1; l >= 0; l--) {
        const struct wp_plan_level *level = &levels[l];
        const int input = FIRST_INPUT + l;
        wp_plan_enlarge(&plan->surface[input], level->input);
        wp_plan_enlarge(&plan->surface[SCRATCH], level->input);
        wp_port_set_level(&plan->description,
                          wp_plan_add_port(plan, true, level, input, level->input),
                          level->number);
        if (result >= 0) {
            struct wp_op *op = wp_plan_add_op(plan, WP_OP_SPREAD, level);
            op->source = result;
            op->source_x = -levels[l + 1].input.x;
            op->source_y = -levels[l + 1].input.y;
            op->destination = input;
            op->destination_x = -level->input.x;
            op->destination_y = -level->input.y;
            op->domain = level->input;
            op->interior = level->output;
        }
        result = add_passes(plan, level, input, SCRATCH);
    }
    wp_port_set_level(&plan->description,
                      wp_plan_add_port(plan, false, &levels[0], result, levels[0].output), 0);
}

struct wp_plan *wp_plan_passes(const struct wp_description *description)
{
    return wp_plan_make(description, plan_forward, plan_inverse);
}
