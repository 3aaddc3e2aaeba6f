// Functions shared by the planners.
#ifndef WP_PLAN_INTERNAL_H
#define WP_PLAN_INTERNAL_H

#include "plan.h"

// Geometry of one level.
struct wp_plan_level {
    int number;
    int width, height;           // samples
    const struct wp_scheme *scheme; // NULL: transforms neither x nor y of slices
    struct wp_rect output;       // quads
    struct wp_rect input;        // quads with margin
    struct wp_rect domain[WP_PASSES_MAX]; // of each pass
    // Volumes: along z.
    int depth;
    struct wp_span output_z, input_z, domain_z[WP_PASSES_MAX];
    unsigned split; // axes that it transforms, bit a for axis a
};

// Adds surfaces, operations and transfers to a plan; `levels` are initialized.
typedef void (*wp_planner)(struct wp_plan *plan, struct wp_plan_level *levels);

// An empty plan with a copy of the description. NULL after an error.
struct wp_plan *wp_plan_begin(const struct wp_description *description);

// Makes a plan with one planner per direction. `octets`: schemes of volumes are over octets, else
// over quads of slices.
struct wp_plan *wp_plan_make(const struct wp_description *description, bool octets,
                             wp_planner forward, wp_planner inverse);

// Enlarges a surface to the size of a level's input with its margin. In such surfaces quad (0, 0)
// of the level is at (-input.x, -input.y).
void wp_plan_enlarge(struct wp_surface *surface, struct wp_rect input);
void wp_plan_deepen(struct wp_surface *surface, struct wp_span input);

// The quads of a level that are completely inside its samples.
struct wp_rect wp_plan_full_quads(const struct wp_plan_level *level);

struct wp_op *wp_plan_add_op(struct wp_plan *plan, enum wp_op_kind kind,
                             const struct wp_plan_level *level);

// Adds an operation for a complete level; sets the level's margin to 0.
struct wp_op *wp_plan_add_level_op(struct wp_plan *plan, struct wp_plan_level *level);

// Adds a transfer, a load or a store.
struct wp_transfer *wp_plan_add_transfer(struct wp_plan *plan, bool loads,
                                         const struct wp_plan_level *level, int surface,
                                         struct wp_rect domain);

// Sets the bands of a transfer to the coefficients of a level, or for level 0 the samples.
void wp_transfer_set_level(const struct wp_description *description, struct wp_transfer *transfer,
                           int level);

#endif
