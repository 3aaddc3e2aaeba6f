#include "report_passes.h"

#include "emit.h"
#include "json_value.h"
#include "log.h"
#include "output.h"
#include "report_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The plan is run twice: for the range of all values, then for the files.
struct dump {
    const struct wp_plan *plan;
    const char *directory;
    bool overwrite;
    int number;   // of the next stage
    double range; // the largest size of a value, or inf
    json_t *stages;
};

static bool measure(void *user, const struct wp_stage *stage)
{
    struct dump *dump = user;
    const size_t count =
        (size_t)stage->domain.width * (size_t)stage->domain.height * WP_COMPONENTS;
    for (size_t i = 0; i < count; i++)
        dump->range = fmax(dump->range, fabs((double)stage->quads[i]));
    return true;
}

// "DIR/04_level2_pass1.npy".
static void add_path(const struct dump *dump, const struct wp_op *op, const char *suffix,
                     struct wp_text *path)
{
    wp_text_clear(path);
    wp_text_add(path, "%s/%02d_", dump->directory, dump->number);
    if (!op)
        wp_text_add(path, "input");
    else if (op->kind == WP_OP_PASS)
        wp_text_add(path, "level%d_pass%d", op->level, op->pass + 1);
    else
        wp_text_add(path, "level%d_%s", op->level, op->kind == WP_OP_GATHER ? "gather" : "spread");
    wp_text_add(path, ".%s", suffix);
}

// What stands in a path behind the directory.
static json_t *file_name(const struct dump *dump, const struct wp_text *path)
{
    return json_string(wp_text_get(path) + strlen(dump->directory) + 1);
}

static bool write_values(const struct dump *dump, const struct wp_stage *stage, const char *path)
{
    const struct wp_rect *domain = &stage->domain;
    struct wp_image *image = wp_image_create(domain->width, domain->height, WP_COMPONENTS, false);
    if (!image)
        return false;
    const size_t count = (size_t)domain->width * (size_t)domain->height;
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < WP_COMPONENTS; c++)
            image->plane[c][i] = stage->quads[WP_COMPONENTS * i + (size_t)c];
    const bool ok = wp_image_write(image, path,
                                   &(struct wp_write_params){.overwrite = dump->overwrite,
                                                             .content = WP_CONTENT_COEFFICIENTS});
    wp_image_destroy(&image);
    return ok;
}

struct wp_image *wp_report_stage_picture(const struct wp_stage *stage, double range,
                                         bool apart)
{
    const struct wp_rect *domain = &stage->domain;
    struct wp_image *image = wp_image_create(2 * domain->width, 2 * domain->height, 1, false);
    if (!image)
        return NULL;
    const double scale = range > 0.0 ? 0.5 / range : 0.0;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const int column = apart ? x % domain->width : x / 2;
            const int row = apart ? y % domain->height : y / 2;
            const int c = apart ? x / domain->width + y / domain->height * 2 : x % 2 + y % 2 * 2;
            const size_t quad = (size_t)row * (size_t)domain->width + (size_t)column;
            const double value = (double)stage->quads[WP_COMPONENTS * quad + (size_t)c];
            image->plane[0][(size_t)y * (size_t)image->width + (size_t)x] =
                (float)(0.5 + scale * value);
        }
    }
    return image;
}

static bool write_picture(const struct dump *dump, const struct wp_stage *stage, const char *path)
{
    struct wp_image *image = wp_report_stage_picture(stage, dump->range, false);
    const bool ok = image &&
                    wp_image_write(image, path,
                                   &(struct wp_write_params){.overwrite = dump->overwrite});
    wp_image_destroy(&image);
    return ok;
}

static bool write_shader(const struct dump *dump, const struct wp_op *op, const char *path)
{
    struct wp_text shader = {0};
    wp_emit_fragment_pass(op->scheme, op->pass, &shader);
    const bool ok = wp_output_text(path, dump->overwrite, wp_text_get(&shader));
    wp_text_free(&shader);
    return ok;
}

// Coefficients that later operations leave alone, and in the inverse the image.
static bool is_result(const struct wp_plan *plan, const struct wp_op *op)
{
    return op && op->kind == WP_OP_PASS && op->pass == op->scheme->pass_count - 1 &&
           (plan->description.direction == WP_FORWARD || op->level == 1);
}

static bool write_stage(void *user, const struct wp_stage *shown)
{
    struct dump *dump = user;
    const struct wp_op *op = shown->op;
    const bool pass = op && op->kind == WP_OP_PASS;
    struct wp_text path = {0};
    json_t *stage = json_object();
    json_array_append_new(dump->stages, stage);
    wp_report_stage_name(&path, op);
    json_object_set_new(stage, "name", json_string(wp_text_get(&path)));
    json_object_set_new(stage, "input", dump->number ? json_integer(dump->number - 1)
                                                     : json_null());
    json_object_set_new(stage, "barrier_before", json_boolean(dump->number > 1));
    json_object_set_new(stage, "result", json_boolean(is_result(dump->plan, op)));
    add_path(dump, op, "npy", &path);
    json_object_set_new(stage, "values", file_name(dump, &path));
    bool ok = write_values(dump, shown, wp_text_get(&path));
    add_path(dump, op, "png", &path);
    json_object_set_new(stage, "picture", file_name(dump, &path));
    ok = ok && write_picture(dump, shown, wp_text_get(&path));
    // Where the first quad of the file lies: passes also compute what later ones read beyond
    // the image.
    json_object_set_new(stage, "x", json_integer(shown->domain.x));
    json_object_set_new(stage, "y", json_integer(shown->domain.y));
    if (op) {
        json_object_set_new(stage, "level", json_integer(op->level));
        json_object_set_new(stage, "ms", wp_json_number(1e3 * shown->seconds));
    }
    if (pass) {
        json_t *facts = wp_report_json_pass(op->scheme, op->pass);
        add_path(dump, op, "glsl", &path);
        json_object_set_new(stage, "shader", file_name(dump, &path));
        ok = ok && write_shader(dump, op, wp_text_get(&path));
        json_object_update(stage, facts);
        json_decref(facts);
    }
    dump->number++;
    wp_text_free(&path);
    return ok;
}

static bool write_index(const struct dump *dump)
{
    struct wp_text path = {0}, text = {0};
    const struct wp_description *d = &dump->plan->description;
    wp_text_add(&path, "%s/index.json", dump->directory);
    json_t *index = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:o, s:O}", "scheme",
        dump->plan->op[0].scheme->name, "direction",
        wp_direction_names[d->direction], "border", wp_border_names[d->border], "norm",
        wp_norm_names[d->norm], "backend", "reference",
        "levels", d->levels, "width", d->size[WP_X], "height", d->size[WP_Y], "range",
        wp_json_number(dump->range), "stages", dump->stages);
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

static bool dump_plan(const struct wp_plan *plan, const float *plane, struct dump *dump)
{
    dump->plan = plan;
    return wp_reference_watch(plan, plane, measure, dump) &&
           wp_report_make_directory(dump->directory) &&
           wp_reference_watch(plan, plane, write_stage, dump) && write_index(dump);
}

bool wp_report_passes(const struct wp_report_params *params, const struct wp_image *image)
{
    struct dump dump = {.directory = params->directory,
                        .overwrite = params->overwrite,
                        .stages = json_array()};
    struct wp_plan *plan = wp_report_plan(params, image);
    const bool ok = plan && dump_plan(plan, image->plane[0], &dump);
    wp_plan_destroy(&plan);
    json_decref(dump.stages);
    return ok;
}
