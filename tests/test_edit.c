// Edits of coefficients: the orthonormal norm for files of any norm, the bands of all kinds of
// volumes and layouts, ranks, and statistics of the result.
#include "description.h"
#include "edit.h"
#include "operand.h"
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

#include "transform.h"

// Transforms with different sets of bands. In forms[5], the last group has fewer slices and
// levels.
struct form {
    int width, height, depth, levels, levels_z, gop;
    const char *decomposition, *layout, *wavelet, *border;
};

static const struct form forms[] = {
    {45, 31, 1, 3, 0, 0, NULL, "mallat", "cdf97", NULL},
    {45, 31, 1, 4, 0, 0, NULL, "mixed", "cdf97", NULL},
    {64, 32, 1, 3, 0, 0, NULL, "mallat", "db4", "periodic"},
    {37, 1, 1, 3, 0, 0, NULL, "mallat", "cdf97", NULL},
    {12, 9, 7, 2, 2, 4, NULL, "mallat", "cdf97", NULL},
    {12, 9, 5, 2, 2, 4, NULL, "mallat", "cdf97", NULL},
    {12, 9, 7, 2, 1, 0, NULL, "mixed", "dd137", NULL},
    {12, 9, 7, 1, 2, 0, NULL, "mallat", "haar", NULL},
    {12, 9, 11, 2, 2, 4, "spatial-temporal", "mallat", "cdf97", NULL},
    {12, 9, 8, WP_LEVELS_NONE, 2, 0, NULL, "mallat", "cdf97", NULL},
};

enum { PLANES = 2 };

struct problem {
    struct wp_wavelet wavelet;
    struct wp_description description;
    struct wp_edit_target target;
    size_t samples; // of all planes
};

static void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.9g, but expected %.9g", actual, expected);
}

static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 40) / (double)(1 << 24) - 0.5;
}

static struct problem make(const struct form *f, const char *norm)
{
    struct problem m;
    struct wp_transform_params params = WP_TRANSFORM_PARAMS();
    params.width = f->width;
    params.height = f->height;
    params.depth = f->depth;
    params.planes = PLANES;
    params.levels = f->levels;
    params.levels_z = f->levels_z;
    params.gop = f->gop;
    params.decomposition = f->decomposition;
    params.layout = f->layout;
    params.wavelet = f->wavelet;
    params.border = f->border;
    params.norm = norm;
    params.backend = "reference";
    m.samples = (size_t)f->width * (size_t)f->height * (size_t)f->depth * PLANES;
    m.target = (struct wp_edit_target){NULL, f->depth, PLANES, calloc(m.samples, sizeof(float))};
    assert_non_null(m.target.coefficients);
    uint64_t seed = 7;
    for (size_t i = 0; i < m.samples; i++)
        m.target.coefficients[i] = (float)noise(&seed);
    struct wp_transform *transform = wp_transform_create(&params);
    assert_non_null(transform);
    assert_true(wp_transform_forward(transform, WP_ARRAY(m.target.coefficients),
                                     WP_ARRAY(m.target.coefficients)));
    wp_transform_destroy(&transform);
    assert_true(wp_transform_resolve(&params, &m.wavelet, &m.description));
    return m;
}

// Sets the pointers, once the struct has its final address.
static void set_pointers(struct problem *m)
{
    m->description.wavelet = &m->wavelet;
    m->target.description = &m->description;
}

static void apply(const struct problem *m, const char *name, const char *text)
{
    struct wp_edit edit;
    assert_true(wp_edit_parse(name, text, &edit));
    assert_true(wp_edit_apply(&edit, NULL, &m->target, NULL));
}

static struct wp_edit_amount measure(const struct problem *m)
{
    struct wp_edit_amount amount;
    assert_true(wp_edit_measure(&m->target, &amount));
    return amount;
}

enum { FORMS = sizeof forms / sizeof *forms };

