// The table of wavelets, the parser of wavelet files, the files that are shipped, and finding
// wavelets by name. WP_TEST_ASSETS is the directory of the shipped files.
#include "log.h"
#include "text.h"
#include "wavelet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <dirent.h>
#include <locale.h>

// The messages since the last forget().
static char logged[2048];
static int errors;

static void catch_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    errors += level == WP_LOG_ERROR;
    snprintf(logged, sizeof logged, "%s", message);
}

static void forget(void)
{
    logged[0] = '\0';
    errors = 0;
    wp_clear_error();
}

static int setup(void **state)
{
    (void)state;
    wp_log_set_handler(catch_message, NULL);
    forget();
    return setenv("WAVEPASS_WAVELETS", WP_TEST_ASSETS, 1);
}

static void assert_failed(enum wp_error kind, const char *message)
{
    assert_string_equal(logged, message);
    assert_int_equal(errors, 1);
    assert_int_equal(wp_last_error(), kind);
    forget();
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

static double low[WP_FILTER_SIZE], high[WP_FILTER_SIZE];

// --- the table ---------------------------------------------------------------------------

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

static void test_published_filters(void **state)
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

static void test_table(void **state)
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

static void test_finish_rejects(void **state)
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
    assert_string_equal(wp_wavelet_finish(&w), "taps are not sorted, or one stands twice");
    w = good;
    w.pair[0].update.tap[1].k = WP_MAX_REACH + 1;
    assert_string_equal(wp_wavelet_finish(&w), "a tap is too far away");
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
    assert_string_equal(wp_wavelet_finish(&w), "a tap is too far away");
    w = good;
    w.pair[0].predict.tap[0].k = w.pair[0].predict.tap[1].k + 1;
    assert_string_equal(wp_wavelet_finish(&w), "taps are not sorted, or one stands twice");
    w = good;
    w.zeta = 0;
    assert_string_equal(wp_wavelet_finish(&w), "zeta is 0 or not finite");
}

// As many pairs and taps as there may be, as far away as they may be, and gains as far off.
static void test_finish_accepts(void **state)
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

