// The scheduler for programs that write 2x2 quads at a time.
#include "schedule_internal.h"

enum { BLOCK = 4 }; // quads that a tiled schedule writes at once: 2x2

static int halved(int n)
{
    return n / 2 + n % 2;
}

// Heights are even, so that 2x2 texels do not cross the end of a surface, where another plane may
// follow.
static int even(int n)
{
    return n + n % 2;
}

// A surface with 2x2 quads of the level per texel.
static void make_layers(struct wp_surface *surface, const struct wp_schedule_level *level)
{
    *surface = (struct wp_surface){
        .width = halved(level->output.width),
        .height = even(halved(level->output.height)),
        .depth = level->output_z.count,
        .layers = BLOCK,
    };
}

// A surface of quads with one layer.
static void make_quads(struct wp_surface *surface, const struct wp_schedule_level *level)
{
    *surface = (struct wp_surface){
        .width = level->output.width,
        .height = even(level->output.height),
        .depth = level->output_z.count,
        .layers = 1,
    };
}

// Samples k of each 2x2 samples of a band.
static struct wp_transfer_band subsample(struct wp_transfer_band band, int k)
{
    for (int a = WP_X; a <= WP_Y; a++) {
        band.first[a] += (k >> a & 1) * band.every[a];
        band.every[a] *= 2;
    }
    return band;
}

// Samples k of each 2x2 samples of component b, in even or odd slices.
static struct wp_transfer_band band_of(const struct wp_transfer *level, int b, bool odd, int k)
{
    return subsample(level->band[b + odd * WP_BAND_COUNT], k);
}

// Adds one transfer per layer of coefficients, which treats samples of a band as pixels.
static void add_band_transfers(struct wp_schedule *schedule, bool loads,
                               const struct wp_schedule_level *level, int surface)
{
    const struct wp_description *d = &schedule->description;
    struct wp_transfer all = {0};
    wp_transfer_set_level(d, &all, level->number);
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        const struct wp_band_grid grid =
            wp_description_band(d, level->number, all.band[b].band);
        const struct wp_rect domain = {0, 0, halved(grid.size[WP_X]), halved(grid.size[WP_Y])};
        const bool uses = all.used[b] || (level->output_z.count &&
                                            all.used[b + WP_BAND_COUNT]);
        if (grid.size[WP_X] == 0 || grid.size[WP_Y] == 0 || !uses)
            continue;
        struct wp_transfer *transfer =
            wp_schedule_add_transfer(schedule, loads, level, surface, domain);
        transfer->layer = b;
        transfer->width = grid.size[WP_X];
        transfer->height = grid.size[WP_Y];
        transfer->extension = WP_EXTEND_ZERO;
        for (int c = 0; c < WP_OCTET_BANDS; c++) {
            const bool odd = c >= BLOCK;
            transfer->band[c] = band_of(&all, b, odd, c % BLOCK);
            transfer->used[c] = all.used[b + odd * WP_BAND_COUNT];
        }
    }
}

// Adds a transfer of a level whose texels are quads, or for level 0 of the samples.
static void add_quad_transfer(struct wp_schedule *schedule, bool loads,
                              const struct wp_schedule_level *level, int surface, int number)
{
    wp_transfer_set_level(&schedule->description,
                          wp_schedule_add_transfer(schedule, loads, level, surface, level->output),
                          number);
}

// Adds stores of pixels; layer k has quad k of each 2x2 quads.
static void add_split_transfers(struct wp_schedule *schedule, const struct wp_schedule_level *level,
                                int surface)
{
    const struct wp_rect domain = {0, 0, halved(level->output.width),
                                   halved(level->output.height)};
    for (int k = 0; k < BLOCK; k++) {
        struct wp_transfer *transfer =
            wp_schedule_add_transfer(schedule, false, level, surface, domain);
        transfer->layer = k;
        wp_transfer_set_level(&schedule->description, transfer, 0);
        for (int c = 0; c < WP_OCTET_BANDS; c++)
            transfer->band[c] = subsample(transfer->band[c], k);
    }
}

// Does a level have steps along x or y, along z, or both?
static bool has_plane(const struct wp_schedule_level *level)
{
    return level->scheme;
}

static bool has_depth(const struct wp_schedule_level *level)
{
    return level->depth > 1 && level->split >> WP_Z & 1;
}

static bool has_both(const struct wp_schedule_level *level)
{
    return has_plane(level) && has_depth(level);
}

static bool any_has_both(const struct wp_schedule_level *levels, int count)
{
    bool any = false;
    for (int l = 0; l < count; l++)
        any = any || has_both(&levels[l]);
    return any;
}

// Adds all steps along x and y, of an image or of `count` slices.
static struct wp_op *add_slices_op(struct wp_schedule *schedule, struct wp_schedule_level *level,
                                   int source, int destination, int count)
{
    struct wp_op *op = wp_schedule_add_level_op(schedule, level);
    op->source = source;
    op->destination = destination;
    op->slices = level->output_z.count ? count : 0;
    op->from = op->to = (struct wp_slice_run){0, 1};
    return op;
}

