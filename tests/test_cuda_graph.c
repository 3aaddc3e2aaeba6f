// Repeated runs of a CUDA transform, which use a graph for small images, give the same bits as the
// first run, which launches the levels separately. Skipped without a GPU.
#include "cuda_exec.h"

#include "cuda_backend.h"
#include "log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SKIPPED = 77, SIDE_MAX = 2600 };

static struct wp_device *device;
static float *image[2], *first[2], *repeated;

static void fill(float *to, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] = (float)(seed >> 8) / (1 << 24);
    }
}

static struct wp_exec *prepare(const struct wp_description *d, const struct wp_variant *variant)
{
    struct wp_exec *exec = wp_backend_cuda.prepare(device, d, variant);
    if (!exec)
        fail_msg("%s: %s", variant->name, wp_last_error_text());
    return exec;
}

static void transform(struct wp_exec *exec, const float *from, float *to)
{
    const struct wp_description *d = &exec->description;
    const struct wp_operand in = wp_operand_const(d, from), out = wp_operand_dense(d, to);
    if (!wp_backend_cuda.load(exec, &in) || !wp_backend_cuda.run(exec, NULL) ||
        !wp_backend_cuda.store(exec, &out))
        fail_msg("%s: %s", exec->name, wp_last_error_text());
}

static void check(const struct wp_description *d, const struct wp_variant *variant, bool by_graph)
{
    const size_t count = (size_t)wp_description_samples(d);
    for (int i = 0; i < 2; i++) {
        struct wp_exec *exec = prepare(d, variant);
        transform(exec, image[i], first[i]);
        assert_null(exec->graph.ready);
        wp_backend_cuda.release(exec);
    }
    struct wp_exec *exec = prepare(d, variant);
    for (int run = 0; run < 5; run++) {
        const int i = run % 2;
        memset(repeated, 0xff, count * sizeof *repeated);
        transform(exec, image[i], repeated);
        if (memcmp(repeated, first[i], count * sizeof *repeated) != 0)
            fail_msg("%s %s %dx%d, run %d: bits differ from separate launches", variant->name,
                     wp_direction_names[d->direction], d->size[WP_X], d->size[WP_Y], run + 1);
    }
    assert_int_equal(exec->graph.ready != NULL, by_graph);
    wp_backend_cuda.release(exec);
}

static void test_bits(void **state)
{
    (void)state;
    static const int sizes[][3] = {{512, 512, 5}, {641, 479, 3}, {64, 48, 1}, {2600, 2600, 4}};
    // Single levels and large images do not use a graph.
    static const bool by_graph[] = {true, true, false, false};
    static const char *const variants[] = {"patches", "hybrid", "made"};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int direction = 0; direction < WP_DIRECTION_COUNT; direction++) {
                const struct wp_variant *variant = wp_cuda_variants;
                while (strcmp(variant->name, variants[v]) != 0)
                    variant++;
                char why[256];
                if (variant->runs_on && !variant->runs_on(variant, device, why, sizeof why)) {
                    printf("%s skipped: %s\n", variant->name, why);
                    continue;
                }
                const struct wp_description d = {
                    .wavelet = wp_wavelet_table[2],
                    .kind = &wp_scheme_kinds[0],
                    .direction = (enum wp_direction)direction,
                    .size = {sizes[s][0], sizes[s][1]},
                    .levels = sizes[s][2],
                };
                check(&d, variant, by_graph[s]);
            }
}

static void transform_pixels(struct wp_exec *exec, struct wp_operand *pixels, float *floats)
{
    const struct wp_description *d = &exec->description;
    const struct wp_operand of_floats = wp_operand_dense(d, floats);
    const bool inverse = d->direction == WP_INVERSE;
    const struct wp_operand *in = inverse ? &of_floats : pixels;
    const struct wp_operand *out = inverse ? pixels : &of_floats;
    if (wp_backend_cuda.expect)
        wp_backend_cuda.expect(exec, out);
    if (!wp_backend_cuda.load(exec, in) || !wp_backend_cuda.run(exec, NULL) ||
        !wp_backend_cuda.store(exec, out))
        fail_msg("%s: %s", exec->name, wp_last_error_text());
}

// The maximum of the pixels changes between runs. The graph must follow if the kernel of the first
// level reads pixels.
static void check_pixels(int width, int height, bool direct)
{
    static const float maxima[] = {255, 255, 255, 200, 200, 200, 255, 200, 255, 255};
    enum { RUNS = sizeof maxima / sizeof *maxima };
    const size_t count = (size_t)width * (size_t)height;
    unsigned char *bytes = malloc(2 * count);
    assert_non_null(bytes);
    for (int direction = 0; direction < WP_DIRECTION_COUNT; direction++) {
        const struct wp_description d = {
            .wavelet = wp_wavelet_table[2],
            .kind = &wp_scheme_kinds[0],
            .direction = (enum wp_direction)direction,
            .size = {width, height},
            .levels = 4,
            .samples = WP_ELEMENT_U8,
        };
        const bool inverse = direction == WP_INVERSE;
        for (size_t i = 0; i < 2 * count; i++)
            bytes[i] = (unsigned char)(i * 37 + i / 1021);
        struct wp_exec *exec = prepare(&d, wp_cuda_variants);
        for (int run = 0; run < RUNS; run++) {
            struct wp_operand pixels[2];
            float *floats[2] = {first[0], inverse ? first[0] : repeated};
            for (int i = 0; i < 2; i++)
                pixels[i] = (struct wp_operand){.data = bytes + (inverse ? (size_t)i * count : 0),
                                               .type = WP_ELEMENT_U8, .maximum = maxima[run],
                                               .stride = {1, width}};
            if (inverse)
                memcpy(first[0], image[run % 2], count * sizeof(float));
            struct wp_exec *fresh = prepare(&d, wp_cuda_variants);
            transform_pixels(fresh, &pixels[0], floats[0]);
            assert_null(fresh->graph.ready);
            wp_backend_cuda.release(fresh);
            transform_pixels(exec, &pixels[1], floats[1]);
            const bool same = inverse ? memcmp(bytes, bytes + count, count) == 0
                                      : memcmp(first[0], repeated, count * sizeof(float)) == 0;
            if (!same)
                fail_msg("%s, run %d: bits differ from separate launches",
                         wp_direction_names[direction], run + 1);
            assert_int_equal(exec->graph.direct, direct);
            // The second equal run in a row creates a graph, and any other run discards it.
            assert_int_equal(exec->graph.ready != NULL,
                             run > 0 && (!direct || maxima[run] == maxima[run - 1]));
        }
        wp_backend_cuda.release(exec);
    }
    free(bytes);
}

static void test_pixels(void **state)
{
    (void)state;
    check_pixels(640, 480, false);
    check_pixels(1920, 1080, true);
}

int main(void)
{
    char reason[256];
    device = wp_backend_cuda.open(0, true, reason, sizeof reason);
    if (!device) {
        printf("skipped: %s\n", reason);
        return SKIPPED;
    }
    const size_t count = (size_t)SIDE_MAX * SIDE_MAX;
    for (int i = 0; i < 2; i++) {
        image[i] = malloc(count * sizeof(float));
        first[i] = malloc(count * sizeof(float));
    }
    repeated = malloc(count * sizeof(float));
    if (!image[0] || !image[1] || !first[0] || !first[1] || !repeated)
        return 1;
    fill(image[0], count, 1);
    fill(image[1], count, 2);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_pixels)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        free(image[i]);
        free(first[i]);
    }
    free(repeated);
    wp_backend_cuda.close(device);
    return failed;
}
