// The parser of wavelet files; docs/wavelet-files.md describes the format.
#include "wavelet_internal.h"

#include "log.h"
#include "memory.h"
#include "suggest.h"
#include "text.h"
#include "wavelet_taps.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FILE = 64 * 1024, MAX_LINE = 2000, MAX_CHECK_TAPS = 2 * WP_MAX_REACH + 1 };

static const char blanks[] = " \t";

// Expressions: sums and products of decimal numbers, sqrt(...) and parentheses, without blanks.
//     sum = product (('+' | '-') product)*      product = value (('*' | '/') value)*
//     value = ['+' | '-'] (number | 'sqrt' '(' sum ')' | '(' sum ')')
// Parsing ends at the first problem.

struct expression {
    const char *at;
    const char *problem;
};

static double read_sum(struct expression *e);

static double read_literal(struct expression *e)
{
    size_t length = strspn(e->at, "0123456789.");
    if (length && (e->at[length] == 'e' || e->at[length] == 'E')) {
        length += 1 + strspn(e->at + length + 1, "+-") % 2;
        length += strspn(e->at + length, "0123456789");
    }
    char digits[64];
    double value = NAN;
    if (length < sizeof digits) {
        memcpy(digits, e->at, length);
        digits[length] = '\0';
        if (wp_parse_double(digits, &value)) {
            e->at += length;
            return value;
        }
    }
    e->problem = "expected a number";
    return NAN;
}

static double read_value(struct expression *e)
{
    const double sign = *e->at == '-' ? -1 : 1;
    if (*e->at == '-' || *e->at == '+')
        e->at++;
    const bool root = strncmp(e->at, "sqrt(", 5) == 0;
    if (!root && *e->at != '(')
        return sign * read_literal(e);
    e->at += root ? 5 : 1;
    const double value = read_sum(e);
    if (!e->problem && *e->at++ != ')')
        e->problem = "')' is missing";
    if (!e->problem && root && value < 0)
        e->problem = "square root of a negative number";
    return sign * (root ? sqrt(value) : value);
}

static double read_product(struct expression *e)
{
    double product = read_value(e);
    while (!e->problem && (*e->at == '*' || *e->at == '/')) {
        const bool divide = *e->at++ == '/';
        const double value = read_value(e);
        product = divide ? product / value : product * value;
        if (!e->problem && !isfinite(product))
            e->problem = "the result is not finite";
    }
    return product;
}

static double read_sum(struct expression *e)
{
    double sum = read_product(e);
    while (!e->problem && (*e->at == '+' || *e->at == '-')) {
        const double sign = *e->at++ == '-' ? -1 : 1;
        sum += sign * read_product(e);
        if (!e->problem && !isfinite(sum))
            e->problem = "the result is not finite";
    }
    return sum;
}

const char *wp_wavelet_evaluate(const char *text, double *value)
{
    struct expression e = {.at = text};
    *value = read_sum(&e);
    if (!e.problem && *e.at)
        e.problem = "unexpected text after the number";
    return e.problem;
}

// A filter of the file, from which the steps are computed or with which they are compared. line 0:
// not given.
struct check {
    int line, count;
    struct wp_tap tap[MAX_CHECK_TAPS];
};

struct reader {
    const char *path;
    int line; // 0: messages without a line
    struct wp_wavelet *wavelet;
    struct check low, high, dual;
    int zeta_line;
    bool pair_open; // the last pair has no update yet
    struct wp_text *error;
};

// Sets the error to "PATH:LINE: MESSAGE" and returns false.
WP_PRINTF(2, 3) static bool reject(struct reader *r, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    wp_text_clear(r->error);
    if (r->line)
        wp_text_add(r->error, "%s:%d: %s", r->path, r->line, message);
    else
        wp_text_add(r->error, "%s: %s", r->path, message);
    return false;
}

