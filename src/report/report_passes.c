#include "report_passes.h"

#include "emit.h"
#include "json_value.h"
#include "log.h"
#include "output.h"
#include "report_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The passes are run twice: for the range of all values, then for the files.
struct dump {
    const struct wp_description *description;
    char scheme[96]; // its name
    const char *directory;
    bool overwrite;
    int number;   // of the next stage
    double range; // the largest size of a value, or inf
    json_t *stages;
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

// "DIR/04_level2_pass1.npy".
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

// What stands in a path behind the directory.
static json_t *file_name(const struct dump *dump, const struct wp_text *path)
{
    return json_string(wp_text_get(path) + strlen(dump->directory) + 1);
}

// Slices of texels: of octets the even and the odd one of each layer.
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

// Slices of a picture, `across` of them in a row.
struct canvas {
    struct wp_image *image;
    int width, height; // of a slice
    int across;
    double scale;
};

static void draw_slice(const struct canvas *canvas, int slice, const struct wp_lesson_state *state,
                       int layer, int odd, bool apart)
{
    const int left = canvas->width * (slice % canvas->across);
    const int top = canvas->height * (slice / canvas->across);
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            const int columns = canvas->width / 2, rows = canvas->height / 2;
            const int column = apart ? x % columns : x / 2, row = apart ? y % rows : y / 2;
            const int c = apart ? x / columns + y / rows * 2 : x % 2 + y % 2 * 2;
            const int at[] = {state->low[WP_X] + column, state->low[WP_Y] + row, layer};
            const double value = wp_lesson_value(state, c + odd * WP_COMPONENTS, at);
            canvas->image->plane[0][(size_t)(top + y) * (size_t)canvas->image->width +
                                    (size_t)(left + x)] = (float)(0.5 + canvas->scale * value);
        }
    }
}

struct wp_image *wp_report_step_picture(const struct wp_lesson_state *state, double range,
                                         bool apart, int layer)
{
    const int parities = state->components / WP_COMPONENTS;
    const int first = apart ? layer : state->low[WP_Z];
    const int layers = apart ? 1 : state->extent[WP_Z], slices = parities * layers;
    struct canvas canvas = {.width = 2 * state->extent[WP_X],
                            .height = 2 * state->extent[WP_Y],
                            .across = apart ? slices : (int)ceil(sqrt(slices)),
                            .scale = range > 0.0 ? 0.5 / range : 0.0};
    canvas.image = wp_image_create(canvas.width * canvas.across,
                                   canvas.height * ((slices + canvas.across - 1) / canvas.across),
                                   1, false);
    // Zero where there is no slice.
    const size_t count = canvas.image ? wp_image_samples(canvas.image) : 0;
    for (size_t i = 0; i < count; i++)
        canvas.image->plane[0][i] = 0.5F;
    for (int slice = 0; slice < slices && canvas.image; slice++)
        draw_slice(&canvas, slice, state, first + slice / parities, slice % parities, apart);
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

// Coefficients that later operations leave alone, and in the inverse the image.
static bool is_result(const struct dump *dump, const struct wp_lesson_state *state)
{
    return state->step == WP_LESSON_PASS && state->pass == state->scheme->pass_count - 1 &&
           (dump->description->direction == WP_FORWARD || state->level == 1);
}

static bool write_pass(const struct dump *dump, const struct wp_lesson_state *shown,
                       json_t *state)
{
    struct wp_text path = {0};
    json_t *facts = wp_report_json_pass(shown->scheme, shown->pass);
    bool ok = true;
    if (shown->components == WP_COMPONENTS) {
        add_path(dump, shown, "glsl", &path);
        json_object_set_new(state, "shader", file_name(dump, &path));
        ok = write_shader(dump, shown, wp_text_get(&path));
    }
    json_object_update(state, facts);
    json_decref(facts);
    wp_text_free(&path);
    return ok;
}

static bool write_stage(void *user, const struct wp_lesson_state *shown)
{
    static const char *const axes[WP_DIMS_MAX] = {"x", "y", "z"};
    struct dump *dump = user;
    struct wp_text path = {0};
    json_t *state = json_object();
    json_array_append_new(dump->stages, state);
    wp_lesson_state_name(&path, shown);
    json_object_set_new(state, "name", json_string(wp_text_get(&path)));
    json_object_set_new(state, "input", dump->number ? json_integer(dump->number - 1)
                                                     : json_null());
    json_object_set_new(state, "barrier_before", json_boolean(dump->number > 1));
    json_object_set_new(state, "result", json_boolean(is_result(dump, shown)));
    add_path(dump, shown, "npy", &path);
    json_object_set_new(state, "values", file_name(dump, &path));
    bool ok = write_values(dump, shown, wp_text_get(&path));
    add_path(dump, shown, "png", &path);
    json_object_set_new(state, "picture", file_name(dump, &path));
    ok = ok && write_picture(dump, shown, wp_text_get(&path));
    // Where the first quad or octet of the file lies: passes also compute what later ones read
    // beyond the image.
    for (int a = 0; a < (shown->components == WP_COMPONENTS ? 2 : 3); a++)
        json_object_set_new(state, axes[a], json_integer(shown->low[a]));
    if (shown->step != WP_LESSON_INPUT) {
        json_object_set_new(state, "level", json_integer(shown->level));
        json_object_set_new(state, "ms", wp_json_number(1e3 * shown->seconds));
    }
    ok = ok && (shown->step != WP_LESSON_PASS || write_pass(dump, shown, state));
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
        wp_json_number(dump->range), "stages", dump->stages);
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
    const struct wp_description description = wp_report_describe(params, image);
    struct dump dump = {.description = &description,
                        .directory = params->directory,
                        .overwrite = params->overwrite,
                        .stages = json_array()};
    const bool ok = wp_lesson_run(&description, image, NULL, measure, &dump) &&
                    wp_report_make_directory(dump.directory) &&
                    wp_lesson_run(&description, image, NULL, write_stage, &dump) &&
                    write_index(&dump);
    json_decref(dump.stages);
    return ok;
}
