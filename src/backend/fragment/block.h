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
    bool shares;       // 2x2 fragments share their fetches
};

// The programs of an operation: inside, and at the borders; and what they do for a quad.
struct wp_block_programs {
    struct wp_program *inside, *border;
    struct wp_counts counts;
    struct wp_reach loads; // wp_tile_counts
};

// As the members of struct wp_variant, of one whose `own` is a struct wp_block: false where a
// fragment cannot hold what a level needs of a block, or the context cannot write them; what a
// fragment does for a quad.
bool wp_block_supports(const struct wp_variant *variant, const struct wp_description *description,
                       char *why, size_t why_size);
bool wp_block_runs_on(const struct wp_variant *variant, const struct wp_device *device, char *why,
                      size_t why_size);
struct wp_counts wp_block_counts(const struct wp_variant *variant, const struct wp_scheme *scheme);

// The plan to be executed. As wp_plan_tiled().
struct wp_plan *wp_block_plan(const struct wp_block *block,
                              const struct wp_description *description);

// NULL programs after the error of wp_program_get().
struct wp_block_programs wp_block_get(const struct wp_block *block, struct wp_gl *gl,
                                      const struct wp_op *op,
                                      const struct wp_description *description);

// Runs an operation, of a volume on half of its slices in each draw; `primes`: on one block only, by both
// programs.
void wp_block_draw(const struct wp_block *block, struct wp_gl *gl, const struct wp_op *op,
                   const struct wp_block_programs *programs, const struct wp_surfaces *surfaces,
                   bool primes);

#endif
