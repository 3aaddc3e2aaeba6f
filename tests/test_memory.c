// Memory that runs out: whichever allocation of libwavepass fails, the call that wanted it fails
// with a message, leaves nothing behind, and the next one works as if nothing had been.
//
// The linker sends what the layers allocate here (--wrap); drivers and libraries have theirs.
#include "wavepass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The linker's names.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

enum { ALLOCATIONS_MAX = 1 << 14 };

// No thread but the test's own allocates.
static struct {
    int count; // of allocations since fail_from() was called
    int first; // that fails; 0: none
    bool all;  // and those after it
    int live;  // blocks that nobody freed yet
    void *block[ALLOCATIONS_MAX];
    size_t size[ALLOCATIONS_MAX]; // of each that was counted
} heap;

// The allocation number `first` from now on fails, or all from there on; 0: none.
static void fail_from(int first, bool all)
{
    heap.count = 0;
    heap.first = first;
    heap.all = all;
}

static bool is_refused(size_t size)
{
    if (heap.count < ALLOCATIONS_MAX)
        heap.size[heap.count] = size;
    heap.count++;
    return heap.first && (heap.count == heap.first || (heap.all && heap.count > heap.first));
}

static void *keep(void *memory)
{
    assert_in_range(heap.live, 0, ALLOCATIONS_MAX - 1);
    if (memory)
        heap.block[heap.live++] = memory;
    return memory;
}

// What others have allocated, such as scandir(), is not among them.
static void forget(const void *memory)
{
    for (int i = heap.live - 1; memory && i >= 0; i--) {
        if (heap.block[i] == memory) {
            heap.block[i] = heap.block[--heap.live];
            return;
        }
    }
}

void *__wrap_malloc(size_t size)
{
    return is_refused(size) ? NULL : keep(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused(count * size) ? NULL : keep(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (is_refused(size))
        return NULL;
    forget(old);
    return keep(__real_realloc(old, size));
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void __wrap_free(void *memory)
{
    forget(memory);
    __real_free(memory);
}

enum { WIDTH = 20, HEIGHT = 12, PLANES = 2, SAMPLES = PLANES * WIDTH * HEIGHT, BANDS_MAX = 16 };

struct way {
    const char *backend, *variant, *wavelet, *scheme, *layout, *border, *precision;
    bool data;  // the wavelet as such
    bool bands; // coefficients at places of their own
    int planes;
};

// A transform there and back, again after a rest; what came out.
struct results {
    float there[SAMPLES], back[SAMPLES], again[SAMPLES];
};

static int messages;

static void count_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)message;
    messages += level == WP_LOG_ERROR;
}

static struct wp_transform *create(const struct way *way)
{
    static const double predict[] = {-0.5, -0.5}, update[] = {0.25, 0.25};
    static const struct wp_step_data step[] = {{0, 2, predict}, {-1, 2, update}};
    static const struct wp_wavelet_data data = {.steps = 2, .step = step};
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = WIDTH, .height = HEIGHT, .planes = way->planes, .levels = 2,
            .wavelet = way->wavelet, .scheme = way->scheme, .layout = way->layout,
            .border = way->border, .precision = way->precision, .backend = way->backend,
            .variant = way->variant, .threads = 2, .wavelet_data = way->data ? &data : NULL);
    return wp_transform_create(&params);
}

// Bands one behind the other, in every plane.
static bool run(struct wp_transform *t, const struct way *way, bool inverse, const float *in,
                float *out)
{
    struct wp_memory coefficients = {.array.data = inverse ? (float *)(uintptr_t)in : out};
    const struct wp_memory image = {.array.data = inverse ? out : (float *)(uintptr_t)in};
    struct wp_view band[BANDS_MAX];
    float *at = coefficients.array.data;
    if (way->bands) {
        coefficients.band = band;
        coefficients.bands = wp_transform_band_count(t);
    }
    for (int b = 0; b < coefficients.bands; b++) {
        struct wp_band_info info;
        assert_true(wp_transform_get_band(t, b, &info));
        band[b] = (struct wp_view){.data = at, .plane = WIDTH * HEIGHT};
        at += info.width * info.height;
    }
    return inverse ? wp_transform_inverse_at(t, &coefficients, &image)
                   : wp_transform_forward_at(t, &image, &coefficients);
}

static void expect_short_of_memory(void)
{
    assert_int_equal(wp_last_error(), WP_ERROR_TOO_LARGE);
    assert_non_null(strstr(wp_last_error_text(), "memory"));
    assert_int_not_equal(messages, 0);
}

static void start(void)
{
    wp_clear_error();
    messages = 0;
}

