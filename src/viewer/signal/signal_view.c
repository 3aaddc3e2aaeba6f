#include "signal_parts.h"

#include "json_value.h"
#include "viewer_struct.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

// Heights in lines of text, and the largest share of the canvas.
static const float LEAST_BAND = 2.0F, LARGEST_BAND = 4.2F, SHARE = 0.62F, TITLE = 1.5F,
                   LABELS = 10;

static bool is_shown(const struct wp_viewer *v)
{
    return v->state.signal && v->ready[WP_A] && !v->instance[WP_A]->volume;
}

static int columns_of(const struct wp_viewer *v)
{
    return wp_viewer_comparing(v) ? 2 : 1;
}

// The number of strips: the row and its bands.
static int strips_of(const struct wp_viewer *v)
{
    int most = 0;
    for (int ab = WP_A; ab < columns_of(v); ab++)
        most = v->instance[ab]->levels > most ? v->instance[ab]->levels : most;
    return most + 2;
}

void wp_signal_lay_out(struct wp_viewer *v, struct wp_rect_f *canvas)
{
    const float em = wp_ui_em(), strips = (float)strips_of(v);
    v->signal.area = (struct wp_rect_f){0};
    if (!is_shown(v) || canvas->height < 3 * LEAST_BAND * em)
        return;
    const float wanted = (TITLE + strips * LARGEST_BAND) * em;
    const float height = floorf(fminf(wanted, SHARE * canvas->height));
    canvas->height -= height;
    v->signal.area = (struct wp_rect_f){canvas->x, canvas->y + canvas->height, canvas->width, height};
}

// The row of the image under the pointer, unless it is pinned.
static void follow(struct wp_viewer *v)
{
    if (v->hover_tile < 0)
        return;
    const struct wp_tile *tile = &v->tile[v->hover_tile];
    const struct wp_instance *a = v->instance[WP_A];
    const bool whole = tile->level == 0 || wp_description_is_redundant(&a->description);
    const int log = whole ? 0 : tile->stride_log >= 0 ? tile->stride_log : tile->level;
    const int row = v->hover_py << log;
    v->state.signal_row = row < a->plane.height ? row : a->plane.height - 1;
}

// From samples to pixels: those of a single tile of the image's size, so that the plots are below
// it, or the whole row beside the labels.
struct axis {
    double left, pixels; // of sample 0; per sample
};

static struct axis find_axis(const struct wp_viewer *v, const struct wp_rect_f *r)
{
    const int width = v->instance[WP_A]->plane.width;
    const float labels = fminf(LABELS * wp_ui_em(), 0.5F * r->width);
    if (columns_of(v) == 1 && v->tiles == 1 && v->panes == 1 && v->tile[0].width == width && v->tile[0].stride_log < 0) {
        double left, top;
        wp_pane_origin(&v->pane[0], &left, &top);
        return (struct axis){left + (double)v->tile[0].x * v->pane[0].zoom,
                             (double)v->tile[0].unit[0] * v->pane[0].zoom};
    }
    return (struct axis){(double)(r->x + labels), (double)(r->width - labels) / (double)width};
}

// Stems of coefficients, or of more than one in a pixel their range.
static void draw_stems(const struct wp_signal_band *band, int s, const struct axis *axis,
                       const struct wp_rect_f *r, float zero, double scale,
                       enum wp_ui_colour colour)
{
    const double pixels = band->step * axis->pixels;
    const int each = pixels < 1 ? (int)ceil(1 / pixels) : 1;
    const float thick = pixels > 5 ? 2 : 1;
    for (int i = 0; i < band->count; i += each) {
        double least = 0, most = 0;
        for (int k = i; k < i + each && k < band->count; k++) {
            least = fmin(least, (double)band->value[s][k]);
            most = fmax(most, (double)band->value[s][k]);
        }
        const float x = (float)(axis->left + (band->first + i * band->step + 0.5) * axis->pixels);
        if (x < r->x || x > r->x + r->width || (least == 0 && most == 0 && pixels < 3))
            continue;
        wp_ui_draw_line(x, zero - (float)(most * scale), x, zero - (float)(least * scale), colour,
                        thick);
        if (pixels > 4)
            wp_ui_draw_circle(x, zero - (float)((most > 0 ? most : least) * scale),
                              fminf(0.35F * (float)pixels, 2.5F), colour, true);
    }
}

// A curve, for samples and low bands.
static void draw_curve(const struct wp_signal_band *band, int s, const struct axis *axis,
                       const struct wp_rect_f *r, float bottom, double least, double scale,
                       enum wp_ui_colour colour)
{
    float before_x = 0, before_y = 0;
    for (int i = 0; i < band->count; i++) {
        const float x = (float)(axis->left + (band->first + i * band->step + 0.5) * axis->pixels);
        const float y = bottom - (float)(((double)band->value[s][i] - least) * scale);
        if (i > 0 && x >= r->x && before_x <= r->x + r->width)
            wp_ui_draw_line(before_x, before_y, x, y, colour, 1.5F);
        before_x = x;
        before_y = y;
    }
}

