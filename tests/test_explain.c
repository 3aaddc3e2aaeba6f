// The texts of `explain`: golden texts, and rules that all texts must follow.
#include "emit.h"
#include "every_wavelet.h"
#include "explain_traversal.h"
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct wp_wavelet find(const char *name)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    return wavelet;
}

static void check_golden(const char *file, const char *name, int kind, struct wp_explain_params p)
{
    const struct wp_wavelet wavelet = find(name);
    struct wp_text text = {0};
    p.wavelet = &wavelet;
    p.kind = kind < 0 ? NULL : &wp_scheme_kinds[kind];
    assert_true(wp_explain(&p, &text));
    assert_golden(file, wp_text_get(&text));
    wp_text_free(&text);
}

static void test_goldens(void **state)
{
    (void)state;
    check_golden("cdf97_ops.csv", "cdf97", -1,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_OPS, .format = WP_EXPLAIN_CSV});
    check_golden("cdf53_ops.md", "cdf53", -1,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_OPS, .format = WP_EXPLAIN_MD});
    check_golden("cdf97_summary.txt", "cdf97", -1, (struct wp_explain_params){0});
    check_golden("cdf97_ns-poly_summary.txt", "cdf97", WP_SCHEME_NONSEP_POLYCONVOLUTION,
                 (struct wp_explain_params){0});
    check_golden("cdf53_ns-lift_matrix.txt", "cdf53", WP_SCHEME_NONSEP_LIFTING,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_MATRIX, .numbers = true});
    check_golden("cdf53_ns-lift_symbols.txt", "cdf53", WP_SCHEME_NONSEP_LIFTING,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_MATRIX, .form = WP_FORM_PLAIN});
    check_golden("cdf97_ns-conv_symbols.txt", "cdf97", WP_SCHEME_NONSEP_CONVOLUTION,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_MATRIX});
    check_golden("cdf53_ns-poly_symbols.tex", "cdf53", WP_SCHEME_NONSEP_POLYCONVOLUTION,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_MATRIX,
                                            .form = WP_FORM_PLAIN,
                                            .format = WP_EXPLAIN_TEX});
    check_golden("cdf53_ns-lift_diagram.txt", "cdf53", WP_SCHEME_NONSEP_LIFTING,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_DIAGRAM});
    check_golden("cdf53_sep-lift_diagram.svg", "cdf53", WP_SCHEME_SEP_LIFTING,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_DIAGRAM,
                                            .format = WP_EXPLAIN_SVG});
    check_golden("cdf53_ns-lift_footprint.txt", "cdf53", WP_SCHEME_NONSEP_LIFTING,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_FOOTPRINT});
    check_golden("cdf53_ns-lift_matrix.tex", "cdf53", WP_SCHEME_NONSEP_LIFTING,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_MATRIX,
                                            .format = WP_EXPLAIN_TEX,
                                            .numbers = true});
    check_golden("cdf53_sep-conv_plain_matrix.md", "cdf53", WP_SCHEME_SEP_CONVOLUTION,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_MATRIX,
                                            .form = WP_FORM_PLAIN,
                                            .format = WP_EXPLAIN_MD,
                                            .numbers = true});
    check_golden("cdf97_ops.tex", "cdf97", -1,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_OPS, .format = WP_EXPLAIN_TEX});
    check_golden("cdf97_factoring.txt", "cdf97", -1,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_FACTORING});
    check_golden("cdf97_factoring.md", "cdf97", -1,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_FACTORING,
                                            .format = WP_EXPLAIN_MD});
    check_golden("cdf53_factoring.tex", "cdf53", -1,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_FACTORING,
                                            .format = WP_EXPLAIN_TEX});
    check_golden("cdf97_filters.txt", "cdf97", -1,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_FILTERS});
    check_golden("cdf97_filters.svg", "cdf97", -1,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_FILTERS,
                                            .format = WP_EXPLAIN_SVG});
    check_golden("cdf97_ns-poly_inverse_matrix.txt", "cdf97", WP_SCHEME_NONSEP_POLYCONVOLUTION,
                 (struct wp_explain_params){.topic = WP_EXPLAIN_MATRIX,
                                            .direction = WP_INVERSE,
                                            .numbers = true});
}

