// The canvas: positions of samples on the screen, and drawing.
#include "canvas.h"

#include "memory.h"
#include "view_shaders.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// How A and B are displayed; the values are those of display.frag.
enum choose { CHOOSE_A, CHOOSE_B, CHOOSE_DIFFERENCE, CHOOSE_WIPE, CHOOSE_CHECKER };

static enum choose choose(const struct wp_viewer *v, const struct wp_pane *pane)
{
    if (!wp_viewer_shows_both(v) || (v->volume && !wp_slices_compare(v, pane)))
        return CHOOSE_A;
    if (v->state.compare == WP_COMPARE_SIDE)
        return pane->b ? CHOOSE_B : CHOOSE_A;
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

// The difference that is displayed at full brightness.
static float difference_high(const struct wp_viewer *v)
{
    const double most = largest_difference(v);
    const int metric = v->state.metric;
    if (v->state.range == WP_RANGE_FIXED || !(most > 0) || metric == WP_VIEW_RAE ||
        metric == WP_VIEW_RSE)
        return 1;
    return (float)(metric == WP_VIEW_SE ? most * most : most);
}

// Inverse of the matrix of a face: the steps on it per unit across and down the view.
static void face_steps(const struct wp_face *f, float across[2], float down[2])
{
    const float area = f->across[0] * f->down[1] - f->across[1] * f->down[0];
    across[0] = f->down[1] / area;
    across[1] = -f->across[1] / area;
    down[0] = -f->down[0] / area;
    down[1] = f->across[0] / area;
}

// Converts view coordinates to a point on a face.
static void face_of_view(const struct wp_face *f, double x, double y, double *fx, double *fy)
{
    float across[2], down[2];
    face_steps(f, across, down);
    x -= (double)f->origin[0];
    y -= (double)f->origin[1];
    *fx = x * (double)across[0] + y * (double)down[0];
    *fy = x * (double)across[1] + y * (double)down[1];
}

enum { CORNERS = 4 };

// Corner `number` (clockwise from the top left) of a tile, whose samples are `stride` apart.
static void corner(const struct wp_pane *pane, const struct wp_tile *t, int stride, int number,
                   float *x, float *y)
{
    const float width = t->unit[0] * (float)stride * (float)t->width;
    const float height = t->unit[1] * (float)stride * (float)t->height;
    wp_face_to_screen(pane, &t->face, t->x + (number == 1 || number == 2 ? width : 0),
                      t->y + (number >= 2 ? height : 0), x, y);
}

static int stride_of(const struct wp_tile *tile)
{
    return tile->stride_log > 0 ? 1 << tile->stride_log : 1;
}

// The rectangle of a pane that a tile covers, in integer pixels.
static struct wp_rect visible(const struct wp_pane *pane, const struct wp_tile *tile)
{
    const struct wp_rect_f *p = &pane->r;
    float left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (int i = 0; i < CORNERS; i++) {
        float x, y;
        corner(pane, tile, stride_of(tile), i, &x, &y);
        left = fminf(left, x);
        top = fminf(top, y);
        right = fmaxf(right, x);
        bottom = fmaxf(bottom, y);
    }
    left = fmaxf(floorf(left), p->x);
    top = fmaxf(floorf(top), p->y);
    right = fminf(ceilf(right), p->x + p->width);
    bottom = fminf(ceilf(bottom), p->y + p->height);
    return (struct wp_rect){(int)left, (int)top, (int)(right - left), (int)(bottom - top)};
}

// All planes have the same position on their textures.
static void set_sources(struct wp_program *program, const struct wp_tile *tile)
{
    static const char *const sources[] = {"source", "source_green", "source_blue"};
    static const char *const others[] = {"other", "other_green", "other_blue"};
    const struct wp_quads *a = tile->quads[WP_A];
    const struct wp_quads *b = tile->quads[WP_B][0].texture ? tile->quads[WP_B] : a;
    for (int p = 0; p < tile->planes; p++) {
        wp_program_read(program, sources[p], p, a[p].texture);
        wp_program_read(program, others[p], WP_COLOURS + p, b[p].texture);
    }
    wp_program_set4(program, "origin", (const int[]){a->x, a->y, b->x, b->y});
}

static void set_styles(const struct wp_viewer *v, struct wp_program *program,
                       const struct wp_tile *tile, bool difference)
{
    const struct wp_tile_style alike = {tile->picture && !difference, difference ? 0 : tile->low,
                                      difference ? difference_high(v) : tile->high};
    float low[WP_COMPONENTS], high[WP_COMPONENTS];
    int picture[WP_COMPONENTS];
    for (int c = 0; c < WP_COMPONENTS; c++) {
        const struct wp_tile_style *style = tile->per_component ? &tile->style[c] : &alike;
        low[c] = style->low;
        high[c] = style->high;
        picture[c] = style->picture;
    }
    wp_program_set_floats(program, "black", WP_COMPONENTS, low);
    wp_program_set_floats(program, "white", WP_COMPONENTS, high);
    wp_program_set4(program, "picture", picture);
}

// Floats in the shader have 24 bits. If the view's origin is farther from the window than that,
// coordinates of flat tiles are relative to the tile's corner.
static double local_origin(const struct wp_tile *tile, double origin, float at)
{
    enum { LIMIT = 1 << 20 };
    const struct wp_face *f = &tile->face;
    const bool flat = f->across[0] == 1 && f->across[1] == 0 && f->down[0] == 0 && f->down[1] == 1;
    return flat && fabs(origin) > LIMIT ? floor((double)at) : 0;
}

// Computes the pixels of a rectangle on a texture, which has the size of the screen, and copies
// them.
static void compute_pixels(struct wp_viewer *v, struct wp_program *program,
                           const struct wp_texture *source, struct wp_rect r)
{
    struct wp_texture *canvas = &v->computed_canvas;
    const int width = v->screen.width, height = v->screen.height;
    struct wp_program *show = wp_view_program(v->gl, WP_SHADER_SHOW, 0);
    if (v->hidden && !v->screenshot[0])
        return;
    if (canvas->width != width || canvas->height != height) {
        wp_texture_destroy(canvas);
        if (!wp_texture_create(v->gl, width, height, canvas))
            return;
    }
    if (!show)
        return;
    wp_program_draw(program, source, canvas, r.x, height - r.y - r.height, r.width, r.height,
                    WP_DRAW_ALL);
    wp_program_read(show, "source", 0, canvas);
    wp_screen_draw(&v->screen, show, r.x, r.y, r.width, r.height);
}

static void draw_tile(struct wp_viewer *v, const struct wp_pane *pane, const struct wp_tile *tile)
{
    const struct wp_face *face = &tile->face;
    const float unit = fminf(tile->unit[0] * hypotf(face->across[0], face->across[1]),
                             tile->unit[1] * hypotf(face->down[0], face->down[1]));
    const bool small = tile->stride_log < 0 && (double)unit * pane->zoom < 1;
    const enum choose chosen = choose(v, pane);
    const bool only_a = chosen == CHOOSE_A, colour = tile->planes > 1;
    const bool picture = tile->picture && !tile->per_component && chosen != CHOOSE_DIFFERENCE;
    const int variant = small + 2 * tile->single + 4 * only_a + 8 * colour + 16 * picture;
    struct wp_program *program = wp_view_program(v->gl, WP_SHADER_DISPLAY, variant);
    const struct wp_rect r = visible(pane, tile);
    if (!program || r.width <= 0 || r.height <= 0)
        return;
    const struct wp_view_state *s = &v->state;
    const struct wp_rect_f *p = &pane->r;
    const bool difference = chosen == CHOOSE_DIFFERENCE;
    float steps[4];
    double x0, y0, x, y; // x, y: origin of the view on the tile's face
    wp_pane_origin(pane, &x0, &y0);
    face_steps(face, steps, steps + 2);
    face_of_view(face, 0, 0, &x, &y);
    const double local_x = local_origin(tile, x0, tile->x),
                 local_y = local_origin(tile, y0, tile->y);
    x0 += local_x * pane->zoom;
    y0 += local_y * pane->zoom;
    x += local_x;
    y += local_y;
    set_sources(program, tile);
    set_styles(v, program, tile, difference);
    const struct wp_sample_map *to_b = tile->to_b;
    wp_program_set2(program, "samples", tile->width, tile->height);
    wp_program_set2(program, "other_samples", to_b[WP_X].size, to_b[WP_Y].size);
    wp_program_set_floats(program, "to_other", 4,
                          (const float[]){to_b[WP_X].scale, to_b[WP_Y].scale, to_b[WP_X].shift,
                                          to_b[WP_Y].shift});
    wp_program_set(program, "component", tile->component);
    wp_program_set(program, "stride_log", tile->stride_log);
    wp_program_set(program, "low_only", tile->low_only);
    wp_program_set_floats(program, "pane", 2, (const float[]){(float)x0, (float)y0});
    wp_program_set_floats(program, "zoom", 1, (const float[]){(float)pane->zoom});
    wp_program_set_floats(program, "screen_height", 1, (const float[]){(float)v->screen.height});
    wp_program_set_floats(program, "face", 4, steps);
    wp_program_set_floats(program, "shade", 1, &face->shade);
    wp_program_set_floats(program, "tile", 4,
                          (const float[]){(float)((double)tile->x - x),
                                          (float)((double)tile->y - y), tile->unit[0],
                                          tile->unit[1]});
    wp_program_set(program, "grid", s->grid);
    wp_program_set(program, "choose", (int)chosen);
    wp_program_set(program, "metric", s->metric);
    wp_program_set_floats(program, "split", 1,
                          (const float[]){floorf(p->x + (float)s->split * p->width)});
    wp_program_set_floats(program, "look", 2, (const float[]){(float)s->gain, (float)s->offset});
    wp_program_set(program, "scale", s->scale);
    wp_program_set(program, "map", s->map);
    wp_program_read(program, "maps", 2 * WP_COLOURS, &v->maps);
    if (wp_view_computes(v->gl, WP_SHADER_DISPLAY, variant))
        compute_pixels(v, program, tile->quads[WP_A][0].texture, r);
    else
        wp_screen_draw(&v->screen, program, r.x, r.y, r.width, r.height);
}

void wp_canvas_draw(struct wp_viewer *v)
{
    for (int p = 0; p < v->panes; p++)
        for (int i = 0; i < v->pane[p].tiles; i++)
            draw_tile(v, &v->pane[p], &v->tile[v->pane[p].first + i]);
}

// Finds the sample of a tile at view coordinates. Returns false if there is none.
static bool sample_at(const struct wp_tile *tile, double vx, double vy, int *x, int *y)
{
    face_of_view(&tile->face, vx, vy, &vx, &vy);
    const double fx = floor((vx - (double)tile->x) / (double)tile->unit[0]);
    const double fy = floor((vy - (double)tile->y) / (double)tile->unit[1]);
    const int stride = stride_of(tile);
    if (fx < 0 || fy < 0 || fx >= (double)tile->width * stride ||
        fy >= (double)tile->height * stride)
        return false;
    *x = (int)fx;
    *y = (int)fy;
    int quad[2], component;
    if (*x % stride || *y % stride)
        return false;
    *x /= stride;
    *y /= stride;
    return *x < tile->width && *y < tile->height &&
           wp_tile_locate(tile, WP_A, *x, *y, quad, &component);
}

// True if the quad has this component; quads at odd edges have fewer than four.
static bool has_sample(const struct wp_viewer *v, const struct wp_tile *tile, int ab, int quad_x,
                       int quad_y, int component)
{
    if (tile->node[0])
        return component == 0;
    if (tile->level == 0 && tile->component < WP_COMPONENTS)
        return quad_x < tile->width && quad_y < tile->height;
    if (tile->level == 0)
        return 2 * quad_x + component % 2 < tile->width &&
               2 * quad_y + component / 2 < tile->height;
    const struct wp_instance *instance = v->instance[ab];
    const enum wp_band band = (enum wp_band)component;
    const struct wp_band_grid grid = wp_instance_band(instance, tile->level, band);
    return quad_x < grid.size[WP_X] && quad_y < grid.size[WP_Y] &&
           wp_instance_has_band(instance, tile->level, band);
}

void wp_canvas_hover(struct wp_viewer *v)
{
    const float x = v->mouse_x, y = v->mouse_y;
    const bool inside = wp_rect_has(&v->canvas, x, y);
    if (!v->pinned) {
        v->hover_tile = -1;
        v->hover_pane = wp_pane_at(v, x, y);
        const struct wp_pane *pane = &v->pane[v->hover_pane];
        double vx, vy;
        wp_pane_to_view(pane, x, y, &vx, &vy);
        for (int i = pane->first; i < pane->first + pane->tiles && inside && v->has_hover; i++)
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
    int quad[2], component;
    for (int ab = WP_A; ab <= WP_B && tile->quads[ab][0].texture; ab++) {
        wp_tile_locate(tile, ab, v->hover_px, v->hover_py, quad, &component);
        for (int p = 0; p < tile->planes; p++) {
            float *value = v->hover_value[ab][p];
            wp_tile_read(tile, ab, p, quad[0], quad[1], 1, 1, value);
            value[0] = tile->single ? value[p] : value[0];
        }
        for (int i = 0; i < WP_COMPONENTS; i++)
            v->hover_has[ab][i] = tile->single ? i == 0
                                               : has_sample(v, tile, ab, quad[0], quad[1], i);
    }
}

// Numbers stacked in the center of a sample.
static void draw_numbers(const float *value, int count, float x, float y, float size)
{
    const float em = wp_ui_em();
    for (int i = 0; i < count; i++) {
        char text[24];
        snprintf(text, sizeof text, "%.4f", (double)value[i]);
        const float w = wp_ui_text_width(text) * size / em, px = x - 0.5F * w;
        const float py = y + ((float)i - 0.5F * (float)count) * (size + 2);
        wp_ui_draw_rect(px - 3, py - 1, w + 6, size + 2, WP_UI_BLACK, 0.55F);
        wp_ui_draw_text(px, py, 0, WP_UI_WHITE, size, "%s", text);
    }
}

// Values of the visible samples of a tile, if they are large enough on the screen.
static void draw_values(struct wp_viewer *v, const struct wp_pane *pane, const struct wp_tile *tile)
{
    const float em = wp_ui_em(), wide = (float)pane->zoom * tile->unit[0];
    const float tall = (float)pane->zoom * tile->unit[1], smaller = fminf(wide, tall);
    if (smaller < 4.2F * em || tile->stride_log >= 0)
        return;
    const struct wp_rect_f *p = &pane->r;
    float left, top;
    wp_pane_to_screen(pane, (double)tile->x, (double)tile->y, &left, &top);
    const int x0 = (int)fmaxf(0, floorf((p->x - left) / wide));
    const int y0 = (int)fmaxf(0, floorf((p->y - top) / tall));
    const int x1 = (int)fminf((float)tile->width, ceilf((p->x + p->width - left) / wide));
    const int y1 = (int)fminf((float)tile->height, ceilf((p->y + p->height - top) / tall));
    if (x0 >= x1 || y0 >= y1)
        return;
    int first[2], last[2], component;
    const int ab = choose(v, pane) == CHOOSE_B ? WP_B : WP_A;
    wp_tile_locate(tile, ab, x0, y0, first, &component);
    wp_tile_locate(tile, ab, x1 - 1, y1 - 1, last, &component);
    const int width = last[0] - first[0] + 1, height = last[1] - first[1] + 1;
    const size_t plane = 4 * (size_t)width * (size_t)height;
    float *quads = wp_allocate(plane * (size_t)tile->planes, sizeof *quads, "numbers");
    if (!quads)
        return;
    for (int i = 0; i < tile->planes; i++)
        wp_tile_read(tile, ab, i, first[0], first[1], width, height, quads + (size_t)i * plane);
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            int quad[2];
            float value[WP_COLOURS];
            wp_tile_locate(tile, ab, x, y, quad, &component);
            const int at = 4 * ((quad[1] - first[1]) * width + quad[0] - first[0]);
            for (int i = 0; i < tile->planes; i++)
                value[i] = quads[(size_t)i * plane + (size_t)(at + (tile->single ? i : component))];
            draw_numbers(value, tile->planes, left + ((float)x + 0.5F) * wide,
                         top + ((float)y + 0.5F) * tall, fminf(em, smaller * 0.2F));
        }
    }
    free(quads);
}

