// Actions that change what the canvas shows: modes, bands, slices, display, comparison, passes.
#include "acts.h"

#include "packet_view.h"
#include "solver_view.h"

#include <math.h>

void wp_act_cycle_mode(struct wp_viewer *v, int step)
{
    // Skip the timeline.
    do
        v->state.mode = wp_wrap(v->state.mode, step, WP_VIEW_MODES);
    while (v->state.mode == WP_VIEW_PASS || wp_viewer_lacks_mode(v, v->state.mode));
    v->state.fit = v->state.fit || !v->volume;
}

void wp_act_set_mode(struct wp_viewer *v, int mode)
{
    v->state.mode = mode;
    v->state.fit = v->state.fit || !v->volume; // slices keep their position
}

void wp_act_change_direction(struct wp_viewer *v, int step)
{
    v->state.direction = wp_wrap(v->state.direction, step, 2);
    v->state.op = 0;
}

void wp_act_select_band(struct wp_viewer *v, int band)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    if (!v->volume && band >= WP_BAND_COUNT)
        return;
    if (wp_packets_shown(v)) {
        wp_packets_select_child(v, band);
        return;
    }
    v->state.band = band;
    if (band == WP_BAND_LL)
        v->state.level = v->instance[WP_A]->backend ? wp_description_levels(d) : 1;
    v->state.level = v->state.level > 0 ? v->state.level : 1;
    v->pinned = false;
    wp_act_set_mode(v, WP_VIEW_BAND);
}

// Cycles through the bands from the finest to the coarsest level; LL is last.
static void next_band(struct wp_viewer *v, int step)
{
    struct { int level, band; } list[WP_OCTET_BANDS * WP_MAX_LEVELS];
    const struct wp_instance *a = v->instance[WP_A];
    const int levels = a->backend ? wp_description_levels(&a->description) : 0;
    int count = 0, now = 0;
    if (levels == 0)
        return;
    for (int l = 1; l <= levels; l++)
        for (int band = WP_BAND_LL + 1; band < WP_OCTET_BANDS; band++)
            if (wp_instance_is_band(a, l, (enum wp_band)band)) {
                list[count].level = l;
                list[count++].band = band;
            }
    list[count].level = levels;
    list[count++].band = WP_BAND_LL;
    for (int i = 0; i < count; i++)
        if (list[i].level == v->state.level && list[i].band == v->state.band)
            now = i;
    now = wp_wrap(now, step, count);
    v->state.level = list[now].level;
    v->state.band = list[now].band;
}

// Arrow keys move a pinned pixel, or select bands.
void wp_act_arrow(struct wp_viewer *v, int direction)
{
    const int dx = direction == 0 ? -1 : direction == 1, dy = direction == 2 ? -1 : direction == 3;
    if (v->pinned) {
        v->hover_px += v->hover_px + dx >= 0 ? dx : 0;
        v->hover_py += v->hover_py + dy >= 0 ? dy : 0;
    } else if (wp_packets_shown(v)) {
        wp_packets_arrow(v, direction);
    } else if (dx) {
        next_band(v, dx);
    } else if (v->instance[WP_A]->backend) {
        const struct wp_instance *a = v->instance[WP_A];
        const int level = v->state.level - dy;
        if (level >= 1 && level <= wp_description_levels(&a->description) &&
            (v->state.band != WP_BAND_LL || wp_instance_has_band(a, level, WP_BAND_LL)))
            v->state.level = level;
    }
}

// The next file, or ten slices of a volume.
void wp_act_next_page(struct wp_viewer *v, int step)
{
    enum { PAGE = 10 };
    if (v->volume)
        wp_slices_step(v, wp_slices_axis(v), PAGE * step);
    else
        wp_viewer_next(v, step);
}

// Moves by `step` slices.
void wp_act_next_slice(struct wp_viewer *v, int step)
{
    if (v->volume || v->solver)
        wp_slices_step(v, wp_slices_axis(v), step);
}

