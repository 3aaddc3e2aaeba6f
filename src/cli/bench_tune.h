// `bench --tune`: measures schemes and variants for the given sizes and stores the fastest.
#ifndef WP_BENCH_TUNE_H
#define WP_BENCH_TUNE_H

#include "axes.h"

#include <signal.h>

// Measures each backend, wavelet, direction and size class of the set once, prints the times and
// the selection, and replaces these entries of the device's tuning file. `timeout`: seconds after
// which one of these measurements starts no further candidate; `stop`: nonzero ends the function
// before the next one. False after WP_ERROR_FILE, WP_ERROR_USAGE for the reference and for volumes,
// or WP_ERROR_INTERNAL if no candidate was correct.
bool wp_bench_tune(const struct wp_bench_set *set, double timeout,
                   const volatile sig_atomic_t *stop);

#endif
