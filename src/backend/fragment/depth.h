// The steps along z of a tiled plan of a volume, for the fragment backend. A draw wants the context
// to be current.
#ifndef WP_DEPTH_H
#define WP_DEPTH_H

#include "program.h"
#include "surfaces.h"

// The program of an operation, and what it does for each quad that it writes. NULL after the error
// of wp_program_get().
struct wp_program *wp_depth_get(struct wp_gl *gl, const struct wp_description *description,
                                struct wp_counts *counts);

// Runs an operation, all slices inside in a draw and the others two by two; `primes`: one texel alone.
void wp_depth_draw(const struct wp_op *op, struct wp_program *program,
                   const struct wp_surfaces *surfaces, bool primes);

#endif
