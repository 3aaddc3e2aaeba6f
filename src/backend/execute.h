// Executes transforms: a prepared description on the caller's memory.
#ifndef WP_EXECUTE_H
#define WP_EXECUTE_H

#include "backend.h"

// Seconds per phase. Load and store are 0 for backends that work directly on the caller's memory.
struct wp_exec_seconds {
    double load, run, store;
};

// Transforms all planes of a prepared description. `from` and `to` may be the same memory.
// `seconds` (or NULL) is increased by the time of this call.
bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_operand *from, const struct wp_operand *to,
                       struct wp_exec_seconds *seconds);

#endif
