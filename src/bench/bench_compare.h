// Two files of results side by side: what is the same, faster or slower, and what else differed.
#ifndef WP_BENCH_COMPARE_H
#define WP_BENCH_COMPARE_H

#include "results.h"
#include "statistics.h"
#include "text.h"

struct wp_comparison_params {
    double alpha;     // the intervals hold with probability 1 - alpha: 0.01
    double threshold; // what is too little to matter: 0.02
};

// A configuration that both have.
struct wp_comparison_pair {
    const struct wp_row *base, *new;
    // From the raw samples. Where one side has none, or the timers differ: the ratio of the
    // medians, which may be NaN, without an interval, UNDECIDED.
    struct wp_ratio ratio;
};

struct wp_comparison_difference {
    char *key;          // of the environment: "gl.renderer"
    char *base, *new; // its values, as JSON; "none" where it has no such member
};

struct wp_comparison {
    struct wp_comparison_params params;
    const struct wp_results *base, *new; // must outlive this
    int difference_count, pair_count, only_base_count, only_new_count;
    struct wp_comparison_difference *difference;
    struct wp_comparison_pair *pair;                  // in the order of `new`
    const struct wp_row **only_base, **only_new; // configurations that the other lacks
    int verdicts[WP_VERDICT_COUNT];              // how many pairs of each
};

// Rows are the same configuration where they agree in every key (row_key.h); the device is no
// key. Left out of the environment's differences is what differs between any two runs: date,
// arguments, seed, load, clocks and temperature.
void wp_comparison_create(const struct wp_results *base, const struct wp_results *new,
                          const struct wp_comparison_params *params,
                          struct wp_comparison *comparison);
void wp_comparison_free(struct wp_comparison *comparison); // accepts {0}, leaves {0}

// How many transforms and transfers both have, and how many of them took more than 1 + part times
// as long, with confidence. Ceilings don't count: they are the machine's.
int wp_comparison_pairs(const struct wp_comparison *comparison);
int wp_comparison_slower(const struct wp_comparison *comparison, double part);

// Differences of the environment first, then a Markdown table of the pairs, what only one has,
// and a line that counts the verdicts. The names stand for the two. Page as in
// wp_results_markdown().
struct wp_page;
void wp_comparison_markdown(const struct wp_comparison *comparison, const char *base_name,
                            const char *new_name, struct wp_page *page, struct wp_text *text);

// {"threshold", "alpha", "ceilings_differ", "base_complete", "new_complete",
// "environment": [{"key", "base", "new"}], "rows": [{"kind", the keys, "base_ns", "new_ns",
// "ratio", "low", "high", "verdict", "marks"}], "only_base", "only_new",
// "verdicts": {"SAME": n, …}}; the caller's.
json_t *wp_comparison_json(const struct wp_comparison *comparison);

#endif
