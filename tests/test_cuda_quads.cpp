// Patches of quads in surfaces (cuda/cuda_patch_quads.cuh) on the host: wavelet shapes, both
// directions, borders, sizes around the size of a block, LL in separate memory or not, surfaces as
// both operands or as one.
#include "cuda_patch_quads.cuh"
#include "host_patches.h"
#include "lifted_on_host.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

extern "C" {
#include "every_wavelet.h"
#include "random.h"
#include "sample.h"

#include <cmocka.h>
}

namespace {

const float UNTOUCHED = -1e30f;
enum { X = 3, Y = 1, BEYOND = 2 }; // position of the quads in a surface, and texels after them

// Samples or coefficients of a level as interleaved quads.
struct quads {
    host_surface surface;
    wp_cuda_quads layout;

    quads(int width, int height)
    {
        surface.width = X + (width + 1) / 2 + BEYOND;
        surface.texel.assign((size_t)(surface.width * (Y + (height + 1) / 2 + BEYOND)),
                             make_float4(UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED));
        layout = {reinterpret_cast<unsigned long long>(&surface), X, Y};
    }
    float &at(int x, int y)
    {
        float4 &q = surface.at((X + x / 2) * (int)sizeof(float4), Y + y / 2);
        return y % 2 ? (x % 2 ? q.w : q.z) : x % 2 ? q.y : q.x;
    }
};

// A plane in linear memory.
struct plane {
    int pitch;
    std::vector<float> data;

    plane(int width, int height)
        : pitch((width + 31) / 32 * 32), data((size_t)(pitch * (height + 1)), UNTOUCHED)
    {
    }
    float &at(int x, int y) { return data[(size_t)(y * pitch + x)]; }
    size_t touched() const
    {
        size_t count = 0;
        for (const float v : data)
            count += v != UNTOUCHED;
        return count;
    }
};

int checked;

template <class SHAPE, class LAYOUT>
void run(const wp_quads_args<SHAPE> &args)
{
    static wp_quad_tile<SHAPE> tile;
    const int strip = wp_quads_strip<SHAPE>(), rows = 2 * tile.OUTPUT_ROWS;
    for (blockIdx.y = 0; (int)blockIdx.y * rows < args.frame.height; blockIdx.y++)
        for (blockIdx.x = 0; (int)blockIdx.x * strip < args.frame.width; blockIdx.x++) {
            for (float4 &q : tile.quad)
                q = make_float4(NAN, NAN, NAN, NAN);
            for (threadIdx.y = 0; LAYOUT::loads_quads && threadIdx.y < WP_QUADS_WARPS;
                 threadIdx.y++)
                the_warp.run([&] { wp_load_quads<SHAPE>(args, tile); });
            for (threadIdx.y = 0; threadIdx.y < WP_QUADS_WARPS; threadIdx.y++)
                the_warp.run([&] { wp_lift_quads<SHAPE, LAYOUT>(args, tile); });
        }
}

// `separate`: the forward transform also writes LL to linear memory; the inverse reads LL only
// there.
template <class SHAPE, class LAYOUT>
void check(const wp_lifting &lifting, int width, int height, bool separate)
{
    const wp_cuda_level level = level_of(lifting, width, height);
    const double scale[4] = {1.25, 0.5, 0.75, 1.5};
    quads from(width, height), to(width, height);
    plane samples(width, height), low((width + 1) / 2, (height + 1) / 2);
    std::vector<double> image((size_t)(width * height));
    wp_random random = wp_random_of((unsigned long long)(width * 1000 + height));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float value = (float)wp_random_uniform(&random);
            image[(size_t)(y * width + x)] =
                (double)value * (level.inverse ? scale[x % 2 + 2 * (y % 2)] : 1.0);
            if (!LAYOUT::loads_quads)
                samples.at(x, y) = value;
            else if (level.inverse && separate && x % 2 + y % 2 == 0)
                low.at(x / 2, y / 2) = value;
            else
                from.at(x, y) = value;
        }
    lift_image(level, image);

