// The kernel of maps along axes (cuda/cuda_axis_map.cuh) on the host, without a GPU, against
// wp_axis_maps_apply(): all rules of extension, their transposes, and strided operands of all types.
#include <algorithm>
#include <cmath>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <vector>

extern "C" {
#include "axis_map.h"
#include "elements.h"

#include <cmocka.h>
}

#include "cuda_axis_map.cuh"

namespace {

constexpr unsigned char UNTOUCHED = 0xA5;

// An array with gaps, and two samples of margin at each end. Its axes x, y, z and planes have
// distances in the order of the digits of `order`, the nearest first.
struct array {
    std::vector<unsigned char> memory;
    wp_operand operand;
    size_t bytes;

    array(wp_element type, const int size[4], const char *order, unsigned char fill)
    {
        ptrdiff_t step = order[4] ? 2 : 1;
        operand = {};
        operand.type = type;
        for (int i = 0; i < 4; i++) {
            operand.stride[order[i] - '0'] = step;
            step *= size[order[i] - '0'] + (order[4] ? 1 : 0);
        }
        bytes = wp_elements[type].bytes;
        memory.assign(((size_t)step + 4) * bytes, fill);
        operand.data = memory.data() + 2 * bytes;
    }
};

template <class FROM, class TO>
void run(const wp_map_args &args, const unsigned block[2], const unsigned grid[3])
{
    blockDim = dim3(block[0], block[1]);
    gridDim = dim3(grid[0], grid[1], grid[2]);
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
                for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++)
                    for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
                        wp_map_samples<FROM, TO>(args);
}

// As a launch, with small blocks, and fewer blocks along the other axes than rows.
void run_kernel(wp_axis_maps &maps, const wp_operand &from, const wp_operand &to)
{
    std::vector<double> tables((wp_cuda_map_bytes(&maps) + 7) / 8 + 1);
    wp_cuda_map_write(&maps, tables.data());
    maps.on_device = tables.data();
    wp_map_args args = {wp_cuda_map_make(&maps, &from, &to), {}};
    maps.on_device = nullptr;
    if (args.map.scale.one > 0)
        args.by = wp_find_reciprocal(args.map.scale, 0);
    const unsigned block[] = {5, 2};
    const unsigned columns = block[0] * WP_MAP_SAMPLES;
    const unsigned grid[] = {((unsigned)maps.axis[WP_X].to + columns - 1) / columns, 2, 3};
    wp_with_map_types(args.map, [&](auto from_type, auto to_type) {
        run<decltype(from_type), decltype(to_type)>(args, block, grid);
    });
}

double value_of(const wp_operand &operand, ptrdiff_t at)
{
    float value;
    if (operand.type == WP_ELEMENT_F64)
        return static_cast<const double *>(operand.data)[at];
    wp_operand_read(&wp_element_rows, &value, &operand, at, false, 1);
    return (double)value;
}

// All elements of the output equal the host's up to the order of sums, also those between them. That
// order does not change integers that are rounded from doubles.
void compare(const array &got, const array &expected, bool in_doubles)
{
    const wp_operand first = {const_cast<unsigned char *>(got.memory.data()), got.operand.type};
    const wp_operand second = {const_cast<unsigned char *>(expected.memory.data()),
                               got.operand.type};
    const double unit = wp_elements[got.operand.type].largest > 0
                            ? (in_doubles ? 0.0 : 1.01) /
                                  (double)wp_elements[got.operand.type].largest
                        : got.bytes == 2 ? 0.01
                        : got.bytes == 4 ? 1e-6
                                         : 1e-14;
    for (size_t i = 0; i < got.memory.size() / got.bytes; i++) {
        if (!memcmp(&got.memory[i * got.bytes], &expected.memory[i * got.bytes], got.bytes))
            continue;
        const double a = value_of(first, (ptrdiff_t)i), b = value_of(second, (ptrdiff_t)i);
        if (!(fabs(a - b) <= unit * std::max(1.0, fabs(b))))
            fail_msg("element %zu of type %s is %g, not %g", i,
                     wp_elements[got.operand.type].name, a, b);
    }
}

