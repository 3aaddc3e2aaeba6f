// The kernels of batches with a border of PyWavelets (cuda/jit/cuda_batch_border.cuh) on the host,
// without a GPU, against matrices in doubles: all modes, both directions, and adjoints, which are
// the transposed matrices.
#include <algorithm>
#include <cmath>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

extern "C" {
#include "axis_map.h"
#include "elements.h"
#include "lifting.h"

#include <cmocka.h>
}

#include "host_block.h"
#include "host_steps.h"

#include "cuda_batch_border.cuh"

double wp_batch_memory[1 << 13]; // of a block

namespace {

// A matrix of 2b coefficients by n samples, low ones first.
struct matrix {
    int rows, columns;
    std::vector<double> at;

    matrix(int rows_, int columns_)
        : rows(rows_), columns(columns_), at((size_t)rows_ * (size_t)columns_)
    {
    }
    double &operator()(int r, int c) { return at[(size_t)r * (size_t)columns + (size_t)c]; }
    matrix transposed()
    {
        matrix t(columns, rows);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++)
                t(c, r) = (*this)(r, c);
        return t;
    }
};

// Lifts a periodic signal.
void lift(const wp_lifting &lifting, std::vector<double> &v)
{
    const int n = (int)v.size();
    if (lifting.direction == WP_INVERSE)
        for (int i = 0; i < n; i++)
            v[(size_t)i] *= lifting.gain[i % 2];
    for (int s = 0; s < lifting.steps; s++) {
        const wp_lifting_step &step = lifting.step[s];
        for (int i = step.odd; i < n; i += 2)
            for (int t = 0; t < step.filter.count; t++) {
                const int at = i - step.odd + 2 * step.filter.tap[t].k + !step.odd;
                v[(size_t)i] += step.filter.tap[t].c * v[(size_t)((at % n + n) % n)];
            }
    }
    if (lifting.direction == WP_FORWARD)
        for (int i = 0; i < n; i++)
            v[(size_t)i] *= lifting.gain[i % 2];
}

double weight_of(const wp_axis_map &map, int row, int column)
{
    const int in_run = row - map.run, sum = in_run < 0 ? row : row - map.count;
    double weight = 0;
    if (in_run >= 0 && in_run < map.count)
        return in_run + map.source == column;
    for (int e = map.begin[sum]; e < map.begin[sum + 1]; e++)
        weight += map.entry[e].from == column ? map.entry[e].weight : 0;
    return weight;
}

// W or its left inverse for n samples, as in axis_map.h.
matrix level_matrix(const wp_wavelet &wavelet, wp_border border, wp_direction direction, int n,
                    int taps)
{
    const wp_lifting lifting = wp_lifting_make(&wavelet, direction, WP_NORM_PYWT, border);
    const int around = border == WP_BORDER_PYWT_PERIODIZATION ? 0 : WP_MAX_REACH;
    const int b = wp_border_band(n, taps), length = 2 * (b + 2 * around);
    const int shift = 1 - taps / 2 - 2 * around; // sample i of the extended signal is i + shift
    matrix m(direction == WP_FORWARD ? 2 * b : n, direction == WP_FORWARD ? n : 2 * b);
    wp_axis_map map;
    assert_true(wp_axis_map_extend(&map, border, n, shift, length));
    for (int c = 0; c < m.columns; c++) {
        std::vector<double> v((size_t)length);
        if (direction == WP_FORWARD) {
            for (int i = 0; i < length; i++)
                v[(size_t)i] = weight_of(map, i, c);
        } else {
            v[(size_t)(2 * (c % b + around) + c / b)] = 1;
        }
        lift(lifting, v);
        for (int r = 0; r < m.rows; r++)
            m(r, c) = v[(size_t)(direction == WP_FORWARD ? 2 * (r % b + around) + r / b
                                                         : r - shift)];
    }
    wp_axis_map_free(&map);
    return m;
}

// An array of doubles with gaps, of which none may be written.
struct array {
    static constexpr double unset = 12345;
    int width, height, planes, gap;
    std::vector<double> at;

    array(int width_, int height_, int planes_, bool gaps)
        : width(width_), height(height_), planes(planes_), gap(gaps)
    {
        at.assign((size_t)(planes * step_z()), unset);
    }
    ptrdiff_t step_x() const { return 1 + gap; }
    ptrdiff_t step_y() const { return step_x() * width + gap; }
    ptrdiff_t step_z() const { return step_y() * height + gap; }
    double &operator()(int x, int y, int z)
    {
        return at[(size_t)(x * step_x() + y * step_y() + z * step_z())];
    }
    wp_batch_array from(int x, int y)
    {
        return {at.data() + x * step_x() + y * step_y(), step_x(), step_y(), step_z()};
    }
};

// The coefficients of an axis, of one level, in an array of those of all levels.
int position(int n, int taps, int level, int levels, int i)
{
    const int b = wp_border_size(n, taps, level + 1);
    return i < b ? i : wp_border_first(n, taps, level, levels) + i - b;
}

