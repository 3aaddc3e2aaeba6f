// The schemes of volumes: 8x8 matrices over octets, compared with a table of counts, with each
// other and with the schemes of images. Properties that do not depend on the axes are tested in
// test_scheme.c.
#include "every_wavelet.h"
#include "log.h"
#include "scheme.h"

#include <complex.h>
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

enum { POINTS = 2, SEED = 20140301 };

static struct wp_scheme *make(const struct wp_scheme_params *given, int kind, enum wp_form form,
                              enum wp_direction direction)
{
    struct wp_scheme_params params = *given;
    params.kind = &wp_scheme_kinds[kind];
    params.form = form;
    params.direction = direction;
    struct wp_scheme *scheme = wp_scheme_create(&params);
    assert_non_null(scheme);
    assert_int_equal(scheme->dims, params.dims);
    return scheme;
}

static struct wp_scheme *make_volume(const struct wp_wavelet *wavelet, int kind, enum wp_form form,
                                     enum wp_direction direction)
{
    return make(&(struct wp_scheme_params){.wavelet = wavelet, .dims = 3}, kind, form, direction);
}

// Counts per octet, computed by a separate program in exact arithmetic by the rule of Table 1 of
// Barina et al. 2017; see test_scheme.c.
struct row {
    const char *wavelet;
    int kind, steps;
    int plain, block, shader;
    int reads[13]; // octets, one number per pass, terminated by 0
};

