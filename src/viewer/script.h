// Scripts of events: what a user would do, one event a line.
#ifndef WP_SCRIPT_H
#define WP_SCRIPT_H

#include <stdbool.h>

struct wp_viewer;
struct wp_script;

// Reads a file of events ("-" is stdin); what they are called is checked now. NULL after
// WP_ERROR_FILE "FILE:LINE: …". The result is the caller's.
//
//   key Ctrl+0        hold Shift / release Shift       type some text
//   move X Y          down [N] / up [N]                click [CONTROL]   wheel N
//   drop PATH         resize W H                       wait FRAMES
//   do ACTION         set SETTING VALUE                shot FILE.png
//                     try SETTING VALUE: the same, and what is wrong with it is a message
//   save FILE.npy     state FILE.json                  facts FILE.json
//   load FILE.json: the settings that the event state has written, all in one frame
//   wait tiles: until a pyramid has those that its view wants; wait solver: until it has begun what
//     was set
//   iterate N: so many iterations of a reconstruction, before the next event
//   copy FROM TO: a file, as if it were edited meanwhile; names without spaces
//   timed key W, timed click [CONTROL]: how long until the frame that shows it, drawing what a
//     window draws for a press and its release at once; times FILE.json: what these took
//   lose a, lose b: the next transform of that side fails as if its device were gone
//
// '#' begins a comment at the start of a line.
struct wp_script *wp_script_read(const char *path);
void wp_script_destroy(struct wp_script **script); // accepts NULL, clears the pointer

// Plays what comes before the next frame. False at the end. `failed` is set where an event
// could not be played, after an error that names the line.
bool wp_script_step(struct wp_script *script, struct wp_viewer *v, bool *failed);

// Whether the next event takes the frame before it as a picture.
bool wp_script_looks(const struct wp_script *script);

#endif
