#include "redraw.h"

#include "queue.h"
#include "viewer_struct.h"

// Something is seen at least so often, however much comes in.
static const double LONGEST_UNSEEN = 0.1;
enum { MOST_UNSEEN = 5 };

bool wp_redraw_next(struct wp_viewer *v)
{
    struct wp_redraw *p = &v->pace;
    const bool taking = wp_queue_next(v) || wp_ui_needs_frame();
    const bool moving = v->state.live || v->state.playing;
    if (!p->pending && (taking || moving || v->dirty))
        *p = (struct wp_redraw){.pending = true, .since = v->now};
    const bool late = v->now - p->since > LONGEST_UNSEEN;
    const bool settling = v->dirty && p->unseen < MOST_UNSEEN;
    if (p->pending && (late || !(taking || settling))) {
        *p = (struct wp_redraw){.unchecked = true};
        v->unseen = false;
        return true;
    }
    const bool draw = p->pending || p->unchecked;
    p->unchecked = false;
    p->unseen++;
    v->unseen = true;
    return draw;
}
