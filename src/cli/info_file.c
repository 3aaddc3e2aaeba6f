#include "info_file.h"

#include "flow.h"

#include "elements.h"
#include "autotune.h"
#include "coefficients.h"
#include "field_table.h"
#include "geometry.h"
#include "image_io.h"
#include "json_value.h"
#include "memory.h"
#include "npy.h"
#include "run.h"
#include "reference.h"
#include "registry.h"
#include "wavepass.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- choices ----

static const json_t *read_tuning(const char *path, const struct wp_backend_choice *on,
                                 json_t *files)
{
    if (!json_object_get(files, path)) {
        json_t *file = wp_tuning_read(path, on);
        json_object_set_new(files, path, file ? file : json_null());
    }
    return json_object_get(files, path);
}

json_t *wp_info_choice(const struct wp_backend_choice *on, json_t *files)
{
    if (on->backend == &wp_backend_reference)
        return json_null();
    char *path = wp_tuning_path(on);
    const json_t *file = path ? read_tuning(path, on, files) : NULL;
    json_t *choice = json_pack("{s:o, s:o, s:o}", "file", wp_json_text(path), "reason",
                               wp_json_text(wp_autotune_why_not(on)), "found",
                               wp_tuning_list(file, path, on->backend));
    free(path);
    return choice;
}

static const char *text(const json_t *object, const char *key)
{
    const char *found = json_string_value(json_object_get(object, key));
    return found ? found : "";
}

static void print_entry(const json_t *entry, const char *indent)
{
    const json_t *timed = json_object_get(entry, "timed");
    const json_t *first = json_array_get(timed, 0);
    const int side = (int)json_integer_value(json_object_get(entry, "side"));
    const char *scheme = text(first, "scheme"), *variant = text(first, "variant");
    printf("%schoice: %s %s, as %dx%d: %s%s%s%s, %.3g ms\n"
           "%s        (%s, %s, %zu timed in %.2f s)\n",
           indent, text(entry, "wavelet"), text(entry, "direction"), side, side, scheme,
           *scheme && *variant ? ", " : "", *variant ? "variant " : "", variant,
           1e3 * json_number_value(json_object_get(first, "seconds")), indent, text(entry, "by"),
           text(entry, "found"), json_array_size(timed),
           json_number_value(json_object_get(entry, "seconds")));
}

void wp_info_choice_print(const json_t *choice, const char *indent)
{
    if (json_is_null(choice))
        return;
    const json_t *found = json_object_get(choice, "found"), *entry;
    const char *why_not = text(choice, "reason"), *file = text(choice, "file");
    size_t i;
    json_array_foreach (found, i, entry)
        print_entry(entry, indent);
    if (*why_not)
        printf("%schoice%s: the default scheme and variant (not probed: %s; 'bench --tune' probes "
               "it)\n", indent, json_array_size(found) ? " else" : "", why_not);
    else
        printf("%schoice%s: the fastest, probed on first use\n", indent,
               json_array_size(found) ? " else" : "");
    if (*file && (json_array_size(found) || !*why_not))
        printf("%s        stored in %s\n", indent, file);
}

// ---- plans ----

// Images of 8 and 16 bits are transformed without conversion before.
static enum wp_element type_of(const struct wp_image *image, const struct wp_file_facts *facts)
{
    const enum wp_stored stored = wp_image_stored(facts);
    return image->depth > 1 ? WP_ELEMENT_F32
           : stored == WP_STORED_U8  ? WP_ELEMENT_U8
           : stored == WP_STORED_U16 ? WP_ELEMENT_U16
                                     : WP_ELEMENT_F32;
}

static bool report(const struct wp_call *call, struct wp_transform *transform,
                   const struct wp_operand *image, const struct wp_operand *coefficients)
{
    static const char *const directions[] = {"forward", "inverse"};
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    json_t *result =
        call->common.json
            ? json_pack("{s:s, s:s, s:s, s:s, s:s}", "command", "info", "file",
                        call->argument[0], "transform", info->name, "backend", info->backend,
                        "device", info->device)
            : NULL;
    if (!result)
        printf("%s, %s on %s\n", info->name, info->backend, info->device);
    bool ok = true;
    for (int inverse = 0; inverse < 2 && ok; inverse++) {
        const char *plan = wp_transform_describe(transform, inverse, inverse ? coefficients : image,
                                                 inverse ? image : coefficients);
        ok = plan;
        if (ok && result)
            json_object_set_new(result, directions[inverse], json_string(plan));
        else if (ok)
            printf("%s:\n%s\n", directions[inverse], plan);
    }
    if (ok && result)
        wp_print_json(result);
    else
        json_decref(result);
    return ok;
}

