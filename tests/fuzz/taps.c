// The taps of two filters on the command line, "LOW;HIGH".
#include "fuzz.h"

#include "fuzz_wavelet.h"
#include "wavelet_internal.h"

#include <stdlib.h>

void fuzz(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct wp_wavelet wavelet;
    if (wp_wavelet_is_taps(text)) {
        const bool found = wp_wavelet_find(text, &wavelet);
        fuzz_check_result(found);
        if (found)
            fuzz_write_and_read_wavelet(&wavelet);
    }
    free(text);
}
