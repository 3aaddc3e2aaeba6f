// Output of the viewer: commands, coefficients, screenshots, listings, and facts for tests.
#include "save.h"

#include "coefficients.h"
#include "emit.h"
#include "explain.h"
#include "json_value.h"
#include "memory.h"
#include "output.h"
#include "packet_view.h"
#include "pass_bands.h"
#include "polyphase_state.h"
#include "scheme.h"
#include "viewer_struct.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// Appends a space and a word, quoted for a shell.
static void add_word(struct wp_text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "./_-+=:,@%";
    if (word[0] && strspn(word, plain) == strlen(word)) {
        wp_text_add(text, " %s", word);
        return;
    }
    wp_text_add(text, " '");
    for (const char *c = word; *c; c++)
        wp_text_add(text, *c == '\'' ? "'\\''" : "%c", *c);
    wp_text_add(text, "'");
}

void wp_viewer_add_option(struct wp_text *text, const char *option, const char *word)
{
    if (!word)
        return;
    wp_text_add(text, " %s", option);
    add_word(text, word);
}

void wp_viewer_add_input(struct wp_text *text, const char *path)
{
    struct wp_text word = {0};
    const bool is_stdin = strcmp(path, "-") == 0;
    wp_text_add(&word, "%s%s", path[0] == '-' && !is_stdin ? "./" : "", path);
    add_word(text, wp_text_get(&word));
    wp_text_free(&word);
}

bool wp_viewer_edited(const struct wp_viewer *v)
{
    return v->edit[WP_A].any;
}

void wp_viewer_add_read_options(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_read_params *read = &v->params->read;
    if (read->volume == WP_VOLUME_YES)
        wp_text_add(text, " --volume");
    wp_viewer_add_option(text, "--raw", read->raw);
    if (read->values)
        wp_text_add(text, " --values %s", wp_values_names[read->values]);
    if (read->volume_number)
        wp_text_add(text, " --volume-index %d", read->volume_number - 1);
}

// Appends the backend options of A.
static void add_backend(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_instance *a = v->instance[WP_A];
    wp_text_add(text, " -b %s", a->backend->name);
    // Names default variants too, because the defaults of the command line may differ.
    const char *variant = wp_instance_variant(a);
    if (variant)
        wp_text_add(text, " --variant %s", variant);
    if (v->state.a.precision != WP_PRECISION_F32)
        wp_text_add(text, " --precision %s", wp_precision_names[v->state.a.precision]);
}

static bool add_edit(void *user, const char *name, const char *edit)
{
    wp_text_add(user, " --%s %s", name, edit);
    return true;
}

// Appends the commands that edit the coefficients and invert them.
static void add_edits(const struct wp_viewer *v, struct wp_text *text)
{
    struct wp_text edits = {0};
    wp_view_edit_each(&v->edit[WP_A], &v->instance[WP_A]->description, add_edit, &edits);
    const bool any = edits.length > 0;
    if (any)
        wp_text_add(text, " && wavepass edit coefficients.npy%s", wp_text_get(&edits));
    wp_text_free(&edits);
    if (!any)
        return;
    wp_text_add(text, " -o edited.npy");
    if (v->state.mode != WP_VIEW_RECONSTRUCTION)
        return;
    wp_text_add(text, " && wavepass inverse edited.npy");
    add_backend(v, text);
    wp_text_add(text, " -o reconstruction.npy");
}

bool wp_viewer_command(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_view_state *s = &v->state;
    const struct wp_instance *a = v->instance[WP_A];
    if (!v->ready[WP_A])
        return wp_fail(WP_ERROR_USAGE, "no command to copy (no image is shown)");
    const char *path = v->file[s->a.file].path;
    if (wp_is_y4m(path) && !a->volume)
        return wp_fail(WP_ERROR_USAGE, "no command to copy (forward supports images, not frames)");
    if (wp_description_levels(&a->description) == 0)
        return wp_fail(WP_ERROR_USAGE, "no command to copy (forward requires at least one level)");
    if (s->a.reversible && wp_viewer_edited(v))
        return wp_fail(WP_ERROR_USAGE, "no command to copy (edit does not support integers)");
    wp_text_add(text, "wavepass forward");
    wp_viewer_add_input(text, path);
    wp_viewer_add_read_options(v, text);
    if (s->a.bank != WP_BANK_DECIMATED)
        wp_text_add(text, " --bank %s", wp_bank_names[s->a.bank]);
    wp_packets_add_options(v, text);
    wp_viewer_add_option(text, "-w", s->a.wavelet);
    wp_text_add(text, " -s %s%s", wp_scheme_kinds[s->a.scheme].name,
                s->a.plain ? " --no-optimize" : "");
    if (s->a.reversible)
        wp_text_add(text, " --reversible");
    if (s->adjoint)
        wp_text_add(text, " --adjoint");
    wp_text_add(text, " -l %d --border %s --norm %s", a->levels, wp_border_names[s->border],
                wp_norm_names[s->norm]);
    add_backend(v, text);
    if (s->mode == WP_VIEW_MIXED)
        wp_text_add(text, " --layout mixed");
    const int colours = v->source[WP_A].colours;
    if (colours > 1)
        wp_text_add(text, " --channel %s",
                    wp_channel_words[wp_channel_or_first((enum wp_channel)s->channel, colours)]);
    if (a->volume)
        wp_text_add(text, " --levels-z %d", a->description.levels_z);
    if (a->volume && wp_slices_group(v))
        wp_text_add(text, " --gop %d", wp_slices_group(v));
    wp_text_add(text, " -o coefficients.npy");
    add_edits(v, text);
    return true;
}

