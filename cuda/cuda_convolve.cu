// conv-row, conv-global, conv-texture and conv-separable.
#include "cuda_convolve.cuh"

namespace {

// CUDA-Mem: every tap is read from global memory.
template <bool INVERSE, bool COLUMNS>
__global__ void convolve_global(const __grid_constant__ wp_convolve_args args)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int line = COLUMNS ? x : y, n = COLUMNS ? y : x;
    if (line >= args.lines || 2 * n >= args.length)
        return;
    const wp_global_source<INVERSE, COLUMNS> source = {args};
    for (int odd = 0; odd < 2; odd++)
        wp_put_result<INVERSE, COLUMNS>(
            args, line, 2 * n + odd,
            wp_convolve(args.filter[odd], 2 * n, [&](int i) { return source(line, i); }));
}

// CUDA-Text: the same through texture objects on the same memory. An array's first element lies
// `offset` texels into its texture.
struct texture_args {
    wp_convolve_args args;
    wp_cuda_texture texture[WP_BAND_COUNT]; // rows: the plane, or the four bands; columns: one
};

template <bool INVERSE, bool COLUMNS>
__global__ void convolve_texture(const __grid_constant__ texture_args t)
{
    const wp_convolve_args &args = t.args;
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int line = COLUMNS ? x : y, n = COLUMNS ? y : x;
    if (line >= args.lines || 2 * n >= args.length)
        return;
    const auto read = [&](int i) {
        i = wp_device_extend(args.frame.extension, i, args.length);
        if (i < 0)
            return 0.0f;
        if (COLUMNS || !INVERSE) {
            const int at = COLUMNS ? i * args.frame.pitch + line : line * args.frame.pitch + i;
            return tex1Dfetch<float>(t.texture[0].object, t.texture[0].offset + at);
        }
        const int b = (i & 1) + 2 * (line & 1);
        const wp_cuda_band &band = args.frame.band[b];
        const int at = (int)((i / 2) * band.step_x + (line / 2) * band.step_y);
        return tex1Dfetch<float>(t.texture[b].object, t.texture[b].offset + at) *
               args.frame.scale[b];
    };
    for (int odd = 0; odd < 2; odd++)
        wp_put_result<INVERSE, COLUMNS>(args, line, 2 * n + odd,
                                        wp_convolve(args.filter[odd], 2 * n, read));
}

extern __shared__ float shared[];

// CUDA-Conv: a block takes one whole line into shared memory, one thread several results.
template <bool INVERSE, bool COLUMNS>
__global__ void convolve_line(const __grid_constant__ wp_convolve_args args)
{
    const int line = (int)blockIdx.x;
    const wp_global_source<INVERSE, COLUMNS> source = {args};
    for (int i = (int)threadIdx.x; i < args.length; i += (int)blockDim.x)
        shared[i] = source(line, i);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < args.length; i += (int)blockDim.x) {
        const float sum = wp_convolve(args.filter[i & 1], i & ~1, [&](int j) {
            j = wp_device_extend(args.frame.extension, j, args.length);
            return j < 0 ? 0.0f : shared[j];
        });
        wp_put_result<INVERSE, COLUMNS>(args, line, i, sum);
    }
}

// CUDA-Sep: a block takes a tile into shared memory, TILE pairs along the axis with the halo that
// the filters reach, and LINES lines beside each other; the taps are constants.
template <bool INVERSE, bool COLUMNS, int TILE, int LINES>
__global__ void convolve_tile(const __grid_constant__ wp_convolve_args args)
{
    // Rows: a line of the tile is contiguous. Columns: the lines are.
    const int span = 2 * TILE + args.low + args.high, pitch = COLUMNS ? LINES : span;
    const int first = (int)(COLUMNS ? blockIdx.y : blockIdx.x) * 2 * TILE;
    const int first_line = (int)(COLUMNS ? blockIdx.x : blockIdx.y) * LINES;
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const int threads = (int)(blockDim.x * blockDim.y);
    const wp_global_source<INVERSE, COLUMNS> source = {args};
    for (int k = thread; k < span * LINES; k += threads) {
        const int i = COLUMNS ? k / LINES : k % span, l = COLUMNS ? k % LINES : k / span;
        if (first_line + l < args.lines)
            shared[COLUMNS ? i * pitch + l : l * pitch + i] =
                source(first_line + l, first - args.low + i);
    }
    __syncthreads();
    for (int k = thread; k < 2 * TILE * LINES; k += threads) {
        const int i = COLUMNS ? k / LINES : k % (2 * TILE);
        const int l = COLUMNS ? k % LINES : k / (2 * TILE);
        const float sum = wp_convolve(args.filter[i & 1], (i & ~1) + args.low, [&](int j) {
            return shared[COLUMNS ? j * pitch + l : l * pitch + j];
        });
        wp_put_result<INVERSE, COLUMNS>(args, first_line + l, first + i, sum);
    }
}