static const struct row table[] = {
    {"haar", WP_SCHEME_SEP_LIFTING, 6, 24, 24, 24, {1, 1, 1, 1, 1, 1}},
    {"haar", WP_SCHEME_PLANAR_LIFTING, 4, 28, 24, 24, {1, 1, 1, 1}},
    {"haar", WP_SCHEME_NONSEP_LIFTING, 2, 38, 24, 24, {1, 1}},
    {"haar", WP_SCHEME_SEP_CONVOLUTION, 3, 36, 24, 24, {1, 1, 1}},
    {"haar", WP_SCHEME_PLANAR_CONVOLUTION, 2, 42, 24, 26, {1, 1}},
    {"haar", WP_SCHEME_NONSEP_CONVOLUTION, 1, 63, 24, 31, {1}},
    {"cdf53", WP_SCHEME_SEP_CONVOLUTION, 3, 84, 60, 64, {3, 3, 3}},
    {"cdf53", WP_SCHEME_SEP_LIFTING, 6, 48, 48, 48, {2, 2, 2, 2, 2, 2}},
    {"cdf53", WP_SCHEME_PLANAR_CONVOLUTION, 2, 154, 66, 98, {9, 3}},
    {"cdf53", WP_SCHEME_PLANAR_LIFTING, 4, 64, 52, 52, {4, 2, 4, 2}},
    {"cdf53", WP_SCHEME_NONSEP_CONVOLUTION, 1, 511, 87, 227, {27}},
    {"cdf53", WP_SCHEME_NONSEP_LIFTING, 2, 112, 62, 62, {8, 8}},
    {"cdf97", WP_SCHEME_SEP_CONVOLUTION, 3, 192, 168, 172, {5, 5, 5}},
    {"cdf97", WP_SCHEME_SEP_POLYCONVOLUTION, 6, 168, 120, 124, {3, 3, 3, 3, 3, 3}},
    {"cdf97", WP_SCHEME_SEP_LIFTING, 12, 96, 96, 96, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
    {"cdf97", WP_SCHEME_PLANAR_CONVOLUTION, 2, 576, 360, 456, {25, 5}},
    {"cdf97", WP_SCHEME_PLANAR_POLYCONVOLUTION, 4, 308, 132, 164, {9, 3, 9, 3}},
    {"cdf97", WP_SCHEME_PLANAR_LIFTING, 8, 128, 104, 104, {4, 2, 4, 2, 4, 2, 4, 2}},
    {"cdf97", WP_SCHEME_NONSEP_CONVOLUTION, 1, 4096, 1752, 2756, {125}},
    {"cdf97", WP_SCHEME_NONSEP_POLYCONVOLUTION, 2, 1022, 174, 314, {27, 27}},
    {"cdf97", WP_SCHEME_NONSEP_LIFTING, 4, 224, 124, 124, {8, 8, 8, 8}},
    {"dd137", WP_SCHEME_SEP_CONVOLUTION, 3, 180, 180, 180, {7, 7, 7}},
    {"dd137", WP_SCHEME_SEP_LIFTING, 6, 96, 96, 96, {4, 4, 4, 4, 4, 4}},
    {"dd137", WP_SCHEME_PLANAR_CONVOLUTION, 2, 570, 466, 516, {49, 7}},
    {"dd137", WP_SCHEME_PLANAR_LIFTING, 4, 160, 132, 132, {16, 4, 16, 4}},
    {"dd137", WP_SCHEME_NONSEP_CONVOLUTION, 1, 4095, 2767, 3386, {343}},
    {"dd137", WP_SCHEME_NONSEP_LIFTING, 2, 416, 258, 258, {64, 64}},
};

// The counts 26 and 31 leave T_P of Haar's first pass in its core, because a shader cannot change
// its neighbors before it reads them. Haar reads no neighbors: its constant steps run first, as in
// blocks, and its convolutions have 24 operations, as its other schemes.
static int expected_operations(const struct row *row, enum wp_form form)
{
    const bool is_haar = strcmp(row->wavelet, "haar") == 0;
    return form == WP_FORM_PLAIN             ? row->plain
           : form == WP_FORM_BLOCK || is_haar ? row->block
                                            : row->shader;
}

// With the optimization, Haar has no pass after a barrier.
static int expected_steps(const struct row *row, enum wp_form form)
{
    return form != WP_FORM_PLAIN && strcmp(row->wavelet, "haar") == 0 ? 1 : row->steps;
}

static void check_row(const struct row *row, enum wp_form form, enum wp_direction direction)
{
    struct wp_scheme *scheme = make_volume(table_wavelet(row->wavelet), row->kind, form, direction);
    const int operations = wp_scheme_operations(scheme), steps = expected_steps(row, form);
    if (scheme->pass_count != steps || operations != expected_operations(row, form))
        fail_msg("%s, %s: %d steps, %d operations; not %d, %d", scheme->name,
                 wp_direction_names[direction], scheme->pass_count, operations, steps,
                 expected_operations(row, form));
    int reads = 0;
    for (int p = 0; p < scheme->pass_count; p++) {
        // The inverse processes the axes in the same order, so the counts have the same order.
        if (scheme->pass[p].reach.fetches != row->reads[p])
            fail_msg("%s, %s: pass %d reads %d octets, not %d", scheme->name,
                     wp_direction_names[direction], p + 1, scheme->pass[p].reach.fetches,
                     row->reads[p]);
        reads += row->reads[p];
    }
    assert_int_equal(wp_scheme_fetches(scheme), reads);
    if (steps == row->steps)
        assert_int_equal(row->reads[steps], 0);
    wp_scheme_destroy(&scheme);
}

static void test_table(void **state)
{
    (void)state;
    for (int r = 0; r < COUNT(table); r++)
        for (int form = 0; form < WP_FORM_COUNT; form++)
            for (int d = WP_FORWARD; d <= WP_INVERSE; d++)
                check_row(&table[r], (enum wp_form)form, (enum wp_direction)d);
}

static void assert_same_matrix(const struct wp_matrix *a, const struct wp_matrix *b,
                               double tolerance, const char *label)
{
    assert_int_equal(a->components, b->components);
    const double distance = wp_matrix_distance(a, b, POINTS, SEED);
    if (!(distance <= tolerance))
        fail_msg("%s: the matrices differ by %g", label, distance);
}

// The values of a product at a point.
struct values {
    double complex at[WP_COMPONENTS_MAX][WP_COMPONENTS_MAX];
};

static void evaluate(const struct wp_matrix *matrix, struct values *values)
{
    static const double angle[WP_VARIABLES] = {0.83, 2.11, -1.37};
    double complex z[WP_VARIABLES];
    for (int v = 0; v < WP_VARIABLES; v++)
        z[v] = cexp(I * angle[v]);
    for (int i = 0; i < WP_COMPONENTS_MAX; i++)
        for (int j = 0; j < WP_COMPONENTS_MAX; j++)
            values->at[i][j] = wp_poly_evaluate(&matrix->at[i][j], z);
}

// Compares values, because the polynomials have thousands of terms.
static void assert_inverse(const struct wp_matrix *forward, const struct wp_matrix *inverse,
                           const char *label)
{
    struct values f, g;
    evaluate(forward, &f);
    evaluate(inverse, &g);
    for (int i = 0; i < WP_COMPONENTS_MAX; i++) {
        for (int j = 0; j < WP_COMPONENTS_MAX; j++) {
            double complex sum = i == j ? -1 : 0;
            for (int k = 0; k < WP_COMPONENTS_MAX; k++)
                sum += g.at[i][k] * f.at[k][j];
            if (!(cabs(sum) <= 1e-9))
                fail_msg("%s: the inverse is off by %g at %d, %d", label, cabs(sum), i, j);
        }
    }
}

// `lifting` is the expected product for each direction.
static void check_products(const struct wp_wavelet *wavelet, int kind, enum wp_form form,
                           const struct wp_matrix lifting[2])
{
    struct wp_matrix product[2];
    int operations[2];
    for (int d = WP_FORWARD; d <= WP_INVERSE; d++) {
        struct wp_scheme *scheme = make_volume(wavelet, kind, form, (enum wp_direction)d);
        product[d] = wp_scheme_product(scheme);
        operations[d] = wp_scheme_operations(scheme);
        assert_same_matrix(&product[d], &lifting[d], 1e-9, scheme->name);
        wp_scheme_destroy(&scheme);
    }
    assert_inverse(&product[WP_FORWARD], &product[WP_INVERSE], wavelet->name);
    // The optimization differs if predict and update do, so only the plain counts are equal.
    if (form == WP_FORM_PLAIN)
        assert_int_equal(operations[WP_FORWARD], operations[WP_INVERSE]);
    wp_matrix_free(&product[WP_FORWARD]);
    wp_matrix_free(&product[WP_INVERSE]);
}

static void test_products(void **state)
{
    (void)state;
    struct wp_wavelet *list = calloc(EVERY_WAVELET_MAX, sizeof *list);
    assert_non_null(list);
    const int count = every_wavelet(list);
    for (int w = 0; w < count; w++) {
        struct wp_matrix lifting[2];
        for (int d = WP_FORWARD; d <= WP_INVERSE; d++) {
            struct wp_scheme *scheme = make_volume(&list[w], WP_SCHEME_SEP_LIFTING, WP_FORM_PLAIN,
                                                   (enum wp_direction)d);
            lifting[d] = wp_scheme_product(scheme);
            wp_scheme_destroy(&scheme);
        }
        for (int kind = 0; kind < WP_SCHEME_VOLUME_KINDS; kind++)
            for (int form = 0; form < WP_FORM_COUNT; form++)
                check_products(&list[w], kind, (enum wp_form)form, lifting);
        wp_matrix_free(&lifting[WP_FORWARD]);
        wp_matrix_free(&lifting[WP_INVERSE]);
    }
    free(list);
}

// The comparison of test_products() detects a wrong tap.
static void test_product_detects_a_wrong_tap(void **state)
{
    (void)state;
    struct wp_wavelet wrong = *table_wavelet("cdf97");
    wrong.pair[1].update.tap[0].c += 1e-6;
    struct wp_scheme *scheme[] = {
        make_volume(&wrong, WP_SCHEME_PLANAR_LIFTING, WP_FORM_SHADER, WP_FORWARD),
        make_volume(table_wavelet("cdf97"), WP_SCHEME_SEP_LIFTING, WP_FORM_PLAIN, WP_FORWARD),
    };
    struct wp_matrix product[] = {wp_scheme_product(scheme[0]), wp_scheme_product(scheme[1])};
    assert_true(wp_matrix_distance(&product[0], &product[1], POINTS, SEED) > 1e-7);
    for (int i = 0; i < 2; i++) {
        wp_matrix_free(&product[i]);
        wp_scheme_destroy(&scheme[i]);
    }
}

static void assert_same_poly(const struct wp_poly *a, const struct wp_poly *b)
{
    assert_int_equal(a->count, b->count);
    for (int t = 0; t < a->count; t++) {
        assert_memory_equal(a->term[t].at, b->term[t].at, sizeof a->term[t].at);
        assert_true(!(fabs(a->term[t].c - b->term[t].c) > 0));
    }
}

// A pass over octets without steps along z equals a pass over the quads of each slice.
static void check_slices(const struct wp_scheme *volume, const struct wp_scheme *image)
{
    assert_int_equal(volume->pass_count, image->pass_count);
    for (int p = 0; p < volume->pass_count; p++) {
        const struct wp_pass *v = &volume->pass[p], *i = &image->pass[p];
        assert_string_equal(v->label, i->label);
        assert_int_equal(v->before_count, i->before_count);
        assert_int_equal(v->after_count, i->after_count);
        assert_int_equal(wp_pass_operations(v), 2 * wp_pass_operations(i));
        assert_memory_equal(&v->reach, &i->reach, sizeof v->reach);
        for (int row = 0; row < WP_COMPONENTS_MAX; row++) {
            for (int column = 0; column < WP_COMPONENTS_MAX; column++) {
                const struct wp_poly *entry = &v->core.at[row][column];
                if ((row ^ column) & WP_AXIS_D)
                    assert_int_equal(entry->count, 0);
                else
                    assert_same_poly(entry, &i->core.at[row & 3][column & 3]);
            }
        }
    }
    for (int c = 0; c < WP_COMPONENTS_MAX; c++) {
        assert_true(!(fabs(volume->scale_in[c] - image->scale_in[c & 3]) > 0));
        assert_true(!(fabs(volume->scale_out[c] - image->scale_out[c & 3]) > 0));
    }
}

static void test_images_in_volumes(void **state)
{
    (void)state;
    for (int w = 0; wp_wavelet_table[w]; w++) {
        for (int i = 0; i < WP_SCHEME_VOLUME_KINDS * WP_FORM_COUNT * 2 * 3; i++) {
            const int kind = i % WP_SCHEME_VOLUME_KINDS, rest = i / WP_SCHEME_VOLUME_KINDS;
            struct wp_scheme_params params = {
                .wavelet = wp_wavelet_table[w],
                .axes = (enum wp_axis)(1 + rest / WP_FORM_COUNT / 2),
                .norm = WP_NORM_ORTHONORMAL,
                .dims = 2,
            };
            const enum wp_form form = (enum wp_form)(rest % WP_FORM_COUNT);
            const enum wp_direction direction = (enum wp_direction)(rest / WP_FORM_COUNT % 2);
            struct wp_scheme *image = make(&params, kind, form, direction);
            params.dims = 3;
            struct wp_scheme *volume = make(&params, kind, form, direction);
            check_slices(volume, image);
            wp_scheme_destroy(&image);
            wp_scheme_destroy(&volume);
        }
    }
}

// For images, fusing the plane fuses all axes.
static void test_planar_schemes_of_images(void **state)
{
    (void)state;
    static const int kinds[][2] = {
        {WP_SCHEME_PLANAR_CONVOLUTION, WP_SCHEME_NONSEP_CONVOLUTION},
        {WP_SCHEME_PLANAR_POLYCONVOLUTION, WP_SCHEME_NONSEP_POLYCONVOLUTION},
        {WP_SCHEME_PLANAR_LIFTING, WP_SCHEME_NONSEP_LIFTING},
    };
    for (int i = 0; i < COUNT(kinds) * WP_FORM_COUNT; i++) {
        const struct wp_scheme_params params = {.wavelet = table_wavelet("cdf97"), .dims = 2};
        const enum wp_form form = (enum wp_form)(i / COUNT(kinds));
        struct wp_scheme *planar = make(&params, kinds[i % COUNT(kinds)][0], form, WP_FORWARD);
        struct wp_scheme *nonsep = make(&params, kinds[i % COUNT(kinds)][1], form, WP_FORWARD);
        assert_int_equal(planar->pass_count, nonsep->pass_count);
        for (int p = 0; p < planar->pass_count; p++) {
            assert_string_equal(planar->pass[p].label, nonsep->pass[p].label);
            assert_same_matrix(&planar->pass[p].core, &nonsep->pass[p].core, 0, planar->name);
        }
        wp_scheme_destroy(&planar);
        wp_scheme_destroy(&nonsep);
    }
}

// The entries of steps along one axis equal those along another with permuted positions and
// components.
static void test_axes_are_equivalent(void **state)
{
    (void)state;
    for (int w = 0; wp_wavelet_table[w]; w++) {
        struct wp_matrix product[WP_DIMS_MAX];
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            const struct wp_scheme_params params = {
                .wavelet = wp_wavelet_table[w], .dims = 3, .axes = (enum wp_axis)(1 << a)};
            struct wp_scheme *scheme =
                make(&params, WP_SCHEME_SEP_CONVOLUTION, WP_FORM_SHADER, WP_FORWARD);
            product[a] = wp_scheme_product(scheme);
            const struct wp_reach reach = wp_scheme_reach(scheme);
            for (int b = 0; b < WP_DIMS_MAX; b++)
                assert_true(b == a || (reach.low[b] == 0 && reach.high[b] == 0));
            wp_scheme_destroy(&scheme);
        }
        for (int a = 1; a < WP_DIMS_MAX; a++) {
            for (int i = 0; i < 4; i++) {
                const struct wp_poly *x = &product[0].at[i & 1][i >> 1];
                const struct wp_poly *other = &product[a].at[(i & 1) << a][(i >> 1) << a];
                assert_int_equal(x->count, other->count);
                for (int t = 0; t < x->count; t++) {
                    assert_int_equal(x->term[t].at[WP_X], other->term[t].at[a]);
                    assert_true(!(fabs(x->term[t].c - other->term[t].c) > 0));
                }
            }
        }
        for (int a = 0; a < WP_DIMS_MAX; a++)
            wp_matrix_free(&product[a]);
    }
}

