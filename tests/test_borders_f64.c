// Element types with the borders that plans compute: every pair of types is as if the input was
// converted to the type of the arithmetic before, and the output after. Doubles keep more digits
// than floats through all levels, the planes of a batch fit its memory, and plans tell the
// arithmetic.
#include "elements.h"
#include "log.h"
#include "transform_struct.h"
#include "wavepass.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WIDTH = 19, HEIGHT = 10, PLANES = 3, GAP = 3, TYPES = WP_ELEMENT_COUNT };

static uint32_t seed = 1;

static double random24(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (double)(seed >> 8) / (1 << 24);
}

// With more digits than floats have.
static double noise(void)
{
    const double low = random24() / (1 << 24);
    return random24() + low;
}

// An array of planes: of samples or of coefficients, which its bands do not fill.
struct array {
    int width, rows; // of all planes
    ptrdiff_t pitch; // elements from row to row
    struct wp_operand operand;
};

static struct array create_array(const struct wp_transform *t, bool coefficients,
                                 enum wp_element type, int gap)
{
    int size[WP_DIMENSIONS];
    wp_operand_extents(wp_transform_description(t), coefficients, size);
    struct array a = {.width = size[WP_X], .rows = size[WP_Y] * size[WP_Z] * t->planes};
    a.pitch = a.width + gap;
    a.operand = (struct wp_operand){
        .data = calloc((size_t)(a.pitch * a.rows), wp_elements[type].bytes), .type = type,
        .stride = {1, a.pitch, a.pitch * size[WP_Y], a.pitch * size[WP_Y] * size[WP_Z]}};
    assert_non_null(a.operand.data);
    return a;
}

// Copies an array by the conversions from and to the type of the arithmetic.
static void convert(const struct array *from, const struct array *to, enum wp_element arithmetic)
{
    double doubles[64];
    float floats[64];
    assert_true(from->width <= 64 && from->width == to->width && from->rows == to->rows);
    for (int y = 0; y < from->rows; y++) {
        const ptrdiff_t in = y * from->pitch, out = y * to->pitch;
        if (arithmetic == WP_ELEMENT_F64) {
            wp_operand_read_f64(&wp_element_rows_f64, doubles, &from->operand, in, false,
                                from->width);
            wp_operand_write_f64(&wp_element_rows_f64, &to->operand, out, doubles, false,
                                 to->width);
        } else {
            wp_operand_read(&wp_element_rows, floats, &from->operand, in, false, from->width);
            wp_operand_write(&wp_element_rows, &to->operand, out, floats, false, to->width);
        }
    }
}

static void fill(const struct array *array)
{
    for (int y = 0; y < array->rows; y++)
        for (int x = 0; x < array->width; x++) {
            const double value = noise();
            wp_operand_write_f64(&wp_element_rows_f64, &array->operand, y * array->pitch + x,
                                 &value, false, 1);
        }
}

static void run(struct wp_transform *t, bool inverse, const struct array *from,
                const struct array *to)
{
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(t, &from->operand, &to->operand))
        fail_msg("%s", wp_last_error_text());
}

static void check_pair(struct wp_transform *t, const char *text, enum wp_element in_type,
                       enum wp_element out_type, bool inverse)
{
    const bool wide = in_type == WP_ELEMENT_F64 || out_type == WP_ELEMENT_F64;
    const enum wp_element arithmetic = wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32;
    const struct array in = create_array(t, inverse, in_type, GAP),
                       converted = create_array(t, inverse, arithmetic, 0),
                       exact = create_array(t, !inverse, arithmetic, 0),
                       expected = create_array(t, !inverse, out_type, GAP),
                       got = create_array(t, !inverse, out_type, GAP);
    fill(&in);
    convert(&in, &converted, arithmetic);
    run(t, inverse, &converted, &exact);
    convert(&exact, &expected, arithmetic);
    run(t, inverse, &in, &got);
    if (memcmp(got.operand.data, expected.operand.data,
               (size_t)(got.pitch * got.rows) * wp_elements[out_type].bytes) != 0)
        fail_msg("%s, %s, %s to %s", text, inverse ? "inverse" : "forward",
                 wp_elements[in_type].name, wp_elements[out_type].name);
    free(in.operand.data);
    free(converted.operand.data);
    free(exact.operand.data);
    free(expected.operand.data);
    free(got.operand.data);
}

