// The transform that `explain` runs to show numbers and pictures: on a plane of an image or a
// volume, in double precision.
#ifndef WP_REPORT_RUN_H
#define WP_REPORT_RUN_H

#include "description.h"
#include "image.h"
#include "report.h"

// The input of the passes: one plane, the luma or the channel, for the inverse its coefficients as
// float32 (Mallat), as `forward -o` would write them. Where the file holds a volume, `params` asks
// for one from now on. NULL after one error. Where `colour` is not NULL it gets all three planes of
// an image whose pictures are to be in colour, else NULL; without it there are numbers alone, which
// are of one plane.
struct wp_image *wp_report_read(struct wp_report_params *params, struct wp_image **colour);

// What is transformed, of an image that wp_report_read() gave. The wavelet is that of `params`.
struct wp_description wp_report_describe(const struct wp_report_params *params,
                                         const struct wp_image *image);

// What stands between two passes, quads or octets.
struct wp_report_stage {
    enum wp_report_step {
        WP_REPORT_INPUT,  // was loaded
        WP_REPORT_PASS,   // a pass has written it
        WP_REPORT_GATHER, // of what a level left, taken for the next one
        WP_REPORT_SPREAD, // in the inverse
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
double wp_report_value(const struct wp_report_stage *stage, int component,
                       const int at[WP_DIMS_MAX]);

// False ends the run.
typedef bool (*wp_report_watch)(void *user, const struct wp_report_stage *stage);

// Runs all passes on the image's first plane and shows what was loaded and what each step leaves.
// Of a volume, `voxel` says which sample or coefficient (in its place, layout mixed) is wanted, and
// only what it needs is computed; NULL: everything. False where `watch` returns false, after
// WP_ERROR_USAGE where image and levels do not go together, or where memory is short.
bool wp_report_run(const struct wp_description *description, const struct wp_image *image,
                   const int *voxel, wp_report_watch watch, void *user);

// "level 2, pass 1 of 4"; "input".
void wp_report_stage_name(struct wp_text *out, const struct wp_report_stage *stage);

#endif
