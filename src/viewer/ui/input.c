// Input events: passed to the interface, then handled by canvas and actions.
#include "input.h"

#include "actions.h"
#include "view_shaders.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Maximum time in seconds between the clicks of a double click.
static const double DOUBLE_CLICK = 0.35;

// Moves the crosshair to the sample under the pointer, in the other two axes.
static void move_cross(struct wp_viewer *v)
{
    const bool pinned = v->pinned;
    v->pinned = false;
    wp_canvas_hover(v);
    v->pinned = pinned;
    if (v->hover_tile < 0)
        return;
    const struct wp_pane *pane = &v->pane[v->hover_pane];
    int sample[WP_DIMS_MAX];
    // Decimated bands next to the slices have other positions, redundant ones those of samples.
    const struct wp_description *d = &v->instance[WP_A]->description;
    const bool linked = !pane->independent || wp_description_is_redundant(d);
    if (pane->number != v->state.pane || !linked)
        return;
    wp_slices_locate(&v->tile[v->hover_tile], v->hover_px, v->hover_py, sample);
    v->state.cross[pane->orientation.across] = sample[pane->orientation.across];
    v->state.cross[pane->orientation.down] = sample[pane->orientation.down];
}

static bool drag_scene(struct wp_viewer *v)
{
    return v->scene->drag && v->scene->drag(v);
}

void wp_viewer_mouse_move(struct wp_viewer *v, float x, float y)
{
    const float dx = x - v->mouse_x, dy = y - v->mouse_y;
    v->dirty = true;
    v->mouse_x = x;
    v->mouse_y = y;
    wp_ui_mouse_move(x, y);
    v->has_hover = true;
    if (!v->press_on_canvas)
        return;
    if (fabsf(x - v->press_x) + fabsf(y - v->press_y) > 3)
        v->moved = true;
    if (v->left_down && v->wipe_grabbed) {
        const struct wp_rect_f *r = &v->pane[wp_pane_at(v, v->press_x, v->press_y)].r;
        v->state.split = fmin(fmax((double)((x - r->x) / r->width), 0), 1);
    } else if (v->volume && (v->middle_down || (v->left_down && v->ctrl_down))) {
        wp_panes_pan(v, dx, dy);
    } else if (v->volume && v->left_down) {
        move_cross(v);
    } else if (v->left_down && drag_scene(v)) {
        return;
    } else if (v->left_down && v->moved) {
        wp_panes_pan(v, dx, dy);
    } else if (v->right_down) {
        // For volumes like window and level in medical viewers: dragging to the right narrows the
        // window, dragging up lowers the level.
        struct wp_view_state *s = &v->state;
        const double level = (0.5 - s->offset) / s->gain + (double)dy / 400 / s->gain;
        s->gain = fmin(fmax(s->gain * pow(2, (double)dx / 80), 1e-4), 1e6);
        s->offset = v->volume ? 0.5 - level * s->gain : s->offset - (double)dy / 400;
        s->offset = fmin(fmax(s->offset, -10), 10);
    }
}

static void click(struct wp_viewer *v)
{
    const bool twice = v->now - v->press_time < DOUBLE_CLICK && v->press_time > 0;
    v->press_time = v->now;
    v->pinned = false;
    wp_canvas_hover(v);
    if (v->hover_tile < 0)
        return;
    const struct wp_tile *tile = &v->tile[v->hover_tile];
    v->pinned = !v->volume;
    if (tile->level == 0)
        return;
    v->state.level = tile->level;
    v->state.band = tile->band;
    if (twice && tile->stride_log < 0) {
        const int all = v->volume ? WP_VIEW_ORIGINAL : WP_VIEW_MOSAIC;
        v->state.mode = v->state.mode == WP_VIEW_BAND ? all : WP_VIEW_BAND;
        v->state.fit = true;
        v->pinned = false;
    }
}

