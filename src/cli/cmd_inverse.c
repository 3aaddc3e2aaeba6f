#include "flow.h"
#include "command.h"
#include "elements.h"
#include "image.h"
#include "rows_write.h"
#include "transform.h"
#include "wavepass.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct wp_flow_options flow; // the first member
    const char *depth, *region, *axes;
    int level;
};

static const char *const depths[] = {"8", "16"};

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "IMAGE",
     .help = "image file: .png, .npy, .tiff, .pfm or .exr; for volumes .npy, .nii, .nii.gz, .tiff, "
             ".y4m, or one image per slice: frame-%04d.png; - writes NPY to stdout",
     .offset = offsetof(struct options, flow.output)},
    {.name = "depth",
     .kind = WP_OPTION_WORD,
     .value = "BITS",
     .help = "bits of a .png (default 8)",
     .offset = offsetof(struct options, depth),
     .words = depths,
     .word_count = 2},
    {.name = "region",
     .kind = WP_OPTION_TEXT,
     .value = "X,Y,W,H",
     .help = "decode only this rectangle, from the coefficients it depends on; in pixels of the "
             "level's image",
     .offset = offsetof(struct options, region)},
    {.name = "level",
     .kind = WP_OPTION_INT,
     .value = "N",
     .help = "decode the low-pass image of level N, at 1/2^N size; 0 is the image",
     .offset = offsetof(struct options, level),
     .minimum = 0,
     .maximum = WP_MAX_LEVELS},
    WP_OPTIONS(struct options, axes, wp_options_axes),
    WP_OPTIONS(struct options, flow.changed, wp_options_changed),
    WP_OPTIONS(struct options, flow, wp_options_flow),
    {0},
};

static struct wp_write_params write_params(const struct options *o)
{
    return (struct wp_write_params){
        .overwrite = o->flow.force,
        .content = WP_CONTENT_PICTURE,
        .depth = o->depth && strcmp(o->depth, "16") == 0 ? 16 : 8,
    };
}

static bool has_region(const struct options *o)
{
    return o->region || o->level > 0;
}

static bool check_region(const struct wp_call *call, const struct options *o)
{
    if (!has_region(o))
        return true;
    if (wp_batch_is_many(call, o->flow.output))
        return wp_fail(WP_ERROR_USAGE, "--region and --level are for one file, not for a folder");
    if (o->flow.volume.raw || o->flow.volume.volume)
        return wp_fail(WP_ERROR_USAGE, "--region and --level are for images; --raw and --volume "
                                       "are not");
    return (!o->region || wp_region_parse(o->region, &(struct wp_region){0})) &&
           wp_run_by_cpu(&o->flow.transform, "a region");
}

static bool check_output(const struct wp_flow *f)
{
    const struct options *o = f->options;
    if (o->depth && !wp_flow_is_png(f->output))
        return wp_fail(WP_ERROR_USAGE, "--depth is for .png; %s is written in 32-bit float",
                       f->output);
    const struct wp_write_params params = write_params(o);
    return wp_image_write_check(f->output, 1, &params);
}

// NULL, or why the coefficients cannot be processed in row strips.
static const char *unfit_for_strips(const struct wp_flow *f)
{
    const struct options *o = f->options;
    if (!f->single)
        return "several files are processed as a whole";
    if (!wp_rows_can_write(f->output))
        return "only .npy, .tiff and .pfm are written in row strips";
    return wp_row_pipeline_unfit(&o->flow.transform);
}

