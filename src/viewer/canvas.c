// The canvas: where things lie on the screen, and drawing them.
#include "canvas.h"

#include "memory.h"
#include "backend_gl.h"
#include "tiles.h"
#include "view_shaders.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ZOOM_LEAST = 1e-3, ZOOM_MOST = 512;

static bool showing_both(const struct wp_viewer *v)
{
    return wp_viewer_comparing(v) && v->state.mode != WP_VIEW_PASS;
}

void wp_canvas_layout(struct wp_viewer *v, struct wp_rect_f canvas)
{
    struct wp_view_state *s = &v->state;
    v->canvas = canvas;
    v->panes = showing_both(v) && s->compare == WP_COMPARE_SIDE ? 2 : 1;
    const float gap = v->panes == 2 ? 2 : 0;
    const float width = floorf((canvas.width - gap) / (float)v->panes);
    for (int p = 0; p < v->panes; p++)
        v->pane[p] = (struct wp_rect_f){canvas.x + (float)p * (width + gap), canvas.y, width,
                                        canvas.height};
    if (s->fit && v->view_width > 0 && v->view_height > 0) {
        const double room = 1 - 0.03;
        s->zoom = fmin(room * (double)(width / v->view_width),
                       room * (double)(canvas.height / v->view_height));
        s->x = 0.5 * (double)v->view_width;
        s->y = 0.5 * (double)v->view_height;
    }
    s->zoom = fmin(fmax(s->zoom, ZOOM_LEAST), ZOOM_MOST);
}

// Pixels of the view's origin. Whole ones, so that pixels of an image at 1:1 are those of the
// screen.
static void origin(const struct wp_viewer *v, int pane, double *x, double *y)
{
    const struct wp_rect_f *p = &v->pane[pane];
    *x = floor((double)(p->x + 0.5F * p->width) - v->state.x * v->state.zoom + 0.5);
    *y = floor((double)(p->y + 0.5F * p->height) - v->state.y * v->state.zoom + 0.5);
}

static void to_screen(const struct wp_viewer *v, int pane, double x, double y, float *px,
                      float *py)
{
    double x0, y0;
    origin(v, pane, &x0, &y0);
    *px = (float)(x0 + x * v->state.zoom);
    *py = (float)(y0 + y * v->state.zoom);
}

// The pane under a point; the last one where there is none.
static int pane_at(const struct wp_viewer *v, float x)
{
    return v->panes == 2 && x >= v->pane[1].x ? 1 : 0;
}

void wp_canvas_zoom(struct wp_viewer *v, double factor, float x, float y)
{
    struct wp_view_state *s = &v->state;
    const struct wp_rect_f *p = &v->pane[pane_at(v, x)];
    const double dx = (double)(x - (p->x + 0.5F * p->width));
    const double dy = (double)(y - (p->y + 0.5F * p->height));
    const double zoom = fmin(fmax(s->zoom * factor, ZOOM_LEAST), ZOOM_MOST);
    // The point under the pointer stays where it is.
    s->x += dx / s->zoom - dx / zoom;
    s->y += dy / s->zoom - dy / zoom;
    s->zoom = zoom;
    s->fit = false;
}

void wp_canvas_pan(struct wp_viewer *v, float dx, float dy)
{
    struct wp_view_state *s = &v->state;
    s->x -= (double)dx / s->zoom;
    s->y -= (double)dy / s->zoom;
    s->fit = false;
}

// As display.frag numbers what is shown of A and B.
enum choose { CHOOSE_A, CHOOSE_B, CHOOSE_DIFFERENCE, CHOOSE_WIPE, CHOOSE_CHECKER };

static enum choose choose(const struct wp_viewer *v, int pane)
{
    if (!showing_both(v))
        return CHOOSE_A;
    if (v->state.compare == WP_COMPARE_SIDE)
        return pane == 1 ? CHOOSE_B : CHOOSE_A;
    if (v->state.flipped)
        return CHOOSE_B;
    switch ((enum wp_compare)v->state.compare) {
    case WP_COMPARE_DIFFERENCE: return CHOOSE_DIFFERENCE;
    case WP_COMPARE_WIPE: return CHOOSE_WIPE;
    case WP_COMPARE_CHECKER: return CHOOSE_CHECKER;
    default: return CHOOSE_A;
    }
}

static double largest_difference(const struct wp_viewer *v)
{
    return v->results.has_shown ? wp_measure_largest(&v->results.shown) : 0;
}

