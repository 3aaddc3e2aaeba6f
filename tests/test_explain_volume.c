// The output of `explain` for volumes: golden texts and pictures, and rules for all schemes.
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

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

// Returns the text for a volume. The caller frees it.
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
    const struct wp_explain_params matrix = {.topic = WP_EXPLAIN_MATRIX};
    struct wp_explain_params numbers = matrix, diagram = {.topic = WP_EXPLAIN_DIAGRAM};
    struct wp_explain_params footprint = {.topic = WP_EXPLAIN_FOOTPRINT};
    struct wp_explain_params ops = {.topic = WP_EXPLAIN_OPS, .format = WP_EXPLAIN_CSV};
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
    struct wp_explain_params bands = {.topic = WP_EXPLAIN_BANDS, .levels = 2, .levels_z = 1};
    check_golden("volume_bands.txt", "haar", -1, bands);
    bands.decomposition = WP_DECOMPOSITION_SPATIAL_TEMPORAL;
    check_golden("volume_bands_temporal.txt", "haar", -1, bands);
    bands.format = WP_EXPLAIN_MD;
    check_golden("volume_bands_temporal.md", "haar", -1, bands);
}

// The operation counts for volumes as the program prints them; see test_scheme_volume.c.
static void test_table(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "haar,sep-lifting,1,24,24,24,1,",
        "haar,planar-lifting,1,28,24,24,1,",
        "haar,nonsep-convolution,1,63,24,24,1,",
        "cdf53,sep-convolution,3,84,60,64,9,",
        "cdf53,sep-lifting,6,48,48,48,12,",
        "cdf53,planar-convolution,2,154,66,98,12,",
        "cdf53,planar-lifting,4,64,52,52,12,",
        "cdf53,nonsep-convolution,1,511,87,227,27,",
        "cdf53,nonsep-lifting,2,112,62,62,16,",
        "cdf97,sep-convolution,3,192,168,172,15,",
        "cdf97,sep-polyconvolution,6,168,120,124,18,",
        "cdf97,sep-lifting,12,96,96,96,24,",
        "cdf97,planar-convolution,2,576,360,456,30,",
        "cdf97,planar-polyconvolution,4,308,132,164,24,",
        "cdf97,planar-lifting,8,128,104,104,24,",
        "cdf97,nonsep-convolution,1,4096,1752,2756,125,",
        "cdf97,nonsep-polyconvolution,2,1022,174,314,54,",
        "cdf97,nonsep-lifting,4,224,124,124,32,",
        "dd137,sep-convolution,3,180,180,180,21,",
        "dd137,sep-lifting,6,96,96,96,24,",
        "dd137,planar-convolution,2,570,466,516,56,",
        "dd137,planar-lifting,4,160,132,132,40,",
        "dd137,nonsep-convolution,1,4095,2767,3386,343,",
        "dd137,nonsep-lifting,2,416,258,258,128,",
    };
    static const char *const names[] = {"haar", "cdf53", "cdf97", "dd137"};
    struct wp_text all = {0};
    for (int w = 0; w < COUNT(names); w++) {
        struct wp_text text =
            explain(names[w], -1,
                    (struct wp_explain_params){.topic = WP_EXPLAIN_OPS, .format = WP_EXPLAIN_CSV});
        wp_text_add(&all, "%s", wp_text_get(&text));
        wp_text_free(&text);
    }
    assert_rows(&all, rows, COUNT(rows));
    wp_text_free(&all);
}

static void test_lines_fit(void **state)
{
    (void)state;
    static const enum wp_explain_topic topics[] = {WP_EXPLAIN_SUMMARY, WP_EXPLAIN_OPS,
                                                 WP_EXPLAIN_MATRIX, WP_EXPLAIN_DIAGRAM,
                                                 WP_EXPLAIN_FOOTPRINT, WP_EXPLAIN_BANDS};
    for (int w = 0; wp_wavelet_table[w]; w++)
        assert_lines_fit(wp_wavelet_table[w], 1, 3, topics, COUNT(topics));
}

// The maximum number of lifting pairs, whose products are too long for eight columns.
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
                               .topic = WP_EXPLAIN_MATRIX},
                           &text));
    assert_columns(&text, "many pairs");
    wp_text_free(&text);
}

// A wavelet with a support so long that a slice is wider than a page.
static void test_wide_wavelets(void **state)
{
    (void)state;
    struct wp_wavelet wavelet = *table_wavelet("cdf53");
    wavelet.pair[0].predict.tap[0].k = -14;
    wavelet.pair[0].predict.tap[1].k = 15;
    static const enum wp_explain_topic topics[] = {WP_EXPLAIN_DIAGRAM, WP_EXPLAIN_FOOTPRINT};
    for (int i = 0; i < COUNT(topics); i++) {
        struct wp_text text = {0};
        assert_true(wp_explain(&(struct wp_explain_params){
                                   .wavelet = &wavelet,
                                   .dims = 3,
                                   .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                                   .topic = topics[i]},
                               &text));
        wp_text_free(&text);
    }
}

static void test_one_arrow_per_operation(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf53", "cdf97"};
    for (int w = 0; w < COUNT(names); w++)
        assert_diagrams(table_wavelet(names[w]), 1, 3);
}

// Supports of CDF 9/7 along each axis: 9 samples low-pass, 7 samples high-pass, in any scheme.
static void test_footprint(void **state)
{
    (void)state;
    static const char *const sizes[] = {"1,r,9,9,9,729\n", "1,g,7,9,9,567\n", "1,b,9,7,9,567\n",
                                        "1,a,7,7,9,441\n", "1,R,9,9,7,567\n", "1,G,7,9,7,441\n",
                                        "1,B,9,7,7,441\n", "1,A,7,7,7,343\n"};
    assert_footprints(table_wavelet("cdf97"), 3, sizes, COUNT(sizes));
}

static void test_tex_is_balanced(void **state)
{
    (void)state;
    assert_tex_is_balanced(table_wavelet("cdf53"), 1, 3);
}

// There are (3N + 1)(M + 1) bands, or 7 per level and one, with all samples in total.
static void test_bands(void **state)
{
    (void)state;
    for (int i = 0; i < WP_DECOMPOSITION_COUNT * 4 * 4; i++) {
        const int levels = i / 4 % 4, levels_z = i % 4, temporal = i / 16;
        struct wp_text text =
            explain("cdf97", -1,
                    (struct wp_explain_params){.topic = WP_EXPLAIN_BANDS,
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

static void test_unsupported(void **state)
{
    (void)state;
    static const struct {
        enum wp_explain_topic what;
        const char *message;
    } row[] = {
        {WP_EXPLAIN_GLSL,
         "--show glsl supports only images (a pass over octets needs more than one "
         "shader)"},
        {WP_EXPLAIN_FILTERS, "--show filters supports only images (volumes use the same filters"},
        {WP_EXPLAIN_TILES, "--show tiles supports only images (tiles are blocks of pixels)"},
    };
    char message[256] = "";
    wp_log_set_handler(store_message, message);
    for (int i = 0; i < COUNT(row); i++) {
        struct wp_text text = {0};
        assert_true(wp_explain_is_image_only(row[i].what));
        assert_false(wp_explain(&(struct wp_explain_params){.wavelet = table_wavelet("haar"),
                                                            .dims = 3,
                                                            .topic = row[i].what},
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
        cmocka_unit_test(test_wide_wavelets),
        cmocka_unit_test(test_one_arrow_per_operation),
        cmocka_unit_test(test_footprint),
        cmocka_unit_test(test_tex_is_balanced),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
