#include "field_table.h"

#include "suggest.h"

#include <string.h>

#define ROW(member_, NAME, word, help) \
    [WP_FIELD_##NAME] = { \
        .name = #member_, \
        .words = wp_##member_##_names, \
        .count = WP_##NAME##_COUNT, \
        .param = offsetof(struct wp_transform_params, member_), \
        .member = offsetof(struct wp_description, member_), \
    },

const struct wp_field_row wp_fields[WP_FIELD_COUNT] = {WP_FIELDS(ROW)};

int wp_field_get(const struct wp_description *d, enum wp_field field)
{
    int value;
    memcpy(&value, (const char *)d + wp_fields[field].member, sizeof value);
    return value;
}

void wp_field_set(struct wp_description *d, enum wp_field field, int value)
{
    memcpy((char *)d + wp_fields[field].member, &value, sizeof value);
}

const char *wp_field_word(const struct wp_description *d, enum wp_field field)
{
    return wp_fields[field].words[wp_field_get(d, field)];
}

bool wp_fields_equal(const struct wp_description *a, const struct wp_description *b, unsigned set)
{
    bool equal = true;
    for (int f = 0; f < WP_FIELD_COUNT; f++)
        equal = equal && (!(set >> f & 1) ||
                          wp_field_get(a, (enum wp_field)f) == wp_field_get(b, (enum wp_field)f));
    return equal;
}

const char **wp_field_param(struct wp_transform_params *params, enum wp_field field)
{
    return (const char **)(void *)((char *)params + wp_fields[field].param);
}

bool wp_fields_read(const struct wp_transform_params *given, struct wp_description *d)
{
    struct wp_transform_params params = *given;
    for (int f = 0; f < WP_FIELD_COUNT; f++) {
        const struct wp_field_row *row = &wp_fields[f];
        const char *word = *wp_field_param(&params, (enum wp_field)f);
        const int value =
            word ? wp_name_find(row->name, word, row->words, row->count, "there are ") : 0;
        if (value < 0)
            return false;
        wp_field_set(d, (enum wp_field)f, value);
    }
    return true;
}
