#include "cuda_calls.h"

#include "cuda_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pool host_in, host_out, got_in, got_out;
struct pool device_in = {.device = true}, device_out = {.device = true};

bool grow(const char *name, struct pool *pool, size_t floats)
{
    if (pool->floats >= floats)
        return true;
    if (pool->data)
        pool->device ? cudaFree(pool->data) : cudaFreeHost(pool->data);
    *pool = (struct pool){.device = pool->device, .managed = pool->managed};
    const size_t bytes = floats * sizeof(float);
    if (!cuda(name,
              pool->managed  ? cudaMallocManaged((void **)&pool->data, bytes, cudaMemAttachGlobal)
              : pool->device ? cudaMalloc((void **)&pool->data, bytes)
                             : cudaMallocHost((void **)&pool->data, bytes),
              "memory for the test"))
        return false;
    pool->floats = floats;
    return true;
}

static int timeouts; // calls that the gate released by timeout

void CUDART_CB block_stream(void *user)
{
    struct gate *gate = user;
    for (int i = 0; i < gate->milliseconds && !atomic_load(&gate->open); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_store(&gate->timed_out, !atomic_load(&gate->open));
}

struct wp_transform *create(const struct config *c)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = c->size[0], .height = c->size[1], .planes = c->planes, .levels = c->levels,
            .wavelet = c->wavelet, .wavelet_data = c->data, .variant = c->variant,
            .layout = c->layout, .border = c->border, .backend = "cuda");
    struct wp_transform *t = wp_transform_create(&params);
    if (!t)
        report(c->variant ? c->variant : "default", "no transform of %dx%d (%s)", c->size[0],
               c->size[1], wp_last_error_text());
    return t;
}

size_t samples_of(const struct config *c)
{
    return (size_t)c->size[0] * (size_t)c->size[1] * (size_t)(c->planes > 1 ? c->planes : 1);
}

bool run_at(struct wp_transform *t, bool inverse, const struct wp_operand *from,
                   const struct wp_operand *to)
{
    return inverse ? wp_transform_inverse(t, from, to) : wp_transform_forward(t, from, to);
}

static bool upload(const struct call *c, size_t in, size_t out)
{
    return cuda(c->name, cudaMemcpyAsync(device_in.data, host_in.data, in * sizeof(float),
                                         cudaMemcpyDefault, c->stream), "uploading") &&
           (c->shared ||
            cuda(c->name, cudaMemcpyAsync(device_out.data, host_out.data, out * sizeof(float),
                                          cudaMemcpyDefault, c->stream), "uploading"));
}

static bool start(struct call *c, size_t in, size_t out, struct gate *gate)
{
    if (c->gated) {
        if (!cuda(c->name, cudaMemset(device_in.data, 0xff, in * sizeof(float)), "clearing") ||
            (!c->shared &&
             !cuda(c->name, cudaMemset(device_out.data, 0xff, out * sizeof(float)), "clearing")) ||
            !cuda(c->name, cudaDeviceSynchronize(), "clearing") ||
            !cuda(c->name, cudaLaunchHostFunc(c->stream, block_stream, gate),
                  "blocking the stream"))
            return false;
    }
    if (!upload(c, in, out))
        return false;
    const struct wp_operand from = memory_of(&c->in, device_in.data);
    const struct wp_operand to = memory_of(&c->out, c->shared ? device_in.data : device_out.data);
    const bool ok =
        wp_transform_set_stream(c->t, c->stream) && run_at(c->t, c->inverse, &from, &to);
    if (!ok)
        report(c->name, "refused: %s", wp_last_error_text());
    else if (wp_transform_get_info(c->t)->seconds != 0)
        report(c->name, "seconds are %g", wp_transform_get_info(c->t)->seconds);
    if (ok && c->gated && cudaStreamQuery(c->stream) != cudaErrorNotReady)
        report(c->name, "the call waited for its stream, or the gate opened too early");
    cudaGetLastError(); // clears cudaErrorNotReady
    return ok;
}

bool run_call(struct call *c)
{
    const size_t in = c->shared && c->out.floats > c->in.floats ? c->out.floats : c->in.floats;
    const size_t out = c->shared ? 0 : c->out.floats;
    if (broken)
        return false;
    cases++;
    if (!grow(c->name, &host_in, in) || !grow(c->name, &host_out, out) ||
        !grow(c->name, &got_in, in) || !grow(c->name, &got_out, out) ||
        !grow(c->name, &device_in, in) || !grow(c->name, &device_out, out))
        return false;
    struct gate gate = {.milliseconds = 2000};
    fill_pattern(host_in.data, in, 1);
    fill_pattern(host_out.data, out, 2);
    put_planes(&c->in, c->size, c->from, host_in.data);
    const bool ok = start(c, in, out, &gate);
    atomic_store(&gate.open, 1);
    if (!cuda(c->name, cudaStreamSynchronize(c->stream), "the stream"))
        return false;
    if (atomic_load(&gate.timed_out)) {
        timeouts++;
        report(c->name, "the call blocked until the gate timed out");
    }
    if (!ok ||
        !cuda(c->name, cudaMemcpy(got_in.data, device_in.data, in * sizeof(float),
                                  cudaMemcpyDefault), "downloading") ||
        (out && !cuda(c->name, cudaMemcpy(got_out.data, device_out.data, out * sizeof(float),
                                          cudaMemcpyDefault), "downloading")))
        return false;
    put_planes(&c->out, c->size, c->to, c->shared ? host_in.data : host_out.data);
    if (c->shared)
        return compare(c->name, "shared memory", &c->out, got_in.data, host_in.data, in);
    const bool input_ok = compare(c->name, "input", &c->in, got_in.data, host_in.data, in);
    return compare(c->name, "output", &c->out, got_out.data, host_out.data, out) && input_ok;
}

