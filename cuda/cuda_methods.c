// The variants of the CUDA backend, which descriptions they support, and how they run.
#include "cuda_exec.h"
#include "cuda_kernel.h"
#include "cuda_jit.h"
#include "cuda_nvtx.h"
#include "log.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

// Runs levels, from `first` on, in order of execution.
static int for_each_level(const struct wp_exec *exec, int first,
                          int (*run)(const struct wp_exec *exec, const struct wp_cuda_level *level))
{
    int error = cudaSuccess;
    for (int i = first; i < exec->levels && error == cudaSuccess; i++)
        error = run(exec, &exec->level[exec->level->inverse ? exec->levels - 1 - (i - first) : i]);
    return error;
}

// The limits below are samples of a level, measured on an H200.
static bool is_larger(const struct wp_cuda_level *level, double samples)
{
    return (double)level->width * (double)level->height > samples;
}

static const double PATCHES_LEAST = 1.5e6;

// True if `hybrid` is used instead of `patches`: for small levels, where it is faster, except for
// Haar, which has no halo; and if no shape covers the level (an axis of one sample).
static bool is_for_hybrid(const struct wp_cuda_level *level)
{
    const bool haloed = level->reach_low + level->reach_high > 0;
    return (haloed && !is_larger(level, PATCHES_LEAST)) || !wp_cuda_patches_cover(level);
}

// Runs the fused levels in one launch, and the others one by one.
static int run_fused_and(const struct wp_exec *exec,
                         int (*run)(const struct wp_exec *exec, const struct wp_cuda_level *level))
{
    const bool inverse = exec->level->inverse;
    const int fused = wp_cuda_fused_levels(exec->level, exec->levels);
    int error = fused && !inverse ? wp_cuda_fused_run(exec->level, fused) : cudaSuccess;
    if (error == cudaSuccess)
        error = for_each_level(exec, fused, run);
    return fused && inverse && error == cudaSuccess ? wp_cuda_fused_run(exec->level, fused) : error;
}

static int run_patches_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    const struct wp_cuda_typed *samples = &exec->typed[true];
    if (is_for_hybrid(level))
        return wp_cuda_small_patches_support(level) ? wp_cuda_small_patches_run(level)
                                                 : wp_cuda_block_run(level, &exec->method->tile);
    return samples->direct && level == exec->level
               ? wp_cuda_typed_kernel_run(samples->kernel, level, &samples->elements)
               : wp_cuda_patches_run(level);
}

static int run_patches(const struct wp_exec *exec)
{
    return run_fused_and(exec, run_patches_level);
}

bool wp_cuda_supports_typed(const struct wp_exec *exec)
{
    return exec->method->patches && wp_description_depth(&exec->description) == 1 &&
           exec->levels > 0 && wp_cuda_fused_levels(exec->level, exec->levels) == 0 &&
           !is_for_hybrid(exec->level);
}

static int run_steps_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    (void)exec;
    return wp_cuda_steps_run(level);
}

static int run_planar_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    (void)exec;
    return wp_cuda_planar_run(level);
}

static bool is_image(const struct wp_exec *exec)
{
    return wp_description_depth(&exec->description) == 1;
}

static int run_planar(const struct wp_exec *exec)
{
    return is_image(exec) ? run_patches(exec) : for_each_level(exec, 0, run_planar_level);
}

static int run_stream_z_level(const struct wp_cuda_level *level, int count)
{
    (void)count;
    return wp_cuda_stream_z_covers(level) ? wp_cuda_stream_z_run(level) : wp_cuda_planar_run(level);
}

// A launch, and the number of levels of a volume that it computes.
struct launch {
    int count;
    int (*run)(const struct wp_cuda_level *levels, int count);
};

