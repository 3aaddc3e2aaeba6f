#include "report_internal.h"

#include "lesson.h"
#include "channel.h"
#include "emit.h"
#include "json_value.h"
#include "log.h"
#include "output.h"
#include "plan.h"
#include "reference.h"
#include "suggest.h"
#include "wavepass.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum wp_border wp_report_border_of(const struct wp_report_params *params)
{
    const int found = wp_name_index(params->input.border, wp_border_names, WP_BORDER_COUNT);
    if (found >= 0)
        return (enum wp_border)found;
    return params->explain.wavelet->symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PERIODIC
                                                                 : WP_BORDER_SYMMETRIC;
}

static struct wp_description describe(const struct wp_report_params *params,
                                      enum wp_direction direction)
{
    const struct wp_explain_params *explain = &params->explain;
    const int *size = params->size, requested = params->input.levels;
    struct wp_description d = {
        .wavelet = explain->wavelet,
        .kind = wp_explain_kind(explain),
        .form = explain->form,
        .direction = direction,
        .norm = explain->norm,
        .border = wp_report_border_of(params),
        // A volume of one slice has size 1 along z, an image 0.
        .size = {size[WP_X], size[WP_Y], wp_explain_dims(explain) == 3 ? size[WP_Z] : 0},
    };
    // At least 1, so that the check of the description rejects an image without levels.
    const int most = wp_description_levels_fit(&d, WP_X);
    const int most_z = wp_description_levels_fit(&d, WP_Z);
    d.levels = requested == 0                                ? 1
               : requested != WP_LEVELS_MOST ? requested : most > 0 ? most : 1;
    d.levels_z = size[WP_Z] <= 1 ? 0 : d.levels < most_z ? d.levels : most_z;
    return d;
}

struct wp_description wp_report_describe(const struct wp_report_params *params)
{
    return describe(params, params->explain.direction);
}

// Sets the number of dimensions according to the file.
static bool resolve_axes(struct wp_report_params *params, const struct wp_image *image)
{
    struct wp_explain_params *explain = &params->explain;
    const bool planar = explain->kind && explain->kind->fusion == WP_FUSE_PLANE;
    if (image->depth == 1 && planar && !params->input.volume)
        return wp_fail(WP_ERROR_USAGE, "scheme '%s' is for volumes, but %s is an image",
                       explain->kind->name,
                       params->input.image);
    if (image->depth > 1)
        explain->dims = 3;
    return true;
}

// Copies the three planes, without alpha.
static struct wp_image *copy_colour(const struct wp_image *image)
{
    struct wp_image *copy =
        wp_image_create_volume(image->width, image->height, image->depth, WP_COLOURS, false);
    for (int p = 0; p < WP_COLOURS && copy; p++)
        memcpy(copy->plane[p], image->plane[p], wp_image_samples(image) * sizeof(float));
    if (copy)
        copy->origin = image->origin;
    return copy;
}

// Reduces the image to the plane to transform, and copies all three planes to `colour` if it is not
// NULL and pictures are in color.
static bool select_channel(const struct wp_report_input *input, struct wp_image *image,
                           struct wp_image **colour)
{
    const bool in_colour = wp_image_colour_planes(image) == WP_COLOURS;
    enum wp_channel channel = WP_CHANNEL_RGB;
    if (input->channel && !wp_channel_find(input->channel, &channel))
        return false;
    if (channel != WP_CHANNEL_RGB)
        return wp_image_select_channel(image, channel, input->image);
    if (input->channel && !wp_channel_check(channel, wp_image_colour_planes(image), input->image))
        return false;
    if (input->channel && !colour)
        return wp_fail(WP_ERROR_USAGE, "the arithmetic needs one channel, not rgb"
                                       "\nhint: channel 'luma'");
    if (in_colour && colour && !(*colour = copy_colour(image)))
        return false;
    wp_image_to_gray(image);
    return true;
}