bool wp_viewer_save_coefficients(struct wp_viewer *v, const char *path, bool overwrite)
{
    if (!v->ready[WP_A])
        return wp_fail(WP_ERROR_USAGE, "there are no coefficients to save");
    const struct wp_instance *a = v->instance[WP_A];
    struct wp_image *image =
        wp_image_create_volume(wp_description_extent(&a->description, WP_X),
                               wp_description_extent(&a->description, WP_Y),
                               a->volume ? a->volume->extent[WP_Z] : 1,
                               wp_viewer_planes(v, WP_A), false);
    float *samples = image ? wp_viewer_read_coefficients(v) : NULL;
    if (samples) {
        const size_t count = wp_image_samples(image);
        free(image->plane[0]);
        for (int p = 0; p < image->planes; p++)
            image->plane[p] = samples + (size_t)p * count;
        image->origin = v->source[WP_A].origin;
        image->geometry = v->source[WP_A].geometry;
    }
    struct wp_sidecar sidecar = wp_sidecar_of(&a->description, a->params.view.wavelet,
                                              a->backend->name, wp_instance_variant(a));
    sidecar.scheme_named = true; // shown in the window
    const bool ok = samples &&
                    (!sidecar.description.reversible ||
                     wp_image_read_integers(image, &v->source[WP_A].facts, path,
                                            &sidecar.stored)) &&
                    wp_coefficients_write(image, &sidecar, path, overwrite);
    wp_image_destroy(&image);
    return ok;
}

bool wp_viewer_save_screenshot(struct wp_viewer *v, const char *path, bool full_window,
                               bool overwrite)
{
    const struct wp_rect_f all = {0, 0, (float)v->screen.width, (float)v->screen.height};
    const struct wp_rect_f r = full_window ? all : v->canvas;
    const int width = (int)r.width, height = (int)r.height;
    struct wp_image *image = wp_image_create(width, height, 3, false);
    const size_t count = (size_t)width * (size_t)height;
    unsigned char *rgb = image ? wp_allocate(count, 3, "a picture of the screen") : NULL;
    bool ok = rgb != NULL;
    if (ok) {
        wp_screen_read(&v->screen, (int)r.x, (int)r.y, width, height, rgb);
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < 3; c++)
                image->plane[c][i] = (float)rgb[3 * i + c] / 255.0F;
        char *note = wp_view_state_note(&v->state);
        const struct wp_write_params params = {.overwrite = overwrite,
                                               .key = wp_view_state_key, .note = note};
        ok = wp_image_write(image, path, &params);
        free(note);
    }
    free(rgb);
    wp_image_destroy(&image);
    return ok;
}

static json_t *facts_of(const struct wp_viewer *v, int ab)
{
    const struct wp_instance *a = v->instance[ab];
    double map, unmap;
    if (!v->ready[ab])
        return json_object();
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:b, s:o, s:o, s:i, s:b, s:o, s:o, s:I, s:o, s:o}", "name",
        wp_json_text(a->name), "backend", wp_json_text(a->backend->name), "device",
        wp_json_text(a->device->name), "software", (int)a->device->software, "precision",
        wp_json_text(wp_precision_names[a->params.view.precision]), "bank",
        wp_json_text(wp_bank_names[a->params.view.bank]), "levels", a->levels, "at_once",
        (int)a->at_once, "operations", wp_json_number(a->operations), "fetches",
        wp_json_number(a->fetches), "image_texture", (json_int_t)wp_instance_image_texture(a),
        "forward_seconds", wp_json_number(a->seconds[WP_FORWARD]), "inverse_seconds",
        wp_json_number(a->seconds[WP_INVERSE]));
    if (wp_instance_handover(a, &map, &unmap)) {
        json_object_set_new(object, "map_seconds", wp_json_number(map));
        json_object_set_new(object, "unmap_seconds", wp_json_number(unmap));
    }
    return object;
}

