// The contents of surfaces between the passes of a redundant bank: each component of a texel is a
// band, or becomes one. Surfaces of the decimated bank have quads (polyphase_state.h).
#ifndef WP_PASS_BANDS_H
#define WP_PASS_BANDS_H

#include "schedule.h"
#include "text.h"

// A position of the timeline: the number of finished operations (0: loaded), and whether the input
// of the last one is shown instead of its output.
struct wp_pass_point {
    const struct wp_schedule *schedule; // wp_schedule_redundant()
    enum wp_direction direction;
    int ops;
    bool before;
};

// The components of the surface that are used: bit c for component c.
unsigned wp_pass_bands(const struct wp_pass_point *point);

// Appends the band that a component is or becomes: "samples", "HL2", "HL2, pass 1 of 2". `names` by
// enum wp_band.
void wp_pass_band_describe(const struct wp_pass_point *point, const char *const *names,
                           int component, struct wp_text *text);

#endif
