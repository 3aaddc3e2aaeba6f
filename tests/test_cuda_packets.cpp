// The kernels of wavelet packets (cuda/jit/cuda_packets.cuh) on the host, without a GPU, against
// lifting of one node after the other in doubles.
#include <algorithm>
#include <cmath>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <vector>

extern "C" {
#include "lifting.h"

#include <cmocka.h>
}

#include "host_block.h"
#include "host_steps.h"

#include "cuda_packets.cuh"

double wp_batch_memory[1 << 13]; // of a block

namespace {

constexpr double unset = 12345;

// Lifts a node, and puts low samples before high ones.
std::vector<double> split(const wp_lifting &lifting, std::vector<double> v)
{
    const int n = (int)v.size();
    for (int s = 0; s < lifting.steps; s++)
        for (int i = lifting.step[s].odd; i < n; i += 2)
            for (int t = 0; t < lifting.step[s].filter.count; t++) {
                const int at =
                    i - lifting.step[s].odd + 2 * lifting.step[s].filter.tap[t].k + !lifting.step[s].odd;
                v[(size_t)i] += lifting.step[s].filter.tap[t].c *
                                v[(size_t)wp_extend(lifting.extension, at, n)];
            }
    std::vector<double> bands((size_t)n);
    for (int i = 0; i < n; i++)
        bands[(size_t)(i / 2 + i % 2 * (n / 2))] = v[(size_t)i] * lifting.gain[i % 2];
    return bands;
}

// Levels `from` to `to` - 1 of a line, whose nodes are one after the other.
void split_line(const wp_lifting &lifting, int from, int to, std::vector<double> &line)
{
    for (int l = from; l < to; l++)
        for (size_t n = line.size() >> l, i = 0; i < line.size(); i += n) {
            const auto first = line.begin() + (ptrdiff_t)i;
            const std::vector<double> bands =
                split(lifting, std::vector<double>(first, first + (ptrdiff_t)n));
            std::copy(bands.begin(), bands.end(), first);
        }
}

// An array of doubles whose strides are given. Kernels access floats instead if `narrow` is set.
struct array {
    int size[3];
    ptrdiff_t step[3];
    std::vector<double> at;
    std::vector<float> floats;
    bool narrow = false;