static void test_symmetry(void **state)
{
    (void)state;
    assert_int_equal(symmetry_of("predict 0 -1/2 1 -1/2\nupdate -1 1/4 0 1/4"), WP_SYMMETRY_WHOLE);
    assert_int_equal(symmetry_of("predict 0 -.5 1 -.5000000000001\nupdate -1 1/4 0 1/4"),
                     WP_SYMMETRY_WHOLE);
    assert_int_equal(symmetry_of("predict 0 -.5 1 -.50000000001\nupdate -1 1/4 0 1/4"),
                     WP_SYMMETRY_NONE);
    // An empty filter goes with either kind.
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

// The filters multiplied out against the steps themselves, on a periodic signal.
static void check_filters_against_steps(const struct wp_wavelet *w)
{
    enum { N = 32 };
    double x[2 * N], even[N], odd[N];
    for (int i = 0; i < 2 * N; i++)
        x[i] = (i * 37 % 64) / 8.0;
    x[5] = -7.25;
    x[40] = 1000;
    for (int n = 0; n < N; n++) {
        even[n] = x[2 * n];
        odd[n] = x[2 * n + 1];
    }
    for (int p = 0; p < w->pairs; p++) {
        for (int n = 0; n < N; n++)
            for (int t = 0; t < w->pair[p].predict.count; t++) {
                const struct wp_tap tap = w->pair[p].predict.tap[t];
                odd[n] += tap.c * even[(n + tap.k + 64 * N) % N];
            }
        for (int n = 0; n < N; n++)
            for (int t = 0; t < w->pair[p].update.count; t++) {
                const struct wp_tap tap = w->pair[p].update.tap[t];
                even[n] += tap.c * odd[(n + tap.k + 64 * N) % N];
            }
    }
    wp_wavelet_filters(w, low, high);
    for (int n = 0; n < N; n++) {
        double l = 0, h = 0;
        for (int j = 0; j < WP_FILTER_SIZE; j++) {
            const int at = 2 * n + j - WP_FILTER_CENTER + 256 * N;
            l += low[j] * x[at % (2 * N)];
            h += high[j] * x[(at + 1) % (2 * N)];
        }
        assert_near(l, even[n] / w->zeta, 1e-9);
        assert_near(h, odd[n] * w->zeta, 1e-9);
    }
}

// --- the shipped files -------------------------------------------------------------------

static const struct {
    const char *name, *alias;
    enum wp_symmetry symmetry;
    int high_moments; // vanishing moments of the high-pass
    int low_moments;  // zeros of the low-pass at the Nyquist frequency
} shipped[] = {
    {"d4", "daub4", WP_SYMMETRY_NONE, 2, 2},
    {"d6", "daub6", WP_SYMMETRY_NONE, 3, 3},
    {"cdf62", "bior1.3", WP_SYMMETRY_NONE, 1, 3},
    {"cdf93", "bior2.4", WP_SYMMETRY_WHOLE, 2, 4},
    {"cdf173", "bior2.8", WP_SYMMETRY_WHOLE, 2, 8},
    {"cdf1711", "bior6.8", WP_SYMMETRY_WHOLE, 6, 8},
    {"cdf75", "cdf42", WP_SYMMETRY_WHOLE, 4, 2},
    {"dd97", "9/7-M", WP_SYMMETRY_WHOLE, 4, 2},
    {"ak511", "5/11-C", WP_SYMMETRY_WHOLE, 4, 2},
};

enum { SHIPPED = sizeof shipped / sizeof *shipped };

// The moment relative to the sum of its terms' magnitudes; 0 where it vanishes. flip: at the
// Nyquist frequency.
static double moment(const double filter[WP_FILTER_SIZE], int power, bool flip)
{
    double sum = 0, magnitude = 0;
    for (int j = 0; j < WP_FILTER_SIZE; j++) {
        const int k = j - WP_FILTER_CENTER;
        const double term = filter[j] * pow(k, power);
        sum += flip && k % 2 != 0 ? -term : term;
        magnitude += fabs(term);
    }
    return sum / magnitude;
}

static void test_shipped(void **state)
{
    (void)state;
    for (int i = 0; i < SHIPPED; i++) {
        struct wp_wavelet w, by_alias;
        if (!wp_wavelet_find(shipped[i].name, &w) || !wp_wavelet_find(shipped[i].alias, &by_alias))
            fail_msg("%s", logged);
        assert_string_equal(w.name, shipped[i].name);
        assert_string_equal(by_alias.name, shipped[i].name);
        assert_true(w.title[0] && w.source[0] && strcmp(w.title, w.name) != 0);
        assert_int_equal(w.symmetry, shipped[i].symmetry);
        wp_wavelet_filters(&w, low, high);
        for (int m = 0; m <= shipped[i].high_moments; m++)
            assert_int_equal(fabs(moment(high, m, false)) < 1e-10, m < shipped[i].high_moments);
        for (int m = 0; m <= shipped[i].low_moments; m++)
            assert_int_equal(fabs(moment(low, m, true)) < 1e-10, m < shipped[i].low_moments);
        check_filters_against_steps(&w);
    }
    for (int i = 0; wp_wavelet_table[i]; i++)
        check_filters_against_steps(wp_wavelet_table[i]);
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

// Every file in the directory is in the list above and gives its filters as checks.
static void test_every_file_is_checked(void **state)
{
    (void)state;
    DIR *directory = opendir(WP_TEST_ASSETS);
    assert_non_null(directory);
    int files = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".wavelet"))
            continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", WP_TEST_ASSETS, entry->d_name);
        char *text = read_text(path);
        assert_true(strstr(text, "\nlowpass ") && strstr(text, "\nhighpass "));
        free(text);
        files++;
    }
    closedir(directory);
    assert_int_equal(files, SHIPPED);
}

static void test_wrong_tap_is_told(void **state)
{
    (void)state;
    char *text = read_text(WP_TEST_ASSETS "/cdf93.wavelet");
    struct wp_wavelet w;
    assert_true(wp_wavelet_parse("a.wavelet", text, &w));
    // One tap of the update, and then one of the high-pass as it is written.
    char *tap = strstr(text, "-2 -3/64");
    assert_non_null(tap);
    memcpy(tap, "-2 -1/64", 8);
    assert_false(wp_wavelet_parse("a.wavelet", text, &w));
    assert_failed(WP_ERROR_FILE,
                  "a.wavelet:14: the lifting steps make another low-pass filter (it differs by "
                  "0.03125 at -3: -0.046875 is written here, -0.015625 comes out)");
    memcpy(tap, "-2 -3/64", 8);
    char *high_line = strstr(text, "highpass -1 -1/2");
    assert_non_null(high_line);
    memcpy(high_line, "highpass -3 -1/2", 16);
    assert_false(wp_wavelet_parse("a.wavelet", text, &w));
    assert_failed(WP_ERROR_FILE,
                  "a.wavelet:15: the lifting steps make another high-pass filter (it differs by "
                  "0.5 at -3: -0.5 is written here, 0.0 comes out)");
    free(text);
}

// --- the parser --------------------------------------------------------------------------

