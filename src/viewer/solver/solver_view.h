// A reconstruction in the viewer: its solver, which runs in a worker thread, textures and actions.
#ifndef WP_SOLVER_VIEW_H
#define WP_SOLVER_VIEW_H

#include "image.h"
#include "reconstruction.h"
#include "slice_view.h"
#include "view_state.h"

struct wp_viewer;

enum { WP_SOLVER_TEXT = 512, WP_SOLVER_MARKS = 32 };

// Parameters that can be changed while the solver runs.
struct wp_solver_weights {
    struct wp_weights of;
    char wavelet[WP_SOLVER_TEXT];
    int levels;
};

// The state of the solver.
struct wp_solver_shown {
    unsigned begun;      // counts created solvers
    unsigned image;      // counts images
    int iterations;      // including those of solvers that this one continues
    int most;            // maximum number of iterations
    bool ended, busy;    // busy: work is running or pending
    double residual, psnr, ssim; // NaN if not measured
    int ssim_after;      // number of iterations when ssim was measured
    double seconds;      // average per iteration
    const char *form, *backend;
    float *magnitude;    // divided by the peak
    struct wp_curve curve, before; // before: of the previous solver
    int mark[WP_SOLVER_MARKS], marks; // iterations at which the weights changed
    struct wp_solver_weights weights; // of this solver
    char error[WP_SOLVER_TEXT];       // of the latest change or iteration, or ""
};

struct wp_solver_run;

// The reconstruction. Read-only; curve, image and magnitude belong to the worker thread.
const struct wp_reconstruction *wp_solver_run_info(const struct wp_solver_run *run);

// The panes of the canvas in order.
enum wp_solver_pane { WP_SOLVER_KSPACE, WP_SOLVER_MASK, WP_SOLVER_CURVE, WP_SOLVER_ZERO_FILLED,
                      WP_SOLVER_RESULT, WP_SOLVER_ERROR, WP_SOLVER_PANES };

struct wp_solver_view {
    struct wp_solver_run *run;
    struct wp_image *picture[2];   // images of k-space and mask
    float *zero_filled;            // magnitude divided by the peak
    double zero_filled_psnr;       // NaN without a reference image
    float white, error;            // displayed ranges: maximum; quarter of zero-filled's error
    struct wp_solver_shown shown;
    struct wp_solver_weights requested, next; // latest requested; current slider values
    double next_since;             // on the viewer's clock
    unsigned begun;                // number of the latest requested solver
    bool runs;                     // latest request: run or pause
    struct wp_slice_texture of[WP_SOLVER_PANES];
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
bool wp_solver_view_save(struct wp_viewer *v, const char *path, bool overwrite);

#endif
