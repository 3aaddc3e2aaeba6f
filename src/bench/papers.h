// Published figures, the sweeps that make ours, and the two side by side.
#ifndef WP_PAPERS_H
#define WP_PAPERS_H

#include "results.h"
#include "text.h"

// A published value and the row of ours that stands beside it: one whose members are equal to
// all of those that are not NULL or 0 here.
struct wp_paper_row {
    const char *label;                                // as the paper calls it: "hybrid"
    const char *backend, *variant, *wavelet, *scheme; // NULL: any
    int width, height, levels;                        // 0: any
    double value;                                     // as printed
    const char *hardware;                             // "NVIDIA Tesla K40"
};

struct wp_paper {
    const char *name;         // "quan2016-table4": what --paper takes
    const char *title;        // authors, title, year, number of the table or figure
    const char *const *sweep; // ended by NULL: options of `bench`, "-w cdf97 -b cuda -l 1"
    const char *unit;         // of the values: "ms", "GB/s"
    const char *differs;      // what is not as in the paper, in words
    bool plots;               // the paper plots GB/s over Mpel
    int row_count;
    const struct wp_paper_row *row;
};

extern const struct wp_paper wp_papers[]; // ended by a NULL name

// By name. NULL after WP_ERROR_USAGE with a suggestion.
const struct wp_paper *wp_paper_find(const char *name);

// Adds a Markdown table: the paper's values, ours, the ratios, and what differs.
void wp_paper_compare(const struct wp_paper *paper, const struct wp_results *results,
                      struct wp_text *text);

#endif