// All 14 rows of Table 1 as the program prints them; 42 replaces the 56 of the paper.
static void test_csv_has_table_1(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "cdf53,sep-convolution,2,28,20,22,6,",
        "cdf53,sep-lifting,4,16,16,16,8,",
        "cdf53,nonsep-convolution,1,63,23,39,9,",
        "cdf53,nonsep-lifting,2,24,18,18,8,",
        "cdf97,sep-convolution,2,64,56,58,10,",
        "cdf97,sep-polyconvolution,4,56,40,42,12,56",
        "cdf97,sep-lifting,8,32,32,32,16,",
        "cdf97,nonsep-convolution,1,256,152,200,25,",
        "cdf97,nonsep-polyconvolution,2,126,46,62,18,",
        "cdf97,nonsep-lifting,4,48,36,36,16,",
        "dd137,sep-convolution,2,60,60,60,14,",
        "dd137,sep-lifting,4,32,32,32,16,",
        "dd137,nonsep-convolution,1,255,203,228,49,",
        "dd137,nonsep-lifting,2,64,50,50,32,",
    };
    struct wp_text text = {0};
    static const char *const names[] = {"cdf53", "cdf97", "dd137"};
    for (int w = 0; w < 3; w++) {
        const struct wp_wavelet wavelet = find(names[w]);
        assert_true(wp_explain(&(struct wp_explain_params){.wavelet = &wavelet,
                                                           .topic = WP_EXPLAIN_OPS,
                                                           .format = WP_EXPLAIN_CSV},
                               &text));
    }
    assert_rows(&text, rows, sizeof rows / sizeof *rows);
    static const char head[] = "wavelet,scheme,steps,plain,opencl,shader,fetches,shader_in_print\n";
    assert_memory_equal(wp_text_get(&text), head, sizeof head - 1);
    wp_text_free(&text);
}

// The deviation and the note are in the texts that they apply to, and only there.
static void test_notes(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf53", "cdf97", "dd137"};
    for (int w = 0; w < 4; w++) {
        const struct wp_wavelet wavelet = find(names[w]);
        for (int kind = 0; kind < WP_SCHEME_KINDS; kind++) {
            struct wp_text text = {0};
            assert_true(wp_explain(&(struct wp_explain_params){.wavelet = &wavelet,
                                                               .kind = &wp_scheme_kinds[kind],
                                                               .topic = WP_EXPLAIN_OPS},
                                   &text));
            const bool deviates = wavelet.pairs == 2 && kind == WP_SCHEME_SEP_POLYCONVOLUTION;
            const bool noted = wavelet.pairs == 1 && (kind == WP_SCHEME_SEP_POLYCONVOLUTION ||
                                                      kind == WP_SCHEME_NONSEP_POLYCONVOLUTION);
            assert_int_equal(strstr(wp_text_get(&text), "prints 56 here") != NULL, deviates);
            assert_int_equal(strstr(wp_text_get(&text), "42*") != NULL, deviates);
            assert_int_equal(strstr(wp_text_get(&text), "polyconvolution is convolution") != NULL,
                             noted);
            wp_text_free(&text);
        }
    }
}

// test_factor.c checks that the steps give the wavelet's filters.
static void test_factoring_fits(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    for (int i = 0; i < count; i++) {
        struct wp_text text = {0};
        assert_true(wp_explain(&(struct wp_explain_params){.wavelet = &list[i],
                                                           .topic = WP_EXPLAIN_FACTORING}, &text));
        assert_columns(&text, list[i].name);
        assert_non_null(strstr(wp_text_get(&text), "\nTherefore zeta = sqrt(2) / h_e = "));
        wp_text_free(&text);
    }
}

static void test_lines_fit(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    static const enum wp_explain_topic topics[] = {WP_EXPLAIN_SUMMARY, WP_EXPLAIN_OPS,
                                                 WP_EXPLAIN_MATRIX, WP_EXPLAIN_DIAGRAM,
                                                 WP_EXPLAIN_FILTERS, WP_EXPLAIN_FOOTPRINT};
    assert_lines_fit(list, count, 2, topics, sizeof topics / sizeof *topics);
}

// Matrix entries have at most 21 characters for quads and 9 for octets; longer ones get a name in
// the matrix and are printed below it.
static void test_long_entries_are_below_the_matrix(void **state)
{
    (void)state;
    static const struct {
        int dims;
        struct wp_filter predict;
        const char *entry;
        bool below;
    } cases[] = {
        {2, {2, {{0, -0.123}, {1, -0.877}}}, "-0.123 - 0.877 zm^-1", false},
        {2, {2, {{0, -0.1234}, {1, -0.877}}}, "-0.1234 - 0.877 zm^-1", false},
        {2, {2, {{0, -0.1234}, {1, -0.8766}}}, "-0.1234 - 0.8766 zm^-1", true},
        {3, {1, {{1, -3}}}, "-3 zm^-1", false},
        {3, {1, {{1, -39}}}, "-39 zm^-1", false},
        {3, {1, {{1, -399}}}, "-399 zm^-1", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wp_wavelet wavelet = {
            .name = "long", .pairs = 1, .zeta = 1, .pair = {{cases[i].predict, {0}}}};
        const struct wp_explain_params params = {.wavelet = &wavelet,
                                                 .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                                                 .dims = cases[i].dims,
                                                 .form = WP_FORM_PLAIN,
                                                 .topic = WP_EXPLAIN_MATRIX,
                                                 .numbers = true};
        struct wp_text text = {0};
        assert_true(wp_explain(&params, &text));
        char in_matrix[64], below[64];
        snprintf(in_matrix, sizeof in_matrix, "g [ %s  ", cases[i].below ? "a21" : cases[i].entry);
        snprintf(below, sizeof below, "\n  a21 = %s\n", cases[i].entry);
        assert_non_null(strstr(wp_text_get(&text), in_matrix));
        assert_int_equal(strstr(wp_text_get(&text), below) != NULL, cases[i].below);
        wp_text_free(&text);
    }
}

// The printed shaders are those that run, byte for byte.
static void test_glsl_equals_shaders(void **state)
{
    (void)state;
    const struct wp_wavelet wavelet = find("cdf97");
    const struct wp_explain_params params = {.wavelet = &wavelet,
                                             .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                                             .direction = WP_INVERSE,
                                             .norm = WP_NORM_ORTHONORMAL,
                                             .topic = WP_EXPLAIN_GLSL};
    struct wp_text text = {0};
    assert_true(wp_explain(&params, &text));
    struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = &wavelet,
        .kind = params.kind,
        .direction = params.direction,
        .norm = params.norm,
    });
    const char *at = wp_text_get(&text);
    for (int p = 0; p < scheme->pass_count; p++) {
        struct wp_text shader = {0};
        wp_emit_fragment_pass(scheme, p, &shader);
        at = strstr(at, wp_text_get(&shader));
        assert_non_null(at);
        at += shader.length;
        wp_text_free(&shader);
    }
    assert_string_equal(at, "");
    wp_scheme_destroy(&scheme);
    wp_text_free(&text);
}