// The difference that is as bright as can be.
static float difference_high(const struct wp_viewer *v)
{
    const double most = largest_difference(v);
    const int metric = v->state.metric;
    if (v->state.range == WP_RANGE_FIXED || !(most > 0) || metric == WP_VIEW_RAE ||
        metric == WP_VIEW_RSE)
        return 1;
    return (float)(metric == WP_VIEW_SE ? most * most : most);
}

// The part of a pane that a tile covers, in whole pixels.
static struct wp_rect visible(const struct wp_viewer *v, int pane, const struct wp_tile *tile)
{
    const struct wp_rect_f *p = &v->pane[pane];
    const float unit = tile->unit * (tile->stride_log > 0 ? (float)(1 << tile->stride_log) : 1);
    float left, top, right, bottom;
    to_screen(v, pane, (double)tile->x, (double)tile->y, &left, &top);
    to_screen(v, pane, (double)(tile->x + unit * (float)tile->width),
                        (double)(tile->y + unit * (float)tile->height), &right, &bottom);
    left = fmaxf(floorf(left), p->x);
    top = fmaxf(floorf(top), p->y);
    right = fminf(ceilf(right), p->x + p->width);
    bottom = fminf(ceilf(bottom), p->y + p->height);
    return (struct wp_rect){(int)left, (int)top, (int)(right - left), (int)(bottom - top)};
}

static void draw_tile(struct wp_viewer *v, int pane, const struct wp_tile *tile)
{
    const bool small = tile->stride_log < 0 && (double)tile->unit * v->state.zoom < 1;
    struct wp_program *program = wp_view_program(v->gl, WP_SHADER_DISPLAY, small);
    const struct wp_rect r = visible(v, pane, tile);
    if (!program || r.width <= 0 || r.height <= 0)
        return;
    const struct wp_view_state *s = &v->state;
    const struct wp_rect_f *p = &v->pane[pane];
    const enum choose chosen = choose(v, pane);
    const bool difference = chosen == CHOOSE_DIFFERENCE;
    const struct wp_quads a = tile->quads[WP_A];
    const struct wp_quads b = tile->quads[WP_B].texture ? tile->quads[WP_B] : a;
    const float high = difference ? difference_high(v) : tile->high;
    double x0, y0;
    origin(v, pane, &x0, &y0);
    wp_program_read(program, "source", 0, a.texture);
    wp_program_read(program, "other", 1, b.texture);
    wp_program_set4(program, "place", (const int[]){a.x, a.y, b.x, b.y});
    wp_program_set2(program, "samples", tile->width, tile->height);
    wp_program_set(program, "component", tile->component);
    wp_program_set(program, "stride_log", tile->stride_log);
    wp_program_set(program, "low_only", tile->low_only);
    wp_program_set_floats(program, "pane", 4, (const float[]){(float)x0, (float)y0, 0, 0});
    wp_program_set_floats(program, "zoom", 1, (const float[]){(float)s->zoom});
    wp_program_set_floats(program, "screen_height", 1, (const float[]){(float)v->screen.height});
    wp_program_set_floats(program, "tile", 4, (const float[]){tile->x, tile->y, tile->unit,
                                                              s->grid ? 1.0F : 0.0F});
    wp_program_set(program, "choose", (int)chosen);
    wp_program_set(program, "metric", s->metric);
    wp_program_set_floats(program, "split", 1,
                          (const float[]){floorf(p->x + (float)s->split * p->width)});
    wp_program_set_floats(program, "range", 4, (const float[]){difference ? 0 : tile->low, high,
                                                               (float)s->gain, (float)s->offset});
    wp_program_set(program, "scale", s->scale);
    wp_program_set(program, "map", s->map);
    wp_program_set(program, "picture", tile->picture && !difference);
    wp_program_read(program, "maps", 2, &v->maps);
    wp_screen_draw(&v->screen, program, r.x, r.y, r.width, r.height);
}

void wp_canvas_draw(struct wp_viewer *v)
{
    for (int pane = 0; pane < v->panes; pane++)
        for (int i = 0; i < v->tiles; i++)
            draw_tile(v, pane, &v->tile[i]);
}

// Of a sample in a tile: its quad and component. False where it is another level's.
static bool locate(const struct wp_tile *tile, int x, int y, int *quad_x, int *quad_y,
                   int *component)
{
    *quad_x = tile->component < 4 ? x : x / 2;
    *quad_y = tile->component < 4 ? y : y / 2;
    *component = tile->component < 4 ? tile->component : x % 2 + 2 * (y % 2);
    return tile->stride_log < 0 || (*component == 0) == tile->low_only;
}

