#include "clip.h"
#include "coefficients.h"
#include "command.h"
#include "image.h"
#include "run.h"
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
    const char *output, *depth;
    bool changed, force;
};

static const char *const depths[] = {"8", "16"};

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "IMAGE",
     .help = "image file: .png, .npy, .tiff or .pfm; of a volume .npy, .nii, .nii.gz, .tiff, "
             ".y4m, or one image a slice: frame-%04d.png; - is NPY to stdout",
     .offset = offsetof(struct options, output)},
    {.name = "depth",
     .kind = WP_OPTION_WORD,
     .value = "BITS",
     .help = "bits of a .png (default 8)",
     .offset = offsetof(struct options, depth),
     .words = depths,
     .word_count = 2},
    {.name = "changed",
     .kind = WP_OPTION_FLAG,
     .help = "takes coefficients that are not those that COEFFS.json was written for",
     .offset = offsetof(struct options, changed)},
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, transform, wp_options_layout),
    WP_OPTIONS(struct options, transform, wp_options_slices),
    WP_OPTIONS(struct options, volume, wp_options_volume),
    WP_OPTIONS(struct options, transform, wp_options_backend),
    WP_OPTIONS(struct options, transform, wp_options_precision),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// What one call holds. Everything in it is released by run().
struct work {
    const struct wp_call *call;
    const struct options *options;
    const char *input;
    struct wp_image *image; // first of coefficients, then of pixels
    struct wp_transform *transform;
    enum wp_chosen_by chosen_by; // its scheme and variant
    char *sidecar_path; // NULL for stdin
    bool has_sidecar;
    struct wp_sidecar sidecar;
    struct wp_transform_params params; // the options, completed from the sidecar
    struct wp_coefficients_params read;
    struct wp_sidecar_wavelet lost;    // of `params` where its file is gone
    size_t nonfinite;
    double seconds; // of all passes
    struct wp_clip clip; // what goes group after group, in place of the image; else no slices
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

static bool check_options(const struct wp_call *call, const struct options *o)
{
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o image.png");
    if (strcmp(o->output, "-") == 0 && call->common.json)
        return wp_fail(WP_ERROR_USAGE, "--json and -o - both write to stdout\nhint: -o FILE");
    if (o->depth && !is_png(o->output))
        return wp_fail(WP_ERROR_USAGE, "--depth is for .png; %s is written in 32-bit float",
                       o->output);
    const struct wp_write_params params = write_params(o);
    return wp_image_write_check(o->output, 1, &params);
}

static bool contradiction(const struct work *w, const char *option, const char *given,
                          const char *described)
{
    return wp_fail(WP_ERROR_USAGE,
                   "--%s %s contradicts %s ('%s')\nhint: leave the option out, or rename the .json",
                   option, given, w->sidecar_path, described);
}

// Takes what the sidecar says for a word option that was not given.
static bool settle_word(const struct work *w, const char *option, const char *described,
                        const char **word)
{
    if (*word && strcmp(*word, described) != 0)
        return contradiction(w, option, *word, described);
    *word = described;
    return true;
}

static bool settle_wavelet(struct work *w)
{
    struct wp_wavelet wavelet, described;
    const struct wp_sidecar *s = &w->sidecar;
    if (!w->params.wavelet && wp_sidecar_lost_wavelet(s, &w->lost)) {
        wp_log(WP_LOG_INFO, "wavelet '%s' is not installed here; its steps are taken from %s",
               s->wavelet_name, w->sidecar_path);
        w->params.wavelet_data = &w->lost.data;
        return true;
    }
    if (!w->params.wavelet) {
        w->params.wavelet = s->wavelet_name;
        return wp_sidecar_find_wavelet(s, w->sidecar_path, &wavelet);
    }
    if (!wp_wavelet_find(w->params.wavelet, &wavelet))
        return false;
    if (s->has_steps)
        described = s->wavelet;
    else if (!wp_sidecar_find_wavelet(s, w->sidecar_path, &described))
        return false;
    return wp_sidecar_same_steps(&wavelet, &described) ||
           contradiction(w, "wavelet", w->params.wavelet, s->wavelet_name);
}

// A number that was not given, 0, is the one that is described.
static bool settle_number(const struct work *w, const char *option, int given, int described)
{
    char is[16], asked[16];
    const int number = given == WP_LEVELS_NONE ? 0 : given;
    snprintf(is, sizeof is, "%d", described);
    snprintf(asked, sizeof asked, "%d", number);
    return given == 0 || number == described || contradiction(w, option, asked, is);
}

static bool settle_levels(struct work *w)
{
    const struct wp_sidecar *s = &w->sidecar;
    struct wp_transform_params *p = &w->params;
    const int most = wp_levels_most((const int[]){s->width, s->height}, s->border);
    const int most_z = wp_levels_z_most(s->gop ? s->gop : s->depth, s->border);
    if (!settle_number(w, "levels", p->levels == WP_LEVELS_MOST ? most : p->levels, s->levels) ||
        !settle_number(w, "levels-z", p->levels_z == WP_LEVELS_MOST ? most_z : p->levels_z,
                       s->levels_z) ||
        !settle_number(w, "gop", p->gop, s->gop ? s->gop : s->depth))
        return false;
    // 0 levels of an image were the most that it took, and are what 0, the default, gives again.
    p->levels = s->levels == 0 && s->depth > 1 ? WP_LEVELS_NONE : s->levels;
    p->levels_z = s->levels_z == 0 && s->depth > 1 ? WP_LEVELS_NONE : s->levels_z;
    p->gop = s->gop;
    return true;
}

// All schemes and forms compute the same: another one is no contradiction.
static void settle_scheme(struct work *w)
{
    const struct wp_sidecar *s = &w->sidecar;
    if (!w->params.scheme && s->scheme_named) {
        w->params.scheme = s->scheme;
        w->params.plain |= strcmp(s->form, wp_form_names[WP_FORM_PLAIN]) == 0;
    }
}

static bool take_sidecar(struct work *w)
{
    const struct wp_sidecar *s = &w->sidecar;
    settle_scheme(w);
    return settle_wavelet(w) &&
           settle_word(w, "border", wp_border_names[s->border], &w->params.border) &&
           settle_word(w, "norm", wp_norm_names[s->norm], &w->params.norm) &&
           settle_word(w, "layout", wp_layout_names[s->layout], &w->params.layout) &&
           settle_word(w, "decomposition", wp_decomposition_names[s->decomposition],
                       &w->params.decomposition) &&
           settle_levels(w);
}

static const char *or_default(const char *given, const char *usual)
{
    return given ? given : usual;
}

// Nothing in the coefficients tells how they were made.
static bool do_without_sidecar(const struct work *w)
{
    const struct wp_transform_params *p = &w->params;
    const char *missing = w->sidecar_path ? w->sidecar_path : "sidecar";
    if (p->levels == 0)
        return wp_fail(WP_ERROR_USAGE,
                       "how these coefficients were made is not known (no %s)\n"
                       "hint: give -l N, and -w, --border, --norm, --layout where they are not "
                       "cdf97, %s, %s, %s",
                       missing, wp_border_names[0], wp_norm_names[0], wp_layout_names[0]);
    wp_log(WP_LOG_INFO, "no %s: taking them for %s, %s, norm %s, layout %s", missing,
           or_default(p->wavelet, "cdf97"), or_default(p->border, wp_border_names[0]),
           or_default(p->norm, wp_norm_names[0]), or_default(p->layout, wp_layout_names[0]));
    return true;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool read_coefficients(struct work *w)
{
    w->params = w->options->transform;
    w->sidecar_path = wp_sidecar_path(w->input);
    // Before the file is read, which may be large; that it is missing is said by reading it.
    const bool alone = !w->sidecar_path || (exists(w->input) && !exists(w->sidecar_path));
    if (alone && w->params.levels == 0 && !do_without_sidecar(w))
        return false;
    wp_progress("reading %s", w->input);
    w->read = (struct wp_coefficients_params){.read = wp_run_read_params(&w->options->volume),
                                              .gop = w->params.gop,
                                              .changed = w->options->changed};
    const bool parts = wp_slices_can_write(w->options->output, WP_CONTENT_PICTURE);
    return wp_coefficients_open(w->input, &w->read, &w->sidecar, &w->has_sidecar,
                                parts ? &w->clip.from : NULL, &w->image, &w->nonfinite) &&
           (w->has_sidecar ? take_sidecar(w) : do_without_sidecar(w));
}

static bool transform_planes(struct work *w)
{
    const int planes = wp_image_colour_planes(w->image);
    wp_progress("transforming %d plane%s", planes, WP_PLURAL(planes));
    if (!wp_transform_inverse(w->transform, w->image->plane[0], w->image->plane[0]))
        return false;
    w->seconds = wp_run_done(w->transform);
    return true;
}

// A .png cannot hold what lies outside of 0..1 by more than its own rounding, nor what is no number.
static void warn_of_clamping(const struct work *w, int depth)
{
    const float slack = 0.5F / (float)((1 << depth) - 1);
    const size_t pixels = wp_image_samples(w->image);
    size_t outside = 0, no_number = 0;
    for (int p = 0; p < w->image->planes; p++) {
        for (size_t i = 0; i < pixels; i++) {
            outside += w->image->plane[p][i] < -slack || w->image->plane[p][i] > 1 + slack;
            no_number += isnan(w->image->plane[p][i]) ? 1 : 0;
        }
    }
    if (no_number)
        wp_log(WP_LOG_WARNING,
               "%zu value%s NaN and became 0\nhint: .npy, .tiff and .pfm keep them", no_number,
               WP_PLURAL_IS(no_number));
    if (outside)
        wp_log(WP_LOG_WARNING,
               "%zu value%s outside of 0..1 %s clamped\nhint: .npy, .tiff and .pfm keep them",
               outside, WP_PLURAL(outside), outside == 1 ? "was" : "were");
}

static bool write_image(struct work *w)
{
    const struct wp_write_params params = write_params(w->options);
    if (is_png(w->options->output))
        warn_of_clamping(w, params.depth);
    wp_progress("writing %s", w->options->output);
    if (!wp_image_write(w->image, w->options->output, &params))
        return false;
    wp_log(WP_LOG_VERBOSE, "image written");
    return true;
}

static void print_json(const struct work *w)
{
    const struct wp_image shape = w->image ? *w->image : wp_clip_shape(&w->clip);
    json_t *result = wp_run_json(w->call, w->transform, &shape, w->options->transform.backend,
                                 w->chosen_by, w->seconds);
    if (w->clip.slices)
        wp_clip_add_json(&w->clip, result);
    json_object_set_new(result, "nonfinite", json_integer((json_int_t)w->nonfinite));
    json_object_set_new(
        result, "files",
        json_pack("{s:o, s:o}", "image", wp_json_text(w->options->output), "sidecar",
                  wp_json_text(w->has_sidecar ? w->sidecar_path : NULL)));
    wp_print_json(result);
}

// All at once.
static bool inverse_image(struct work *w)
{
    const struct wp_write_params params = write_params(w->options);
    if (!wp_image_write_check_volume(w->options->output, w->image->planes, w->image->depth,
                                     &params))
        return false;
    w->transform = wp_run_create(&w->params, w->image, WP_INVERSE, w->nonfinite, &w->chosen_by);
    return w->transform && transform_planes(w) && write_image(w);
}

// Group after group.
static bool inverse_clip(struct work *w)
{
    struct wp_clip *clip = &w->clip;
    const struct wp_write_params params = write_params(w->options);
    struct wp_slices_info info = *wp_slices_info(clip->from);
    if (w->has_sidecar)
        info.geometry = w->sidecar.geometry;
    clip->options = &w->params;
    clip->gop = w->params.gop;
    clip->direction = WP_INVERSE;
    clip->to = wp_slices_create(w->options->output, &info, &params);
    if (!clip->to || !wp_clip_run(clip) ||
        !wp_coefficients_check_slices(w->input, &w->read, &w->sidecar, clip->from) ||
        !wp_slices_commit(&clip->to, NULL))
        return false;
    wp_clip_tell(clip);
    w->transform = clip->transform;
    clip->transform = NULL;
    w->nonfinite = clip->nonfinite;
    w->seconds = clip->seconds.transform;
    w->chosen_by = clip->chosen_by;
    return true;
}

static bool inverse(struct work *w)
{
    if (!check_options(w->call, w->options) || !read_coefficients(w) ||
        !(w->clip.from ? inverse_clip(w) : inverse_image(w)))
        return false;
    const struct wp_image shape = w->image ? *w->image : wp_clip_shape(&w->clip);
    struct wp_text text = {0};
    wp_run_summary(w->transform, &shape, w->seconds, &text);
    if (w->clip.slices)
        wp_clip_add_rate(&w->clip, &text);
    wp_log(WP_LOG_INFO, "%s", wp_text_get(&text));
    wp_text_free(&text);
    if (w->call->common.json)
        print_json(w);
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    struct work w = {.call = call, .options = call->options, .input = call->argument[0]};
    const bool ok = inverse(&w);
    wp_clip_end(&w.clip);
    wp_transform_destroy(&w.transform);
    wp_image_destroy(&w.image);
    free(w.sidecar_path);
    return ok ? WP_ERROR_NONE : wp_last_error();
}

const struct wp_command wp_command_inverse = {
    .name = "inverse",
    .alias = "inv",
    .summary = "wavelet coefficients back to an image",
    .arguments = "COEFFS -o IMAGE",
    .description =
        "Turns coefficients that 'forward' wrote back into the image. COEFFS.json beside them says "
        "how they were made; an option that contradicts it is an error, and so are other coefficients "
        "than it was written for, unless --changed takes them. Without it, -l has to be "
        "given, and every other option that was not the default. The scheme is what was given to "
        "'forward', or any other, and the backend is free: all compute the same.\n\n"
        "COEFFS is a NPY, TIFF, NIfTI or PFM file, or - for NPY from stdin; what has groups of "
        "slices goes group by group to .npy, .nii, .y4m and frame-%04d.png, an image a slice from "
        "number 1 on, as ffmpeg has it. A .png takes values of "
        "0..1 and clamps the others, which it says.",
    .examples = "wavepass inverse c.npy -o photo.png\n"
                "wavepass inverse c.npy -o photo.tiff -s sep-lifting -b reference\n"
                "wavepass forward photo.png -o - | wavepass inverse - -l 3 -o again.png\n"
                "wavepass inverse c.npy -o head.nii.gz\n"
                "wavepass inverse c.npy -o clip.y4m\n"
                "wavepass inverse c.npy -o frame-%04d.png",
    .arguments_min = 1,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
