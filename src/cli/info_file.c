#include "info_file.h"

#include "coefficients.h"
#include "geometry.h"
#include "file_lines.h"
#include "memory.h"
#include "memory_limit.h"
#include "run.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Of finite values; low above high where there is none.
struct range {
    double low, high;
};

struct told {
    const char *path;
    struct wp_file_facts facts;
    struct wp_image *image; // NULL where it was read in rows
    struct wp_image shape;  // without samples
    size_t nonfinite;
    struct range range;
    bool described; // as coefficients
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

static bool has_values(const struct told *t)
{
    return t->range.low <= t->range.high;
}

// Integers that were divided were whole.
static bool has_stored_range(const struct told *t)
{
    return t->facts.maximum > 0 && has_values(t);
}

static double stored(const struct told *t, double value)
{
    return round(value * t->facts.maximum);
}

// Of integers without a scale in the file; else NULL.
static const char *values_of(const struct told *t)
{
    const bool integers = t->facts.type[0] == 'u' || t->facts.type[0] == 'i';
    return !integers || t->facts.slope != 0 ? NULL
                                            : wp_values_names[t->facts.maximum > 0 ? WP_VALUES_UNIT
                                                                                   : WP_VALUES_RAW];
}

static void print_values(const struct told *t)
{
    if (has_values(t))
        printf("values:      %.7g..%.7g", t->range.low, t->range.high);
    else
        printf("values:      no finite value");
    if (has_stored_range(t))
        printf(", stored as %.0f..%.0f", stored(t, t->range.low), stored(t, t->range.high));
    else if (values_of(t))
        printf(", as stored");
    if (t->facts.slope != 0)
        printf(", %.7g times the stored value plus %.7g", t->facts.slope, t->facts.intercept);
    if (t->nonfinite)
        printf(", %zu not finite", t->nonfinite);
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

static void print_geometry(const struct told *t)
{
    const struct wp_geometry *g = &t->shape.geometry;
    if (g->has_size)
        printf("voxel:       %.7g x %.7g x %.7g mm\n", g->size[0], g->size[1], g->size[2]);
    print_affine(g);
    if (!g->frames)
        return;
    printf("frames:      %d", t->shape.depth);
    if (g->rate[0] > 0)
        printf(", %d/%d a second, %.5g s", g->rate[0], g->rate[1],
               (double)t->shape.depth * g->rate[1] / g->rate[0]);
    printf("\n");
}

static void print_coefficients(const struct wp_sidecar *s)
{
    printf("made by:     %s%s, %d level%s", s->wavelet_name, s->reversible ? " reversible" : "",
           s->levels, WP_PLURAL(s->levels));
    if (s->depth > 1)
        printf(", %d along z%s", s->levels_z,
               s->decomposition == WP_DECOMPOSITION_DYADIC ? "" : " separately");
    if (s->gop)
        printf(", groups of %d", s->gop);
    printf(", border %s, norm %s, layout %s\n", wp_border_names[s->border], wp_norm_names[s->norm],
           wp_layout_names[s->layout]);
}

static void print_text(const struct told *t)
{
    const struct wp_image *image = &t->shape;
    printf("%s\nformat:      %s%s\nsize:        %dx%d", t->path, t->facts.format,
           t->facts.zipped ? ", gzip" : "", image->width, image->height);
    if (image->depth > 1)
        printf("x%d", image->depth);
    printf("\nkind:        %s%s\nplanes:      %d%s\n", image->depth > 1 ? "volume" : "image",
           t->described ? ", coefficients" : "", image->planes,
           image->alpha ? ", the last one alpha" : "");
    if (t->facts.type[0])
        printf("samples:     %s\n", t->facts.type);
    print_values(t);
    print_geometry(t);
    if (t->described)
        print_coefficients(&t->sidecar);
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
    json_t *result = json_pack("{s:o, s:i, s:i, s:s, s:i, s:s, s:s, s:s}",     //
                               "wavelet", wp_json_text(s->wavelet_name),      //
                               "levels", s->levels, "levels_z", s->levels_z,  //
                               "decomposition", wp_decomposition_names[s->decomposition],
                               "gop", s->gop,                                 //
                               "border", wp_border_names[s->border],          //
                               "norm", wp_norm_names[s->norm],                //
                               "layout", wp_layout_names[s->layout]);
    if (s->reversible) {
        json_object_set_new(result, "reversible", json_true());
        json_object_set_new(result, "stored", json_string(wp_stored_names[s->stored]));
    }
    return result;
}

static json_t *json_range(bool known, double low, double high)
{
    const double ends[] = {low, high};
    return known ? json_numbers(ends, 2) : json_null();
}

static void print_json(const struct told *t)
{
    const struct wp_image *image = &t->shape;
    const struct wp_file_facts *facts = &t->facts;
    json_t *scale = facts->slope != 0 ? json_pack("{s:o, s:o}", "slope",
                                                  wp_json_number(facts->slope), "intercept",
                                                  wp_json_number(facts->intercept))
                                      : json_null();
    wp_print_json(json_pack(
        "{s:s, s:o, s:s, s:b, s:s, s:i, s:i, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}",
        "command", "info",                                                                       //
        "file", wp_json_text(t->path),                                                           //
        "format", facts->format,                                                                 //
        "gzip", facts->zipped,                                                                   //
        "kind", image->depth > 1 ? "volume" : "image",                                           //
        "width", image->width,                                                                   //
        "height", image->height,                                                                 //
        "depth", image->depth,                                                                   //
        "planes", image->planes,                                                                 //
        "alpha", image->alpha,                                                                   //
        "type", wp_json_text(facts->type[0] ? facts->type : NULL),                               //
        "values", wp_json_text(values_of(t)),                                                    //
        "range", json_range(has_values(t), t->range.low, t->range.high),                         //
        "stored_range",
        json_range(has_stored_range(t), stored(t, t->range.low), stored(t, t->range.high)), //
        "scale", scale,                                                                     //
        "nonfinite", (json_int_t)t->nonfinite,                                              //
        "geometry", json_geometry(&image->geometry),                                        //
        "coefficients", t->described ? json_coefficients(&t->sidecar) : json_null()));
}

static bool read_whole(struct told *t, const struct wp_coefficients_params *params)
{
    t->image = wp_coefficients_read(t->path, params, &t->sidecar, &t->described, &t->nonfinite);
    if (!t->image)
        return false;
    t->shape = *t->image;
    for (int p = 0; p < t->image->planes; p++)
        add_to_range(&t->range, t->image->plane[p], wp_image_samples(t->image));
    return true;
}

static bool read_rows(struct told *t, struct wp_lines *lines)
{
    const struct wp_rows_info *info = wp_lines_info(lines);
    const size_t count = (size_t)info->width * (size_t)info->planes;
    struct wp_value_counts counts = {0};
    float *row = wp_allocate(count, sizeof *row, "a row");
    bool ok = row;
    t->shape = (struct wp_image){.width = info->width, .height = info->height, .depth = 1,
                                 .planes = info->planes, .alpha = info->alpha,
                                 .origin = info->origin};
    t->described = wp_lines_sidecar(lines);
    if (t->described)
        t->sidecar = *wp_lines_sidecar(lines);
    for (int y = 0; y < info->height && ok; y++) {
        ok = wp_lines_read(lines, false, row);
        if (ok)
            wp_count_values(&counts, &info->origin, row, count);
        if (ok)
            add_to_range(&t->range, row, count);
        wp_progress("reading %s: %d of %d rows", t->path, y + 1, info->height);
    }
    free(row);
    if (ok)
        wp_warn_of_values(&counts, t->path);
    t->nonfinite = counts.nonfinite;
    return ok;
}

// In rows where the whole would take too much memory.
static bool read_file(struct told *t, const struct wp_coefficients_params *params,
                      const char *memory)
{
    struct wp_memory_limit limit;
    struct wp_lines *lines = NULL;
    const char *why;
    bool rows = false;
    bool ok = wp_memory_limit(memory, &limit) &&
              wp_lines_open(t->path, &params->read, true, &lines, &why);
    if (ok && lines) {
        const struct wp_rows_info *info = wp_lines_info(lines);
        ok = wp_memory_choose(&limit, wp_memory_of_image(info->width, info->height, info->planes),
                              t->path, NULL, &rows);
    }
    ok = ok && (rows ? read_rows(t, lines) : read_whole(t, params));
    wp_lines_close(&lines);
    if (ok && !rows && limit.given)
        ok = wp_memory_choose(&limit,
                              t->shape.depth * wp_memory_of_image(t->shape.width, t->shape.height,
                                                               t->shape.planes),
                              t->path, why, &rows);
    return ok;
}

enum wp_error wp_info_file(const struct wp_call *call, const struct wp_volume_options *volume,
                           const char *memory)
{
    struct told t = {.path = call->argument[0], .range = {INFINITY, -INFINITY}};
    struct wp_coefficients_params params = {.read = wp_run_read_params(volume)};
    params.read.facts = &t.facts;
    wp_progress("reading %s", t.path);
    const bool ok = read_file(&t, &params, memory);
    wp_progress_clear();
    if (ok && call->common.json)
        print_json(&t);
    else if (ok)
        print_text(&t);
    wp_image_destroy(&t.image);
    return ok ? WP_ERROR_NONE : wp_last_error();
}
