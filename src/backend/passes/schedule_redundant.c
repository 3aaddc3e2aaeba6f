// The scheduler of redundant banks: passes whose elements have the bands of one sample, without
// margins, gathers and spreads. The shaders extend, since the taps of a level are far apart.
#include "schedule_internal.h"

#include "memory.h"

enum { SCRATCH = 2 }; // surfaces between the passes of a level

static int layers_of(unsigned components)
{
    int count = 0;
    for (; components; components &= components - 1)
        count++;
    return count;
}

int wp_schedule_layer(const struct wp_scheme *scheme, enum wp_band band)
{
    return layers_of(scheme->components & ((1U << band) - 1));
}

bool wp_schedule_is_redundant(const struct wp_description *d)
{
    return wp_description_is_redundant(d) && wp_description_levels(d) > 0;
}

static bool has_slices(const struct wp_description *d)
{
    return wp_description_depth(d) > 1 && d->levels_z == 0;
}

static struct wp_description flatten(const struct wp_description *d)
{
    struct wp_description flat = *d;
    if (has_slices(d)) {
        flat.planes = wp_description_depth(d);
        flat.size[WP_Z] = 1;
    }
    return flat;
}

static struct wp_operand flatten_operand(const struct wp_operand *operand)
{
    struct wp_operand flat = *operand;
    flat.stride[WP_PLANE] = flat.stride[WP_Z];
    return flat;
}

struct wp_operand wp_schedule_operand(const struct wp_description *d,
                                      const struct wp_operand *operand,
                                      struct wp_operand bands[WP_SCHEDULE_BANDS])
{
    if (!wp_schedule_is_redundant(d) || !has_slices(d))
        return *operand;
    struct wp_operand flat = flatten_operand(operand);
    for (int b = 0; operand->band && b < operand->bands; b++) {
        bands[b] = flatten_operand(&operand->band[b]);
        flat.band = bands;
    }
    return flat;
}

// ---- transfers ----

static struct wp_transfer *add_transfer(struct wp_schedule *schedule, bool loads, int surface)
{
    const int *size = schedule->description.size;
    struct wp_transfer *transfer = loads ? &schedule->load[schedule->load_count++]
                                         : &schedule->store[schedule->store_count++];
    *transfer = (struct wp_transfer){
        .surface = surface,
        .aligned = true,
        .domain = {0, 0, size[WP_X], size[WP_Y]},
        .width = size[WP_X],
        .height = size[WP_Y],
        .extension = schedule->extension,
    };
    return transfer;
}

// The band of a level (level 0: the samples) that a transfer has in component `c`.
static void set_band(struct wp_transfer *transfer, int c, int level, unsigned band)
{
    transfer->band[c] =
        (struct wp_transfer_band){level, (enum wp_band)band, .every = {1, 1, 1}};
    transfer->used[c] = true;
}

// Adds the transfers of a surface: one of all its components, or one for each layer.
static void add_transfers(struct wp_schedule *schedule, bool loads, int level,
                          const struct wp_scheme *scheme)
{
    const bool planes = schedule->surface[level].planes;
    const bool all = level == 0 || level == wp_description_levels(&schedule->description);
    const unsigned bands = level ? scheme->components : 1;
    struct wp_transfer *transfer = planes ? NULL : add_transfer(schedule, loads, level);
    for (unsigned b = !all; b < WP_OCTET_BANDS; b++) {
        if (!(bands >> b & 1))
            continue;
        if (planes) {
            transfer = add_transfer(schedule, loads, level);
            transfer->planes = true;
            transfer->layer = wp_schedule_layer(scheme, (enum wp_band)b);
            transfer->domain.width = schedule->surface[level].width;
        }
        set_band(transfer, planes ? 0 : (int)b, level, b);
    }
}

// ---- operations ----

