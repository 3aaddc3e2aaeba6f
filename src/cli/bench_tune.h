// `bench --tune`: probes by name what other commands probe by themselves, and keeps it.
#ifndef WP_BENCH_TUNE_H
#define WP_BENCH_TUNE_H

#include "axes.h"

#include <signal.h>

// Probes each backend, wavelet, direction and class of sizes in the set once, prints what it timed
// and chose, and writes the device's file anew for those. `timeout`: seconds after which one
// probe begins no further trial; `stop`: set, ends before the next probe. False after
// WP_ERROR_FILE, WP_ERROR_USAGE for the reference, or WP_ERROR_INTERNAL where nothing came out
// right.
bool wp_bench_tune(const struct wp_bench_set *set, double timeout,
                   const volatile sig_atomic_t *stop);

#endif
