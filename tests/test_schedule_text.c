// Golden texts with all members of the schedules of a few descriptions, from all schedulers.
// Superfluous operations and oversized surfaces do not show in results.
#include "golden.h"
#include "schedule.h"
#include "text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const char *const op_names[WP_OP_KINDS] = {
    [WP_OP_PASS] = "pass",   [WP_OP_GATHER] = "gather", [WP_OP_SPREAD] = "spread",
    [WP_OP_LEVEL] = "level", [WP_OP_DEPTH] = "depth",
};
static const char *const input_names[] = {
    [WP_INPUT_QUADS] = "quads",
    [WP_INPUT_LOW] = "low",
    [WP_INPUT_BANDS] = "bands",
    [WP_INPUT_BANDS_LOW] = "bands and low",
};
static const char *const extension_names[] = {
    [WP_EXTEND_MIRROR] = "mirror",
    [WP_EXTEND_WRAP] = "wrap",
    [WP_EXTEND_CLAMP] = "clamp",
    [WP_EXTEND_ZERO] = "zero",
};

static struct wp_schedule *tiled(const struct wp_description *d)
{
    return wp_schedule_tiled(d, false);
}

static struct wp_schedule *tiled_split(const struct wp_description *d)
{
    return wp_schedule_tiled(d, true);
}

static struct wp_schedule *slices(const struct wp_description *d)
{
    return wp_schedule_slices(d, false);
}

static struct wp_schedule *slices_apart(const struct wp_description *d)
{
    return wp_schedule_slices(d, true);
}

static const struct scheduler {
    const char *name;
    struct wp_schedule *(*make)(const struct wp_description *d);
    bool images, volumes;
} schedulers[] = {
    {"passes", wp_schedule_passes, true, true},
    {"fused", wp_schedule_fused, true, true},
    {"planes", wp_schedule_planes, true, false},
    {"tiled", tiled, true, false},
    {"tiled-split", tiled_split, true, true},
    {"slices", slices, false, true},
    {"slices-apart", slices_apart, false, true},
};

// Odd sizes, axes of one sample, and more or fewer levels along z than in the plane.
static const struct problem {
    const char *wavelet, *kind;
    int size[WP_DIMS_MAX], levels, levels_z;
    enum wp_border border;
    enum wp_layout layout;
} images[] = {
    {"cdf53", "sep-lifting", {13, 10}, 2, 0, WP_BORDER_SYMMETRIC, WP_LAYOUT_MALLAT},
    {"cdf97", "nonsep-convolution", {11, 21}, 2, 0, WP_BORDER_SYMMETRIC, WP_LAYOUT_MIXED},
    {"db2", "sep-lifting", {24, 12}, 1, 0, WP_BORDER_PERIODIC, WP_LAYOUT_MALLAT},
    {"haar", "nonsep-lifting", {1, 9}, 2, 0, WP_BORDER_SYMMETRIC, WP_LAYOUT_MALLAT},
    {"haar", "nonsep-lifting", {5, 3}, 0, 0, WP_BORDER_SYMMETRIC, WP_LAYOUT_MALLAT},
}, volumes[] = {
    {"cdf53", "planar-lifting", {13, 6, 7}, 2, 1, WP_BORDER_SYMMETRIC, WP_LAYOUT_MALLAT},
    {"cdf97", "nonsep-polyconvolution", {9, 10, 5}, 2, 1, WP_BORDER_SYMMETRIC, WP_LAYOUT_MIXED},
    {"haar", "planar-lifting", {7, 5, 6}, 1, 2, WP_BORDER_SYMMETRIC, WP_LAYOUT_MALLAT},
    {"haar", "planar-lifting", {3, 5, 7}, 0, 2, WP_BORDER_SYMMETRIC, WP_LAYOUT_MALLAT},
    {"haar", "planar-lifting", {3, 2, 3}, 0, 0, WP_BORDER_SYMMETRIC, WP_LAYOUT_MALLAT},
};

static void add_number(struct wp_text *text, const char *name, int value)
{
    if (value)
        wp_text_add(text, " %s=%d", name, value);
}

static void add_position(struct wp_text *text, const char *name, int x, int y, int z)
{
    if (x || y || z)
        wp_text_add(text, " %s=(%d, %d, %d)", name, x, y, z);
}

static void add_rect(struct wp_text *text, const char *name, struct wp_rect r)
{
    if (r.x || r.y || r.width || r.height)
        wp_text_add(text, " %s=%dx%d%+d%+d", name, r.width, r.height, r.x, r.y);
}

static void add_span(struct wp_text *text, const char *name, struct wp_span span)
{
    if (span.first || span.count)
        wp_text_add(text, " %s=%d%+d", name, span.count, span.first);
}

static void add_run(struct wp_text *text, const char *name, struct wp_slice_run run)
{
    if (run.first || run.step)
        wp_text_add(text, " %s=%d:%d", name, run.first, run.step);
}

static void add_surface(struct wp_text *text, int number, const struct wp_surface *surface)
{
    wp_text_add(text, "surface %d: %dx%d", number, surface->width, surface->height);
    add_number(text, "depth", surface->depth);
    add_number(text, "layers", surface->layers);
    add_number(text, "planes", surface->planes);
    add_number(text, "slices", surface->slices);
    wp_text_add(text, "\n");
}