wp_convolve_args make_args(const wp_cuda_level &level, bool columns)
{
    wp_convolve_args args = {};
    args.frame = wp_make_frame(level);
    args.between = level.scratch;
    args.length = columns ? level.height : level.width;
    args.lines = columns ? level.width : level.height;
    wp_cuda_make_filters(&level, args.length, args.filter);
    for (const wp_cuda_filter &filter : args.filter) {
        const int last = filter.first + filter.count - 1;
        args.low = -filter.first > args.low ? -filter.first : args.low;
        args.high = last > args.high ? last : args.high;
    }
    // The intermediate plane has the rows of its level.
    return args;
}

unsigned blocks(int count, int block)
{
    return (unsigned)((count + block - 1) / block);
}

template <bool INVERSE, bool COLUMNS>
cudaError_t launch(const wp_cuda_level &level, enum wp_cuda_convolution kind)
{
    const wp_convolve_args args = make_args(level, COLUMNS);
    const int pairs = (args.length + 1) / 2;
    const dim3 block(32, 8);
    const dim3 grid = COLUMNS ? dim3(blocks(args.lines, 32), blocks(pairs, 8))
                              : dim3(blocks(pairs, 32), blocks(args.lines, 8));
    constexpr int TILE = COLUMNS ? 32 : 128, LINES = COLUMNS ? 32 : 4;
    const cudaStream_t stream = wp_stream(level);
    switch (kind) {
    case WP_CUDA_CONVOLVE_GLOBAL:
        convolve_global<INVERSE, COLUMNS><<<grid, block, 0, stream>>>(args);
        break;
    case WP_CUDA_CONVOLVE_TEXTURE: {
        texture_args t = {};
        t.args = args;
        for (int b = 0; b < WP_BAND_COUNT; b++)
            t.texture[b] = COLUMNS ? level.texture[WP_BAND_COUNT] : level.texture[b];
        convolve_texture<INVERSE, COLUMNS><<<grid, block, 0, stream>>>(t);
        break;
    }
    case WP_CUDA_CONVOLVE_LINE: {
        const int bytes = args.length * (int)sizeof(float);
        const auto kernel = convolve_line<INVERSE, COLUMNS>;
        const cudaError_t error =
            bytes <= 48 << 10 ? cudaSuccess
                              : cudaFuncSetAttribute(
                                    kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (error != cudaSuccess)
            return error;
        kernel<<<(unsigned)args.lines, 256, (size_t)bytes, stream>>>(args);
        break;
    }
    case WP_CUDA_CONVOLVE_TILE: {
        const int span = 2 * TILE + args.low + args.high;
        const dim3 tiles = COLUMNS ? dim3(blocks(args.lines, LINES), blocks(pairs, TILE))
                                   : dim3(blocks(pairs, TILE), blocks(args.lines, LINES));
        convolve_tile<INVERSE, COLUMNS, TILE, LINES>
            <<<tiles, block, sizeof(float) * (size_t)span * LINES, stream>>>(args);
        break;
    }
    }
    return cudaGetLastError();
}

} // namespace

int wp_cuda_convolve_run(const struct wp_cuda_level *level, enum wp_cuda_convolution kind)
{
    if (level->inverse) {
        const cudaError_t error = launch<true, false>(*level, kind);
        return error == cudaSuccess ? launch<true, true>(*level, kind) : error;
    }
    const cudaError_t error = launch<false, false>(*level, kind);
    return error == cudaSuccess ? launch<false, true>(*level, kind) : error;
}

// The texture of a range of device memory, which need not be aligned as textures are.
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
