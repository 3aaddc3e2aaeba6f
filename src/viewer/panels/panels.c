// Menu bar, control panel, bars below the slices of a volume, and status line.
#include "panels.h"

#include "actions.h"
#include "save.h"
#include "scheme.h"
#include "suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MARKS_MAX = 256 };

static void slice_bar(struct wp_viewer *v, const struct wp_pane *pane)
{
    const int axis = pane->orientation.axis, size = v->slices.size[axis];
    const char *name = wp_axis_words[axis];
    const bool frames = axis == WP_Z && wp_viewer_source(v, WP_A)->geometry.frames;
    char format[64];
    snprintf(format, sizeof format, "%s %%d of %d", frames ? "frame" : name, size - 1);
    if (wp_ui_slide_bar(name, wp_ui_width_left(), &v->state.cross[axis], 0, size - 1, format))
        v->state.pane = pane->number;
    // Mark the boundaries of groups of slices.
    float at[MARKS_MAX];
    const int group = axis == WP_Z ? wp_slices_group(v) : 0;
    int count = 0;
    for (int first = group; group > 0 && first < size && count < MARKS_MAX; first += group)
        at[count++] = ((float)first - 0.5F) / (float)(size - 1);
    wp_ui_marks(at, count);
}

static void fourth_bar(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const bool bands = s->fourth == WP_FOURTH_BANDS, cube = s->fourth == WP_FOURTH_CUBE;
    const bool mip = s->fourth == WP_FOURTH_MIP;
    const int levels = wp_description_levels(&v->instance[WP_A]->description);
    if (wp_ui_toggle("Bands", bands))
        s->fourth = WP_FOURTH_BANDS;
    wp_ui_tooltip("The subbands of a level, in slices along the axis of the active view: low-pass "
                  "and high-pass along it.");
    wp_ui_same_line();
    if (wp_ui_toggle("Cube", cube))
        s->fourth = WP_FOURTH_CUBE;
    wp_ui_tooltip("All subbands on the faces of a cube, each in a slice at the crosshair.");
    wp_ui_same_line();
    if (wp_ui_toggle("MIP", mip))
        s->fourth = WP_FOURTH_MIP;
    wp_ui_tooltip("The maximum along an axis.");
    if (cube) {
        wp_ui_same_line();
        if (wp_ui_toggle("Behind", s->behind))
            s->behind = !s->behind;
        wp_ui_tooltip("From the far corner: the high-pass subbands of the selected level.");
    }
    if ((bands || (cube && s->behind)) && levels > 1) {
        // The level slider, if there is enough space.
        int level = s->level;
        wp_ui_same_line();
        const float width = wp_ui_width_left();
        if (width > 5 * wp_ui_em() &&
            wp_ui_slide_bar("Level", width, &level, 1, levels, "level %d")) {
            s->level = level;
            s->band = s->band == WP_BAND_LL && level < levels ? WP_BAND_HL : s->band;
        }
    }
    for (int axis = 0; mip && axis < WP_DIMS_MAX; axis++) {
        char label[32];
        wp_ui_same_line();
        snprintf(label, sizeof label, "%s###along %s", wp_axis_words[axis], wp_axis_words[axis]);
        if (wp_ui_toggle(label, s->mip == axis))
            s->mip = axis;
    }
}

void wp_panel_slices(struct wp_viewer *v)
{
    for (int p = 0; p < v->panes; p++) {
        const struct wp_pane *pane = &v->pane[p];
        char name[32];
        if (pane->bar.height <= 0 || pane->b)
            continue;
        snprintf(name, sizeof name, "slice %s", wp_slice_pane_names[pane->number]);
        wp_ui_begin_panel(name, pane->bar.x, pane->bar.y, pane->bar.width, pane->bar.height,
                          WP_UI_BAR | WP_UI_TIGHT);
        if (pane->number == WP_PANE_FOURTH)
            fourth_bar(v);
        else
            slice_bar(v, pane);
        wp_ui_end_panel();
    }
}

