// What must hold for all that `explain` says of images (dims 2) and of volumes (3). Schemes are all
// that there are of so many axes, in both directions.
#ifndef WP_TEST_EXPLAIN_TRAVERSAL_H
#define WP_TEST_EXPLAIN_TRAVERSAL_H

#include "explain.h"
#include "log.h"

int count_of(const char *text, const char *what);

// No line is wider than a page.
void assert_columns(const struct wp_text *text, const char *what);
void assert_lines_fit(const struct wp_wavelet *list, int count, int dims,
                      const enum wp_explain_topic *whats, int topics);

// The text has these whole lines.
void assert_rows(const struct wp_text *text, const char *const *rows, int count);

// An arrow an operation, behind the title of its pass, and a bar a barrier, for every form; the
// constants alone are dashed. Arrows can have labels, or be left out.
void assert_diagrams(const struct wp_wavelet *list, int count, int dims);

// The lines are in the table of what the last coefficients reach, in whatever scheme and form.
void assert_footprints(const struct wp_wavelet *wavelet, int dims, const char *const *lines,
                       int count);

// LaTeX closes what it opens, alone and in Markdown.
void assert_tex_is_balanced(const struct wp_wavelet *list, int count, int dims);

// A handler of errors: `user` is an array of 256 characters.
void keep_message(void *user, enum wp_log_level level, const char *message);

#endif
