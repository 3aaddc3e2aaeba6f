// The library on memory of a CUDA device, in streams of the caller's: bit for bit what the same
// transform makes of memory of the host, and nothing else written. Skipped without a GPU.
//
// Read from the end: a test makes configurations, run_config() the calls of one, run_call() one.
//
// A case that fails is printed and the others go on; only when a kernel has broken the context does
// the rest fail with it.
#include "cuda_backend.h"
#include "cuda_exec.h"
#include "wavepass.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { SKIPPED = 77, BANDS_MAX = 1 + 3 * WP_MAX_LEVELS, PRINTED_MAX = 25, GAP = 37 };

static int cases, failures;
static int printed; // by this test; what is too much is counted only
static bool broken; // the context: nothing works any more

static void report(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void report(const char *name, const char *format, ...)
{
    va_list list;
    failures++;
    if (printed++ >= PRINTED_MAX)
        return;
    printf("FAIL %s: ", name);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    fflush(stdout);
}

// False after a report.
static bool cuda(const char *name, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return true;
    report(name, "%s: %s", what, cudaGetErrorString(error));
    cudaGetLastError();
    if (cudaDeviceSynchronize() != cudaSuccess) {
        broken = true;
        printf("the CUDA context is lost; the cases that follow are left out\n");
    }
    return false;
}

// ---- A side of a call: where things lie, and what should --------------------------------

// Where the views of a side lie in its memory.
enum kind {
    DENSE,        // an array without gaps
    PITCHED,      // rows at multiples of 16 bytes, with gaps
    SHIFTED,      // the same, beginning at a multiple of 8 bytes
    ODD,          // rows at any floats
    STRIDED,      // gaps between columns, too
    PIXELS,       // samples of all planes beside each other
    MALLAT_BANDS, // views of bands inside an array without gaps
    BANDS,        // each as PITCHED
    BANDS_ODD,    // each as ODD
    BANDS_SOME,   // each in another way
    KIND_COUNT
};

static const char *const kind_names[KIND_COUNT] = {
    "dense", "pitched", "shifted", "odd", "strided", "pixels", "mallat-bands", "bands",
    "bands-odd", "bands-some",
};

struct spot {
    size_t at;
    ptrdiff_t step[2], plane;
    int size[2];
    int origin[2]; // in an array without gaps that has all bands
};

struct side {
    enum kind kind;
    int planes, count;
    struct spot spot[BANDS_MAX];
    size_t floats; // to the end, with a gap behind
    struct wp_view view[BANDS_MAX];
};

static struct spot place_spot(enum kind kind, size_t from, const int size[2], int planes)
{
    const ptrdiff_t w = size[0], h = size[1];
    struct spot s = {.at = (from + GAP + 31) / 32 * 32, .size = {size[0], size[1]}};
    s.step[0] = kind == STRIDED ? 2 : kind == PIXELS ? planes : 1;
    switch (kind) {
    case PITCHED:
    case SHIFTED: s.step[1] = (w + 3) / 4 * 4 + 8; break;
    case ODD: s.step[1] = w % 2 ? w + 4 : w + 5; break;
    case STRIDED: s.step[1] = 2 * w + 3; break;
    default: s.step[1] = w * s.step[0]; break;
    }
    s.at += kind == SHIFTED ? 2 : kind == ODD || kind == STRIDED ? 1 : 0;
    s.plane = kind == PIXELS ? 1 : h * s.step[1] + (kind == PITCHED ? 12 : kind == DENSE ? 0 : 7);
    return s;
}

static size_t end_of(const struct spot *s, int planes)
{
    return s->at + (size_t)((planes - 1) * s->plane + (s->size[1] - 1) * s->step[1] +
                            (s->size[0] - 1) * s->step[0] + 1) + GAP;
}

static void band_origin(const struct wp_band_info *info, const int size[2], int origin[2])
{
    int low[2] = {size[0], size[1]};
    for (int l = 0; l < info->level; l++)
        low[0] = (low[0] + 1) / 2, low[1] = (low[1] + 1) / 2;
    origin[0] = info->name[0] == 'H' ? low[0] : 0;
    origin[1] = info->name[1] == 'H' ? low[1] : 0;
}

static bool has_bands(enum kind kind)
{
    return kind >= MALLAT_BANDS;
}

static void place_side(const struct wp_transform *t, enum kind kind, const int size[2], int planes,
                       struct side *side)
{
    static const enum kind some[] = {PITCHED, ODD, STRIDED, SHIFTED};
    *side = (struct side){.kind = kind, .planes = planes};
    side->count = has_bands(kind) ? wp_transform_band_count(t) : 1;
    const struct spot whole = place_spot(kind == MALLAT_BANDS ? DENSE : kind, 0, size, planes);
    for (int i = 0; i < side->count; i++) {
        struct spot *s = &side->spot[i];
        *s = whole;
        if (has_bands(kind)) {
            struct wp_band_info info;
            wp_transform_get_band(t, i, &info);
            const int band[] = {info.width, info.height};
            if (info.width == 0 || info.height == 0) {
                *s = (struct spot){0};
                continue;
            }
            if (kind != MALLAT_BANDS)
                *s = place_spot(kind == BANDS       ? PITCHED
                                : kind == BANDS_ODD ? ODD
                                                    : some[i % 4],
                                side->floats, band, planes);
            band_origin(&info, size, s->origin);
            s->size[0] = band[0], s->size[1] = band[1];
            if (kind == MALLAT_BANDS)
                s->at += (size_t)(s->origin[1] * s->step[1] + s->origin[0]);
        }
        const size_t end = end_of(s, planes);
        side->floats = end > side->floats ? end : side->floats;
    }
}

static void move_side(struct side *side, size_t floats)
{
    for (int i = 0; i < side->count; i++)
        side->spot[i].at += floats;
    side->floats += floats;
}

static struct wp_memory memory_of(struct side *side, float *base)
{
    for (int i = 0; i < side->count; i++) {
        const struct spot *s = &side->spot[i];
        side->view[i] = (struct wp_view){s->size[0] ? base + s->at : NULL,
                                         {s->step[0], s->step[1]}, s->plane};
        if (side->kind == DENSE) // distances that are zero are these
            side->view[i] = (struct wp_view){.data = base + s->at};
    }
    struct wp_memory memory = {.cuda = true};
    if (has_bands(side->kind)) {
        memory.band = side->view;
        memory.bands = side->count;
    } else {
        memory.array = side->view[0];
    }
    return memory;
}

// Quiet NaNs, no two of them alike nearby: read by mistake they show, and so do writes.
static void fill_pattern(float *memory, size_t floats, unsigned seed)
{
    for (size_t i = 0; i < floats; i++) {
        const uint32_t bits = 0x7fc00000u | (uint32_t)((i * 2654435761u + seed) & 0x3fffffu);
        memcpy(&memory[i], &bits, sizeof bits);
    }
}

// Planes without gaps, put where a side has them.
static void put_planes(const struct side *side, const int size[2], const float *planes,
                       float *memory)
{
    for (int i = 0; i < side->count; i++) {
        const struct spot *s = &side->spot[i];
        for (int p = 0; p < side->planes; p++)
            for (int y = 0; y < s->size[1]; y++)
                for (int x = 0; x < s->size[0]; x++)
                    memcpy(&memory[(ptrdiff_t)s->at + p * s->plane + y * s->step[1] +
                                   x * s->step[0]],
                           &planes[((ptrdiff_t)p * size[1] + s->origin[1] + y) * size[0] +
                                   s->origin[0] + x],
                           sizeof(float));
    }
}

// In words, what lies at a float of a side's memory.
static void name_place(const struct side *side, size_t at, char *name, size_t name_size)
{
    for (int i = 0; i < side->count; i++) {
        const struct spot *s = &side->spot[i];
        for (int p = 0; p < side->planes; p++) {
            for (int y = 0; y < s->size[1]; y++) {
                const ptrdiff_t x = (ptrdiff_t)at - (ptrdiff_t)s->at - p * s->plane -
                                    y * s->step[1];
                if (x >= 0 && x % s->step[0] == 0 && x / s->step[0] < s->size[0]) {
                    snprintf(name, name_size, "view %d of %dx%d, plane %d, (%td, %d)", i,
                             s->size[0], s->size[1], p, x / s->step[0], y);
                    return;
                }
            }
        }
    }
    snprintf(name, name_size, "float %zu of %zu, which belongs to no view (the first is at %zu)",
             at, side->floats, side->spot[0].at);
}

static bool compare(const char *name, const char *what, const struct side *side, const float *got,
                    const float *wanted, size_t floats)
{
    size_t first = floats, different = 0;
    for (size_t i = floats; i-- > 0;) {
        if (memcmp(&got[i], &wanted[i], sizeof(float)) != 0) {
            first = i;
            different++;
        }
    }
    if (different == 0)
        return true;
    uint32_t bits[2];
    char place[160];
    memcpy(&bits[0], &got[first], 4);
    memcpy(&bits[1], &wanted[first], 4);
    name_place(side, first, place, sizeof place);
    report(name, "%s: %zu of %zu floats differ, the first is %s: %g (%08x), not %g (%08x)", what,
           different, floats, place, (double)got[first], (unsigned)bits[0],
           (double)wanted[first], (unsigned)bits[1]);
    return false;
}

// ---- A call on the device, and the same on the host -------------------------------------

// Memory that grows and is used again: pinned, or the device's.
struct pool {
    float *data;
    size_t floats;
    bool device, managed;
};

static struct pool host_in, host_out, got_in, got_out;
static struct pool device_in = {.device = true}, device_out = {.device = true};

static bool grow(const char *name, struct pool *pool, size_t floats)
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

// What holds a stream up until it is let go: what is not in that stream comes too early then.
struct gate {
    atomic_int open, timed_out;
    int milliseconds; // after which it opens by itself
};

static int timeouts; // so many are enough

static void CUDART_CB hold(void *user)
{
    struct gate *gate = user;
    for (int i = 0; i < gate->milliseconds && !atomic_load(&gate->open); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_store(&gate->timed_out, !atomic_load(&gate->open));
}

struct config {
    const char *wavelet, *variant, *layout, *border;
    int size[2], planes, levels;
    const struct wp_wavelet_data *data;
};

static struct wp_transform *create(const struct config *c)
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

static size_t samples_of(const struct config *c)
{
    return (size_t)c->size[0] * (size_t)c->size[1] * (size_t)(c->planes > 1 ? c->planes : 1);
}

static bool run_at(struct wp_transform *t, bool inverse, const struct wp_memory *from,
                   const struct wp_memory *to)
{
    return inverse ? wp_transform_inverse_at(t, from, to) : wp_transform_forward_at(t, from, to);
}

// A call on memory of the device, of which the host has a copy.
struct call {
    const char *name;
    struct wp_transform *t;
    bool inverse;
    const int *size;
    struct side in, out;
    const float *from, *to; // planes that go in, and those that must come out
    cudaStream_t stream;
    bool gated; // behind a gate, with what goes in behind it, too
    bool shared; // `out` lies in the memory of `in`
};

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
            !cuda(c->name, cudaLaunchHostFunc(c->stream, hold, gate), "holding the stream up"))
            return false;
    }
    if (!upload(c, in, out))
        return false;
    const struct wp_memory from = memory_of(&c->in, device_in.data);
    const struct wp_memory to = memory_of(&c->out, c->shared ? device_in.data : device_out.data);
    const bool ok =
        wp_transform_set_stream(c->t, c->stream) && run_at(c->t, c->inverse, &from, &to);
    if (!ok)
        report(c->name, "refused: %s", wp_last_error_text());
    else if (wp_transform_get_info(c->t)->seconds != 0)
        report(c->name, "seconds are %g", wp_transform_get_info(c->t)->seconds);
    if (ok && c->gated && cudaStreamQuery(c->stream) != cudaErrorNotReady)
        report(c->name, "the call waited for its stream, or the gate did not hold");
    cudaGetLastError(); // that it was not ready
    return ok;
}

