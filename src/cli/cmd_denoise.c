#include "flow.h"
#include "clock.h"
#include "command.h"
#include "denoise.h"
#include "image.h"
#include "memory.h"
#include "metrics.h"
#include "output.h"
#include "transform.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct options {
    struct wp_flow_options flow; // the first member
    const char *method, *rule, *space, *depth, *truth;
    struct wp_option_numbers sigma;
    int shifts;
    bool per_level, dry_run;
};

static const char *const depths[] = {"8", "16"};

#define OPTION(...) WP_OPTION(struct options, __VA_ARGS__)

static const struct wp_option options[] = {
    OPTION(TEXT, "output", "IMAGE", flow.output,
           "image file: .png, .npy, .tiff, .pfm or .exr; for volumes .npy, .nii, .nii.gz, .tiff, "
           ".y4m, or one image per slice: frame-%04d.png; - writes NPY to stdout", .letter = 'o'),
    OPTION(NUMBERS, "sigma", "S[,S...]", sigma,
           "standard deviation of the noise, or that of each level from the finest on, " WP_HELP_SIGMA),
    OPTION(FLAG, "per-level", NULL, per_level,
           "estimate the noise in each level, for noise that is not white"),
    OPTION(WORD, "method", "WORD", method,
           "how thresholds are determined: bayes, sure or visu (default bayes)",
           WP_WORDS(wp_denoise_methods)),
    OPTION(WORD, "rule", "WORD", rule,
           "what a threshold does to coefficients: hard, soft or garrote (default soft)",
           WP_WORDS(wp_shrink_names)),
    OPTION(LEVELS, "shifts", "N|max", shifts,
           "cycle spinning: the mean of results for N positions of the image; 1 is none (default "
           "16)"),
    OPTION(WORD, "color-space", "WORD", space,
           "denoise color channels as they are (planes) or as Y, Cb and Cr (default ycbcr)",
           WP_WORDS(wp_denoise_colors)),
    OPTION(TEXT, "wavelet", "NAME|FILE", flow.transform.wavelet,
           "a name, or a file of lifting steps or taps (default haar; of packets cdf97)", .letter = 'w',
           .list = wp_options_list_wavelets),
    OPTION(LEVELS, "levels", "N|max", flow.transform.levels,
           "levels (default three fewer than fit the image, at least 1; of packets at most 4); volumes "
           "also support 0",
           .letter = 'l', .none = WP_LEVELS_NONE),
    OPTION(WORD, "border", "KIND", flow.transform.border,
           "boundary extension mode (default symmetric, or pywt-symmetric for wavelets that are "
           "not symmetric)", WP_WORDS(wp_border_names)),
    OPTION(WORD, "bank", "KIND", flow.transform.bank,
           "filter bank: decimated (default), undecimated, which has all shifts, starlet, or packets, "
           "the best basis of wavelet packets, for textures",
           WP_WORDS(wp_bank_names)),
    OPTION(WORD, "depth", "BITS", depth, "bits of a .png (default those of the input, 8 or 16)",
           WP_WORDS(depths)),
    OPTION(TEXT, "truth", "IMAGE", truth,
           "report the PSNR against this image without noise, before and after"),
    OPTION(FLAG, "dry-run", NULL, dry_run, "report noise and thresholds, and write nothing"),
    OPTION(TEXT, "memory", "SIZE", flow.memory,
           "memory limit for an image, its coefficients and shifted copies, for example 512M; larger "
           "ones are rejected (default the computer's memory)"),
    WP_OPTIONS(struct options, flow, wp_options_files),
    {0},
};

// The options, and the denoiser of the latest size, which the files of a call share.
struct shared {
    struct options options; // the first member
    struct wp_denoiser *denoiser;
    struct wp_image shape; // of the denoiser
};

// The state for one file.
struct job {
    struct wp_flow f; // the first member
    struct shared *shared;
    struct wp_image *truth; // owned
    double before, after;       // PSNR; NaN without --truth
    struct wp_edit_found found; // over all subbands
    json_t *bands;
    int first; // plane of the group that is denoised
};

