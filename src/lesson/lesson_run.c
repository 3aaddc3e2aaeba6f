#include "lesson_internal.h"

#include "clock.h"
#include "description.h"
#include "memory.h"
#include "plan.h"
#include "reference.h"
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

// A box of octets.
struct box {
    int low[WP_DIMS_MAX], extent[WP_DIMS_MAX];
};

struct run {
    const struct wp_description *description;
    const struct wp_lesson_path *path;
    wp_lesson_watch watch;
    void *user;
    float *array; // layout mallat for completed levels; the other samples are in its first corner
    struct wp_scheme *scheme; // of the level
    struct wp_lesson_state state;
    struct box box;
    double *octets; // the values of the box
};

static size_t octets_of(const struct box *box)
{
    return (size_t)box->extent[WP_X] * (size_t)box->extent[WP_Y] * (size_t)box->extent[WP_Z];
}

// The index of an octet in a box.
static size_t index_of(const struct box *box, const int at[WP_DIMS_MAX])
{
    size_t number = 0;
    for (int a = WP_DIMS_MAX - 1; a >= 0; a--)
        number = number * (size_t)box->extent[a] + (size_t)(at[a] - box->low[a]);
    return number;
}

// The octet with an index.
static void octet_at(const struct box *box, size_t number, int at[WP_DIMS_MAX])
{
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        at[a] = box->low[a] + (int)(number % (size_t)box->extent[a]);
        number /= (size_t)box->extent[a];
    }
}

// The octets of the level's result that are computed.
static struct box result_box(const struct run *run)
{
    struct box box;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int n = run->state.size[a];
        const bool halved = run->state.axes >> a & 1;
        box.low[a] = 0;
        box.extent[a] = halved ? (n + 1) / 2 : n;
        if (run->path) {
            box.low[a] = run->path->at[run->state.level][a];
            box.extent[a] = 1;
        }
    }
    return box;
}

static struct box grow(struct box box, const struct wp_reach *reach)
{
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        box.low[a] += reach->low[a];
        box.extent[a] += reach->high[a] - reach->low[a];
    }
    return box;
}

static struct box shrink(struct box box, const struct wp_reach *reach)
{
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        box.low[a] -= reach->low[a];
        box.extent[a] -= reach->high[a] - reach->low[a];
    }
    return box;
}

// The index of a sample along an axis of the array; -1 for zero.
static int array_index(const struct run *run, int axis, int octet, int odd)
{
    const int n = run->state.size[axis];
    if (!(run->state.axes >> axis & 1))
        return odd ? -1 : octet;
    const int i = wp_extend(run->scheme->lifting.extension, 2 * octet + odd, n);
    if (i < 0 || run->description->direction == WP_FORWARD)
        return i;
    return i % 2 ? (n + 1) / 2 + i / 2 : i / 2;
}

static void load(struct run *run)
{
    const int *size = run->description->size;
    const size_t count = octets_of(&run->box);
    for (size_t o = 0; o < count; o++) {
        int at[WP_DIMS_MAX];
        octet_at(&run->box, o, at);
        for (int c = 0; c < WP_COMPONENTS_MAX; c++) {
            size_t source = 0;
            bool zero = false;
            for (int a = WP_DIMS_MAX - 1; a >= 0; a--) {
                const int i = array_index(run, a, at[a], c >> a & 1);
                zero = zero || i < 0;
                source = source * (size_t)size[a] + (size_t)(zero ? 0 : i);
            }
            run->octets[WP_COMPONENTS_MAX * o + (size_t)c] = zero ? 0 : (double)run->array[source];
        }
    }
}

static void scale(struct run *run, const double factor[WP_COMPONENTS_MAX])
{
    const size_t count = octets_of(&run->box) * WP_COMPONENTS_MAX;
    for (size_t i = 0; i < count; i++)
        run->octets[i] *= factor[i % WP_COMPONENTS_MAX];
}

static void add_constants(struct run *run, const struct wp_constant *constants, int count)
{
    const size_t octets = octets_of(&run->box);
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(run->scheme, &constants[i], statement);
        for (size_t o = 0; o < octets; o++)
            for (int s = 0; s < statements; s++)
                run->octets[WP_COMPONENTS_MAX * o + (size_t)statement[s].destination] +=
                    statement[s].c *
                    run->octets[WP_COMPONENTS_MAX * o + (size_t)statement[s].source];
    }
}

static double multiply_row(const struct run *run, const struct wp_matrix *core, int row,
                           const int at[WP_DIMS_MAX])
{
    double sum = 0.0;
    for (int j = 0; j < WP_COMPONENTS_MAX; j++) {
        const struct wp_poly *entry = &core->at[row][j];
        for (int t = 0; t < entry->count; t++) {
            int source[WP_DIMS_MAX];
            for (int a = 0; a < WP_DIMS_MAX; a++)
                source[a] = at[a] + entry->term[t].at[a];
            sum += entry->term[t].c *
                   run->octets[WP_COMPONENTS_MAX * index_of(&run->box, source) + (size_t)j];
        }
    }
    return sum;
}

