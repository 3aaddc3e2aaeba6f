// Runs a transform in double precision and reports the values between its passes.
#ifndef WP_LESSON_RUN_H
#define WP_LESSON_RUN_H

#include "image.h"
#include "scheme.h"
#include "text.h"

struct wp_description;

// The values between two passes: quads or octets.
struct wp_lesson_state {
    enum wp_lesson_step {
        WP_LESSON_INPUT,  // loaded
        WP_LESSON_PASS,   // the result of a pass
        WP_LESSON_GATHER, // the low-pass results of a level, regrouped for the next level
        WP_LESSON_SPREAD, // the same for the inverse
    } step;
    int level, pass;                // from 1; from 0
    const struct wp_scheme *scheme; // of the level
    int size[WP_DIMS_MAX];          // samples of the level, before it, or for the inverse after it
    unsigned axes;                  // axes that the level transforms; along other axes octets have
                                    // one sample, and odd components are not meaningful
    int low[WP_DIMS_MAX], extent[WP_DIMS_MAX]; // the domain, in quads or octets
    int components;                 // per quad or octet: 4 or 8
    const float *values;            // components interleaved, x fastest; valid during the callback
    double seconds;                 // wall-clock time of the step
};

// Gets a component of the quad or octet `at`, which must be in the domain.
double wp_lesson_value(const struct wp_lesson_state *state, int component,
                       const int at[WP_DIMS_MAX]);

// The callback. False ends the run.
typedef bool (*wp_lesson_watch)(void *user, const struct wp_lesson_state *state);

// Runs all passes on the image's first plane and calls `watch` after loading and after each step.
// For volumes, `voxel` is the position of a sample or coefficient (layout mixed), and only values
// that it depends on are computed; NULL: all values. False if `watch` returned false, after
// WP_ERROR_USAGE if image and levels do not match, or if memory is exhausted.
bool wp_lesson_run(const struct wp_description *description, const struct wp_image *image,
                   const int *voxel, wp_lesson_watch watch, void *user);

// Adds the name of a state: "level 2, pass 1 of 4", "input".
void wp_lesson_state_name(struct wp_text *out, const struct wp_lesson_state *state);

#endif