// The sample of a tile that lies at view coordinates; false where there is none.
static bool sample_at(const struct wp_tile *tile, double vx, double vy, int *x, int *y)
{
    const double fx = floor((vx - (double)tile->x) / (double)tile->unit);
    const double fy = floor((vy - (double)tile->y) / (double)tile->unit);
    const int stride = tile->stride_log > 0 ? 1 << tile->stride_log : 1;
    if (fx < 0 || fy < 0 || fx >= (double)tile->width * stride ||
        fy >= (double)tile->height * stride)
        return false;
    *x = (int)fx;
    *y = (int)fy;
    int quad_x, quad_y, component;
    if (*x % stride || *y % stride)
        return false;
    *x /= stride;
    *y /= stride;
    return *x < tile->width && *y < tile->height &&
           locate(tile, *x, *y, &quad_x, &quad_y, &component);
}

// Of a quad of a tile: at odd edges, too, it has fewer components than four.
static bool has_sample(const struct wp_viewer *v, const struct wp_tile *tile, int ab, int quad_x,
                       int quad_y, int component)
{
    if (tile->level == 0)
        return 2 * quad_x + component % 2 < tile->width &&
               2 * quad_y + component / 2 < tile->height;
    const struct wp_side *side = &v->side[ab];
    const enum wp_band band = (enum wp_band)component;
    const struct wp_band_view view = wp_band_view(side->plane.width, side->plane.height,
                                                  tile->level, band, WP_LAYOUT_MALLAT);
    return quad_x < view.width && quad_y < view.height &&
           wp_side_has_band(side, tile->level, band);
}

void wp_canvas_hover(struct wp_viewer *v)
{
    const struct wp_rect_f *c = &v->canvas;
    const float x = v->hover_x, y = v->hover_y;
    const bool inside = x >= c->x && y >= c->y && x < c->x + c->width && y < c->y + c->height;
    if (!v->pinned) {
        v->hover_tile = -1;
        double x0, y0;
        origin(v, pane_at(v, x), &x0, &y0);
        const double vx = ((double)x - x0) / v->state.zoom, vy = ((double)y - y0) / v->state.zoom;
        for (int i = 0; i < v->tiles && inside && v->has_hover; i++)
            if (sample_at(&v->tile[i], vx, vy, &v->hover_px, &v->hover_py))
                v->hover_tile = i;
    }
    if (v->hover_tile >= v->tiles)
        v->hover_tile = -1;
    if (v->hover_tile < 0)
        return;
    const struct wp_tile *tile = &v->tile[v->hover_tile];
    v->hover_px = v->hover_px < tile->width ? v->hover_px : tile->width - 1;
    v->hover_py = v->hover_py < tile->height ? v->hover_py : tile->height - 1;
    int quad_x, quad_y, component;
    locate(tile, v->hover_px, v->hover_py, &quad_x, &quad_y, &component);
    for (int ab = WP_A; ab <= WP_B; ab++) {
        const struct wp_quads *q = &tile->quads[ab];
        if (q->texture)
            wp_texture_read(q->texture, q->x + quad_x, q->y + quad_y, 1, 1, v->hover_value[ab]);
        for (int i = 0; i < WP_COMPONENTS && q->texture; i++)
            v->hover_has[ab][i] = has_sample(v, tile, ab, quad_x, quad_y, i);
    }
}

// Numbers in the samples of a tile that are on the screen, as far as there is room for them.
static void draw_values(struct wp_viewer *v, int pane, const struct wp_tile *tile)
{
    const float em = wp_ui_em(), side = (float)v->state.zoom * tile->unit;
    if (side < 4.2F * em || tile->stride_log >= 0)
        return;
    const struct wp_rect_f *p = &v->pane[pane];
    float left, top;
    to_screen(v, pane, (double)tile->x, (double)tile->y, &left, &top);
    const int x0 = (int)fmaxf(0, floorf((p->x - left) / side));
    const int y0 = (int)fmaxf(0, floorf((p->y - top) / side));
    const int x1 = (int)fminf((float)tile->width, ceilf((p->x + p->width - left) / side));
    const int y1 = (int)fminf((float)tile->height, ceilf((p->y + p->height - top) / side));
    if (x0 >= x1 || y0 >= y1)
        return;
    const bool all = tile->component == 4;
    const int qx = all ? x0 / 2 : x0, qy = all ? y0 / 2 : y0;
    const int width = (all ? (x1 + 1) / 2 : x1) - qx, height = (all ? (y1 + 1) / 2 : y1) - qy;
    const enum choose chosen = choose(v, pane);
    const struct wp_quads *q = &tile->quads[chosen == CHOOSE_B ? WP_B : WP_A];
    float *quads = wp_allocate((size_t)width * (size_t)height, 4 * sizeof *quads, "numbers");
    if (!quads)
        return;
    wp_texture_read(q->texture, q->x + qx, q->y + qy, width, height, quads);
    const float size = fminf(em, side * 0.2F);
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            int quad_x, quad_y, component;
            locate(tile, x, y, &quad_x, &quad_y, &component);
            const float value = quads[4 * ((quad_y - qy) * width + quad_x - qx) + component];
            char text[24];
            snprintf(text, sizeof text, "%.4f", (double)value);
            const float w = wp_ui_text_width(text) * size / em;
            const float px = left + ((float)x + 0.5F) * side - 0.5F * w;
            const float py = top + ((float)y + 0.5F) * side - 0.5F * size;
            wp_ui_draw_rect(px - 3, py - 1, w + 6, size + 2, WP_UI_BLACK, 0.55F);
            wp_ui_draw_text(px, py, WP_UI_WHITE, size, text);
        }
    }
    free(quads);
}

