// The schemes compared with Table 1 of Barina et al. 2017, with each other, and with the filter
// bank that their product must equal.
#include "every_wavelet.h"
#include "log.h"
#include "scheme.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

enum { POINTS = 5, SEED = 20170601 };

static struct wp_scheme *make(const struct wp_wavelet *wavelet, int kind, enum wp_form form,
                              enum wp_direction direction)
{
    return wp_scheme_create(&(struct wp_scheme_params){.wavelet = wavelet,
                                                       .kind = &wp_scheme_kinds[kind],
                                                       .form = form,
                                                       .direction = direction});
}

// Calls `check` with each wavelet, scheme, form and direction.
static void for_every_scheme(void (*check)(const struct wp_scheme *scheme))
{
    struct wp_wavelet *list = calloc(EVERY_WAVELET_MAX, sizeof *list);
    assert_non_null(list);
    const int count = every_wavelet(list);
    for (int w = 0; w < count; w++) {
        for (int kind = 0; kind < WP_SCHEME_KINDS; kind++) {
            for (int form = 0; form < WP_FORM_COUNT; form++) {
                for (int d = WP_FORWARD; d <= WP_INVERSE; d++) {
                    struct wp_scheme *scheme =
                        make(&list[w], kind, (enum wp_form)form, (enum wp_direction)d);
                    check(scheme);
                    wp_scheme_destroy(&scheme);
                }
            }
        }
    }
    free(list);
}

// Table 1, its three parts one after the other. The columns plain and fetches are not published;
// they were computed from the same matrices in exact arithmetic.
struct row {
    const char *wavelet;
    int kind, steps;
    int opencl, shader; // published
    int plain;
    int fetches[9]; // one per pass, terminated by 0
};

static const struct row table_1[] = {
    {"cdf53", WP_SCHEME_SEP_CONVOLUTION, 2, 20, 22, 28, {3, 3}},
    {"cdf53", WP_SCHEME_SEP_LIFTING, 4, 16, 16, 16, {2, 2, 2, 2}},
    {"cdf53", WP_SCHEME_NONSEP_CONVOLUTION, 1, 23, 39, 63, {9}},
    {"cdf53", WP_SCHEME_NONSEP_LIFTING, 2, 18, 18, 24, {4, 4}},
    {"cdf97", WP_SCHEME_SEP_CONVOLUTION, 2, 56, 58, 64, {5, 5}},
    {"cdf97", WP_SCHEME_SEP_POLYCONVOLUTION, 4, 40, 56, 56, {3, 3, 3, 3}},
    {"cdf97", WP_SCHEME_SEP_LIFTING, 8, 32, 32, 32, {2, 2, 2, 2, 2, 2, 2, 2}},
    {"cdf97", WP_SCHEME_NONSEP_CONVOLUTION, 1, 152, 200, 256, {25}},
    {"cdf97", WP_SCHEME_NONSEP_POLYCONVOLUTION, 2, 46, 62, 126, {9, 9}},
    {"cdf97", WP_SCHEME_NONSEP_LIFTING, 4, 36, 36, 48, {4, 4, 4, 4}},
    {"dd137", WP_SCHEME_SEP_CONVOLUTION, 2, 60, 60, 60, {7, 7}},
    {"dd137", WP_SCHEME_SEP_LIFTING, 4, 32, 32, 32, {4, 4, 4, 4}},
    {"dd137", WP_SCHEME_NONSEP_CONVOLUTION, 1, 203, 228, 255, {49}},
    {"dd137", WP_SCHEME_NONSEP_LIFTING, 2, 50, 50, 64, {16, 16}},
};

// The one cell of Table 1 that differs: by the rule that gives the 27 others, separable
// polyconvolution of CDF 9/7 in shaders has 42 operations. The published 56 is the count without
// optimization.
static int expected_shader_operations(const struct row *row)
{
    const bool deviates =
        strcmp(row->wavelet, "cdf97") == 0 && row->kind == WP_SCHEME_SEP_POLYCONVOLUTION;
    if (!deviates)
        return row->shader;
    assert_int_equal(row->shader, row->plain);
    return 42;
}