static struct launch launch_at(const struct wp_exec *exec, int l)
{
    const struct wp_cuda_method *method = exec->method;
    const struct wp_cuda_level *level = &exec->level[l];
    const int rest = exec->levels - l, blocks = wp_cuda_blocks_levels(level, rest);
    if (method->blocks && blocks >= method->blocks)
        return (struct launch){blocks, wp_cuda_blocks_run};
    if (method->temporal && rest >= method->temporal && wp_cuda_temporal_covers(level, rest))
        return (struct launch){rest, wp_cuda_temporal_run};
    return (struct launch){1, run_stream_z_level};
}

static int run_launches(const struct wp_exec *exec, int first)
{
    if (first == exec->levels)
        return cudaSuccess;
    const struct launch launch = launch_at(exec, first);
    const struct wp_cuda_level *level = &exec->level[first];
    const bool inverse = level->inverse;
    int error = inverse ? run_launches(exec, first + launch.count)
                        : launch.run(level, launch.count);
    if (error == cudaSuccess)
        error = inverse ? launch.run(level, launch.count)
                        : run_launches(exec, first + launch.count);
    return error;
}

// True for volumes of the mixed layout whose first launch computes one level.
static bool uses_packed_lowpass(const struct wp_exec *exec)
{
    return !is_image(exec) && launch_at(exec, 0).run == run_stream_z_level &&
           wp_cuda_packed_lowpass_scratch(exec) > 0;
}

// Floats of scratch for levels in two passes; that of packed lowpass levels follows.
static size_t planar_scratch(const struct wp_exec *exec)
{
    return (wp_cuda_stream_z_scratch(exec) + 127) / 128 * 128;
}

static size_t stream_z_scratch(const struct wp_exec *exec)
{
    return planar_scratch(exec) +
           (uses_packed_lowpass(exec) ? wp_cuda_packed_lowpass_scratch(exec) : 0);
}

static int run_stream_z(const struct wp_exec *exec)
{
    if (is_image(exec))
        return run_patches(exec);
    if (uses_packed_lowpass(exec))
        return wp_cuda_packed_lowpass_run(exec, exec->scratch + planar_scratch(exec),
                                          run_stream_z_level);
    return run_launches(exec, 0);
}

static int run_small_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    return wp_cuda_small_run(level, &exec->method->tile);
}

static int run_block_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    return wp_cuda_block_run(level, &exec->method->tile);
}

static int run_mixed(const struct wp_exec *exec)
{
    const bool mixed = exec->description.layout == WP_LAYOUT_MIXED;
    return wp_cuda_mixed_run(exec->level, exec->levels, mixed ? exec->coefficients : NULL);
}

// The number of levels that the launch of level l computes.
static int levels_of_launch(const struct wp_exec *exec, int l)
{
    enum { MIXED_LEVELS = 4 }; // per launch of wp_cuda_mixed_run()
    if (exec->method->run == run_mixed)
        return MIXED_LEVELS;
    if (exec->method->run == run_stream_z && !is_image(exec))
        return launch_at(exec, l).count;
    if (exec->method->run != run_patches)
        return 1;
    const int fused = wp_cuda_fused_levels(exec->level, exec->levels);
    return l < fused ? fused : 1;
}

struct wp_cost wp_cuda_cost(const struct wp_exec *exec)
{
    struct wp_cost cost = {0};
    for (int l = 0; l < exec->levels; l += levels_of_launch(exec, l))
        cost.bytes += 2.0 * sizeof(float) * exec->level[l].width * exec->level[l].height *
                      exec->level[l].depth;
    return cost;
}

static int run_convolution_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    return wp_cuda_convolve_run(level, exec->method->convolution);
}

// Volumes have three passes and two arrays between them; an inverse uses its samples as one.
static size_t two_arrays(const struct wp_exec *exec)
{
    const bool two = !is_image(exec) && exec->description.direction == WP_FORWARD;
    return (two ? 2 : 1) * wp_cuda_samples(exec);
}

