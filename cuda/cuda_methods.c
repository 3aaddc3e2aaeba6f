// The variants of the CUDA backend: what each can do, and how it runs.
#include "cuda_exec.h"

#include <stdio.h>

enum {
    STRIPS,
    GMEM,
    SMEM,
    REG,
    ILP,
    WARP,
    HYBRID,
    FULL_REGISTER,
    MIXED_BAND,
    CONV_ROW,
    CONV_GLOBAL,
    CONV_TEXTURE,
    CONV_SEPARABLE,
    // Table 3 of quan2016: the block's and the tile's shape.
    BLOCK_32X4_64X16,
    BLOCK_32X4_64X32,
    BLOCK_32X4_64X64,
    BLOCK_32X8_64X16,
    BLOCK_32X8_64X64,
    BLOCK_32X8_64X128,
    BLOCK_32X16_64X16,
    BLOCK_32X16_64X32,
    BLOCK_32X16_64X64,
    BLOCK_32X16_64X128,
    BLOCK_32X32_64X64,
    BLOCK_32X32_64X128,
    FULL_REGISTER_64X16,
    // The schemes of barina2017.
    BLOCK_SEP_CONVOLUTION,
    BLOCK_SEP_POLYCONVOLUTION,
    BLOCK_SEP_LIFTING,
    BLOCK_NONSEP_CONVOLUTION,
    BLOCK_NONSEP_POLYCONVOLUTION,
    BLOCK_NONSEP_LIFTING,
};

// Levels of a plan in the order in which they run.
static int for_each_level(const struct wp_exec *exec, int first,
                          int (*run)(const struct wp_exec *exec, const struct wp_cuda_level *level))
{
    int error = cudaSuccess;
    for (int i = first; i < exec->levels && error == cudaSuccess; i++)
        error = run(exec, &exec->level[exec->level->inverse ? exec->levels - 1 - (i - first) : i]);
    return error;
}

// Bounds below in samples of a level, measured on an H200.
static bool is_larger(const struct wp_cuda_level *level, double samples)
{
    return (double)level->width * (double)level->height > samples;
}

static int run_strips_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    // 1024x1024 takes strips 1.3 times as long as hybrid, 2048x2048 0.9 times. Haar, without a
    // halo, is the exception; an axis of one sample is not for strips.
    const bool haloed = level->reach_low + level->reach_high > 0;
    if ((haloed && !is_larger(level, 1.5e6)) || !wp_cuda_strips_cover(level))
        return wp_cuda_block_run(level, &exec->method->tile);
    return wp_cuda_strips_run(level);
}

// Level l and the next one go in one launch.
static bool goes_deep(const struct wp_exec *exec, int l)
{
    return l + 1 < exec->levels && is_larger(&exec->level[l], 12e6) &&
           wp_cuda_deep_covers(&exec->level[l]);
}

static int run_strips_forward(const struct wp_exec *exec)
{
    int l = wp_cuda_fused_levels(exec->level, exec->levels);
    int error = l ? wp_cuda_fused_run(exec->level, l) : cudaSuccess;
    while (l < exec->levels && error == cudaSuccess) {
        const struct wp_cuda_level *level = &exec->level[l];
        const bool deep = goes_deep(exec, l);
        error = deep ? wp_cuda_deep_run(level) : run_strips_level(exec, level);
        l += deep ? 2 : 1;
    }
    return error;
}

static int run_strips(const struct wp_exec *exec)
{
    if (!exec->level->inverse)
        return run_strips_forward(exec);
    const int fused = wp_cuda_fused_levels(exec->level, exec->levels);
    const int error = for_each_level(exec, fused, run_strips_level);
    return fused && error == cudaSuccess ? wp_cuda_fused_run(exec->level, fused) : error;
}

static int run_steps_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    (void)exec;
    return wp_cuda_steps_run(level);
}

static int run_gmem(const struct wp_exec *exec)
{
    return for_each_level(exec, 0, run_steps_level);
}

