// Decides which frames are drawn after an event, and when no more frames are needed.
#ifndef WP_REDRAW_H
#define WP_REDRAW_H

#include <stdbool.h>

struct wp_viewer;

struct wp_redraw {
    bool pending;    // a change has not been displayed yet
    bool unchecked;  // the latest displayed frame may not be final
    int hidden;      // frames since then that were not displayed
    double since;    // on the viewer's clock
};

// Call before each frame. Passes events from the queue (queue.h) and sets v->hidden if the frame is
// only laid out, not displayed. Returns false if the screen is up to date and no frame is needed.
//
// The interface needs several frames to settle: a list that opens is laid out in one frame and
// drawn in the next. Frames are not displayed until two of them are equal; after the displayed
// frame one more is laid out, to check that nothing changes.
bool wp_redraw_next(struct wp_viewer *v);

#endif
