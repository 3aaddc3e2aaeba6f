// Random sampling of a test matrix; without a sample all cases run.
#ifndef WP_TEST_SAMPLE_H
#define WP_TEST_SAMPLE_H

#include <stdbool.h>

// True if a case is in the sample. WAVEPASS_SAMPLE=SEED:N selects about one of N programs with all
// of their cases, under sanitizers one of 4 N; without it, all cases are selected. Drivers compile
// a program once for all cases that share it, which is most of the time of a case. `program` (a
// printf format) identifies the program's text, such as wavelet, scheme and form. The first program
// of a matrix is always selected. The same seed gives the same sample in any order.
bool sample_has(const char *program, ...) __attribute__((format(printf, 1, 2)));

// For cases that compile nothing: selects about one of N cases, by their number.
bool sample_has_case(void);

// For cases that compile for a second each: selects about one of 4 N.
bool sample_has_costly_case(void);

// True if WAVEPASS_SAMPLE selects less than everything.
bool sample_is_selected(void);

// Sanitizers check memory accesses, which requires fewer cases. In a sanitizer build with a sample:
// a quarter of `count`, and one of four names; otherwise `count` and all names.
unsigned sample_count(unsigned count);
bool sample_has_name(const char *name);

// Ends a matrix: the next program is the first of another matrix. Prints how to repeat the sample.
void sample_print(void);

#endif