void wp_act_cycle_map(struct wp_viewer *v, int step)
{
    if (v->tiles > 0 && v->tile[0].planes > 1)
        wp_viewer_notice(v, WP_LOG_WARNING, "color maps are for single channels (H: luma, or one "
                                            "channel)");
    else
        v->state.map = wp_wrap(v->state.map, step, WP_MAPS);
}

void wp_act_change_gain(struct wp_viewer *v, int step)
{
    v->state.gain = fmin(fmax(v->state.gain * pow(2, 0.5 * step), 1e-4), 1e6);
}

void wp_act_change_offset(struct wp_viewer *v, int step)
{
    v->state.offset = fmin(fmax(v->state.offset + 0.05 * step, -10), 10);
}

void wp_act_set_range(struct wp_viewer *v, int range)
{
    v->state.range = v->state.range == range ? WP_RANGE_FIXED : range;
}

void wp_act_reset_display(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    s->gain = 1;
    s->offset = 0;
    s->scale = WP_SCALE_SIGNED;
    s->map = WP_MAP_DIVERGING;
    s->range = WP_RANGE_BAND;
}

void wp_act_one_to_one(struct wp_viewer *v)
{
    v->state.fit = false;
    v->state.zoom = 1;
}

void wp_act_zoom(struct wp_viewer *v, int step)
{
    wp_panes_zoom(v, pow(2, 0.5 * step), v->canvas.x + 0.5F * v->canvas.width,
                  v->canvas.y + 0.5F * v->canvas.height);
}

void wp_act_centre(struct wp_viewer *v)
{
    if (v->volume) {
        wp_act_next_slice(v, -WP_LAST_SLICE);
        return;
    }
    wp_panes_centre(v);
    v->state.fit = false;
}

void wp_act_cycle_compare(struct wp_viewer *v, int step)
{
    v->state.compare = wp_wrap(v->state.compare, step, WP_COMPARES);
    v->state.flipped = false;
}

void wp_act_swap_instances(struct wp_viewer *v)
{
    if (!wp_viewer_comparing(v))
        return;
    const struct wp_instance_view a = v->state.a;
    v->state.a = v->state.b;
    v->state.b = a;
}

void wp_act_move_split(struct wp_viewer *v, int step)
{
    v->state.split = fmin(fmax(v->state.split + 0.02 * step, 0), 1);
}

void wp_act_step_pass(struct wp_viewer *v, int step)
{
    if (v->state.mode != WP_VIEW_PASS) {
        wp_act_set_mode(v, WP_VIEW_PASS);
        v->state.op = step > 0 ? 0 : v->state.op;
        return;
    }
    const struct wp_schedule *schedule = wp_viewer_schedule(v);
    const int count = schedule ? schedule->op_count : 0, op = v->state.op + step;
    v->state.op = op < 0 ? 0 : op > count ? count : op;
    v->state.before = false;
}

void wp_act_cycle_quads(struct wp_viewer *v, int step)
{
    v->state.quads = wp_wrap(v->state.quads, step, WP_QUADS_VIEWS);
    v->state.fit = true;
}

void wp_act_play(struct wp_viewer *v)
{
    v->state.playing = !v->state.playing;
    if (v->state.playing && !v->volume && v->state.mode != WP_VIEW_PASS && v->file_count < 2 &&
        !v->video) {
        wp_act_set_mode(v, WP_VIEW_PASS);
        v->state.op = 0;
    }
}

void wp_act_signal(struct wp_viewer *v)
{
    if (v->volume)
        wp_viewer_notice(v, WP_LOG_WARNING, "the view of a row is for images");
    else if (v->state.a.bank == WP_BANK_PACKETS)
        wp_viewer_notice(v, WP_LOG_WARNING, "the view of a row is for other banks than 'packets'");
    else
        v->state.signal = !v->state.signal;
}

void wp_act_move_signal(struct wp_viewer *v, int step)
{
    v->state.signal_shift += v->state.signal ? step : 0;
}
