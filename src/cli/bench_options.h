// The options of `bench`.
#ifndef WP_BENCH_OPTIONS_H
#define WP_BENCH_OPTIONS_H

#include "bench.h"
#include "bench_parts.h"
#include "command.h"

#include <stdbool.h>

struct json_t;

enum { WP_BENCH_TIMER_GPU = 1, WP_BENCH_TIMER_WALL = 2 }; // words of --timer

struct wp_bench_options {
    struct wp_bench_axes axes;
    struct wp_bench_reconstruct_axes reconstruct;
    bool plain;
    int device; // WP_DEVICE(n), or 0 for any
    const char *paper;
    const char *warm_up, *min_time, *max_noise, *timeout;
    int min_samples, runs, seed;
    int order, timer;
    const char *json, *csv, *markdown, *svg;
    bool force;
    const char *context;
    bool no_host, no_samples, no_verify, no_ceilings, no_transfers, allow_software;
    const char *baseline;
    struct wp_compare_bench_options compare;
    bool dry_run, list, profile, tune;
};

extern const struct wp_option wp_bench_options[]; // struct wp_bench_options

// False after WP_ERROR_USAGE if options exclude each other.
bool wp_bench_options_check(const struct wp_bench_options *options);

// Sets the parameters of a run that are options. False after WP_ERROR_USAGE.
bool wp_bench_options_params(const struct wp_bench_options *options,
                             struct wp_bench_params *params);

// Sets `*user`, which the caller releases, to an object with the pairs of --context. False after
// WP_ERROR_USAGE.
bool wp_bench_options_context(const struct wp_bench_options *options, struct json_t **user);

#endif
