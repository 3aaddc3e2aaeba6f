// Convolution along one axis (galiano2011, section 3; galiano2012 for volumes): the variants
// conv-row, conv-global, conv-texture, conv-separable, global and shared. A level is one pass per
// axis, with arrays of interleaved results between the passes. The filters are equivalent to the
// lifting steps; in both directions they are filters of the interleaved signal.
#include "cuda_internal.h"
#include "cuda_launch.cuh"

#include <type_traits>

namespace {

// An array as lines along an axis, grouped in sheets. Strides in floats between elements of a line,
// between lines, and between sheets.
struct wp_convolve_lines {
    float *data;
    ptrdiff_t along, across, beyond;
};

// The first pass of an inverse level reads bands, and the last pass of a forward level writes
// bands. The other passes use `from` and `to`, whose rows have no gaps.
struct wp_convolve_args {
    wp_convolve_lines from, to;
    // Indexed by the parity of element (bit 0), line (bit 1) and sheet (bit 2), if these are split.
    wp_convolve_lines band[WP_OCTET_BANDS];
    float scale[WP_OCTET_BANDS];
    int split_lines, split_sheets; // 1: even and odd ones belong to different bands; 0: not split
    wp_cuda_filter filter[2]; // of the even and of the odd results
    int low, high;            // reach of the filters in samples
    int length, lines, sheets;
    int extension;
};

// A line of bands, or of an array whose elements (ROWS) or lines (not ROWS) are contiguous. Finding
// an element of an array, for every tap, takes one 32-bit multiplication.
template <bool ROWS, bool BANDS>
struct wp_convolve_line {
    float *data[2];
    std::conditional_t<BANDS, ptrdiff_t, int> along[2];
    float scale[2];

    __device__ __forceinline__ wp_convolve_line(const wp_convolve_args &args,
                                                const wp_convolve_lines &array, int line, int sheet)
    {
        if constexpr (BANDS) {
            const int b = 2 * (line & args.split_lines) + 4 * (sheet & args.split_sheets);
            line >>= args.split_lines;
            sheet >>= args.split_sheets;
#pragma unroll
            for (int odd = 0; odd < 2; odd++) {
                const wp_convolve_lines &band = args.band[b + odd];
                data[odd] = band.data + line * band.across + sheet * band.beyond;
                along[odd] = band.along;
                scale[odd] = args.scale[b + odd];
            }
        } else {
            data[0] = array.data + line * (ROWS ? array.across : 1) + sheet * array.beyond;
            along[0] = ROWS ? 1 : (int)array.along;
        }
    }

    __device__ __forceinline__ float get(int i) const
    {
        if constexpr (!BANDS)
            return __ldg(data[0] + (ptrdiff_t)i * along[0]);
        else if (i & 1)
            return __ldg(data[1] + (i >> 1) * along[1]) * scale[1];
        else
            return __ldg(data[0] + (i >> 1) * along[0]) * scale[0];
    }