static void draw_outline(const struct wp_pane *pane, const struct wp_tile *t,
                         enum wp_ui_colour colour, float thickness)
{
    float x, y, to_x, to_y;
    corner(pane, t, 1, 0, &x, &y);
    if (!pane->solid) {
        corner(pane, t, 1, 2, &to_x, &to_y);
        wp_ui_draw_frame(x, y, to_x - x, to_y - y, colour, thickness);
        return;
    }
    for (int i = 1; i <= CORNERS; i++) {
        corner(pane, t, 1, i % CORNERS, &to_x, &to_y);
        wp_ui_draw_line(x, y, to_x, to_y, colour, thickness);
        x = to_x;
        y = to_y;
    }
}

// Label in the center of a cube's tile, if it fits.
static void label_face(const struct wp_pane *pane, const struct wp_tile *t, const char *name)
{
    const float width = t->unit[0] * (float)t->width, height = t->unit[1] * (float)t->height;
    const float em = wp_ui_em(), wide = wp_ui_text_width(name) + 0.7F * em, tall = 1.3F * em;
    const float *a = t->face.across, *d = t->face.down;
    const float area = (float)pane->zoom * fabsf(a[0] * d[1] - a[1] * d[0]) * width * height;
    float x, y;
    if (area < 1.2F * wide * fmaxf(fabsf(a[1] * width), fabsf(d[1] * height)) ||
        area < 1.2F * tall * fmaxf(fabsf(a[0] * width), fabsf(d[0] * height)))
        return;
    wp_face_to_screen(pane, &t->face, t->x + 0.5F * width, t->y + 0.5F * height, &x, &y);
    wp_canvas_label(floorf(x - 0.5F * wide), floorf(y - 0.5F * tall), WP_UI_WHITE, "%s", name);
}

