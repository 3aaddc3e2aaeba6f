// The compute backend: one dispatch per large level. A workgroup loads a tile of quads with its
// halo into registers, runs all passes of the scheme, exchanging neighbors through shared memory,
// and writes the quads of the subbands. All levels that are small enough share one workgroup.
#include "compute.h"

#include "backend_gl.h"
#include "bank_rows.h"
#include "emit_tile.h"
#include "gl_device.h"
#include "log.h"
#include "memory.h"
#include "min_max.h"
#include "planes.h"
#include "program.h"
#include "redundant_passes.h"
#include "text.h"
#include "strip_levels.h"

#include <limits.h>
#include <stdlib.h>

// A dispatch: one level, or several small ones in one workgroup.
struct step {
    int first, count; // operations
    struct wp_program *program;
    struct wp_strip_level strip; // {0}: tiles
    bool whole;                  // a level of a redundant bank; else a pass
    struct wp_tile tile;         // {0}: streaming strips, or lines along z
    struct wp_tile_counts counts;
    // Volumes:
    struct wp_lines_reach reach;  // support along z; {0}: does not transform z
    int slices, slices_per_group; // that a dispatch writes; that one layer of workgroups writes
};

struct wp_exec {
    struct wp_gl *gl;
    const struct wp_variant *variant;
    bool named; // the caller named the variant
    struct wp_description description; // of the caller; only its numbers are used
    struct wp_schedule *schedule;
    struct wp_planes planes;
    struct wp_lifting lifting;
    int step_count;
    struct step *step;
};

static bool is_volume(const struct wp_exec *exec)
{
    return wp_description_depth(&exec->schedule->description) > 1;
}

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    return wp_gl_device_open("compute", true, index, quiet, reason, reason_size);
}

static struct wp_device *borrow(struct wp_gl *gl, char *reason, size_t reason_size)
{
    return wp_gl_device_computes(gl, reason, reason_size)
               ? wp_gl_device_borrow(gl, reason, reason_size)
               : NULL;
}

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    wp_planes_destroy(&exec->planes);
    free(exec->step);
    wp_schedule_destroy(&exec->schedule);
    free(exec);
}

// Minimum and maximum number of levels that share a workgroup. On an H200 two such levels take as
// long as separate dispatches, and each additional one saves 2 to 3 us of 5; compiling takes 0.2 s
// (docs/lab/tiles.md).
enum { TAIL_MIN = 3, TAIL_MAX = 12 };

// The number of layers of workgroups: planes, or slices.
static int stack_of(const struct wp_exec *exec, const struct wp_op *op)
{
    return is_volume(exec) ? op->slices : wp_description_planes(&exec->schedule->description);
}

// Builds the program of a step with a tile; NULL after an error. False if it needs more shared
// memory than the device has.
static bool get_program(const struct wp_exec *exec, struct step *step)
{
    const struct wp_op *op = &exec->schedule->op[step->first];
    const struct wp_emit_target target = {
        .dialect = &wp_glsl_430,
        .stacked = stack_of(exec, op) > 1,
    };
    struct wp_text source = {0};
    step->counts = wp_emit_tile(op->scheme, &step->tile, &target, &source);
    const int shared = step->counts.exchanged * (int)sizeof(float);
    const bool fits = shared <= wp_gl_get_info(exec->gl)->max_shared;
    step->program = fits && wp_text_is_complete(&source, "a shader")
                        ? wp_program_get_compute(exec->gl, wp_text_get(&source))
                        : NULL;
    wp_text_free(&source);
    return fits;
}

// Shapes in the order in which they are tried: first those of which at least three quarters of the
// lanes write, then any. On an H200 64x8 was the fastest by up to 8 %; higher tiles need more
// values than there are registers. Software renderers do not gain from large tiles, and mostly
// compile.
static const struct wp_tile shapes[] = {{.lanes = 64, .rows = 8},
                                        {.lanes = 128, .rows = 8},
                                        {.lanes = 256, .rows = 4},
                                        {.lanes = 1024, .rows = 2},
                                        {0}};

