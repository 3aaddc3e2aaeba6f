#include "batch.h"
#include "gop_pipeline.h"
#include "command.h"
#include "elements.h"
#include "open_coefficients.h"
#include "image.h"
#include "transform_cache.h"
#include "region_run.h"
#include "rows_write.h"
#include "run.h"
#include "row_pipeline.h"
#include "transform.h"
#include "wavepass.h"
#include "integer_samples.h"

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

// What a call holds.
struct shared {
    struct options options;
    struct wp_transform_cache kept;
};

// What the work on a file holds. Everything in it is released by end().
struct work {
    struct wp_batch_item item;
    const struct wp_call *call;
    struct options own; // with this file's output
    const struct options *options;
    struct wp_transform_cache *kept;
    struct wp_coefficient_input from;
    struct wp_image *image; // first of coefficients, then of samples
    struct wp_pixels_lost lost; // where these are integers
    struct wp_transform *transform; // the keeper's, or the clip's
    enum wp_chosen_by chosen_by; // its scheme and variant
    double seconds; // of all passes
    struct wp_gop_pipeline clip; // what goes group after group, in place of the image; else no slices
    struct wp_row_pipeline strips; // what goes in strips of rows, likewise; else no parts
    struct wp_region_run region; // of which there is the image alone, where one was asked for
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

static bool wants_region(const struct options *o)
{
    return o->region || o->level > 0;
}

static bool check_region(const struct wp_call *call, const struct options *o)
{
    if (!wants_region(o))
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

// NULL, or why coefficients cannot go in strips.
static const char *unfit_for_strips(const struct work *w)
{
    const struct options *o = w->options;
    if (!w->item.alone)
        return "several files are processed as a whole";
    if (!wp_rows_can_write(o->output))
        return "only .npy, .tiff and .pfm are written in row strips";
    return wp_row_pipeline_unfit(&o->transform);
}

// Opens them in parts where they are to go in strips. False after an error.
static bool choose_strips(struct work *w)
{
    const struct options *o = w->options;
    struct wp_row_pipeline *s = &w->strips;
    struct wp_sidecar sidecar;
    bool found = false, strips = false;
    char *beside = wp_sidecar_path(w->item.input);
    bool ok = wp_memory_limit(o->memory, &s->limit);
    // What is wrong with it is told where the whole is read.
    wp_begin_attempt();
    found = ok && beside && wp_sidecar_read(beside, &sidecar, &found) && found;
    wp_end_attempt();
    free(beside);
    if (ok && found && sidecar.depth == 1) {
        const double whole = wp_memory_of_image(sidecar.width, sidecar.height, sidecar.planes);
        const char *why = unfit_for_strips(w);
        if (s->limit.bytes > 0 && whole > s->limit.bytes && !why)
            ok = wp_open_coefficient_tiles(&w->from, w->item.input, &o->transform, o->changed,
                                         &s->store, &why);
        ok = ok && wp_memory_choose(&s->limit, whole, w->item.input, why, &strips);
        if (!strips)
            wp_tile_store_close(&s->store);
        if (!s->store)
            wp_close_coefficients(&w->from);
    }
    return ok;
}

static bool read_coefficients(struct work *w)
{
    const struct options *o = w->options;
    if (wants_region(o))
        return wp_region_run(&w->region, &w->from, w->item.input, &o->transform, o->region,
                             o->level, &w->image);
    if (!choose_strips(w))
        return false;
    if (w->strips.store)
        return true;
    const bool parts =
        w->item.alone && wp_slices_can_write(o->output, WP_CONTENT_PICTURE);
    return wp_open_coefficients(&w->from, w->item.input, &o->transform, &o->volume, o->changed,
                             parts ? &w->clip.from : NULL, &w->image);
}

// Whether samples become integers as they leave the transform. Those of a reversible one may have to
// be rejected, those with a peak are scaled, and a region and a volume come as floats.
static bool makes_pixels(const struct work *w)
{
    return is_png(w->options->output) && !w->from.params.reversible && w->image->depth == 1 &&
           w->image->origin.peak == 1;
}

// The samples of an image's alpha, which no transform has seen.
static void write_alpha(const struct wp_image *from, const struct wp_image *to)
{
    const int alpha = from->planes - 1;
    for (size_t y = 0; y < (size_t)from->height && from->alpha; y++)
        wp_pixels_write(&wp_element_rows, &to->pixels,
                        (ptrdiff_t)y * to->pixels.step[1] + alpha * to->pixels.plane,
                        wp_image_row(from, alpha, y, false, NULL), false, from->width);
}

static bool transform_to_pixels(struct work *w)
{
    const struct wp_image *from = w->image;
    const enum wp_element type =
        write_params(w->options).depth == 8 ? WP_ELEMENT_U8 : WP_ELEMENT_U16;
    struct wp_image *to = wp_image_create_pixels(from->width, from->height, from->planes,
                                                 from->alpha, type, 0);
    if (!to)
        return false;
    to->pixels.lost = &w->lost;
    const bool ok = wp_transform_inverse_pixels(
        w->transform, &(struct wp_memory){.array.data = from->plane[0]}, &to->pixels);
    if (ok)
        write_alpha(from, to);
    to->geometry = from->geometry;
    to->origin = from->origin;
    wp_image_destroy(&w->image);
    w->image = to;
    return ok;
}

static bool transform_planes(struct work *w)
{
    const int planes = wp_image_colour_planes(w->image);
    wp_progress("transforming %d plane%s", planes, WP_PLURAL(planes));
    if (makes_pixels(w) ? !transform_to_pixels(w)
                        : !wp_transform_inverse(w->transform, w->image->plane[0],
                                                w->image->plane[0]))
        return false;
    w->seconds = wp_run_done(w->transform);
    return true;
}

// A .png cannot hold what lies outside of 0..1 by more than its own rounding, nor what is no number.
static struct wp_pixels_lost count_lost(const struct wp_image *image, int depth)
{
    const float peak = image->origin.peak, slack = 0.5F * peak / (float)((1 << depth) - 1);
    const size_t pixels = wp_image_samples(image);
    struct wp_pixels_lost lost = {0};
    for (int p = 0; p < image->planes; p++) {
        for (size_t i = 0; i < pixels; i++) {
            lost.outside += image->plane[p][i] < -slack || image->plane[p][i] > peak + slack;
            lost.no_number += isnan(image->plane[p][i]) ? 1 : 0;
        }
    }
    return lost;
}

static void warn_of_clamping(const struct wp_pixels_lost *lost, float peak)
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

// Integers as they were, and in a .png as many bits as they had.
static bool settle_integers(struct work *w, struct wp_write_params *params)
{
    const char *output = w->options->output;
    params->stored = w->from.sidecar.stored;
    if (is_png(output)) {
        if (!w->options->depth)
            params->depth = params->stored == WP_STORED_U8 ? 8 : 16;
        params->stored = params->depth == 8 ? WP_STORED_U8 : WP_STORED_U16;
    }
    if (!wp_image_check_integers(w->image, output, params->stored))
        return false;
    if (is_png(output)) {
        wp_integer_samples_scale(w->image, params->depth == 8 ? 1 / 255.0 : 1 / 65535.0, false);
        w->image->origin.peak = 1;
    }
    return true;
}

static bool write_image(struct work *w)
{
    struct wp_write_params params = write_params(w->options);
    if (w->from.params.reversible && !settle_integers(w, &params))
        return false;
    if (is_png(w->options->output) && !w->image->pixels.data)
        w->lost = count_lost(w->image, params.depth);
    warn_of_clamping(&w->lost, w->image->origin.peak);
    wp_progress("writing %s", w->options->output);
    if (!wp_image_write(w->image, w->options->output, &params))
        return false;
    wp_log(WP_LOG_VERBOSE, "image written");
    return true;
}

static struct wp_image shape_of(const struct work *w)
{
    return w->strips.done ? w->strips.shape : w->image ? *w->image : wp_gop_pipeline_shape(&w->clip);
}

static json_t *result_of(const struct work *w)
{
    const struct wp_image shape = shape_of(w);
    json_t *result = wp_run_json(w->call, w->transform, &shape, w->options->transform.backend,
                                 w->chosen_by, w->seconds);
    if (w->clip.slices)
        wp_gop_pipeline_add_json(&w->clip, result);
    if (w->strips.done)
        wp_row_pipeline_add_json(&w->strips, result);
    json_object_set_new(result, "nonfinite", json_integer((json_int_t)w->from.nonfinite));
    json_object_set_new(
        result, "files",
        json_pack("{s:o, s:o}", "image", wp_json_text(w->options->output), "sidecar",
                  wp_json_text(w->from.has_sidecar ? w->from.sidecar_path : NULL)));
    return result;
}

static json_t *region_result(const struct work *w)
{
    json_t *result =
        wp_region_run_json(&w->region, &w->from, w->call, w->options->transform.backend);
    json_object_set_new(result, "files",
                        json_pack("{s:o, s:o}", "image", wp_json_text(w->options->output),
                                  "sidecar", wp_json_text(w->from.sidecar_path)));
    return result;
}

// All at once.
static bool inverse_image(struct work *w)
{
    const struct wp_write_params params = write_params(w->options);
    if (!wp_image_write_check_volume(w->options->output, w->image->planes, w->image->depth,
                                     &params))
        return false;
    if (w->from.params.reversible &&
        !wp_image_check_integers(w->image, w->from.path, WP_STORED_FLOAT))
        return false;
    w->transform = wp_transform_cache_get(w->kept, &w->from.params, w->image, WP_INVERSE, w->from.nonfinite,
                               &w->chosen_by);
    return w->transform && transform_planes(w);
}

// Group after group.
static bool inverse_clip(struct work *w)
{
    struct wp_gop_pipeline *clip = &w->clip;
    const struct wp_write_params params = write_params(w->options);
    struct wp_slices_info info = *wp_slices_info(clip->from);
    if (w->from.has_sidecar) {
        info.geometry = w->from.sidecar.geometry;
        info.origin = w->from.sidecar.origin;
    }
    clip->options = &w->from.params;
    clip->gop = w->from.params.gop;
    clip->direction = WP_INVERSE;
    clip->to = wp_slices_create(w->options->output, &info, &params);
    if (!clip->to || !wp_gop_pipeline_run(clip) ||
        !wp_coefficients_check_slices(w->from.path, &w->from.read, &w->from.sidecar, clip->from) ||
        !wp_slices_commit(&clip->to, NULL))
        return false;
    wp_gop_pipeline_log(clip);
    w->transform = clip->transform;
    w->from.nonfinite = clip->value_counts.nonfinite;
    w->seconds = clip->seconds.transform;
    w->chosen_by = clip->chosen_by;
    return true;
}

// Row after row.
static bool inverse_strips(struct work *w)
{
    struct wp_row_pipeline *s = &w->strips;
    s->options = &w->from.params;
    s->output = w->options->output;
    s->overwrite = w->options->force;
    s->from = &w->from;
    if (!wp_row_pipeline_inverse(s))
        return false;
    w->transform = s->transform;
    w->seconds = s->seconds;
    w->chosen_by = WP_CHOSEN_BY_RULE;
    return true;
}

static bool read_work(void *work)
{
    struct work *w = work;
    return check_output(w->options) && read_coefficients(w);
}

static bool compute_work(void *work)
{
    struct work *w = work;
    if (wants_region(w->options)) {
        wp_region_run_summary(&w->region, &w->from, &w->item.summary);
        if (w->call->common.json)
            w->item.result = region_result(w);
        return true;
    }
    if (!(w->clip.from     ? inverse_clip(w)
          : w->strips.store ? inverse_strips(w)
                            : inverse_image(w)))
        return false;
    const struct wp_image shape = shape_of(w);
    wp_run_summary(w->transform, &shape, w->seconds, &w->item.summary);
    if (w->clip.slices)
        wp_gop_pipeline_add_rate(&w->clip, &w->item.summary);
    if (w->strips.done)
        wp_row_pipeline_add_summary(&w->strips, &w->item.summary);
    if (w->call->common.json)
        w->item.result = result_of(w);
    return true;
}

static bool write_work(void *work)
{
    struct work *w = work;
    return w->clip.from || w->strips.done || write_image(w);
}

static void begin_work(void *work, const struct wp_call *call, void *user)
{
    struct work *w = work;
    struct shared *shared = user;
    w->call = call;
    w->own = shared->options;
    w->own.output = w->item.output;
    w->options = &w->own;
    w->kept = &shared->kept;
}

static void end_work(void *work)
{
    struct work *w = work;
    wp_gop_pipeline_end(&w->clip);
    wp_row_pipeline_end(&w->strips);
    wp_image_destroy(&w->image);
    wp_close_coefficients(&w->from);
}

static enum wp_error run(const struct wp_call *call)
{
    struct shared shared = {.options = *(const struct options *)call->options};
    struct options *o = &shared.options;
    if (!o->suffix && wp_batch_is_many(call, o->output))
        o->suffix = ".png";
    if (!check_options(call, o))
        return wp_last_error();
    const struct wp_batch batch = {sizeof(struct work), o->output, o->suffix, begin_work, read_work,
                                   compute_work, write_work, end_work};
    const enum wp_error code = wp_batch_run(call, &batch, &shared);
    wp_transform_cache_end(&shared.kept);
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
