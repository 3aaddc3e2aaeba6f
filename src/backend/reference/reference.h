// The reference backend: interprets passes in double precision, with one thread. Other backends are
// compared with it.
#ifndef WP_REFERENCE_H
#define WP_REFERENCE_H

#include "backend.h"
#include "schedule.h"

extern const struct wp_backend wp_backend_reference;

// The content of a surface while a schedule runs.
struct wp_pass_state {
    const struct wp_op *op; // that wrote it; NULL: loaded by the first transfer
    struct wp_rect domain;
    const float *quads;     // of the domain, row by row; valid during the callback
    double seconds;         // of the operation
};

// False aborts.
typedef bool (*wp_watch)(void *user, const struct wp_pass_state *state);

// Runs a schedule of passes on a plane and calls `watch` with the loaded quads and with the output
// of each operation. The input of an operation is among these, except for the details in the
// destination of WP_OP_SPREAD. False if `watch` returns false or memory is exhausted.
bool wp_reference_watch(const struct wp_schedule *schedule, const float *plane, wp_watch watch,
                        void *user);

#endif