static bool check_options(const struct wp_call *call, const struct options *o)
{
    if (o->truth && wp_batch_is_many(call, o->flow.output))
        return wp_fail(WP_ERROR_USAGE, "--truth is for one file, not for a folder");
    if (o->dry_run && o->flow.output)
        return wp_fail(WP_ERROR_USAGE, "--dry-run writes nothing, and -o names an output");
    if (o->truth && o->flow.transform.gop > 0)
        return wp_fail(WP_ERROR_USAGE, "--truth needs the whole volume, not --gop");
    return wp_batch_check(call, "-o clean.png, or --dry-run to see noise and thresholds",
                          o->truth || o->dry_run);
}

static struct wp_write_params write_params(const struct job *j, const struct wp_origin *origin)
{
    const struct options *o = &j->shared->options;
    const int depth = o->depth ? strcmp(o->depth, "16") == 0 ? 16 : 8 : origin->bits == 16 ? 16 : 8;
    return (struct wp_write_params){
        .overwrite = o->flow.force, .content = WP_CONTENT_PICTURE, .depth = depth};
}

// Reports a subband of the first shift.
static void on_band(void *user, int plane, const struct wp_band_info *band, double sigma,
                    double threshold)
{
    struct job *j = user;
    char noise[WP_NUMBER_SIZE], limit[WP_NUMBER_SIZE];
    struct wp_edit_found *f = &j->found;
    f->least_sigma = fmin(f->least_sigma, sigma);
    f->most_sigma = fmax(f->most_sigma, sigma);
    wp_log(WP_LOG_VERBOSE, "plane %d, %s%d: noise of %s, threshold %s", j->first + plane,
           band->name, band->level, wp_format_number(noise, sigma, 4),
           isinf(threshold) ? "above all coefficients" : wp_format_number(limit, threshold, 4));
    if (j->f.call->common.json)
        json_array_append_new(j->bands,
                              json_pack("{s:i, s:s, s:i, s:i, s:o, s:o}", "plane", j->first + plane,
                                        "band", band->name, "level", band->level, "level_z",
                                        band->level_z, "sigma", wp_json_number(sigma), "threshold",
                                        wp_json_number(threshold)));
}

static bool fits_memory(struct job *j, const struct wp_image *shape)
{
    struct wp_memory_limit *limit = &j->f.limit;
    const double bytes = wp_memory_of_image(shape) / 2 + wp_denoise_bytes(j->shared->denoiser);
    bool strips;
    return wp_memory_limit(j->shared->options.flow.memory, limit) &&
           wp_memory_choose(limit, bytes, j->f.input, "thresholds depend on the whole image",
                            &strips);
}

// The denoiser for images of a shape. The last one is used again. NULL after an error.
static struct wp_denoiser *find_denoiser(struct job *j, const struct wp_image *shape)
{
    struct shared *s = j->shared;
    const struct options *o = &s->options;
    struct wp_transform_params transform = wp_run_sized(&o->flow.transform, shape);
    const int planes = transform.planes;
    transform.struct_size = sizeof transform;
    transform.gop = 0;
    if (transform.depth <= 1)
        transform.levels_z = 0;
    struct wp_denoise_params params = WP_DENOISE_PARAMS(
        .transform = &transform, .method = o->method, .rule = o->rule,
        .per_level = o->per_level, .shifts = o->shifts);
    if (o->sigma.count > 1) {
        params.level_sigma = o->sigma.number;
        params.level_sigmas = o->sigma.count;
    } else {
        params.sigma = o->sigma.number[0];
    }
    params.color = wp_denoise_colors[planes == 3 ? WP_DENOISE_YCBCR : WP_DENOISE_PLANES];
    params.color = o->space && planes == 3 ? o->space : params.color;
    const bool same = s->denoiser && s->shape.width == shape->width &&
                      s->shape.height == shape->height && s->shape.depth == shape->depth &&
                      wp_image_colour_planes(&s->shape) == planes;
    if (!same) {
        wp_denoise_destroy(&s->denoiser);
        s->denoiser = wp_denoise_create(&params);
        s->shape = *shape;
    }
    if (!s->denoiser || !fits_memory(j, shape))
        return NULL;
    wp_denoise_report_to(s->denoiser, on_band, j);
    return s->denoiser;
}

