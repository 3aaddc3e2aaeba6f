// Updates textures and measurements from the state. Each step runs only if its inputs have changed.
#include "edits.h"
#include "packet_view.h"
#include "results.h"
#include "scheme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Interval of measurements in live mode, and time without a motion before one while a slider is
// dragged.
static const double MEASURE_SECONDS = 0.25;

// An edited tree that is not used remains.
static void restore_basis(struct wp_basis_view *basis, const struct wp_basis_view *previous)
{
    const struct wp_basis_view failed = *basis;
    *basis = *previous;
    if (failed.basis != WP_BASIS_EDITED)
        memcpy(basis->tree, failed.tree, sizeof basis->tree);
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
    if (ab == WP_A && instance->packets)
        restore_basis(&v->state.packets, &instance->params.packets);
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
static bool run(struct wp_viewer *v, enum wp_view_ab ab, enum wp_direction direction,
                bool (*of_plane)(struct wp_instance *instance))
{
    struct wp_instance *of = v->instance[ab];
    const int count = wp_viewer_planes(v, ab);
    bool ok = true;
    for (int p = 0; p < count && ok; p++)
        ok = of_plane(&of[p]);
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
        .gop = v->state.gop, .packets = wp_packets_basis(v, ab),
    };
    v->ready[ab] = false;
    if (source->file < 0)
        return;
    const bool same = instance->backend && wp_instance_params_equal(&instance->params, &params);
    const bool current = same && instance->plane.version == source->plane[0].version;
    // Samples of the same size reuse the instance, except for reversible transforms, whose samples
    // are checked first, and packets, whose nodes have other costs.
    const bool other_samples =
        !current && same && !params.view.reversible && !instance->packets &&
        wp_viewer_planes(v, ab) == source->planes &&
        instance->plane.width == source->width && instance->plane.height == source->height &&
        instance->plane.depth == source->depth;
    if (other_samples) {
        for (int p = 0; p < source->planes; p++)
            v->instance[ab][p].plane = source->plane[p];
        v->computed[ab] = 0;
        v->changed = v->changed || !v->state.playing;
    } else if (!current) {
        if (v->tried_version[ab] == source->plane[0].version &&
            wp_instance_params_equal(&v->tried[ab], &params)) {
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
        if (lost || !run(v, ab, WP_FORWARD, wp_instance_forward)) {
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
    for (int ab = WP_A; ab <= WP_B; ab++) {
        struct wp_view_edit edit;
        wp_viewer_find_edit(v, ab, &edit);
        const bool changed = memcmp(&edit, &v->edit[ab], sizeof edit) != 0;
        v->edit[ab] = edit;
        v->changed = v->changed || changed;
        v->dragged = v->left_held && !v->state.live && (v->dragged || changed);
        if (changed && v->left_held)
            v->next_measure = v->now + MEASURE_SECONDS;
        if (!v->ready[ab] || (!changed && v->edited[ab] == v->computed[ab]))
            continue;
        for (int p = 0; p < wp_viewer_planes(v, (enum wp_view_ab)ab) && v->ready[ab]; p++)
            v->ready[ab] = wp_instance_edit(&v->instance[ab][p], &edit);
        if (changed)
            v->computed[ab] = ++v->versions;
        v->edited[ab] = v->computed[ab];
    }
}

// Runs the inverse if the image is shown, or for the measurement of A. While a slider is dragged,
// the fastest backend does, afterwards again that of the instance.
static void update_image(struct wp_viewer *v, enum wp_view_ab ab)
{
    const bool measured = ab == WP_A && wp_results_are_due(v);
    const bool shown = v->instance[WP_A]->volume ? wp_slices_show(v, WP_VIEW_RECONSTRUCTION)
                                                 : v->state.mode == WP_VIEW_RECONSTRUCTION;
    const bool current = v->inverted[ab] == v->computed[ab];
    bool quick = v->dragged && v->state.compare == WP_COMPARE_OFF;
    if (!v->ready[ab] || (current && (quick || !v->quick[ab])) || (!shown && !measured))
        return;
    quick = quick && wp_instance_has_quick(v->instance[ab]);
    if (quick && !run(v, ab, WP_INVERSE, wp_instance_inverse_quick)) {
        v->instance[ab]->no_quick = true; // of any plane
        quick = false;
    }
    if (!quick && !run(v, ab, WP_INVERSE, wp_instance_inverse))
        v->ready[ab] = false;
    if (current)
        v->measured = 0;
    v->quick[ab] = quick;
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

// Makes the selection a band that exists.
static void update_selection(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_instance *instance = v->instance[WP_A];
    if (wp_packets_shown(v)) {
        wp_packets_update_selection(v);
        return;
    }
    const int levels = instance->backend ? wp_description_levels(&instance->description) : 0;
    if (!instance->volume && s->band >= WP_BAND_COUNT)
        s->band = WP_BAND_LL;
    if (v->ready[WP_A] && levels > 0)
        s->level = s->level < levels ? s->level : levels;
    if (v->ready[WP_A] && levels > 0 &&
        !wp_instance_is_band(instance, s->level, (enum wp_band)s->band))
        s->band = instance->description.bank == WP_BANK_STARLET
                      ? (int)wp_description_axes(&instance->description, s->level)
                      : WP_BAND_LL;
    // Redundant banks also show the low bands of the levels before the last.
    const bool low = v->ready[WP_A] && levels > 0 && wp_instance_lows(instance) > 0;
    if (s->band == WP_BAND_LL && !low)
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

// The starlet has no lifting steps that other schemes than convolutions group.
static void set_bank_scheme(struct wp_viewer *v, struct wp_instance_view *view)
{
    const struct wp_scheme_kind *kind = &wp_scheme_kinds[view->scheme];
    if (view->bank != WP_BANK_STARLET || kind->grouping == WP_GROUP_ALL)
        return;
    view->scheme = kind->fusion == WP_FUSE_NONE ? WP_SCHEME_SEP_CONVOLUTION
                                                : WP_SCHEME_NONSEP_CONVOLUTION;
    wp_viewer_notice(v, WP_LOG_WARNING, "%s, because bank 'starlet' has only convolutions",
                     wp_scheme_kinds[view->scheme].name);
}

// Replaces modes and schemes that the source or the bank does not support.
static void update_kind(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    if (v->source[WP_A].file < 0)
        return;
    const bool image = v->source[WP_A].depth == 1;
    for (int ab = WP_A; ab <= WP_B; ab++) {
        if (image)
            set_image_scheme(v, &s->view[ab]);
        set_bank_scheme(v, &s->view[ab]);
    }
    if (image) {
        if (!v->volume && wp_viewer_lacks_mode(v, s->mode)) {
            wp_viewer_notice(v, WP_LOG_WARNING, "view mode '%s' is %s",
                             wp_view_mode_names[s->mode], wp_viewer_lacks_mode(v, s->mode));
            s->mode = WP_VIEW_MOSAIC;
        }
        return;
    }
    if (s->fourth == WP_FOURTH_CUBE && wp_bank_is_redundant((enum wp_bank)s->a.bank)) {
        wp_viewer_notice(v, WP_LOG_WARNING, "the cube is for the bank 'decimated' only");
        s->fourth = WP_FOURTH_BANDS;
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
    wp_packets_update_tree(v);
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
    wp_results_measure(v);
    update_selection(v);
    v->volume = v->ready[WP_A] && v->instance[WP_A]->volume;
    if (v->volume) {
        wp_slices_make(v);
    } else {
        wp_slices_free(v);
        if (!wp_packets_make_tiles(v))
            wp_viewer_make_tiles(v);
    }
    wp_results_measure_shown(v);
    wp_results_measure_histogram(v);
    // Steps of the timeline cannot be measured; pending changes are measured after them.
    if (wp_results_are_due(v) && !v->stepped.valid) {
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
    wp_signal_free(&v->signal);
    for (int ab = WP_A; ab <= WP_B; ab++)
        wp_viewer_free_source(&v->source[ab]);
    wp_texture_destroy(&v->meter.parts);
    wp_texture_destroy(&v->meter.totals);
    wp_devices_close(&v->devices);
}