static void check_shape(const struct wp_scheme *scheme)
{
    static const int most[] = {[WP_FUSE_NONE] = 3, [WP_FUSE_PLANE] = 2, [WP_FUSE_ALL] = 1};
    assert_true(scheme->pass_count >= 1);
    assert_int_equal(scheme->axes, WP_AXIS_ALL);
    if (scheme->kind->grouping == WP_GROUP_ALL)
        assert_true(scheme->pass_count <= most[scheme->kind->fusion]);
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        assert_int_equal(pass->core.components, WP_COMPONENTS_MAX);
        assert_true(pass->label[0] && strlen(pass->label) < sizeof pass->label - 1);
        for (int a = 0; a < WP_DIMS_MAX; a++)
            assert_true(pass->reach.low[a] <= 0 && pass->reach.high[a] >= 0);
        if (scheme->form == WP_FORM_PLAIN)
            assert_int_equal(pass->before_count + pass->after_count, 0);
        // A render pass cannot change its neighbors before it reads them.
        if (scheme->form == WP_FORM_SHADER && pass->before_count)
            assert_true(wp_matrix_is_local(&pass->core));
    }
}

// The optimization never adds operations, and saves at least as many in blocks as in shaders.
static void test_optimization_saves_operations(void **state)
{
    (void)state;
    for (int w = 0; wp_wavelet_table[w]; w++) {
        for (int i = 0; i < WP_SCHEME_VOLUME_KINDS * 2; i++) {
            int operations[WP_FORM_COUNT];
            for (int form = 0; form < WP_FORM_COUNT; form++) {
                struct wp_scheme *scheme =
                    make_volume(wp_wavelet_table[w], i / 2, (enum wp_form)form,
                                (enum wp_direction)(i % 2));
                operations[form] = wp_scheme_operations(scheme);
                check_shape(scheme);
                wp_scheme_destroy(&scheme);
            }
            assert_true(operations[WP_FORM_BLOCK] <= operations[WP_FORM_SHADER]);
            assert_true(operations[WP_FORM_SHADER] <= operations[WP_FORM_PLAIN]);
        }
    }
}

