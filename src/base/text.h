// Growing strings, and parsing and formatting of numbers independent of the locale.
#ifndef WP_TEXT_H
#define WP_TEXT_H

#include "log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

// A growing string. {0} is empty; `data` is NULL until text is added. If memory is exhausted, the
// text so far is kept and later additions are ignored.
struct wp_text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed; // text was lost
};

// False after WP_ERROR_TOO_LARGE with `purpose` in the message if text was lost.
bool wp_text_is_complete(const struct wp_text *text, const char *purpose);

void wp_text_add(struct wp_text *text, const char *format, ...) WP_PRINTF(2, 3);
void wp_text_add_list(struct wp_text *text, const char *format, va_list args) WP_PRINTF(2, 0);

// Adds words in lines that are at most `width` wide according to `measure`. Lines are broken at
// blanks, and words wider than a line between characters. Returns the number of lines.
int wp_text_add_fitted(struct wp_text *text, const char *words, float width,
                       float (*measure)(const char *line));

void wp_text_clear(struct wp_text *text); // keeps the allocated memory
void wp_text_free(struct wp_text *text);
const char *wp_text_get(const struct wp_text *text); // never NULL

// The number of UTF-8 characters.
int wp_text_width(const char *words);

// Adds words, with line breaks so that no line has more than `width` characters (0: no limit);
// further lines begin with `indent` spaces. `column` is the number of characters already in the
// line.
void wp_text_add_words(struct wp_text *text, int column, int indent, int width,
                       const char *words);

// Adds a formula with each '-' as U+2212, the minus sign.
void wp_text_add_signed(struct wp_text *text, const char *formula);

// Formats `value` with `digits` significant digits and a decimal point in every locale, always as a
// floating-point literal ("2.0", not "2"); -0 becomes 0. Returns `buffer`.
#define WP_NUMBER_SIZE 40
const char *wp_format_number(char buffer[WP_NUMBER_SIZE], double value, int digits);
// Formats without a trailing ".0": "2".
const char *wp_format_short(char buffer[WP_NUMBER_SIZE], double value, int digits);
// Adds a number as wp_format_short() formats it.
void wp_text_add_short(struct wp_text *text, double value, int digits);
// Formats a size: "40.0 KiB", from 1 MiB on "1.5 MiB". Returns `buffer`.
const char *wp_format_bytes(char buffer[WP_NUMBER_SIZE], double bytes);

// Parse a complete string as a number with a decimal point in every locale. Other text before or
// after it, an empty string, numbers out of range, inf and nan are rejected.
bool wp_parse_double(const char *text, double *value);
bool wp_parse_int(const char *text, int *value);
// Parses a nonnegative fraction: "2%" or "0.02".
bool wp_parse_fraction(const char *text, double *value);

// The plural ending of a counted noun: "%d level%s", "%d pass%s"; with a verb "%d value%s not
// finite".
#define WP_PLURAL(count) ((count) == 1 ? "" : "s")
#define WP_PLURAL_ES(count) ((count) == 1 ? "" : "es")
#define WP_PLURAL_IS(count) ((count) == 1 ? " is" : "s are")

// FNV-1a, 64 bits.
unsigned long long wp_hash(const char *text);
unsigned long long wp_hash_bytes(const void *data, size_t size);

#endif
