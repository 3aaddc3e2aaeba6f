// Combinations of values of the axes that cannot be measured.
#ifndef WP_AXIS_SUPPORT_H
#define WP_AXIS_SUPPORT_H

#include "bench.h"

// Counts a skipped combination; the set keeps the reason of the first one. Returns false.
WP_PRINTF(2, 3)
bool wp_bench_skip(struct wp_bench_set *set, const char *format, ...);

// Whether size, backend, variant and inclusions support the configuration; else it is skipped.
bool wp_bench_supports(struct wp_bench_set *set, const struct wp_bench_config *config);

// What a reversible transform requires in addition.
bool wp_bench_supports_reversible(struct wp_bench_set *set, const struct wp_bench_config *config);

#endif
