// What `explain` says of volumes: golden texts and pictures, and what must hold for all schemes.
#include "every_wavelet.h"
#include "explain.h"
#include "golden.h"
#include "log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

// What there is of a volume, as a text that the caller frees.
static struct wp_text explain(const char *wavelet, int kind, struct wp_explain_params params)
{
    struct wp_text text = {0};
    params.wavelet = table_wavelet(wavelet);
    params.kind = kind < 0 ? NULL : &wp_scheme_kinds[kind];
    params.dims = 3;
    assert_true(wp_explain(&params, &text));
    return text;
}

static void check_golden(const char *file, const char *wavelet, int kind,
                         struct wp_explain_params params)
{
    struct wp_text text = explain(wavelet, kind, params);
    assert_golden(file, wp_text_get(&text));
    wp_text_free(&text);
}

static void test_goldens(void **state)
{
    (void)state;
    const struct wp_explain_params matrix = {.what = WP_EXPLAIN_MATRIX};
    struct wp_explain_params numbers = matrix, diagram = {.what = WP_EXPLAIN_DIAGRAM};
    struct wp_explain_params footprint = {.what = WP_EXPLAIN_FOOTPRINT};
    struct wp_explain_params ops = {.what = WP_EXPLAIN_OPS, .format = WP_EXPLAIN_CSV};
    check_golden("volume_cdf97_summary.txt", "cdf97", -1, (struct wp_explain_params){0});
    check_golden("volume_cdf97_planar-lift_summary.txt", "cdf97", WP_SCHEME_PLANAR_LIFTING,
                 (struct wp_explain_params){0});
    check_golden("volume_cdf97_ops.csv", "cdf97", -1, ops);
    ops.format = WP_EXPLAIN_MD;
    check_golden("volume_cdf53_ops.md", "cdf53", -1, ops);
    check_golden("volume_cdf97_ns-poly_symbols.txt", "cdf97", WP_SCHEME_NONSEP_POLYCONVOLUTION,
                 matrix);
    numbers.numbers = true;
    check_golden("volume_cdf53_ns-lift_matrix.txt", "cdf53", WP_SCHEME_NONSEP_LIFTING, numbers);
    numbers.format = WP_EXPLAIN_TEX;
    check_golden("volume_cdf53_planar-lift_matrix.tex", "cdf53", WP_SCHEME_PLANAR_LIFTING, numbers);
    numbers = matrix;
    numbers.format = WP_EXPLAIN_MD;
    numbers.direction = WP_INVERSE;
    check_golden("volume_cdf53_ns-conv_inverse_symbols.md", "cdf53", WP_SCHEME_NONSEP_CONVOLUTION,
                 numbers);
    check_golden("volume_cdf53_planar-lift_diagram.txt", "cdf53", WP_SCHEME_PLANAR_LIFTING,
                 diagram);
    diagram.format = WP_EXPLAIN_SVG;
    check_golden("volume_cdf53_planar-lift_diagram.svg", "cdf53", WP_SCHEME_PLANAR_LIFTING,
                 diagram);
    check_golden("volume_cdf53_ns-lift_footprint.txt", "cdf53", WP_SCHEME_NONSEP_LIFTING,
                 footprint);
    footprint.format = WP_EXPLAIN_SVG;
    check_golden("volume_haar_ns-lift_footprint.svg", "haar", WP_SCHEME_NONSEP_LIFTING, footprint);
    footprint.format = WP_EXPLAIN_CSV;
    check_golden("volume_cdf53_ns-lift_footprint.csv", "cdf53", WP_SCHEME_NONSEP_LIFTING,
                 footprint);
    struct wp_explain_params bands = {.what = WP_EXPLAIN_BANDS, .levels = 2, .levels_z = 1};
    check_golden("volume_bands.txt", "haar", -1, bands);
    bands.decomposition = WP_DECOMPOSITION_SPATIAL_TEMPORAL;
    check_golden("volume_bands_temporal.txt", "haar", -1, bands);
    bands.format = WP_EXPLAIN_MD;
    check_golden("volume_bands_temporal.md", "haar", -1, bands);
}

