// Borders of PyWavelets and adjoints on CUDA device memory, against the backend `reference` on the
// host. Skipped without a GPU.
#include "cuda_cases.h"
#include "log.h"
#include "operand.h"
#include "transform_struct.h"
#include "wavepass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 17 }; // floats of an array

static float *given[2], *expected, *got; // samples and coefficients without gaps, and results
static float *memory;                    // an array with gaps
static float *device[2];                 // samples, coefficients

struct config {
    const char *wavelet, *border;
    int width, height, depth, planes, levels;
    bool adjoint, strided;
};

static const float unset = 12345;

// The array of the samples, or of the coefficients: without gaps on the host, or on the device.
struct array {
    int size[WP_DIMENSIONS];
    struct wp_operand dense, on_device;
    size_t count, floats; // elements, and floats of the device's array
};

static struct array array_of(const struct wp_transform *t, const struct config *c,
                             bool coefficients)
{
    struct array a = {.dense.data = NULL};
    ptrdiff_t step = 1, with_gaps = c->strided ? 2 : 1;
    wp_operand_extents(wp_transform_description(t), coefficients, a.size);
    a.size[WP_Z] = a.size[WP_Z] > 0 ? a.size[WP_Z] : 1;
    a.size[WP_PLANE] = c->planes;
    a.on_device = (struct wp_operand){.data = device[coefficients], .location = WP_LOCATION_CUDA};
    for (int d = 0; d <= WP_PLANE; d++) {
        a.dense.stride[d] = step;
        a.on_device.stride[d] = with_gaps;
        step *= a.size[d];
        with_gaps = with_gaps * a.size[d] + (c->strided ? 3 : 0);
    }
    a.count = (size_t)step;
    a.floats = (size_t)with_gaps;
    return a;
}

// The offset of element i in the device's array.
static ptrdiff_t offset_of(const struct array *a, size_t i)
{
    ptrdiff_t at = 0;
    for (int d = 0; d <= WP_PLANE; d++) {
        at += (ptrdiff_t)(i % (size_t)a->size[d]) * a->on_device.stride[d];
        i /= (size_t)a->size[d];
    }
    return at;
}

static bool upload(const char *name, const struct array *a, const float *from)
{
    for (size_t i = 0; i < a->floats; i++)
        memory[i] = unset;
    for (size_t i = 0; i < a->count && from; i++)
        memory[offset_of(a, i)] = from[i];
    return cuda(name, cudaMemcpy(a->on_device.data, memory, a->floats * sizeof(float),
                                 cudaMemcpyHostToDevice), "uploading");
}

// False after a report if an element between those of the array has changed.
static bool download(const char *name, const struct array *a, float *to)
{
    size_t others = 0;
    if (!cuda(name, cudaDeviceSynchronize(), "the transform") ||
        !cuda(name, cudaMemcpy(memory, a->on_device.data, a->floats * sizeof(float),
                               cudaMemcpyDeviceToHost), "downloading"))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        float *element = &memory[offset_of(a, i)];
        to[i] = *element;
        *element = unset;
    }
    for (size_t i = 0; i < a->floats; i++)
        others += memory[i] != unset;
    if (others > 0)
        report(name, "%zu floats outside the operand were written", others);
    return others == 0;
}

static void compare(const char *name, size_t count)
{
    double largest = 0, error = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference = fabs((double)got[i] - (double)expected[i]);
        largest = expected[i] != unset ? fmax(largest, fabs((double)expected[i])) : largest;
        error = difference <= error ? error : isnan(difference) ? INFINITY : difference;
    }
    if (!(error <= 1e-5 * largest))
        report(name, "differs by %g of %g", error, largest);
}