static void show_badge(const struct wp_viewer *v)
{
    const struct wp_gl_info *gl = wp_gl_get_info(v->gl);
    char text[192];
    const bool ready = v->ready[WP_A];
    const bool software = ready ? v->instance[WP_A]->device->software : gl->software;
    snprintf(text, sizeof text, "%s  %s", ready ? v->instance[WP_A]->backend->name : "OpenGL",
             ready ? v->instance[WP_A]->device->name : gl->renderer);
    const float em = wp_ui_em(), badge = software ? wp_ui_text_width("SOFTWARE") + 1.2F * em : 0;
    const float available = wp_ui_width_left() - badge - em;
    if (wp_ui_text_width(text) > available) // omit the device's name
        text[ready ? strlen(v->instance[WP_A]->backend->name) : 0] = '\0';
    const float width = wp_ui_text_width(text);
    if (width <= available)
        wp_ui_draw_text((float)v->screen.width - badge - em - width, 0.25F * em, 0, WP_UI_DIM, em,
                        "%s", text);
    if (software) {
        const float left = (float)v->screen.width - badge - 0.2F * em;
        wp_ui_draw_rect(left, 0.18F * em, badge, 1.2F * em, WP_UI_PANEL, 1);
        wp_ui_draw_frame(left, 0.18F * em, badge, 1.2F * em, WP_UI_WARNING, 1);
        wp_ui_draw_text(left + 0.6F * em, 0.22F * em, 0, WP_UI_WARNING, em, "SOFTWARE");
    }
}

void wp_panel_menu(struct wp_viewer *v, float *height)
{
    if (!wp_ui_begin_menu_bar(height))
        return;
    const struct wp_action *a = wp_actions;
    while (a->name && a->menu) {
        const char *menu = a->menu;
        while (a->menu && strcmp(a->menu, menu) == 0 && !wp_action_is_available(v, a))
            a++;
        if (!a->menu || strcmp(a->menu, menu) != 0)
            continue; // no item is available
        const bool open = wp_ui_begin_menu(menu);
        for (; a->name && a->menu && strcmp(a->menu, menu) == 0; a++) {
            char keys[32]; // the first one
            const char *all = a->keys ? a->keys : "";
            snprintf(keys, sizeof keys, "%.*s", (int)strcspn(all, "|"), all);
            if (open && wp_action_is_available(v, a) &&
                wp_ui_menu_item(a->label, keys, wp_action_ticked(v, a)))
                wp_action_run(v, a);
        }
        if (open)
            wp_ui_end_menu();
    }
    show_badge(v);
    wp_ui_end_menu_bar();
}

void wp_panel_button(struct wp_viewer *v, const char *label, const char *action)
{
    if (wp_ui_button(label))
        wp_action_run(v, wp_action_find(action));
}

void wp_panel_wavelet(struct wp_viewer *v, int ab)
{
    if (wp_ui_opener(ab == WP_A ? "Wavelet" : "B wavelet", v->state.view[ab].wavelet))
        wp_wavelet_list_open(v, ab);
}

// Selects the backend and, if it has several, the variant.
static void choose_backend(const char *label, const char *variant_label,
                           struct wp_instance_view *view)
{
    enum { LIST = 32 };
    const char *list[LIST];
    int count = 0;
    for (; wp_backends[count] && count < LIST; count++)
        list[count] = wp_backends[count]->name;
    int now = wp_name_index(view->backend, list, count);
    if (wp_ui_combo(label, &now, list, count))
        wp_instance_set_backend(view, wp_backends[now]);
    const struct wp_variant *variant = now >= 0 ? wp_backends[now]->variants : NULL;
    if (!variant || !variant->name || !variant[1].name)
        return;
    list[0] = "Auto";
    for (count = 1; variant->name && count < LIST; variant++, count++)
        list[count] = variant->name;
    now = view->variant[0] ? wp_name_index(view->variant, list, count) : 0;
    if (wp_ui_combo(variant_label, &now, list, count))
        snprintf(view->variant, sizeof view->variant, "%s", now > 0 ? list[now] : "");
}

// Selects a scheme for images or for volumes.
static void choose_scheme(const struct wp_viewer *v, const char *label,
                          struct wp_instance_view *view)
{
    const char *list[WP_SCHEME_VOLUME_KINDS], *reasons[WP_SCHEME_VOLUME_KINDS];
    const struct wp_scheme_kind *kind;
    int count = 0, now = -1;
    for (; (kind = wp_scheme_kind_at(v->volume ? 3 : 2, count)); count++) {
        list[count] = kind->name;
        reasons[count] = view->bank == WP_BANK_STARLET && kind->grouping != WP_GROUP_ALL
                             ? "the starlet has no lifting steps" : NULL;
        now = kind == &wp_scheme_kinds[view->scheme] ? count : now;
    }
    if (wp_ui_combo_of(label, &now, list, reasons, count))
        view->scheme = (int)(wp_scheme_kind_named(list[now]) - wp_scheme_kinds);
}

