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
        .depth = level->output_z.count,
        .layers = BLOCK,
    };
}

// One surface of quads, one layer.
static void make_quads(struct wp_surface *surface, const struct wp_plan_level *level)
{
    *surface = (struct wp_surface){
        .width = level->output.width,
        .height = even(level->output.height),
        .depth = level->output_z.count,
        .layers = 1,
    };
}

// A band's samples of one place in every 2x2.
static struct wp_transfer_band subsample(struct wp_transfer_band band, int k)
{
    for (int a = WP_X; a <= WP_Y; a++) {
        band.first[a] += (k >> a & 1) * band.every[a];
        band.every[a] *= 2;
    }
    return band;
}

// Of band b, or of what it is in odd slices, the samples of one place in every 2x2.
static struct wp_transfer_band band_of(const struct wp_transfer *level, int b, bool odd, int k)
{
    return subsample(level->band[b + odd * WP_BAND_COUNT], k);
}

// A port for each layer of coefficients: to it, the samples of a band are pixels.
static void add_band_ports(struct wp_plan *plan, bool loads, const struct wp_plan_level *level,
                           int surface)
{
    const struct wp_description *d = &plan->description;
    struct wp_transfer whole = {0};
    wp_transfer_set_level(d, &whole, level->number);
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        const struct wp_band_grid grid =
            wp_description_band(d, level->number, whole.band[b].band);
        const struct wp_rect domain = {0, 0, halved(grid.size[WP_X]), halved(grid.size[WP_Y])};
        const bool uses = whole.used[b] || (level->output_z.count &&
                                            whole.used[b + WP_BAND_COUNT]);
        if (grid.size[WP_X] == 0 || grid.size[WP_Y] == 0 || !uses)
            continue;
        struct wp_transfer *transfer = wp_plan_add_transfer(plan, loads, level, surface, domain);
        transfer->layer = b;
        transfer->width = grid.size[WP_X];
        transfer->height = grid.size[WP_Y];
        transfer->extension = WP_EXTEND_ZERO;
        for (int c = 0; c < WP_OCTET_BANDS; c++) {
            const bool odd = c >= BLOCK;
            transfer->band[c] = band_of(&whole, b, odd, c % BLOCK);
            transfer->used[c] = whole.used[b + odd * WP_BAND_COUNT];
        }
    }
}

// A port of a level whose texels are quads, or for level 0 of the samples.
static void add_quad_port(struct wp_plan *plan, bool loads, const struct wp_plan_level *level,
                          int surface, int number)
{
    wp_transfer_set_level(&plan->description,
                      wp_plan_add_transfer(plan, loads, level, surface, level->output), number);
}

// Stores pixels of which layer k holds quad k of every 2x2.
static void add_split_ports(struct wp_plan *plan, const struct wp_plan_level *level, int surface)
{
    const struct wp_rect domain = {0, 0, halved(level->output.width),
                                   halved(level->output.height)};
    for (int k = 0; k < BLOCK; k++) {
        struct wp_transfer *transfer = wp_plan_add_transfer(plan, false, level, surface, domain);
        transfer->layer = k;
        wp_transfer_set_level(&plan->description, transfer, 0);
        for (int c = 0; c < WP_OCTET_BANDS; c++)
            transfer->band[c] = subsample(transfer->band[c], k);
    }
}

// Whether a level has steps along x or y, and along z.
static bool has_plane(const struct wp_plan_level *level)
{
    return level->scheme;
}

static bool has_depth(const struct wp_plan_level *level)
{
    return level->depth > 1 && level->split >> WP_Z & 1;
}

static bool has_both(const struct wp_plan_level *level)
{
    return has_plane(level) && has_depth(level);
}

static bool any_both(const struct wp_plan_level *levels, int count)
{
    bool any = false;
    for (int l = 0; l < count; l++)
        any = any || has_both(&levels[l]);
    return any;
}

// All steps of slices, of an image of the one; `count` of them, of a volume.
static struct wp_op *add_slices_op(struct wp_plan *plan, struct wp_plan_level *level, int source,
                                   int destination, int count)
{
    struct wp_op *op = wp_plan_add_level_op(plan, level);
    op->source = source;
    op->destination = destination;
    op->slices = level->output_z.count ? count : 0;
    op->from = op->to = (struct wp_slice_run){0, 1};
    return op;
}

// All steps along z, of all the texels that a slice has.
static struct wp_op *add_depth_op(struct wp_plan *plan, struct wp_plan_level *level, int source,
                                  int destination)
{
    struct wp_op *op = wp_plan_add_op(plan, WP_OP_DEPTH, level);
    op->source = source;
    op->destination = destination;
    op->low = -1;
    op->from = op->to = (struct wp_slice_run){0, 1};
    op->layers = has_plane(level) ? BLOCK : 1;
    op->domain = level->output;
    if (has_plane(level))
        op->domain = (struct wp_rect){0, 0, halved(op->domain.width), halved(op->domain.height)};
    op->octets = level->output_z;
    return op;
}

