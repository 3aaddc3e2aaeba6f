// Questions of a worksheet on a wavelet and its schemes, with answers that are computed from them.
#ifndef WP_QUESTIONS_H
#define WP_QUESTIONS_H

#include "text.h"
#include "wavelet.h"

enum { WP_QUESTION_SEED_MOST = 9999 };

struct wp_question {
    struct wp_text text;    // ends with a question mark
    struct wp_text hint;    // a sentence or two
    struct wp_text working; // how the answer comes about, "" where that says it all
    double answer;
    bool whole; // a whole number; of others three digits will do
};

struct wp_questions {
    int count;
    struct wp_question *question;
};

// The same questions for the same wavelet and seed everywhere. Of images, forward. NULL after
// WP_ERROR_TOO_LARGE where memory is short. `wavelet` satisfies wp_wavelet_finish().
struct wp_questions *wp_questions_create(const struct wp_wavelet *wavelet,
                                         unsigned long long seed);
void wp_questions_destroy(struct wp_questions **questions); // accepts NULL, clears the pointer

// The answer as it is shown.
void wp_question_solution(const struct wp_question *question, struct wp_text *out);

// Whether what somebody has written is the answer. It may be a fraction or another expression
// (wp_wavelet_evaluate()), with blanks, a comma for the point, "−", "·", "×" and "√". NULL, or why it
// is no number.
const char *wp_question_check(const struct wp_question *question, const char *written,
                              bool *right);

#endif
