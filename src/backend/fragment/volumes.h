// The steps along z of a tiled schedule of a volume, and passes, gathers and spreads of octets.
// Draws require the context to be current.
#ifndef WP_FRAGMENT_VOLUMES_H
#define WP_FRAGMENT_VOLUMES_H

#include "program.h"
#include "surfaces.h"

// The program of an operation, and its costs per quad written. NULL after an error of
// wp_program_get().
struct wp_program *wp_depth_get(struct wp_gl *gl, const struct wp_description *description,
                                struct wp_counts *counts);

// Runs an operation: interior slices in one draw, the others in pairs. `primes`: draws one texel.
void wp_depth_draw(const struct wp_op *op, struct wp_program *program,
                   const struct wp_surfaces *surfaces, bool primes);

// The program of an operation. NULL after an error of wp_program_get().
struct wp_program *wp_octets_get(struct wp_gl *gl, const struct wp_op *op,
                                 const struct wp_description *description);

// Runs an operation in one draw. `primes`: draws one octet.
void wp_octets_draw(const struct wp_op *op, struct wp_program *program,
                    const struct wp_surfaces *surfaces, bool primes);

#endif
