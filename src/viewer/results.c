#include "results.h"

#include "packet_view.h"

#include <string.h>

bool wp_results_are_due(const struct wp_viewer *v)
{
    const bool often = v->state.live || v->state.playing || v->left_held;
    return (v->changed && !v->left_held) || v->now >= v->next_measure || !often;
}

// Requests for a plane: all subbands in order (packets: none), low bands of levels before the last,
// round-trip error, samples unless they are known, and the inverse of an impulse. WP_MEASURES_MAX at
// most for an image.
static int request_plane(const struct wp_instance *instance, bool known, bool impulse,
                         struct wp_measure_request *request)
{
    const struct wp_description *d = &instance->description;
    const int bands = instance->levels > 0 && !instance->packets ? wp_subband_count(d) : 0;
    int count = 0;
    for (int i = 0; i < bands; i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        const struct wp_band_grid grid = wp_instance_band(instance, level, band);
        request[count++] = (struct wp_measure_request){
            .a = instance->edited[level], .width = grid.size[WP_X], .height = grid.size[WP_Y],
            .component = (int)band};
    }
    for (int l = 1; l <= wp_instance_lows(instance); l++)
        request[count++] = (struct wp_measure_request){
            .a = instance->edited[l], .width = instance->plane.width,
            .height = instance->plane.height, .component = WP_BAND_LL};
    const struct wp_quads original = {instance->plane.quads, 0, 0};
    const int width = instance->plane.width, height = instance->plane.height;
    request[count++] = (struct wp_measure_request){
        .a = instance->image, .b = original, .width = width, .height = height, .component = 4};
    if (!known)
        request[count++] = (struct wp_measure_request){
            .a = original, .width = width, .height = height, .component = 4};
    if (impulse)
        request[count++] = (struct wp_measure_request){
            .a = instance->image, .width = width, .height = height, .component = 4};
    return count;
}

// measure_image() and measure_volume() measure all planes of A: bands, samples, round-trip error,
// the inverse of an impulse, and the number of nonzero coefficients.
static bool measure_image(struct wp_viewer *v, long long *nonzero)
{
    struct wp_measure_request request[WP_MEASURES_MAX];
    struct wp_measure result[WP_MEASURES_MAX];
    struct wp_view_results *r = &v->results;
    const int planes = wp_viewer_planes(v, WP_A);
    const bool known = r->of_original == v->instance[WP_A]->plane.version;
    int count = 0;
    for (int p = 0; p < planes; p++)
        count += request_plane(&v->instance[WP_A][p], known, v->state.impulse, request + count);
    if (!wp_meter_read(&v->meter, request, count, result))
        return false;
    const int lows = wp_instance_lows(v->instance[WP_A]);
    const int each = count / planes, bands = each - 1 - !known - v->state.impulse - lows;
    for (int i = planes > 1 ? each : count; i < count; i++)
        wp_measure_add(&result[i % each], result[i]);
    for (int i = 0; i < bands; i++) {
        enum wp_band band;
        const int level = wp_subband_at(&v->instance[WP_A]->description, i, &band);
        r->band[level][band] = result[i];
    }
    for (int l = 1; l <= lows; l++)
        r->band[l][WP_BAND_LL] = result[bands + l - 1];
    const struct wp_measure *rest = result + bands + lows;
    r->loss = *rest++;
    r->original = known ? r->original : *rest++;
    r->image = v->state.impulse ? *rest : (struct wp_measure){0};
    for (int p = 0; p < planes && v->state.threshold && bands > 0; p++)
        *nonzero += wp_meter_count_nonzero(&v->meter, request + p * each, bands);
    if (v->instance[WP_A]->packets)
        wp_packets_measure(v, nonzero);
    return true;
}