static bool run_call(struct call *c)
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
        report(c->name, "the call waited until the stream went on by itself");
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
    const bool kept = compare(c->name, "what went in", &c->in, got_in.data, host_in.data, in);
    return compare(c->name, "what came out", &c->out, got_out.data, host_out.data, out) && kept;
}

// What the transform makes of memory of the host: image, coefficients, and the image again.
struct host {
    float *image, *coefficients, *back;
};

static void free_host(struct host *h)
{
    free(h->image);
    free(h->coefficients);
    free(h->back);
    *h = (struct host){0};
}

static bool make_host(const struct config *c, struct wp_transform *t, unsigned seed,
                      struct host *h)
{
    const size_t n = samples_of(c);
    *h = (struct host){calloc(n, sizeof(float)), calloc(n, sizeof(float)),
                       calloc(n, sizeof(float))};
    if (!h->image || !h->coefficients || !h->back)
        return false;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        h->image[i] = (float)(seed >> 8) / (1 << 24) * 1000 - 7.25f;
    }
    return wp_transform_forward(t, h->image, h->coefficients) &&
           wp_transform_inverse(t, h->coefficients, h->back);
}

static void name_case(char *name, size_t size, const struct config *c, bool inverse,
                      enum kind in, enum kind out, const char *more)
{
    snprintf(name, size, "%s %s%s%s %dx%d, %d planes, %s levels %d, %s: %s -> %s%s",
             c->variant ? c->variant : "default", c->data ? c->data->name : c->wavelet,
             c->border ? " " : "", c->border ? c->border : "", c->size[0], c->size[1],
             c->planes > 1 ? c->planes : 1, c->layout ? c->layout : "mallat", c->levels,
             inverse ? "inverse" : "forward", kind_names[in], kind_names[out], more);
}

