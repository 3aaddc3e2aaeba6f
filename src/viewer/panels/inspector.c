// The timeline, with the operations of the transform and the barriers between them, and the
// inspector: pixel values, statistics, and the current pass.
#include "actions.h"
#include "panels.h"
#include "polyphase_state.h"
#include "save.h"

#include <math.h>
#include <stdio.h>

// Names of operations: in boxes, and as titles.
static const char *const op_names[WP_OP_KINDS][2] = {
    [WP_OP_PASS] = {"pass", "Pass"},       [WP_OP_GATHER] = {"gather", "Gather"},
    [WP_OP_SPREAD] = {"spread", "Spread"}, [WP_OP_LEVEL] = {"level", "Level"},
    [WP_OP_DEPTH] = {"along z", "Along z"},
};

static void show_boxes(struct wp_viewer *v, const struct wp_schedule *schedule)
{
    struct wp_view_state *s = &v->state;
    const float em = wp_ui_em(), width = 5.4F * em, height = 2.5F * em, gap = 0.9F * em;
    const bool stepping = s->mode == WP_VIEW_PASS;
    for (int i = 0; i <= schedule->op_count; i++) {
        const struct wp_op *op = i > 0 ? &schedule->op[i - 1] : NULL;
        char name[32] = "load", below[48] = "input", id[32];
        if (op)
            snprintf(name, sizeof name, op->kind == WP_OP_PASS ? "%s %d" : "%s",
                     op_names[op->kind][0], op->pass + 1);
        const bool timed = stepping && i > 0 && i <= s->op && i <= WP_TIMELINE_MAX && s->times;
        if (timed)
            snprintf(below, sizeof below, "L%d  %.2g ms", op->level, 1e3 * v->op_seconds[i - 1]);
        else if (op && op->kind == WP_OP_PASS)
            snprintf(below, sizeof below, "L%d  %d ops", op->level,
                     wp_pass_operations(&op->scheme->pass[op->pass]));
        else if (op)
            snprintf(below, sizeof below, "L%d", op->level);
        if (i > 0)
            wp_ui_same_line();
        float x, y;
        snprintf(id, sizeof id, "op %d", i);
        if (wp_ui_space(id, width, height, &x, &y)) {
            s->op = i;
            s->before = false;
            s->mode = WP_VIEW_PASS;
            s->fit = s->fit || !stepping;
        }
        const bool selected = stepping && i == s->op;
        wp_ui_draw_rect(x, y, width, height, selected ? WP_UI_ACCENT : WP_UI_LINE,
                        selected ? 0.4F : 0.35F);
        if (selected) {
            wp_ui_draw_frame(x, y, width, height, WP_UI_ACCENT, 1.5F);
            if (v->drawn.op != s->op)
                wp_ui_scroll_here();
        }
        wp_ui_draw_text(x + 0.4F * em, y + 0.15F * em, 0, WP_UI_TEXT, em, "%s", name);
        wp_ui_draw_text(x + 0.4F * em, y + 1.3F * em, 0, WP_UI_DIM, 0.86F * em, "%s", below);
        // A barrier: the next operation reads results of neighboring quads.
        if (i > 0 && i < schedule->op_count)
            wp_ui_draw_line(x + width + 0.5F * gap, y, x + width + 0.5F * gap, y + height,
                            WP_UI_DIM, 2);
    }
}

