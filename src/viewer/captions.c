// Captions of the canvas: names of A and B with their difference, the wipe, and for slices their
// names, patient directions and the crosshair.
#include "canvas.h"

#include "viewer_struct.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int wp_lines_of(const char *text)
{
    int lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

void wp_canvas_label(float x, float y, enum wp_ui_colour colour, const char *format, ...)
{
    const float em = wp_ui_em();
    struct wp_text words = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&words, format, args);
    va_end(args);
    const char *text = wp_text_get(&words);
    const float height = ((float)wp_lines_of(text) + 0.3F) * em;
    wp_ui_draw_rect(x, y, wp_ui_text_width(text) + 0.7F * em, height, WP_UI_BLACK, 0.62F);
    wp_ui_draw_text(x + 0.35F * em, y + 0.15F * em, 0, colour, em, "%s", text);
    wp_text_free(&words);
}

static void describe_instance(const struct wp_viewer *v, int ab, struct wp_text *text)
{
    const struct wp_instance *instance = v->instance[ab];
    const struct wp_instance_view *view = &instance->params.view;
    const unsigned image = wp_instance_image_texture(instance);
    const char *variant = wp_instance_variant(instance);
    const char *gap = v->panes == 2 ? "\n    " : "  "; // panes are narrow
    double map, unmap;
    wp_text_add(text, "%s  ", ab == WP_A ? "A" : "B");
    if (view->bank != WP_BANK_DECIMATED)
        wp_text_add(text, "%s  ", wp_bank_names[view->bank]);
    wp_text_add(text, "%s/%s%s%s%s",
                view->bank == WP_BANK_STARLET ? "B3" : instance->wavelet.name,
                wp_scheme_kinds[view->scheme].alias, view->plain ? "/plain" : "", gap,
                instance->backend->name);
    if (variant)
        wp_text_add(text, " %s", variant);
    if (view->precision != WP_PRECISION_F32)
        wp_text_add(text, " %s", wp_precision_names[view->precision]);
    if (!instance->volume && image == 0)
        wp_text_add(text, " via the host");
    else if (!instance->volume && ab == WP_B &&
             image == wp_instance_image_texture(v->instance[WP_A]))
        wp_text_add(text, " on A's texture");
    if (v->state.a.file != v->state.b.file)
        wp_text_add(text, "  %s", wp_base_name(v->file[v->state.view[ab].file].path));
    if (!v->state.times)
        return;
    wp_text_add(text, "%s%.3g ms", gap, 1e3 * instance->seconds[WP_FORWARD]);
    if (wp_instance_handover(instance, &map, &unmap))
        wp_text_add(text, "  (map %.2g, unmap %.2g)", 1e3 * map, 1e3 * unmap);
}

// Draws a caption above `bottom`, wrapped to the pane's width. Returns the bottom of the next
// caption above it.
static float add_caption(const struct wp_rect_f *r, float bottom, enum wp_ui_colour colour,
                         const struct wp_text *words)
{
    const float em = wp_ui_em();
    struct wp_text fitted = {0};
    const int lines = wp_text_add_fitted(&fitted, wp_text_get(words), r->width - 1.5F * em,
                                         wp_ui_text_width);
    const float y = bottom - ((float)lines + 0.45F) * em;
    wp_canvas_label(r->x + 0.4F * em, y, colour, "%s", wp_text_get(&fitted));
    wp_text_free(&fitted);
    return y;
}

void wp_canvas_captions(struct wp_viewer *v)
{
    const float em = wp_ui_em(), row = 1.45F * em;
    const struct wp_rect_f *c = &v->canvas, *last = &v->pane[v->panes - 1].r; // above its slice bar
    const float bottom = last->y + last->height - 0.4F * em;
    struct wp_text a = {0}, b = {0}, difference = {0};
    if (wp_viewer_comparing(v) && !wp_viewer_shows_both(v) && wp_viewer_compares_images(v)) {
        wp_text_add(&b, "A: the bands of B (%s) do not correspond to these; the modes original and "
                        "reconstruction compare", wp_bank_names[v->state.b.bank]);
        add_caption(c, bottom, WP_UI_WARNING, &b);
        wp_text_free(&b);
    }
    if (!wp_viewer_shows_both(v))
        return;
    describe_instance(v, WP_A, &a);
    describe_instance(v, WP_B, &b);
    const float right_of_b = wp_ui_text_width(wp_text_get(&b)) + 1.1F * em;
    float y = bottom;
    if (v->panes == 2) {
        const float top_a = add_caption(&v->pane[0].r, bottom, WP_UI_A, &a);
        const float top_b = add_caption(&v->pane[1].r, bottom, WP_UI_B, &b);
        y = fminf(top_a, top_b);
    } else if (wp_ui_text_width(wp_text_get(&a)) + right_of_b + 3 * em < c->width &&
               v->state.compare == WP_COMPARE_WIPE) {
        y -= row;
        wp_canvas_label(c->x + 0.4F * em, y, WP_UI_A, "%s", wp_text_get(&a));
        wp_canvas_label(c->x + c->width - right_of_b, y, WP_UI_B, "%s", wp_text_get(&b));
    } else {
        y = add_caption(c, y, WP_UI_B, &b);
        y = add_caption(c, y, WP_UI_A, &a);
    }
    if (v->results.has_shown) {
        const struct wp_measure *m = &v->results.shown;
        wp_text_add(&difference, "max |A−B| %.2e   PSNR ", wp_measure_largest(m));
        wp_text_add(&difference, m->squares > 0 ? "%.1f dB" : "infinite",
                    wp_measure_psnr(m, wp_viewer_peak(v)));
        if (v->state.compare == WP_COMPARE_DIFFERENCE && !v->state.flipped)
            wp_text_add(&difference, "   shown: %s", wp_view_metric_names[v->state.metric]);
        add_caption(c, y, WP_UI_WHITE, &difference);
    }
    wp_text_free(&difference);
    wp_text_free(&a);
    wp_text_free(&b);
}