// The same call on memory of the host, after all others: its own memory is the exec's again, and
// canaries around that are looked at.
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
    if (!(inverse ? wp_transform_inverse(t, h->coefficients, got)
                  : wp_transform_forward(t, h->image, got)))
        report(name, "%s", wp_last_error_text());
    else if (memcmp(got, inverse ? h->back : h->coefficients, n * sizeof(float)) != 0)
        report(name, "another result than before");
    free(got);
}

struct kinds {
    int count;
    enum kind image[KIND_COUNT], coefficients[KIND_COUNT];
};

// ---- Calls of a transform ---------------------------------------------------------------

// Every kind of image with every kind of coefficients, or one to one.
static void run_config(const struct config *c, const struct kinds *image,
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
                                     .to = inverse ? h.back : h.coefficients, .stream = stream};
                place_side(t, inverse ? b : a, c->size, planes, &call.in);
                place_side(t, inverse ? a : b, c->size, planes, &call.out);
                // First as it comes, so that all kernels are on the device by then.
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

static const struct kinds images = {
    6, .image = {DENSE, PITCHED, SHIFTED, ODD, STRIDED, PIXELS}};
static const struct kinds mallats = {
    10, .coefficients = {DENSE, PITCHED, SHIFTED, ODD, STRIDED, PIXELS, MALLAT_BANDS, BANDS,
                         BANDS_ODD, BANDS_SOME}};
static const struct kinds mixeds = {
    6, .coefficients = {DENSE, PITCHED, SHIFTED, ODD, STRIDED, PIXELS}};

static cudaStream_t make_stream(void)
{
    cudaStream_t stream = NULL;
    cuda("a stream", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating");
    return stream;
}

// At the end of a test: what it was, and what came of it.
static void finish(const char *what, int cases_before, int failures_before)
{
    printf("%s: %d cases, %d failures\n", what, cases - cases_before, failures - failures_before);
    fflush(stdout);
    printed = 0;
    assert_false(broken);
    assert_int_equal(failures, failures_before);
}

// ---- The tests --------------------------------------------------------------------------

// A symmetric wavelet that reaches farther than any shape that kernels are compiled for.
static const struct wp_wavelet_data wide = {
    .name = "wide",
    .steps = 2,
    .step = (const struct wp_step_data[]){
        {-2, 6, (const double[]){-0.0117, 0.0977, -0.586, -0.586, 0.0977, -0.0117}},
        {-3, 6, (const double[]){0.0059, -0.0488, 0.293, 0.293, -0.0488, 0.0059}}},
};

static void test_sizes(void **state)
{
    (void)state;
    static const struct config configs[] = {
        {.wavelet = "cdf97", .size = {64, 48}, .levels = 2},
        {.wavelet = "cdf97", .size = {131, 77}, .planes = 3, .levels = 3},
        {.wavelet = "cdf97", .size = {128, 96}, .planes = 3, .levels = WP_LEVELS_MOST},
        {.wavelet = "cdf53", .size = {130, 66}, .levels = 3},
        {.wavelet = "dd137", .size = {200, 100}, .levels = 3},
        {.wavelet = "haar", .size = {256, 128}, .levels = 5}, // four levels in one launch
        {.wavelet = "haar", .size = {256, 128}, .planes = 2, .levels = 4},
        {.wavelet = "haar", .size = {131, 77}, .levels = 3},
        {.wavelet = "cdf97", .border = "periodic", .size = {64, 48}, .levels = 2},
        {.data = &wide, .size = {131, 77}, .levels = 2},
        {.wavelet = "cdf97", .size = {1, 9}},
        {.wavelet = "cdf97", .size = {9, 1}, .planes = 3},
        {.wavelet = "haar", .size = {1, 16}, .levels = WP_LEVELS_MOST},
        {.wavelet = "cdf53", .size = {64, 1}, .planes = 2},
        {.wavelet = "cdf97", .size = {1, 1}},
        {.wavelet = "cdf97", .size = {1, 1}, .planes = 3},
        {.wavelet = "cdf97", .size = {2, 3}},
        {.wavelet = "dd137", .size = {5, 7}, .levels = WP_LEVELS_MOST},
    };
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        struct config c = configs[i];
        run_config(&c, &images, &mallats, true, false, stream);
        c.layout = "mixed";
        run_config(&c, &images, &mixeds, true, false, stream);
    }
    // And in the default stream.
    run_config(&configs[1], &images, &mallats, true, false, NULL);
    cudaStreamDestroy(stream);
    finish("sizes", cases_before, failures_before);
}

