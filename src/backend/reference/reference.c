#include "reference.h"

#include "clock.h"
#include "log.h"
#include "memory.h"
#include "min_max.h"
#include "operand.h"
#include "reference_bank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Samples or coefficients, in the layout "mallat".
struct wp_reference_volume {
    struct wp_description description; // its wavelet may no longer exist
    struct wp_lifting lifting;
    double *value;
    double *line; // of the longest axis, with its extension at both ends
};

// ---- volumes ----

// Volumes in double precision: the lifting program along one axis after another, as defined.

// The distance of samples along each axis.
static void find_steps(const struct wp_description *d, ptrdiff_t step[WP_DIMS_MAX])
{
    step[WP_X] = 1;
    step[WP_Y] = d->size[WP_X];
    step[WP_Z] = (ptrdiff_t)d->size[WP_X] * d->size[WP_Y];
}

// Number of pairs of the longest axis, with its extension.
static size_t pairs_of_line(const struct wp_reference_volume *v)
{
    const struct wp_description *d = &v->description;
    const int longest = wp_max(wp_max(d->size[WP_X], d->size[WP_Y]), wp_description_depth(d));
    return (size_t)(longest / 2 + 1 + v->lifting.before + v->lifting.after);
}

// accepts {0}
static void reference_volume_destroy(struct wp_reference_volume *v)
{
    free(v->value);
    free(v->line);
    *v = (struct wp_reference_volume){0};
}

// False after WP_ERROR_TOO_LARGE; the struct is then {0}.
static bool reference_volume_create(const struct wp_description *d, struct wp_reference_volume *v)
{
    *v = (struct wp_reference_volume){.description = *d, .lifting = wp_description_lifting(d)};
    v->value = wp_allocate(wp_description_samples(d), sizeof *v->value, "a volume");
    v->line = wp_allocate(pairs_of_line(v), 2 * sizeof *v->line, "a line of a volume");
    if (v->value && v->line)
        return true;
    reference_volume_destroy(v);
    return false;
}

// Copies a band of a level, or the samples, between the operand and the array.
static void exchange_band(const struct wp_reference_volume *v, const struct wp_operand *operand,
                          int level, int band, bool load)
{
    struct wp_description mallat = v->description;
    mallat.layout = WP_LAYOUT_MALLAT;
    const struct wp_operand view =
        wp_operand_band(&v->description, operand, level, (enum wp_band)band, 0);
    const struct wp_band_grid grid = wp_description_band(&mallat, level, (enum wp_band)band);
    ptrdiff_t step[WP_DIMS_MAX];
    find_steps(&v->description, step);
    for (int z = 0; z < grid.size[WP_Z]; z++) {
        for (int y = 0; y < grid.size[WP_Y]; y++) {
            const ptrdiff_t at = z * view.stride[WP_Z] + y * view.stride[WP_Y];
            double *values = v->value + (grid.first[WP_Z] + z) * step[WP_Z] +
                           (grid.first[WP_Y] + y) * step[WP_Y] + grid.first[WP_X];
            if (load)
                wp_operand_read_f64(&wp_element_rows_f64, values, &view, at, false,
                                    grid.size[WP_X]);
            else
                wp_operand_write_f64(&wp_element_rows_f64, &view, at, values, false,
                                     grid.size[WP_X]);
        }
    }
}

static void exchange(const struct wp_reference_volume *v, const struct wp_operand *operand,
                     bool load)
{
    const struct wp_description *d = &v->description;
    const int levels = wp_description_levels(d);
    if (levels == 0 || load == (d->direction == WP_FORWARD)) {
        exchange_band(v, operand, 0, WP_BAND_LL, load);
        return;
    }
    for (int i = 0; i < wp_subband_count(d); i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        exchange_band(v, operand, level, (int)band, load);
    }
}

static void reference_volume_load(struct wp_reference_volume *v, const struct wp_operand *from)
{
    exchange(v, from, true);
}

static void reference_volume_store(const struct wp_reference_volume *v, const struct wp_operand *to)
{
    exchange(v, to, false);
}

// Position of sample i along an axis: in order, or split into even samples and then odd ones.
static ptrdiff_t position_of(int i, int n, bool split)
{
    return !split ? i : i % 2 ? n - n / 2 + i / 2 : i / 2;
}