static int run_small_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    return wp_cuda_small_run(level, &exec->method->tile);
}

static int run_small(const struct wp_exec *exec)
{
    return for_each_level(exec, 0, run_small_level);
}

static int run_block_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    return wp_cuda_block_run(level, &exec->method->tile);
}

static int run_block(const struct wp_exec *exec)
{
    return for_each_level(exec, 0, run_block_level);
}

static int run_mixed(const struct wp_exec *exec)
{
    const bool mixed = exec->plan->params.layout == WP_LAYOUT_MIXED;
    return wp_cuda_mixed_run(exec->level, exec->levels, mixed ? exec->coefficients : NULL);
}

// Those that the launch of level l computes.
static int levels_of_launch(const struct wp_exec *exec, int l)
{
    enum { MIXED_LEVELS = 4 }; // as wp_cuda_mixed_run() takes them
    if (exec->method->run == run_mixed)
        return MIXED_LEVELS;
    if (exec->method->run != run_strips)
        return 1;
    const int fused = wp_cuda_fused_levels(exec->level, exec->levels);
    return l < fused ? fused : goes_deep(exec, l) ? 2 : 1;
}

struct wp_cost wp_cuda_cost(const struct wp_exec *exec)
{
    struct wp_cost cost = {0};
    for (int l = 0; l < exec->levels; l += levels_of_launch(exec, l))
        cost.bytes += 2.0 * sizeof(float) * exec->level[l].width * exec->level[l].height;
    return cost;
}

static int run_convolution_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    return wp_cuda_convolve_run(level, exec->method->convolution);
}

static int run_convolution(const struct wp_exec *exec)
{
    return for_each_level(exec, 0, run_convolution_level);
}

static void release_textures(struct wp_exec *exec)
{
    for (int l = 0; l < exec->levels; l++)
        wp_cuda_destroy_textures(&exec->level[l]);
}

static int prepare_textures(struct wp_exec *exec)
{
    int error = cudaSuccess;
    exec->own = exec->level;
    for (int l = 0; l < exec->levels && error == cudaSuccess; l++)
        error = wp_cuda_make_textures(&exec->level[l]);
    return error;
}

static int run_schemes(const struct wp_exec *exec)
{
    return for_each_level(exec, 0, wp_cuda_schemes_run_level);
}

static bool fits(const struct wp_plan *plan, int pairs, char *why, size_t why_size)
{
    struct wp_cuda_level level = {.width = 2, .height = 2};
    wp_cuda_set_steps(&level, &plan->params);
    const int reach = level.reach_low + level.reach_high;
    if (reach < pairs)
        return true;
    snprintf(why, why_size, "%s reaches over %d pairs of samples, and a tile has %d",
             plan->params.wavelet->name, reach, pairs);
    return false;
}

static bool fits_8(const struct wp_plan *plan, char *why, size_t why_size)
{
    return fits(plan, 8, why, why_size);
}

static bool fits_16(const struct wp_plan *plan, char *why, size_t why_size)
{
    return fits(plan, 16, why, why_size);
}

static bool fits_32(const struct wp_plan *plan, char *why, size_t why_size)
{
    return fits(plan, WP_CUDA_WINDOW_MAX, why, why_size);
}

static bool fits_20(const struct wp_plan *plan, char *why, size_t why_size)
{
    return fits(plan, 20, why, why_size);
}

static bool covered(const struct wp_plan *plan, char *why, size_t why_size)
{
    struct wp_cuda_level level = {.width = 2, .height = 2};
    wp_cuda_set_steps(&level, &plan->params);
    if (wp_cuda_strips_cover(&level))
        return true;
    snprintf(why, why_size, "its kernels are compiled for the lifting steps of haar, cdf53, cdf97 "
             "and dd137 and what those cover, and %s takes more", plan->params.wavelet->name);
    return false;
}