// Adds all steps along z, for all texels of a slice.
static struct wp_op *add_depth_op(struct wp_schedule *schedule, struct wp_schedule_level *level,
                                  int source, int destination)
{
    struct wp_op *op = wp_schedule_add_op(schedule, WP_OP_DEPTH, level);
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

// Surface 0 has the pixels, surface l the coefficients of level l; the last one, if a level has
// both, slices between the steps along x and y and those along z.
static void schedule_tiled_forward(struct wp_schedule *schedule, struct wp_schedule_level *levels)
{
    const int count = wp_description_levels(&schedule->description), between = count + 1;
    struct wp_slice_run input = {0, 1}; // slices of the level in its surface
    schedule->surface_count = 1 + count;
    make_quads(&schedule->surface[0], &levels[0]);
    for (int l = 0; l < count; l++) {
        struct wp_schedule_level *level = &levels[l];
        const int bands = 1 + l;
        const bool both = has_both(level);
        (has_plane(level) ? make_layers : make_quads)(&schedule->surface[bands], level);
        if (has_plane(level)) {
            struct wp_op *op =
                add_slices_op(schedule, level, l, both ? between : bands, level->depth);
            op->input = WP_INPUT_QUADS;
            op->from = input;
            add_band_transfers(schedule, false, level, bands);
        } else {
            add_quad_transfer(schedule, false, level, bands, level->number);
        }
        if (has_depth(level)) {
            struct wp_op *op = add_depth_op(schedule, level, both ? between : l, bands);
            op->from = both ? op->from : input;
        }
        if (both && schedule->surface_count == between) {
            schedule->surface[between] = schedule->surface[bands]; // other levels are smaller
            schedule->surface_count++;
        }
        input.step = has_depth(level) ? 2 : 1;
    }
    add_quad_transfer(schedule, true, &levels[0], 0, 0);
}

// The same surfaces; the output of a level is layer 0 of the next finer level's coefficients.
static void schedule_tiled_inverse(struct wp_schedule *schedule, struct wp_schedule_level *levels)
{
    schedule->surface_count = 1 + schedule->description.levels;
    for (int l = schedule->description.levels - 1; l >= 0; l--) {
        struct wp_schedule_level *level = &levels[l];
        struct wp_op *op = add_slices_op(schedule, level, 1 + l, l, 1);
        op->input = WP_INPUT_BANDS;
        make_layers(&schedule->surface[op->source], level);
        add_band_transfers(schedule, true, level, op->source);
    }
    make_quads(&schedule->surface[0], &levels[0]);
    add_quad_transfer(schedule, false, &levels[0], 0, 0);
}

// Adds the inverse steps along x and y. `low` is the surface with the LL band of slices that are
// low along z, or -1: in `source`. Slices that are high along z follow as a second operation.
static void add_inverse_slices(struct wp_schedule *schedule, struct wp_schedule_level *level,
                               int source, int destination, int low)
{
    const bool with_depth = has_depth(level);
    const int highs = with_depth ? level->depth / 2 : 0;
    struct wp_op *op = add_slices_op(schedule, level, source, destination, level->depth - highs);
    op->input = low < 0 ? WP_INPUT_BANDS : WP_INPUT_BANDS_LOW;
    op->low = low;
    if (!with_depth)
        return;
    op->from.step = op->to.step = 2;
    op = add_slices_op(schedule, level, source, destination, highs);
    op->input = WP_INPUT_BANDS;
    op->from = op->to = (struct wp_slice_run){1, 2};
}

// The coefficients of level l are loaded into surface l; its output alternates between surface 0
// and an additional one, and is 0 for the finest level. Volumes have a surface for slices between
// the steps, as in the forward direction. The output of a level that only transforms z is quads,
// the format of the next level's low band.
static void schedule_split_inverse(struct wp_schedule *schedule, struct wp_schedule_level *levels)
{
    const int count = wp_description_levels(&schedule->description);
    const int between = count + 1, other = between + any_has_both(levels, count);
    int low = -1;
    schedule->surface_count = other;
    for (int l = count - 1; l >= 0; l--) {
        struct wp_schedule_level *level = &levels[l];
        const int bands = 1 + l, result = l % 2 ? other : 0;
        if (!has_plane(level)) {
            make_quads(&schedule->surface[bands], level);
            add_quad_transfer(schedule, true, level, bands, level->number);
            struct wp_op *op = add_depth_op(schedule, level, bands, l);
            op->to.step = l > 0 ? 2 : 1;
            continue;
        }
        make_layers(&schedule->surface[bands], level);
        // Levels become finer: the last one determines the size.
        make_layers(&schedule->surface[result], level);
        schedule->surface_count = result == other ? other + 1 : schedule->surface_count;
        add_inverse_slices(schedule, level, bands, has_depth(level) ? between : result, low);
        if (has_depth(level)) {
            make_layers(&schedule->surface[between], level);
            add_depth_op(schedule, level, between, result);
        }
        add_band_transfers(schedule, true, level, bands);
        low = result;
    }
    if (has_plane(&levels[0])) {
        add_split_transfers(schedule, &levels[0], 0);
    } else {
        make_quads(&schedule->surface[0], &levels[0]);
        add_quad_transfer(schedule, false, &levels[0], 0, 0);
    }
}

struct wp_schedule *wp_schedule_tiled(const struct wp_description *description, bool split)
{
    return wp_schedule_make(description, false, schedule_tiled_forward,
                        split ? schedule_split_inverse : schedule_tiled_inverse);
}
