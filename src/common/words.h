// Words of command lines: items of lists, sizes, and suffixes of files.
#ifndef WP_WORDS_H
#define WP_WORDS_H

#include <stdbool.h>

// An iterator over the items of a list, which are separated by commas and may be empty.
struct wp_words {
    char *text, *next;
    char *word;
};

struct wp_words wp_words_of(const char *list);
// Sets `word` to the next item. At the end frees the iterator and returns false.
bool wp_words_next(struct wp_words *words);

// True if a list has an item.
bool wp_words_have(const char *list, const char *item);

// True if a text ends with `end`; wp_has_suffix() ignores case and requires a name before it.
bool wp_ends_with(const char *text, const char *end);
bool wp_has_suffix(const char *path, const char *suffix);

// Formats "256x256", or for more than one slice "256x256x64". Returns `buffer`.
enum { WP_SIZE_TEXT = 48 };
const char *wp_size_text(char buffer[WP_SIZE_TEXT], const int size[3]);

// Parses sides from 1 to `most`, "W", "WxH" or "WxHxD"; the others are set to 1. Returns their
// number, or 0 if the text is not a size.
int wp_parse_size(const char *text, int most, int size[3]);

#endif