// One of a backend's variants, on what it can compute.
static struct config config_of(const struct wp_variant *v, int width, int height)
{
    struct config c = {.wavelet = "cdf97", .variant = v->name, .size = {width, height},
                       .levels = 3};
    // Haar alone stays in its pairs of samples.
    if (strcmp(v->name, "mixed-band") == 0)
        c.wavelet = "haar";
    return c;
}

static void test_variants(void **state)
{
    (void)state;
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    for (const struct wp_variant *v = wp_cuda_variants; v->name; v++) {
        struct config c = config_of(v, 131, 77);
        run_config(&c, &images, &mallats, true, false, stream);
        c = config_of(v, 192, 160);
        run_config(&c, &images, &mallats, true, false, stream);
        c.layout = "mixed";
        c.planes = 2;
        run_config(&c, &images, &mixeds, true, false, stream);
        c = config_of(v, 1, 40);
        run_config(&c, &images, &mallats, true, false, stream);
    }
    // Kernels for any wavelet, of variants that work on the caller's memory.
    static const char *const any[] = {"ilp", "smem", "reg", "hybrid", "full-register",
                                      "block-sep-lifting", "gmem"};
    for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
        const struct config c = {.data = &wide, .variant = any[i], .size = {131, 77}, .levels = 2};
        run_config(&c, &images, &mallats, true, false, stream);
    }
    cudaStreamDestroy(stream);
    finish("variants", cases_before, failures_before);
}

// Everything that a call puts anywhere comes behind what holds its stream up.
static void test_order(void **state)
{
    (void)state;
    static const struct kinds from = {4, .image = {DENSE, PITCHED, ODD, STRIDED}};
    static const struct kinds to = {4, .coefficients = {DENSE, BANDS, BANDS_ODD, BANDS_SOME}};
    static const struct kinds mixed = {4, .coefficients = {DENSE, PITCHED, ODD, STRIDED}};
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    for (const struct wp_variant *v = wp_cuda_variants; v->name; v++) {
        struct config c = config_of(v, 192, 160);
        run_config(&c, &from, &to, false, true, stream);
        c.layout = "mixed";
        c.size[0] = 131;
        run_config(&c, &from, &mixed, false, true, stream);
    }
    const struct config fused = {.wavelet = "haar", .size = {256, 128}, .planes = 3, .levels = 5};
    run_config(&fused, &from, &to, false, true, stream);
    // Levels that walks down strips take, and steps of conv-separable.
    const struct config strips = {.wavelet = "cdf97", .size = {1537, 1023}, .levels = 2};
    run_config(&strips, &from, &to, false, true, stream);
    const struct config convolution = {.data = &wide, .size = {131, 77}, .levels = 2};
    run_config(&convolution, &from, &to, false, true, stream);
    const struct config none = {.wavelet = "cdf97", .size = {1, 1}, .planes = 3};
    run_config(&none, &from, &to, false, true, stream);
    cudaStreamDestroy(stream);
    finish("order in a stream", cases_before, failures_before);
}

// Two large levels go in one launch, large ones by walks down strips.
static void test_large(void **state)
{
    (void)state;
    static const struct kinds from = {4, .image = {DENSE, PITCHED, ODD, DENSE}};
    static const struct kinds to = {4, .coefficients = {DENSE, BANDS, BANDS_ODD, BANDS_SOME}};
    static const struct kinds mixed = {2, .coefficients = {DENSE, ODD}};
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    const char *const wavelets[] = {"cdf97", "cdf53", "dd137", "haar"};
    for (int w = 0; w < 4; w++) {
        struct config c = {.wavelet = wavelets[w], .size = {4096, 3072}, .levels = 3};
        run_config(&c, &from, &to, false, false, stream);
        c.size[0] = 4099, c.size[1] = 3001;
        run_config(&c, &from, &to, false, false, stream);
        c.size[0] = 2051, c.size[1] = 1027;
        c.layout = "mixed";
        run_config(&c, &from, &mixed, false, false, stream);
    }
    cudaStreamDestroy(stream);
    finish("large", cases_before, failures_before);
}

// What comes out lies where that was which goes in, as a whole, in part, or beside each other.
static void test_overlap(void **state)
{
    (void)state;
    static const struct {
        enum kind image, coefficients;
        int shift, planes;
    } ways[] = {
        {DENSE, DENSE, 0, 1},     {DENSE, DENSE, 4, 1},        {DENSE, DENSE, 1, 1},
        {PITCHED, PITCHED, 0, 1}, {PITCHED, PITCHED, 208, 1},  {ODD, ODD, 0, 1},
        {PITCHED, DENSE, 64, 1},  {DENSE, PITCHED, 0, 1},      {STRIDED, STRIDED, 0, 1},
        {STRIDED, STRIDED, 1, 1}, {DENSE, MALLAT_BANDS, 0, 1}, {DENSE, BANDS, 0, 1},
        {DENSE, BANDS, 64, 1},    {DENSE, BANDS_SOME, 32, 1},  {DENSE, DENSE, 0, 3},
        {PITCHED, PITCHED, 0, 3}, {ODD, ODD, 0, 3},            {PIXELS, PIXELS, 0, 3},
        {STRIDED, STRIDED, 1, 3}, {DENSE, MALLAT_BANDS, 0, 3},
    };
    static struct call call;
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    const char *const variants[] = {NULL, "gmem", "hybrid", "conv-texture", "strips"};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        for (int s = 0; s < 2; s++) {
            for (size_t w = 0; w < sizeof ways / sizeof *ways && !broken; w++) {
                // Strips take Haar at any size, and what is aligned of 192x160.
                const struct config c = {.wavelet = v == 4 ? "haar" : "cdf97",
                                         .variant = variants[v],
                                         .size = {s ? 131 : 192, s ? 77 : 160},
                                         .planes = ways[w].planes, .levels = 3};
                struct wp_transform *t = create(&c);
                struct host h = {0};
                char name[256], more[32];
                if (!t)
                    continue;
                const bool ok = make_host(&c, t, 7, &h);
                snprintf(more, sizeof more, ", overlapping by %d", ways[w].shift);
                for (int inverse = 0; inverse < 2 && ok; inverse++) {
                    const enum kind a = ways[w].image, b = ways[w].coefficients;
                    name_case(name, sizeof name, &c, inverse, inverse ? b : a, inverse ? a : b,
                              more);
                    call = (struct call){.name = name, .t = t, .inverse = inverse, .size = c.size,
                                         .from = inverse ? h.coefficients : h.image,
                                         .to = inverse ? h.back : h.coefficients,
                                         .stream = stream, .shared = true};
                    place_side(t, inverse ? b : a, c.size, c.planes, &call.in);
                    place_side(t, inverse ? a : b, c.size, c.planes, &call.out);
                    move_side(&call.out, (size_t)ways[w].shift);
                    run_call(&call);
                }
                if (!ok)
                    report("overlap", "on the host: %s", wp_last_error_text());
                free_host(&h);
                wp_transform_destroy(&t);
            }
        }
    }
    cudaStreamDestroy(stream);
    finish("overlap", cases_before, failures_before);
}

