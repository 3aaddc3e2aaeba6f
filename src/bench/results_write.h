// Results for files, people and spreadsheets.
#ifndef WP_RESULTS_WRITE_H
#define WP_RESULTS_WRITE_H

#include "results.h"
#include "text.h"

// The file that wp_results_read() reads, with the raw samples or without.
void wp_results_json(const struct wp_results *results, bool samples, struct wp_text *text);

// A line of names, then a line a row: every column of wp_row_columns.
void wp_results_csv(const struct wp_results *results, struct wp_text *text);

// The tables that `bench` prints: transforms, then ceilings and transfers; below them what the
// figures mean, and the warnings. On a page (NULL: all there is, in lines of any width) words that
// all rows share stand above a table, and what is least asked for is left out.
struct wp_page;
void wp_results_markdown(const struct wp_results *results, struct wp_page *page,
                         struct wp_text *text);

// GB/s over Mpixel as an SVG picture: a line a wavelet, scheme, backend and variant.
void wp_results_plot(const struct wp_results *results, struct wp_text *text);

#endif