// Replaces elements `from` of lines along an axis by the product at `to`.
void multiply(matrix m, array &a, bool along_y, const std::vector<int> &lines,
              const std::vector<int> &from, const std::vector<int> &to)
{
    for (int z = 0; z < a.planes; z++)
        for (const int line : lines) {
            std::vector<double> sum((size_t)m.rows);
            for (int r = 0; r < m.rows; r++)
                for (int c = 0; c < m.columns; c++)
                    sum[(size_t)r] += m(r, c) * (along_y ? a(line, from[(size_t)c], z)
                                                         : a(from[(size_t)c], line, z));
            for (int r = 0; r < m.rows; r++)
                (along_y ? a(line, to[(size_t)r], z) : a(to[(size_t)r], line, z)) = sum[(size_t)r];
        }
}

template <class ELEMENTS, int W, int H, int LEVELS, int PLANES, int SHARE, wp_border BORDER,
          int TAPS, int REACH, bool ADJOINT, bool INVERSE, bool DENSE>
struct experiment {
    static constexpr int most(int n)
    {
        int all = n;
        for (int l = 1; l <= LEVELS; l++)
            all = std::max(all, 2 * wp_border_size(n, TAPS, l));
        return all;
    }
    static constexpr int planes = 2 * PLANES + 1, rows = H > 1 ? most(H) : 1;
    using shape = any_steps<INVERSE, REACH>;
    using kernel_case = wp_border_case<ELEMENTS, W, H, LEVELS, PLANES, SHARE, most(W) | 1, rows,
                                       BORDER, TAPS, ADJOINT, (H > 1), DENSE, DENSE>;
    static_assert(kernel_case::area * PLANES <= (int)(sizeof wp_batch_memory / sizeof(double)));

    // In place, level by level in the order of the direction, with a band at its position.
    static void expect(array &a, const wp_wavelet &wavelet)
    {
        for (int i = 0; i < LEVELS; i++) {
            const int l = INVERSE ? LEVELS - 1 - i : i;
            // Rows precede columns: the columns of samples, or of coefficients.
            std::vector<int> samples[2], coefficients[2];
            for (int axis = 0; axis < 2; axis++) {
                const int n = axis && H == 1 ? 1 : wp_border_size(axis ? H : W, TAPS, l);
                for (int k = 0; k < n; k++)
                    samples[axis].push_back(k);
                for (int k = 0; k < 2 * wp_border_band(n, TAPS); k++)
                    coefficients[axis].push_back(position(axis ? H : W, TAPS, l, LEVELS, k));
            }
            for (int axis = 0; axis < (H > 1 ? 2 : 1); axis++) {
                // The inverse of the adjoint is the transpose of the forward transform.
                const wp_direction direction = INVERSE != ADJOINT ? WP_INVERSE : WP_FORWARD;
                matrix m =
                    level_matrix(wavelet, BORDER, direction, (int)samples[axis].size(), TAPS);
                const std::vector<int> &rows_of_level =
                    INVERSE && H > 1 ? coefficients[1] : samples[1];
                const std::vector<int> &columns_of_level = INVERSE ? samples[0] : coefficients[0];
                multiply(ADJOINT ? m.transposed() : m, a, axis,
                         axis ? columns_of_level : rows_of_level,
                         INVERSE ? coefficients[axis] : samples[axis],
                         INVERSE ? samples[axis] : coefficients[axis]);
            }
        }
    }

    static void run(const char *name)
    {
        wp_wavelet wavelet, dual;
        assert_true(wp_wavelet_find(name, &wavelet));
        if (ADJOINT)
            assert_true(wp_lifting_dual(&wavelet, WP_NORM_PYWT, &dual));
        const wp_lifting lifting = wp_lifting_make(ADJOINT ? &dual : &wavelet,
                                                   INVERSE ? WP_INVERSE : WP_FORWARD, WP_NORM_PYWT,
                                                   BORDER);
        shape::set(lifting);
        const int width = wp_border_extent(W, TAPS, LEVELS);
        const int height = H > 1 ? wp_border_extent(H, TAPS, LEVELS) : 1;
        array samples(W, H, planes, !DENSE), coefficients(width, height, planes, !DENSE);
        array exact(std::max(width, W), std::max(height, H), planes, false);
        array &in = INVERSE ? coefficients : samples, &out = INVERSE ? samples : coefficients;
        for (int z = 0; z < planes; z++)
            for (int y = 0; y < in.height; y++)
                for (int x = 0; x < in.width; x++)
                    exact(x, y, z) = in(x, y, z) = (float)rand() / (float)RAND_MAX;
        wp_batch_args args = {};
        args.planes = planes;
        args.samples = samples.from(0, 0);
        for (int l = 0; l < LEVELS; l++)
            for (unsigned b = 0; b < (H > 1 ? 4U : 2U); b++) {
                args.scale[l][b] = wp_lifting_gain(&lifting, H > 1 ? 3 : 1, b);
                args.scale_f32[l][b] = (float)args.scale[l][b];
                if (b || l + 1 == LEVELS)
                    args.band[l][b] =
                        coefficients.from(b & 1 ? wp_border_first(W, TAPS, l, LEVELS) : 0,
                                          b & 2 ? wp_border_first(H, TAPS, l, LEVELS) : 0);
            }
        for (blockIdx.x = 0; blockIdx.x < 3; blockIdx.x++) {
            memset(wp_batch_memory, 0xFF, sizeof wp_batch_memory); // NaN
            host_run_block(kernel_case::threads, [&] {
                wp_run_batch<wp_border_batch<shape, kernel_case>>(args);
            });
        }
        expect(exact, wavelet);
        compare(name, out, exact);
    }

