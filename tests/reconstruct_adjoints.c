// Adjoints: <A u, v> = <u, A'v> for wavelets, and for the model.
#include "engine.h"
#include "reconstruct_problem.h"
#include "reconstruct_tests.h"
#include "sample.h"
#include "wavepass.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// <W u, v> = <u, W'v> as in the solver, and wp_wavelet_check_orthonormal() against |W u| = |u|.
static void check_wavelet_adjoint(const char *name, const char *border, const int size[3],
                                  int levels)
{
    if (!sample_has("%s %s %s %d", backend, name, border, size[2] > 1 ? 3 : 2))
        return;
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = size[0], .height = size[1], .depth = size[2], .wavelet = name,
        .border = border, .norm = "orthonormal", .backend = backend, .levels = levels,
        .levels_z = size[2] > 1 ? levels : 0, .threads = 1);
    struct wp_transform *forward = wp_transform_create(&params);
    params.adjoint = true;
    struct wp_transform *adjoint = wp_transform_create(&params);
    assert_true(forward && adjoint);
    const size_t n = samples_of(size);
    float *u = random_floats(n, 1), *v = random_floats(n, 2), *wu = floats(n), *wv = floats(n);
    assert_true(wp_transform_forward(forward, WP_ARRAY(u), WP_ARRAY(wu)) &&
                wp_transform_inverse(adjoint, WP_ARRAY(v), WP_ARRAY(wv)));
    const double scale = sqrt(product(wu, wu, n) * product(v, v, n));
    const double difference = fabs(product(wu, v, n) - product(u, wv, n)) / scale;
    if (difference > 1e-6)
        fail_msg("%s, %s, %d levels: <W u, v> and <u, W'v> differ by %g", name, border, levels,
                 difference);
    bool same;
    assert_true(wp_wavelet_check_orthonormal(&wavelet, &same));
    assert_int_equal(same, fabs(product(wu, wu, n) / product(u, u, n) - 1) < 1e-5);
    wp_transform_destroy(&forward);
    wp_transform_destroy(&adjoint);
    free(u);
    free(v);
    free(wu);
    free(wv);
}

// Tests periodic borders, and symmetric borders for wavelets that only combine pairs of samples,
// which never read beyond the border.
static void check_wavelet_adjoints(const char *name)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    const char *const borders[] = {
        "periodic", wavelet.symmetry == WP_SYMMETRY_LOCAL ? "symmetric" : NULL};
    for (int b = 0; b < 2 && borders[b]; b++) {
        for (int levels = 1; levels <= 4; levels++) {
            check_wavelet_adjoint(name, borders[b], (const int[]){32, 48, 1}, levels);
            check_wavelet_adjoint(name, borders[b], (const int[]){16, 32, 16}, levels);
        }
        for (int levels = 5; levels <= 12; levels++)
            check_wavelet_adjoint(name, borders[b], (const int[]){4096, 1, 1}, levels);
    }
}

void test_wavelet_adjoint(void **state)
{
    (void)state;
    char **names = wp_wavelet_names();
    assert_non_null(names);
    int count = 0;
    for (int i = 0; names[i]; i++, count++)
        check_wavelet_adjoints(names[i]);
    assert_true(count > 4);
    wp_wavelet_free_names(names);
}

// One member of each family. Families are not in the list of names, as long filters take seconds to
// factor.
void test_family_adjoint(void **state)
{
    (void)state;
    static const char *const members[] = {"db4", "sym4", "coif2", "bior3.5", "rbio3.1"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        check_wavelet_adjoints(members[i]);
}

void test_model_adjoint(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 12, 10, 5, false);
    float *maps = make_maps(p.size);
    for (int coils = 1; coils <= COILS; coils += COILS - 1) {
        struct wp_cartesian *k =
            wp_cartesian_create(p.size, p.mask, coils > 1 ? maps : NULL, coils, 1);
        assert_non_null(k);
        const struct wp_reconstruct_model *model = wp_cartesian_model(k);
        const size_t n = 2 * samples_of(p.size), values = 2 * model->values;
        float *u = random_floats(n, 3), *f = random_floats(values, 4);
        float *ku = floats(values), *kf = floats(n);
        assert_true(model->forward(model->user, u, ku) && model->adjoint(model->user, f, kf));
        assert_true(fabs(product(ku, f, values) - product(u, kf, n)) <
                    1e-6 * sqrt(product(ku, ku, values) * product(f, f, values)));
        free(u);
        free(f);
        free(ku);
        free(kf);
        wp_cartesian_destroy(&k);
    }
    free(maps);
    end_problem(&p);
}