#define HAAR "predict 0 -1\nupdate 0 1/2\n"
#define FOUR HAAR HAAR HAAR HAAR
#define TWENTY "0 1 1 1 2 1 3 1 4 1 5 1 6 1 7 1 8 1 9 1 10 1 11 1 12 1 13 1 14 1 15 1 16 1 17 1"
#define FORTY_BYTES "0123456789012345678901234567890123456789"

static void test_parse(void **state)
{
    (void)state;
    struct wp_wavelet w;
    assert_true(wp_wavelet_parse("some/where/mine.wavelet",
                                 "# a comment\r\n"
                                 "\r\n"
                                 "  source\tF. C\xc3\xa9zanne, 1874 # and here\r\n"
                                 "aliases one \t two\r\n"
                                 "update 1 1e-1 0 0.9\r\n"
                                 "predict 2 -.25 -3 -1/4\r\n"
                                 "zeta 2",
                                 &w));
    assert_string_equal(w.name, "mine");
    assert_string_equal(w.title, "mine");
    assert_string_equal(w.source, "F. C\xc3\xa9zanne, 1874");
    assert_string_equal(w.aliases, "one two");
    assert_int_equal(w.pairs, 2);
    assert_int_equal(w.pair[0].predict.count, 0);
    assert_int_equal(w.pair[0].update.count, 2);
    assert_int_equal(w.pair[0].update.tap[0].k, 0); // sorted
    assert_near(w.pair[0].update.tap[0].c, 0.9, 0);
    assert_near(w.pair[0].update.tap[1].c, 0.1, 0);
    assert_int_equal(w.pair[1].predict.count, 2);
    assert_int_equal(w.pair[1].predict.tap[0].k, -3);
    assert_near(w.pair[1].predict.tap[0].c, -0.25, 0);
    assert_int_equal(w.pair[1].update.count, 0);
    assert_near(w.zeta, 2, 0);
    assert_int_equal(w.symmetry, WP_SYMMETRY_NONE);

    // Two predicts in a row: the first pair's update is empty.
    assert_true(wp_wavelet_parse("x", "name y\ntitle The title\nsource s\npredict 0 -1\n"
                                      "predict 0 1 1 -1\nupdate 0 1/2 -1 -1/2", &w));
    assert_string_equal(w.name, "y");
    assert_string_equal(w.title, "The title");
    assert_int_equal(w.pairs, 2);
    assert_int_equal(w.pair[0].update.count, 0);
    assert_int_equal(w.pair[1].update.count, 2);
}