enum wp_error wp_info_plan(const struct wp_call *call, const struct wp_volume_options *volume,
                           const struct wp_transform_params *given)
{
    struct wp_transform_params params = *given;
    enum wp_chosen_by by;
    struct wp_file_facts facts = {0};
    struct wp_read_params read = wp_run_read_params(volume);
    size_t nonfinite;
    params.struct_size = sizeof params;
    read.facts = &facts;
    wp_progress("reading %s", call->argument[0]);
    struct wp_image *image = wp_image_read_with(call->argument[0], &read, &nonfinite);
    wp_progress_clear();
    struct wp_transform *transform =
        image ? wp_run_create(&params, image, WP_FORWARD, nonfinite, &by) : NULL;
    const bool ok =
        transform &&
        report(call, transform, &(struct wp_operand){.type = type_of(image, &facts)}, NULL);
    wp_transform_destroy(&transform);
    wp_image_destroy(&image);
    return ok ? WP_ERROR_NONE : wp_last_error();
}

enum wp_error wp_info_array_plan(const struct wp_call *call, const char *axes,
                                 const struct wp_transform_params *given)
{
    struct wp_transform_params params = *given;
    struct wp_array_shape shape;
    struct wp_npy_info info;
    enum wp_chosen_by by;
    params.struct_size = sizeof params;
    if (!wp_npy_peek(call->argument[0], &info) ||
        !wp_array_shape_set(&shape, &info, axes, call->argument[0]))
        return wp_last_error();
    wp_array_shape_size(&shape, &params);
    const struct wp_image image = wp_array_shape_image(&shape);
    const struct wp_operand array = wp_array_shape_operand(&shape, WP_ELEMENT_F32, NULL);
    struct wp_transform *transform = wp_run_create(&params, &image, WP_FORWARD, 0, &by);
    const bool ok = transform && report(call, transform, &array, &array);
    wp_transform_destroy(&transform);
    return ok ? WP_ERROR_NONE : wp_last_error();
}

// ---- files ----

// The range of finite values; low > high if there are none.
struct range {
    double low, high;
};

struct file_report {
    const char *path;
    struct wp_file_facts facts;
    struct wp_image *image; // NULL if the file was read row by row
    struct wp_image shape;  // the image without samples
    size_t nonfinite;
    struct range range;
    bool described; // the file is coefficients with metadata
    struct wp_sidecar sidecar;
};

static void add_to_range(struct range *range, const float *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double value = (double)samples[i];
        if (isfinite(value)) {
            range->low = fmin(range->low, value);
            range->high = fmax(range->high, value);
        }
    }
}

static bool has_values(const struct file_report *r)
{
    return r->range.low <= r->range.high;
}

// True if the file stores integers that were scaled to 0..1 when it was read.
static bool has_stored_range(const struct file_report *r)
{
    return r->facts.maximum > 0 && has_values(r);
}

static double stored(const struct file_report *r, double value)
{
    return round(value * r->facts.maximum);
}

// The word of --values for integers without a scale in the file; else NULL.
static const char *values_of(const struct file_report *r)
{
    const bool integers = r->facts.type[0] == 'u' || r->facts.type[0] == 'i';
    return !integers || r->facts.slope != 0 ? NULL
                                            : wp_values_names[r->facts.maximum > 0 ? WP_VALUES_UNIT
                                                                                   : WP_VALUES_RAW];
}

static void print_values(const struct file_report *r)
{
    if (has_values(r))
        printf("values:      %.7g..%.7g", r->range.low, r->range.high);
    else
        printf("values:      no finite value");
    if (has_stored_range(r))
        printf(", stored as %.0f..%.0f", stored(r, r->range.low), stored(r, r->range.high));
    else if (values_of(r))
        printf(", as stored");
    if (r->facts.slope != 0)
        printf(", %.7g times the stored value plus %.7g", r->facts.slope, r->facts.intercept);
    if (r->nonfinite)
        printf(", %zu not finite", r->nonfinite);
    printf("\n");
}

static void print_affine(const struct wp_geometry *g)
{
    double affine[3][4];
    char letters[WP_ORIENTATION_SIZE];
    if (!wp_geometry_affine(g, affine))
        return;
    printf("orientation: %s\n", wp_geometry_orientation(g, letters));
    for (int i = 0; i < 3; i++)
        printf("%-11s %10.6g %10.6g %10.6g %10.6g\n",
               i > 0 ? "" : g->sform_code ? "affine (s):" : "affine (q):",
               affine[i][0], affine[i][1], affine[i][2], affine[i][3]);
}

