// The kernel of maps along axes. Each thread computes WP_MAP_SAMPLES samples of each of its rows. An
// output sample is the sum of the products of one entry per axis, in doubles as on the host. Samples
// that have one entry of weight 1 are copied.
#ifndef WP_CUDA_AXIS_MAP_CUH
#define WP_CUDA_AXIS_MAP_CUH

#include "cuda_axis_map.h"
#include "cuda_elements.cuh"

#include <type_traits>

enum { WP_MAP_SAMPLES = 4 };

struct wp_map_args {
    wp_cuda_map map;
    wp_reciprocal by;
};

// Access to operands of each type as REAL: doubles if either operand has them, else floats.
template <class FLOAT>
struct wp_map_float {
    using type = FLOAT;
    static constexpr bool wide = sizeof(FLOAT) == sizeof(double);

    template <class REAL>
    static __device__ __forceinline__ REAL read(const type *from, const wp_map_args &)
    {
        return (REAL)__ldg(from);
    }
    template <class REAL>
    static __device__ __forceinline__ void write(type *to, REAL value, const wp_map_args &)
    {
        *to = (type)value;
    }
};

template <class ELEMENT>
struct wp_map_element {
    using type = typename ELEMENT::type;
    static constexpr bool wide = false;

    template <class REAL>
    static __device__ __forceinline__ REAL read(const type *from, const wp_map_args &args)
    {
        const float v = ELEMENT::template value<true>(__ldg(from), 0, args.by);
        if constexpr (!ELEMENT::integers)
            return (REAL)v;
        else if constexpr (sizeof(REAL) == sizeof(float))
            return wp_divide(v, args.by);
        else
            return (REAL)v / (REAL)args.map.scale.one;
    }
    template <class REAL>
    static __device__ __forceinline__ void write(type *to, REAL value, const wp_map_args &args)
    {
        if constexpr (ELEMENT::integers && sizeof(REAL) == sizeof(double)) {
            const double scaled = value * (double)args.map.scale.one;
            const double clamped = fmin(fmax(scaled, 0.0), (double)args.map.scale.largest);
            *to = (type)(unsigned)(clamped + 0.5);
        } else {
            *to = (type)ELEMENT::bits(wp_to_odd(value), args.map.scale);
        }
    }
};

template <class FROM, class TO>
using wp_map_real = typename std::conditional<FROM::wide || TO::wide, double, float>::type;

// The entries of a row of a map. Without `entry` it is one, sample `from` with weight 1.
struct wp_map_row {
    const wp_cuda_axis_entry *entry;
    int count, from;
};

__device__ __forceinline__ wp_map_row wp_find_row(const wp_cuda_axis &axis, int i)
{
    const int in_run = i - axis.run;
    if ((unsigned)in_run < (unsigned)axis.count)
        return {nullptr, 1, in_run + axis.source};
    const int sum = in_run < 0 ? i : i - axis.count;
    const int first = __ldg(axis.begin + sum);
    return {axis.entry + first, __ldg(axis.begin + sum + 1) - first, 0};
}

__device__ __forceinline__ wp_cuda_axis_entry wp_get_entry(const wp_map_row &row, int e)
{
    return row.entry ? row.entry[e] : wp_cuda_axis_entry{row.from, 1.0};
}

template <class REAL, class FROM>
__device__ __forceinline__ double wp_sum_entries(const wp_map_args &args, const wp_map_row *row)
{
    const wp_cuda_axis *axis = args.map.axis;
    const auto *from = static_cast<const typename FROM::type *>(args.map.from);
    double sum = 0;
    for (int a = 0; a < row[0].count; a++) {
        const wp_cuda_axis_entry x = wp_get_entry(row[0], a);
        double products = 0;
        for (int b = 0; b < row[3].count; b++) {
            const wp_cuda_axis_entry p = wp_get_entry(row[3], b);
            for (int c = 0; c < row[2].count; c++) {
                const wp_cuda_axis_entry z = wp_get_entry(row[2], c);
                for (int d = 0; d < row[1].count; d++) {
                    const wp_cuda_axis_entry y = wp_get_entry(row[1], d);
                    const ptrdiff_t at = x.from * axis[0].from_step + y.from * axis[1].from_step +
                                         z.from * axis[2].from_step + p.from * axis[3].from_step;
                    const double v = (double)FROM::template read<REAL>(from + at, args);
                    products += y.weight * z.weight * p.weight * v;
                }
            }
        }
        sum += x.weight * products;
    }
    return sum;
}

