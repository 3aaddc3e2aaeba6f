// What the planners share.
#ifndef WP_PLAN_INTERNAL_H
#define WP_PLAN_INTERNAL_H

#include "plan.h"

// Geometry of one level.
struct wp_plan_level {
    int number;
    int width, height;           // samples
    const struct wp_scheme *scheme; // NULL: of slices that the level does not take apart
    struct wp_rect output;       // quads
    struct wp_rect input;        // quads with margin
    struct wp_rect domain[WP_PASSES_MAX]; // of each pass
    // Volumes: the same along z.
    int depth;
    struct wp_span output_z, input_z, domain_z[WP_PASSES_MAX];
    unsigned split; // axes that it takes apart, bit a for axis a
};

// Fills a plan whose levels are made.
typedef void (*wp_planner)(struct wp_plan *plan, struct wp_plan_level *levels);

// A plan of nothing yet, with a description of its own. NULL after an error.
struct wp_plan *wp_plan_begin(const struct wp_description *description);

// A plan by a planner for each direction. `octets`: the schemes of a volume's levels are over
// octets; else of slices.
struct wp_plan *wp_plan_make(const struct wp_description *description, bool octets,
                             wp_planner forward, wp_planner inverse);

// A surface at least as large as a level's input with its margin. Quad (0, 0) of every level
// lies at (-input.x, -input.y) of such a surface.
void wp_plan_enlarge(struct wp_surface *surface, struct wp_rect input);
void wp_plan_deepen(struct wp_surface *surface, struct wp_span input);

// The quads of a level that lie wholly inside its samples.
struct wp_rect wp_plan_full_quads(const struct wp_plan_level *level);

struct wp_op *wp_plan_add_op(struct wp_plan *plan, enum wp_op_kind kind,
                             const struct wp_plan_level *level);

// An operation that computes the whole of a level, which has no margin then.
struct wp_op *wp_plan_add_level_op(struct wp_plan *plan, struct wp_plan_level *level);

// A port of the plan that loads, or one that stores.
struct wp_transfer *wp_plan_add_transfer(struct wp_plan *plan, bool loads,
                                 const struct wp_plan_level *level, int surface,
                                 struct wp_rect domain);

// Has a port exchange coefficients of a level, or for level 0 the samples.
void wp_transfer_set_level(const struct wp_description *description, struct wp_transfer *transfer, int level);

#endif
