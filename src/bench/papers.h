// Published measurements, the sweeps that reproduce them, and their comparison.
#ifndef WP_PAPERS_H
#define WP_PAPERS_H

#include "results.h"
#include "text.h"

// Selects rows of results: those whose members equal all of these that are not NULL or 0.
struct wp_paper_match {
    enum wp_row_kind kind; // a transform or a reconstruction
    const char *backend, *variant, *wavelet, *scheme, *layout;
    const char *work; // the method of a reconstruction
    const char *over; // the value is the gain over this method; NULL: it is not a gain
    const char *direction; // NULL: the mean of both directions
    const char *includes;  // "": only the transform; NULL: any
    int width, height, depth, levels, threads, rate;
};

enum wp_paper_unit { WP_PAPER_MS, WP_PAPER_STEPS, WP_PAPER_OPERATIONS, WP_PAPER_DB };

// A published value and the rows to compare with it.
struct wp_paper_row {
    const char *label;           // the paper's name: "hybrid"
    const char *hardware;        // "NVIDIA Tesla K40"
    const char *other;           // the program, if it is not part of wavepass; else NULL
    struct wp_paper_match match; // its size is printed
    double value;                // as published; 0: not published
    enum wp_paper_unit unit;
};

// A statement of a paper that one configuration is faster than another.
struct wp_paper_claim {
    const char *text;
    // Rows are compared if size, levels, direction, form, border, norm and planes are equal, and,
    // unless they are set here, threads and included transfers.
    struct wp_paper_match fast, slow;
    double least; // minimum ratio of the times, slow over fast
};

struct wp_paper {
    const char *name;         // for --paper: "quan2016-table4"
    const char *title;        // "Barina et al. 2017, Figure 7: CDF 5/3"
    const char *source;       // authors, title, year
    const char *const *sweep; // ended by NULL: options of `bench`, "-w cdf97 -b cuda -l 1"
    const char *differs;      // differences from the paper's measurements, as text
    int row_count, claim_count;
    const struct wp_paper_row *row;
    const struct wp_paper_claim *claim;
    bool transfers; // adds a table of transfers and transforms, separate and combined
};

extern const struct wp_paper wp_papers[]; // ended by a NULL name

// Finds a paper by name. NULL after WP_ERROR_USAGE with a suggestion.
const struct wp_paper *wp_paper_find(const char *name);

// Adds Markdown: the paper's values and the measured values with their ratios, missing rows with
// the reason, the paper's claims and whether the results agree, transfers, and differences from the
// paper's measurements. Page as in wp_results_markdown().
struct wp_page;
void wp_paper_compare(const struct wp_paper *paper, const struct wp_results *results,
                      struct wp_page *page, struct wp_text *text);

#endif
