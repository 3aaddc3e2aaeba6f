// Arguments and grids of the kernels of images that are compiled at run time (cuda_jit.c). Host
// code: no kernel is compiled here.
#include "cuda_internal.h"
#include "cuda_jit.h"
#include "cuda_launch.cuh"
#include "cuda_patch_elements.cuh"

#include <cfloat>
#include <cstring>

namespace {

static_assert(WP_CUDA_JIT_THREADS == 32 * WP_LIFTING_WARPS, "a block's threads");
static_assert(WP_CUDA_JIT_THREADS == 32 * WP_PATCH_WARPS, "a block's threads");
static_assert((int)WP_CUDA_JIT_COLUMNS == (int)WP_LIFTING_COLUMNS, "a lane's columns");

// Row pairs per warp, an even number: at most `most`, so that the rows that two blocks read are
// still in the cache; fewer for small images, whose warps are all resident at once.
int choose_pairs(int rows, int across, int resident, int most)
{
    const int groups = resident / across > 1 ? resident / across : 1;
    const int even_share = (wp_divide_up(rows, groups) + 1) / 2 * 2;
    return even_share < most ? even_share : most;
}

// The steps of a level that have taps, in the form that wp_find_step_times() requires.
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

// Kernels of one wavelet contain it, so their arguments have no table.
struct without_table {
    struct table {};
    static void fill(const wp_cuda_level &, table *) {}
};

template <class ARGS>
void set_call(const ARGS &args, dim3 grid, wp_cuda_jit_call *call)
{
    static_assert(sizeof args <= sizeof call->args, "the arguments fit");
    memcpy(call->args, &args, sizeof args);
    call->grid[0] = grid.x;
    call->grid[1] = grid.y;
    call->grid[2] = grid.z;
    call->block[0] = 32;
    call->block[1] = WP_LIFTING_WARPS;
}

template <class ELEMENT, class SHAPE>
void set_typed_call(const wp_cuda_level &level, const wp_cuda_elements &elements,
                    const wp_cuda_typed_tuning &tuning, wp_cuda_jit_call *call)
{
    wp_element_args<SHAPE, ELEMENT> args = {};
    static_cast<wp_lifting_args<SHAPE> &>(args) = wp_make_lifting_args<SHAPE>(level);
    args.pitch = elements.pitch;
    args.elements = static_cast<typename ELEMENT::type *>(elements.data);
    args.by = wp_find_reciprocal(elements.scale, ELEMENT::shift);
    args.scale = elements.scale;
    const int strip = wp_patch_strip(SHAPE::inverse, SHAPE::reach_low, SHAPE::reach_high,
                                     tuning.columns, ELEMENT::bytes);
    set_call(args, wp_patch_grid(level, tuning.rows, strip), call);
}

} // namespace

int wp_cuda_ring_rows(const struct wp_cuda_level *level)
{
    const steps_of steps(*level);
    const wp_step_times found = wp_find_step_times(steps, steps.count);
    return found.depth[0] + found.depth[1];
}

int wp_cuda_strip_lanes(const struct wp_cuda_level *level)
{
    return 32 - 2 * wp_halo_of(level->reach_low, level->reach_high);
}

void wp_cuda_prepare_call(const struct wp_cuda_level *level,
                          const struct wp_cuda_geometry *geometry, int blocks,
                          struct wp_cuda_jit_call *call)
{
    auto args = wp_make_lifting_args<without_table>(*level);
    if (geometry->patch) {
        const int strip = wp_patch_strip(level->inverse, level->reach_low, level->reach_high);
        dim3 grid = wp_patch_grid(*level, geometry->patch, strip);
        grid.z = (unsigned)level->depth;
        set_call(args, grid, call);
        return;
    }
    const int strip = wp_cuda_strip_lanes(level) * WP_LIFTING_COLUMNS * WP_LIFTING_WARPS;
    const int rows = (level->height + 1) / 2, across = wp_divide_up(level->width, strip);
    args.pairs = choose_pairs(rows, across, blocks / level->depth, geometry->most);
    set_call(args,
             dim3((unsigned)across, (unsigned)wp_divide_up(rows, args.pairs),
                  (unsigned)level->depth),
             call);
}

bool wp_cuda_typed_scale_fits(const struct wp_cuda_level *level,
                              const struct wp_cuda_elements *elements)
{
    // u8 are divided with a reciprocal scaled by 2^133, which may exceed the range of floats.
    return elements->type != WP_ELEMENT_U8 || level->reversible ||
           wp_find_reciprocal(elements->scale, wp_u8::shift).high <= FLT_MAX;
}

void wp_cuda_prepare_typed_call(const struct wp_cuda_level *level,
                                const struct wp_cuda_elements *elements,
                                const struct wp_cuda_typed_tuning *tuning,
                                struct wp_cuda_jit_call *call)
{
    wp_with_shape(*level, [&](auto shape) {
        using SHAPE = decltype(shape);
        if constexpr (SHAPE::fixed)
            wp_with_element(elements->type, [&](auto element) {
                using ELEMENT = decltype(element);
                if (level->reversible)
                    set_typed_call<ELEMENT, wp_rounded<SHAPE>>(*level, *elements, *tuning, call);
                else
                    set_typed_call<ELEMENT, SHAPE>(*level, *elements, *tuning, call);
            });
    });
}