static const struct {
    const char *text, *message;
} rejected[] = {
    {"", "f: the file is empty"},
    {"# nothing\n\n", "f: no 'source' (say where the numbers come from)"},
    {HAAR, "f: no 'source' (say where the numbers come from)"},
    {"source s\n",
     "f: no lifting steps (lines 'predict' and 'update'), and no filters to find them from "
     "('lowpass', 'highpass')"},
    {"source s\nhighpass -1 -1 0 1\n",
     "f: no lifting steps (lines 'predict' and 'update'), and no filters to find them from "
     "('lowpass', 'highpass')"},
    {"source s\nlowpass 0 1/2 1 1/2\nzeta 1\n",
     "f:3: zeta without lifting steps (it follows from the filters)"},
    {"source s\nlowpass 0 1/2 1 1/2\nhighpass -1 -1 0 1\ndual 0 1 1 1\n",
     "f:4: 'dual' beside 'highpass' (either tells the other)"},
    {"source s\n" HAAR "dual 0 1 1 1\n",
     "f:4: 'dual' beside lifting steps (check them by 'highpass')"},
    {"source s\nlowpass -1 1/4 0 1/2 1 1/4\nhighpass -1 -1 0 1\n",
     "f:3: no perfect reconstruction: the determinant should be one term, and is 0.25 z + 0.75"},
    {"source s\nlowpass 0 1 1 1 2 1\n",
     "f:2: no perfect reconstruction: the determinant should be one term, and is 1.0 z + 3.0 + 1.0 "
     "z^-1"},
    {"source s\nlowpass 0 1/2 1 1/2\nhighpass 3 -1 4 1\n",
     "f:3: the high-pass filter stands 4 samples too far to the right"},
    {"source s\npredikt 0 -1\n", "f:2: unknown keyword 'predikt' (did you mean 'predict'?)"},
    {"%PDF-1.4\n", "f:1: unknown keyword '%PDF-1.4' (not one of name, title, source, aliases, "
                   "predict, update, zeta, lowpass, highpass, dual)"},
    {"source s\n" HAAR "source t\n", "f:4: 'source' again (it stands in line 1 already)"},
    {"zeta 1\nzeta 1\n", "f:2: 'zeta' again (it stands in line 1 already)"},
    {"source   # none\n", "f:1: 'source' without a value (leave the line out)"},
    {"predict\n", "f:1: 'predict' without a value (leave the line out)"},
    {"predict 0\n", "f:1: the tap at 0 has no value (position and value alternate)"},
    {"\n\npredict 0 -1 1\n", "f:3: the tap at 1 has no value (position and value alternate)"},
    {"predict 0.5 -1\n", "f:1: bad position '0.5' (a whole number from -64 to 64 is expected)"},
    {"predict 65 -1\n", "f:1: bad position '65' (a whole number from -64 to 64 is expected)"},
    {"predict -65 -1\n", "f:1: bad position '-65' (a whole number from -64 to 64 is expected)"},
    {"predict 99999999999 1\n",
     "f:1: bad position '99999999999' (a whole number from -64 to 64 is expected)"},
    {"predict 0 one\n", "f:1: bad number 'one' (a number is expected)"},
    {"predict 0 1,5\n", "f:1: bad number '1,5' (something follows the number)"},
    {"predict 0 0\n", "f:1: the tap at 0 is zero (leave it out)"},
    {"predict 0 1/2-0.5\n", "f:1: the tap at 0 is zero (leave it out)"},
    {"predict 0 1 1 2 0 3\n", "f:1: two taps at 0"},
    {"predict " TWENTY "\n", "f:1: too many taps (at most 16)"},
    {"zeta 0\n", "f:1: zeta '0' is zero"},
    {"zeta 1-1\n", "f:1: zeta '1-1' is zero"},
    {"zeta nan\n", "f:1: bad number 'nan' (a number is expected)"},
    {"zeta 1 2\n", "f:1: bad number '1 2' (something follows the number)"},
    {FOUR FOUR FOUR "predict 0 1", "f:25: too many lifting pairs (at most 12)"},
    {FOUR FOUR FOUR "update 0 1", "f:25: too many lifting pairs (at most 12)"},
    {"name a/b\n", "f:1: bad name 'a/b' (letters, digits and \"._+-\" only)"},
    {"name two words\n", "f:1: bad name 'two words' (letters, digits and \"._+-\" only)"},
    {"name cdf97\n", "f:1: name 'cdf97' is taken (by a built-in wavelet)"},
    {"aliases mine 5/3\n", "f:1: alias '5/3' is taken (by a built-in wavelet)"},
    {"name " FORTY_BYTES, "f:1: text too long (40 bytes, at most 31 fit)"},
    {"aliases " FORTY_BYTES FORTY_BYTES, "f:1: text too long (80 bytes, at most 63 fit)"},
    {"source s\n\x01\n", "f:2: not a text file (byte 0x01)"},
    {"title caf\xe9\n", "f:1: not a text in UTF-8"},
    {"title caf\xc3", "f:1: not a text in UTF-8"},
    {"title \xc0\xaf\n", "f:1: not a text in UTF-8"},
    {"title \xe0\x80\xaf\n", "f:1: not a text in UTF-8"},
    {"title \xed\xa0\x80\n", "f:1: not a text in UTF-8"},
    {"title \xf4\x90\x80\x80\n", "f:1: not a text in UTF-8"},
    {"source s\rtitle t\n", "f:1: not a text file (byte 0x0d)"},
    {"\x7f" "ELF", "f:1: not a text file (byte 0x7f)"},
    {"source s\npredict 0 -1\nupdate 0 1/2\nzeta 1.25\n",
     "f: the low-pass gain at DC is 0.8, not 1 (wrong zeta or a wrong tap)"},
    {"source s\npredict 0 -1.5\nupdate 0 1/2\n",
     "f: the high-pass gain at DC is -0.5, not 0 (a wrong tap)"},
    {"source s\npredict 0 1e300\nupdate 0 1e300\n",
     "f: the high-pass gain at DC is 1e+300, not 0 (a wrong tap)"},
};

static void test_rejections(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++) {
        struct wp_wavelet w;
        assert_false(wp_wavelet_parse("f", rejected[i].text, &w));
        assert_failed(WP_ERROR_FILE, rejected[i].message);
    }
}

