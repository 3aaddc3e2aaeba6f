#include "explain_passes.h"

#include "backend.h"
#include "command.h"
#include "emit.h"
#include "image.h"
#include "log.h"
#include "output.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The plan is run twice: for the range of all values, then for the files.
struct dump {
    const char *directory;
    bool overwrite;
    int number;   // of the next stage
    double range; // the largest size of a value, or inf
    json_t *stages;
};

static bool measure(void *user, const struct wp_op *op, const struct wp_rect *domain,
                    const float *quads)
{
    (void)op;
    struct dump *dump = user;
    const size_t count = (size_t)domain->width * (size_t)domain->height * WP_COMPONENTS;
    for (size_t i = 0; i < count; i++)
        dump->range = fmax(dump->range, fabs((double)quads[i]));
    return true;
}

static void add_path(const struct dump *dump, const char *suffix, struct wp_text *path)
{
    wp_text_clear(path);
    wp_text_add(path, "%s/%02d_%s.%s", dump->directory, dump->number,
                dump->number ? "pass" : "input", suffix);
}

// What stands in a path behind the directory.
static json_t *file_name(const struct dump *dump, const struct wp_text *path)
{
    return json_string(wp_text_get(path) + strlen(dump->directory) + 1);
}

static bool write_values(const struct dump *dump, const struct wp_rect *domain,
                         const float *quads, const char *path)
{
    struct wp_image *image = wp_image_create(domain->width, domain->height, WP_COMPONENTS, false);
    if (!image)
        return false;
    const size_t count = (size_t)domain->width * (size_t)domain->height;
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < WP_COMPONENTS; c++)
            image->plane[c][i] = quads[WP_COMPONENTS * i + (size_t)c];
    const bool ok = wp_image_write(image, path,
                                   &(struct wp_write_params){.overwrite = dump->overwrite,
                                                             .content = WP_CONTENT_COEFFICIENTS});
    wp_image_destroy(&image);
    return ok;
}

static bool write_picture(const struct dump *dump, const struct wp_rect *domain,
                          const float *quads, const char *path)
{
    struct wp_image *image = wp_image_create(2 * domain->width, 2 * domain->height, 1, false);
    if (!image)
        return false;
    const double scale = dump->range > 0.0 ? 0.5 / dump->range : 0.0;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const size_t quad = (size_t)(y / 2) * (size_t)domain->width + (size_t)(x / 2);
            const double value = (double)quads[WP_COMPONENTS * quad + (size_t)(x % 2 + y % 2 * 2)];
            image->plane[0][(size_t)y * (size_t)image->width + (size_t)x] =
                (float)(0.5 + scale * value);
        }
    }
    const bool ok = wp_image_write(image, path,
                                   &(struct wp_write_params){.overwrite = dump->overwrite});
    wp_image_destroy(&image);
    return ok;
}

static bool write_text(const char *path, bool overwrite, const char *text)
{
    struct wp_output *output = wp_output_open(path, overwrite);
    if (!output)
        return false;
    fputs(text, wp_output_stream(output));
    return wp_output_commit(&output);
}

static bool write_shader(const struct dump *dump, const struct wp_op *op, const char *path)
{
    struct wp_text shader = {0};
    wp_emit_fragment_pass(op->scheme, op->pass, &shader);
    const bool ok = write_text(path, dump->overwrite, wp_text_get(&shader));
    wp_text_free(&shader);
    return ok;
}

static bool write_stage(void *user, const struct wp_op *op, const struct wp_rect *domain,
                        const float *quads)
{
    struct dump *dump = user;
    struct wp_text path = {0};
    json_t *stage = json_object();
    json_array_append_new(dump->stages, stage);
    add_path(dump, "npy", &path);
    json_object_set_new(stage, "values", file_name(dump, &path));
    bool ok = write_values(dump, domain, quads, wp_text_get(&path));
    add_path(dump, "png", &path);
    json_object_set_new(stage, "picture", file_name(dump, &path));
    ok = ok && write_picture(dump, domain, quads, wp_text_get(&path));
    // Where the first quad of the file lies: passes also compute what later ones read beyond
    // the image.
    json_object_set_new(stage, "x", json_integer(domain->x));
    json_object_set_new(stage, "y", json_integer(domain->y));
    if (op) {
        const struct wp_pass *pass = &op->scheme->pass[op->pass];
        add_path(dump, "glsl", &path);
        json_object_set_new(stage, "shader", file_name(dump, &path));
        ok = ok && write_shader(dump, op, wp_text_get(&path));
        json_object_set_new(stage, "input", json_integer(dump->number - 1));
        json_object_set_new(stage, "barrier_before", json_boolean(dump->number > 1));
        json_object_set_new(stage, "label", json_string(pass->label));
        json_object_set_new(stage, "reads", json_integer(pass->reach.fetches));
        json_object_set_new(stage, "multiply_adds", json_integer(wp_pass_operations(pass)));
    }
    dump->number++;
    wp_text_free(&path);
    return ok;
}

static bool write_index(const struct dump *dump, const char *scheme)
{
    struct wp_text path = {0};
    wp_text_add(&path, "%s/index.json", dump->directory);
    json_t *index = json_pack("{s:s, s:s, s:o, s:O}", "scheme", scheme, "backend", "reference",
                              "range", wp_json_number(dump->range), "stages", dump->stages);
    char *text = json_dumps(index, JSON_INDENT(2));
    const bool ok = text ? write_text(wp_text_get(&path), dump->overwrite, text)
                         : wp_fail(WP_ERROR_INTERNAL, "%s has no text (out of memory)",
                                   wp_text_get(&path));
    free(text);
    json_decref(index);
    wp_text_free(&path);
    return ok;
}

static bool make_directory(const char *directory)
{
    if (mkdir(directory, 0777) == 0 || errno == EEXIST)
        return true;
    return wp_fail(WP_ERROR_FILE, "cannot make directory %s (%s)", directory, strerror(errno));
}

static bool run_and_write(const struct wp_plan *plan, const float *plane, struct dump *dump)
{
    return wp_reference_watch(plan, plane, measure, dump) && make_directory(dump->directory) &&
           wp_reference_watch(plan, plane, write_stage, dump) &&
           write_index(dump, plan->op[0].scheme->name);
}

bool wp_explain_passes(const struct wp_explain_params *params, const char *input,
                       const char *directory, bool overwrite)
{
    struct wp_image *image = wp_image_read(input);
    if (!image)
        return false;
    wp_image_to_gray(image);
    struct wp_plan *plan = wp_plan_create(&(struct wp_plan_params){
        .wavelet = params->wavelet,
        .kind = params->kind ? params->kind : &wp_scheme_kinds[WP_SCHEME_NONSEP_POLYCONVOLUTION],
        .form = params->form,
        .norm = params->norm,
        .border = params->wavelet->symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PERIODIC
                                                                : WP_BORDER_SYMMETRIC,
        .levels = 1,
        .width = image->width,
        .height = image->height,
    });
    struct dump dump = {.directory = directory, .overwrite = overwrite, .stages = json_array()};
    const bool ok = plan && run_and_write(plan, image->plane[0], &dump);
    json_decref(dump.stages);
    wp_plan_destroy(&plan);
    wp_image_destroy(&image);
    return ok;
}
