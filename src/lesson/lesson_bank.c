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
    float *values;      // the same for the caller
    bool *needed;       // for each state the columns, then the rows that are computed
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
// path is always needed.
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
    for (int a = 0; a < AXES; a++)
        needed_along(run, last, a)[path->at[0][a]] = true;
    for (int i = last - 1; i >= 0; i--)
        find_needed(run, i, path);
    return true;
}

// Sets a band of all samples to that of the array of coefficients.
static void load_band(const struct run *run, double *to, int level, enum wp_band band)
{
    const struct wp_description *d = run->description;
    const struct wp_band_grid grid = wp_description_band(d, level, band);
    const size_t width = (size_t)wp_description_extent(d, WP_X);
    for (int y = 0; y < grid.size[WP_Y]; y++)
        for (int x = 0; x < grid.size[WP_X]; x++)
            to[((size_t)y * (size_t)grid.size[WP_X] + (size_t)x) * WP_COMPONENTS + band] =
                (double)run->input[(size_t)(grid.first[WP_Y] + y) * width +
                                   (size_t)(grid.first[WP_X] + x)];
}

// The samples, or the bands of a level that the inverse reads, in `to`.
static void load(const struct run *run, double *to, int level, const struct wp_scheme *scheme)
{
    const int levels = wp_description_levels(run->description);
    if (run->description->direction == WP_FORWARD) {
        for (size_t i = 0; i < samples_of(run); i++)
            to[i * WP_COMPONENTS] = (double)run->input[i];
        return;
    }
    for (int b = level < levels; b < WP_COMPONENTS && level > 0; b++)
        if (scheme->components >> b & 1)
            load_band(run, to, level, (enum wp_band)b);
}

static double multiply_row(const struct run *run, const struct wp_op *op, int row, int x, int y)
{
    const struct wp_matrix *core = &op->scheme->pass[op->pass].core;
    double sum = 0;
    for (int j = 0; j < core->components; j++) {
        const struct wp_poly *entry = &core->at[row][j];
        for (int t = 0; t < entry->count; t++) {
            const int *at = entry->term[t].at;
            const int from_x = wp_extend(op->extension, x + at[WP_X] * op->dilation, op->width);
            const int from_y = wp_extend(op->extension, y + at[WP_Y] * op->dilation, op->height);
            sum += entry->term[t].c *
                   run->now[((size_t)from_y * (size_t)op->width + (size_t)from_x) *
                                WP_COMPONENTS + (size_t)j];
        }
    }
    return sum;
}

static void run_pass(struct run *run, int index)
{
    const struct wp_op *op = &run->schedule->op[index];
    const struct wp_scheme *scheme = op->scheme;
    const unsigned rows = wp_matrix_rows(&scheme->pass[op->pass].core);
    const bool *columns = needed_along(run, index + 1, WP_X);
    const bool *lines = needed_along(run, index + 1, WP_Y);
    for (size_t i = 0; i < samples_of(run) * WP_COMPONENTS; i++)
        run->next[i] = 0;
    if (run->description->direction == WP_INVERSE && op->pass == scheme->pass_count - 1)
        load(run, run->next, op->level - 1, scheme);
    for (int y = 0; y < op->height; y++)
        for (int x = 0; x < op->width && lines[y]; x++)
            for (int row = 0; row < WP_COMPONENTS && columns[x]; row++)
                if (rows >> row & 1)
                    run->next[((size_t)y * (size_t)op->width + (size_t)x) * WP_COMPONENTS +
                              (size_t)row] = multiply_row(run, op, row, x, y);
    double *result = run->next;
    run->next = run->now;
    run->now = result;
}

static bool report(const struct run *run, const struct wp_op *op, bool is_input, double since)
{
    for (size_t i = 0; i < samples_of(run) * WP_COMPONENTS; i++)
        run->values[i] = (float)run->now[i];
    return run->watch(run->user, &(struct wp_lesson_state){
        .step = is_input ? WP_LESSON_INPUT : WP_LESSON_PASS,
        .level = op->level,
        .pass = is_input ? 0 : op->pass,
        .scheme = op->scheme,
        .size = {op->width, op->height, 1},
        .axes = op->scheme->axes,
        .extent = {op->width, op->height, 1},
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
    load(run, run->now, op[0].level, op[0].scheme);
    bool ok = report(run, op, true, wp_clock_seconds());
    for (int i = 0; i < run->schedule->op_count && ok; i++) {
        const double since = wp_clock_seconds();
        run_pass(run, i);
        ok = report(run, &op[i], false, since);
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
    run.values = run.next ? wp_allocate(count, sizeof *run.values, "the bands of all samples") : NULL;
    const bool ok = run.values && find_all_needed(&run, path) && run_all(&run);
    free(run.needed);
    free(run.values);
    free(run.next);
    free(run.now);
    wp_schedule_destroy(&schedule);
    return ok;
}
