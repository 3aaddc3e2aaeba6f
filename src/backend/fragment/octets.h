// Passes, gathers and spreads of octets: operations of a volume's schedule, for the fragment
// backend. Draws require the context to be current.
#ifndef WP_OCTETS_H
#define WP_OCTETS_H

#include "program.h"
#include "surfaces.h"

// The program of an operation. NULL after an error of wp_program_get().
struct wp_program *wp_octets_get(struct wp_gl *gl, const struct wp_op *op,
                                 const struct wp_description *description);

// Runs an operation in one draw. `primes`: draws one octet.
void wp_octets_draw(const struct wp_op *op, struct wp_program *program,
                    const struct wp_surfaces *surfaces, bool primes);

#endif