// One level of a line of n samples.
static void lift_line(const struct wp_reference_volume *v, double *data, ptrdiff_t step, int n)
{
    const struct wp_lifting *lifting = &v->lifting;
    const bool forward = lifting->direction == WP_FORWARD;
    const int pairs = n / 2 + n % 2;
    double *line = v->line + 2 * (ptrdiff_t)lifting->before;
    for (int i = -2 * lifting->before; i < 2 * (pairs + lifting->after); i++) {
        const int index = wp_extend(lifting->extension, i, n);
        line[i] = index < 0 ? 0 : data[position_of(index, n, !forward) * step];
        line[i] *= forward ? 1 : lifting->gain[i & 1];
    }
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_lifting_step *rule = &lifting->step[s];
        for (int q = -rule->before; q < pairs + rule->after; q++)
            for (int t = 0; t < rule->filter.count; t++)
                line[2 * q + rule->odd] +=
                    rule->filter.tap[t].c * line[2 * (q + rule->filter.tap[t].k) + !rule->odd];
    }
    for (int i = 0; i < n; i++)
        data[position_of(i, n, forward) * step] = line[i] * (forward ? lifting->gain[i & 1] : 1);
}

// Lifts all lines along an axis of the low band that is the input of level l (from 0).
static void lift_axis(const struct wp_reference_volume *v, int l, int axis)
{
    const struct wp_description *d = &v->description;
    const int n = wp_description_size(d, axis, l);
    const int a = (axis + 1) % WP_DIMS_MAX, b = (axis + 2) % WP_DIMS_MAX;
    ptrdiff_t step[WP_DIMS_MAX];
    find_steps(d, step);
    for (int i = 0; n > 1 && i < wp_description_size(d, a, l); i++)
        for (int k = 0; k < wp_description_size(d, b, l); k++)
            lift_line(v, v->value + i * step[a] + k * step[b], step[axis], n);
}

static void reference_volume_run(struct wp_reference_volume *v)
{
    const struct wp_description *d = &v->description;
    const int levels = wp_description_levels(d);
    const bool forward = d->direction == WP_FORWARD;
    for (int i = 0; i < levels; i++) {
        const int l = forward ? i : levels - 1 - i;
        for (int k = 0; k < WP_DIMS_MAX; k++) {
            const int axis = forward ? k : WP_DIMS_MAX - 1 - k;
            if (wp_description_axes(d, l + 1) >> axis & 1)
                lift_axis(v, l, axis);
        }
    }
}

// ---- the backend ----

struct wp_device {
    int unused;
};

struct wp_exec {
    const struct wp_schedule *schedule;
    struct wp_schedule *owned; // `schedule`, unless it is the caller's
    double **surface;    // 4 planes of width * height each
    struct wp_reference_volume volume; // instead of the schedule, for more than one slice
    struct wp_reference_bank *bank;    // instead of both, for redundant banks
};

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    (void)quiet;
    snprintf(reason, reason_size, "%s", "");
    if (index > 0) {
        snprintf(reason, reason_size, "the only device is number 0");
        if (!quiet)
            wp_fail(WP_ERROR_UNAVAILABLE, "backend 'reference' has no device %d (%s)", index,
                    reason);
        return NULL;
    }
    static struct wp_device device;
    return &device;
}

static void close_device(struct wp_device *device)
{
    (void)device;
}

static void describe(const struct wp_device *device, struct wp_device_info *info)
{
    (void)device;
    *info = (struct wp_device_info){.name = "CPU, double precision interpreter",
                                    .timer = "monotonic clock", .wall = true};
}

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    for (int s = 0; exec->surface && s < exec->schedule->surface_count; s++)
        free(exec->surface[s]);
    free(exec->surface);
    reference_volume_destroy(&exec->volume);
    wp_reference_bank_destroy(exec->bank);
    wp_schedule_destroy(&exec->owned);
    free(exec);
}

static struct wp_exec *create_exec(const struct wp_schedule *schedule)
{
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (!exec)
        return NULL;
    exec->schedule = schedule;
    exec->surface = wp_allocate((size_t)schedule->surface_count, sizeof *exec->surface, "surfaces");
    bool ok = exec->surface != NULL;
    for (int s = 0; s < schedule->surface_count && ok; s++) {
        const struct wp_surface *surface = &schedule->surface[s];
        exec->surface[s] = wp_allocate((size_t)surface->width * (size_t)surface->height,
                                       WP_COMPONENTS * sizeof(double), "a surface");
        ok = exec->surface[s] != NULL;
    }
    if (ok)
        return exec;
    release(exec);
    return NULL;
}