// Replaces an image by its coefficients, which may be more than its samples.
static bool make_coefficients(const struct wp_report_params *params, struct wp_image **image)
{
    const struct wp_description d = describe(params, WP_FORWARD);
    const struct wp_execute execute = {.backend = &wp_backend_reference};
    if (!wp_description_check(&d))
        return false;
    struct wp_image *samples = *image;
    const int planes = samples->planes == WP_COLOURS ? WP_COLOURS : 1;
    struct wp_image *coefficients = wp_image_create_volume(
        wp_description_extent(&d, WP_X), wp_description_extent(&d, WP_Y),
        wp_description_extent(&d, WP_Z), planes, false);
    if (!coefficients)
        return false;
    coefficients->origin = samples->origin;
    *image = coefficients;
    const bool ok = wp_execute(&execute, &d, planes, (const float *const *)samples->plane,
                               coefficients->plane);
    wp_image_destroy(&samples);
    return ok;
}

struct wp_image *wp_report_read(struct wp_report_params *params, struct wp_image **colour)
{
    struct wp_read_params read = params->input.read;
    read.volume = wp_explain_dims(&params->explain) == 3 ? WP_VOLUME_YES : WP_VOLUME_EITHER;
    size_t nonfinite;
    struct wp_image *planes = NULL;
    struct wp_image *image = wp_image_read_with(params->input.image, &read, &nonfinite);
    bool ok = image && resolve_axes(params, image) &&
              select_channel(&params->input, image, colour ? &planes : NULL);
    if (ok)
        memcpy(params->size, (const int[]){image->width, image->height, image->depth},
               sizeof params->size);
    if (ok && params->explain.direction == WP_INVERSE)
        ok = make_coefficients(params, &image) && (!planes || make_coefficients(params, &planes));
    if (!ok) {
        wp_image_destroy(&image);
        wp_image_destroy(&planes);
    }
    if (colour)
        *colour = planes;
    return image;
}

// The state of the output. The passes are run twice: for the range of all values, then for the
// files.
struct dump {
    const struct wp_description *description;
    char scheme[96]; // its name
    const char *directory;
    bool overwrite;
    int number;   // of the next step
    double range; // largest absolute value, or infinity
    json_t *steps;
};

static size_t groups_of(const struct wp_lesson_state *state)
{
    return (size_t)state->extent[WP_X] * (size_t)state->extent[WP_Y] * (size_t)state->extent[WP_Z];
}

double wp_report_step_range(const struct wp_lesson_state *state)
{
    const size_t count = groups_of(state) * (size_t)state->components;
    double range = 0.0;
    for (size_t i = 0; i < count; i++)
        range = fmax(range, fabs((double)state->values[i]));
    return range;
}

static bool measure(void *user, const struct wp_lesson_state *state)
{
    struct dump *dump = user;
    dump->range = fmax(dump->range, wp_report_step_range(state));
    snprintf(dump->scheme, sizeof dump->scheme, "%s", state->scheme->name);
    return true;
}

// Composes "DIR/04_level2_pass1.npy".
static void add_path(const struct dump *dump, const struct wp_lesson_state *state,
                     const char *suffix, struct wp_text *path)
{
    wp_text_clear(path);
    wp_text_add(path, "%s/%02d_", dump->directory, dump->number);
    switch (state->step) {
    case WP_LESSON_INPUT: wp_text_add(path, "input"); break;
    case WP_LESSON_PASS:
        wp_text_add(path, "level%d_pass%d", state->level, state->pass + 1);
        break;
    default:
        wp_text_add(path, "level%d_%s", state->level,
                    state->step == WP_LESSON_GATHER ? "gather" : "spread");
        break;
    }
    wp_text_add(path, ".%s", suffix);
}

// The file name of a path without the directory.
static json_t *file_name(const struct dump *dump, const struct wp_text *path)
{
    return json_string(wp_text_get(path) + strlen(dump->directory) + 1);
}