static bool measure_volume(struct wp_viewer *v, long long *nonzero)
{
    struct wp_view_results *r = &v->results;
    const bool same = r->of_original == v->instance[WP_A]->plane.version;
    struct wp_measure original = {0}, loss = {0}, image = {0};
    for (int p = 0; p < wp_viewer_planes(v, WP_A); p++) {
        const struct wp_instance *instance = &v->instance[WP_A][p];
        const struct wp_instance_volume *volume = instance->volume;
        const float *samples = instance->plane.samples;
        for (int i = 0; i < wp_subband_count(&instance->description); i++) {
            enum wp_band band;
            const int level = wp_subband_at(&instance->description, i, &band);
            struct wp_measure *sum = &r->band[level][band];
            *sum = p == 0 ? (struct wp_measure){0} : *sum;
            const struct wp_measure m = wp_instance_volume_measure(volume, level, band, NULL);
            wp_measure_add(sum, m);
            *nonzero += m.nonzero;
        }
        if (!same)
            wp_measure_add(&original, wp_instance_volume_measure_all(volume, samples, NULL));
        wp_measure_add(&loss, wp_instance_volume_measure_all(volume, volume->image, samples));
        if (v->state.impulse)
            wp_measure_add(&image, wp_instance_volume_measure_all(volume, volume->image, NULL));
    }
    r->original = same ? r->original : original;
    r->loss = loss;
    r->image = image;
    return true;
}

// Redundant banks have more coefficients than samples.
static double nonzero_share(const struct wp_viewer *v, long long nonzero)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    long long count = v->instance[WP_A]->packets
                          ? (long long)wp_description_samples(d) * wp_viewer_planes(v, WP_A) : 0;
    for (int i = 0; i < wp_subband_count(d) && !v->instance[WP_A]->packets; i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        count += v->results.band[level][band].samples;
    }
    return count > 0 ? (double)nonzero / (double)count : 1;
}

void wp_results_measure(struct wp_viewer *v)
{
    struct wp_view_results *r = &v->results;
    r->has_loss = r->has_loss && v->ready[WP_A];
    if (!v->ready[WP_A] || v->measured == v->computed[WP_A] || v->stepped.valid ||
        !wp_results_are_due(v))
        return;
    long long nonzero = 0;
    r->has_loss = v->instance[WP_A]->volume ? measure_volume(v, &nonzero)
                                            : measure_image(v, &nonzero);
    if (!r->has_loss)
        return;
    r->of_original = v->instance[WP_A]->plane.version;
    r->nonzero_share = v->state.threshold ? nonzero_share(v, nonzero) : 1;
    v->measured = v->computed[WP_A];
    r->has_histogram = false;
}

// Statistics of A - B for the current mode, over all slices of a plane.
static struct wp_measure measure_volumes(const struct wp_viewer *v, int plane)
{
    const struct wp_instance *a = &v->instance[WP_A][plane], *b = &v->instance[WP_B][plane];
    const struct wp_view_state *s = &v->state;
    if (s->mode == WP_VIEW_BAND)
        return wp_instance_volume_measure(a->volume, s->level, (enum wp_band)s->band, b->volume);
    if (s->mode == WP_VIEW_ORIGINAL)
        return wp_instance_volume_measure_all(a->volume, a->plane.samples, b->plane.samples);
    if (s->mode == WP_VIEW_RECONSTRUCTION)
        return wp_instance_volume_measure_all(a->volume, a->volume->image, b->volume->image);
    struct wp_measure sum = {0};
    for (int i = 0; i < wp_subband_count(&a->description); i++) {
        enum wp_band band;
        const int level = wp_subband_at(&a->description, i, &band);
        wp_measure_add(&sum, wp_instance_volume_measure(a->volume, level, band, b->volume));
    }
    return sum;
}