void wp_viewer_mouse_button(struct wp_viewer *v, int button, bool down)
{
    v->dirty = true;
    wp_ui_mouse_button(button, down);
    v->left_held = button == 0 ? down : v->left_held;
    if (down && wp_ui_captures_mouse())
        return;
    if (down) {
        v->press_on_canvas = true;
        v->moved = false;
        v->press_x = v->mouse_x;
        v->press_y = v->mouse_y;
        const struct wp_pane *pane = &v->pane[wp_pane_at(v, v->mouse_x, v->mouse_y)];
        const float wipe = pane->r.x + (float)v->state.split * pane->r.width;
        v->wipe_grabbed = button == 0 && wp_viewer_comparing(v) &&
                          v->state.compare == WP_COMPARE_WIPE && fabsf(v->mouse_x - wipe) < 8;
        if (v->volume)
            v->state.pane = pane->number; // becomes the active pane
        if (v->volume && button == 0 && !v->wipe_grabbed && !v->ctrl_down)
            move_cross(v);
        else if (!v->volume && button == 0)
            drag_scene(v);
    }
    if (button == 0 && !down && v->press_on_canvas && !v->moved && !v->wipe_grabbed)
        click(v);
    *(button == 0 ? &v->left_down : button == 1 ? &v->right_down : &v->middle_down) = down;
    if (!down)
        v->press_on_canvas = v->wipe_grabbed = false;
}

void wp_viewer_wheel(struct wp_viewer *v, float notches)
{
    v->dirty = true;
    if (wp_ui_captures_mouse()) {
        wp_ui_mouse_wheel(notches);
    } else if (v->volume && !v->ctrl_down) {
        // One notch is one slice. Fractions of notches, from touch pads, accumulate.
        const float wheel = v->wheel + notches, steps = truncf(wheel);
        v->wheel = wheel - steps;
        v->state.pane = v->pane[wp_pane_at(v, v->mouse_x, v->mouse_y)].number;
        wp_slices_step(v, wp_slices_axis(v), (int)steps);
    } else if (v->solver && !v->ctrl_down && v->slices.size[WP_Z] > 1) {
        wp_slices_step(v, wp_slices_axis(v), notches > 0 ? 1 : -1);
    } else {
        wp_panes_zoom(v, pow(2, 0.25 * (double)notches), v->mouse_x, v->mouse_y);
    }
}

// The action of a key with the modifiers that are held down, or NULL.
static const struct wp_action *action_of(const struct wp_viewer *v, int key)
{
    return wp_action_find_key(v, key | (v->shift_down ? WP_MOD_SHIFT : 0) |
                                     (v->ctrl_down ? WP_MOD_CTRL : 0));
}

// True for keys that a text field handles.
static bool is_for_text(int key, bool ctrl)
{
    return (key < 256 && !ctrl) || (key >= WP_KEY_ENTER && key <= WP_KEY_END) ||
           (ctrl && strchr("ACVX", key));
}

void wp_viewer_key_event(struct wp_viewer *v, int key, bool down)
{
    v->dirty = true;
    if (key == WP_KEY_CTRL)
        v->ctrl_down = down;
    // B is shown while only Shift is held down.
    if (key == WP_KEY_SHIFT) {
        v->shift_down = down;
        if (v->state.compare != WP_COMPARE_OFF)
            v->state.flipped = down;
    }
    wp_ui_key(key, down);
    if (down && key == WP_KEY_ESCAPE && wp_ui_close_list())
        return;
    if (down && v->popup == WP_POPUP_WAVELETS && wp_wavelet_list_key(v, key))
        return;
    if (down && v->popup == WP_POPUP_PALETTE && (key == WP_KEY_UP || key == WP_KEY_DOWN)) {
        v->choice += key == WP_KEY_DOWN ? 1 : v->choice > 0 ? -1 : 0;
        return;
    }
    // A popup's text field gets the focus some frames after it opens.
    const bool field = wp_ui_captures_text() || wp_popup_has_field(v->popup);
    const bool typed = field && key < WP_KEY_COUNT && is_for_text(key, v->ctrl_down);
    if (!down || typed || wp_ui_captures_key(key))
        return;
    const struct wp_action *action = action_of(v, key);
    if (action && v->shift_down && v->state.compare != WP_COMPARE_OFF)
        v->state.flipped = false;
    if (action)
        wp_action_run(v, action);
}

