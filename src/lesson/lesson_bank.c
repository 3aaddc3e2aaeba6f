// The passes of redundant banks in double precision. Groups are the bands of a sample.
#include "lesson_internal.h"

#include "clock.h"
#include "memory.h"
#include "schedule.h"
#include "subbands.h"

#include <stdlib.h>

enum { AXES = 2 };

struct run {
    const struct wp_description *description;
    const struct wp_schedule *schedule;
    const float *input;
    double *now, *next; // bands of a sample next to each other, of all samples
    float *values;      // those of a box for the caller
    bool *needed;       // for each state the columns, then the rows that are computed
    int *source[AXES];  // for each offset that a pass may have, the extended positions along an axis
    wp_lesson_watch watch;
    void *user;
};

static size_t samples_of(const struct run *run)
{
    const int *size = run->description->size;
    return (size_t)size[WP_X] * (size_t)size[WP_Y];
}

// The columns or rows of state `state`: 0 is the input, i the result of operation i - 1.
static bool *needed_along(const struct run *run, int state, int axis)
{
    const int *size = run->description->size;
    return run->needed + (size_t)state * (size_t)(size[WP_X] + size[WP_Y]) +
           (axis == WP_X ? 0 : size[WP_X]);
}

// Sets what is needed of the state before an operation, from the state after it. The sample of the
// path is always needed; after its last level, whose results are not meaningful, only that.
static void find_needed(const struct run *run, int index, const struct wp_lesson_path *path)
{
    const struct wp_op *op = &run->schedule->op[index];
    const struct wp_reach *reach = &op->scheme->pass[op->pass].reach;
    for (int a = 0; a < AXES; a++) {
        const int n = run->description->size[a];
        const bool *after = needed_along(run, index + 1, a);
        bool *before = needed_along(run, index, a);
        before[path->at[0][a]] = true;
        for (int i = 0; i < n; i++)
            for (int k = reach->low[a]; k <= reach->high[a] && after[i]; k++)
                before[wp_extend(op->extension, i + k * op->dilation, n)] = true;
    }
}

static bool find_all_needed(struct run *run, const struct wp_lesson_path *path)
{
    const int *size = run->description->size, ops = run->schedule->op_count;
    const size_t count = (size_t)(ops + 1) * (size_t)(size[WP_X] + size[WP_Y]);
    const bool forward = run->description->direction == WP_FORWARD;
    run->needed = wp_allocate(count, sizeof *run->needed, "the samples of a path");
    if (!run->needed)
        return false;
    if (!path) {
        for (size_t i = 0; i < count; i++)
            run->needed[i] = true;
        return true;
    }
    int last = ops;
    while (forward && run->schedule->op[last - 1].level > path->levels)
        last--;
    for (int i = last; i <= ops; i++)
        for (int a = 0; a < AXES; a++)
            needed_along(run, i, a)[path->at[0][a]] = true;
    for (int i = last - 1; i >= 0; i--)
        find_needed(run, i, path);
    return true;
}

// Visits the needed samples of a state; start with y = -1. False at the end.
struct visit {
    const bool *columns, *rows;
    int width, height, x, y;
};

static struct visit visit(const struct run *run, int state)
{
    const int *size = run->description->size;
    return (struct visit){needed_along(run, state, WP_X), needed_along(run, state, WP_Y),
                          size[WP_X], size[WP_Y], size[WP_X], -1};
}

static bool visit_next(struct visit *v)
{
    do {
        if (++v->x < v->width)
            continue;
        v->x = 0;
        do
            v->y++;
        while (v->y < v->height && !v->rows[v->y]);
    } while (v->y < v->height && !v->columns[v->x]);
    return v->y < v->height;
}

static double *bands_at(const struct run *run, double *bands, int x, int y)
{
    return bands + ((size_t)y * (size_t)run->description->size[WP_X] + (size_t)x) * WP_COMPONENTS;
}

// The samples, or the bands of a level that the inverse reads, in `to`. Other components are 0.
static void load(const struct run *run, int state, double *to, int level,
                 const struct wp_scheme *scheme)
{
    const struct wp_description *d = run->description;
    const bool forward = d->direction == WP_FORWARD;
    const size_t width = (size_t)wp_description_extent(d, WP_X);
    struct wp_band_grid grid[WP_COMPONENTS] = {0};
    bool loads[WP_COMPONENTS] = {forward};
    for (int b = 0; b < WP_COMPONENTS && level > 0 && !forward; b++) {
        loads[b] = scheme->components >> b & 1 && (b > 0 || level == wp_description_levels(d));
        grid[b] = wp_description_band(d, level, (enum wp_band)b);
    }
    for (struct visit v = visit(run, state); visit_next(&v);)
        for (int b = 0; b < WP_COMPONENTS; b++)
            bands_at(run, to, v.x, v.y)[b] =
                loads[b] ? (double)run->input[(size_t)(grid[b].first[WP_Y] + v.y) * width +
                                              (size_t)(grid[b].first[WP_X] + v.x)]
                         : 0;
}

// Where the taps of a pass read.
static bool find_sources(struct run *run, const struct wp_op *op)
{
    const struct wp_reach *reach = &op->scheme->pass[op->pass].reach;
    for (int a = 0; a < AXES; a++) {
        const int n = run->description->size[a], offsets = reach->high[a] - reach->low[a] + 1;
        free(run->source[a]);
        run->source[a] = wp_allocate((size_t)n * (size_t)offsets, sizeof *run->source[a],
                                     "the positions of taps");
        for (int i = 0; i < n * offsets && run->source[a]; i++)
            run->source[a][i] = wp_extend(op->extension,
                                          i % n + (reach->low[a] + i / n) * op->dilation, n);
    }
    return run->source[WP_X] && run->source[WP_Y];
}

