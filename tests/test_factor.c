// Lifting steps from filters: filters of the table and of files, random filters, and rejected
// filters.
#include "every_wavelet.h"
#include "factor.h"
#include "wavelet_taps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct wp_series low, high;

static void set_taps(const struct wp_wavelet *wavelet)
{
    if (!wp_wavelet_taps(wavelet, &low, &high))
        fail_msg("%s: the filters are too long", wavelet->name);
}

static double distance(const struct wp_series *a, const struct wp_series *b)
{
    double worst = 0;
    for (int k = -WP_SERIES_MAX; k <= WP_SERIES_MAX; k++)
        worst = fmax(worst, (double)wp_real_abs(wp_series_at(a, k) - wp_series_at(b, k)));
    return worst;
}

static struct wp_wavelet factor(const char *name, struct wp_factoring **factoring)
{
    struct wp_text why = {0};
    struct wp_wavelet result = {.name = "made", .source = "its taps"};
    struct wp_factoring *f = wp_factor(&low, &high, WP_FACTOR_STAY, &why);
    if (!f)
        fail_msg("%s: %s", name, wp_text_get(&why));
    wp_wavelet_set_steps(&result, f);
    if (factoring)
        *factoring = f;
    else
        free(f);
    wp_text_free(&why);
    return result;
}

// `tolerance`: the maximum difference between the filters and those that the steps give.
static void check_taps(const char *name, const struct wp_wavelet *result, double tolerance)
{
    const struct wp_series given[2] = {low, high};
    set_taps(result);
    if (!(distance(&low, &given[0]) <= tolerance && distance(&high, &given[1]) <= tolerance))
        fail_msg("%s: filters of the steps differ by %g and %g", name,
                 distance(&low, &given[0]), distance(&high, &given[1]));
}

static void check_filter(const char *name, const struct wp_filter *a, const struct wp_filter *b)
{
    bool same = a->count == b->count;
    for (int t = 0; same && t < a->count; t++)
        same = a->tap[t].k == b->tap[t].k &&
               fabs(a->tap[t].c - b->tap[t].c) <= 1e-14 * (1 + fabs(a->tap[t].c));
    if (!same)
        fail_msg("%s: steps differ", name);
}

static void check_same_steps(const struct wp_wavelet *wavelet)
{
    set_taps(wavelet);
    const struct wp_wavelet result = factor(wavelet->name, NULL);
    check_taps(wavelet->name, &result, 1e-14);
    assert_int_equal(result.pairs, wavelet->pairs);
    for (int p = 0; p < result.pairs; p++) {
        check_filter(wavelet->name, &result.pair[p].predict, &wavelet->pair[p].predict);
        check_filter(wavelet->name, &result.pair[p].update, &wavelet->pair[p].update);
    }
    assert_float_equal(result.zeta, wavelet->zeta, 1e-14);
}

// Factoring the filters gives the known steps.
static void test_known_steps(void **state)
{
    (void)state;
    static const char *const files[] = {"d6", "cdf93", "cdf173", "cdf62", "cdf75", "dd97",
                                        "cdf1711"};
    for (int i = 0; wp_wavelet_table[i]; i++)
        check_same_steps(wp_wavelet_table[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(files[i], &wavelet));
        check_same_steps(&wavelet);
    }
}

// d4 has two equally good factorizations; one is the other with even and odd samples exchanged.
static void test_four_taps(void **state)
{
    (void)state;
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find("d4", &wavelet));
    set_taps(&wavelet);
    const struct wp_wavelet result = factor("d4", NULL);
    check_taps("d4", &result, 1e-14);
    const struct wp_filter *const found[] = {&result.pair[0].predict, &result.pair[0].update,
                                             &result.pair[1].predict};
    const struct wp_filter *const known[] = {&wavelet.pair[0].update, &wavelet.pair[1].predict,
                                             &wavelet.pair[1].update};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(found[i]->count, known[i]->count);
        for (int t = 0; t < found[i]->count; t++) {
            const struct wp_tap *tap = &known[i]->tap[known[i]->count - 1 - t];
            assert_float_equal(found[i]->tap[t].c, -tap->c, 1e-14);
            assert_int_equal(found[i]->tap[t].k, -tap->k);
        }
    }
}

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// A step with taps at [first, first + count), symmetric or not.
static struct wp_filter random_filter(unsigned *seed, int first, int count, bool symmetric)
{
    struct wp_filter filter = {.count = count};
    for (int t = 0; t < count; t++) {
        const double c = 0.25 + next(seed) % 1000 / 1500.0;
        filter.tap[t] = (struct wp_tap){first + t, next(seed) % 2 ? c : -c};
        if (symmetric && t >= count / 2)
            filter.tap[t].c = filter.tap[count - 1 - t].c;
    }
    return filter;
}