static void test_managed(void **state)
{
    (void)state;
    int device = 0, managed = 0;
    const int cases_before = cases, failures_before = failures;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&managed, cudaDevAttrConcurrentManagedAccess, device);
    if (!managed) {
        printf("managed memory: not here\n");
        return;
    }
    const struct pool in = device_in, out = device_out;
    device_in = (struct pool){.device = true, .managed = true};
    device_out = device_in;
    const cudaStream_t stream = make_stream();
    const struct config c = {.wavelet = "cdf97", .size = {131, 77}, .planes = 3, .levels = 3};
    run_config(&c, &images, &mallats, true, false, stream);
    cudaStreamDestroy(stream);
    cudaFree(device_in.data);
    cudaFree(device_out.data);
    device_in = in;
    device_out = out;
    finish("managed memory", cases_before, failures_before);
}

// A transform with its own memory on the device, for calls beside each other.
struct job {
    struct wp_transform *t;
    struct host host[2];
    float *device[2][2]; // of two calls: what goes in, what comes out
    float *pinned[2];
    size_t bytes;
};

static const struct config job_config = {.wavelet = "cdf97", .size = {640, 480}, .levels = 3};

static bool make_job(struct job *j, unsigned seed)
{
    *j = (struct job){.t = create(&job_config),
                      .bytes = samples_of(&job_config) * sizeof(float)};
    bool ok = j->t != NULL;
    for (int i = 0; i < 2 && ok; i++) {
        ok = make_host(&job_config, j->t, seed + (unsigned)i, &j->host[i]) &&
             cuda("a job", cudaMallocHost((void **)&j->pinned[i], j->bytes), "memory");
        for (int k = 0; k < 2 && ok; k++)
            ok = cuda("a job", cudaMalloc((void **)&j->device[i][k], j->bytes), "memory") &&
                 cuda("a job", cudaMemset(j->device[i][k], 0xff, j->bytes), "memory");
        if (ok)
            memcpy(j->pinned[i], j->host[i].image, j->bytes);
    }
    // Forward is ready, with its kernels.
    const struct wp_memory from = {.array.data = j->device[0][0], .cuda = true};
    const struct wp_memory to = {.array.data = j->device[0][1], .cuda = true};
    ok = ok && wp_transform_forward_at(j->t, &from, &to) &&
         cuda("a job", cudaDeviceSynchronize(), "the first call");
    for (int i = 0; i < 2 && ok; i++)
        for (int k = 0; k < 2 && ok; k++)
            ok = cuda("a job", cudaMemset(j->device[i][k], 0xff, j->bytes), "memory");
    ok = ok && cuda("a job", cudaDeviceSynchronize(), "memory");
    if (!ok)
        report("a job", "not made: %s", wp_last_error_text());
    return ok;
}

static void free_job(struct job *j)
{
    wp_transform_destroy(&j->t);
    for (int i = 0; i < 2; i++) {
        free_host(&j->host[i]);
        cudaFreeHost(j->pinned[i]);
        for (int k = 0; k < 2; k++)
            cudaFree(j->device[i][k]);
    }
}

// Call number i: upload, forward.
static bool put_job(struct job *j, int i, cudaStream_t stream, const char *name)
{
    const struct wp_memory from = {.array.data = j->device[i][0], .cuda = true};
    const struct wp_memory to = {.array.data = j->device[i][1], .cuda = true};
    cases++;
    if (!cuda(name, cudaMemcpyAsync(j->device[i][0], j->pinned[i], j->bytes, cudaMemcpyDefault,
                                    stream), "uploading"))
        return false;
    if (wp_transform_set_stream(j->t, stream) && wp_transform_forward_at(j->t, &from, &to))
        return true;
    report(name, "refused: %s", wp_last_error_text());
    return false;
}

static void check_job(struct job *j, int i, const char *name)
{
    const size_t n = samples_of(&job_config);
    float *got = calloc(n, sizeof(float));
    if (got && cuda(name, cudaMemcpy(got, j->device[i][1], j->bytes, cudaMemcpyDefault),
                    "downloading")) {
        size_t first = 0;
        while (first < n && memcmp(&got[first], &j->host[i].coefficients[first], 4) == 0)
            first++;
        if (first < n)
            report(name, "call %d: float %zu is %g, not %g", i, first, (double)got[first],
                   (double)j->host[i].coefficients[first]);
    }
    free(got);
}

