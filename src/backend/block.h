// Fragment programs that run all passes of a level on blocks of quads, for the fragment backend.
// A draw wants the context to be current.
#ifndef WP_BLOCK_H
#define WP_BLOCK_H

#include "emit_tile.h"
#include "program.h"
#include "surfaces.h"

struct wp_block {
    int columns, rows; // quads that a fragment writes, even
    bool store;        // by imageStore; else 2x2 into four attachments
    bool pairs;        // neighbours along x share their fetches
};

// The programs of an operation: inside, and at the borders.
struct wp_block_programs {
    struct wp_program *inside, *border;
};

// False where a fragment cannot hold what a plan's levels need of a block.
bool wp_block_supports(const struct wp_block *block, const struct wp_plan *plan, char *why,
                       size_t why_size);

// False where the context cannot write them.
bool wp_block_runs_on(const struct wp_block *block, const struct wp_gl_info *info, char *why,
                      size_t why_size);

// The plan to be executed, of the transform of `plan`. As wp_plan_create_tiled().
struct wp_plan *wp_block_plan(const struct wp_block *block, const struct wp_plan *plan);

// What a fragment does for a quad of a level of such a plan, by its scheme.
struct wp_counts wp_block_counts(const struct wp_block *block, const struct wp_scheme *scheme);

// NULL members after the error of wp_program_get().
struct wp_block_programs wp_block_get(const struct wp_block *block, struct wp_gl *gl,
                                      const struct wp_op *op,
                                      const struct wp_plan_params *params);

// Runs an operation; `primes`: on one block only, by both programs.
void wp_block_draw(const struct wp_block *block, struct wp_gl *gl, const struct wp_op *op,
                   const struct wp_block_programs *programs, const struct wp_surfaces *surfaces,
                   bool primes);

#endif