    __device__ __forceinline__ void put(int i, float value) const
    {
        if constexpr (!BANDS)
            data[0][(ptrdiff_t)i * along[0]] = value;
        else if (i & 1)
            data[1][(i >> 1) * along[1]] = value * scale[1];
        else
            data[0][(i >> 1) * along[0]] = value * scale[0];
    }
};

// Reads element i of a line, which may be outside.
template <class LINE>
__device__ __forceinline__ float wp_convolve_read(const wp_convolve_args &args, const LINE &line,
                                                  int i)
{
    i = wp_device_extend(args.extension, i, args.length);
    return i < 0 ? 0.0f : line.get(i);
}

template <class READ>
__device__ __forceinline__ float wp_convolve(const wp_cuda_filter &filter, int center, READ read)
{
    float sum = 0;
    for (int t = 0; t < filter.count; t++)
        sum += filter.c[t] * read(center + filter.first + t);
    return sum;
}

enum { THREADS_X = 32, THREADS_Y = 8 }; // threads per block

// Lines that a pass reads and writes: along rows or not, in bands or not.
template <bool ROWS_, bool FROM_BANDS, bool TO_BANDS>
struct pass {
    static constexpr bool ROWS = ROWS_, READS_BANDS = FROM_BANDS;
    using source = wp_convolve_line<ROWS, FROM_BANDS>;
    using target = wp_convolve_line<ROWS, TO_BANDS>;
};

// CUDA-Mem: every tap is read from global memory. A thread computes a pair of results of an image.
// With SINGLE it computes one result; even results come first, so that threads of a warp use the
// same filter.
template <class PASS, bool SINGLE>
__global__ void convolve_global(const __grid_constant__ wp_convolve_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int line = PASS::ROWS ? y : x, at = PASS::ROWS ? x : y;
    const int pairs = (args.length + 1) / 2;
    const int first = SINGLE && at >= pairs, last = SINGLE ? first : 1;
    const int n = first ? at - pairs : at;
    if (line >= args.lines || 2 * n + first >= args.length)
        return;
    // Images have one sheet.
    const int sheets = SINGLE ? args.sheets : 1, step = SINGLE ? (int)gridDim.z : 1;
    for (int sheet = SINGLE ? (int)blockIdx.z : 0; sheet < sheets; sheet += step) {
        const typename PASS::source source(args, args.from, line, sheet);
        const typename PASS::target target(args, args.to, line, sheet);
        for (int odd = first; odd <= last; odd++) {
            const float sum = wp_convolve(args.filter[odd], 2 * n, [&](int i) {
                return wp_convolve_read(args, source, i);
            });
            if (2 * n + odd < args.length)
                target.put(2 * n + odd, sum);
        }
    }
}

// CUDA-Text: as CUDA-Mem, for images, through texture objects on the same memory. Element 0 of an
// array is texel `offset`.
struct texture_args {
    wp_convolve_args args;
    wp_cuda_texture texture[WP_BAND_COUNT]; // of args.band; [0] of args.from if that is read
};

template <class PASS>
__global__ void convolve_texture(const __grid_constant__ texture_args t)
{
    const wp_convolve_args &args = t.args;
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int line = PASS::ROWS ? y : x, n = PASS::ROWS ? x : y;
    if (line >= args.lines || 2 * n >= args.length)
        return;
    const auto read = [&](int i) {
        i = wp_device_extend(args.extension, i, args.length);
        if (i < 0)
            return 0.0f;
        if (!PASS::READS_BANDS) {
            const int at = PASS::ROWS ? line * (int)args.from.across + i
                                      : i * (int)args.from.along + line;
            return tex1Dfetch<float>(t.texture[0].object, t.texture[0].offset + at);
        }
        const int b = (i & 1) + 2 * (line & args.split_lines);
        const wp_convolve_lines &band = args.band[b];
        const int at = (int)((i / 2) * band.along + (line >> args.split_lines) * band.across);
        return tex1Dfetch<float>(t.texture[b].object, t.texture[b].offset + at) * args.scale[b];
    };
    const typename PASS::target target(args, args.to, line, 0);
    for (int odd = 0; odd < 2; odd++) {
        const float sum = wp_convolve(args.filter[odd], 2 * n, read);
        if (2 * n + odd < args.length)
            target.put(2 * n + odd, sum);
    }
}

extern __shared__ float shared[];

// CUDA-Conv, for images: a block loads one line into shared memory; a thread computes several
// results.
template <class PASS>
__global__ void convolve_line(const __grid_constant__ wp_convolve_args args)
{
    const int line = (int)blockIdx.x;
    const typename PASS::source source(args, args.from, line, 0);
    const typename PASS::target target(args, args.to, line, 0);
    for (int i = (int)threadIdx.x; i < args.length; i += (int)blockDim.x)
        shared[i] = source.get(i);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < args.length; i += (int)blockDim.x) {
        const float sum = wp_convolve(args.filter[i & 1], i & ~1, [&](int j) {
            j = wp_device_extend(args.extension, j, args.length);
            return j < 0 ? 0.0f : shared[j];
        });
        target.put(i, sum);
    }
}

// The size of a tile of CUDA-Sep: pairs along the axis, and adjacent lines.
template <bool ROWS>
struct tile {
    static constexpr int PAIRS = ROWS ? 128 : 32, LINES = ROWS ? 4 : 32;
};

// CUDA-Sep: a block loads a tile and the halo of the filters into shared memory; a thread computes
// several results of one line.
template <class PASS>
__global__ void convolve_tile(const __grid_constant__ wp_convolve_args args)
{
    constexpr bool ROWS = PASS::ROWS;
    constexpr int LINES = tile<ROWS>::LINES, LENGTH = 2 * tile<ROWS>::PAIRS;
    // An even number of threads shares a line, so that all results of a thread use one filter.
    constexpr int SHARE = THREADS_X * THREADS_Y / LINES;
    static_assert(SHARE % 2 == 0 && (ROWS ? THREADS_Y % LINES == 0 : LINES == THREADS_X),
                  "each thread has a line");
    const int first = (int)(ROWS ? blockIdx.x : blockIdx.y) * LENGTH;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int local_line = ROWS ? ty % LINES : tx, begin = ROWS ? tx + ty / LINES * THREADS_X : ty;
    const int line = (int)(ROWS ? blockIdx.y : blockIdx.x) * LINES + local_line;
    const bool inside = line < args.lines;
    const int results = min(LENGTH, args.length - first), span = results + args.low + args.high;
    // With ROWS a line of the tile is contiguous, otherwise the lines are interleaved.
    float *const tile_line = shared +
                             (ROWS ? local_line * (LENGTH + args.low + args.high) : local_line);
    constexpr int STEP = ROWS ? 1 : LINES;
    const wp_cuda_filter &filter = args.filter[begin & 1];
    for (int sheet = (int)blockIdx.z; sheet < args.sheets; sheet += (int)gridDim.z) {
        if (inside) {
            const typename PASS::source source(args, args.from, line, sheet);
            for (int i = begin; i < span; i += SHARE)
                tile_line[i * STEP] = wp_convolve_read(args, source, first - args.low + i);
        }
        __syncthreads();
        if (inside) {
            const typename PASS::target target(args, args.to, line, sheet);
            for (int i = begin; i < results; i += SHARE)
                target.put(first + i, wp_convolve(filter, (i & ~1) + args.low, [&](int j) {
                    return tile_line[j * STEP];
                }));
        }
        __syncthreads();
    }
}

