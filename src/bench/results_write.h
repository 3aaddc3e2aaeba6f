// Writes results as JSON, CSV, Markdown and SVG.
#ifndef WP_RESULTS_WRITE_H
#define WP_RESULTS_WRITE_H

#include "results.h"
#include "text.h"

// Adds the file that wp_results_read() reads, with or without the raw samples.
void wp_results_json(const struct wp_results *results, bool samples, struct wp_text *text);

// Adds a line of names, then one line per row with every column of wp_row_columns.
void wp_results_csv(const struct wp_results *results, struct wp_text *text);

// Adds the tables that `bench` prints: transforms, ceilings, transfers and reconstructions, then
// the meaning of the columns, and warnings. Values that all rows share are printed above a table.
// Less important columns are omitted if a line does not fit the page (NULL: unlimited width).
struct wp_page;
void wp_results_markdown(const struct wp_results *results, struct wp_page *page,
                         struct wp_text *text);

// Adds an SVG of GB/s over Mpixel, with one line per configuration; bars if all sizes are equal.
void wp_results_plot(const struct wp_results *results, struct wp_text *text);

#endif