static struct wp_exec *prepare_volume(const struct wp_description *description)
{
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (exec && reference_volume_create(description, &exec->volume))
        return exec;
    release(exec);
    return NULL;
}

static struct wp_exec *prepare_bank(const struct wp_description *description)
{
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (exec && (exec->bank = wp_reference_bank_create(description)))
        return exec;
    release(exec);
    return NULL;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    (void)device, (void)variant;
    if (wp_description_is_redundant(description) && wp_description_levels(description) > 0)
        return prepare_bank(description);
    if (wp_description_depth(description) > 1)
        return prepare_volume(description);
    struct wp_schedule *schedule = wp_schedule_passes(description);
    struct wp_exec *exec = schedule ? create_exec(schedule) : NULL;
    if (exec)
        exec->owned = schedule;
    else
        wp_schedule_destroy(&schedule);
    return exec;
}

// Component `c` of the quad at texel (x, y) of a surface.
static double *at(const struct wp_exec *exec, int s, int c, int x, int y)
{
    const struct wp_surface *surface = &exec->schedule->surface[s];
    return exec->surface[s] +
           ((size_t)c * (size_t)surface->height + (size_t)y) * (size_t)surface->width + x;
}

// Quads of a row: as doubles, and as floats for operands of this type.
struct quad_row {
    double *quads;
    float *floats;
};

// False after WP_ERROR_TOO_LARGE. The caller frees `quads`.
static bool create_row(int width, struct quad_row *row)
{
    const size_t count = (size_t)width * WP_COMPONENTS;
    row->quads = wp_allocate(count, sizeof *row->quads + sizeof *row->floats, "a row");
    row->floats = row->quads ? (float *)(row->quads + count) : NULL;
    return row->quads;
}

static void load_row(const struct wp_exec *exec, const struct wp_transfer *transfer,
                     const struct wp_operand *from, int y, const struct quad_row *row)
{
    const struct wp_description *d = &exec->schedule->description;
    if (from->type == WP_ELEMENT_F64) {
        wp_transfer_load_f64(d, transfer, from, 0, y, 1, row->quads);
        return;
    }
    wp_transfer_load(d, transfer, from, 0, y, 1, row->floats);
    for (int i = 0; i < WP_COMPONENTS * transfer->domain.width; i++)
        row->quads[i] = (double)row->floats[i];
}

static void store_row(const struct wp_exec *exec, const struct wp_transfer *transfer,
                      const struct quad_row *row, int y, const struct wp_operand *to)
{
    const struct wp_description *d = &exec->schedule->description;
    if (to->type == WP_ELEMENT_F64) {
        wp_transfer_store_f64(d, transfer, row->quads, y, 1, to, 0);
        return;
    }
    for (int i = 0; i < WP_COMPONENTS * transfer->domain.width; i++)
        row->floats[i] = (float)row->quads[i];
    wp_transfer_store(d, transfer, row->floats, y, 1, to, 0);
}

static bool load_schedule(struct wp_exec *exec, const struct wp_operand *from)
{
    for (int p = 0; p < exec->schedule->load_count; p++) {
        const struct wp_transfer *transfer = &exec->schedule->load[p];
        const int width = transfer->domain.width;
        struct quad_row row;
        if (!create_row(width, &row))
            return false;
        for (int y = 0; y < transfer->domain.height; y++) {
            load_row(exec, transfer, from, y, &row);
            for (int c = 0; c < WP_COMPONENTS; c++) {
                double *out = at(exec, transfer->surface, c, transfer->x + transfer->domain.x,
                                 transfer->y + transfer->domain.y + y);
                for (int x = 0; x < width; x++)
                    out[x] = row.quads[WP_COMPONENTS * x + c];
            }
        }
        free(row.quads);
    }
    return true;
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    if (exec->schedule)
        return load_schedule(exec, from);
    if (exec->bank)
        wp_reference_bank_load(exec->bank, from);
    else
        reference_volume_load(&exec->volume, from);
    return true;
}

static bool store_schedule(struct wp_exec *exec, const struct wp_operand *to)
{
    for (int p = 0; p < exec->schedule->store_count; p++) {
        const struct wp_transfer *transfer = &exec->schedule->store[p];
        const int width = transfer->domain.width;
        struct quad_row row;
        if (!create_row(width, &row))
            return false;
        for (int y = 0; y < transfer->domain.height; y++) {
            for (int c = 0; c < WP_COMPONENTS; c++) {
                const double *in = at(exec, transfer->surface, c, transfer->x + transfer->domain.x,
                                      transfer->y + transfer->domain.y + y);
                for (int x = 0; x < width; x++)
                    row.quads[WP_COMPONENTS * x + c] = in[x];
            }
            store_row(exec, transfer, &row, y, to);
        }
        free(row.quads);
    }
    return true;
}

