// Measures a set of configurations, with the ceilings and transfers that belong to them.
#ifndef WP_BENCH_H
#define WP_BENCH_H

#include "axes.h"
#include "gpu_state.h"
#include "results.h"
#include "statistics.h"
#include "text.h"

#include <signal.h>

struct wp_bench_params {
    struct wp_sampling sampling;
    double warm_up;      // seconds of work on a device before its first sample of each group
    bool no_verify;      // results are then marked
    bool given_order;    // samples one configuration after the other, not in turns
    unsigned seed;       // of the order
    bool no_ceilings, no_transfers;
    const struct wp_gpu_state *gpu;     // asked for throttling; may be NULL
    const volatile sig_atomic_t *stop; // set: ends early; may be NULL
    // May be NULL: what is being done, of configurations `done` of all.
    void (*progress)(int done, int count, const struct wp_row *row);
    // May be NULL: errors go to `text` until it is called with NULL.
    void (*capture)(struct wp_text *text);
};

// Adds a row for each configuration, each ceiling, and each transfer. Sets `complete` where
// nothing ended it early. False after an error that leaves a device in doubt; rows that were
// done before stay. Configurations that are too large for a device are left out with a warning
// in the log; those that verification finds wrong get a row without samples.
bool wp_bench_run(const struct wp_bench_set *set, const struct wp_bench_params *params,
                  struct wp_results *results);

// Runs every configuration once, with nothing around it: for profilers.
bool wp_bench_profile(const struct wp_bench_set *set, const struct wp_bench_params *params);

// Seconds that wp_bench_run() is likely to take at least, compiling and checking aside.
double wp_bench_estimate(const struct wp_bench_set *set, const struct wp_bench_params *params);

#endif
