// Names, as in options and files: one word.
#include "fuzz.h"

#include "suggest.h"
#include "scheme.h"
#include "wavelet_internal.h"

#include <stdlib.h>
#include <string.h>

// A suggestion is one of the names, and all names are found.
static void look_up(const char *word)
{
    static const char *const names[] = {"mallat", "mixed", "symmetric", "periodic", "jpeg2000"};
    enum { COUNT = sizeof names / sizeof *names };
    struct wp_lookup lookup = {.name = word};
    bool found = false, listed = false;
    for (int i = 0; i < COUNT && !found; i++)
        found = wp_lookup_is(&lookup, names[i]);
    for (int i = 0; i < COUNT; i++)
        listed = listed || !lookup.nearest || lookup.nearest == names[i];
    FUZZ_CHECK(listed);
    FUZZ_CHECK(found == (wp_name_index(word, names, COUNT) >= 0));
    fuzz_check_result(found || wp_lookup_fail(&lookup, "'info' lists them", "no name '%s'", word));
    fuzz_check_result(wp_name_find("name", word, names, COUNT, "there are ") >= 0);
}

static void find_scheme(const char *word)
{
    const struct wp_scheme_kind *kind = wp_scheme_kind_find(word, 2 + (int)(strlen(word) % 2));
    fuzz_check_result(kind);
    FUZZ_CHECK(!kind || strcmp(kind->name, word) == 0 || strcmp(kind->alias, word) == 0);
}

void fuzz(const uint8_t *data, size_t size)
{
    char *word = fuzz_text(data, size);
    int length;
    look_up(word);
    find_scheme(word);
    const char *stem = wp_wavelet_stem(word, &length);
    FUZZ_CHECK(length >= 0 && stem >= word && (size_t)length <= strlen(stem));
    free(word);
}
