// Compares two benchmark results: ratios of times with confidence intervals, and differences of the
// environment.
#ifndef WP_BENCH_COMPARE_H
#define WP_BENCH_COMPARE_H

#include "results.h"
#include "statistics.h"
#include "text.h"

struct wp_comparison_params {
    double alpha;     // significance level: intervals have confidence 1 - alpha
    double threshold; // relative difference considered negligible
};

// A configuration that both results have.
struct wp_comparison_pair {
    const struct wp_row *base, *new;
    // From the raw samples. If one result has none or the timers differ, the ratio of the medians,
    // which may be NaN, without an interval and UNDECIDED.
    struct wp_ratio ratio;
};

struct wp_comparison_difference {
    char *key;        // in the environment: "gl.renderer"
    char *base, *new; // values as JSON; "none" if there is no such member
};

struct wp_comparison {
    struct wp_comparison_params params;
    const struct wp_results *base, *new; // must outlive this
    int difference_count, pair_count, only_base_count, only_new_count;
    struct wp_comparison_difference *difference;
    struct wp_comparison_pair *pair;             // in the order of `new`
    const struct wp_row **only_base, **only_new; // configurations that only one result has
    int verdicts[WP_VERDICT_COUNT];              // number of pairs with each verdict
};

// Compares two results. Rows are the same configuration if all keys are equal (results.h); the
// device is not a key. Differences of the environment do not include members that differ between
// any two runs: date, arguments, seed, load, clocks and temperature.
void wp_comparison_create(const struct wp_results *base, const struct wp_results *new,
                          const struct wp_comparison_params *params,
                          struct wp_comparison *comparison);
void wp_comparison_free(struct wp_comparison *comparison); // accepts {0}, leaves {0}

// The number of pairs of transforms, transfers and reconstructions with samples in both results, and the
// number of those whose ratio is above 1 + part with confidence. Ceilings do not count, since they depend only on the
// machine.
int wp_comparison_pairs(const struct wp_comparison *comparison);
int wp_comparison_slower(const struct wp_comparison *comparison, double part);

// Adds differences of the environment, a Markdown table of the pairs, configurations that only one
// result has, and the number of each verdict. The names are those of the two results. Page as in
// wp_results_markdown().
struct wp_page;
void wp_comparison_markdown(const struct wp_comparison *comparison, const char *base_name,
                            const char *new_name, struct wp_page *page, struct wp_text *text);

// Returns {"threshold", "alpha", "ceilings_differ", "base_complete", "new_complete",
// "environment": [{"key", "base", "new"}], "rows": [{"kind", the keys, "base_ns", "new_ns",
// "ratio", "low", "high", "verdict", "marks"}], "only_base", "only_new",
// "verdicts": {"SAME": n, …}}. The caller releases the reference.
json_t *wp_comparison_json(const struct wp_comparison *comparison);

#endif
