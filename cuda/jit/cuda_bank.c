// The variant `redundant`: redundant banks by kernels that are compiled for their filters and the
// types of the operands, which they access directly: one launch per level of images, three per
// level of volumes.
#include "cuda_bank.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "min_max.h"
#include "redundant.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a kernel is compiled for. `axes`: of its filters, in its own coordinates.
struct kernel_key {
    enum wp_bank_kind kind;
    unsigned axes;
    enum wp_element in, ins, out, outs, other;
    struct wp_bank_shape shape;
};

enum { KERNELS = 32 };

struct bank_state {
    struct wp_redundant bank;
    int kernels;
    struct kernel_key key[KERNELS];
    struct wp_cuda_kernel kernel[KERNELS];
};

// An array with its type. `caller`: of an operand, which has weights.
struct array {
    struct wp_batch_array at;
    enum wp_element type;
    bool caller;
};

// A launch. Filters run along `axes` of the image or volume, x and y, or only z.
struct pass {
    enum wp_bank_kind kind;
    unsigned axes;
    int dilation;
    struct array in[4], out[4], other; // without data if they are not used
    bool difference;
};

static enum wp_element real_of(const struct wp_exec *exec)
{
    return wp_description_arithmetic(&exec->description);
}

static int images_between(const struct wp_description *d)
{
    const int levels = wp_description_levels(d);
    return levels > 2 ? 2 : levels > 0 ? levels - 1 : 0;
}

size_t wp_cuda_bank_scratch(const struct wp_exec *exec)
{
    const struct wp_description *d = &exec->description;
    const int images = images_between(d) + (d->levels_z ? 2 : 0);
    return (size_t)images * wp_cuda_samples(exec) *
           (wp_elements[real_of(exec)].bytes / sizeof(float));
}

// ---- Kernels.

static bool keys_equal(const struct kernel_key *a, const struct kernel_key *b)
{
    return a->kind == b->kind && a->axes == b->axes && a->in == b->in && a->ins == b->ins &&
           a->out == b->out && a->outs == b->outs && a->other == b->other &&
           a->shape.apart == b->shape.apart && a->shape.centered == b->shape.centered &&
           a->shape.difference == b->shape.difference;
}

// Gets the kernel of a key, which is compiled when first needed.
static int get_kernel(const struct wp_exec *exec, const struct kernel_key *key,
                      const struct wp_cuda_kernel **kernel)
{
    struct bank_state *state = exec->method_state;
    int i = 0;
    while (i < state->kernels && !keys_equal(&state->key[i], key))
        i++;
    *kernel = &state->kernel[i];
    if (i < state->kernels)
        return cudaSuccess;
    if (i == KERNELS)
        return cudaErrorInvalidValue; // not reached: a bank has fewer
    struct wp_text source = {0}, why = {0};
    char name[96];
    const enum wp_element types[] = {key->in, key->ins, key->out, key->outs, key->other};
    wp_cuda_bank_add_program(&state->bank, key->kind, key->axes, &key->shape, types, &source);
    snprintf(name, sizeof name, "%s, %s %s", wp_bank_names[exec->description.bank],
             exec->wavelet.name, wp_direction_names[exec->description.direction]);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = &source,
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = key->shape.threads,
        .bytes = key->shape.bytes,
        .may_spill = true,
    };
    const bool ok = wp_cuda_kernel_make(exec->device, &params, &state->kernel[i], &why);
    const int error = wp_cuda_jit_result(exec, ok, &why);
    if (error == cudaSuccess)
        state->key[state->kernels++] = *key;
    return error;
}

int wp_cuda_bank_prepare(struct wp_exec *exec)
{
    const int error = wp_cuda_jit_create_state(exec, sizeof(struct bank_state));
    struct bank_state *state = exec->method_state;
    if (error != cudaSuccess || exec->levels == 0)
        return error;
    return wp_redundant_make(&exec->description, &state->bank) ? cudaSuccess
                                                               : cudaErrorMemoryAllocation;
}

void wp_cuda_bank_release(struct wp_exec *exec)
{
    struct bank_state *state = exec->method_state;
    for (int i = 0; i < state->kernels; i++)
        wp_cuda_kernel_free(&state->kernel[i]);
    free(state);
}

// ---- Launches.

static unsigned within_grid(int depth)
{
    enum { MOST = 65535 };
    return (unsigned)(depth < MOST ? depth : MOST);
}

static void swap_steps(struct wp_batch_array *array)
{
    const ptrdiff_t step = array->step_y;
    array->step_y = array->step_z;
    array->step_z = step;
}

