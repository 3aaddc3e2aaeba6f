// Kernels of batches of images that do not fit the shared memory of a block: one level per launch,
// a tile of an image per block.
//
// A block reads a tile and the samples around it that the steps read, extended at the borders of
// the image. As in cuda_batch.cuh, a thread lifts a segment of a row, then a column, in registers.
#ifndef WP_CUDA_BATCH_TILE_CUH
#define WP_CUDA_BATCH_TILE_CUH

#include "cuda_batch.cuh"

template <class SHAPE, class ELEMENTS, int EXTENSION>
struct wp_batch_tile {
    using real = typename ELEMENTS::real;
    static constexpr int width = WP_BATCH_TILE_WIDTH, height = WP_BATCH_TILE_HEIGHT;
    static constexpr int segment = WP_BATCH_TILE_SEGMENT, segments = width / segment;
    static constexpr int low = 2 * SHAPE::reach_low, around = low + 2 * SHAPE::reach_high;
    static constexpr int columns = width + around, rows = height + around;
    static constexpr int pitch = columns | 1; // odd, so that rows are in different banks
    const wp_batch_args &args;
    real *shared;
    int *row_at; // the rows of the image that the tile reads; -1: zero
    int x0, y0, plane, thread;

    __device__ __forceinline__ wp_batch_tile(const wp_batch_args &args_, real *shared_,
                                             int *row_at_)
        : args(args_), shared(shared_), row_at(row_at_), x0((int)blockIdx.x * width),
          y0((int)blockIdx.y * height), plane((int)blockIdx.z), thread((int)threadIdx.x)
    {
        if (thread < rows)
            row_at[thread] = extend(y0 - low + thread, args.height);
        __syncthreads();
    }

    // The sample that sample i of an axis of n samples is extended from; -1: zero. Samples far
    // outside, whose results are not used, have any position of the same parity.
    static __device__ __forceinline__ int extend(int i, int n)
    {
        i = min(i, n + around + ((n + around + i) & 1));
        return i >= 0 && i < n ? i : wp_device_extend(EXTENSION, i, n);
    }

    // The position of element i of a line of n elements, whose even elements precede the odd ones.
    static constexpr int split(int i, int n) { return i / 2 + i % 2 * (n / 2); }

    // Fetches rows of one parity of a column. `from`: the column at row 0 of the array.
    template <class STORED>
    __device__ __forceinline__ void fetch_rows(int s, int parity, bool inside,
                                               const wp_batch_array &at, int x) const
    {
        const auto *from = static_cast<const typename STORED::type *>(at.data) +
                           plane * at.step_z + x * at.step_x;
        constexpr int every = SHAPE::inverse ? 2 : 1, count = rows / every;
        constexpr int loads = count < WP_LOADS ? count : WP_LOADS;
        real *const to = shared + s;
        if constexpr (STORED::direct) {
#pragma unroll 8
            for (int i = parity; i < rows; i += every) {
                const int y = row_at[i];
                if (!inside || y < 0)
                    to[i * pitch] = 0;
                else
                    STORED::fetch(to + i * pitch, from + y / every * at.step_y);
            }
        } else {
            typename STORED::template word<1> word[loads];
            for (int first = parity; first < rows; first += loads * every) {
#pragma unroll
                for (int k = 0; k < loads; k++) {
                    const int i = first + k * every, y = i < rows ? row_at[i] : -1;
                    word[k] = inside && y >= 0
                                  ? STORED::template get<1>(from + y / every * at.step_y)
                                  : typename STORED::template word<1>(0);
                }
#pragma unroll
                for (int k = 0; k < loads; k++)
                    if (first + k * every < rows)
                        STORED::template set<1>(to + (first + k * every) * pitch, word[k]);
            }
        }
    }

    // Fetches column s of the samples, or of the coefficients with even columns before odd ones, to
    // shared memory.
    __device__ __forceinline__ void fetch_column(int s) const
    {
        const int odd = SHAPE::inverse && s >= columns / 2;
        const int x = extend(x0 - low + (SHAPE::inverse ? 2 * s - odd * (columns - 1) : s),
                             args.width);
        const int at = max(x, 0) / (SHAPE::inverse ? 2 : 1);
        if constexpr (!SHAPE::inverse) {
            fetch_rows<typename ELEMENTS::samples>(s, 0, x >= 0, args.samples, at);
        } else {
            if (ELEMENTS::same || odd)
                fetch_rows<typename ELEMENTS::high>(s, 0, x >= 0, args.band[0][odd], at);
            else
                fetch_rows<typename ELEMENTS::low>(s, 0, x >= 0, args.band[0][0], at);
            fetch_rows<typename ELEMENTS::high>(s, 1, x >= 0, args.band[0][odd + 2], at);
        }
    }

