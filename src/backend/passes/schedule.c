#include "schedule_internal.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

// The source of a sample of a quad along one axis: its parity and its index in the band of that
// parity; index -1 for zero.
struct origin {
    int parity, index;
};

static struct origin find_origin(enum wp_extension extension, int sample, int size)
{
    const int found = wp_extend(extension, sample, size);
    return found < 0 ? (struct origin){0, -1} : (struct origin){found & 1, found >> 1};
}

// The samples of one component, for volumes of one slice, in the caller's memory. `data` is NULL
// if the transfer has none.
struct samples {
    float *data;
    ptrdiff_t step[2];
    int size[2];
};

int wp_transfer_slice(const struct wp_transfer *transfer)
{
    return transfer->depth > 1
               ? wp_extend(transfer->extension, transfer->slice, transfer->depth)
               : 0;
}

// The source of the transfer's current slice.
static struct origin find_slice(const struct wp_transfer *transfer)
{
    const int slice = wp_transfer_slice(transfer);
    return slice < 0 ? (struct origin){0, -1} : (struct origin){slice & 1, slice >> 1};
}

static int count_of(const struct wp_transfer_band *band, const struct wp_band_grid *grid, int axis)
{
    return (grid->size[axis] - band->first[axis] + band->every[axis] - 1) / band->every[axis];
}

static struct samples find_samples(const struct wp_description *d,
                                   const struct wp_transfer *transfer,
                                   const struct wp_operand *operand, int plane, int quad_component,
                                   struct origin slice)
{
    const int component = quad_component + WP_BAND_COUNT * slice.parity;
    const struct wp_transfer_band *band = &transfer->band[component];
    struct samples samples = {0};
    if (!transfer->used[component] || slice.index < 0)
        return samples;
    const struct wp_band_grid grid = wp_description_band(d, band->level, band->band);
    if (slice.index >= count_of(band, &grid, WP_Z))
        return samples;
    const struct wp_operand view = wp_operand_band(d, operand, band->level, band->band, plane);
    samples.data = view.data;
    samples.data += (band->first[WP_Z] + slice.index * band->every[WP_Z]) * view.stride[WP_Z];
    for (int a = WP_X; a <= WP_Y; a++) {
        samples.data += band->first[a] * view.stride[a];
        samples.step[a] = band->every[a] * view.stride[a];
        samples.size[a] = count_of(band, &grid, a);
    }
    return samples;
}

static float *row_of(const struct samples *samples, int y)
{
    return samples->data + y * samples->step[WP_Y];
}

static float fetch(const struct samples from[WP_BAND_COUNT], struct origin x, struct origin y)
{
    const struct samples *samples = &from[x.parity + 2 * y.parity];
    if (x.index < 0 || y.index < 0 || !samples->data)
        return 0.0f;
    return row_of(samples, y.index)[x.index * samples->step[WP_X]];
}

// Loads `count` quads of a row that are completely inside the samples, from quad `first` on.
static void load_inside(const struct samples from[WP_BAND_COUNT], const struct origin y[2],
                        int first, int count, float *quads)
{
    static const float zero = 0.0f;
    const float *in[WP_BAND_COUNT];
    ptrdiff_t step[WP_BAND_COUNT];
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const struct origin row = y[c >> 1];
        const struct samples *samples = &from[(c & 1) + 2 * row.parity];
        const bool some = samples->data && row.index >= 0;
        in[c] = some ? row_of(samples, row.index) + first * samples->step[WP_X] : &zero;
        step[c] = some ? samples->step[WP_X] : 0;
    }
    // Quad by quad: component by component takes 1.6 times as long.
    for (int i = 0; i < count; i++) {
        const float quad[WP_BAND_COUNT] = {in[0][i * step[0]], in[1][i * step[1]],
                                           in[2][i * step[2]], in[3][i * step[3]]};
        memcpy(quads + 4 * i, quad, sizeof quad);
    }
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

static void load_samples(const struct wp_transfer *transfer, const struct samples *from,
                         int first_row, int rows, float *samples)
{
    for (int row = 0; row < rows; row++) {
        const float *in = row_of(from, first_row + row);
        float *out = samples + (size_t)row * (size_t)transfer->domain.width;
        for (int x = 0; x < from->size[WP_X]; x++)
            out[x] = in[x * from->step[WP_X]];
        for (int x = from->size[WP_X]; x < transfer->domain.width; x++)
            out[x] = 0.0f;
    }
}

void wp_transfer_load(const struct wp_description *d, const struct wp_transfer *transfer,
                      const struct wp_operand *operand, int plane, int first_row, int rows,
                      float *quads)
{
    const struct origin slice = find_slice(transfer);
    struct samples from[WP_BAND_COUNT];
    for (int c = 0; c < WP_BAND_COUNT; c++)
        from[c] = find_samples(d, transfer, operand, plane, c, slice);
    if (transfer->planes) {
        load_samples(transfer, &from[0], first_row, rows, quads);
        return;
    }
    // Quads first..end-1 of a row are completely inside the samples.
    const struct wp_rect *domain = &transfer->domain;
    const int first = domain->x < 0 ? 0 : domain->x;
    const int full_quads = transfer->width / 2, right = domain->x + domain->width;
    const int end = right < full_quads ? right : full_quads;
    for (int row = 0; row < rows; row++) {
        const int sample_y = 2 * (domain->y + first_row + row);
        const struct origin y[2] = {find_origin(transfer->extension, sample_y, transfer->height),
                                    find_origin(transfer->extension, sample_y + 1,
                                                transfer->height)};
        float *out = quads + (size_t)row * (size_t)domain->width * 4;
        for (int x = domain->x; x < right; x++) {
            if (x == first && first < end) {
                load_inside(from, y, first, end - first, out + 4 * (first - domain->x));
                x = end - 1;
                continue;
            }
            for (int c = 0; c < WP_BAND_COUNT; c++)
                out[4 * (x - domain->x) + c] =
                    fetch(from,
                          find_origin(transfer->extension, 2 * x + (c & 1), transfer->width),
                          y[c >> 1]);
        }
    }
}

// Inline, so that `stride` is constant: otherwise it takes 1.5 times as long.
static inline void store_row(float *out, ptrdiff_t step, const float *in, int stride, int count)
{
    for (int x = 0; x < count; x++)
        out[x * step] = in[stride * x];
}

void wp_transfer_store(const struct wp_description *d, const struct wp_transfer *transfer,
                       const float *quads, int first_row, int rows,
                       const struct wp_operand *operand, int plane)
{
    // Components of quads are interleaved; a transfer of planes has one component.
    const int components = transfer->planes ? 1 : WP_BAND_COUNT;
    const struct origin slice = find_slice(transfer);
    struct samples to[WP_BAND_COUNT];
    for (int c = 0; c < components; c++)
        to[c] = find_samples(d, transfer, operand, plane, c, slice);
    for (int row = 0; row < rows; row++) {
        const int y = transfer->domain.y + first_row + row;
        const float *in = quads + (size_t)row * (size_t)(transfer->domain.width * components);
        for (int c = 0; c < components; c++) {
            if (!to[c].data || y >= to[c].size[WP_Y])
                continue;
            float *out = row_of(&to[c], y);
            const float *first = in + components * -transfer->domain.x + c;
            if (components == WP_BAND_COUNT)
                store_row(out, to[c].step[WP_X], first, WP_BAND_COUNT, to[c].size[WP_X]);
            else
                store_row(out, to[c].step[WP_X], first, 1, to[c].size[WP_X]);
        }
    }
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