// Shapes for streaming along z, which have four to eight quads of each row in registers and a
// barrier per slice: small workgroups wait less. CDF 9/7 of 512^3 takes 2.55 copies on an H200 with
// the first shape and 3.06 with the second. Vertically adjacent tiers find each other's halo in the
// cache of the multiprocessor.
static const struct wp_tile z_shapes[] = {{.lanes = 32, .rows = 2, .tiers = 2},
                                          {.lanes = 64, .rows = 2, .tiers = 4},
                                          {.lanes = 128, .rows = 2, .tiers = 2},
                                          {.lanes = 256, .rows = 2},
                                          {.lanes = 1024, .rows = 2},
                                          {0}};

static const struct wp_tile software_shapes[] = {
    {.lanes = 32, .rows = 2}, {.lanes = 64, .rows = 2}, {.lanes = 128, .rows = 2},
    {.lanes = 1024, .rows = 2}, {0}};

// A level with few workgroups takes as long as one of them. Lower tiles make it shorter, though
// they recompute more rows. Five levels of CDF 9/7 at 1024x1024 took 47 instead of 75 us on an H200
// with 132 multiprocessors, and 51 us with the limit 600.
enum { FEW_GROUPS = 2000, FEW_ROWS = 2 };

static int invocations_of(const struct wp_tile *tile)
{
    return tile->lanes * (tile->tiers ? tile->tiers : 1);
}

// Number of workgroups along x and y.
static int columns_of(const struct wp_op *op, const struct wp_tile *tile)
{
    return wp_divide_up(op->domain.width, wp_tile_step(op->scheme, tile));
}

static int rows_of(const struct wp_op *op, const struct wp_tile *tile)
{
    return wp_divide_up(op->domain.height, tile->rows * (tile->tiers ? tile->tiers : 1));
}

// Selects the first shape of the table that the device supports and of which at least `quarters`
// quarters of the lanes write, and builds the program (NULL after an error). False if there is
// none; `min_shared` is then reduced to the smallest shared memory, in floats, of the shapes tried.
static bool try_shapes(const struct wp_exec *exec, struct step *s, const struct wp_tile *table,
                       int quarters, int *min_shared)
{
    const struct wp_op *op = &exec->schedule->op[s->first];
    const struct wp_gl_info *info = wp_gl_get_info(exec->gl);
    struct wp_tile *tile = &s->tile;
    for (; table->lanes; table++) {
        *tile = *table;
        tile->keep_loops = info->software;
        tile->along = op->along_z ? &exec->lifting : NULL;
        const int min_step = quarters ? tile->lanes * quarters / 4 : 1;
        if (invocations_of(tile) > info->max_invocations ||
            wp_tile_step(op->scheme, tile) < min_step)
            continue;
        const int groups = columns_of(op, tile) * rows_of(op, tile);
        if (groups * stack_of(exec, op) < FEW_GROUPS && !info->software)
            tile->rows = FEW_ROWS;
        if (get_program(exec, s))
            return true;
        if (s->counts.exchanged < *min_shared)
            *min_shared = s->counts.exchanged;
    }
    return false;
}

// Selects a tile and builds the program for a step of one level. For wavelets with a large support,
// wide workgroups need more shared memory than there is; narrow ones, most of whose lanes compute
// halos, are better than none. False after wp_fail().
static bool find_program(const struct wp_exec *exec, struct step *s)
{
    const struct wp_op *op = &exec->schedule->op[s->first];
    const struct wp_gl_info *info = wp_gl_get_info(exec->gl);
    const struct wp_tile *table = info->software ? software_shapes
                                  : op->along_z  ? z_shapes
                                                 : shapes;
    int min_shared = INT_MAX;
    if (try_shapes(exec, s, table, 3, &min_shared) || try_shapes(exec, s, table, 0, &min_shared))
        return s->program != NULL;
    const struct wp_reach reach = wp_scheme_reach(op->scheme);
    return wp_fail(WP_ERROR_UNAVAILABLE,
                   "the support of wavelet '%s' is too large for a workgroup of this device: %d "
                   "adjacent quads, at least %d bytes of shared memory (it has %d invocations and "
                   "%d bytes of shared memory)"
                   "\nhint: backend 'fragment' has no such limit",
                   op->scheme->wavelet.name, reach.high[WP_X] - reach.low[WP_X] + 1,
                   min_shared * (int)sizeof(float), info->max_invocations, info->max_shared);
}

