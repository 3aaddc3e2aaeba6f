// Which frames are drawn after something has happened, and when there is nothing left to draw.
#ifndef WP_REDRAW_H
#define WP_REDRAW_H

#include <stdbool.h>

struct wp_viewer;

struct wp_redraw {
    bool pending;    // something has changed that no frame has shown
    bool unchecked;  // the latest one that was shown may not be the last word
    int unseen;      // frames drawn since it has
    double since;    // on the viewer's clock
};

// To be called before each frame. Hands on what waits in the queue (queue.h), and sets v->unseen
// for a frame without pixels. False: the picture is final, and there is no frame to draw.
//
// Frames have no pixels until the interface draws what it drew before: a list that opens is laid
// out in one and visible in the next. Then comes one that is seen, and after it one that has no
// pixels again and tells whether anything still changes.
bool wp_redraw_next(struct wp_viewer *v);

#endif
