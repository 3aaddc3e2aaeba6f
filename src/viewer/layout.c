#include "layout.h"

#include "panel_layout.h"
#include "viewer_struct.h"

#include <math.h>

// All sizes in lines of text.
static const float LEAST_WINDOW[2] = {30, 20}; // for panels to be shown
static const float NARROWEST_CANVAS = 6;
static const float BOTTOM = 5.9F, LEAST_WITH_BOTTOM = 24, STATUS = 1.75F;
static const float EDGE = 0.5F;
static const float FOLDS_BELOW = 6;

// A collapsed panel.
static void show_strip(struct wp_viewer *v, struct wp_rect_f r, int right)
{
    wp_ui_begin_panel(right ? "right" : "left", r.x, r.y, r.width, r.height,
                      WP_UI_BAR | WP_UI_TIGHT);
    if (wp_ui_button(right ? "<###open" : ">###open"))
        wp_panel_layout_fold(v, right);
    wp_ui_tooltip(right ? "The inspector (F8)" : "The control panel (F7)");
    wp_ui_end_panel();
}

// The draggable border between a panel and the canvas.
static void show_edge(struct wp_viewer *v, struct wp_rect_f r, int right)
{
    const float em = wp_ui_em(), wide = EDGE * em;
    float x;
    const float middle = right ? r.x : r.x + r.width;
    if (!wp_ui_edge(right ? "right edge" : "left edge", middle - 0.5F * wide, r.y, wide, r.height,
                    &x))
        return;
    const double width = (double)((right ? r.x + r.width - x : x - r.x) / em);
    if (width < (double)FOLDS_BELOW)
        *(right ? &v->state.fold_right : &v->state.fold_left) = true;
    else
        *(right ? &v->state.right : &v->state.left) = fmin(fmax(width, WP_NARROWEST), WP_WIDEST);
}

void wp_layout_panels(struct wp_viewer *v, struct wp_rect_f *canvas)
{
    const struct wp_view_state *s = &v->state;
    const struct wp_scene *scene = v->scene;
    const float em = wp_ui_em(), width = canvas->width, top = canvas->y;
    if (width < LEAST_WINDOW[0] * em || canvas->height < LEAST_WINDOW[1] * em)
        return;
    wp_panel_layout_choose(v, width / em);
    const float status = STATUS * em, end = top + canvas->height;
    const bool has_bottom = scene->bottom && canvas->height >= LEAST_WITH_BOTTOM * em;
    const float bottom = has_bottom ? BOTTOM * em : 0;
    const float available = width - NARROWEST_CANVAS * em;
    float left = v->folded[WP_LEFT] ? WP_STRIP * em : (float)s->left * em;
    float right = !scene->right           ? 0
                  : v->folded[WP_RIGHT] ? WP_STRIP * em
                                        : (float)s->right * em;
    if (left + right > available) {
        const float shrink = available / (left + right);
        left = floorf(left * shrink);
        right = floorf(right * shrink);
    }
    canvas->height -= status + bottom;
    const struct wp_rect_f r[2] = {{0, top, left, canvas->height},
                                   {width - right, top, right, canvas->height}};
    canvas->x = left;
    canvas->width -= left + right;
    // In keyboard navigation order.
    if (v->folded[WP_LEFT])
        show_strip(v, r[WP_LEFT], WP_LEFT);
    else
        scene->left(v, r[WP_LEFT]);
    v->covered = s->large && scene->right;
    if (v->covered)
        scene->right(v, (struct wp_rect_f){left, top, width - left, canvas->height});
    else if (scene->right && v->folded[WP_RIGHT])
        show_strip(v, r[WP_RIGHT], WP_RIGHT);
    else if (scene->right)
        scene->right(v, r[WP_RIGHT]);
    if (has_bottom)
        scene->bottom(v, (struct wp_rect_f){0, end - status - bottom, width, bottom});
    scene->status(v, (struct wp_rect_f){0, end - status, width, status});
    if (!v->folded[WP_LEFT])
        show_edge(v, r[WP_LEFT], WP_LEFT);
    if (scene->right && !v->folded[WP_RIGHT] && !s->large)
        show_edge(v, r[WP_RIGHT], WP_RIGHT);
}
