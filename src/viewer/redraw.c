#include "redraw.h"

#include "queue.h"
#include "viewer_struct.h"

// Limits in seconds and frames without a displayed frame, however many events arrive.
static const double LONGEST_HIDDEN = 0.1;
enum { MOST_HIDDEN = 5 };

bool wp_redraw_next(struct wp_viewer *v)
{
    struct wp_redraw *p = &v->redraw;
    const bool processing = wp_queue_next(v) || wp_ui_needs_frame();
    const bool moving = v->state.live || v->state.playing;
    if (!p->pending && (processing || moving || v->dirty))
        *p = (struct wp_redraw){.pending = true, .since = v->now};
    const bool late = v->now - p->since > LONGEST_HIDDEN;
    const bool stabilizing = v->dirty && p->hidden < MOST_HIDDEN;
    if (p->pending && (late || !(processing || stabilizing))) {
        *p = (struct wp_redraw){.unchecked = true};
        v->hidden = false;
        return true;
    }
    const bool draw = p->pending || p->unchecked;
    p->unchecked = false;
    p->hidden++;
    v->hidden = true;
    return draw;
}
