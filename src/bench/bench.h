// Measures a set of configurations, with their ceilings and transfers.
#ifndef WP_BENCH_H
#define WP_BENCH_H

#include "axes.h"
#include "environment.h"
#include "results.h"
#include "statistics.h"
#include "text.h"

#include <signal.h>

struct wp_bench_params {
    struct wp_sampling sampling;
    double warm_up;      // seconds before the first sample of each group
    bool no_verify;      // rows are then marked UNVERIFIED
    bool given_order;    // samples one configuration after the other, not interleaved
    unsigned seed;       // of the random order
    bool no_ceilings, no_transfers;
    const struct wp_gpu_state *gpu;    // detects throttling; may be NULL
    const volatile sig_atomic_t *stop; // a nonzero value ends the run; may be NULL
    // Called when configuration number `done` of `count` is prepared and verified. May be NULL.
    void (*progress)(int done, int count, const struct wp_row *row);
    // Redirects error messages to `text`, until it is called with NULL. May be NULL.
    void (*capture)(struct wp_text *text);
};

// Adds a row for each configuration, ceiling and transfer. Sets `complete` unless the run ended
// early. Configurations that are too large or not available on a device are skipped with a warning;
// those that fail verification get a row without samples. False after any other error; the rows up
// to then remain.
bool wp_bench_run(const struct wp_bench_set *set, const struct wp_bench_params *params,
                  struct wp_results *results);

// Runs every configuration once without measuring, for profilers. False after an error.
bool wp_bench_profile(const struct wp_bench_set *set, const struct wp_bench_params *params);

// An estimate of the minimum duration of wp_bench_run() in seconds, without compiling and
// verifying.
double wp_bench_estimate(const struct wp_bench_set *set, const struct wp_bench_params *params);

#endif