static void check_pairs(const struct wp_transform_params *params)
{
    struct wp_transform *t = wp_transform_create(params);
    char text[128];
    if (!t)
        fail_msg("%s", wp_last_error_text());
    snprintf(text, sizeof text, "%s, border %s%s, depth %d", params->backend, params->border,
             params->adjoint ? ", adjoint" : "", params->depth);
    for (int samples = 0; samples < TYPES; samples++)
        for (int coefficients = 0; coefficients < TYPES; coefficients++) {
            if (wp_elements[coefficients].largest > 0) // are no type of coefficients
                continue;
            check_pair(t, text, (enum wp_element)samples, (enum wp_element)coefficients, false);
            check_pair(t, text, (enum wp_element)coefficients, (enum wp_element)samples, true);
        }
    wp_transform_destroy(&t);
}

static void test_pairs(void **state)
{
    (void)state;
    static const char *const backends[] = {"cpu", "reference"};
    for (int i = 0; i < 2 * 2 * 2; i++) {
        const bool adjoint = i & 2, volume = i & 4;
        for (int b = 0; b < WP_BORDER_COUNT; b++) {
            if (b == WP_BORDER_PERIODIC) // the sizes are odd
                continue;
            struct wp_transform_params params = WP_TRANSFORM_PARAMS(
                .width = WIDTH, .height = HEIGHT, .wavelet = "cdf53", .border = wp_border_names[b],
                .levels = 2, .backend = backends[i & 1], .adjoint = adjoint, .threads = 1);
            params.planes = volume ? 1 : PLANES;
            params.depth = volume ? 5 : 1;
            params.levels_z = volume ? 1 : 0;
            check_pairs(&params);
        }
    }
}

// Adjoints of t+2D have borders below a conversion.
static void test_sequence(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        check_pairs(&(struct wp_transform_params)WP_TRANSFORM_PARAMS(
            .width = WIDTH, .height = HEIGHT, .depth = 7, .levels = 2, .levels_z = 1,
            .decomposition = "spatial-temporal", .border = "symmetric", .adjoint = true,
            .wavelet = "cdf53", .backend = i ? "cpu" : "reference"));
}

// A batch of doubles has half the planes of one of floats.
static void test_batches(void **state)
{
    (void)state;
    static double memory;
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = 1024, .height = 1023, .planes = 11, .wavelet = "haar", .levels = 1,
        .border = "pywt-periodization", .backend = "reference");
    struct wp_transform *t = wp_transform_create(&params);
    assert_non_null(t);
    const struct wp_operand f64 = {.data = &memory, .type = WP_ELEMENT_F64};
    const char *plan = wp_transform_describe(t, false, &f64, &f64);
    if (!plan || !strstr(plan, "loop over planes: 5 x 2 + 1"))
        fail_msg("%s", plan ? plan : wp_last_error_text());
    wp_transform_destroy(&t);
}

static void test_plans(void **state)
{
    (void)state;
    static double memory[2];
    static const struct {
        const char *backend;
        enum wp_element samples, coefficients;
        const char *plan;
    } cases[] = {
        {"cpu", WP_ELEMENT_U8, WP_ELEMENT_F64,
         "(cpu/fused 7x5, 2 levels, border pywt-zero, samples u8, coefficients f64, "
         "arithmetic f64)"},
        {"reference", WP_ELEMENT_F64, WP_ELEMENT_F16,
         "(a level with border pywt-zero: 7x5 as 8x6, arithmetic f64\n"
         "  (reference 8x6, 1 level, samples f64, coefficients f64, arithmetic f64)\n"
         "  (a level with border pywt-zero: 4x3 as 4x4, arithmetic f64\n"
         "    (reference 4x4, 1 level, samples f64, coefficients f64, arithmetic f64)))"},
        {"cpu", WP_ELEMENT_U8, WP_ELEMENT_F32,
         "(cpu/fused 7x5, 2 levels, border pywt-zero, samples u8)"},
        {"fragment", WP_ELEMENT_F64, WP_ELEMENT_F64, ", arithmetic f32\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wp_operand samples = {.data = memory, .type = cases[i].samples};
        const struct wp_operand coefficients = {.data = memory + 1,
                                                .type = cases[i].coefficients};
        wp_begin_attempt();
        struct wp_transform *t = wp_transform_create(&(const struct wp_transform_params)
            WP_TRANSFORM_PARAMS(.width = 7, .height = 5, .levels = 2, .wavelet = "haar",
                                .border = "pywt-zero", .backend = cases[i].backend));
        wp_end_attempt();
        if (!t && strcmp(cases[i].backend, "fragment") == 0)
            continue; // no GL
        assert_non_null(t);
        const char *plan = wp_transform_describe(t, false, &samples, &coefficients);
        if (!plan || !strstr(plan, cases[i].plan))
            fail_msg("%s", plan ? plan : wp_last_error_text());
        wp_transform_destroy(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
