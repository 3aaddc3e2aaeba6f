// Actions that change the transform or its coefficients.
#include "acts.h"

#include "scheme.h"

#include <stdio.h>
#include <string.h>

void wp_act_cycle_wavelet(struct wp_viewer *v, int step)
{
    char **names = wp_wavelet_names();
    int count = 0, now = -1;
    for (; names[count]; count++)
        if (strcmp(names[count], v->state.a.wavelet) == 0)
            now = count;
    snprintf(v->state.a.wavelet, sizeof v->state.a.wavelet, "%s", names[wp_wrap(now, step, count)]);
    wp_wavelet_free_names(names);
}

void wp_act_cycle_scheme(struct wp_viewer *v, int step)
{
    const int dims = v->volume ? 3 : 2;
    const struct wp_scheme_kind *kind;
    int count = 0, now = 0;
    for (; (kind = wp_scheme_kind_at(dims, count)); count++)
        if (kind == &wp_scheme_kinds[v->state.a.scheme])
            now = count;
    kind = wp_scheme_kind_at(dims, wp_wrap(now, step, count));
    v->state.a.scheme = (int)(kind - wp_scheme_kinds);
}

// Skips backends that are not available, with a notice.
void wp_act_cycle_backend(struct wp_viewer *v, int step)
{
    int count = 0, now = 0;
    for (; wp_backends[count]; count++)
        if (strcmp(wp_backends[count]->name, v->state.a.backend) == 0)
            now = count;
    for (int tried = 0; tried < count; tried++) {
        char reason[384];
        now = wp_wrap(now, step, count);
        const char *name = wp_backends[now]->name;
        if (wp_devices_probe(&v->devices, name, reason, sizeof reason)) {
            wp_instance_set_backend(&v->state.a, wp_backends[now]);
            return;
        }
        wp_viewer_notice(v, WP_LOG_WARNING, "skipped %s: %s", name, reason);
    }
}

void wp_act_change_levels(struct wp_viewer *v, int step)
{
    const struct wp_instance *a = v->instance[WP_A];
    const int size[] = {a->plane.width, a->plane.height, a->plane.depth};
    const int most = a->backend ? wp_instance_levels_most(&a->wavelet, v->state.a.bank,
                                                          v->state.border, size)
                                : WP_MAX_LEVELS;
    const int levels = v->state.levels + step;
    v->state.levels = levels < 0 ? 0 : levels > most ? most : levels;
}

// Redundant banks have the borders of backends.
void wp_act_cycle_border(struct wp_viewer *v, int step)
{
    const int count =
        v->state.a.bank != WP_BANK_DECIMATED ? WP_BORDER_NATIVE : WP_BORDER_COUNT;
    v->state.border = (v->state.border + step + count) % count;
}

void wp_act_cycle_channel(struct wp_viewer *v, int step)
{
    const int colours = v->source[WP_A].colours;
    int channel = (int)wp_channel_or_first((enum wp_channel)v->state.channel, colours);
    if (colours < 2) {
        wp_viewer_notice(v, WP_LOG_WARNING, "%s",
                         colours == 1 ? "the image is gray and has "
                                        "one channel"
                                      : "no image is open");
        return;
    }
    do
        channel = wp_wrap(channel, step, WP_CHANNELS);
    while (!wp_channel_is_of((enum wp_channel)channel, colours));
    v->state.channel = channel;
}

void wp_act_zero_band(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const char *const *names = wp_instance_band_names(v->instance[WP_A]);
    const bool zeroed = wp_view_is_zeroed(s, names, s->level, (enum wp_band)s->band);
    wp_view_set_zeroed(s, names, s->level, (enum wp_band)s->band, !zeroed);
}

void wp_act_restore_bands(struct wp_viewer *v)
{
    v->state.zeroed[0] = '\0';
    v->state.kept = -1;
    v->state.threshold = WP_THRESHOLD_NONE;
    v->state.impulse = false;
    wp_view_reset_gains(&v->state);
    wp_view_reset_limits(&v->state);
}

void wp_act_denoise(struct wp_viewer *v)
{
    v->denoises = true;
    wp_act_set_mode(v, WP_VIEW_RECONSTRUCTION);
}

void wp_act_show_scales(struct wp_viewer *v)
{
    v->state.panels = true;
    v->state.inspector = WP_INSPECT_SCALES;
    if (v->folded[WP_RIGHT])
        wp_panel_layout_fold(v, WP_RIGHT);
}

void wp_act_add_band(struct wp_viewer *v, int step)
{
    const struct wp_instance *a = v->instance[WP_A];
    const int count = a->backend ? wp_subband_count(&a->description) : 1;
    const int now = v->state.kept < 0 ? count : v->state.kept, next = now + step;
    v->state.kept = next >= count ? -1 : next < 0 ? 0 : next;
}

// Toggles the impulse. It is put on the sample under the pointer, if that is of an image's band,
// else at the center of the selected band; in a volume, with the crosshair, of the first group.
void wp_act_impulse(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_description *d = &v->instance[WP_A]->description;
    if (!v->instance[WP_A]->backend || wp_description_levels(d) == 0)
        return;
    s->impulse = !s->impulse;
    if (!s->impulse)
        return;
    wp_act_set_mode(v, WP_VIEW_RECONSTRUCTION);
    const struct wp_tile *tile = v->hover_tile >= 0 ? &v->tile[v->hover_tile] : NULL;
    if (!v->volume && tile && tile->level > 0 && tile->stride_log < 0) {
        s->level = tile->level;
        s->band = tile->band;
        s->impulse_x = v->hover_px;
        s->impulse_y = v->hover_py;
        return;
    }
    const struct wp_band_grid grid = wp_description_band(d, s->level, (enum wp_band)s->band);
    int *const at[WP_DIMS_MAX] = {&s->impulse_x, &s->impulse_y, &s->impulse_z};
    for (int a = 0; a < (v->volume ? WP_DIMS_MAX : 2); a++) {
        *at[a] = grid.size[a] / 2;
        if (v->volume)
            s->cross[a] = *at[a] << wp_slices_shift(d, a, s->level);
    }
}
