// Large levels of images as streaming strips: a few wide workgroups step down the rows
// (emit_strip.h).
#ifndef WP_STRIP_LEVELS_H
#define WP_STRIP_LEVELS_H

#include "backend.h"
#include "context.h"
#include "emit_tile.h"
#include "schedule.h"
#include "program.h"

// Minimum number of samples of a level for streaming strips by default. If the caller names the
// variant, the first level uses them regardless of size. Smaller levels use tiles, since wide
// workgroups would be too few.
#define WP_STRIPS_MIN_SAMPLES ((size_t)1 << 24)

struct wp_strip_level {
    struct wp_strip_shape shape; // {0}: not used
    int rows;            // that a workgroup writes
    struct wp_counts counts;
};

// wp_variant.supports: images with the scheme sep-lifting, not reversible, and limited support.
bool wp_compute_strips_support(const struct wp_variant *variant,
                               const struct wp_description *description, char *why,
                               size_t why_size);

// Costs per quad on a GPU without limits. False if the scheme is not supported.
bool wp_compute_strips_count(const struct wp_scheme *scheme, struct wp_counts *counts);

// Are streaming strips the default for images of this size, if supported?
bool wp_compute_strips_are_default(const struct wp_gl_info *info, int width, int height);

// Selects the shape for a level, whatever its size. False if the level transforms only one axis, or
// its size is not a multiple of the width of strips and pairs of rows.
bool wp_compute_strips_fit(const struct wp_gl_info *info, const struct wp_op *op,
                           struct wp_strip_level *level);

// Builds the program and sets level->counts. NULL after an error.
struct wp_program *wp_compute_strips_program(struct wp_gl *gl, const struct wp_op *op,
                                             struct wp_strip_level *level, bool stacked);

#endif
