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

// Any description, prepared as one or two dyadic ones (wp_description_chain()). The first one reads
// the input operand and writes the output operand; the second one works in place on the output. If
// there are two, the one along z is split into slabs of rows, since rows are independent: a
// transform in place then copies at most one slab.
//
// If the backend does not support an element type, or the sequence has two descriptions, samples
// and coefficients are converted from and to floats in buffers of this struct.
struct wp_exec_chain {
    const struct wp_backend *backend;
    struct wp_description description;
    float *samples, *coefficients; // NULL: no conversion
    int count; // 0: nothing is prepared
    struct wp_exec_chain_part {
        struct wp_description description; // of `slabs` slabs of rows, the first one at `row`
        struct wp_exec *exec;
        int row, slabs;
        bool first; // reads the input operand
    } part[2 * WP_CHAIN_MAX];
};

// Like the backend's prepare(). Releases everything if it fails.
bool wp_exec_chain_prepare(struct wp_exec_chain *chain, const struct wp_backend *backend,
                           struct wp_device *device, const struct wp_description *description,
                           const struct wp_variant *variant);
void wp_exec_chain_release(struct wp_exec_chain *chain); // accepts {0}

// Like wp_exec_transform() and the backend's transform_device().
bool wp_exec_chain_transform(const struct wp_exec_chain *chain, const struct wp_operand *from,
                             const struct wp_operand *to, struct wp_exec_seconds *seconds);
bool wp_exec_chain_transform_device(const struct wp_exec_chain *chain,
                                    const struct wp_operand *from, const struct wp_operand *to,
                                    void *stream);

struct wp_execute {
    const struct wp_backend *backend;
    struct wp_device *device;         // NULL: any, opened and closed by the call
    const struct wp_variant *variant; // NULL: default
};

// Prepares a description and transforms `count` images.
bool wp_execute(const struct wp_execute *execute, const struct wp_description *description,
                int count, const float *const from[], float *const to[]);

#endif
