// Passes of redundant banks on planes of samples: a dispatch per pass, an invocation per sample.
#ifndef WP_REDUNDANT_PASSES_H
#define WP_REDUNDANT_PASSES_H

#include "planes.h"
#include "program.h"

// Both require the context to be current. The program is NULL after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL. `all`: all workgroups, or one to compile the program.
struct wp_program *wp_compute_redundant_program(struct wp_gl *gl, const struct wp_schedule *schedule,
                                                const struct wp_op *op);
void wp_compute_redundant_dispatch(struct wp_program *program, const struct wp_planes *planes,
                                   const struct wp_op *op, bool all);

#endif