static bool copy_text(struct reader *r, const char *value, char *to, size_t size)
{
    const size_t length = strlen(value);
    if (length >= size)
        return reject(r, "text too long (%zu bytes, at most %zu)", length, size - 1);
    memcpy(to, value, length + 1);
    return true;
}

// Names are used in file names and before the '/' of "cdf97/nonsep-lifting".
static bool check_name(struct reader *r, const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._+-";
    if (!name[0] || name[strspn(name, allowed)])
        return reject(r, "bad name '%.40s' (letters, digits and \"._+-\" only)", name);
    if (wp_wavelet_built_in(name))
        return reject(r, "name '%s' is already used (by a built-in wavelet)", name);
    return true;
}

static bool read_name(struct reader *r, char *value)
{
    struct wp_wavelet *w = r->wavelet;
    return copy_text(r, value, w->name, sizeof w->name) && check_name(r, w->name);
}

static bool read_title(struct reader *r, char *value)
{
    return copy_text(r, value, r->wavelet->title, sizeof r->wavelet->title);
}

static bool read_source(struct reader *r, char *value)
{
    return copy_text(r, value, r->wavelet->source, sizeof r->wavelet->source);
}

static bool read_aliases(struct reader *r, char *value)
{
    char *to = r->wavelet->aliases, *rest = NULL;
    if (!copy_text(r, value, to, sizeof r->wavelet->aliases))
        return false;
    size_t length = 0;
    for (char *alias; (alias = strtok_r(value, blanks, &rest)); value = NULL) {
        if (wp_wavelet_built_in(alias))
            return reject(r, "alias '%s' is already used (by a built-in wavelet)", alias);
        // The result is not longer than the text copied above.
        if (length)
            to[length++] = ' ';
        memcpy(to + length, alias, strlen(alias) + 1);
        length += strlen(alias);
    }
    return true;
}

static bool read_zeta(struct reader *r, char *value)
{
    const char *problem = wp_wavelet_evaluate(value, &r->wavelet->zeta);
    r->zeta_line = r->line;
    if (problem)
        return reject(r, "bad number '%.40s' (%s)", value, problem);
    if (r->wavelet->zeta == 0)
        return reject(r, "zeta '%.40s' is zero", value);
    return true;
}

// Reads "K C K C …" and sorts by K.
static bool read_taps(struct reader *r, char *value, struct wp_tap *tap, int max, int *count)
{
    char *rest = NULL;
    for (char *k; (k = strtok_r(value, blanks, &rest)); value = NULL) {
        struct wp_tap new;
        if (!wp_parse_int(k, &new.k) || new.k < -WP_MAX_REACH || new.k > WP_MAX_REACH)
            return reject(r, "bad position '%.40s' (expected an integer from %d to %d)", k,
                          -WP_MAX_REACH, WP_MAX_REACH);
        const char *c = strtok_r(NULL, blanks, &rest);
        if (!c)
            return reject(r, "the tap at %d has no value (position and value alternate)", new.k);
        const char *problem = wp_wavelet_evaluate(c, &new.c);
        if (problem)
            return reject(r, "bad number '%.40s' (%s)", c, problem);
        if (new.c == 0)
            return reject(r, "the tap at %d is zero (omit it)", new.k);
        if (*count == max)
            return reject(r, "too many taps (at most %d)", max);
        int at = *count;
        while (at > 0 && tap[at - 1].k > new.k)
            at--;
        if (at > 0 && tap[at - 1].k == new.k)
            return reject(r, "two taps at %d", new.k);
        memmove(tap + at + 1, tap + at, (size_t)(*count - at) * sizeof *tap);
        tap[at] = new;
        ++*count;
    }
    return true;
}

static bool open_pair(struct reader *r)
{
    if (r->wavelet->pairs == WP_MAX_PAIRS)
        return reject(r, "too many lifting pairs (at most %d)", WP_MAX_PAIRS);
    r->wavelet->pairs++;
    return true;
}

