// Plans: the nodes that the planner chooses, the alternatives after a lack of memory, and errors.
// The results of plans are those of test_volume.c, test_api.c, test_pixels.c and test_tiled_exec.c.
#include "every_wavelet.h"
#include "log.h"
#include "plan.h"
#include "registry.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct wp_backend *wrapped; // the reference
static size_t most_samples;              // that prepare() accepts
static enum wp_error failure;            // of prepare() for more
static int prepared;                     // number of calls
static int most_planes = 4;              // of the backend

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *d,
                               const struct wp_variant *variant)
{
    const size_t samples = wp_description_samples(d) * (size_t)wp_description_planes(d);
    struct wp_description one = *d; // of the planes, since plans are not executed
    one.planes = 1;
    prepared++;
    if (samples <= most_samples)
        return wrapped->prepare(device, &one, variant);
    wp_fail(failure, "%zu samples do not fit", samples);
    return NULL;
}

static int planes_max(const struct wp_device *device, const struct wp_description *d)
{
    (void)device, (void)d;
    return most_planes;
}

static struct wp_plan *plan(const struct wp_backend *backend, const struct wp_description *d,
                            int slices, enum wp_location from, enum wp_location to)
{
    const struct wp_planner planner = {.backend = backend};
    const struct wp_problem problem = {*d, slices, from, to};
    prepared = 0;
    wp_clear_error();
    return wp_plan_create(&planner, &problem);
}

static void expect_plan(const struct wp_backend *backend, const struct wp_description *d,
                        int slices, const char *expected)
{
    struct wp_text text = {0};
    struct wp_plan *made = plan(backend, d, slices, WP_LOCATION_HOST, WP_LOCATION_HOST);
    assert_non_null(made);
    assert_int_equal(wp_last_error(), WP_ERROR_NONE);
    wp_plan_print(made, 0, &text);
    assert_string_equal(wp_text_get(&text), expected);
    wp_text_free(&text);
    wp_plan_destroy(&made);
    assert_null(made);
}

static void test_nodes(void **state)
{
    (void)state;
    const struct wp_backend *reference = wp_backend_find("reference");
    const struct wp_wavelet *cdf53 = table_wavelet("cdf53");
    const struct wp_description image = {.wavelet = cdf53, .levels = 3, .size = {64, 48}};
    const struct wp_description volume = {
        .wavelet = cdf53, .levels = 2, .levels_z = 1, .size = {16, 12, 8}};
    struct wp_description d = image;
    expect_plan(reference, &d, 1, "(reference 64x48, 3 levels)");
    d.planes = 3;
    d.samples = WP_ELEMENT_U8;
    expect_plan(reference, &d, 1, "(loop over planes: 3\n"
                                  "  (convert on the host: samples u8\n"
                                  "    (reference 64x48, 3 levels)))");
    d.coefficients = WP_ELEMENT_F16;
    d.planes = 1;
    expect_plan(reference, &d, 1, "(convert on the host: samples u8 coefficients f16\n"
                                  "  (reference 64x48, 3 levels))");
    expect_plan(reference, &volume, 24, "(loop over slices: 3 x 8\n"
                                        "  (reference 16x12x8, 2 levels, 1 along z))");
    d = volume;
    d.planes = 2;
    d.decomposition = WP_DECOMPOSITION_SPATIAL_TEMPORAL;
    d.direction = WP_INVERSE;
    expect_plan(reference, &d, 19,
                "(loop over slices: 2 x 8 + 3\n"
                "  (loop over planes: 2\n"
                "    (along z, then slices\n"
                "      (reference 16x12x8, 0 levels, 1 along z)\n"
                "      (reference 16x12x8, 2 levels, 0 along z)))\n"
                "  (loop over planes: 2\n"
                "    (along z, then slices\n"
                "      (reference 16x12x3, 0 levels, 1 along z)\n"
                "      (reference 16x12x3, 2 levels, 0 along z))))");
    // Rows of the part along z are independent: slabs of 2^22 samples.
    d = (struct wp_description){.wavelet = cdf53, .levels = 2, .levels_z = 1,
                                .size = {1024, 2500, 4},
                                .decomposition = WP_DECOMPOSITION_SPATIAL_TEMPORAL};
    expect_plan(reference, &d, 4, "(slices, then along z\n"
                                  "  (reference 1024x2500x4, 2 levels, 0 along z)\n"
                                  "  (loop over rows: 2 x 1024 + 452\n"
                                  "    (reference 1024x1024x4, 0 levels, 1 along z)\n"
                                  "    (reference 1024x452x4, 0 levels, 1 along z)))");
}

