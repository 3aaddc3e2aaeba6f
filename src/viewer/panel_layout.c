#include "panel_layout.h"

#include "viewer_struct.h"

static const float LEAST_CANVAS = 18;

// True if a panel of its default width leaves enough space for the canvas; `taken` is the width of
// the other panel.
static bool leaves_canvas(float width, float used, double default_width)
{
    return width - used - (float)default_width >= LEAST_CANVAS;
}

void wp_panel_layout_choose(struct wp_viewer *v, float width)
{
    const struct wp_view_state *s = &v->state;
    v->folded[WP_LEFT] = s->fold_left || !leaves_canvas(width, 0, WP_LEFT_WIDTH);
    const float left = v->folded[WP_LEFT] ? WP_STRIP : (float)WP_LEFT_WIDTH;
    v->folded[WP_RIGHT] = s->fold_right || !leaves_canvas(width, left, WP_RIGHT_WIDTH);
}

void wp_panel_layout_fold(struct wp_viewer *v, int panel)
{
    bool *const fold[] = {&v->state.fold_left, &v->state.fold_right};
    const bool opens = v->folded[panel];
    const float width = (float)v->screen.width / wp_ui_em();
    *fold[panel] = !opens;
    wp_panel_layout_choose(v, width);
    if (opens && v->folded[panel])
        *fold[!panel] = true;
    wp_panel_layout_choose(v, width);
}
