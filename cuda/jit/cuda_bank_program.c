// Kernels of redundant banks: their shape, their source, and the blocks of a launch.
#include "cuda_bank.h"
#include "cuda_jit.h"
#include "min_max.h"
#include "redundant.h"
#include "text.h"

#include <math.h>

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

enum {
    THREADS = 128,  // of a block
    COLUMNS = 4,    // of a thread: 16 bytes of floats
    ROWS = 3,       // of an iteration
    STAGES = 4,     // rows in shared memory
    REGISTERS = 80, // for the rows around a thread's columns; longer filters have fewer columns
    PHASES = 16,    // columns that are filtered alike, at most: a half of a line of the L1 cache
    AROUND = 512    // columns around those of a block, at most, if phases can be fewer
};

static int phases_most(const struct wp_redundant *bank)
{
    int phases = PHASES;
    while (phases > 4 && phases * around_of(bank) > AROUND)
        phases /= 2;
    return phases;
}

static int phases_of(const struct wp_redundant *bank, int step)
{
    const int most = phases_most(bank);
    return step < most ? step : most;
}

static int inputs_of(enum wp_bank_kind kind, unsigned axes)
{
    return kind == WP_BANK_JOIN ? 1 << ((axes & 1) + (axes >> 1 & 1)) : 1;
}

struct wp_bank_shape wp_cuda_bank_shape(const struct wp_redundant *bank, enum wp_bank_kind kind,
                                        unsigned axes, int dilation, bool wide)
{
    const int around = axes & 2 ? around_of(bank) : 0;
    const int windows = kind == WP_BANK_SPLIT ? 1 + (axes & 1) : kind == WP_BANK_JOIN ? 2 : 1;
    struct wp_bank_shape shape = {.columns = COLUMNS, .rows = ROWS, .stages = STAGES,
                                  .threads = THREADS};
    while (shape.columns > 1 &&
           windows * (around + 1) * shape.columns * (wide ? 2 : 1) > REGISTERS)
        shape.columns /= 2;
    const bool far = axes & 1 && dilation >= shape.columns;
    shape.apart = far || !(axes & 1) ? shape.columns : dilation;
    // Four bands are filtered along x, with twice as many loads from shared memory as results if
    // these are neighbors.
    shape.strided = kind == WP_BANK_JOIN && far && shape.columns > 1 && dilation % 4 == 0;
    if (shape.strided)
        shape.apart = phases_of(bank, dilation);
    // As many columns as wp_cuda_bank_place() sets at most.
    const int columns = shape.columns * shape.threads +
                        (axes & 1 ? around_of(bank) * phases_most(bank) : 0) + 8;
    const int tile = columns + (shape.strided ? columns / shape.columns + PHASES : 0);
    shape.bytes = tile * (shape.stages * inputs_of(kind, axes) * (wide ? 8 : 4) +
                          2 * (int)sizeof(int)) +
                  (2 + WP_BANK_ROWS_MOST + around) * (int)sizeof(int);
    return shape;
}

static int lead_of(const struct wp_redundant *bank, int dilation)
{
    int least, most;
    range_of(bank, &least, &most);
    return ((least * dilation) % 4 + 4) % 4;
}

static void add_filters(const struct wp_redundant *bank, unsigned axes,
                        const struct wp_bank_shape *shape, const char *real, struct wp_text *text)
{
    const struct wp_redundant_filter *f = bank->filter;
    int least, most;
    range_of(bank, &least, &most);
    wp_text_add(text,
                "struct filters {\n"
                "    static constexpr unsigned axes = %u;\n"
                "    static constexpr int extension = %d, least = %d, most = %d;\n"
                "    static constexpr int columns = %d, apart = %d, rows = %d, stages = %d;\n"
                "    static constexpr bool strided = %d, centered = %d, difference = %d;\n"
                "    static constexpr __device__ int first(int f) { return f ? %d : %d; }\n"
                "    static constexpr __device__ int count(int f) { return f ? %d : %d; }\n"
                "    static constexpr __device__ %s tap(int f, int i)\n"
                "    {\n"
                "        constexpr %s value[2][%d] = {",
                axes, (int)bank->extension, least, most, shape->columns, shape->apart, shape->rows,
                shape->stages, shape->strided, shape->centered, shape->difference, f[1].first, f[0].first,
                f[1].count, f[0].count, real, real, f[0].count > f[1].count ? f[0].count : f[1].count);
    for (int n = 0; n < 2; n++) {
        wp_text_add(text, "{");
        for (int i = 0; i < f[n].count; i++)
            wp_text_add(text, "%.17g,", f[n].tap[i]);
        wp_text_add(text, n ? "}" : "},");
    }
    wp_text_add(text, "};\n        return value[f][i];\n    }\n};\n\n");
}

