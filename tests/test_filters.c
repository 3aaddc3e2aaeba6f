// Synthesis filters, moments, smoothness and the cascade, against perfect reconstruction and
// published values.
#include "every_wavelet.h"
#include "filters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 256 };

static double at(const double *x, int i)
{
    return x[((i % SIZE) + SIZE) % SIZE];
}

static void test_synthesis_undoes_analysis(void **state)
{
    (void)state;
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    for (int w = 0; w < count; w++) {
        struct wp_taps taps[WP_FILTER_KINDS];
        for (int kind = 0; kind < WP_FILTER_KINDS; kind++)
            taps[kind] = wp_filters_taps(&list[w], (enum wp_filter_kind)kind);
        double x[SIZE], y[SIZE] = {0};
        for (int i = 0; i < SIZE; i++)
            x[i] = i == 40 ? 1000.0 : i % 7 - 7.25;
        for (int n = 0; n < SIZE / 2; n++) {
            for (int band = 0; band < 2; band++) {
                const struct wp_taps *a = &taps[band], *s = &taps[2 + band];
                double value = 0.0;
                for (int k = a->first; k <= a->last; k++)
                    value += a->tap[k - a->first] * at(x, 2 * n + band + k);
                for (int k = s->first; k <= s->last; k++) {
                    const int i = ((2 * n + band + k) % SIZE + SIZE) % SIZE;
                    y[i] += s->tap[k - s->first] * value;
                }
            }
        }
        for (int i = 0; i < SIZE; i++)
            if (fabs(x[i] - y[i]) > 1e-9)
                fail_msg("%s: %g becomes %g", list[w].name, x[i], y[i]);
        for (int kind = 0; kind < WP_FILTER_KINDS; kind++)
            free(taps[kind].tap);
    }
}

// Numbers of moments by construction. Sobolev exponents: spline scaling functions are piecewise
// polynomials, Daubechies 4 and 6 taps have 1.0 and 1.415, CDF 9/7 1.410 and 2.122, the dual of the
// hat function 0.4408.
static void test_published_values(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int moments[2];       // analysis, synthesis
        double smoothness[2];
    } known[] = {
        {"haar", {1, 1}, {0.5, 0.5}},
        {"cdf53", {2, 2}, {0.4408, 1.5}},
        {"cdf97", {4, 4}, {1.410, 2.122}},
        {"d4", {2, 2}, {1.0, 1.0}},
        {"d6", {3, 3}, {1.415, 1.415}},
    };
    for (size_t w = 0; w < sizeof known / sizeof *known; w++) {
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(known[w].name, &wavelet));
        struct wp_taps taps[WP_FILTER_KINDS];
        for (int kind = 0; kind < WP_FILTER_KINDS; kind++)
            taps[kind] = wp_filters_taps(&wavelet, (enum wp_filter_kind)kind);
        for (int bank = 0; bank < 2; bank++) {
            assert_int_equal(wp_filters_moments(&taps[2 * bank + 1]), known[w].moments[bank]);
            const double smoothness =
                wp_filters_smoothness(&taps[2 * bank], known[w].moments[!bank]);
            if (fabs(smoothness - known[w].smoothness[bank]) > 1e-3)
                fail_msg("%s: smoothness %g", known[w].name, smoothness);
        }
        for (int kind = 0; kind < WP_FILTER_KINDS; kind++)
            free(taps[kind].tap);
    }
}

// The synthesis scaling function of CDF 5/3 is the hat function on -1..1, and its wavelet is a sum
// of hat functions.
static void test_cascade_of_a_hat(void **state)
{
    (void)state;
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find("cdf53", &wavelet));
    struct wp_taps low = wp_filters_taps(&wavelet, WP_SYNTHESIS_LOW);
    struct wp_taps high = wp_filters_taps(&wavelet, WP_SYNTHESIS_HIGH);
    const double step = ldexp(1.0, -WP_CURVE_LEVELS);
    struct wp_cascade hat = wp_filters_cascade(&low, NULL);
    for (int i = 0; i < hat.count; i++)
        assert_true(fabs(hat.value[i] - (1.0 - fabs(hat.first + i * step))) < 1e-12);
    struct wp_cascade sum = wp_filters_cascade(&low, &high);
    double moment[2] = {0};
    for (int i = 0; i < sum.count; i++) {
        const double t = sum.first + i * step;
        double value = 0.0;
        for (int k = high.first; k <= high.last; k++)
            value += high.tap[k - high.first] * fmax(0.0, 1.0 - fabs(2.0 * t - 1.0 - k));
        assert_true(fabs(sum.value[i] - value) < 1e-12);
        moment[0] += value;
        moment[1] += t * value;
    }
    assert_true(fabs(moment[0]) < 1e-9 && fabs(moment[1]) < 1e-9);
    free(hat.value);
    free(sum.value);
    free(low.tap);
    free(high.tap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synthesis_undoes_analysis),
        cmocka_unit_test(test_published_values),
        cmocka_unit_test(test_cascade_of_a_hat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
