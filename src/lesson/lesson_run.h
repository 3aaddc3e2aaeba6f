// What stands between the passes of a transform, computed in double precision to be shown.
#ifndef WP_LESSON_RUN_H
#define WP_LESSON_RUN_H

#include "image.h"
#include "scheme.h"
#include "text.h"

struct wp_description;

// What stands between two passes, quads or octets.
struct wp_lesson_state {
    enum wp_lesson_step {
        WP_LESSON_INPUT,  // was loaded
        WP_LESSON_PASS,   // a pass has written it
        WP_LESSON_GATHER, // of what a level left, taken for the next one
        WP_LESSON_SPREAD, // in the inverse
    } step;
    int level, pass;                // from 1; from 0
    const struct wp_scheme *scheme; // of the level
    int size[WP_DIMS_MAX];          // samples of the level, before it or in the inverse behind it
    unsigned axes;                  // that the level transforms; along the others an octet is one
                                    // sample, and its odd components mean nothing
    int low[WP_DIMS_MAX], extent[WP_DIMS_MAX]; // the domain, in quads or octets
    int components;                 // of each, 4 or 8
    const float *values;            // the components of each together, x fastest; during the call
    double seconds;                 // that it took, by the clock
};

// A component of the quad or octet `at`, which must be in the domain.
double wp_lesson_value(const struct wp_lesson_state *state, int component,
                       const int at[WP_DIMS_MAX]);

// False ends the run.
typedef bool (*wp_lesson_watch)(void *user, const struct wp_lesson_state *state);

// Runs all passes on the image's first plane and shows what was loaded and what each step leaves.
// Of a volume, `voxel` says which sample or coefficient (in its place, layout mixed) is wanted, and
// only what it needs is computed; NULL: everything. False where `watch` returns false, after
// WP_ERROR_USAGE where image and levels do not go together, or where memory is short.
bool wp_lesson_run(const struct wp_description *description, const struct wp_image *image,
                   const int *voxel, wp_lesson_watch watch, void *user);

// "level 2, pass 1 of 4"; "input".
void wp_lesson_state_name(struct wp_text *out, const struct wp_lesson_state *state);

#endif
