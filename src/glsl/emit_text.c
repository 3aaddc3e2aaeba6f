#include "emit_internal.h"

#include <string.h>

const char wp_emit_component[WP_COMPONENTS] = {'r', 'g', 'b', 'a'};

void wp_emit_product(struct wp_text *out, bool first, double c, const char *operand)
{
    char number[WP_NUMBER_SIZE];
    const double size = c < 0 ? -c : c;
    wp_text_add(out, "%s", first ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + "));
    wp_format_number(number, size, 9);
    if (strcmp(number, "1.0") != 0)
        wp_text_add(out, "%s * ", number);
    wp_text_add(out, "%s", operand);
}

bool wp_emit_is_scaled(const double scale[WP_COMPONENTS])
{
    for (int c = 0; c < WP_COMPONENTS; c++)
        if (scale[c] < 1.0 || scale[c] > 1.0)
            return true;
    return false;
}

void wp_emit_vec4(struct wp_text *out, const double value[WP_COMPONENTS])
{
    for (int c = 0; c < WP_COMPONENTS; c++) {
        char number[WP_NUMBER_SIZE];
        wp_text_add(out, "%s%s", c ? ", " : "vec4(", wp_format_number(number, value[c], 9));
    }
    wp_text_add(out, ")");
}