static void draw_label(float x, float y, enum wp_ui_colour colour, const char *text)
{
    const float em = wp_ui_em();
    int lines = 1;
    for (const char *t = text; *t; t++)
        lines += *t == '\n';
    const float height = ((float)lines + 0.3F) * em;
    wp_ui_draw_rect(x, y, wp_ui_text_width(text) + 0.7F * em, height, WP_UI_BLACK, 0.62F);
    wp_ui_draw_text(x + 0.35F * em, y + 0.15F * em, colour, em, text);
}

static void draw_borders(struct wp_viewer *v, int pane)
{
    const float em = wp_ui_em();
    for (int i = 0; i < v->tiles; i++) {
        const struct wp_tile *t = &v->tile[i];
        if (t->stride_log >= 0 || t->level == 0)
            continue;
        float x, y;
        to_screen(v, pane, (double)t->x, (double)t->y, &x, &y);
        const float w = (float)t->width * t->unit * (float)v->state.zoom;
        const float h = (float)t->height * t->unit * (float)v->state.zoom;
        const bool selected = t->level == v->state.level && t->band == v->state.band;
        if (v->state.mode != WP_VIEW_BAND && (w > 8 || selected))
            wp_ui_draw_frame(x, y, w, h, selected ? WP_UI_ACCENT : WP_UI_LINE,
                             selected ? 2.0F : 1.0F);
        char name[16];
        snprintf(name, sizeof name, "%s%d", wp_band_names[t->band], t->level);
        if (w > wp_ui_text_width(name) + 1.5F * em && h > 2.2F * em)
            draw_label(x + 3, y + 3, WP_UI_WHITE, name);
    }
}

static void describe_side(const struct wp_viewer *v, int ab, char *text, size_t size)
{
    const struct wp_side *side = &v->side[ab];
    char time[96] = "";
    double map, unmap;
    const struct wp_backend_gl *gl = side->backend->gl;
    if (v->state.times && gl && gl->handover) {
        gl->handover(side->exec[WP_FORWARD], &map, &unmap);
        snprintf(time, sizeof time, "%.3g ms  (map %.2g, unmap %.2g)",
                 1e3 * side->seconds[WP_FORWARD], 1e3 * map, 1e3 * unmap);
    } else if (v->state.times) {
        snprintf(time, sizeof time, "%.3g ms", 1e3 * side->seconds[WP_FORWARD]);
    }
    const char *path = v->file_count ? v->file[ab == WP_A ? v->state.a.file
                                                          : v->state.b.file].path : "";
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const bool files = v->state.a.file != v->state.b.file;
    const struct wp_view_side *view = &side->params.view;
    const struct wp_backend *b = side->backend;
    const struct wp_variant *variant = b->variant ? b->variant(side->exec[WP_FORWARD]) : NULL;
    const unsigned image = wp_side_image_texture(side);
    const bool one = ab == WP_B && image == wp_side_image_texture(&v->side[WP_A]);
    const char *where = image == 0 ? " via the host" : one ? " on A's texture" : "";
    const char *bits = view->precision == WP_PRECISION_F32
                           ? "" : wp_precision_names[view->precision];
    const char *gap = v->panes == 2 ? "\n    " : "  "; // a pane is narrow
    snprintf(text, size, "%s  %s/%s%s%s%s%s%s%s%s%s%s%s%s%s", ab == WP_A ? "A" : "B",
             side->wavelet.name, wp_scheme_kinds[view->scheme].alias, view->plain ? "/plain" : "",
             gap, b->name, variant ? " " : "", variant ? variant->name : "", bits[0] ? " " : "",
             bits, where, files ? "  " : "", files ? base : "", time[0] ? gap : "", time);
}

