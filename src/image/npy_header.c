// NPY headers: magic number, version, length, and a Python dictionary as text; samples follow.
// Format: numpy.lib.format, versions 1.0 to 3.0.
#include "npy_header.h"

#include <ctype.h>
#include <string.h>

// A position in the header's text.
struct cursor {
    const char *at, *end;
};

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && isspace((unsigned char)*cursor->at))
        cursor->at++;
}
// Skips `word` if it is next.
static bool accept(struct cursor *cursor, const char *word)
{
    skip_space(cursor);
    const size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

// Parses a string in single or double quotes, without escapes.
static bool parse_string(struct cursor *cursor, char *text, size_t capacity)
{
    skip_space(cursor);
    if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"'))
        return false;
    const char *start = cursor->at + 1;
    const char *end = memchr(start, *cursor->at, (size_t)(cursor->end - start));
    if (!end || (size_t)(end - start) >= capacity)
        return false;
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = '\0';
    cursor->at = end + 1;
    return true;
}

static bool parse_number(struct cursor *cursor, unsigned long long *value)
{
    skip_space(cursor);
    const char *start = cursor->at;
    // 18 digits fit 64 bits.
    for (*value = 0; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at) &&
                     cursor->at - start < 18;
         cursor->at++)
        *value = *value * 10 + (unsigned long long)(*cursor->at - '0');
    const bool found = cursor->at > start;
    if (found && cursor->at < cursor->end && *cursor->at == 'L') // a long of Python 2
        cursor->at++;
    return found;
}

static bool parse_shape(struct cursor *cursor, struct wp_npy_header *header)
{
    if (!accept(cursor, "("))
        return false;
    for (header->axes = 0; !accept(cursor, ")"); header->axes++) {
        if (header->axes == WP_NPY_AXES || !parse_number(cursor, &header->shape[header->axes]))
            return false;
        if (!accept(cursor, ",")) {
            header->axes++;
            return accept(cursor, ")");
        }
    }
    return true;
}

static bool parse_header(struct cursor cursor, struct wp_npy_header *header)
{
    bool have_type = false, have_order = false, have_shape = false;
    if (!accept(&cursor, "{"))
        return false;
    while (!accept(&cursor, "}")) {
        char key[32];
        if (!parse_string(&cursor, key, sizeof key) || !accept(&cursor, ":"))
            return false;
        if (strcmp(key, "descr") == 0) {
            have_type = parse_string(&cursor, header->type, sizeof header->type);
        } else if (strcmp(key, "fortran_order") == 0) {
            header->fortran = accept(&cursor, "True");
            have_order = header->fortran || accept(&cursor, "False");
        } else if (strcmp(key, "shape") == 0) {
            have_shape = parse_shape(&cursor, header);
        } else {
            return false;
        }
        if (!accept(&cursor, ","))
            return accept(&cursor, "}") && have_type && have_order && have_shape;
    }
    return have_type && have_order && have_shape;
}

bool wp_npy_parse_header(const struct wp_source *source, struct wp_npy_header *header, size_t *at)
{
    enum { MAGIC = 6, VERSION = MAGIC, LENGTH = 8 };
    const unsigned char *data = source->data;
    if (!wp_source_needs(source, LENGTH + 4))
        return false;
    const unsigned version = data[VERSION];
    if (version < 1 || version > 3)
        return wp_source_fail(source, "not supported (NPY version %u)", version);
    size_t length = (size_t)(data[LENGTH] | data[LENGTH + 1] << 8);
    if (version > 1)
        length |= (size_t)data[LENGTH + 2] << 16 | (size_t)data[LENGTH + 3] << 24;
    const size_t start = LENGTH + (version > 1 ? 4 : 2);
    if (!wp_source_needs(source, (unsigned long long)start + length))
        return false;
    const char *text = (const char *)data + start;
    *at = start + length;
    if (!parse_header((struct cursor){text, text + length}, header))
        return wp_source_fail(source, "damaged NPY, or not a plain array of up to %d axes",
                              WP_NPY_AXES);
    return true;
}

bool wp_npy_find_type(const char *type, struct wp_npy_type *found)
{
    static const struct {
        const char *name;
        enum wp_sample_type type;
        bool complex;
    } known[] = {
        {"u1", WP_SAMPLE_U8, false},   {"u2", WP_SAMPLE_U16, false}, {"u4", WP_SAMPLE_U32, false},
        {"u8", WP_SAMPLE_U64, false},  {"i1", WP_SAMPLE_I8, false},  {"i2", WP_SAMPLE_I16, false},
        {"i4", WP_SAMPLE_I32, false},  {"i8", WP_SAMPLE_I64, false}, {"f2", WP_SAMPLE_F16, false},
        {"f4", WP_SAMPLE_F32, false},  {"f8", WP_SAMPLE_F64, false}, {"b1", WP_SAMPLE_BOOL, false},
        {"c8", WP_SAMPLE_F32, true},   {"c16", WP_SAMPLE_F64, true},
    };
    if (!type[0] || !strchr("<>=|", type[0]))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type + 1, known[i].name) == 0) {
            const bool host = type[0] == '=' && wp_host_big_endian();
            *found = (struct wp_npy_type){known[i].type, type[0] == '>' || host, known[i].complex};
            return true;
        }
    }
    return false;
}