void wp_cuda_bank_add_program(const struct wp_redundant *bank, enum wp_bank_kind kind,
                              unsigned axes, const struct wp_bank_shape *shape,
                              const enum wp_element types[5], struct wp_text *text)
{
    bool wide = false;
    for (int i = 0; i < 5; i++)
        wide = wide || types[i] == WP_ELEMENT_F64;
    const char *real = wide ? "double" : "float";
    wp_text_add(text, "#include \"cuda_bank.cuh\"\n\n");
    if (kind != WP_BANK_SUM)
        add_filters(bank, axes, shape, real, text);
    wp_text_add(text,
                "extern \"C\" __global__ void __launch_bounds__(%d, 1)\n" WP_CUDA_PROGRAM_KERNEL
                "(const __grid_constant__ %s args)\n{\n",
                shape->threads,
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


// ---- Launches.

// Sets the columns of blocks, and returns their threads.
static int set_columns(const struct wp_redundant *bank, const struct wp_bank_shape *shape,
                       unsigned axes, struct wp_bank_args *args)
{
    const int step = axes & 1 ? args->dilation : 1, phases = phases_of(bank, step);
    const int around = axes & 1 ? around_of(bank) * phases : 0;
    const int lead = axes & 1 ? lead_of(bank, step) : 0;
    // A thread copies WP_BANK_GROUPS groups of four columns, at most.
    const int results = shape->threads * shape->columns;
    const int copied = WP_BANK_GROUPS * 4 * shape->threads - around - 4;
    const int least = phases > 4 ? phases : 4;
    const int whole = shape->strided ? shape->columns * phases : least;
    const int all = wp_divide_up(args->width, step) * phases;
    const int most = (results < copied ? results : copied) / whole * whole;
    args->outputs = wp_divide_up(wp_divide_up(all, wp_divide_up(all, most)), whole) * whole;
    args->phases = phases;
    args->lead = lead;
    args->groups = wp_divide_up(args->outputs + lead + around, 4);
    args->chunks = wp_divide_up(wp_min(step, args->width), phases);
    args->blocks = wp_divide_up(all, args->outputs) * args->chunks;
    const int filters = args->outputs / shape->columns;
    const int copies = wp_divide_up(args->groups, WP_BANK_GROUPS);
    return wp_divide_up(filters > copies ? filters : copies, 32) * 32;
}

// The number of blocks along x and y, of `rows` rows that are `step` apart. If the image has fewer
// rows than that, no block has two of them.
static double blocks_of(const struct wp_bank_args *args, int step, int rows)
{
    return (double)args->blocks * wp_divide_up(wp_divide_up(args->height, step), rows) *
           wp_min(step, args->height);
}

// Rows of a block: many, since it reads those around them too, but as many blocks as the device
// runs at once, or a multiple of that.
static int rows_of(const struct wp_bank_args *args, int step, int around, int at_once)
{
    enum { LEAST = 8 };
    const int most = WP_BANK_ROWS_MOST;
    int best = most;
    double least = INFINITY;
    for (int rows = LEAST; rows <= most; rows++) {
        const double blocks = blocks_of(args, step, rows) * args->depth;
        const double time = ceil(blocks / (at_once > 0 ? at_once : 1)) * (rows + around);
        if (time < least) {
            best = rows;
            least = time;
        }
    }
    return best;
}

void wp_cuda_bank_place(const struct wp_redundant *bank, const struct wp_bank_shape *shape,
                        unsigned axes, int at_once, struct wp_bank_args *args, unsigned grid[3],
                        unsigned block[2])
{
    enum { DEPTH_MOST = 65535 };
    const int step = axes & 2 ? args->dilation : 1;
    block[0] = (unsigned)set_columns(bank, shape, axes, args);
    block[1] = 1;
    args->rows = rows_of(args, step, axes & 2 ? around_of(bank) : 0, at_once);
    grid[0] = (unsigned)blocks_of(args, step, args->rows);
    grid[1] = 1;
    grid[2] = (unsigned)(args->depth < DEPTH_MOST ? args->depth : DEPTH_MOST);
}
