// `compare` for two files of benchmark results, and the parts that `bench --baseline` uses.
#ifndef WP_COMPARE_BENCH_H
#define WP_COMPARE_BENCH_H

#include "command.h"
#include "results.h"
#include "table.h"

struct wp_compare_bench_options {
    const char *threshold, *alpha, *slower; // NULL: not given
    bool wide, missing;
};

extern const struct wp_option wp_compare_bench_table[]; // struct wp_compare_bench_options

// Compares the files that are the call's two arguments. Returns the exit code.
enum wp_error wp_compare_bench(const struct wp_call *call,
                               const struct wp_compare_bench_options *options);

// The page for output to the screen; unlimited width with --wide.
struct wp_page wp_compare_bench_page(const struct wp_compare_bench_options *options);

// Adds the comparison of two results with these names to `text`, which may be NULL, on a page as in
// wp_results_markdown(). `*failed` is true if --fail-if-slower or --fail-if-missing fails. False
// after WP_ERROR_USAGE if an option is invalid; if `base` is NULL, only the options are checked.
bool wp_compare_bench_add(const struct wp_compare_bench_options *options,
                          const struct wp_results *base, const char *base_name,
                          const struct wp_results *new, const char *new_name,
                          struct wp_page *page, struct wp_text *text, bool *failed);

#endif