void wp_panel_timeline(struct wp_viewer *v, struct wp_rect_f r)
{
    const struct wp_view_state *s = &v->state;
    const struct wp_schedule *schedule = wp_viewer_schedule(v);
    wp_ui_begin_panel("timeline", r.x, r.y, r.width, r.height, WP_UI_BAR);
    wp_ui_text(WP_UI_DIM, v->volume ? "Slices" : "Passes");
    wp_ui_same_line();
    wp_panel_button(v, "<", v->volume ? "previous-slice" : "previous-pass");
    wp_ui_same_line();
    wp_panel_button(v, ">", v->volume ? "next-slice" : "next-pass");
    wp_ui_same_line();
    wp_panel_button(v, s->playing ? "Pause###play" : "Play###play", "play");
    if (v->volume) { // the slice that is played along the axis of the active pane
        const int group = wp_slices_group(v), at = s->cross[WP_Z];
        wp_ui_text(WP_UI_DIM, "Along %s, %.3g/s", wp_axis_words[wp_slices_axis(v)], s->rate);
        if (group > 0)
            wp_ui_text(WP_UI_DIM, "Groups of %d: slice %d of group %d", group, at % group,
                       at / group);
        wp_ui_end_panel();
        return;
    }
    wp_ui_same_line();
    wp_panel_button(v, s->direction == WP_FORWARD ? "Forward###direction" : "Inverse###direction",
                  "direction");
    if (schedule) {
        wp_ui_begin_child("boxes", 0, 0, WP_UI_SCROLL_X);
        show_boxes(v, schedule);
        wp_ui_end_child();
    } else if (v->ready[WP_A]) {
        struct wp_text reason = {0};
        wp_instance_explain(v->instance[WP_A], &reason);
        wp_ui_text(WP_UI_DIM, "%s", wp_text_get(&reason));
        wp_text_free(&reason);
    }
    wp_ui_end_panel();
}

// Appends a value under the pointer as a column, or a dash if there is none.
static void add_value(const struct wp_viewer *v, int ab, int plane, int component,
                      struct wp_text *text)
{
    const int digits = v->tile[v->hover_tile].planes > 1 ? 5 : 7;
    if (v->hover_has[ab][component])
        wp_text_add(text, " %+*.*f", digits + 4, digits,
                    (double)v->hover_value[ab][plane][component]);
    else
        wp_text_add(text, " %*s", digits + 4, "-");
}

// Shows a line and clears it.
static void show_line(unsigned colour, struct wp_text *text)
{
    wp_ui_text(colour | WP_UI_MONO, "%s", wp_text_get(text));
    wp_text_free(text);
}

static bool shows_b(const struct wp_tile *t)
{
    return t->quads[WP_B][0].texture;
}

static double difference(const struct wp_viewer *v, int plane, int component)
{
    return (double)v->hover_value[WP_A][plane][component] -
           (double)v->hover_value[WP_B][plane][component];
}

// One row per plane, with columns A, B and A - B.
static void show_planes(const struct wp_viewer *v, const struct wp_tile *t, int component)
{
    const bool both = shows_b(t);
    wp_ui_text(WP_UI_DIM | WP_UI_MONO,
               both ? "              A         B      A−B" : "          value");
    for (int p = 0; p < t->planes; p++) {
        struct wp_text text = {0};
        wp_text_add(&text, "%-5s", wp_viewer_plane_name(v, p));
        for (int ab = WP_A; ab <= (both ? WP_B : WP_A); ab++)
            add_value(v, ab, p, component, &text);
        if (both)
            wp_text_add(&text, " %+8.1e", difference(v, p, component));
        show_line(WP_UI_TEXT, &text);
    }
}

static void show_sample(const struct wp_viewer *v, const struct wp_tile *t)
{
    const char *const words[] = {shows_b(t) ? "A" : "value", "B"};
    int at[WP_DIMS_MAX];
    wp_slices_locate(t, v->hover_px, v->hover_py, at);
    if (t->level > 0)
        wp_ui_text(WP_UI_ACCENT, "%s%d", t->names[t->band], t->level);
    else
        wp_ui_text(WP_UI_ACCENT, "sample");
    for (int a = 0; a < WP_DIMS_MAX; a++)
        wp_ui_label(wp_axis_words[a], "%d", at[a]);
    if (t->planes > 1) {
        show_planes(v, t, 0);
        return;
    }
    for (int ab = WP_A; ab <= WP_B; ab++)
        if (v->hover_has[ab][0] && t->quads[ab][0].texture)
            wp_ui_label(words[ab], "%+.7f", (double)v->hover_value[ab][0][0]);
    if (shows_b(t))
        wp_ui_label("A−B", "%+.3e", difference(v, 0, 0));
}

// A heading of three columns with the names of the planes.
static void show_plane_names(const struct wp_viewer *v, int width, const char *first)
{
    wp_ui_text(WP_UI_DIM | WP_UI_MONO, "%-*s %9s %9s %9s", width, first,
               wp_viewer_plane_name(v, 0), wp_viewer_plane_name(v, 1), wp_viewer_plane_name(v, 2));
}