// Writes slices of texels; for octets the even and the odd slice of each layer.
static bool write_values(const struct dump *dump, const struct wp_lesson_state *state,
                         const char *path)
{
    const int slices = state->components / WP_COMPONENTS, *extent = state->extent;
    struct wp_image *image = wp_image_create_volume(extent[WP_X], extent[WP_Y],
                                                    slices * extent[WP_Z], WP_COMPONENTS, false);
    if (!image)
        return false;
    const size_t layer = (size_t)extent[WP_X] * (size_t)extent[WP_Y];
    for (size_t i = 0; i < groups_of(state); i++) {
        for (int c = 0; c < state->components; c++) {
            const size_t slice = (size_t)slices * (i / layer) + (size_t)(c / WP_COMPONENTS);
            image->plane[c % WP_COMPONENTS][slice * layer + i % layer] =
                state->values[(size_t)state->components * i + (size_t)c];
        }
    }
    const bool ok = wp_image_write(image, path,
                                   &(struct wp_write_params){.overwrite = dump->overwrite,
                                                             .content = WP_CONTENT_COEFFICIENTS});
    wp_image_destroy(&image);
    return ok;
}

// A picture of slices, with `across` slices per row.
struct canvas {
    struct wp_image *image;
    int width, height; // of a slice
    int across;
    double scale;
};

static void draw_slice(const struct canvas *canvas, int slice, const struct wp_lesson_state *state,
                       int layer, int odd, bool by_component)
{
    const int left = canvas->width * (slice % canvas->across);
    const int top = canvas->height * (slice / canvas->across);
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            const int columns = canvas->width / 2, rows = canvas->height / 2;
            const int column = by_component ? x % columns : x / 2;
            const int row = by_component ? y % rows : y / 2;
            const int c = by_component ? x / columns + y / rows * 2 : x % 2 + y % 2 * 2;
            const int at[] = {state->low[WP_X] + column, state->low[WP_Y] + row, layer};
            const double value = wp_lesson_value(state, c + odd * WP_COMPONENTS, at);
            canvas->image->plane[0][(size_t)(top + y) * (size_t)canvas->image->width +
                                    (size_t)(left + x)] = (float)(0.5 + canvas->scale * value);
        }
    }
}

struct wp_image *wp_report_step_picture(const struct wp_lesson_state *state, double range,
                                         bool by_component, int layer)
{
    const int parities = state->components / WP_COMPONENTS;
    const int first = by_component ? layer : state->low[WP_Z];
    const int layers = by_component ? 1 : state->extent[WP_Z], slices = parities * layers;
    struct canvas canvas = {.width = 2 * state->extent[WP_X],
                            .height = 2 * state->extent[WP_Y],
                            .across = by_component ? slices : (int)ceil(sqrt(slices)),
                            .scale = range > 0.0 ? 0.5 / range : 0.0};
    canvas.image = wp_image_create(canvas.width * canvas.across,
                                   canvas.height * ((slices + canvas.across - 1) / canvas.across),
                                   1, false);
    // Zero in unused parts of the picture.
    const size_t count = canvas.image ? wp_image_samples(canvas.image) : 0;
    for (size_t i = 0; i < count; i++)
        canvas.image->plane[0][i] = 0.5F;
    for (int slice = 0; slice < slices && canvas.image; slice++)
        draw_slice(&canvas, slice, state, first + slice / parities, slice % parities, by_component);
    return canvas.image;
}

static bool write_picture(const struct dump *dump, const struct wp_lesson_state *state,
                          const char *path)
{
    struct wp_image *image = wp_report_step_picture(state, dump->range, false, 0);
    const bool ok = image &&
                    wp_image_write(image, path,
                                   &(struct wp_write_params){.overwrite = dump->overwrite});
    wp_image_destroy(&image);
    return ok;
}

static bool write_shader(const struct dump *dump, const struct wp_lesson_state *state,
                         const char *path)
{
    struct wp_text shader = {0};
    wp_emit_fragment_pass(state->scheme, state->pass, &shader);
    const bool ok = wp_output_text(path, dump->overwrite, wp_text_get(&shader));
    wp_text_free(&shader);
    return ok;
}