// Image, wavelet and scheme of A or B.
static void controls_scheme(struct wp_viewer *v, int ab)
{
    struct wp_instance_view *view = &v->state.view[ab];
    const char *files[256];
    int count = 0;
    for (; count < v->file_count && count < 256; count++)
        files[count] = wp_base_name(v->file[count].path);
    if (count > 1)
        wp_ui_combo(ab == WP_A ? "Image" : "B image", &view->file, files, count);
    if (ab == WP_A && v->source[WP_A].colours > 1)
        wp_panel_channel(v);
    if (view->bank == WP_BANK_STARLET)
        wp_ui_label(ab == WP_A ? "Wavelet" : "B wavelet", "B3 spline");
    else
        wp_panel_wavelet(v, ab);
    wp_ui_combo(ab == WP_A ? "Bank" : "B bank", &view->bank, wp_bank_names, WP_VIEW_BANKS);
    wp_ui_tooltip("Decimated: as many coefficients as samples. Undecimated (a trous) and "
                  "starlet (B3 spline): bands of the size of the image, which move with it.");
    choose_scheme(v, ab == WP_A ? "Scheme" : "B scheme", view);
    bool optimised = !view->plain;
    if (wp_ui_check(ab == WP_A ? "Optimized" : "B optimized", &optimised))
        view->plain = !optimised;
}

// Backend, storage and integer lifting, which requires the scheme sep-lifting, of A or B.
static void controls_backend(struct wp_viewer *v, int ab)
{
    struct wp_instance_view *view = &v->state.view[ab];
    choose_backend(ab == WP_A ? "Backend" : "B backend", ab == WP_A ? "Variant" : "B variant",
                   view);
    wp_ui_combo(ab == WP_A ? "Precision" : "B precision", &view->precision, wp_precision_names,
                WP_PRECISION_COUNT);
    wp_ui_tooltip("Sample storage format between passes: 32-bit floats, or 16-bit floats on the "
                  "fragment backend, with 11 significant bits and a maximum of 65504.");
    if (v->volume)
        return;
    if (wp_ui_check(ab == WP_A ? "Reversible" : "B reversible", &view->reversible) &&
        view->reversible)
        view->scheme = WP_SCHEME_SEP_LIFTING;
    wp_ui_tooltip("Integer lifting, as in JPEG 2000: every step rounds, and the image keeps its "
                  "integers (white is 255 or 65535). Edited coefficients are rounded, too.");
}

// Controls for the third axis.
static void controls_depth(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_instance *a = v->instance[WP_A];
    const int most = wp_levels_z_most(wp_description_depth(&a->description),
                                      (enum wp_border)s->border);
    int levels = a->description.levels_z;
    if (wp_ui_slide_int("Levels z", &levels, 0, most))
        s->levels_z = levels;
    int group = s->gop;
    if (wp_ui_slide_int("GOP", &group, 0, a->plane.depth))
        s->gop = group;
    wp_ui_tooltip("Number of slices or frames per separate group; 0: all together.");
}

// Selects a channel. Planes are named if they are red, green and blue, else numbered.
void wp_panel_channel(struct wp_viewer *v)
{
    const int colours = v->source[WP_A].colours;
    const char *names[WP_CHANNELS], *reasons[WP_CHANNELS];
    int channel = (int)wp_channel_or_first((enum wp_channel)v->state.channel, colours), count = 0;
    for (int c = 0; c < WP_CHANNEL_FIRST + colours; c++, count++) {
        const bool word = c < WP_CHANNEL_FIRST || colours != WP_COLOURS;
        names[c] = word ? wp_channel_words[c] : wp_channel_names[c];
        reasons[c] = wp_channel_is_of((enum wp_channel)c, colours)
                         ? NULL : "requires three channels: red, green and blue";
    }
    if (wp_ui_combo_of("Channel", &channel, names, reasons, count))
        v->state.channel = channel;
    wp_ui_tooltip("rgb: details in red, green and blue about mid gray.");
}

