// Transforms of one shape one after another, each on its way to the device, on it or on its way
// back while the others are.
#ifndef WP_BENCH_FLOW_H
#define WP_BENCH_FLOW_H

#include "backend.h"

enum { WP_BENCH_FLOW_EXECS = 2 };

// Whether a backend can have them so.
bool wp_bench_flows(const struct wp_backend *backend, const struct wp_description *description);

// All of the planes `from`, to `to`. `seconds` gets the time from one that is back to the next: that
// in which the first is there alone is not part of it. False after an error.
bool wp_bench_flow_run(const struct wp_backend *backend, struct wp_exec *const exec[],
                       const struct wp_operand *from, const struct wp_operand *to, double *seconds);

#endif