// For the cube: screen position of the center sample of each tile.
static json_t *face_facts(const struct wp_viewer *v, const struct wp_pane *pane)
{
    json_t *faces = json_array();
    for (int i = pane->first; i < pane->first + pane->tiles && pane->solid; i++) {
        const struct wp_tile *t = &v->tile[i];
        float x, y;
        wp_face_to_screen(pane, &t->face, t->x + ((float)(t->width / 2) + 0.5F) * t->unit[0],
                          t->y + ((float)(t->height / 2) + 0.5F) * t->unit[1], &x, &y);
        json_array_append_new(faces, json_pack("{s:s, s:i, s:s, s:[f,f]}", "band",
                                               wp_octet_band_names[t->band], "level", t->level,
                                               "axis", wp_axis_words[t->orientation.axis], "at",
                                               (double)x, (double)y));
    }
    return faces;
}

// For volumes: the panes with their slices and positions.
static json_t *pane_facts(const struct wp_viewer *v)
{
    json_t *panes = json_array();
    for (int p = 0; p < v->panes; p++) {
        const struct wp_pane *pane = &v->pane[p];
        const struct wp_orientation *f = &pane->orientation;
        char letters[5] = "";
        for (int i = 0; i < 4 && f->letter[i]; i++)
            letters[i] = f->letter[i];
        json_array_append_new(
            panes, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:[b,b], s:s, s:i, s:[f,f,f,f], "
                             "s:[f,f], s:f, s:o}",
                             "pane", wp_slice_pane_names[pane->number], "name", f->name, "axis",
                             wp_axis_words[f->axis], "across", wp_axis_words[f->across], "down",
                             wp_axis_words[f->down], "letters", letters, "flip",
                             (int)f->flip[0], (int)f->flip[1], "shows",
                             wp_view_mode_names[pane->mode], "tiles", pane->tiles, "rect",
                             (double)pane->r.x, (double)pane->r.y, (double)pane->r.width,
                             (double)pane->r.height, "extent", (double)pane->extent[0],
                             (double)pane->extent[1], "zoom", pane->zoom, "faces",
                             face_facts(v, pane)));
    }
    return panes;
}

static json_t *number_if(bool has, double value)
{
    return has ? wp_json_number(value) : json_null();
}

// Values of A's planes under the pointer.
static json_t *hover_facts(const struct wp_viewer *v, const struct wp_tile *t, int component)
{
    json_t *planes = json_array();
    for (int p = 0; p < t->planes; p++) {
        const double value = (double)v->hover_value[WP_A][p][component];
        json_array_append_new(planes, number_if(v->hover_has[WP_A][component], value));
    }
    return planes;
}

// The sample under the pointer.
static json_t *sample_facts(const struct wp_viewer *v, const struct wp_tile *t)
{
    int at[WP_DIMS_MAX];
    wp_slices_locate(t, v->hover_px, v->hover_py, at);
    json_t *values = json_array();
    for (int ab = WP_A; ab <= WP_B && t->quads[ab][0].texture; ab++)
        json_array_append_new(values, wp_json_number((double)v->hover_value[ab][0][0]));
    return json_pack("{s:s, s:i, s:s, s:[i,i,i], s:o, s:o}", "pane",
                     wp_slice_pane_names[v->pane[v->hover_pane].number], "level", t->level, "band",
                     t->names[t->band], "at", at[WP_X], at[WP_Y], at[WP_Z], "values",
                     values, "planes", hover_facts(v, t, 0));
}

static json_t *pixel_facts(const struct wp_viewer *v)
{
    if (v->hover_tile < 0)
        return json_null();
    const struct wp_tile *t = &v->tile[v->hover_tile];
    if (t->single)
        return sample_facts(v, t);
    json_t *values = json_array(), *names = json_array();
    const int component = wp_tile_component(t, v->hover_px, v->hover_py);
    for (int c = 0; c < WP_COMPONENTS; c++) {
        json_array_append_new(names, json_string(wp_tile_names(t)[c]));
        json_array_append_new(values, number_if(v->hover_has[WP_A][c],
                                                (double)v->hover_value[WP_A][0][c]));
    }
    return json_pack("{s:i, s:s, s:i, s:i, s:b, s:o, s:o, s:o}", "level", t->level, "band",
                     t->node[0] ? t->node : wp_band_names[t->band], "x", v->hover_px, "y",
                     v->hover_py, "pinned",
                     (int)v->pinned, "values", values, "names", names,
                     "planes", hover_facts(v, t, component));
}