static void test_table_1(void **state)
{
    (void)state;
    for (int r = 0; r < COUNT(table_1); r++) {
        const struct row *row = &table_1[r];
        const int expected[WP_FORM_COUNT] = {
            [WP_FORM_SHADER] = expected_shader_operations(row),
            [WP_FORM_BLOCK] = row->opencl,
            [WP_FORM_PLAIN] = row->plain,
        };
        for (int form = 0; form < WP_FORM_COUNT; form++) {
            for (int d = WP_FORWARD; d <= WP_INVERSE; d++) {
                struct wp_scheme *scheme = make(table_wavelet(row->wavelet), row->kind,
                                                (enum wp_form)form, (enum wp_direction)d);
                const int operations = wp_scheme_operations(scheme);
                if (scheme->pass_count != row->steps || operations != expected[form])
                    fail_msg("%s, %s: %d steps, %d operations; not %d, %d", scheme->name,
                             d == WP_FORWARD ? "forward" : "inverse", scheme->pass_count,
                             operations, row->steps, expected[form]);
                int fetches = 0;
                for (int p = 0; p < scheme->pass_count; p++) {
                    assert_int_equal(scheme->pass[p].reach.fetches, row->fetches[p]);
                    fetches += row->fetches[p];
                }
                assert_int_equal(wp_scheme_fetches(scheme), fetches);
                wp_scheme_destroy(&scheme);
            }
        }
    }
}

// The 1-D polyphase matrix of the raw filters: entry (row, column) is the contribution of the even
// or odd samples to the low-pass or high-pass band.
static struct wp_poly filter_component(const double low[], const double high[], double zeta,
                                       int row, int column, bool horizontal)
{
    struct wp_poly sum = {0};
    for (int k = -WP_FILTER_CENTER + 1; k < WP_FILTER_CENTER; k++) {
        const double c = row ? high[WP_FILTER_CENTER + k] / zeta : low[WP_FILTER_CENTER + k] * zeta;
        const int sample = 2 * WP_FILTER_CENTER + k + row; // positive, for / and %
        if (sample % 2 != column || fabs(c) < 1e-13)
            continue;
        const int shift = sample / 2 - WP_FILTER_CENTER;
        struct wp_term monomial = {.c = c};
        monomial.at[horizontal ? WP_X : WP_Y] = shift;
        struct wp_poly term = wp_poly_monomial(&monomial);
        struct wp_poly more = wp_poly_add(&sum, &term);
        wp_poly_free(&term);
        wp_poly_free(&sum);
        sum = more;
    }
    return sum;
}

// The 2-D polyphase matrix of a wavelet, from its filters.
static struct wp_matrix filter_bank(const struct wp_wavelet *wavelet)
{
    double *low = calloc(2 * WP_FILTER_SIZE, sizeof *low), *high = low + WP_FILTER_SIZE;
    assert_non_null(low);
    wp_wavelet_filters(wavelet, low, high);
    struct wp_matrix matrix = {.components = WP_COMPONENTS};
    for (int i = 0; i < WP_COMPONENTS; i++) {
        for (int j = 0; j < WP_COMPONENTS; j++) {
            struct wp_poly h = filter_component(low, high, wavelet->zeta, i & 1, j & 1, true);
            struct wp_poly v = filter_component(low, high, wavelet->zeta, i >> 1, j >> 1, false);
            matrix.at[i][j] = wp_poly_multiply(&h, &v);
            wp_poly_free(&h);
            wp_poly_free(&v);
        }
    }
    free(low);
    return matrix;
}

static void assert_same_matrix(const struct wp_matrix *a, const struct wp_matrix *b,
                               double tolerance, const char *label)
{
    const double distance = wp_matrix_distance(a, b, POINTS, SEED);
    if (!(distance <= tolerance))
        fail_msg("%s: the matrices differ by %g", label, distance);
}

static void check_product(const struct wp_scheme *scheme)
{
    struct wp_matrix product = wp_scheme_product(scheme);
    struct wp_scheme *lifting =
        make(&scheme->wavelet, WP_SCHEME_SEP_LIFTING, WP_FORM_PLAIN, scheme->direction);
    struct wp_matrix expected = wp_scheme_product(lifting);
    assert_same_matrix(&product, &expected, 1e-10, scheme->name);
    if (scheme->direction == WP_FORWARD) {
        struct wp_matrix bank = filter_bank(&scheme->wavelet);
        assert_same_matrix(&product, &bank, 1e-9, scheme->name);
        wp_matrix_free(&bank);
    } else {
        struct wp_scheme *forward =
            make(&scheme->wavelet, (int)(scheme->kind - wp_scheme_kinds), scheme->form, WP_FORWARD);
        struct wp_matrix both = wp_scheme_product(forward);
        wp_matrix_apply(&both, &product);
        struct wp_matrix identity = wp_matrix_identity(WP_COMPONENTS);
        assert_same_matrix(&both, &identity, 1e-9, scheme->name);
        wp_matrix_free(&identity);
        wp_matrix_free(&both);
        wp_scheme_destroy(&forward);
    }
    wp_matrix_free(&expected);
    wp_matrix_free(&product);
    wp_scheme_destroy(&lifting);
}