static bool stays_in_pairs(const struct wp_plan *plan, char *why, size_t why_size)
{
    struct wp_cuda_level level = {.width = 2, .height = 2};
    wp_cuda_set_steps(&level, &plan->params);
    if (wp_cuda_mixed_covers(&level))
        return true;
    snprintf(why, why_size, "%s reaches beyond its pair of samples",
             plan->params.wavelet->name);
    return false;
}

static bool convolves(const struct wp_plan *plan, char *why, size_t why_size)
{
    struct wp_cuda_level level = {.width = 2, .height = 2};
    struct wp_cuda_filter filter[2];
    wp_cuda_set_steps(&level, &plan->params);
    if (wp_cuda_make_filters(&level, 2, filter))
        return true;
    snprintf(why, why_size, "a filter of %s has more than %d taps", plan->params.wavelet->name,
             (int)WP_CUDA_FILTER_MAX);
    return false;
}

// The least shared memory that a GPU of this build can give a block holds this much.
static bool lines_fit(const struct wp_plan *plan, char *why, size_t why_size)
{
    const struct wp_plan_params *p = &plan->params;
    if (p->width <= WP_CUDA_LINE_MAX && p->height <= WP_CUDA_LINE_MAX)
        return convolves(plan, why, why_size);
    snprintf(why, why_size, "a row or column has more than %d samples", (int)WP_CUDA_LINE_MAX);
    return false;
}

// Texels of a texture on linear memory are counted by 27 bits.
static bool textures_fit(const struct wp_plan *plan, char *why, size_t why_size)
{
    const struct wp_plan_params *p = &plan->params;
    if ((double)wp_cuda_pitch(p->width) * (double)p->height <= 1 << 27)
        return convolves(plan, why, why_size);
    snprintf(why, why_size, "a texture has at most 2^27 texels");
    return false;
}

#define BLOCK(warps_, rows_) {.kind = WP_CUDA_TILE_BLOCK, .warps = warps_, .rows = rows_}
#define VARIANT(name_, summary_, supports_) \
    {.name = name_, .summary = summary_, .supports = supports_}
#define SCHEME(name_) \
    VARIANT(name_, "barina2017: the scheme's passes in one kernel, a barrier between", fits_16)
#define SHAPE(name_, shape_, fits_) VARIANT(name_, "quan2016: " shape_, fits_)

