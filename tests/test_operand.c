// Views that share memory or are apart, compared with a count of every float that they contain.
#include "operand.h"
#include "wavelet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY = 4096, MIDDLE = MEMORY / 2 };

static float memory[MEMORY];

static unsigned random_below(unsigned *seed, unsigned most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % most;
}

struct shape {
    struct wp_operand view;
    int size[WP_DIMENSIONS];
};

// Adds one to each float of a view, once per sample that maps to it.
static void mark(const struct shape *s, unsigned char touched[MEMORY])
{
    int at[WP_DIMENSIONS] = {0};
    for (int a = 0; a < WP_DIMENSIONS;) {
        ptrdiff_t index = (float *)s->view.data - memory;
        for (int k = 0; k < WP_DIMENSIONS; k++)
            index += at[k] * s->view.stride[k];
        assert_true(index >= 0 && index < MEMORY);
        touched[index]++;
        for (a = 0; a < WP_DIMENSIONS && ++at[a] >= s->size[a]; a++)
            at[a] = 0;
    }
}

static bool shares_memory(const struct shape *a, const struct shape *b)
{
    static unsigned char in[2][MEMORY];
    memset(in, 0, sizeof in);
    mark(a, in[0]);
    mark(b, in[1]);
    for (int i = 0; i < MEMORY; i++)
        if (in[0][i] && in[1][i])
            return true;
    return false;
}

static bool is_sound(const struct shape *s)
{
    static unsigned char touched[MEMORY];
    memset(touched, 0, sizeof touched);
    bool sound = true;
    mark(s, touched);
    for (int i = 0; i < MEMORY; i++)
        sound = sound && touched[i] < 2;
    return sound;
}

static struct shape random_shape(unsigned *seed, int planes, const ptrdiff_t step[4])
{
    struct shape s = {.size = {[WP_PLANE] = planes}};
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        s.size[a] = 1 + (int)random_below(seed, 4);
        s.view.stride[a] = step[a];
    }
    s.view.stride[WP_PLANE] = step[3];
    s.view.data = memory + MIDDLE + random_below(seed, 60);
    // Sometimes a dimension is another one, or runs backwards.
    const int other = WP_BATCH + (int)random_below(seed, 3 * WP_BATCH_DIMENSIONS);
    if (other < WP_DIMENSIONS) {
        s.size[other] = s.size[WP_Z];
        s.view.stride[other] = s.view.stride[WP_Z];
        s.size[WP_Z] = 1;
    }
    const int back = (int)random_below(seed, 3 * WP_DIMENSIONS);
    if (back < WP_DIMENSIONS && s.size[back] > 1) {
        s.view.data = (float *)s.view.data + (s.size[back] - 1) * s.view.stride[back];
        s.view.stride[back] *= -1;
    }
    return s;
}

// A sound view has no float twice. Dense views, rows with gaps, every second float and rows from
// right to left are sound.
static void test_sound(void **state)
{
    (void)state;
    static const ptrdiff_t steps[] = {-3, 0, 1, 1, 2, 3, 4, 7, 8, 12, 24, 40};
    enum { STEPS = sizeof steps / sizeof *steps };
    unsigned seed = 1;
    int sound = 0, unsound = 0;
    for (int i = 0; i < 20000; i++) {
        ptrdiff_t step[4];
        for (int a = 0; a < 4; a++)
            step[a] = steps[random_below(&seed, STEPS)];
        const int planes = 1 + (int)random_below(&seed, 3);
        const struct shape s = random_shape(&seed, planes, step);
        const bool reported = wp_operand_is_sound(&s.view, s.size), is = is_sound(&s);
        if (reported && !is)
            fail_msg("%dx%dx%d, %d planes, steps %td %td %td, plane %td: not sound", s.size[0],
                     s.size[1], s.size[2], planes, step[0], step[1], step[2], step[3]);
        sound += reported;
        unsound += !is;
    }
    assert_true(sound > 1000 && unsound > 1000);
    const int size[WP_DIMENSIONS] = {4, 3, 2, 3};
    assert_true(wp_operand_is_sound(&(struct wp_operand){memory, .stride = {1, 4, 12, 24}}, size));
    assert_true(wp_operand_is_sound(&(struct wp_operand){memory, .stride = {2, 16, 48, 96}}, size));
    assert_true(
        wp_operand_is_sound(&(struct wp_operand){memory, .stride = {6, 24, 3, 1}}, size)); // RGB
    assert_false(wp_operand_is_sound(&(struct wp_operand){memory, .stride = {1, 3, 12, 24}}, size));
    assert_true(
        wp_operand_is_sound(&(struct wp_operand){memory, .stride = {-1, 4, -12, 24}}, size));
    assert_false(
        wp_operand_is_sound(&(struct wp_operand){memory, .stride = {-1, 4, 11, 24}}, size));
}

