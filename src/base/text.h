// Growing strings, and numbers that ignore the locale.
#ifndef WP_TEXT_H
#define WP_TEXT_H

#include "log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

// A string that grows. {0} is an empty one; `data` is NULL until something was added. Where memory
// is short it keeps what it has, and takes no more.
struct wp_text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed; // something is missing
};

// False after a WP_ERROR_TOO_LARGE that names `what` where something is missing.
bool wp_text_is_complete(const struct wp_text *text, const char *what);

void wp_text_add(struct wp_text *text, const char *format, ...) WP_PRINTF(2, 3);
void wp_text_add_list(struct wp_text *text, const char *format, va_list args) WP_PRINTF(2, 0);

// Adds text whose lines, as `measure` has it, are at most `width` wide: broken at blanks, words that
// are wider than a line anywhere between characters. Returns how many lines that are.
int wp_text_add_fitted(struct wp_text *text, const char *words, float width,
                       float (*measure)(const char *line));

void wp_text_clear(struct wp_text *text); // keeps the memory, and is whole
void wp_text_free(struct wp_text *text);
const char *wp_text_get(const struct wp_text *text); // never NULL

// Characters of UTF-8.
int wp_text_width(const char *words);

// Adds words, and breaks between them before a line would have more than `width` characters, 0 =
// never; further lines begin with `indent` spaces. `column` characters stand in the line already.
void wp_text_add_words(struct wp_text *text, int column, int indent, int width,
                       const char *words);

// Adds numbers and sums as people set them: each '-' is U+2212, the minus sign.
void wp_text_add_signed(struct wp_text *text, const char *sum);

// Writes `value` with `digits` significant digits and a point, whatever the locale says.
// The result always reads as a floating-point literal ("2.0", not "2"); 0 has no sign. Returns
// `buffer`.
#define WP_NUMBER_SIZE 40
const char *wp_format_number(char buffer[WP_NUMBER_SIZE], double value, int digits);
// The same for people: "2".
const char *wp_format_short(char buffer[WP_NUMBER_SIZE], double value, int digits);
// Of memory: "40.0 KiB", from a mebibyte on "1.5 MiB". Returns `buffer`.
const char *wp_format_bytes(char buffer[WP_NUMBER_SIZE], double bytes);

// Reads a whole string as a number with a point, whatever the locale says. Rejects what
// follows the number, empty text, and numbers that do not fit; inf and nan are not numbers.
bool wp_parse_double(const char *text, double *value);
bool wp_parse_int(const char *text, int *value);
// A part of 1, not negative: "2%" or "0.02".
bool wp_parse_part(const char *text, double *value);

// The end of a counted noun: "%d level%s", "%d pass%s", and with a verb "%d value%s not finite".
#define WP_PLURAL(count) ((count) == 1 ? "" : "s")
#define WP_PLURAL_ES(count) ((count) == 1 ? "" : "es")
#define WP_PLURAL_IS(count) ((count) == 1 ? " is" : "s are")

// FNV-1a, 64 bits.
unsigned long long wp_hash(const char *text);
unsigned long long wp_hash_bytes(const void *data, size_t size);

#endif
