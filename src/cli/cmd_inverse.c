#include "run.h"
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
#include <strings.h>
#include <unistd.h>

struct options {
    struct wp_transform_params transform;
    struct wp_volume_options volume;
    const char *output, *depth, *suffix, *region, *memory;
    int level;
    bool changed, force;
};

static const char *const depths[] = {"8", "16"};

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "IMAGE",
     .help = "image file: .png, .npy, .tiff, .pfm or .exr; for volumes .npy, .nii, .nii.gz, .tiff, "
             ".y4m, or one image per slice: frame-%04d.png; - writes NPY to stdout",
     .offset = offsetof(struct options, output)},
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
    {.name = "ignore-changes",
     .old = "changed",
     .kind = WP_OPTION_FLAG,
     .help = "accept coefficients that do not match COEFFS.json",
     .offset = offsetof(struct options, changed)},
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, transform, wp_options_reversible),
    WP_OPTIONS(struct options, transform, wp_options_layout),
    WP_OPTIONS(struct options, transform, wp_options_slices),
    WP_OPTIONS(struct options, volume, wp_options_volume),
    WP_OPTIONS(struct options, memory, wp_options_memory),
    WP_OPTIONS(struct options, transform, wp_options_backend),
    WP_OPTIONS(struct options, transform, wp_options_precision),
    WP_OPTIONS(struct options, suffix, wp_options_suffix),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// State that the jobs of a call share.
struct shared {
    struct options options;
    struct wp_transform_cache cache;
};

// The state for one file. end_job() frees its members, except `transform`.
struct job {
    struct wp_batch_item item;
    const struct wp_call *call;
    struct options file_options; // the call's options with this file's output
    const struct options *options;
    struct wp_transform_cache *cache;
    struct wp_coefficient_input from;
    struct wp_image *image; // the coefficients, then the reconstructed image
    struct wp_lost lost; // values that the integers of a .png cannot represent
    struct wp_transform *transform; // owned by the cache or a pipeline
    enum wp_chosen_by chosen_by; // how its scheme and variant were selected
    double seconds; // of all passes
    struct wp_gop_pipeline clip; // used instead of the image if `clip.from` is set
    struct wp_row_pipeline strips; // used instead of the image if `strips.store` is set
    struct wp_region_run region; // for --region and --level
};

static struct wp_write_params write_params(const struct options *o)
{
    return (struct wp_write_params){
        .overwrite = o->force,
        .content = WP_CONTENT_PICTURE,
        .depth = o->depth && strcmp(o->depth, "16") == 0 ? 16 : 8,
    };
}

static bool is_png(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".png") == 0;
}

static bool has_region(const struct options *o)
{
    return o->region || o->level > 0;
}

static bool check_region(const struct wp_call *call, const struct options *o)
{
    if (!has_region(o))
        return true;
    if (wp_batch_is_many(call, o->output))
        return wp_fail(WP_ERROR_USAGE, "--region and --level are for one file, not for a folder");
    if (o->volume.raw || o->volume.volume)
        return wp_fail(WP_ERROR_USAGE, "--region and --level are for images; --raw and --volume "
                                       "are not");
    return (!o->region || wp_region_parse(o->region, &(struct wp_region){0})) &&
           wp_run_by_cpu(&o->transform, "a region");
}

static bool check_options(const struct wp_call *call, const struct options *o)
{
    if (o->suffix && !wp_batch_is_many(call, o->output))
        return wp_fail(WP_ERROR_USAGE, "--suffix is for a folder\nhint: -o DIR/");
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o image.png");
    if (strcmp(o->output, "-") == 0 && call->common.json)
        return wp_fail(WP_ERROR_USAGE, "--json and -o - both write to stdout\nhint: -o FILE");
    return check_region(call, o);
}

static bool check_output(const struct options *o)
{
    if (o->depth && !is_png(o->output))
        return wp_fail(WP_ERROR_USAGE, "--depth is for .png; %s is written in 32-bit float",
                       o->output);
    const struct wp_write_params params = write_params(o);
    return wp_image_write_check(o->output, 1, &params);
}

// NULL, or why the coefficients cannot be processed in row strips.
static const char *unfit_for_strips(const struct job *j)
{
    const struct options *o = j->options;
    if (!j->item.single)
        return "several files are processed as a whole";
    if (!wp_rows_can_write(o->output))
        return "only .npy, .tiff and .pfm are written in row strips";
    return wp_row_pipeline_unfit(&o->transform);
}

// Opens the tile store if the coefficients are to be processed in row strips. False after an error.
static bool choose_strips(struct job *j)
{
    const struct options *o = j->options;
    struct wp_row_pipeline *s = &j->strips;
    struct wp_sidecar sidecar;
    bool found = false, strips = false;
    char *path = wp_sidecar_path(j->item.input);
    bool ok = wp_memory_limit(o->memory, &s->limit);
    // Errors of the metadata are reported when the coefficients are opened.
    wp_begin_attempt();
    found = ok && path && wp_sidecar_read(path, &sidecar, &found) && found;
    wp_end_attempt();
    free(path);
    if (ok && found && sidecar.description.size[WP_Z] == 1) {
        const double bytes = wp_memory_of_image(sidecar.description.size[WP_X],
                                                sidecar.description.size[WP_Y], sidecar.planes);
        const char *why = unfit_for_strips(j);
        if (s->limit.bytes > 0 && bytes > s->limit.bytes && !why)
            ok = wp_open_coefficient_tiles(&j->from, j->item.input, &o->transform, o->changed,
                                         &s->store, &why);
        ok = ok && wp_memory_choose(&s->limit, bytes, j->item.input, why, &strips);
        if (!strips)
            wp_tile_store_close(&s->store);
        if (!s->store)
            wp_close_coefficients(&j->from);
    }
    return ok;
}

