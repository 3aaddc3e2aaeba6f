// The table of wavelets, and the requirements on a wavelet.
#include "wavelet_tests.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static double low[WP_FILTER_SIZE], high[WP_FILTER_SIZE];

// The right half of filters that are symmetric about 0, from the literature: 9/7 from
// ISO/IEC 15444-1, 5/3 and 13/7 from the papers named in the table.
static const struct {
    const char *name, *aliases;
    enum wp_symmetry symmetry;
    int low_count, high_count;
    double low[7], high[7];
} published[] = {
    {"cdf53", "5/3 bior2.2 legall", WP_SYMMETRY_WHOLE, 3, 2,
     {0.75, 0.25, -0.125}, {1, -0.5}},
    {"cdf97", "9/7 bior4.4", WP_SYMMETRY_WHOLE, 5, 4,
     {0.6029490182363579, 0.2668641184428723, -0.07822326652898785, -0.01686411844287495,
      0.02674875741080976},
     {1.115087052456994, -0.5912717631142470, -0.05754352622849957, 0.09127176311424948}},
    {"dd137", "13/7", WP_SYMMETRY_WHOLE, 7, 4,
     {348 / 512.0, 144 / 512.0, -63 / 512.0, -16 / 512.0, 18 / 512.0, 0, -1 / 512.0},
     {1, -9 / 16.0, 0, 1 / 16.0}},
};

void test_published_filters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        struct wp_wavelet w;
        assert_true(wp_wavelet_find(published[i].name, &w));
        assert_string_equal(w.aliases, published[i].aliases);
        assert_int_equal(w.symmetry, published[i].symmetry);
        wp_wavelet_filters(&w, low, high);
        for (int j = 0; j < WP_FILTER_SIZE; j++) {
            const int k = abs(j - WP_FILTER_CENTER);
            assert_near(low[j], k < published[i].low_count ? published[i].low[k] : 0, 1e-13);
            assert_near(high[j], k < published[i].high_count ? published[i].high[k] : 0, 1e-13);
        }
    }
    struct wp_wavelet w;
    assert_true(wp_wavelet_find("haar", &w));
    assert_int_equal(w.symmetry, WP_SYMMETRY_LOCAL);
    wp_wavelet_filters(&w, low, high);
    assert_near(low[WP_FILTER_CENTER], 0.5, 0);
    assert_near(low[WP_FILTER_CENTER + 1], 0.5, 0);
    assert_near(high[WP_FILTER_CENTER - 1], -1, 0);
    assert_near(high[WP_FILTER_CENTER], 1, 0);
}

void test_table(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf53", "cdf97", "dd137"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(wp_wavelet_table[i]->name, names[i]);
        assert_true(wp_wavelet_table[i]->title[0] && wp_wavelet_table[i]->source[0]);
        struct wp_wavelet w = *wp_wavelet_table[i];
        w.symmetry = WP_SYMMETRY_NONE;
        assert_null(wp_wavelet_finish(&w));
        assert_int_equal(w.symmetry, wp_wavelet_table[i]->symmetry);
        if (i != 2)
            assert_near(w.zeta, 1, 0);
    }
    assert_null(wp_wavelet_table[4]);
}

void test_finish_rejects(void **state)
{
    (void)state;
    const struct wp_wavelet good = *wp_wavelet_table[1];
    struct wp_wavelet w = good;
    w.pairs = 0;
    assert_non_null(wp_wavelet_finish(&w));
    w.pairs = WP_MAX_PAIRS + 1;
    assert_non_null(wp_wavelet_finish(&w));
    w = good;
    w.zeta = NAN;
    assert_non_null(wp_wavelet_finish(&w));
    w.zeta = -1;
    assert_non_null(wp_wavelet_finish(&w));
    w.zeta = 1.25;
    assert_string_equal(wp_wavelet_finish(&w),
                        "the low-pass gain at DC is 0.8, not 1 (wrong zeta or a wrong tap)");
    w = good;
    w.pair[0].predict.tap[1].c = -0.25;
    assert_string_equal(wp_wavelet_finish(&w),
                        "the high-pass gain at DC is 0.25, not 0 (a wrong tap)");
    w = good;
    w.pair[0].predict.tap[1].k = 0;
    assert_string_equal(wp_wavelet_finish(&w), "taps are not sorted, or one is repeated");
    w = good;
    w.pair[0].update.tap[1].k = WP_MAX_REACH + 1;
    assert_string_equal(wp_wavelet_finish(&w), "the position of a tap is out of range");
    w = good;
    w.pair[0].update.count = WP_MAX_TAPS + 1;
    assert_string_equal(wp_wavelet_finish(&w), "a filter has too many taps");
    w = good;
    w.pair[0].update.tap[0].c = 0;
    assert_string_equal(wp_wavelet_finish(&w), "a tap is zero or not finite");
    w.pair[0].update.tap[0].c = INFINITY;
    assert_string_equal(wp_wavelet_finish(&w), "a tap is zero or not finite");
    w = good;
    w.pair[0].predict.count = -1;
    assert_string_equal(wp_wavelet_finish(&w), "a filter has too many taps");
    w = good;
    w.pair[0].predict.tap[0].k = -WP_MAX_REACH - 1;
    assert_string_equal(wp_wavelet_finish(&w), "the position of a tap is out of range");
    w = good;
    w.pair[0].predict.tap[0].k = w.pair[0].predict.tap[1].k + 1;
    assert_string_equal(wp_wavelet_finish(&w), "taps are not sorted, or one is repeated");
    w = good;
    w.zeta = 0;
    assert_string_equal(wp_wavelet_finish(&w), "zeta is 0 or not finite");
}