static void print_geometry(const struct file_report *r)
{
    const struct wp_geometry *g = &r->shape.geometry;
    if (g->has_size)
        printf("voxel:       %.7g x %.7g x %.7g mm\n", g->size[0], g->size[1], g->size[2]);
    print_affine(g);
    if (!g->frames)
        return;
    printf("frames:      %d", r->shape.depth);
    if (g->rate[0] > 0)
        printf(", %d/%d per second, %.5g s", g->rate[0], g->rate[1],
               (double)r->shape.depth * g->rate[1] / g->rate[0]);
    printf("\n");
}

static void print_coefficients(const struct wp_sidecar *s)
{
    printf("transform:   %s%s, %d level%s",
           s->description.bank == WP_BANK_STARLET ? "B3 spline" : s->wavelet_name,
           s->description.reversible ? " reversible"
           : s->description.adjoint  ? " adjoint"
                                     : "",
           s->description.levels, WP_PLURAL(s->description.levels));
    if (s->description.size[WP_Z] > 1)
        printf(", %d along z%s", s->description.levels_z,
               s->description.decomposition == WP_DECOMPOSITION_DYADIC ? "" : " separately");
    if (s->gop)
        printf(", groups of %d", s->gop);
    for (int f = 0; f < WP_FIELD_COUNT; f++)
        if (WP_FIELD_SET_COEFFICIENTS >> f & 1 &&
            !(WP_FIELD_SET_OPTIONAL >> f & 1 &&
              wp_field_get(&s->description, (enum wp_field)f) == 0))
            printf(", %s %s", wp_fields[f].name,
                   wp_field_word(&s->description, (enum wp_field)f));
    const struct wp_description d = wp_sidecar_description(s);
    struct wp_text packets = {0};
    wp_best_tree_add_summary(&d, &packets);
    printf("%s\n", wp_text_get(&packets));
    wp_text_free(&packets);
    if (s->tree[0])
        printf("tree:        %s\n", s->tree);
}

static void print_text(const struct file_report *r)
{
    const struct wp_image *image = &r->shape;
    printf("%s\nformat:      %s%s\nsize:        %dx%d", r->path, r->facts.format,
           r->facts.zipped ? ", gzip" : "", image->width, image->height);
    if (image->depth > 1)
        printf("x%d", image->depth);
    printf("\nkind:        %s%s\nplanes:      %d%s\n", image->depth > 1 ? "volume" : "image",
           r->described ? ", coefficients" : "", image->planes,
           image->alpha ? ", the last one alpha" : "");
    if (r->facts.type[0])
        printf("samples:     %s\n", r->facts.type);
    print_values(r);
    print_geometry(r);
    if (r->described)
        print_coefficients(&r->sidecar);
}

static json_t *json_numbers(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, wp_json_number(values[i]));
    return list;
}

static json_t *json_geometry(const struct wp_geometry *g)
{
    double affine[3][4];
    char letters[WP_ORIENTATION_SIZE];
    json_t *rows = wp_geometry_affine(g, affine) ? json_array() : NULL;
    for (int i = 0; i < 3 && rows; i++)
        json_array_append_new(rows, json_numbers(affine[i], 4));
    const char *from = g->sform_code ? "sform" : g->qform_code ? "qform" : NULL;
    wp_geometry_orientation(g, letters);
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o}",                                    //
                     "voxel_size", g->has_size ? json_numbers(g->size, 3) : json_null(),  //
                     "orientation", wp_json_text(letters[0] ? letters : NULL),            //
                     "affine", rows ? rows : json_null(),                                 //
                     "affine_from", wp_json_text(from),                                   //
                     "frames", g->frames,                                                 //
                     "frame_rate",
                     g->rate[0] > 0 ? json_pack("[i, i]", g->rate[0], g->rate[1])
                                    : json_null());
}

static json_t *json_coefficients(const struct wp_sidecar *s)
{
    json_t *result = json_pack("{s:o, s:i, s:i, s:i}",                        //
                               "wavelet", wp_json_text(s->description.bank == WP_BANK_STARLET
                                                           ? NULL : s->wavelet_name), //
                               "levels", s->description.levels,               //
                               "levels_z", s->description.levels_z,           //
                               "gop", s->gop);
    wp_sidecar_add_fields(result, &s->description, WP_FIELD_SET_COMPUTED);
    const struct wp_description d = wp_sidecar_description(s);
    wp_best_tree_add_json(&d, result);
    if (s->description.reversible) {
        json_object_set_new(result, "reversible", json_true());
        json_object_set_new(result, "stored", json_string(wp_stored_names[s->stored]));
    }
    if (s->description.adjoint)
        json_object_set_new(result, "adjoint", json_true());
    return result;
}