static void release_textures(struct wp_exec *exec)
{
    for (int l = 0; l < exec->levels; l++)
        wp_cuda_destroy_textures(&exec->level[l]);
}

static int prepare_textures(struct wp_exec *exec)
{
    int error = cudaSuccess;
    exec->method_state = exec->level;
    for (int l = 0; l < exec->levels && error == cudaSuccess; l++)
        error = wp_cuda_make_textures(&exec->level[l]);
    return error;
}

// A level with the steps of a description.
static struct wp_cuda_level level_of(const struct wp_description *description)
{
    struct wp_cuda_level level = {.width = 2, .height = 2};
    const struct wp_lifting lifting = wp_description_lifting(description);
    wp_cuda_set_steps(&level, &lifting);
    return level;
}

static bool is_batch(const struct wp_description *description)
{
    return wp_description_depth(description) > 1 && description->levels_z == 0;
}

static bool supports(const struct wp_variant *variant, const struct wp_description *description,
                     char *why, size_t why_size)
{
    const struct wp_cuda_method *method = variant->private_data;
    if (description->reversible && !method->rounds) {
        snprintf(why, why_size, "it does not support reversible transforms");
        return false;
    }
    if (wp_description_is_redundant(description) != method->redundant) {
        snprintf(why, why_size, "it does not support bank '%s'", wp_bank_names[description->bank]);
        return false;
    }
    if (method->packets && description->bank != WP_BANK_PACKETS) {
        snprintf(why, why_size, "it supports only bank '%s'", wp_bank_names[WP_BANK_PACKETS]);
        return false;
    }
    if (description->border >= WP_BORDER_NATIVE && !method->borders) {
        snprintf(why, why_size, "it does not support the borders of PyWavelets");
        return false;
    }
    if (!method->wide && (description->samples == WP_ELEMENT_F64 ||
                          description->coefficients == WP_ELEMENT_F64)) {
        snprintf(why, why_size, "it does not support samples of type f64");
        return false;
    }
    if (method->volumes || wp_description_depth(description) == 1 ||
        (variant->batches && is_batch(description)))
        return !method->supports || method->supports(variant, description, why, why_size);
    snprintf(why, why_size, "it does not support volumes");
    return false;
}

static bool fits(const struct wp_variant *variant, const struct wp_description *description,
                 char *why, size_t why_size)
{
    const struct wp_cuda_method *method = variant->private_data;
    const struct wp_cuda_level level = level_of(description);
    const int reach = level.reach_low + level.reach_high;
    if (reach < method->tile_pairs)
        return true;
    snprintf(why, why_size, "%s reaches over %d pairs of samples, and a tile has %d",
             description->wavelet->name, reach, method->tile_pairs);
    return false;
}

static bool covered(const struct wp_variant *variant, const struct wp_description *description,
                    char *why, size_t why_size)
{
    (void)variant;
    const struct wp_cuda_level level = level_of(description);
    if (wp_cuda_patches_cover(&level))
        return true;
    snprintf(why, why_size,
             "its kernels support the lifting steps of haar, cdf53, cdf97 and dd137, "
             "and %s has more taps",
             description->wavelet->name);
    return false;
}

static bool jit_supports(const struct wp_variant *variant, const struct wp_description *description,
                        char *why, size_t why_size)
{
    enum { GRID_MOST = 65535 };
    (void)variant;
    const struct wp_cuda_level level = level_of(description);
    if (wp_description_depth(description) > GRID_MOST) {
        snprintf(why, why_size, "it supports at most %d images at once", (int)GRID_MOST);
        return false;
    }
    return wp_cuda_jit_covers(&level, description->wavelet->name, why, why_size);
}

static bool jit_runs_on(const struct wp_variant *variant, const struct wp_device *device,
                         char *why, size_t why_size)
{
    (void)variant;
    return wp_cuda_kernels_run_on(device, why, why_size);
}

