// A golden text with all members of the CPU's sweeps for a few descriptions, and the memory that
// they need. Superfluous rows do not show in results.
#include "cpu_level.h"
#include "golden.h"
#include "text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const struct problem {
    const char *wavelet;
    int size[WP_DIMS_MAX], levels, levels_z;
    enum wp_border border;
    bool reversible;
} problems[] = {
    {"haar", {13, 10}, 2, 0, WP_BORDER_SYMMETRIC, false},
    {"cdf53", {1, 9}, 1, 0, WP_BORDER_SYMMETRIC, false},
    {"cdf53", {70, 33}, 1, 0, WP_BORDER_SYMMETRIC, true},
    {"cdf97", {301, 22}, 2, 0, WP_BORDER_SYMMETRIC, false},
    {"dd137", {41, 27}, 1, 0, WP_BORDER_SYMMETRIC, false},
    {"db2", {40, 24}, 1, 0, WP_BORDER_PERIODIC, false},
    {"db4", {40, 24}, 1, 0, WP_BORDER_PERIODIC, false},
    {"cdf53", {33, 20, 9}, 1, 2, WP_BORDER_SYMMETRIC, false},
    {"db2", {20, 24, 16}, 1, 1, WP_BORDER_PERIODIC, false},
};

static const struct {
    const char *name;
    struct wp_cpu_method method;
} methods[] = {
    {"fused", {.masks = false, .rows = false}},
    {"lifting-row-column", {.masks = false, .rows = true}},
    {"conv-row-column", {.masks = true, .rows = true}},
    {"smdwt", {.masks = true, .rows = false}},
};

static void add_floats(struct wp_text *text, const char *name, const float *numbers, int count)
{
    wp_text_add(text, " %s=", name);
    for (int i = 0; i < count; i++)
        wp_text_add(text, "%s%.7g", i ? "," : "", (double)numbers[i]);
}

static void add_masks(struct wp_text *text, const struct wp_cpu_mask *mask)
{
    for (int b = 0; b < WP_BAND_COUNT; b++) {
        // Weighted sums represent the terms, whose values are tested by results.
        float weight = 0, moment = 0;
        for (int t = 0; t < mask[b].count; t++) {
            const struct wp_cpu_term *term = &mask[b].term[t];
            weight += mask[b].c[t];
            moment += mask[b].c[t] * (float)(term->at[WP_X] + 8 * term->at[WP_Y] + 64 * term->from);
        }
        wp_text_add(text, "\n        mask %d: %d terms, %ld, %ld", b, mask[b].count,
                    lround(1e4 * (double)weight), lround(1e3 * (double)moment));
    }
}

static void add_sweep(struct wp_text *text, const char *name, const struct wp_cpu_sweep *s)
{
    wp_text_add(text, "    %s: %dx%d%s%s%s%s low=%d,%d high=%d,%d lag=%d rows=%d stride=%d pad=%d",
                name, s->size[WP_X], s->size[WP_Y], s->from.samples ? " from samples" : "",
                s->to.samples ? " to samples" : "", s->along[WP_X] ? " x" : "",
                s->along[WP_Y] ? " y" : "", s->low[WP_X], s->low[WP_Y], s->high[WP_X],
                s->high[WP_Y], s->lag, s->rows, s->stride, s->pad);
    add_floats(text, "in", s->scale_in, WP_BAND_COUNT);
    add_floats(text, "out", s->scale_out, WP_BAND_COUNT);
    if (s->masked)
        add_masks(text, s->mask);
    if (s->chain.pairs)
        wp_text_add(text, " chain=%d%s of %d", s->chain.pairs, s->chain.mirrored ? " mirrored" : "",
                    (int)s->chain.integer);
    for (int p = 0; p < s->chain.pairs; p++)
        add_floats(text, "taps", s->chain.c[p], 4);
    if (s->chain.steps)
        wp_text_add(text, " chain of %d steps, %s first", s->chain.steps,
                    s->chain.odd ? "odd" : "even");
    for (int p = 0; p < s->chain.steps; p++)
        add_floats(text, "taps", s->chain.step[p], 2);
    wp_text_add(text, "\n        %zu floats", wp_cpu_sweep_ring(s));
    if (s->chain.state)
        wp_text_add(text, ", along z %zu for a row and %zu for five", wp_cpu_row_sweep_state(s, 1),
                    wp_cpu_row_sweep_state(s, 5));
    wp_text_add(text, "\n");
}

static void add_level(struct wp_text *text, const struct wp_cpu_level *level)
{
    for (int s = 0; s < level->sweeps; s++)
        add_sweep(text, "sweep", &level->sweep[s]);
    for (int odd = 0; odd < 2 && level->along_z; odd++)
        add_sweep(text, odd ? "odd columns along z" : "even columns along z", &level->z[odd]);
    if (!wp_cpu_level_streams_z(level))
        return;
    wp_text_add(text, "    marches:");
    for (int threads = 1; threads <= 3; threads++) {
        const int rows = wp_cpu_stream_z_rows(level, threads);
        wp_text_add(text, " %d rows in %zu floats,", rows, wp_cpu_stream_z_floats(level, rows));
    }
    wp_text_add(text, " for 1 to 3 threads\n");
}

static void add_problem(struct wp_text *text, const struct problem *problem,
                        enum wp_direction direction, int method)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(problem->wavelet, &wavelet));
    const struct wp_description d = {
        .wavelet = &wavelet,
        .direction = direction,
        .border = problem->border,
        .norm = WP_NORM_ORTHONORMAL,
        .size = {problem->size[WP_X], problem->size[WP_Y], problem->size[WP_Z]},
        .levels = problem->levels,
        .levels_z = problem->levels_z,
        .reversible = problem->reversible,
    };
    const struct wp_lifting lifting = wp_description_lifting(&d);
    struct wp_cpu_program program;
    wp_cpu_program_set(&program, &lifting);
    for (int l = 0; l < wp_description_levels(&d); l++) {
        struct wp_cpu_level level;
        assert_true(wp_cpu_level_set(&level, &d, l, &methods[method].method, &program));
        wp_text_add(text, "%s %s %s%s, level %d of %dx%dx%d\n", methods[method].name,
                    problem->wavelet, wp_direction_names[direction],
                    problem->reversible ? " reversible" : "", l + 1, d.size[WP_X], d.size[WP_Y],
                    d.size[WP_Z]);
        add_level(text, &level);
        wp_cpu_level_free(&level);
    }
}

static void sweeps_are_unchanged(void **state)
{
    (void)state;
    struct wp_text text = {0};
    for (int m = 0; m < COUNT(methods); m++)
        for (int w = 0; w < COUNT(problems); w++)
            for (int d = 0; d < WP_DIRECTION_COUNT && !(methods[m].method.masks &&
                                                        problems[w].reversible); d++)
                add_problem(&text, &problems[w], (enum wp_direction)d, m);
    assert_golden("sweeps.txt", wp_text_get(&text));
    wp_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps_are_unchanged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