static void test_products(void **state)
{
    (void)state;
    for_every_scheme(check_product);
}

// The comparison of test_products() detects a wrong tap.
static void test_product_detects_a_wrong_tap(void **state)
{
    (void)state;
    struct wp_wavelet wrong = *table_wavelet("cdf97");
    wrong.pair[1].update.tap[0].c += 1e-6;
    struct wp_scheme *a = make(&wrong, WP_SCHEME_NONSEP_LIFTING, WP_FORM_SHADER, WP_FORWARD);
    struct wp_scheme *b = make(table_wavelet("cdf97"), WP_SCHEME_SEP_LIFTING, WP_FORM_PLAIN,
                               WP_FORWARD);
    struct wp_matrix p = wp_scheme_product(a), q = wp_scheme_product(b);
    assert_true(wp_matrix_distance(&p, &q, POINTS, SEED) > 1e-7);
    wp_matrix_free(&p);
    wp_matrix_free(&q);
    wp_scheme_destroy(&a);
    wp_scheme_destroy(&b);
}

static void check_shape(const struct wp_scheme *scheme)
{
    assert_true(scheme->pass_count >= 1);
    char name[96];
    snprintf(name, sizeof name, "%s/%s/%s", scheme->wavelet.name, scheme->kind->name,
             wp_form_names[scheme->form]);
    assert_string_equal(scheme->name, name);
    if (scheme->kind->grouping == WP_GROUP_ALL)
        assert_true(scheme->pass_count <= (scheme->kind->fusion == WP_FUSE_NONE ? 2 : 1));
    int operations = 0, fetches = 0;
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        assert_true(pass->label[0] != '\0');
        assert_true(strlen(pass->label) < sizeof pass->label - 1); // not truncated
        assert_true(pass->reach.low[WP_X] <= 0 && pass->reach.high[WP_X] >= 0);
        assert_true(pass->reach.low[WP_Y] <= 0 && pass->reach.high[WP_Y] >= 0);
        if (scheme->form == WP_FORM_PLAIN)
            assert_int_equal(pass->before_count + pass->after_count, 0);
        // A render pass cannot change its neighbors before it reads them.
        if (scheme->form == WP_FORM_SHADER && pass->before_count)
            assert_true(wp_matrix_is_local(&pass->core));
        operations += wp_pass_operations(pass);
        fetches += pass->reach.fetches;
    }
    assert_int_equal(operations, wp_scheme_operations(scheme));
    assert_int_equal(fetches, wp_scheme_fetches(scheme));
}

static void test_shapes(void **state)
{
    (void)state;
    for_every_scheme(check_shape);
}

// The optimization never adds operations, and saves at least as many in blocks as in shaders.
static void test_optimization_saves_operations(void **state)
{
    (void)state;
    for (int w = 0; wp_wavelet_table[w]; w++) {
        for (int kind = 0; kind < WP_SCHEME_KINDS; kind++) {
            int operations[WP_FORM_COUNT];
            for (int form = 0; form < WP_FORM_COUNT; form++) {
                struct wp_scheme *scheme =
                    make(wp_wavelet_table[w], kind, (enum wp_form)form, WP_FORWARD);
                operations[form] = wp_scheme_operations(scheme);
                wp_scheme_destroy(&scheme);
            }
            assert_true(operations[WP_FORM_BLOCK] <= operations[WP_FORM_SHADER]);
            assert_true(operations[WP_FORM_SHADER] <= operations[WP_FORM_PLAIN]);
        }
    }
}

static void test_polyconvolution_of_one_pair(void **state)
{
    (void)state;
    static const int kinds[][2] = {
        {WP_SCHEME_SEP_POLYCONVOLUTION, WP_SCHEME_SEP_CONVOLUTION},
        {WP_SCHEME_NONSEP_POLYCONVOLUTION, WP_SCHEME_NONSEP_CONVOLUTION},
    };
    for (int w = 0; wp_wavelet_table[w]; w++) {
        const struct wp_wavelet *wavelet = wp_wavelet_table[w];
        for (int k = 0; k < COUNT(kinds); k++) {
            struct wp_scheme *poly = make(wavelet, kinds[k][0], WP_FORM_SHADER, WP_FORWARD);
            struct wp_scheme *convolution =
                make(wavelet, kinds[k][1], WP_FORM_SHADER, WP_FORWARD);
            assert_null(convolution->note);
            if (wavelet->pairs > 1) {
                assert_null(poly->note);
                assert_true(poly->pass_count > convolution->pass_count);
            } else {
                assert_non_null(poly->note);
                assert_int_equal(poly->pass_count, convolution->pass_count);
                for (int p = 0; p < poly->pass_count; p++) {
                    assert_string_equal(poly->pass[p].label, convolution->pass[p].label);
                    assert_same_matrix(&poly->pass[p].core, &convolution->pass[p].core, 0,
                                       poly->name);
                }
            }
            wp_scheme_destroy(&poly);
            wp_scheme_destroy(&convolution);
        }
    }
}