static bool multiply(struct run *run, const struct wp_pass *pass)
{
    const struct box box = shrink(run->box, &pass->reach);
    const size_t count = octets_of(&box);
    double *result = wp_allocate(count, WP_COMPONENTS_MAX * sizeof *result, "the passes' octets");
    if (!result)
        return false;
    for (size_t o = 0; o < count; o++) {
        int at[WP_DIMS_MAX];
        octet_at(&box, o, at);
        for (int row = 0; row < WP_COMPONENTS_MAX; row++)
            result[WP_COMPONENTS_MAX * o + (size_t)row] = multiply_row(run, &pass->core, row, at);
    }
    free(run->octets);
    run->octets = result;
    run->box = box;
    return true;
}

static bool report(struct run *run, enum wp_lesson_step step, double since)
{
    const size_t count = octets_of(&run->box) * WP_COMPONENTS_MAX;
    float *values = wp_allocate(count, sizeof *values, "the passes' octets");
    if (!values)
        return false;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)run->octets[i];
    run->state.step = step;
    run->state.seconds = wp_clock_seconds() - since;
    run->state.values = values;
    memcpy(run->state.low, run->box.low, sizeof run->box.low);
    memcpy(run->state.extent, run->box.extent, sizeof run->box.extent);
    const bool ok = run->watch(run->user, &run->state);
    free(values);
    return ok;
}

static bool run_pass(struct run *run, int index)
{
    const struct wp_pass *pass = &run->scheme->pass[index];
    const double since = wp_clock_seconds();
    run->state.pass = index;
    if (index == 0)
        scale(run, run->scheme->scale_in);
    add_constants(run, pass->before, pass->before_count);
    if (!multiply(run, pass))
        return false;
    add_constants(run, pass->after, pass->after_count);
    if (index == run->scheme->pass_count - 1)
        scale(run, run->scheme->scale_out);
    return report(run, WP_LESSON_PASS, since);
}

// Loads a level and runs its passes.
static bool run_passes(struct run *run, bool first)
{
    const double since = wp_clock_seconds();
    const struct wp_reach reach = wp_scheme_reach(run->scheme);
    run->state.scheme = run->scheme;
    run->box = grow(result_box(run), &reach);
    run->octets = wp_allocate(octets_of(&run->box), WP_COMPONENTS_MAX * sizeof *run->octets,
                              "the passes' octets");
    bool ok = run->octets;
    if (ok) {
        load(run);
        ok = report(run,
                    first                                       ? WP_LESSON_INPUT
                    : run->description->direction == WP_FORWARD ? WP_LESSON_GATHER
                                                                : WP_LESSON_SPREAD,
                    since);
    }
    for (int p = 0; p < run->scheme->pass_count && ok; p++)
        ok = run_pass(run, p);
    free(run->octets);
    return ok;
}

// Copies between the array's first corner, of the level's size, and dense memory.
static void copy_corner(const struct run *run, float *dense, bool to_array)
{
    const int *size = run->description->size, *n = run->state.size;
    for (int z = 0; z < n[WP_Z]; z++) {
        for (int y = 0; y < n[WP_Y]; y++) {
            float *row = run->array + ((size_t)z * (size_t)size[WP_Y] + (size_t)y) *
                                          (size_t)size[WP_X];
            float *packed = dense + ((size_t)z * (size_t)n[WP_Y] + (size_t)y) * (size_t)n[WP_X];
            const size_t bytes = (size_t)n[WP_X] * sizeof *row;
            memcpy(to_array ? row : packed, to_array ? packed : row, bytes);
        }
    }
}

// Transforms a level of the array, for the next level.
static bool advance(struct run *run)
{
    struct wp_description level = *run->description;
    const unsigned axes = wp_description_axes(run->description, run->state.level);
    memcpy(level.size, run->state.size, sizeof level.size);
    level.levels = axes & WP_AXIS_BOTH ? 1 : 0;
    level.levels_z = axes & WP_AXIS_D ? 1 : 0;
    level.layout = WP_LAYOUT_MALLAT;
    const struct wp_execute on = {.backend = &wp_backend_reference};
    float *dense = wp_allocate(wp_description_samples(&level), sizeof *dense, "a level's samples");
    if (!dense)
        return false;
    copy_corner(run, dense, false);
    const bool ok = wp_execute(&on, &level, 1, (const float *[]){dense}, (float *[]){dense});
    copy_corner(run, dense, true);
    free(dense);
    return ok;
}