    // Elements between those of the array, and those of no band, keep their values.
    static void compare(const char *name, array &out, array &exact)
    {
        constexpr double limit = 1e-11;
        size_t written = 0, expected = (size_t)planes * W * H;
        for (int z = 0; z < planes; z++)
            for (int y = 0; y < out.height; y++)
                for (int x = 0; x < out.width; x++) {
                    const double value = out(x, y, z);
                    if (value != array::unset && !(fabs(value - exact(x, y, z)) <= limit))
                        fail_msg("%s, border %d, %s%s, %dx%d: (%d, %d) of image %d is %.9g, "
                                 "not %.9g",
                                 name, (int)BORDER, ADJOINT ? "adjoint " : "",
                                 INVERSE ? "inverse" : "forward", W, H, x, y, z, value,
                                 exact(x, y, z));
                }
        for (const double value : out.at)
            written += value != array::unset;
        if (!INVERSE) {
            expected = 0;
            for (int l = 0; l < LEVELS; l++)
                expected += (size_t)(wp_border_size(W, TAPS, l + 1)) *
                            (size_t)(H > 1 ? 3 * wp_border_size(H, TAPS, l + 1) : 1);
            expected += (size_t)wp_border_size(W, TAPS, LEVELS) *
                        (size_t)(H > 1 ? wp_border_size(H, TAPS, LEVELS) : 1);
            expected *= planes;
        }
        assert_int_equal(written, expected);
    }
};

using f64 = wp_batch_elements<WP_ELEMENT_F64, WP_ELEMENT_F64, WP_ELEMENT_F64>;

template <int W, int H, int LEVELS, int PLANES, int SHARE, wp_border BORDER, int TAPS, int REACH,
          bool DENSE>
void run_all(const char *name)
{
    constexpr int taps = BORDER == WP_BORDER_PYWT_PERIODIZATION ? 2 : TAPS;
#define RUN(adjoint, inverse) \
    experiment<f64, W, H, LEVELS, PLANES, SHARE, BORDER, taps, REACH, adjoint, inverse, \
               DENSE>::run(name)
    RUN(false, false);
    RUN(false, true);
    RUN(true, false);
    RUN(true, true);
#undef RUN
}

// Images and signals of all modes, some smaller than the filters; with as many threads as lines.
template <wp_border BORDER>
void run_border()
{
    run_all<9, 6, 2, 1, 18, BORDER, 8, 2, true>("db4");
    run_all<7, 1, 2, 3, 1, BORDER, 4, 1, false>("db2");
}

// With fewer and with more threads than lines, and with filters of other lengths.
void test_threads(void **)
{
    run_all<21, 14, 2, 1, 16, WP_BORDER_PYWT_SMOOTH, 10, 2, false>("cdf97");
    run_all<33, 1, 2, 2, 5, WP_BORDER_PYWT_ANTIREFLECT, 10, 2, true>("cdf97");
    run_all<2, 3, 2, 3, 4, WP_BORDER_PYWT_SYMMETRIC, 4, 1, true>("db2");
    run_all<5, 5, 3, 1, 8, WP_BORDER_PYWT_PERIODIZATION, 2, 0, false>("haar");
}

void test_zero(void **) { run_border<WP_BORDER_PYWT_ZERO>(); }
void test_constant(void **) { run_border<WP_BORDER_PYWT_CONSTANT>(); }
void test_symmetric(void **) { run_border<WP_BORDER_PYWT_SYMMETRIC>(); }
void test_reflect(void **) { run_border<WP_BORDER_PYWT_REFLECT>(); }
void test_periodic(void **) { run_border<WP_BORDER_PYWT_PERIODIC>(); }
void test_smooth(void **) { run_border<WP_BORDER_PYWT_SMOOTH>(); }
void test_antisymmetric(void **) { run_border<WP_BORDER_PYWT_ANTISYMMETRIC>(); }
void test_antireflect(void **) { run_border<WP_BORDER_PYWT_ANTIREFLECT>(); }
void test_periodization(void **) { run_border<WP_BORDER_PYWT_PERIODIZATION>(); }

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero),       cmocka_unit_test(test_constant),
        cmocka_unit_test(test_symmetric),  cmocka_unit_test(test_reflect),
        cmocka_unit_test(test_periodic),   cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_antisymmetric), cmocka_unit_test(test_antireflect),
        cmocka_unit_test(test_periodization), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
