// Input: events of windows and scripts, changed files, and the frames to draw after an event.
#ifndef WP_VIEWER_INPUT_H
#define WP_VIEWER_INPUT_H

#include <stdbool.h>

struct wp_viewer;

void wp_viewer_mouse_move(struct wp_viewer *v, float x, float y);
void wp_viewer_mouse_button(struct wp_viewer *v, int button, bool down);
void wp_viewer_wheel(struct wp_viewer *v, float notches);
void wp_viewer_key_event(struct wp_viewer *v, int key, bool down);
void wp_viewer_character(struct wp_viewer *v, unsigned character);
void wp_viewer_drop(struct wp_viewer *v, const char *path);
bool wp_viewer_resize(struct wp_viewer *v, int width, int height);

// Polls files: reloads images and shaders that changed on disk.
void wp_viewer_watch(struct wp_viewer *v);

// Queue of window events. A press and its release may be 5 ms apart and a frame may take 40 ms; the
// interface would miss them in one frame, so they are passed to different frames.
enum wp_event_kind { WP_EVENT_MOVE, WP_EVENT_BUTTON, WP_EVENT_WHEEL, WP_EVENT_KEY,
                     WP_EVENT_CHARACTER };

struct wp_event {
    enum wp_event_kind kind;
    int code;      // button, enum wp_key, or character
    bool down;     // for buttons and keys
    bool repeated; // key repeat
    float x, y;    // pointer position; y: wheel notches
};

struct wp_queue {
    struct wp_event *event;
    int count;
    int popup; // popup at the latest event
    int wait;  // frames left to wait
};

void wp_queue_add(struct wp_viewer *v, const struct wp_event *event);

struct wp_redraw {
    bool pending;    // a change has not been displayed yet
    bool unchecked;  // the latest displayed frame may not be final
    int hidden;      // frames since then that were not displayed
    double since;    // on the viewer's clock
};

// Call before each frame. Passes events from the queue and sets v->hidden if the frame is
// only laid out, not displayed. Returns false if the screen is up to date and no frame is needed.
//
// The interface needs several frames to settle: a list that opens is laid out in one frame and
// drawn in the next. Frames are not displayed until two of them are equal; after the displayed
// frame one more is laid out, to check that nothing changes.
bool wp_redraw_next(struct wp_viewer *v);

// ---- The window (window.c); a stub reports an error in builds without GLFW.

// Opens the window and creates v->gl.
bool wp_window_open(struct wp_viewer *v, int width, int height);

// Runs until the window is closed. Calls step() for each frame.
bool wp_window_loop(struct wp_viewer *v, bool (*step)(struct wp_viewer *v));

void wp_window_close(struct wp_viewer *v); // call last

#endif
