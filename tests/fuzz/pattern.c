// "pattern:NAME:WxHxD" and "noise:SIZE:SEED".
#include "fuzz.h"

#include "image.h"
#include "pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Skips large patterns, which are valid but slow: the product of all numbers, 512x512 without
// numbers. Sizes above the maximum are rejected at once.
static bool is_quick(const char *text)
{
    enum { MOST_SAMPLES = 1 << 14 };
    double product = 1, largest = 0;
    bool any = false;
    while (*text) {
        char *end = (char *)text + 1;
        if (isdigit((unsigned char)*text)) {
            const double number = strtod(text, &end);
            any = true;
            product *= number;
            largest = number > largest ? number : largest;
        }
        text = end;
    }
    return any && (product <= MOST_SAMPLES || largest > WP_PATTERN_SIDE_MAX);
}

static bool is_name(const char *text)
{
    const struct wp_pattern *pattern;
    for (int i = 0; (pattern = wp_pattern_get(i)); i++)
        if (strcmp(pattern->name, text) == 0)
            return true;
    return false;
}

void fuzz(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    if (is_quick(text) || (!strpbrk(text, "0123456789") && !is_name(text))) {
        for (int i = 0; i < 2; i++) {
            struct wp_image *image = wp_pattern_create_as(text, i ? WP_VOLUME_YES : WP_VOLUME_NO);
            fuzz_check_result(image);
            FUZZ_CHECK(!image || wp_image_count_nonfinite(image) == 0);
            for (size_t k = 0; image && k < wp_image_samples(image); k++)
                FUZZ_CHECK(image->plane[0][k] >= 0 && image->plane[0][k] <= 1);
            wp_image_destroy(&image);
        }
    }
    free(text);
}
