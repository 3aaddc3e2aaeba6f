// Parsing of wavelets: the lines of a file, taps instead of a name, expressions.
#include "wavelet_tests.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOUR HAAR HAAR HAAR HAAR
#define TWENTY "0 1 1 1 2 1 3 1 4 1 5 1 6 1 7 1 8 1 9 1 10 1 11 1 12 1 13 1 14 1 15 1 16 1 17 1"
#define FORTY_BYTES "0123456789012345678901234567890123456789"

void test_parse(void **state)
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
    {"# nothing\n\n", "f: no 'source' (name the source of the numbers)"},
    {HAAR, "f: no 'source' (name the source of the numbers)"},
    {"source s\n",
     "f: no lifting steps (lines 'predict' and 'update'), and no filters to find them from "
     "('lowpass', 'highpass')"},
    {"source s\nhighpass -1 -1 0 1\n",
     "f: no lifting steps (lines 'predict' and 'update'), and no filters to find them from "
     "('lowpass', 'highpass')"},
    {"source s\nlowpass 0 1/2 1 1/2\nzeta 1\n",
     "f:3: zeta without lifting steps (it follows from the filters)"},
    {"source s\nlowpass 0 1/2 1 1/2\nhighpass -1 -1 0 1\ndual 0 1 1 1\n",
     "f:4: 'dual' and 'highpass' exclude each other (each determines the other)"},
    {"source s\n" HAAR "dual 0 1 1 1\n",
     "f:4: 'dual' and lifting steps exclude each other (check the steps with 'highpass')"},
    {"source s\nlowpass -1 1/4 0 1/2 1 1/4\nhighpass -1 -1 0 1\n",
     "f:3: no perfect reconstruction: the determinant must be a single term, and is 0.25 z + 0.75"},
    {"source s\nlowpass 0 1 1 1 2 1\n",
     "f:2: no perfect reconstruction: the determinant must be a single term, and is 1.0 z + 3.0 + "
     "1.0 z^-1"},
    {"source s\nlowpass 0 1/2 1 1/2\nhighpass 3 -1 4 1\n",
     "f:3: the high-pass filter is 4 samples too far to the right"},
    {"source s\npredikt 0 -1\n", "f:2: unknown keyword 'predikt' (did you mean 'predict'?)"},
    {"%PDF-1.4\n", "f:1: unknown keyword '%PDF-1.4' (not one of name, title, source, aliases, "
                   "predict, update, zeta, lowpass, highpass, dual)"},
    {"source s\n" HAAR "source t\n", "f:4: duplicate keyword 'source' (also in line 1)"},
    {"zeta 1\nzeta 1\n", "f:2: duplicate keyword 'zeta' (also in line 1)"},
    {"source   # none\n", "f:1: 'source' without a value (omit the line)"},
    {"predict\n", "f:1: 'predict' without a value (omit the line)"},
    {"predict 0\n", "f:1: the tap at 0 has no value (position and value alternate)"},
    {"\n\npredict 0 -1 1\n", "f:3: the tap at 1 has no value (position and value alternate)"},
    {"predict 0.5 -1\n", "f:1: bad position '0.5' (expected an integer from -64 to 64)"},
    {"predict 65 -1\n", "f:1: bad position '65' (expected an integer from -64 to 64)"},
    {"predict -65 -1\n", "f:1: bad position '-65' (expected an integer from -64 to 64)"},
    {"predict 99999999999 1\n",
     "f:1: bad position '99999999999' (expected an integer from -64 to 64)"},
    {"predict 0 one\n", "f:1: bad number 'one' (expected a number)"},
    {"predict 0 1,5\n", "f:1: bad number '1,5' (unexpected text after the number)"},
    {"predict 0 0\n", "f:1: the tap at 0 is zero (omit it)"},
    {"predict 0 1/2-0.5\n", "f:1: the tap at 0 is zero (omit it)"},
    {"predict 0 1 1 2 0 3\n", "f:1: two taps at 0"},
    {"predict " TWENTY "\n", "f:1: too many taps (at most 16)"},
    {"zeta 0\n", "f:1: zeta '0' is zero"},
    {"zeta 1-1\n", "f:1: zeta '1-1' is zero"},
    {"zeta nan\n", "f:1: bad number 'nan' (expected a number)"},
    {"zeta 1 2\n", "f:1: bad number '1 2' (unexpected text after the number)"},
    {FOUR FOUR FOUR "predict 0 1", "f:25: too many lifting pairs (at most 12)"},
    {FOUR FOUR FOUR "update 0 1", "f:25: too many lifting pairs (at most 12)"},
    {"name a/b\n", "f:1: bad name 'a/b' (letters, digits and \"._+-\" only)"},
    {"name two words\n", "f:1: bad name 'two words' (letters, digits and \"._+-\" only)"},
    {"name cdf97\n", "f:1: name 'cdf97' is already used (by a built-in wavelet)"},
    {"aliases mine 5/3\n", "f:1: alias '5/3' is already used (by a built-in wavelet)"},
    {"name " FORTY_BYTES, "f:1: text too long (40 bytes, at most 31)"},
    {"aliases " FORTY_BYTES FORTY_BYTES, "f:1: text too long (80 bytes, at most 63)"},
    {"source s\n\x01\n", "f:2: not a text file (byte 0x01)"},
    {"title caf\xe9\n", "f:1: not UTF-8 text"},
    {"title caf\xc3", "f:1: not UTF-8 text"},
    {"title \xc0\xaf\n", "f:1: not UTF-8 text"},
    {"title \xe0\x80\xaf\n", "f:1: not UTF-8 text"},
    {"title \xed\xa0\x80\n", "f:1: not UTF-8 text"},
    {"title \xf4\x90\x80\x80\n", "f:1: not UTF-8 text"},
    {"source s\rtitle t\n", "f:1: not a text file (byte 0x0d)"},
    {"\x7f" "ELF", "f:1: not a text file (byte 0x7f)"},
    {"source s\npredict 0 -1\nupdate 0 1/2\nzeta 1.25\n",
     "f: the low-pass gain at DC is 0.8, not 1 (wrong zeta or a wrong tap)"},
    {"source s\npredict 0 -1.5\nupdate 0 1/2\n",
     "f: the high-pass gain at DC is -0.5, not 0 (a wrong tap)"},
    {"source s\npredict 0 1e300\nupdate 0 1e300\n",
     "f: the high-pass gain at DC is 1e+300, not 0 (a wrong tap)"},
};