static bool store(struct wp_exec *exec, const struct wp_operand *to)
{
    if (exec->schedule)
        return store_schedule(exec, to);
    if (exec->bank)
        wp_reference_bank_store(exec->bank, to);
    else
        reference_volume_store(&exec->volume, to);
    return true;
}

static void add_scaled_row(double *out, const double *in, double c, int width)
{
    for (int x = 0; x < width; x++)
        out[x] += c * in[x];
}

static void run_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                          int count, double *const row[WP_COMPONENTS], int width)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        for (int s = 0; s < statements; s++)
            add_scaled_row(row[statement[s].destination], row[statement[s].source],
                           statement[s].c, width);
    }
}

// Runs a pass for one row of quads. If constants are applied before the core, the core is local and
// reads only this row: `loaded` is the row after these constants; else NULL.
static void run_pass_row(const struct wp_exec *exec, const struct wp_op *op, int y,
                         double *const loaded[WP_COMPONENTS])
{
    const struct wp_pass *pass = &op->scheme->pass[op->pass];
    const int width = op->domain.width;
    const bool first = op->pass == 0, last = op->pass == op->scheme->pass_count - 1;
    double *out[WP_COMPONENTS];
    for (int i = 0; i < WP_COMPONENTS; i++) {
        out[i] = at(exec, op->destination, i, op->destination_x + op->domain.x,
                    op->destination_y + y);
        memset(out[i], 0, (size_t)width * sizeof *out[i]);
        for (int j = 0; j < WP_COMPONENTS; j++) {
            const struct wp_poly *entry = &pass->core.at[i][j];
            const double scale = first ? op->scheme->scale_in[j] : 1.0;
            for (int t = 0; t < entry->count; t++) {
                const struct wp_term *term = &entry->term[t];
                const double *in = loaded ? loaded[j]
                                          : at(exec, op->source, j,
                                               op->source_x + op->domain.x + term->at[WP_X],
                                               op->source_y + y + term->at[WP_Y]);
                add_scaled_row(out[i], in, loaded ? term->c : term->c * scale, width);
            }
        }
    }
    run_constants(op->scheme, pass->after, pass->after_count, out, width);
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int x = 0; x < width && pass->rounded >> i & 1; x++)
            out[i][x] = floor(out[i][x] + pass->round);
    for (int i = 0; last && i < WP_COMPONENTS; i++)
        for (int x = 0; x < width; x++)
            out[i][x] *= op->scheme->scale_out[i];
}

static bool run_pass(const struct wp_exec *exec, const struct wp_op *op)
{
    const struct wp_pass *pass = &op->scheme->pass[op->pass];
    const int width = op->domain.width;
    double *buffer = NULL, *loaded[WP_COMPONENTS];
    if (pass->before_count) {
        buffer = wp_allocate((size_t)width, WP_COMPONENTS * sizeof *buffer, "a row");
        if (!buffer)
            return false;
    }
    for (int y = op->domain.y; y < op->domain.y + op->domain.height; y++) {
        for (int c = 0; buffer && c < WP_COMPONENTS; c++) {
            const double *in = at(exec, op->source, c, op->source_x + op->domain.x,
                                  op->source_y + y);
            loaded[c] = buffer + (size_t)c * (size_t)width;
            for (int x = 0; x < width; x++)
                loaded[c][x] = in[x] * (op->pass == 0 ? op->scheme->scale_in[c] : 1.0);
        }
        if (buffer)
            run_constants(op->scheme, pass->before, pass->before_count, loaded, width);
        run_pass_row(exec, op, y, buffer ? loaded : NULL);
    }
    free(buffer);
    return true;
}

static void run_gather(const struct wp_exec *exec, const struct wp_op *op)
{
    const struct wp_rect *d = &op->domain;
    for (int y = d->y; y < d->y + d->height; y++) {
        for (int x = d->x; x < d->x + d->width; x++) {
            for (int c = 0; c < WP_COMPONENTS; c++) {
                const int sx = wp_extend(op->extension, 2 * x + (c & 1), op->width);
                const int sy = wp_extend(op->extension, 2 * y + (c >> 1), op->height);
                *at(exec, op->destination, c, op->destination_x + x, op->destination_y + y) =
                    sx < 0 || sy < 0
                        ? 0.0
                        : *at(exec, op->source, 0, op->source_x + sx, op->source_y + sy);
            }
        }
    }
}

