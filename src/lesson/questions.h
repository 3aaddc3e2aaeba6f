// Questions of a worksheet on a wavelet and its schemes, with computed answers.
#ifndef WP_QUESTIONS_H
#define WP_QUESTIONS_H

#include "text.h"
#include "wavelet.h"

enum { WP_QUESTION_SEED_MAX = 9999 };

struct wp_question {
    struct wp_text text;    // ends with a question mark
    struct wp_text hint;    // one or two sentences
    struct wp_text working; // the calculation; "" if the answer needs none
    double answer;
    bool is_integer; // otherwise three digits are sufficient
};

struct wp_questions {
    int count;
    struct wp_question *question;
};

// Creates the questions, which are the same for the same wavelet and seed on every machine. They
// are on the forward transform of images. `wavelet` must satisfy wp_wavelet_finish(). NULL after
// WP_ERROR_TOO_LARGE.
struct wp_questions *wp_questions_create(const struct wp_wavelet *wavelet,
                                         unsigned long long seed);
void wp_questions_destroy(struct wp_questions **questions); // accepts NULL, sets it to NULL

// Adds the answer.
void wp_question_solution(const struct wp_question *question, struct wp_text *out);

// Checks an answer. It may be a fraction or another expression (wp_wavelet_evaluate()), with
// blanks, a decimal comma, "−", "·", "×" and "√". Returns NULL, or the reason why it is not a
// number.
const char *wp_question_check(const struct wp_question *question, const char *answer,
                              bool *is_correct);

#endif
