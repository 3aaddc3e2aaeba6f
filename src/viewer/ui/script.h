// Scripts of user events, one event per line.
#ifndef WP_SCRIPT_H
#define WP_SCRIPT_H

#include <stdbool.h>

struct wp_viewer;
struct wp_script;

// Reads a script ("-" is stdin) and checks it. NULL after WP_ERROR_FILE "FILE:LINE: …". The caller
// destroys the result.
//
//   key Ctrl+0        hold Shift / release Shift       type some text
//   move X Y          down [N] / up [N]                click [CONTROL]   wheel N
//   drop PATH         resize W H                       wait FRAMES
//   do ACTION         set SETTING VALUE                shot FILE.png
//                     try SETTING VALUE: like set, with errors shown as a notice
//   save FILE.npy     state FILE.json                  facts FILE.json
//   load FILE.json: restores the settings written by `state`, in one frame
//   wait tiles: until all requested tiles of a pyramid are available; wait solver: until the solver
//     has applied the current settings
//   iterate N: runs N iterations of a reconstruction
//   copy FROM TO: copies a file, to simulate a change on disk; names without spaces
//   timed key W, timed click [CONTROL], timed move X Y: measures the latency of a press and its
//     release, or of a motion, drawing frames as in a window; times FILE.json: writes the measured
//     latencies
//   lose a, lose b: the next transform of A or B fails as if its device were lost
//
// '#' begins a comment at the start of a line.
struct wp_script *wp_script_read(const char *path);
void wp_script_destroy(struct wp_script **script); // accepts NULL, sets it to NULL

// Executes events until the next frame. Returns false at the end of the script. `failed` is set if
// an event failed, after an error with the line number.
bool wp_script_step(struct wp_script *script, struct wp_viewer *v, bool *failed);

// True if the next event is a screenshot of the frame to be drawn.
bool wp_script_needs_pixels(const struct wp_script *script);

#endif