// Opens the tile store if the coefficients are to be processed in row strips. False after an error.
static bool choose_strips(struct wp_flow *f)
{
    const struct options *o = f->options;
    struct wp_sidecar sidecar;
    bool found = false, strips = false;
    char *path = wp_sidecar_path(f->input);
    bool ok = wp_memory_limit(o->flow.memory, &f->limit);
    // Errors of the metadata are reported when the coefficients are opened.
    wp_begin_attempt();
    found = ok && path && wp_sidecar_read(path, &sidecar, &found) && found;
    wp_end_attempt();
    free(path);
    if (ok && found && sidecar.description.size[WP_Z] == 1) {
        const struct wp_image shape = wp_sidecar_shape(&sidecar);
        struct wp_transform_params params = *f->params;
        params.bank = wp_bank_names[sidecar.description.bank];
        params.levels = sidecar.description.levels;
        const double bytes = wp_run_memory(&params, &shape);
        const char *why = unfit_for_strips(f);
        if (f->limit.bytes > 0 && bytes > f->limit.bytes && !why)
            ok = wp_open_coefficient_tiles(&f->from, f->input, f->params, o->flow.changed,
                                           &f->strips.store, &why);
        ok = ok && wp_memory_choose(&f->limit, bytes, f->input, why, &strips);
        if (!strips)
            wp_tile_store_close(&f->strips.store);
    }
    if (strips) {
        f->kind = WP_FLOW_STRIPS;
        f->params = &f->from.params;
    }
    return ok;
}

static bool read_coefficients(struct wp_flow *f)
{
    const struct options *o = f->options;
    if (o->axes || wp_array_pipeline_applies(f->input))
        return wp_array_pipeline_open(f, o->axes);
    if (!check_output(f))
        return false;
    if (has_region(o)) {
        f->kind = WP_FLOW_REGION;
        return wp_region_run(f, o->region, o->level);
    }
    if (!choose_strips(f))
        return false;
    if (f->kind == WP_FLOW_STRIPS)
        return true;
    const bool sliced = f->single && wp_slices_can_write(f->output, WP_CONTENT_PICTURE);
    const bool ok = wp_open_coefficients(f, sliced ? &f->groups.from : NULL, &f->image);
    f->kind = f->groups.from ? WP_FLOW_GROUPS : WP_FLOW_IMAGE;
    return ok;
}

// True if the transform writes integer pixels. False for reversible transforms, whose samples are
// checked first, for images with another peak, whose samples are scaled, and for volumes.
static bool is_pixel_output(const struct wp_flow *f)
{
    return wp_flow_is_png(f->output) && !f->params->reversible && f->image->depth == 1 &&
           f->image->origin.peak == 1;
}

// Converts the alpha plane, which is not transformed, to pixels.
static void write_alpha(const struct wp_image *from, const struct wp_image *to)
{
    const int alpha = from->planes - 1;
    for (size_t y = 0; y < (size_t)from->height && from->alpha; y++)
        wp_operand_write(&wp_element_rows, &to->pixels,
                        (ptrdiff_t)y * to->pixels.stride[1] + alpha * to->pixels.stride[WP_PLANE],
                        wp_image_row(from, alpha, y, false, NULL), false, from->width);
}

// The coefficients, which the image replaces if it is as large.
static float *coefficients_of(const struct wp_flow *f)
{
    return (f->coefficients ? f->coefficients : f->image)->plane[0];
}

static bool transform_to_pixels(struct wp_flow *f)
{
    const struct wp_image *from = f->image;
    const enum wp_element type =
        write_params(f->options).depth == 8 ? WP_ELEMENT_U8 : WP_ELEMENT_U16;
    struct wp_image *to = wp_image_create_pixels(from->width, from->height, from->planes,
                                                 from->alpha, type, 0);
    if (!to)
        return false;
    to->pixels.lost = &f->lost;
    const bool ok = wp_transform_inverse(
        f->transform, WP_ARRAY(coefficients_of(f)), &to->pixels);
    if (ok)
        write_alpha(from, to);
    to->geometry = from->geometry;
    to->origin = from->origin;
    wp_image_destroy(&f->image);
    f->image = to;
    return ok;
}