static void test_streams(void **state)
{
    (void)state;
    const int cases_before = cases, failures_before = failures;
    static struct job a, b;
    const cudaStream_t first = make_stream(), second = make_stream();
    if (!broken && make_job(&a, 11) && make_job(&b, 21)) {
        // Two transforms, of which one is held up: the other does not wait.
        struct gate gate = {.milliseconds = 2000};
        cuda("two transforms", cudaLaunchHostFunc(first, hold, &gate), "holding");
        put_job(&a, 0, first, "two transforms, the one held up");
        put_job(&b, 0, second, "two transforms, the other");
        cuda("two transforms", cudaStreamSynchronize(second), "the other's stream");
        if (cudaStreamQuery(first) != cudaErrorNotReady)
            report("two transforms", "one waited for the other");
        cudaGetLastError();
        atomic_store(&gate.open, 1);
        cuda("two transforms", cudaStreamSynchronize(first), "the stream held up");
        check_job(&a, 0, "two transforms, the one held up");
        check_job(&b, 0, "two transforms, the other");
        // Both at once, again and again.
        for (int i = 0; i < 20; i++) {
            put_job(&a, i % 2, first, "two transforms at once");
            put_job(&b, i % 2, second, "two transforms at once");
        }
        cuda("two transforms at once", cudaDeviceSynchronize(), "waiting");
        for (int i = 0; i < 2; i++) {
            check_job(&a, i, "two transforms at once, one");
            check_job(&b, i, "two transforms at once, the other");
        }
    }
    // One transform in two streams: the second call waits for the first one's.
    if (!broken && a.t && b.t) {
        struct gate gate = {.milliseconds = 2000};
        for (int i = 0; i < 2; i++)
            cuda("one transform", cudaMemset(a.device[i][1], 0xff, a.bytes), "clearing");
        cuda("one transform", cudaDeviceSynchronize(), "clearing");
        cuda("one transform", cudaLaunchHostFunc(first, hold, &gate), "holding");
        put_job(&a, 0, first, "one transform, two streams");
        put_job(&a, 1, second, "one transform, two streams");
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        if (cudaStreamQuery(second) != cudaErrorNotReady)
            report("one transform, two streams", "the second call did not wait");
        cudaGetLastError();
        atomic_store(&gate.open, 1);
        cuda("one transform", cudaDeviceSynchronize(), "waiting");
        check_job(&a, 0, "one transform, two streams");
        check_job(&a, 1, "one transform, two streams");
    }
    // A call on the host while a stream still works, then the end of the transform while one does.
    if (!broken && a.t && b.t) {
        const size_t n = samples_of(&job_config);
        struct gate by_itself[2] = {{.milliseconds = 100}, {.milliseconds = 100}};
        float *got = calloc(n, sizeof(float));
        cuda("the host meanwhile", cudaMemset(a.device[0][1], 0xff, a.bytes), "clearing");
        cuda("the host meanwhile", cudaMemset(b.device[0][1], 0xff, b.bytes), "clearing");
        cuda("the host meanwhile", cudaDeviceSynchronize(), "clearing");
        cuda("the host meanwhile", cudaLaunchHostFunc(first, hold, &by_itself[0]), "holding");
        put_job(&a, 0, first, "the host meanwhile");
        if (!got || !wp_transform_forward(a.t, a.host[1].image, got))
            report("the host meanwhile", "%s", wp_last_error_text());
        else if (memcmp(got, a.host[1].coefficients, a.bytes) != 0)
            report("the host meanwhile", "another result on the host");
        if (!atomic_load(&by_itself[0].timed_out))
            report("the host meanwhile", "it did not wait for the stream");
        cuda("the host meanwhile", cudaStreamSynchronize(first), "waiting");
        check_job(&a, 0, "the host meanwhile");
        cuda("the end meanwhile", cudaLaunchHostFunc(second, hold, &by_itself[1]), "holding");
        put_job(&b, 0, second, "the end meanwhile");
        wp_transform_destroy(&b.t);
        if (!atomic_load(&by_itself[1].timed_out))
            report("the end meanwhile", "the transform ended before its work");
        cuda("the end meanwhile", cudaStreamSynchronize(second), "waiting");
        check_job(&b, 0, "the end meanwhile");
        free(got);
    }
    free_job(&a);
    free_job(&b);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    finish("streams", cases_before, failures_before);
}

static void expect_refused(bool refused, const char *words)
{
    cases++;
    if (!refused || wp_last_error() != WP_ERROR_USAGE || !strstr(wp_last_error_text(), words))
        report("refusals", "'%s' where '%s' was expected", wp_last_error_text(), words);
    wp_clear_error();
}