static void run_spread(const struct wp_exec *exec, const struct wp_op *op)
{
    const struct wp_rect *d = &op->domain;
    for (int y = d->y; y < d->y + d->height; y++) {
        for (int x = d->x; x < d->x + d->width; x++) {
            // Component 0 is an even sample, and its extension is one too.
            const int sx = wp_extend(op->extension, 2 * x, op->width) / 2;
            const int sy = wp_extend(op->extension, 2 * y, op->height) / 2;
            *at(exec, op->destination, 0, op->destination_x + x, op->destination_y + y) =
                *at(exec, op->source, sx % 2 + 2 * (sy % 2), op->source_x + sx / 2,
                    op->source_y + sy / 2);
        }
    }
}

static bool run_op(struct wp_exec *exec, const struct wp_op *op)
{
    switch (op->kind) {
    case WP_OP_PASS: return run_pass(exec, op);
    case WP_OP_GATHER: run_gather(exec, op); return true;
    case WP_OP_SPREAD: run_spread(exec, op); return true;
    case WP_OP_LEVEL:
    case WP_OP_DEPTH:
    case WP_OP_KINDS: break; // not in schedules of passes
    }
    return wp_fail(WP_ERROR_INTERNAL, "the interpreter does not support operations of kind %d",
                   (int)op->kind);
}

static bool run(struct wp_exec *exec, double *seconds)
{
    const double start = wp_clock_seconds();
    if (exec->bank)
        wp_reference_bank_run(exec->bank);
    else if (!exec->schedule)
        reference_volume_run(&exec->volume);
    for (int i = 0; exec->schedule && i < exec->schedule->op_count; i++)
        if (!run_op(exec, &exec->schedule->op[i]))
            return false;
    if (seconds)
        *seconds = wp_clock_seconds() - start;
    return true;
}

// Calls `watch` with a domain of surface `s`, where quad (0, 0) is at (x, y).
static bool show(const struct wp_exec *exec, int s, int x, int y, struct wp_pass_state *state,
                 wp_watch watch, void *user)
{
    const struct wp_rect *domain = &state->domain;
    float *quads = wp_allocate((size_t)domain->width * (size_t)domain->height,
                               WP_COMPONENTS * sizeof *quads, "a copy of a surface");
    if (!quads)
        return false;
    float *out = quads;
    for (int row = 0; row < domain->height; row++)
        for (int column = 0; column < domain->width; column++)
            for (int c = 0; c < WP_COMPONENTS; c++)
                *out++ = (float)*at(exec, s, c, x + domain->x + column, y + domain->y + row);
    state->quads = quads;
    const bool ok = watch(user, state);
    free(quads);
    return ok;
}

static bool run_and_show(struct wp_exec *exec, const struct wp_op *op, wp_watch watch, void *user)
{
    const double start = wp_clock_seconds();
    if (!run_op(exec, op))
        return false;
    struct wp_pass_state state = {
        .op = op, .domain = op->domain, .seconds = wp_clock_seconds() - start};
    return show(exec, op->destination, op->destination_x, op->destination_y, &state, watch, user);
}

bool wp_reference_watch(const struct wp_schedule *schedule, const float *plane, wp_watch watch,
                        void *user)
{
    struct wp_exec *exec = create_exec(schedule);
    if (!exec)
        return false;
    const struct wp_transfer *transfer = &schedule->load[0];
    const struct wp_operand from = wp_operand_const(&schedule->description, plane);
    struct wp_pass_state loaded = {.domain = transfer->domain};
    bool ok = load(exec, &from) &&
              show(exec, transfer->surface, transfer->x, transfer->y, &loaded, watch, user);
    for (int i = 0; ok && i < schedule->op_count; i++)
        ok = run_and_show(exec, &schedule->op[i], watch, user);
    release(exec);
    return ok;
}

const struct wp_backend wp_backend_reference = {
    .name = "reference",
    .reversible = true,
    .schemeless_volumes = true,
    .banks = 1U << WP_BANK_UNDECIMATED | 1U << WP_BANK_STARLET,
    .elements = 1U << WP_ELEMENT_F64,
    .coefficients = 1U << WP_ELEMENT_F64,
    .summary = "interprets the passes of a scheme in double precision, on the CPU",
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .prepare = prepare,
    .load = load,
    .run = run,
    .store = store,
    .release = release,
};
