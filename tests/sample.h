// A sample of a matrix of cases, for tests that go through all of them at other times.
#ifndef WP_TEST_SAMPLE_H
#define WP_TEST_SAMPLE_H

#include <stdbool.h>

// Whether a case is in the sample. WAVEPASS_SAMPLE=SEED:N in the environment asks for about one of N
// programs with all of their cases, under sanitizers one of 4 N; without it, every case is taken.
// Drivers compile a program once for all cases that share it, and that is most of the time of a case.
// `program` (a printf format) names what decides the program's text, such as wavelet, scheme and form.
// The first program of a matrix is always taken. The same seed gives the same sample, whatever the
// order.
bool sample_has(const char *program, ...) __attribute__((format(printf, 1, 2)));

// The same for cases that compile nothing: takes about one of N cases, by their number.
bool sample_has_case(void);

// The same for cases that compile for a second each: about one of 4 N.
bool sample_has_costly_case(void);

// Whether WAVEPASS_SAMPLE asks for less than everything.
bool sample_is_selected(void);

// Sanitizers look at memory, for which fewer cases do. In a build with them that is to take a sample: a
// quarter of `count`, and one name of four by the seed; else `count`, and every name.
unsigned sample_count(unsigned count);
bool sample_has_name(const char *name);

// Ends a matrix: the next program is the first one of another matrix. Prints how to repeat the sample
// if there is one.
void sample_print(void);

#endif