const struct wp_variant wp_cuda_variants[] = {
    [STRIPS] = VARIANT("strips",
        "warps walk down strips, in registers; small levels by hybrid; Haar: four levels fused",
        covered),
    [GMEM] = VARIANT("gmem", "quan2016: a launch a lifting step, in device memory", NULL),
    [SMEM] = VARIANT("smem",
        "quan2016: tiles of 32x16 samples in shared memory, a thread a sample",
        fits_32),
    [REG] = VARIANT("reg",
        "quan2016: the same, all steps of a pair in a thread's registers",
        fits_32),
    [ILP] = VARIANT("ilp",
        "quan2016: tiles of 64x40 samples in shared memory, a thread a quad",
        fits_20),
    [WARP] = VARIANT("warp",
        "quan2016: Full-Shuffles, blocks of 32x32 threads, tiles of 64x32 samples",
        fits_16),
    [HYBRID] = VARIANT("hybrid",
        "quan2016: Semi-Shuffles, blocks of 32x8 threads, tiles of 64x32 samples",
        fits_16),
    [FULL_REGISTER] = VARIANT("full-register",
        "quan2016: a tile of 64x32 samples in a warp's registers",
        fits_16),
    [MIXED_BAND] = VARIANT("mixed-band",
        "quan2016: Haar in place, four levels a launch; a permutation for the Mallat layout",
        stays_in_pairs),
    [CONV_ROW] = VARIANT("conv-row",
        "galiano2011's CUDA-Conv: rows, then columns, each in a block's shared memory",
        lines_fit),
    [CONV_GLOBAL] = VARIANT("conv-global",
        "galiano2011's CUDA-Mem: rows, then columns, from global memory",
        convolves),
    [CONV_TEXTURE] = VARIANT("conv-texture",
        "galiano2011's CUDA-Text: the same through texture objects",
        textures_fit),
    [CONV_SEPARABLE] = VARIANT("conv-separable",
        "galiano2011's CUDA-Sep: tiles of rows, then of columns, in shared memory",
        convolves),
    [BLOCK_32X4_64X16] = SHAPE("hybrid-32x4-64x16", "blocks of 32x4, tiles of 64x16", fits_8),
    [BLOCK_32X4_64X32] = SHAPE("hybrid-32x4-64x32", "blocks of 32x4, tiles of 64x32", fits_16),
    [BLOCK_32X4_64X64] = SHAPE("hybrid-32x4-64x64", "blocks of 32x4, tiles of 64x64", fits_32),
    [BLOCK_32X8_64X16] = SHAPE("hybrid-32x8-64x16", "blocks of 32x8, tiles of 64x16", fits_8),
    [BLOCK_32X8_64X64] = SHAPE("hybrid-32x8-64x64", "blocks of 32x8, tiles of 64x64", fits_32),
    [BLOCK_32X8_64X128] = SHAPE("hybrid-32x8-64x128", "blocks of 32x8, tiles of 64x128", fits_32),
    [BLOCK_32X16_64X16] = SHAPE("warp-32x16-64x16",
        "Full-Shuffles, blocks of 32x16, tiles of 64x16",
        fits_8),
    [BLOCK_32X16_64X32] = SHAPE("hybrid-32x16-64x32", "blocks of 32x16, tiles of 64x32", fits_16),
    [BLOCK_32X16_64X64] = SHAPE("hybrid-32x16-64x64", "blocks of 32x16, tiles of 64x64", fits_32),
    [BLOCK_32X16_64X128] = SHAPE("hybrid-32x16-64x128", "blocks of 32x16, tiles of 64x128",
                                 fits_32),
    [BLOCK_32X32_64X64] = SHAPE("hybrid-32x32-64x64", "blocks of 32x32, tiles of 64x64", fits_32),
    [BLOCK_32X32_64X128] = SHAPE("hybrid-32x32-64x128", "blocks of 32x32, tiles of 64x128",
                                 fits_32),
    [FULL_REGISTER_64X16] = VARIANT("full-register-64x16",
        "quan2016: a tile of 64x16 samples in a warp's registers",
        fits_8),
    [BLOCK_SEP_CONVOLUTION] = SCHEME("block-sep-convolution"),
    [BLOCK_SEP_POLYCONVOLUTION] = SCHEME("block-sep-polyconvolution"),
    [BLOCK_SEP_LIFTING] = SCHEME("block-sep-lifting"),
    [BLOCK_NONSEP_CONVOLUTION] = SCHEME("block-nonsep-convolution"),
    [BLOCK_NONSEP_POLYCONVOLUTION] = SCHEME("block-nonsep-polyconvolution"),
    [BLOCK_NONSEP_LIFTING] = SCHEME("block-nonsep-lifting"),
    {0},
};

#define PASSES(scheme_) \
    {.run = run_schemes, .scheme = scheme_, .prepare = wp_cuda_schemes_prepare, \
     .release = wp_cuda_schemes_release}
#define TILED(kind_, warps_, rows_) \
    {.run = run_small, .tile = {.kind = kind_, .warps = warps_, .rows = rows_}}