// Exchanges y and z.
static void swap_axes(struct wp_bank_args *args)
{
    const int height = args->height;
    args->height = args->depth;
    args->depth = height;
    args->axes = (args->axes & 1) | (args->axes & 2) << 1 | (args->axes & 4) >> 1;
    for (int i = 0; i < 4; i++) {
        swap_steps(&args->in[i]);
        swap_steps(&args->out[i]);
    }
    swap_steps(&args->other);
}

// True if four neighbors, the first of which is a multiple of four, are aligned to their size, or 16
// bytes.
static bool is_aligned(const struct array *array)
{
    const size_t bytes = 4 * wp_elements[array->type].bytes;
    return !array->at.data ||
           (array->at.step_x == 1 && array->at.step_y % 4 == 0 && array->at.step_z % 4 == 0 &&
            (uintptr_t)array->at.data % (bytes < 16 ? bytes : 16) == 0);
}

static ptrdiff_t step_of(const struct array *array, const struct wp_batch_array *at, int rows)
{
    return at->step_y * rows * (ptrdiff_t)wp_elements[array->type].bytes;
}

static enum wp_element type_of(const struct array *array, enum wp_element other)
{
    return array->at.data ? array->type : other;
}

static int run_pass(const struct wp_exec *exec, const struct pass *pass)
{
    const struct bank_state *state = exec->method_state;
    const struct wp_redundant *bank = &state->bank;
    const enum wp_element real = real_of(exec);
    struct wp_bank_args args = {
        .width = exec->level->width,
        .height = exec->level->height,
        .depth = wp_description_depth(&exec->description),
        .dilation = pass->dilation,
        .vector = is_aligned(&pass->other),
        .axes = bank->axes,
        .other = pass->other.at,
    };
    for (int i = 0; i < 4; i++) {
        args.in[i] = pass->in[i].at;
        args.out[i] = pass->out[i].at;
        args.vector = args.vector && is_aligned(&pass->in[i]) && is_aligned(&pass->out[i]);
        args.divided |= (unsigned)pass->in[i].caller << i;
        args.weighted |= (unsigned)pass->out[i].caller << i;
    }
    args.divided |= (unsigned)pass->other.caller << 4;
    unsigned axes = pass->axes;
    if (axes >> WP_Z & 1)
        axes = 1U << WP_Y;
    // Rows of signals are in the same blocks.
    if (pass->axes >> WP_Z & 1 || (!(axes >> WP_Y & 1) && args.height == 1))
        swap_axes(&args);
    struct kernel_key key = {
        .kind = pass->kind,
        .axes = axes,
        .shape = wp_cuda_bank_shape(bank, pass->kind, axes, args.dilation,
                                    real == WP_ELEMENT_F64),
        .in = pass->in[0].type,
        .ins = type_of(&pass->in[1], real),
        .out = pass->out[0].type,
        .outs = type_of(&pass->out[1], real),
        .other = type_of(&pass->other, real),
    };
    key.shape.centered = pass->kind == WP_BANK_DIFFERENCE && args.other.data == args.in[0].data;
    key.shape.difference = pass->difference;
    const struct wp_cuda_kernel *kernel;
    const int error = get_kernel(exec, &key, &kernel);
    if (error != cudaSuccess)
        return error;
    const int step_y = axes & 2 ? args.dilation : 1;
    for (int i = 0; i < 4; i++) {
        args.in_step[i] = step_of(&pass->in[i], &args.in[i], step_y);
        args.out_step[i] = step_of(&pass->out[i], &args.out[i], step_y);
    }
    args.other_step = step_of(&pass->other, &args.other, step_y);
    unsigned grid[3], block[2];
    wp_cuda_bank_place(bank, &key.shape, axes, kernel->blocks, &args, grid, block);
    return wp_cuda_kernel_launch(kernel, grid, block, &args, false, exec->level->stream);
}

// ---- Levels.

static struct array array_of(const struct wp_operand *operand, enum wp_element type)
{
    return (struct array){
        {operand->data, operand->stride[WP_X], operand->stride[WP_Y], operand->stride[WP_Z]},
        type,
        true,
    };
}

static struct array band_of(const struct wp_exec *exec, const struct wp_operand *coefficients,
                            int level, unsigned band)
{
    const struct wp_operand at =
        wp_operand_band(&exec->description, coefficients, level, (enum wp_band)band, 0);
    return array_of(&at, wp_cuda_operand_type(exec, false));
}

