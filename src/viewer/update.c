// Updates textures and measurements from the state. Each step runs only if its inputs have changed.
#include "edits.h"
#include "scheme.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Interval of measurements in live mode and while a slider is dragged.
static const double MEASURE_SECONDS = 0.25;

static bool same_params(const struct wp_instance_params *a, const struct wp_instance_params *b)
{
    const struct wp_instance_view *x = &a->view, *y = &b->view;
    return strcmp(x->wavelet, y->wavelet) == 0 && strcmp(x->backend, y->backend) == 0 &&
           strcmp(x->variant, y->variant) == 0 && x->scheme == y->scheme && x->plain == y->plain &&
           x->precision == y->precision && x->reversible == y->reversible &&
           a->levels == b->levels && a->border == b->border && a->norm == b->norm &&
           a->adjoint == b->adjoint &&
           a->levels_z == b->levels_z && a->gop == b->gop;
}

// Restores the state of the previous instance after a failure. If B has no previous instance, the
// comparison is switched off until it is requested again.
static void restore_state(struct wp_viewer *v, enum wp_view_ab ab)
{
    struct wp_instance_view *view = &v->state.view[ab];
    const struct wp_instance *instance = v->instance[ab];
    if (!instance->backend) {
        if (ab == WP_B) {
            v->state.compare = WP_COMPARE_OFF;
            v->state.flipped = false;
            v->tried_version[ab] = 0;
        }
        return;
    }
    const int file = view->file;
    *view = instance->params.view;
    view->file = file;
    v->state.levels = instance->params.levels;
    v->state.border = instance->params.border;
    v->state.adjoint = instance->params.adjoint;
    v->state.norm = instance->params.norm;
    v->state.levels_z = instance->params.levels_z;
    v->state.gop = instance->params.gop;
}

// Handles a failed run; the device may be lost. Falls back to fragment shaders on the window's GPU.
static void handle_loss(struct wp_viewer *v, enum wp_view_ab ab)
{
    struct wp_instance_view *view = &v->state.view[ab];
    wp_viewer_destroy_instances(v, ab);
    wp_gl_make_current(v->gl);
    view->variant[0] = '\0';
    if (wp_viewer_source(v, ab)->depth == 1 && strcmp(view->backend, "fragment") != 0)
        snprintf(view->backend, sizeof view->backend, "fragment");
    else
        v->tried_version[ab] = wp_viewer_source(v, ab)->plane[0].version;
}

// Stores the actual number of levels in the state. It may be smaller than requested.
static void store_levels(struct wp_viewer *v, struct wp_instance *instance)
{
    if (instance->params.levels_z >= 0 && instance->volume)
        v->state.levels_z = instance->params.levels_z = instance->description.levels_z;
    if (instance->levels == v->state.levels)
        return;
    v->state.levels = instance->params.levels = instance->levels;
    wp_viewer_notice(v, WP_LOG_WARNING, "%d level%s, the most for %dx%d with %s borders",
                     instance->levels, WP_PLURAL(instance->levels), instance->plane.width,
                     instance->plane.height, wp_border_names[v->state.border]);
}

// Runs the transform of all planes. The first instance gets the sum of the times.
static bool run(struct wp_viewer *v, enum wp_view_ab ab, enum wp_direction direction)
{
    struct wp_instance *of = v->instance[ab];
    const int count = wp_viewer_planes(v, ab);
    bool ok = true;
    for (int p = 0; p < count && ok; p++)
        ok = direction == WP_FORWARD ? wp_instance_forward(&of[p]) : wp_instance_inverse(&of[p]);
    for (int p = 1; p < count; p++)
        of->seconds[direction] += of[p].seconds[direction];
    return ok;
}

