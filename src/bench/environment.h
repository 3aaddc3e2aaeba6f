// Where and how a benchmark ran: the object `environment` of docs/benchmarking.md.
#ifndef WP_ENVIRONMENT_H
#define WP_ENVIRONMENT_H

#include "registry.h"
#include "gpu_state.h"

struct json_t;

struct wp_environment_params {
    struct json_t *tool, *user; // kept by reference
    int argc; // behind "wavepass bench"
    const char *const *argv;
    bool no_host;
    unsigned seed;
    int backend_count;
    struct wp_backend_choice *const *backend;
    const struct wp_gpu_state *gpu; // may be NULL
};

// The caller's.
struct json_t *wp_environment(const struct wp_environment_params *params);

#endif
