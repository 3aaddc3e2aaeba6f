// Arrays of `--axes`: any one to three axes of an NPY, the others are a batch of one call.
#include "flow.h"

#include "command.h"
#include "memory.h"
#include "npy.h"
#include "output.h"
#include "transform.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct wp_option wp_options_axes[] = {
    {.name = "axes",
     .kind = WP_OPTION_TEXT,
     .value = "LIST",
     .help = "transform only these axes of an NPY of any number of axes up to 8, such as 1,2 or -1, "
             "numbered as in NumPy; the others are a batch"},
    {0},
};

// Options for images and volumes.
static bool check_options(const struct wp_flow *f)
{
    static const char *const options[] = {
        "picture", "no-labels", "channel", "gray",         "half",   "tile",       "compression",
        "subbands", "gop",      "volume",  "raw",          "values", "volume-index", "reversible",
        "region",  "level",     "depth"};
    const struct wp_option *table = f->call->command->options;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (wp_option_is_given(table, options[i], f->options))
            return wp_fail(WP_ERROR_USAGE, "--%s is for images or volumes, not for axes of an array",
                           options[i]);
    return true;
}

static bool check_output(const struct wp_flow *f)
{
    const struct wp_flow_options *o = f->options;
    const char *dot = f->output ? strrchr(f->output, '.') : NULL;
    if (!f->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o c.npy");
    if (!wp_is_stdio(f->output) && (!dot || strcasecmp(dot, ".npy") != 0))
        return wp_fail(WP_ERROR_USAGE, "%s: an array is written to a .npy", f->output);
    char *metadata = f->command->direction == WP_FORWARD ? wp_sidecar_path(f->output) : NULL;
    const bool ok = wp_output_check(f->output, o->force) &&
                    (!metadata || wp_output_check(metadata, o->force));
    free(metadata);
    return ok;
}

// Input and output, as floats.
static bool fits_memory(struct wp_flow *f, const struct wp_npy_info *info)
{
    const struct wp_flow_options *o = f->options;
    double bytes = 2.0 * sizeof(float);
    bool strips;
    for (int a = 0; a < info->axes; a++)
        bytes *= (double)info->shape[a];
    return wp_memory_limit(o->memory, &f->limit) &&
           wp_memory_choose(&f->limit, bytes, f->input, "arrays are transformed as a whole",
                            &strips);
}

static void count_nonfinite(struct wp_flow *f, const float *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        f->values.nonfinite += isfinite(samples[i]) ? 0 : 1;
    if (f->values.nonfinite)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite", f->input, f->values.nonfinite,
               WP_PLURAL_IS(f->values.nonfinite));
}

// Gets the values, and frees the file's.
static float *take_values(struct wp_npy **npy, const struct wp_npy_info *info, const char *name)
{
    size_t count = 1;
    for (int a = 0; a < info->axes; a++)
        count *= info->shape[a];
    float *values = wp_allocate_pages(count, sizeof *values, name);
    if (values)
        wp_npy_get(*npy, values);
    wp_npy_destroy(npy);
    return values;
}

// Reads the array to f->array.from.
static bool read_values(struct wp_flow *f, struct wp_npy_info *info)
{
    wp_progress("reading %s", f->input);
    if (!wp_is_stdio(f->input) && (!wp_npy_peek(f->input, info) || !fits_memory(f, info)))
        return false;
    struct wp_npy *npy = wp_npy_read(f->input, info);
    if (!npy)
        return false;
    if (info->is_complex) {
        wp_npy_destroy(&npy);
        return wp_fail(WP_ERROR_FILE, "%s: complex samples (NPY of type '%s')"
                                      "\nhint: save both parts, as an axis of 2, as float32",
                       f->input, info->type);
    }
    if (info->rounds)
        wp_log(WP_LOG_INFO, "%s: values of type %s are converted to float32", f->input, info->type);
    f->array.from = take_values(&npy, info, f->input);
    return f->array.from;
}

// The parameters of the transform, by the shape.
static void set_size(struct wp_flow *f)
{
    struct wp_transform_params *p = &f->array.params;
    *p = *f->params;
    wp_array_shape_size(&f->array.shape, p);
    f->params = p;
    f->shape = wp_array_shape_image(&f->array.shape);
}

bool wp_array_pipeline_read(struct wp_flow *f, const char *axes)
{
    struct wp_npy_info info;
    f->kind = WP_FLOW_ARRAY;
    if (!check_options(f) || !check_output(f) || !read_values(f, &info) ||
        !wp_array_shape_set(&f->array.shape, &info, axes, f->input))
        return false;
    count_nonfinite(f, f->array.from, wp_array_shape_samples(&f->array.shape));
    set_size(f);
    return true;
}

// ---- inverse

bool wp_array_pipeline_applies(const char *path)
{
    struct wp_sidecar sidecar;
    bool found = false;
    char *metadata = wp_sidecar_path(path);
    // Errors of the metadata are reported when the coefficients are opened.
    wp_begin_attempt();
    const bool ok = metadata && wp_sidecar_read(metadata, &sidecar, &found);
    wp_end_attempt();
    wp_clear_error();
    free(metadata);
    return ok && found && sidecar.array.rank > 0;
}

