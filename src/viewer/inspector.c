// The inspector panel: pixel values, statistics, and the current pass.
#include "actions.h"
#include "panels.h"
#include "polyphase_state.h"
#include "save.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The title of a box.
static void name_op(const struct wp_op *op, char *name, size_t size)
{
    switch (op->kind) {
    case WP_OP_PASS: snprintf(name, size, "pass %d", op->pass + 1); break;
    case WP_OP_GATHER: snprintf(name, size, "gather"); break;
    case WP_OP_SPREAD: snprintf(name, size, "spread"); break;
    case WP_OP_LEVEL: snprintf(name, size, "level"); break;
    case WP_OP_DEPTH: snprintf(name, size, "along z"); break;
    case WP_OP_KINDS: break;
    }
}

static void show_boxes(struct wp_viewer *v, const struct wp_schedule *schedule)
{
    struct wp_view_state *s = &v->state;
    const float em = wp_ui_em(), width = 5.4F * em, height = 2.5F * em, gap = 0.9F * em;
    const bool stepping = s->mode == WP_VIEW_PASS;
    for (int i = 0; i <= schedule->op_count; i++) {
        const struct wp_op *op = i > 0 ? &schedule->op[i - 1] : NULL;
        char name[32] = "load", below[48] = "", id[32];
        if (op)
            name_op(op, name, sizeof name);
        const bool timed = stepping && i > 0 && i <= s->op && i <= WP_TIMELINE_MAX && s->times;
        if (timed)
            snprintf(below, sizeof below, "L%d  %.2g ms", op->level, 1e3 * v->op_seconds[i - 1]);
        else if (op && op->kind == WP_OP_PASS)
            snprintf(below, sizeof below, "L%d  %d ops", op->level,
                     wp_pass_operations(&op->scheme->pass[op->pass]));
        else if (op)
            snprintf(below, sizeof below, "L%d", op->level);
        else
            snprintf(below, sizeof below, "input");
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
        wp_ui_draw_text(x + 0.4F * em, y + 0.15F * em, WP_UI_TEXT, em, name);
        wp_ui_draw_text(x + 0.4F * em, y + 1.3F * em, WP_UI_DIM, 0.86F * em, below);
        // A barrier: the next operation reads results of neighboring quads.
        if (i > 0 && i < schedule->op_count)
            wp_ui_draw_line(x + width + 0.5F * gap, y, x + width + 0.5F * gap, y + height,
                            WP_UI_DIM, 2);
    }
}

// For volumes: the slice that is played along the axis of the active pane.
static void show_slices(struct wp_viewer *v)
{
    const struct wp_view_state *s = &v->state;
    const int axis = wp_slices_axis(v), group = wp_slices_group(v);
    char text[160];
    snprintf(text, sizeof text, "Along %s, %.3g/s", wp_axis_words[axis], s->rate);
    wp_ui_text(WP_UI_DIM, text);
    if (group == 0)
        return;
    snprintf(text, sizeof text, "Groups of %d: slice %d of group %d", group,
             s->cross[WP_Z] % group, s->cross[WP_Z] / group);
    wp_ui_text(WP_UI_DIM, text);
}