// Denoises the planes of an image, whose samples are at `data`, in place.
static bool denoise(struct job *j, const struct wp_image *shape, float *data)
{
    struct wp_denoiser *denoiser = find_denoiser(j, shape);
    const double start = wp_clock_seconds();
    if (!denoiser || !wp_denoise_run(denoiser, WP_ARRAY(data), WP_ARRAY(data)))
        return false;
    j->f.seconds.transform += wp_clock_seconds() - start;
    j->f.transform = wp_denoise_transform(denoiser);
    return true;
}

// Denoises groups of slices of a volume in memory, which has one plane.
static bool denoise_slices(struct job *j, struct wp_image *volume)
{
    const int gop = j->f.params->gop;
    struct wp_image group = *volume;
    for (int z = 0; z < volume->depth; z += gop) {
        group.depth = volume->depth - z < gop ? volume->depth - z : gop;
        if (!denoise(j, &group, volume->plane[0] + (size_t)z * (size_t)volume->width *
                                                       (size_t)volume->height))
            return false;
        j->first++;
    }
    return true;
}

static bool denoise_image(struct wp_flow *f)
{
    struct job *j = (struct job *)f;
    struct wp_image *image = f->image;
    wp_progress("denoising %s", f->input);
    f->shape = *image;
    if (j->truth)
        j->before = wp_metrics_psnr(image, j->truth);
    if (!(f->params->gop > 0 && image->depth > 1 ? denoise_slices(j, image)
                                                  : denoise(j, image, image->plane[0])))
        return false;
    if (j->truth)
        j->after = wp_metrics_psnr(image, j->truth);
    return true;
}

// Denoises a clip in groups of slices, each read, denoised and written after the one before.
static bool denoise_clip(struct job *j)
{
    struct wp_flow *f = &j->f;
    const struct wp_slices_info *info = wp_slices_info(f->groups.from);
    const struct wp_write_params params = write_params(j, &info->origin);
    struct wp_image group = {.width = info->width, .height = info->height, .depth = 1, .planes = 1};
    const size_t samples = (size_t)info->width * (size_t)info->height;
    float *data = wp_allocate_pages(samples * (size_t)f->params->gop, sizeof *data,
                                    "a group of slices");
    f->groups.to = data && f->output ? wp_slices_create(f->output, info, &params) : NULL;
    bool ok = data && (f->groups.to || !f->output);
    f->shape = group;
    f->shape.depth = 0;
    while (ok && group.depth > 0) {
        ok = wp_slices_read(f->groups.from, data, f->params->gop, &group.depth);
        if (ok && group.depth > 0) {
            wp_count_values(&f->values, &info->origin, data, samples * (size_t)group.depth);
            ok = denoise(j, &group, data) &&
                 (!f->groups.to || wp_slices_write(f->groups.to, data, group.depth));
            f->shape.depth += group.depth;
            wp_progress("%d of %d slices", f->shape.depth, info->depth);
            j->first++;
        }
    }
    free(data);
    if (ok && f->shape.depth == 0)
        ok = wp_fail(WP_ERROR_FILE, "%s: no frames", wp_slices_name(f->groups.from));
    ok = ok && (!f->groups.to || wp_slices_commit(&f->groups.to, NULL));
    if (ok)
        wp_warn_of_values(&f->values, wp_slices_name(f->groups.from));
    return ok;
}

static bool compute(struct wp_flow *f)
{
    struct job *j = (struct job *)f;
    return f->groups.from ? denoise_clip(j) : denoise_image(f);
}

static bool write_flow(struct wp_flow *f)
{
    struct job *j = (struct job *)f;
    if (!f->output || !f->image)
        return true;
    const struct wp_write_params params = write_params(j, &f->image->origin);
    return wp_flow_write_image(f, &params);
}

// Reads the image without noise, for --truth.
static bool read_truth(struct job *j)
{
    const char *path = j->shared->options.truth;
    char name[512];
    if (!path)
        return true;
    snprintf(name, sizeof name, "%s has", j->f.input);
    j->truth = wp_flow_read_like(&j->f, path, j->f.image, name);
    return j->truth;
}