static void test_limits(void **state)
{
    (void)state;
    struct wp_wavelet w;
    char *text = malloc(70000);
    assert_non_null(text);
    memset(text, ' ', 69999);
    text[69999] = '\0';
    assert_false(wp_wavelet_parse("f", text, &w));
    assert_failed(WP_ERROR_FILE, "f: larger than 65536 bytes (not a wavelet file)");
    text[0] = '\n';
    text[2001] = '\n';
    strcpy(text + 2002, "source s\n" HAAR);
    assert_true(wp_wavelet_parse("f", text, &w));
    memset(text + 1, ' ', 2001);
    text[2002] = '\n';
    assert_false(wp_wavelet_parse("f", text, &w));
    assert_failed(WP_ERROR_FILE, "f:2: line too long (at most 2000 bytes)");
    // Parentheses as deep as a line allows.
    strcpy(text, "zeta ");
    memset(text + 5, '(', 1995);
    text[2000] = '\0';
    assert_false(wp_wavelet_parse("f", text, &w));
    assert_int_equal(errors, 1);
    free(text);
    // 16 taps and the farthest positions are allowed.
    assert_true(wp_wavelet_parse("f",
                                 "source s\npredict -64 -1/2 64 -1/2\n"
                                 "predict 0 1 1 -1 2 1 3 -1 4 1 5 -1 6 1 7 -1 8 1 9 -1 10 1 11 -1 "
                                 "12 1 13 -1 14 1 15 -1\nupdate -64 1/4 -63 1/4", &w));
    assert_int_equal(w.pair[1].predict.count, 16);
    check_filters_against_steps(&w);
}

static void check_parsed(const char *text, enum wp_symmetry symmetry, int pairs)
{
    struct wp_wavelet w;
    if (!wp_wavelet_parse("f", text, &w))
        fail_msg("%s: %s", text, logged);
    assert_int_equal(w.symmetry, symmetry);
    assert_int_equal(w.pairs, pairs);
    check_filters_against_steps(&w);
}

// Filters without steps, in whatever scale, are what the steps are made of.
static void test_parse_taps(void **state)
{
    (void)state;
    check_parsed("lowpass -1 1+sqrt(3) 0 3+sqrt(3) 1 3-sqrt(3) 2 1-sqrt(3)\nsource s\n",
                 WP_SYMMETRY_NONE, 2);
    check_parsed("source s\nlowpass 0 1 1 1\nhighpass -1 7 0 -7\n", WP_SYMMETRY_LOCAL, 1);
    check_parsed("source s\nlowpass -2 -1/8 -1 1/4 0 3/4 1 1/4 2 -1/8\n"
                 "highpass -1 -1/2 0 1 1 -1/2\n", WP_SYMMETRY_WHOLE, 1);
    check_parsed("source s\nlowpass -2 -1/8 -1 1/4 0 3/4 1 1/4 2 -1/8\ndual -1 1 0 2 1 1\n",
                 WP_SYMMETRY_WHOLE, 1);
    // Even lengths, symmetric: periodic borders only.
    check_parsed("source s\nlowpass -1 -1 0 3 1 3 2 -1\ndual -1 1 0 3 1 3 2 1\n",
                 WP_SYMMETRY_NONE, 2);
    assert_int_equal(errors, 0);
}

static void check_text_refused(const char *text, const char *reason)
{
    struct wp_wavelet w;
    char expected[400];
    snprintf(expected, sizeof expected, "the taps make no wavelet: %s", reason);
    assert_false(wp_wavelet_find(text, &w));
    assert_failed(WP_ERROR_USAGE, expected);
}