void wp_panel_timeline(struct wp_viewer *v, struct wp_rect_f r)
{
    struct wp_view_state *s = &v->state;
    wp_ui_begin_panel("timeline", r.x, r.y, r.width, r.height, WP_UI_BAR);
    const struct wp_schedule *schedule =
        v->ready[WP_A] ? wp_instance_schedule(&v->instance[WP_A], (enum wp_direction)s->direction)
                       : NULL;
    static const struct {
        const char *label, *action;
    } passes[] = {{"<", "previous-pass"}, {">", "next-pass"}},
      slices[] = {{"<", "previous-slice"}, {">", "next-slice"}};
    wp_ui_text(WP_UI_DIM, v->volume ? "Slices" : "Passes");
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        wp_ui_same_line();
        if (wp_ui_button(passes[i].label))
            wp_action_run(v, wp_action_find(v->volume ? slices[i].action : passes[i].action));
    }
    wp_ui_same_line();
    if (wp_ui_button(s->playing ? "Pause###play" : "Play###play"))
        wp_action_run(v, wp_action_find("play"));
    if (v->volume) {
        show_slices(v);
        wp_ui_end_panel();
        return;
    }
    wp_ui_same_line();
    if (wp_ui_button(s->direction == WP_FORWARD ? "Forward###direction" : "Inverse###direction"))
        wp_action_run(v, wp_action_find("direction"));
    if (!schedule && v->ready[WP_A]) {
        struct wp_text reason = {0};
        wp_instance_explain(&v->instance[WP_A], &reason);
        wp_ui_text(WP_UI_DIM, wp_text_get(&reason));
        wp_text_free(&reason);
    } else if (schedule) {
        wp_ui_begin_child("boxes", 0, 0, WP_UI_SCROLL_X);
        show_boxes(v, schedule);
        wp_ui_end_child();
    }
    wp_ui_end_panel();
}

static void add_row(const char *label, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    wp_ui_label(label, text);
}

// Appends a value under the pointer as a column, or a dash if there is none.
static void add_value(const struct wp_viewer *v, int ab, int plane, int component, char *text,
                      size_t size)
{
    const size_t used = strlen(text);
    const int digits = v->tile[v->hover_tile].planes > 1 ? 5 : 7;
    if (v->hover_has[ab][component])
        snprintf(text + used, size - used, " %+*.*f", digits + 4, digits,
                 (double)v->hover_value[ab][plane][component]);
    else
        snprintf(text + used, size - used, " %*s", digits + 4, "-");
}

// One row per plane, with columns A, B and A - B.
static void show_planes(const struct wp_viewer *v, const struct wp_tile *t, int component)
{
    const bool both = t->quads[WP_B][0].texture != NULL;
    char text[96];
    wp_ui_mono(WP_UI_DIM, both ? "              A         B      A−B" : "          value");
    for (int p = 0; p < t->planes; p++) {
        snprintf(text, sizeof text, "%-5s", wp_viewer_plane_name(v, p));
        for (int ab = WP_A; ab <= (both ? WP_B : WP_A); ab++)
            add_value(v, ab, p, component, text, sizeof text);
        const size_t used = strlen(text);
        if (both)
            snprintf(text + used, sizeof text - used, " %+8.1e",
                     (double)v->hover_value[WP_A][p][component] -
                         (double)v->hover_value[WP_B][p][component]);
        wp_ui_mono(WP_UI_TEXT, text);
    }
}

static void show_sample(const struct wp_viewer *v, const struct wp_tile *t)
{
    const bool both = t->quads[WP_B][0].texture != NULL;
    const char *const words[] = {both ? "A" : "value", "B"};
    char text[96] = "sample";
    int at[WP_DIMS_MAX];
    wp_slices_locate(t, v->hover_px, v->hover_py, at);
    if (t->level > 0)
        snprintf(text, sizeof text, "%s%d", wp_octet_band_names[t->band], t->level);
    wp_ui_text(WP_UI_ACCENT, text);
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        snprintf(text, sizeof text, "%d", at[a]);
        wp_ui_label(wp_axis_words[a], text);
    }
    if (t->planes > 1) {
        show_planes(v, t, 0);
        return;
    }
    for (int ab = WP_A; ab <= WP_B; ab++)
        if (v->hover_has[ab][0] && t->quads[ab][0].texture)
            add_row(words[ab], "%+.7f", (double)v->hover_value[ab][0][0]);
    if (both)
        add_row("A−B", "%+.3e",
                (double)v->hover_value[WP_A][0][0] - (double)v->hover_value[WP_B][0][0]);
}

