// Reads a pyramid in a worker thread. Does not use OpenGL.
#ifndef WP_PYRAMID_RUN_H
#define WP_PYRAMID_RUN_H

#include "log.h"
#include "pyramid_file.h"
#include "wavepass.h"

enum { WP_PYRAMID_TEXT = 1024 };

struct wp_pyramid_params {
    const char *path;
    bool coefficients; // else an image, which is transformed first
    struct wp_read_params read; // for an image
    struct wp_transform_params transform;
};

// The state of the reader.
struct wp_pyramid_status {
    unsigned opened;      // counts opened files; 0: none yet
    struct wp_pyramid_info info; // before the first opened file only colours is valid
    bool making;          // an image is being transformed: `row` of `rows`
    int row, rows;
    double file;          // bytes of the temporary file
    size_t memory;        // maximum bytes needed, without tiles already delivered
    bool busy;            // work is running or pending
    bool halted;          // the transform was cancelled or has failed
    char error[WP_PYRAMID_TEXT]; // new error message, or ""
    enum wp_error kind;          // of the latest error
};

// A requested tile. `samples` is NULL if it could not be read.
struct wp_pyramid_result {
    struct wp_pyramid_tile tile;
    float *samples; // as returned by wp_pyramid_file_read()
    int planes;
};

struct wp_pyramid_run;

// Opens coefficients, or an image to be transformed. NULL after an error.
struct wp_pyramid_run *wp_pyramid_run_open(const struct wp_pyramid_params *params);
void wp_pyramid_run_close(struct wp_pyramid_run **run); // accepts NULL, sets it to NULL

// Starts the worker thread. Without one (also before the start) wp_pyramid_run_step() executes one
// job per call and returns true if more are pending.
void wp_pyramid_run_start(struct wp_pyramid_run *run);
bool wp_pyramid_run_step(struct wp_pyramid_run *run);

// Sets the requested tiles, in order of priority, and their channel. Discards results of another
// channel.
void wp_pyramid_run_request(struct wp_pyramid_run *run, enum wp_channel channel,
                            const struct wp_pyramid_tile tile[], size_t count);
// Returns the next result; the caller frees `samples`. False if there is none.
bool wp_pyramid_run_pop_result(struct wp_pyramid_run *run, struct wp_pyramid_result *result);

// Requests of the window: to check whether the file has changed, to open it again (on failure the old
// file stays open), and to cancel the transform.
enum wp_pyramid_request { WP_PYRAMID_CHECK, WP_PYRAMID_REOPEN, WP_PYRAMID_HALT,
                          WP_PYRAMID_REQUESTS };
void wp_pyramid_run_ask(struct wp_pyramid_run *run, enum wp_pyramid_request request);

// Copies the state and clears its error message.
void wp_pyramid_run_get_status(struct wp_pyramid_run *run, struct wp_pyramid_status *status);
// True if there is a result or a change since the state `old`.
bool wp_pyramid_run_has_updates(struct wp_pyramid_run *run, const struct wp_pyramid_status *old);

#endif