static void controls_transform(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_instance *a = v->instance[WP_A];
    controls_scheme(v, WP_A);
    const int size[] = {a->plane.width, a->plane.height, a->plane.depth};
    const int most = a->backend ? wp_instance_levels_most(&a->wavelet, s->a.bank, s->border, size)
                                : WP_MAX_LEVELS;
    wp_ui_slide_int("Levels", &s->levels, 0, most);
    if (v->volume)
        controls_depth(v);
    wp_ui_combo("Border", &s->border, wp_border_names,
                s->a.bank != WP_BANK_DECIMATED ? WP_BORDER_NATIVE : WP_BORDER_COUNT);
    wp_ui_combo("Norm", &s->norm, wp_norm_names, WP_NORM_COUNT);
    wp_ui_check("Adjoint", &s->adjoint);
    wp_ui_tooltip("The transposed transform: forward that of the inverse, inverse that of forward.");
    controls_backend(v, WP_A);
    if (!v->ready[WP_A] || a->steps == 0)
        return;
    wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "%d pass%s%s, %.4g operations, %.4g fetches", a->steps,
               WP_PLURAL_ES(a->steps), a->at_once && a->steps > 1 ? " in one" : "", a->operations,
               a->fetches);
}

void wp_panel_slide(const char *label, double *value, float least, float most, bool logarithmic,
                    const char *format)
{
    float number = (float)*value;
    if (wp_ui_slide(label, &number, least, most, logarithmic, format))
        *value = (double)number;
}

// Selects a view mode. Some modes are disabled for volumes and redundant banks.
static bool choose_mode(const struct wp_viewer *v, const char *label, int *mode)
{
    const char *reasons[WP_VIEW_MODES];
    for (int m = 0; m < WP_VIEW_MODES; m++)
        reasons[m] = wp_viewer_lacks_mode(v, m);
    return wp_ui_combo_of(label, mode, wp_view_mode_names, reasons, WP_VIEW_MODES);
}

static void controls_slices(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    static const char *const fourths[] = {"subbands", "maximum projection", "cube"};
    const char *const reasons[WP_FOURTHS] = {
        [WP_FOURTH_CUBE] = s->a.bank == WP_BANK_DECIMATED ? NULL : "for the bank 'decimated' only"};
    wp_ui_combo_of("Fourth view", &s->fourth, fourths, reasons, WP_FOURTHS);
    if (s->fourth == WP_FOURTH_MIP) {
        const int size = v->slices.size[s->mip];
        wp_ui_combo("Along", &s->mip, wp_axis_words, WP_DIMS_MAX);
        int slab = s->slab < size ? s->slab : 0;
        if (wp_ui_slide_int("Slab", &slab, 0, size - 1))
            s->slab = slab;
        wp_ui_tooltip("Number of slices about the crosshair; 0: all.");
    }
    if (s->fourth == WP_FOURTH_CUBE)
        wp_ui_check("From behind", &s->behind);
    for (int axis = WP_DIMS_MAX - 1; axis >= 0; axis--) {
        char label[16];
        int mode = s->shows[axis] > 0 ? s->shows[axis] - 1 : s->mode;
        snprintf(label, sizeof label, "Along %s", wp_axis_words[axis]);
        if (choose_mode(v, label, &mode))
            s->shows[axis] = mode == s->mode ? 0 : 1 + mode;
        wp_ui_tooltip("View mode of the slices along this axis.");
    }
    wp_panel_slide("Rate", &s->rate, 1, 60, true, "%.3g/s");
    wp_ui_check("Crosshair", &s->crosshair);
    wp_ui_same_line();
    wp_ui_check("Single view", &s->single);
    if (v->pane[0].orientation.letter[0])
        wp_ui_check("Radiological", &s->radiological);
}

void wp_panel_display(struct wp_view_state *s)
{
    wp_panel_slide("Gain", &s->gain, 0.01F, 100, true, "%.3g");
    wp_panel_slide("Offset", &s->offset, -1, 1, false, "%.2f");
    wp_ui_check("Fit", &s->fit);
    wp_ui_same_line();
    wp_ui_check("Grid", &s->grid);
    wp_ui_same_line();
    wp_ui_check("Values", &s->values);
}

static void controls_display(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    if (choose_mode(v, "Show", &s->mode))
        s->fit = s->fit || !v->volume;
    wp_ui_combo("Color scale", &s->scale, wp_view_scale_names, WP_SCALES);
    if (wp_viewer_planes(v, WP_A) > 1) {
        wp_ui_label("Color map", "red, green, blue");
        wp_ui_tooltip("Color maps are for single channels: luma, or one channel.");
    } else {
        wp_ui_combo("Color map", &s->map, wp_view_map_names, WP_MAPS);
    }
    wp_ui_combo("Range", &s->range, wp_view_range_names, WP_RANGES);
    wp_ui_tooltip("Value of full brightness: four standard deviations of each subband (for an "
                  "impulse its magnitude), those of the largest one, or 1.");
    wp_panel_display(s);
}

