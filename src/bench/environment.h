// Describes the machine and the run of a benchmark: the object `environment` of
// docs/benchmarking.md.
#ifndef WP_ENVIRONMENT_H
#define WP_ENVIRONMENT_H

#include "registry.h"

#include <stdbool.h>

struct wp_gpu_state;
struct json_t;

struct wp_environment_params {
    struct json_t *tool, *user; // the object gets references to them
    int argc; // arguments after "wavepass bench"
    const char *const *argv;
    bool no_host;
    unsigned seed;
    int backend_count;
    struct wp_backend_choice *const *backend;
    const struct wp_gpu_state *gpu; // may be NULL
};

// Returns a new object; the caller releases the reference.
struct json_t *wp_environment(const struct wp_environment_params *params);

// Finds the first GPU whose name is part of one of the devices' names, and stores its state. NULL
// if there is none or NVML is not available.
struct wp_gpu_state *wp_gpu_state_open(const char *const devices[], int count);
void wp_gpu_state_close(struct wp_gpu_state **state); // accepts NULL, clears the pointer

// True if the GPU lowers its clocks because of temperature or an external signal. Accepts NULL.
bool wp_gpu_state_throttled(const struct wp_gpu_state *state);

#endif