// Creates an image of the size in the metadata if the coefficients are more than the samples. Alpha
// begins at their first row and column.
static bool make_image(struct wp_flow *f)
{
    const struct wp_sidecar *s = &f->from.sidecar;
    if (!f->from.has_sidecar || !wp_description_is_expansive(&s->description))
        return true;
    const struct wp_image *from = f->coefficients = f->image;
    f->image = wp_image_create_volume(s->description.size[WP_X], s->description.size[WP_Y],
                                      s->description.size[WP_Z], from->planes, from->alpha);
    if (!f->image)
        return false;
    f->image->origin = from->origin;
    f->image->geometry = from->geometry;
    const size_t width = (size_t)f->image->width;
    const int alpha = from->planes - 1;
    for (size_t y = 0; y < (size_t)f->image->height && from->alpha; y++)
        memcpy(f->image->plane[alpha] + y * width,
               from->plane[alpha] + y * (size_t)from->width, width * sizeof(float));
    return true;
}

static bool transform_planes(struct wp_flow *f)
{
    const int planes = wp_image_colour_planes(f->image);
    wp_progress("transforming %d plane%s", planes, WP_PLURAL(planes));
    if (is_pixel_output(f) ? !transform_to_pixels(f)
                        : !wp_transform_inverse(f->transform, WP_ARRAY(coefficients_of(f)),
                                                WP_ARRAY(f->image->plane[0])))
        return false;
    f->seconds.transform = wp_run_done(f->transform);
    return true;
}

// Sets the integer type of the output of a reversible transform: the type of the original image;
// for .png the bits of --depth, if it is given. False if a sample does not fit.
static bool set_integer_type(struct wp_flow *f, struct wp_write_params *params)
{
    const struct options *o = f->options;
    const char *output = f->output;
    params->stored = f->from.sidecar.stored;
    if (wp_flow_is_png(output)) {
        if (!o->depth)
            params->depth = params->stored == WP_STORED_U8 ? 8 : 16;
        params->stored = params->depth == 8 ? WP_STORED_U8 : WP_STORED_U16;
    }
    if (!wp_image_check_integers(f->image, output, params->stored))
        return false;
    if (wp_flow_is_png(output)) {
        wp_integer_samples_scale(f->image, params->depth == 8 ? 1 / 255.0 : 1 / 65535.0, false);
        f->image->origin.peak = 1;
    }
    return true;
}

static bool write_image(struct wp_flow *f)
{
    struct wp_write_params params = write_params(f->options);
    if (f->params->reversible && !set_integer_type(f, &params))
        return false;
    return wp_flow_write_image(f, &params);
}

static bool write_array(struct wp_flow *f)
{
    const struct wp_array_shape *shape = &f->array.shape;
    struct wp_output *none = NULL;
    wp_progress("writing %s", f->output);
    return wp_npy_write(f->output, ((const struct options *)f->options)->flow.force, shape->rank,
                        shape->extent, f->array.type, f->array.to, &none);
}

static void add_json(const struct wp_flow *f, json_t *result)
{
    const bool named = f->from.has_sidecar || f->kind == WP_FLOW_REGION;
    json_object_set_new(result, "files",
                        json_pack("{s:o, s:o}", "image", wp_json_text(f->output), "sidecar",
                                  wp_json_text(named ? f->from.sidecar_path : NULL)));
}

// Transforms the image in memory.
static bool inverse_image(struct wp_flow *f)
{
    const struct wp_write_params params = write_params(f->options);
    if (!wp_image_write_check_volume(f->output, f->image->planes, f->image->depth,
                                     &params))
        return false;
    if (f->params->reversible &&
        !wp_image_check_integers(f->image, f->from.path, WP_STORED_FLOAT))
        return false;
    return make_image(f) && wp_flow_create(f) && transform_planes(f);
}

static bool inverse_groups(struct wp_flow *f)
{
    struct wp_flow_groups *g = &f->groups;
    const struct wp_write_params params = write_params(f->options);
    struct wp_slices_info info = *wp_slices_info(g->from);
    if (f->from.has_sidecar) {
        info.geometry = f->from.sidecar.geometry;
        info.origin = f->from.sidecar.origin;
    }
    g->to = wp_slices_create(f->output, &info, &params);
    if (!g->to || !wp_gop_pipeline_run(f) ||
        !wp_coefficients_check_slices(f->from.path, &f->from.read, &f->from.sidecar, g->from) ||
        !wp_slices_commit(&g->to, NULL))
        return false;
    wp_gop_pipeline_log(f);
    return true;
}

