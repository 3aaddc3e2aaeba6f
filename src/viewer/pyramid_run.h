// What reads a pyramid beside the window, and what the window knows of it. No OpenGL.
#ifndef WP_PYRAMID_RUN_H
#define WP_PYRAMID_RUN_H

#include "log.h"
#include "pyramid_file.h"
#include "wavepass.h"

enum { WP_PYRAMID_TEXT = 1024 };

struct wp_pyramid_params {
    const char *path;
    bool coefficients; // or an image, of which they are made first
    struct wp_read_params read; // then
    struct wp_transform_params transform;
};

// As of the latest look.
struct wp_pyramid_news {
    unsigned opened;      // how often it was: another number for another file; 0: not yet
    struct wp_pyramid_info info; // before that the number of colours
    bool making;          // of the image, coefficients are made: `row` of `rows`
    int row, rows;
    double file;          // bytes that they take
    size_t memory;        // bytes that all this takes, at most, beside tiles that were taken
    bool busy;            // something is being done, or to be done
    bool halted;          // that was given up, or has failed
    char error[WP_PYRAMID_TEXT]; // since the latest look; "" for none
    enum wp_error kind;          // of the latest one
};

// A tile that was asked for. Without samples it could not be read.
struct wp_pyramid_got {
    struct wp_pyramid_tile tile;
    float *samples; // as wp_pyramid_file_read() has them
    int planes;
};

struct wp_pyramid_run;

// Opens the coefficients, or the image that they are to be made of. NULL after an error.
struct wp_pyramid_run *wp_pyramid_run_open(const struct wp_pyramid_params *params);
void wp_pyramid_run_close(struct wp_pyramid_run **run); // accepts NULL, clears the pointer

// From here on it works in a thread of its own, if there are any. Else it does one thing a call of
// wp_pyramid_run_step(), which tells whether there is more.
void wp_pyramid_run_start(struct wp_pyramid_run *run);
bool wp_pyramid_run_step(struct wp_pyramid_run *run);

// Which tiles are wanted from now on, the first one first, and of which channel. Those of another
// one that were read and not yet taken are no more.
void wp_pyramid_run_request(struct wp_pyramid_run *run, enum wp_channel channel,
                         const struct wp_pyramid_tile tile[], size_t count);
// The next one that was read, whose samples are the caller's. False where there is none.
bool wp_pyramid_run_result(struct wp_pyramid_run *run, struct wp_pyramid_got *got);

void wp_pyramid_run_check(struct wp_pyramid_run *run);  // whether the file is still the same
void wp_pyramid_run_reopen(struct wp_pyramid_run *run); // where that fails, the old one stays
void wp_pyramid_run_halt(struct wp_pyramid_run *run);   // what is being made is given up

void wp_pyramid_run_look(struct wp_pyramid_run *run, struct wp_pyramid_news *news);
// Whether there is a tile to take, or something else that was not there at the latest look.
bool wp_pyramid_run_has_news(struct wp_pyramid_run *run, const struct wp_pyramid_news *seen);

#endif
