// A solver at work beside the window, and what the window knows of it.
#ifndef WP_SOLVER_RUN_H
#define WP_SOLVER_RUN_H

#include "reconstruction.h"

enum { WP_SOLVER_TEXT = 512, WP_SOLVER_MARKS = 32 };

// What can be changed while it runs.
struct wp_solver_weights {
    double tv, wav, mu, lambda, gamma; // gamma 0: 100 times wav
    char wavelet[WP_SOLVER_TEXT];
    int levels;
};

// As of the latest look.
struct wp_solver_shown {
    unsigned begun;      // how often a solver was made
    unsigned image;      // another number for another image
    int iterations;      // also of solvers that this one went on from
    int most;            // that it ends behind
    bool ended, busy;    // busy: something is being done, or to be done
    double residual, psnr, ssim; // NaN where they were not measured
    int ssim_after;      // iterations
    double seconds;      // of an iteration of this solver, on average
    const char *form, *backend;
    float *magnitude;    // over the peak
    struct wp_curve curve, before; // before: of the solver that was given up
    int mark[WP_SOLVER_MARKS], marks; // iterations behind which weights changed
    struct wp_solver_weights weights; // of this solver
    char error[WP_SOLVER_TEXT];       // why the latest change or iteration failed; "" else
};

struct wp_solver_run;

// Everything up to the first solver, which stands still. NULL after an error.
struct wp_solver_run *wp_solver_run_open(const char *kspace,
                                         const struct wp_reconstruction_options *options);
void wp_solver_run_close(struct wp_solver_run **run); // accepts NULL, clears the pointer

// What it is made of; not for changing, and without curve, image and magnitude, which are the
// solver's.
const struct wp_reconstruction *wp_solver_run_info(const struct wp_solver_run *run);

// From here on it works in a thread of its own, if there are any. Else it does what is to be done
// one iteration a call of wp_solver_run_step().
void wp_solver_run_start(struct wp_solver_run *run);
void wp_solver_run_step(struct wp_solver_run *run);

// How many iterations more it is to do: INT_MAX for all, 0 to stand still.
void wp_solver_run_do(struct wp_solver_run *run, int iterations);
// A solver with these weights in place of the one that is there, from zeros or, where `keep`, from
// its image. Where it cannot be made the old one stays.
void wp_solver_run_begin(struct wp_solver_run *run, const struct wp_solver_weights *weights,
                         bool keep);
// Returns when all that is done.
void wp_solver_run_wait(struct wp_solver_run *run);

// Brings `shown` up to date, which is {0} at first.
void wp_solver_run_look(struct wp_solver_run *run, struct wp_solver_shown *shown);
void wp_solver_shown_free(struct wp_solver_shown *shown);

// The image as it is, while it stands still: after wp_solver_run_do(run, 0) and wait().
bool wp_solver_run_write(struct wp_solver_run *run, const struct wp_reconstruction_output *output);

#endif