// All components of the quad: one row per component, one column per plane of A, or for A and B.
static void show_quad(const struct wp_viewer *v, const struct wp_tile *t, int component)
{
    const bool both = t->quads[WP_B][0].texture != NULL, bands = t->level > 0;
    const char *const *names = wp_tile_names(t);
    char text[160];
    if (t->planes > 1)
        snprintf(text, sizeof text, "%-*s %9s %9s %9s", bands ? 4 : 11, bands ? "" : "  x    y",
                 wp_viewer_plane_name(v, 0), wp_viewer_plane_name(v, 1),
                 wp_viewer_plane_name(v, 2));
    else
        snprintf(text, sizeof text, "%s%*s%s", bands ? "" : "  x    y", bands ? 13 : 4, "",
                 both ? "A           B" : "value");
    wp_ui_mono(WP_UI_DIM, text);
    for (int c = 0; c < WP_COMPONENTS; c++) {
        snprintf(text, sizeof text, "%c %-*s", c == component ? '>' : ' ',
                 bands ? 2 : 9, names[c]);
        for (int p = 0; p < t->planes; p++)
            for (int ab = WP_A; ab <= (both ? WP_B : WP_A); ab++)
                add_value(v, ab, p, c, text, sizeof text);
        wp_ui_mono(c == component ? WP_UI_TEXT : WP_UI_DIM, text);
    }
    if (both) {
        const double difference = (double)v->hover_value[WP_A][0][component] -
                                  (double)v->hover_value[WP_B][0][component];
        snprintf(text, sizeof text, "  A−B %+.3e", difference);
        wp_ui_mono(WP_UI_TEXT, text);
    }
}

static void show_pixel(const struct wp_viewer *v)
{
    if (v->hover_tile < 0) {
        wp_ui_text(WP_UI_DIM, "Point at the image.");
        wp_ui_text(WP_UI_DIM, v->volume ? "A click moves the crosshair."
                                        : "A click pins a pixel.");
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
    wp_text_add(&name, "%s", v->pinned ? "  pinned" : "");
    wp_ui_text(WP_UI_ACCENT, wp_text_get(&name));
    wp_text_free(&name);
    if (t->planes > 1 && t->quads[WP_B][0].texture)
        show_planes(v, t, component);
    else
        show_quad(v, t, component);
}

static void show_statistics(const struct wp_viewer *v)
{
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {{"Min", offsetof(struct wp_measure, least)},
                {"Max", offsetof(struct wp_measure, most)},
                {"Mean", offsetof(struct wp_measure, mean)},
                {"Std.", offsetof(struct wp_measure, deviation)}};
    const struct wp_view_results *r = &v->results;
    const struct wp_measure *m = &r->selected;
    if (!r->has_histogram || m->samples == 0)
        return;
    if (r->planes == 1) {
        add_row("Min", "%+.6f", m->least);
        add_row("Max", "%+.6f", m->most);
        add_row("Mean", "%+.6f", m->mean);
        add_row("Std. dev.", "%.6f", m->deviation);
    } else {
        char head[64];
        snprintf(head, sizeof head, "%5s %9s %9s %9s", "", wp_viewer_plane_name(v, 0),
                 wp_viewer_plane_name(v, 1), wp_viewer_plane_name(v, 2));
        wp_ui_mono(WP_UI_DIM, head);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char text[96];
            snprintf(text, sizeof text, "%-5s", rows[i].name);
            for (int p = 0; p < r->planes; p++) {
                const size_t used = strlen(text);
                const char *of = (const char *)&r->selected_plane[p] + rows[i].offset;
                snprintf(text + used, sizeof text - used, " %+9.5f", *(const double *)of);
            }
            wp_ui_mono(WP_UI_TEXT, text);
        }
    }
    add_row("Energy", "%.6g", m->square * (double)m->samples);
    add_row("Samples", "%.0f", (double)m->samples);
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
    char text[32];
    float unused_x, unused_y;
    wp_ui_space(NULL, width, 1.1F * em, &unused_x, &unused_y);
    snprintf(text, sizeof text, "%.3g", (double)h->low);
    wp_ui_draw_text(x, y + height + 0.2F * em, WP_UI_DIM, 0.9F * em, text);
    if (v->results.histogram_step > 1) {
        snprintf(text, sizeof text, "1 of %d rows", v->results.histogram_step);
        wp_ui_draw_text(x + 0.5F * (width - 0.9F * wp_ui_text_width(text)), y + height + 0.2F * em,
                        WP_UI_DIM, 0.9F * em, text);
    }
    snprintf(text, sizeof text, "%.3g", (double)h->high);
    wp_ui_draw_text(x + width - 0.9F * wp_ui_text_width(text), y + height + 0.2F * em, WP_UI_DIM,
                    0.9F * em, text);
}