// Elements of the coefficients that belong to no band keep their values.
static void check_direction(const char *name, struct wp_transform *t,
                            struct wp_transform *reference, const struct config *c, bool inverse)
{
    struct array in = array_of(t, c, inverse), out = array_of(t, c, !inverse);
    cases++;
    in.dense.data = given[inverse];
    out.dense.data = expected;
    for (size_t i = 0; i < out.count; i++)
        expected[i] = unset;
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(reference, &in.dense, &out.dense))
        report(name, "reference: %s", wp_last_error_text());
    else if (!upload(name, &in, given[inverse]) || !upload(name, &out, NULL))
        return;
    else if (!(inverse ? wp_transform_inverse : wp_transform_forward)(t, &in.on_device,
                                                                      &out.on_device))
        report(name, "%s", wp_last_error_text());
    else if (download(name, &out, got))
        compare(name, out.count);
    if (!inverse)
        memcpy(given[1], expected, out.count * sizeof(float));
}

static struct wp_transform *create_on(const struct config *c, const char *backend)
{
    const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
        .width = c->width, .height = c->height, .depth = c->depth, .planes = c->planes,
        .levels = c->levels, .levels_z = c->depth > 1 ? c->levels : 0, .wavelet = c->wavelet,
        .border = c->border, .adjoint = c->adjoint, .backend = backend);
    return wp_transform_create(&p);
}

static void check(const struct config *c)
{
    struct wp_transform *t = create_on(c, "cuda"), *reference = create_on(c, "reference");
    for (int inverse = 0; inverse < 2 && !broken; inverse++) {
        char name[200];
        snprintf(name, sizeof name, "%s %s%s%s %dx%dx%d, %d planes, %d levels, %s", c->wavelet,
                 c->border, c->adjoint ? ", adjoint" : "", c->strided ? ", strided" : "", c->width,
                 c->height, c->depth, c->planes, c->levels, inverse ? "inverse" : "forward");
        if (t && reference)
            check_direction(name, t, reference, c, inverse);
        else
            report(name, "%s", wp_last_error_text());
    }
    wp_transform_destroy(&t);
    wp_transform_destroy(&reference);
}

static const struct config sizes[] = {
    {.width = 37, .height = 22, .depth = 1, .planes = 1, .levels = 2},
    {.width = 64, .height = 64, .depth = 1, .planes = 5, .levels = 2},
    {.width = 100, .height = 1, .depth = 1, .planes = 1, .levels = 3},
    {.width = 33, .height = 1, .depth = 1, .planes = 40, .levels = 1},
    {.width = 20, .height = 14, .depth = 9, .planes = 1, .levels = 2},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_borders(void **state)
{
    (void)state;
    static const char *const wavelets[] = {"cdf97", "db2", "haar"};
    const int before = cases, failed = failures;
    for (int border = WP_BORDER_NATIVE; border < WP_BORDER_COUNT; border++)
        for (int s = 0; s < SIZES; s++)
            for (int k = 0; k < 4 && !broken; k++) {
                struct config c = sizes[s];
                // Batches have kernels for their case, which take a second or two to compile.
                if (c.planes > 1 && (k != (border + s) % 4 || (c.height > 1 && border % 3)))
                    continue;
                c.wavelet = wavelets[(border + s) % 3];
                c.border = wp_border_names[border];
                c.adjoint = k & 1;
                c.strided = k & 2;
                check(&c);
            }
    finish("borders", before, failed);
}

static void test_adjoints(void **state)
{
    (void)state;
    static const char *const wavelets[] = {"cdf97", "cdf53", "haar"};
    const int before = cases, failed = failures;
    for (int s = 0; s < SIZES; s++)
        for (int k = 0; k < 6 && !broken; k++) {
            struct config c = sizes[s];
            c.wavelet = wavelets[k % 3];
            c.border = "symmetric";
            c.adjoint = true;
            c.strided = k >= 3;
            check(&c);
        }
    finish("adjoints", before, failed);
}

// Largest relative error of a type that is written.
static double limit_of(enum wp_element type)
{
    return type == WP_ELEMENT_F16    ? 1e-3
           : type == WP_ELEMENT_BF16 ? 8e-3
           : type == WP_ELEMENT_U8   ? 4.1e-3
                                     : 2e-5;
}

// The largest difference of doubles over the largest magnitude.
static double error_of_doubles(const double *a, const double *b, size_t count)
{
    double largest = 0, error = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference = fabs(a[i] - b[i]);
        largest = fmax(largest, fabs(b[i]));
        error = difference <= error ? error : isnan(difference) ? INFINITY : difference;
    }
    return error / largest;
}