// Coefficients that later operations do not change, or the image of the inverse.
static bool is_result(const struct dump *dump, const struct wp_lesson_state *state)
{
    return state->step == WP_LESSON_PASS && state->pass == state->scheme->pass_count - 1 &&
           (dump->description->direction == WP_FORWARD || state->level == 1);
}

static bool write_pass(const struct dump *dump, const struct wp_lesson_state *state, json_t *object)
{
    struct wp_text path = {0};
    json_t *pass = wp_report_json_pass(state->scheme, state->pass);
    bool ok = true;
    if (state->components == WP_COMPONENTS) {
        add_path(dump, state, "glsl", &path);
        json_object_set_new(object, "shader", file_name(dump, &path));
        ok = write_shader(dump, state, wp_text_get(&path));
    }
    json_object_update(object, pass);
    json_decref(pass);
    wp_text_free(&path);
    return ok;
}

static bool write_step(void *user, const struct wp_lesson_state *state)
{
    static const char *const axes[WP_DIMS_MAX] = {"x", "y", "z"};
    struct dump *dump = user;
    struct wp_text path = {0};
    json_t *object = json_object();
    json_array_append_new(dump->steps, object);
    wp_lesson_state_name(&path, state);
    json_object_set_new(object, "name", json_string(wp_text_get(&path)));
    json_object_set_new(object, "input",
                        dump->number ? json_integer(dump->number - 1) : json_null());
    json_object_set_new(object, "barrier_before", json_boolean(dump->number > 1));
    json_object_set_new(object, "result", json_boolean(is_result(dump, state)));
    add_path(dump, state, "npy", &path);
    json_object_set_new(object, "values", file_name(dump, &path));
    bool ok = write_values(dump, state, wp_text_get(&path));
    add_path(dump, state, "png", &path);
    json_object_set_new(object, "picture", file_name(dump, &path));
    ok = ok && write_picture(dump, state, wp_text_get(&path));
    // The position of the first quad or octet of the file; passes also compute values outside the
    // image that later passes read.
    for (int a = 0; a < (state->components == WP_COMPONENTS ? 2 : 3); a++)
        json_object_set_new(object, axes[a], json_integer(state->low[a]));
    if (state->step != WP_LESSON_INPUT) {
        json_object_set_new(object, "level", json_integer(state->level));
        json_object_set_new(object, "ms", wp_json_number(1e3 * state->seconds));
    }
    ok = ok && (state->step != WP_LESSON_PASS || write_pass(dump, state, object));
    dump->number++;
    wp_text_free(&path);
    return ok;
}

static bool write_index(const struct dump *dump)
{
    struct wp_text path = {0}, text = {0};
    const struct wp_description *d = dump->description;
    wp_text_add(&path, "%s/index.json", dump->directory);
    json_t *index = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:o, s:O}", "scheme", dump->scheme, "direction",
        wp_direction_names[d->direction], "border", wp_border_names[d->border], "norm",
        wp_norm_names[d->norm], "backend", "reference",
        "levels", d->levels, "width", d->size[WP_X], "height", d->size[WP_Y], "range",
        wp_json_number(dump->range), "stages", dump->steps);
    if (d->size[WP_Z]) {
        json_object_set_new(index, "depth", json_integer(d->size[WP_Z]));
        json_object_set_new(index, "levels_z", json_integer(d->levels_z));
    }
    wp_report_json_print(index, &text);
    const bool ok = wp_output_text(wp_text_get(&path), dump->overwrite, wp_text_get(&text));
    wp_text_free(&path);
    wp_text_free(&text);
    return ok;
}

bool wp_report_make_directory(const char *directory)
{
    if (mkdir(directory, 0777) == 0 || errno == EEXIST)
        return true;
    return wp_fail(WP_ERROR_FILE, "cannot make directory %s (%s)", directory, strerror(errno));
}

