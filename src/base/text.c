#include "text.h"

#include "memory.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct wp_text *text, size_t needed)
{
    if (needed <= text->capacity)
        return true;
    char *data = wp_try_resize(text->data, needed, 2);
    if (!data)
        return false;
    text->data = data;
    text->capacity = needed * 2;
    return true;
}

bool wp_text_is_complete(const struct wp_text *text, const char *purpose)
{
    return !text->failed || wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for %s", purpose);
}

void wp_text_add_list(struct wp_text *text, const char *format, va_list args)
{
    va_list copy;
    va_copy(copy, args);
    const int added = text->failed ? 0 : vsnprintf(NULL, 0, format, args);
    if (added < 0 || (added > 0 && !reserve(text, text->length + (size_t)added + 1))) {
        text->failed = true;
    } else if (added > 0) {
        vsnprintf(text->data + text->length, (size_t)added + 1, format, copy);
        text->length += (size_t)added;
    }
    va_end(copy);
}

void wp_text_add(struct wp_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    wp_text_add_list(text, format, args);
    va_end(args);
}

void wp_text_add_signed(struct wp_text *text, const char *formula)
{
    for (; *formula; formula++)
        wp_text_add(text, *formula == '-' ? "\u2212" : "%c", *formula);
}

static bool fits(const char *words, size_t length, float width, float (*measure)(const char *line))
{
    struct wp_text line = {0};
    wp_text_add(&line, "%.*s", (int)length, words);
    const bool is_narrow = measure(wp_text_get(&line)) <= width;
    wp_text_free(&line);
    return is_narrow;
}

// The number of bytes of words[0..length) that fit in a line, at least one character.
static size_t line_length(const char *words, size_t length, float width,
                          float (*measure)(const char *line))
{
    if (fits(words, length, width, measure))
        return length;
    size_t blank = 0, last = 0;
    for (size_t i = 1; i <= length; i++) {
        if (((unsigned char)words[i] & 0xC0) == 0x80) // inside a UTF-8 character
            continue;
        if (!fits(words, i, width, measure))
            return blank ? blank : last ? last : i;
        last = i;
        if (words[i] == ' ' && words[i - 1] != ' ')
            blank = i;
    }
    return length;
}

int wp_text_add_fitted(struct wp_text *text, const char *words, float width,
                       float (*measure)(const char *line))
{
    int lines = 0;
    for (;;) {
        size_t rest = strcspn(words, "\n");
        do {
            const size_t length = line_length(words, rest, width, measure);
            wp_text_add(text, "%s%.*s", lines++ ? "\n" : "", (int)length, words);
            words += length;
            rest -= length;
            // The line break replaces blanks.
            while (rest > 0 && *words == ' ') {
                words++;
                rest--;
            }
        } while (rest > 0);
        if (*words++ == '\0')
            return lines;
    }
}

void wp_text_clear(struct wp_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->data)
        text->data[0] = '\0';
}

void wp_text_free(struct wp_text *text)
{
    free(text->data);
    *text = (struct wp_text){0};
}

const char *wp_text_get(const struct wp_text *text)
{
    return text->data ? text->data : "";
}

int wp_text_width(const char *words)
{
    int width = 0;
    for (; *words; words++)
        width += ((unsigned char)*words & 0xC0) != 0x80;
    return width;
}

void wp_text_add_words(struct wp_text *text, int column, int indent, int width,
                       const char *words)
{
    bool first = true;
    while (*words) {
        const int length = (int)strcspn(words, " ");
        const int word_width = wp_text_width(words) - wp_text_width(words + length);
        if (!first && width > 0 && column + 1 + word_width > width) {
            wp_text_add(text, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        wp_text_add(text, "%s%.*s", first ? "" : " ", length, words);
        column += word_width + !first;
        first = false;
        words += length;
        words += strspn(words, " ");
    }
}

// The decimal point of the locale may have several bytes.
static const char *decimal_point(void)
{
    const struct lconv *conventions = localeconv();
    return conventions && conventions->decimal_point[0] ? conventions->decimal_point : ".";
}

const char *wp_format_number(char buffer[WP_NUMBER_SIZE], double value, int digits)
{
    snprintf(buffer, WP_NUMBER_SIZE, "%.*g", digits, value + 0.0); // -0 becomes 0
    const char *point = decimal_point();
    char *at = strcmp(point, ".") == 0 ? NULL : strstr(buffer, point);
    if (at) {
        const size_t length = strlen(point);
        memmove(at + 1, at + length, strlen(at + length) + 1);
        *at = '.';
    }
    if (isfinite(value) && !strpbrk(buffer, ".e"))
        strcat(buffer, ".0");
    return buffer;
}

const char *wp_format_short(char buffer[WP_NUMBER_SIZE], double value, int digits)
{
    wp_format_number(buffer, value, digits);
    const size_t length = strlen(buffer);
    if (length > 2 && strcmp(buffer + length - 2, ".0") == 0)
        buffer[length - 2] = '\0';
    return buffer;
}

void wp_text_add_short(struct wp_text *text, double value, int digits)
{
    char number[WP_NUMBER_SIZE];
    wp_text_add(text, "%s", wp_format_short(number, value, digits));
}

bool wp_parse_double(const char *text, double *value)
{
    char local[64];
    const char *point = decimal_point();
    size_t out = 0;
    if (!text[0] || isspace((unsigned char)text[0]))
        return false;
    for (const char *c = text; *c; c++) {
        if (!isdigit((unsigned char)*c) && !strchr("+-.eE", *c))
            return false;
        const size_t length = *c == '.' ? strlen(point) : 1;
        if (out + length >= sizeof local)
            return false;
        memcpy(local + out, *c == '.' ? point : c, length);
        out += length;
    }
    local[out] = '\0';
    char *end;
    const double parsed = strtod(local, &end);
    if (end == local || *end || !isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}

bool wp_parse_int(const char *text, int *value)
{
    if (!isdigit((unsigned char)text[0]) && text[0] != '-')
        return false;
    char *end;
    errno = 0;
    const long parsed = strtol(text, &end, 10);
    if (end == text || *end || errno || parsed < INT_MIN || parsed > INT_MAX)
        return false;
    *value = (int)parsed;
    return true;
}

const char *wp_format_bytes(char buffer[WP_NUMBER_SIZE], double bytes)
{
    const bool small = bytes < 0x1p20;
    snprintf(buffer, WP_NUMBER_SIZE, "%.1f %s", bytes / (small ? 0x1p10 : 0x1p20),
             small ? "KiB" : "MiB");
    return buffer;
}

bool wp_parse_fraction(const char *text, double *value)
{
    char number[64];
    const size_t length = strlen(text);
    const bool percent = length > 0 && text[length - 1] == '%';
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length + 1);
    number[length - percent] = '\0';
    if (!wp_parse_double(number, value) || *value < 0.0)
        return false;
    *value = percent ? *value / 100.0 : *value;
    return true;
}

unsigned long long wp_hash_bytes(const void *data, size_t size)
{
    const unsigned char *byte = data;
    unsigned long long hash = 14695981039346656037ULL;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 1099511628211ULL;
    return hash;
}

unsigned long long wp_hash(const char *text)
{
    return wp_hash_bytes(text, strlen(text));
}
