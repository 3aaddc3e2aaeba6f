#include "planes.h"

#include "canvas.h"
#include "polyphase_state.h"
#include "panes.h"
#include "tiles.h"
#include "viewer_struct.h"

#include <math.h>
#include <string.h>

// True if a label fits and leaves some of the tile visible.
static bool fits(float width, float height, const char *text)
{
    const float em = wp_ui_em();
    int lines = 1;
    for (const char *t = text; *t; t++)
        lines += *t == '\n';
    return wp_ui_text_width(text) + 1.2F * em <= width && ((float)lines + 1.3F) * em <= height;
}

// Draws the full text if it fits, else as many lines of the brief text as fit.
static void label(const struct wp_pane *pane, const struct wp_tile *t, const char *full,
                  char *brief)
{
    float left, top, right, bottom;
    wp_pane_to_screen(pane, (double)t->x, (double)t->y, &left, &top);
    wp_pane_to_screen(pane, (double)(t->x + t->unit[0] * (float)t->width),
                      (double)(t->y + t->unit[1] * (float)t->height), &right, &bottom);
    const float width = right - left, height = bottom - top;
    const bool full_fits = fits(width, height, full);
    while (!full_fits && !fits(width, height, brief)) {
        char *last = strrchr(brief, '\n');
        if (!last)
            return;
        *last = '\0';
    }
    wp_canvas_label(floorf(left) + 3, floorf(top) + 3, WP_UI_WHITE, full_fits ? full : brief);
}

void wp_planes_overlay(struct wp_viewer *v)
{
    if (v->state.mode != WP_VIEW_PASS || v->volume || !v->ready[WP_A])
        return;
    const enum wp_direction direction = (enum wp_direction)v->state.direction;
    const struct wp_schedule *schedule = wp_instance_schedule(&v->instance[WP_A], direction);
    if (!schedule)
        return;
    const struct wp_rect_f *c = &v->canvas;
    wp_ui_clip(c->x, c->y, c->width, c->height);
    for (int i = 0; i < v->tiles; i++) {
        struct wp_tile *t = &v->tile[i];
        struct wp_text full = {0}, brief = {0};
        if (t->component < WP_COMPONENTS) {
            const struct wp_polyphase_state state = wp_polyphase_state_after(
                schedule, direction, wp_pass_shown(&v->state), t->component);
            wp_polyphase_state_describe(&state, &full);
            wp_polyphase_state_abbreviate(&state, &brief);
        } else {
            wp_text_add(&full, "quads, interleaved");
            wp_text_add(&brief, "quads");
        }
        if (brief.data)
            label(&v->pane[0], t, wp_text_get(&full), brief.data);
        wp_text_free(&full);
        wp_text_free(&brief);
    }
    wp_ui_unclip();
}
