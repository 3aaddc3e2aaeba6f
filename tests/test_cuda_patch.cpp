// The kernel of patches (cuda/cuda_patch.cuh) on the host, without a GPU: shapes of wavelets, both
// directions, rounding, borders, bands side by side or not, sizes around those of a patch, against
// lifting in double precision as its definition has it.
#include "cuda_patch.cuh"

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

enum { AROUND = 24 }; // samples beyond a line's ends that steps may ask for

wp_cuda_level level_of(const wp_lifting &lifting, int width, int height)
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

// Lifts n samples that lie `step` apart, in place.
void lift_line(const wp_cuda_level &level, double *x, int n, int step)
{
    std::vector<double> line((size_t)(n + n % 2 + 2 * AROUND));
    for (int i = 0; i < (int)line.size(); i++) {
        const int from = wp_device_extend(level.extension, i - AROUND, n);
        line[(size_t)i] = from < 0 ? 0.0 : x[from * step];
    }
    const int pairs = (int)line.size() / 2;
    for (int s = 0; s < level.steps; s++) {
        const int target = (s % 2 == 0) != level.inverse;
        for (int p = 0; p < pairs; p++) {
            double sum = line[(size_t)(2 * p + target)];
            for (int t = 0; t < level.step[s].count; t++) {
                const int q = p + level.step[s].k[t];
                sum += q < 0 || q >= pairs ? 0.0
                                           : (double)level.step[s].c[t] *
                                                 line[(size_t)(2 * q + 1 - target)];
            }
            line[(size_t)(2 * p + target)] =
                level.reversible ? floor(sum + (double)level.step[s].round) : sum;
        }
    }
    for (int i = 0; i < n; i++)
        x[i * step] = line[(size_t)(i + AROUND)];
}

void lift_image(const wp_cuda_level &level, std::vector<double> &image)
{
    for (int axis = 0; axis < 2; axis++) {
        const bool along_y = (axis == 0) != level.inverse; // forward y is first
        if (along_y)
            for (int x = 0; x < level.width; x++)
                lift_line(level, &image[(size_t)x], level.height, level.width);
        else
            for (int y = 0; y < level.height; y++)
                lift_line(level, &image[(size_t)(y * level.width)], level.width, 1);
    }
}

// Where interleaved coefficient (x, y) lies, in bands of their own or in place; behind both lies what
// nothing may touch.
struct places {
    std::vector<float> data;
    int width, height, pitch;
    bool apart;

    places(int w, int h, bool apart_) : width(w), height(h), pitch((w + 31) / 32 * 32), apart(apart_)
    {
        data.assign((size_t)(4 * pitch * (h + 1)), -1e30f);
    }
    wp_cuda_band band(int b)
    {
        const int half = pitch * ((height + 1) / 2);
        if (apart)
            return {data.data() + b * half, 1, pitch, 0};
        return {data.data() + b % 2 + b / 2 * pitch, 2, 2 * pitch, 0};
    }
    float &at(int x, int y)
    {
        const wp_cuda_band of = band(x % 2 + 2 * (y % 2));
        return of.data[x / 2 * of.step_x + y / 2 * of.step_y];
    }
};

int checked;

template <class SHAPE, int R, bool WIDE>
void check(const wp_lifting &lifting, int width, int height)
{
    const wp_cuda_level level = level_of(lifting, width, height);
    const double scale[4] = {1.25, 0.5, 0.75, 1.5};
    places bands(width, height, WIDE);
    const int pitch = (width + 31) / 32 * 32;
    std::vector<float> plane((size_t)(pitch * (height + 1)), -1e30f);
    std::vector<double> image((size_t)(width * height));
    wp_random random = wp_random_of((unsigned long long)(width * 1000 + height));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float value = level.reversible ? floorf((float)wp_random_uniform(&random) * 255.0f)
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
    const int strip = wp_patch_strip(SHAPE::inverse, SHAPE::reach_low, SHAPE::reach_high);
    const int pairs = R * WP_PATCH_WARPS;
    for (blockIdx.y = 0; (int)blockIdx.y * 2 * pairs < height; blockIdx.y++)
        for (blockIdx.x = 0; (int)blockIdx.x * strip < width; blockIdx.x++)
            for (threadIdx.y = 0; threadIdx.y < WP_PATCH_WARPS; threadIdx.y++)
                the_warp.run([&] { wp_lift_patch<SHAPE, R, WIDE>(args); });

    double worst = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const double gain = level.reversible || level.inverse ? 1.0 : scale[x % 2 + 2 * (y % 2)];
            const float got = level.inverse ? plane[(size_t)(y * pitch + x)] : bands.at(x, y);
            const double error = fabs((double)got - image[(size_t)(y * width + x)] * gain);
            worst = error <= worst ? worst : error;
        }
    if (!(worst <= (level.reversible ? 0.0 : 4e-6)))
        fail_msg("%dx%d %s %s%s%s: off by %.3g", width, height, lifting.direction ? "inverse" : "forward",
                 level.extension == WP_EXTEND_WRAP ? "periodic" : "symmetric",
                 level.reversible ? " reversible" : "", WIDE ? "" : " in place", worst);
    // What lies behind rows and bands is as it was.
    size_t touched = 0;
    for (int y = 0; y <= height; y++)
        for (int x = y < height ? width : 0; x < pitch; x++)
            touched += plane[(size_t)(y * pitch + x)] != -1e30f;
    size_t left = 0;
    for (const float value : bands.data)
        left += value == -1e30f;
    assert_int_equal(touched, 0);
    assert_int_equal(left, bands.data.size() - (size_t)(width * height));
    checked++;
}

template <class SHAPE, int R>
void check_sizes(const wp_lifting &lifting)
{
    // One patch has 112 or 120 columns and four of them 2 R pairs of rows: less, edges, and some.
    static const int size[][2] = {{2, 2}, {3, 2}, {2, 5}, {5, 3}, {16, 8}, {33, 17}, {112, 24},
                                  {121, 9}, {128, 70}, {245, 31}, {364, 62}};
    for (const auto &s : size) {
        if (lifting.extension == WP_EXTEND_WRAP && (s[0] % 2 || s[1] % 2))
            continue;
        if (sample_takes())
            check<SHAPE, R, true>(lifting, s[0], s[1]);
        if (sample_takes())
            check<SHAPE, R, false>(lifting, s[0], s[1]);
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
    for (int border = 0; border < WP_BORDER_COUNT; border++) {
        check_direction<SHAPE, R, WP_FORWARD>(table_wavelet(name), (enum wp_border)border);
        check_direction<SHAPE, R, WP_INVERSE>(table_wavelet(name), (enum wp_border)border);
    }
    printf("%s: %d cases\n", name, checked);
}

// As cuda_patches.cu has them.
void test_shapes(void **)
{
    check_wavelet<wp_shape_haar, 2>("haar");
    check_wavelet<wp_shape_53, 3>("cdf53");
    check_wavelet<wp_shape_97, 4>("cdf97");
    check_wavelet<wp_shape_137, 4>("dd137");
}

// Steps that reach further to one side than to the other.
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

// What a kernel that is made has in place of a table.
struct lopsided_shape : wp_made<lopsided> {
    static bool covers(const wp_cuda_level &) { return true; }
    static void fill(const wp_cuda_level &, table *) {}
};

void test_made(void **)
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_made)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