void wp_canvas_wipe(struct wp_viewer *v)
{
    if (!wp_viewer_shows_both(v) || v->state.compare != WP_COMPARE_WIPE || v->state.flipped)
        return;
    for (int i = 0; i < v->panes; i++) {
        const struct wp_rect_f *p = &v->pane[i].r;
        const float x = floorf(p->x + (float)v->state.split * p->width), em = wp_ui_em();
        wp_ui_draw_line(x, p->y, x, p->y + p->height, WP_UI_BLACK, 3);
        wp_ui_draw_line(x, p->y, x, p->y + p->height, WP_UI_WHITE, 1);
        wp_ui_draw_circle(x, p->y + 0.5F * p->height, 0.45F * em, WP_UI_WHITE, true);
        wp_canvas_label(x - 1.7F * em, p->y + 0.5F * em, WP_UI_A, "A");
        wp_canvas_label(x + 0.4F * em, p->y + 0.5F * em, WP_UI_B, "B");
    }
}

static void name_pane(const struct wp_viewer *v, const struct wp_pane *pane, struct wp_text *name)
{
    const int axis = pane->orientation.axis;
    const char *word = wp_axis_words[axis];
    int first, end;
    if (pane->number != WP_PANE_FOURTH) {
        wp_text_add(name, "%s  %s %d",
                    pane->mode == WP_VIEW_MOSAIC ? "coefficients" : pane->orientation.name, word,
                    v->state.cross[axis]);
    } else if (v->state.fourth == WP_FOURTH_MIP) {
        wp_slices_slab(v, axis, &first, &end);
        if (end - first < v->slices.size[axis])
            wp_text_add(name, "%s  maximum, %s %d to %d", pane->orientation.name, word, first,
                        end - 1);
        else
            wp_text_add(name, "%s  maximum along %s", pane->orientation.name, word);
    } else if (pane->solid) {
        wp_text_add(name, v->state.behind ? "subbands of level %d, from behind"
                                          : "cube of subbands", v->tile[pane->first].level);
    } else {
        wp_text_add(name, "subbands at %s %d", word, v->state.cross[axis]);
    }
}

void wp_canvas_slice_marks(const struct wp_viewer *v, const struct wp_pane *pane)
{
    const struct wp_rect_f *r = &pane->r;
    const float em = wp_ui_em();
    const bool active = pane->number == v->state.pane;
    struct wp_text name = {0};
    float vx, vy, x, y;
    if (v->state.crosshair && wp_slices_cross(v, pane, &vx, &vy)) {
        // Lines with a gap around the sample.
        const float gap = fmaxf(0.35F * em, 0.6F * (float)pane->zoom);
        wp_pane_to_screen(pane, (double)vx, (double)vy, &x, &y);
        x = floorf(x) + 0.5F;
        y = floorf(y) + 0.5F;
        wp_ui_draw_line(r->x, y, x - gap, y, WP_UI_ACCENT, 1);
        wp_ui_draw_line(x + gap, y, r->x + r->width, y, WP_UI_ACCENT, 1);
        wp_ui_draw_line(x, r->y, x, y - gap, WP_UI_ACCENT, 1);
        wp_ui_draw_line(x, y + gap, x, r->y + r->height, WP_UI_ACCENT, 1);
    }
    name_pane(v, pane, &name);
    // At the top if the slice is upright; at the bottom if it fills the pane or the name would
    // cover a direction letter.
    const float wide = wp_ui_text_width(wp_text_get(&name)) + 1.1F * em;
    const bool below = pane->independent || wide > 0.5F * r->width - em;
    wp_canvas_label(r->x + r->width - wide,
                    below ? r->y + r->height - 1.65F * em : r->y + 0.35F * em,
                    active ? WP_UI_ACCENT : WP_UI_WHITE, "%s", wp_text_get(&name));
    wp_text_free(&name);
    const float at[4][2] = {{0.3F * em, 0.5F * r->height - 0.65F * em},
                            {r->width - 1.7F * em, 0.5F * r->height - 0.65F * em},
                            {0.5F * r->width - 0.7F * em, 0.35F * em},
                            {0.5F * r->width - 0.7F * em, r->height - 1.65F * em}};
    for (int i = 0; i < 4 && !pane->independent && pane->mode != WP_VIEW_MOSAIC; i++) {
        if (pane->orientation.letter[i])
            wp_canvas_label(r->x + at[i][0], r->y + at[i][1], WP_UI_WHITE, "%c",
                            pane->orientation.letter[i]);
    }
    if (active && v->panes > 1)
        wp_ui_draw_frame(r->x, r->y, r->width, r->height, WP_UI_ACCENT, 1);
}
