// Panes: their positions on the screen, zoom and center.
#include "viewer_struct.h"

#include <math.h>

static const double ZOOM_LEAST = 1e-3, ZOOM_MOST = 512;

static const float GAP = 2; // between panes, in pixels

static void set_rects(struct wp_viewer *v, struct wp_rect_f canvas)
{
    const int columns = v->panes > 4 ? 3 : v->panes > 1 ? 2 : 1, rows = v->panes > 2 ? 2 : 1;
    const float width = floorf((canvas.width - GAP * (float)(columns - 1)) / (float)columns);
    const float height = floorf((canvas.height - GAP * (float)(rows - 1)) / (float)rows);
    for (int p = 0; p < v->panes; p++) {
        struct wp_pane *pane = &v->pane[p];
        pane->r = (struct wp_rect_f){canvas.x + (float)(p % columns) * (width + GAP),
                                     canvas.y + (float)(p / columns) * (height + GAP), width,
                                     height};
        const float bar = v->volume && !v->params->bare ? floorf(1.9F * wp_ui_em()) : 0;
        if (height > 3 * bar)
            pane->r.height -= bar;
        pane->bar = (struct wp_rect_f){pane->r.x, pane->r.y + pane->r.height, width,
                                       height > 3 * bar ? bar : 0};
    }
}

// The zoom that shows the complete pane.
static double fitting(const struct wp_pane *pane)
{
    const double fill = 1 - 0.03;
    return fmin(fill * (double)(pane->r.width / pane->extent[0]),
                fill * (double)(pane->r.height / pane->extent[1]));
}

static bool has_extent(const struct wp_pane *pane)
{
    return pane->extent[0] > 0 && pane->extent[1] > 0;
}

static double *centre_of(struct wp_view_state *s, int axis)
{
    double *const centre[WP_DIMS_MAX] = {&s->x, &s->y, &s->z};
    return centre[axis];
}

static void fit(struct wp_viewer *v)
{
    double zoom = 0;
    for (int p = 0; p < v->panes; p++)
        if (!v->pane[p].independent && has_extent(&v->pane[p]))
            zoom = zoom > 0 ? fmin(zoom, fitting(&v->pane[p])) : fitting(&v->pane[p]);
    if (zoom <= 0)
        return;
    v->state.zoom = zoom;
    wp_panes_centre(v);
}

void wp_panes_lay_out(struct wp_viewer *v, struct wp_rect_f canvas)
{
    struct wp_view_state *s = &v->state;
    v->canvas = canvas;
    // An image has one pane, or two with A and B side by side.
    const bool image = !v->volume && !v->solver;
    if (image)
        v->panes = wp_viewer_shows_both(v) && s->compare == WP_COMPARE_SIDE ? 2 : 1;
    for (int p = 0; p < v->panes && image; p++)
        v->pane[p] = (struct wp_pane){
            .orientation = {.axis = WP_Z, .across = WP_X, .down = WP_Y}, .tiles = v->tiles,
            .extent = {v->view_width, v->view_height}, .b = p == 1, .mode = s->mode,
        };
    set_rects(v, canvas);
    if (s->fit)
        fit(v);
    s->zoom = fmin(fmax(s->zoom, ZOOM_LEAST), ZOOM_MOST);
    for (int p = 0; p < v->panes; p++) {
        struct wp_pane *pane = &v->pane[p];
        const struct wp_orientation *f = &pane->orientation;
        const double x = *centre_of(s, f->across), y = *centre_of(s, f->down);
        const bool independent = pane->independent && has_extent(pane);
        pane->zoom = independent ? fitting(pane) : s->zoom;
        pane->x = independent ? 0.5 * (double)pane->extent[0]
                        : f->flip[0] ? (double)pane->extent[0] - x : x;
        pane->y = independent ? 0.5 * (double)pane->extent[1]
                        : f->flip[1] ? (double)pane->extent[1] - y : y;
    }
}

