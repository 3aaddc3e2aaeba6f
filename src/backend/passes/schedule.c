#include "schedule_internal.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

int wp_transfer_slice(const struct wp_transfer *transfer)
{
    return transfer->depth > 1
               ? wp_extend(transfer->extension, transfer->slice, transfer->depth)
               : 0;
}

void wp_transfer_set_level(const struct wp_description *d, struct wp_transfer *transfer, int level)
{
    const unsigned split = level ? wp_description_axes(d, level) : 0;
    for (unsigned c = 0; c < WP_OCTET_BANDS; c++) {
        struct wp_transfer_band *band = &transfer->band[c];
        *band = (struct wp_transfer_band){.level = level, .band = (enum wp_band)(c & split)};
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            const bool is_band = split >> a & 1;
            band->first[a] = is_band ? 0 : (int)(c >> a & 1);
            band->every[a] = is_band ? 1 : 2;
        }
        transfer->used[c] = level == 0 || c & split || level == wp_description_levels(d);
    }
}

struct wp_transfer wp_transfer_of_level(const struct wp_description *d, int level)
{
    const int l = level > 0 ? level - 1 : 0;
    const int width = wp_description_size(d, WP_X, l), height = wp_description_size(d, WP_Y, l);
    struct wp_transfer transfer = {
        .domain = {0, 0, width / 2 + width % 2, height / 2 + height % 2},
        .width = width,
        .height = height,
        .extension = level ? WP_EXTEND_ZERO : WP_EXTEND_CLAMP,
    };
    wp_transfer_set_level(d, &transfer, level);
    return transfer;
}

struct wp_span wp_transfer_slices(const struct wp_transfer *transfer, bool loads)
{
    if (transfer->octets.count == 0)
        return (struct wp_span){0, 1};
    // Stores write only samples inside the level.
    return loads ? (struct wp_span){2 * transfer->octets.first, 2 * transfer->octets.count}
                 : (struct wp_span){0, transfer->depth};
}

bool wp_transfer_uses(const struct wp_transfer *transfer, int slice)
{
    bool used = false;
    for (int c = 0; c < WP_BAND_COUNT; c++)
        used = used || transfer->used[c + WP_BAND_COUNT * (slice & 1)];
    return used;
}

// ---- schedules ----

// The domain that a pass reads.
static struct wp_rect grow(struct wp_rect r, const struct wp_reach *reach)
{
    return (struct wp_rect){r.x + reach->low[WP_X], r.y + reach->low[WP_Y],
                            r.width + reach->high[WP_X] - reach->low[WP_X],
                            r.height + reach->high[WP_Y] - reach->low[WP_Y]};
}

static struct wp_span grow_z(struct wp_span span, const struct wp_reach *reach)
{
    return (struct wp_span){span.first + reach->low[WP_Z],
                            span.count + reach->high[WP_Z] - reach->low[WP_Z]};
}

static const struct wp_scheme *scheme_for(struct wp_schedule *schedule, bool octets, unsigned axes)
{
    const struct wp_description *d = &schedule->description;
    if (!schedule->scheme[axes])
        schedule->scheme[axes] = octets ? wp_description_octet_scheme(d, axes)
                                    : wp_description_scheme(d, axes);
    return schedule->scheme[axes];
}

static int halved(int n)
{
    return n / 2 + n % 2;
}

static int passes_of(const struct wp_schedule_level *level)
{
    return level->scheme ? level->scheme->pass_count : 0;
}