// Taps in place of a name.
static void test_taps(void **state)
{
    (void)state;
    struct wp_wavelet w;
    assert_true(wp_wavelet_find("0 -.125,.25, 3/4\t.25 -.125; -1/2 1 -1/2", &w));
    assert_int_equal(w.symmetry, WP_SYMMETRY_WHOLE);
    assert_int_equal(w.pair[0].predict.count, 2);
    assert_true(wp_wavelet_find("1+sqrt(3) 3+sqrt(3) 3-sqrt(3) 1-sqrt(3);", &w));
    assert_int_equal(w.symmetry, WP_SYMMETRY_NONE);
    check_filters_against_steps(&w);
    // The high-pass may stand anywhere: it is moved.
    assert_true(wp_wavelet_find("1 1;0 0 0 0 1 -1", &w));
    assert_int_equal(w.symmetry, WP_SYMMETRY_LOCAL);
    assert_int_equal(errors, 0);
    check_text_refused(";", "the low-pass filter has no tap that is not zero");
    check_text_refused("0 0;1 -1", "the low-pass filter has no tap that is not zero");
    check_text_refused("1 1;0", "the high-pass filter has no tap that is not zero");
    check_text_refused("1 x;1 -1", "bad number 'x' (a number is expected)");
    check_text_refused("1 nan;1 -1", "bad number 'nan' (a number is expected)");
    check_text_refused("1 1e999;1 -1", "bad number '1e999' (a number is expected)");
    check_text_refused("1;1;1", "more than two filters");
    check_text_refused("1 2 1;1 -1", "no perfect reconstruction: the determinant should be one "
                                     "term, and is -1.0 z - 3.0");
    check_text_refused("1 2;-1 2", "the high-pass gain at DC is 0.75, not 0 (a wrong tap)");
    check_text_refused("1;1", "the filters have one tap each and transform nothing");
    check_text_refused("1 2 3;", "an orthogonal low-pass has an even number of taps, and this one "
                                 "has 3; other ones need a high-pass behind the ';'");
    check_text_refused("1 2 1;1 2 1", "no perfect reconstruction: the determinant should be one "
                                      "term, and is -1.0 z + 2.0 - 1.0 z^-1");
    check_text_refused("1 -1;1 1", "the gain of the low-pass filter at DC is 0 (are the filters "
                                   "exchanged?)");
    assert_false(wp_wavelet_find("1 1", &w));
    assert_failed(WP_ERROR_USAGE, "'1 1' is no wavelet\nhint: taps have a ';', 'LOW;HIGH' or "
                                  "'LOW;' of an orthogonal low-pass");
    char many[600] = "";
    for (int i = 0; i < 65; i++)
        strcat(many, "1 ");
    strcat(many, ";1 -1");
    check_text_refused(many, "the low-pass filter is 65 taps long, and at most 64 can be factored");
    strcpy(many, "");
    for (int i = 0; i < 140; i++)
        strcat(many, "1 ");
    strcat(many, ";1 -1");
    check_text_refused(many, "too many taps (at most 64 of a filter)");
    // A number has 79 characters at most.
    for (int more = 0; more <= 1; more++) {
        strcpy(many, more ? "01" : "1");
        for (int i = 0; i < 39; i++)
            strcat(many, "+0");
        strcat(many, " 1;1 -1");
        if (more)
            check_text_refused(many, "bad number '01+0+0+0+0+0+0+0+0+0+0+0+0+0+0+0+0+0+0+0' "
                                     "(too long)");
        else
            assert_true(wp_wavelet_find(many, &w));
    }
}

// The value of an expression, read as a tap beside its negative, so that the gains stay right.
static bool read_expression(const char *expression, double *value)
{
    struct wp_wavelet w;
    char text[512];
    snprintf(text, sizeof text, "source s\npredict 0 -1 5 %s 6 -(%s)\nupdate 0 1/2", expression,
             expression);
    if (!wp_wavelet_parse("f", text, &w))
        return false;
    *value = w.pair[0].predict.tap[1].c;
    return true;
}

static void test_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"-7.25", -7.25},
        {"1000", 1000},
        {"1e3", 1000},
        {"+2.5E-1", 0.25},
        {".5", 0.5},
        {"-9/16", -9.0 / 16},
        {"1-2-3", -4},
        {"16/4/2", 2},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"2*-3", -6},
        {"-(2-5)", 3},
        {"sqrt(9)", 3},
        {"-sqrt(2*8)/8", -0.5},
        {"sqrt(5+2*sqrt(4))", 3},
        {"1e2-1e1", 90},
    };
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", "a number is expected"},
        {"(1", "')' is missing"},
        {"1)", "something follows the number"},
        {"()", "a number is expected"},
        {"--1", "a number is expected"},
        {"1+", "a number is expected"},
        {"*2", "a number is expected"},
        {"1..2", "a number is expected"},
        {"1e", "a number is expected"},
        {"1e999", "a number is expected"},
        {"0x10", "something follows the number"},
        {"inf", "a number is expected"},
        {"1/0", "the result is not finite"},
        {"1+1/(1/0)", "the result is not finite"},
        {"0/0", "the result is not finite"},
        {"1e308*10", "the result is not finite"},
        {"1e308+1e308", "the result is not finite"},
        {"sqrt(1-2)", "square root of a negative number"},
        {"sqrt2", "a number is expected"},
        {"cos(1)", "a number is expected"},
        {"2^3", "something follows the number"},
        {"1;2", "something follows the number"},
        {"1000000000000000000000000000000000000000000000000000000000000000000000",
         "a number is expected"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = 0;
        if (!read_expression(good[i].text, &value))
            fail_msg("%s: %s", good[i].text, logged);
        assert_near(value, good[i].value, 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wp_wavelet w;
        char text[256], message[256];
        snprintf(text, sizeof text, "zeta +%s", bad[i].text);
        snprintf(message, sizeof message, "f:1: bad number '+%.39s' (%s)", bad[i].text,
                 bad[i].reason);
        assert_false(wp_wavelet_parse("f", text, &w));
        assert_failed(WP_ERROR_FILE, message);
    }
}