// Workgroups for several small levels: the largest for which the exchange of CDF 9/7 and DD 13/7
// fits into 48 kB of shared memory.
static const struct wp_tile tail_tile = {
    .lanes = 40, .rows = 4, .tiers = 8, .levels = TAIL_MAX};
static const struct wp_tile software_tail = {
    .lanes = 40, .rows = 2, .tiers = 4, .levels = TAIL_MAX, .keep_loops = true};

// The number of operations from this one on that a workgroup of this shape can run. Levels with one
// row or column, which are rare, have separate programs.
static int count_tail(const struct wp_exec *exec, int first, const struct wp_tile *tile)
{
    const struct wp_op *op = &exec->schedule->op[first];
    const bool separate = is_volume(exec) || op->scheme->axes != WP_AXIS_BOTH;
    const int left = separate ? 0 : exec->schedule->op_count - first;
    int count = 0;
    while (count < left && count < TAIL_MAX && op[count].scheme == op->scheme &&
           op[count].domain.width <= wp_tile_step(op->scheme, tile) &&
           op[count].domain.height <= tile->rows * tile->tiers)
        count++;
    return count;
}

static struct wp_program *get_lines(const struct wp_exec *exec)
{
    struct wp_text source = {0};
    wp_emit_lines(&exec->lifting, &(struct wp_emit_target){.dialect = &wp_glsl_430}, &source);
    struct wp_program *program = wp_text_is_complete(&source, "a shader")
                                     ? wp_program_get_compute(exec->gl, wp_text_get(&source))
                                     : NULL;
    wp_text_free(&source);
    return program;
}

// Groups of four lines per workgroup, and maximum number of workgroups along x.
enum { LINES = 64, LINES_X = 1 << 15 };

// Groups of four lines per slice of an operation. Low bands are in slices with the high bands.
static int count_lines(const struct wp_exec *exec, const struct wp_op *op)
{
    return (int)(wp_planes_stride(&exec->schedule->surface[op->level]) / 4);
}

// Workgroups for these lines.
static int groups_of_lines(const struct wp_exec *exec, const struct wp_op *op)
{
    return wp_divide_up(count_lines(exec, op), LINES);
}

// Number of invocations that occupies a device; and a minimum number of slices, since operations
// along z read more slices than they write.
enum { ENOUGH_INVOCATIONS = 500000, SLICES_MIN = 16 };

static int find_slices_per_group(const struct step *step, int invocations)
{
    const int layers = wp_divide_up(ENOUGH_INVOCATIONS, invocations);
    const int count = wp_divide_up(step->slices, layers);
    return count < SLICES_MIN ? SLICES_MIN : count + count % 2;
}

// A schedule of slices, NULL after an error. Wavelets that need more values of a line than fit into
// registers in addition to a tile transform z in a separate operation.
enum { VALUES_MAX = 8 };

static struct wp_schedule *schedule_slices(const struct wp_description *description)
{
    const struct wp_lifting lifting = wp_description_lifting(description);
    return wp_schedule_slices(description, wp_lines_reach(&lifting).stored > VALUES_MAX);
}

// For volumes, a step is one operation. False after wp_fail().
static bool find_volume_step(const struct wp_exec *exec, int first, struct step *step)
{
    const struct wp_op *op = &exec->schedule->op[first];
    *step = (struct step){.first = first, .count = 1};
    if (op->along_z)
        step->reach = wp_lines_reach(&exec->lifting);
    step->slices = wp_slice_range_max(&exec->planes, op, &step->reach);
    if (!step->slices)
        return false;
    if (op->scheme && !find_program(exec, step))
        return false;
    if (!op->scheme)
        step->program = get_lines(exec);
    const int groups = op->scheme ? columns_of(op, &step->tile) * rows_of(op, &step->tile)
                                  : groups_of_lines(exec, op);
    step->slices_per_group = find_slices_per_group(
        step, groups * (op->scheme ? invocations_of(&step->tile) : LINES));
    return step->program != NULL;
}