// The arithmetic is that of the backend. Steps in place need both operands in its type.
static void test_arithmetic(void **state)
{
    (void)state;
    wrapped = wp_backend_find("reference");
    struct wp_backend single = *wrapped;
    single.elements = 1U << WP_ELEMENT_F64 | 1U << WP_ELEMENT_U8;
    single.coefficients = 0;
    single.prepare = prepare;
    failure = WP_ERROR_TOO_LARGE;
    struct wp_description d = {.wavelet = table_wavelet("cdf53"), .levels = 1, .size = {256, 192},
                               .samples = WP_ELEMENT_F64, .coefficients = WP_ELEMENT_F64};
    most_samples = wp_description_samples(&d);
    expect_plan(wrapped, &d, 1, "(reference 256x192, 1 level, samples f64, coefficients f64, "
                                "arithmetic f64)");
    expect_plan(&single, &d, 1,
                "(convert on the host: coefficients f64, arithmetic f32\n"
                "  (reference 256x192, 1 level, samples f64, arithmetic f32))");
    single.elements = 0;
    expect_plan(&single, &d, 1,
                "(convert on the host: samples f64 coefficients f64, arithmetic f32\n"
                "  (reference 256x192, 1 level))");
    most_samples = 128 * 128;
    expect_plan(&single, &d, 1, "(reference in tiles of up to 88x98: 256x192, 1 level, "
                                "samples f64, coefficients f64, arithmetic f32)");
    d.size[WP_Z] = 8;
    d.levels = 2;
    d.levels_z = 1;
    d.decomposition = WP_DECOMPOSITION_SPATIAL_TEMPORAL;
    expect_plan(wrapped, &d, 8,
                "(slices, then along z\n"
                "  (reference 256x192x8, 2 levels, 0 along z, samples f64, coefficients f64, "
                "arithmetic f64)\n"
                "  (reference 256x192x8, 0 levels, 1 along z, samples f64, coefficients f64, "
                "arithmetic f64))");
    d.samples = WP_ELEMENT_F32;
    expect_plan(wrapped, &d, 8,
                "(convert on the host: samples f32, arithmetic f64\n"
                "  (slices, then along z\n"
                "    (reference 256x192x8, 2 levels, 0 along z, samples f64, coefficients f64, "
                "arithmetic f64)\n"
                "    (reference 256x192x8, 0 levels, 1 along z, samples f64, coefficients f64, "
                "arithmetic f64)))");
}