// Views on one grid, as the subbands of an image are: views that share a float are never reported
// as apart.
static void test_apart(void **state)
{
    (void)state;
    static const ptrdiff_t grids[][4] = {{1, 10, 60, 240}, {2, 20, 60, 240}, {2, 24, 120, 480},
                                         {3, 30, 90, 1},   {1, 8, 64, 256}, {4, 8, 48, 192},
                                         {1, 16, 4, 160},  {1, 7, 35, 111}};
    enum { GRIDS = sizeof grids / sizeof *grids };
    unsigned seed = 2;
    int between = 0, shared = 0;
    for (int i = 0; i < 60000; i++) {
        const ptrdiff_t *step = grids[i % GRIDS];
        const int planes = 1 + (int)random_below(&seed, 2);
        struct shape a = random_shape(&seed, planes, step), b = random_shape(&seed, planes, step);
        // Sometimes another grid.
        if (i % 7 == 0)
            b.view.stride[random_below(&seed, 3)] += 1 + (int)random_below(&seed, 3);
        const bool reported = wp_operands_are_apart(&a.view, a.size, &b.view, b.size);
        const bool is = !shares_memory(&a, &b);
        assert_int_equal(reported, wp_operands_are_apart(&b.view, b.size, &a.view, a.size));
        if (reported && !is)
            fail_msg("%dx%dx%d and %dx%dx%d %td floats after, %d planes, steps %td %td %td, "
                     "plane %td: not apart",
                     a.size[0], a.size[1], a.size[2], b.size[0], b.size[1], b.size[2],
                     (float *)b.view.data - (float *)a.view.data, planes, step[0], step[1], step[2],
                     step[3]);
        const ptrdiff_t end = (a.size[0] - 1) * step[0] + (a.size[1] - 1) * step[1] +
                              (a.size[2] - 1) * step[2] + (planes - 1) * step[3];
        between += reported && b.view.data > a.view.data &&
                   (float *)b.view.data <= (float *)a.view.data + end;
        shared += !is;
    }
    // The cases include interleaved operands, and operands one after the other.
    assert_true(between > 500 && shared > 5000);
}

// Subbands are apart in their image if their steps are equal, as those of one level always are.
static void test_bands_are_apart(void **state)
{
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        const struct wp_description d = {.wavelet = wp_wavelet_table[1], .levels = 2,
                                         .size = {23, 14}, .planes = 2,
                                         .layout = (enum wp_layout)layout};
        const struct wp_operand operand = wp_operand_dense(&d, memory);
        struct shape band[8];
        const int bands = wp_subband_count(&d);
        assert_int_equal(bands, 7);
        for (int i = 0; i < bands; i++) {
            enum wp_band kind;
            const int level = wp_subband_at(&d, i, &kind);
            const struct wp_band_grid grid = wp_description_band(&d, level, kind);
            band[i] = (struct shape){wp_operand_band(&d, &operand, level, kind, 0),
                                     {grid.size[0], grid.size[1], grid.size[2], 2}};
            for (int k = 0; k < i; k++) {
                assert_false(shares_memory(&band[i], &band[k]));
                if (band[i].view.stride[WP_X] == band[k].view.stride[WP_X] &&
                    !wp_operands_are_apart(&band[i].view, band[i].size, &band[k].view,
                                           band[k].size))
                    fail_msg("layout %d: bands %d and %d", layout, i, k);
            }
        }
    }
}

// An image, and one array per band after it; each band is moved next to the image or onto its first
// or last float.
static void test_overlaps(void **state)
{
    (void)state;
    enum { WIDTH = 20, HEIGHT = 12, PLANES = 2, SAMPLES = PLANES * WIDTH * HEIGHT };
    const struct wp_description d = {.wavelet = wp_wavelet_table[1], .levels = 2,
                                     .size = {WIDTH, HEIGHT}, .planes = PLANES};
    float *const first = memory + MIDDLE, *const end = first + SAMPLES;
    const struct wp_operand image = wp_operand_dense(&d, first),
                            overlapping = wp_operand_dense(&d, end - 1),
                            after = wp_operand_dense(&d, end);
    assert_true(wp_operand_overlaps(&d, &image, &image));
    assert_true(wp_operand_overlaps(&d, &image, &overlapping) &&
                wp_operand_overlaps(&d, &overlapping, &image));
    assert_false(wp_operand_overlaps(&d, &image, &after) ||
                 wp_operand_overlaps(&d, &after, &image));
    struct wp_operand band[8];
    int samples[8];
    const int bands = wp_subband_count(&d);
    assert_int_equal(bands, 7);
    const struct wp_operand apart = {.band = band};
    float *at = end;
    for (int i = 0; i < bands; at += samples[i++]) {
        enum wp_band kind;
        const int level = wp_subband_at(&d, i, &kind);
        const struct wp_band_grid grid = wp_description_band(&d, level, kind);
        const ptrdiff_t plane = (ptrdiff_t)grid.size[WP_X] * grid.size[WP_Y];
        band[i] = (struct wp_operand){.data = at, .stride = {1, grid.size[WP_X], plane, plane}};
        samples[i] = PLANES * (int)plane;
    }
    assert_false(wp_operand_overlaps(&d, &image, &apart) ||
                 wp_operand_overlaps(&d, &apart, &image));
    for (int i = 0; i < bands; i++) {
        float *const original = band[i].data;
        const struct {
            float *data;
            bool meets;
        } positions[] = {{first - samples[i], false}, {first - samples[i] + 1, true},
                         {end - 1, true}, {end, false}};
        for (size_t k = 0; k < sizeof positions / sizeof *positions; k++) {
            band[i].data = positions[k].data;
            assert_int_equal(wp_operand_overlaps(&d, &image, &apart), positions[k].meets);
            assert_int_equal(wp_operand_overlaps(&d, &apart, &image), positions[k].meets);
        }
        band[i].data = original;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sound), cmocka_unit_test(test_apart),
                                       cmocka_unit_test(test_bands_are_apart),
                                       cmocka_unit_test(test_overlaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