// Includes the lanes at the edges of a tile, which only compute the halo.
static struct wp_counts share_counts(const struct wp_scheme *scheme, const struct wp_tile *tile,
                                     struct wp_tile_counts counts)
{
    const double lanes_per_quad =
        (double)tile->lanes / (double)(wp_tile_step(scheme, tile) * tile->rows);
    return (struct wp_counts){counts.operations * lanes_per_quad, counts.fetches * lanes_per_quad};
}

// For the shape that is used on a GPU without limits.
static struct wp_counts count_tiles(const struct wp_variant *variant,
                                    const struct wp_scheme *scheme)
{
    const struct wp_tile *tile = shapes;
    (void)variant;
    while (wp_tile_step(scheme, tile) < tile->lanes * 3 / 4 && tile[1].lanes)
        tile++;
    return share_counts(scheme, tile, wp_tile_count(scheme, tile));
}

// Levels that are not supported by streaming strips use tiles.
static struct wp_counts count_strips(const struct wp_variant *variant,
                                     const struct wp_scheme *scheme)
{
    struct wp_counts counts;
    return wp_compute_strips_count(scheme, &counts) ? counts : count_tiles(variant, scheme);
}

enum { VARIANT_TILES, VARIANT_STRIPS };

static const struct wp_variant variants[] = {
    [VARIANT_TILES] = {.name = "tiles",
                       .summary = "workgroups load tiles with their halo, and exchange neighbors",
                       .counts = count_tiles},
    [VARIANT_STRIPS] = {.name = "walks",
                       .summary = "wide workgroups step down the rows of large levels, with "
                                  "separable lifting or convolution in registers",
                       .supports = wp_compute_strips_support,
                       .counts = count_strips},
    {0},
};

// If the variant is named, software renderers use strips for all levels, for tests.
static bool is_large(const struct wp_exec *exec, const struct wp_op *op)
{
    return (exec->named && (op->level == 1 || wp_gl_get_info(exec->gl)->software)) ||
           (size_t)op->width * (size_t)op->height >= WP_STRIPS_MIN_SAMPLES;
}

// Selects streaming strips for a level and builds the program (NULL after an error). False if the
// level uses tiles.
static bool find_strip(const struct wp_exec *exec, int first, struct step *step)
{
    const struct wp_op *op = &exec->schedule->op[first];
    *step = (struct step){.first = first, .count = 1};
    if (exec->variant != &variants[VARIANT_STRIPS] || !is_large(exec, op) ||
        !wp_compute_strips_fit(wp_gl_get_info(exec->gl), op, &step->strip))
        return false;
    step->program = wp_compute_strips_program(exec->gl, op, &step->strip, stack_of(exec, op) > 1);
    return true;
}

// Selects the operations, tile and program of the next dispatch. False after wp_fail().
static bool find_step(const struct wp_exec *exec, int first, struct step *step)
{
    const struct wp_gl_info *info = wp_gl_get_info(exec->gl);
    const struct wp_tile *tail = info->software ? &software_tail : &tail_tile;
    const struct wp_op *op = &exec->schedule->op[first];
    if (op->dilation) {
        const bool whole = exec->variant == &variants[VARIANT_STRIPS] &&
                           wp_compute_bank_rows_fit(&exec->schedule->description,
                                                    op->dilation);
        *step = (struct step){.first = first, .count = whole ? op->scheme->pass_count : 1,
                              .whole = whole};
        step->program = (whole ? wp_compute_bank_rows_program
                               : wp_compute_redundant_program)(exec->gl, exec->schedule, op);
        return step->program;
    }
    if (is_volume(exec))
        return find_volume_step(exec, first, step);
    if (find_strip(exec, first, step))
        return step->program != NULL;
    *step = (struct step){.first = first, .count = count_tail(exec, first, tail), .tile = *tail};
    if (step->count >= TAIL_MIN && invocations_of(tail) <= info->max_invocations &&
        get_program(exec, step))
        return step->program != NULL;
    step->count = 1;
    return find_program(exec, step);
}

// Sets the layout of a surface's planes.
static void set_plane(struct wp_program *program, const char *uniform,
                      const struct wp_surface *surface)
{
    wp_program_set2(program, uniform, surface->width, surface->width * surface->height);
}