// Surfaces: 0 holds the pixels, l the coefficients of level l; of volumes the last one holds slices
// on their way from the steps along x and y to those along z.
static void plan_tiled_forward(struct wp_plan *plan, struct wp_plan_level *levels)
{
    const int count = wp_description_levels(&plan->description), between = count + 1;
    struct wp_slice_run input = {0, 1}; // of the surface that has the level's
    plan->surface_count = 1 + count;
    make_quads(&plan->surface[0], &levels[0]);
    for (int l = 0; l < count; l++) {
        struct wp_plan_level *level = &levels[l];
        const int own = 1 + l;
        const bool both = has_both(level);
        (has_plane(level) ? make_layers : make_quads)(&plan->surface[own], level);
        if (has_plane(level)) {
            struct wp_op *op = add_slices_op(plan, level, l, both ? between : own, level->depth);
            op->input = WP_INPUT_QUADS;
            op->from = input;
            add_band_ports(plan, false, level, own);
        } else {
            add_quad_port(plan, false, level, own, level->number);
        }
        if (has_depth(level)) {
            struct wp_op *op = add_depth_op(plan, level, both ? between : l, own);
            op->from = both ? op->from : input;
        }
        if (both && plan->surface_count == between) {
            plan->surface[between] = plan->surface[own]; // other levels have less
            plan->surface_count++;
        }
        input.step = has_depth(level) ? 2 : 1;
    }
    add_quad_port(plan, true, &levels[0], 0, 0);
}

// The same surfaces: what a level becomes is layer 0 of the next finer one's coefficients.
static void plan_tiled_inverse(struct wp_plan *plan, struct wp_plan_level *levels)
{
    plan->surface_count = 1 + plan->description.levels;
    for (int l = plan->description.levels - 1; l >= 0; l--) {
        struct wp_plan_level *level = &levels[l];
        struct wp_op *op = add_slices_op(plan, level, 1 + l, l, 1);
        op->input = WP_INPUT_BANDS;
        make_layers(&plan->surface[op->source], level);
        add_band_ports(plan, true, level, op->source);
    }
    make_quads(&plan->surface[0], &levels[0]);
    add_quad_port(plan, false, &levels[0], 0, 0);
}

// The inverse of slices. Of those that are low along z `low` has the low band, unless it is -1;
// where there are others, they follow by themselves.
static void add_inverse_slices(struct wp_plan *plan, struct wp_plan_level *level, int source,
                               int destination, int low)
{
    const bool apart = has_depth(level);
    const int highs = apart ? level->depth / 2 : 0;
    struct wp_op *op = add_slices_op(plan, level, source, destination, level->depth - highs);
    op->input = low < 0 ? WP_INPUT_BANDS : WP_INPUT_BANDS_LOW;
    op->low = low;
    if (!apart)
        return;
    op->from.step = op->to.step = 2;
    op = add_slices_op(plan, level, source, destination, highs);
    op->input = WP_INPUT_BANDS;
    op->from = op->to = (struct wp_slice_run){1, 2};
}

// Surfaces: level l's coefficients are loaded into l; what they become lies in 0 or, behind those,
// another one in turn, 0 for the finest level. Of volumes there is one for slices on their way, as
// forward. What a level of z alone makes, quads, is the low band of the next one as that has it.
static void plan_split_inverse(struct wp_plan *plan, struct wp_plan_level *levels)
{
    const int count = wp_description_levels(&plan->description);
    const int between = count + 1, other = between + any_both(levels, count);
    int low = -1;
    plan->surface_count = other;
    for (int l = count - 1; l >= 0; l--) {
        struct wp_plan_level *level = &levels[l];
        const int own = 1 + l, result = l % 2 ? other : 0;
        if (!has_plane(level)) {
            make_quads(&plan->surface[own], level);
            add_quad_port(plan, true, level, own, level->number);
            struct wp_op *op = add_depth_op(plan, level, own, l);
            op->to.step = l > 0 ? 2 : 1;
            continue;
        }
        make_layers(&plan->surface[own], level);
        // Levels become finer, and so larger.
        make_layers(&plan->surface[result], level);
        plan->surface_count = result == other ? other + 1 : plan->surface_count;
        add_inverse_slices(plan, level, own, has_depth(level) ? between : result, low);
        if (has_depth(level)) {
            make_layers(&plan->surface[between], level);
            add_depth_op(plan, level, between, result);
        }
        add_band_ports(plan, true, level, own);
        low = result;
    }
    if (has_plane(&levels[0])) {
        add_split_ports(plan, &levels[0], 0);
    } else {
        make_quads(&plan->surface[0], &levels[0]);
        add_quad_port(plan, false, &levels[0], 0, 0);
    }
}

struct wp_plan *wp_plan_tiled(const struct wp_description *description, bool split)
{
    return wp_plan_make(description, false, plan_tiled_forward,
                        split ? plan_split_inverse : plan_tiled_inverse);
}
