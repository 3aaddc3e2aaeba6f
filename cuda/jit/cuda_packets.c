// The variant `packets`: full trees of wavelet packets. Images that fit a block are transformed in
// one launch; otherwise a launch computes some levels along one axis. The kernels are compiled for
// the wavelet and the types of the operands, which they access directly.
#include "cuda_packets.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "elements.h"
#include "min_max.h"
#include "packets.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Measured on an H200: segments of a block, one per warp; threads per multiprocessor that limit the
// registers of a thread, the larger number forward; bytes of a block; and those of a block of images.
enum {
    SEGMENTS = 8,
    PASS_THREADS = 384,
    PASS_THREADS_MOST = 512,
    PASS_BYTES_MOST = 80 << 10,
    BLOCK_THREADS = 384,
    BLOCK_THREADS_LEAST = 128,
    BLOCK_BYTES_MOST = 68 << 10,
    GROUP_SAMPLES = 1 << 24, // between launches; more images are transformed in groups
    PASSES = 2 * WP_MAX_LEVELS
};

// A launch: levels from `first` (from 0) to first + count - 1 along an axis, or with `block` all.
struct pass {
    bool block;
    int axis, first, count;
    int line, low, high; // samples of a thread, and those around its segment
    int segments;        // of a block
    int planes;          // images of a block
    int threads, bytes;  // of a block
};

struct packets_state {
    struct pass pass[PASSES];
    int passes;
    struct wp_cuda_kernel kernel[PASSES][2]; // [1] of a block whose input has no gaps
};

static bool is_wide(const struct wp_description *d)
{
    return wp_description_arithmetic(d) == WP_ELEMENT_F64;
}

static int bytes_of(const struct wp_description *d)
{
    return (int)wp_elements[wp_description_arithmetic(d)].bytes;
}

static int line_of(const struct wp_description *d)
{
    return is_wide(d) ? WP_PACKETS_LINE_WIDE : WP_PACKETS_LINE;
}

// Samples around a segment at one end, for `levels` levels: four of each leaf, or a multiple.
static int margin_of(int reach, int levels)
{
    return wp_round_up(2 * reach * ((1 << levels) - 1), 4 << levels);
}

// ---- Passes.

// The block of images; false if they do not fit.
static bool make_block(const struct wp_description *d, struct pass *pass)
{
    const int width = d->size[WP_X], height = d->size[WP_Y], line = line_of(d);
    if (width == 1 || height == 1 || width > line || height > line ||
        d->levels > WP_PACKETS_LEVELS)
        return false;
    const int share = wp_batch_share(width, height);
    const int bytes = wp_batch_pitch(width) * height * bytes_of(d);
    const int planes = wp_max(BLOCK_THREADS_LEAST / share, 1);
    *pass = (struct pass){
        .block = true,
        .count = d->levels,
        .planes = planes,
        .threads = wp_batch_threads(width, height, planes),
        .bytes = planes * bytes,
    };
    return bytes <= BLOCK_BYTES_MOST;
}

// Sets the lines of a launch of `count` levels of nodes of `node` samples; false if the wavelet
// reaches too far, or no segments fit. Mirrored ends must be those of a segment, so segments divide a
// node; along x they have a multiple of four samples of each leaf.
static bool set_line(const struct wp_cuda_level *level, const struct wp_description *d, int node,
                     int count, struct pass *pass)
{
    enum { SHORTEST = 3 }; // of 10, the part of a line
    const int multiple = (pass->axis == WP_X ? 4 : 1) << count, line = line_of(d);
    pass->count = count;
    pass->line = node;
    pass->low = pass->high = 0;
    if (node <= line)
        return true;
    pass->low = margin_of(level->reach_low, count);
    pass->high = margin_of(level->reach_high, count);
    const int around = pass->low + pass->high;
    int size = (line - around) / multiple * multiple;
    while (level->extension == WP_EXTEND_MIRROR && size > 0 && node % size != 0)
        size -= multiple;
    pass->line = around + size;
    return size >= wp_max(pass->low, pass->high) && 10 * size >= SHORTEST * line;
}

// Samples of a line in a block, and the shared memory with those around it.
static int tile_of(const struct pass *pass)
{
    return pass->segments * (pass->line - pass->low - pass->high);
}

static int bytes_of_pass(const struct pass *pass, const struct wp_description *d)
{
    const int pitch = wp_packets_pitch(tile_of(pass) + pass->low + pass->high);
    return WP_PACKETS_LINES * pitch * bytes_of(d);
}