// All components of the quad: one row per component, one column per plane of A, or for A and B.
static void show_quad(const struct wp_viewer *v, const struct wp_tile *t, int component)
{
    const bool both = shows_b(t), bands = t->level > 0 || t->element;
    const char *parities = bands ? "" : "  x    y";
    if (t->planes > 1)
        show_plane_names(v, bands ? 4 : 11, parities);
    else
        wp_ui_text(WP_UI_DIM | WP_UI_MONO, "%s%*s%s", parities, bands ? 13 : 4, "",
                   both ? "A           B" : "value");
    for (int c = 0; c < WP_COMPONENTS; c++) {
        struct wp_text text = {0};
        if (t->level > 0 && !wp_instance_is_band(v->instance[WP_A], t->level, (enum wp_band)c))
            continue;
        wp_text_add(&text, "%c %-*s", c == component ? '>' : ' ', bands ? 2 : 9,
                    wp_tile_names(t)[c]);
        for (int p = 0; p < t->planes; p++)
            for (int ab = WP_A; ab <= (both ? WP_B : WP_A); ab++)
                add_value(v, ab, p, c, &text);
        show_line(c == component ? WP_UI_TEXT : WP_UI_DIM, &text);
    }
    if (both)
        wp_ui_text(WP_UI_TEXT | WP_UI_MONO, "  A−B %+.3e", difference(v, 0, component));
}

static void show_pixel(const struct wp_viewer *v)
{
    if (v->hover_tile < 0) {
        wp_ui_text(WP_UI_DIM, "Point at the image.");
        wp_ui_text(WP_UI_DIM,
                   v->volume ? "A click moves the crosshair." : "A click pins a pixel.");
        return;
    }
    const struct wp_tile *t = &v->tile[v->hover_tile];
    if (t->single) {
        show_sample(v, t);
        return;
    }
    const int component = wp_tile_component(t, v->hover_px, v->hover_py);
    struct wp_text name = {0};
    wp_tile_name_sample(t, v->hover_px, v->hover_py, " ", &name);
    wp_ui_text(WP_UI_ACCENT, "%s%s", wp_text_get(&name), v->pinned ? "  pinned" : "");
    wp_text_free(&name);
    if (t->planes > 1 && shows_b(t))
        show_planes(v, t, component);
    else
        show_quad(v, t, component);
}

static double statistic(const struct wp_measure *m, int number)
{
    const double of[] = {m->least, m->most, wp_measure_mean(m), wp_measure_deviation(m)};
    return of[number];
}

static void show_statistics(const struct wp_viewer *v)
{
    static const char *const names[] = {"Min", "Max", "Mean", "Std. dev."};
    const struct wp_view_results *r = &v->results;
    const struct wp_measure *m = &r->selected;
    if (!r->has_histogram || m->samples == 0)
        return;
    if (r->planes > 1)
        show_plane_names(v, 5, "");
    for (int i = 0; i < 4; i++) {
        struct wp_text text = {0};
        if (r->planes == 1) {
            wp_ui_label(names[i], i < 3 ? "%+.6f" : "%.6f", statistic(m, i));
            continue;
        }
        wp_text_add(&text, "%-5.4s", names[i]);
        for (int p = 0; p < r->planes; p++)
            wp_text_add(&text, " %+9.5f", statistic(&r->selected_plane[p], i));
        show_line(WP_UI_TEXT, &text);
    }
    wp_ui_label("Energy", "%.6g", m->squares);
    wp_ui_label("Samples", "%.0f", (double)m->samples);
}

// Draws the histogram of one plane as bars, or of three as outlines. Heights are logarithmic,
// because details have one tall bin and long tails.
static void draw_bars(const struct wp_histogram *h, int most, float x, float y, float width,
                      float height, int plane)
{
    static const enum wp_ui_colour colours[] = {WP_UI_RED, WP_UI_GREEN, WP_UI_BLUE};
    const float bar = width / WP_HISTOGRAM_BINS, top = logf(1 + (float)most), bottom = y + height;
    float before = 0;
    for (int i = 0; i < WP_HISTOGRAM_BINS; i++) {
        const float tall = (height - 2) * logf(1 + (float)h->bin[i]) / top;
        const float left = x + floorf(bar * (float)i), right = x + floorf(bar * (float)(i + 1));
        if (plane < 0) {
            wp_ui_draw_rect(left, bottom - tall, right - left, tall, WP_UI_ACCENT, 0.85F);
            continue;
        }
        wp_ui_draw_line(left, bottom - before, left, bottom - tall, colours[plane], 1.2F);
        wp_ui_draw_line(left, bottom - tall, right, bottom - tall, colours[plane], 1.2F);
        before = tall;
    }
}