// The maximum number of lifting pairs: labels and lists are not truncated.
static void test_most_pairs(void **state)
{
    (void)state;
    struct wp_wavelet wavelet = *table_wavelet("haar");
    wavelet.pairs = WP_MAX_PAIRS;
    for (int p = 1; p < WP_MAX_PAIRS; p++)
        wavelet.pair[p] = wavelet.pair[0];
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS * WP_FORM_COUNT; i++) {
        struct wp_scheme *scheme = make_volume(&wavelet, i / WP_FORM_COUNT,
                                               (enum wp_form)(i % WP_FORM_COUNT), WP_INVERSE);
        check_shape(scheme);
        if (scheme->kind->grouping == WP_GROUP_STEP && scheme->form != WP_FORM_PLAIN)
            assert_int_equal(wp_scheme_operations(scheme), 24 * WP_MAX_PAIRS);
        wp_scheme_destroy(&scheme);
    }
}

static void test_scaling(void **state)
{
    (void)state;
    const struct wp_wavelet *wavelet = table_wavelet("cdf97");
    const double low = 1 / wavelet->zeta; // of the normalization jpeg2000
    for (unsigned axes = 1; axes <= WP_AXIS_ALL; axes++) {
        const struct wp_scheme_params params = {
            .wavelet = wavelet, .dims = 3, .axes = (enum wp_axis)axes};
        struct wp_scheme *forward = make(&params, WP_SCHEME_PLANAR_LIFTING, 0, WP_FORWARD);
        struct wp_scheme *inverse = make(&params, WP_SCHEME_PLANAR_LIFTING, 0, WP_INVERSE);
        for (unsigned c = 0; c < WP_COMPONENTS_MAX; c++) {
            double gain = 1;
            for (unsigned a = 0; a < WP_DIMS_MAX; a++)
                gain *= !(axes >> a & 1) ? 1 : c >> a & 1 ? 1 / low : low;
            assert_true(fabs(forward->scale_out[c] - gain) < 1e-12);
            assert_true(fabs(inverse->scale_in[c] * gain - 1) < 1e-12);
            assert_true(!(fabs(forward->scale_in[c] - 1) > 0));
            assert_true(!(fabs(inverse->scale_out[c] - 1) > 0));
        }
        wp_scheme_destroy(&forward);
        wp_scheme_destroy(&inverse);
    }
}

