// What a row of results is about, as words: to name it, to tell which words differ between rows,
// and to find the same configuration in another file.
#ifndef WP_ROW_KEY_H
#define WP_ROW_KEY_H

#include "results.h"
#include "text.h"

#define WP_ROW_KEY(member, NAME, word, help) WP_KEY_##NAME,
enum wp_row_key {
    WP_KEY_BACKEND,
    WP_KEY_VARIANT,
    WP_KEY_TRANSFORM,
    WP_KEY_IMAGE,
    WP_KEY_RATE,
    WP_KEY_WAVELET,
    WP_KEY_SCHEME,
    WP_KEY_FORM,
    WP_KEY_DIRECTION,
    WP_FIELDS_DYADIC(WP_ROW_KEY) // WP_KEY_BORDER, ...
    WP_KEY_INCLUDES,
    WP_KEY_PLANES,
    WP_KEY_THREADS,
    WP_KEY_SIZE,
    WP_KEY_LEVELS,
    WP_KEY_LEVELS_Z, // of volumes alone
    WP_KEY_COUNT
};

extern const char *const wp_row_key_names[WP_KEY_COUNT]; // "backend", …

bool wp_row_key_counts(enum wp_row_key key); // whether its word is a number

// The word for a key in a row, "" where it has none; `buffer` may hold it.
enum { WP_KEY_SIZE_MOST = 64 };
const char *wp_row_key(const struct wp_row *row, enum wp_row_key key,
                       char buffer[WP_KEY_SIZE_MOST]);

// "256x256", "256x256x64": of one slice, or none, there is no third number.
const char *wp_size_text(char buffer[WP_KEY_SIZE_MOST], int width, int height, int depth);

// A set of keys, a bit each.
#define WP_KEY_BIT(key) (1U << (key))
#define WP_KEYS_ALL (WP_KEY_BIT(WP_KEY_COUNT) - 1U)

// The keys in which rows of one kind differ.
unsigned wp_row_keys_varying(const struct wp_results *results, enum wp_row_kind kind);

// Those of `keys` that can go, all of them together, and the rest still tells the rows of a kind
// apart as `keys` does.
unsigned wp_row_keys_spare(const struct wp_results *results, enum wp_row_kind kind, unsigned keys);

// True where two rows are of one kind and agree in every key of the set.
bool wp_row_keys_equal(const struct wp_row *a, const struct wp_row *b, unsigned keys);

// Adds the words for the keys of a set that a row has, separated by spaces.
void wp_row_describe(const struct wp_row *row, unsigned keys, struct wp_text *text);

#endif
