// The double precision interpreter of passes, one thread: every other backend's measure.
#ifndef WP_REFERENCE_H
#define WP_REFERENCE_H

#include "backend.h"
#include "plan.h"

extern const struct wp_backend wp_backend_reference;

// What is on a surface of a running plan.
struct wp_pass_state {
    const struct wp_op *op; // that wrote it; NULL: what was loaded through the first load port
    struct wp_rect domain;
    const float *quads;     // of the domain, row by row; valid during the call
    double seconds;         // that the operation took, by the clock
};

// False ends the run.
typedef bool (*wp_watch)(void *user, const struct wp_pass_state *state);

// Runs a plan of passes on the plane, and shows what was loaded and what each operation has
// written. What an operation reads is what was shown before it, but for the details that
// WP_OP_SPREAD finds in its destination. False where `watch` returns false or memory lacks.
bool wp_reference_watch(const struct wp_plan *plan, const float *plane, wp_watch watch,
                        void *user);

#endif