// The rows of the table of volumes' counts, as the program prints them; see test_scheme_volume.c.
static void test_table(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "haar,sep-lifting,1,24,24,24,1",
        "haar,planar-lifting,1,28,24,24,1",
        "haar,nonsep-convolution,1,63,24,24,1",
        "cdf53,sep-convolution,3,84,60,64,9",
        "cdf53,sep-lifting,6,48,48,48,12",
        "cdf53,planar-convolution,2,154,66,98,12",
        "cdf53,planar-lifting,4,64,52,52,12",
        "cdf53,nonsep-convolution,1,511,87,227,27",
        "cdf53,nonsep-lifting,2,112,62,62,16",
        "cdf97,sep-convolution,3,192,168,172,15",
        "cdf97,sep-polyconvolution,6,168,120,124,18",
        "cdf97,sep-lifting,12,96,96,96,24",
        "cdf97,planar-convolution,2,576,360,456,30",
        "cdf97,planar-polyconvolution,4,308,132,164,24",
        "cdf97,planar-lifting,8,128,104,104,24",
        "cdf97,nonsep-convolution,1,4096,1752,2756,125",
        "cdf97,nonsep-polyconvolution,2,1022,174,314,54",
        "cdf97,nonsep-lifting,4,224,124,124,32",
        "dd137,sep-convolution,3,180,180,180,21",
        "dd137,sep-lifting,6,96,96,96,24",
        "dd137,planar-convolution,2,570,466,516,56",
        "dd137,planar-lifting,4,160,132,132,40",
        "dd137,nonsep-convolution,1,4095,2767,3386,343",
        "dd137,nonsep-lifting,2,416,258,258,128",
    };
    static const char *const names[] = {"haar", "cdf53", "cdf97", "dd137"};
    struct wp_text all = {0};
    for (int w = 0; w < COUNT(names); w++) {
        struct wp_text text =
            explain(names[w], -1,
                    (struct wp_explain_params){.what = WP_EXPLAIN_OPS, .format = WP_EXPLAIN_CSV});
        wp_text_add(&all, "%s", wp_text_get(&text));
        wp_text_free(&text);
    }
    for (int r = 0; r < COUNT(rows); r++) {
        const char *at = strstr(wp_text_get(&all), rows[r]);
        if (!at || at[strlen(rows[r])] != '\n')
            fail_msg("no row '%s'", rows[r]);
    }
    wp_text_free(&all);
}