static bool batch_supports(const struct wp_variant *variant,
                           const struct wp_description *description, char *why, size_t why_size)
{
    (void)variant;
    const struct wp_cuda_level level = level_of(description);
    return wp_cuda_batch_covers(&level, description, why, why_size);
}

static bool packets_supports(const struct wp_variant *variant,
                             const struct wp_description *description, char *why, size_t why_size)
{
    (void)variant;
    const struct wp_cuda_level level = level_of(description);
    return wp_cuda_packets_covers(&level, description, why, why_size);
}

// All low bands between levels are in its own memory.
static bool keeps_none(const struct wp_exec *exec, int level)
{
    (void)exec, (void)level;
    return false;
}

static bool stays_in_pairs(const struct wp_variant *variant,
                           const struct wp_description *description, char *why, size_t why_size)
{
    (void)variant;
    const struct wp_cuda_level level = level_of(description);
    if (wp_cuda_mixed_covers(&level))
        return true;
    snprintf(why, why_size, "%s reaches beyond its pair of samples", description->wavelet->name);
    return false;
}

static bool is_for_blocks(const struct wp_variant *variant,
                          const struct wp_description *description, char *why, size_t why_size)
{
    (void)variant;
    const struct wp_cuda_level level = level_of(description);
    if (wp_cuda_blocks_cover(&level))
        return true;
    snprintf(why, why_size, "it supports only haar, whose steps stay inside their pairs, not %s",
             description->wavelet->name);
    return false;
}

static bool is_purely_temporal(const struct wp_variant *variant,
                            const struct wp_description *description, char *why, size_t why_size)
{
    const int depth = wp_description_depth(description);
    const bool apart = description->decomposition == WP_DECOMPOSITION_SPATIAL_TEMPORAL ||
                       !description->levels || !description->levels_z;
    if (depth <= WP_CUDA_TEMPORAL_MAX && apart)
        return covered(variant, description, why, why_size);
    if (depth > WP_CUDA_TEMPORAL_MAX)
        snprintf(why, why_size, "it supports at most %d slices per group, and there are %d",
                 (int)WP_CUDA_TEMPORAL_MAX, depth);
    else
        snprintf(why, why_size, "it supports levels along z only after all levels of slices "
                 "(spatial-temporal)");
    return false;
}

static bool convolves(const struct wp_variant *variant, const struct wp_description *description,
                      char *why, size_t why_size)
{
    (void)variant;
    const struct wp_cuda_level level = level_of(description);
    const int *size = description->size;
    struct wp_cuda_filter filter[2];
    if ((double)wp_cuda_pitch(size[WP_X]) * (double)size[WP_Y] > INT_MAX &&
        wp_description_depth(description) > 1) {
        snprintf(why, why_size, "a slice has more than 2^31 samples");
        return false;
    }
    if (wp_cuda_make_filters(&level, 2, filter))
        return true;
    snprintf(why, why_size, "a filter of %s has more than %d taps", description->wavelet->name,
             (int)WP_CUDA_FILTER_MAX);
    return false;
}

// WP_CUDA_LINE_MAX samples fit into the shared memory of a block on all supported GPUs.
static bool lines_fit(const struct wp_variant *variant, const struct wp_description *description,
                      char *why, size_t why_size)
{
    const int *size = description->size;
    if (size[WP_X] <= WP_CUDA_LINE_MAX && size[WP_Y] <= WP_CUDA_LINE_MAX)
        return convolves(variant, description, why, why_size);
    snprintf(why, why_size, "a row or column has more than %d samples", (int)WP_CUDA_LINE_MAX);
    return false;
}

// A texture on linear memory has at most 2^27 texels.
static bool textures_fit(const struct wp_variant *variant,
                         const struct wp_description *description, char *why, size_t why_size)
{
    const int *size = description->size;
    if ((double)wp_cuda_pitch(size[WP_X]) * (double)size[WP_Y] <= 1 << 27)
        return convolves(variant, description, why, why_size);
    snprintf(why, why_size, "a texture has at most 2^27 texels");
    return false;
}