// The samples first, first + step, … of one row. `row` has the entries of the other axes.
template <class FROM, class TO>
__device__ __forceinline__ void wp_map_row_samples(const wp_map_args &args, wp_map_row *row,
                                                   typename TO::type *to, int first, int step)
{
    using real = wp_map_real<FROM, TO>;
    const wp_cuda_axis *axis = args.map.axis;
    const bool copies = !row[1].entry && !row[2].entry && !row[3].entry;
    if (copies) {
        const auto *from = static_cast<const typename FROM::type *>(args.map.from) +
                           (axis->source - axis->run) * axis->from_step;
        real v[WP_MAP_SAMPLES];
        for (int a = 1; a < WP_CUDA_MAP_AXES; a++)
            from += row[a].from * axis[a].from_step;
#pragma unroll
        for (int i = 0; i < WP_MAP_SAMPLES; i++) {
            const int x = first + i * step;
            if ((unsigned)(x - axis->run) < (unsigned)axis->count)
                v[i] = FROM::template read<real>(from + x * axis->from_step, args);
        }
#pragma unroll
        for (int i = 0; i < WP_MAP_SAMPLES; i++) {
            const int x = first + i * step;
            if ((unsigned)(x - axis->run) < (unsigned)axis->count)
                TO::write(to + x * axis->to_step, v[i], args);
        }
    }
#pragma unroll 1
    for (int i = 0; i < WP_MAP_SAMPLES; i++) {
        const int x = first + i * step;
        if (x >= axis->to)
            return;
        if (copies && (unsigned)(x - axis->run) < (unsigned)axis->count)
            continue;
        row[0] = wp_find_row(axis[0], x);
        TO::write(to + x * axis->to_step, (real)wp_sum_entries<real, FROM>(args, row), args);
    }
}

template <class FROM, class TO>
__device__ __forceinline__ void wp_map_samples(const wp_map_args &args)
{
    const wp_cuda_axis *axis = args.map.axis;
    const int step = (int)blockDim.x;
    const int first = (int)blockIdx.x * WP_MAP_SAMPLES * step + (int)threadIdx.x;
    wp_map_row row[WP_CUDA_MAP_AXES];
    for (int p = 0; p < axis[3].to; p++) {
        row[3] = wp_find_row(axis[3], p);
        for (int z = (int)blockIdx.z; z < axis[2].to; z += (int)gridDim.z) {
            row[2] = wp_find_row(axis[2], z);
            for (int y = (int)(blockIdx.y * blockDim.y + threadIdx.y); y < axis[1].to;
                 y += (int)(gridDim.y * blockDim.y)) {
                row[1] = wp_find_row(axis[1], y);
                wp_map_row_samples<FROM, TO>(args, row,
                                             static_cast<typename TO::type *>(args.map.to) +
                                                 y * axis[1].to_step + z * axis[2].to_step +
                                                 p * axis[3].to_step,
                                             first, step);
            }
        }
    }
}

// Calls f(TYPE{}) for the access to a type.
template <class F>
auto wp_with_map_type(wp_element type, F f)
{
    if (type == WP_ELEMENT_F32)
        return f(wp_map_float<float>{});
    if (type == WP_ELEMENT_F64)
        return f(wp_map_float<double>{});
    return wp_with_element(type, [&](auto element) {
        return f(wp_map_element<decltype(element)>{});
    });
}

// Calls f(FROM{}, TO{}) for the types of a map, one of which is f32 or f64.
template <class F>
auto wp_with_map_types(const wp_cuda_map &map, F f)
{
    using f32 = wp_map_float<float>;
    using f64 = wp_map_float<double>;
    if (map.from_type == WP_ELEMENT_F32)
        return wp_with_map_type(map.to_type, [&](auto to) { return f(f32{}, to); });
    if (map.from_type == WP_ELEMENT_F64)
        return wp_with_map_type(map.to_type, [&](auto to) { return f(f64{}, to); });
    if (map.to_type == WP_ELEMENT_F64)
        return wp_with_element(map.from_type, [&](auto element) {
            return f(wp_map_element<decltype(element)>{}, f64{});
        });
    return wp_with_element(map.from_type, [&](auto element) {
        return f(wp_map_element<decltype(element)>{}, f32{});
    });
}

#endif
