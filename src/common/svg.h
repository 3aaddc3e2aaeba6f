// Writes SVG: static pictures with a title and a description, without scripts and fonts.
#ifndef WP_SVG_H
#define WP_SVG_H

#include "text.h"

// Adds `pattern` with each '@' replaced by the next number, independent of the locale:
// wp_svg_add(out, "<circle cx=\"@\" cy=\"@\" r=\"2\"/>\n", x, y).
#define wp_svg_add(out, pattern, ...) \
    wp_svg_add_numbers(out, pattern, (const double[]){__VA_ARGS__})
void wp_svg_add_numbers(struct wp_text *out, const char *pattern, const double *number);

// Adds text with XML's special characters escaped, also for attributes.
void wp_svg_escape(struct wp_text *out, const char *text);

struct wp_svg_label {
    double x, y;        // position of the baseline
    double size;        // font size; 0: 12
    const char *anchor; // text-anchor; NULL: "start"
    const char *style;  // further attributes, or NULL
};

void wp_svg_text(struct wp_text *out, const struct wp_svg_label *label, const char *text);

struct wp_svg_page {
    double width, height;
    const char *title, *description; // for screen readers
};

// Adds a document with `body` on a white background.
void wp_svg_wrap(struct wp_text *out, const struct wp_svg_page *page, const char *body);

#endif
