// A sample of a matrix of cases, for tests that go through all of them on other days.
#ifndef WP_TEST_SAMPLE_H
#define WP_TEST_SAMPLE_H

#include <stdbool.h>

// Whether the next case is one of the sample. WAVEPASS_SAMPLE=SEED:N in the environment asks for
// about one of N cases, the first among them; without it, all are. The same seed and the same order
// of cases give the same sample.
bool sample_takes(void);

// Ends a matrix, of which it says how the sample is had again, where it is one: the next case is the
// first of another.
void sample_print(void);

#endif
