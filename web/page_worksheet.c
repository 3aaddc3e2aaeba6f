#include "page.h"
#include "page_internal.h"

#include "questions.h"

static struct wp_questions *asked;

const char *page_questions(int seed)
{
    static struct wp_text text;
    wp_questions_destroy(&asked);
    asked = wp_questions_create(page_custom_wavelet(), (unsigned long long)seed);
    wp_text_clear(&text);
    for (int i = 0; asked && i < asked->count; i++)
        wp_text_add(&text, "%s\t%s\n", wp_text_get(&asked->question[i].text),
                    wp_text_get(&asked->question[i].hint));
    return asked && wp_text_is_complete(&text, "the questions") ? wp_text_get(&text) : NULL;
}

static const struct wp_question *find(int question)
{
    if (asked && question >= 0 && question < asked->count)
        return &asked->question[question];
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