// Sets the levels from number `first` on that a launch computes along an axis, of `rest`; false if
// there are none.
static bool make_pass(const struct wp_cuda_level *level, const struct wp_description *d, int axis,
                      int first, int rest, struct pass *pass)
{
    const int node = d->size[axis] >> first;
    int count = rest < WP_PACKETS_LEVELS ? rest : WP_PACKETS_LEVELS;
    *pass = (struct pass){.axis = axis, .first = first, .segments = SEGMENTS};
    while (count > 0 && !set_line(level, d, node, count, pass))
        count--;
    if (count == 0)
        return false;
    // As many levels in each launch.
    const int launches = wp_divide_up(rest, count);
    if (!set_line(level, d, node, wp_divide_up(rest, launches), pass))
        set_line(level, d, node, count, pass);
    while (pass->segments > 1 && (tile_of(pass) > node || bytes_of_pass(pass, d) > PASS_BYTES_MOST))
        pass->segments /= 2;
    pass->threads = WP_PACKETS_LINES * pass->segments;
    pass->bytes = bytes_of_pass(pass, d);
    return true;
}

static void reverse(struct pass *pass, int count)
{
    for (int i = 0; i < count / 2; i++) {
        const struct pass other = pass[i];
        pass[i] = pass[count - 1 - i];
        pass[count - 1 - i] = other;
    }
}

// Lists the launches, in their order; 0: not supported. `level` has the steps.
static int make_passes(const struct wp_cuda_level *level, const struct wp_description *d,
                       struct pass pass[PASSES])
{
    int passes = 0;
    if (make_block(d, pass))
        return 1;
    pass->block = false;
    for (int axis = WP_Y; axis >= WP_X; axis--) {
        const int before = passes;
        for (int first = 0; d->size[axis] > 1 && first < d->levels; first += pass[passes++].count)
            if (!make_pass(level, d, axis, first, d->levels - first, &pass[passes]))
                return 0;
        if (level->inverse)
            reverse(&pass[before], passes - before);
    }
    return passes;
}

// Fewer launches than levels are faster than those of one level each; of four levels, also as many.
static bool is_faster(int passes, int levels)
{
    return passes > 0 && (passes < levels || (passes == levels && levels > 3));
}

bool wp_cuda_packets_covers(const struct wp_cuda_level *level, const struct wp_description *d,
                            char *why, size_t why_size)
{
    struct pass pass[PASSES] = {0};
    struct wp_description decimated = *d;
    bool even = true;
    decimated.bank = WP_BANK_DECIMATED;
    for (int axis = WP_X; axis <= WP_Y; axis++)
        even = even && (d->size[axis] == 1 || d->size[axis] % (1 << d->levels) == 0);
    if (d->tree || d->levels < 1 || d->levels_z)
        snprintf(why, why_size, "it supports only full trees of images and signals");
    else if (!wp_description_is_native(&decimated))
        snprintf(why, why_size, "it does not support weights at the ends");
    else if (!even)
        snprintf(why, why_size, "%dx%d is not a multiple of 2^%d", d->size[WP_X], d->size[WP_Y],
                 d->levels);
    else if (!is_faster(make_passes(level, d, pass), d->levels) && !pass->block)
        snprintf(why, why_size, "launches of one level each are faster for %s and %dx%d, %d levels",
                 d->wavelet->name, d->size[WP_X], d->size[WP_Y], d->levels);
    else
        return true;
    return false;
}

// Has the device the shared memory that the launches need?
static bool fits(const struct wp_device *device, const struct wp_cuda_level *level,
                 const struct wp_description *d)
{
    struct pass pass[PASSES];
    const int passes = make_passes(level, d, pass);
    int most = 0;
    for (int i = 0; i < passes; i++)
        most = wp_max(most, pass[i].bytes);
    return (size_t)most <= device->properties.sharedMemPerBlockOptin;
}

bool wp_cuda_packets(const struct wp_device *device, const struct wp_description *d,
                     const struct wp_variant *variant)
{
    const struct wp_lifting lifting = wp_description_lifting(d);
    const struct wp_cuda_method *method = variant ? variant->private_data : NULL;
    struct wp_cuda_level level = {0};
    char why[256];
    wp_cuda_set_steps(&level, &lifting);
    return (!method || method->packets) && wp_cuda_packets_covers(&level, d, why, sizeof why) &&
           wp_cuda_kernels_run_on(device, why, sizeof why) &&
           (method || fits(device, &level, d)); // prepare() reports why a named variant fails
}