    __device__ __forceinline__ void lift_rows() const
    {
        const int y = thread % rows, part = thread / rows;
        real *row = shared + y * pitch;
        real v[segment + around + 1];
        if (part < segments) {
            // Forward, columns apply the scale.
            const real scale[2] = {wp_batch_scale<real>(args, 0, y % 2 * 2),
                                   wp_batch_scale<real>(args, 0, y % 2 * 2 + 1)};
#pragma unroll
            for (int i = 0; i < segment + around; i++)
                v[i] = SHAPE::inverse
                           ? row[part * (segment / 2) + split(i, columns)] * scale[i % 2]
                           : row[part * segment + i];
            wp_lift_line<SHAPE, (int)WP_BATCH_INSIDE, segment + around>(v);
        }
        __syncthreads();
        if (part < segments)
#pragma unroll
            for (int i = 0; i < segment; i++)
                row[SHAPE::inverse ? part * segment + i
                                   : part * (segment / 2) + split(i, width)] = v[low + i];
        __syncthreads();
    }

    // Writes the results of one parity of a column. `v` begins at the first row of the tile.
    template <class STORED>
    __device__ __forceinline__ void write_rows(const real *v, int parity,
                                               const wp_batch_array &at, int x, real scale) const
    {
        const ptrdiff_t step = SHAPE::inverse ? 2 * at.step_y : at.step_y;
        auto *to = static_cast<typename STORED::type *>(at.data) + plane * at.step_z +
                   x * at.step_x + y0 / 2 * step + (SHAPE::inverse ? parity * at.step_y : 0);
#pragma unroll
        for (int i = 0; i < height / 2; i++)
            if (y0 + 2 * i + parity < args.height)
                STORED::put(to + i * step, v[2 * i + parity] * scale);
    }

    // Lifts a column and writes its results to global memory.
    __device__ __forceinline__ void lift_column() const
    {
        const int odd = !SHAPE::inverse && thread >= width / 2;
        const int x = SHAPE::inverse ? x0 + thread : x0 + 2 * thread - odd * (width - 1);
        if (thread >= width || x >= args.width)
            return;
        real v[rows + 1];
#pragma unroll
        for (int i = 0; i < rows; i++)
            v[i] = shared[i * pitch + thread];
        wp_lift_line<SHAPE, (int)WP_BATCH_INSIDE, rows>(v);
        if constexpr (SHAPE::inverse) {
            write_rows<typename ELEMENTS::samples>(v + low, 0, args.samples, x, 1);
            write_rows<typename ELEMENTS::samples>(v + low, 1, args.samples, x, 1);
        } else {
            const real scale[2] = {wp_batch_scale<real>(args, 0, odd),
                                   wp_batch_scale<real>(args, 0, odd + 2)};
            if (ELEMENTS::same || odd)
                write_rows<typename ELEMENTS::high>(v + low, 0, args.band[0][odd], x / 2, scale[0]);
            else
                write_rows<typename ELEMENTS::low>(v + low, 0, args.band[0][0], x / 2, scale[0]);
            write_rows<typename ELEMENTS::high>(v + low, 1, args.band[0][odd + 2], x / 2,
                                                scale[1]);
        }
    }

    __device__ __forceinline__ void run() const
    {
        for (int s = thread; s < columns; s += (int)blockDim.x)
            fetch_column(s);
        wp_fetch_end();
        wp_fetch_wait<0>();
        __syncthreads();
        lift_rows();
        lift_column();
    }
};

// The body of a kernel. Grid: tiles along x, along y, images.
template <class SHAPE, class ELEMENTS, int EXTENSION>
__device__ __forceinline__ void wp_lift_tile(const wp_batch_args &args)
{
    using tile_type = wp_batch_tile<SHAPE, ELEMENTS, EXTENSION>;
    extern __shared__ double wp_batch_memory[];
    __shared__ int row_at[tile_type::rows];
    const tile_type tile(args, reinterpret_cast<typename ELEMENTS::real *>(wp_batch_memory),
                         row_at);
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory"); // launch()
#endif
    tile.run();
}

#endif