// The maximum number of pairs and taps, the farthest tap positions, and the largest tolerated gain
// error are accepted.
void test_finish_accepts(void **state)
{
    (void)state;
    struct wp_wavelet w = {.pairs = WP_MAX_PAIRS, .zeta = 1};
    struct wp_filter *predict = &w.pair[0].predict, *update = &w.pair[WP_MAX_PAIRS - 1].update;
    predict->count = update->count = WP_MAX_TAPS;
    for (int t = 0; t < WP_MAX_TAPS; t++) {
        predict->tap[t] = (struct wp_tap){2 * t - WP_MAX_REACH, -1.0 / WP_MAX_TAPS};
        update->tap[t] = (struct wp_tap){WP_MAX_REACH - 2 * (WP_MAX_TAPS - 1 - t),
                                           t % 2 ? 1 : -1};
    }
    assert_null(wp_wavelet_finish(&w));
    predict->tap[0].c += 0.9e-6;
    assert_null(wp_wavelet_finish(&w));
    predict->tap[0].c += 0.2e-6;
    assert_non_null(wp_wavelet_finish(&w));
    predict->tap[0].c = -1.0 / WP_MAX_TAPS;
    w.zeta = 1 - 0.9e-6;
    assert_null(wp_wavelet_finish(&w));
    w.zeta = 1 - 1.1e-6;
    assert_string_equal(wp_wavelet_finish(&w),
                        "the low-pass gain at DC is 1.0, not 1 (wrong zeta or a wrong tap)");
}

static enum wp_symmetry symmetry_of(const char *steps)
{
    struct wp_wavelet w;
    char text[512];
    snprintf(text, sizeof text, "source test\n%s", steps);
    if (!wp_wavelet_parse("test", text, &w))
        fail_msg("%s", logged);
    return w.symmetry;
}

void test_symmetry(void **state)
{
    (void)state;
    assert_int_equal(symmetry_of("predict 0 -1/2 1 -1/2\nupdate -1 1/4 0 1/4"), WP_SYMMETRY_WHOLE);
    assert_int_equal(symmetry_of("predict 0 -.5 1 -.5000000000001\nupdate -1 1/4 0 1/4"),
                     WP_SYMMETRY_WHOLE);
    assert_int_equal(symmetry_of("predict 0 -.5 1 -.50000000001\nupdate -1 1/4 0 1/4"),
                     WP_SYMMETRY_NONE);
    // An empty filter is compatible with both kinds of symmetry.
    assert_int_equal(symmetry_of("predict 0 -1/2 1 -1/2"), WP_SYMMETRY_WHOLE);
    assert_int_equal(symmetry_of("predict 0 -1"), WP_SYMMETRY_LOCAL);
    assert_int_equal(symmetry_of("update 0 1\npredict 0 -1/2\nzeta 2"), WP_SYMMETRY_LOCAL);
    // Symmetric, but about the wrong point, or with only one of the two filters.
    assert_int_equal(symmetry_of("predict -1 -1/2 0 -1/2\nupdate 0 1/4 1 1/4"), WP_SYMMETRY_NONE);
    assert_int_equal(symmetry_of("predict -1 -1/2 1 -1/2\nupdate -1 1/4 0 1/4"), WP_SYMMETRY_NONE);
    assert_int_equal(symmetry_of("predict 0 -1/2 1 -1/2\nupdate 0 1/2"), WP_SYMMETRY_NONE);
    assert_int_equal(symmetry_of("predict 0 -1\nupdate -1 1/4 0 1/4"), WP_SYMMETRY_NONE);
    assert_int_equal(symmetry_of("predict 1 -1\nupdate -1 1/2"), WP_SYMMETRY_NONE);
}