// Lack of memory: planes together, in tiles, and one by one.
static void test_alternatives(void **state)
{
    (void)state;
    wrapped = wp_backend_find("reference");
    struct wp_backend backend = *wrapped;
    backend.prepare = prepare;
    backend.planes_max = planes_max;
    failure = WP_ERROR_TOO_LARGE;
    struct wp_description d = {
        .wavelet = table_wavelet("cdf53"), .levels = 1, .size = {48, 40}, .planes = 3};
    most_samples = 3 * wp_description_samples(&d);
    expect_plan(&backend, &d, 1, "(reference 48x40, 1 level, 3 planes at once)");
    assert_int_equal(prepared, 1);
    most_samples = wp_description_samples(&d); // the image is smaller than a tile
    expect_plan(&backend, &d, 1, "(loop over planes: 3\n  (reference 48x40, 1 level))");

    // More planes than the device supports, in groups; and half of a group that lacks memory.
    d.planes = 11;
    most_samples = 4 * wp_description_samples(&d);
    expect_plan(&backend, &d, 1, "(loop over planes: 2 x 4 + 3\n"
                                 "  (reference 48x40, 1 level, 4 planes at once)\n"
                                 "  (reference 48x40, 1 level, 3 planes at once))");
    most_samples = 2 * wp_description_samples(&d);
    expect_plan(&backend, &d, 1, "(loop over planes: 2 x 4 + 3\n"
                                 "  (loop over planes: 2 x 2\n"
                                 "    (reference 48x40, 1 level, 2 planes at once))\n"
                                 "  (loop over planes: 3\n"
                                 "    (reference 48x40, 1 level)))");
    // Groups of 2^25 samples. Large planes are not grouped.
    most_planes = d.planes = 1 << 20;
    most_samples = SIZE_MAX;
    expect_plan(&backend, &d, 1, "(loop over planes: 60 x 17476 + 16\n"
                                 "  (reference 48x40, 1 level, 17476 planes at once)\n"
                                 "  (reference 48x40, 1 level, 16 planes at once))");
    d.size[WP_X] = 1025;
    d.size[WP_Y] = 1024;
    d.planes = 33;
    expect_plan(&backend, &d, 1, "(loop over planes: 33\n  (reference 1025x1024, 1 level))");
    d.planes = 31;
    expect_plan(&backend, &d, 1, "(reference 1025x1024, 1 level, 31 planes at once)");
    most_planes = 4;

    d.planes = 3;
    d.size[WP_X] = 256;
    d.size[WP_Y] = 192;
    d.samples = WP_ELEMENT_U8; // tiles convert while they copy
    most_samples = 3 * 128 * 128;
    expect_plan(&backend, &d, 1, "(reference in tiles of up to 88x98: 256x192, 1 level, "
                                 "3 planes at once, samples u8)");

    // Nothing fits: the error is that of the smallest problem without tiles.
    most_samples = 16;
    assert_null(plan(&backend, &d, 1, WP_LOCATION_HOST, WP_LOCATION_HOST));
    assert_int_equal(wp_last_error(), WP_ERROR_TOO_LARGE);
    assert_string_equal(wp_last_error_text(), "147456 samples do not fit");
    // Only memory of the host can be tiled.
    most_samples = 128 * 128;
    d.planes = 1;
    d.samples = WP_ELEMENT_F32;
    assert_null(plan(&backend, &d, 1, WP_LOCATION_CUDA, WP_LOCATION_CUDA));
    assert_string_equal(wp_last_error_text(), "49152 samples do not fit");
    // Other errors have no alternative.
    d.planes = 3;
    failure = WP_ERROR_UNAVAILABLE;
    assert_null(plan(&backend, &d, 1, WP_LOCATION_HOST, WP_LOCATION_HOST));
    assert_int_equal(wp_last_error(), WP_ERROR_UNAVAILABLE);
    assert_int_equal(prepared, 1);
}

// ---- Volumes of f64 in the memory of a device, here that of the host.

static bool is_wide(const struct wp_description *d)
{
    return wp_description_depth(d) == 1 || d->levels_z == 0;
}

static bool transform_device(struct wp_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, void *stream)
{
    double seconds;
    (void)stream;
    return wrapped->transform(exec, from, to, &seconds);
}

static void *allocate_memory(struct wp_device *device, size_t bytes)
{
    (void)device;
    return calloc(1, bytes);
}

static void free_memory(struct wp_device *device, void *memory)
{
    (void)device;
    free(memory);
}

static bool mark_stream(struct wp_device *device, void **mark, void *stream)
{
    (void)device, (void)mark, (void)stream;
    return true;
}

static bool wait_for_mark(struct wp_device *device, void *mark, void *stream)
{
    (void)device, (void)mark, (void)stream;
    return true;
}