// The low-pass gain at DC of random filters has any value, but not 0.
static void test_random(void **state)
{
    (void)state;
    unsigned seed = 7;
    int found = 0;
    for (int times = 0; times < 200; times++) {
        const bool symmetric = times % 2;
        struct wp_wavelet wavelet = {.pairs = 1 + (int)(next(&seed) % 3), .zeta = 1};
        for (int p = 0; p < wavelet.pairs; p++) {
            const int half = 1 + (int)(next(&seed) % 2);
            wavelet.pair[p].predict = random_filter(&seed, 1 - half, 2 * half, symmetric);
            wavelet.pair[p].update = random_filter(&seed, -half, 2 * half, symmetric);
        }
        set_taps(&wavelet);
        // Scales the filters like factoring: low-pass gain 1 at DC, with the matching high-pass
        // gain. A negative sum gives another factorization.
        const wp_real sum = wp_series_sum(&low);
        if (wp_real_abs(sum) < 0.05)
            continue;
        wp_series_scale(&low, 1 / sum);
        wp_series_scale(&high, sum);
        struct wp_factoring *f;
        const struct wp_wavelet result = factor("random", &f);
        assert_int_equal(f->symmetric, symmetric);
        assert_int_equal(f->moved, 0);
        check_taps("random", &result, 1e-8);
        free(f);
        found++;
    }
    assert_true(found > 150);
}

// The reported divisions satisfy dividend = q divisor + r.
static void test_divisions(void **state)
{
    (void)state;
    set_taps(table_wavelet("cdf97"));
    struct wp_factoring *f;
    factor("cdf97", &f);
    assert_int_equal(f->divisions, 4);
    assert_true(f->symmetric);
    for (int i = 0; i < f->divisions; i++) {
        struct wp_series sum = f->division[i].remainder;
        assert_true(wp_series_multiply_add(&sum, 1, &f->division[i].quotient,
                                           &f->division[i].divisor));
        assert_true(distance(&sum, &f->division[i].dividend) < 1e-15);
    }
    // Each step rounds at least once, which affects the result.
    for (int direction = 0; direction < 2; direction++)
        assert_true(f->growth[0][direction] > 1 && f->growth[0][direction] < 5);
    free(f);
}

static void check_rejected(const struct wp_series *l, const struct wp_series *h, const char *text)
{
    struct wp_text why = {0};
    struct wp_factoring *f = wp_factor(l, h, WP_FACTOR_STAY, &why);
    if (f || !strstr(wp_text_get(&why), text))
        fail_msg("%s instead of: %s", f ? "factored" : wp_text_get(&why), text);
    wp_text_free(&why);
    free(f);
}

static void test_refusals(void **state)
{
    (void)state;
    const struct wp_series haar_low = {.first = 0, .count = 2, .c = {0.5, 0.5}};
    const struct wp_series haar_high = {.first = 0, .count = 2, .c = {-1, 1}};
    const struct wp_series none = {0}, zeros = {.first = 0, .count = 3};
    struct wp_series bad = haar_low;
    check_rejected(&none, &haar_high, "all taps of the low-pass filter are zero");
    check_rejected(&zeros, &haar_high, "all taps of the low-pass filter are zero");
    check_rejected(&haar_low, &zeros, "all taps of the high-pass filter are zero");
    bad.c[1] = (wp_real)NAN;
    check_rejected(&bad, &haar_high, "a tap of the low-pass filter is not a finite number");
    bad.c[1] = (wp_real)INFINITY;
    check_rejected(&haar_high, &bad, "a tap of the high-pass filter is not a finite number");
    check_rejected(&haar_high, &haar_low, "the gain of the low-pass filter at DC is 0");
    check_rejected(&haar_low, &haar_low, "the determinant must be a single term, and is 0");
    bad = (struct wp_series){.first = -1, .count = 3, .c = {0.25, 0.5, 0.25}};
    check_rejected(&bad, &haar_high, "no perfect reconstruction: the determinant must be a single "
                                    "term, and is 0.25 z + 0.75");
    bad = (struct wp_series){.first = -32, .count = WP_FACTOR_TAPS + 1};
    for (int i = 0; i < bad.count; i++)
        bad.c[i] = 1;
    check_rejected(&bad, &haar_high, "the low-pass filter has 65 taps (at most 64 ");
    bad = haar_high;
    bad.first = 4;
    check_rejected(&haar_low, &bad, "the high-pass filter is 4 samples too far to the right");
    bad.first = -2;
    check_rejected(&haar_low, &bad, "the high-pass filter is 2 samples too far to the left");
    bad = haar_low;
    bad.first = 1000;
    check_rejected(&bad, &haar_high,
                  "positions of the low-pass filter are out of range (from -66 to 66)");
    // Perfect reconstruction, and sample 0 is not among those that the low-pass reads.
    bad.first = 10;
    struct wp_series moved = haar_high;
    moved.first = -10;
    check_rejected(&bad, &moved, "the low-pass filter has to reach sample 0");
}

