// Numbers, as in options and files: one word.
#include "fuzz.h"

#include "text.h"
#include "wavelet_internal.h"

#include <stdlib.h>

enum { EXACT_DIGITS = 17 };

// A formatted number is parsed as the same number.
static void read_double(const char *word)
{
    char text[WP_NUMBER_SIZE];
    double number, again;
    if (wp_parse_double(word, &number))
        FUZZ_CHECK(wp_parse_double(wp_format_number(text, number, EXACT_DIGITS), &again) &&
                   again == number);
}

static void read_int(const char *word)
{
    char text[16];
    int number, again;
    if (!wp_parse_int(word, &number))
        return;
    snprintf(text, sizeof text, "%d", number);
    FUZZ_CHECK(wp_parse_int(text, &again) && again == number);
}

void fuzz(const uint8_t *data, size_t size)
{
    char *word = fuzz_text(data, size);
    double number;
    read_double(word);
    read_int(word);
    FUZZ_CHECK(!wp_parse_fraction(word, &number) || number >= 0);
    FUZZ_CHECK(wp_wavelet_evaluate(word, &number) || number - number == 0);
    free(word);
}
