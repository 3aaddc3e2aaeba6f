// Published figures, the sweeps that make ours, and the two side by side.
#ifndef WP_PAPERS_H
#define WP_PAPERS_H

#include "results.h"
#include "text.h"

// Rows of ours: those whose members are equal to all of these that are not NULL or 0.
struct wp_paper_match {
    enum wp_row_kind kind; // a transform or a reconstruction
    const char *backend, *variant, *wavelet, *scheme, *layout;
    const char *work; // of a reconstruction
    const char *over; // another one's, that it is so much better than; else NULL
    const char *direction; // NULL: the mean of both is meant
    const char *includes;  // "": the transform by itself; NULL: whatever is timed with it
    int width, height, depth, levels, threads, rate;
};

enum wp_paper_unit { WP_PAPER_MS, WP_PAPER_STEPS, WP_PAPER_OPERATIONS, WP_PAPER_DB };

// A published value and what stands beside it.
struct wp_paper_row {
    const char *label;           // as the paper calls it: "hybrid"
    const char *hardware;        // "NVIDIA Tesla K40"
    const char *other;           // whose program it is where it is none of ours; else NULL
    struct wp_paper_match match; // its size is shown
    double value;                // as printed; 0: nothing is
    enum wp_paper_unit unit;
};

// A sentence of a paper on what is faster than what.
struct wp_paper_claim {
    const char *text;
    struct wp_paper_match fast, slow; // of one size, number of levels and direction each, and
                                      // of one number of threads, and what is timed with them,
                                      // where none is named
    double least;                     // slow takes so many times as long, or more
};

struct wp_paper {
    const char *name;         // "quan2016-table4": what --paper takes
    const char *title;        // "Barina et al. 2017, Figure 7: CDF 5/3"
    const char *source;       // authors, title, year
    const char *const *sweep; // ended by NULL: options of `bench`, "-w cdf97 -b cuda -l 1"
    const char *differs;      // what is not as in the paper, in words
    int row_count, claim_count;
    const struct wp_paper_row *row;
    const struct wp_paper_claim *claim;
    bool apart; // copies to the device and from it stand beside the transform, and all together
};

extern const struct wp_paper wp_papers[]; // ended by a NULL name

// By name. NULL after WP_ERROR_USAGE with a suggestion.
const struct wp_paper *wp_paper_find(const char *name);

// Adds Markdown: the paper's values and ours with their ratios, its claims and what ours say of
// them, the rows that are missing and why, transfers apart and together, and what differs. Page as
// in wp_results_markdown().
struct wp_page;
void wp_paper_compare(const struct wp_paper *paper, const struct wp_results *results,
                      struct wp_page *page, struct wp_text *text);

#endif
