// Patch kernels (cuda/cuda_patch.cuh) on the host, without a GPU: wavelet shapes, both directions,
// rounding, borders, separate and in-place bands, sizes around the size of a patch, against lifting
// in double precision.
#include "host_patches.h"
#include "lifted_on_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

extern "C" {
#include "every_wavelet.h"
#include "random.h"
#include "sample.h"

#include <cmocka.h>
}

namespace {

int checked;

template <class SHAPE, int R, bool WIDE, wp_patch_edges EDGES>
void check(const wp_lifting &lifting, int width, int height)
{
    const wp_cuda_level level = level_of(lifting, width, height);
    const double scale[4] = {1.25, 0.5, 0.75, 1.5};
    band_memory bands(width, height, WIDE);
    const int pitch = (width + 31) / 32 * 32;
    std::vector<float> plane((size_t)(pitch * (height + 1)), -1e30f);
    std::vector<double> image((size_t)(width * height));
    wp_random random = wp_random_of((unsigned long long)(width * 1000 + height));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float value = level.reversible
                                    ? floorf((float)wp_random_uniform(&random) * 255.0f)
                                    : (float)wp_random_uniform(&random);
            const double gain = level.reversible ? 1.0 : scale[x % 2 + 2 * (y % 2)];
            image[(size_t)(y * width + x)] = (double)value * (level.inverse ? gain : 1.0);
            (level.inverse ? bands.at(x, y) : plane[(size_t)(y * pitch + x)]) = value;
        }
    lift_image(level, image);

    wp_lifting_args<SHAPE> args = {};
    args.at.width = width;
    args.at.height = height;
    args.extension = level.extension;
    args.pitch = pitch;
    args.plane = plane.data();
    for (int b = 0; b < 4; b++) {
        args.at.band[b] = bands.band(b);
        args.at.scale[b] = level.reversible ? 1.0f : (float)scale[b];
    }
    assert_true(SHAPE::covers(level));
    SHAPE::fill(level, &args.table);
    run_patches<SHAPE, R, WIDE, EDGES>(args);

    double worst = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const double gain =
                level.reversible || level.inverse ? 1.0 : scale[x % 2 + 2 * (y % 2)];
            const float got = level.inverse ? plane[(size_t)(y * pitch + x)] : bands.at(x, y);
            const double error = fabs((double)got - image[(size_t)(y * width + x)] * gain);
            worst = error <= worst ? worst : error;
        }
    if (!(worst <= (level.reversible ? 0.0 : 4e-6)))
        fail_msg("%dx%d %s %s%s%s: off by %.3g", width, height,
                 lifting.direction ? "inverse" : "forward",
                 level.extension == WP_EXTEND_WRAP ? "periodic" : "symmetric",
                 level.reversible ? " reversible" : "", WIDE ? "" : " in place", worst);
    // Memory after rows and bands is unchanged.
    size_t touched = 0;
    for (int y = 0; y <= height; y++)
        for (int x = y < height ? width : 0; x < pitch; x++)
            touched += plane[(size_t)(y * pitch + x)] != -1e30f;
    size_t untouched = 0;
    for (const float value : bands.data)
        untouched += value == -1e30f;
    assert_int_equal(touched, 0);
    assert_int_equal(untouched, bands.data.size() - (size_t)(width * height));
    checked++;
}

template <class SHAPE, int R>
void check_sizes(const wp_lifting &lifting)
{
    // A patch has 112 or 120 columns, and four patches have 2 R pairs of rows: smaller sizes, sizes
    // at the edges, and larger ones.
    static const int size[][2] = {{2, 2}, {3, 2}, {2, 5}, {5, 3}, {16, 8}, {33, 17}, {112, 24},
                                  {121, 9}, {128, 70}, {245, 31}, {364, 62}};
    for (const auto &s : size) {
        if (lifting.extension == WP_EXTEND_WRAP && (s[0] % 2 || s[1] % 2))
            continue;
        if (sample_has_case())
            check<SHAPE, R, true, WP_EDGES_AT_ONCE>(lifting, s[0], s[1]);
        if (sample_has_case())
            check<SHAPE, R, true, WP_EDGES_BY_ROW>(lifting, s[0], s[1]);
        if (sample_has_case())
            check<SHAPE, R, false, WP_EDGES_AT_ONCE>(lifting, s[0], s[1]);
    }
}

template <template <bool> class SHAPE, int R, enum wp_direction D>
void check_direction(const wp_wavelet *wavelet, enum wp_border border)
{
    using shape = SHAPE<D == WP_INVERSE>;
    wp_lifting lifting = wp_lifting_make(wavelet, D, WP_NORM_NONE, border);
    check_sizes<shape, R>(lifting);
    if (!wp_lifting_is_reversible(wavelet))
        return;
    wp_lifting_set_reversible(&lifting);
    check_sizes<wp_rounded<shape>, R>(lifting);
}

template <template <bool> class SHAPE, int R>
void check_wavelet(const char *name)
{
    checked = 0;
    for (int border = 0; border < WP_BORDER_NATIVE; border++) {
        check_direction<SHAPE, R, WP_FORWARD>(table_wavelet(name), (enum wp_border)border);
        check_direction<SHAPE, R, WP_INVERSE>(table_wavelet(name), (enum wp_border)border);
    }
    printf("%s: %d cases\n", name, checked);
}

// The shapes of cuda_patches.cu.
void test_shapes(void **)
{
    check_wavelet<wp_shape_haar, 2>("haar");
    check_wavelet<wp_shape_53, 3>("cdf53");
    check_wavelet<wp_shape_97, 4>("cdf97");
    check_wavelet<wp_shape_137, 4>("dd137");
    check_wavelet<wp_shape_53, 1>("cdf53");
    check_wavelet<wp_shape_97, 1>("cdf97");
    check_wavelet<wp_shape_137, 1>("dd137");
}

// Steps with a longer support at one end.
struct lopsided {
    static constexpr bool inverse = false, rounds = false;
    static constexpr int steps = 2, reach_low = 1, reach_high = 5;
    static constexpr bool is_predict(int s) { return s == 0; }
    static constexpr int kmin(int s) { return s == 0 ? 0 : -1; }
    static constexpr int kmax(int s) { return s == 0 ? 3 : 2; }
    static constexpr float c(int s, int i)
    {
        constexpr float taps[2][4] = {{-0.5f, 0.25f, 0.0f, -0.125f}, {0.25f, -0.5f, 0.5f, 0.125f}};
        return taps[s][i];
    }
    static constexpr float round(int) { return 0.0f; }
};

// Replaces the table in kernels compiled at run time.
struct lopsided_shape : wp_jit_shape<lopsided> {
    static bool covers(const wp_cuda_level &) { return true; }
    static void fill(const wp_cuda_level &, table *) {}
};

void test_jit(void **)
{
    wp_lifting lifting = {};
    lifting.direction = WP_FORWARD;
    lifting.steps = 2;
    lifting.before = lopsided::reach_low;
    lifting.after = lopsided::reach_high;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 4; i++)
            if (lopsided::c(s, i) != 0.0f)
                lifting.step[s].filter.tap[lifting.step[s].filter.count++] = {
                    lopsided::kmin(s) + i, (double)lopsided::c(s, i)};
    checked = 0;
    for (const auto extension : {WP_EXTEND_MIRROR, WP_EXTEND_WRAP}) {
        lifting.extension = extension;
        check_sizes<lopsided_shape, 4>(lifting);
        check_sizes<lopsided_shape, 6>(lifting);
    }
    printf("lopsided steps: %d cases\n", checked);
    sample_print();
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_jit)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