static void find_level_groups(const struct wp_op *op, const struct step *step, int groups[2])
{
    const struct wp_strip_shape *strip = &step->strip.shape;
    groups[0] = strip->lanes ? wp_divide_up(op->width, strip->lanes * strip->width)
                            : columns_of(op, &step->tile);
    groups[1] = strip->lanes ? wp_divide_up(op->height, step->strip.rows)
                             : rows_of(op, &step->tile);
}

static void dispatch_level(const struct wp_exec *exec, const struct step *step, bool all)
{
    const struct wp_op *op = &exec->schedule->op[step->first];
    const struct wp_planes *planes = &exec->planes;
    struct wp_program *program = step->program;
    set_plane(program, "source_plane", &exec->schedule->surface[op->source]);
    set_plane(program, "result_plane", &exec->schedule->surface[op->destination]);
    const int stack = wp_description_planes(&exec->schedule->description);
    if (stack > 1)
        wp_program_set2(
            program, "image_stride",
            (int)wp_planes_plane_stride(planes, &exec->schedule->surface[op->source]),
            (int)wp_planes_plane_stride(planes, &exec->schedule->surface[op->destination]));
    int groups[3] = {1, 1, stack};
    if (all)
        find_level_groups(op, step, groups);
    if (step->strip.rows)
        wp_program_set(program, "rows", step->strip.rows);
    wp_program_dispatch_buffer(program, &planes->buffer, &planes->part[op->source],
                               &planes->part[op->destination], groups);
}

// Workgroups along x and y, and layers of workgroups for the slices of a dispatch.
static void find_groups(const struct wp_exec *exec, const struct step *step, int slices,
                        int groups[3])
{
    const struct wp_op *op = &exec->schedule->op[step->first];
    const int lines = op->scheme ? 0 : groups_of_lines(exec, op);
    groups[0] = lines ? (lines < LINES_X ? lines : LINES_X) : columns_of(op, &step->tile);
    groups[1] = lines ? wp_divide_up(lines, LINES_X) : rows_of(op, &step->tile);
    groups[2] = op->along_z ? wp_divide_up(slices, step->slices_per_group) : slices;
}

static void dispatch_slices(const struct wp_exec *exec, const struct step *step,
                            const struct wp_slice_range *slices, bool all)
{
    const struct wp_op *op = &exec->schedule->op[step->first];
    struct wp_program *program = step->program;
    const double *gain = exec->lifting.gain;
    int groups[3] = {1, 1, 1};
    if (all)
        find_groups(exec, step, slices->end - slices->first, groups);
    set_plane(program, "source_plane", &exec->schedule->surface[op->source]);
    set_plane(program, "result_plane", &exec->schedule->surface[op->destination]);
    wp_program_set(program, "count", count_lines(exec, op));
    wp_program_set2(program, "image_stride", slices->step[0], slices->step[2]);
    wp_program_set4(program, "slices", (const int[]){op->slices, slices->first, slices->end,
                                                     step->slices_per_group});
    wp_program_set4(program, "slice_step", slices->step);
    wp_program_set_floats(program, "gain_z", 2, (const float[]){(float)gain[0], (float)gain[1]});
    wp_program_dispatch_buffer(program, &exec->planes.buffer, &slices->source, &slices->result,
                               groups);
}

static void dispatch_volume(const struct wp_exec *exec, const struct step *step, bool all)
{
    const struct wp_op *op = &exec->schedule->op[step->first];
    struct wp_slice_range slices;
    for (int first = 0; first < (all ? op->slices : 1); first += step->slices) {
        wp_slice_range_find(&exec->planes, op, &step->reach, first, step->slices, &slices);
        dispatch_slices(exec, step, &slices, all);
    }
}

// The layout of a surface within a range of the buffer that has several.
static void find_plane_layout(const struct wp_exec *exec, int surface, size_t part, int layout[4])
{
    const struct wp_surface *s = &exec->schedule->surface[surface];
    layout[0] = s->width;
    layout[1] = s->width * s->height;
    layout[2] = (int)(exec->planes.part[surface].first - part);
    layout[3] = (int)wp_planes_plane_stride(&exec->planes, s);
}

