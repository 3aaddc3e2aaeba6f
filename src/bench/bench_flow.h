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

// A transform of the backend cuda-gl.
struct wp_bench_map {
    struct wp_device *device;
    struct wp_device_info info;
    struct wp_description description;
    struct wp_exec *exec;
};

// Prepares a transform, which must have at least one level. False, with the reason and *map {0}, if
// CUDA and OpenGL do not share a device, or memory is exhausted.
bool wp_bench_map_create(const struct wp_description *description, struct wp_bench_map *map,
                         char *reason, size_t reason_size);
void wp_bench_map_destroy(struct wp_bench_map *map); // accepts {0}, leaves {0}

// Measures both once, in seconds of the computer's clock, with an idle GPU before each. False after
// WP_ERROR_INTERNAL.
bool wp_bench_map_run(struct wp_bench_map *map, double *mapping, double *unmapping);

#endif
