#include "plan_internal.h"

#include "memory.h"

#include <stdlib.h>

// Extends a domain by what a pass reads around it.
static struct wp_rect grow(struct wp_rect r, const struct wp_reach *reach)
{
    return (struct wp_rect){r.x + reach->low[WP_X], r.y + reach->low[WP_Y],
                            r.width + reach->high[WP_X] - reach->low[WP_X],
                            r.height + reach->high[WP_Y] - reach->low[WP_Y]};
}

static const struct wp_scheme *scheme_for(struct wp_plan *plan, unsigned axes)
{
    if (!plan->scheme[axes])
        plan->scheme[axes] = wp_description_scheme(&plan->description, axes);
    return plan->scheme[axes];
}

// False where there is no memory for its scheme.
static bool make_level(struct wp_plan *plan, int number, struct wp_plan_level *level)
{
    const int size[] = {wp_level_size(plan->description.size[WP_X], number - 1),
                        wp_level_size(plan->description.size[WP_Y], number - 1)};
    // An axis of one sample passes through. Levels are bounded so that one axis is longer.
    const struct wp_scheme *scheme = scheme_for(plan, wp_lifting_axes(size, 2));
    if (!scheme)
        return false;
    level->number = number;
    level->width = size[WP_X];
    level->height = size[WP_Y];
    level->scheme = scheme;
    level->output = (struct wp_rect){0, 0, level->width / 2 + level->width % 2,
                                     level->height / 2 + level->height % 2};
    level->input = level->output;
    for (int p = scheme->pass_count - 1; p >= 0; p--) {
        level->domain[p] = level->input;
        level->input = grow(level->input, &scheme->pass[p].reach);
    }
    return true;
}

void wp_plan_enlarge(struct wp_surface *surface, struct wp_rect input)
{
    surface->width = input.width > surface->width ? input.width : surface->width;
    surface->height = input.height > surface->height ? input.height : surface->height;
}

struct wp_rect wp_plan_whole_quads(const struct wp_plan_level *level)
{
    return (struct wp_rect){0, 0, level->width / 2, level->height / 2};
}

struct wp_op *wp_plan_add_op(struct wp_plan *plan, enum wp_op_kind kind,
                             const struct wp_plan_level *level)
{
    struct wp_op *op = &plan->op[plan->op_count++];
    *op = (struct wp_op){
        .kind = kind,
        .level = level->number,
        .extension = plan->extension,
        .width = level->width,
        .height = level->height,
    };
    return op;
}

struct wp_op *wp_plan_add_level_op(struct wp_plan *plan, struct wp_plan_level *level)
{
    struct wp_op *op = wp_plan_add_op(plan, WP_OP_LEVEL, level);
    level->input = level->output; // no margin
    op->scheme = level->scheme;
    op->source = op->low = -1;
    op->domain = level->output;
    op->interior = wp_plan_whole_quads(level);
    return op;
}

struct wp_port *wp_plan_add_port(struct wp_plan *plan, bool loads,
                                 const struct wp_plan_level *level, int surface,
                                 struct wp_rect domain)
{
    struct wp_port *port = loads ? &plan->load[plan->load_count++]
                                 : &plan->store[plan->store_count++];
    *port = (struct wp_port){
        .surface = surface,
        .x = -level->input.x,
        .y = -level->input.y,
        .domain = domain,
        .width = level->width,
        .height = level->height,
        .extension = plan->extension,
    };
    return port;
}

// No level: one surface through which the plane passes.
static void plan_copy(struct wp_plan *plan)
{
    const int *size = plan->description.size;
    const struct wp_rect quads = {0, 0, size[WP_X] / 2 + size[WP_X] % 2,
                                  size[WP_Y] / 2 + size[WP_Y] % 2};
    const struct wp_plan_level level = {
        .width = size[WP_X], .height = size[WP_Y], .input = quads};
    plan->surface_count = 1;
    wp_plan_enlarge(&plan->surface[0], quads);
    wp_port_set_level(&plan->description, wp_plan_add_port(plan, true, &level, 0, quads), 0);
    wp_port_set_level(&plan->description, wp_plan_add_port(plan, false, &level, 0, quads), 0);
}

// Of a plan with so many operations at most.
static bool allocate(struct wp_plan *plan, int ops)
{
    const size_t levels = (size_t)plan->description.levels, ports = WP_PORTS_A_LEVEL * (levels + 1);
    plan->surface = wp_allocate(2 * levels + 1, sizeof *plan->surface, "a plan");
    plan->op = plan->surface ? wp_allocate((size_t)ops, sizeof *plan->op, "a plan") : NULL;
    plan->load = plan->op ? wp_allocate(ports, sizeof *plan->load, "a plan") : NULL;
    plan->store = plan->load ? wp_allocate(ports, sizeof *plan->store, "a plan") : NULL;
    return plan->store != NULL;
}

struct wp_plan *wp_plan_make(const struct wp_description *d, wp_planner forward,
                             wp_planner inverse)
{
    if (!wp_description_check(d))
        return NULL;
    struct wp_plan *plan = wp_allocate(1, sizeof *plan, "a plan");
    if (!plan)
        return NULL;
    plan->wavelet = *d->wavelet;
    plan->description = *d;
    plan->description.wavelet = &plan->wavelet;
    plan->extension = wp_description_lifting(d).extension;

    struct wp_plan_level level[WP_MAX_LEVELS];
    int ops = 0;
    bool ok = true;
    for (int l = 0; l < d->levels && ok; l++) {
        ok = make_level(plan, l + 1, &level[l]);
        ops += ok ? level[l].scheme->pass_count + 1 : 0;
    }
    if (!ok || !allocate(plan, ops))
        wp_plan_destroy(&plan);
    else if (d->levels == 0)
        plan_copy(plan);
    else
        (d->direction == WP_FORWARD ? forward : inverse)(plan, level);
    return plan;
}

void wp_plan_destroy(struct wp_plan **slot)
{
    struct wp_plan *plan = *slot;
    *slot = NULL;
    if (!plan)
        return;
    for (int axes = 0; axes <= WP_AXIS_BOTH; axes++)
        wp_scheme_destroy(&plan->scheme[axes]);
    free(plan->surface);
    free(plan->op);
    free(plan->load);
    free(plan->store);
    free(plan);
}
