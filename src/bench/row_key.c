#include "row_key.h"

#include "xmemory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wp_row_key_names[WP_KEY_COUNT] = {
    [WP_KEY_BACKEND] = "backend",   [WP_KEY_VARIANT] = "variant",
    [WP_KEY_TRANSFORM] = "work",         [WP_KEY_IMAGE] = "image",
    [WP_KEY_RATE] = "rate",         [WP_KEY_WAVELET] = "wavelet",
    [WP_KEY_SCHEME] = "scheme",     [WP_KEY_FORM] = "form",
    [WP_KEY_DIRECTION] = "direction", [WP_KEY_INCLUDES] = "includes",
    [WP_KEY_PLANES] = "planes",     [WP_KEY_THREADS] = "threads",
    [WP_KEY_SIZE] = "size",         [WP_KEY_LEVELS] = "L",
    [WP_KEY_LEVELS_Z] = "Lz",
#define NAME_OF(member, NAME, word, help) [WP_KEY_##NAME] = #member,
    WP_FIELDS_DYADIC(NAME_OF)
};

// Offsets of words that are members of a row.
static const size_t offsets[WP_KEY_COUNT] = {
    [WP_KEY_BACKEND] = offsetof(struct wp_row, backend),
    [WP_KEY_VARIANT] = offsetof(struct wp_row, variant),
    [WP_KEY_TRANSFORM] = offsetof(struct wp_row, work),
    [WP_KEY_IMAGE] = offsetof(struct wp_row, image),
    [WP_KEY_WAVELET] = offsetof(struct wp_row, wavelet),
    [WP_KEY_SCHEME] = offsetof(struct wp_row, scheme),
    [WP_KEY_FORM] = offsetof(struct wp_row, form),
    [WP_KEY_DIRECTION] = offsetof(struct wp_row, direction),
#define OFFSET_OF(member, NAME, word, help) [WP_KEY_##NAME] = offsetof(struct wp_row, member),
    WP_FIELDS_DYADIC(OFFSET_OF)
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

static void add_signature(const struct wp_row *row, unsigned keys, struct wp_text *text)
{
    char buffer[WP_KEY_SIZE_MOST];
    for (int k = 0; k < WP_KEY_COUNT; k++)
        if (keys & WP_KEY_BIT(k))
            wp_text_add(text, "%s\t", wp_row_key(row, (enum wp_row_key)k, buffer));
}

static int compare_signatures(const void *a, const void *b)
{
    return strcmp(wp_text_get(a), wp_text_get(b));
}

// Whether rows that agree in `less` also agree in `keys`. Rows are sorted, so that neighbors
// differ.
static bool distinguishes(const struct wp_results *results, enum wp_row_kind kind, unsigned keys,
                        unsigned less)
{
    struct wp_text *signature = wp_xcalloc((size_t)results->row_count, sizeof *signature);
    size_t count = 0;
    for (int i = 0; i < results->row_count; i++) {
        if (results->row[i].kind != kind)
            continue;
        add_signature(&results->row[i], less, &signature[count]);
        wp_text_add(&signature[count], "\n");
        add_signature(&results->row[i], keys, &signature[count++]);
    }
    qsort(signature, count, sizeof *signature, compare_signatures);
    bool apart = true;
    for (size_t i = 1; i < count; i++) {
        const char *a = wp_text_get(&signature[i - 1]), *b = wp_text_get(&signature[i]);
        const size_t length = strcspn(a, "\n") + 1;
        apart = apart && (strncmp(a, b, length) != 0 || strcmp(a, b) == 0);
    }
    for (size_t i = 0; i < count; i++)
        wp_text_free(&signature[i]);
    free(signature);
    return apart;
}

unsigned wp_row_keys_spare(const struct wp_results *results, enum wp_row_kind kind, unsigned keys)
{
    // Important keys are removed last; rows without a scheme only have a backend.
    static const enum wp_row_key order[] = {
        WP_KEY_INCLUDES, WP_KEY_FORM,      WP_KEY_BORDER,  WP_KEY_NORM,    WP_KEY_LAYOUT,
        WP_KEY_PRECISION, WP_KEY_LEVELS_Z, WP_KEY_PLANES,  WP_KEY_THREADS, WP_KEY_DIRECTION,
        WP_KEY_LEVELS,   WP_KEY_VARIANT,   WP_KEY_SIZE,
    };
    unsigned spare = 0;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        const unsigned more = spare | (keys & WP_KEY_BIT(order[k]));
        if (more != spare && (keys & ~more) && distinguishes(results, kind, keys, keys & ~more))
            spare = more;
    }
    return spare;
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
