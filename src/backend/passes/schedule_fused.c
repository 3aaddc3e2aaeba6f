// The schedulers with one operation per level, on surfaces of quads and on planes of samples.
#include "schedule_internal.h"

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
    wp_plan_enlarge(&schedule->surface[0], finest->output);
    wp_schedule_deepen(&schedule->surface[0], finest->output_z);
    wp_transfer_set_level(&schedule->description,
                          wp_schedule_add_transfer(schedule, loads, finest, 0, finest->output), 0);
}

static void set_coefficients(struct wp_schedule *schedule, const struct wp_schedule_level *level)
{
    const bool loads = schedule->description.direction == WP_INVERSE;
    wp_plan_enlarge(&schedule->surface[level->number], level->output);
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