// Details share a range with `range all`; each has its own with `range band`.
static double range_of(const struct wp_viewer *v, const struct wp_signal_row *row,
                       const struct wp_signal_band *band)
{
    double most = fmax(fabs(band->least), fabs(band->most));
    if (v->state.range == WP_RANGE_FIXED)
        return 1;
    for (int i = 1; i < row->bands && v->state.range == WP_RANGE_ALL; i++)
        most = fmax(most, fmax(fabs(row->band[i].least), fabs(row->band[i].most)));
    return most > WP_RANGE_LEAST ? most : WP_RANGE_LEAST;
}

static void draw_strip(const struct wp_viewer *v, const struct wp_signal_row *row,
                       const struct wp_signal_band *band, bool curve, const struct axis *axis,
                       const struct wp_rect_f *r, enum wp_ui_colour colour)
{
    const float em = wp_ui_em(), inset = 0.2F * em;
    const bool moved = v->state.signal_shift != 0;
    char number[2][WP_NUMBER_SIZE];
    wp_ui_draw_rect(r->x, r->y, r->width, r->height - 1, WP_UI_BACKGROUND, 1);
    if (curve) {
        const double span = fmax(band->most - band->least, WP_RANGE_LEAST);
        const double scale = (double)(r->height - 1 - 2 * inset) / span;
        for (int s = !moved; s < 2; s++)
            draw_curve(band, s, axis, r, r->y + r->height - 1 - inset, band->least, scale,
                       s ? colour : WP_UI_DIM);
    } else {
        const float zero = r->y + 0.5F * (r->height - 1);
        const double scale = (double)(0.5F * (r->height - 1) - inset) / range_of(v, row, band);
        wp_ui_draw_line(r->x, zero, r->x + r->width, zero, WP_UI_LINE, 1);
        for (int s = !moved; s < 2; s++)
            draw_stems(band, s, axis, r, zero, scale, s ? colour : WP_UI_DIM);
    }
    for (int s = 0; s < 2; s++)
        wp_format_number(number[s], band->energy[s], 4);
    wp_canvas_label(r->x + 3, r->y + 2, WP_UI_WHITE, moved ? "%s  %s → %s" : "%s  %s", band->name,
                    number[0], number[1]);
}

static void draw_column(const struct wp_viewer *v, int ab, struct wp_rect_f r)
{
    const struct wp_signal_row *row = &v->signal.of[ab];
    const struct wp_instance *instance = v->instance[ab];
    const float em = wp_ui_em();
    const struct axis axis = find_axis(v, &r);
    const enum wp_ui_colour colour = columns_of(v) == 1 ? WP_UI_ACCENT : ab ? WP_UI_B : WP_UI_A;
    const bool starlet = instance->description.bank == WP_BANK_STARLET;
    wp_ui_clip(r.x, r.y, r.width, r.height);
    char moved[32] = "";
    if (v->state.signal_shift)
        snprintf(moved, sizeof moved, ", moved by %+d", v->state.signal_shift);
    wp_ui_draw_text(r.x + 0.4F * em, r.y + 0.2F * em, 0, WP_UI_TEXT, em, "Row %d%s: %s %s, energies",
                    row->source.row, moved, wp_bank_names[row->source.bank],
                    starlet ? "B3" : instance->wavelet.name);
    const float top = TITLE * em, each = floorf((r.height - top) / (float)(row->bands + 1));
    for (int i = 0; i <= row->bands; i++) {
        const struct wp_rect_f strip = {r.x, r.y + top + (float)i * each, r.width, each};
        const int number = row->bands - i; // from the first level to the low band
        draw_strip(v, row, i == 0 ? &row->samples : &row->band[number], i == 0 || number == 0,
                   &axis, &strip, colour);
    }
    wp_ui_unclip();
}

void wp_signal_draw(struct wp_viewer *v)
{
    struct wp_rect_f r = v->signal.area;
    if (r.height <= 0)
        return;
    const int columns = columns_of(v);
    follow(v);
    wp_ui_draw_rect(r.x, r.y, r.width, r.height, WP_UI_PANEL, 1);
    r.width = floorf((r.width - (float)(columns - 1) * 4) / (float)columns);
    for (int ab = WP_A; ab < columns; ab++) {
        wp_signal_update_row(v, ab);
        if (!v->signal.of[ab].failed)
            draw_column(v, ab, r);
        r.x += r.width + 4;
    }
}

static json_t *row_facts(const struct wp_signal_row *row)
{
    json_t *bands = json_array();
    for (int i = 0; i < row->bands; i++) {
        const struct wp_signal_band *band = &row->band[i];
        json_array_append_new(bands, json_pack("{s:s, s:i, s:[o,o]}", "name", band->name, "count",
                                               band->count, "energy",
                                               wp_json_number(band->energy[0]),
                                               wp_json_number(band->energy[1])));
    }
    return bands;
}

json_t *wp_signal_facts(const struct wp_viewer *v)
{
    const struct wp_signal *signal = &v->signal;
    if (signal->area.height <= 0)
        return json_null();
    return json_pack("{s:i, s:o, s:o}", "row", signal->of[WP_A].source.row, "a",
                     row_facts(&signal->of[WP_A]), "b",
                     columns_of(v) > 1 ? row_facts(&signal->of[WP_B]) : json_null());
}
