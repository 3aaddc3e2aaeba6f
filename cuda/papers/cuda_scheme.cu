// The schemes of barina2017 as block kernels (section 6): a block has a tile of quads, with a
// barrier between passes; constants are applied in registers before and after each core. The passes
// are a table of the scheme's matrices, so one kernel serves all schemes.
#include "cuda_internal.h"
#include "cuda_launch.cuh"

#include <cstring>

namespace {

enum { ACROSS = 32, DOWN = 16, THREADS_Y = 8, EACH = DOWN / THREADS_Y, PITCH = ACROSS + 1 };

struct scheme_args {
    wp_frame frame;
    int low, high; // reach in quads
    int passes;
    const wp_cuda_pass *pass;
    const wp_cuda_term *term;
};

// quad[destination] += c * quad[source]
__device__ __forceinline__ void run_statements(const wp_cuda_term *term, int count, float *quad)
{
    for (int i = 0; i < count; i++) {
        float source = quad[0];
#pragma unroll
        for (int c = 1; c < 4; c++)
            source = term[i].source == c ? quad[c] : source;
#pragma unroll
        for (int c = 0; c < 4; c++)
            if (term[i].destination == c)
                quad[c] += term[i].c * source;
    }
}

template <bool INVERSE>
__global__ void __launch_bounds__(ACROSS * THREADS_Y)
run_scheme(const __grid_constant__ scheme_args args)
{
    __shared__ float tile[WP_BAND_COUNT][DOWN][PITCH];
    const int px = (int)threadIdx.x, reach = args.low + args.high;
    const int first_x = (int)blockIdx.x * (ACROSS - reach) - args.low;
    const int first_y = (int)blockIdx.y * (DOWN - reach) - args.low;
    const wp_columns columns = wp_find_pair(args.frame, first_x + px);
    float quad[EACH][WP_BAND_COUNT];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int y = 2 * (first_y + (int)threadIdx.y + e * THREADS_Y);
        const float2 upper = wp_get_pair<INVERSE>(args.frame, columns, y);
        const float2 lower = wp_get_pair<INVERSE>(args.frame, columns, y + 1);
        quad[e][0] = upper.x, quad[e][1] = upper.y, quad[e][2] = lower.x, quad[e][3] = lower.y;
    }
    for (int p = 0; p < args.passes; p++) {
        const wp_cuda_pass &pass = args.pass[p];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            run_statements(args.term + pass.before, pass.before_count, quad[e]);
#pragma unroll
            for (int c = 0; c < WP_BAND_COUNT; c++)
                tile[c][(int)threadIdx.y + e * THREADS_Y][px] = quad[e][c];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < WP_BAND_COUNT; c++) {
            float sum[EACH] = {};
            for (int t = pass.core[c]; t < pass.core[c + 1]; t++) {
                const wp_cuda_term term = args.term[t];
                const int x = min(max(px + term.m, 0), ACROSS - 1);
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    const int y = (int)threadIdx.y + e * THREADS_Y + term.n;
                    sum[e] += term.c * tile[term.source][min(max(y, 0), DOWN - 1)][x];
                }
            }
#pragma unroll
            for (int e = 0; e < EACH; e++)
                quad[e][c] = sum[e];
        }
#pragma unroll
        for (int e = 0; e < EACH; e++)
            run_statements(args.term + pass.after, pass.after_count, quad[e]);
        __syncthreads();
    }
    if (px < args.low || px >= ACROSS - args.high)
        return;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int py = (int)threadIdx.y + e * THREADS_Y;
        if (py < args.low || py >= DOWN - args.high)
            continue;
        wp_put_pair<INVERSE>(args.frame, first_x + px, 2 * (first_y + py), quad[e][0], quad[e][1]);
        wp_put_pair<INVERSE>(args.frame, first_x + px, 2 * (first_y + py) + 1, quad[e][2],
                             quad[e][3]);
    }
}

} // namespace

int wp_cuda_scheme_run(const struct wp_cuda_level *level, const struct wp_cuda_scheme *scheme)
{
    scheme_args args = {};
    args.frame = wp_make_frame(*level);
    args.low = scheme->low;
    args.high = scheme->high;
    args.passes = scheme->passes;
    args.pass = scheme->pass;
    args.term = scheme->term;
    const int across = ACROSS - scheme->low - scheme->high;
    const int down = DOWN - scheme->low - scheme->high;
    const dim3 grid = wp_grid(dim3((unsigned)across, (unsigned)down), (level->width + 1) / 2,
                              (level->height + 1) / 2);
    const auto kernel = level->inverse ? run_scheme<true> : run_scheme<false>;
    kernel<<<grid, dim3(ACROSS, THREADS_Y), 0, wp_stream(*level)>>>(args);
    return cudaGetLastError();
}

void wp_cuda_set_frame(const struct wp_cuda_level *level, unsigned char bytes[WP_CUDA_FRAME_BYTES])
{
    static_assert(sizeof(wp_frame) <= WP_CUDA_FRAME_BYTES, "a frame fits");
    const wp_frame frame = wp_make_frame(*level);
    memcpy(bytes, &frame, sizeof frame);
}