void wp_viewer_character(struct wp_viewer *v, unsigned character)
{
    v->dirty = true;
    wp_ui_character(character);
}

void wp_viewer_drop(struct wp_viewer *v, const char *path)
{
    v->dirty = true;
    const size_t length = strlen(path);
    char *note = wp_image_read_note(path, wp_view_state_key);
    wp_viewer_catch(v);
    if (note || (length > 5 && strcmp(path + length - 5, ".json") == 0))
        wp_view_state_read(path, &v->state);
    else if (!v->pyramid && length > 8 && strcmp(path + length - 8, ".wavelet") == 0)
        snprintf(v->state.a.wavelet, sizeof v->state.a.wavelet, "%s", path);
    else if (v->scene->kind != WP_SCENE_TRANSFORMS)
        wp_fail(WP_ERROR_USAGE, "%s: %s", path,
                v->solver ? "a reconstruction accepts only states and wavelets"
                          : "an image shown in tiles excludes other files");
    else if (wp_viewer_pyramid_source(path, &(struct wp_read_params){0}, v->params->memory))
        wp_fail(WP_ERROR_USAGE,
                "%s is shown in tiles, in a separate window\nhint: wavepass view %s", path, path);
    else
        v->state.a.file = v->state.b.file = wp_viewer_add_file(v, path);
    wp_viewer_caught(v);
    free(note);
}

bool wp_viewer_resize(struct wp_viewer *v, int width, int height)
{
    v->dirty = true;
    width = width > 0 ? width : 1;
    height = height > 0 ? height : 1;
    if (v->windowed) {
        v->screen.width = width;
        v->screen.height = height;
        return true;
    }
    if (v->screen.id && v->screen.width == width && v->screen.height == height)
        return true;
    wp_screen_destroy(&v->screen);
    return wp_screen_create(v->gl, width, height, &v->screen);
}

void wp_viewer_watch(struct wp_viewer *v)
{
    static const double EVERY = 0.5;
    if (v->now < v->next_watch)
        return;
    v->next_watch = v->now + EVERY;
    if (v->scene->watch)
        v->scene->watch(v);
    for (int ab = WP_A; ab <= WP_B; ab++) {
        const int file = v->source[ab].file;
        if (file >= 0 && wp_file_modified_since(v->file[file].path, v->file[file].modified)) {
            v->source[ab].stale = true;
            v->dirty = true;
        }
    }
    if (v->params->shaders && wp_view_shaders_changed(v->params->shaders))
        wp_action_run(v, wp_action_find("reload"));
}

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
    q->event = wp_xrealloc(q->event, (size_t)q->count + 1, sizeof *q->event);
    q->event[q->count++] = *event;
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
            (e->code == next->code || (e->down && next->down && e->code != WP_KEY_SHIFT &&
                                       e->code != WP_KEY_CTRL)))
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
        const struct wp_action *action = action_of(v, e->code);
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

// Passes the events to the interface that one frame can process. Returns false if the queue is
// empty; true if events were passed or wait for a text field to get the focus.
static bool next_events(struct wp_viewer *v)
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

// Limits in seconds and frames without a displayed frame, however many events arrive.
static const double LONGEST_HIDDEN = 0.1;
enum { MOST_HIDDEN = 5 };

bool wp_redraw_next(struct wp_viewer *v)
{
    struct wp_redraw *p = &v->redraw;
    const bool processing = next_events(v) || wp_ui_needs_frame();
    const bool measures =
        v->left_held && v->changed && !v->stepped.valid && v->now >= v->next_measure;
    const bool moving = v->state.live || v->state.playing || measures;
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
