// Event scripts of the viewer, and names of keys.
#include "fuzz.h"

#include "actions.h"
#include "script.h"

#include <stdlib.h>
#include <string.h>

void fuzz(const uint8_t *data, size_t size)
{
    struct wp_script *script = wp_script_read(fuzz_file(0, data, size));
    fuzz_check_result(script);
    wp_script_destroy(&script);
    char *text = fuzz_text(data, size);
    const int chord = wp_chord_parse(text, strlen(text));
    FUZZ_CHECK(chord >= 0 && (chord == 0 || size > 0));
    free(text);
}