static bool run_level(struct run *run, int level, bool first, bool last)
{
    const struct wp_description *d = run->description;
    run->state.level = level;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        run->state.size[a] = wp_description_size(d, a, level - 1);
    run->state.axes = wp_description_axes(d, level) & wp_lifting_axes(run->state.size, WP_DIMS_MAX);
    run->scheme = wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = d->wavelet,
        .kind = d->kind,
        .form = d->form,
        .direction = d->direction,
        .norm = d->norm,
        .dims = WP_DIMS_MAX,
        .axes = (enum wp_axis)run->state.axes,
    });
    if (!run->scheme)
        return false;
    run->scheme->lifting.extension = wp_description_lifting(d).extension;
    const bool ok = run_passes(run, first) && (last || advance(run));
    wp_scheme_destroy(&run->scheme);
    return ok;
}

// wp_lesson_run() for a volume with a valid description.
static bool lesson_octets(const struct wp_description *description, const float *volume,
                          const struct wp_lesson_path *path, wp_lesson_watch watch, void *user)
{
    struct run run = {.description = description,
                      .path = path,
                      .watch = watch,
                      .user = user,
                      .state = {.components = WP_COMPONENTS_MAX}};
    const size_t count = wp_description_samples(description);
    const int levels = wp_description_levels(description);
    run.array = wp_allocate(count, sizeof *run.array, "the volume's coefficients");
    if (!run.array)
        return false;
    memcpy(run.array, volume, count * sizeof *run.array);
    bool ok = true;
    for (int i = 0; i < levels && ok; i++)
        ok = run_level(&run, description->direction == WP_FORWARD ? i + 1 : levels - i, i == 0,
                       i == levels - 1);
    free(run.array);
    return ok;
}

// ---- images and volumes ----

double wp_lesson_value(const struct wp_lesson_state *state, int component,
                       const int at[WP_DIMS_MAX])
{
    size_t number = 0;
    for (int a = WP_DIMS_MAX - 1; a >= 0; a--)
        number = number * (size_t)state->extent[a] + (size_t)(at[a] - state->low[a]);
    return (double)state->values[number * (size_t)state->components + (size_t)component];
}

// The schedule of an image and the caller's callback.
struct images {
    const struct wp_schedule *schedule;
    wp_lesson_watch watch;
    void *user;
};

static bool report_quads(void *user, const struct wp_pass_state *now)
{
    static const enum wp_lesson_step steps[] = {[WP_OP_PASS] = WP_LESSON_PASS,
                                                [WP_OP_GATHER] = WP_LESSON_GATHER,
                                                [WP_OP_SPREAD] = WP_LESSON_SPREAD};
    const struct images *images = user;
    const struct wp_op *op = now->op, *first = &images->schedule->op[0];
    const struct wp_transfer *transfer = &images->schedule->load[0];
    return images->watch(images->user, &(struct wp_lesson_state){
        .step = op ? steps[op->kind] : WP_LESSON_INPUT,
        .level = op ? op->level : first->level,
        .pass = op ? op->pass : 0,
        .scheme = op && op->scheme ? op->scheme : first->scheme,
        .size = {op ? op->width : transfer->width, op ? op->height : transfer->height, 1},
        .axes = WP_AXIS_BOTH,
        .low = {now->domain.x, now->domain.y, 0},
        .extent = {now->domain.width, now->domain.height, 1},
        .components = WP_COMPONENTS,
        .values = now->quads,
        .seconds = now->seconds,
    });
}

static bool run_quads(const struct wp_description *description, const struct wp_image *image,
                      wp_lesson_watch watch, void *user)
{
    struct wp_schedule *schedule = wp_schedule_passes(description);
    struct images images = {schedule, watch, user};
    const bool ok =
        schedule && wp_reference_watch(schedule, image->plane[0], report_quads, &images);
    wp_schedule_destroy(&schedule);
    return ok;
}

bool wp_lesson_run(const struct wp_description *description, const struct wp_image *image,
                   const struct wp_lesson_path *path, wp_lesson_watch watch, void *user)
{
    if (wp_description_is_redundant(description))
        return wp_description_check(description) &&
               wp_lesson_run_bank(description, image->plane[0], path, watch, user);
    if (!wp_description_is_native(description))
        return wp_description_check(description) &&
               wp_lesson_run_border(description, image->plane[0], path, watch, user,
                                    wp_lesson_run);
    if (description->size[WP_Z] == 0)
        return run_quads(description, image, watch, user);
    return wp_description_check(description) &&
           lesson_octets(description, image->plane[0], path, watch, user);
}

void wp_lesson_state_name(struct wp_text *out, const struct wp_lesson_state *state)
{
    switch (state->step) {
    case WP_LESSON_INPUT: wp_text_add(out, "input"); break;
    case WP_LESSON_PASS:
        wp_text_add(out, "level %d, pass %d of %d", state->level, state->pass + 1,
                    state->scheme->pass_count);
        break;
    default:
        wp_text_add(out, "level %d, %s", state->level,
                    state->step == WP_LESSON_GATHER ? "gather" : "spread");
        break;
    }
}