static struct wp_operand doubles(const struct wp_description *d, double *data,
                                 enum wp_location location, int gap)
{
    const ptrdiff_t row = d->size[WP_X] + gap, slice = row * d->size[WP_Y];
    return (struct wp_operand){.data = data, .type = WP_ELEMENT_F64, .location = location,
                               .stride = {1, row, slice, slice * d->size[WP_Z]}};
}

// Compares a volume with that of the backend, with gaps after the rows of the samples.
static void check_volume(const struct wp_backend *backend, struct wp_device *device,
                         struct wp_description d, int gap)
{
    enum { MOST = 40000 };
    static double samples[MOST], expected[MOST], got[MOST], back[MOST];
    const struct wp_planner planner[2] = {{.backend = wrapped, .device = device},
                                          {.backend = backend, .device = device}};
    d.samples = d.coefficients = WP_ELEMENT_F64;
    for (int i = 0; i < MOST; i++)
        samples[i] = (double)(i * 7919 % 1009) / 1009;
    memset(got, 0, sizeof got);
    memset(expected, 0, sizeof expected);
    for (int device_memory = 0; device_memory < 2; device_memory++) {
        const enum wp_location at = device_memory ? WP_LOCATION_CUDA : WP_LOCATION_HOST;
        for (int inverse = 0; inverse < 2; inverse++) {
            d.direction = inverse ? WP_INVERSE : WP_FORWARD;
            const struct wp_problem problem = {d, d.size[WP_Z], at, at};
            struct wp_plan *made = wp_plan_create(&planner[device_memory], &problem);
            struct wp_execution execution = {0};
            const struct wp_operand in = doubles(&d, inverse ? back : samples, at, gap);
            const struct wp_operand out = doubles(&d, device_memory ? got : expected, at, 0);
            assert_non_null(made);
            assert_true(!device_memory || made->axes);
            assert_true(made->kind->apply(made, inverse ? &out : &in, inverse ? &in : &out,
                                          &execution));
            wp_plan_destroy(&made);
        }
        for (int i = 0; i < d.size[WP_X] * d.size[WP_Y] * d.size[WP_Z]; i++) {
            const int row = i / d.size[WP_X], at_sample = row * (d.size[WP_X] + gap) +
                                                          i % d.size[WP_X];
            assert_true(fabs(back[at_sample] - samples[at_sample]) < 1e-12);
        }
        memset(back, 0, sizeof back);
    }
    for (int i = 0; i < MOST; i++)
        assert_true(fabs(got[i] - expected[i]) < 1e-12);
}

static void test_axes(void **state)
{
    (void)state;
    char reason[256];
    wrapped = wp_backend_find("cpu");
    struct wp_backend backend = *wrapped;
    backend.wide = is_wide;
    backend.transform = NULL;
    backend.transform_device = transform_device;
    backend.allocate_memory = allocate_memory;
    backend.free_memory = backend.free_mark = free_memory;
    backend.mark_stream = mark_stream;
    backend.wait_for_mark = wait_for_mark;
    struct wp_device *device = wrapped->open(-1, false, reason, sizeof reason);
    assert_non_null(device);
    for (int border = WP_BORDER_SYMMETRIC; border <= WP_BORDER_PERIODIC; border++)
        for (int gap = 0; gap < 2; gap++) {
            struct wp_description d = {.wavelet = table_wavelet("cdf97"), .levels = 2,
                                       .levels_z = 2, .size = {24, 16, 12},
                                       .border = (enum wp_border)border};
            check_volume(&backend, device, d, gap);
            d.levels = 1;
            d.levels_z = 3;
            d.size[WP_Z] = 32;
            check_volume(&backend, device, d, gap);
            d.levels = 3;
            d.levels_z = 1;
            d.layout = WP_LAYOUT_MIXED;
            check_volume(&backend, device, d, gap);
            d.levels = 0;
            d.levels_z = 2;
            check_volume(&backend, device, d, gap);
        }
    wrapped->close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
