#include "queue.h"

#include "actions.h"
#include "input.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

// Maximum number of frames to wait for a text field to get or lose the focus.
enum { LONGEST_WAIT = 8 };

void wp_queue_add(struct wp_viewer *v, const struct wp_event *event)
{
    struct wp_queue *q = &v->queue;
    struct wp_event *last = q->count > 0 ? &q->event[q->count - 1] : NULL;
    // Merge pointer motion.
    if (last && last->kind == event->kind && event->kind == WP_EVENT_MOVE) {
        *last = *event;
        return;
    }
    if (q->count == q->capacity) {
        q->capacity = q->capacity ? 2 * q->capacity : 32;
        q->event = wp_xrealloc(q->event, (size_t)q->capacity, sizeof *q->event);
    }
    q->event[q->count++] = *event;
}

static bool is_modifier(const struct wp_event *e)
{
    return e->kind == WP_EVENT_KEY && (e->code == WP_KEY_SHIFT || e->code == WP_KEY_CTRL);
}

// True if one frame can process events 0..count. Keys are combined with their characters; press and
// release, and two keys, need separate frames.
static bool joins(const struct wp_queue *q, int count)
{
    const struct wp_event *next = &q->event[count];
    if (count == 0)
        return true;
    if (next->kind != WP_EVENT_CHARACTER && next->kind != WP_EVENT_KEY)
        return false;
    for (int i = 0; i < count; i++) {
        const struct wp_event *e = &q->event[i];
        if (e->kind != WP_EVENT_KEY && e->kind != WP_EVENT_CHARACTER)
            return false;
        if (e->kind == WP_EVENT_KEY && next->kind == WP_EVENT_KEY &&
            (e->code == next->code || (e->down && next->down && !is_modifier(e))))
            return false;
    }
    return true;
}

static void dispatch(struct wp_viewer *v, const struct wp_event *e)
{
    switch (e->kind) {
    case WP_EVENT_MOVE: wp_viewer_mouse_move(v, e->x, e->y); return;
    case WP_EVENT_BUTTON: wp_viewer_mouse_button(v, e->code, e->down); return;
    case WP_EVENT_WHEEL: wp_viewer_wheel(v, e->y); return;
    case WP_EVENT_CHARACTER: wp_viewer_character(v, (unsigned)e->code); return;
    case WP_EVENT_KEY: break;
    }
    if (e->repeated && !wp_ui_captures_text()) {
        const int chord = e->code | (v->shift_down ? WP_MOD_SHIFT : 0) |
                          (v->ctrl_down ? WP_MOD_CTRL : 0);
        const struct wp_action *action = wp_action_find_key(v, chord);
        if (!action || !action->repeats)
            return;
    }
    wp_viewer_key_event(v, e->code, e->down);
}

// After a popup opens or closes, waits until its text field has or has lost the focus.
static bool must_wait(struct wp_viewer *v)
{
    struct wp_queue *q = &v->queue;
    const bool field = wp_popup_has_field(v->popup);
    if (q->popup != (int)v->popup)
        q->wait = LONGEST_WAIT;
    q->popup = (int)v->popup;
    if (field == wp_ui_captures_text())
        q->wait = 0;
    q->wait -= q->wait > 0;
    return q->wait > 0;
}

bool wp_queue_next(struct wp_viewer *v)
{
    struct wp_queue *q = &v->queue;
    const bool waiting = must_wait(v);
    int count = 0;
    if (q->count == 0 || waiting)
        return waiting;
    while (count < q->count && joins(q, count))
        count++;
    for (int i = 0; i < count; i++)
        dispatch(v, &q->event[i]);
    q->count -= count;
    memmove(q->event, q->event + count, (size_t)q->count * sizeof *q->event);
    return true;
}

void wp_queue_free(struct wp_queue *queue)
{
    free(queue->event);
    *queue = (struct wp_queue){0};
}
