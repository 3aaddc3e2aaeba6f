#include "words.h"

#include "text.h"
#include "xmemory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct wp_words wp_words_of(const char *list)
{
    struct wp_words words = {.text = wp_xstrdup(list)};
    words.next = words.text;
    return words;
}

bool wp_words_next(struct wp_words *words)
{
    words->word = words->next;
    if (!words->word) {
        free(words->text);
        words->text = NULL;
        return false;
    }
    char *comma = strchr(words->next, ',');
    if (comma)
        *comma = '\0';
    words->next = comma ? comma + 1 : NULL;
    return true;
}

bool wp_words_have(const char *list, const char *item)
{
    bool found = false;
    struct wp_words words = wp_words_of(list);
    while (wp_words_next(&words))
        found = found || strcmp(words.word, item) == 0;
    return found;
}

bool wp_ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool wp_has_suffix(const char *path, const char *suffix)
{
    const size_t length = strlen(path), suffix_length = strlen(suffix);
    return length > suffix_length && strcasecmp(path + length - suffix_length, suffix) == 0;
}

const char *wp_size_text(char buffer[WP_SIZE_TEXT], const int size[3])
{
    const int length = snprintf(buffer, WP_SIZE_TEXT, "%dx%d", size[0], size[1]);
    if (size[2] > 1)
        snprintf(buffer + length, WP_SIZE_TEXT - (size_t)length, "x%d", size[2]);
    return buffer;
}

int wp_parse_size(const char *text, int most, int size[3])
{
    int count = 0;
    size[0] = size[1] = size[2] = 1;
    for (const char *at = text; at; count++) {
        char side[16];
        const char *x = strchr(at, 'x');
        const size_t length = x ? (size_t)(x - at) : strlen(at);
        if (count == 3 || length >= sizeof side)
            return 0;
        snprintf(side, sizeof side, "%.*s", (int)length, at);
        if (!wp_parse_int(side, &size[count]) || size[count] < 1 || size[count] > most)
            return 0;
        at = x ? x + 1 : NULL;
    }
    return count;
}