static void test_decimal_comma(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "cs_CZ.UTF-8",
                                          "pl_PL.UTF-8", "es_ES.UTF-8", "de_DE"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !set; i++)
        set = setlocale(LC_ALL, locales[i]);
    if (!set || strcmp(localeconv()->decimal_point, ",") != 0) {
        setlocale(LC_ALL, "C");
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    double value = 0;
    const bool done = read_expression("-7.25*1.5", &value);
    struct wp_wavelet w;
    const bool comma = wp_wavelet_parse("f", "zeta 1,5", &w);
    char message[sizeof logged];
    snprintf(message, sizeof message, "%s", logged);
    wp_wavelet_parse("f", "source s\npredict 0 -1\nupdate 0 1/2\nzeta 1.25\n", &w);
    setlocale(LC_ALL, "C");
    assert_true(done);
    assert_near(value, -10.875, 0);
    assert_false(comma);
    assert_string_equal(message, "f:1: bad number '1,5' (something follows the number)");
    assert_string_equal(logged,
                        "f: the low-pass gain at DC is 0.8, not 1 (wrong zeta or a wrong tap)");
}

// --- files and names ---------------------------------------------------------------------

static char directory[64];

static int make_directory(void **state)
{
    strcpy(directory, "/tmp/wavepass-test-XXXXXX");
    return setup(state) || !mkdtemp(directory);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int remove_directory(void **state)
{
    (void)state;
    static const char *const names[] = {"mine.wavelet", "broken.wavelet", "d4.wavelet",
                                        "plain.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(path_of(names[i]));
    return rmdir(directory);
}

// A wavelet file of so many bytes, the last of them a comment's.
static void test_longest_file(void **state)
{
    (void)state;
    enum { MOST = 65536 };
    static char text[MOST + 2];
    struct wp_wavelet w;
    for (int more = 0; more <= 1; more++) {
        const int size = MOST + more, start = snprintf(text, sizeof text, "source s\n" HAAR);
        for (int i = start; i < size; i++)
            text[i] = i % 100 == 0 ? '\n' : '#';
        text[size] = '\0';
        write_file("mine.wavelet", text, (size_t)size);
        assert_int_equal(wp_wavelet_parse("f", text, &w), !more);
        assert_int_equal(errors, more);
        forget();
        assert_int_equal(wp_wavelet_read(path_of("mine.wavelet"), &w), !more);
        assert_int_equal(errors, more);
        forget();
    }
}

static void assert_read_fails(const char *name, const char *why)
{
    struct wp_wavelet w;
    char message[512];
    snprintf(message, sizeof message, "%s%s", path_of(name), why);
    assert_false(wp_wavelet_read(path_of(name), &w));
    assert_failed(WP_ERROR_FILE, message);
}

static void test_read(void **state)
{
    (void)state;
    static const char text[] = "source s\n" HAAR;
    struct wp_wavelet w;
    write_file("mine.wavelet", text, sizeof text - 1);
    assert_true(wp_wavelet_read(path_of("mine.wavelet"), &w));
    assert_string_equal(w.name, "mine");
    assert_int_equal(w.symmetry, WP_SYMMETRY_LOCAL);
    write_file("mine.wavelet", text, sizeof text); // with the NUL at its end
    assert_read_fails("mine.wavelet", ":4: not a text file (byte 0x00)");
    write_file("mine.wavelet", "", 0);
    assert_read_fails("mine.wavelet", ": the file is empty");
    static char large[65537];
    memset(large, '\n', sizeof large);
    memcpy(large, text, sizeof text - 1);
    write_file("mine.wavelet", large, sizeof large - 1);
    assert_true(wp_wavelet_read(path_of("mine.wavelet"), &w));
    write_file("mine.wavelet", large, sizeof large);
    assert_read_fails("mine.wavelet", ": larger than 65536 bytes (not a wavelet file)");
    assert_read_fails("none.wavelet", ": cannot be read (No such file or directory)");
    assert_read_fails("", ": cannot be read (Is a directory)");
}

static void test_find(void **state)
{
    (void)state;
    struct wp_wavelet w;
    assert_true(wp_wavelet_find("legall", &w));
    assert_string_equal(w.name, "cdf53");
    assert_true(wp_wavelet_find("9/7", &w));
    assert_string_equal(w.name, "cdf97");
    assert_false(wp_wavelet_find("cdf79", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet 'cdf79'\n"
                                  "hint: did you mean 'cdf97'?  'wavepass info' lists all");
    assert_false(wp_wavelet_find("bior2.9", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet 'bior2.9'\n"
                                  "hint: bior has 1.1 1.3 1.5 2.2 2.4 2.6 2.8 3.1 3.3 3.5 3.7 3.9 "
                                  "4.4 5.5 6.8; 'wavepass info' lists all");
    assert_false(wp_wavelet_find("9/8", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet '9/8'\n"
                                  "hint: did you mean '9/7'?  'wavepass info' lists all");
    assert_false(wp_wavelet_find("Morlet", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet 'Morlet'\nhint: 'wavepass info' lists all");
    assert_false(wp_wavelet_find("cdf97.wavelet", &w));
    assert_failed(WP_ERROR_FILE, "cdf97.wavelet: no such file");
    assert_false(wp_wavelet_find("no/where", &w));
    assert_failed(WP_ERROR_FILE, "no/where: no such file");
    assert_false(wp_wavelet_find("", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet ''\nhint: 'wavepass info' lists all");
}

static bool has_name(char **names, const char *name)
{
    int count = 0;
    for (int i = 0; names[i]; i++)
        count += strcmp(names[i], name) == 0;
    assert_true(count <= 1);
    return count == 1;
}

static void test_directories(void **state)
{
    (void)state;
    struct wp_wavelet w;
    static const char mine[] = "source s\nname own\naliases other\n" HAAR;
    static const char db2[] = "source not the shipped one\n" HAAR;
    write_file("mine.wavelet", mine, sizeof mine - 1);
    write_file("d4.wavelet", db2, sizeof db2 - 1);
    write_file("broken.wavelet", "source s\nnonsense\n", 18);
    write_file("plain.txt", mine, sizeof mine - 1);
    assert_false(wp_wavelet_find("own", &w));
    forget();
    char both[1024];
    snprintf(both, sizeof both, "%s:%s", directory, WP_TEST_ASSETS);
    setenv("WAVEPASS_WAVELETS", both, 1);
    struct wp_text directories = {0};
    wp_wavelet_directories(&directories);
    assert_memory_equal(wp_text_get(&directories), both, strlen(both));
    wp_text_free(&directories);
    // By file name, name, alias, path; the first directory wins.
    assert_true(wp_wavelet_find("mine", &w) && strcmp(w.name, "own") == 0);
    assert_true(wp_wavelet_find("own", &w) && strcmp(w.name, "own") == 0);
    assert_true(wp_wavelet_find("other", &w) && strcmp(w.name, "own") == 0);
    assert_true(wp_wavelet_find(path_of("plain.txt"), &w) && strcmp(w.name, "own") == 0);
    assert_true(wp_wavelet_find("d4", &w));
    assert_string_equal(w.source, "not the shipped one");
    assert_true(wp_wavelet_find("d6", &w));
    assert_int_equal(errors, 0); // the broken file is no one's business until it is named
    assert_false(wp_wavelet_find("broken", &w));
    assert_non_null(strstr(logged, "/broken.wavelet:2: unknown keyword 'nonsense'"));
    assert_int_equal(wp_last_error(), WP_ERROR_FILE);

    char **names = wp_wavelet_names();
    static const char *const expected[] = {"haar", "cdf97", "9/7", "own", "other", "broken",
                                           "d4", "daub4", "cdf93", "bior2.4"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!has_name(names, expected[i]))
            fail_msg("%s is not listed", expected[i]);
    assert_false(has_name(names, "mine"));
    assert_false(has_name(names, "plain"));
    wp_wavelet_free_names(names);
    wp_wavelet_free_names(NULL);

    unsetenv("WAVEPASS_WAVELETS");
    wp_wavelet_directories(&directories);
    assert_non_null(strstr(wp_text_get(&directories), "/../share/wavepass/wavelets"));
    assert_non_null(strstr(wp_text_get(&directories), "/../../assets/wavelets"));
    wp_text_free(&directories);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_published_filters, setup),
        cmocka_unit_test_setup(test_table, setup),
        cmocka_unit_test_setup(test_finish_rejects, setup),
        cmocka_unit_test_setup(test_finish_accepts, setup),
        cmocka_unit_test_setup(test_symmetry, setup),
        cmocka_unit_test_setup(test_shipped, setup),
        cmocka_unit_test_setup(test_every_file_is_checked, setup),
        cmocka_unit_test_setup(test_wrong_tap_is_told, setup),
        cmocka_unit_test_setup(test_parse, setup),
        cmocka_unit_test_setup(test_rejections, setup),
        cmocka_unit_test_setup(test_limits, setup),
        cmocka_unit_test_setup(test_expressions, setup),
        cmocka_unit_test_setup(test_decimal_comma, setup),
        cmocka_unit_test_setup_teardown(test_read, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_longest_file, make_directory, remove_directory),
        cmocka_unit_test_setup(test_parse_taps, setup),
        cmocka_unit_test_setup(test_taps, setup),
        cmocka_unit_test_setup(test_find, setup),
        cmocka_unit_test_setup_teardown(test_directories, make_directory, remove_directory),
    };
    return cmocka_run_group_tests_name("wavelet", tests, NULL, NULL);
}
