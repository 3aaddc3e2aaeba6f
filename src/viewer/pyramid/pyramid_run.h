// Reads a pyramid. Does not use OpenGL.
#ifndef WP_PYRAMID_RUN_H
#define WP_PYRAMID_RUN_H

#include "channel.h"
#include "pyramid.h"
#include "sidecar.h"
#include "viewer.h"

#include <stdatomic.h>

// ---- Coefficients of an image of any size, read as tiles of a pyramid, each a region of the
// inverse transform (region.h). Not thread-safe (pyramid_file.c).

struct wp_pyramid_file;

struct wp_pyramid_info {
    struct wp_pyramid pyramid;
    int colours;          // planes without alpha
    bool of_file;         // samples are integers of 8 or 16 bits divided by their maximum
    char wavelet[64];     // display name
};

// Opens coefficients with metadata; `sidecar` NULL: read the sidecar file. NULL after an error.
struct wp_pyramid_file *wp_pyramid_file_open(const char *path, const struct wp_sidecar *sidecar);
void wp_pyramid_file_close(struct wp_pyramid_file **file); // accepts NULL, sets it to NULL
const struct wp_pyramid_info *wp_pyramid_file_info(const struct wp_pyramid_file *file);

// The number of planes of a channel: WP_COLOURS or 1.
int wp_pyramid_planes(int colours, enum wp_channel channel);

// Maximum number of bytes needed for reading, without the tile.
size_t wp_pyramid_file_memory(int colours);

// Reads the planes of a tile, one after the other, with the range of the image: low bands are
// divided by the gain of their normalization, and integers of 8 and 16 bits are scaled to 0..1. The
// caller frees them. NULL after an error; WP_ERROR_FILE also if the file has changed since it was
// opened. Setting `*stop` in any thread cancels the call, which then returns NULL.
float *wp_pyramid_file_read(struct wp_pyramid_file *file, enum wp_channel channel,
                            struct wp_pyramid_tile tile, const atomic_bool *stop);

// ---- Reads a pyramid in a worker thread (pyramid_run.c).

enum { WP_PYRAMID_TEXT = 1024 };

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

// Opens the coefficients, or the image to be transformed, of the parameters. NULL after an error.
struct wp_pyramid_run *wp_pyramid_run_open(const struct wp_viewer_params *params);
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

// Requests of the window: to check whether the file has changed, to open it again (on failure the
// old file stays open), and to cancel the transform.
enum wp_pyramid_request { WP_PYRAMID_CHECK, WP_PYRAMID_REOPEN, WP_PYRAMID_HALT,
                          WP_PYRAMID_REQUESTS };
void wp_pyramid_run_ask(struct wp_pyramid_run *run, enum wp_pyramid_request request);

// Copies the state and clears its error message.
void wp_pyramid_run_get_status(struct wp_pyramid_run *run, struct wp_pyramid_status *status);
// True if there is a result or a change since the state `old`.
bool wp_pyramid_run_has_updates(struct wp_pyramid_run *run, const struct wp_pyramid_status *old);

#endif