static void show_histogram(const struct wp_viewer *v)
{
    const struct wp_view_results *r = &v->results;
    const struct wp_histogram *h = r->histogram;
    const float em = wp_ui_em(), width = wp_ui_width_left(), height = 6 * em;
    float x, y;
    int most = 0;
    wp_ui_space(NULL, width, height, &x, &y);
    wp_ui_draw_rect(x, y, width, height, WP_UI_BACKGROUND, 1);
    for (int p = 0; p < r->planes; p++)
        most = h[p].most > most ? h[p].most : most;
    if (!r->has_histogram || most == 0)
        return;
    for (int p = 0; p < r->planes; p++)
        draw_bars(&h[p], most, x, y, width, height, r->planes > 1 ? p : -1);
    const float size = 0.9F * em, below = y + height + 0.2F * em;
    float unused_x, unused_y;
    wp_ui_space(NULL, width, 1.1F * em, &unused_x, &unused_y);
    wp_ui_draw_text(x, below, 0, WP_UI_DIM, size, "%.3g", (double)h->low);
    if (r->histogram_step > 1)
        wp_ui_draw_text(x + 0.5F * width, below, 0.5F, WP_UI_DIM, size, "1 of %d rows",
                        r->histogram_step);
    wp_ui_draw_text(x + width, below, 1, WP_UI_DIM, size, "%.3g", (double)h->high);
}

static void tab_pixel(struct wp_viewer *v)
{
    if (wp_ui_section("Value", true))
        show_pixel(v);
    char title[64] = "Image###statistics";
    const struct wp_view_state *s = &v->state;
    const bool image = v->tiles == 0 || (v->volume ? v->results.of_image : v->tile[0].level == 0);
    if (!image)
        snprintf(title, sizeof title, "%s%d###statistics",
                 wp_instance_band_names(v->instance[WP_A])[s->band], s->level);
    if (!wp_ui_section(title, true))
        return;
    if (!image && v->instance[WP_A]->description.bank == WP_BANK_STARLET)
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "%s",
                   s->band == WP_BAND_LL ? "smoothed by the B3 spline, level after level"
                                         : "what the B3 spline of this level removes, in all "
                                           "directions");
    else if (!image && !v->volume)
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "%s", wp_band_descriptions[s->band]);
    show_statistics(v);
    show_histogram(v);
}

static void tab_pass(struct wp_viewer *v)
{
    const struct wp_op *op = wp_current_op(v);
    if (!op) {
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "There are no passes to show.");
        return;
    }
    wp_ui_text(WP_UI_ACCENT, "%s, level %d", op_names[op->kind][1], op->level);
    if (op->kind == WP_OP_PASS) {
        const struct wp_pass *pass = &op->scheme->pass[op->pass];
        const struct wp_reach *reach = &pass->reach;
        wp_ui_text(WP_UI_TEXT | WP_UI_WRAPPED, "%s", pass->label);
        wp_ui_label("Operations", "%d", wp_pass_operations(pass));
        wp_ui_label("Fetches", "%d", reach->fetches);
        wp_ui_label("Reach", "%d..%d, %d..%d %s", reach->low[WP_X], reach->high[WP_X],
                    reach->low[WP_Y], reach->high[WP_Y], op->dilation ? "taps" : "quads");
        if (op->dilation)
            wp_ui_label("Taps", "%d sample%s apart", op->dilation, WP_PLURAL(op->dilation));
        wp_ui_label("Constants", "%d", pass->before_count + pass->after_count);
    } else {
        wp_ui_text(WP_UI_TEXT | WP_UI_WRAPPED,
                   op->kind == WP_OP_GATHER   ? "Packs the samples of the low band into quads."
                   : op->kind == WP_OP_SPREAD ? "Writes the coarser level into the low band."
                                              : "All passes of a level in one dispatch.");
    }
    wp_ui_label("Domain", "%dx%d %s", op->domain.width, op->domain.height,
                op->dilation ? "samples" : "quads");
    wp_ui_label("Surfaces", "%d to %d", op->source, op->destination);
    const int index = v->state.op - 1;
    if (v->state.mode == WP_VIEW_PASS && index >= 0 && index < WP_TIMELINE_MAX && v->state.times)
        wp_ui_label("Time", "%.3g ms", 1e3 * v->op_seconds[index]);
    if (!op->dilation) {
        if (wp_ui_combo("Quads", &v->state.quads, wp_quads_view_names, WP_QUADS_VIEWS))
            v->state.fit = true;
        wp_ui_tooltip("Interleaved as in the image, the four components side by side, or both.");
    }
    wp_ui_check("Before", &v->state.before);
    wp_ui_tooltip("Show the input of the pass instead of its output.");
}

