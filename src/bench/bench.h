// Measures a set of configurations, with their ceilings and transfers.
#ifndef WP_BENCH_H
#define WP_BENCH_H

#include "axes.h"
#include "registry.h"
#include "results.h"
#include "text.h"

#include <signal.h>
#include <stdbool.h>

struct wp_gpu_state;
struct json_t;

// ---- the machine, as the object `environment` of docs/benchmarking.md (environment.c) ----

struct wp_environment_params {
    struct json_t *tool, *user; // the object gets references to them
    int argc; // arguments after "wavepass bench"
    const char *const *argv;
    bool no_host;
    unsigned seed;
    int backend_count;
    struct wp_backend_choice *const *backend;
    const struct wp_gpu_state *gpu; // may be NULL
};

// Returns a new object; the caller releases the reference.
struct json_t *wp_environment(const struct wp_environment_params *params);

// Finds the first GPU whose name is part of one of the devices' names, and stores its state. NULL
// if there is none or NVML is not available.
struct wp_gpu_state *wp_gpu_state_open(const char *const devices[], int count);
void wp_gpu_state_close(struct wp_gpu_state **state); // accepts NULL, clears the pointer

// True if the GPU lowers its clocks because of temperature or an external signal. Accepts NULL.
bool wp_gpu_state_throttled(const struct wp_gpu_state *state);

// ---- the run ----

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
