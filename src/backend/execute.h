// A transform from end to end, for those who want its result and nothing between.
#ifndef WP_EXECUTE_H
#define WP_EXECUTE_H

#include "backend.h"

// Where the time of a transform goes. A backend that works where the caller's memory lies has no
// way to its device and back.
struct wp_exec_seconds {
    double load, run, store;
};

// What was made ready, on planes of a caller's memory, which may be the same on both sides.
// `seconds` (may be NULL) get this transform's added.
bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_operand *from, const struct wp_operand *to,
                       struct wp_exec_seconds *seconds);

// Any description made ready: the dyadic ones that it amounts to (wp_description_chain()), of
// which the later ones go from where it comes out to the same place. What has levels along z alone
// goes through in bands of rows, the last of which may have fewer: so nobody copies more than such a
// band where the two sides are the same.
//
// Samples and coefficients of a type that the backend does not take, or of what comes in two
// descriptions, become floats, or are made of them, in memory that is kept for it here.
struct wp_exec_chain {
    const struct wp_backend *backend;
    struct wp_description whole;
    float *samples, *coefficients; // NULL: they stay what they are
    int count; // 0: nothing is ready
    struct wp_exec_chain_part {
        struct wp_description description; // of `slabs` bands of rows, the first of them at `row`
        struct wp_exec *exec;
        int row, slabs;
        bool first; // it goes from where it goes in
    } stage[2 * WP_CHAIN_MAX];
};

// As the backend's prepare(). Nothing is left behind where it fails.
bool wp_exec_chain_prepare(struct wp_exec_chain *chain, const struct wp_backend *backend,
                       struct wp_device *device, const struct wp_description *description,
                       const struct wp_variant *variant);
void wp_exec_chain_release(struct wp_exec_chain *chain); // of nothing, too

// As wp_exec_transform(), and as the backend's transform_device().
bool wp_exec_chain_transform(const struct wp_exec_chain *chain, const struct wp_operand *from,
                         const struct wp_operand *to, struct wp_exec_seconds *seconds);
bool wp_exec_chain_transform_device(const struct wp_exec_chain *chain, const struct wp_operand *from,
                               const struct wp_operand *to, void *stream);

struct wp_execute {
    const struct wp_backend *backend;
    struct wp_device *device;         // NULL: any, opened and closed again
    const struct wp_variant *variant; // NULL: the backend's choice
};

// Open, prepare, and for each of `count` images load, run and store; release and close.
bool wp_execute(const struct wp_execute *once, const struct wp_description *description, int count,
             const float *const from[], float *const to[]);

#endif