    wp_quads_args<SHAPE> args = {};
    args.level.at.width = args.frame.width = width;
    args.level.at.height = args.frame.height = height;
    args.level.extension = args.frame.extension = level.extension;
    args.level.pitch = args.frame.pitch = samples.pitch;
    args.level.plane = args.frame.plane = samples.data.data();
    for (int b = 0; b < 4; b++)
        args.level.at.scale[b] = args.frame.scale[b] = (float)scale[b];
    if (LAYOUT::loads_quads)
        args.shared.from = from.layout;
    if (LAYOUT::stores_quads)
        args.shared.to = to.layout;
    if (separate)
        args.shared.low = low.data.data(), args.shared.low_pitch = low.pitch;
    assert_true(SHAPE::covers(level));
    SHAPE::fill(level, &args.level.table);
    run<SHAPE, LAYOUT>(args);

    double worst = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const double exact = image[(size_t)(y * width + x)] *
                                 (level.inverse ? 1.0 : scale[x % 2 + 2 * (y % 2)]);
            double error =
                fabs((double)(LAYOUT::stores_quads ? to.at(x, y) : samples.at(x, y)) - exact);
            worst = error <= worst ? worst : error;
            if (level.inverse || !separate || x % 2 + y % 2)
                continue;
            error = fabs((double)low.at(x / 2, y / 2) - exact);
            worst = error <= worst ? worst : error;
        }
    if (!(worst <= 4e-6))
        fail_msg("%dx%d %s, extension %d%s: off by %.3g", width, height,
                 lifting.direction ? "inverse" : "forward", (int)level.extension,
                 separate ? ", LL apart" : "", worst);
    // Memory after quads, samples and LL is unchanged.
    size_t untouched = 0;
    for (const float4 &q : to.surface.texel)
        untouched += q.x == UNTOUCHED && q.y == UNTOUCHED && q.z == UNTOUCHED && q.w == UNTOUCHED;
    const size_t low_count = (size_t)((width + 1) / 2 * ((height + 1) / 2));
    assert_int_equal(untouched, to.surface.texel.size() - (LAYOUT::stores_quads ? low_count : 0));
    const bool linear = !LAYOUT::loads_quads || !LAYOUT::stores_quads;
    assert_int_equal(samples.touched(), linear ? width * height : 0);
    assert_int_equal(low.touched(), separate ? low_count : 0);
    checked++;
}

template <class SHAPE>
void check_sizes(const wp_lifting &lifting)
{
    // A block has 52 to 64 columns and 64 rows: smaller sizes, sizes at the edges, and larger ones.
    static const int size[][2] = {{2, 2}, {3, 2}, {2, 5}, {33, 17}, {60, 64}, {57, 65},
                                  {120, 130}, {185, 137}};
    for (const auto &s : size) {
        if (lifting.extension == WP_EXTEND_WRAP && (s[0] % 2 || s[1] % 2))
            continue;
        for (const bool separate : {false, true})
            if (sample_has_case())
                check<SHAPE, wp_quad_layout<true, true>>(lifting, s[0], s[1], separate);
        if (sample_has_case())
            check<SHAPE, wp_quad_layout<SHAPE::inverse, !SHAPE::inverse>>(lifting, s[0], s[1],
                                                                              true);
    }
}

template <template <bool> class SHAPE>
void check_wavelet(const char *name)
{
    checked = 0;
    for (int border = 0; border < WP_BORDER_NATIVE; border++) {
        const wp_wavelet *wavelet = table_wavelet(name);
        check_sizes<SHAPE<false>>(wp_lifting_make(
            wavelet, WP_FORWARD, WP_NORM_NONE, (enum wp_border)border));
        check_sizes<SHAPE<true>>(wp_lifting_make(
            wavelet, WP_INVERSE, WP_NORM_NONE, (enum wp_border)border));
    }
    printf("%s: %d cases\n", name, checked);
}

// The shapes of cuda_shared.cu, and shorter ones.
void test_shapes(void **)
{
    check_wavelet<wp_shape_haar>("haar");
    check_wavelet<wp_shape_53>("cdf53");
    check_wavelet<wp_shape_97>("cdf97");
    check_wavelet<wp_shape_137>("dd137");
    sample_print();
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
