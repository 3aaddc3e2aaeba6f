// Pages that are XML and HTML at once, need no other file, and print.
#ifndef WP_HTML_H
#define WP_HTML_H

#include "image.h"
#include "laurent.h"
#include "text.h"

// The whole page: `contents` are entries of a list (<li>) that lead to the sections of `body`.
void wp_html_page(struct wp_text *out, const char *title, const char *contents,
                  const struct wp_text *body);

// Half a page for those who begin: what passes, quads, barriers are.
void wp_html_introduction(struct wp_text *out);

// Around what may be wider than a screen, and is then scrolled; `name` is read aloud.
void wp_html_begin_wide(struct wp_text *out, const char *name);
void wp_html_end_wide(struct wp_text *out);

// <th> of a column with a scheme's name, which may break within.
void wp_html_heading_cell(struct wp_text *out, const char *name);

// Escapes what XML knows.
void wp_html_text(struct wp_text *out, const char *text);

// "<h2>text</h2>".
void wp_html_element(struct wp_text *out, const char *element, const char *text);

// An image as <img>, as text to be read aloud and without it in a figure with that caption. False
// after an error.
bool wp_html_picture(struct wp_text *out, const struct wp_image *image, const char *alt,
                     const char *caption);

// A picture of wp_explain() inside the page; `number` must differ between pictures, so that
// their ids do.
void wp_html_svg(struct wp_text *out, const char *svg, int number);

// "S^H_U1(2) T^H_P(1)" with its indices set as such.
void wp_html_label(struct wp_text *out, const char *label);

// "-0.5 - 0.5 z_m^-1" likewise.
void wp_html_poly(struct wp_text *out, const struct wp_poly *poly);

#endif
