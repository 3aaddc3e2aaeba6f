// Golden texts: expected texts in files under tests/golden/.
//
// To rewrite them after an intended change, run the following and review the git diff:
//
//     WP_UPDATE_GOLDEN=1 ctest -L unit
#ifndef GOLDEN_H
#define GOLDEN_H

// Fails the test if `text` differs from the file, after printing the lines that differ. Requires
// the macro WP_TEST_GOLDEN, the directory of the files.
void assert_golden(const char *file, const char *text);

#endif
