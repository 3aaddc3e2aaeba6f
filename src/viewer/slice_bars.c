// Bars below the panes of a volume: slice sliders, and the controls of the fourth view.
#include "panels.h"

#include <math.h>
#include <stdio.h>

enum { MARKS_MAX = 256 };

// Marks the boundaries of groups of slices.
static void mark_groups(const struct wp_viewer *v, int size)
{
    float at[MARKS_MAX];
    const int group = wp_slices_group(v);
    int count = 0;
    for (int first = group; group > 0 && first < size && count < MARKS_MAX; first += group)
        at[count++] = ((float)first - 0.5F) / (float)(size - 1);
    wp_ui_marks(at, count);
}

static void slice_bar(struct wp_viewer *v, const struct wp_pane *pane)
{
    const int axis = pane->orientation.axis, size = v->slices.size[axis];
    const char *name = wp_axis_words[axis];
    const bool frames = axis == WP_Z && wp_viewer_source(v, WP_A)->geometry.frames;
    char format[64];
    snprintf(format, sizeof format, "%s %%d of %d", frames ? "frame" : name, size - 1);
    if (wp_ui_slide_bar(name, wp_ui_width_left(), &v->state.cross[axis], 0, size - 1, format))
        v->state.pane = pane->number;
    if (axis == WP_Z)
        mark_groups(v, size);
}

// The level slider, if there is enough space.
static void level_slider(struct wp_view_state *s, int levels)
{
    int level = s->level;
    wp_ui_same_line();
    const float width = wp_ui_width_left();
    if (width > 5 * wp_ui_em() &&
        wp_ui_slide_bar("Level", width, &level, 1, levels, "level %d")) {
        s->level = level;
        s->band = s->band == WP_BAND_LL && level < levels ? WP_BAND_HL : s->band;
    }
}

static void fourth_bar(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const bool bands = s->fourth == WP_FOURTH_BANDS, cube = s->fourth == WP_FOURTH_CUBE;
    const bool mip = s->fourth == WP_FOURTH_MIP;
    const int levels = wp_description_levels(&v->instance[WP_A].description);
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
    if ((bands || (cube && s->behind)) && levels > 1)
        level_slider(s, levels);
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
