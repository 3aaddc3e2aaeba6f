// Rows of typed samples: the functions that convert them from and to floats, of the table and of each
// instruction set, against the definitions (pixel_values.h).
#include "cpu_rows.h"
#include "pixel_values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The sets of row functions, the table's first.
static const struct wp_element_rows *rows_set(int i, const char **name)
{
    const struct wp_cpu_rows *rows = i ? wp_cpu_rows_get(i - 1) : NULL;
    *name = rows ? rows->name : "the table's";
    return i == 0 ? &wp_element_rows : rows ? rows->elements : NULL;
}

static bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check_reading(enum wp_element type, ptrdiff_t step, float one)
{
    const int count = type == WP_ELEMENT_U8 ? 256 : 65536;
    const size_t bytes = pixel_types[type].bytes;
    char *samples = calloc((size_t)count * (size_t)step, bytes);
    float *actual = calloc((size_t)count, sizeof *actual);
    assert_true(samples && actual);
    for (int i = 0; i < count; i++) {
        const uint8_t byte = (uint8_t)i;
        const uint16_t two = (uint16_t)i;
        memcpy(samples + (size_t)(i * step) * bytes, bytes == 1 ? (const void *)&byte : &two,
               bytes);
    }
    const struct wp_element_rows *rows;
    const char *name;
    for (int set = 0; (rows = rows_set(set, &name)) != NULL; set++) {
        rows->read[type](actual, samples, step, (struct wp_element_scale){one, one}, count);
        for (int i = 0; i < count; i++)
            if (!same_float(actual[i], pixel_get(type, samples + (size_t)(i * step) * bytes, one)))
                fail_msg("%s, %s %d of %g, step %td: %.9g", name, pixel_types[type].name, i, (double)one,
                         step, (double)actual[i]);
    }
    free(samples);
    free(actual);
}

static void test_reading(void **state)
{
    (void)state;
    for (ptrdiff_t step = 1; step <= 5; step++) {
        check_reading(WP_ELEMENT_F16, step, 0);
        check_reading(WP_ELEMENT_BF16, step, 0);
        check_reading(WP_ELEMENT_U8, step, 255);
        check_reading(WP_ELEMENT_U8, step, 1);
        check_reading(WP_ELEMENT_U8, step, 100);
        check_reading(WP_ELEMENT_U16, step, 65535);
        check_reading(WP_ELEMENT_U16, step, 1023);
    }
}

static void check_writing(enum wp_element type, ptrdiff_t step, float one, float largest)
{
    const size_t bytes = pixel_types[type].bytes, size = (size_t)(PIXEL_VALUES * step) * bytes;
    float *value = malloc(PIXEL_VALUES * sizeof *value);
    char *expected = calloc(1, size), *actual = calloc(1, size);
    assert_true(value && expected && actual);
    pixel_make_values(type, one, value);
    for (int i = 0; i < PIXEL_VALUES; i++)
        pixel_set(type, expected + (size_t)(i * step) * bytes, value[i], one, largest);
    const struct wp_element_rows *rows;
    const char *name;
    for (int set = 0; (rows = rows_set(set, &name)) != NULL; set++) {
        memset(actual, 0, size);
        rows->write[type](actual, step, value, (struct wp_element_scale){one, largest}, PIXEL_VALUES);
        for (size_t i = 0; i < size; i += bytes) {
            const float original = value[i / bytes / (size_t)step];
            // Any NaN is accepted.
            if (pixel_is_short_float(type) && isnan(original) && isnan(pixel_get(type, actual + i, 1)))
                continue;
            if (memcmp(actual + i, expected + i, bytes) != 0)
                fail_msg("%s, step %td: %.9g as %s of %g is %02x, not %02x", name, step,
                         (double)original, pixel_types[type].name, (double)one, (unsigned)actual[i],
                         (unsigned)expected[i]);
        }
    }
    free(value);
    free(expected);
    free(actual);
}

static void test_writing(void **state)
{
    (void)state;
    for (ptrdiff_t step = 1; step <= 5; step++) {
        check_writing(WP_ELEMENT_F16, step, 1, 0);
        check_writing(WP_ELEMENT_BF16, step, 1, 0);
        check_writing(WP_ELEMENT_U8, step, 255, 255);
        check_writing(WP_ELEMENT_U8, step, 1, 255);
        check_writing(WP_ELEMENT_U16, step, 65535, 65535);
        check_writing(WP_ELEMENT_U16, step, 1023, 1023);
        check_writing(WP_ELEMENT_U16, step, 1, 65535);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading), cmocka_unit_test(test_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
