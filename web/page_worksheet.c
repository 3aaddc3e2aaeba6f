#include "page.h"
#include "page_internal.h"

#include "questions.h"

static struct wp_questions *questions;

const char *page_questions(int seed)
{
    static struct wp_text text;
    wp_questions_destroy(&questions);
    questions = wp_questions_create(page_selected_wavelet(), (unsigned long long)seed);
    wp_text_clear(&text);
    for (int i = 0; questions && i < questions->count; i++)
        wp_text_add(&text, "%s\t%s\n", wp_text_get(&questions->question[i].text),
                    wp_text_get(&questions->question[i].hint));
    return questions && wp_text_is_complete(&text, "the questions") ? wp_text_get(&text) : NULL;
}

static const struct wp_question *find(int question)
{
    if (questions && question >= 0 && question < questions->count)
        return &questions->question[question];
    wp_fail(WP_ERROR_USAGE, "there is no question %d", question);
    return NULL;
}

int page_is_right(int question, const char *written)
{
    const struct wp_question *q = find(question);
    bool right;
    const char *problem = q ? wp_question_check(q, written, &right) : NULL;
    if (problem)
        wp_fail(WP_ERROR_USAGE, "%s", problem);
    return !q || problem ? -1 : right;
}

const char *page_solution(int question)
{
    static struct wp_text text;
    const struct wp_question *q = find(question);
    if (!q)
        return NULL;
    wp_text_clear(&text);
    wp_question_solution(q, &text);
    wp_text_add(&text, "\t%s", wp_text_get(&q->working));
    return wp_text_is_complete(&text, "an answer") ? wp_text_get(&text) : NULL;
}