static bool check_image(const struct job *j)
{
    const struct wp_image *image = j->f.image;
    const struct options *o = &j->shared->options;
    if (o->space && wp_image_colour_planes(image) != 3)
        return wp_fail(WP_ERROR_USAGE, "--color-space is for red, green and blue, and %s has %d "
                       "channel%s", j->f.input, wp_image_colour_planes(image),
                       WP_PLURAL(wp_image_colour_planes(image)));
    const struct wp_write_params params = write_params(j, &image->origin);
    return !j->f.output ||
           wp_image_write_check_volume(j->f.output, image->planes, image->depth, &params);
}

static bool read_flow(struct wp_flow *f)
{
    struct job *j = (struct job *)f;
    const struct options *o = f->options;
    struct wp_read_params params = wp_run_read_params(&o->flow.volume);
    j->shared = (struct shared *)f->options;
    j->before = j->after = NAN;
    j->found = (struct wp_edit_found){INFINITY, 0, INFINITY, 0};
    j->bands = json_array();
    f->kind = WP_FLOW_DENOISE;
    const struct wp_write_params write = write_params(j, &(struct wp_origin){.bits = 8});
    if (o->depth && f->output && !wp_flow_is_png(f->output))
        return wp_fail(WP_ERROR_USAGE, "--depth is for .png; %s is written in 32-bit float",
                       f->output);
    if (f->output && !wp_image_write_check(f->output, 1, &write))
        return false;
    wp_progress("reading %s", f->input);
    const bool sliced = o->flow.transform.gop > 0 &&
                        (!f->output || wp_slices_can_write(f->output, WP_CONTENT_PICTURE));
    if (sliced) {
        if (!wp_slices_open(f->input, &params, &f->groups.from, &f->image, &f->values.nonfinite))
            return false;
        if (f->groups.from)
            return !o->space || wp_fail(WP_ERROR_USAGE, "--color-space is for red, green and blue, "
                                        "and %s is read as one channel", f->input);
    } else {
        f->image = wp_image_read_with(f->input, &params, &f->values.nonfinite);
    }
    return f->image && check_image(j) && read_truth(j);
}

// A single 0 is an estimate.
static bool is_given(const struct wp_option_numbers *sigma)
{
    return sigma->count > 1 || sigma->number[0] > 0;
}

static void add_summary(const struct wp_flow *f, struct wp_text *text)
{
    const struct job *j = (const struct job *)f;
    char number[WP_NUMBER_SIZE];
    const struct wp_edit_found *found = &j->found;
    const struct wp_transform_params *p = &j->shared->options.flow.transform;
    const int shifts = wp_denoise_shifts(j->shared->denoiser);
    char bank[64];
    if (wp_run_is_expansive(&(struct wp_transform_params){.bank = p->bank}, bank))
        wp_text_add(text, ", %s", bank);
    else
        wp_text_add(text, ", %d shift%s", shifts, WP_PLURAL(shifts));
    wp_text_add(text, ", noise of %s", wp_format_number(number, found->least_sigma, 4));
    if (found->least_sigma < found->most_sigma)
        wp_text_add(text, "..%s", wp_format_number(number, found->most_sigma, 4));
    wp_text_add(text, "%s", is_given(&j->shared->options.sigma) ? "" : " (estimated)");
    if (!j->truth)
        return;
    wp_text_add(text, "; PSNR %s dB", wp_format_number(number, j->before, 4));
    wp_text_add(text, " before, %s dB after", wp_format_number(number, j->after, 4));
}

static void add_json(const struct wp_flow *f, json_t *result)
{
    const struct job *j = (const struct job *)f;
    const struct options *o = &j->shared->options;
    json_object_update_new(result, json_pack(
        "{s:s, s:s, s:i, s:[o, o], s:O, s:o, s:o, s:{s:o, s:o}}",              //
        "method", o->method ? o->method : wp_denoise_methods[0],               //
        "rule", o->rule ? o->rule : wp_shrink_names[WP_SHRINK_SOFT],           //
        "shifts", wp_denoise_shifts(j->shared->denoiser),                      //
        "sigma", wp_json_number(j->found.least_sigma),                         //
        wp_json_number(j->found.most_sigma),                                   //
        "bands", j->bands,                                                     //
        "psnr_before", wp_json_number(j->before),                              //
        "psnr", wp_json_number(j->after),                                      //
        "files", "image", wp_json_text(f->output), "truth", wp_json_text(o->truth)));
}