static void draw_names(const struct wp_viewer *v, const struct wp_pane *pane)
{
    const float em = wp_ui_em();
    for (int i = pane->first; i < pane->first + pane->tiles; i++) {
        const struct wp_tile *t = &v->tile[i];
        if (t->stride_log >= 0 || t->level == 0 || t->node[0])
            continue;
        float x, y, to_x, to_y;
        char name[16];
        snprintf(name, sizeof name, "%s%d", wp_instance_band_names(v->instance[WP_A])[t->band],
                 t->level);
        if (pane->solid) {
            label_face(pane, t, name);
            continue;
        }
        corner(pane, t, 1, 0, &x, &y);
        corner(pane, t, 1, 2, &to_x, &to_y);
        if (to_x - x > wp_ui_text_width(name) + 1.5F * em && to_y - y > 2.2F * em)
            wp_canvas_label(x + 3, y + 3, WP_UI_WHITE, "%s", name);
    }
}

// Outlines of bands, but not of nodes of packets. For the cube also the band under the pointer; the
// selected band is drawn last.
static void draw_borders(struct wp_viewer *v, const struct wp_pane *pane)
{
    const struct wp_tile *hover = pane->solid && v->hover_tile >= pane->first &&
                                          v->hover_tile < pane->first + pane->tiles
                                      ? &v->tile[v->hover_tile]
                                      : NULL;
    const bool framed = pane->mode != WP_VIEW_BAND;
    for (int last = 0; last < 2; last++) {
        for (int i = pane->first; i < pane->first + pane->tiles; i++) {
            const struct wp_tile *t = &v->tile[i];
            const bool selected = t->level == v->state.level && t->band == v->state.band;
            const bool wide = (double)((float)t->width * t->unit[0]) * pane->zoom > 8;
            if (t->stride_log >= 0 || t->level == 0 || t->node[0] || !framed || selected != last ||
                !(wide || selected))
                continue;
            const bool under = hover && hover->level == t->level && hover->band == t->band;
            draw_outline(pane, t, selected ? WP_UI_ACCENT : under ? WP_UI_WARNING : WP_UI_LINE,
                         selected || under ? 2.0F : 1.0F);
        }
    }
    draw_names(v, pane);
}

