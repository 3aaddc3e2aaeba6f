// Counts operations and copies of the CPU backend instead of measuring time, and compares them with
// those of the wavelet: redundant ones do not change results, but take time.
#include "cpu_backend.h"
#include "cpu_rows.h"
#include "description.h"
#include "wavelet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 512, DEPTH = 64, MOST = SIDE * SIDE, THREADS_MAX = 4 };

// The backend's STRIPES_PER_THREAD, and the minimum number of rows per stripe.
enum { STRIPES = 4, STRIPE_ROWS = 32 };

// Names that the linker option --wrap defines.
const struct wp_cpu_rows *__real_wp_cpu_rows_get(int i);
const struct wp_cpu_rows *__wrap_wp_cpu_rows_get(int i);
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap___memcpy_chk(void *to, const void *from, size_t bytes, size_t capacity);
void *__wrap___asan_memcpy(void *to, const void *from, size_t bytes);

// Several threads update the counts.
static struct {
    _Atomic int64_t chains; // rows of quads that row sweeps read
    _Atomic int64_t products; // multiply-adds of sums and of lifting
    _Atomic int64_t copied; // bytes copied from or to watched memory
} counts;

static struct wp_device *device;
static struct {
    float in[MOST], out[MOST];
} image;

// Only copies of this memory are counted, since compilers copy structs with memcpy(), too.
static const char *watched;
static size_t watched_bytes;

static void watch(const void *memory, size_t bytes)
{
    watched = memory;
    watched_bytes = bytes;
    counts.copied = 0;
}

static bool is_watched(const void *at)
{
    return (uintptr_t)at - (uintptr_t)watched < watched_bytes;
}

static const struct wp_cpu_rows *real;

static void count_lift(float *out, const float *const *in, const float *c, int taps, int n)
{
    counts.products += (int64_t)taps * n;
    real->lift(out, in, c, taps, n);
}

static void count_sum(float *out, const float *const *in, const float *c, int taps, int n,
                      bool stream)
{
    counts.products += (int64_t)taps * n;
    real->sum(out, in, c, taps, n, stream);
}

static void count_chain(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain)
{
    counts.chains++;
    real->chain(rows, chain);
}

const struct wp_cpu_rows *__wrap_wp_cpu_rows_get(int i)
{
    static struct wp_cpu_rows counting;
    real = __real_wp_cpu_rows_get(i);
    counting = *real;
    counting.lift = count_lift;
    counting.sum = count_sum;
    counting.chain = count_chain;
    return &counting;
}

// One of these is called in a build: plain, fortified, or sanitized.
void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    if (is_watched(to) || is_watched(from))
        counts.copied += (int64_t)bytes;
    return __real_memcpy(to, from, bytes);
}

void *__wrap___memcpy_chk(void *to, const void *from, size_t bytes, size_t capacity)
{
    (void)capacity;
    return __wrap_memcpy(to, from, bytes);
}

void *__wrap___asan_memcpy(void *to, const void *from, size_t bytes)
{
    return __wrap_memcpy(to, from, bytes);
}

static int open_device(void **state)
{
    (void)state;
    char reason[256];
    device = wp_backend_cpu.open(-1, false, reason, sizeof reason);
    return device ? 0 : -1;
}

static int close_device(void **state)
{
    (void)state;
    wp_backend_cpu.close(device);
    return 0;
}

static struct wp_description describe(const struct wp_wavelet *wavelet,
                                      enum wp_direction direction, int width, int height,
                                      int depth, int levels)
{
    return (struct wp_description){
        .wavelet = wavelet,
        .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
        .direction = direction,
        .levels = levels,
        .levels_z = depth > 1 ? levels : 0,
        .size = {width, height, depth},
    };
}

static struct wp_wavelet find(const char *name)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    return wavelet;
}

