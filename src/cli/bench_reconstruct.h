// `bench --reconstruct`: images from a part of their k-space, how near they come and how fast.
#ifndef WP_BENCH_RECONSTRUCT_H
#define WP_BENCH_RECONSTRUCT_H

#include "axes.h"
#include "results.h"
#include "text.h"

#include <signal.h>

// As on the command line. Texts are read at once and not kept.
struct wp_bench_reconstruct_axes {
    const char *ways;  // "zero-filled", or weights as "tv+0.1wav", with ":spin" or ":exact"
    const char *rates; // of samples, "4,8"; NULL: 4
    const char *loops; // "16x32", outer and inner ones; NULL: that
    const char *image; // a file, or "head"; NULL: the phantom
};

struct wp_bench_reconstruction;

// What is to be reconstructed, in that order.
struct wp_bench_reconstructions {
    int count;
    struct wp_bench_reconstruction *item;
};

// Adds every way and rate of the configurations from `first` on, whose backends, wavelets, sizes,
// levels and threads count, without what is in the list already. False after WP_ERROR_USAGE.
bool wp_bench_reconstruct_add(struct wp_bench_reconstructions *list,
                              const struct wp_bench_reconstruct_axes *axes,
                              const struct wp_bench_set *set, int first);
void wp_bench_reconstruct_free(struct wp_bench_reconstructions *list); // accepts {0}, leaves {0}

// A line for each.
void wp_bench_reconstruct_describe(const struct wp_bench_reconstructions *list,
                                   const struct wp_bench_set *set, struct wp_text *text);

// Adds a row for each; what a backend cannot do is left out with a warning. Sets `complete` where
// `stop` did not end it early. False after an error.
bool wp_bench_reconstruct_run(const struct wp_bench_reconstructions *list,
                              const struct wp_bench_set *set, const volatile sig_atomic_t *stop,
                              struct wp_results *results);

#endif