static void draw_captions(struct wp_viewer *v)
{
    if (!showing_both(v))
        return;
    const float em = wp_ui_em(), row = 1.45F * em;
    const struct wp_rect_f *c = &v->canvas;
    char a[256], b[256], difference[160] = "";
    describe_side(v, WP_A, a, sizeof a);
    describe_side(v, WP_B, b, sizeof b);
    if (v->results.has_shown) {
        const struct wp_measure *m = &v->results.shown;
        char psnr[32];
        if (m->square > 0)
            snprintf(psnr, sizeof psnr, "%.1f dB", wp_measure_psnr(m));
        else
            snprintf(psnr, sizeof psnr, "infinite");
        const bool shown = v->state.compare == WP_COMPARE_DIFFERENCE && !v->state.flipped;
        snprintf(difference, sizeof difference, "max |A−B| %.2e   PSNR %s%s%s",
                 largest_difference(v), psnr, shown ? "   shown: " : "",
                 shown ? wp_view_metric_names[v->state.metric] : "");
    }
    const float bottom = c->y + c->height - 0.4F * em;
    const float right_of_b = wp_ui_text_width(b) + 1.1F * em;
    float y = bottom - row;
    if (v->panes == 2) {
        y -= (v->state.times ? 2 : 1) * em;
        draw_label(v->pane[0].x + 0.4F * em, y, WP_UI_A, a);
        draw_label(v->pane[1].x + 0.4F * em, y, WP_UI_B, b);
    } else if (wp_ui_text_width(a) + right_of_b + 3 * em < c->width &&
               v->state.compare == WP_COMPARE_WIPE) {
        draw_label(c->x + 0.4F * em, y, WP_UI_A, a);
        draw_label(c->x + c->width - right_of_b, y, WP_UI_B, b);
    } else {
        draw_label(c->x + 0.4F * em, y, WP_UI_B, b);
        y -= row;
        draw_label(c->x + 0.4F * em, y, WP_UI_A, a);
    }
    if (difference[0])
        draw_label(c->x + 0.4F * em, y - row, WP_UI_WHITE, difference);
}

static void draw_wipe(struct wp_viewer *v)
{
    if (!showing_both(v) || v->state.compare != WP_COMPARE_WIPE || v->state.flipped)
        return;
    const struct wp_rect_f *p = &v->pane[0];
    const float x = floorf(p->x + (float)v->state.split * p->width), em = wp_ui_em();
    wp_ui_draw_line(x, p->y, x, p->y + p->height, WP_UI_BLACK, 3);
    wp_ui_draw_line(x, p->y, x, p->y + p->height, WP_UI_WHITE, 1);
    wp_ui_draw_circle(x, p->y + 0.5F * p->height, 0.45F * em, WP_UI_WHITE, true);
    draw_label(x - 1.7F * em, p->y + 0.5F * em, WP_UI_A, "A");
    draw_label(x + 0.4F * em, p->y + 0.5F * em, WP_UI_B, "B");
}

static void draw_pin(struct wp_viewer *v, int pane)
{
    if (v->hover_tile < 0 || (!v->pinned && v->state.zoom < 6))
        return;
    const struct wp_tile *t = &v->tile[v->hover_tile];
    const float stride = t->stride_log > 0 ? (float)(1 << t->stride_log) : 1;
    const double x = (double)(t->x + (float)v->hover_px * t->unit * stride);
    const double y = (double)(t->y + (float)v->hover_py * t->unit * stride);
    float px, py;
    to_screen(v, pane, x, y, &px, &py);
    const float side = fmaxf(5, (float)v->state.zoom * t->unit);
    wp_ui_draw_frame(px - 1, py - 1, side + 2, side + 2, WP_UI_BLACK, 1);
    wp_ui_draw_frame(px, py, side, side, v->pinned ? WP_UI_WARNING : WP_UI_WHITE, 1);
}

void wp_canvas_overlay(struct wp_viewer *v)
{
    for (int pane = 0; pane < v->panes; pane++) {
        const struct wp_rect_f *p = &v->pane[pane];
        wp_ui_clip(p->x, p->y, p->width, p->height);
        for (int i = 0; i < v->tiles && v->state.values; i++)
            draw_values(v, pane, &v->tile[i]);
        draw_borders(v, pane);
        draw_pin(v, pane);
        wp_ui_unclip();
    }
    wp_ui_clip(v->canvas.x, v->canvas.y, v->canvas.width, v->canvas.height);
    draw_wipe(v);
    draw_captions(v);
    wp_ui_unclip();
}
