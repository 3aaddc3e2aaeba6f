// A sample's sums: what they say is what a transform leaves, wherever they end.
#include "description.h"
#include "once.h"
#include "pattern.h"
#include "reference.h"
#include "stages.h"
#include "sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 21, HEIGHT = 18, LEVELS = 2 };

static struct wp_description describe(const char *scheme, enum wp_direction direction,
                                      const struct wp_wavelet *wavelet)
{
    return (struct wp_description){
        .wavelet = wavelet,
        .kind = wp_scheme_kind_find(scheme, 2),
        .direction = direction,
        .border = WP_BORDER_SYMMETRIC,
        .size = {WIDTH, HEIGHT},
        .levels = LEVELS,
    };
}

// The values of a line are those of its terms.
static void check_lines(const struct wp_sums *sums)
{
    for (int s = 0; s < sums->stages; s++) {
        for (int i = 0; i < sums->stage[s].lines; i++) {
            const struct wp_sums_line *line = &sums->stage[s].line[i];
            double value = 0;
            for (int t = 0; t < line->terms; t++)
                value += line->term[t].c * line->term[t].value;
            assert_true(line->terms ? line->origin.length == 0 : line->origin.length > 0);
            if (line->terms)
                assert_float_equal(value, line->value, 1e-12);
        }
    }
}

// What the transform leaves at a place, and what its sums say.
static void check_all(const char *scheme, enum wp_direction direction)
{
    struct wp_image *image = wp_pattern_create("noise:21x18");
    struct wp_description description = describe(scheme, direction, wp_wavelet_table[2]);
    const struct wp_once on = {.backend = &wp_backend_reference};
    float result[WIDTH * HEIGHT], *const out = result;
    description.layout = WP_LAYOUT_MIXED;
    const float *from = image->plane[0];
    struct wp_description forward = description;
    forward.direction = WP_FORWARD;
    forward.layout = WP_LAYOUT_MALLAT;
    // The coefficients that sums of the inverse begin with lie by the layout Mallat.
    if (direction == WP_INVERSE) {
        float *const there = image->plane[0];
        assert_true(wp_once(&on, &forward, 1, &from, &there));
        description.layout = WP_LAYOUT_MALLAT;
    }
    assert_true(wp_once(&on, &description, 1, &from, &out));
    description.layout = WP_LAYOUT_MALLAT;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int place[WP_DIMS_MAX] = {i % WIDTH, i / WIDTH, 0};
        struct wp_sums *sums = wp_sums_create(&description, image, place, 0);
        assert_non_null(sums);
        assert_float_equal(sums->value, (double)result[i], 1e-6);
        check_lines(sums);
        wp_sums_destroy(&sums);
    }
    wp_image_destroy(&image);
}

static void test_all(void **state)
{
    (void)state;
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        check_all(wp_scheme_kinds[k].name, WP_FORWARD);
        check_all(wp_scheme_kinds[k].name, WP_INVERSE);
    }
}

// One place, with what each stage holds there.
struct shown {
    const int *place;
    int stages, wanted;
    struct wp_description *description;
    double value;
};

static bool look(void *user, const struct wp_lesson_stage *stage)
{
    struct shown *shown = user;
    int at[WP_DIMS_MAX] = {0}, component = 0;
    for (int a = 0; a < 2; a++) {
        at[a] = shown->place[a] >> stage->level;
        component |= (shown->place[a] >> (stage->level - 1) & 1) << a;
    }
    if (shown->stages++ == shown->wanted)
        shown->value = wp_lesson_value(stage, component, at);
    return true;
}

// Sums that end sooner end with what stands there then. The place is one that all levels reach.
static void check_ends(const char *scheme, enum wp_direction direction, const int place[WP_DIMS_MAX])
{
    struct wp_image *image = wp_pattern_create("noise:21x18");
    struct wp_description description = describe(scheme, direction, wp_wavelet_table[1]);
    struct shown shown = {.place = place, .wanted = -1};
    assert_true(wp_lesson_run(&description, image, NULL, look, &shown));
    const int stages = shown.stages;
    assert_true(stages > 2);
    for (int s = 0; s < stages; s++) {
        shown = (struct shown){.place = place, .wanted = s};
        assert_true(wp_lesson_run(&description, image, NULL, look, &shown));
        struct wp_sums *sums = wp_sums_create(&description, image, place, s + 1);
        assert_non_null(sums);
        assert_int_equal(sums->stages, s + 1);
        assert_float_equal(sums->value, shown.value, 1e-6);
        check_lines(sums);
        wp_sums_destroy(&sums);
    }
    wp_image_destroy(&image);
}

static void test_ends(void **state)
{
    (void)state;
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        for (int c = 0; c < 4; c++) {
            const int place[WP_DIMS_MAX] = {8 + 2 * (c & 1), 4 + 2 * (c >> 1), 0};
            check_ends(wp_scheme_kinds[k].name, WP_FORWARD, place);
            const int pixel[WP_DIMS_MAX] = {9 + (c & 1), 5 + (c >> 1), 0};
            check_ends(wp_scheme_kinds[k].name, WP_INVERSE, pixel);
        }
    }
}

// What is not there, and an end that is none.
static void test_refused(void **state)
{
    (void)state;
    struct wp_image *image = wp_pattern_create("noise:21x18");
    const struct wp_description description =
        describe("sep-lifting", WP_FORWARD, wp_wavelet_table[1]);
    const int beyond[][WP_DIMS_MAX] = {{WIDTH, 0, 0}, {0, HEIGHT, 0}, {-1, 0, 0}, {0, -1, 0}};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        assert_null(wp_sums_create(&description, image, beyond[i], 0));
        assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    }
    const int place[WP_DIMS_MAX] = {3, 3, 0};
    struct wp_sums *all = wp_sums_create(&description, image, place, 0);
    struct wp_sums *more = wp_sums_create(&description, image, place, 999);
    assert_int_equal(all->stages, more->stages);
    assert_string_equal(wp_text_get(&all->name), wp_text_get(&more->name));
    wp_sums_destroy(&more);
    wp_sums_destroy(&all);
    wp_sums_destroy(&all);
    wp_image_destroy(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