static void read_elements(float *to, void *from, enum wp_element type, size_t count)
{
    const struct wp_operand array = {.data = from, .type = type, .stride = {1}};
    wp_operand_read(&wp_element_rows, to, &array, 0, false, (int)count);
}

// Transforms host[0] to host[1] by the reference and to host[2] on the device.
static void check_types(const char *name, struct wp_transform *t, struct wp_transform *reference,
                        const struct config *c, bool inverse, const enum wp_element type[2])
{
    static double host[3][MOST / 4];
    const enum wp_element from = type[inverse], to = type[!inverse];
    const size_t in = array_of(t, c, inverse).count, out = array_of(t, c, !inverse).count;
    const size_t in_bytes = in * wp_elements[from].bytes, out_bytes = out * wp_elements[to].bytes;
    const struct wp_operand a = {.data = host[0], .type = from}, b = {.data = host[1], .type = to};
    const struct wp_operand row = {.data = host[0], .type = from, .stride = {1}};
    const struct wp_operand x = {.data = device[0], .type = from, .location = WP_LOCATION_CUDA};
    const struct wp_operand y = {.data = device[1], .type = to, .location = WP_LOCATION_CUDA};
    cases++;
    if (!inverse)
        wp_operand_write(&wp_element_rows, &row, 0, given[0], false, (int)in);
    memset(host[1], 0, sizeof host[1]);
    if (!cuda(name, cudaMemcpy(device[0], host[0], in_bytes, cudaMemcpyHostToDevice), "copy") ||
        !cuda(name, cudaMemcpy(device[1], host[1], out_bytes, cudaMemcpyHostToDevice), "copy"))
        return;
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(reference, &a, &b) ||
        !(inverse ? wp_transform_inverse : wp_transform_forward)(t, &x, &y)) {
        report(name, "%s", wp_last_error_text());
        return;
    }
    if (!cuda(name, cudaDeviceSynchronize(), "the transform") ||
        !cuda(name, cudaMemcpy(host[2], device[1], out_bytes, cudaMemcpyDeviceToHost), "copy"))
        return;
    read_elements(expected, host[1], to, out);
    read_elements(got, host[2], to, out);
    double largest = 0, error = 0;
    for (size_t i = 0; i < out; i++) {
        const double difference = fabs((double)got[i] - (double)expected[i]);
        largest = fmax(largest, fabs((double)expected[i]));
        error = difference <= error ? error : isnan(difference) ? INFINITY : difference;
    }
    if (!(error <= limit_of(to) * largest))
        report(name, "differs by %g of %g", error, largest);
    if (to == WP_ELEMENT_F64 && !(error_of_doubles(host[2], host[1], out) <= 1e-13))
        report(name, "differs by %g in doubles", error_of_doubles(host[2], host[1], out));
    memcpy(host[0], host[1], sizeof host[0]);
}

static void test_types(void **state)
{
    (void)state;
    static const enum wp_element types[][2] = {
        {WP_ELEMENT_U8, WP_ELEMENT_F32},  {WP_ELEMENT_U16, WP_ELEMENT_F16},
        {WP_ELEMENT_F16, WP_ELEMENT_BF16}, {WP_ELEMENT_F64, WP_ELEMENT_F64},
        {WP_ELEMENT_BF16, WP_ELEMENT_F64},
    };
    const struct config c = {.wavelet = "db4", .border = "pywt-symmetric", .width = 41,
                             .height = 30, .depth = 1, .planes = 3, .levels = 2};
    struct wp_transform *t = create_on(&c, "cuda"), *reference = create_on(&c, "reference");
    const int before = cases, failed = failures;
    assert_non_null(t);
    assert_non_null(reference);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int inverse = 0; inverse < 2 && !broken; inverse++) {
            char name[100];
            snprintf(name, sizeof name, "samples %s, coefficients %s, %s",
                     wp_elements[types[i][0]].name, wp_elements[types[i][1]].name,
                     inverse ? "inverse" : "forward");
            check_types(name, t, reference, &c, inverse, types[i]);
        }
    wp_transform_destroy(&t);
    wp_transform_destroy(&reference);
    finish("types", before, failed);
}