static void test_refused(void **state)
{
    (void)state;
    enum { W = 64, H = 48, LEVELS = 2, BANDS_HERE = 1 + 3 * LEVELS, PLANES_HERE = 3 };
    const int cases_before = cases, failures_before = failures;
    const size_t floats = W * H * (PLANES_HERE + 1);
    struct config c = {.wavelet = "cdf97", .size = {W, H}, .planes = PLANES_HERE,
                       .levels = LEVELS};
    float *host = calloc(floats, sizeof(float)), *pinned = NULL, *device = NULL, *other = NULL;
    struct wp_transform *t = create(&c);
    if (t && host &&
        cuda("refusals", cudaMallocHost((void **)&pinned, floats * sizeof(float)), "memory") &&
        cuda("refusals", cudaMalloc((void **)&device, floats * sizeof(float)), "memory") &&
        cuda("refusals", cudaMalloc((void **)&other, floats * sizeof(float)), "memory")) {
        const struct wp_memory there = {.array.data = device, .cuda = true};
        struct wp_memory to = {.array.data = other, .cuda = true};
        const struct wp_memory here = {.array.data = host};
        expect_refused(!wp_transform_forward_at(t, &there, &here), "takes both sides from there");
        expect_refused(!wp_transform_forward_at(t, &here, &there), "takes both sides from there");
        expect_refused(!wp_transform_inverse_at(t, &there, &here), "takes both sides from there");
        const struct wp_memory wrong = {.array.data = host, .cuda = true};
        const struct wp_memory locked = {.array.data = pinned, .cuda = true};
        expect_refused(!wp_transform_forward_at(t, &wrong, &to), "the pointer to the image");
        expect_refused(!wp_transform_forward_at(t, &there, &wrong),
                       "the pointer to the coefficients");
        expect_refused(!wp_transform_forward_at(t, &locked, &to), "(it is on the host)");
        expect_refused(!wp_transform_inverse_at(t, &wrong, &to),
                       "the pointer to the coefficients");
        struct wp_view band[BANDS_HERE];
        for (int b = 0; b < BANDS_HERE; b++) {
            struct wp_band_info info;
            int origin[2];
            wp_transform_get_band(t, b, &info);
            band_origin(&info, c.size, origin);
            band[b] = (struct wp_view){other + origin[1] * W + origin[0], {1, W}, W * H};
        }
        band[4].data = host;
        to = (struct wp_memory){.band = band, .bands = BANDS_HERE, .cuda = true};
        expect_refused(!wp_transform_forward_at(t, &there, &to),
                       "the pointer to band HL of level 1");
        expect_refused(!wp_transform_inverse_at(t, &to, &there),
                       "the pointer to band HL of level 1");
        const struct wp_memory shifted = {.array.data = device + 4, .cuda = true};
        expect_refused(!wp_transform_forward_at(t, &there, &shifted),
                       "plane 1 would come out where plane 2 goes in");
        // After all that it does what it did.
        to = (struct wp_memory){.array.data = other, .cuda = true};
        if (!wp_transform_forward_at(t, &there, &to))
            report("refusals", "refused: %s", wp_last_error_text());
    }
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 1 && t && other) {
        float *far = NULL;
        cudaSetDevice(1);
        const bool ok =
            cuda("refusals", cudaMalloc((void **)&far, floats * sizeof(float)), "memory");
        const struct wp_memory from = {.array.data = far, .cuda = true};
        const struct wp_memory to = {.array.data = other, .cuda = true};
        if (ok)
            expect_refused(!wp_transform_forward_at(t, &from, &to), "(it is on device 1)");
        int now = 0;
        cudaGetDevice(&now);
        if (now != 1)
            report("refusals", "the caller's device is %d now", now);
        cudaFree(far);
        cudaSetDevice(0);
    }
    wp_transform_destroy(&t);
    cuda("refusals", cudaDeviceSynchronize(), "waiting");
    cudaFree(device);
    cudaFree(other);
    cudaFreeHost(pinned);
    free(host);
    finish("refusals", cases_before, failures_before);
}

// How many floats of a buffer are not what the backend filled it with.
static size_t count_used(const char *name, const float *device, size_t floats)
{
    float *got = calloc(floats, sizeof(float));
    size_t used = 0;
    if (got && cuda(name, cudaMemcpy(got, device, floats * sizeof(float), cudaMemcpyDefault),
                    "downloading"))
        for (size_t i = 0; i < floats; i++) {
            uint32_t bits;
            memcpy(&bits, &got[i], sizeof bits);
            used += bits != 0xffffffffu;
        }
    free(got);
    return used;
}

// That nothing is copied where kernels can work on the caller's memory: the backend's own, which
// guards fill, stays as it was.
static void test_borrowed(void **state)
{
    (void)state;
    enum { W = 192, H = 160, N = W * H };
    static const struct {
        const char *variant;
        bool borrows;
    } variants[] = {{"strips", true}, {"hybrid", true},           {"ilp", true},
                    {"smem", true},   {"block-sep-lifting", true}, {"gmem", false},
                    {"conv-separable", false}};
    const int cases_before = cases, failures_before = failures;
    const struct wp_backend *backend = &wp_backend_cuda;
    char reason[256], name[128];
    struct wp_wavelet wavelet;
    struct wp_device *device = backend->open(-1, false, reason, sizeof reason);
    float *data[2] = {NULL};
    bool ok = device && wp_wavelet_find("cdf97", &wavelet);
    for (int i = 0; i < 2 && ok; i++)
        ok = cuda("own memory", cudaMalloc((void **)&data[i], (N + 1) * sizeof(float)), "memory") &&
             cuda("own memory", cudaMemset(data[i], 0, (N + 1) * sizeof(float)), "memory");
    if (!ok && !broken)
        report("own memory", "%s", reason);
    for (size_t v = 0; v < sizeof variants / sizeof *variants && ok && !broken; v++) {
        for (int way = 0; way < 4; way++) {
            const bool inverse = way & 1, odd = way & 2;
            const struct wp_description d = {.wavelet = &wavelet, .size = {W, H}, .levels = 2,
                                             .direction = inverse ? WP_INVERSE : WP_FORWARD};
            snprintf(name, sizeof name, "own memory of %s, %s, %s", variants[v].variant,
                     wp_direction_names[d.direction], odd ? "not aligned" : "aligned");
            const struct wp_variant *variant = wp_cuda_variants;
            while (variant->name && strcmp(variant->name, variants[v].variant) != 0)
                variant++;
            device->guard = true;
            struct wp_exec *exec = backend->prepare(device, &d, variant);
            if (!exec) {
                report(name, "%s", wp_last_error_text());
                continue;
            }
            cases++;
            const struct wp_place from = wp_place_dense(&d, data[0] + odd);
            const struct wp_place to = wp_place_dense(&d, data[1] + odd);
            if (!backend->transform_there(exec, &from, &to, NULL))
                report(name, "%s", wp_last_error_text());
            if (cuda(name, cudaDeviceSynchronize(), "running") && !wp_cuda_check_guards(exec))
                report(name, "%s", wp_last_error_text());
            // The first two: the image and the coefficients.
            size_t used = 0;
            for (int b = 0; b < 2 && !broken; b++)
                used += count_used(name, exec->buffer[b].data, exec->buffer[b].floats);
            const bool copied = used > 0;
            if (!broken && copied != (odd || !variants[v].borrows))
                report(name, "%zu floats of it were used", used);
            for (int l = 0; l < exec->levels; l++)
                if (exec->level[l].stream)
                    report(name, "level %d keeps the stream", l);
            if (exec->level[0].plane != exec->plane)
                report(name, "the first level keeps the caller's plane");
            backend->release(exec);
        }
    }
    cudaFree(data[0]);
    cudaFree(data[1]);
    if (device)
        backend->close(device);
    finish("own memory", cases_before, failures_before);
}

// ---- Volumes ----------------------------------------------------------------------------

// A volume's side: slices and rows with gaps at multiples of 16 bytes, without gaps, or at any
// floats with a gap between columns.
enum volume_kind { VOLUME_DENSE, VOLUME_PITCHED, VOLUME_STRIDED, VOLUME_KINDS };