// Plots the times of A and B in live mode.
static void plot_times(struct wp_viewer *v)
{
    const float em = wp_ui_em(), width = wp_ui_width_left(), height = 3.2F * em;
    float x, y, most = 0;
    wp_ui_space(NULL, width, height, &x, &y);
    wp_ui_draw_rect(x, y, width, height, WP_UI_BACKGROUND, 1);
    for (int ab = WP_A; ab <= WP_B; ab++)
        for (int i = 0; i < WP_PLOT; i++)
            most = fmaxf(most, v->plot[ab][i]);
    if (most <= 0 || !v->state.times)
        return;
    for (int ab = WP_A; ab <= WP_B; ab++) {
        for (int i = 1; i < WP_PLOT; i++) {
            const float a = v->plot[ab][(v->plot_at + i) % WP_PLOT];
            const float b = v->plot[ab][(v->plot_at + i + 1) % WP_PLOT];
            const float step = width / (float)(WP_PLOT - 1);
            if (a > 0 && b > 0)
                wp_ui_draw_line(x + step * (float)(i - 1), y + height * (1 - 0.9F * a / most),
                                x + step * (float)i, y + height * (1 - 0.9F * b / most),
                                ab == WP_A ? WP_UI_A : WP_UI_B, 1.5F);
        }
    }
    wp_ui_draw_text(x + 0.3F * em, y + 0.1F * em, 0, WP_UI_DIM, 0.85F * em, "%.3g ms",
                    1e3 * (double)most);
}

static void controls_compare(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    if (wp_ui_combo("Compare", &s->compare, wp_compare_names, WP_COMPARES))
        s->flipped = false;
    if (s->compare == WP_COMPARE_OFF)
        return;
    controls_scheme(v, WP_B);
    controls_backend(v, WP_B);
    if (s->compare == WP_COMPARE_WIPE)
        wp_panel_slide("Wipe", &s->split, 0, 1, false, "%.2f");
    if (s->compare == WP_COMPARE_DIFFERENCE)
        wp_ui_combo("Metric", &s->metric, wp_view_metric_names, WP_VIEW_METRICS);
    wp_ui_check("Live", &s->live);
    wp_ui_same_line();
    wp_panel_button(v, "Swap", "swap");
    if (s->live)
        plot_times(v);
    if (v->compare_note[0])
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "%s", v->compare_note);
}

static void controls_edit(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_instance *a = v->instance[WP_A];
    char text[96];
    if (!a->backend) {
        wp_ui_text(WP_UI_DIM, "No image is open.");
        return;
    }
    const int bands = wp_subband_count(&a->description);
    const char *const *names = wp_instance_band_names(a);
    bool zeroed = wp_view_is_zeroed(s, names, s->level, (enum wp_band)s->band);
    snprintf(text, sizeof text, "Zero %s%d###zero", names[s->band], s->level);
    // Low bands before that of the last level are no coefficients.
    const bool is_subband =
        s->band != WP_BAND_LL || s->level == wp_description_levels(&a->description);
    if (is_subband && wp_ui_check(text, &zeroed))
        wp_view_set_zeroed(s, names, s->level, (enum wp_band)s->band, zeroed);
    int count = s->kept < 0 ? bands : s->kept;
    if (wp_ui_slide_int("Bands", &count, 0, bands))
        s->kept = count == bands ? -1 : count;
    wp_ui_combo("Threshold", &s->threshold, wp_threshold_names, WP_THRESHOLDS);
    const double limit = s->limit;
    if (s->threshold != WP_THRESHOLD_NONE)
        wp_panel_slide("Limit", &s->limit, 0.0001F, 1, true, "%.4f");
    if (s->limit != limit)
        wp_view_reset_limits(s); // it is that of all subbands
    if (wp_ui_check("Impulse", &s->impulse) && s->impulse) {
        s->impulse = false;
        wp_action_run(v, wp_action_find("impulse"));
    }
    wp_ui_same_line();
    wp_panel_button(v, "Undo all", "restore");
    if (!v->ready[WP_A])
        return;
    const struct wp_measure *loss = &v->results.loss;
    const bool known = v->results.has_loss;
    if (s->threshold != WP_THRESHOLD_NONE)
        wp_ui_label("Coefficients", known ? "%.2f %% kept" : "?", 100 * v->results.nonzero_share);
    if (!s->impulse)
        wp_ui_label("PSNR", !known ? "?" : loss->squares > 0 ? "%.1f dB" : "infinite",
                    wp_measure_psnr(loss, wp_viewer_peak(v)));
}