// A button whose tooltip names the action.
static void explained_button(struct wp_viewer *v, const char *label, const char *name)
{
    const struct wp_action *action = wp_action_find(name);
    char tip[128];
    wp_panel_button(v, label, name);
    snprintf(tip, sizeof tip, "%s (%s)", action->label, action->keys);
    wp_ui_tooltip(tip);
}

static void show_large_button(struct wp_viewer *v)
{
    explained_button(v, v->state.large ? "Back###large" : "Large###large", "large");
}

// A listing that can be selected, with buttons to enlarge and copy it.
static void show_listing(struct wp_viewer *v, const char *name)
{
    struct wp_text text = {0};
    if (v->ready[WP_A] && wp_listing_text(v, &text)) {
        show_large_button(v);
        wp_ui_same_line();
        explained_button(v, "Copy", "copy-text");
        wp_ui_begin_child(name, 0, 0, WP_UI_SCROLL_X);
        wp_ui_listing(name, wp_text_get(&text));
        wp_ui_end_child();
    }
    wp_text_free(&text);
}

static void tab_matrix(struct wp_viewer *v)
{
    show_listing(v, "matrix");
}

static void tab_shader(struct wp_viewer *v)
{
    if (v->shader_error.length)
        wp_ui_text(WP_UI_WARNING | WP_UI_WRAPPED, "%s", wp_text_get(&v->shader_error));
    show_listing(v, "shader");
}

// An arrow with a gap at both ends.
static void draw_arrow(float x0, float y0, float x1, float y1, float gap)
{
    const float dx = x1 - x0, dy = y1 - y0, length = hypotf(dx, dy);
    if (length < 2 * gap)
        return;
    const float ux = dx / length, uy = dy / length, head = 0.55F * gap;
    const float ex = x1 - gap * ux, ey = y1 - gap * uy;
    wp_ui_draw_line(x0 + gap * ux, y0 + gap * uy, ex, ey, WP_UI_ACCENT, 1.2F);
    wp_ui_draw_line(ex, ey, ex - head * (2 * ux + uy), ey - head * (2 * uy - ux), WP_UI_ACCENT,
                    1.2F);
    wp_ui_draw_line(ex, ey, ex - head * (2 * ux - uy), ey - head * (2 * uy + ux), WP_UI_ACCENT,
                    1.2F);
}

// Components have different marks: filled or open, round or square.
static void draw_mark(float x, float y, float r, int component)
{
    const enum wp_ui_colour colour = WP_UI_TEXT;
    if (component == WP_BAND_LL)
        wp_ui_draw_circle(x, y, r, colour, true);
    else if (component == WP_BAND_HL)
        wp_ui_draw_circle(x, y, r, colour, false);
    else if (component == WP_BAND_LH)
        wp_ui_draw_rect(x - r, y - r, 2 * r, 2 * r, colour, 1);
    else
        wp_ui_draw_frame(x - r, y - r, 2 * r, 2 * r, colour, 1.5F);
}

