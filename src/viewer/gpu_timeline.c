// The timeline panel: the operations of the transform with the barriers between them.
#include "panels.h"

#include "actions.h"
#include "viewer_struct.h"

#include <stdio.h>

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