static bool read_predict(struct reader *r, char *value)
{
    if (!open_pair(r))
        return false;
    r->pair_open = true;
    struct wp_filter *f = &r->wavelet->pair[r->wavelet->pairs - 1].predict;
    return read_taps(r, value, f->tap, WP_MAX_TAPS, &f->count);
}

static bool read_update(struct reader *r, char *value)
{
    if (!r->pair_open && !open_pair(r))
        return false;
    r->pair_open = false;
    struct wp_filter *f = &r->wavelet->pair[r->wavelet->pairs - 1].update;
    return read_taps(r, value, f->tap, WP_MAX_TAPS, &f->count);
}

static bool read_check(struct reader *r, char *value, struct check *check)
{
    check->line = r->line;
    return read_taps(r, value, check->tap, MAX_CHECK_TAPS, &check->count);
}

static bool read_lowpass(struct reader *r, char *value)
{
    return read_check(r, value, &r->low);
}

static bool read_highpass(struct reader *r, char *value)
{
    return read_check(r, value, &r->high);
}

static bool read_dual(struct reader *r, char *value)
{
    return read_check(r, value, &r->dual);
}

static const struct {
    const char *name;
    bool (*read)(struct reader *r, char *value);
    bool repeats;
} keywords[] = {
    {"name", read_name, false},         {"title", read_title, false},
    {"source", read_source, false},     {"aliases", read_aliases, false},
    {"predict", read_predict, true},    {"update", read_update, true},
    {"zeta", read_zeta, false},         {"lowpass", read_lowpass, false},
    {"highpass", read_highpass, false}, {"dual", read_dual, false},
};

enum { KEYWORDS = sizeof keywords / sizeof keywords[0] };

static bool reject_keyword(struct reader *r, const struct wp_lookup *lookup)
{
    const char *word = lookup->name;
    if (lookup->nearest)
        return reject(r, "unknown keyword '%.40s' (did you mean '%s'?)", word, lookup->nearest);
    return reject(r, "unknown keyword '%.40s' (not one of name, title, source, aliases, predict, "
                     "update, zeta, lowpass, highpass, dual)", word);
}

// Parses one line without its end. line_of[i]: the line of keyword i, or 0.
static bool read_line(struct reader *r, char *line, int line_of[KEYWORDS])
{
    line[strcspn(line, "#\r")] = '\0';
    char *word = line + strspn(line, blanks);
    size_t end = strlen(word);
    while (end > 0 && strchr(blanks, word[end - 1]))
        word[--end] = '\0';
    if (!end)
        return true;
    char *value = word + strcspn(word, blanks);
    if (*value) {
        *value++ = '\0';
        value += strspn(value, blanks);
    }
    struct wp_lookup lookup = {.name = word};
    int i = 0;
    while (i < KEYWORDS && !wp_lookup_is(&lookup, keywords[i].name))
        i++;
    if (i == KEYWORDS)
        return reject_keyword(r, &lookup);
    if (!keywords[i].repeats && line_of[i])
        return reject(r, "duplicate keyword '%s' (also in line %d)", word, line_of[i]);
    line_of[i] = r->line;
    if (!*value)
        return reject(r, "'%s' without a value (omit the line)", word);
    return keywords[i].read(r, value);
}

// Checks UTF-8 according to RFC 3629: only the shortest form, no surrogates, up to U+10FFFF.
static bool is_utf8(const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text, *const end = at + size;
    while (at < end) {
        const int more = *at < 0x80 ? 0 : *at < 0xc2 ? -1 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
        if (more < 0 || *at > 0xf4 || end - at <= more)
            return false;
        unsigned long code = more ? *at & (0x3fU >> more) : *at;
        for (int i = 1; i <= more; i++) {
            if ((at[i] & 0xc0) != 0x80)
                return false;
            code = code << 6 | (at[i] & 0x3fU);
        }
        const bool surrogate = code >= 0xd800 && code <= 0xdfff;
        if (surrogate || (more == 2 && code < 0x800) ||
            (more == 3 && (code < 0x10000 || code > 0x10ffff)))
            return false;
        at += more + 1;
    }
    return true;
}