void wp_panel_controls(struct wp_viewer *v, struct wp_rect_f r)
{
    wp_ui_begin_panel("controls", r.x, r.y, r.width, r.height, 0);
    if (wp_ui_section("Transform", true))
        controls_transform(v);
    if (v->volume && wp_ui_section("Slices", true))
        controls_slices(v);
    if (wp_ui_section("Display", true))
        controls_display(v);
    if (wp_ui_section("Compare", true))
        controls_compare(v);
    if (wp_ui_section("Edit", true))
        controls_edit(v);
    wp_ui_end_panel();
}

// Appends the sample under the pointer, and the values of A's planes.
static void add_pixel(const struct wp_viewer *v, struct wp_text *text)
{
    if (v->hover_tile < 0)
        return;
    const struct wp_tile *t = &v->tile[v->hover_tile];
    const int component = t->single ? 0 : wp_tile_component(t, v->hover_px, v->hover_py);
    wp_tile_name_sample(t, v->hover_px, v->hover_py, "", text);
    for (int p = 0; p < t->planes; p++)
        wp_text_add(text, t->planes > 1 ? "%s%.4g" : "%s%.6g", p ? ", " : " = ",
                    (double)v->hover_value[WP_A][p][component]);
}

// Appends window (width) and level (center) of the displayed range.
static void add_window(const struct wp_viewer *v, struct wp_text *text)
{
    for (int i = 0; i < v->tiles; i++) {
        const struct wp_tile *t = &v->tile[i];
        if (!t->picture || t->level > 0)
            continue;
        const double range = (double)t->high - (double)t->low;
        wp_text_add(text, "   window %.3g level %.3g", range / v->state.gain,
                    (double)t->low + range * (0.5 - v->state.offset) / v->state.gain);
        return;
    }
}

void wp_panel_status_line(struct wp_rect_f r, const char *text)
{
    static const char help[] = "?  keys     Ctrl+Shift+P  all actions";
    const float em = wp_ui_em();
    float x, y;
    wp_ui_begin_panel("status", r.x, r.y, r.width, r.height, WP_UI_BAR);
    wp_ui_space(NULL, 1, em, &x, &y);
    wp_ui_draw_text(x, r.y + 0.5F * (r.height - em), 0, WP_UI_TEXT, em, "%s", text);
    const float right = r.x + r.width - wp_ui_text_width(help) - 0.7F * em;
    if (x + wp_ui_text_width(text) + em < right)
        wp_ui_draw_text(right, r.y + 0.5F * (r.height - em), 0, WP_UI_DIM, em, "%s", help);
    wp_ui_end_panel();
}

void wp_panel_status(struct wp_viewer *v, struct wp_rect_f r)
{
    struct wp_text text = {0};
    const struct wp_instance *a = v->instance[WP_A];
    add_pixel(v, &text);
    if (v->ready[WP_A]) {
        wp_text_add(&text, "%s%dx%d", text.length ? "   " : "", a->plane.width, a->plane.height);
        if (v->volume)
            wp_text_add(&text, "x%d", a->plane.depth);
        wp_text_add(&text, "   zoom %.3gx", v->state.zoom);
        if (v->volume)
            add_window(v, &text);
        if (v->state.times)
            wp_text_add(&text, "   forward %.3g ms", 1e3 * a->seconds[WP_FORWARD]);
        const char *label = wp_viewer_edited(v) ? "edits change" : "round trip";
        const bool shown = !v->stepped.valid && !v->state.impulse;
        if (shown && v->results.has_loss)
            wp_text_add(&text, "   %s %.1e", label, wp_measure_largest(&v->results.loss));
        else if (shown)
            wp_text_add(&text, "   %s ?", label);
        wp_text_add(&text, "%s", v->state.playing ? "   playing" : "");
    }
    wp_panel_status_line(r, wp_text_get(&text));
    wp_text_free(&text);
}
