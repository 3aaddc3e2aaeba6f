// The ceiling that limits a transform, against values computed by hand.
#include "results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// Filling 100 quads takes 100 ns, copying them 110 ns, and 25 fetches for each 500 ns.
static const struct wp_ceiling_time passes[] = {
    {"fill", {.bytes = 1600, .fill = 100}, 100},
    {"copy", {.bytes = 3200, .fetches = 100, .fill = 100}, 110},
    {"fetch25", {.bytes = 3200, .fetches = 2500, .fill = 100}, 500},
};

static struct wp_row judge(struct wp_cost cost, double median, int count)
{
    struct wp_row row = wp_row_unknown();
    row.median_ns = median;
    wp_ceiling_share(&row, &cost, WP_PRECISION_F32, passes, count);
    return row;
}

static void the_longest_bound_binds(void **state)
{
    (void)state;
    // Two passes: 200 ns for fill, 220 ns for bytes, 180 ns for fetches.
    struct wp_row row = judge((struct wp_cost){6400, 900, 200}, 300, 3);
    assert_string_equal(row.ceiling_binds, "bytes");
    assert_string_equal(row.ceiling_name, "copy");
    assert_float_equal(row.ceiling_share, 220.0 / 300, 1e-12);

    row = judge((struct wp_cost){3200, 4900, 100}, 2000, 3);
    assert_string_equal(row.ceiling_binds, "fetches");
    assert_string_equal(row.ceiling_name, "fetch25");
    assert_float_equal(row.ceiling_share, 980.0 / 2000, 1e-12);
}

static void the_special_one_of_equal_bounds_is_named(void **state)
{
    (void)state;
    struct wp_row row = judge((struct wp_cost){2900, 100, 100}, 100, 3);
    assert_string_equal(row.ceiling_binds, "fill");
    assert_float_equal(row.ceiling_share, 1, 1e-12);
}

// If a copy is as fast as a fill, the memory bandwidth is unknown.
static void fills_hide_bytes(void **state)
{
    (void)state;
    // The time of the third ceiling is due to fetches, not bytes.
    const struct wp_ceiling_time hidden[] = {
        passes[0],
        {"copy", passes[1].cost, 101},
        {"fetch9", {.bytes = 3200, .fetches = 900, .fill = 100}, 135},
    };
    struct wp_row row = wp_row_unknown();
    row.median_ns = 200;
    wp_ceiling_share(&row, &(struct wp_cost){9600, 0, 100}, WP_PRECISION_F32, hidden, 3);
    assert_string_equal(row.ceiling_binds, "fill");
    assert_float_equal(row.ceiling_share, 0.5, 1e-12);
}

static void unknown_values_stay_unknown(void **state)
{
    (void)state;
    struct wp_row row = judge((struct wp_cost){3200, 100, 100}, 100, 0);
    assert_string_equal(row.ceiling_name, "");
    assert_true(isnan(row.ceiling_share));
    // A ceiling that only writes does not give a bandwidth.
    row = judge((struct wp_cost){3200, 0, 0}, 100, 1);
    assert_string_equal(row.ceiling_name, "");
    row = judge((struct wp_cost){3200, 100, 100}, NAN, 3);
    assert_true(isnan(row.ceiling_share));
}

// 16-bit samples have half the bytes and the same number of quads.
static void half_of_the_bytes_are_still_a_copy(void **state)
{
    (void)state;
    const struct wp_ceiling_time half[] = {
        {"fill", {.bytes = 800, .fill = 100}, 50},
        {"copy", {.bytes = 1600, .fetches = 100, .fill = 100}, 110},
    };
    const struct wp_cost cost = {3200, 100, 200};
    struct wp_row row = wp_row_unknown();
    row.median_ns = 440;
    wp_ceiling_share(&row, &cost, WP_PRECISION_F16, half, 2);
    assert_string_equal(row.ceiling_binds, "bytes");
    assert_float_equal(row.ceiling_share, 0.5, 1e-12);
    wp_ceiling_share(&row, &cost, WP_PRECISION_F32, half, 2);
    assert_string_equal(row.ceiling_binds, "fetches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_bound_binds),
        cmocka_unit_test(the_special_one_of_equal_bounds_is_named),
        cmocka_unit_test(fills_hide_bytes),
        cmocka_unit_test(unknown_values_stay_unknown),
        cmocka_unit_test(half_of_the_bytes_are_still_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