static bool read_lines(struct reader *r, const char *text, size_t length)
{
    int line_of[KEYWORDS] = {0};
    for (size_t start = 0; start < length;) {
        char line[MAX_LINE + 1];
        const char *from = text + start;
        const char *newline = memchr(from, '\n', length - start);
        const size_t size = newline ? (size_t)(newline - from) : length - start;
        r->line++;
        for (size_t i = 0; i < size; i++) {
            const unsigned char c = (unsigned char)from[i];
            if ((c < ' ' && c != '\t' && !(c == '\r' && i + 1 == size)) || c == 0x7f)
                return reject(r, "not a text file (byte 0x%02x)", c);
        }
        if (!is_utf8(from, size))
            return reject(r, "not UTF-8 text");
        if (size > MAX_LINE)
            return reject(r, "line too long (at most %d bytes)", MAX_LINE);
        memcpy(line, from, size);
        line[size] = '\0';
        if (!read_line(r, line, line_of))
            return false;
        start += size + 1;
    }
    return true;
}

// Compares a filter of the file with the one computed from the steps.
static bool verify(struct reader *r, const struct check *check, const double actual[WP_FILTER_SIZE],
                   const char *band)
{
    if (!check->line)
        return true;
    double worst = -1, expected_worst = 0;
    int worst_k = 0, t = 0;
    for (int j = 0; j < WP_FILTER_SIZE; j++) {
        const int k = j - WP_FILTER_CENTER;
        const bool given = t < check->count && check->tap[t].k == k;
        const double expected = given ? check->tap[t++].c : 0;
        const double residual = fabs(actual[j] - expected);
        if (!(residual <= worst)) {
            worst = residual;
            worst_k = k;
            expected_worst = expected;
        }
    }
    if (worst <= 1e-6)
        return true;
    char a[WP_NUMBER_SIZE], b[WP_NUMBER_SIZE], c[WP_NUMBER_SIZE];
    r->line = check->line;
    return reject(r, "the lifting steps give a different %s filter (it differs by %s at %d: "
                     "%s in the file, %s computed)", band, wp_format_number(a, worst, 6), worst_k,
                  wp_format_number(b, expected_worst, 6),
                  wp_format_number(c, actual[worst_k + WP_FILTER_CENTER], 6));
}

const char *wp_wavelet_stem(const char *path, int *length)
{
    const char *slash = strrchr(path, '/');
    const char *stem = slash ? slash + 1 : path;
    *length = (int)strlen(stem);
    const int without = *length - (int)strlen(WP_WAVELET_SUFFIX);
    if (without > 0 && strcmp(stem + without, WP_WAVELET_SUFFIX) == 0)
        *length = without;
    return stem;
}

static struct wp_series make_series(const struct check *check, int center)
{
    struct wp_series series = {0};
    for (int t = 0; t < check->count; t++)
        wp_series_add(&series, check->tap[t].k + center, check->tap[t].c);
    return series;
}

// Computes the steps from the filters if the file does not have steps.
static bool find_steps(struct reader *r)
{
    const struct check *const second = r->high.line ? &r->high : &r->dual;
    if (!r->low.line)
        return reject(r, "no lifting steps (lines 'predict' and 'update'), and no filters to find "
                         "them from ('lowpass', 'highpass')");
    r->line = r->zeta_line;
    if (r->line)
        return reject(r, "zeta without lifting steps (it follows from the filters)");
    r->line = r->dual.line;
    if (r->high.line && r->line)
        return reject(r, "'dual' and 'highpass' exclude each other (each determines the other)");
    const struct wp_series low = make_series(&r->low, 0);
    const struct wp_series dual = r->dual.line ? make_series(&r->dual, 0) : low;
    const struct wp_series high =
        r->high.line ? make_series(&r->high, 1) : wp_factor_high(&dual);
    struct wp_text why = {0};
    const bool done = wp_wavelet_from_taps(r->wavelet, &low, &high, WP_FACTOR_STAY, &why);
    r->line = second->line ? second->line : r->low.line;
    if (!done)
        reject(r, "%s", why.length ? wp_text_get(&why) : "not enough memory");
    wp_text_free(&why);
    r->line = 0;
    return done;
}

