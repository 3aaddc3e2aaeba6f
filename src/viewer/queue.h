// Queue of window events. A press and its release may be 5 ms apart and a frame may take 40 ms; the
// interface would miss them in one frame, so they are passed to different frames.
#ifndef WP_VIEWER_QUEUE_H
#define WP_VIEWER_QUEUE_H

#include <stdbool.h>

struct wp_viewer;

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
    int count, capacity;
    int popup; // popup at the latest event
    int wait;  // frames left to wait
};

void wp_queue_add(struct wp_viewer *v, const struct wp_event *event);

// Passes the events to the interface that one frame can process. Returns false if the queue is
// empty; true if events were passed or wait for a text field to get the focus.
bool wp_queue_next(struct wp_viewer *v);

void wp_queue_free(struct wp_queue *queue);

#endif
