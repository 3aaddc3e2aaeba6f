// The rows of fields.h as a table, for loops over all parameters that are words.
#ifndef WP_FIELD_TABLE_H
#define WP_FIELD_TABLE_H

#include "description.h"
#include "wavepass.h"

struct wp_field_row {
    const char *name;         // "border": of the option, and the key in files
    const char *const *words; // the first one is the default
    int count;
    size_t param;  // offset of a const char * in struct wp_transform_params
    size_t member; // offset of an enum in struct wp_description
};

extern const struct wp_field_row wp_fields[WP_FIELD_COUNT]; // by enum wp_field

// The value of a field in a description, an index into its words.
int wp_field_get(const struct wp_description *description, enum wp_field field);
void wp_field_set(struct wp_description *description, enum wp_field field, int value);
const char *wp_field_word(const struct wp_description *description, enum wp_field field);

// Whether two descriptions have the same value in each field of a set (fields.h).
bool wp_fields_equal(const struct wp_description *a, const struct wp_description *b, unsigned set);

// The word of a field in the parameters: a member that may be NULL.
const char **wp_field_param(struct wp_transform_params *params, enum wp_field field);

// Sets all fields of a description from the words of the parameters, NULL being the default. False
// after WP_ERROR_USAGE if a word is unknown.
bool wp_fields_read(const struct wp_transform_params *params, struct wp_description *description);

#endif
