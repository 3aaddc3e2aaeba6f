// Looking up names, and suggestions for unknown names.
#ifndef WP_SUGGEST_H
#define WP_SUGGEST_H

#include "log.h"

#include <stdbool.h>

// The state of a lookup. Initialize it with {.name = name}.
struct wp_lookup {
    const char *name;
    const char *nearest; // the most similar candidate so far; NULL if none is similar enough
    int distance;
};

// Whether `candidate`, which must outlive the lookup, is equal to the name.
bool wp_lookup_is(struct wp_lookup *lookup, const char *candidate);

// Reports WP_ERROR_USAGE with a formatted message, followed by the hint "did you mean 'NEAREST'?"
// if there is a suggestion, and by `where`, a sentence on the valid names, if it is not NULL.
// Always returns false.
bool wp_lookup_fail(const struct wp_lookup *lookup, const char *where, const char *format, ...)
    WP_PRINTF(3, 4);

// The index of `name` in a table, or -1, also for NULL.
int wp_name_index(const char *name, const char *const names[], int count);

// Like wp_name_index(), but reports WP_ERROR_USAGE for unknown names: "unknown KIND 'NAME'", with
// `prefix` and the list of names as the hint ("there are a, b").
int wp_name_find(const char *kind, const char *name, const char *const names[], int count,
                 const char *prefix);

#endif