static double multiply_row(const struct run *run, const struct wp_op *op, int row, int x, int y)
{
    const struct wp_pass *pass = &op->scheme->pass[op->pass];
    const int *columns = run->source[WP_X] + x, *lines = run->source[WP_Y] + y;
    double sum = 0;
    for (int j = 0; j < pass->core.components; j++) {
        const struct wp_poly *entry = &pass->core.at[row][j];
        for (int t = 0; t < entry->count; t++) {
            const int *at = entry->term[t].at;
            const int from_x = columns[(at[WP_X] - pass->reach.low[WP_X]) * op->width];
            const int from_y = lines[(at[WP_Y] - pass->reach.low[WP_Y]) * op->height];
            sum += entry->term[t].c * bands_at(run, run->now, from_x, from_y)[j];
        }
    }
    return sum;
}

static bool run_pass(struct run *run, int index)
{
    const struct wp_op *op = &run->schedule->op[index];
    const struct wp_scheme *scheme = op->scheme;
    const unsigned rows = wp_matrix_rows(&scheme->pass[op->pass].core);
    const bool joins =
        run->description->direction == WP_INVERSE && op->pass == scheme->pass_count - 1;
    if (!find_sources(run, op))
        return false;
    if (joins)
        load(run, index + 1, run->next, op->level - 1, scheme);
    for (struct visit v = visit(run, index + 1); visit_next(&v);)
        for (int row = 0; row < WP_COMPONENTS; row++)
            if (rows >> row & 1 || !joins)
                bands_at(run, run->next, v.x, v.y)[row] =
                    rows >> row & 1 ? multiply_row(run, op, row, v.x, v.y) : 0;
    double *result = run->next;
    run->next = run->now;
    run->now = result;
    return true;
}

// The smallest range with all needed positions of a state, which has at least one.
static void find_range(const struct run *run, int state, int axis, int *first, int *count)
{
    const bool *needed = needed_along(run, state, axis);
    int end = run->description->size[axis];
    for (*first = 0; *first < end - 1 && !needed[*first];)
        (*first)++;
    while (end > *first + 1 && !needed[end - 1])
        end--;
    *count = end - *first;
}

static bool report(const struct run *run, int state, double since)
{
    const bool is_input = state == 0;
    const struct wp_op *op = &run->schedule->op[is_input ? 0 : state - 1];
    int low[AXES], extent[AXES];
    for (int a = 0; a < AXES; a++)
        find_range(run, state, a, &low[a], &extent[a]);
    for (struct visit v = visit(run, state); visit_next(&v);)
        for (int c = 0; c < WP_COMPONENTS; c++)
            run->values[((size_t)(v.y - low[WP_Y]) * (size_t)extent[WP_X] +
                         (size_t)(v.x - low[WP_X])) * WP_COMPONENTS + (size_t)c] =
                (float)bands_at(run, run->now, v.x, v.y)[c];
    return run->watch(run->user, &(struct wp_lesson_state){
        .step = is_input ? WP_LESSON_INPUT : WP_LESSON_PASS,
        .level = op->level,
        .pass = is_input ? 0 : op->pass,
        .scheme = op->scheme,
        .size = {op->width, op->height, 1},
        .axes = op->scheme->axes,
        .low = {low[WP_X], low[WP_Y], 0},
        .extent = {extent[WP_X], extent[WP_Y], 1},
        .components = WP_COMPONENTS,
        .dilation = op->dilation,
        .extension = op->extension,
        .values = run->values,
        .seconds = wp_clock_seconds() - since,
    });
}

static bool run_all(struct run *run)
{
    const struct wp_op *op = run->schedule->op;
    load(run, 0, run->now, op[0].level, op[0].scheme);
    bool ok = report(run, 0, wp_clock_seconds());
    for (int i = 0; i < run->schedule->op_count && ok; i++) {
        const double since = wp_clock_seconds();
        ok = run_pass(run, i) && report(run, i + 1, since);
    }
    return ok;
}

bool wp_lesson_run_bank(const struct wp_description *description, const float *input,
                        const struct wp_lesson_path *path, wp_lesson_watch watch, void *user)
{
    struct wp_schedule *schedule = wp_schedule_redundant(description, false);
    struct run run = {.description = description,
                      .schedule = schedule,
                      .input = input,
                      .watch = watch,
                      .user = user};
    if (!schedule)
        return false;
    const size_t count = samples_of(&run) * WP_COMPONENTS;
    run.now = wp_allocate(count, sizeof *run.now, "the bands of all samples");
    run.next = run.now ? wp_allocate(count, sizeof *run.next, "the bands of all samples") : NULL;
    run.values =
        run.next ? wp_allocate(count, sizeof *run.values, "the bands of all samples") : NULL;
    const bool ok = run.values && find_all_needed(&run, path) && run_all(&run);
    free(run.needed);
    for (int a = 0; a < AXES; a++)
        free(run.source[a]);
    free(run.values);
    free(run.next);
    free(run.now);
    wp_schedule_destroy(&schedule);
    return ok;
}
