// Pages that are valid XML and HTML, need no other files, and can be printed.
#ifndef WP_HTML_H
#define WP_HTML_H

#include "image.h"
#include "laurent.h"
#include "text.h"

// Adds a complete page. `contents` are list entries (<li>) with links to the sections of `body`.
void wp_html_page(struct wp_text *out, const char *title, const char *contents,
                  const struct wp_text *body);

// Adds an introduction to passes, quads and barriers for beginners.
void wp_html_introduction(struct wp_text *out);

// Begin and end a region that scrolls if it is wider than the screen; `name` is for screen readers.
void wp_html_begin_wide(struct wp_text *out, const char *name);
void wp_html_end_wide(struct wp_text *out);

// Adds a <th> of a column with a scheme's name, with possible line breaks.
void wp_html_heading_cell(struct wp_text *out, const char *name);

// Adds text with XML's special characters escaped.
void wp_html_text(struct wp_text *out, const char *text);

// Adds an element such as "<h2>text</h2>".
void wp_html_element(struct wp_text *out, const char *element, const char *text);

// Adds an image as a PNG in <img>, with alternative text, in a figure with a caption. False after
// an error.
bool wp_html_picture(struct wp_text *out, const struct wp_image *image, const char *alt,
                     const char *caption);

// Adds an SVG of wp_explain(). `number` must differ between the pictures of a page, to make ids
// unique.
void wp_html_svg(struct wp_text *out, const char *svg, int number);

// Adds a label such as "S^H_U1(2) T^H_P(1)" with superscripts and subscripts.
void wp_html_label(struct wp_text *out, const char *label);

// Adds a polynomial such as "-0.5 - 0.5 z_m^-1" with superscripts and subscripts.
void wp_html_poly(struct wp_text *out, const struct wp_poly *poly);

#endif