void wp_panes_active(const struct wp_viewer *v, int *first, int *end)
{
    *first = 0;
    *end = v->tiles;
    for (int p = 0; p < v->panes && v->volume; p++) {
        const struct wp_pane *pane = &v->pane[p];
        if (pane->number == v->state.pane && pane->tiles > 0) {
            *first = pane->first;
            *end = pane->first + pane->tiles;
        }
    }
}

int wp_pane_at(const struct wp_viewer *v, float x, float y)
{
    int at = 0;
    for (int p = 1; p < v->panes; p++)
        if ((x >= v->pane[p].r.x || v->pane[p].r.x <= v->pane[0].r.x) &&
            (y >= v->pane[p].r.y || v->pane[p].r.y <= v->pane[0].r.y))
            at = p;
    return at;
}

void wp_pane_origin(const struct wp_pane *p, double *x, double *y)
{
    *x = floor((double)(p->r.x + 0.5F * p->r.width) - p->x * p->zoom + 0.5);
    *y = floor((double)(p->r.y + 0.5F * p->r.height) - p->y * p->zoom + 0.5);
}

void wp_pane_to_screen(const struct wp_pane *p, double x, double y, float *px, float *py)
{
    double x0, y0;
    wp_pane_origin(p, &x0, &y0);
    *px = (float)(x0 + x * p->zoom);
    *py = (float)(y0 + y * p->zoom);
}

void wp_pane_to_view(const struct wp_pane *p, float px, float py, double *x, double *y)
{
    double x0, y0;
    wp_pane_origin(p, &x0, &y0);
    *x = ((double)px - x0) / p->zoom;
    *y = ((double)py - y0) / p->zoom;
}

void wp_pane_range(const struct wp_pane *p, float inset, double from[2], double to[2])
{
    wp_pane_to_view(p, p->r.x + inset, p->r.y + inset, &from[0], &from[1]);
    wp_pane_to_view(p, p->r.x + p->r.width - inset, p->r.y + p->r.height - inset, &to[0], &to[1]);
}

void wp_face_to_screen(const struct wp_pane *p, const struct wp_face *f, float x, float y,
                       float *px, float *py)
{
    wp_pane_to_screen(p, (double)(f->origin[0] + x * f->across[0] + y * f->down[0]),
                      (double)(f->origin[1] + x * f->across[1] + y * f->down[1]), px, py);
}

static void move(struct wp_view_state *s, const struct wp_pane *pane, double dx, double dy)
{
    const struct wp_orientation *f = &pane->orientation;
    *centre_of(s, f->across) += f->flip[0] ? -dx : dx;
    *centre_of(s, f->down) += f->flip[1] ? -dy : dy;
    s->fit = false;
}

void wp_panes_zoom(struct wp_viewer *v, double factor, float x, float y)
{
    struct wp_view_state *s = &v->state;
    const struct wp_pane *p = &v->pane[wp_pane_at(v, x, y)];
    const double dx = p->independent ? 0 : (double)x - (double)(p->r.x + 0.5F * p->r.width);
    const double dy = p->independent ? 0 : (double)y - (double)(p->r.y + 0.5F * p->r.height);
    const double zoom = fmin(fmax(s->zoom * factor, ZOOM_LEAST), ZOOM_MOST);
    move(s, p, dx / s->zoom - dx / zoom, dy / s->zoom - dy / zoom);
    s->zoom = zoom;
}

void wp_panes_pan(struct wp_viewer *v, float dx, float dy)
{
    const struct wp_pane *p = &v->pane[wp_pane_at(v, v->press_x, v->press_y)];
    if (!p->independent)
        move(&v->state, p, -(double)dx / v->state.zoom, -(double)dy / v->state.zoom);
}

void wp_panes_centre(struct wp_viewer *v)
{
    for (int p = 0; p < v->panes; p++) {
        const struct wp_pane *pane = &v->pane[p];
        if (pane->independent)
            continue;
        *centre_of(&v->state, pane->orientation.across) = 0.5 * (double)pane->extent[0];
        *centre_of(&v->state, pane->orientation.down) = 0.5 * (double)pane->extent[1];
    }
}