static void update_instance(struct wp_viewer *v, enum wp_view_ab ab)
{
    struct wp_view_source *source = wp_viewer_source(v, ab);
    struct wp_instance *instance = v->instance[ab];
    const struct wp_instance_params params = {
        .view = v->state.view[ab], .levels = v->state.levels,
        .border = v->state.border, .norm = v->state.norm, .adjoint = v->state.adjoint,
        .levels_z = v->state.levels_z,
        .gop = v->state.gop,
    };
    v->ready[ab] = false;
    if (source->file < 0)
        return;
    const bool same = instance->backend && same_params(&instance->params, &params);
    const bool current = same && instance->plane.version == source->plane[0].version;
    // Samples of the same size reuse the instance, except for reversible transforms, whose samples
    // are checked first.
    const bool other_samples =
        !current && same && !params.view.reversible && wp_viewer_planes(v, ab) == source->planes &&
        instance->plane.width == source->width && instance->plane.height == source->height &&
        instance->plane.depth == source->depth;
    if (other_samples) {
        for (int p = 0; p < source->planes; p++)
            v->instance[ab][p].plane = source->plane[p];
        v->computed[ab] = 0;
        v->changed = v->changed || !v->state.playing;
    } else if (!current) {
        if (v->tried_version[ab] == source->plane[0].version &&
            same_params(&v->tried[ab], &params)) {
            restore_state(v, ab);
            v->ready[ab] = instance->backend && instance->plane.version == source->plane[0].version;
            return;
        }
        v->tried[ab] = params;
        v->tried_version[ab] = source->plane[0].version;
        if (!wp_instance_set(instance, &v->devices, source->plane, source->planes, &params)) {
            wp_gl_make_current(v->gl);
            restore_state(v, ab);
            if (instance->plane.version != source->plane[0].version)
                wp_viewer_destroy_instances(v, ab);
            v->ready[ab] = instance->backend != NULL;
            return;
        }
        store_levels(v, instance);
        v->tried_version[ab] = 0;
        v->computed[ab] = 0;
        v->changed = true;
    }
    if (v->computed[ab] == 0 || v->state.live) {
        const bool lost = v->lost[ab] && !wp_fail(WP_ERROR_INTERNAL, "the device of %s was lost",
                                                  instance->backend->name);
        v->lost[ab] = false;
        if (lost || !run(v, ab, WP_FORWARD)) {
            handle_loss(v, ab);
            return;
        }
        v->computed[ab] = ++v->versions;
    }
    v->ready[ab] = true;
}

// Selects the default B: the first available of these backends. Only fragment shaders support 16
// bits.
static void choose_b(struct wp_viewer *v)
{
    static const char *const names[] = {"cuda-gl", "cuda", "compute", "cpu", "reference"};
    struct wp_instance_view *b = &v->state.b;
    if (b->backend[0])
        return;
    v->compare_note[0] = '\0';
    if (b->precision != WP_PRECISION_F32)
        snprintf(b->backend, sizeof b->backend, "fragment");
    for (size_t i = 0; i < sizeof names / sizeof *names && !b->backend[0]; i++) {
        char reason[160];
        const size_t used = strlen(v->compare_note);
        if (wp_devices_probe(&v->devices, names[i], reason, sizeof reason))
            snprintf(b->backend, sizeof b->backend, "%s", names[i]);
        else
            snprintf(v->compare_note + used, sizeof v->compare_note - used, "%sno %s (%s)",
                     used ? "; " : "", names[i], reason);
    }
}

static void update_edit(struct wp_viewer *v)
{
    struct wp_view_edit edit;
    wp_viewer_find_edit(v, &edit);
    const bool changed = memcmp(&edit, &v->edit, sizeof edit) != 0;
    v->edit = edit;
    v->changed = v->changed || changed;
    for (int ab = WP_A; ab <= WP_B; ab++) {
        if (!v->ready[ab] || (!changed && v->edited[ab] == v->computed[ab]))
            continue;
        for (int p = 0; p < wp_viewer_planes(v, (enum wp_view_ab)ab) && v->ready[ab]; p++)
            v->ready[ab] = wp_instance_edit(&v->instance[ab][p], &edit);
        if (changed)
            v->computed[ab] = ++v->versions;
        v->edited[ab] = v->computed[ab];
    }
}

// Values that change in every frame are measured at intervals, others immediately.
static bool is_time_to_measure(const struct wp_viewer *v)
{
    const bool often = v->state.live || v->state.playing || v->left_held;
    return (v->changed && !v->left_held) || v->now >= v->next_measure || !often;
}

// Runs the inverse if the image is shown, or for the measurement of A.
static void update_image(struct wp_viewer *v, enum wp_view_ab ab)
{
    const bool measured = ab == WP_A && is_time_to_measure(v);
    const bool shown = v->instance[WP_A]->volume ? wp_slices_show(v, WP_VIEW_RECONSTRUCTION)
                                                 : v->state.mode == WP_VIEW_RECONSTRUCTION;
    if (!v->ready[ab] || v->inverted[ab] == v->computed[ab] || (!shown && !measured))
        return;
    if (!run(v, ab, WP_INVERSE))
        v->ready[ab] = false;
    v->inverted[ab] = v->computed[ab];
}

