// The variant `redundant`: redundant banks by kernels that are compiled for their filters and the
// types of the operands, which they access directly: one launch per level of images, three per
// level of volumes.
#include "cuda_bank.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "redundant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a kernel is compiled for. `axes`: of its filters, in its own coordinates.
struct kernel_key {
    enum wp_bank_kind kind;
    unsigned axes;
    enum wp_element in, ins, out, outs, other;
};

enum { KERNELS = 16 };

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

// The range of the taps of both filters.
static void range_of(const struct wp_redundant *bank, int *least, int *most)
{
    *least = *most = 0;
    for (int f = 0; f < 2; f++) {
        const struct wp_redundant_filter *filter = &bank->filter[f];
        const int last = filter->first + filter->count - 1;
        if (filter->count > 0 && filter->first < *least)
            *least = filter->first;
        if (filter->count > 0 && last > *most)
            *most = last;
    }
}

static int around_of(const struct wp_redundant *bank)
{
    int least, most;
    range_of(bank, &least, &most);
    return most - least;
}

// Threads of a block, at most: enough columns that have results.
static int threads_of(const struct wp_redundant *bank, unsigned axes)
{
    enum { FEW = 128, MOST = 1024 };
    int threads = 256;
    if (!(axes & 1))
        return FEW;
    while (threads < MOST && threads / WP_BANK_PHASES < 2 * around_of(bank))
        threads *= 2;
    return threads;
}

static int bytes_of(const struct wp_exec *exec, const struct kernel_key *key, int threads)
{
    const int columns = key->kind == WP_BANK_SPLIT  ? 1 + (key->axes >> WP_Y & 1)
                        : key->kind == WP_BANK_JOIN ? 1 + (key->axes >> WP_X & 1)
                                                    : 1;
    return key->axes & 1 ? 2 * WP_BANK_ROWS * columns * threads *
                               (int)wp_elements[real_of(exec)].bytes
                         : 0;
}

// Blocks per multiprocessor, which limits registers, of filters that have so few taps that they
// suffice.
static int resident_of(const struct wp_redundant *bank, enum wp_bank_kind kind, unsigned axes,
                       bool wide)
{
    enum { AROUND = 8 };
    return wide || around_of(bank) > AROUND || !(axes & 1) ? 1 : kind == WP_BANK_JOIN ? 3 : 4;
}

static void add_filters(const struct wp_redundant *bank, unsigned axes, const char *real,
                        struct wp_text *text)
{
    const struct wp_redundant_filter *f = bank->filter;
    int least, most;
    range_of(bank, &least, &most);
    wp_text_add(text,
                "struct filters {\n"
                "    static constexpr unsigned axes = %u;\n"
                "    static constexpr int extension = %d, least = %d, most = %d;\n"
                "    static constexpr __device__ int first(int f) { return f ? %d : %d; }\n"
                "    static constexpr __device__ int count(int f) { return f ? %d : %d; }\n"
                "    static constexpr __device__ %s tap(int f, int i)\n"
                "    {\n"
                "        constexpr %s value[2][%d] = {",
                axes, (int)bank->extension, least, most, f[1].first, f[0].first, f[1].count,
                f[0].count, real, real, f[0].count > f[1].count ? f[0].count : f[1].count);
    for (int n = 0; n < 2; n++) {
        wp_text_add(text, "{");
        for (int i = 0; i < f[n].count; i++)
            wp_text_add(text, "%.17g,", f[n].tap[i]);
        wp_text_add(text, n ? "}" : "},");
    }
    wp_text_add(text, "};\n        return value[f][i];\n    }\n};\n\n");
}

void wp_cuda_bank_add_program(const struct wp_redundant *bank, enum wp_bank_kind kind,
                              unsigned axes, const enum wp_element types[5], struct wp_text *text)
{
    bool wide = false;
    for (int i = 0; i < 5; i++)
        wide = wide || types[i] == WP_ELEMENT_F64;
    const char *real = wide ? "double" : "float";
    wp_text_add(text, "#include \"cuda_bank.cuh\"\n\n");
    if (kind != WP_BANK_SUM)
        add_filters(bank, axes, real, text);
    wp_text_add(text,
                "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n" WP_CUDA_PROGRAM_KERNEL
                "(const __grid_constant__ %s args)\n{\n",
                threads_of(bank, axes), resident_of(bank, kind, axes, wide),
                kind == WP_BANK_SUM ? "wp_bank_sum" : "wp_bank_args");
    if (kind == WP_BANK_SUM)
        wp_text_add(text,
                    "    wp_bank_add<%s, (wp_element)%d, (wp_element)%d, (wp_element)%d, "
                    "(wp_element)%d>(args);\n}\n",
                    real, (int)types[0], (int)types[1], (int)types[2], (int)types[3]);
    else
        wp_text_add(text,
                    "    extern __shared__ %s shared[];\n"
                    "    wp_bank_level<filters, (wp_bank_kind)%d, %s, %s, (wp_element)%d, "
                    "(wp_element)%d, (wp_element)%d, (wp_element)%d, (wp_element)%d> level = "
                    "{args};\n"
                    "    level.run(shared);\n}\n",
                    real, (int)kind, bank->weighted ? "true" : "false", real, (int)types[0],
                    (int)types[1], (int)types[2], (int)types[3], (int)types[4]);
}