static void keep_message(void *user, enum wp_log_level level, const char *message)
{
    assert_int_equal(level, WP_LOG_ERROR);
    snprintf(user, 256, "%s", message);
}

// Volumes have all schemes; for images the error message of a planar scheme names the equivalent
// one.
static void test_names(void **state)
{
    (void)state;
    static const char *const instead[] = {"nonsep-convolution", "nonsep-polyconvolution",
                                          "nonsep-lifting"};
    char message[256] = "", expected[64];
    wp_log_set_handler(keep_message, message);
    for (int k = 0; k < WP_SCHEME_VOLUME_KINDS; k++) {
        const struct wp_scheme_kind *kind = &wp_scheme_kinds[k];
        const bool planar = k >= WP_SCHEME_KINDS;
        assert_ptr_equal(wp_scheme_kind_named(kind->name), kind);
        assert_ptr_equal(wp_scheme_kind_find(kind->name, 3), kind);
        assert_ptr_equal(wp_scheme_kind_find(kind->alias, 3), kind);
        assert_ptr_equal(wp_scheme_kind_find(kind->name, 2), planar ? NULL : kind);
        assert_ptr_equal(wp_scheme_kind_find(kind->alias, 2), planar ? NULL : kind);
        if (planar) {
            assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
            assert_non_null(strstr(message, "is only for volumes"));
            snprintf(expected, sizeof expected, "'%s'", instead[k - WP_SCHEME_KINDS]);
            assert_non_null(strstr(message, expected));
        }
    }
    assert_null(wp_scheme_kind_find("planar-liftign", 3));
    assert_non_null(strstr(message, "did you mean 'planar-lifting'?"));
    wp_log_set_handler(NULL, NULL);
    struct wp_scheme *scheme = make_volume(table_wavelet("cdf97"), WP_SCHEME_PLANAR_LIFTING,
                                           WP_FORM_SHADER, WP_FORWARD);
    assert_string_equal(scheme->name, "cdf97/planar-lifting/optimized");
    assert_string_equal(scheme->pass[0].label, "T^V_P0(1) T^H_P0(1) T^V_P1(1) T^H_P1(1)");
    assert_string_equal(scheme->pass[1].label, "T^D_P0(1) T^D_P1(1)");
    wp_scheme_destroy(&scheme);
}

