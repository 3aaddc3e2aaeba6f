// What comes from a window, in its order, until frames have had time to see it. A press and its
// release may be 5 ms apart, and a frame 40: handed on at once they would be none to the interface.
#ifndef WP_VIEWER_QUEUE_H
#define WP_VIEWER_QUEUE_H

#include <stdbool.h>

struct wp_viewer;

enum wp_event_kind { WP_EVENT_MOVE, WP_EVENT_BUTTON, WP_EVENT_WHEEL, WP_EVENT_KEY,
                     WP_EVENT_CHARACTER };

struct wp_event {
    enum wp_event_kind kind;
    int code;      // the button, enum wp_key, or the character
    bool down;     // of buttons and keys
    bool repeated; // the key is held
    float x, y;    // where the pointer is; y: notches
};

struct wp_queue {
    struct wp_event *event;
    int count, room;
    int popup; // the one that was open when something was handed on last
    int hold;  // frames that what is left waits for
};

void wp_queue_add(struct wp_viewer *v, const struct wp_event *event);

// Hands on what the next frame can tell apart. False where there was nothing to do; true also where
// what there is waits for a field that is about to take the keyboard.
bool wp_queue_next(struct wp_viewer *v);

void wp_queue_free(struct wp_queue *queue);

#endif
