// Fragment programs that run all passes of a level on blocks of quads, for the fragment backend.
// Draws require the context to be current.
#ifndef WP_BLOCK_H
#define WP_BLOCK_H

#include "emit_tile.h"
#include "program.h"
#include "surfaces.h"

struct wp_block {
    int columns, rows; // quads that a fragment writes; even numbers
    bool store;        // writes with imageStore; else 2x2 quads to four attachments
    bool shares;       // 2x2 fragments share fetches through derivatives
};

// The programs of an operation, without and with border handling, and their costs per quad.
struct wp_block_programs {
    struct wp_program *inside, *border;
    struct wp_counts counts;
    struct wp_reach loads; // wp_tile_counts
};

// The members of struct wp_variant, for private_data of type struct wp_block. A fragment must be
// able to hold the input of a block, and the context to write its output.
bool wp_block_supports(const struct wp_variant *variant, const struct wp_description *description,
                       char *why, size_t why_size);
bool wp_block_runs_on(const struct wp_variant *variant, const struct wp_device *device, char *why,
                      size_t why_size);
struct wp_counts wp_block_counts(const struct wp_variant *variant, const struct wp_scheme *scheme);

// wp_schedule_tiled() for a block.
struct wp_schedule *wp_block_schedule(const struct wp_block *block,
                              const struct wp_description *description);

// The programs are NULL after an error of wp_program_get().
struct wp_block_programs wp_block_get(const struct wp_block *block, struct wp_gl *gl,
                                      const struct wp_op *op,
                                      const struct wp_description *description);

// Runs an operation, for volumes in two draws for even and odd slices. `primes`: draws only one
// block with each program, to compile them.
void wp_block_draw(const struct wp_block *block, struct wp_gl *gl, const struct wp_op *op,
                   const struct wp_block_programs *programs, const struct wp_surfaces *surfaces,
                   bool primes);

#endif