void free_host(struct host *h)
{
    free(h->image);
    free(h->coefficients);
    free(h->round_trip);
    *h = (struct host){0};
}

bool make_host(const struct config *c, struct wp_transform *t, unsigned seed,
                      struct host *h)
{
    const size_t n = samples_of(c);
    *h = (struct host){calloc(n, sizeof(float)), calloc(n, sizeof(float)),
                       calloc(n, sizeof(float))};
    if (!h->image || !h->coefficients || !h->round_trip)
        return false;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        h->image[i] = (float)(seed >> 8) / (1 << 24) * 1000 - 7.25f;
    }
    return wp_transform_forward(t, WP_ARRAY(h->image), WP_ARRAY(h->coefficients)) &&
           wp_transform_inverse(t, WP_ARRAY(h->coefficients), WP_ARRAY(h->round_trip));
}

void name_case(char *name, size_t size, const struct config *c, bool inverse,
                      enum kind in, enum kind out, const char *more)
{
    snprintf(name, size, "%s %s%s%s %dx%d, %d planes, %s levels %d, %s: %s -> %s%s",
             c->variant ? c->variant : "default", c->data ? c->data->name : c->wavelet,
             c->border ? " " : "", c->border ? c->border : "", c->size[0], c->size[1],
             c->planes > 1 ? c->planes : 1, c->layout ? c->layout : "mallat", c->levels,
             inverse ? "inverse" : "forward", kind_names[in], kind_names[out], more);
}

// Repeats the call on host memory after all others, when the exec uses its own device memory again
// and the canaries around it are checked.
static void check_host(const struct config *c, struct wp_transform *t, const struct host *h,
                       bool inverse)
{
    char name[256];
    const size_t n = samples_of(c);
    float *got = calloc(n, sizeof(float));
    name_case(name, sizeof name, c, inverse, DENSE, DENSE, ", host after device");
    if (broken || !got) {
        free(got);
        return;
    }
    cases++;
    if (!(inverse ? wp_transform_inverse(t, WP_ARRAY(h->coefficients), WP_ARRAY(got))
                  : wp_transform_forward(t, WP_ARRAY(h->image), WP_ARRAY(got))))
        report(name, "%s", wp_last_error_text());
    else if (memcmp(got, inverse ? h->round_trip : h->coefficients, n * sizeof(float)) != 0)
        report(name, "the result differs from the first run");
    free(got);
}

void run_config(const struct config *c, const struct kinds *image,
                       const struct kinds *coefficients, bool product, bool gated,
                       cudaStream_t stream)
{
    static struct call call;
    struct host h = {0};
    char name[256];
    struct wp_transform *t = broken ? NULL : create(c);
    if (!t)
        return;
    const bool ok = make_host(c, t, 1, &h);
    if (!ok)
        report(c->variant ? c->variant : "default", "on the host: %s", wp_last_error_text());
    const int planes = c->planes > 1 ? c->planes : 1;
    for (int inverse = 0; inverse < 2 && ok; inverse++) {
        for (int i = 0; i < image->count; i++) {
            for (int k = 0; k < coefficients->count; k++) {
                if (!product && i != k)
                    continue;
                const enum kind a = image->image[i], b = coefficients->coefficients[k];
                name_case(name, sizeof name, c, inverse, inverse ? b : a, inverse ? a : b,
                          gated ? ", gated" : "");
                call = (struct call){.name = name, .t = t, .inverse = inverse, .size = c->size,
                                     .from = inverse ? h.coefficients : h.image,
                                     .to = inverse ? h.round_trip : h.coefficients,
                                     .stream = stream};
                init_operand(t, inverse ? b : a, c->size, planes, &call.in);
                init_operand(t, inverse ? a : b, c->size, planes, &call.out);
                // The first call is not gated, so that all kernels are loaded on the device before
                // the second.
                if (!run_call(&call) || !gated || timeouts > 3)
                    continue;
                call.gated = true;
                run_call(&call);
            }
        }
        check_host(c, t, &h, inverse);
    }
    free_host(&h);
    wp_transform_destroy(&t);
}

const struct wp_wavelet_data wide = {
    .name = "wide",
    .steps = 2,
    .step = (const struct wp_step_data[]){
        {-2, 6, (const double[]){-0.0117, 0.0977, -0.586, -0.586, 0.0977, -0.0117}},
        {-3, 6, (const double[]){0.0059, -0.0488, 0.293, 0.293, -0.0488, 0.0059}}},
};
