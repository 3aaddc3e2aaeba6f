#include "flow.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <strings.h>

const struct wp_option wp_options_flow[] = {
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_scheme),
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_reversible),
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_adjoint),
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_layout),
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_tree),
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_slices),
    WP_OPTIONS(struct wp_flow_options, volume, wp_options_volume),
    WP_OPTIONS(struct wp_flow_options, memory, wp_options_memory),
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_backend),
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_precision),
    WP_OPTIONS(struct wp_flow_options, suffix, wp_options_suffix),
    WP_OPTIONS(struct wp_flow_options, force, wp_options_force),
    {0},
};

const struct wp_option wp_options_files[] = {
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_slices),
    WP_OPTIONS(struct wp_flow_options, volume, wp_options_volume),
    WP_OPTIONS(struct wp_flow_options, transform, wp_options_backend),
    WP_OPTIONS(struct wp_flow_options, suffix, wp_options_suffix),
    WP_OPTIONS(struct wp_flow_options, force, wp_options_force),
    {0},
};

bool wp_flow_is_png(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".png") == 0;
}

// Counts the values that a .png of `depth` bits cannot represent: NaN, and values outside of
// 0..peak by more than half a step.
static struct wp_lost count_lost(const struct wp_image *image, int depth)
{
    const float peak = image->origin.peak, slack = 0.5F * peak / (float)((1 << depth) - 1);
    const size_t pixels = wp_image_samples(image);
    struct wp_lost lost = {0};
    for (int p = 0; p < image->planes; p++) {
        for (size_t i = 0; i < pixels; i++) {
            lost.outside += image->plane[p][i] < -slack || image->plane[p][i] > peak + slack;
            lost.no_number += isnan(image->plane[p][i]) ? 1 : 0;
        }
    }
    return lost;
}

static void warn_of_clamping(const struct wp_lost *lost, float peak)
{
    if (lost->no_number)
        wp_log(WP_LOG_WARNING,
               "%zu value%s NaN and set to 0\nhint: .npy, .tiff, .pfm and .exr keep them",
               lost->no_number, WP_PLURAL_IS(lost->no_number));
    if (lost->outside)
        wp_log(WP_LOG_WARNING,
               "%zu value%s outside of 0..%g %s clamped\nhint: .npy, .tiff, .pfm and .exr keep them",
               lost->outside, WP_PLURAL(lost->outside), (double)peak,
               lost->outside == 1 ? "was" : "were");
}

bool wp_flow_write_image(struct wp_flow *f, const struct wp_write_params *params)
{
    if (wp_flow_is_png(f->output) && !f->image->pixels.data)
        f->lost = count_lost(f->image, params->depth);
    warn_of_clamping(&f->lost, f->image->origin.peak);
    wp_progress("writing %s", f->output);
    if (!wp_image_write(f->image, f->output, params))
        return false;
    wp_log(WP_LOG_VERBOSE, "image written");
    return true;
}

bool wp_flow_create(struct wp_flow *f)
{
    f->shape = *f->image;
    f->transform = wp_transform_cache_get(f->cache, f->params, f->image, f->command->direction,
                                          f->values.nonfinite, &f->chosen_by);
    return f->transform;
}

static void add_run(const struct wp_flow *f, struct wp_text *text)
{
    wp_run_summary(f->transform, &f->shape, f->seconds.transform, text);
}

static json_t *run_json(const struct wp_flow *f)
{
    const struct wp_flow_options *o = f->options;
    return wp_run_json(f->call, f->transform, &f->shape, o->transform.backend, f->chosen_by,
                       f->seconds.transform);
}

static json_t *edit_json(const struct wp_flow *f)
{
    return json_pack("{s:s}", "command", f->call->command->name);
}

