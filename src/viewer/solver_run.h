// Runs a reconstruction solver in a worker thread.
#ifndef WP_SOLVER_RUN_H
#define WP_SOLVER_RUN_H

#include "reconstruction.h"

enum { WP_SOLVER_TEXT = 512, WP_SOLVER_MARKS = 32 };

// Parameters that can be changed while the solver runs.
struct wp_solver_weights {
    double tv, wav, mu, lambda, gamma; // gamma 0: 100 times wav
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

// Reads the k-space and creates the first solver, which is paused. NULL after an error.
struct wp_solver_run *wp_solver_run_open(const char *kspace,
                                         const struct wp_reconstruction_options *options);
void wp_solver_run_close(struct wp_solver_run **run); // accepts NULL, sets it to NULL

// The reconstruction. Read-only; curve, image and magnitude belong to the worker thread.
const struct wp_reconstruction *wp_solver_run_info(const struct wp_solver_run *run);

// Starts the worker thread. Without one (also before the start) wp_solver_run_step() executes one
// job, such as one iteration, per call.
void wp_solver_run_start(struct wp_solver_run *run);
void wp_solver_run_step(struct wp_solver_run *run);

// Sets the number of iterations to run: INT_MAX for no limit, 0 to pause.
void wp_solver_run_do(struct wp_solver_run *run, int iterations);
// Replaces the solver with one with other weights, which starts from zeros, or with `keep` from the
// current image. On failure the old solver is not replaced.
void wp_solver_run_begin(struct wp_solver_run *run, const struct wp_solver_weights *weights,
                         bool keep);
// Blocks until no work is pending.
void wp_solver_run_wait(struct wp_solver_run *run);

// Updates `shown`, which must be initialized with {0}.
void wp_solver_run_get_state(struct wp_solver_run *run, struct wp_solver_shown *shown);
void wp_solver_shown_free(struct wp_solver_shown *shown);

// Writes the current image. Pause first: wp_solver_run_do(run, 0) and wp_solver_run_wait().
bool wp_solver_run_write(struct wp_solver_run *run, const struct wp_reconstruction_output *output);

#endif