static void dispatch_tail(const struct wp_exec *exec, const struct step *step)
{
    const struct wp_op *op = &exec->schedule->op[step->first], *last = &op[step->count - 1];
    const struct wp_buffer_part *from = &exec->planes.part[op->source];
    const struct wp_buffer_part *to = &exec->planes.part[last->destination];
    const struct wp_buffer_part *low = from->first < to->first ? from : to;
    const struct wp_buffer_part *high = low == from ? to : from;
    const struct wp_buffer_part part = {low->first, high->first + high->count - low->first};
    int sizes[TAIL_MAX][2], sources[TAIL_MAX][4], results[TAIL_MAX][4];
    for (int i = 0; i < step->count; i++) {
        sizes[i][0] = op[i].width;
        sizes[i][1] = op[i].height;
        find_plane_layout(exec, op[i].source, part.first, sources[i]);
        find_plane_layout(exec, op[i].destination, part.first, results[i]);
    }
    wp_program_set(step->program, "levels", step->count);
    wp_program_set_array(step->program, "sizes", 2, step->count, sizes[0]);
    wp_program_set_array(step->program, "sources", 4, step->count, sources[0]);
    wp_program_set_array(step->program, "results", 4, step->count, results[0]);
    const int groups[3] = {1, 1, wp_description_planes(&exec->schedule->description)};
    wp_program_dispatch_buffer(step->program, &exec->planes.buffer, &part, &part, groups);
}

// Dispatches all workgroups, or only one.
static void dispatch(const struct wp_exec *exec, const struct step *step, bool all)
{
    const struct wp_op *op = &exec->schedule->op[step->first];
    if (op->dilation) {
        (step->whole ? wp_compute_bank_rows_dispatch
                     : wp_compute_redundant_dispatch)(step->program, &exec->planes, op, all);
        return;
    }
    wp_gl_set_level(step->program, op);
    if (is_volume(exec))
        dispatch_volume(exec, step, all);
    else if (step->tile.tiers)
        dispatch_tail(exec, step);
    else
        dispatch_level(exec, step, all);
}

// Builds all programs and runs one workgroup of each: drivers compile a program when it is first
// used.
static bool create_steps(struct wp_exec *exec)
{
    for (int op = 0; op < exec->schedule->op_count;) {
        struct step *step = &exec->step[exec->step_count++];
        if (!find_step(exec, op, step))
            return false;
        dispatch(exec, step, false);
        op += step->count;
    }
    return wp_gl_finish(exec->gl);
}

static const struct wp_variant *default_variant(const struct wp_device *device,
                                                const struct wp_description *description)
{
    char why[256];
    const struct wp_variant *strips = &variants[VARIANT_STRIPS];
    const struct wp_gl_info *info = wp_gl_get_info(device->gl);
    const bool large = wp_description_is_redundant(description)
                           ? !info->software
                           : wp_compute_strips_are_default(info, description->size[WP_X],
                                                           description->size[WP_Y]);
    const bool strip = large &&
                      strips->supports(strips, description, why, sizeof why);
    return strip ? strips : &variants[VARIANT_TILES];
}

static const struct wp_variant *variant_of(const struct wp_exec *exec)
{
    return exec->variant;
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    if (!wp_gl_make_current(device->gl))
        return NULL;
    // The block form is the optimization for passes that exchange data on chip.
    struct wp_description blocked = *description;
    if (blocked.form == WP_FORM_SHADER)
        blocked.form = WP_FORM_BLOCK;
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (!exec)
        return NULL;
    exec->gl = device->gl;
    exec->named = variant != NULL;
    exec->variant = variant ? variant : default_variant(device, description);
    exec->lifting = wp_description_lifting(description);
    exec->description = *description;
    exec->schedule = wp_schedule_is_redundant(&blocked)    ? wp_schedule_redundant(&blocked, true)
                     : wp_description_depth(&blocked) > 1 ? schedule_slices(&blocked)
                                                          : wp_schedule_planes(&blocked);
    if (exec->schedule)
        exec->step = wp_allocate((size_t)exec->schedule->op_count, sizeof *exec->step, "the steps");
    if (!exec->step || !wp_planes_create(exec->gl, exec->schedule, &exec->planes) ||
        !create_steps(exec)) {
        release(exec);
        return NULL;
    }
    return exec;
}

