// The planner of programs that write 2x2 quads at a time.
#include "plan_internal.h"

enum { BLOCK = 4 }; // quads that a tiled plan writes together: 2x2

static int halved(int n)
{
    return n / 2 + n % 2;
}

// So that what writes 2x2 texels ends within a surface, where another plane may lie below.
static int even(int n)
{
    return n + n % 2;
}

// A surface that holds 2x2 quads of the level at each place.
static void make_layers(struct wp_surface *surface, const struct wp_plan_level *level)
{
    *surface = (struct wp_surface){
        .width = halved(level->output.width),
        .height = even(halved(level->output.height)),
        .layers = BLOCK,
    };
}

// One surface of quads, one layer.
static void make_quads(struct wp_surface *surface, const struct wp_plan_level *level)
{
    *surface = (struct wp_surface){
        .width = level->output.width,
        .height = even(level->output.height),
        .layers = 1,
    };
}

// A band's samples of one place in every 2x2.
static struct wp_port_band subsample(struct wp_port_band band, int k)
{
    band.first[WP_X] += k % 2 * band.every;
    band.first[WP_Y] += k / 2 * band.every;
    band.every *= 2;
    return band;
}

// A port for each layer of coefficients: to it, the samples of a band are pixels.
static void add_band_ports(struct wp_plan *plan, bool loads, const struct wp_plan_level *level,
                           int surface)
{
    const struct wp_description *d = &plan->description;
    const bool last = level->number == d->levels;
    for (int b = last ? WP_BAND_LL : WP_BAND_HL; b < WP_BAND_COUNT; b++) {
        const struct wp_port_band band = {level->number, (enum wp_band)b, .every = 1};
        const struct wp_band_grid grid = wp_description_band(d, band.level, band.band);
        const struct wp_rect domain = {0, 0, halved(grid.size[WP_X]), halved(grid.size[WP_Y])};
        if (grid.size[WP_X] == 0 || grid.size[WP_Y] == 0)
            continue;
        struct wp_port *port = wp_plan_add_port(plan, loads, level, surface, domain);
        port->layer = b;
        port->width = grid.size[WP_X];
        port->height = grid.size[WP_Y];
        port->extension = WP_EXTEND_ZERO;
        for (int k = 0; k < BLOCK; k++) {
            port->band[k] = subsample(band, k);
            port->used[k] = true;
        }
    }
}

// Stores pixels of which layer k holds quad k of every 2x2.
static void add_split_ports(struct wp_plan *plan, const struct wp_plan_level *level, int surface)
{
    const struct wp_rect domain = {0, 0, halved(level->output.width),
                                   halved(level->output.height)};
    for (int k = 0; k < BLOCK; k++) {
        struct wp_port *port = wp_plan_add_port(plan, false, level, surface, domain);
        port->layer = k;
        wp_port_set_level(&plan->description, port, 0);
        for (int c = 0; c < WP_BAND_COUNT; c++)
            port->band[c] = subsample(port->band[c], k);
    }
}

// Surfaces: 0 holds the pixels, l the coefficients of level l.
static void plan_tiled_forward(struct wp_plan *plan, struct wp_plan_level *levels)
{
    plan->surface_count = 1 + plan->description.levels;
    for (int l = 0; l < plan->description.levels; l++) {
        struct wp_plan_level *level = &levels[l];
        struct wp_op *op = wp_plan_add_level_op(plan, level);
        op->input = WP_INPUT_QUADS;
        op->source = l;
        op->destination = 1 + l;
        make_layers(&plan->surface[op->destination], level);
        if (l == 0) {
            make_quads(&plan->surface[0], level);
            wp_port_set_level(&plan->description,
                              wp_plan_add_port(plan, true, level, 0, level->output), 0);
        }
        add_band_ports(plan, false, level, op->destination);
    }
}

// The same surfaces: what a level becomes is layer 0 of the next finer one's coefficients.
static void plan_tiled_inverse(struct wp_plan *plan, struct wp_plan_level *levels)
{
    plan->surface_count = 1 + plan->description.levels;
    for (int l = plan->description.levels - 1; l >= 0; l--) {
        struct wp_plan_level *level = &levels[l];
        struct wp_op *op = wp_plan_add_level_op(plan, level);
        op->input = WP_INPUT_BANDS;
        op->source = 1 + l;
        op->destination = l;
        make_layers(&plan->surface[op->source], level);
        add_band_ports(plan, true, level, op->source);
    }
    make_quads(&plan->surface[0], &levels[0]);
    wp_port_set_level(&plan->description,
                      wp_plan_add_port(plan, false, &levels[0], 0, levels[0].output), 0);
}

// Surfaces: level l's coefficients are loaded into l; what they become lies in 0 or the last
// one in turn, 0 for the finest level.
static void plan_split_inverse(struct wp_plan *plan, struct wp_plan_level *levels)
{
    const int other = plan->description.levels + 1;
    plan->surface_count = plan->description.levels > 1 ? other + 1 : other;
    for (int l = plan->description.levels - 1; l >= 0; l--) {
        struct wp_plan_level *level = &levels[l];
        struct wp_op *op = wp_plan_add_level_op(plan, level);
        const bool coarsest = l + 1 == plan->description.levels;
        op->input = coarsest ? WP_INPUT_BANDS : WP_INPUT_BANDS_LOW;
        op->source = 1 + l;
        op->destination = l % 2 ? other : 0;
        op->low = coarsest ? -1 : other - op->destination;
        make_layers(&plan->surface[op->source], level);
        // Levels become finer, and so larger.
        make_layers(&plan->surface[op->destination], level);
        add_band_ports(plan, true, level, op->source);
    }
    add_split_ports(plan, &levels[0], 0);
}

struct wp_plan *wp_plan_tiled(const struct wp_description *description, bool split)
{
    return wp_plan_make(description, plan_tiled_forward,
                        split ? plan_split_inverse : plan_tiled_inverse);
}
