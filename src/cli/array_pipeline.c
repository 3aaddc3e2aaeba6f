// Arrays of `--axes`: any one to three axes of an NPY, the others are a batch of one call.
#include "flow.h"

#include "command.h"
#include "elements.h"
#include "image.h"
#include "memory.h"
#include "npy.h"
#include "output.h"
#include "registry.h"
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

// Input and output.
static bool fits_memory(struct wp_flow *f, const struct wp_npy_info *info)
{
    const struct wp_flow_options *o = f->options;
    double bytes = 2.0 * (double)wp_elements[f->array.type].bytes;
    bool strips;
    for (int a = 0; a < info->axes; a++)
        bytes *= (double)info->shape[a];
    return wp_memory_limit(o->memory, &f->limit) &&
           wp_memory_choose(&f->limit, bytes, f->input, "arrays are transformed as a whole",
                            &strips);
}

static double value_at(const struct wp_flow *f, const void *samples, size_t i)
{
    return f->array.type == WP_ELEMENT_F64 ? ((const double *)samples)[i]
                                           : (double)((const float *)samples)[i];
}

static void count_nonfinite(struct wp_flow *f, const void *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        f->values.nonfinite += isfinite(value_at(f, samples, i)) ? 0 : 1;
    if (f->values.nonfinite)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite", f->input, f->values.nonfinite,
               WP_PLURAL_IS(f->values.nonfinite));
}

static size_t count_values(const struct wp_npy_info *info)
{
    size_t count = 1;
    for (int a = 0; a < info->axes; a++)
        count *= info->shape[a];
    return count;
}

// Gets the values, and frees the file's.
static void *take_values(struct wp_npy **npy, const struct wp_npy_info *info,
                         enum wp_element type, const char *name)
{
    const size_t count = count_values(info);
    void *values = wp_allocate_pages(count, wp_elements[type].bytes, name);
    if (values)
        wp_npy_get_as(*npy, type, values);
    wp_npy_destroy(npy);
    return values;
}

static bool is_npy(const char *path)
{
    struct wp_npy_info info;
    wp_begin_attempt();
    const bool ok = wp_npy_peek(path, &info);
    wp_end_attempt();
    wp_clear_error();
    return ok;
}

// Reads an image or volume of doubles to f->array.from.
static bool read_image(struct wp_flow *f, struct wp_npy_info *info)
{
    double *values = NULL;
    struct wp_image *image = wp_image_read_with(
        f->input, &(struct wp_read_params){.volume = WP_VOLUME_EITHER, .wide = &values}, NULL);
    f->array.from = values;
    if (!image)
        return false;
    const size_t size[] = {(size_t)image->depth, (size_t)image->height, (size_t)image->width};
    *info = (struct wp_npy_info){.axes = image->depth > 1 ? 3 : 2};
    memcpy(info->shape, size + 3 - info->axes, (size_t)info->axes * sizeof *size);
    wp_image_destroy(&image);
    if (!values)
        return wp_fail(WP_ERROR_USAGE, "--double: %s has no doubles\nhint: it reads NPY, FITS, and "
                                       "TIFF with one channel of 64-bit floats", f->input);
    return fits_memory(f, info);
}

// Reads the array to f->array.from.
static bool read_values(struct wp_flow *f, struct wp_npy_info *info)
{
    wp_progress("reading %s", f->input);
    if (f->array.type == WP_ELEMENT_F64 && !wp_is_stdio(f->input) && !is_npy(f->input))
        return read_image(f, info);
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
    if (info->rounds && f->array.type == WP_ELEMENT_F32)
        wp_log(WP_LOG_INFO, "%s: values of type %s are converted to float32", f->input, info->type);
    f->array.from = take_values(&npy, info, f->array.type, f->input);
    return f->array.from;
}

// The parameters of the transform, by the shape.
static void set_size(struct wp_flow *f)
{
    struct wp_transform_params *p = &f->array.params;
    *p = *f->params;
    wp_array_shape_size(&f->array.shape, p);
    if (f->array.type == WP_ELEMENT_F64 && !p->backend)
        p->backend = "cpu";
    f->params = p;
    f->shape = wp_array_shape_image(&f->array.shape);
}

// All axes of a signal or an image.
static const char *find_axes(const struct wp_npy_info *info, const char *name)
{
    if (info->axes <= 2)
        return info->axes == 1 ? "0" : "0,1";
    wp_fail(WP_ERROR_USAGE, "--double: %s has %d axes\nhint: select up to %d of them, as with "
            "--axes -2,-1", name, info->axes, (int)WP_ARRAY_AXES);
    return NULL;
}