#define BLOCK(warps_, rows_) {.kind = WP_CUDA_TILE_BLOCK, .warps = warps_, .rows = rows_}
#define REGISTER(rows_) {.kind = WP_CUDA_TILE_REGISTER, .warps = 4, .rows = rows_}

// The other arguments are members of its struct wp_cuda_method.
#define VARIANT(name_, summary_, supports_, ...) \
    {.name = name_, .summary = summary_, .supports = supports, \
     .private_data = &(const struct wp_cuda_method){.supports = supports_, __VA_ARGS__}}

#define JIT(name_, summary_) \
    {.name = name_, .summary = summary_, .supports = supports, .runs_on = jit_runs_on, \
     .batches = true, \
     .private_data = &(const struct wp_cuda_method){ \
         .supports = jit_supports, .run_level = wp_cuda_jit_run_level, .priority = 3, \
         .priority_batch = 2, .rounds = true, .borrows = true, \
         .scratch = wp_cuda_jit_scratch, \
         .prepare = wp_cuda_jit_prepare, .release = wp_cuda_jit_release}}

#define SMALL(name_, summary_, tile_pairs_, kind_, warps_) \
    VARIANT(name_, summary_, fits, .run_level = run_small_level, .borrows = true, \
            .tile_pairs = tile_pairs_, .tile = {.kind = kind_, .warps = warps_})
#define TILES(name_, summary_, tile_pairs_, ...) \
    VARIANT(name_, "quan2016: " summary_, fits, .run_level = run_block_level, .borrows = true, \
            .tile_pairs = tile_pairs_, .tile = __VA_ARGS__)
#define CONVOLUTION(name_, summary_, supports_, kind_) \
    VARIANT(name_, "galiano2011's " summary_, supports_, .run_level = run_convolution_level, \
            .scratch = wp_cuda_samples, .convolution = kind_)
#define SCHEME(name_, scheme_) \
    VARIANT("block-" name_, \
            "barina2017: the scheme's passes in one kernel, with barriers between", fits, \
            .run_level = wp_cuda_schemes_run_level, .borrows = true, .tile_pairs = 16, \
            .scheme = scheme_, .prepare = wp_cuda_schemes_prepare, \
            .release = wp_cuda_schemes_release)