static bool read_coefficients(struct job *j)
{
    const struct options *o = j->options;
    if (has_region(o))
        return wp_region_run(&j->region, &j->from, j->item.input, &o->transform, o->region,
                             o->level, &j->image);
    if (!choose_strips(j))
        return false;
    if (j->strips.store)
        return true;
    const bool sliced =
        j->item.single && wp_slices_can_write(o->output, WP_CONTENT_PICTURE);
    return wp_open_coefficients(&j->from, j->item.input, &o->transform, &o->volume, o->changed,
                             sliced ? &j->clip.from : NULL, &j->image);
}

// True if the transform writes integer pixels. False for reversible transforms, whose samples are
// checked first, for images with another peak, whose samples are scaled, and for volumes.
static bool is_pixel_output(const struct job *j)
{
    return is_png(j->options->output) && !j->from.params.reversible && j->image->depth == 1 &&
           j->image->origin.peak == 1;
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

static bool transform_to_pixels(struct job *j)
{
    const struct wp_image *from = j->image;
    const enum wp_element type =
        write_params(j->options).depth == 8 ? WP_ELEMENT_U8 : WP_ELEMENT_U16;
    struct wp_image *to = wp_image_create_pixels(from->width, from->height, from->planes,
                                                 from->alpha, type, 0);
    if (!to)
        return false;
    to->pixels.lost = &j->lost;
    const bool ok = wp_transform_inverse(
        j->transform, WP_ARRAY(from->plane[0]), &to->pixels);
    if (ok)
        write_alpha(from, to);
    to->geometry = from->geometry;
    to->origin = from->origin;
    wp_image_destroy(&j->image);
    j->image = to;
    return ok;
}

static bool transform_planes(struct job *j)
{
    const int planes = wp_image_colour_planes(j->image);
    wp_progress("transforming %d plane%s", planes, WP_PLURAL(planes));
    if (is_pixel_output(j) ? !transform_to_pixels(j)
                        : !wp_transform_inverse(j->transform, WP_ARRAY(j->image->plane[0]),
                                                WP_ARRAY(j->image->plane[0])))
        return false;
    j->seconds = wp_run_done(j->transform);
    return true;
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

// Sets the integer type of the output of a reversible transform: the type of the original image;
// for .png the bits of --depth, if it is given. False if a sample does not fit.
static bool set_integer_type(struct job *j, struct wp_write_params *params)
{
    const char *output = j->options->output;
    params->stored = j->from.sidecar.stored;
    if (is_png(output)) {
        if (!j->options->depth)
            params->depth = params->stored == WP_STORED_U8 ? 8 : 16;
        params->stored = params->depth == 8 ? WP_STORED_U8 : WP_STORED_U16;
    }
    if (!wp_image_check_integers(j->image, output, params->stored))
        return false;
    if (is_png(output)) {
        wp_integer_samples_scale(j->image, params->depth == 8 ? 1 / 255.0 : 1 / 65535.0, false);
        j->image->origin.peak = 1;
    }
    return true;
}

static bool write_image(struct job *j)
{
    struct wp_write_params params = write_params(j->options);
    if (j->from.params.reversible && !set_integer_type(j, &params))
        return false;
    if (is_png(j->options->output) && !j->image->pixels.data)
        j->lost = count_lost(j->image, params.depth);
    warn_of_clamping(&j->lost, j->image->origin.peak);
    wp_progress("writing %s", j->options->output);
    if (!wp_image_write(j->image, j->options->output, &params))
        return false;
    wp_log(WP_LOG_VERBOSE, "image written");
    return true;
}

static struct wp_image shape_of(const struct job *j)
{
    return j->strips.done ? j->strips.shape
           : j->image     ? *j->image
                          : wp_gop_pipeline_shape(&j->clip);
}

static json_t *result_of(const struct job *j)
{
    const struct wp_image shape = shape_of(j);
    json_t *result = wp_run_json(j->call, j->transform, &shape, j->options->transform.backend,
                                 j->chosen_by, j->seconds);
    if (j->clip.slices)
        wp_gop_pipeline_add_json(&j->clip, result);
    if (j->strips.done)
        wp_row_pipeline_add_json(&j->strips, result);
    json_object_set_new(result, "nonfinite", json_integer((json_int_t)j->from.nonfinite));
    json_object_set_new(
        result, "files",
        json_pack("{s:o, s:o}", "image", wp_json_text(j->options->output), "sidecar",
                  wp_json_text(j->from.has_sidecar ? j->from.sidecar_path : NULL)));
    return result;
}

static json_t *region_result(const struct job *j)
{
    json_t *result =
        wp_region_run_json(&j->region, &j->from, j->call, j->options->transform.backend);
    json_object_set_new(result, "files",
                        json_pack("{s:o, s:o}", "image", wp_json_text(j->options->output),
                                  "sidecar", wp_json_text(j->from.sidecar_path)));
    return result;
}

// Transforms the image in memory.
static bool inverse_image(struct job *j)
{
    const struct wp_write_params params = write_params(j->options);
    if (!wp_image_write_check_volume(j->options->output, j->image->planes, j->image->depth,
                                     &params))
        return false;
    if (j->from.params.reversible &&
        !wp_image_check_integers(j->image, j->from.path, WP_STORED_FLOAT))
        return false;
    j->transform = wp_transform_cache_get(j->cache, &j->from.params, j->image, WP_INVERSE,
                                          j->from.nonfinite, &j->chosen_by);
    return j->transform && transform_planes(j);
}

// Runs the GOP pipeline.
static bool inverse_clip(struct job *j)
{
    struct wp_gop_pipeline *clip = &j->clip;
    const struct wp_write_params params = write_params(j->options);
    struct wp_slices_info info = *wp_slices_info(clip->from);
    if (j->from.has_sidecar) {
        info.geometry = j->from.sidecar.geometry;
        info.origin = j->from.sidecar.origin;
    }
    clip->options = &j->from.params;
    clip->gop = j->from.params.gop;
    clip->direction = WP_INVERSE;
    clip->to = wp_slices_create(j->options->output, &info, &params);
    if (!clip->to || !wp_gop_pipeline_run(clip) ||
        !wp_coefficients_check_slices(j->from.path, &j->from.read, &j->from.sidecar, clip->from) ||
        !wp_slices_commit(&clip->to, NULL))
        return false;
    wp_gop_pipeline_log(clip);
    j->transform = clip->transform;
    j->from.nonfinite = clip->value_counts.nonfinite;
    j->seconds = clip->seconds.transform;
    j->chosen_by = clip->chosen_by;
    return true;
}

// Runs the row pipeline.
static bool inverse_strips(struct job *j)
{
    struct wp_row_pipeline *s = &j->strips;
    s->options = &j->from.params;
    s->output = j->options->output;
    s->overwrite = j->options->force;
    s->from = &j->from;
    if (!wp_row_pipeline_inverse(s))
        return false;
    j->transform = s->transform;
    j->seconds = s->seconds;
    j->chosen_by = WP_CHOSEN_BY_RULE;
    return true;
}

static bool read_job(void *job)
{
    struct job *j = job;
    return check_output(j->options) && read_coefficients(j);
}

static bool compute_job(void *job)
{
    struct job *j = job;
    if (has_region(j->options)) {
        wp_region_run_summary(&j->region, &j->from, &j->item.summary);
        if (j->call->common.json)
            j->item.result = region_result(j);
        return true;
    }
    if (!(j->clip.from     ? inverse_clip(j)
          : j->strips.store ? inverse_strips(j)
                            : inverse_image(j)))
        return false;
    const struct wp_image shape = shape_of(j);
    wp_run_summary(j->transform, &shape, j->seconds, &j->item.summary);
    if (j->clip.slices)
        wp_gop_pipeline_add_rate(&j->clip, &j->item.summary);
    if (j->strips.done)
        wp_row_pipeline_add_summary(&j->strips, &j->item.summary);
    if (j->call->common.json)
        j->item.result = result_of(j);
    return true;
}

static bool write_job(void *job)
{
    struct job *j = job;
    return j->clip.from || j->strips.done || write_image(j);
}

static void begin_job(void *job, const struct wp_call *call, void *user)
{
    struct job *j = job;
    struct shared *shared = user;
    j->call = call;
    j->file_options = shared->options;
    j->file_options.output = j->item.output;
    j->options = &j->file_options;
    j->cache = &shared->cache;
}

static void end_job(void *job)
{
    struct job *j = job;
    wp_gop_pipeline_end(&j->clip);
    wp_row_pipeline_end(&j->strips);
    wp_image_destroy(&j->image);
    wp_close_coefficients(&j->from);
}

static enum wp_error run(const struct wp_call *call)
{
    struct shared shared = {.options = *(const struct options *)call->options};
    struct options *o = &shared.options;
    if (!o->suffix && wp_batch_is_many(call, o->output))
        o->suffix = ".png";
    if (!check_options(call, o))
        return wp_last_error();
    const struct wp_batch batch = {sizeof(struct job), o->output, o->suffix, begin_job, read_job,
                                   compute_job, write_job, end_job};
    const enum wp_error code = wp_batch_run(call, &batch, &shared);
    wp_transform_cache_end(&shared.cache);
    return code;
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
        "With several inputs, or if -o ends in '/', IMAGE is a folder, as in 'forward'; the "
        "default --suffix is .png.",
    .examples = "wavepass inverse c.npy -o photo.png\n"
                "wavepass inverse c.npy -o photo.tiff -s sep-lifting -b reference\n"
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
