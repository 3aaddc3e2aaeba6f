// What the files of this layer share.
#ifndef WP_EXPLAIN_INTERNAL_H
#define WP_EXPLAIN_INTERNAL_H

#include "explain.h"

enum { WP_EXPLAIN_COLUMNS = 80 };

// Text that wraps between pieces. Lines but the first begin with `indent` spaces.
struct wp_explain_lines {
    struct wp_text *out;
    size_t start; // of the current line, in out
    int indent;
};

// A paragraph that begins behind what the current line of `out` holds.
struct wp_explain_lines wp_explain_lines(struct wp_text *out, int indent);
void wp_explain_piece(struct wp_explain_lines *lines, const char *piece);
void wp_explain_words(struct wp_explain_lines *lines, const char *text); // one piece a word

// How many slices of so many columns stand beside each other; at least one.
int wp_explain_across(int columns);

// The table of counts: a row for params->kind, or one for each scheme where it is NULL.
void wp_explain_ops(const struct wp_explain_params *params, struct wp_text *out);

// Data-flow diagrams: svg or txt, with what `params` say of arrows and passes.
void wp_explain_diagram(const struct wp_scheme *scheme, const struct wp_explain_params *params,
                        struct wp_text *out);

// The samples that a result depends on: txt, csv or svg.
void wp_explain_footprint(const struct wp_scheme *scheme, enum wp_explain_format format,
                          struct wp_text *out);

// Filters, their responses and functions: txt, csv or svg.
void wp_explain_filters(const struct wp_wavelet *wavelet, enum wp_explain_format format,
                        struct wp_text *out);

// From filters to steps, with every division: txt, md or tex. False after WP_ERROR_USAGE where that
// fails.
bool wp_explain_factoring(const struct wp_wavelet *wavelet, enum wp_explain_format format,
                          struct wp_text *out);

// What a transform's bands are called: txt, csv or md.
void wp_explain_bands(const struct wp_explain_params *params, struct wp_text *out);

// In the paper's symbols, or with `numbers` multiplied out.
void wp_explain_matrix(const struct wp_scheme *scheme, bool numbers, struct wp_text *out);
void wp_explain_matrix_tex(const struct wp_scheme *scheme, bool numbers,
                           enum wp_explain_format format, struct wp_text *out); // md or tex

// "1.5 \cdot 10^{-5}", of so many digits at most.
void wp_explain_tex_number(struct wp_text *out, double value, int digits);

// "a21": how an entry that has no room in its matrix is called. Among the many of an octet's
// matrix, equal ones go by the name of the first. Returns whether it is the first.
struct wp_explain_entry {
    int row, column; // from 1
    bool first;
};
struct wp_explain_entry wp_explain_entry(const struct wp_matrix *matrix, int row, int column);

#endif