static void tab_pixel(const struct wp_viewer *v)
{
    if (wp_ui_section("Value", true))
        show_pixel(v);
    char title[64] = "Image###statistics";
    const struct wp_view_state *s = &v->state;
    const bool image = v->tiles == 0 || (v->volume ? v->results.of_image : v->tile[0].level == 0);
    if (!image)
        snprintf(title, sizeof title, "%s%d###statistics",
                 wp_instance_band_names(&v->instance[WP_A])[s->band], s->level);
    if (!wp_ui_section(title, true))
        return;
    if (!image && !v->volume)
        wp_ui_text_wrapped(WP_UI_DIM, wp_band_descriptions[s->band]);
    show_statistics(v);
    show_histogram(v);
}

static const char *op_title(const struct wp_op *op)
{
    switch (op->kind) {
    case WP_OP_PASS: return "Pass";
    case WP_OP_GATHER: return "Gather";
    case WP_OP_SPREAD: return "Spread";
    case WP_OP_LEVEL: return "Level";
    case WP_OP_DEPTH: return "Along z";
    case WP_OP_KINDS: break;
    }
    return "";
}

static void tab_pass(struct wp_viewer *v)
{
    const struct wp_op *op = wp_current_op(v);
    if (!op) {
        wp_ui_text_wrapped(WP_UI_DIM, "There are no passes to show.");
        return;
    }
    char text[128];
    snprintf(text, sizeof text, "%s, level %d", op_title(op), op->level);
    wp_ui_text(WP_UI_ACCENT, text);
    if (op->kind == WP_OP_PASS) {
        const struct wp_pass *pass = &op->scheme->pass[op->pass];
        wp_ui_text_wrapped(WP_UI_TEXT, pass->label);
        add_row("Operations", "%.0f", wp_pass_operations(pass));
        add_row("Fetches", "%.0f", pass->reach.fetches);
        snprintf(text, sizeof text, "%d..%d, %d..%d quads", pass->reach.low[WP_X],
                 pass->reach.high[WP_X], pass->reach.low[WP_Y], pass->reach.high[WP_Y]);
        wp_ui_label("Reach", text);
        add_row("Constants", "%.0f", pass->before_count + pass->after_count);
    } else {
        wp_ui_text_wrapped(WP_UI_TEXT,
                           op->kind == WP_OP_GATHER ? "Packs the samples of the low band into "
                                                      "quads."
                           : op->kind == WP_OP_SPREAD
                               ? "Writes the coarser level into the low band."
                               : "All passes of a level in one dispatch.");
    }
    snprintf(text, sizeof text, "%dx%d quads", op->domain.width, op->domain.height);
    wp_ui_label("Domain", text);
    snprintf(text, sizeof text, "%d to %d", op->source, op->destination);
    wp_ui_label("Surfaces", text);
    const int index = v->state.op - 1;
    if (v->state.mode == WP_VIEW_PASS && index >= 0 && index < WP_TIMELINE_MAX && v->state.times)
        add_row("Time", "%.3g ms", 1e3 * v->op_seconds[index]);
    if (wp_ui_combo("Quads", &v->state.quads, wp_quads_view_names, WP_QUADS_VIEWS))
        v->state.fit = true;
    wp_ui_tooltip("Interleaved as in the image, the four components side by side, or both.");
    wp_ui_check("Before", &v->state.before);
    wp_ui_tooltip("Show the input of the pass instead of its output.");
}

