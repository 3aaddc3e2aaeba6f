// The planners with one operation per level, on surfaces of quads and on planes of samples.
#include "plan_internal.h"

// Operations of fused plans and plans of planes.
static void add_level_ops(struct wp_plan *plan, struct wp_plan_level *levels)
{
    const int count = wp_description_levels(&plan->description);
    const bool forward = plan->description.direction == WP_FORWARD;
    plan->surface_count = 1 + count;
    for (int i = 0; i < count; i++) {
        struct wp_plan_level *level = &levels[forward ? i : count - 1 - i];
        struct wp_op *op = wp_plan_add_level_op(plan, level);
        op->input = forward ? WP_INPUT_LOW : WP_INPUT_QUADS;
        op->source = forward ? level->number - 1 : level->number;
        op->destination = forward ? level->number : level->number - 1;
    }
}

static void set_pixels(struct wp_plan *plan, const struct wp_plan_level *finest)
{
    const bool loads = plan->description.direction == WP_FORWARD;
    wp_plan_enlarge(&plan->surface[0], finest->output);
    wp_plan_deepen(&plan->surface[0], finest->output_z);
    wp_transfer_set_level(&plan->description,
                          wp_plan_add_transfer(plan, loads, finest, 0, finest->output), 0);
}

static void set_coefficients(struct wp_plan *plan, const struct wp_plan_level *level)
{
    const bool loads = plan->description.direction == WP_INVERSE;
    wp_plan_enlarge(&plan->surface[level->number], level->output);
    wp_plan_deepen(&plan->surface[level->number], level->output_z);
    wp_transfer_set_level(&plan->description,
                          wp_plan_add_transfer(plan, loads, level, level->number, level->output),
                          level->number);
}

static void plan_fused(struct wp_plan *plan, struct wp_plan_level *levels)
{
    add_level_ops(plan, levels);
    if (plan->description.direction == WP_FORWARD)
        plan->op[0].input = WP_INPUT_QUADS;
    set_pixels(plan, &levels[0]);
    for (int l = 0; l < wp_description_levels(&plan->description); l++)
        set_coefficients(plan, &levels[l]);
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

static void add_plane_transfer(struct wp_plan *plan, struct wp_plan_level *level, bool loads,
                               int surface, struct wp_transfer_band band)
{
    const struct wp_description *d = &plan->description;
    const struct wp_band_grid grid = wp_description_band(d, band.level, band.band);
    const struct wp_rect domain = {0, 0, plan->surface[surface].width, grid.size[WP_Y]};
    if (grid.size[WP_X] == 0 || grid.size[WP_Y] == 0)
        return;
    struct wp_transfer *transfer = wp_plan_add_transfer(plan, loads, level, surface, domain);
    transfer->layer = (int)band.band;
    transfer->planes = true;
    transfer->band[0] = band;
    transfer->used[0] = true;
}

static void plan_planes(struct wp_plan *plan, struct wp_plan_level *levels)
{
    const struct wp_description *d = &plan->description;
    const bool forward = d->direction == WP_FORWARD;
    add_level_ops(plan, levels);
    make_planes(&plan->surface[0], d->size[WP_X], d->size[WP_Y], 1);
    add_plane_transfer(plan, &levels[0], forward, 0, (struct wp_transfer_band){.every = {1, 1, 1}});
    for (int l = 1; l <= d->levels; l++) {
        struct wp_plan_level *level = &levels[l - 1];
        make_planes(&plan->surface[l], level->output.width, level->output.height, WP_BAND_COUNT);
        for (int band = l == d->levels ? WP_BAND_LL : WP_BAND_HL; band < WP_BAND_COUNT; band++)
            add_plane_transfer(plan, level, !forward, l,
                               (struct wp_transfer_band){
                               l, (enum wp_band)band, .every = {1, 1, 1}});
    }
}

struct wp_plan *wp_plan_fused(const struct wp_description *description)
{
    return wp_plan_make(description, false, plan_fused, plan_fused);
}

struct wp_plan *wp_plan_planes(const struct wp_description *description)
{
    return wp_plan_make(description, false, plan_planes, plan_planes);
}
