// Functions shared by the schedulers.
#ifndef WP_SCHEDULE_INTERNAL_H
#define WP_SCHEDULE_INTERNAL_H

#include "redundant.h"
#include "schedule.h"

// Geometry of one level.
struct wp_schedule_level {
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

// Adds surfaces, operations and transfers to a schedule; `levels` are initialized.
typedef void (*wp_scheduler)(struct wp_schedule *schedule, struct wp_schedule_level *levels);

// An empty schedule with a copy of the description. NULL after an error.
struct wp_schedule *wp_schedule_begin(const struct wp_description *description);

// Makes a schedule with one scheduler per direction. `octets`: schemes of volumes are over octets,
// else over quads of slices.
struct wp_schedule *wp_schedule_make(const struct wp_description *description, bool octets,
                             wp_scheduler forward, wp_scheduler inverse);

// Enlarges a surface to the size of a level's input with its margin. In such surfaces quad (0, 0)
// of the level is at (-input.x, -input.y).
void wp_schedule_enlarge(struct wp_surface *surface, struct wp_rect input);
void wp_schedule_deepen(struct wp_surface *surface, struct wp_span input);

// The quads of a level that are completely inside its samples.
struct wp_rect wp_schedule_full_quads(const struct wp_schedule_level *level);

struct wp_op *wp_schedule_add_op(struct wp_schedule *schedule, enum wp_op_kind kind,
                             const struct wp_schedule_level *level);

// Adds an operation for a complete level; sets the level's margin to 0.
struct wp_op *wp_schedule_add_level_op(struct wp_schedule *schedule,
                                       struct wp_schedule_level *level);

// Adds a transfer, a load or a store.
struct wp_transfer *wp_schedule_add_transfer(struct wp_schedule *schedule, bool loads,
                                         const struct wp_schedule_level *level, int surface,
                                         struct wp_rect domain);

// Sets the bands of a transfer to the coefficients of a level, or for level 0 the samples.
void wp_transfer_set_level(const struct wp_description *description, struct wp_transfer *transfer,
                           int level);

#endif
