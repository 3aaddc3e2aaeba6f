// Launch parameters of the kernels that are compiled at run time (cuda_jit_method.c).
#include "cuda_internal.h"
#include "cuda_lifting_launch.cuh"
#include "cuda_geometry.h"

#include <cstring>

namespace {

// Row pairs per warp, an even number: at most `most`, so that the rows that two blocks read are
// still in the cache; fewer for small images, whose warps are all resident at once.
int choose_pairs(int rows, int across, int resident, int most)
{
    const int groups = resident / across > 1 ? resident / across : 1;
    const int even_share = ((rows + groups - 1) / groups + 1) / 2 * 2;
    return even_share < most ? even_share : most;
}

// The steps of a level that have taps, in the form that wp_find_schedule() requires.
struct steps_of {
    int count;
    bool predict[WP_STEPS_MAX];
    int low[WP_STEPS_MAX], high[WP_STEPS_MAX];

    explicit steps_of(const wp_cuda_level &level) : count(0)
    {
        for (int s = 0; s < level.steps; s++) {
            const wp_cuda_step &step = level.step[s];
            if (!step.count)
                continue;
            predict[count] = (s % 2 == 0) != level.inverse;
            low[count] = step.k[0];
            high[count++] = step.k[step.count - 1];
        }
    }
    bool is_predict(int s) const { return predict[s]; }
    int kmin(int s) const { return low[s]; }
    int kmax(int s) const { return high[s]; }
};

// Kernels compiled at run time contain the wavelet, so their arguments have no table.
struct without_table {
    struct table {};
    static void fill(const wp_cuda_level &, table *) {}
};

} // namespace

int wp_cuda_ring_rows(const struct wp_cuda_level *level)
{
    const steps_of steps(*level);
    const wp_schedule found = wp_find_schedule(steps, steps.count);
    return found.depth[0] + found.depth[1];
}

int wp_cuda_strip_lanes(const struct wp_cuda_level *level, int samples)
{
    return 32 - 2 * wp_halo_of(level->reach_low, level->reach_high, samples);
}

void wp_cuda_prepare_call(const struct wp_cuda_level *level,
                          const struct wp_cuda_geometry *geometry, int blocks,
                          struct wp_cuda_jit_call *call)
{
    auto args = wp_make_lifting_args<without_table>(*level);
    static_assert(sizeof args <= sizeof call->args, "the arguments fit");
    static_assert(WP_CUDA_JIT_THREADS == 32 * WP_LIFTING_WARPS, "a block's threads");
    static_assert(WP_CUDA_JIT_THREADS == 32 * WP_PATCH_WARPS, "a block's threads");
    dim3 grid;
    if (geometry->patch) {
        const int strip = wp_patch_strip(level->inverse, level->reach_low, level->reach_high);
        grid = wp_patch_grid(*level, geometry->patch, strip);
    } else {
        const int strip = wp_cuda_strip_lanes(level, geometry->samples) * geometry->samples *
                          WP_LIFTING_WARPS;
        const int rows = (level->height + 1) / 2, across = (level->width + strip - 1) / strip;
        args.pairs = choose_pairs(rows, across, blocks, geometry->most);
        grid = dim3((unsigned)across, (unsigned)((rows + args.pairs - 1) / args.pairs));
    }
    memcpy(call->args, &args, sizeof args);
    call->grid[0] = grid.x;
    call->grid[1] = grid.y;
    call->grid[2] = 1;
    call->block[0] = 32;
    call->block[1] = WP_LIFTING_WARPS;
}