// Haar reads no neighbors: without the constant steps no barrier is needed.
static void test_haar_collapses(void **state)
{
    (void)state;
    for (int kind = 0; kind < WP_SCHEME_KINDS; kind++) {
        for (int d = WP_FORWARD; d <= WP_INVERSE; d++) {
            struct wp_scheme *scheme =
                make(table_wavelet("haar"), kind, WP_FORM_SHADER, (enum wp_direction)d);
            assert_int_equal(scheme->pass_count, 1);
            assert_int_equal(wp_scheme_fetches(scheme), 1);
            assert_int_equal(wp_scheme_operations(scheme), 8);
            wp_scheme_destroy(&scheme);
        }
    }
    struct wp_scheme *plain =
        make(table_wavelet("haar"), WP_SCHEME_SEP_LIFTING, WP_FORM_PLAIN, WP_FORWARD);
    assert_int_equal(plain->pass_count, 4);
    wp_scheme_destroy(&plain);
}

// An axis of one sample is omitted: its components do not mix and are not scaled.
static void test_one_axis(void **state)
{
    (void)state;
    for (int w = 0; wp_wavelet_table[w]; w++) {
        for (int kind = 0; kind < WP_SCHEME_KINDS; kind++) {
            for (int axis = WP_AXIS_H; axis <= WP_AXIS_V; axis++) {
                const struct wp_scheme_params params = {
                    .wavelet = wp_wavelet_table[w],
                    .kind = &wp_scheme_kinds[kind],
                    .axes = (enum wp_axis)axis,
                    .norm = WP_NORM_ORTHONORMAL,
                };
                struct wp_scheme *scheme = wp_scheme_create(&params);
                struct wp_matrix product = wp_scheme_product(scheme);
                const int other = 3 - axis; // the bit of the components along the other axis
                for (int i = 0; i < WP_COMPONENTS; i++)
                    for (int j = 0; j < WP_COMPONENTS; j++)
                        if ((i ^ j) & other)
                            assert_int_equal(product.at[i][j].count, 0);
                for (int p = 0; p < scheme->pass_count; p++) {
                    const struct wp_reach reach = scheme->pass[p].reach;
                    assert_int_equal(axis == WP_AXIS_H ? reach.high[WP_Y] - reach.low[WP_Y]
                                                       : reach.high[WP_X] - reach.low[WP_X], 0);
                }
                const double low = sqrt(2.0) / params.wavelet->zeta;
                for (int c = 0; c < WP_COMPONENTS; c++) {
                    assert_true(fabs(scheme->scale_out[c] - (c & axis ? 1 / low : low)) < 1e-15);
                    assert_true(scheme->scale_in[c] == 1.0);
                }
                wp_matrix_free(&product);
                wp_scheme_destroy(&scheme);
            }
        }
    }
}

