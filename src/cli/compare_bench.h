// `compare` for two files of benchmark results, and what `bench --baseline` shares with it.
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

// The call's two arguments are the files. Returns the exit code.
enum wp_error wp_compare_bench(const struct wp_call *call,
                               const struct wp_compare_bench_options *options);

// What goes to the screen: with --wide of any width.
struct wp_page wp_compare_bench_page(const struct wp_compare_bench_options *options);

// Adds the comparison of two results, which the names stand for, to `text`, NULL for none, on a page
// as in wp_results_markdown(); `*failed`: what --fail-if-slower or --fail-if-missing asks. False
// after WP_ERROR_USAGE, which does not depend on the results: with NULL for `base` only the options
// are checked.
bool wp_compare_bench_add(const struct wp_compare_bench_options *options,
                          const struct wp_results *base, const char *base_name,
                          const struct wp_results *new, const char *new_name,
                          struct wp_page *page, struct wp_text *text, bool *failed);

#endif