const struct wp_variant wp_cuda_variants[] = {
    VARIANT(
        "patches",
        "a warp has a patch of rows in registers; small levels by hybrid; Haar: four levels fused",
        covered, .run = run_patches, .borrows = true, .patches = true, .priority = 1,
        .priority_loose = 4, .priority_narrow = 2, .tile = BLOCK(8, 4), .rounds = true),
    JIT("made", "as patches, with the taps of one wavelet, compiled when first used"),
    VARIANT("gmem", "quan2016: one launch per lifting step, in device memory", NULL,
            .run_level = run_steps_level, .priority = 8, .scratch = wp_cuda_samples,
            .volumes = true, .rounds = true),
    VARIANT("march", "volumes: tiles stream along z, one pass per level; images: as patches",
            covered, .run = run_stream_z, .borrows = true, .patches = true, .priority = 2,
            .priority_loose = 5, .priority_batch = 3, .tile = BLOCK(8, 4), .volumes = true,
            .blocks = 2, .temporal = 2, .scratch = stream_z_scratch),
    {.name = "batch",
     .summary = "many images at once, all levels of small ones in one launch, compiled when first "
                "used",
     .supports = supports, .runs_on = jit_runs_on, .batches = true,
     .private_data = &(const struct wp_cuda_method){
         .supports = batch_supports, .run_operands = wp_cuda_batch_run,
         .keeps = wp_cuda_batch_keeps, .priority = 9,
         .priority_batch = 1, .priority_narrow = 1, .wide = true, .borders = true,
         .prepare = wp_cuda_batch_prepare, .release = wp_cuda_batch_release}},
    {.name = "redundant",
     .summary = "redundant banks, one launch per level, compiled when first used",
     .supports = supports, .runs_on = jit_runs_on, .batches = true,
     .private_data = &(const struct wp_cuda_method){
         .run_operands = wp_cuda_bank_run, .keeps = keeps_none, .priority = 1, .volumes = true,
         .wide = true, .redundant = true, .scratch = wp_cuda_bank_scratch,
         .prepare = wp_cuda_bank_prepare, .release = wp_cuda_bank_release}},
    {.name = "packets",
     .summary = "full trees of wavelet packets, all levels of small images or some levels along an "
                "axis in one launch, compiled when first used",
     .supports = supports, .runs_on = jit_runs_on, .batches = true,
     .private_data = &(const struct wp_cuda_method){
         .supports = packets_supports, .run_operands = wp_cuda_packets_run, .keeps = keeps_none,
         .priority = 1, .wide = true, .packets = true, .scratch = wp_cuda_packets_scratch,
         .prepare = wp_cuda_packets_prepare, .release = wp_cuda_packets_release}},
    VARIANT("blocks", "quan2014: Haar of volumes in blocks of 8x8x8, three levels per launch",
            is_for_blocks, .run = run_stream_z, .borrows = true, .patches = true,
            .tile = BLOCK(8, 4), .volumes = true, .blocks = 1, .scratch = stream_z_scratch),
    VARIANT("timeline", "volumes of 32 slices or fewer: all levels along z in one pass",
            is_purely_temporal, .run = run_stream_z, .borrows = true, .patches = true,
            .tile = BLOCK(8, 4), .volumes = true, .temporal = 1, .scratch = stream_z_scratch),
    VARIANT("planar", "volumes: x and y of all slices, then z; images: as patches", covered,
            .run = run_planar, .borrows = true, .patches = true, .tile = BLOCK(8, 4),
            .volumes = true, .scratch = wp_cuda_planar_scratch),
    SMALL("smem", "quan2016: tiles of 32x16 samples in shared memory, one thread per sample",
          WP_CUDA_TAPS_MAX, WP_CUDA_TILE_SMEM, 16),
    SMALL("reg", "quan2016: the same, all steps of a pair in a thread's registers",
          WP_CUDA_TAPS_MAX, WP_CUDA_TILE_REG, 16),
    VARIANT("ilp", "quan2016: tiles of 64x40 samples in shared memory, one thread per quad", fits,
            .run_level = run_small_level, .borrows = true, .priority = 7, .tile_pairs = 20,
            .tile = {.kind = WP_CUDA_TILE_ILP, .warps = 20}),
    TILES("warp", "Full-Shuffles, blocks of 32x32 threads, tiles of 64x32 samples", 16,
          BLOCK(32, 1)),
    TILES("hybrid", "Semi-Shuffles, blocks of 32x8 threads, tiles of 64x32 samples", 16,
          BLOCK(8, 4), .rounds = true),
    TILES("full-register", "a tile of 64x32 samples in a warp's registers", 16, REGISTER(32)),
    VARIANT("mixed-band",
            "quan2016: Haar in place, four levels per launch; a permutation for the Mallat layout",
            stays_in_pairs, .run = run_mixed, .scratch = wp_cuda_samples),
    CONVOLUTION("conv-row", "CUDA-Conv: rows, then columns, each in a block's shared memory",
                lines_fit, WP_CUDA_CONVOLVE_LINE),
    CONVOLUTION("conv-global", "CUDA-Mem: rows, then columns, from global memory", convolves,
                WP_CUDA_CONVOLVE_GLOBAL),
    VARIANT("conv-texture", "galiano2011's CUDA-Text: the same through texture objects",
            textures_fit, .run_level = run_convolution_level, .scratch = wp_cuda_samples,
            .convolution = WP_CUDA_CONVOLVE_TEXTURE, .prepare = prepare_textures,
            .release = release_textures),
    VARIANT("conv-separable",
            "galiano2011's CUDA-Sep: tiles of rows, then of columns, in shared memory", convolves,
            .run_level = run_convolution_level, .priority = 6, .scratch = wp_cuda_samples,
            .convolution = WP_CUDA_CONVOLVE_TILE),
    VARIANT("global",
            "galiano2012: x, y, z by convolution from global memory, one thread per result",
            convolves, .run_level = run_convolution_level, .volumes = true, .scratch = two_arrays,
            .convolution = WP_CUDA_CONVOLVE_SINGLE),
    VARIANT("shared",
            "galiano2012: the same from tiles in shared memory; images: as conv-separable",
            convolves, .run_level = run_convolution_level, .priority = 7, .volumes = true,
            .scratch = two_arrays, .convolution = WP_CUDA_CONVOLVE_TILE),
    // quan2016, Table 3: shapes of blocks and tiles.
    TILES("hybrid-32x4-64x16", "blocks of 32x4, tiles of 64x16", 8, BLOCK(4, 4)),
    TILES("hybrid-32x4-64x32", "blocks of 32x4, tiles of 64x32", 16, BLOCK(4, 8)),
    TILES("hybrid-32x4-64x64", "blocks of 32x4, tiles of 64x64", WP_CUDA_TAPS_MAX, BLOCK(4, 16)),
    TILES("hybrid-32x8-64x16", "blocks of 32x8, tiles of 64x16", 8, BLOCK(8, 2)),
    TILES("hybrid-32x8-64x64", "blocks of 32x8, tiles of 64x64", WP_CUDA_TAPS_MAX, BLOCK(8, 8)),
    TILES("hybrid-32x8-64x128", "blocks of 32x8, tiles of 64x128", WP_CUDA_TAPS_MAX, BLOCK(8, 16)),
    TILES("warp-32x16-64x16", "Full-Shuffles, blocks of 32x16, tiles of 64x16", 8, BLOCK(16, 1)),
    TILES("hybrid-32x16-64x32", "blocks of 32x16, tiles of 64x32", 16, BLOCK(16, 2)),
    TILES("hybrid-32x16-64x64", "blocks of 32x16, tiles of 64x64", WP_CUDA_TAPS_MAX, BLOCK(16, 4)),
    TILES("hybrid-32x16-64x128", "blocks of 32x16, tiles of 64x128", WP_CUDA_TAPS_MAX,
          BLOCK(16, 8)),
    TILES("hybrid-32x32-64x64", "blocks of 32x32, tiles of 64x64", WP_CUDA_TAPS_MAX, BLOCK(32, 2)),
    TILES("hybrid-32x32-64x128", "blocks of 32x32, tiles of 64x128", WP_CUDA_TAPS_MAX,
          BLOCK(32, 4)),
    TILES("full-register-64x16", "a tile of 64x16 samples in a warp's registers", 8, REGISTER(16)),
    // The schemes of barina2017.
    SCHEME("sep-convolution", WP_SCHEME_SEP_CONVOLUTION),
    SCHEME("sep-polyconvolution", WP_SCHEME_SEP_POLYCONVOLUTION),
    SCHEME("sep-lifting", WP_SCHEME_SEP_LIFTING),
    SCHEME("nonsep-convolution", WP_SCHEME_NONSEP_CONVOLUTION),
    SCHEME("nonsep-polyconvolution", WP_SCHEME_NONSEP_POLYCONVOLUTION),
    SCHEME("nonsep-lifting", WP_SCHEME_NONSEP_LIFTING),
    {0},
};

