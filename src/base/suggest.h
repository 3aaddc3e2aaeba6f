// Looking up names, and what is said of one that is not known.
#ifndef WP_SUGGEST_H
#define WP_SUGGEST_H

#include "log.h"

#include <stdbool.h>

// A name that is looked for: {.name = name} before the first candidate.
struct wp_lookup {
    const char *name;
    const char *nearest; // of the candidates so far; NULL where none is near enough to suggest
    int distance;
};

// Whether `candidate`, which must live as long as the lookup, is the name.
bool wp_lookup_is(struct wp_lookup *lookup, const char *candidate);

// WP_ERROR_USAGE with the message that the format makes, and as its hint "did you mean 'NEAREST'?"
// and `where` all are listed, each where there is one. `where` may be NULL. Always false.
bool wp_lookup_fail(const struct wp_lookup *lookup, const char *where, const char *format, ...)
    WP_PRINTF(3, 4);

// The index of `name` in a table, or -1. NULL is in none.
int wp_name_index(const char *name, const char *const names[], int count);

// The same, but -1 after WP_ERROR_USAGE: "unknown WHAT 'NAME'", and as its hint `before` with all
// that there are after it ("there are a, b").
int wp_name_find(const char *what, const char *name, const char *const names[], int count,
                 const char *before);

#endif