static json_t *json_range(bool known, double low, double high)
{
    const double ends[] = {low, high};
    return known ? json_numbers(ends, 2) : json_null();
}

static void print_json(const struct file_report *r)
{
    const struct wp_image *image = &r->shape;
    const struct wp_file_facts *facts = &r->facts;
    json_t *scale = facts->slope != 0 ? json_pack("{s:o, s:o}", "slope",
                                                  wp_json_number(facts->slope), "intercept",
                                                  wp_json_number(facts->intercept))
                                      : json_null();
    wp_print_json(json_pack(
        "{s:s, s:o, s:s, s:b, s:s, s:i, s:i, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o,"
        " s:o}",
        "command", "info",                                                                       //
        "file", wp_json_text(r->path),                                                           //
        "format", facts->format,                                                                 //
        "gzip", facts->zipped,                                                                   //
        "kind", image->depth > 1 ? "volume" : "image",                                           //
        "width", image->width,                                                                   //
        "height", image->height,                                                                 //
        "depth", image->depth,                                                                   //
        "planes", image->planes,                                                                 //
        "alpha", image->alpha,                                                                   //
        "type", wp_json_text(facts->type[0] ? facts->type : NULL),                               //
        "values", wp_json_text(values_of(r)),                                                    //
        "range", json_range(has_values(r), r->range.low, r->range.high),                         //
        "stored_range",
        json_range(has_stored_range(r), stored(r, r->range.low), stored(r, r->range.high)), //
        "scale", scale,                                                                     //
        "nonfinite", (json_int_t)r->nonfinite,                                              //
        "geometry", json_geometry(&image->geometry),                                        //
        "coefficients", r->described ? json_coefficients(&r->sidecar) : json_null()));
}

static bool read_image(struct file_report *r, const struct wp_coefficients_params *params)
{
    r->image = wp_coefficients_read(r->path, params, &r->sidecar, &r->described, &r->nonfinite);
    if (!r->image)
        return false;
    r->shape = *r->image;
    for (int p = 0; p < r->image->planes; p++)
        add_to_range(&r->range, r->image->plane[p], wp_image_samples(r->image));
    return true;
}

static bool read_rows(struct file_report *r, struct wp_lines *lines)
{
    const struct wp_rows_info *info = wp_lines_info(lines);
    const size_t count = (size_t)info->width * (size_t)info->planes;
    struct wp_value_counts counts = {0};
    float *row = wp_allocate(count, sizeof *row, "a row");
    bool ok = row;
    r->shape = wp_rows_shape(info);
    r->described = wp_lines_sidecar(lines);
    if (r->described)
        r->sidecar = *wp_lines_sidecar(lines);
    for (int y = 0; y < info->height && ok; y++) {
        ok = wp_lines_read(lines, false, row);
        if (ok)
            wp_count_values(&counts, &info->origin, row, count);
        if (ok)
            add_to_range(&r->range, row, count);
        wp_progress("reading %s: %d of %d rows", r->path, y + 1, info->height);
    }
    free(row);
    if (ok)
        wp_warn_of_values(&counts, r->path);
    r->nonfinite = counts.nonfinite;
    return ok;
}

// Reads the file, row by row if the image exceeds the memory limit.
static bool read_file(struct file_report *r, const struct wp_coefficients_params *params,
                      const char *memory)
{
    struct wp_memory_limit limit;
    struct wp_lines *lines = NULL;
    const char *why;
    bool rows = false;
    bool ok = wp_memory_limit(memory, &limit) &&
              wp_lines_open(r->path, &params->read, true, &lines, &why);
    if (ok && lines) {
        const struct wp_image shape = wp_rows_shape(wp_lines_info(lines));
        ok = wp_memory_choose(&limit, wp_memory_of_image(&shape), r->path, NULL, &rows);
    }
    ok = ok && (rows ? read_rows(r, lines) : read_image(r, params));
    wp_lines_close(&lines);
    if (ok && !rows && limit.given)
        ok = wp_memory_choose(&limit, wp_memory_of_image(&r->shape), r->path, why, &rows);
    return ok;
}

// ---- arrays ----