bool wp_report_passes(const struct wp_report_params *params, const struct wp_image *image)
{
    const struct wp_description description = wp_report_describe(params);
    struct dump dump = {.description = &description,
                        .directory = params->directory,
                        .overwrite = params->overwrite,
                        .steps = json_array()};
    const bool ok = wp_lesson_run(&description, image, NULL, measure, &dump) &&
                    wp_report_make_directory(dump.directory) &&
                    wp_lesson_run(&description, image, NULL, write_step, &dump) &&
                    write_index(&dump);
    json_decref(dump.steps);
    return ok;
}

// ---- arithmetic of a sample ----

struct wp_trace *wp_report_trace(const struct wp_description *description,
                               const struct wp_image *image, const int position[WP_DIMS_MAX])
{
    const bool volume = description->size[WP_Z] > 0;
    if (volume && position[WP_Z] == WP_REPORT_NO_Z)
        wp_fail(WP_ERROR_USAGE, "a position in a volume has three coordinates\nhint: give X,Y,Z");
    else if (!volume && position[WP_Z] != WP_REPORT_NO_Z)
        wp_fail(WP_ERROR_USAGE, "a position in an image has two coordinates\nhint: give X,Y");
    else
        return wp_trace_create(description, image, position, 0);
    return NULL;
}

static json_t *make_position(const struct wp_trace *trace, const int at[WP_DIMS_MAX])
{
    json_t *position = json_array();
    for (int a = 0; a < trace->dims; a++)
        json_array_append_new(position, json_integer(at[a]));
    return position;
}

static json_t *make_value(const struct wp_trace *trace, double value)
{
    return wp_json_number(wp_trace_shown(trace, value));
}

static json_t *make_line(const struct wp_trace *trace, const struct wp_trace_line *line)
{
    enum { PARTS = 3 };
    struct wp_text part[PARTS] = {{0}};
    for (int i = 0; i < PARTS; i++)
        wp_trace_expression(trace, line, (enum wp_trace_part)i, &part[i]);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "component",
                  wp_explain_component(line->component, trace->dims), "name",
                  wp_text_get(&line->name), "formula", wp_text_get(&part[WP_TRACE_FORMULA]),
                  "expression", wp_text_get(&part[WP_TRACE_NUMBERS]), "question",
                  wp_text_get(&part[WP_TRACE_QUESTION]), "value", make_value(trace, line->value));
    for (int i = 0; i < PARTS; i++)
        wp_text_free(&part[i]);
    return object;
}

static json_t *make_step(const struct wp_trace *trace, const struct wp_trace_step *step)
{
    json_t *lines = json_array();
    for (int i = 0; i < step->lines; i++)
        json_array_append_new(lines, make_line(trace, &step->line[i]));
    json_t *object = json_pack("{s:s, s:o, s:o}", "name", wp_text_get(&step->name),
                               wp_explain_vocabulary(trace->dims)->group,
                               make_position(trace, step->at), "lines", lines);
    if (step->label.length) {
        json_object_set_new(object, "label", json_string(wp_text_get(&step->label)));
        json_object_set_new(object, "beyond", json_boolean(step->beyond));
    }
    return object;
}

json_t *wp_report_pixel(const struct wp_description *description, const struct wp_trace *trace)
{
    json_t *steps = json_array();
    for (int i = 0; i < trace->steps; i++)
        json_array_append_new(steps, make_step(trace, &trace->step[i]));
    json_t *result = json_pack("{s:s, s:s, s:o, s:o}", "name", wp_text_get(&trace->name), "meaning",
                               wp_text_get(&trace->meaning), "value",
                               make_value(trace, trace->value), "exact",
                               wp_json_number(trace->value));
    return json_pack("{s:s, s:s, s:s, s:o, s:f, s:o, s:o}", "scheme", trace->scheme, "direction",
                     wp_direction_names[trace->direction], "border",
                     wp_border_names[description->border], "pixel",
                     make_position(trace, trace->position), "unit", trace->unit, "stages", steps,
                     "result", result);
}