    array(int width, int height, int depth, int gap) : size{width, height, depth}
    {
        step[0] = 1 + gap;
        step[1] = step[0] * width + gap;
        step[2] = step[1] * height + gap;
        at.assign((size_t)(step[2] * depth), unset);
    }
    double &operator()(int x, int y, int z)
    {
        return at[(size_t)(x * step[0] + y * step[1] + z * step[2])];
    }
    // Along x or y.
    wp_batch_array view(int axis)
    {
        void *const data = narrow ? (void *)floats.data() : (void *)at.data();
        return {data, step[axis], step[1 - axis], step[2]};
    }
    void make_floats() { floats.assign(at.begin(), at.end()); }
    void get_floats() { at.assign(floats.begin(), floats.end()); }
};

// The array `samples` and the coefficients of levels `from` to `to` - 1 along an axis.
void split_array(const wp_lifting &lifting, int axis, int from, int to, array &samples)
{
    for (int z = 0; z < samples.size[2]; z++)
        for (int j = 0; j < samples.size[1 - axis]; j++) {
            std::vector<double> line;
            const auto at = [&](int i) -> double & {
                return axis ? samples(j, i, z) : samples(i, j, z);
            };
            for (int i = 0; i < samples.size[axis]; i++)
                line.push_back(at(i));
            split_line(lifting, from, to, line);
            for (int i = 0; i < samples.size[axis]; i++)
                at(i) = line[(size_t)i];
        }
}

void compare(const char *label, array &got, array &expected, double tolerance)
{
    size_t written = 0;
    for (int z = 0; z < got.size[2]; z++)
        for (int y = 0; y < got.size[1]; y++)
            for (int x = 0; x < got.size[0]; x++)
                if (!(fabs(got(x, y, z) - expected(x, y, z)) < tolerance))
                    fail_msg("%s: (%d, %d, %d) is %.9g, not %.9g", label, x, y, z, got(x, y, z),
                             expected(x, y, z));
    for (const double value : got.at)
        written += value != unset;
    assert_int_equal(written, (size_t)got.size[0] * (size_t)got.size[1] * (size_t)got.size[2]);
}

wp_lifting lifting_of(const char *name, wp_direction direction)
{
    wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    return wp_lifting_make(&wavelet, direction, WP_NORM_ORTHONORMAL,
                           wavelet.symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PERIODIC
                                                                : WP_BORDER_SYMMETRIC);
}

void set_scale(const wp_lifting &lifting, int levels, wp_packets_args &args)
{
    for (int leaf = 0; leaf < 1 << levels; leaf++)
        for (int axis = 0; axis < 2; axis++) {
            args.scale[axis][leaf] = 1;
            for (int l = 0; l < levels; l++)
                args.scale[axis][leaf] *= lifting.gain[leaf >> l & 1];
        }
}

void fill(array &to)
{
    for (int z = 0; z < to.size[2]; z++)
        for (int y = 0; y < to.size[1]; y++)
            for (int x = 0; x < to.size[0]; x++)
                to(x, y, z) = rand() / (double)RAND_MAX;
}

// Runs a kernel forward, or inverse from the expected coefficients to the samples.
template <class KERNEL>
void run(const char *label, bool inverse, unsigned blocks, unsigned threads, array &samples,
         array &coefficients, KERNEL kernel)
{
    array out = inverse ? samples : coefficients;
    std::fill(out.at.begin(), out.at.end(), unset);
    for (array *each : {&samples, &coefficients, &out})
        each->make_floats();
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        memset(wp_batch_memory, 0xFF, sizeof wp_batch_memory); // NaN
        host_run_block(threads, [&] { kernel(inverse ? coefficients : samples, out); });
    }
    if (out.narrow)
        out.get_floats();
    compare(label, out, inverse ? samples : coefficients,
            samples.narrow || coefficients.narrow ? 1e-6 : 1e-11);
}

using f64 = wp_batch_elements<WP_ELEMENT_F64, WP_ELEMENT_F64, WP_ELEMENT_F64>;
using to_f32 = wp_batch_elements<WP_ELEMENT_F64, WP_ELEMENT_F32, WP_ELEMENT_F32>;
using from_f32 = wp_batch_elements<WP_ELEMENT_F32, WP_ELEMENT_F64, WP_ELEMENT_F64>;

// Levels `FIRST` to `FIRST` + LEVELS - 1 of 3 arrays with `length` samples along an axis.
template <bool INVERSE, int REACH, int EXTENSION, int FIRST, int LEVELS, int N, int MARGIN,
          int SEGMENTS, bool ALONG, class ELEMENTS = f64>
void check_pass(const char *name, int length, int lines)
{
    using pass = wp_packets_pass<any_steps<INVERSE, REACH>, ELEMENTS, EXTENSION, LEVELS, N, MARGIN,
                                 MARGIN, SEGMENTS, ALONG>;
    const wp_lifting forward = lifting_of(name, WP_FORWARD);
    const wp_lifting lifting = lifting_of(name, INVERSE ? WP_INVERSE : WP_FORWARD);
    const int axis = ALONG ? 0 : 1, tiles = ((length >> FIRST) + pass::tile - 1) / pass::tile;
    array samples(ALONG ? length : lines, ALONG ? lines : length, 3, SEGMENTS % 2);
    char label[96];
    snprintf(label, sizeof label, "%s %s, %d levels from %d of %d samples along %d", name,
             INVERSE ? "inverse" : "forward", LEVELS, FIRST, length, axis);
    assert_int_equal(lifting.extension, EXTENSION);
    any_steps<INVERSE, REACH>::set(lifting);
    fill(samples);
    array coefficients = samples;
    split_array(forward, axis, FIRST, FIRST + LEVELS, coefficients);
    samples.narrow = std::is_same<typename ELEMENTS::samples::type, float>::value;
    coefficients.narrow = std::is_same<typename ELEMENTS::high::type, float>::value;
    wp_packets_args args = {};
    args.nodes = 1 << FIRST;
    args.node = length >> FIRST;
    args.lines = lines;
    args.planes = 3;
    set_scale(lifting, LEVELS, args);
    blockIdx.z = 0;
    run(label, INVERSE, (unsigned)(tiles * args.nodes * ((lines + 31) / 32)), 32 * SEGMENTS, samples,
        coefficients, [&](array &in, array &out) {
            wp_packets_args here = args;
            here.in = in.view(axis);
            here.out = out.view(axis);
            for (int i = 0; i < 2; i++) {
                const int count = i == INVERSE ? here.node : here.node / pass::leaves;
                here.vector |= (unsigned)(SEGMENTS % 2 == 0 && (ALONG ? count : lines) % 4 == 0) << i;
            }
            wp_run_packets_pass<pass>(here);
        });
}