// Image number i of the scratch memory.
static struct array scratch_of(const struct wp_exec *exec, int i)
{
    const size_t bytes = wp_elements[real_of(exec)].bytes;
    return (struct array){
        {(char *)exec->scratch + (size_t)i * wp_cuda_samples(exec) * bytes, 1, exec->pitch,
         exec->slice},
        real_of(exec),
        false,
    };
}

// The low band after `level` levels: the samples, the coefficients, or one of two images.
static struct array low_of(const struct wp_exec *exec, const struct wp_operand *samples,
                           const struct wp_operand *coefficients, int level)
{
    return level == 0 ? array_of(samples, wp_cuda_operand_type(exec, true))
           : level == exec->levels ? band_of(exec, coefficients, level, 0)
                                   : scratch_of(exec, level % images_between(&exec->description));
}

static struct array temporary_of(const struct wp_exec *exec, int i)
{
    return scratch_of(exec, images_between(&exec->description) + i);
}

// The axes of a bank along which a pass over images filters.
static unsigned flat_axes(const struct wp_exec *exec)
{
    return ((const struct bank_state *)exec->method_state)->bank.axes & (1U << WP_X | 1U << WP_Y);
}

// The bands of a pass along x and y, low (`high_z` is 0) or high (1U << WP_Z) along z. Bands of
// one axis are number 0 and 1.
static void set_bands_xy(const struct wp_exec *exec, struct array low,
                         const struct wp_operand *coefficients, int level, unsigned high_z,
                         struct array band[WP_BAND_COUNT])
{
    for (unsigned i = 0, n = 0; i < WP_BAND_COUNT; i++)
        if (!(i & ~flat_axes(exec)))
            band[n++] = i + high_z ? band_of(exec, coefficients, level, i + high_z) : low;
}

// The low and the high band of a pass along z: temporary if the bank also has x or y.
static void set_bands_z(const struct wp_exec *exec, struct array low,
                        const struct wp_operand *coefficients, int level, struct array band[2])
{
    const bool temporary = flat_axes(exec);
    band[0] = temporary ? temporary_of(exec, 0) : low;
    band[1] = temporary ? temporary_of(exec, 1) : band_of(exec, coefficients, level, 1U << WP_Z);
}

static int split(const struct wp_exec *exec, struct array in, struct array low,
                 const struct wp_operand *coefficients, int level)
{
    const unsigned all = ((const struct bank_state *)exec->method_state)->bank.axes;
    const unsigned flat = flat_axes(exec);
    const int dilation = wp_redundant_dilation(level);
    int error = cudaSuccess;
    if (all >> WP_Z & 1) {
        struct pass z = {WP_BANK_SPLIT, 1U << WP_Z, dilation, .in = {in}};
        set_bands_z(exec, low, coefficients, level, z.out);
        error = run_pass(exec, &z);
    }
    for (unsigned b = 0; b <= (all & 1U << WP_Z) && flat && error == cudaSuccess; b += 1U << WP_Z) {
        struct pass xy = {WP_BANK_SPLIT, flat, dilation, .in = {in}};
        if (all >> WP_Z & 1)
            xy.in[0] = temporary_of(exec, b > 0);
        set_bands_xy(exec, low, coefficients, level, b, xy.out);
        error = run_pass(exec, &xy);
    }
    return error;
}

static int join(const struct wp_exec *exec, struct array low, struct array out,
                const struct wp_operand *coefficients, int level)
{
    const unsigned all = ((const struct bank_state *)exec->method_state)->bank.axes;
    const unsigned flat = flat_axes(exec);
    const int dilation = wp_redundant_dilation(level);
    int error = cudaSuccess;
    for (unsigned b = 0; b <= (all & 1U << WP_Z) && flat && error == cudaSuccess; b += 1U << WP_Z) {
        struct pass xy = {WP_BANK_JOIN, flat, dilation, .out = {out}};
        if (all >> WP_Z & 1)
            xy.out[0] = temporary_of(exec, b > 0);
        set_bands_xy(exec, low, coefficients, level, b, xy.in);
        error = run_pass(exec, &xy);
    }
    if (all >> WP_Z & 1 && error == cudaSuccess) {
        struct pass z = {WP_BANK_JOIN, 1U << WP_Z, dilation, .out = {out}};
        set_bands_z(exec, low, coefficients, level, z.in);
        error = run_pass(exec, &z);
    }
    return error;
}