// The source of the difference is for images the tiles shown; coefficients are identified by
// versions.
void wp_results_measure_shown(struct wp_viewer *v)
{
    struct wp_view_results *r = &v->results;
    const int of[] = {v->state.mode, v->volume ? v->panes : v->tiles,
                      v->volume ? v->state.level : v->tile[0].level,
                      v->volume ? v->state.band : v->tile[0].band};
    const bool shown = wp_viewer_shows_both(v) && v->tiles > 0;
    const bool same = r->has_shown && memcmp(of, r->of_shown, sizeof of) == 0;
    const bool current = memcmp(r->of_versions, v->computed, sizeof v->computed) == 0;
    if (shown && same && (current || !wp_results_are_due(v)))
        return;
    struct wp_measure_request request[WP_MEASURES_MAX];
    struct wp_measure result[WP_MEASURES_MAX];
    int count = 0;
    r->has_shown = false;
    r->shown = (struct wp_measure){0};
    if (shown && v->tile[0].node[0])
        wp_packets_request_difference(v, request, &count);
    for (int i = 0; i < v->tiles && shown && !v->volume && !v->tile[0].node[0]; i++)
        wp_tile_request(&v->tile[i], true, request, &count);
    if (!shown || (!v->volume && (count == 0 || !wp_meter_read(&v->meter, request, count, result))))
        return;
    for (int i = 0; i < count; i++)
        wp_measure_add(&r->shown, result[i]);
    for (int p = 0; p < wp_viewer_planes(v, WP_A) && v->volume; p++)
        wp_measure_add(&r->shown, measure_volumes(v, p));
    r->has_shown = true;
    memcpy(r->of_shown, of, sizeof of);
    memcpy(r->of_versions, v->computed, sizeof v->computed);
}

// Histogram of the selected band, or of the image on the canvas. The samples are read back, so in
// live mode and playback only some rows of large images are counted.
void wp_results_measure_histogram(struct wp_viewer *v)
{
    struct wp_view_results *r = &v->results;
    const struct wp_view_state *s = &v->state;
    const bool often = s->live || s->playing;
    const bool packets = v->tiles > 0 && v->tile[0].node[0];
    const int node = packets ? wp_packets_selected(v) : 0;
    const int of[] = {s->level, s->band + WP_OCTET_BANDS * node, s->mode,
                      s->mode == WP_VIEW_PASS ? 2 * s->op + s->before : 0};
    if (memcmp(of, r->of_histogram, sizeof of) != 0 ||
        (v->volume && r->of_slices != v->slices.version) || (!often && r->histogram_step > 1))
        r->has_histogram = false;
    const bool shown = s->panels && s->inspector == WP_INSPECT_PIXEL && !v->left_down;
    if (!v->ready[WP_A] || v->results.has_histogram || v->tiles == 0 || !shown)
        return;
    // If slices change in every frame, wait for a frame without changes.
    const bool changing = v->volume && v->slices.version != v->slices.measured;
    v->slices.measured = v->slices.version;
    if (changing && v->results.of_slices) {
        v->results.has_histogram = true;
        v->dirty = true;
        return;
    }
    int found, end;
    wp_panes_active(v, &found, &end);
    for (int i = found; i < end; i++)
        if (v->tile[i].level == s->level && v->tile[i].band == s->band)
            found = i;
    r->of_image = v->tile[found].level == 0;
    // The first request of each plane; the mixed layout has several.
    struct wp_measure_request all[WP_COLOURS * WP_BAND_COUNT], request[WP_COLOURS];
    int count = 0;
    r->planes = v->tile[found].planes;
    wp_tile_request(&v->tile[found], false, all, &count);
    for (int p = 0; p < r->planes; p++)
        request[p] = all[p * (count / r->planes)];
    if (packets)
        wp_packets_request_node(v, request);
    if (!wp_meter_read(&v->meter, request, r->planes, r->selected_plane))
        return;
    r->selected = (struct wp_measure){0};
    for (int p = 0; p < r->planes; p++)
        wp_measure_add(&r->selected, r->selected_plane[p]);
    const struct wp_measure *m = &r->selected;
    const double spread = wp_measure_spread(m, v->state.impulse);
    const bool picture = v->tile[found].picture && !packets;
    const double low = picture ? m->least : -spread, high = picture ? m->most : spread;
    enum { QUADS_MOST = 1 << 18 };
    const long long quads = (long long)request->width * request->height /
                            (request->component == 4 ? WP_COMPONENTS : 1);
    r->histogram_step = often ? (int)(quads / QUADS_MOST) + 1 : 1;
    r->has_histogram = true;
    for (int p = 0; p < r->planes; p++)
        r->has_histogram = wp_meter_histogram(&request[p], (float)low, (float)high,
                                              r->histogram_step, &r->histogram[p]) &&
                           r->has_histogram;
    memcpy(r->of_histogram, of, sizeof of);
    r->of_slices = v->slices.version;
}