// Each kind appears once, ordered by the number of fused axes; kinds for images are in the order of
// the table.
static void test_order(void **state)
{
    (void)state;
    for (int k = 0; k <= WP_SCHEME_KINDS; k++)
        assert_ptr_equal(wp_scheme_kind_at(2, k),
                         k < WP_SCHEME_KINDS ? &wp_scheme_kinds[k] : NULL);
    unsigned found = 0;
    for (int k = 0; k < WP_SCHEME_VOLUME_KINDS; k++) {
        const struct wp_scheme_kind *kind = wp_scheme_kind_at(3, k);
        assert_int_equal(kind->fusion, k / 3);
        assert_int_equal(kind->grouping, 2 - k % 3);
        found |= 1U << (kind - wp_scheme_kinds);
        assert_non_null(wp_scheme_kind_summary(kind, 3));
    }
    assert_int_equal(found, (1U << WP_SCHEME_VOLUME_KINDS) - 1);
    assert_null(wp_scheme_kind_at(3, WP_SCHEME_VOLUME_KINDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_product_detects_a_wrong_tap),
        cmocka_unit_test(test_images_in_volumes),
        cmocka_unit_test(test_planar_schemes_of_images),
        cmocka_unit_test(test_axes_are_equivalent),
        cmocka_unit_test(test_optimization_saves_operations),
        cmocka_unit_test(test_most_pairs),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