// Limited by the layers of workgroups, and by the buffer range that shaders can access. A surface
// has the quads of its level plus the padding of rows and planes.
static int planes_max(const struct wp_device *device, const struct wp_description *description)
{
    const size_t width = (size_t)description->size[WP_X] + 16;
    const size_t height = (size_t)description->size[WP_Y] + 4;
    const size_t max_floats = (size_t)wp_gl_get_info(device->gl)->max_storage / sizeof(float);
    const size_t planes = max_floats / (width * height);
    return planes < WP_PLANES_LAYERS_MAX ? (int)planes : WP_PLANES_LAYERS_MAX;
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    struct wp_operand bands[WP_SCHEDULE_BANDS];
    const struct wp_operand flat = wp_schedule_operand(&exec->description, from, bands);
    return flat.type != WP_ELEMENT_F32 ? wp_planes_load_pixels(&exec->planes, &flat)
                                       : wp_planes_load(&exec->planes, &flat);
}

static bool store(struct wp_exec *exec, const struct wp_operand *to)
{
    struct wp_operand bands[WP_SCHEDULE_BANDS];
    const struct wp_operand flat = wp_schedule_operand(&exec->description, to, bands);
    return flat.type != WP_ELEMENT_F32 ? wp_planes_store_pixels(&exec->planes, &flat)
                                       : wp_planes_store(&exec->planes, &flat);
}

static bool pack(const struct wp_exec *exec, const struct wp_operand *from)
{
    struct wp_operand bands[WP_SCHEDULE_BANDS];
    const struct wp_operand flat = wp_schedule_operand(&exec->description, from, bands);
    return wp_planes_pack(&exec->planes, &flat);
}

static bool unpack(const struct wp_exec *exec, const struct wp_operand *to)
{
    struct wp_operand bands[WP_SCHEDULE_BANDS];
    const struct wp_operand flat = wp_schedule_operand(&exec->description, to, bands);
    return wp_planes_unpack(&exec->planes, &flat);
}

static bool read_quads(struct wp_exec *exec, int level, const struct wp_texture *from, int x,
                       int y)
{
    return wp_planes_read_quads(&exec->planes, level, from, x, y);
}

static bool write_quads(struct wp_exec *exec, int level, const struct wp_texture *to)
{
    return wp_planes_write_quads(&exec->planes, level, to);
}

// Levels that share a dispatch have nested names.
static void enqueue_step(const struct wp_exec *exec, const struct step *step)
{
    for (int i = 0; i < step->count; i++)
        wp_gl_op_begin(exec->gl, &exec->schedule->op[step->first + i]);
    dispatch(exec, step, true);
    for (int i = 0; i < step->count; i++)
        wp_gl_op_end(exec->gl);
}

static void enqueue(const struct wp_exec *exec)
{
    for (int i = 0; i < exec->step_count; i++)
        enqueue_step(exec, &exec->step[i]);
}

// One surface per level, for volumes up to two.
enum { SURFACES_MAX = 2 * WP_MAX_LEVELS + 1 };

// The caller's buffer has the schedule's surfaces in the same order, but separately for each plane.
static bool run_on(struct wp_exec *exec, unsigned buffer, size_t first, size_t plane_stride)
{
    struct wp_buffer_part part[SURFACES_MAX];
    struct wp_exec external = *exec;
    const int others = wp_description_planes(&exec->schedule->description) - 1;
    if (!wp_gl_make_current(exec->gl))
        return false;
    wp_planes_lay_out(&exec->planes, part);
    for (int s = 0; s < exec->schedule->surface_count; s++)
        part[s].count += (size_t)others * plane_stride;
    external.planes.plane_stride = plane_stride;
    external.planes.part = part;
    external.planes.buffer = (struct wp_buffer){.id = buffer, .first = first};
    enqueue(&external);
    return true;
}

// Surfaces between two operations of a level follow those of the levels.
static size_t floats(const struct wp_exec *exec, size_t *end)
{
    struct wp_buffer_part part[SURFACES_MAX];
    const size_t all = wp_planes_lay_out(&exec->planes, part);
    const int last = wp_description_levels(&exec->schedule->description);
    *end = part[last].first + part[last].count;
    return all;
}

