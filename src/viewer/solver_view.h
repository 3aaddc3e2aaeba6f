// A reconstruction in the viewer: its textures and actions.
#ifndef WP_SOLVER_VIEW_H
#define WP_SOLVER_VIEW_H

#include "image.h"
#include "solver_run.h"
#include "texture.h"

struct json_t;
struct wp_viewer;
struct wp_text;

// The panes of the canvas in order.
enum wp_solver_pane { WP_SOLVER_KSPACE, WP_SOLVER_MASK, WP_SOLVER_CURVE, WP_SOLVER_ZERO_FILLED,
                      WP_SOLVER_RESULT, WP_SOLVER_ERROR, WP_SOLVER_PANES };

struct wp_solver_view {
    struct wp_solver_run *run;
    const char *kspace;            // file name
    struct wp_image *picture[2];   // images of k-space and mask
    float *zero_filled;            // magnitude divided by the peak
    double zero_filled_psnr;       // NaN without a reference image
    float white, error;            // displayed ranges: maximum; quarter of zero-filled's error
    int size[3];
    struct wp_solver_shown shown;
    struct wp_solver_weights requested, next; // latest requested; current slider values
    double next_since;             // on the viewer's clock
    unsigned begun;                // number of the latest requested solver
    bool runs;                     // latest request: run or pause
    struct {
        struct wp_texture texture;
        unsigned image;            // contents of the texture; 0: empty
        int axis, at;
    } of[WP_SOLVER_PANES];
};

// Reads all files and creates the solver, before the window exists. False after an error.
bool wp_solver_view_open(struct wp_viewer *v);
// Starts the worker thread. Returns true.
bool wp_solver_view_start(struct wp_viewer *v);
// Release the textures; close the solver. The window's context must not be current in close,
// because the solver may have its own context. No-ops without a reconstruction.
void wp_solver_view_release(struct wp_viewer *v);
void wp_solver_view_close(struct wp_viewer *v);

// Once per frame: passes changes to the solver and its results to the canvas.
void wp_solver_view_update(struct wp_viewer *v);

// Actions for keys, panels and scripts.
void wp_solver_view_step(struct wp_viewer *v);
void wp_solver_view_restart(struct wp_viewer *v);
// Runs `iterations` iterations and returns. Their errors are shown as a notice. False without a
// reconstruction.
bool wp_solver_view_iterate(struct wp_viewer *v, int iterations);
// True if the solver has applied the current weights and completed an iteration, or is paused; also
// true without a reconstruction.
bool wp_solver_view_is_steady(const struct wp_viewer *v);
int wp_solver_view_axis(const struct wp_viewer *v); // axis of the slices
void wp_solver_view_slice(struct wp_viewer *v, int step);
bool wp_solver_view_command(const struct wp_viewer *v, struct wp_text *text);
bool wp_solver_view_save(struct wp_viewer *v, const char *path, bool overwrite);
struct json_t *wp_solver_view_facts(const struct wp_viewer *v);

#endif