static void check_columns(const struct wp_text *text, const char *what)
{
    for (const char *at = wp_text_get(text); *at;) {
        const size_t length = strcspn(at, "\n");
        if (length > 100)
            fail_msg("%s: %zu columns: %.*s", what, length, (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void test_lines_fit(void **state)
{
    (void)state;
    static const enum wp_explain_what whats[] = {WP_EXPLAIN_SUMMARY, WP_EXPLAIN_OPS,
                                                 WP_EXPLAIN_MATRIX, WP_EXPLAIN_DIAGRAM,
                                                 WP_EXPLAIN_FOOTPRINT, WP_EXPLAIN_BANDS};
    for (int w = 0; wp_wavelet_table[w]; w++) {
        for (int i = 0; i < (WP_SCHEME_VOLUME_KINDS + 1) * COUNT(whats) * 4; i++) {
            const int kind = i / 4 / COUNT(whats);
            struct wp_text text =
                explain(wp_wavelet_table[w]->name, kind < WP_SCHEME_VOLUME_KINDS ? kind : -1,
                        (struct wp_explain_params){
                            .numbers = i / 2 % 2,
                            .direction = i % 2 ? WP_INVERSE : WP_FORWARD,
                            .what = whats[i / 4 % COUNT(whats)],
                        });
            check_columns(&text, wp_wavelet_table[w]->name);
            wp_text_free(&text);
        }
    }
}

// As many lifting pairs as there can be, whose products are too long for eight columns.
static void test_long_symbols_fit(void **state)
{
    (void)state;
    struct wp_wavelet wavelet = *table_wavelet("cdf53");
    wavelet.pairs = WP_MAX_PAIRS;
    for (int p = 1; p < WP_MAX_PAIRS; p++) {
        wavelet.pair[p] = wavelet.pair[0];
        wavelet.pair[p].update.count = 0;
    }
    struct wp_text text = {0};
    assert_true(wp_explain(&(struct wp_explain_params){
                               .wavelet = &wavelet,
                               .dims = 3,
                               .kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_POLYCONVOLUTION],
                               .what = WP_EXPLAIN_MATRIX},
                           &text));
    check_columns(&text, "many pairs");
    wp_text_free(&text);
}

// A wavelet that reaches so far that a slice is wider than a page.
static void test_far_wavelets_end(void **state)
{
    (void)state;
    struct wp_wavelet wavelet = *table_wavelet("cdf53");
    wavelet.pair[0].predict.tap[0].k = -14;
    wavelet.pair[0].predict.tap[1].k = 15;
    static const enum wp_explain_what whats[] = {WP_EXPLAIN_DIAGRAM, WP_EXPLAIN_FOOTPRINT};
    for (int i = 0; i < COUNT(whats); i++) {
        struct wp_text text = {0};
        assert_true(wp_explain(&(struct wp_explain_params){
                                   .wavelet = &wavelet,
                                   .dims = 3,
                                   .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                                   .what = whats[i]},
                               &text));
        wp_text_free(&text);
    }
}

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        count++;
    return count;
}

// An arrow an operation, a bar a barrier, for every scheme, form and direction; the constants alone
// are dashed.
static void test_diagram_has_an_arrow_an_operation(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf53", "cdf97"};
    const int forms = WP_FORM_COUNT;
    for (int i = 0; i < COUNT(names) * WP_SCHEME_VOLUME_KINDS * forms * 2; i++) {
        const int kind = i / 2 / forms % WP_SCHEME_VOLUME_KINDS;
        const char *wavelet = names[i / 2 / forms / WP_SCHEME_VOLUME_KINDS];
        const struct wp_scheme_params params = {
            .wavelet = table_wavelet(wavelet),
            .kind = &wp_scheme_kinds[kind],
            .form = (enum wp_form)(i / 2 % forms),
            .direction = i % 2 ? WP_INVERSE : WP_FORWARD,
            .dims = 3,
        };
        struct wp_scheme *scheme = wp_scheme_create(&params);
        struct wp_explain_params asked = {
            .form = params.form,
            .direction = params.direction,
            .what = WP_EXPLAIN_DIAGRAM,
            .format = WP_EXPLAIN_SVG,
        };
        struct wp_text text = explain(wavelet, kind, asked);
        const char *svg = wp_text_get(&text);
        int constants = 0;
        for (int p = 0; p < scheme->pass_count; p++)
            constants += scheme->pass[p].before_count + scheme->pass[p].after_count;
        assert_int_equal(count_of(svg, "<path class=\"arrow"), wp_scheme_operations(scheme));
        assert_int_equal(count_of(svg, "<path class=\"arrow constant\""), 4 * constants);
        assert_int_equal(count_of(svg, "class=\"barrier\""), scheme->pass_count - 1);
        assert_int_equal(count_of(svg, "nan"), 0);
        asked.arrows = WP_EXPLAIN_NO_ARROWS;
        struct wp_text bare = explain(wavelet, kind, asked);
        assert_int_equal(count_of(wp_text_get(&bare), "class=\"arrow"), 0);
        assert_null(strstr(wp_text_get(&bare), "operation"));
        wp_text_free(&bare);
        wp_text_free(&text);
        wp_scheme_destroy(&scheme);
    }
}

// What the filters of CDF 9/7 reach, 9 samples the low one and 7 the high one, along each axis, in
// whatever scheme.
static void test_footprint(void **state)
{
    (void)state;
    static const char *const sizes[] = {"1,r,9,9,9,729\n", "1,g,7,9,9,567\n", "1,b,9,7,9,567\n",
                                        "1,a,7,7,9,441\n", "1,R,9,9,7,567\n", "1,G,7,9,7,441\n",
                                        "1,B,9,7,7,441\n", "1,A,7,7,7,343\n"};
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS * WP_FORM_COUNT; i++) {
        struct wp_text text =
            explain("cdf97", i / WP_FORM_COUNT,
                    (struct wp_explain_params){.form = (enum wp_form)(i % WP_FORM_COUNT),
                                               .what = WP_EXPLAIN_FOOTPRINT,
                                               .format = WP_EXPLAIN_CSV});
        for (int c = 0; c < COUNT(sizes); c++)
            assert_int_equal(count_of(wp_text_get(&text), sizes[c]), 1);
        wp_text_free(&text);
    }
}

// LaTeX closes what it opens, alone and in Markdown.
static void test_tex_is_balanced(void **state)
{
    (void)state;
    static const enum wp_explain_format format[] = {WP_EXPLAIN_TEX, WP_EXPLAIN_MD};
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS * 8; i++) {
        struct wp_text text = explain("cdf53", i / 8,
                                      (struct wp_explain_params){
                                          .numbers = i / 4 % 2,
                                          .direction = i / 2 % 2 ? WP_INVERSE : WP_FORWARD,
                                          .what = WP_EXPLAIN_MATRIX,
                                          .format = format[i % 2],
                                      });
        const char *tex = wp_text_get(&text);
        assert_int_equal(count_of(tex, "{"), count_of(tex, "}"));
        assert_int_equal(count_of(tex, "\\begin{"), count_of(tex, "\\end{"));
        assert_int_equal(count_of(tex, "\\left["), count_of(tex, "\\right]"));
        assert_int_equal(count_of(tex, "$") % 2, 0);
        assert_true(count_of(tex, "{cccc|cccc}") > 0);
        wp_text_free(&text);
    }
}

