// Levels of redundant banks of images in one dispatch: workgroups step down the rows
// (shaders/bank_rows.glsl).
#ifndef WP_BANK_ROWS_H
#define WP_BANK_ROWS_H

#include "planes.h"
#include "program.h"

// wp_variant.supports: images with levels along x and y by convolutions, with filters whose rows
// fit into registers.
bool wp_compute_bank_rows_support(const struct wp_description *description, char *why,
                                  size_t why_size);

// False for levels that are passes: with taps too far apart for shared memory, and adjoints of the
// starlet or with symmetric borders.
bool wp_compute_bank_rows_fit(const struct wp_description *description, int dilation);

// Both require the context to be current. `op`: the first of the level, whose number of operations
// is that of the passes of its scheme. The program is NULL after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL. `all`: all workgroups, or one to compile the program.
struct wp_program *wp_compute_bank_rows_program(struct wp_gl *gl,
                                                const struct wp_schedule *schedule,
                                                const struct wp_op *op);
void wp_compute_bank_rows_dispatch(struct wp_program *program, const struct wp_planes *planes,
                                   const struct wp_op *op, bool all);

#endif
