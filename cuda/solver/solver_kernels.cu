#include "solver_kernels.h"

#include <cuda_runtime.h>

namespace {

constexpr int THREADS = 256;

__device__ float2 operator+(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ float2 operator-(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

__device__ float2 operator*(float a, float2 b)
{
    return make_float2(a * b.x, a * b.y);
}

__device__ float square(float2 a)
{
    return a.x * a.x + a.y * a.y;
}

// The factor of the new Bregman variable after shrinkage, for the square of a magnitude.
__device__ float left_over(float squares, float threshold)
{
    return threshold / fmaxf(sqrtf(squares), threshold);
}

// For all axes at a sample: p, their factor f, and the terms of the sum of differences.
struct gradient {
    float2 p[3], d[3];
    float f;
};

__device__ gradient gradient_at(const wp_gradient_args &args, const int at[3])
{
    const int *const n = args.size;
    const long long step[3] = {1, n[0], (long long)n[0] * n[1]};
    const long long i = at[0] + at[1] * step[1] + at[2] * step[2];
    const float2 *const u = reinterpret_cast<const float2 *>(args.u);
    const float2 *b = reinterpret_cast<const float2 *>(args.before);
    const float2 here = u[i];
    gradient g = {};
    float squares = 0;
#pragma unroll
    for (int a = 0; a < 3; a++) {
        if (n[a] == 1)
            continue;
        const long long next = at[a] + 1 < n[a] ? i + step[a] : i - at[a] * step[a];
        const float2 old = b[i];
        g.p[a] = u[next] - here + old;
        g.d[a] = args.descent ? old : g.p[a];
        squares += square(g.p[a]);
        b += step[2] * n[2];
    }
    g.f = left_over(squares, args.threshold);
#pragma unroll
    for (int a = 0; a < 3; a++)
        g.d[a] = g.d[a] - 2 * g.f * g.p[a];
    return g;
}

// Each thread computes b of its sample, and again the values at the previous samples: these are in
// the multiprocessor's cache, while a second pass over memory would not be.
__global__ void gradient_kernel(const __grid_constant__ wp_gradient_args args)
{
    const int *const n = args.size;
    const long long step[3] = {1, n[0], (long long)n[0] * n[1]};
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= n[0] || y >= n[1])
        return;
    for (int z = (int)blockIdx.z; z < n[2]; z += (int)gridDim.z) {
        const int at[3] = {x, y, z};
        const long long i = x + y * step[1] + z * step[2];
        const gradient here = gradient_at(args, at);
        float2 *b = reinterpret_cast<float2 *>(args.after);
        float2 *const out = reinterpret_cast<float2 *>(args.out);
        float2 sum = make_float2(0, 0);
#pragma unroll
        for (int a = 0; a < 3; a++) {
            if (n[a] == 1)
                continue;
            b[i] = here.f * here.p[a];
            b += step[2] * n[2];
            int before[3] = {x, y, z};
            before[a] = at[a] > 0 ? at[a] - 1 : n[a] - 1;
            sum = sum + gradient_at(args, before).d[a] - here.d[a];
        }
        out[i] = args.add ? out[i] + args.scale * sum : args.scale * sum;
    }
}

struct location {
    bool inside;
    long long image;
};

__device__ location location_of(const wp_planes_args &args, long long i)
{
    int at[3];
    at[0] = (int)(i % args.padded[0]);
    at[1] = (int)(i / args.padded[0] % args.padded[1]);
    at[2] = (int)(i / args.padded[0] / args.padded[1]);
    location p = {true, 0};
    for (int a = 2; a >= 0; a--) {
        p.inside = p.inside && at[a] < args.size[a];
        const int from = at[a] + args.shift[a];
        p.image = p.image * args.size[a] + (from < args.size[a] ? from : from - args.size[a]);
    }
    return p;
}

__device__ long long padded_samples(const wp_planes_args &args)
{
    return (long long)args.padded[0] * args.padded[1] * args.padded[2];
}

__device__ long long first_index()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ long long index_step()
{
    return (long long)gridDim.x * blockDim.x;
}

__global__ void gather_kernel(const __grid_constant__ wp_planes_args args)
{
    const long long count = padded_samples(args);
    const float2 *const u = reinterpret_cast<const float2 *>(args.u);
    const float2 *const c = reinterpret_cast<const float2 *>(args.c);
    for (long long i = first_index(); i < count; i += index_step()) {
        const location p = location_of(args, i);
        float2 value = make_float2(0, 0);
        if (p.inside)
            value = c ? u[p.image] + c[p.image] : u[p.image];
        args.planes[i] = value.x;
        args.planes[count + i] = value.y;
    }
}

__global__ void scatter_kernel(const __grid_constant__ wp_planes_args args)
{
    const long long count = padded_samples(args);
    const float2 *const u = reinterpret_cast<const float2 *>(args.u);
    float2 *const c = reinterpret_cast<float2 *>(args.c);
    float2 *const out = reinterpret_cast<float2 *>(args.out);
    for (long long i = first_index(); i < count; i += index_step()) {
        const location p = location_of(args, i);
        if (!p.inside)
            continue;
        float2 value = make_float2(args.planes[i], args.planes[count + i]);
        if (c) {
            const float2 left = c[p.image] + u[p.image] - value;
            c[p.image] = left;
            value = value - left;
            if (args.descent)
                value = value - u[p.image];
        }
        out[p.image] = args.scale * value;
    }
}

__global__ void shrink_kernel(float *planes, float *c, long long count, float threshold,
                              bool descent)
{
    for (long long i = first_index(); i < count; i += index_step()) {
        float2 p = make_float2(planes[i], planes[count + i]);
        float2 shrunk = p;
        if (c) {
            const float2 old = make_float2(c[i], c[count + i]);
            p = p + old;
            shrunk = descent ? old : p;
        }
        const float2 left = left_over(square(p), threshold) * p;
        shrunk = shrunk - (c ? 2.0f : 1.0f) * left;
        planes[i] = shrunk.x;
        planes[count + i] = shrunk.y;
        if (c) {
            c[i] = left.x;
            c[count + i] = left.y;
        }
    }
}

// The sum of all threads' values, in a fixed order; valid in thread 0.
__device__ double add_up(double value)
{
    __shared__ double sums[THREADS];
    sums[threadIdx.x] = value;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    return sums[0];
}

// Writes the partial sum of a block.
__device__ void put_sum(double *sums, double value)
{
    const double sum = add_up(value);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
    __syncthreads();
}

// Adds up all partial sums; valid in thread 0.
__device__ double read_sum(const double *sums)
{
    double sum = 0;
    for (int i = (int)threadIdx.x; sums && i < WP_TRACE; i += THREADS)
        sum += sums[i];
    sum = add_up(sum);
    __syncthreads();
    return sum;
}

__device__ long long samples_of(const wp_frequencies &at)
{
    return (long long)at.size[0] * at.size[1] * at.size[2];
}

// lambda times the sum of the axes' eigenvalues.
__device__ float smooth_at(const wp_frequencies &at, long long i)
{
    const int x = (int)(i % at.size[0]), y = (int)(i / at.size[0] % at.size[1]);
    const int z = (int)(i / at.size[0] / at.size[1]);
    return at.lambda * (at.eigenvalues[0][x] + at.eigenvalues[1][y] + at.eigenvalues[2][z]);
}

__device__ float one_over(float x)
{
    return x > 0 ? 1 / x : 0;
}

// The term of a sample in |K u - f|^2, for diagonal * u - h0.
__device__ double misfit_of(float2 misfit, float diagonal)
{
    return diagonal > 0 ? (double)(square(misfit) / diagonal) : 0;
}

__global__ void divide_kernel(const __grid_constant__ wp_divide_args args)
{
    const long long count = samples_of(args.at);
    float2 *const u = reinterpret_cast<float2 *>(args.u);
    float2 *const h = reinterpret_cast<float2 *>(args.h);
    const float2 *const h0 = reinterpret_cast<const float2 *>(args.h0);
    double sum = 0;
    for (long long i = first_index(); i < count; i += index_step()) {
        const float diagonal = args.at.diagonal[i];
        const float by = one_over(args.at.mu * diagonal + smooth_at(args.at, i) + args.at.gamma);
        const float2 value = by * (args.at.mu * h[i] + args.scale * u[i]);
        const float2 misfit = diagonal * value - h0[i];
        sum += misfit_of(misfit, diagonal);
        if (args.update)
            h[i] = h[i] - misfit;
        u[i] = args.scale * value;
    }
    put_sum(args.sums, sum);
}

__global__ void descend_kernel(const __grid_constant__ wp_descend_args args)
{
    const long long count = samples_of(args.at);
    const float2 *const h = reinterpret_cast<const float2 *>(args.h);
    const float2 *const v = reinterpret_cast<const float2 *>(args.v);
    float2 *const r = reinterpret_cast<float2 *>(args.r);
    float2 *const z = reinterpret_cast<float2 *>(args.z);
    const float data = v ? args.at.mu : 0;
    double rest = 0, normal = 0;
    for (long long i = first_index(); i < count; i += index_step()) {
        const float diagonal = args.at.diagonal[i], smooth = smooth_at(args.at, i);
        const float by = one_over(args.at.mu * diagonal + smooth + args.at.gamma);
        float2 missing = args.scale * r[i];
        if (v)
            missing = missing + data * (h[i] - diagonal * v[i]);
        const float size = square(missing);
        rest += (double)(by * size);
        normal += (double)((data * diagonal + smooth + args.normal_gamma) * by * by * size);
        r[i] = by * missing;
        z[i] = args.scale * r[i];
    }
    put_sum(args.rest, rest);
    put_sum(args.normal, normal);
}

__global__ void misfit_kernel(const __grid_constant__ wp_misfit_args args)
{
    const long long count = samples_of(args.at);
    const float2 *const v = reinterpret_cast<const float2 *>(args.v);
    const float2 *const h0 = reinterpret_cast<const float2 *>(args.h0);
    float2 *const h = reinterpret_cast<float2 *>(args.h);
    double sum = 0;
    for (long long i = first_index(); i < count; i += index_step()) {
        const float diagonal = args.at.diagonal[i];
        const float2 misfit = diagonal * v[i] - h0[i];
        sum += misfit_of(misfit, diagonal);
        if (args.update)
            h[i] = h[i] - misfit;
    }
    put_sum(args.sums, sum);
}

__global__ void axpy_kernel(float *a, const float *b, float by, const float *step, long long count)
{
    const float factor = step ? by * *step : by;
    for (long long i = first_index(); i < count; i += index_step())
        a[i] += factor * b[i];
}

__global__ void distance_kernel(const float *a, const float *b, long long count, double *sums)
{
    double sum = 0;
    for (long long i = first_index(); i < count; i += index_step()) {
        const float difference = b ? a[i] - b[i] : a[i];
        sum += (double)(difference * difference);
    }
    put_sum(sums, sum);
}

__global__ void root_kernel(const double *sums, double *root)
{
    const double sum = read_sum(sums);
    if (threadIdx.x == 0)
        *root = sqrt(sum);
}

__global__ void step_kernel(const double *rest, const double *normal, const double *power,
                            double gamma, const double *data, double mu, float *step)
{
    const double up = read_sum(rest);
    const double down = read_sum(normal) + gamma * read_sum(power) + mu * read_sum(data);
    if (threadIdx.x == 0)
        *step = down > 0 ? (float)(up / down) : 0;
}

__global__ void multiply_kernel(const float2 *a, const float2 *b, bool conjugate, bool add,
                                float scale, float2 *to, long long count)
{
    const float sign = conjugate ? -1.0f : 1.0f;
    for (long long i = first_index(); i < count; i += index_step()) {
        float2 value = b[i];
        if (a) {
            const float2 x = make_float2(a[i].x, sign * a[i].y), y = value;
            value = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
        }
        value = scale * value;
        to[i] = add ? to[i] + value : value;
    }
}

__global__ void mask_kernel(const unsigned char *mask, const float2 *from, float scale, float2 *to,
                            long long count)
{
    for (long long i = first_index(); i < count; i += index_step())
        to[i] = mask[i] ? scale * from[i] : make_float2(0, 0);
}

unsigned blocks_for(long long count)
{
    constexpr long long MOST = 1 << 20;
    const long long blocks = (count + THREADS - 1) / THREADS;
    return (unsigned)(blocks < MOST ? blocks : MOST);
}

template <class... PARAMS, class... ARGS>
int launch(void (*kernel)(PARAMS...), unsigned blocks, void *stream, ARGS... args)
{
    kernel<<<blocks, THREADS, 0, static_cast<cudaStream_t>(stream)>>>(args...);
    return cudaGetLastError();
}

long long count_of(const int size[3])
{
    return (long long)size[0] * size[1] * size[2];
}

} // namespace

int wp_gradient_run(const struct wp_gradient_args *args, void *stream)
{
    constexpr int MOST = 65535; // blocks along the second and third axis of a grid
    const dim3 block(32, 8);
    const unsigned across = ((unsigned)args->size[0] + block.x - 1) / block.x;
    const unsigned down = ((unsigned)args->size[1] + block.y - 1) / block.y;
    const unsigned slices = (unsigned)(args->size[2] < MOST ? args->size[2] : MOST);
    gradient_kernel<<<dim3(across, down, slices), block, 0,
                      static_cast<cudaStream_t>(stream)>>>(*args);
    return cudaGetLastError();
}

int wp_gather_run(const struct wp_planes_args *args, void *stream)
{
    return launch(gather_kernel, blocks_for(count_of(args->padded)), stream, *args);
}

int wp_scatter_run(const struct wp_planes_args *args, void *stream)
{
    return launch(scatter_kernel, blocks_for(count_of(args->padded)), stream, *args);
}

int wp_shrink_run(float *planes, float *c, long long count, float threshold, bool descent,
                  void *stream)
{
    return launch(shrink_kernel, blocks_for(count), stream, planes, c, count, threshold, descent);
}

int wp_divide_run(const struct wp_divide_args *args, void *stream)
{
    return launch(divide_kernel, WP_TRACE, stream, *args);
}

int wp_descend_run(const struct wp_descend_args *args, void *stream)
{
    return launch(descend_kernel, WP_TRACE, stream, *args);
}

int wp_misfit_run(const struct wp_misfit_args *args, void *stream)
{
    return launch(misfit_kernel, WP_TRACE, stream, *args);
}

int wp_axpy_run(float *a, const float *b, float by, const float *step, long long floats,
                void *stream)
{
    return launch(axpy_kernel, blocks_for(floats), stream, a, b, by, step, floats);
}

int wp_distance_run(const float *a, const float *b, long long floats, double *sums, void *stream)
{
    return launch(distance_kernel, WP_TRACE, stream, a, b, floats, sums);
}

int wp_root_run(const double *sums, double *root, void *stream)
{
    return launch(root_kernel, 1, stream, sums, root);
}

int wp_step_run(const double *rest, const double *normal, const double *power, double gamma,
                const double *data, double mu, float *step, void *stream)
{
    return launch(step_kernel, 1, stream, rest, normal, power, gamma, data, mu, step);
}

int wp_multiply_run(const float *a, const float *b, bool conjugate, bool add, float scale,
                    float *to, long long samples, void *stream)
{
    return launch(multiply_kernel, blocks_for(samples), stream,
                  reinterpret_cast<const float2 *>(a), reinterpret_cast<const float2 *>(b),
                  conjugate, add, scale, reinterpret_cast<float2 *>(to), samples);
}

int wp_mask_run(const unsigned char *mask, const float *from, float scale, float *to,
                long long samples, void *stream)
{
    return launch(mask_kernel, blocks_for(samples), stream, mask,
                  reinterpret_cast<const float2 *>(from), scale, reinterpret_cast<float2 *>(to),
                  samples);
}
