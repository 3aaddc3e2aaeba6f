#include "panel_layout.h"

#include "viewer_struct.h"

static const float LEAST_CANVAS = 18;

// Beside a panel as wide as it is at first, and what another one has taken.
static bool has_room(float width, float taken, double usual)
{
    return width - taken - (float)usual >= LEAST_CANVAS;
}

void wp_panel_layout_choose(struct wp_viewer *v, float width)
{
    const struct wp_view_state *s = &v->state;
    v->folded[WP_LEFT] = s->fold_left || !has_room(width, 0, WP_LEFT_WIDTH);
    const float left = v->folded[WP_LEFT] ? WP_STRIP : (float)WP_LEFT_WIDTH;
    v->folded[WP_RIGHT] = s->fold_right || !has_room(width, left, WP_RIGHT_WIDTH);
}

void wp_panel_layout_fold(struct wp_viewer *v, int side)
{
    bool *const fold[] = {&v->state.fold_left, &v->state.fold_right};
    const bool opens = v->folded[side];
    const float width = (float)v->screen.width / wp_ui_em();
    *fold[side] = !opens;
    wp_panel_layout_choose(v, width);
    if (opens && v->folded[side])
        *fold[!side] = true;
    wp_panel_layout_choose(v, width);
}