static void draw_pin(struct wp_viewer *v, const struct wp_pane *pane)
{
    if (v->hover_tile < pane->first || v->hover_tile >= pane->first + pane->tiles ||
        (!v->pinned && pane->zoom < 6) || pane->solid)
        return;
    const struct wp_tile *t = &v->tile[v->hover_tile];
    const float stride = (float)stride_of(t);
    const double x = (double)(t->x + (float)v->hover_px * t->unit[0] * stride);
    const double y = (double)(t->y + (float)v->hover_py * t->unit[1] * stride);
    float px, py;
    wp_pane_to_screen(pane, x, y, &px, &py);
    const float w = fmaxf(5, (float)pane->zoom * t->unit[0]);
    const float h = fmaxf(5, (float)pane->zoom * t->unit[1]);
    wp_ui_draw_frame(px - 1, py - 1, w + 2, h + 2, WP_UI_BLACK, 1);
    wp_ui_draw_frame(px, py, w, h, v->pinned ? WP_UI_WARNING : WP_UI_WHITE, 1);
}

void wp_canvas_overlay(struct wp_viewer *v)
{
    for (int p = 0; p < v->panes; p++) {
        const struct wp_pane *pane = &v->pane[p];
        wp_ui_clip(pane->r.x, pane->r.y, pane->r.width, pane->r.height);
        for (int i = 0; i < pane->tiles && v->state.values && !pane->solid; i++)
            draw_values(v, pane, &v->tile[pane->first + i]);
        draw_borders(v, pane);
        draw_pin(v, pane);
        if (v->volume)
            wp_canvas_slice_marks(v, pane);
        wp_ui_unclip();
    }
    wp_ui_clip(v->canvas.x, v->canvas.y, v->canvas.width, v->canvas.height);
    wp_canvas_wipe(v);
    wp_canvas_captions(v);
    wp_ui_unclip();
}