// Results between launches: one array, or two that are used in turn.
static int arrays_between(int passes)
{
    return passes > 2 ? 2 : passes - 1;
}

// Slices that are transformed together; all if there is nothing between launches.
static int group_of(const struct wp_exec *exec, int passes)
{
    const int depth = wp_description_depth(&exec->description);
    const ptrdiff_t group = GROUP_SAMPLES / exec->slice;
    return passes == 1 || depth <= group ? depth : group > 1 ? (int)group : 1;
}

// Samples of an array between launches.
static size_t samples_between(const struct wp_exec *exec, int passes)
{
    return (size_t)exec->slice * (size_t)group_of(exec, passes);
}

size_t wp_cuda_packets_scratch(const struct wp_exec *exec)
{
    struct pass pass[PASSES];
    const int passes = exec->levels > 0 ? make_passes(exec->level, &exec->description, pass) : 1;
    return (size_t)arrays_between(passes) * samples_between(exec, passes) *
           ((size_t)bytes_of(&exec->description) / sizeof(float));
}

// ---- Kernels.

void wp_cuda_packets_add_program(const struct wp_exec *exec, const struct wp_batch_types *types,
                                 int number, bool dense, struct wp_text *text)
{
    const struct wp_description *d = &exec->description;
    const int extension = (int)exec->level->extension;
    struct pass all[PASSES];
    make_passes(exec->level, d, all);
    const struct pass *pass = &all[number];
    const bool many = pass->low + pass->high > 0 && d->direction == WP_FORWARD;
    const int resident =
        (pass->block ? BLOCK_THREADS : many ? PASS_THREADS_MOST : PASS_THREADS) / pass->threads;
    wp_cuda_batch_add_head(exec, types, "cuda_packets.cuh", "wp_packets_args", pass->threads,
                           resident, text);
    if (pass->block)
        wp_text_add(text,
                    "{\n    using block = wp_batch_case<elements, %d, %d, %d, %d, %d, %s, %s>;\n"
                    "    wp_run_packets_block<wp_packets_block<wp_jit_shape<steps_here>, block>>"
                    "(args);\n}\n",
                    d->size[WP_X], d->size[WP_Y], d->levels, pass->planes, extension,
                    dense ? "true" : "false", dense ? "true" : "false");
    else
        wp_text_add(text,
                    "{\n    wp_run_packets_pass<wp_packets_pass<wp_jit_shape<steps_here>, elements, "
                    "%d, %d, %d, %d, %d, %d, %s>>(args);\n}\n",
                    extension, pass->count, pass->line, pass->low, pass->high, pass->segments,
                    pass->axis == WP_X ? "true" : "false");
}

// The types of a launch: between launches that of the arithmetic.
static struct wp_batch_types types_of(const struct wp_exec *exec, int number, int passes)
{
    const enum wp_element real = wp_description_arithmetic(&exec->description);
    const bool forward = exec->description.direction == WP_FORWARD;
    const bool reads = number == 0, writes = number == passes - 1;
    const enum wp_element coefficients =
        (forward ? writes : reads) ? wp_cuda_operand_type(exec, false) : real;
    return (struct wp_batch_types){
        .samples = (forward ? reads : writes) ? wp_cuda_operand_type(exec, true) : real,
        .low = coefficients,
        .high = coefficients,
    };
}

static int require_kernel(const struct wp_exec *exec, struct packets_state *state, int number,
                          bool dense)
{
    const struct wp_batch_types types = types_of(exec, number, state->passes);
    struct wp_cuda_kernel *kernel = &state->kernel[number][dense];
    struct wp_text source = {0}, why = {0};
    char name[96];
    if (kernel->module)
        return cudaSuccess;
    wp_cuda_packets_add_program(exec, &types, number, dense, &source);
    snprintf(name, sizeof name, "packets of %s %s, %d levels", exec->wavelet.name,
             wp_direction_names[exec->description.direction], state->pass[number].count);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = &source,
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = state->pass[number].threads,
        .bytes = state->pass[number].bytes,
        .may_spill = true,
    };
    const bool ok = wp_cuda_kernel_make(exec->device, &params, kernel, &why);
    return wp_cuda_jit_result(exec, ok, &why);
}

// Elements of two bytes are accessed one by one.
static bool can_be_dense(enum wp_element type)
{
    return wp_elements[type].bytes >= sizeof(float);
}

