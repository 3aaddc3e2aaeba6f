// Adjoints: <W x, y> = <x, W* y>, where W* is the transposed matrix of W, for
// both directions.
//
//     test_adjoint BACKEND [f64]
//
// With f64 operands have that type, in which only `reference` and `cpu` compute: a few wavelets if a
// sample is selected (sample.h), else all of them, with all norms for each border.
#include "sample.h"
#include "transform.h"
#include "wavelet_growth.h"
#include "wavepass.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *backend = "reference";
static bool compiles; // the backend compiles a program per wavelet
static bool brief;    // only a few wavelets and sizes
static bool wide;     // operands are f64

// The largest difference of two products, for borders without and with lines through samples.
static struct {
    double difference;
    char text[256];
} worst[2];

enum { NORMS = 4 };
static const char *const norms[NORMS] = {"jpeg2000", "orthonormal", "none", "pywt"};
static const char *const layouts[] = {"mallat", "mixed"};

static unsigned seed = 1;

static double random_float(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

// With as many digits as the operands.
static double random_value(void)
{
    return wide ? random_float() + random_float() / (1 << 24) : random_float();
}

static double *random_values(size_t n)
{
    double *x = malloc(n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = random_value();
    return x;
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static size_t samples_of(const struct wp_transform_params *p)
{
    return (size_t)p->width * (size_t)p->height * (size_t)(p->depth ? p->depth : 1) *
           (size_t)(p->planes ? p->planes : 1);
}

// The wavelet that is tested, and the relative error that is allowed: 1e-13 in doubles, 1e-6 in
// floats, and more for wavelets whose rounding errors grow more than those of Haar.
static struct {
    struct wp_wavelet wavelet;
    struct wp_wavelet_steps steps;
    double tolerance;
} now;

static void set_wavelet(const char *name)
{
    const double haar = 3.6e-6;
    if (strcmp(now.wavelet.name, name) == 0)
        return;
    assert_true(wp_wavelet_find(name, &now.wavelet));
    wp_wavelet_list_steps(&now.wavelet, now.wavelet.name, &now.steps);
    now.tolerance =
        wide ? 1e-13 : 1e-6 * fmax(1, wp_wavelet_error(&now.wavelet, 2, false, 0) / haar);
}

static const char *text_of(const struct wp_transform_params *p)
{
    static char text[256];
    snprintf(text, sizeof text, "%s, %s, %s, %s, %dx%dx%d, %d planes, %d and %d levels, %s",
             now.wavelet.name, p->border, p->norm ? p->norm : norms[0],
             p->layout ? p->layout : layouts[0], p->width, p->height, p->depth, p->planes,
             p->levels, p->levels_z, p->scheme ? p->scheme : "no scheme");
    return text;
}

static struct wp_transform *create(const struct wp_transform_params *params, bool adjoint)
{
    struct wp_transform_params p = *params;
    p.wavelet_data = &now.steps.data;
    p.adjoint = adjoint;
    p.backend = backend;
    p.threads = 1;
    struct wp_transform *t = wp_transform_create(&p);
    if (!t)
        fail_msg("%s: %s", text_of(params), wp_last_error_text());
    return t;
}

// An array of samples or coefficients, zero where a border with more coefficients than samples has
// none.
struct array {
    size_t count;
    double *data;
};

// The operand: the array, or a copy in floats.
static struct wp_operand operand_of(const struct array *array)
{
    struct wp_operand operand = {.data = array->data, .type = WP_ELEMENT_F64};
    if (!wide) {
        float *floats = malloc(array->count * sizeof *floats);
        assert_non_null(floats);
        for (size_t i = 0; i < array->count; i++)
            floats[i] = (float)array->data[i];
        operand = (struct wp_operand){.data = floats};
    }
    return operand;
}

static void run(struct wp_transform *t, bool inverse, const struct array *from,
                const struct array *to)
{
    const struct wp_operand in = operand_of(from), out = operand_of(to);
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(t, &in, &out))
        fail_msg("%s", wp_last_error_text());
    if (wide)
        return;
    for (size_t i = 0; i < to->count; i++)
        to->data[i] = (double)((const float *)out.data)[i];
    free(in.data);
    free(out.data);
}

static size_t elements_of(const struct wp_transform *t, const struct wp_transform_params *p)
{
    struct wp_band_info info = {0};
    ptrdiff_t end = 0;
    for (int i = 0; i < wp_transform_band_count(t); i++) {
        assert_true(wp_transform_get_band(t, i, &info));
        const ptrdiff_t last = info.offset + (info.width - 1) * info.stride[0] +
                               (info.height - 1) * info.stride[1] +
                               (info.depth - 1) * info.stride[2];
        if (info.width > 0 && info.height > 0 && info.depth > 0 && last >= end)
            end = last + 1;
    }
    const bool mixed = p->layout && strcmp(p->layout, "mixed") == 0;
    const ptrdiff_t slice = mixed ? 1 : info.stride[2];
    return (size_t)((end + slice - 1) / slice * slice) * (size_t)(p->planes ? p->planes : 1);
}

static void fill_bands(const struct wp_transform *t, const struct wp_transform_params *p,
                       struct array *array)
{
    struct wp_band_info info;
    const int planes = p->planes ? p->planes : 1;
    const size_t plane = array->count / (size_t)planes;
    for (int i = 0; i < wp_transform_band_count(t) * planes; i++) {
        assert_true(wp_transform_get_band(t, i / planes, &info));
        double *band = array->data + (size_t)(i % planes) * plane + info.offset;
        for (int z = 0; z < info.depth; z++)
            for (int y = 0; y < info.height; y++)
                for (int x = 0; x < info.width; x++)
                    band[x * info.stride[0] + y * info.stride[1] + z * info.stride[2]] =
                        random_value();
    }
}

static struct array create_array(const struct wp_transform *t, const struct wp_transform_params *p,
                                 bool coefficients)
{
    // Groups of slices have bands of one group.
    const bool expands = coefficients && strncmp(p->border, "pywt", 4) == 0;
    struct array array = {expands ? elements_of(t, p) : samples_of(p), NULL};
    array.data = calloc(array.count, sizeof *array.data);
    assert_non_null(array.data);
    if (expands)
        fill_bands(t, p, &array);
    for (size_t i = 0; i < array.count && !expands; i++)
        array.data[i] = random_value();
    return array;
}

static double norm_of(const struct array *array)
{
    return sqrt(product(array->data, array->data, array->count));
}

// <W x, y> = <x, W^T y> and <W^-1 y, x> = <y, (W^-1)^T x>; and the adjoints restore.
static void check_products(const struct wp_transform_params *params)
{
    struct wp_transform *w = create(params, false), *transposed = create(params, true);
    struct array x = create_array(w, params, false), y = create_array(w, params, true);
    struct array to_x = create_array(w, params, false), to_y = create_array(w, params, true);
    for (int inverse = 0; inverse < 2; inverse++) {
        run(inverse ? transposed : w, false, &x, &to_y);
        run(inverse ? w : transposed, true, &y, &to_x);
        const double scale = fmax(norm_of(&to_y) * norm_of(&y), norm_of(&to_x) * norm_of(&x));
        // Lines through two samples multiply their rounding errors; those of few samples do not
        // cancel.
        const bool lines =
            strstr(params->border, "smooth") || strstr(params->border, "antireflect");
        const double tolerance =
            now.tolerance * fmax(!lines ? 1 : wide ? 2 : 16, 4 / sqrt((double)x.count));
        const double difference =
            product(to_y.data, y.data, y.count) - product(x.data, to_x.data, x.count);
        if (fabs(difference) > worst[lines].difference * scale) {
            worst[lines].difference = fabs(difference) / scale;
            snprintf(worst[lines].text, sizeof worst[lines].text, "%s", text_of(params));
        }
        if (!(fabs(difference) <= tolerance * scale))
            fail_msg("%s, %s: the products differ by %g", text_of(params),
                     inverse ? "inverse" : "forward", fabs(difference) / scale);
    }
    run(transposed, false, &x, &to_y);
    run(transposed, true, &to_y, &to_x);
    double error = 0, largest = 1;
    for (size_t i = 0; i < x.count; i++)
        error = fmax(error, fabs(to_x.data[i] - x.data[i]));
    for (size_t i = 0; i < y.count; i++)
        largest = fmax(largest, fabs(to_y.data[i]));
    if (!(error <= 10 * now.tolerance * largest))
        fail_msg("%s: restored with an error of %g", text_of(params), error);
    wp_transform_destroy(&w);
    wp_transform_destroy(&transposed);
    free(x.data);
    free(y.data);
    free(to_x.data);
    free(to_y.data);
}

// The matrix of a transform, whose column i is the result for the unit vector
// i.
static double *matrix_of(struct wp_transform *t, bool inverse, size_t n)
{
    double *matrix = random_values(n * n), *unit = calloc(n, sizeof *unit);
    assert_non_null(unit);
    for (size_t i = 0; i < n; i++) {
        unit[i] = 1;
        run(t, inverse, &(struct array){n, unit}, &(struct array){n, matrix + i * n});
        unit[i] = 0;
    }
    free(unit);
    return matrix;
}

static void check_matrices(const struct wp_transform_params *params)
{
    const size_t n = samples_of(params);
    struct wp_transform *w = create(params, false), *transposed = create(params, true);
    for (int inverse = 0; inverse < 2; inverse++) {
        double *a = matrix_of(w, inverse, n), *b = matrix_of(transposed, !inverse, n);
        double largest = 0, error = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                largest = fmax(largest, fabs(a[i * n + j]));
                error = fmax(error, fabs(a[i * n + j] - b[j * n + i]));
            }
        // Filters that are longer than the signal wrap around it many times.
        if (!(error <= (wide ? 10 : 1) * now.tolerance * largest))
            fail_msg("%s, %s: the matrices differ by %g of %g", text_of(params),
                     inverse ? "inverse" : "forward", error, largest);
        free(a);
        free(b);
    }
    wp_transform_destroy(&w);
    wp_transform_destroy(&transposed);
}

// Is the wavelet one of the sample? These four always are.
static bool is_chosen(const char *name)
{
    static const char *const few[] = {"haar", "cdf97", "db2", "cdf13"};
    bool chosen = !brief && (!sample_is_selected() || sample_has_case());
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        chosen = chosen || strcmp(few[i], name) == 0;
    return chosen;
}

// Calls a function for every wavelet: table, files and families. Returns their
// number.
static int each_wavelet(void (*call)(void))
{
    char **names = wp_wavelet_names();
    int count = 0;
    assert_non_null(names);
    for (int family = 0; family < 2; family++) {
        const char *const *list = family ? wp_wavelet_family_names : (const char *const *)names;
        for (int i = 0; list[i]; i++) {
            if (!is_chosen(list[i]))
                continue;
            set_wavelet(list[i]);
            if (strcmp(now.wavelet.name, list[i]) == 0 && ++count) // not an alias
                call();
        }
    }
    wp_wavelet_free_names(names);
    return count;
}

static void check_periodic(void)
{
    static const int sizes[][2] = {{2, 2}, {8, 6}, {64, 1}, {1, 32}, {40, 24}, {128, 96}};
    for (int s = 0; s < 6; s++)
        for (int k = 0; k < 3; k++)
            for (int levels = 1; levels >= WP_LEVELS_MOST; levels -= 2)
                check_products(&(struct wp_transform_params)
                                   WP_TRANSFORM_PARAMS(.width = sizes[s][0], .height = sizes[s][1],
                                                       .border = "periodic", .norm = norms[k],
                                                       .layout = layouts[(s + k) % 2],
                                                       .scheme = "sep-lifting", .levels = levels));
}

static void test_products(void **state)
{
    (void)state;
    assert_true(each_wavelet(check_periodic) >= (brief || sample_is_selected() ? 3 : 70));
}

static void check_array(void)
{
    for (int k = 0; k < 3; k++) {
        check_products(
            &(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 12, .height = 8, .depth = 16,
                                                             .border = "periodic", .norm = norms[k],
                                                             .scheme = "sep-lifting", .levels = 2));
        check_products(
            &(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 16, .height = 16, .depth = 8,
                                                             .border = "periodic", .norm = norms[k],
                                                             .scheme = "sep-lifting", .levels = 3,
                                                             .levels_z = 2,
                                                             .decomposition = "spatial-temporal"));
        check_products(
            &(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 16, .height = 8, .planes = 11,
                                                             .border = "periodic", .norm = norms[k],
                                                             .scheme = "sep-lifting", .levels = 2));
    }
}

static void test_volumes_and_planes(void **state)
{
    (void)state;
    each_wavelet(check_array);
}

static void check_small_matrices(void)
{
    for (int k = 0; k < 3; k++)
        for (int size = 2; size <= 16; size += size < 8 ? 2 : 8)
            check_matrices(&(struct wp_transform_params)WP_TRANSFORM_PARAMS(
                    .width = size, .height = size > 8 ? 1 : size, .border = "periodic",
                    .norm = norms[k], .scheme = "sep-lifting", .levels = WP_LEVELS_MOST));
}

static void test_matrices(void **state)
{
    (void)state;
    each_wavelet(check_small_matrices);
}

static int number; // of the wavelet, so that wavelets share the sizes

static void check_sizes(const char *border, const char *norm, int first)
{
    const bool more = strncmp(border, "pywt", 4) == 0; // one sample has levels, too
    for (int n = first; n <= 40; n += brief ? 13 : 4) {
        const struct wp_transform_params line =
            WP_TRANSFORM_PARAMS(.width = n, .height = 1, .border = border, .norm = norm,
                                .scheme = "sep-lifting", .levels = 1);
        struct wp_transform_params deep = line;
        deep.levels = more ? 3 : WP_LEVELS_MOST;
        if (n > 1 || more)
            check_products(&line);
        check_products(&deep);
    }
    check_products(
        &(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 13 + number % 2,
                                                         .height = 7 + number % 3, .planes = 3,
                                                         .border = border, .norm = norm,
                                                         .scheme = "sep-lifting", .levels = 2));
    check_products(&(struct wp_transform_params)
                       WP_TRANSFORM_PARAMS(.width = 5 + number % 3, .height = 6 + number % 4,
                                           .depth = 9 - number % 2, .border = border, .norm = norm,
                                           .scheme = "sep-lifting", .levels = 2, .levels_z = 1));
}

static void check_border(const char *border)
{
    for (int k = 0; k < (wide ? NORMS : 1); k++)
        check_sizes(border, norms[(number + k) % NORMS], 1 + (number / NORMS + k) % 4);
}

static void check_borders(void)
{
    static const char *const borders[] = {
        "pywt-zero",          "pywt-constant",    "pywt-symmetric",
        "pywt-reflect",       "pywt-periodic",    "pywt-smooth",
        "pywt-antisymmetric", "pywt-antireflect", "pywt-periodization"};
    for (int b = 0; b < 9; b += compiles ? 3 : 1)
        check_border(borders[b]);
    if (now.wavelet.symmetry != WP_SYMMETRY_NONE)
        check_border("symmetric");
    number++;
}

// All borders and sizes, along one axis and along several.
static void test_borders(void **state)
{
    (void)state;
    each_wavelet(check_borders);
}

// With border "symmetric" every size, and what else plans make of levels: another layout, t+2D,
// groups of slices.
static void test_symmetric(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf97", "cdf53", "dd137", "rbio2.6"};
    for (int w = 0; w < (brief ? 2 : 5); w++) {
        set_wavelet(names[w]);
        for (int n = 2; n <= 40; n += brief ? 9 : 1)
            for (int i = 0; i < 4; i++)
                check_products(&(struct wp_transform_params)
                                   WP_TRANSFORM_PARAMS(.width = n, .height = 1 + (n * 7 + 3) % 20,
                                                       .border = "symmetric", .norm = norms[n % 3],
                                                       .layout = layouts[i % 2],
                                                       .levels = i / 2 ? WP_LEVELS_MOST : 1));
        check_products(
            &(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 15, .height = 10, .depth = 11,
                                                             .border = "symmetric", .levels = 3,
                                                             .levels_z = 2,
                                                             .decomposition = "spatial-temporal"));
        check_products(&(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 9, .height = 14,
                                                                        .depth = 11, .gop = 4,
                                                                        .border = "symmetric",
                                                                        .levels = 2));
        for (int n = 2; n <= 12; n++)
            check_matrices(
                &(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = n, .height = 1 + n % 4,
                                                                 .border = "symmetric",
                                                                 .norm = norms[n % 3],
                                                                 .levels = WP_LEVELS_MOST));
    }
}

// With schemes the passes differ.
static void test_schemes(void **state)
{
    (void)state;
    static const char *const schemes[] = {
        "sep-lifting",    "sep-polyconvolution",    "sep-convolution",
        "nonsep-lifting", "nonsep-polyconvolution", "nonsep-convolution"};
    static const char *const names[] = {"cdf97", "db3", "cdf75"};
    for (int s = 0; s < 6; s++)
        for (int w = 0; w < (compiles ? 1 : 3); w++) {
            set_wavelet(names[w]);
            for (int plain = 0; plain < 2; plain++)
                check_products(
                    &(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 64, .height = 48,
                                                                     .border = "periodic",
                                                                     .scheme = schemes[s],
                                                                     .plain = plain, .levels = 2));
        }
}

// Orthonormal wavelets are their own duals.
static void check_same(const char *name, bool orthonormal)
{
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = 32, .height = 16, .border = "periodic", .norm = "orthonormal",
                            .levels = 3);
    enum { N = 32 * 16 };
    set_wavelet(name);
    struct wp_transform *w = create(&params, false), *transposed = create(&params, true);
    const struct array x = {N, random_values(N)}, a = {N, random_values(N)},
                       b = {N, random_values(N)};
    for (int inverse = 0; inverse < 2; inverse++) {
        run(w, inverse, &x, &a);
        run(transposed, inverse, &x, &b);
        double largest = 0;
        for (size_t i = 0; i < N; i++)
            largest = fmax(largest, fabs(a.data[i] - b.data[i]));
        if (orthonormal != (largest < 10 * now.tolerance))
            fail_msg("%s: W* and the inverse differ by %g", name, largest);
    }
    wp_transform_destroy(&w);
    wp_transform_destroy(&transposed);
    free(x.data);
    free(a.data);
    free(b.data);
}