// DIFFERENCE and MERGE: first along z, if the bank has it.
static int smooth(const struct wp_exec *exec, struct pass last)
{
    const unsigned all = ((const struct bank_state *)exec->method_state)->bank.axes;
    const unsigned flat = flat_axes(exec);
    if (!(all >> WP_Z & 1) || !flat) {
        last.axes = all;
        return run_pass(exec, &last);
    }
    struct pass z = {WP_BANK_SMOOTH, 1U << WP_Z, last.dilation, .in = {last.in[0]},
                     .out = {temporary_of(exec, 0)}, .difference = last.difference};
    if (last.difference)
        z.other = last.other;
    last.in[0] = z.out[0];
    last.axes = flat;
    last.difference = false;
    const int error = run_pass(exec, &z);
    return error == cudaSuccess ? run_pass(exec, &last) : error;
}

static int run_level(const struct wp_exec *exec, const struct wp_operand *samples,
                     const struct wp_operand *coefficients, int level)
{
    const struct wp_redundant *bank = &((const struct bank_state *)exec->method_state)->bank;
    const struct array before = low_of(exec, samples, coefficients, level - 1);
    const struct array after = low_of(exec, samples, coefficients, level);
    if (bank->rule == WP_LEVEL_SPLIT)
        return split(exec, before, after, coefficients, level);
    if (bank->rule == WP_LEVEL_JOIN)
        return join(exec, after, before, coefficients, level);
    struct pass pass = {.dilation = wp_redundant_dilation(level)};
    const struct array band = band_of(exec, coefficients, level, bank->axes);
    if (bank->rule == WP_LEVEL_DIFFERENCE) {
        pass.kind = WP_BANK_DIFFERENCE;
        pass.in[0] = pass.other = before;
        pass.out[0] = after;
        pass.out[1] = band;
    } else {
        pass.kind = WP_BANK_MERGE;
        pass.in[0] = after;
        pass.other = band;
        pass.out[0] = before;
        pass.difference = true;
    }
    return smooth(exec, pass);
}

// The sum of all bands, or a copy of the samples in each.
static int run_sum(const struct wp_exec *exec, const struct wp_operand *samples,
                   const struct wp_operand *coefficients, bool forward)
{
    enum { THREADS = 128 };
    const struct wp_redundant *bank = &((const struct bank_state *)exec->method_state)->bank;
    const enum wp_element high = wp_cuda_operand_type(exec, false);
    struct wp_bank_sum sum = {
        .width = exec->level->width,
        .height = exec->level->height,
        .depth = wp_description_depth(&exec->description),
        .inputs = forward ? 1 : exec->levels + 1,
        .outputs = forward ? exec->levels + 1 : 1,
    };
    struct wp_batch_array *of_samples = forward ? sum.in : sum.out;
    struct wp_batch_array *of_bands = forward ? sum.out : sum.in;
    const struct array all = array_of(samples, wp_cuda_operand_type(exec, true));
    of_samples[0] = all.at;
    for (int l = 0; l <= exec->levels; l++)
        of_bands[l] = band_of(exec, coefficients, l ? l : exec->levels, l ? bank->axes : 0).at;
    const struct kernel_key key = {
        .kind = WP_BANK_SUM,
        .in = forward ? all.type : high,
        .ins = high,
        .out = forward ? high : all.type,
        .outs = high,
        .other = real_of(exec),
        .shape = {.threads = THREADS},
    };
    const struct wp_cuda_kernel *kernel;
    const int error = get_kernel(exec, &key, &kernel);
    const unsigned grid[] = {(unsigned)wp_divide_up(sum.width, THREADS),
                             within_grid(wp_divide_up(sum.height, WP_BANK_SUM_ROWS)),
                             within_grid(sum.depth)};
    const unsigned block[] = {THREADS, 1};
    return error == cudaSuccess ? wp_cuda_kernel_launch(kernel, grid, block, &sum, false,
                                                        exec->level->stream)
                                : error;
}

int wp_cuda_bank_run(const struct wp_exec *exec, const struct wp_operand *from,
                     const struct wp_operand *to)
{
    const bool forward = exec->description.direction == WP_FORWARD;
    const struct wp_operand *samples = forward ? from : to, *coefficients = forward ? to : from;
    const enum wp_level_rule rule = ((const struct bank_state *)exec->method_state)->bank.rule;
    if (rule == WP_LEVEL_SUM || rule == WP_LEVEL_REPEAT)
        return run_sum(exec, samples, coefficients, forward);
    int error = cudaSuccess;
    for (int i = 0; i < exec->levels && error == cudaSuccess; i++)
        error = run_level(exec, samples, coefficients, forward ? i + 1 : exec->levels - i);
    return error;
}
