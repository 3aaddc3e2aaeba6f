// The memory that transforms of the backend "cpu" allocate for plans and calls, counted: its peak
// as a part of the caller's input and output.
#include "description.h"
#include "failing_heap.h"
#include "threads.h"
#include "transform.h"
#include "wavepass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Why a shape has more than 5 percent.
#define LOW "low bands between levels: a third of the samples, and a huge page"
#define LOW_1D "low bands between levels: 7/8 of the samples"
#define COLUMN "rows of low bands have at least a cache line"
#define TYPES "low bands between levels are floats"
#define VOLUME "low bands between levels: a seventh of the samples"
#define BORDER "an image with a border, and its coefficients"

// Batches of adjoints with weights at their ends have two temporaries of so many bytes per processor
// in addition.
enum { TEMPORARY = 1 << 18 };

struct shape {
    int size[WP_DIMS_MAX], planes, levels;
    const char *wavelet, *border; // NULL: default
    enum wp_element samples, coefficients;
    bool adjoint;
    double most;     // percent
    const char *why; // NULL: at most 5 percent
};

static size_t bytes_of(enum wp_element type)
{
    return wp_elements[type].bytes;
}

static struct wp_transform *create(const struct shape *s, int threads)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = s->size[0], .height = s->size[1], .depth = s->size[2], .planes = s->planes,
        .levels = s->levels, .wavelet = s->wavelet, .border = s->border, .adjoint = s->adjoint,
        .backend = "cpu", .threads = threads);
    struct wp_transform *transform = wp_transform_create(&params);
    if (!transform)
        fail_msg("%s", wp_last_error_text());
    return transform;
}

// Bytes of the caller's input and output, and the peak of both directions.
static void count(const struct shape *s, int threads, double *both, double *peak)
{
    struct wp_transform *transform = create(s, threads);
    const struct wp_description *d = wp_transform_description(transform);
    size_t samples = (size_t)s->planes, elements = (size_t)s->planes;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        samples *= (size_t)(s->size[a] ? s->size[a] : 1);
        elements *= (size_t)wp_description_extent(d, a);
    }
    const size_t bytes[2] = {samples * bytes_of(s->samples), elements * bytes_of(s->coefficients)};
    const struct wp_operand image = {.data = calloc(bytes[0], 1), .type = s->samples};
    const struct wp_operand coefficients = {.data = calloc(bytes[1], 1), .type = s->coefficients};
    assert_true(image.data && coefficients.data);
    const size_t before = failing_heap_bytes();
    failing_heap_from(0, false);
    for (int i = 0; i < 2; i++)
        if (!(i ? wp_transform_inverse(transform, &coefficients, &image)
                : wp_transform_forward(transform, &image, &coefficients)))
            fail_msg("%s", wp_last_error_text());
    *both = (double)(bytes[0] + bytes[1]);
    *peak = (double)(failing_heap_peak() - before);
    free(image.data);
    free(coefficients.data);
    wp_transform_destroy(&transform);
}

static void check(const struct shape *s)
{
    double both, peak[2];
    for (int i = 0; i < 2; i++)
        count(s, 1 + i, &both, &peak[i]);
    printf("%dx%dx%dx%d, %d levels, %s, %s, %s to %s%s: %.1f %%, two threads %.1f %%%s%s\n",
           s->planes, s->size[WP_Z] ? s->size[WP_Z] : 1, s->size[WP_Y], s->size[WP_X], s->levels,
           s->wavelet, s->border ? s->border : "symmetric", wp_elements[s->samples].name,
           wp_elements[s->coefficients].name, s->adjoint ? ", adjoint" : "", 100 * peak[0] / both,
           100 * peak[1] / both, s->why ? ": " : "", s->why ? s->why : "");
    const bool batch = s->adjoint && s->planes > 1;
    const double most = s->most / 100 * both + (batch ? 2 * TEMPORARY * wp_threads_count() : 0);
    assert_true(s->why || s->most <= 5);
    assert_true(peak[0] <= most);
    assert_true(peak[1] <= most);
}

static void test_shapes(void **state)
{
    (void)state;
    const enum wp_element f32 = WP_ELEMENT_F32, f64 = WP_ELEMENT_F64, f16 = WP_ELEMENT_F16,
                          u8 = WP_ELEMENT_U8;
    const struct shape shapes[] = {
        {{2048, 2048}, 1, 1, "cdf97", NULL, f32, f32, false, 1, NULL},
        {{512, 512}, 24, 3, "cdf97", NULL, f32, f32, false, 5, NULL},
        {{64, 64}, 2048, 3, "cdf97", NULL, f32, f32, false, 5, NULL},
        {{64, 64}, 2048, 3, "cdf97", NULL, f64, f64, false, 5, NULL},
        {{64, 64}, 2048, 3, "cdf97", NULL, u8, f32, false, 5, NULL},
        {{32, 32}, 8192, 3, "haar", NULL, f32, f32, false, 5, NULL},
        {{1024, 1}, 4096, 4, "db4", "periodic", f32, f32, false, 5, NULL},
        {{64, 64}, 2048, 3, "db4", "pywt-symmetric", f32, f32, false, 5, NULL},
        {{64, 64}, 8192, 3, "db4", "pywt-symmetric", f32, f32, false, 5, NULL},
        {{512, 512}, 24, 3, "db4", "pywt-zero", f32, f32, false, 5, NULL},
        {{1024, 1}, 16384, 4, "db4", "pywt-zero", f32, f32, false, 5, NULL},
        {{64, 64}, 2048, 3, "cdf97", NULL, f32, f32, true, 5, NULL},
        {{2048, 2048}, 1, 3, "cdf97", NULL, f32, f32, false, 24, LOW},
        {{2048, 2048}, 1, 3, "db4", "periodic", f32, f32, false, 24, LOW},
        {{2048, 2048}, 1, 3, "cdf97", NULL, f64, f64, false, 24, LOW},
        {{2048, 2048}, 1, 3, "cdf97", NULL, u8, f16, false, 63, TYPES},
        {{128, 128, 128}, 1, 3, "cdf97", NULL, f32, f32, false, 11, VOLUME},
        {{4194304, 1}, 1, 4, "db4", "periodic", f32, f32, false, 45, LOW_1D},
        {{1, 1 << 20}, 1, 4, "db4", "periodic", f32, f32, false, 750, COLUMN},
        {{2048, 2048}, 1, 3, "db4", "pywt-symmetric", f32, f32, false, 19, LOW},
        {{2048, 2048}, 1, 3, "cdf97", NULL, f32, f32, true, 105, BORDER},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check(&shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