// The diagram of one row of the pass's matrix, one arrow per term. `largest` is the maximum size of
// a sample in lines of text.
static void diagram_of(const struct wp_pass *pass, int row, float largest)
{
    const struct wp_reach *reach = &pass->reach;
    const int columns = 2 * (reach->high[WP_X] - reach->low[WP_X] + 1);
    const int rows = 2 * (reach->high[WP_Y] - reach->low[WP_Y] + 1);
    const float width = wp_ui_width_left(), em = wp_ui_em();
    const float cell = fminf(width / (float)columns, largest * em), r = 0.16F * cell;
    float x, y;
    wp_ui_space(NULL, width, cell * (float)rows + 0.5F * em, &x, &y);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            draw_mark(x + cell * ((float)i + 0.5F), y + cell * ((float)j + 0.5F), r,
                      i % 2 + 2 * (j % 2));
    wp_ui_draw_frame(x + cell * (float)(-2 * reach->low[WP_X]),
                     y + cell * (float)(-2 * reach->low[WP_Y]), 2 * cell, 2 * cell, WP_UI_LINE, 1);
    const float tx = x + cell * ((float)(row % 2 - 2 * reach->low[WP_X]) + 0.5F);
    const float ty = y + cell * ((float)(row / 2 - 2 * reach->low[WP_Y]) + 0.5F);
    for (int column = 0; column < WP_COMPONENTS; column++) {
        const struct wp_poly *p = &pass->core.at[row][column];
        for (int t = 0; t < p->count; t++) {
            const int i = 2 * (p->term[t].at[WP_X] - reach->low[WP_X]) + column % 2;
            const int j = 2 * (p->term[t].at[WP_Y] - reach->low[WP_Y]) + column / 2;
            draw_arrow(x + cell * ((float)i + 0.5F), y + cell * ((float)j + 0.5F), tx, ty,
                       0.24F * cell);
        }
    }
}

// In the large view two diagrams are side by side.
static void show_diagram(const struct wp_viewer *v, const struct wp_pass *pass, int row, int number)
{
    const float em = wp_ui_em(), largest = v->state.large ? 2.7F : 2;
    char name[16];
    if (!v->state.large) {
        wp_ui_text(WP_UI_DIM, "%s", wp_polyphase_names[row]);
        diagram_of(pass, row, largest);
        return;
    }
    const int samples = 2 * (pass->reach.high[WP_Y] - pass->reach.low[WP_Y] + 1);
    if (number % 2)
        wp_ui_same_line();
    snprintf(name, sizeof name, "row %d", row);
    wp_ui_begin_child(name, number % 2 ? 0 : 0.5F * wp_ui_width_left(),
                      (largest * (float)samples + 2.2F) * em, WP_UI_BAR);
    wp_ui_text(WP_UI_DIM, "%s", wp_polyphase_names[row]);
    diagram_of(pass, row, largest);
    wp_ui_end_child();
}

static void tab_diagram(struct wp_viewer *v)
{
    const struct wp_op *op = wp_current_op(v);
    if (!op || op->kind != WP_OP_PASS) {
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "Select a pass (F10) to show its diagram.");
        return;
    }
    if (op->dilation) {
        explained_button(v, "SVG", "save-diagram");
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "The diagrams of this bank are in the file.");
        return;
    }
    const struct wp_pass *pass = &op->scheme->pass[op->pass];
    show_large_button(v);
    wp_ui_same_line();
    explained_button(v, "SVG", "save-diagram");
    wp_ui_begin_child("diagram", 0, 0, 0);
    int shown = 0;
    for (int row = 0; row < WP_COMPONENTS; row++) {
        int terms = 0;
        for (int column = 0; column < WP_COMPONENTS; column++)
            terms += pass->core.at[row][column].count;
        if (terms == 1 && wp_poly_is_one(&pass->core.at[row][row]))
            continue; // unchanged by the pass
        show_diagram(v, pass, row, shown++);
    }
    wp_ui_end_child();
}

static void show_tab(void *user, int tab)
{
    static void (*const tabs[WP_INSPECTORS])(struct wp_viewer *) = {
        tab_pixel, tab_pass, tab_matrix, tab_shader, tab_diagram, wp_panel_scales,
    };
    struct wp_viewer *v = user;
    if (v->drawn.inspector == v->state.inspector)
        v->state.inspector = tab;
    tabs[tab](v);
}

void wp_panel_inspector(struct wp_viewer *v, struct wp_rect_f r)
{
    const int inspector = v->state.inspector;
    wp_ui_begin_panel("inspector", r.x, r.y, r.width, r.height, 0);
    wp_ui_tabs("inspector", wp_inspector_names, WP_INSPECTORS,
               v->drawn.inspector != inspector ? inspector : -1, show_tab, v);
    wp_ui_end_panel();
}
