// Golden texts: files under tests/golden/ that a text must equal.
//
// To rewrite them after a wanted change, and then read the difference in git:
//
//     WP_UPDATE_GOLDEN=1 ctest -L unit
#ifndef GOLDEN_H
#define GOLDEN_H

// Fails the test where `text` is not what the file holds, after printing the lines that
// differ. Needs WP_TEST_GOLDEN, the directory of the files.
void assert_golden(const char *file, const char *text);

#endif