// The grid for `length` elements along the axis and all lines; thread x runs along rows.
dim3 make_grid(const wp_convolve_args &args, bool rows, int length, int by, int lines)
{
    return rows ? wp_grid(dim3((unsigned)by, (unsigned)lines), length, args.lines, args.sheets)
                : wp_grid(dim3((unsigned)lines, (unsigned)by), args.lines, length, args.sheets);
}

template <class PASS>
cudaError_t launch_line(const wp_convolve_args &args, cudaStream_t stream)
{
    const int bytes = args.length * (int)sizeof(float);
    const auto kernel = convolve_line<PASS>;
    const cudaError_t error =
        bytes <= 48 << 10
            ? cudaSuccess
            : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error == cudaSuccess)
        kernel<<<(unsigned)args.lines, 256, (size_t)bytes, stream>>>(args);
    return error;
}

template <class PASS>
cudaError_t launch(const texture_args &t, enum wp_cuda_convolution kind, cudaStream_t stream)
{
    constexpr bool ROWS = PASS::ROWS;
    const wp_convolve_args &args = t.args;
    const int pairs = (args.length + 1) / 2;
    const int along = ROWS ? THREADS_X : THREADS_Y, across = ROWS ? THREADS_Y : THREADS_X;
    const dim3 block(THREADS_X, THREADS_Y), grid = make_grid(args, ROWS, pairs, along, across);
    switch (kind) {
    case WP_CUDA_CONVOLVE_GLOBAL:
        convolve_global<PASS, false><<<grid, block, 0, stream>>>(args);
        break;
    case WP_CUDA_CONVOLVE_SINGLE: {
        const dim3 single = make_grid(args, ROWS, args.length, along, across);
        convolve_global<PASS, true><<<single, block, 0, stream>>>(args);
        break;
    }
    case WP_CUDA_CONVOLVE_TEXTURE: convolve_texture<PASS><<<grid, block, 0, stream>>>(t); break;
    case WP_CUDA_CONVOLVE_LINE: {
        const cudaError_t error = launch_line<PASS>(args, stream);
        if (error != cudaSuccess)
            return error;
        break;
    }
    case WP_CUDA_CONVOLVE_TILE: {
        using shape = tile<ROWS>;
        const int span = 2 * shape::PAIRS + args.low + args.high;
        const dim3 tiles = make_grid(args, ROWS, pairs, shape::PAIRS, shape::LINES);
        convolve_tile<PASS>
            <<<tiles, block, sizeof(float) * (size_t)span * shape::LINES, stream>>>(args);
        break;
    }
    }
    return cudaGetLastError();
}

template <bool ROWS>
cudaError_t launch_pass(const texture_args &t, bool from_bands, bool to_bands,
                        enum wp_cuda_convolution kind, cudaStream_t stream)
{
    return from_bands ? launch<pass<ROWS, true, false>>(t, kind, stream)
           : to_bands ? launch<pass<ROWS, false, true>>(t, kind, stream)
                      : launch<pass<ROWS, false, false>>(t, kind, stream);
}

// The axis of the lines, the axis across lines of a sheet, and the axis across sheets. Threads of a
// warp run along x.
struct axis_order {
    int along, across, beyond;
};

axis_order order_of(int along)
{
    return {along, along == WP_X ? WP_Y : WP_X, along == WP_Z ? WP_Y : WP_Z};
}

wp_convolve_lines lines_of(const wp_cuda_band &array, const axis_order &order)
{
    const ptrdiff_t step[] = {array.step_x, array.step_y, array.step_z};
    return {array.data, step[order.along], step[order.across], step[order.beyond]};
}