static void action_button(struct wp_viewer *v, const char *label, const char *name)
{
    const struct wp_action *action = wp_action_find(name);
    char tip[128];
    if (wp_ui_button(label))
        wp_action_run(v, action);
    snprintf(tip, sizeof tip, "%s (%s)", action->label, action->keys);
    wp_ui_tooltip(tip);
}

static void show_large_button(struct wp_viewer *v)
{
    action_button(v, v->state.large ? "Back###large" : "Large###large", "large");
}

// A listing that can be selected, with buttons to enlarge and copy it.
static void show_listing(struct wp_viewer *v, const char *name)
{
    struct wp_text text = {0};
    if (wp_listing_text(v, &text)) {
        show_large_button(v);
        wp_ui_same_line();
        action_button(v, "Copy", "copy-text");
        wp_ui_begin_child(name, 0, 0, WP_UI_SCROLL_X);
        wp_ui_listing(name, wp_text_get(&text));
        wp_ui_end_child();
    }
    wp_text_free(&text);
}

static void tab_matrix(struct wp_viewer *v)
{
    if (v->ready[WP_A])
        show_listing(v, "matrix");
}

static void tab_shader(struct wp_viewer *v)
{
    if (v->shader_error.length)
        wp_ui_text_wrapped(WP_UI_WARNING, wp_text_get(&v->shader_error));
    if (v->ready[WP_A])
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
                     y + cell * (float)(-2 * reach->low[WP_Y]),
                     2 * cell, 2 * cell, WP_UI_LINE, 1);
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
        wp_ui_text(WP_UI_DIM, wp_polyphase_names[row]);
        diagram_of(pass, row, largest);
        return;
    }
    const int samples = 2 * (pass->reach.high[WP_Y] - pass->reach.low[WP_Y] + 1);
    if (number % 2)
        wp_ui_same_line();
    snprintf(name, sizeof name, "row %d", row);
    wp_ui_begin_child(name, number % 2 ? 0 : 0.5F * wp_ui_width_left(),
                      (largest * (float)samples + 2.2F) * em, WP_UI_BAR);
    wp_ui_text(WP_UI_DIM, wp_polyphase_names[row]);
    diagram_of(pass, row, largest);
    wp_ui_end_child();
}

static void tab_diagram(struct wp_viewer *v)
{
    const struct wp_op *op = wp_current_op(v);
    if (!op || op->kind != WP_OP_PASS) {
        wp_ui_text_wrapped(WP_UI_DIM, "Select a pass (F10) to show its diagram.");
        return;
    }
    const struct wp_pass *pass = &op->scheme->pass[op->pass];
    show_large_button(v);
    wp_ui_same_line();
    action_button(v, "SVG", "save-diagram");
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

void wp_panel_inspector(struct wp_viewer *v, struct wp_rect_f r)
{
    static void (*const tabs[WP_INSPECTORS])(struct wp_viewer *) = {
        NULL, tab_pass, tab_matrix, tab_shader, tab_diagram,
    };
    wp_ui_begin_panel("inspector", r.x, r.y, r.width, r.height, 0);
    if (wp_ui_begin_tabs("inspector")) {
        for (int i = 0; i < WP_INSPECTORS; i++) {
            const bool select = v->drawn.inspector != v->state.inspector &&
                                i == v->state.inspector;
            if (!wp_ui_begin_tab(wp_inspector_names[i], select))
                continue;
            if (v->drawn.inspector == v->state.inspector)
                v->state.inspector = i;
            if (tabs[i])
                tabs[i](v);
            else
                tab_pixel(v);
            wp_ui_end_tab();
        }
        wp_ui_end_tabs();
    }
    wp_ui_end_panel();
}
