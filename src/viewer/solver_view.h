// A reconstruction in the window: what of it is on textures, and what a user can do with it.
#ifndef WP_SOLVER_VIEW_H
#define WP_SOLVER_VIEW_H

#include "image.h"
#include "solver_run.h"
#include "texture.h"

struct json_t;
struct wp_viewer;
struct wp_text;

// The parts of the canvas, in its order.
enum wp_solver_pane { WP_SOLVER_KSPACE, WP_SOLVER_MASK, WP_SOLVER_CURVE, WP_SOLVER_ZERO_FILLED,
                      WP_SOLVER_RESULT, WP_SOLVER_ERROR, WP_SOLVER_PANES };

struct wp_solver_view {
    struct wp_solver_run *run;
    const char *kspace;            // its file
    struct wp_image *picture[2];   // of k-space and mask
    float *zero_filled;            // magnitude over the peak
    double zero_filled_psnr;       // NaN without truth
    float white, error;            // the largest value; a quarter of zero-filled's largest error
    int size[3];
    struct wp_solver_shown shown;
    struct wp_solver_weights asked, next; // of the latest solver; that sliders stand at
    double next_since;             // on the viewer's clock
    unsigned begun;                // the solver that was asked for last
    bool runs;                     // as the solver was told last
    struct {
        struct wp_texture texture;
        unsigned image;            // and slice that it shows; 0: nothing
        int axis, at;
    } of[WP_SOLVER_PANES];
};

// Reads everything, before there is a window. False after an error.
bool wp_solver_view_open(struct wp_viewer *v);
// From here on it may run. True.
bool wp_solver_view_start(struct wp_viewer *v);
// Its textures, and then the rest of it, with no context of the window's current: the solver may
// have one of its own. Both accept a viewer that has none.
void wp_solver_view_release(struct wp_viewer *v);
void wp_solver_view_close(struct wp_viewer *v);

// Once a frame: what was changed goes to the solver, what it made comes to the canvas.
void wp_solver_view_update(struct wp_viewer *v);

// What keys, panels and scripts do.
void wp_solver_view_step(struct wp_viewer *v);
void wp_solver_view_restart(struct wp_viewer *v);
// So many iterations, and returns then. What fails in them is a notice; false where there is no
// reconstruction.
bool wp_solver_view_iterate(struct wp_viewer *v, int iterations);
// Whether the solver works by the weights that are set and has an iteration to show, or stands still.
// True where there is none.
bool wp_solver_view_is_steady(const struct wp_viewer *v);
int wp_solver_view_axis(const struct wp_viewer *v); // that slices are along
void wp_solver_view_slice(struct wp_viewer *v, int step);
bool wp_solver_view_command(const struct wp_viewer *v, struct wp_text *text);
bool wp_solver_view_save(struct wp_viewer *v, const char *path, bool overwrite);
struct json_t *wp_solver_view_facts(const struct wp_viewer *v);

#endif
