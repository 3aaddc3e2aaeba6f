// Parts of `bench`, and of `compare` for its results.
#ifndef WP_BENCH_PARTS_H
#define WP_BENCH_PARTS_H

#include "bench.h"
#include "command.h"
#include "results.h"
#include "text.h"

#include <signal.h>

struct wp_bench_reconstruction;

// ---- `bench --tune`: measures schemes and variants, and stores the fastest ----

// Measures each backend, wavelet, direction and size class of the set once, prints the times and
// the selection, and replaces these entries of the device's tuning file. `timeout`: seconds after
// which one of these measurements starts no further candidate; `stop`: nonzero ends the function
// before the next one. False after WP_ERROR_FILE, WP_ERROR_USAGE for the reference and for volumes,
// or WP_ERROR_INTERNAL if no candidate was correct.
bool wp_bench_tune(const struct wp_bench_set *set, double timeout,
                   const volatile sig_atomic_t *stop);

// ---- `bench --reconstruct`: the speed and PSNR of reconstructions from undersampled k-space ----

// Values of the command line's options. They are parsed in the call and not stored.
struct wp_bench_reconstruct_axes {
    const char *methods; // list: "zero-filled", or weights "tv+0.1wav" with ":spin" or ":exact"
    const char *rates;   // list of undersampling factors, "4,8"; NULL: 4
    const char *loops;   // outer and inner iterations; NULL: "16x32"
    const char *image;   // a file, or "head"; NULL: the phantom
};

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

// ---- `compare` for two files of results, and the parts that `bench --baseline` uses ----

struct wp_compare_bench_options {
    const char *threshold, *alpha, *slower; // NULL: not given
    bool wide, missing;
};

extern const struct wp_option wp_compare_bench_table[]; // struct wp_compare_bench_options

// Compares the files that are the call's two arguments. Returns the exit code.
enum wp_error wp_compare_bench(const struct wp_call *call,
                               const struct wp_compare_bench_options *options);

// The page for output to the screen; unlimited width with --wide.
struct wp_page wp_compare_bench_page(const struct wp_compare_bench_options *options);

// Adds the comparison of two results with these names to `text`, which may be NULL, on a page as in
// wp_results_markdown(). `*failed` is true if --fail-if-slower or --fail-if-missing fails. False
// after WP_ERROR_USAGE if an option is invalid; if `base` is NULL, only the options are checked.
bool wp_compare_bench_add(const struct wp_compare_bench_options *options,
                          const struct wp_results *base, const char *base_name,
                          const struct wp_results *new, const char *new_name,
                          struct wp_page *page, struct wp_text *text, bool *failed);

#endif
