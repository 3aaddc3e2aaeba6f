// The tests of test_wavelet, by file, and their common helpers.
#ifndef WP_TEST_WAVELET_TESTS_H
#define WP_TEST_WAVELET_TESTS_H

#include "log.h"
#include "wavelet.h"

// Lines of a wavelet file.
#define HAAR "predict 0 -1\nupdate 0 1/2\n"

// The last message, and the number of errors, since the last forget().
extern char logged[2048];
extern int errors;
void forget(void);
// Asserts exactly one error, of this kind and with this message; then calls forget().
void assert_failed(enum wp_error kind, const char *message);
void assert_near(double a, double b, double tolerance);
// Compares the wavelet's filters with its lifting steps, on a periodic signal.
void check_filters_against_steps(const struct wp_wavelet *w);

// Captures messages and sets the directory of the shipped files.
int setup(void **state);

// wavelet_table.c
void test_published_filters(void **state);
void test_table(void **state);
void test_finish_rejects(void **state);
void test_finish_accepts(void **state);
void test_symmetry(void **state);

// wavelet_shipped.c
void test_shipped(void **state);
void test_every_file_is_checked(void **state);
void test_wrong_tap_is_told(void **state);

// wavelet_text.c
void test_parse(void **state);
void test_rejections(void **state);
void test_limits(void **state);
void test_parse_taps(void **state);
void test_taps(void **state);
void test_expressions(void **state);
void test_decimal_comma(void **state);

// wavelet_files.c, with setup and teardown for tests that write files
int make_directory(void **state);
int remove_directory(void **state);
void test_read(void **state);
void test_longest_file(void **state);
void test_find(void **state);
void test_directories(void **state);

#endif
