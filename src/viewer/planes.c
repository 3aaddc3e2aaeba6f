#include "planes.h"

#include "canvas.h"
#include "holds.h"
#include "panes.h"
#include "tiles.h"
#include "viewer_struct.h"

#include <math.h>
#include <string.h>

// As many lines of it as there is room for.
static void label(const struct wp_pane *pane, const struct wp_tile *t, char *text)
{
    const float em = wp_ui_em();
    float left, top, right, bottom;
    wp_pane_to_screen(pane, (double)t->x, (double)t->y, &left, &top);
    wp_pane_to_screen(pane, (double)(t->x + t->unit[0] * (float)t->width),
                      (double)(t->y + t->unit[1] * (float)t->height), &right, &bottom);
    while (wp_ui_text_width(text) + 1.2F * em > right - left) {
        char *last = strrchr(text, '\n');
        if (!last)
            return;
        *last = '\0';
    }
    if (bottom - top > 3 * em)
        wp_canvas_label(floorf(left) + 3, floorf(top) + 3, WP_UI_WHITE, text);
}

void wp_planes_overlay(struct wp_viewer *v)
{
    if (v->state.mode != WP_VIEW_PASS || v->volume || !v->ready[WP_A])
        return;
    const enum wp_direction direction = (enum wp_direction)v->state.direction;
    const struct wp_plan *plan = wp_side_plan(&v->side[WP_A], direction);
    if (!plan)
        return;
    const struct wp_rect_f *c = &v->canvas;
    wp_ui_clip(c->x, c->y, c->width, c->height);
    for (int i = 0; i < v->tiles; i++) {
        struct wp_tile *t = &v->tile[i];
        struct wp_text text = {0};
        if (t->component < WP_COMPONENTS) {
            const struct wp_holds holds = wp_holds_after(
                plan, direction, wp_pass_shown(&v->state), t->component);
            wp_holds_tell(&holds, &text);
        } else {
            wp_text_add(&text, "quads, interleaved");
        }
        if (text.data)
            label(&v->pane[0], t, text.data);
        wp_text_free(&text);
    }
    wp_ui_unclip();
}
