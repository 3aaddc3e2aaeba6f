#include "raw.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "suggest.h"

static const struct {
    const char *name;
    enum wp_sample_type type;
    bool big_endian;
} types[] = {
    {"u8", WP_SAMPLE_U8, false},     {"i8", WP_SAMPLE_I8, false},
    {"u16le", WP_SAMPLE_U16, false}, {"u16be", WP_SAMPLE_U16, true},
    {"i16le", WP_SAMPLE_I16, false}, {"i16be", WP_SAMPLE_I16, true},
    {"u32le", WP_SAMPLE_U32, false}, {"u32be", WP_SAMPLE_U32, true},
    {"i32le", WP_SAMPLE_I32, false}, {"i32be", WP_SAMPLE_I32, true},
    {"u64le", WP_SAMPLE_U64, false}, {"u64be", WP_SAMPLE_U64, true},
    {"i64le", WP_SAMPLE_I64, false}, {"i64be", WP_SAMPLE_I64, true},
    {"f16le", WP_SAMPLE_F16, false}, {"f16be", WP_SAMPLE_F16, true},
    {"f32le", WP_SAMPLE_F32, false}, {"f32be", WP_SAMPLE_F32, true},
    {"f64le", WP_SAMPLE_F64, false}, {"f64be", WP_SAMPLE_F64, true},
};
enum { TYPES = sizeof types / sizeof types[0] };

// Parses digits and advances `*at` past them. False if there are none or the number exceeds `most`.
static bool parse_number(const char **at, unsigned long long most, unsigned long long *number)
{
    const char *start = *at;
    for (*number = 0; isdigit((unsigned char)**at) && *number <= most; ++*at)
        *number = *number * 10 + (unsigned long long)(**at - '0');
    return *at > start && *number <= most;
}

static bool parse_side(const char **at, unsigned long long *side)
{
    return parse_number(at, WP_IMAGE_MAX_SIDE, side) && *side > 0;
}

static bool parse_sides(const char **at, struct wp_raster_layout *layout)
{
    if (!parse_side(at, &layout->width) || *(*at)++ != 'x' || !parse_side(at, &layout->height))
        return false;
    if (**at == 'x') {
        ++*at;
        if (!parse_side(at, &layout->depth))
            return false;
    }
    return *(*at)++ == ':';
}

bool wp_raw_parse(const char *text, enum wp_values values, struct wp_raw *raw)
{
    *raw = (struct wp_raw){.text = text, .layout = {.depth = 1, .planes = 1}};
    const char *at = text;
    if (!parse_sides(&at, &raw->layout))
        return wp_fail(WP_ERROR_USAGE,
                       "raw '%s': bad size (WIDTHxHEIGHTxDEPTH:TYPE, each side 1 to %d)\n"
                       "hint: 181x217x181:u8",
                       text, WP_IMAGE_MAX_SIDE);
    char type[32];
    const size_t length = strcspn(at, ":");
    snprintf(type, sizeof type, "%.*s", length < sizeof type ? (int)length : (int)sizeof type, at);
    const char *names[TYPES];
    for (int i = 0; i < TYPES; i++)
        names[i] = types[i].name;
    const int found = wp_name_find("type of raw samples", type, names, TYPES, "there are ");
    if (found < 0)
        return false;
    raw->layout.samples = wp_samples_of(&(struct wp_source){.values = values}, types[found].type,
                                        types[found].big_endian, false, 0);
    at += length;
    const unsigned long long most_offset = 1ULL << 59;
    if (*at == ':' && (++at, !parse_number(&at, most_offset, &raw->layout.offset) || *at))
        return wp_fail(WP_ERROR_USAGE, "raw '%s': bad offset (a number of bytes)", text);
    raw->bytes = wp_raster_layout_end(&raw->layout);
    return true;
}

bool wp_raw_check(const struct wp_raw *raw, const char *name, unsigned long long size)
{
    return size == raw->bytes ||
           wp_fail(WP_ERROR_FILE, "%s: has %llu bytes, but raw '%s' requires %llu", name, size,
                   raw->text, raw->bytes);
}

struct wp_image *wp_read_raw(const struct wp_source *source, const struct wp_raw *raw)
{
    if (source->size > raw->bytes) { // a pipe, which was read up to one byte more
        wp_source_fail(source, "has more than the %llu bytes that raw '%s' requires", raw->bytes,
                       raw->text);
        return NULL;
    }
    const struct wp_raster_layout *layout = &raw->layout;
    return wp_source_check_volume(source, layout->width, layout->height, layout->depth) &&
                   wp_raw_check(raw, source->name, source->size)
               ? wp_read_layout(source, layout)
               : NULL;
}