enum { VOLUME_X = 130, VOLUME_Y = 36, VOLUME_Z = 21, VOLUME_AT = 32 };

static struct wp_view view_volume(enum volume_kind kind, float *memory)
{
    const ptrdiff_t column = kind == VOLUME_STRIDED ? 2 : 1;
    const ptrdiff_t row = kind == VOLUME_DENSE ? VOLUME_X : column * VOLUME_X + 10;
    const ptrdiff_t slice = VOLUME_Y * row + (kind == VOLUME_PITCHED ? 8 : 0);
    return (struct wp_view){.data = memory ? memory + VOLUME_AT : NULL,
                            .step = {column, row, slice}};
}

static size_t volume_floats(enum volume_kind kind)
{
    const struct wp_view v = view_volume(kind, NULL);
    return (size_t)(VOLUME_Z * v.step[2]) + VOLUME_AT + GAP;
}

static void put_volume(enum volume_kind kind, const float *from, float *memory)
{
    const struct wp_view v = view_volume(kind, memory);
    for (int z = 0; z < VOLUME_Z; z++)
        for (int y = 0; y < VOLUME_Y; y++)
            for (int x = 0; x < VOLUME_X; x++)
                v.data[x * v.step[0] + y * v.step[1] + z * v.step[2]] =
                    from[((ptrdiff_t)z * VOLUME_Y + y) * VOLUME_X + x];
}

// One call on the device: what comes out must be `want` to the last bit, and nothing beside it.
static void run_volume(const char *name, struct wp_transform *t, bool inverse,
                       const enum volume_kind kind[2], const float *from, const float *want,
                       cudaStream_t stream)
{
    const size_t in = volume_floats(kind[0]), out = volume_floats(kind[1]);
    cases++;
    if (broken || !grow(name, &host_in, in) || !grow(name, &host_out, out) ||
        !grow(name, &got_out, out) || !grow(name, &device_in, in) ||
        !grow(name, &device_out, out))
        return;
    fill_pattern(host_in.data, in, 1);
    fill_pattern(host_out.data, out, 2);
    put_volume(kind[0], from, host_in.data);
    const struct wp_memory a = {.array = view_volume(kind[0], device_in.data), .cuda = true};
    const struct wp_memory b = {.array = view_volume(kind[1], device_out.data), .cuda = true};
    if (!cuda(name, cudaMemcpy(device_in.data, host_in.data, in * sizeof(float),
                               cudaMemcpyDefault), "uploading") ||
        !cuda(name, cudaMemcpy(device_out.data, host_out.data, out * sizeof(float),
                               cudaMemcpyDefault), "uploading"))
        return;
    if (!wp_transform_set_stream(t, stream) || !run_at(t, inverse, &a, &b)) {
        report(name, "refused: %s", wp_last_error_text());
        return;
    }
    if (!cuda(name, cudaStreamSynchronize(stream), "the stream") ||
        !cuda(name, cudaMemcpy(got_out.data, device_out.data, out * sizeof(float),
                               cudaMemcpyDefault), "downloading"))
        return;
    put_volume(kind[1], want, host_out.data);
    for (size_t i = 0; i < out; i++) {
        if (memcmp(&got_out.data[i], &host_out.data[i], sizeof(float)) != 0) {
            report(name, "float %zu of %zu is %g, not %g", i, out, (double)got_out.data[i],
                   (double)host_out.data[i]);
            return;
        }
    }
}

static void run_volumes(const char *variant, const char *layout, const char *wavelet,
                        cudaStream_t stream)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = VOLUME_X, .height = VOLUME_Y, .depth = VOLUME_Z, .levels = 2,
            .wavelet = wavelet, .variant = variant, .layout = layout, .backend = "cuda");
    const struct config c = {.size = {VOLUME_X, VOLUME_Y * VOLUME_Z}};
    struct host h = {0};
    struct wp_transform *t = wp_transform_create(&params);
    if (!t || !make_host(&c, t, 3, &h)) {
        report(variant, "no transform of a volume (%s)", wp_last_error_text());
        free_host(&h);
        wp_transform_destroy(&t);
        return;
    }
    for (int i = 0; i < 2 * VOLUME_KINDS * VOLUME_KINDS; i++) {
        const bool inverse = i % 2;
        const enum volume_kind kind[2] = {(enum volume_kind)(i / 2 % VOLUME_KINDS),
                                          (enum volume_kind)(i / 2 / VOLUME_KINDS)};
        char name[128];
        snprintf(name, sizeof name, "%s %s, %s, a volume of kind %d to kind %d, %s", variant,
                 wavelet, layout, kind[0], kind[1], inverse ? "inverse" : "forward");
        run_volume(name, t, inverse, kind, inverse ? h.coefficients : h.image,
                   inverse ? h.back : h.coefficients, stream);
    }
    free_host(&h);
    wp_transform_destroy(&t);
}

static void test_volumes(void **state)
{
    (void)state;
    static const char *const variants[] = {"march", "planar", "gmem"};
    const int cases_before = cases, failures_before = failures;
    const cudaStream_t stream = make_stream();
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        run_volumes(variants[v], "mallat", "cdf97", stream);
        run_volumes(variants[v], "mixed", "cdf97", stream);
        run_volumes(variants[v], "mixed", "haar", stream);
    }
    cudaStreamDestroy(stream);
    finish("volumes", cases_before, failures_before);
}

int main(void)
{
    // Canaries around the backend's memory, and NaN in it.
    setenv("WAVEPASS_CUDA_GUARD", "1", 1);
    char reason[256];
    struct wp_device *device = wp_backend_cuda.open(-1, true, reason, sizeof reason);
    if (!device) {
        printf("skipped: %s\n", reason);
        return SKIPPED;
    }
    wp_backend_cuda.close(device);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_borrowed),
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_variants),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_streams),
        cmocka_unit_test(test_overlap),  cmocka_unit_test(test_managed),
        cmocka_unit_test(test_large),    cmocka_unit_test(test_volumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