// An NPY that is no image or volume, or coefficients of axes of an array.
static bool is_array(const char *path, struct wp_npy_info *info, struct wp_sidecar *sidecar)
{
    bool found = false;
    char *metadata = wp_sidecar_path(path);
    wp_begin_attempt();
    const char *dot = strrchr(path, '.');
    const bool named = dot && strcasecmp(dot, ".npy") == 0;
    const bool read = metadata && named && wp_npy_peek(path, info) && !info->is_complex;
    const bool described =
        read && wp_sidecar_read(metadata, sidecar, &found) && found && sidecar->array.rank > 0;
    wp_end_attempt();
    wp_clear_error();
    free(metadata);
    if (read && !described)
        sidecar->array.rank = 0;
    return read && (described || info->axes == 1 || info->axes > 4 ||
                    (info->axes == 4 && info->shape[3] > WP_IMAGE_MAX_PLANES));
}

static void print_array(const struct file_report *r, const struct wp_npy_info *info)
{
    printf("%s\nformat:      NPY\nshape:       (", r->path);
    for (int a = 0; a < info->axes; a++)
        printf("%s%zu", a ? ", " : "", info->shape[a]);
    printf(info->axes == 1 ? ",)\nkind:        array" : ")\nkind:        array");
    if (r->described) {
        struct wp_text axes = {0};
        wp_array_shape_add(&r->sidecar.array, &axes);
        printf(", coefficients of %s", wp_text_get(&axes));
        wp_text_free(&axes);
    }
    printf("\nsamples:     %s\n", info->type);
    print_values(r);
    if (r->described)
        print_coefficients(&r->sidecar);
}

static void print_array_json(const struct file_report *r, const struct wp_npy_info *info)
{
    json_t *shape = json_array(), *coefficients = r->described ? json_coefficients(&r->sidecar)
                                                               : json_null();
    for (int a = 0; a < info->axes; a++)
        json_array_append_new(shape, json_integer((json_int_t)info->shape[a]));
    if (r->described)
        wp_array_shape_pack(&r->sidecar.array, coefficients);
    wp_print_json(json_pack("{s:s, s:o, s:s, s:s, s:o, s:s, s:o, s:I, s:o}",                    //
                            "command", "info",                                                   //
                            "file", wp_json_text(r->path),                                       //
                            "format", "NPY",                                                     //
                            "kind", "array",                                                     //
                            "shape", shape,                                                      //
                            "type", info->type,                                                  //
                            "range", json_range(has_values(r), r->range.low, r->range.high),     //
                            "nonfinite", (json_int_t)r->nonfinite,                               //
                            "coefficients", coefficients));
}

static bool report_array(struct file_report *r, bool json)
{
    struct wp_npy_info info;
    struct wp_npy *npy = wp_npy_read(r->path, &info);
    size_t count = 1;
    for (int a = 0; npy && a < info.axes; a++)
        count *= info.shape[a];
    const enum wp_element type = r->described && r->sidecar.wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32;
    void *values = npy ? wp_allocate_pages(count, wp_elements[type].bytes, r->path) : NULL;
    if (values)
        wp_npy_get_as(npy, type, values);
    const bool ok =
        values && (!r->described ||
                   r->sidecar.hash == wp_coefficients_hash_array(values, type, count) ||
                   wp_sidecar_mismatch(r->path));
    if (ok) {
        // The range is that of floats, which are not larger.
        wp_npy_get(npy, values);
        add_to_range(&r->range, values, count);
        for (size_t i = 0; i < count; i++)
            r->nonfinite += isfinite(((const float *)values)[i]) ? 0 : 1;
    }
    wp_npy_destroy(&npy);
    free(values);
    wp_progress_clear();
    if (ok)
        (json ? print_array_json : print_array)(r, &info);
    return ok;
}

enum wp_error wp_info_file(const struct wp_call *call, const struct wp_volume_options *volume,
                           const char *memory)
{
    struct file_report r = {.path = call->argument[0], .range = {INFINITY, -INFINITY}};
    struct wp_coefficients_params params = {.read = wp_run_read_params(volume)};
    struct wp_npy_info array;
    params.read.facts = &r.facts;
    wp_progress("reading %s", r.path);
    if (!volume->raw && is_array(r.path, &array, &r.sidecar)) {
        r.described = r.sidecar.array.rank > 0;
        return report_array(&r, call->common.json) ? WP_ERROR_NONE : wp_last_error();
    }
    const bool ok = read_file(&r, &params, memory);
    wp_progress_clear();
    if (ok && call->common.json)
        print_json(&r);
    else if (ok)
        print_text(&r);
    wp_image_destroy(&r.image);
    return ok ? WP_ERROR_NONE : wp_last_error();
}
