#include "row_key.h"

#include <stdio.h>
#include <string.h>

const char *const wp_row_key_names[WP_KEY_COUNT] = {
    [WP_KEY_BACKEND] = "backend",   [WP_KEY_VARIANT] = "variant",
    [WP_KEY_WORK] = "work",         [WP_KEY_IMAGE] = "image",
    [WP_KEY_RATE] = "rate",         [WP_KEY_WAVELET] = "wavelet",
    [WP_KEY_SCHEME] = "scheme",     [WP_KEY_FORM] = "form",
    [WP_KEY_DIRECTION] = "direction", [WP_KEY_BORDER] = "border",
    [WP_KEY_NORM] = "norm",         [WP_KEY_LAYOUT] = "layout",
    [WP_KEY_PRECISION] = "precision", [WP_KEY_INCLUDES] = "includes",
    [WP_KEY_PLANES] = "planes",     [WP_KEY_THREADS] = "threads",
    [WP_KEY_SIZE] = "size",         [WP_KEY_LEVELS] = "L",
    [WP_KEY_LEVELS_Z] = "Lz",
};

// Where the words are that a row holds as such.
static const size_t offsets[WP_KEY_COUNT] = {
    [WP_KEY_BACKEND] = offsetof(struct wp_row, backend),
    [WP_KEY_VARIANT] = offsetof(struct wp_row, variant),
    [WP_KEY_WORK] = offsetof(struct wp_row, work),
    [WP_KEY_IMAGE] = offsetof(struct wp_row, image),
    [WP_KEY_WAVELET] = offsetof(struct wp_row, wavelet),
    [WP_KEY_SCHEME] = offsetof(struct wp_row, scheme),
    [WP_KEY_FORM] = offsetof(struct wp_row, form),
    [WP_KEY_DIRECTION] = offsetof(struct wp_row, direction),
    [WP_KEY_BORDER] = offsetof(struct wp_row, border),
    [WP_KEY_NORM] = offsetof(struct wp_row, norm),
    [WP_KEY_LAYOUT] = offsetof(struct wp_row, layout),
    [WP_KEY_PRECISION] = offsetof(struct wp_row, precision),
    [WP_KEY_INCLUDES] = offsetof(struct wp_row, includes),
};

bool wp_row_key_counts(enum wp_row_key key)
{
    return key == WP_KEY_LEVELS || key == WP_KEY_LEVELS_Z || key == WP_KEY_PLANES ||
           key == WP_KEY_THREADS || key == WP_KEY_RATE;
}

const char *wp_size_text(char buffer[WP_KEY_SIZE_MOST], int width, int height, int depth)
{
    const int length = snprintf(buffer, WP_KEY_SIZE_MOST, "%dx%d", width, height);
    if (depth > 1)
        snprintf(buffer + length, WP_KEY_SIZE_MOST - (size_t)length, "x%d", depth);
    return buffer;
}

static int count_of(const struct wp_row *row, enum wp_row_key key)
{
    if (key == WP_KEY_LEVELS_Z)
        return row->depth > 1 ? row->levels_z : -1;
    return key == WP_KEY_LEVELS   ? row->levels
           : key == WP_KEY_PLANES ? row->planes
           : key == WP_KEY_RATE   ? row->rate
                                  : row->threads;
}

const char *wp_row_key(const struct wp_row *row, enum wp_row_key key,
                       char buffer[WP_KEY_SIZE_MOST])
{
    buffer[0] = '\0';
    if (key == WP_KEY_SIZE) {
        if (row->width > 0)
            wp_size_text(buffer, row->width, row->height, row->depth);
        return buffer;
    }
    if (wp_row_key_counts(key)) {
        const int count = count_of(row, key);
        if (count >= 0)
            snprintf(buffer, WP_KEY_SIZE_MOST, "%d", count);
        return buffer;
    }
    return (const char *)row + offsets[key];
}

static bool equal(const struct wp_row *a, const struct wp_row *b, enum wp_row_key key)
{
    char of_a[WP_KEY_SIZE_MOST], of_b[WP_KEY_SIZE_MOST];
    return strcmp(wp_row_key(a, key, of_a), wp_row_key(b, key, of_b)) == 0;
}

unsigned wp_row_keys_varying(const struct wp_results *results, enum wp_row_kind kind)
{
    const struct wp_row *first = NULL;
    unsigned keys = 0;
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind != kind)
            continue;
        if (!first)
            first = row;
        for (int k = 0; k < WP_KEY_COUNT; k++)
            if (!equal(first, row, (enum wp_row_key)k))
                keys |= WP_KEY_BIT(k);
    }
    return keys;
}

bool wp_row_keys_equal(const struct wp_row *a, const struct wp_row *b, unsigned keys)
{
    if (a->kind != b->kind)
        return false;
    for (int k = 0; k < WP_KEY_COUNT; k++)
        if (keys & WP_KEY_BIT(k) && !equal(a, b, (enum wp_row_key)k))
            return false;
    return true;
}

void wp_row_describe(const struct wp_row *row, unsigned keys, struct wp_text *text)
{
    char buffer[WP_KEY_SIZE_MOST];
    const size_t start = text->length;
    for (int k = 0; k < WP_KEY_COUNT; k++) {
        const char *word = wp_row_key(row, (enum wp_row_key)k, buffer);
        if (!(keys & WP_KEY_BIT(k)) || !*word)
            continue;
        const char *unit = k == WP_KEY_LEVELS    ? " level"
                           : k == WP_KEY_PLANES  ? " plane"
                           : k == WP_KEY_THREADS ? " thread"
                                                 : "";
        wp_text_add(text, "%s%s%s%s%s%s", text->length > start ? " " : "",
                    k == WP_KEY_RATE ? "x" : "", word, unit,
                    *unit && strcmp(word, "1") != 0 ? "s" : "",
                    k == WP_KEY_LEVELS_Z ? " along z" : "");
    }
}
