// Measures transforms of successive images whose upload, computation and download overlap.
#ifndef WP_BENCH_FLOW_H
#define WP_BENCH_FLOW_H

#include "backend.h"

enum { WP_BENCH_FLOW_EXECS = 2 };

// True if a backend supports overlapping for a description.
bool wp_bench_flows(const struct wp_backend *backend, const struct wp_description *description);

// Transforms the planes `from` to `to` several times. `seconds` gets the mean time between the ends
// of two successive downloads; the start of the pipeline is not included. False after an error.
bool wp_bench_flow_run(const struct wp_backend *backend, struct wp_exec *const exec[],
                       const struct wp_operand *from, const struct wp_operand *to, double *seconds);

#endif