static const struct wp_cuda_method methods[] = {
    [STRIPS] = {.run = run_strips, .tile = BLOCK(8, 4)},
    [GMEM] = {.run = run_gmem, .scratch = true},
    [SMEM] = TILED(WP_CUDA_TILE_SMEM, 16, 0),
    [REG] = TILED(WP_CUDA_TILE_REG, 16, 0),
    [ILP] = TILED(WP_CUDA_TILE_ILP, 20, 0),
    [WARP] = {.run = run_block, .tile = BLOCK(32, 1)},
    [HYBRID] = {.run = run_block, .tile = BLOCK(8, 4)},
    [FULL_REGISTER] = {.run = run_block,
                       .tile = {.kind = WP_CUDA_TILE_REGISTER, .warps = 4, .rows = 32}},
    [MIXED_BAND] = {.run = run_mixed, .scratch = true},
    [CONV_ROW] = {.run = run_convolution, .scratch = true, .convolution = WP_CUDA_CONVOLVE_LINE},
    [CONV_GLOBAL] = {.run = run_convolution, .scratch = true,
                     .convolution = WP_CUDA_CONVOLVE_GLOBAL},
    [CONV_TEXTURE] = {.run = run_convolution, .scratch = true,
                      .convolution = WP_CUDA_CONVOLVE_TEXTURE,
                      .prepare = prepare_textures, .release = release_textures},
    [CONV_SEPARABLE] = {.run = run_convolution, .scratch = true,
                        .convolution = WP_CUDA_CONVOLVE_TILE},
    [BLOCK_32X4_64X16] = {.run = run_block, .tile = BLOCK(4, 4)},
    [BLOCK_32X4_64X32] = {.run = run_block, .tile = BLOCK(4, 8)},
    [BLOCK_32X4_64X64] = {.run = run_block, .tile = BLOCK(4, 16)},
    [BLOCK_32X8_64X16] = {.run = run_block, .tile = BLOCK(8, 2)},
    [BLOCK_32X8_64X64] = {.run = run_block, .tile = BLOCK(8, 8)},
    [BLOCK_32X8_64X128] = {.run = run_block, .tile = BLOCK(8, 16)},
    [BLOCK_32X16_64X16] = {.run = run_block, .tile = BLOCK(16, 1)},
    [BLOCK_32X16_64X32] = {.run = run_block, .tile = BLOCK(16, 2)},
    [BLOCK_32X16_64X64] = {.run = run_block, .tile = BLOCK(16, 4)},
    [BLOCK_32X16_64X128] = {.run = run_block, .tile = BLOCK(16, 8)},
    [BLOCK_32X32_64X64] = {.run = run_block, .tile = BLOCK(32, 2)},
    [BLOCK_32X32_64X128] = {.run = run_block, .tile = BLOCK(32, 4)},
    [FULL_REGISTER_64X16] = {.run = run_block,
                             .tile = {.kind = WP_CUDA_TILE_REGISTER, .warps = 4, .rows = 16}},
    [BLOCK_SEP_CONVOLUTION] = PASSES(WP_SCHEME_SEP_CONVOLUTION),
    [BLOCK_SEP_POLYCONVOLUTION] = PASSES(WP_SCHEME_SEP_POLYCONVOLUTION),
    [BLOCK_SEP_LIFTING] = PASSES(WP_SCHEME_SEP_LIFTING),
    [BLOCK_NONSEP_CONVOLUTION] = PASSES(WP_SCHEME_NONSEP_CONVOLUTION),
    [BLOCK_NONSEP_POLYCONVOLUTION] = PASSES(WP_SCHEME_NONSEP_POLYCONVOLUTION),
    [BLOCK_NONSEP_LIFTING] = PASSES(WP_SCHEME_NONSEP_LIFTING),
};

const struct wp_cuda_method *wp_cuda_variant_method(const struct wp_variant *variant)
{
    return &methods[variant - wp_cuda_variants];
}

const struct wp_variant *wp_cuda_choose(const struct wp_plan *plan)
{
    static const int order[] = {STRIPS, CONV_SEPARABLE, ILP, GMEM};
    char why[256];
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct wp_variant *variant = &wp_cuda_variants[order[i]];
        if (!variant->supports || variant->supports(plan, why, sizeof why))
            return variant;
    }
    return &wp_cuda_variants[GMEM];
}
