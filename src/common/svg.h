// Writes SVG: static pictures with a title and a description, without scripts and fonts.
#ifndef WP_SVG_H
#define WP_SVG_H

#include "text.h"

#include <stddef.h>

// Adds `pattern` with each '@' replaced by the next number, independent of the locale:
// wp_svg_add(out, "<circle cx=\"@\" cy=\"@\" r=\"2\"/>\n", x, y).
#define wp_svg_add(out, pattern, ...) \
    wp_svg_add_numbers(out, pattern, (const double[]){__VA_ARGS__})
void wp_svg_add_numbers(struct wp_text *out, const char *pattern, const double *number);

// Adds text with XML's special characters escaped, also for attributes.
void wp_svg_escape(struct wp_text *out, const char *text);

// Attributes of text.
#define WP_SVG_MIDDLE "text-anchor=\"middle\""
#define WP_SVG_END "text-anchor=\"end\""
#define WP_SVG_BOLD "font-weight=\"bold\""

enum { WP_SVG_SIZE = 12 }; // the usual font size

// Adds formatted text with its baseline at (x, y). `attributes` may be NULL.
void wp_svg_text(struct wp_text *out, double x, double y, double size, const char *attributes,
                 const char *format, ...) WP_PRINTF(6, 7);

// Adds text in lines of at most `columns` bytes, broken at blanks and line breaks, from y down in
// steps of `step`. Returns y after the last one.
double wp_svg_lines(struct wp_text *out, double x, double y, double size, const char *attributes,
                    double step, size_t columns, const char *text);

// Adds a document with `body` on a white background. Title and description are for screen readers.
void wp_svg_wrap(struct wp_text *out, double width, double height, const char *title,
                 const char *description, const char *body);

#endif