static void test_scaling(void **state)
{
    (void)state;
    struct wp_wavelet wavelet = *table_wavelet("cdf97");
    for (int norm = 0; norm < WP_NORM_COUNT; norm++) {
        struct wp_scheme_params params = {.wavelet = &wavelet,
                                          .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                                          .norm = (enum wp_norm)norm};
        struct wp_scheme *forward = wp_scheme_create(&params);
        params.direction = WP_INVERSE;
        struct wp_scheme *inverse = wp_scheme_create(&params);
        const double zeta2 = wavelet.zeta * wavelet.zeta;
        const double expected = norm == WP_NORM_NONE                           ? 1
                                : wp_norm_is_orthonormal((enum wp_norm)norm) ? 2 / zeta2
                                                                             : 1 / zeta2;
        const double sign = norm == WP_NORM_PYWT ? -1 : 1; // 10 taps
        assert_true(fabs(forward->scale_out[0] - expected) < 1e-12);
        assert_true(fabs(forward->scale_out[1] - sign) < 1e-12);
        assert_true(fabs(forward->scale_out[3] - 1 / expected) < 1e-12);
        for (int c = 0; c < WP_COMPONENTS; c++) {
            assert_true(fabs(forward->scale_out[c] * inverse->scale_in[c] - 1) < 1e-12);
            assert_true(forward->scale_in[c] == 1.0 && inverse->scale_out[c] == 1.0);
            // The gain is that of this normalization relative to jpeg2000.
            const double jpeg2000 = c == 0 ? 1 / zeta2 : c == 3 ? zeta2 : 1;
            assert_true(fabs(fabs(forward->scale_out[c]) / jpeg2000 -
                             wp_norm_gain(&wavelet, (enum wp_norm)norm, WP_AXIS_BOTH,
                                          (unsigned)c)) < 1e-12);
        }
        const double low = wp_norm_gain(&wavelet, (enum wp_norm)norm, WP_AXIS_D, 0);
        for (unsigned c = 0; c < WP_COMPONENTS_MAX; c++) {
            const double plane =
                wp_norm_gain(&wavelet, (enum wp_norm)norm, WP_AXIS_BOTH, c % WP_COMPONENTS);
            assert_true(fabs(wp_norm_gain(&wavelet, (enum wp_norm)norm, WP_AXIS_ALL, c) -
                             plane * (c & 4 ? 1 / low : low)) < 1e-12);
        }
        assert_true(fabs(low * low - wp_norm_gain(&wavelet, (enum wp_norm)norm, WP_AXIS_BOTH, 0)) <
                    1e-12);
        wp_scheme_destroy(&forward);
        wp_scheme_destroy(&inverse);
    }
}

static void keep_message(void *user, enum wp_log_level level, const char *message)
{
    assert_int_equal(level, WP_LOG_ERROR);
    snprintf(user, 256, "%s", message);
}

static void test_names(void **state)
{
    (void)state;
    for (int kind = 0; kind < WP_SCHEME_KINDS; kind++) {
        assert_ptr_equal(wp_scheme_kind_find(wp_scheme_kinds[kind].name, 2),
                         &wp_scheme_kinds[kind]);
        assert_ptr_equal(wp_scheme_kind_find(wp_scheme_kinds[kind].alias, 2),
                         &wp_scheme_kinds[kind]);
        assert_non_null(wp_scheme_kinds[kind].summary);
    }
    char message[256] = "";
    wp_log_set_handler(keep_message, message);
    wp_clear_error();
    assert_null(wp_scheme_kind_find("nonsep-liftign", 2));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_non_null(strstr(message, "unknown scheme 'nonsep-liftign'"));
    assert_non_null(strstr(message, "did you mean 'nonsep-lifting'?"));
    assert_null(wp_scheme_kind_find("ns-pol", 2));
    assert_non_null(strstr(message, "did you mean 'ns-poly'?"));
    assert_null(wp_scheme_kind_find("fourier-transform", 2));
    assert_null(strstr(message, "did you mean"));
    assert_null(wp_scheme_kind_find("", 2));
    wp_log_set_handler(NULL, NULL);
}

// The more steps are fused, the more terms a pass has; schemes above the limit are rejected before
// they are created.
static void test_terms(void **state)
{
    (void)state;
    const struct wp_wavelet *wavelet = table_wavelet("cdf97");
    const int kinds[] = {WP_SCHEME_SEP_LIFTING, WP_SCHEME_NONSEP_LIFTING,
                         WP_SCHEME_NONSEP_POLYCONVOLUTION};
    double before = 0;
    for (int k = 0; k < COUNT(kinds); k++) {
        const double terms = wp_scheme_terms(&(struct wp_scheme_params){
            .wavelet = wavelet, .kind = &wp_scheme_kinds[kinds[k]]});
        assert_true(terms > before);
        before = terms;
    }
    assert_true(before < WP_SCHEME_TERMS_MAX);
}

static void test_destroy(void **state)
{
    (void)state;
    struct wp_scheme *none = NULL;
    wp_scheme_destroy(&none);
    struct wp_scheme *scheme =
        make(table_wavelet("cdf53"), WP_SCHEME_SEP_LIFTING, WP_FORM_SHADER, WP_FORWARD);
    wp_scheme_destroy(&scheme);
    assert_null(scheme);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_1),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_product_detects_a_wrong_tap),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_optimization_saves_operations),
        cmocka_unit_test(test_polyconvolution_of_one_pair),
        cmocka_unit_test(test_haar_collapses),
        cmocka_unit_test(test_one_axis),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_destroy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