// The parts of the report by kind; NULL: there is nothing to report.
static const struct {
    void (*summary)(const struct wp_flow *flow, struct wp_text *text);
    void (*add_summary)(const struct wp_flow *flow, struct wp_text *text);
    json_t *(*json)(const struct wp_flow *flow);
    void (*add_json)(const struct wp_flow *flow, json_t *object);
} reports[WP_FLOW_KINDS] = {
    [WP_FLOW_IMAGE] = {add_run, NULL, run_json, NULL},
    [WP_FLOW_GROUPS] = {add_run, wp_gop_pipeline_add_rate, run_json, wp_gop_pipeline_add_json},
    [WP_FLOW_STRIPS] = {add_run, wp_row_pipeline_add_summary, run_json, wp_row_pipeline_add_json},
    [WP_FLOW_REGION] = {wp_region_run_summary, NULL, wp_region_run_json, NULL},
    [WP_FLOW_ARRAY] = {add_run, wp_array_pipeline_add_summary, run_json,
                       wp_array_pipeline_add_json},
    [WP_FLOW_DENOISE] = {add_run, NULL, run_json, NULL},
    [WP_FLOW_EDIT] = {NULL, NULL, edit_json, NULL},
};

struct wp_image *wp_flow_read_like(const struct wp_flow *f, const char *path,
                                   const struct wp_image *image, const char *name)
{
    const struct wp_flow_options *o = f->options;
    const int planes = wp_image_colour_planes(image);
    struct wp_read_params params = wp_run_read_params(&o->volume);
    params.volume = image->depth > 1 ? WP_VOLUME_YES : WP_VOLUME_NO;
    wp_progress("reading %s", path);
    struct wp_image *other = wp_image_read_with(path, &params, NULL);
    if (other && planes == 1)
        wp_image_to_gray(other);
    const int others = other ? wp_image_colour_planes(other) : 0;
    if (!other || (other->width == image->width && other->height == image->height &&
                   other->depth == image->depth && others == planes))
        return other;
    wp_fail(WP_ERROR_FILE, "%s has %dx%dx%d samples in %d plane%s, and %s %dx%dx%d in %d", path,
            other->width, other->height, other->depth, others, WP_PLURAL(others), name,
            image->width, image->height, image->depth, planes);
    wp_image_destroy(&other);
    return NULL;
}

static bool report(struct wp_flow *f)
{
    const struct wp_flow_command *c = f->command;
    if (reports[f->kind].summary)
        reports[f->kind].summary(f, &f->summary);
    if (reports[f->kind].add_summary)
        reports[f->kind].add_summary(f, &f->summary);
    if (c->add_summary)
        c->add_summary(f, &f->summary);
    if (!f->call->common.json)
        return true;
    f->result = reports[f->kind].json(f);
    if (reports[f->kind].add_json)
        reports[f->kind].add_json(f, f->result);
    if (reports[f->kind].json == run_json)
        json_object_set_new(f->result, "nonfinite", json_integer((json_int_t)f->values.nonfinite));
    c->add_json(f, f->result);
    return true;
}

bool wp_flow_compute(struct wp_flow *f)
{
    const struct wp_flow_steps *steps = &f->command->steps[f->kind];
    return (!steps->compute || steps->compute(f)) &&
           ((f->single && f->command->reports_last) || report(f));
}

bool wp_flow_write(struct wp_flow *f)
{
    const struct wp_flow_steps *steps = &f->command->steps[f->kind];
    return (!steps->write || steps->write(f)) &&
           (!f->single || !f->command->reports_last || report(f));
}

void wp_flow_end(struct wp_flow *f)
{
    if (f->command->end)
        f->command->end(f);
    if (f->kind == WP_FLOW_GROUPS || f->kind == WP_FLOW_STRIPS)
        wp_transform_destroy(&f->transform);
    wp_slices_close(&f->groups.from);
    wp_slices_discard(&f->groups.to);
    wp_rows_close(&f->strips.rows);
    wp_tile_store_close(&f->strips.store);
    wp_image_destroy(&f->image);
    wp_image_destroy(&f->coefficients);
    wp_array_pipeline_free(f);
    wp_close_coefficients(&f->from);
    json_decref(f->result);
    wp_text_free(&f->summary);
}