// A call that may fail for want of memory, and then, where nothing fails any more, does it.
static void run_twice(struct wp_transform *t, const struct way *way, bool inverse, const float *in,
                      float *out)
{
    start();
    if (run(t, way, inverse, in, out))
        return;
    expect_short_of_memory();
    fail_from(0, false);
    assert_true(run(t, way, inverse, in, out));
}

// False where there was no transform.
static bool go_through(const struct way *way, struct results *r)
{
    static float image[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        image[i] = (float)(i * 7919 % 1000) / 999;
    *r = (struct results){0};
    start();
    struct wp_transform *t = create(way);
    if (!t)
        return false;
    run_twice(t, way, false, image, r->there);
    run_twice(t, way, true, r->there, r->back);
    wp_transform_rest(t);
    run_twice(t, way, false, image, r->again);
    wp_transform_destroy(&t);
    return true;
}

// Whether fewer than `alike` of the `n` allocations before this one are of its size.
static bool is_new(const size_t *size, int n, int alike)
{
    int count = 0;
    for (int i = 0; i < n && count < alike; i++)
        count += size[i] == size[n];
    return count < alike;
}

// There are thousands of allocations, of polynomials mostly: of each size so many fail as `alike`
// says, the first ones.
static void try_all(const struct way *way, bool all, int alike)
{
    static size_t size[ALLOCATIONS_MAX];
    struct results expected, got;
    const int live = heap.live;
    fail_from(0, false);
    if (!go_through(way, &expected))
        fail_msg("%s", wp_last_error_text());
    assert_int_equal(heap.live, live);
    const int count = heap.count;
    assert_in_range(count, 1, ALLOCATIONS_MAX);
    memcpy(size, heap.size, sizeof size);
    int tries = 0;
    for (int n = 1; n <= count; n++) {
        if (!is_new(size, n - 1, alike))
            continue;
        tries++;
        fail_from(n, all);
        if (!go_through(way, &got))
            expect_short_of_memory();
        else
            assert_memory_equal(&got, &expected, sizeof got);
        fail_from(0, false);
        if (heap.live != live)
            fail_msg("%d blocks are left when allocation %d fails", heap.live - live, n);
    }
    printf("%s %s: %d of %d allocations failed%s\n", way->backend, way->variant ? way->variant : "",
           tries, count, all ? ", with all after them" : "");
}

static void try_ways(const struct way *ways, int alike)
{
    for (; ways->backend; ways++) {
        try_all(ways, false, alike);
        try_all(ways, true, alike);
    }
}

static void test_cpu(void **state)
{
    (void)state;
    const struct way ways[] = {
        {.backend = "cpu"},
        {.backend = "cpu", .wavelet = "db2", .border = "periodic", .layout = "mixed"},
        {.backend = "cpu", .data = true, .bands = true, .planes = PLANES},
        {.backend = "cpu", .variant = "smdwt", .wavelet = "cdf53"},
        {.backend = "cpu", .variant = "conv-row-column", .wavelet = "haar"},
        {0},
    };
    try_ways(ways, 30);
}

static void test_reference(void **state)
{
    (void)state;
    const struct way ways[] = {
        {.backend = "reference"},
        {.backend = "reference", .wavelet = "db2", .border = "periodic", .layout = "mixed"},
        {.backend = "reference", .data = true, .bands = true, .planes = PLANES},
        {.backend = "reference", .scheme = "sep-lifting", .wavelet = "haar"},
        {0},
    };
    try_ways(ways, 30);
}

// Skipped where there is no such backend.
static void need(const char *backend)
{
    const struct way way = {.backend = backend};
    start();
    struct wp_transform *t = create(&way);
    if (!t) {
        printf("%s\n", wp_last_error_text());
        skip();
    }
    wp_transform_destroy(&t);
}

static void test_fragment(void **state)
{
    (void)state;
    const struct way ways[] = {
        {.backend = "fragment", .wavelet = "haar", .scheme = "sep-lifting"},
        {.backend = "fragment", .data = true, .bands = true, .planes = PLANES, .precision = "f16"},
        {.backend = "fragment", .variant = "tile-2x2", .wavelet = "haar", .layout = "mixed"},
        {0},
    };
    need("fragment");
    try_ways(ways, 1);
}

static void test_compute(void **state)
{
    (void)state;
    const struct way ways[] = {
        {.backend = "compute", .wavelet = "haar", .scheme = "sep-lifting"},
        {0},
    };
    need("compute");
    try_ways(ways, 1);
}

int main(void)
{
    wp_log_set_handler(count_message, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_fragment),
        cmocka_unit_test(test_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
