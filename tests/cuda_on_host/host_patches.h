// Runs patch kernels on the host: level parameters, band memory, and all warps of a launch.
#ifndef HOST_PATCHES_H
#define HOST_PATCHES_H

#include "cuda_patch.cuh"

#include <vector>

inline wp_cuda_level level_of(const wp_lifting &lifting, int width, int height)
{
    wp_cuda_level level = {};
    level.inverse = lifting.direction == WP_INVERSE;
    level.reversible = lifting.reversible;
    level.extension = lifting.extension;
    level.reach_low = lifting.before;
    level.reach_high = lifting.after;
    level.steps = lifting.steps;
    for (int s = 0; s < lifting.steps; s++) {
        level.step[s].count = lifting.step[s].filter.count;
        level.step[s].round = (float)lifting.step[s].round;
        for (int t = 0; t < level.step[s].count; t++) {
            level.step[s].k[t] = (short)lifting.step[s].filter.tap[t].k;
            level.step[s].c[t] = (float)lifting.step[s].filter.tap[t].c;
        }
    }
    level.width = width;
    level.height = height;
    return level;
}

// Memory of the interleaved coefficients, stored in separate bands or in place. Guard values follow
// it, which no kernel may change.
struct band_memory {
    std::vector<float> data;
    int width, height, pitch;
    bool separate;

    band_memory(int w, int h, bool separate_)
        : width(w), height(h), pitch((w + 31) / 32 * 32), separate(separate_)
    {
        data.assign((size_t)(4 * pitch * (h + 1)), -1e30f);
    }
    wp_cuda_band band(int b)
    {
        const int half = pitch * ((height + 1) / 2);
        if (separate)
            return {data.data() + b * half, 1, pitch, 0};
        return {data.data() + b % 2 + b / 2 * pitch, 2, 2 * pitch, 0};
    }
    float &at(int x, int y)
    {
        const wp_cuda_band of = band(x % 2 + 2 * (y % 2));
        return of.data[x / 2 * of.step_x + y / 2 * of.step_y];
    }
};

template <class SHAPE, int R, bool WIDE, wp_patch_edges EDGES = WP_EDGES_AT_ONCE,
          class PLANE = wp_floats, int V = WP_PATCH_COLUMNS>
void run_patches(const typename PLANE::template args<SHAPE> &args)
{
    constexpr int strip = wp_patch_strip(SHAPE::inverse, SHAPE::reach_low, SHAPE::reach_high, V,
                                         (int)sizeof(typename PLANE::type));
    constexpr int pairs = R * WP_PATCH_WARPS;
    for (blockIdx.y = 0; (int)blockIdx.y * 2 * pairs < args.at.height; blockIdx.y++)
        for (blockIdx.x = 0; (int)blockIdx.x * strip < args.at.width; blockIdx.x++)
            for (threadIdx.y = 0; threadIdx.y < WP_PATCH_WARPS; threadIdx.y++)
                the_warp.run([&] { wp_lift_patch<SHAPE, R, WIDE, EDGES, PLANE, V>(args); });
}

#endif
