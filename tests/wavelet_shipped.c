// The built-in wavelet files. WP_TEST_ASSETS is their directory.
#include "wavelet_tests.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double low[WP_FILTER_SIZE], high[WP_FILTER_SIZE];

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

// A moment of a filter, relative to the sum of its terms' magnitudes; 0 if it vanishes. With
// `flip`, every other sign is changed: the moment at the Nyquist frequency.
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

void test_shipped(void **state)
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

static const char *built_in(const char *name)
{
    for (const struct wp_wavelet_file *file = wp_wavelet_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file->text;
    fail_msg("%s is not built in", name);
    return NULL;
}

// Every file in the directory is built in, is in the list above, and gives the filters that its
// steps are checked against.
void test_every_file_is_checked(void **state)
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
        assert_string_equal(text, built_in(entry->d_name));
        free(text);
        files++;
    }
    closedir(directory);
    assert_int_equal(files, SHIPPED);
    assert_null(wp_wavelet_files[SHIPPED].name);
}

// Replaces `right` in the text with `wrong`, which has the same length: parsing must fail. Then
// restores the text.
static void check_wrong(char *text, const char *right, const char *wrong, const char *message)
{
    struct wp_wavelet w;
    char *at = strstr(text, right);
    assert_non_null(at);
    memcpy(at, wrong, strlen(wrong));
    assert_false(wp_wavelet_parse("a.wavelet", text, &w));
    assert_failed(WP_ERROR_FILE, message);
    memcpy(at, right, strlen(right));
}

// Changes one tap of the update step, then one tap of the high-pass filter in the file.
void test_wrong_tap_is_told(void **state)
{
    (void)state;
    char *text = read_text(WP_TEST_ASSETS "/cdf93.wavelet");
    struct wp_wavelet w;
    assert_true(wp_wavelet_parse("a.wavelet", text, &w));
    check_wrong(text, "-2 -3/64", "-2 -1/64",
                "a.wavelet:14: the lifting steps give a different low-pass filter (it differs by "
                "0.03125 at -3: -0.046875 in the file, -0.015625 computed)");
    check_wrong(text, "highpass -1 -1/2", "highpass -3 -1/2",
                "a.wavelet:15: the lifting steps give a different high-pass filter (it differs by "
                "0.5 at -3: -0.5 in the file, 0.0 computed)");
    free(text);
}