// Calls in several streams use the same temporaries: each result is that of its own input.
static void test_streams(void **state)
{
    (void)state;
    enum { STREAMS = 4, WIDTH = 300, HEIGHT = 199 };
    const struct config c = {.wavelet = "db2", .border = "pywt-periodization", .depth = 1,
                             .width = WIDTH, .height = HEIGHT, .planes = 1, .levels = 2};
    struct wp_transform *t = create_on(&c, "cuda");
    const int before = cases, failed = failures;
    cudaStream_t stream[STREAMS] = {0};
    float *arrays[STREAMS][2] = {{0}}, results[STREAMS] = {0};
    assert_non_null(t);
    const struct array in = array_of(t, &c, false), out = array_of(t, &c, true);
    bool ok = true;
    cases++;
    for (size_t i = 0; i < in.count; i++)
        memory[i] = 1;
    for (int s = 0; s < STREAMS && ok; s++) {
        stream[s] = make_stream();
        for (int k = 0; k < 2 && ok; k++)
            ok = cuda("streams", cudaMalloc((void **)&arrays[s][k],
                                            (k ? out.count : in.count) * sizeof(float)), "memory");
        for (size_t i = 0; i < in.count; i++)
            memory[i] = (float)(s + 1);
        ok = ok && cuda("streams", cudaMemcpy(arrays[s][0], memory, in.count * sizeof(float),
                                              cudaMemcpyHostToDevice), "uploading");
    }
    for (int s = 0; s < 10 * STREAMS && ok; s++) {
        const struct wp_operand from = {.data = arrays[s % STREAMS][0],
                                        .location = WP_LOCATION_CUDA};
        const struct wp_operand to = {.data = arrays[s % STREAMS][1],
                                      .location = WP_LOCATION_CUDA};
        ok = wp_transform_set_stream(t, stream[s % STREAMS]) && wp_transform_forward(t, &from, &to);
        if (!ok)
            report("streams", "%s", wp_last_error_text());
    }
    ok = ok && cuda("streams", cudaDeviceSynchronize(), "the transforms");
    for (int s = 0; s < STREAMS && ok; s++) {
        ok = cuda("streams", cudaMemcpy(memory, arrays[s][1], out.count * sizeof(float),
                                        cudaMemcpyDeviceToHost), "downloading");
        // A constant has equal low-pass coefficients, and others of 0.
        results[s] = memory[0];
        for (size_t i = 0; i < out.count && ok; i++)
            if (!(fabsf(memory[i] - results[s]) < 1e-4F || fabsf(memory[i]) < 1e-4F))
                ok = (report("streams", "coefficient %zu of stream %d is %g", i, s,
                             (double)memory[i]), false);
        if (ok && !(fabsf(results[s] - (float)(s + 1) * results[0]) < 1e-4F))
            report("streams", "stream %d has the coefficient %g, stream 0 %g", s,
                   (double)results[s], (double)results[0]);
    }
    wp_transform_destroy(&t);
    for (int s = 0; s < STREAMS; s++) {
        for (int k = 0; k < 2; k++)
            cudaFree(arrays[s][k]);
        if (stream[s])
            cudaStreamDestroy(stream[s]);
    }
    finish("streams", before, failed);
}

int main(void)
{
    if (!find_device())
        return SKIPPED;
    float **const arrays[] = {&given[0], &given[1], &expected, &got, &memory};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = calloc(MOST, sizeof(float))))
            return 1;
    for (int i = 0; i < MOST; i++)
        given[0][i] = (float)rand() / (float)RAND_MAX;
    for (int i = 0; i < 2; i++)
        if (cudaMalloc((void **)&device[i], MOST * sizeof(float)) != cudaSuccess)
            return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_adjoints),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_streams),
    };
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(*arrays[i]);
    for (int i = 0; i < 2; i++)
        cudaFree(device[i]);
    return result;
}
