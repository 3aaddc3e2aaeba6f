// Functions shared by the files of this layer.
#ifndef WP_EXPLAIN_INTERNAL_H
#define WP_EXPLAIN_INTERNAL_H

#include "explain.h"

enum { WP_EXPLAIN_COLUMNS = 80 };

// Text that is wrapped between pieces. Continuation lines are indented by `indent` spaces.
struct wp_explain_lines {
    struct wp_text *out;
    size_t start; // offset of the current line in `out`
    int indent;
};

// Begins a paragraph after the text in the current line of `out`.
struct wp_explain_lines wp_explain_lines(struct wp_text *out, int indent);
void wp_explain_piece(struct wp_explain_lines *lines, const char *format, ...) WP_PRINTF(2, 3);

// Adds the lines before a pass in text: the barrier, its number and its label.
void wp_explain_pass_title(const struct wp_scheme *scheme, int pass, struct wp_text *out);

// The number of slices with this many columns that fit side by side; at least one.
int wp_explain_across(int columns);

// Adds the table of costs: a row for params->kind, or for each scheme if it is NULL.
void wp_explain_ops(const struct wp_explain_params *params, struct wp_text *out);

// Adds the nodes of wavelet packets: txt, csv or md. False after WP_ERROR_USAGE.
bool wp_explain_packets(const struct wp_explain_params *params, struct wp_text *out);

// Adds the samples that a result depends on: txt, csv or svg.
void wp_explain_footprint(const struct wp_scheme *scheme, enum wp_explain_format format,
                          struct wp_text *out);

// Adds the factorization of the filters into steps with every division: txt, md or tex. False after
// WP_ERROR_USAGE if it fails.
bool wp_explain_factoring(const struct wp_wavelet *wavelet, enum wp_explain_format format,
                          struct wp_text *out);

// Adds the list of a transform's bands: txt, csv or md.
void wp_explain_bands(const struct wp_explain_params *params, struct wp_text *out);

// Adds a topic of a redundant bank: counts (txt, csv or md), matrix (txt, md or tex), glsl or diagram
// (txt or svg). False after WP_ERROR_USAGE or
// WP_ERROR_TOO_LARGE.
bool wp_explain_bank(const struct wp_explain_params *params, struct wp_text *out);

// wp_explain_matrix() in Markdown or TeX.
void wp_explain_matrix_tex(const struct wp_scheme *scheme, bool numbers,
                           enum wp_explain_format format, struct wp_text *out);

// Adds a number as "1.5 \cdot 10^{-5}" with at most `digits` digits.
void wp_explain_tex_number(struct wp_text *out, double value, int digits);

#endif