void test_rejections(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++) {
        struct wp_wavelet w;
        assert_false(wp_wavelet_parse("f", rejected[i].text, &w));
        assert_failed(WP_ERROR_FILE, rejected[i].message);
    }
}

void test_limits(void **state)
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
    // Parentheses nested as deeply as a line allows.
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

// Filters without lifting steps, scaled by any factor: the steps are computed from them.
void test_parse_taps(void **state)
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
    snprintf(expected, sizeof expected, "the taps are not a wavelet: %s", reason);
    assert_false(wp_wavelet_find(text, &w));
    assert_failed(WP_ERROR_USAGE, expected);
}

// Taps instead of a name.
void test_taps(void **state)
{
    (void)state;
    struct wp_wavelet w;
    assert_true(wp_wavelet_find("0 -.125,.25, 3/4\t.25 -.125; -1/2 1 -1/2", &w));
    assert_int_equal(w.symmetry, WP_SYMMETRY_WHOLE);
    assert_int_equal(w.pair[0].predict.count, 2);
    assert_true(wp_wavelet_find("1+sqrt(3) 3+sqrt(3) 3-sqrt(3) 1-sqrt(3);", &w));
    assert_int_equal(w.symmetry, WP_SYMMETRY_NONE);
    check_filters_against_steps(&w);
    // The high-pass may have any offset; it is moved.
    assert_true(wp_wavelet_find("1 1;0 0 0 0 1 -1", &w));
    assert_int_equal(w.symmetry, WP_SYMMETRY_LOCAL);
    assert_int_equal(errors, 0);
    check_text_refused(";", "all taps of the low-pass filter are zero");
    check_text_refused("0 0;1 -1", "all taps of the low-pass filter are zero");
    check_text_refused("1 1;0", "all taps of the high-pass filter are zero");
    check_text_refused("1 x;1 -1", "bad number 'x' (expected a number)");
    check_text_refused("1 nan;1 -1", "bad number 'nan' (expected a number)");
    check_text_refused("1 1e999;1 -1", "bad number '1e999' (expected a number)");
    check_text_refused("1;1;1", "more than two filters");
    check_text_refused("1 2 1;1 -1", "no perfect reconstruction: the determinant must be a single "
                                     "term, and is -1.0 z - 3.0");
    check_text_refused("1 2;-1 2", "the high-pass gain at DC is 0.75, not 0 (a wrong tap)");
    check_text_refused("1;1", "the filters have one tap each and transform nothing");
    check_text_refused("1 2 3;", "an orthogonal low-pass has an even number of taps, and this one "
                                 "has 3; other filters need a high-pass after the ';'");
    check_text_refused("1 2 1;1 2 1", "no perfect reconstruction: the determinant must be a single "
                                      "term, and is -1.0 z + 2.0 - 1.0 z^-1");
    check_text_refused("1 -1;1 1", "the gain of the low-pass filter at DC is 0 (are the filters "
                                   "exchanged?)");
    assert_false(wp_wavelet_find("1 1", &w));
    assert_failed(WP_ERROR_USAGE, "'1 1' is not a wavelet\nhint: taps have a ';': 'LOW;HIGH', or "
                                  "'LOW;' for an orthogonal low-pass");
    char many[600] = "";
    for (int i = 0; i < 65; i++)
        strcat(many, "1 ");
    strcat(many, ";1 -1");
    check_text_refused(many, "the low-pass filter has 65 taps (at most 64 are supported)");
    strcpy(many, "");
    for (int i = 0; i < 140; i++)
        strcat(many, "1 ");
    strcat(many, ";1 -1");
    check_text_refused(many, "too many taps (at most 64 per filter)");
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

// Evaluates an expression: parses it as a tap. A second tap with the negative value keeps the gains
// unchanged.
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

void test_expressions(void **state)
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
        {"", "expected a number"},
        {"(1", "')' is missing"},
        {"1)", "unexpected text after the number"},
        {"()", "expected a number"},
        {"--1", "expected a number"},
        {"1+", "expected a number"},
        {"*2", "expected a number"},
        {"1..2", "expected a number"},
        {"1e", "expected a number"},
        {"1e999", "expected a number"},
        {"0x10", "unexpected text after the number"},
        {"inf", "expected a number"},
        {"1/0", "the result is not finite"},
        {"1+1/(1/0)", "the result is not finite"},
        {"0/0", "the result is not finite"},
        {"1e308*10", "the result is not finite"},
        {"1e308+1e308", "the result is not finite"},
        {"sqrt(1-2)", "square root of a negative number"},
        {"sqrt2", "expected a number"},
        {"cos(1)", "expected a number"},
        {"2^3", "unexpected text after the number"},
        {"1;2", "unexpected text after the number"},
        {"1000000000000000000000000000000000000000000000000000000000000000000000",
         "expected a number"},
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

void test_decimal_comma(void **state)
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
    assert_string_equal(message, "f:1: bad number '1,5' (unexpected text after the number)");
    assert_string_equal(logged,
                        "f: the low-pass gain at DC is 0.8, not 1 (wrong zeta or a wrong tap)");
}