// False if memory for its scheme is exhausted.
static bool make_level(struct wp_schedule *schedule, bool octets, int number,
                       struct wp_schedule_level *level)
{
    const struct wp_description *d = &schedule->description;
    int size[WP_DIMS_MAX];
    for (int a = 0; a < WP_DIMS_MAX; a++)
        size[a] = wp_description_size(d, a, number - 1);
    level->number = number;
    level->width = size[WP_X];
    level->height = size[WP_Y];
    level->depth = size[WP_Z];
    level->split = wp_description_axes(d, number);
    // Axes with one sample are not transformed. At least one axis is longer (wp_levels_max()).
    const unsigned axes = wp_lifting_axes(size, octets ? WP_DIMS_MAX : 2) & level->split;
    level->scheme = axes ? scheme_for(schedule, octets, axes) : NULL;
    if (axes && !level->scheme)
        return false;
    level->output = (struct wp_rect){0, 0, halved(level->width), halved(level->height)};
    level->output_z = (struct wp_span){0, halved(level->depth)};
    if (wp_description_depth(d) == 1)
        level->output_z.count = 0;
    level->input = level->output;
    level->input_z = level->output_z;
    for (int p = passes_of(level) - 1; p >= 0; p--) {
        level->domain[p] = level->input;
        level->domain_z[p] = level->input_z;
        level->input = grow(level->input, &level->scheme->pass[p].reach);
        level->input_z = grow_z(level->input_z, &level->scheme->pass[p].reach);
    }
    return true;
}

void wp_schedule_enlarge(struct wp_surface *surface, struct wp_rect input)
{
    surface->width = input.width > surface->width ? input.width : surface->width;
    surface->height = input.height > surface->height ? input.height : surface->height;
}

void wp_schedule_deepen(struct wp_surface *surface, struct wp_span input)
{
    surface->depth = input.count > surface->depth ? input.count : surface->depth;
}

struct wp_rect wp_schedule_full_quads(const struct wp_schedule_level *level)
{
    return (struct wp_rect){0, 0, level->width / 2, level->height / 2};
}

struct wp_op *wp_schedule_add_op(struct wp_schedule *schedule, enum wp_op_kind kind,
                             const struct wp_schedule_level *level)
{
    struct wp_op *op = &schedule->op[schedule->op_count++];
    *op = (struct wp_op){
        .kind = kind,
        .level = level->number,
        .extension = schedule->extension,
        .width = level->width,
        .height = level->height,
        .depth = level->depth,
    };
    return op;
}

struct wp_op *wp_schedule_add_level_op(struct wp_schedule *schedule,
                                       struct wp_schedule_level *level)
{
    struct wp_op *op = wp_schedule_add_op(schedule, WP_OP_LEVEL, level);
    level->input = level->output; // no margin
    op->scheme = level->scheme;
    op->source = op->low = -1;
    op->domain = level->output;
    op->interior = wp_schedule_full_quads(level);
    return op;
}

struct wp_transfer *wp_schedule_add_transfer(struct wp_schedule *schedule, bool loads,
                                         const struct wp_schedule_level *level, int surface,
                                         struct wp_rect domain)
{
    struct wp_transfer *transfer = loads ? &schedule->load[schedule->load_count++]
                                 : &schedule->store[schedule->store_count++];
    *transfer = (struct wp_transfer){
        .surface = surface,
        .x = -level->input.x,
        .y = -level->input.y,
        .domain = domain,
        .width = level->width,
        .height = level->height,
        .extension = schedule->extension,
        .z = -level->input_z.first,
        .octets = level->output_z,
        .depth = level->depth,
    };
    return transfer;
}

// Without levels: one surface, loaded and stored.
static void schedule_copy(struct wp_schedule *schedule)
{
    const int *size = schedule->description.size;
    const struct wp_rect quads = {0, 0, halved(size[WP_X]), halved(size[WP_Y])};
    const int depth = wp_description_depth(&schedule->description);
    const struct wp_schedule_level level = {
        .width = size[WP_X], .height = size[WP_Y], .depth = depth, .input = quads,
        .output_z = {0, depth > 1 ? halved(depth) : 0}};
    schedule->surface_count = 1;
    wp_schedule_enlarge(&schedule->surface[0], quads);
    wp_schedule_deepen(&schedule->surface[0], level.output_z);
    wp_transfer_set_level(&schedule->description,
                          wp_schedule_add_transfer(schedule, true, &level, 0, quads), 0);
    wp_transfer_set_level(&schedule->description,
                          wp_schedule_add_transfer(schedule, false, &level, 0, quads), 0);
}

// In addition to passes: one gather or spread, in tiled schedules three operations.
enum { OPS_PER_LEVEL = 3 };