static void test_moves(void **state)
{
    (void)state;
    low = (struct wp_series){.first = 0, .count = 2, .c = {3, 3}};
    high = (struct wp_series){.first = 6, .count = 2, .c = {5, -5}};
    struct wp_text why = {0};
    struct wp_factoring *f = wp_factor(&low, &high, WP_FACTOR_MOVE, &why);
    assert_non_null(f);
    assert_int_equal(f->moved, -3);
    struct wp_wavelet result = {.name = "made"};
    wp_wavelet_set_steps(&result, f);
    check_filter("haar", &result.pair[0].predict, &wp_wavelet_table[0]->pair[0].predict);
    check_filter("haar", &result.pair[0].update, &wp_wavelet_table[0]->pair[0].update);
    assert_null(wp_wavelet_finish(&result));
    free(f);
    wp_text_free(&why);
}

// Taps in papers have seven digits; symmetric filters must stay symmetric.
static void test_few_digits(void **state)
{
    (void)state;
    static const double half[2][5] = {{0.6029490, 0.2668641, -0.0782233, -0.0168641, 0.0267488},
                                      {1.1150871, -0.5912718, -0.0575435, 0.0912718, 0}};
    low = (struct wp_series){.first = -4, .count = 9};
    high = (struct wp_series){.first = -2, .count = 7};
    for (int k = -4; k <= 4; k++)
        low.c[k + 4] = half[0][abs(k)];
    for (int k = -3; k <= 3; k++)
        high.c[k + 3] = half[1][abs(k)];
    struct wp_factoring *f;
    struct wp_wavelet result = factor("9/7", &f);
    const struct wp_wavelet *cdf97 = table_wavelet("cdf97");
    assert_true(f->symmetric);
    assert_null(wp_wavelet_finish(&result));
    assert_int_equal(result.symmetry, WP_SYMMETRY_WHOLE);
    assert_int_equal(result.pairs, 2);
    for (int p = 0; p < 2; p++)
        for (int t = 0; t < 2; t++) {
            assert_float_equal(result.pair[p].predict.tap[t].c, cdf97->pair[p].predict.tap[t].c,
                               1e-5);
            assert_float_equal(result.pair[p].update.tap[t].c, cdf97->pair[p].update.tap[t].c,
                               1e-5);
        }
    free(f);
}

// The 40 taps of db20, for which double precision is not sufficient.
static void test_long_filters(void **state)
{
    (void)state;
    low = wp_spectral_orthogonal(20, WP_SPECTRAL_ALL);
    high = wp_factor_high(&low);
    wp_series_scale(&high, 2);
    struct wp_factoring *f;
    struct wp_wavelet result = factor("db20", &f);
    check_taps("db20", &result, 1e-14);
    assert_true(f->growth[0][0] < 30);
    assert_int_equal(f->divisions, 21);
    free(f);
}

// |sum of (-1)^k (k - middle)^power c_k|, divided by the sum of the absolute values.
static double moment(const struct wp_series *a, int power)
{
    const double middle = a->first + (a->count - 1) / 2.0;
    double sum = 0, size = 0;
    for (int i = 0; i < a->count; i++) {
        const double term = pow(a->first + i - middle, power) * (double)a->c[i];
        sum += (a->first + i) % 2 ? -term : term;
        size += fabs(term);
    }
    return fabs(sum) / size;
}

// Maximum inner product of an orthogonal low-pass filter and its even shifts, which must be 0.
static double overlap(const struct wp_series *a)
{
    double worst = 0;
    for (int shift = 2; shift < a->count; shift += 2) {
        double sum = 0;
        for (int i = 0; i + shift < a->count; i++)
            sum += (double)(a->c[i] * a->c[i + shift]);
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

// scripts/wavelet_families.py checks the filters against their names.
static void test_families(void **state)
{
    (void)state;
    for (int i = 0; wp_wavelet_family_names[i]; i++) {
        const char *const name = wp_wavelet_family_names[i];
        struct wp_wavelet wavelet;
        struct wp_factoring *f;
        if (!wp_wavelet_find(name, &wavelet))
            fail_msg("%s cannot be made", name);
        set_taps(&wavelet);
        factor(name, &f);
        const bool biorthogonal = strstr(name, "bio");
        const int number = atoi(name + strcspn(name, "0123456789"));
        if (!biorthogonal && overlap(&low) > 1e-14)
            fail_msg("%s is not orthogonal: %g", name, overlap(&low));
        const int moments = strncmp(name, "coif", 4) == 0 ? 2 * number : number;
        for (int m = 0; m < moments && !biorthogonal; m++)
            if (moment(&low, m) > 1e-11)
                fail_msg("%s: moment %d is %g", name, m, moment(&low, m));
        // Centered at sample 2n, or between 2n and 2n + 1.
        const int twice = 2 * low.first + low.count - 1;
        if (twice != (low.count % 2 ? 0 : 1))
            fail_msg("%s: the low-pass starts at %d", name, low.first);
        assert_int_equal(wavelet.symmetry == WP_SYMMETRY_WHOLE, low.count % 2);
        // Limits the error growth, so that float32 has five correct digits.
        assert_true(f->growth[0][0] < 25 && f->growth[0][1] < 25);
        free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_steps),   cmocka_unit_test(test_four_taps),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_divisions),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_moves),         cmocka_unit_test(test_few_digits),
        cmocka_unit_test(test_long_filters),  cmocka_unit_test(test_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