static void band_at(const struct wp_exec *exec, int level, enum wp_band band, size_t *first,
                    ptrdiff_t step[WP_DIMS_MAX])
{
    struct wp_buffer_part part[SURFACES_MAX];
    struct wp_planes external = exec->planes;
    wp_planes_lay_out(&exec->planes, part);
    external.part = part;
    wp_planes_operand(&external, level, band, first, step);
}

static bool run_all(struct wp_exec *const exec[], int count, double *seconds)
{
    return wp_gl_device_time(exec[0]->gl, enqueue, exec, count, seconds);
}

static bool run(struct wp_exec *exec, double *seconds)
{
    return wp_gl_device_run(exec->gl, enqueue, exec, seconds);
}

static void shaders(const struct wp_exec *exec, void (*add)(void *user, const char *text),
                    void *user)
{
    for (int i = 0; i < exec->step_count; i++)
        add(user, wp_program_source(exec->step[i].program));
}

static struct wp_counts counts(const struct wp_exec *exec)
{
    for (int i = 0; i < exec->step_count; i++) {
        const struct step *step = &exec->step[i];
        const struct wp_op *op = &exec->schedule->op[step->first];
        if (op->dilation)
            return (struct wp_counts){wp_scheme_operations(op->scheme),
                                      wp_scheme_fetches(op->scheme)};
        if (!op->scheme || (op->level != 1 && op[step->count - 1].level != 1))
            continue;
        return step->strip.rows ? step->strip.counts
                                 : share_counts(op->scheme, &step->tile, step->counts);
    }
    return (struct wp_counts){0};
}

static struct wp_cost cost(const struct wp_exec *exec)
{
    struct wp_cost cost = {0};
    for (int i = 0; i < exec->schedule->op_count && is_volume(exec); i++) {
        const struct wp_op *op = &exec->schedule->op[i];
        const double quads = (double)op->domain.width * op->domain.height * op->slices;
        cost.bytes += quads * 2 * WP_BAND_COUNT * sizeof(float);
        cost.fetches += quads;
    }
    if (!is_volume(exec))
        cost = wp_schedule_cost(exec->schedule);
    // Compute shaders do not write attachments.
    cost.fill = 0;
    return cost;
}

static const struct wp_backend_bench bench = {
    .facts = wp_gl_device_facts,
    .ceilings = wp_gl_compute_ceilings,
    .ceiling_prepare = wp_gl_ceiling_prepare,
    .ceiling_run = wp_gl_ceiling_run,
    .ceiling_release = wp_gl_ceiling_release,
    .run_all = run_all,
    .counts = counts,
    .cost = cost,
    .shaders = shaders,
    .pack = pack,
    .unpack = unpack,
};

static bool load_texture(struct wp_exec *exec, const struct wp_texture *from, int channel)
{
    return wp_planes_load_texture(&exec->planes, from, channel);
}

static bool store_texture(struct wp_exec *exec, const struct wp_texture *to, int channel)
{
    return wp_planes_store_texture(&exec->planes, to, channel);
}

static const struct wp_backend_gl gl_functions = {
    .borrow = borrow,
    .load_texture = load_texture,
    .store_texture = store_texture,
    .read_quads = read_quads,
    .write_quads = write_quads,
    .run_on = run_on,
    .floats = floats,
    .band_at = band_at,
};

const struct wp_backend wp_backend_compute = {
    .name = "compute",
    .reversible = true,
    .banks = 1U << WP_BANK_UNDECIMATED | 1U << WP_BANK_STARLET,
    .elements = WP_PIXEL_PACK_ELEMENTS,
    .summary = "OpenGL compute shaders, one dispatch per level or for several small ones",
    .slow_in_software = true,
    .open = open_device,
    .close = wp_gl_device_close,
    .describe = wp_gl_device_describe,
    .planes_max = planes_max,
    .variants = variants,
    .prepare = prepare,
    .variant = variant_of,
    .load = load,
    .run = run,
    .store = store,
    .release = release,
    .bench = &bench,
    .gl = &gl_functions,
};