// The labels of the planes of a pass; empty in other modes.
static json_t *plane_facts(struct wp_viewer *v)
{
    json_t *planes = json_array();
    const enum wp_direction direction = (enum wp_direction)v->state.direction;
    const struct wp_schedule *schedule =
        v->state.mode == WP_VIEW_PASS ? wp_viewer_schedule(v) : NULL;
    struct wp_pass_point point;
    const bool elements = wp_viewer_pass_point(v, &point);
    for (int c = 0; schedule && c < WP_COMPONENTS; c++) {
        struct wp_text text = {0};
        if (elements && wp_pass_bands(&point) >> c & 1) {
            wp_pass_band_describe(&point, wp_instance_band_names(v->instance[WP_A]), c, &text);
            json_array_append_new(planes, wp_json_text(wp_text_get(&text)));
            wp_text_free(&text);
        }
        if (elements)
            continue;
        const struct wp_polyphase_state state =
            wp_polyphase_state_after(schedule, direction, wp_pass_shown(&v->state), c);
        wp_polyphase_state_describe(&state, false, &text);
        json_array_append_new(planes, wp_json_text(wp_text_get(&text)));
        wp_text_free(&text);
    }
    return planes;
}

static json_t *plane_statistics(const char *name, const struct wp_measure *m,
                                const struct wp_histogram *histogram)
{
    json_t *bins = json_array();
    for (int i = 0; i < WP_HISTOGRAM_BINS; i++)
        json_array_append_new(bins, json_integer(histogram->bin[i]));
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "channel", name, "samples",
                     (json_int_t)m->samples, "least", wp_json_number(m->least), "most",
                     wp_json_number(m->most), "mean", wp_json_number(wp_measure_mean(m)),
                     "deviation", wp_json_number(wp_measure_deviation(m)), "bins", bins);
}

// The statistics shown by the inspector: of all planes and of each plane.
static json_t *statistics(const struct wp_viewer *v)
{
    const struct wp_view_results *r = &v->results;
    if (!r->has_histogram)
        return json_null();
    struct wp_histogram sum = r->histogram[0];
    json_t *planes = json_array();
    for (int p = 0; p < r->planes; p++) {
        for (int i = 0; i < WP_HISTOGRAM_BINS && p > 0; i++)
            sum.bin[i] += r->histogram[p].bin[i];
        json_array_append_new(planes, plane_statistics(wp_viewer_plane_name(v, p),
                                                       &r->selected_plane[p], &r->histogram[p]));
    }
    json_t *object = plane_statistics(r->planes > 1 ? "rgb" : wp_viewer_plane_name(v, 0),
                                      &r->selected, &sum);
    json_object_set_new(object, "rows_step", json_integer(r->histogram_step));
    json_object_set_new(object, "planes", planes);
    return object;
}

static void add_facts(json_t *object, json_t *more)
{
    json_object_update(object, more);
    json_decref(more);
}