texture_args make_args(const wp_cuda_level &level, int along, float *from, float *to)
{
    const axis_order order = order_of(along);
    const int size[] = {level.width, level.height, level.depth};
    texture_args t = {};
    wp_convolve_args &args = t.args;
    // All arrays have the rows of the level's samples.
    args.from = lines_of({from, 1, level.pitch, level.slice}, order);
    args.to = lines_of({to, 1, level.pitch, level.slice}, order);
    args.split_lines = level.axes >> order.across & 1;
    args.split_sheets = level.axes >> order.beyond & 1;
    for (unsigned i = 0; i < WP_OCTET_BANDS; i++) {
        const unsigned b = (i & 1) << order.along | (i >> 1 & 1) << order.across |
                           (i >> 2) << order.beyond;
        args.band[i] = lines_of(level.band[b], order);
        args.scale[i] = level.scale[b];
        if (from == nullptr && i < WP_BAND_COUNT && b < WP_BAND_COUNT)
            t.texture[i] = level.texture[b];
    }
    if (from != nullptr)
        t.texture[0] = level.texture[from == level.scratch ? WP_BAND_COUNT : 0];
    args.length = size[order.along];
    args.lines = size[order.across];
    args.sheets = size[order.beyond];
    args.extension = level.extension;
    wp_cuda_make_filters(&level, args.length, args.filter);
    for (const wp_cuda_filter &filter : args.filter) {
        const int last = filter.first + filter.count - 1;
        args.low = -filter.first > args.low ? -filter.first : args.low;
        args.high = last > args.high ? last : args.high;
    }
    return t;
}

// The axes of a level's passes. A level without a transformed axis uses one axis of one sample,
// whose filters copy the sample.
unsigned axes_of(const wp_cuda_level &level)
{
    return level.axes          ? level.axes
           : level.width == 1  ? 1U << WP_X
           : level.height == 1 ? 1U << WP_Y
                               : 1U << WP_Z;
}

// The output of pass number `done` of `passes`; nullptr: the bands. Two buffers are used
// alternately (galiano2012). An inverse level uses its sample array as one of them; a forward level
// must not change its samples.
float *pass_output(const wp_cuda_level &level, int done, int passes)
{
    if (level.inverse)
        return (passes - done) % 2 == 1 ? level.plane : level.scratch;
    if (done + 1 == passes)
        return nullptr;
    return level.scratch + done * level.slice * level.depth;
}

} // namespace

int wp_cuda_convolve_run(const struct wp_cuda_level *level, enum wp_cuda_convolution kind)
{
    const unsigned axes = axes_of(*level);
    int passes = 0, done = 0;
    for (unsigned rest = axes; rest; rest >>= 1)
        passes += (int)(rest & 1);
    cudaError_t error = cudaSuccess;
    float *from = level->inverse ? nullptr : level->plane;
    for (int axis = 0; axis < WP_DIMS_MAX && error == cudaSuccess; axis++) {
        if (!(axes >> axis & 1))
            continue;
        float *const to = pass_output(*level, done++, passes);
        const texture_args args = make_args(*level, axis, from, to);
        error = (axis == WP_X ? launch_pass<true> : launch_pass<false>)(
            args, from == nullptr, to == nullptr, kind, wp_stream(*level));
        from = to;
    }
    return error;
}

// Creates the texture of an array in device memory, whose address needs no alignment.
static cudaError_t make_texture(const float *data, size_t floats, wp_cuda_texture *texture)
{
    enum { ALIGNMENT = 512 };
    const size_t beyond = reinterpret_cast<size_t>(data) % ALIGNMENT / sizeof(float);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float *>(data - beyond);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = (floats + beyond) * sizeof(float);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    texture->offset = (int)beyond;
    return cudaCreateTextureObject(&texture->object, &resource, &description, nullptr);
}

int wp_cuda_make_textures(struct wp_cuda_level *level)
{
    const size_t plane = (size_t)level->pitch * (size_t)level->height;
    cudaError_t error = make_texture(level->scratch, plane, &level->texture[WP_BAND_COUNT]);
    if (!level->inverse && error == cudaSuccess)
        error = make_texture(level->plane, plane, &level->texture[0]);
    for (int b = 0; level->inverse && b < WP_BAND_COUNT && error == cudaSuccess; b++) {
        const int width = (level->width + 1 - (b & 1)) / 2;
        const int height = (level->height + 1 - b / 2) / 2;
        const wp_cuda_band &band = level->band[b];
        if (width > 0 && height > 0)
            error = make_texture(
                band.data,
                (size_t)((width - 1) * band.step_x + (height - 1) * band.step_y) + 1,
                &level->texture[b]);
    }
    return error;
}

void wp_cuda_destroy_textures(struct wp_cuda_level *level)
{
    for (wp_cuda_texture &texture : level->texture) {
        if (texture.object)
            cudaDestroyTextureObject(texture.object);
        texture.object = 0;
    }
}