// Energies, coefficients above a threshold and largest coefficients are those of the orthonormal
// norm.
static void test_norms_are_alike(void **state)
{
    (void)state;
    static const char *const norms[] = {"jpeg2000", "none"};
    static const char *const edits[][2] = {
        {"threshold", "hard:0.3"}, {"threshold", "soft:0.3"}, {"keep", "20"},
        {"threshold", "soft:universal"}, {"threshold", "soft:sure"},
    };
    for (size_t f = 0; f < FORMS; f++) {
        for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
            struct problem expected = make(&forms[f], "orthonormal");
            set_pointers(&expected);
            const double before = measure(&expected).energy;
            apply(&expected, edits[e][0], edits[e][1]);
            const struct wp_edit_amount after = measure(&expected);
            assert_true(after.nonzero < after.samples);
            if (strcmp(edits[e][0], "keep") == 0)
                assert_near(after.nonzero, round(after.samples / 5), 0);
            for (size_t n = 0; n < sizeof norms / sizeof *norms; n++) {
                struct problem actual = make(&forms[f], norms[n]);
                set_pointers(&actual);
                assert_near(measure(&actual).energy, before, 1e-5 * before);
                apply(&actual, edits[e][0], edits[e][1]);
                const struct wp_edit_amount same = measure(&actual);
                // Coefficients of nearly the same size may have another order.
                assert_near(same.nonzero, after.nonzero, 1);
                assert_near(same.energy, after.energy, 1e-3 * before);
                assert_int_equal((int)same.samples, (int)actual.samples);
                free(actual.target.coefficients);
            }
            free(expected.target.coefficients);
        }
    }
}

// Each coefficient is in one band, and each band is found by its name.
static void test_bands(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct problem m = make(&forms[f], NULL);
        set_pointers(&m);
        for (size_t i = 0; i < m.samples; i++)
            m.target.coefficients[i] = 1;
        double remaining = (double)m.samples;
        for (int i = 0; i < wp_subband_count(&m.description); i++) {
            const struct wp_subband subband = wp_subband_describe(&m.description, i);
            char name[WP_BAND_NAME_SIZE];
            const int *size = subband.grid.size;
            if (size[WP_X] == 0 || size[WP_Y] == 0 || size[WP_Z] == 0)
                continue;
            wp_subband_name(&subband, name);
            apply(&m, "zero", name);
            const double now = measure(&m).nonzero;
            const int groups = m.target.depth / wp_description_depth(&m.description);
            assert_true(remaining - now >= (double)groups * PLANES * size[WP_X] * size[WP_Y] *
                                          size[WP_Z]);
            remaining = now;
        }
        assert_int_equal((int)remaining, 0);
        free(m.target.coefficients);
    }
}

// The last group has one slice without levels along z. Its band HLL1 is HL1 of an image.
static void test_last_group(void **state)
{
    (void)state;
    struct problem m = make(&forms[5], NULL);
    set_pointers(&m);
    apply(&m, "zero", "HLL1");
    const float *last = &m.target.coefficients[12 * 9 * 4];
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 12; x++)
            assert_int_equal(last[y * 12 + x] == 0, x >= 6 && y < 5);
    free(m.target.coefficients);
}

// Thresholds do not affect the low band.
static void test_low_band(void **state)
{
    (void)state;
    struct problem m = make(&forms[0], NULL);
    set_pointers(&m);
    apply(&m, "threshold", "hard:1000");
    assert_int_equal((int)measure(&m).nonzero, 6 * 4 * PLANES);
    apply(&m, "threshold", "soft:1000");
    assert_int_equal((int)measure(&m).nonzero, 6 * 4 * PLANES);
    free(m.target.coefficients);
}