// Logs once that the variant for a wavelet's taps cannot be compiled.
static void note_slower(const char *wavelet, const char *why)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&reported))
        wp_log(WP_LOG_INFO,
               "note: %s is slower on CUDA than it could be, because its kernels cannot "
               "be compiled (%s)",
               wavelet, why);
}

// True for a large image whose wavelet has fewer taps than the shape that covers it.
static bool is_loose(const struct wp_description *description)
{
    const int *size = description->size;
    const struct wp_cuda_level level = level_of(description);
    return wp_description_depth(description) == 1 &&
           (double)size[WP_X] * (double)size[WP_Y] > PATCHES_LEAST && !wp_cuda_patches_fit(&level);
}

static bool is_of_16_bits(enum wp_element type)
{
    return type == WP_ELEMENT_F16 || type == WP_ELEMENT_BF16;
}

static int priority_of(const struct wp_cuda_method *method,
                       const struct wp_description *description)
{
    const int *size = description->size;
    if (is_batch(description) && method->priority_batch &&
        (double)size[WP_X] * (double)size[WP_Y] <= PATCHES_LEAST)
        return method->priority_batch;
    if (wp_description_depth(description) == 1 && is_of_16_bits(description->samples) &&
        is_of_16_bits(description->coefficients) && method->priority_narrow)
        return method->priority_narrow;
    return method->priority_loose && is_loose(description) ? method->priority_loose
                                                           : method->priority;
}