template <bool INVERSE>
void check_passes()
{
    // Segments, of which the last ones overlap, with groups of four neighbors and without.
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 0, 2, 48, 16, 2, true>("cdf97", 80, 35);
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 0, 2, 40, 12, 2, true>("cdf97", 80, 35);
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 0, 2, 40, 12, 2, false>("cdf97", 64, 36);
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 0, 2, 48, 16, 2, false>("cdf97", 64, 36);
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 1, 3, 96, 32, 1, false>("cdf97", 192, 5);
    check_pass<INVERSE, 1, WP_EXTEND_WRAP, 1, 2, 48, 16, 2, true>("db2", 160, 3);
    check_pass<INVERSE, 1, WP_EXTEND_WRAP, 0, 3, 48, 16, 1, false>("db2", 56, 33);
    // Floats, computed with in doubles.
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 0, 2, 48, 16, 2, true, to_f32>("cdf97", 80, 35);
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 0, 2, 48, 16, 2, true, from_f32>("cdf97", 80, 35);
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 0, 2, 48, 16, 2, false, from_f32>("cdf97", 64, 36);
    // Complete nodes.
    check_pass<INVERSE, 2, WP_EXTEND_MIRROR, 1, 3, 24, 0, 1, true>("cdf97", 48, 33);
    check_pass<INVERSE, 1, WP_EXTEND_WRAP, 0, 2, 12, 0, 1, false>("db2", 12, 40);
}

void test_forward(void **) { check_passes<false>(); }
void test_inverse(void **) { check_passes<true>(); }

template <bool INVERSE, int REACH, int EXTENSION, int WIDTH, int HEIGHT, int LEVELS, int PLANES,
          bool DENSE>
void check_block(const char *name)
{
    using shape = any_steps<INVERSE, REACH>;
    using of_case =
        wp_batch_case<f64, WIDTH, HEIGHT, LEVELS, PLANES, EXTENSION, DENSE, DENSE>;
    const wp_lifting forward = lifting_of(name, WP_FORWARD);
    const wp_lifting lifting = lifting_of(name, INVERSE ? WP_INVERSE : WP_FORWARD);
    array samples(WIDTH, HEIGHT, 3, !DENSE);
    any_steps<INVERSE, REACH>::set(lifting);
    fill(samples);
    array coefficients = samples;
    split_array(forward, 0, 0, LEVELS, coefficients);
    split_array(forward, 1, 0, LEVELS, coefficients);
    wp_packets_args args = {};
    args.batch.planes = 3;
    set_scale(lifting, LEVELS, args);
    run(name, INVERSE, (3 + PLANES - 1) / PLANES, of_case::threads, samples, coefficients,
        [&](array &in, array &out) {
            wp_packets_args here = args;
            here.in = in.view(0);
            here.out = out.view(0);
            wp_run_packets_block<wp_packets_block<shape, of_case>>(here);
        });
}

void test_blocks(void **)
{
    check_block<false, 2, WP_EXTEND_MIRROR, 24, 16, 3, 2, true>("cdf97");
    check_block<true, 2, WP_EXTEND_MIRROR, 24, 16, 3, 2, true>("cdf97");
    check_block<false, 1, WP_EXTEND_WRAP, 8, 32, 2, 1, false>("db2");
    check_block<true, 1, WP_EXTEND_WRAP, 8, 32, 2, 1, false>("db2");
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