static bool check_steps(struct reader *r)
{
    double low[WP_FILTER_SIZE], high[WP_FILTER_SIZE];
    r->line = r->dual.line;
    if (r->line)
        return reject(r, "'dual' and lifting steps exclude each other (check the steps with "
                         "'highpass')");
    wp_wavelet_filters(r->wavelet, low, high);
    return verify(r, &r->low, low, "low-pass") && verify(r, &r->high, high, "high-pass");
}

static bool complete(struct reader *r)
{
    struct wp_wavelet *w = r->wavelet;
    r->line = 0;
    if (!w->name[0]) {
        int length;
        const char *stem = wp_wavelet_stem(r->path, &length);
        if (length >= (int)sizeof w->name)
            return reject(r, "the file name is too long for a wavelet name (add a line 'name')");
        memcpy(w->name, stem, (size_t)length);
        if (!check_name(r, w->name))
            return false;
    }
    if (!w->title[0])
        memcpy(w->title, w->name, sizeof w->name);
    if (!w->source[0])
        return reject(r, "no 'source' (name the source of the numbers)");
    if (!(w->pairs ? check_steps(r) : find_steps(r)))
        return false;
    const char *reason = wp_wavelet_finish(w);
    return !reason || reject(r, "%s", reason);
}

static bool parse(const char *path, const char *text, size_t length, struct wp_wavelet *wavelet,
                  struct wp_text *error)
{
    *wavelet = (struct wp_wavelet){.zeta = 1};
    struct reader r = {.path = path, .wavelet = wavelet, .error = error};
    if (length == 0)
        return reject(&r, "the file is empty");
    if (length > MAX_FILE)
        return reject(&r, "larger than %d bytes (not a wavelet file)", MAX_FILE);
    return read_lines(&r, text, length) && complete(&r);
}

bool wp_wavelet_load(const char *path, struct wp_wavelet *wavelet, struct wp_text *error)
{
    char text[MAX_FILE + 1];
    FILE *file = fopen(path, "rb");
    size_t length = 0;
    bool failed = !file;
    int cause = errno;
    if (file) {
        length = fread(text, 1, sizeof text, file);
        failed = ferror(file) != 0;
        cause = errno;
        fclose(file);
    }
    if (!failed)
        return parse(path, text, length, wavelet, error);
    wp_text_clear(error);
    wp_text_add(error, "%s: cannot be read (%s)", path, strerror(cause));
    // Out of memory must not select another file.
    if (cause == ENOMEM) {
        wp_memory_failed();
        error->failed = true;
    }
    return false;
}

bool wp_wavelet_load_text(const char *name, const char *text, struct wp_wavelet *wavelet,
                          struct wp_text *error)
{
    return parse(name, text, strlen(text), wavelet, error);
}

// Logs the message of a failed load or parse, and frees it.
static bool report(bool done, struct wp_text *error)
{
    if (!done && wp_text_is_complete(error, "the message on a wavelet file"))
        wp_fail(WP_ERROR_FILE, "%s", wp_text_get(error));
    wp_text_free(error);
    return done;
}

bool wp_wavelet_read(const char *path, struct wp_wavelet *wavelet)
{
    struct wp_text error = {0};
    return report(wp_wavelet_load(path, wavelet, &error), &error);
}

bool wp_wavelet_parse(const char *name, const char *text, struct wp_wavelet *wavelet)
{
    struct wp_text error = {0};
    return report(wp_wavelet_load_text(name, text, wavelet, &error), &error);
}
