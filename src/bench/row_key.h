// The configuration of a row of results as words, for names of rows, for the words in which rows
// differ, and for finding the same configuration in another file.
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
    WP_KEY_LEVELS_Z, // only for volumes
    WP_KEY_COUNT
};

extern const char *const wp_row_key_names[WP_KEY_COUNT]; // "backend", …

bool wp_row_key_counts(enum wp_row_key key); // whether its word is a number

// The word of a key in a row, "" if it has none. It may be in `buffer`.
enum { WP_KEY_SIZE_MOST = 64 };
const char *wp_row_key(const struct wp_row *row, enum wp_row_key key,
                       char buffer[WP_KEY_SIZE_MOST]);

// "256x256", or for more than one slice "256x256x64".
const char *wp_size_text(char buffer[WP_KEY_SIZE_MOST], int width, int height, int depth);

// Sets of keys, as bits.
#define WP_KEY_BIT(key) (1U << (key))
#define WP_KEYS_ALL (WP_KEY_BIT(WP_KEY_COUNT) - 1U)

// The keys in which rows of a kind differ.
unsigned wp_row_keys_varying(const struct wp_results *results, enum wp_row_kind kind);

// The largest set of keys that can be removed from `keys` so that the rest still distinguishes the
// same rows of a kind.
unsigned wp_row_keys_spare(const struct wp_results *results, enum wp_row_kind kind, unsigned keys);

// True if two rows have the same kind and agree in all keys of the set.
bool wp_row_keys_equal(const struct wp_row *a, const struct wp_row *b, unsigned keys);

// Adds the words for the keys of a set that a row has, separated by spaces.
void wp_row_describe(const struct wp_row *row, unsigned keys, struct wp_text *text);

#endif