static const struct wp_variant *variant_of(const char *name)
{
    for (const struct wp_variant *v = wp_backend_cpu.variants; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    fail_msg("no variant %s", name);
    return NULL;
}

// Transforms host memory with `threads` threads. Preparation is not counted.
static void count_operations(const struct wp_description *d, const char *variant, int threads)
{
    assert_true((size_t)d->size[WP_X] * (size_t)d->size[WP_Y] * (size_t)d->size[WP_Z] <= MOST);
    wp_backend_cpu.set_threads(device, threads);
    struct wp_exec *exec = wp_backend_cpu.prepare(device, d, variant_of(variant));
    assert_non_null(exec);
    const struct wp_operand from = wp_operand_const(d, image.in),
                            to = wp_operand_dense(d, image.out);
    counts.chains = counts.products = 0;
    assert_true(wp_backend_cpu.transform(exec, &from, &to, NULL));
    wp_backend_cpu.release(exec);
}

static int64_t rows_of(int height, int levels)
{
    int64_t rows = 0;
    for (int l = 0; l < levels; l++, height = (height + 1) / 2)
        rows += (height + 1) / 2;
    return rows;
}

// A row sweep reads each row once, plus rows outside its stripe as far as the wavelet reaches:
// equally many for each stripe, for all image sizes.
static void rows_are_swept_once(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf53", "cdf97"};
    for (size_t w = 0; w < sizeof names / sizeof *names; w++) {
        const struct wp_wavelet wavelet = find(names[w]);
        for (int direction = 0; direction < 2; direction++) {
            const enum wp_direction orientation = (enum wp_direction)direction;
            struct wp_description d = describe(&wavelet, orientation, SIDE, 2, 1, 1);
            count_operations(&d, "fused", 1);
            const int64_t beyond = counts.chains - 1;
            // Two rows of quads are completed after all have been read.
            assert_in_range(beyond, 2, 2 * wavelet.pairs + 2);
            for (int levels = 1; levels <= 3; levels++) {
                d = describe(&wavelet, orientation, 61, 2 * STRIPE_ROWS - 1, 1, levels);
                count_operations(&d, "fused", THREADS_MAX);
                assert_int_equal(counts.chains, rows_of(2 * STRIPE_ROWS - 1, levels) +
                                                  levels * beyond);
            }
            for (int threads = 1; threads <= THREADS_MAX; threads++) {
                d = describe(&wavelet, orientation, SIDE, SIDE, 1, 1);
                count_operations(&d, "fused", threads);
                const int64_t more = counts.chains - SIDE / 2;
                const int stripes = STRIPES * threads < SIDE / 2 / STRIPE_ROWS
                                        ? STRIPES * threads
                                        : SIDE / 2 / STRIPE_ROWS;
                assert_int_equal(more, stripes * beyond);
            }
            count_operations(&d, "lifting-row-column", 1);
            assert_in_range(counts.chains, SIDE, SIDE + 2 * STRIPES * beyond);
        }
    }
}

// Each pair of slices passes two row sweeps, plus as many pairs outside the volume on each side as
// there are pairs of lifting steps.
static void slices_are_swept_once(void **state)
{
    (void)state;
    static const char *const names[] = {"cdf53", "cdf97"};
    for (size_t w = 0; w < sizeof names / sizeof *names; w++) {
        const struct wp_wavelet wavelet = find(names[w]);
        for (int direction = 0; direction < 2; direction++) {
            const enum wp_direction orientation = (enum wp_direction)direction;
            struct wp_description d = describe(&wavelet, orientation, 32, 2, 1, 1);
            count_operations(&d, "fused", 1);
            const int64_t beyond = counts.chains - 1;
            d = describe(&wavelet, orientation, 32, 32, DEPTH, 1);
            count_operations(&d, "fused", 1);
            assert_int_equal(counts.chains,
                             2 * (DEPTH / 2 + 2 * wavelet.pairs) * (32 / 2 + beyond));
        }
    }
}

// Convolution masks compute each product once, for any number of stripes; lifting also computes
// those of the rows and columns around a stripe.
static void products_are_computed_once(void **state)
{
    (void)state;
    static const struct {
        const char *variant, *wavelet;
        int products; // per quad
        double most; // factor of the maximum, per thread
    } expected[] = {
        // Along two rows and two columns.
        {"conv-row-column", "cdf53", 2 * 2 * (5 + 3), 1},
        {"smdwt", "cdf53", (5 + 3) * (5 + 3), 1},
        {"fused", "dd97", 2 * 2 * (4 + 2), 1.045},
    };
    for (size_t v = 0; v < sizeof expected / sizeof *expected; v++) {
        const struct wp_wavelet wavelet = find(expected[v].wavelet);
        const struct wp_description d = describe(&wavelet, WP_FORWARD, SIDE, SIDE, 1, 1);
        for (int threads = 1; threads <= THREADS_MAX; threads++) {
            count_operations(&d, expected[v].variant, threads);
            const double each = (double)counts.products / (SIDE / 2 * SIDE / 2);
            const double most = expected[v].products * (1 + (expected[v].most - 1) * threads);
            if (each < expected[v].products || each > most)
                fail_msg("%s, %d threads: %g products for a quad instead of %d",
                         expected[v].variant, threads, each, expected[v].products);
        }
    }
}

static void bytes_are_copied_once(void **state)
{
    (void)state;
    const struct wp_wavelet cdf53 = find("cdf53");
    const struct wp_description d = describe(&cdf53, WP_FORWARD, 256, 200, 1, 3);
    const int64_t bytes = 256 * 200 * sizeof(float);
    const struct wp_operand from = wp_operand_const(&d, image.in),
                            to = wp_operand_dense(&d, image.out);
    struct wp_exec *exec = wp_backend_cpu.prepare(device, &d, variant_of("conv-row-column"));
    assert_non_null(exec);
    watch(&image, sizeof image);
    assert_true(wp_backend_cpu.load(exec, &from));
    assert_int_equal(counts.copied, bytes);
    assert_true(wp_backend_cpu.run(exec, NULL));
    counts.copied = 0;
    assert_true(wp_backend_cpu.store(exec, &to));
    assert_int_equal(counts.copied, bytes);
    // Row functions write directly to the result, except after the last complete vector of a row.
    counts.copied = 0;
    assert_true(wp_backend_cpu.transform(exec, &from, &to, NULL));
    const int64_t rows = counts.copied;
    assert_true(rows < 4096);
    // In place, the image is copied first.
    const struct wp_operand same = wp_operand_dense(&d, image.in);
    counts.copied = 0;
    assert_true(wp_backend_cpu.transform(exec, &same, &same, NULL));
    assert_int_equal(counts.copied, rows + bytes);
    wp_backend_cpu.release(exec);
}

static void ceilings_copy_their_bytes(void **state)
{
    (void)state;
    static const int sizes[][2] = {{2048, 2048}, {33, 7}, {1, 1}};
    const struct wp_backend_bench *bench = wp_backend_cpu.bench;
    for (const struct wp_ceiling *c = bench->ceilings; c->name; c++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int threads = 1; threads <= THREADS_MAX; threads++) {
                wp_backend_cpu.set_threads(device, threads);
                struct wp_ceiling_run_state *copy =
                    bench->ceiling_prepare(device, c, sizes[s][0], sizes[s][1]);
                assert_non_null(copy);
                size_t floats;
                float *images = wp_cpu_ceiling_images(copy, &floats);
                assert_true(floats >= (size_t)sizes[s][0] * (size_t)sizes[s][1] &&
                            floats < (size_t)(sizes[s][0] + 16) * (size_t)sizes[s][1]);
                for (size_t i = 0; i < floats; i++)
                    images[i] = (float)i + 1;
                memset(images + floats, 0, floats * sizeof *images);
                watch(images, 2 * floats * sizeof *images);
                assert_true(bench->ceiling_run(&copy, 1, &(double){0}));
                assert_int_equal(counts.copied, floats * sizeof *images);
                for (size_t i = 0; i < floats; i++)
                    if (images[i] != (float)i + 1 || images[floats + i] != images[i])
                        fail_msg("sample %zu was not copied", i);
                // Two states copy twice as much.
                struct wp_ceiling_run_state *const both[] = {copy, copy};
                counts.copied = 0;
                assert_true(bench->ceiling_run(both, 2, &(double){0}));
                assert_int_equal(counts.copied, 2 * floats * sizeof *images);
                bench->ceiling_release(copy);
            }
        }
        assert_true(c->bytes == 2 * sizeof(float)); // read and written
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_swept_once),
        cmocka_unit_test(slices_are_swept_once),
        cmocka_unit_test(products_are_computed_once),
        cmocka_unit_test(bytes_are_copied_once),
        cmocka_unit_test(ceilings_copy_their_bytes),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