static const struct wp_flow_command command = {
    .size = sizeof(struct wp_flow),
    .direction = WP_INVERSE,
    .read = read_coefficients,
    .steps = {[WP_FLOW_IMAGE] = {inverse_image, write_image},
              [WP_FLOW_GROUPS] = {.compute = inverse_groups},
              [WP_FLOW_STRIPS] = {.compute = wp_row_pipeline_inverse},
              [WP_FLOW_REGION] = {NULL, write_image},
              [WP_FLOW_ARRAY] = {wp_array_pipeline_run, write_array}},
    .add_json = add_json,
};

static enum wp_error run(const struct wp_call *call)
{
    struct options o = *(const struct options *)call->options;
    if (!o.flow.suffix && wp_batch_is_many(call, o.flow.output))
        o.flow.suffix = ".png";
    return wp_batch_check(call, "-o image.png", false) && check_region(call, &o)
               ? wp_batch_run(call, &command, &o)
               : wp_last_error();
}

const struct wp_command wp_command_inverse = {
    .name = "inverse",
    .alias = "inv",
    .summary = "wavelet coefficients to an image",
    .arguments = "COEFFS... -o IMAGE",
    .description =
        "Reconstructs an image from the coefficients that 'forward' wrote, with the parameters in "
        "the metadata file COEFFS.json. Contradictory options are errors, and so are coefficients "
        "that no longer match the metadata, unless --ignore-changes is given. Without a metadata "
        "file, -l is required, and every option of 'forward' that was not the default. Any scheme "
        "and backend can be used: all compute the same image.\n\n"
        "COEFFS is a NPY, NPZ, TIFF, NIfTI or PFM file, or - for NPY from stdin. A NPZ contains "
        "its metadata; without metadata, for example cA3, cH3, cV3, cD3, … of PyWavelets written "
        "by numpy.savez(), it requires only -w. Clips stored in groups (--gop) are written group "
        "by group to .npy, .nii, .y4m and frame-%04d.png; frame numbers start at 1, as in ffmpeg. "
        "A .png holds values of 0..1; others are clamped and reported.\n\n"
        "Images larger than --memory (default: a quarter of RAM) are processed in row strips on "
        "the cpu backend, to .npy, .tiff or .pfm, with the same result.\n\n"
        "--region decodes one rectangle from a .npy or a .tiff that 'forward --tile' wrote, and "
        "reads only the coefficients it depends on; --level N decodes the low-pass image at 1/2^N "
        "size, with the gain of the norm. Coefficients that are not read are not verified.\n\n"
        "Coefficients of axes of an array (forward --axes) become a .npy of its shape; the metadata "
        "has the axes, and --axes is only needed without it.\n\n"
        "--adjoint computes W^T, the transposed matrix of the forward transform W that the metadata "
        "describe, also of coefficients of W. Those of 'forward --adjoint' need no option.\n\n"
        "With several inputs, or if -o ends in '/', IMAGE is a folder, as in 'forward'; the "
        "default --suffix is .png.",
    .examples = "wavepass inverse c.npy -o photo.png\n"
                "wavepass inverse c.npy -o photo.tiff -s sep-lifting -b reference\n"
                "wavepass inverse c.npy --adjoint -o back.npy\n"
                "wavepass forward photo.png -o - | wavepass inverse - -l 3 -o again.png\n"
                "wavepass inverse coefficients/*.npy -o images/ --suffix .tiff\n"
                "wavepass inverse c.tiff -o part.png --region 4096,2048,1024,768\n"
                "wavepass inverse c.npy -o head.nii.gz\n"
                "wavepass inverse c.npy -o clip.y4m\n"
                "wavepass inverse c.npy -o frame-%04d.png",
    .arguments_min = 1,
    .arguments_max = WP_ARGUMENTS_ANY,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
