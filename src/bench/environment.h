// Describes the machine and the run of a benchmark: the object `environment` of
// docs/benchmarking.md.
#ifndef WP_ENVIRONMENT_H
#define WP_ENVIRONMENT_H

#include "registry.h"
#include "gpu_state.h"

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

#endif
