// `bench --reconstruct`: measures the speed and PSNR of reconstructions from undersampled k-space.
#ifndef WP_BENCH_RECONSTRUCT_H
#define WP_BENCH_RECONSTRUCT_H

#include "axes.h"
#include "results.h"
#include "text.h"

#include <signal.h>

// Values of the command line's options. They are parsed in the call and not stored.
struct wp_bench_reconstruct_axes {
    const char *methods; // list: "zero-filled", or weights "tv+0.1wav" with ":spin" or ":exact"
    const char *rates;   // list of undersampling factors, "4,8"; NULL: 4
    const char *loops;   // outer and inner iterations; NULL: "16x32"
    const char *image;   // a file, or "head"; NULL: the phantom
};

struct wp_bench_reconstruction;

// The reconstructions to run, in this order.
struct wp_bench_reconstructions {
    int count;
    struct wp_bench_reconstruction *item;
};

// Adds every method and rate for each configuration of the set from `first` on, without duplicates.
// Only the backend, wavelet, size, levels and threads of a configuration are used. False after
// WP_ERROR_USAGE.
bool wp_bench_reconstruct_add(struct wp_bench_reconstructions *list,
                              const struct wp_bench_reconstruct_axes *axes,
                              const struct wp_bench_set *set, int first);
void wp_bench_reconstruct_free(struct wp_bench_reconstructions *list); // accepts {0}, leaves {0}

// Adds one line per reconstruction.
void wp_bench_reconstruct_describe(const struct wp_bench_reconstructions *list,
                                   const struct wp_bench_set *set, struct wp_text *text);

// Adds one row per reconstruction; those that a backend does not support are skipped with a
// warning. Sets `complete` to false if `stop` or an error ended the run. False after an error.
bool wp_bench_reconstruct_run(const struct wp_bench_reconstructions *list,
                              const struct wp_bench_set *set, const volatile sig_atomic_t *stop,
                              struct wp_results *results);

#endif
