// `compare` for two files of benchmark results, and what `bench --baseline` shares with it.
#ifndef WP_COMPARE_BENCH_H
#define WP_COMPARE_BENCH_H

#include "command.h"

struct wp_compare_bench_options {
    const char *threshold, *alpha, *slower; // NULL: not given
};

extern const struct wp_option wp_compare_bench_table[]; // struct wp_compare_bench_options

// The call's two arguments are the files. Returns the exit code.
enum wp_error wp_compare_bench(const struct wp_call *call,
                               const struct wp_compare_bench_options *options);

#endif