static void test_one_arrow_per_operation(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    assert_diagrams(list, every_wavelet(list), 2);
}

// Figure 3 of Barina et al. 2017: 9x9, 7x9, 9x7 and 7x7 samples for the CDF 9/7 wavelet in any
// scheme; fewer from pass to pass.
static void test_footprint(void **state)
{
    (void)state;
    static const char *const sizes[] = {"1,r,9,9,81\n", "1,g,7,9,63\n", "1,b,9,7,63\n",
                                        "1,a,7,7,49\n"};
    const struct wp_wavelet wavelet = find("cdf97");
    assert_footprints(&wavelet, 2, sizes, sizeof sizes / sizeof *sizes);
    struct wp_explain_params params = {.wavelet = &wavelet,
                                       .kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_LIFTING],
                                       .form = WP_FORM_PLAIN,
                                       .topic = WP_EXPLAIN_FOOTPRINT,
                                       .format = WP_EXPLAIN_CSV};
    struct wp_text text = {0};
    assert_true(wp_explain(&params, &text));
    // Before the last update, LL reads itself and its eight neighbors, HH only itself.
    assert_non_null(strstr(wp_text_get(&text), ",4,r,3,3,9\n"));
    assert_non_null(strstr(wp_text_get(&text), ",4,a,1,1,1\n"));
    wp_text_free(&text);
}

static void test_tex_is_balanced(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    assert_tex_is_balanced(list, every_wavelet(list), 2);
}

// The diff has the lines of both texts, and common lines once.
static void test_diff(void **state)
{
    (void)state;
    struct wp_text diff = {0};
    wp_explain_diff("a\nb\nc\n", "b\nd\nc\ne\n", &diff);
    assert_string_equal(wp_text_get(&diff), "@@ -1,3 +1,4 @@\n-a\n b\n+d\n c\n+e\n");
    wp_text_clear(&diff);
    wp_explain_diff("", "x\n", &diff);
    assert_string_equal(wp_text_get(&diff), "@@ -1,0 +1,1 @@\n+x\n");
    wp_text_free(&diff);
}

static void test_unsupported(void **state)
{
    (void)state;
    const struct wp_wavelet wavelet = find("haar");
    char message[256] = "";
    wp_log_set_handler(store_message, message);
    struct wp_text text = {0};
    struct wp_explain_params params = {
        .wavelet = &wavelet, .topic = WP_EXPLAIN_MATRIX, .format = WP_EXPLAIN_CSV};
    assert_false(wp_explain(&params, &text));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_non_null(strstr(message, "--show matrix does not support --format csv"));
    params = (struct wp_explain_params){
        .wavelet = &wavelet, .topic = WP_EXPLAIN_DIAGRAM, .format = WP_EXPLAIN_MD};
    assert_false(wp_explain(&params, &text));
    assert_non_null(strstr(message, "it supports --format txt, --format svg"));
    params = (struct wp_explain_params){
        .wavelet = &wavelet, .topic = WP_EXPLAIN_GLSL, .form = WP_FORM_BLOCK};
    assert_false(wp_explain(&params, &text));
    assert_non_null(strstr(message, "no fragment shaders"));
    assert_int_equal(text.length, 0);
    params.topic = WP_EXPLAIN_MATRIX;
    assert_true(wp_explain(&params, &text));
    wp_log_set_handler(NULL, NULL);
    wp_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goldens),
        cmocka_unit_test(test_csv_has_table_1),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_factoring_fits),
        cmocka_unit_test(test_lines_fit),
        cmocka_unit_test(test_long_entries_are_below_the_matrix),
        cmocka_unit_test(test_glsl_equals_shaders),
        cmocka_unit_test(test_one_arrow_per_operation),
        cmocka_unit_test(test_footprint),
        cmocka_unit_test(test_tex_is_balanced),
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