// Runs the first operations of the timeline for all planes of A. `seconds` gets one time per
// operation, or is NULL.
static bool run_steps(struct wp_viewer *v, double *seconds)
{
    const enum wp_direction direction = (enum wp_direction)v->state.direction;
    const int planes = wp_viewer_planes(v, WP_A), count = v->state.op;
    double more[WP_TIMELINE_MAX];
    bool ok = wp_instance_step(v->instance[WP_A], direction, count, seconds);
    for (int p = 1; p < planes && ok; p++) {
        ok = wp_instance_step(&v->instance[WP_A][p], direction, count, seconds ? more : NULL);
        for (int op = 0; op < count && seconds; op++)
            seconds[op] += more[op];
    }
    return ok;
}

static void update_steps(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    if (s->mode != WP_VIEW_PASS || !v->ready[WP_A]) {
        if (v->stepped.valid && v->ready[WP_A]) {
            // The passes have overwritten the surfaces with the coefficients.
            v->stepped.valid = false;
            v->computed[WP_A] = 0;
            v->inverted[WP_A] = 0;
            update_instance(v, WP_A);
        }
        return;
    }
    const struct wp_schedule *schedule = wp_viewer_schedule(v);
    if (!schedule || schedule->op_count == 0) {
        struct wp_text reason = {0};
        s->mode = WP_VIEW_MOSAIC;
        if (schedule)
            wp_text_add(&reason, "there are no passes without levels");
        else
            wp_instance_explain(v->instance[WP_A], &reason);
        wp_fail(WP_ERROR_USAGE, "%s", wp_text_get(&reason));
        wp_text_free(&reason);
        return;
    }
    s->op = s->op < schedule->op_count ? s->op : schedule->op_count;
    const bool same = v->stepped.valid && v->stepped.op == s->op &&
                      v->stepped.version == v->computed[WP_A] &&
                      v->stepped.direction == s->direction;
    const bool timed = schedule->op_count <= WP_TIMELINE_MAX;
    if (!same && !run_steps(v, timed ? v->op_seconds : NULL))
        v->ready[WP_A] = false;
    v->stepped.valid = true;
    v->stepped.op = s->op;
    v->stepped.direction = s->direction;
    v->stepped.version = v->computed[WP_A];
}

// Requests for a plane: all subbands in order, samples, round-trip error, and the inverse of an
// impulse. WP_MEASURES_MAX at most for an image.
static int request_plane(const struct wp_instance *instance, bool impulse,
                         struct wp_measure_request *request)
{
    const struct wp_description *d = &instance->description;
    const int bands = instance->levels > 0 ? wp_subband_count(d) : 0;
    int count = 0;
    for (int i = 0; i < bands; i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        const struct wp_band_grid grid = wp_instance_band(instance, level, band);
        request[count++] = (struct wp_measure_request){
            .a = instance->edited[level], .width = grid.size[WP_X], .height = grid.size[WP_Y],
            .component = (int)band};
    }
    const struct wp_quads original = {instance->plane.quads, 0, 0};
    const int width = instance->plane.width, height = instance->plane.height;
    request[count++] = (struct wp_measure_request){
        .a = original, .width = width, .height = height, .component = 4};
    request[count++] = (struct wp_measure_request){
        .a = instance->image, .b = original, .width = width, .height = height, .component = 4};
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
    int count = 0;
    for (int p = 0; p < planes; p++)
        count += request_plane(&v->instance[WP_A][p], v->state.impulse, request + count);
    if (!wp_meter_read(&v->meter, request, count, result))
        return false;
    const int each = count / planes, bands = each - 2 - v->state.impulse;
    for (int i = planes > 1 ? each : count; i < count; i++)
        wp_measure_add(&result[i % each], result[i]);
    for (int i = 0; i < bands; i++) {
        enum wp_band band;
        const int level = wp_subband_at(&v->instance[WP_A]->description, i, &band);
        r->band[level][band] = result[i];
    }
    r->original = result[bands];
    r->loss = result[bands + 1];
    r->image = v->state.impulse ? result[bands + 2] : (struct wp_measure){0};
    *nonzero = v->state.threshold && bands > 0 ? 0 : r->original.samples;
    for (int p = 0; p < planes && v->state.threshold && bands > 0; p++)
        *nonzero += wp_meter_count_nonzero(&v->meter, request + p * each, bands);
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
    *nonzero = v->state.threshold ? *nonzero : r->original.samples;
    return true;
}