static void add_level(struct wp_schedule *schedule, const struct wp_redundant *bank, int level,
                      const struct wp_scheme *scheme)
{
    const struct wp_description *d = &schedule->description;
    const bool forward = d->direction == WP_FORWARD;
    const int scratch = wp_description_levels(d) + 1;
    int source = forward ? level - 1 : level;
    for (int p = 0; p < scheme->pass_count; p++) {
        const bool last = p == scheme->pass_count - 1;
        struct wp_op *op = &schedule->op[schedule->op_count++];
        *op = (struct wp_op){
            .kind = WP_OP_PASS,
            .level = level,
            .scheme = scheme,
            .pass = p,
            .source = source,
            .destination = !last     ? scratch + p % SCRATCH
                           : forward ? level
                                     : level - 1,
            .domain = {0, 0, d->size[WP_X], d->size[WP_Y]},
            .interior = {0, 0, d->size[WP_X], d->size[WP_Y]},
            .extension = schedule->extension,
            .width = d->size[WP_X],
            .height = d->size[WP_Y],
            .depth = wp_description_depth(d),
            .dilation = wp_redundant_dilation(bank, level),
        };
        source = op->destination;
    }
}

// Rows of 32 bytes, the unit of memory transactions, and pairs of rows, which transfers of quads
// write.
static struct wp_surface make_surface(const struct wp_description *d, bool planes, int layers)
{
    const bool volume = wp_description_depth(d) > 1;
    if (!planes)
        return (struct wp_surface){.width = d->size[WP_X], .height = d->size[WP_Y]};
    return (struct wp_surface){
        .width = (d->size[WP_X] + 7) / 8 * 8,
        .height = d->size[WP_Y] + d->size[WP_Y] % 2,
        .layers = layers,
        .planes = true,
        .slices = volume ? wp_description_depth(d) : 0,
    };
}

static bool allocate(struct wp_schedule *schedule, const struct wp_scheme *scheme, size_t levels)
{
    const size_t transfers = (levels + 1) * WP_OCTET_BANDS;
    const size_t ops = levels * (size_t)scheme->pass_count;
    schedule->surface =
        wp_allocate(levels + 1 + SCRATCH, sizeof *schedule->surface, "a schedule");
    schedule->op = schedule->surface ? wp_allocate(ops, sizeof *schedule->op, "a schedule") : NULL;
    schedule->load =
        schedule->op ? wp_allocate(transfers, sizeof *schedule->load, "a schedule") : NULL;
    schedule->store =
        schedule->load ? wp_allocate(transfers, sizeof *schedule->store, "a schedule") : NULL;
    return schedule->store;
}

static void fill(struct wp_schedule *schedule, const struct wp_redundant *bank,
                 const struct wp_scheme *scheme, bool planes)
{
    const struct wp_description *d = &schedule->description;
    const bool forward = d->direction == WP_FORWARD;
    const int levels = bank->levels;
    const int scratch = scheme->pass_count - 1 < SCRATCH ? scheme->pass_count - 1 : SCRATCH;
    schedule->surface_count = levels + 1 + scratch;
    for (int s = 0; s < schedule->surface_count; s++)
        schedule->surface[s] = make_surface(d, planes, s ? layers_of(scheme->components) : 1);
    for (int i = 0; i < levels; i++)
        add_level(schedule, bank, forward ? i + 1 : levels - i, scheme);
    add_transfers(schedule, forward, 0, scheme);
    for (int l = 1; l <= levels; l++)
        add_transfers(schedule, !forward, l, scheme);
}

struct wp_schedule *wp_schedule_redundant(const struct wp_description *description, bool planes)
{
    const struct wp_description d = flatten(description);
    struct wp_schedule *schedule = wp_schedule_begin(&d);
    struct wp_redundant bank;
    if (!schedule)
        return NULL;
    struct wp_scheme *scheme = wp_redundant_make(&d, &bank) ? wp_redundant_scheme(&d) : NULL;
    if (!scheme) {
        wp_schedule_destroy(&schedule);
        return NULL;
    }
    schedule->scheme[scheme->axes] = scheme;
    schedule->extension = bank.extension;
    schedule->weighted = bank.weighted;
    if (allocate(schedule, scheme, (size_t)bank.levels))
        fill(schedule, &bank, scheme, planes);
    else
        wp_schedule_destroy(&schedule);
    return schedule;
}