static void test_order_counts(void **state)
{
    (void)state;
    struct problem m = make(&forms[0], "orthonormal");
    set_pointers(&m);
    apply(&m, "scale", "HL1=0,LH1=-2");
    apply(&m, "only", "LH1,HL1");
    const double band = 23 * 15 * PLANES;
    assert_int_equal((int)measure(&m).nonzero, (int)band);
    apply(&m, "impulse", "HH2:3,4");
    assert_near(measure(&m).energy, PLANES, 1e-9);
    apply(&m, "zero", "HH2");
    assert_int_equal((int)measure(&m).nonzero, 0);
    free(m.target.coefficients);
}

// Keeps the exact number, also among equal coefficients: coarser ones are kept first.
static void test_keep_counts(void **state)
{
    (void)state;
    struct problem m = make(&forms[0], "orthonormal");
    set_pointers(&m);
    static const double percents[] = {0, 0.1, 33.3, 50, 99.99, 100};
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        for (size_t k = 0; k < m.samples; k++)
            m.target.coefficients[k] = k % 3 ? 0.5F : -0.5F;
        char text[32];
        snprintf(text, sizeof text, "%g", percents[i]);
        apply(&m, "keep", text);
        assert_near(measure(&m).nonzero, round((double)m.samples * percents[i] / 100), 0);
        // The corner is in LL3.
        assert_true(i == 0 || m.target.coefficients[0] != 0);
    }
    free(m.target.coefficients);
}

// Values that are not finite are unchanged.
static void test_no_numbers(void **state)
{
    (void)state;
    static const char *const edits[][2] = {
        {"threshold", "hard:0.3"}, {"threshold", "soft:0.3"}, {"threshold", "soft:universal"},
        {"threshold", "soft:sure"}, {"keep", "10"}, {"scale", "HH1=2"},
    };
    for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
        struct problem m = make(&forms[0], "orthonormal");
        set_pointers(&m);
        float *corner = &m.target.coefficients[45 * 31 - 1];
        *corner = NAN;
        corner[-1] = -INFINITY;
        apply(&m, edits[e][0], edits[e][1]);
        assert_true(isnan(*corner));
        assert_true(isinf(corner[-1]) && corner[-1] < 0);
        free(m.target.coefficients);
    }
}

// SURE on numbers that can be checked by hand: for 16 magnitudes of standard deviation 1 the
// estimated risk is minimal at the 12th.
static void test_sure(void **state)
{
    (void)state;
    const struct form form = {8, 8, 1, 1, 0, 0, NULL, "mallat", "haar", NULL};
    struct problem m = make(&form, "orthonormal");
    set_pointers(&m);
    struct wp_edit edit;
    struct wp_edit_found found;
    assert_true(wp_edit_parse("threshold", "soft:sure", &edit));
    memset(m.target.coefficients, 0, m.samples * sizeof(float));
    // Only HH1 has coefficients other than 0: 12 of 1 to 1.22 and 4 of -20.
    for (int p = 0; p < PLANES; p++)
        for (int i = 0; i < 16; i++)
            m.target.coefficients[64 * p + (4 + i / 4) * 8 + 4 + i % 4] =
                i < 12 ? 1 + 0.02F * (float)i : -20;
    assert_true(wp_edit_apply(&edit, &(struct wp_edit_noise){.sigma = 1}, &m.target, &found));
    // Bands of zeros are sparse; their threshold is sqrt(2 ln 16).
    assert_near(found.most, sqrt(2 * log(16)), 1e-6);
    assert_near(found.least, 1.22, 1e-6);
    assert_near((double)m.target.coefficients[7 * 8 + 7], -20 + 1.22, 1e-5);
    assert_int_equal((int)measure(&m).nonzero, 4 * PLANES);
    free(m.target.coefficients);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norms_are_alike), cmocka_unit_test(test_bands),
        cmocka_unit_test(test_last_group),      cmocka_unit_test(test_low_band),
        cmocka_unit_test(test_order_counts),    cmocka_unit_test(test_keep_counts),
        cmocka_unit_test(test_no_numbers),      cmocka_unit_test(test_sure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
