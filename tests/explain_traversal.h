// Properties that all output of `explain` must have, for images (dims 2) and volumes (3), for all
// schemes of these dimensions in both directions.
#ifndef WP_TEST_EXPLAIN_TRAVERSAL_H
#define WP_TEST_EXPLAIN_TRAVERSAL_H

#include "explain.h"
#include "log.h"

int count_of(const char *text, const char *pattern);

// No line is longer than 100 columns.
void assert_columns(const struct wp_text *text, const char *label);
void assert_lines_fit(const struct wp_wavelet *list, int count, int dims,
                      const enum wp_explain_topic *topic, int topics);

// The text contains each of these rows, up to the end of a line.
void assert_rows(const struct wp_text *text, const char *const *rows, int count);

// For every form: one arrow per operation after the title of its pass, one bar per barrier, and
// only constants are dashed. Arrows can have labels or be omitted.
void assert_diagrams(const struct wp_wavelet *list, int count, int dims);

// The footprint table of the last coefficients contains the lines, for every scheme and form.
void assert_footprints(const struct wp_wavelet *wavelet, int dims, const char *const *lines,
                       int count);

// Braces, environments and delimiters of LaTeX are balanced, also in Markdown.
void assert_tex_is_balanced(const struct wp_wavelet *list, int count, int dims);

// A log handler that expects an error; `user` is an array of 256 characters.
void store_message(void *user, enum wp_log_level level, const char *message);

#endif