static bool keys_equal(const struct kernel_key *a, const struct kernel_key *b)
{
    return a->kind == b->kind && a->axes == b->axes && a->in == b->in && a->ins == b->ins &&
           a->out == b->out && a->outs == b->outs && a->other == b->other;
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
    const int threads = threads_of(&state->bank, key->axes);
    wp_cuda_bank_add_program(&state->bank, key->kind, key->axes, types, &source);
    snprintf(name, sizeof name, "%s, %s %s", wp_bank_names[exec->description.bank],
             exec->wavelet.name, wp_direction_names[exec->description.direction]);
    const struct wp_cuda_kernel_params params = {
        .name = name,
        .source = &source,
        .function = WP_CUDA_PROGRAM_KERNEL,
        .threads = threads,
        .bytes = bytes_of(exec, key, threads),
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

static unsigned divide_up(int n, int by)
{
    return (unsigned)((n + by - 1) / by);
}

static int most_of(int a, int b)
{
    return a > b ? a : b;
}

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

// Rows of a block: many, since it reads those around them too, but as many blocks as the device
// runs at once, or a multiple of that.
static int rows_of(const struct wp_bank_args *args, int step, int around, unsigned columns,
                   int blocks_at_once)
{
    enum { MOST = 64, LEAST = 8, GRID_MOST = 65535 };
    const int all = (int)divide_up(args->height, step);
    int best = MOST;
    double least = INFINITY;
    for (int rows = LEAST; rows <= MOST; rows *= 2) {
        const double blocks =
            (double)columns * divide_up(all, rows) * step * within_grid(args->depth);
        const double time = ceil(blocks / blocks_at_once) * (rows + around);
        if (time < least) {
            best = rows;
            least = time;
        }
    }
    while (divide_up(all, best) * (unsigned)step > GRID_MOST)
        best *= 2;
    return best;
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
        .difference = pass->difference,
        .axes = bank->axes,
        .other = pass->other.at,
    };
    for (int i = 0; i < 4; i++) {
        args.in[i] = pass->in[i].at;
        args.out[i] = pass->out[i].at;
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
    const struct kernel_key key = {
        .kind = pass->kind,
        .axes = axes,
        .in = pass->in[0].type,
        .ins = type_of(&pass->in[1], real),
        .out = pass->out[0].type,
        .outs = type_of(&pass->out[1], real),
        .other = type_of(&pass->other, real),
    };
    const struct wp_cuda_kernel *kernel;
    const int error = get_kernel(exec, &key, &kernel);
    if (error != cudaSuccess)
        return error;
    const bool along_x = axes & 1;
    const int step_x = along_x ? args.dilation : 1, step_y = axes & 2 ? args.dilation : 1;
    const int phases = step_x < WP_BANK_PHASES ? step_x : (int)WP_BANK_PHASES;
    const int around = along_x ? around_of(bank) : 0;
    const int needed = phases * ((int)divide_up(args.width, step_x) + around);
    const int most = threads_of(bank, axes);
    const int threads = needed < most ? (needed + 31) / 32 * 32 : most;
    const unsigned columns = divide_up(args.width, most_of(threads / phases - around, 1) * step_x) *
                             (unsigned)(step_x / phases);
    args.rows = rows_of(&args, step_y, axes & 2 ? around_of(bank) : 0, columns,
                        kernel->blocks > 0 ? kernel->blocks : 1);
    const unsigned grid[] = {columns,
                             divide_up(args.height, args.rows * step_y) * (unsigned)step_y,
                             within_grid(args.depth)};
    const unsigned block[] = {(unsigned)threads, 1};
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
    };
    const struct wp_cuda_kernel *kernel;
    const int error = get_kernel(exec, &key, &kernel);
    const unsigned grid[] = {divide_up(sum.width, THREADS),
                             within_grid((int)divide_up(sum.height, WP_BANK_ROWS)),
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