bool wp_viewer_write_facts(struct wp_viewer *v, const char *path)
{
    const size_t heap = wp_memory_in_use();
    const struct wp_view_results *r = &v->results;
    const struct wp_instance *a = v->instance[WP_A];
    const float peak = wp_viewer_peak(v);
    json_t *controls = json_array(), *positions = json_object();
    for (int i = 0; wp_ui_control(i); i++) {
        float x, y;
        json_array_append_new(controls, wp_json_text(wp_ui_control(i)));
        if (wp_ui_find_control(wp_ui_control(i), &x, &y))
            json_object_set_new(positions, wp_ui_control(i),
                                json_pack("[f, f]", (double)x, (double)y));
    }
    json_t *object = json_pack("{s:i, s:i}", "width", a->plane.width, "height", a->plane.height);
    if (v->volume)
        add_facts(object, json_pack("{s:i, s:i, s:o}", "depth", a->plane.depth, "levels_z",
                                    a->description.levels_z, "panes", pane_facts(v)));
    add_facts(object, json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "files",
        v->file_count, "notice", wp_json_text(wp_text_get(&v->notice)), "a", facts_of(v, WP_A), "b",
        facts_of(v, WP_B), "round_trip", number_if(r->has_loss, wp_measure_largest(&r->loss)),
        "loss_psnr", number_if(r->has_loss, wp_measure_psnr(&r->loss, peak)), "kept",
        number_if(r->has_loss, r->nonzero_share), "max_difference",
        number_if(r->has_shown, wp_measure_largest(&r->shown)), "psnr",
        number_if(r->has_shown, wp_measure_psnr(&r->shown, peak)), "pixel", pixel_facts(v),
        "statistics", statistics(v), "planes", plane_facts(v), "tiles", v->tiles));
    json_object_set_new(object, "signal", wp_signal_facts(v));
    json_object_set_new(object, "packets", wp_packets_facts(v));
    if (v->tiles > 0)
        json_object_set_new(object, "range", json_pack("[f, f]", (double)v->tile[0].low,
                                                       (double)v->tile[0].high));
    add_facts(object, json_pack(
        "{s:o, s:o, s:o, s:I, s:I, s:I, s:i, s:o, s:o, s:o}", "shader_error",
        wp_json_text(wp_text_get(&v->shader_error)), "compare_note",
        wp_json_text(v->compare_note), "clipboard", wp_json_text(wp_text_get(&v->clipboard)),
        "frames", (json_int_t)v->frames_drawn, "gl_objects",
        (json_int_t)wp_gl_count_objects(v->gl), "heap", (json_int_t)heap, "popup", (int)v->popup,
        "controls", controls, "places", positions, "focused", wp_json_text(wp_ui_focused())));
    if (v->scene->facts)
        json_object_set_new(object, "scene", v->scene->facts(v));
    return wp_write_json(path, object, 9);
}

extern const unsigned char wp_shader_gather[], wp_shader_spread[];

const struct wp_op *wp_current_op(struct wp_viewer *v)
{
    const struct wp_schedule *schedule = wp_viewer_schedule(v);
    if (!schedule || schedule->op_count == 0)
        return NULL;
    const int op = v->state.op < schedule->op_count ? v->state.op : schedule->op_count;
    return &schedule->op[op > 0 ? op - 1 : 0];
}

// Explains A's scheme.
static bool explain(struct wp_viewer *v, enum wp_explain_topic topic, enum wp_explain_format format,
                    struct wp_text *text)
{
    const struct wp_instance *a = v->instance[WP_A];
    const struct wp_explain_params params = {
        .wavelet = &a->wavelet, .kind = &wp_scheme_kinds[a->params.view.scheme],
        .form = topic == WP_EXPLAIN_CUDA   ? WP_FORM_BLOCK
                : a->params.view.plain ? WP_FORM_PLAIN
                                       : WP_FORM_SHADER,
        .direction = (enum wp_direction)v->state.direction, .norm = (enum wp_norm)a->params.norm,
        .reversible = a->params.view.reversible, .bank = (enum wp_bank)a->params.view.bank,
        .dims = v->volume ? 3 : 2, .topic = topic,
        .format = format,
    };
    return v->ready[WP_A] && wp_explain(&params, text);
}

// The shader of the timeline's pass, or the CUDA kernel of the scheme.
static bool add_shader(struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_backend *backend = v->instance[WP_A]->backend;
    if (backend && strncmp(backend->name, "cuda", 4) == 0)
        return !v->volume && explain(v, WP_EXPLAIN_CUDA, WP_EXPLAIN_TXT, text);
    const struct wp_op *op = wp_current_op(v);
    if (!op)
        return false;
    if (op->kind == WP_OP_PASS)
        wp_emit_fragment_pass(op->scheme, op->pass, text);
    else if (op->kind == WP_OP_GATHER)
        wp_text_add(text, "%s", (const char *)wp_shader_gather);
    else if (op->kind == WP_OP_SPREAD)
        wp_text_add(text, "%s", (const char *)wp_shader_spread);
    else
        return false;
    return true;
}

bool wp_listing_text(struct wp_viewer *v, struct wp_text *text)
{
    switch ((enum wp_inspector)v->state.inspector) {
    case WP_INSPECT_MATRIX: return explain(v, WP_EXPLAIN_MATRIX, WP_EXPLAIN_TXT, text);
    case WP_INSPECT_SHADER: return add_shader(v, text);
    default: return false;
    }
}

bool wp_viewer_save_diagram(struct wp_viewer *v, const char *path, bool overwrite)
{
    struct wp_text svg = {0};
    const bool ok = explain(v, WP_EXPLAIN_DIAGRAM, WP_EXPLAIN_SVG, &svg) &&
                    wp_output_text(path, overwrite, wp_text_get(&svg));
    wp_text_free(&svg);
    return ok;
}