bool wp_array_pipeline_read(struct wp_flow *f, const char *axes, bool wide)
{
    struct wp_npy_info info;
    f->kind = WP_FLOW_ARRAY;
    f->array.type = wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32;
    if (!check_options(f) || !check_output(f) || !read_values(f, &info))
        return false;
    axes = axes ? axes : find_axes(&info, f->input);
    if (!axes || !wp_array_shape_set(&f->array.shape, &info, axes, f->input))
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
    const struct wp_description d = wp_sidecar_description(s);
    const struct wp_array_shape shape = wp_array_shape_of_coefficients(&s->array, &d);
    struct wp_array_shape given = shape;
    struct wp_text described = {0};
    bool same = info->axes == given.rank;
    for (int a = 0; a < info->axes && same; a++)
        same = info->shape[a] == given.extent[a];
    wp_array_shape_add(&s->array, &described);
    bool ok = same || wp_fail(WP_ERROR_FILE, "%s describes %s, but the array has another shape",
                              f->from.sidecar_path, wp_text_get(&described));
    if (ok && axes)
        ok = wp_array_shape_set(&given, info, axes, f->input) &&
             (wp_array_shape_equals(&given, &shape) ||
              wp_fail(WP_ERROR_USAGE, "--axes %s contradicts %s (%s)\nhint: omit the option", axes,
                      f->from.sidecar_path, wp_text_get(&described)));
    wp_text_free(&described);
    return ok && (!s->has_hash || o->changed ||
                  s->hash == wp_coefficients_hash_array(f->array.from, f->array.type,
                                                        wp_array_shape_samples(&shape)) ||
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
    f->array.type = f->from.has_sidecar && f->from.sidecar.wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32;
    if (f->from.has_sidecar && f->from.sidecar.array.rank == 0)
        return wp_fail(WP_ERROR_USAGE, "%s describes an image or volume, not axes of an array"
                                       "\nhint: omit --axes", f->from.sidecar_path);
    if (!read_values(f, &info))
        return false;
    f->array.shape = f->from.sidecar.array;
    if (f->from.has_sidecar ? !check_metadata(f, &info, axes)
                            : !wp_array_shape_set(&f->array.shape, &info, axes, f->input))
        return false;
    count_nonfinite(f, f->array.from, count_values(&info));
    set_size(f);
    return true;
}

// ---- both directions

// Doubles are rounded by backends that compute in floats.
static void warn_of_type(const struct wp_flow *f)
{
    const char *name = wp_transform_get_info(f->transform)->backend;
    for (int i = 0; wp_backends[i] && f->array.type == WP_ELEMENT_F64; i++)
        if (strcmp(wp_backends[i]->name, name) == 0 &&
            !(wp_backends[i]->elements >> WP_ELEMENT_F64 & 1))
            wp_log(WP_LOG_WARNING, "%s: backend '%s' computes in 32-bit floats; -b cpu computes in "
                   "doubles", f->input, name);
}

bool wp_array_pipeline_run(struct wp_flow *f)
{
    const size_t samples = wp_array_shape_samples(&f->array.shape);
    const bool inverse = f->command->direction == WP_INVERSE;
    const enum wp_element type = f->array.type;
    f->transform = wp_transform_cache_get(f->cache, f->params, &f->shape, f->command->direction,
                                          f->values.nonfinite, &f->chosen_by);
    if (!f->transform)
        return false;
    warn_of_type(f);
    const struct wp_array_shape *const shape = &f->array.shape;
    const struct wp_array_shape coefficients =
        wp_array_shape_of_coefficients(shape, wp_transform_description(f->transform));
    const size_t count = inverse ? samples : wp_array_shape_samples(&coefficients);
    // For the report: all entries of the batch.
    const size_t one = (size_t)f->shape.width * (size_t)f->shape.height * (size_t)f->shape.depth;
    f->shape.planes = samples / one < INT_MAX ? (int)(samples / one) : INT_MAX;
    f->array.to = wp_allocate_pages(count, wp_elements[type].bytes,
                                    inverse ? "the reconstructed array" : "the coefficients");
    if (!f->array.to)
        return false;
    if (count != samples) // elements of no band
        memset(f->array.to, 0, count * wp_elements[type].bytes);
    wp_progress("transforming %d plane%s", f->shape.planes, WP_PLURAL(f->shape.planes));
    const struct wp_operand from =
        wp_array_shape_operand(inverse ? &coefficients : shape, type, f->array.from);
    const struct wp_operand to =
        wp_array_shape_operand(inverse ? shape : &coefficients, type, f->array.to);
    if (!(inverse ? wp_transform_inverse : wp_transform_forward)(f->transform, &from, &to))
        return false;
    f->seconds.transform = wp_run_done(f->transform);
    return true;
}

static double difference(const struct wp_flow *f, const void *restored, size_t samples)
{
    double largest = 0;
    if (f->array.type == WP_ELEMENT_F32)
        return wp_run_difference(restored, f->array.from, samples);
    for (size_t i = 0; i < samples; i++) {
        const double one = fabs(value_at(f, restored, i) - value_at(f, f->array.from, i));
        largest = one <= largest ? largest : isfinite(one) ? one : INFINITY;
    }
    return largest;
}

bool wp_array_pipeline_check(struct wp_flow *f)
{
    const size_t samples = wp_array_shape_samples(&f->array.shape);
    const enum wp_element type = f->array.type;
    void *restored =
        wp_allocate_pages(samples, wp_elements[type].bytes, "the reconstructed array");
    if (!restored)
        return false;
    const struct wp_array_shape shape = wp_array_shape_of_coefficients(
        &f->array.shape, wp_transform_description(f->transform));
    const struct wp_operand coefficients = wp_array_shape_operand(&shape, type, f->array.to);
    const struct wp_operand to = wp_array_shape_operand(&f->array.shape, type, restored);
    const bool ok = wp_transform_inverse(f->transform, &coefficients, &to);
    double largest = 0;
    for (size_t i = 0; i < samples && ok; i++)
        largest = fmax(largest, fabs(value_at(f, f->array.from, i)));
    if (ok)
        f->max_error = difference(f, restored, samples);
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
