// How an item is run, and what its row says about it before it runs.
#ifndef WP_BENCH_ROW_H
#define WP_BENCH_ROW_H

#include "bench_item.h"

// Configurations of ceilings are NULL.

static inline bool wp_bench_overlaps(const struct wp_bench_config *config)
{
    return config && config->includes & WP_INCLUDE_OVERLAPPED;
}

static inline bool wp_bench_is_plan(const struct wp_bench_config *config)
{
    return config && !wp_description_is_native(&config->params);
}

static inline bool wp_bench_is_tiled(const struct wp_bench_config *config)
{
    return config && config->includes & WP_INCLUDE_TILED;
}

// Batches in the host's memory are timed as one call in the caller's memory, because the backend
// transforms them in another way than a copy that it loads.
static inline bool wp_bench_is_call(const struct wp_bench_config *config)
{
    return config && config->batch && !config->includes && config->backend->backend->transform;
}

// Whether the computer's clock times it, not that of the device.
static inline bool wp_bench_is_by_wall(const struct wp_bench_config *config)
{
    return config && (config->includes || config->wall || wp_bench_is_plan(config));
}

// Sets the number of threads of a backend until it is called with 0, the default.
static inline void wp_bench_choose_threads(const struct wp_backend_choice *on, int threads)
{
    if (on->backend->set_threads)
        on->backend->set_threads(on->device, threads);
}

// Sets the backend, its device and its timer.
void wp_bench_row_backend(struct wp_bench_item *item, const struct wp_bench_config *config);

// Sets the sizes of the image or volume, and of the batch.
void wp_bench_row_size(struct wp_row *row, const struct wp_bench_config *config);

// Sets all of a transform, also the timer of its configuration.
void wp_bench_row_transform(struct wp_bench_item *item, const struct wp_bench_config *config);

// Sets the members that rows of transfers have in common, for a transform of these parameters.
void wp_bench_row_transfer(struct wp_bench_item *item, const struct wp_bench_config *config,
                           enum wp_bench_act act);

#endif