// The file has the shape and the samples of the metadata.
static bool check_metadata(const struct wp_flow *f, const struct wp_npy_info *info,
                           const char *axes)
{
    const struct wp_flow_options *o = f->options;
    const struct wp_sidecar *s = &f->from.sidecar;
    struct wp_array_shape given = s->array;
    struct wp_text described = {0};
    bool same = info->axes == given.rank;
    for (int a = 0; a < info->axes && same; a++)
        same = info->shape[a] == given.extent[a];
    wp_array_shape_add(&s->array, &described);
    bool ok = same || wp_fail(WP_ERROR_FILE, "%s describes %s, but the array has another shape",
                              f->from.sidecar_path, wp_text_get(&described));
    if (ok && axes)
        ok = wp_array_shape_set(&given, info, axes, f->input) &&
             (wp_array_shape_equals(&given, &s->array) ||
              wp_fail(WP_ERROR_USAGE, "--axes %s contradicts %s (%s)\nhint: omit the option", axes,
                      f->from.sidecar_path, wp_text_get(&described)));
    wp_text_free(&described);
    return ok && (!s->has_hash || o->changed ||
                  s->hash == wp_coefficients_hash_array(f->array.from,
                                                        wp_array_shape_samples(&s->array)) ||
                  wp_sidecar_mismatch(f->input));
}

bool wp_array_pipeline_open(struct wp_flow *f, const char *axes)
{
    const struct wp_flow_options *o = f->options;
    struct wp_npy_info info;
    f->kind = WP_FLOW_ARRAY;
    if (!check_options(f) || !check_output(f) ||
        !wp_open_coefficient_metadata(&f->from, f->input, &o->transform))
        return false;
    f->params = &f->from.params;
    if (f->from.has_sidecar && f->from.sidecar.array.rank == 0)
        return wp_fail(WP_ERROR_USAGE, "%s describes an image or volume, not axes of an array"
                                       "\nhint: omit --axes", f->from.sidecar_path);
    if (!read_values(f, &info))
        return false;
    f->array.shape = f->from.sidecar.array;
    if (f->from.has_sidecar ? !check_metadata(f, &info, axes)
                            : !wp_array_shape_set(&f->array.shape, &info, axes, f->input))
        return false;
    count_nonfinite(f, f->array.from, wp_array_shape_samples(&f->array.shape));
    set_size(f);
    return true;
}

// ---- both directions

bool wp_array_pipeline_run(struct wp_flow *f)
{
    const size_t samples = wp_array_shape_samples(&f->array.shape);
    const bool inverse = f->command->direction == WP_INVERSE;
    f->transform = wp_transform_cache_get(f->cache, f->params, &f->shape, f->command->direction,
                                          f->values.nonfinite, &f->chosen_by);
    if (!f->transform)
        return false;
    // For the report: all entries of the batch.
    const size_t one = (size_t)f->shape.width * (size_t)f->shape.height * (size_t)f->shape.depth;
    f->shape.planes = samples / one < INT_MAX ? (int)(samples / one) : INT_MAX;
    f->array.to = wp_allocate_pages(samples, sizeof *f->array.to,
                                    inverse ? "the reconstructed array" : "the coefficients");
    if (!f->array.to)
        return false;
    wp_progress("transforming %d plane%s", f->shape.planes, WP_PLURAL(f->shape.planes));
    const struct wp_operand from = wp_array_shape_operand(&f->array.shape, f->array.from);
    const struct wp_operand to = wp_array_shape_operand(&f->array.shape, f->array.to);
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(f->transform, &from, &to))
        return false;
    f->seconds.transform = wp_run_done(f->transform);
    return true;
}

bool wp_array_pipeline_check(struct wp_flow *f)
{
    const size_t samples = wp_array_shape_samples(&f->array.shape);
    float *restored = wp_allocate_pages(samples, sizeof *restored, "the reconstructed array");
    if (!restored)
        return false;
    const struct wp_operand coefficients = wp_array_shape_operand(&f->array.shape, f->array.to);
    const struct wp_operand to = wp_array_shape_operand(&f->array.shape, restored);
    const bool ok = wp_transform_inverse(f->transform, &coefficients, &to);
    double largest = 0;
    for (size_t i = 0; i < samples && ok; i++)
        largest = fmax(largest, fabs((double)f->array.from[i]));
    if (ok)
        f->max_error = wp_run_difference(restored, f->array.from, samples);
    free(restored);
    return ok && (f->max_error <= 0.05 * largest ||
                  wp_fail(WP_ERROR_MISMATCH, "the coefficients do not reconstruct the array "
                                             "(max|err| %.2g)"
                                             "\nhint: 'wavepass verify' checks the backends of "
                                             "this machine", f->max_error));
}

void wp_array_pipeline_free(struct wp_flow *f)
{
    free(f->array.from);
    free(f->array.to);
}

// ---- reports

void wp_array_pipeline_add_summary(const struct wp_flow *f, struct wp_text *text)
{
    wp_text_add(text, ", ");
    wp_array_shape_add(&f->array.shape, text);
}

void wp_array_pipeline_add_json(const struct wp_flow *f, json_t *object)
{
    wp_array_shape_pack(&f->array.shape, object);
}