// Bands are (3N + 1)(M + 1), or 7 a level and one, and hold all samples together.
static void test_bands(void **state)
{
    (void)state;
    for (int i = 0; i < WP_DECOMPOSITION_COUNT * 4 * 4; i++) {
        const int levels = i / 4 % 4, levels_z = i % 4, temporal = i / 16;
        struct wp_text text =
            explain("cdf97", -1,
                    (struct wp_explain_params){.what = WP_EXPLAIN_BANDS,
                                               .format = WP_EXPLAIN_CSV,
                                               .levels = levels,
                                               .levels_z = levels_z,
                                               .decomposition = (enum wp_decomposition)temporal});
        const int both = levels < levels_z ? levels : levels_z;
        const int dyadic = 7 * both + 3 * (levels - both) + (levels_z - both) + 1;
        if (levels || levels_z)
            assert_int_equal(count_of(wp_text_get(&text), "\n"),
                             1 + (temporal ? (3 * levels + 1) * (levels_z + 1) : dyadic));
        double sum = 0;
        for (const char *at = wp_text_get(&text); (at = strchr(at, '\n')) && *++at;) {
            const size_t length = strcspn(at, "\n");
            const char *share = at + length;
            while (share[-1] != ',')
                share--;
            sum += atof(share);
        }
        assert_true(sum == 1);
        wp_text_free(&text);
    }
}

static void keep_message(void *user, enum wp_log_level level, const char *message)
{
    assert_int_equal(level, WP_LOG_ERROR);
    snprintf(user, 256, "%s", message);
}

static void test_what_there_is_not(void **state)
{
    (void)state;
    static const struct {
        enum wp_explain_what what;
        const char *message;
    } row[] = {
        {WP_EXPLAIN_GLSL, "--what glsl is of images alone (a pass over octets is not one shader)"},
        {WP_EXPLAIN_FILTERS, "--what filters is of images alone (filters are of one axis"},
        {WP_EXPLAIN_TILES, "--what tiles is of images alone (tiles are blocks of pixels)"},
    };
    char message[256] = "";
    wp_log_set_handler(keep_message, message);
    for (int i = 0; i < COUNT(row); i++) {
        struct wp_text text = {0};
        assert_true(wp_explain_of_images(row[i].what));
        assert_false(wp_explain(&(struct wp_explain_params){.wavelet = table_wavelet("haar"),
                                                            .dims = 3,
                                                            .what = row[i].what},
                                &text));
        assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
        assert_non_null(strstr(message, row[i].message));
        assert_int_equal(text.length, 0);
    }
    wp_log_set_handler(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goldens),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_lines_fit),
        cmocka_unit_test(test_long_symbols_fit),
        cmocka_unit_test(test_far_wavelets_end),
        cmocka_unit_test(test_diagram_has_an_arrow_an_operation),
        cmocka_unit_test(test_footprint),
        cmocka_unit_test(test_tex_is_balanced),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_what_there_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