static void test_orthonormal(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "db2", "db7", "sym5", "coif2"};
    for (int i = 0; i < (compiles ? 2 : 5); i++)
        check_same(names[i], true);
    check_same("cdf97", false);
}

static void test_rejected(void **state)
{
    (void)state;
    // 12 pairs, so that the dual has 13.
    struct wp_step_data step[24];
    const double haar[] = {-1, 0.5}, small[] = {1e-3, -1e-3};
    for (int s = 0; s < 24; s++)
        step[s] =
            s < 2 ? (struct wp_step_data){0, 1, &haar[s]} : (struct wp_step_data){0, 2, small};
    const struct wp_wavelet_data data = {.steps = 24, .step = step};
    const struct {
        struct wp_transform_params params;
        const char *why;
    } cases[] = {
        {WP_TRANSFORM_PARAMS(.width = 16, .height = 16, .border = "periodic", .backend = "cpu",
                             .reversible = true, .adjoint = true),
         "reversible transforms round"},
        {WP_TRANSFORM_PARAMS(.width = 16, .height = 16, .border = "periodic", .backend = "cpu",
                             .wavelet_data = &data, .adjoint = true),
         "has 13 pairs of lifting steps (at most 12)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(wp_transform_create(&cases[i].params));
        if (!strstr(wp_last_error_text(), cases[i].why))
            fail_msg("'%s' does not say '%s'", wp_last_error_text(), cases[i].why);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        backend = argv[1];
    wide = argc > 2 && strcmp(argv[2], "f64") == 0;
    compiles = strcmp(backend, "reference") != 0 && strcmp(backend, "cpu") != 0;
    brief = compiles || (wide && sample_is_selected());
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = 8, .height = 8, .backend = backend);
    struct wp_transform *available = wp_transform_create(&params);
    if (!available) {
        printf("%s is not available\n", backend);
        return 77;
    }
    wp_transform_destroy(&available);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),    cmocka_unit_test(test_volumes_and_planes),
        cmocka_unit_test(test_matrices),    cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_borders),     cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_orthonormal), cmocka_unit_test(test_rejected),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int lines = 0; lines < 2; lines++)
        printf("the products differ by at most %.1e: %s\n", worst[lines].difference,
               worst[lines].text);
    sample_print();
    return failed;
}