// Allocates arrays for at most `ops` operations.
static bool allocate(struct wp_schedule *schedule, int ops)
{
    const size_t levels = (size_t)wp_description_levels(&schedule->description);
    const size_t transfers = WP_TRANSFERS_PER_LEVEL * (levels + 1);
    schedule->surface = wp_allocate(levels + 3, sizeof *schedule->surface, "a schedule");
    schedule->op =
        schedule->surface ? wp_allocate((size_t)ops, sizeof *schedule->op, "a schedule") : NULL;
    schedule->load =
        schedule->op ? wp_allocate(transfers, sizeof *schedule->load, "a schedule") : NULL;
    schedule->store =
        schedule->load ? wp_allocate(transfers, sizeof *schedule->store, "a schedule") : NULL;
    return schedule->store != NULL;
}

struct wp_schedule *wp_schedule_begin(const struct wp_description *d)
{
    struct wp_schedule *schedule =
        wp_description_check(d) ? wp_allocate(1, sizeof *schedule, "a schedule") : NULL;
    if (!schedule)
        return NULL;
    schedule->wavelet = *d->wavelet;
    schedule->description = *d;
    schedule->description.wavelet = &schedule->wavelet;
    schedule->extension = wp_description_lifting(d).extension;
    return schedule;
}

struct wp_schedule *wp_schedule_make(const struct wp_description *d, bool octets,
                                     wp_scheduler forward, wp_scheduler inverse)
{
    struct wp_schedule *schedule = wp_schedule_begin(d);
    if (!schedule)
        return NULL;

    struct wp_schedule_level level[WP_MAX_LEVELS];
    const int levels = wp_description_levels(d);
    int ops = 0;
    bool ok = true;
    for (int l = 0; l < levels && ok; l++) {
        ok = make_level(schedule, octets, l + 1, &level[l]);
        ops += ok ? OPS_PER_LEVEL + passes_of(&level[l]) : 0;
    }
    if (!ok || !allocate(schedule, ops))
        wp_schedule_destroy(&schedule);
    else if (levels == 0)
        schedule_copy(schedule);
    else
        (d->direction == WP_FORWARD ? forward : inverse)(schedule, level);
    return schedule;
}

void wp_schedule_destroy(struct wp_schedule **slot)
{
    struct wp_schedule *schedule = *slot;
    *slot = NULL;
    if (!schedule)
        return;
    for (int axes = 0; axes <= WP_AXIS_ALL; axes++)
        wp_scheme_destroy(&schedule->scheme[axes]);
    free(schedule->surface);
    free(schedule->op);
    free(schedule->load);
    free(schedule->store);
    free(schedule);
}

// ---- costs ----

double wp_op_texels(const struct wp_op *op)
{
    double each = op->slices ? op->slices : 1;
    if (op->octets.count)
        each = 2.0 * op->octets.count * (op->layers ? op->layers : 1);
    return (double)op->domain.width * (double)op->domain.height * each;
}

// Complete texels are transferred even if one component is used.
static struct wp_cost op_cost(const struct wp_op *op, double quad_bytes)
{
    const double domain = wp_op_texels(op);
    struct wp_cost cost = {.bytes = domain * 2 * quad_bytes, .fetches = domain, .fill = domain};
    switch (op->kind) {
    case WP_OP_PASS:
        cost.fetches = domain * op->scheme->pass[op->pass].reach.fetches;
        break;
    case WP_OP_GATHER:
        cost.bytes = domain * (4 * quad_bytes + quad_bytes);
        break;
    case WP_OP_SPREAD:
        // `domain` counts the samples that are written.
        cost.bytes = domain * (quad_bytes / 4 + quad_bytes);
        break;
    case WP_OP_LEVEL:
    case WP_OP_DEPTH:
    case WP_OP_KINDS: break;
    }
    return cost;
}

struct wp_cost wp_schedule_cost(const struct wp_schedule *schedule)
{
    struct wp_cost sum = {0};
    const double quad_bytes = 4 * (double)wp_precision_bytes(schedule->description.precision);
    for (int i = 0; i < schedule->op_count; i++) {
        const struct wp_cost cost = op_cost(&schedule->op[i], quad_bytes);
        sum.bytes += cost.bytes;
        sum.fetches += cost.fetches;
        sum.fill += cost.fill;
    }
    return sum;
}