static void add_op(struct wp_text *text, const struct wp_op *op)
{
    wp_text_add(text, "%s %d: %d -> %d %s %s %dx%dx%d", op_names[op->kind], op->level, op->source,
                op->destination, extension_names[op->extension], input_names[op->input],
                op->width, op->height, op->depth);
    if (op->scheme)
        wp_text_add(text, " of %s", op->scheme->name);
    add_number(text, "pass", op->pass);
    add_position(text, "from", op->source_x, op->source_y, op->source_z);
    add_position(text, "to", op->destination_x, op->destination_y, op->destination_z);
    add_rect(text, "domain", op->domain);
    add_rect(text, "interior", op->interior);
    add_span(text, "octets", op->octets);
    add_number(text, "split", (int)op->split);
    add_number(text, "low", op->low);
    add_number(text, "slices", op->slices);
    add_number(text, "along_z", op->along_z);
    add_number(text, "source_step", op->source_step);
    add_number(text, "destination_step", op->destination_step);
    add_run(text, "reads", op->from);
    add_run(text, "writes", op->to);
    add_number(text, "layers", op->layers);
    wp_text_add(text, "\n");
}

// Component, band and its level; first and every along each axis.
static void add_band(struct wp_text *text, int component, const struct wp_transfer_band *band)
{
    wp_text_add(text, " %d=%s%d", component, wp_octet_band_names[band->band], band->level);
    for (int a = 0; a < WP_DIMS_MAX; a++)
        wp_text_add(text, "%c%d:%d", a ? ',' : ' ', band->first[a], band->every[a]);
}

static void add_transfer(struct wp_text *text, const char *label,
                         const struct wp_transfer *transfer)
{
    wp_text_add(text, "%s %d: %dx%dx%d %s", label, transfer->surface, transfer->width,
                transfer->height, transfer->depth, extension_names[transfer->extension]);
    add_number(text, "layer", transfer->layer);
    add_position(text, "at", transfer->x, transfer->y, transfer->z);
    add_number(text, "planes", transfer->planes);
    add_rect(text, "domain", transfer->domain);
    add_span(text, "octets", transfer->octets);
    for (int c = 0; c < WP_OCTET_BANDS; c++)
        if (transfer->used[c])
            add_band(text, c, &transfer->band[c]);
    wp_text_add(text, "\n");
}

static void add_schedule(struct wp_text *text, const struct wp_schedule *schedule)
{
    for (int s = 0; s < schedule->surface_count; s++)
        add_surface(text, s, &schedule->surface[s]);
    for (int p = 0; p < schedule->load_count; p++)
        add_transfer(text, "load", &schedule->load[p]);
    for (int o = 0; o < schedule->op_count; o++)
        add_op(text, &schedule->op[o]);
    for (int p = 0; p < schedule->store_count; p++)
        add_transfer(text, "store", &schedule->store[p]);
    const struct wp_cost cost = wp_schedule_cost(schedule);
    wp_text_add(text, "cost: %.0f bytes, %.0f fetches, %.0f fill\n\n", cost.bytes, cost.fetches,
                cost.fill);
}

static void add_problem(struct wp_text *text, const struct scheduler *scheduler,
                        const struct problem *problem)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(problem->wavelet, &wavelet));
    for (int d = 0; d < WP_DIRECTION_COUNT; d++) {
        const struct wp_description description = {
            .wavelet = &wavelet,
            .kind = wp_scheme_kind_named(problem->kind),
            .form = WP_FORM_SHADER,
            .direction = (enum wp_direction)d,
            .border = problem->border,
            .layout = problem->layout,
            .size = {problem->size[WP_X], problem->size[WP_Y], problem->size[WP_Z]},
            .levels = problem->levels,
            .levels_z = problem->levels_z,
        };
        wp_text_add(text, "# %s, %s, %s, %s, %dx%dx%d, %d and %d levels\n", scheduler->name,
                    problem->wavelet, problem->kind, wp_direction_names[d], problem->size[WP_X],
                    problem->size[WP_Y], problem->size[WP_Z], problem->levels, problem->levels_z);
        struct wp_schedule *schedule = scheduler->make(&description);
        assert_non_null(schedule);
        add_schedule(text, schedule);
        wp_schedule_destroy(&schedule);
    }
}

static void check(const char *file, const struct problem *problem, int count, bool of_volumes)
{
    struct wp_text text = {0};
    for (int p = 0; p < COUNT(schedulers); p++)
        for (int i = 0; i < count; i++)
            if (of_volumes ? schedulers[p].volumes : schedulers[p].images)
                add_problem(&text, &schedulers[p], &problem[i]);
    assert_golden(file, wp_text_get(&text));
    wp_text_free(&text);
}

static void plans_of_images(void **state)
{
    (void)state;
    check("schedules.txt", images, COUNT(images), false);
}

static void plans_of_volumes(void **state)
{
    (void)state;
    check("schedules_volume.txt", volumes, COUNT(volumes), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_images),
        cmocka_unit_test(plans_of_volumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