int wp_cuda_packets_prepare(struct wp_exec *exec)
{
    int error = wp_cuda_jit_create_state(exec, sizeof(struct packets_state));
    struct packets_state *state = exec->method_state;
    if (error != cudaSuccess || exec->levels == 0)
        return error;
    state->passes = make_passes(exec->level, &exec->description, state->pass);
    // The kernel of a block for operands with gaps is compiled when first used.
    const bool forward = exec->description.direction == WP_FORWARD;
    const bool dense = state->pass->block && can_be_dense(wp_cuda_operand_type(exec, forward));
    for (int i = 0; i < state->passes && error == cudaSuccess; i++)
        error = require_kernel(exec, state, i, dense);
    return error;
}

void wp_cuda_packets_release(struct wp_exec *exec)
{
    struct packets_state *state = exec->method_state;
    for (int i = 0; i < state->passes; i++)
        for (int dense = 0; dense < 2; dense++)
            wp_cuda_kernel_free(&state->kernel[i][dense]);
    free(state);
}

// ---- Launches.

// Gains of the leaves of a node along one axis.
static void set_scale(const struct wp_exec *exec, const struct pass *pass, double divisor,
                      int number, struct wp_packets_args *args)
{
    const struct wp_lifting lifting = wp_description_lifting(&exec->description);
    for (unsigned leaf = 0; leaf < 1U << pass->count; leaf++) {
        double gain = 1 / divisor;
        for (int l = 0; l < pass->count; l++)
            gain *= wp_lifting_gain(&lifting, 1, leaf >> l & 1);
        args->scale[number][leaf] = gain;
        args->scale_f32[number][leaf] = (float)gain;
    }
}

// Kernels read integers unscaled.
static double divisor_of(const struct wp_operand *samples)
{
    const struct wp_element_scale scale = wp_operand_scale(samples, false);
    return scale.largest > 0 ? (double)scale.one : 1;
}

static struct wp_batch_array array_of(const struct wp_operand *operand)
{
    return (struct wp_batch_array){operand->data, operand->stride[WP_X], operand->stride[WP_Y],
                                   operand->stride[WP_Z]};
}

// The results of launch i, which is not the last one.
static struct wp_operand between_of(const struct wp_exec *exec, int i)
{
    const struct packets_state *state = exec->method_state;
    const struct wp_description *d = &exec->description;
    struct wp_operand between = {.type = wp_description_arithmetic(d),
                                 .stride = {1, exec->pitch, exec->slice}};
    between.data = (char *)exec->scratch +
                   (size_t)(i % 2) * samples_between(exec, state->passes) * (size_t)bytes_of(d);
    return between;
}

// An array with the axis of a launch as x, and other lines as y.
static struct wp_batch_array along(const struct wp_operand *operand, int axis, bool one_row)
{
    struct wp_batch_array array = array_of(operand);
    if (axis == WP_Y) {
        array.step_x = operand->stride[WP_Y];
        array.step_y = operand->stride[WP_X];
    } else if (one_row) {
        array.step_y = operand->stride[WP_Z];
    }
    return array;
}

// Can an array be accessed four neighbors at a time? It has each node as `leaves` leaves. Elements of
// one byte are accessed one by one.
static bool is_aligned(const struct wp_batch_array *array, enum wp_element type, int node, int lines,
                       int axis, int leaves)
{
    const ptrdiff_t step = axis == WP_X ? array->step_x : array->step_y;
    const ptrdiff_t other = axis == WP_X ? array->step_y : array->step_x;
    const size_t bytes = 4 * wp_elements[type].bytes;
    const int count = axis == WP_X ? node / leaves : lines;
    return step == 1 && other % 4 == 0 && array->step_z % 4 == 0 && count % 4 == 0 &&
           (uintptr_t)array->data % (bytes < 16 ? bytes : 16) == 0 && bytes > 4;
}

static bool has_no_gaps(const struct wp_exec *exec, const struct wp_operand *operand,
                        enum wp_element type)
{
    const int *size = exec->description.size;
    return operand->stride[WP_X] == 1 && operand->stride[WP_Y] == size[WP_X] &&
           operand->stride[WP_Z] == (ptrdiff_t)size[WP_X] * size[WP_Y] && can_be_dense(type);
}

static int launch(const struct wp_exec *exec, int number, bool dense, const unsigned grid[3],
                  struct wp_packets_args *args)
{
    struct packets_state *state = exec->method_state;
    const unsigned block[2] = {(unsigned)state->pass[number].threads, 1};
    const int error = require_kernel(exec, state, number, dense);
    return error == cudaSuccess
               ? wp_cuda_kernel_launch(&state->kernel[number][dense], grid, block, args,
                                       exec->device->properties.major >= 9, exec->level->stream)
               : error;
}