const struct wp_variant *wp_cuda_choose(const struct wp_device *device,
                                        const struct wp_description *description,
                                        const struct wp_variant *after)
{
    const struct wp_variant *first = NULL;
    const int least = after ? priority_of(after->private_data, description) + 1 : 1;
    int best = INT_MAX;
    char why[256];
    for (const struct wp_variant *v = wp_cuda_variants; v->name; v++) {
        const struct wp_cuda_method *method = v->private_data;
        const int priority = priority_of(method, description);
        if (method->packets != (description->bank == WP_BANK_PACKETS))
            continue; // plans compute packets by the other ones
        if (priority < least || priority >= best || !v->supports(v, description, why, sizeof why))
            continue;
        if (v->runs_on && !v->runs_on(v, device, why, sizeof why)) {
            note_slower(description->wavelet->name, why);
            continue;
        }
        first = v;
        best = priority;
    }
    return first;
}

cudaError_t wp_cuda_launch(const struct wp_exec *exec)
{
    wp_cuda_range_begin(exec->name);
    const struct wp_cuda_method *method = exec->method;
    const bool forward = exec->description.direction == WP_FORWARD;
    int error = cudaSuccess;
    if (exec->levels > 0 && method->run_operands) {
        const struct wp_operand from = wp_cuda_own_operand(exec, forward);
        const struct wp_operand to = wp_cuda_own_operand(exec, !forward);
        error = method->run_operands(exec, &from, &to);
    } else if (exec->levels > 0) {
        error = method->run ? method->run(exec) : for_each_level(exec, 0, method->run_level);
    }
    wp_cuda_range_end();
    return (cudaError_t)error;
}

bool wp_cuda_fail_launch(const struct wp_exec *exec, cudaError_t error)
{
    const struct wp_description *d = &exec->description;
    return wp_fail(WP_ERROR_INTERNAL,
                   "the CUDA kernel '%s' of %s %s, %d levels of %dx%d, failed (%s)", exec->name,
                   d->wavelet->name, wp_direction_names[d->direction], d->levels,
                   d->size[WP_X], d->size[WP_Y], cudaGetErrorString(error));
}

bool wp_cuda_is_wide(const struct wp_description *d)
{
    struct wp_description wide = *d;
    char why[256];
    const struct wp_variant *v = wp_cuda_variants;
    wide.samples = wide.coefficients = WP_ELEMENT_F64;
    while (v->name && (!((const struct wp_cuda_method *)v->private_data)->wide ||
                       !v->supports(v, &wide, why, sizeof why)))
        v++;
    return v->name;
}