// Measures A.
static void measure(struct wp_viewer *v)
{
    struct wp_view_results *r = &v->results;
    r->has_loss = r->has_loss && v->ready[WP_A];
    if (!v->ready[WP_A] || v->measured == v->computed[WP_A] || v->stepped.valid ||
        !is_time_to_measure(v))
        return;
    long long nonzero = 0;
    r->has_loss = v->instance[WP_A]->volume ? measure_volume(v, &nonzero)
                                            : measure_image(v, &nonzero);
    if (!r->has_loss)
        return;
    r->of_original = v->instance[WP_A]->plane.version;
    r->nonzero_share = (double)nonzero / (double)r->original.samples;
    v->measured = v->computed[WP_A];
    r->has_histogram = false;
}

// Statistics of A - B for the current mode, over all slices of a plane.
static struct wp_measure measure_volumes(const struct wp_viewer *v, int plane)
{
    const struct wp_instance *a = &v->instance[WP_A][plane], *b = &v->instance[WP_B][plane];
    const struct wp_view_state *s = &v->state;
    if (s->mode == WP_VIEW_BAND)
        return wp_instance_volume_measure(a->volume, s->level, (enum wp_band)s->band,
                                          b->volume->edited);
    if (s->mode == WP_VIEW_ORIGINAL)
        return wp_instance_volume_measure_all(a->volume, a->plane.samples, b->plane.samples);
    if (s->mode == WP_VIEW_RECONSTRUCTION)
        return wp_instance_volume_measure_all(a->volume, a->volume->image, b->volume->image);
    return wp_instance_volume_measure_all(a->volume, a->volume->edited, b->volume->edited);
}