// A block for each image, or some.
static int run_block(const struct wp_exec *exec, const struct wp_operand *from,
                     const struct wp_operand *to)
{
    const struct packets_state *state = exec->method_state;
    const struct wp_description *d = &exec->description;
    const int depth = wp_description_depth(d);
    const struct wp_batch_types types = types_of(exec, 0, 1);
    const bool forward = d->direction == WP_FORWARD;
    const unsigned grid[3] = {(unsigned)wp_divide_up(depth, state->pass->planes), 1, 1};
    struct wp_packets_args args = {
        .batch = {.planes = depth, .width = d->size[WP_X], .height = d->size[WP_Y]},
        .in = array_of(from),
        .out = array_of(to),
    };
    set_scale(exec, state->pass, forward ? divisor_of(from) : 1, 0, &args);
    set_scale(exec, state->pass, 1, 1, &args);
    return launch(exec, 0, has_no_gaps(exec, from, forward ? types.samples : types.high), grid,
                  &args);
}

static int run_pass(const struct wp_exec *exec, int number, struct wp_packets_args *args)
{
    enum { DEPTH_MOST = 65535 };
    const struct packets_state *state = exec->method_state;
    const struct pass *pass = &state->pass[number];
    const struct wp_batch_types types = types_of(exec, number, state->passes);
    const bool forward = exec->description.direction == WP_FORWARD;
    const int groups = wp_divide_up(args->lines, WP_PACKETS_LINES), leaves = 1 << pass->count;
    const int tiles = wp_divide_up(args->node, tile_of(pass));
    const unsigned grid[3] = {(unsigned)tiles * (unsigned)args->nodes * (unsigned)groups, 1,
                              (unsigned)(args->planes < DEPTH_MOST ? args->planes : DEPTH_MOST)};
    args->vector =
        (unsigned)is_aligned(&args->in, forward ? types.samples : types.high, args->node, args->lines,
                             pass->axis, forward ? 1 : leaves) |
        (unsigned)is_aligned(&args->out, forward ? types.high : types.samples, args->node,
                             args->lines, pass->axis, forward ? leaves : 1) << 1;
    return launch(exec, number, false, grid, args);
}

static struct wp_packets_args args_of(const struct wp_exec *exec, int number, int depth,
                                      const struct wp_operand *from, const struct wp_operand *to)
{
    const struct pass *pass = &((const struct packets_state *)exec->method_state)->pass[number];
    const struct wp_description *d = &exec->description;
    const bool one_row = pass->axis == WP_X && d->size[WP_Y] == 1;
    const int node = d->size[pass->axis] >> pass->first;
    const bool divides = number == 0 && d->direction == WP_FORWARD;
    struct wp_packets_args args = {
        .nodes = 1 << pass->first,
        .node = node,
        .lines = one_row ? depth : d->size[pass->axis == WP_X ? WP_Y : WP_X],
        .planes = one_row ? 1 : depth,
        .in = along(from, pass->axis, one_row),
        .out = along(to, pass->axis, one_row),
    };
    set_scale(exec, pass, divides ? divisor_of(from) : 1, 0, &args);
    return args;
}

// All launches of `depth` slices.
static int run_group(const struct wp_exec *exec, int depth, const struct wp_operand *from,
                     const struct wp_operand *to)
{
    const struct packets_state *state = exec->method_state;
    struct wp_operand in = *from;
    int error = cudaSuccess;
    for (int i = 0; i < state->passes && error == cudaSuccess; i++) {
        const struct wp_operand out = i == state->passes - 1 ? *to : between_of(exec, i);
        struct wp_packets_args args = args_of(exec, i, depth, &in, &out);
        error = run_pass(exec, i, &args);
        in = out;
    }
    return error;
}

int wp_cuda_packets_run(const struct wp_exec *exec, const struct wp_operand *from,
                        const struct wp_operand *to)
{
    const struct packets_state *state = exec->method_state;
    const int depth = wp_description_depth(&exec->description);
    const int group = group_of(exec, state->passes);
    int error = cudaSuccess;
    if (state->pass->block)
        return run_block(exec, from, to);
    for (int z = 0; z < depth && error == cudaSuccess; z += group) {
        const struct wp_operand in = wp_operand_advance(from, WP_Z, z, NULL);
        const struct wp_operand out = wp_operand_advance(to, WP_Z, z, NULL);
        error = run_group(exec, wp_min(depth - z, group), &in, &out);
    }
    return error;
}
