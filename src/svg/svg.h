// A small writer of SVG: static pictures with a title and a description, no scripts, no fonts.
#ifndef WP_SVG_H
#define WP_SVG_H

#include "text.h"

// Adds `pattern` with each '@' replaced by the next of the numbers, whatever the locale says:
// wp_svg_add(out, "<circle cx=\"@\" cy=\"@\" r=\"2\"/>\n", x, y).
#define wp_svg_add(out, pattern, ...) \
    wp_svg_add_numbers(out, pattern, (const double[]){__VA_ARGS__})
void wp_svg_add_numbers(struct wp_text *out, const char *pattern, const double *number);

// Adds text with the characters that XML knows escaped; for attributes too.
void wp_svg_escape(struct wp_text *out, const char *text);

struct wp_svg_label {
    double x, y;        // of the base line
    double size;        // 0: 12
    const char *anchor; // NULL: "start"
    const char *style;  // NULL, or further attributes
};

void wp_svg_text(struct wp_text *out, const struct wp_svg_label *label, const char *text);

struct wp_svg_page {
    double width, height;
    const char *title, *description; // what those who don't see the picture read
};

// Adds the whole document around `body`, on white.
void wp_svg_wrap(struct wp_text *out, const struct wp_svg_page *page, const char *body);

#endif