// The source of the difference is for images the tiles shown; coefficients are identified by
// versions.
static void measure_shown(struct wp_viewer *v)
{
    struct wp_view_results *r = &v->results;
    const int of[] = {v->state.mode, v->volume ? v->panes : v->tiles,
                      v->volume ? v->state.level : v->tile[0].level,
                      v->volume ? v->state.band : v->tile[0].band};
    const bool shown = wp_viewer_shows_both(v) && v->tiles > 0;
    const bool same = r->has_shown && memcmp(of, r->of_shown, sizeof of) == 0;
    const bool current = memcmp(r->of_versions, v->computed, sizeof v->computed) == 0;
    if (shown && same && (current || !is_time_to_measure(v)))
        return;
    struct wp_measure_request request[WP_MEASURES_MAX];
    struct wp_measure result[WP_MEASURES_MAX];
    int count = 0;
    r->has_shown = false;
    r->shown = (struct wp_measure){0};
    for (int i = 0; i < v->tiles && shown && !v->volume; i++)
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
static void measure_histogram(struct wp_viewer *v)
{
    struct wp_view_results *r = &v->results;
    const struct wp_view_state *s = &v->state;
    const bool often = s->live || s->playing;
    const int of[] = {s->level, s->band, s->mode,
                      s->mode == WP_VIEW_PASS ? 2 * s->op + s->before : 0};
    if (memcmp(of, r->of_histogram, sizeof of) != 0 ||
        (v->volume && r->of_slices != v->slices.version) || (!often && r->histogram_step > 1))
        r->has_histogram = false;
    if (!v->ready[WP_A] || v->results.has_histogram || v->tiles == 0 || !s->panels || v->left_down)
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
    if (!wp_meter_read(&v->meter, request, r->planes, r->selected_plane))
        return;
    r->selected = (struct wp_measure){0};
    for (int p = 0; p < r->planes; p++)
        wp_measure_add(&r->selected, r->selected_plane[p]);
    const struct wp_measure *m = &r->selected;
    const double spread = wp_measure_spread(m, v->state.impulse);
    const bool picture = v->tile[found].picture;
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

// Makes the selection a band that exists.
static void update_selection(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_instance *instance = v->instance[WP_A];
    const int levels = instance->backend ? wp_description_levels(&instance->description) : 0;
    if (!instance->volume && s->band >= WP_BAND_COUNT)
        s->band = WP_BAND_LL;
    if (v->ready[WP_A] && levels > 0)
        s->level = s->level < levels ? s->level : levels;
    if (v->ready[WP_A] && levels > 0 &&
        ((unsigned)s->band & ~wp_description_axes(&instance->description, s->level)))
        s->band = WP_BAND_LL;
    if (s->band == WP_BAND_LL)
        s->level = levels > 0 ? levels : 1;
}

static void set_image_scheme(struct wp_viewer *v, struct wp_instance_view *view)
{
    const struct wp_scheme_kind *kind = &wp_scheme_kinds[view->scheme];
    const struct wp_scheme_kind *image_kind = wp_scheme_kind_of_slices(kind);
    if (image_kind == kind)
        return;
    wp_viewer_notice(v, WP_LOG_WARNING, "%s, because %s is for volumes", image_kind->name,
                     kind->name);
    view->scheme = (int)(image_kind - wp_scheme_kinds);
}

// Replaces modes and schemes that the source does not support.
static void update_kind(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    if (v->source[WP_A].file < 0)
        return;
    if (v->source[WP_A].depth == 1) {
        set_image_scheme(v, &s->a);
        set_image_scheme(v, &s->b);
        return;
    }
    if (!wp_slices_have_mode(s->mode)) {
        wp_fail(WP_ERROR_USAGE, "view mode '%s' is for images, not for volumes",
                wp_view_mode_names[s->mode]);
        s->mode = wp_slices_have_mode(v->drawn.mode) ? v->drawn.mode : WP_VIEW_MOSAIC;
    }
}

// A and B can be compared if they have the same size and number of planes.
static bool check_b(const struct wp_view_source *a, const struct wp_view_source *b)
{
    if (b->file < 0)
        return true;
    if (a->depth != b->depth)
        return wp_fail(WP_ERROR_USAGE, "A has %d slice%s and B %d, so they can't be compared",
                       a->depth, WP_PLURAL(a->depth), b->depth);
    if (a->width != b->width || a->height != b->height)
        return wp_fail(WP_ERROR_USAGE, "A has %dx%d pixels and B %dx%d, so they can't be compared",
                       a->width, a->height, b->width, b->height);
    return a->planes == b->planes ||
           wp_fail(WP_ERROR_USAGE, "%s is in color and %s is gray, so they can't be compared"
                                   "\nhint: select the channel luma",
                   a->planes > 1 ? "A" : "B", a->planes > 1 ? "B" : "A");
}

void wp_viewer_update(struct wp_viewer *v)
{
    const bool compare = v->state.compare != WP_COMPARE_OFF || v->state.flipped;
    wp_viewer_catch(v);
    wp_viewer_update_source(v, WP_A);
    update_kind(v);
    update_instance(v, WP_A);
    v->ready[WP_B] = false;
    if (compare && v->ready[WP_A]) {
        choose_b(v);
        if (v->state.b.file != v->state.a.file)
            wp_viewer_update_source(v, WP_B);
        if (!check_b(&v->source[WP_A], wp_viewer_source(v, WP_B)))
            v->state.b.file = v->state.a.file;
        update_instance(v, WP_B);
    }
    update_steps(v);
    wp_viewer_denoise(v);
    update_edit(v);
    if (!v->stepped.valid)
        update_image(v, WP_A);
    update_image(v, WP_B);
    measure(v);
    update_selection(v);
    v->volume = v->ready[WP_A] && v->instance[WP_A]->volume;
    if (v->volume) {
        wp_slices_make(v);
    } else {
        wp_slices_free(v);
        wp_viewer_make_tiles(v);
    }
    measure_shown(v);
    measure_histogram(v);
    // Steps of the timeline cannot be measured; pending changes are measured after them.
    if (is_time_to_measure(v) && !v->stepped.valid) {
        v->next_measure = v->now + MEASURE_SECONDS;
        v->changed = false;
    }
    v->plot_at = (v->plot_at + v->state.live) % WP_PLOT;
    for (int ab = WP_A; ab <= WP_B && v->state.live; ab++)
        v->plot[ab][v->plot_at] = v->ready[ab] ? (float)v->instance[ab]->seconds[WP_FORWARD] : 0;
    wp_viewer_caught(v);
}

void wp_viewer_release(struct wp_viewer *v)
{
    // Both instances may use the same texture.
    for (int ab = WP_A; ab <= WP_B; ab++)
        wp_viewer_destroy_instances(v, (enum wp_view_ab)ab);
    wp_slices_free(v);
    for (int ab = WP_A; ab <= WP_B; ab++)
        wp_viewer_free_source(&v->source[ab]);
    wp_texture_destroy(&v->meter.parts);
    wp_texture_destroy(&v->meter.totals);
    wp_devices_close(&v->devices);
}