void check(wp_axis_maps &maps, wp_element from_type, wp_element to_type, const char *from_order,
           const char *to_order)
{
    int from_size[4], to_size[4];
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        from_size[a] = maps.axis[a].from;
        to_size[a] = maps.axis[a].to;
    }
    from_size[WP_PLANE] = to_size[WP_PLANE] = maps.planes;
    array from(from_type, from_size, from_order, 0);
    for (size_t i = 0; i < from.memory.size() / from.bytes; i++) {
        const float value = (float)rand() / (float)RAND_MAX;
        const wp_operand all = {from.memory.data(), from_type};
        wp_operand_write(&wp_element_rows, &all, (ptrdiff_t)i, &value, false, 1);
        if (from_type == WP_ELEMENT_F64)
            static_cast<double *>(all.data)[i] = (double)rand() / (double)RAND_MAX;
    }
    array got(to_type, to_size, to_order, UNTOUCHED);
    array expected(to_type, to_size, to_order, UNTOUCHED);
    run_kernel(maps, from.operand, got.operand);
    assert_true(wp_axis_maps_apply(&maps, &from.operand, &expected.operand));
    compare(got, expected, from_type == WP_ELEMENT_F64);
}

wp_axis_map make_axis(wp_border border, int n, bool extends, bool transposed)
{
    wp_axis_map map = wp_axis_map_identity(n), other;
    if (extends)
        assert_true(wp_axis_map_extend(&map, border, n, -7, n + n % 2 + 12));
    if (!transposed)
        return map;
    assert_true(wp_axis_map_transpose(&other, &map));
    wp_axis_map_free(&map);
    return other;
}

void test_extensions(void **)
{
    static const int sizes[][4] = {{37, 22, 1, 1}, {100, 1, 1, 7}, {1, 9, 1, 2}, {20, 14, 9, 1},
                                   {3, 2, 2, 1}};
    static const char *const orders[] = {"0123", "0123+", "3012", "2103+"};
    static const wp_element types[] = {WP_ELEMENT_F32, WP_ELEMENT_F64, WP_ELEMENT_F16,
                                       WP_ELEMENT_BF16, WP_ELEMENT_U8, WP_ELEMENT_U16};
    unsigned i = 0;
    for (int border = WP_BORDER_PYWT_ZERO; border < WP_BORDER_COUNT; border++)
        for (const auto &size : sizes)
            for (int transposed = 0; transposed < 2; transposed++) {
                wp_axis_maps maps = {};
                maps.planes = size[3];
                for (int a = 0; a < WP_DIMS_MAX; a++)
                    maps.axis[a] = make_axis((wp_border)border, size[a], size[a] > 1, transposed);
                for (const wp_element type : types) {
                    i++;
                    check(maps, type, WP_ELEMENT_F32, orders[i % 4], orders[i / 4 % 4]);
                    check(maps, WP_ELEMENT_F32, type, orders[i / 4 % 4], orders[i % 4]);
                    check(maps, type, WP_ELEMENT_F64, orders[i % 4], orders[i / 4 % 4]);
                    check(maps, WP_ELEMENT_F64, type, orders[i / 4 % 4], orders[i % 4]);
                }
                wp_axis_maps_free(&maps);
            }
}

// Crops, embeddings, weights at the ends, and rows without entries.
void test_others(void **)
{
    for (int n = 1; n < 40; n += 3) {
        wp_axis_maps maps = {};
        maps.planes = 2;
        assert_true(wp_axis_map_shift(&maps.axis[0], n, -3, n + 5));
        assert_true(wp_axis_map_ends(&maps.axis[1], n, 0.5, 2));
        assert_true(wp_axis_map_shift(&maps.axis[2], 5, 2, 3));
        check(maps, WP_ELEMENT_F32, WP_ELEMENT_F32, "0123", "1032+");
        wp_axis_map_free(&maps.axis[1]);
        assert_true(wp_axis_map_shift(&maps.axis[1], n, n, n));
        check(maps, WP_ELEMENT_F32, WP_ELEMENT_F32, "0123+", "0123");
        wp_axis_maps_free(&maps);
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extensions),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