static void end_flow(struct wp_flow *f)
{
    struct job *j = (struct job *)f;
    wp_image_destroy(&j->truth);
    json_decref(j->bands);
}

static const struct wp_flow_command command = {
    .size = sizeof(struct job),
    .direction = WP_FORWARD,
    .read = read_flow,
    .steps = {[WP_FLOW_DENOISE] = {compute, write_flow}},
    .add_summary = add_summary,
    .add_json = add_json,
    .end = end_flow,
};

static enum wp_error run(const struct wp_call *call)
{
    struct shared *shared = wp_xcalloc(1, sizeof *shared);
    shared->options = *(const struct options *)call->options;
    if (!shared->options.flow.transform.backend)
        shared->options.flow.transform.backend = "cpu"; // as that of wp_denoise_create()
    const enum wp_error code = check_options(call, &shared->options)
                                   ? wp_batch_run(call, &command, shared)
                                   : wp_last_error();
    wp_denoise_destroy(&shared->denoiser);
    free(shared);
    return code;
}

const struct wp_command wp_command_denoise = {
    .name = "denoise",
    .summary = "remove white noise from images, volumes and clips",
    .arguments = "IN... -o IMAGE",
    .description =
        "Transforms an image, reduces the coefficients of the details by thresholds that depend on "
        "the noise, and inverts the transform. The noise is white and additive, of standard "
        "deviation S. " WP_HELP_ESTIMATE ". --sigma 3,2,1.5 gives S for each level, from the "
        "finest on, for noise that is not white. -v reports S and the threshold of each subband.\n\n"
        "--method bayes gives each subband the threshold S^2/X, where X is the standard deviation "
        "of its coefficients without noise (BayesShrink); sure the threshold of minimal estimated "
        "risk (SureShrink); visu all of them S sqrt(2 ln n) for the n samples of a channel "
        "(VisuShrink), which removes more detail. A threshold T zeroes coefficients with |c| <= T; "
        "--rule soft also reduces the others by T, garrote by T^2/|c|, hard not at all.\n\n"
        "A transform is not invariant to shifts, which causes artifacts at edges. --shifts N, "
        "cycle spinning, repeats it for N positions of the image and takes the mean, in N times "
        "the time.\n\n"
        "Red, green and blue are converted to Y, Cb and Cr, which have less noise where the eye "
        "sees less detail; other channels are denoised one by one, and alpha is not changed. IN "
        "is one of the files that 'forward' reads. Volumes are denoised along all three axes, or "
        "with --levels-z 0 in slices with common thresholds; with --gop N clips are denoised in "
        "groups of N frames, in memory that does not grow with the clip.\n\n"
        "The thresholds are computed on the host, and by default the transform too (-b cpu). The "
        "settings of scikit-image's denoise_wavelet() are -w db1 --border pywt-symmetric --shifts "
        "1.\n\n"
        "With several inputs, or if -o ends in '/', IMAGE is an existing folder: each input "
        "becomes a file of the same name, in its own format or that of --suffix.",
    .examples = "wavepass denoise noisy.png -o clean.png\n"
                "wavepass denoise noisy.png -v --dry-run\n"
                "wavepass denoise scan.tiff -o clean.tiff --sigma 0.05 --shifts 64\n"
                "wavepass denoise photo.jpg -o clean.png --method sure --rule garrote -w sym4\n"
                "wavepass denoise head.nii.gz -o clean.nii.gz\n"
                "wavepass denoise clip.y4m -o clean.y4m --gop 16\n"
                "wavepass denoise photos/*.png -o clean/\n"
                "wavepass denoise noisy.png -o clean.png --truth truth.png",
    .arguments_min = 1,
    .arguments_max = WP_ARGUMENTS_ANY,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
