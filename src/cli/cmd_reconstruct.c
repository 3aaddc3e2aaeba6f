// `reconstruct`: an image or a volume from a part of its k-space.
#include "command.h"
#include "complex_array.h"
#include "curve.h"
#include "image.h"
#include "interrupt.h"
#include "mask.h"
#include "messages.h"
#include "metrics.h"
#include "output.h"
#include "wavepass_reconstruct.h"
#include "xmemory.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct options {
    const char *mask, *output, *maps, *like, *truth, *log, *plot, *resume, *wavelet, *backend;
    double tv, wav, mu, lambda, gamma, sigma, peak;
    int levels, outer, inner, seed, slice, threads;
    bool spin, exact, magnitude, centred, force;
};

#define MEMBER(member) offsetof(struct options, member)

static const struct wp_option options[] = {
    {.name = "mask", .letter = 'm', .kind = WP_OPTION_TEXT, .value = "MASK", .offset = MEMBER(mask),
     .help = "NPY of 0 and 1: what was measured, for each sample or each line along x (default: "
             "what is not zero)"},
    {.name = "output", .letter = 'o', .kind = WP_OPTION_TEXT, .value = "IMAGE",
     .offset = MEMBER(output),
     .help = "complex: .npy, .cfl; magnitude: .png, .nii, .nii.gz, .tiff, .pfm, .y4m"},
    {.name = "tv", .kind = WP_OPTION_NUMBER, .value = "X", .offset = MEMBER(tv),
     .help = "weight of total variation (default 1; 0 where --wav alone is given)"},
    {.name = "wav", .kind = WP_OPTION_NUMBER, .value = "X", .offset = MEMBER(wav),
     .help = "weight of the wavelet (default 0.1; 0 where --tv alone is given)"},
    {.name = "wavelet", .letter = 'w', .kind = WP_OPTION_TEXT, .value = "NAME|FILE",
     .offset = MEMBER(wavelet), .help = "a name, or a file of lifting steps (default haar)"},
    {.name = "levels", .letter = 'l', .kind = WP_OPTION_INT, .value = "N", .minimum = 1,
     .maximum = 12, .offset = MEMBER(levels), .help = "levels along every axis (default 4)"},
    {.name = "mu", .kind = WP_OPTION_NUMBER, .value = "X", .offset = MEMBER(mu),
     .help = "penalty of the data (default 100)"},
    {.name = "lambda", .kind = WP_OPTION_NUMBER, .value = "X", .offset = MEMBER(lambda),
     .help = "penalty of total variation (default 100)"},
    {.name = "gamma", .kind = WP_OPTION_NUMBER, .value = "X", .offset = MEMBER(gamma),
     .help = "penalty of the wavelet (default 100 times --wav)"},
    {.name = "peak", .kind = WP_OPTION_NUMBER, .value = "X", .offset = MEMBER(peak),
     .help = "about the image's largest value, which weights are multiplied by (default 1, or what "
             "the data say where that is far off)"},
    {.name = "outer", .kind = WP_OPTION_INT, .value = "N", .minimum = 1, .maximum = 100000,
     .offset = MEMBER(outer), .help = "outer loops (default 16)"},
    {.name = "inner", .kind = WP_OPTION_INT, .value = "N", .minimum = 1, .maximum = 100000,
     .offset = MEMBER(inner), .help = "inner loops of each (default 32)"},
    {.name = "sigma", .kind = WP_OPTION_NUMBER, .value = "X", .offset = MEMBER(sigma),
     .help = "noise: ends once |K u - f| is below (default: never)"},
    {.name = "spin", .kind = WP_OPTION_FLAG, .offset = MEMBER(spin),
     .help = "shift the image at random before each wavelet transform: no blocks"},
    {.name = "seed", .kind = WP_OPTION_INT, .value = "N", .minimum = 0, .maximum = 2147483647,
     .offset = MEMBER(seed), .help = "of these shifts (default 0)"},
    {.name = "exact", .kind = WP_OPTION_FLAG, .offset = MEMBER(exact),
     .help = "solve with wavelets that are not orthonormal as they are, by conjugate gradients"},
    {.name = "maps", .kind = WP_OPTION_TEXT, .value = "FILE", .offset = MEMBER(maps),
     .help = "sensitivity maps of several coils, complex: .npy of (coils, z, y, x), or .cfl"},
    {.name = "centred", .kind = WP_OPTION_FLAG, .offset = MEMBER(centred),
     .help = "k-space and mask have zero frequency in the middle"},
    {.name = "magnitude", .kind = WP_OPTION_FLAG, .offset = MEMBER(magnitude),
     .help = "write absolute values to .npy, too"},
    {.name = "slice", .kind = WP_OPTION_INT, .value = "Z", .minimum = 0, .maximum = 2147483647,
     .offset = MEMBER(slice), .help = "of a volume in a .png (default the middle one)"},
    {.name = "like", .kind = WP_OPTION_TEXT, .value = "FILE", .offset = MEMBER(like),
     .help = "NIfTI whose geometry a .nii gets"},
    {.name = "truth", .kind = WP_OPTION_TEXT, .value = "FILE", .offset = MEMBER(truth),
     .help = "the image as it is: PSNR of every iteration, SSIM of every outer loop"},
    {.name = "log", .kind = WP_OPTION_TEXT, .value = "FILE", .offset = MEMBER(log),
     .help = "residual, seconds, PSNR and SSIM by iteration: .json or .csv"},
    {.name = "plot", .kind = WP_OPTION_TEXT, .value = "FILE.svg", .offset = MEMBER(plot),
     .help = "curves of PSNR and residual"},
    {.name = "resume", .kind = WP_OPTION_TEXT, .value = "STATE", .offset = MEMBER(resume),
     .help = "go on from this file where it is there, and leave the state in it at the end"},
    {.name = "backend", .letter = 'b', .kind = WP_OPTION_TEXT, .value = "NAME",
     .offset = MEMBER(backend), .help = "what computes: cpu (default), or cuda, which takes cuFFT"},
    {.name = "threads", .kind = WP_OPTION_INT, .value = "N", .minimum = 1, .maximum = 1024,
     .offset = MEMBER(threads), .help = "that share the work (default: one a processor)"},
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// What one call holds. Everything in it is released by run().
struct work {
    const struct wp_call *call;
    const struct options *options;
    struct wp_complex_array *kspace, *maps, *image;
    struct wp_mask *mask;
    struct wp_image *truth, *magnitude; // over the peak
    struct wp_geometry geometry;
    struct wp_cartesian *model;
    struct wp_reconstruct *reconstruct;
    struct wp_curve curve;
    double peak, psnr, ssim;
    bool failed; // in the callback
};

static bool ends_with(const char *path, const char *suffix)
{
    const size_t length = strlen(path), end = strlen(suffix);
    return length > end && strcasecmp(path + length - end, suffix) == 0;
}

// Whether the output keeps complex numbers.
static bool writes_complex(const struct options *o)
{
    return !o->magnitude && (ends_with(o->output, ".npy") || ends_with(o->output, ".cfl"));
}

static struct wp_write_params write_params(const struct options *o)
{
    return (struct wp_write_params){.overwrite = o->force, .content = WP_CONTENT_PICTURE};
}

static bool check_output(const struct options *o, int depth)
{
    if (writes_complex(o))
        return wp_output_check(o->output, o->force);
    const struct wp_write_params params = write_params(o);
    return wp_image_write_check_volume(o->output, 1, ends_with(o->output, ".png") ? 1 : depth,
                                       &params);
}

static bool check_options(const struct options *o)
{
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o image.npy");
    if (strcmp(o->output, "-") == 0)
        return wp_fail(WP_ERROR_USAGE, "-o needs the name of a file, not -");
    if (o->magnitude && ends_with(o->output, ".cfl"))
        return wp_fail(WP_ERROR_USAGE, "--magnitude is for .npy; a .cfl is complex");
    if (o->exact && o->spin)
        return wp_fail(WP_ERROR_USAGE, "--exact and --spin exclude each other (random shifts have "
                                       "no one solution)");
    if (o->seed && !o->spin)
        return wp_fail(WP_ERROR_USAGE, "--seed is for --spin");
    if (o->like && !ends_with(o->output, ".nii") && !ends_with(o->output, ".nii.gz"))
        return wp_fail(WP_ERROR_USAGE, "--like is for .nii and .nii.gz; %s keeps no geometry",
                       o->output);
    if (o->slice && !ends_with(o->output, ".png"))
        return wp_fail(WP_ERROR_USAGE, "--slice is for .png");
    return check_output(o, 1 << 20) && (!o->log || wp_curve_check_log(o->log, o->force)) &&
           (!o->plot || wp_output_check(o->plot, o->force));
}

// "224x192", or "128x128x128".
static const char *size_text(const int size[3], char text[48])
{
    const int length = snprintf(text, 48, "%dx%d", size[0], size[1]);
    if (size[2] > 1)
        snprintf(text + length, 48 - (size_t)length, "x%d", size[2]);
    return text;
}

static bool is_same_size(const int a[3], const int b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool fail_size(const char *what, const int size[3], const int of_kspace[3])
{
    char a[48], b[48];
    return wp_fail(WP_ERROR_USAGE, "%s is %s, and the k-space %s", what, size_text(size, a),
                   size_text(of_kspace, b));
}

static bool read_kspace(struct work *w)
{
    const struct options *o = w->options;
    wp_progress("reading %s", w->call->argument[0]);
    w->kspace = wp_complex_read(w->call->argument[0]);
    if (!w->kspace)
        return false;
    if (o->centred)
        wp_complex_uncentre(w->kspace);
    w->mask = o->mask ? wp_mask_read(o->mask, w->kspace->size, o->centred) : wp_mask_of(w->kspace);
    if (!w->mask)
        return false;
    if (wp_mask_count(w->mask) == 0)
        return wp_fail(WP_ERROR_FILE, "%s: all samples are 0", w->call->argument[0]);
    if (wp_mask_count(w->mask) == wp_complex_samples(w->kspace))
        wp_log(WP_LOG_WARNING, "all of k-space was measured: there is nothing to fill in");
    return check_output(o, w->kspace->size[2]);
}

static bool read_maps(struct work *w)
{
    const struct options *o = w->options;
    if (!o->maps)
        return w->kspace->coils == 1 ||
               wp_fail(WP_ERROR_USAGE,
                       "%s has %d coils\nhint: --maps FILE with their sensitivities",
                       w->call->argument[0], w->kspace->coils);
    w->maps = wp_complex_read(o->maps);
    if (!w->maps)
        return false;
    if (!is_same_size(w->maps->size, w->kspace->size))
        return fail_size(o->maps, w->maps->size, w->kspace->size);
    return w->maps->coils == w->kspace->coils ||
           wp_fail(WP_ERROR_USAGE, "%s has %d coil%s, and the k-space %d", o->maps,
                   w->maps->coils, WP_PLURAL(w->maps->coils), w->kspace->coils);
}

static struct wp_image *create_like(const struct wp_complex_array *array)
{
    return wp_image_create_volume(array->size[0], array->size[1], array->size[2], 1, false);
}

static void take_magnitude(const struct wp_complex_array *array, double scale,
                           struct wp_image *image)
{
    const float *value = (const float *)array->value;
    for (size_t i = 0; i < wp_complex_samples(array); i++) {
        const double re = (double)value[2 * i], im = (double)value[2 * i + 1];
        image->plane[0][i] = (float)(scale * sqrt(re * re + im * im));
    }
}

static struct wp_image *magnitude_of(const struct wp_complex_array *array)
{
    struct wp_image *image = create_like(array);
    if (image)
        take_magnitude(array, 1, image);
    return image;
}

// Real, or complex: then its magnitude.
static struct wp_image *read_truth(const char *path, const int size[3])
{
    wp_begin_attempt();
    struct wp_complex_array *complex_truth = wp_complex_read(path);
    wp_end_attempt();
    if (complex_truth) {
        struct wp_image *image = complex_truth->coils == 1 ? magnitude_of(complex_truth) : NULL;
        if (complex_truth->coils > 1)
            wp_fail(WP_ERROR_USAGE, "%s has %d coils, and is to be an image", path,
                    complex_truth->coils);
        wp_complex_destroy(&complex_truth);
        return image;
    }
    size_t nonfinite;
    const struct wp_read_params params = {.volume = size[2] > 1 ? WP_VOLUME_YES
                                                                : WP_VOLUME_EITHER};
    return wp_image_read_with(path, &params, &nonfinite);
}

static bool take_truth(struct work *w)
{
    const char *path = w->options->truth;
    if (!path)
        return true;
    w->truth = read_truth(path, w->kspace->size);
    if (!w->truth)
        return false;
    wp_image_to_gray(w->truth);
    const int size[3] = {w->truth->width, w->truth->height, w->truth->depth};
    if (!is_same_size(size, w->kspace->size))
        return fail_size(path, size, w->kspace->size);
    if (wp_image_colour_planes(w->truth) != 1)
        return wp_fail(WP_ERROR_USAGE, "%s has %d planes, and is to be one image", path,
                       w->truth->planes);
    return true;
}

static bool take_geometry(struct work *w)
{
    const char *path = w->options->like;
    if (!path)
        return true;
    size_t nonfinite;
    const struct wp_read_params params = {.volume = WP_VOLUME_EITHER};
    struct wp_image *like = wp_image_read_with(path, &params, &nonfinite);
    if (!like)
        return false;
    const int size[3] = {like->width, like->height, like->depth};
    w->geometry = like->geometry;
    wp_image_destroy(&like);
    return is_same_size(size, w->kspace->size) || fail_size(path, size, w->kspace->size);
}

// Weights are meant for images of a peak about 1. The data alone tell how far that is off.
static bool find_peak(struct work *w)
{
    const struct wp_reconstruct_model *model = wp_cartesian_model(w->model);
    float *image = (float *)w->image->value;
    if (!model->adjoint(model->user, (const float *)w->kspace->value, image))
        return false;
    take_magnitude(w->image, 1, w->magnitude);
    double peak = 0;
    for (size_t i = 0; i < wp_image_samples(w->magnitude); i++)
        peak = fmax(peak, (double)w->magnitude->plane[0][i]);
    w->peak = w->options->peak > 0 ? w->options->peak : 1;
    if (w->options->peak == 0 && peak > 0 && (peak < 0.1 || peak > 10)) {
        char number[WP_NUMBER_SIZE];
        w->peak = peak;
        wp_log(WP_LOG_INFO, "weights are multiplied by %s, the largest value of the image without "
                            "what was not measured\nhint: --peak X",
               wp_format_number(number, peak, 3));
    }
    for (size_t i = 0; w->truth && i < wp_image_samples(w->truth); i++)
        w->truth->plane[0][i] /= (float)w->peak;
    return true;
}

static struct wp_reconstruct_params make_params(const struct work *w)
{
    const struct options *o = w->options;
    const bool usual = o->tv == 0 && o->wav == 0;
    const double wav = usual ? 0.1 : o->wav;
    return (struct wp_reconstruct_params)WP_RECONSTRUCT_PARAMS(
        .width = w->kspace->size[0], .height = w->kspace->size[1], .depth = w->kspace->size[2],
        .tv = w->peak * (usual ? 1 : o->tv), .wav = w->peak * wav, .mu = o->mu,
        .lambda = o->lambda, .gamma = o->gamma > 0 ? o->gamma : 100 * wav,
        .wavelet = o->wavelet, .levels = o->levels, .outer = o->outer, .inner = o->inner,
        .sigma = o->sigma, .spin = o->spin, .seed = (unsigned long long)o->seed,
        .exact = o->exact, .threads = o->threads, .backend = o->backend,
        .report = o->truth || o->log || o->plot ? 1 : 0);
}

static bool create(struct work *w)
{
    const struct wp_complex_array *k = w->kspace;
    w->image = wp_complex_create(k->size, 1);
    w->magnitude = w->image ? create_like(w->image) : NULL;
    if (!w->magnitude)
        return false;
    wp_progress("preparing");
    w->model = wp_cartesian_create(k->size, w->mask->kept,
                                   w->maps ? (const float *)w->maps->value : NULL, k->coils,
                                   w->options->threads);
    if (!w->model || !find_peak(w))
        return false;
    const struct wp_reconstruct_params params = make_params(w);
    w->reconstruct = wp_reconstruct_create(&params, wp_cartesian_model(w->model),
                                           (const float *)k->value);
    if (!w->reconstruct)
        return false;
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(w->reconstruct);
    char padded[48], size[48];
    if (!is_same_size(info->padded, k->size))
        wp_log(WP_LOG_INFO, "the wavelet sees %s with zeros around it, %s: multiples of 2^levels",
               size_text(k->size, size), size_text(info->padded, padded));
    return true;
}

static bool fail_read(const char *path, int why)
{
    return wp_fail(WP_ERROR_FILE, "%s: cannot be read (%s)", path,
                   why ? strerror(why) : "it ends early");
}

static bool read_state(struct work *w, FILE *file)
{
    const char *path = w->options->resume;
    const size_t size = wp_reconstruct_state_size(w->reconstruct);
    unsigned char *state = wp_xcalloc(size + 1, 1);
    errno = 0;
    const size_t got = fread(state, 1, size + 1, file);
    bool ok = !ferror(file) || fail_read(path, errno);
    if (ok && !wp_reconstruct_resume(w->reconstruct, state, got))
        ok = wp_fail(WP_ERROR_USAGE, "%s cannot go on here\nhint: without --resume, or with the "
                                     "data and options that it was made with", path);
    free(state);
    if (ok)
        wp_log(WP_LOG_INFO, "%s: going on after %d iterations", path,
               wp_reconstruct_get_info(w->reconstruct)->iterations);
    return ok;
}

static bool resume(struct work *w)
{
    const char *path = w->options->resume;
    if (!path)
        return true;
    FILE *file = fopen(path, "rb");
    if (!file)
        return errno == ENOENT || fail_read(path, errno);
    const bool ok = read_state(w, file);
    fclose(file);
    return ok;
}

static bool write_state(const struct work *w)
{
    const char *path = w->options->resume;
    if (!path)
        return true;
    const size_t size = wp_reconstruct_state_size(w->reconstruct);
    unsigned char *state = wp_xcalloc(size, 1);
    wp_reconstruct_save(w->reconstruct, state);
    struct wp_output *output = wp_output_open(path, true);
    const bool wrote = output && fwrite(state, 1, size, wp_output_stream(output)) == size;
    free(state);
    return wrote ? wp_output_commit(&output) : (wp_output_discard(&output), output != NULL);
}

static bool fetch_magnitude(struct work *w)
{
    if (!wp_reconstruct_image(w->reconstruct, (float *)w->image->value))
        return false;
    take_magnitude(w->image, 1 / w->peak, w->magnitude);
    return true;
}

// SSIM takes longer than an iteration: at the end of each outer loop.
static bool measure(struct work *w, bool whole)
{
    w->ssim = NAN;
    if (!w->truth)
        return true;
    if (!fetch_magnitude(w))
        return false;
    w->psnr = wp_metrics_psnr(w->magnitude, w->truth);
    struct wp_metrics metrics;
    if (whole && !wp_metrics_compare(w->magnitude, w->truth, &metrics))
        return false;
    w->ssim = whole ? metrics.value[WP_METRIC_SSIM] : NAN;
    return true;
}

static void show(const struct work *w, const struct wp_reconstruct_info *info)
{
    enum { WIDTH = 24 };
    static const char full[] = "########################", empty[] = "........................";
    const int done = WIDTH * info->iterations / info->most;
    char likeness[32] = "";
    if (w->truth)
        snprintf(likeness, sizeof likeness, ", PSNR %.2f dB", w->psnr);
    wp_progress("[%.*s%.*s] %d/%d, residual %.4g%s", done, full, WIDTH - done, empty,
                info->iterations, info->most, info->residual, likeness);
}

static int inner_of(const struct work *w)
{
    return w->options->inner ? w->options->inner : 32;
}

static bool after_iteration(void *user, struct wp_reconstruct *r)
{
    struct work *w = user;
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r);
    const bool whole = info->iterations % inner_of(w) == 0 || wp_interrupted;
    w->failed = !measure(w, whole);
    wp_curve_add(&w->curve, &(struct wp_curve_point){info->iterations, info->residual,
                                                     info->seconds, w->psnr, w->ssim});
    show(w, info);
    if (w->curve.count == 1)
        wp_log(WP_LOG_VERBOSE, "first iteration done, in %.1f ms", info->seconds * 1e3);
    return !wp_interrupted && !w->failed;
}

// Names what an interrupted run left, where a file can hold it.
static void set_note(const struct work *w, struct wp_write_params *params, char text[96])
{
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(w->reconstruct);
    snprintf(text, 96, "reconstruct, %s after %d of %d iterations",
             info->finished ? "ended" : "interrupted", info->iterations, info->most);
    params->key = "Comment";
    params->note = text;
}

static bool write_slice(const struct work *w, const struct wp_write_params *params)
{
    const int depth = w->magnitude->depth;
    const int z = w->options->slice ? w->options->slice : depth / 2;
    if (z >= depth)
        return wp_fail(WP_ERROR_USAGE, "--slice %d: there are %d (0 to %d)", z, depth, depth - 1);
    const struct wp_image slice = wp_image_slice(w->magnitude, z);
    return wp_image_write(&slice, w->options->output, params);
}

static bool write_image(struct work *w)
{
    const struct options *o = w->options;
    wp_progress("writing %s", o->output);
    if (!wp_reconstruct_image(w->reconstruct, (float *)w->image->value))
        return false;
    if (writes_complex(o))
        return wp_output_check(o->output, o->force) && wp_complex_write(o->output, w->image);
    const bool png = ends_with(o->output, ".png");
    char note[96];
    struct wp_write_params params = write_params(o);
    take_magnitude(w->image, png ? 1 / w->peak : 1, w->magnitude);
    w->magnitude->geometry = w->geometry;
    set_note(w, &params, note);
    return png ? write_slice(w, &params) : wp_image_write(w->magnitude, o->output, &params);
}

static bool write_curve(const struct work *w)
{
    const struct options *o = w->options;
    return (!o->log || wp_curve_write_log(&w->curve, o->log, o->force)) &&
           (!o->plot || wp_curve_write_plot(&w->curve, "Reconstruction", o->plot, o->force));
}

static void print_json(const struct work *w)
{
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(w->reconstruct);
    const int *size = w->kspace->size;
    json_t *result = json_pack(
        "{s:s, s:i, s:i, s:i, s:i, s:o, s:s, s:s, s:i, s:i, s:b, s:b, s:b, s:o, s:o, s:o, s:o,"
        " s:o, s:o, s:i, s:[i, i, i], s:o, s:o, s:{s:o}}",
        "command", "reconstruct", "width", size[0], "height", size[1], "depth", size[2], "coils",
        w->kspace->coils, "rate", wp_json_number(wp_mask_rate(w->mask)), "backend", info->backend,
        "form", info->form, "iterations", info->iterations, "most", info->most, "finished",
        info->finished, "interrupted", !info->finished, "reached_sigma", info->reached_sigma,
        "residual", wp_json_number(info->residual), "psnr", wp_json_number(w->psnr), "ssim",
        wp_json_number(w->ssim), "seconds", wp_json_number(info->seconds),
        "transform_seconds", wp_json_number(info->transform_seconds), "bytes",
        wp_json_amount(info->bytes), "transforms", info->transforms, "padded", info->padded[0],
        info->padded[1], info->padded[2], "peak", wp_json_number(w->peak), "total_seconds",
        wp_json_number(wp_seconds_since_start()), "files", "image",
        wp_json_text(w->options->output));
    wp_print_json(result);
}

static void tell(const struct work *w)
{
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(w->reconstruct);
    const double sigma = w->options->sigma;
    if (!info->finished)
        wp_log(WP_LOG_WARNING, "interrupted after %d of %d iterations: %s holds what they came to"
                               "%s", info->iterations, info->most, w->options->output,
               w->options->resume ? "" : "\nhint: with --resume STATE it could go on");
    else if (sigma > 0 && !info->reached_sigma)
        wp_log(WP_LOG_WARNING, "--sigma %g was not reached: |K u - f| is %.4g after all %d "
                               "iterations", sigma, info->residual, info->iterations);
    char size[48], likeness[64] = "";
    if (w->truth)
        snprintf(likeness, sizeof likeness, ", PSNR %.2f dB, SSIM %.4f", w->psnr, w->ssim);
    wp_log(WP_LOG_INFO, "%s from 1 of %.2f samples, %d iterations, %s, residual %.4g%s, %.2f s",
           size_text(w->kspace->size, size), wp_mask_rate(w->mask), info->iterations,
           info->backend, info->residual, likeness, info->seconds);
}

static bool reconstruct(struct work *w)
{
    if (!check_options(w->options) || !read_kspace(w) || !read_maps(w) || !take_truth(w) ||
        !take_geometry(w) || !create(w) || !resume(w))
        return false;
    wp_interrupt_catch();
    if (!wp_reconstruct_run(w->reconstruct, after_iteration, w) || w->failed ||
        !measure(w, true) || !write_image(w) || !write_curve(w) || !write_state(w))
        return false;
    tell(w);
    if (w->call->common.json)
        print_json(w);
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    struct work w = {.call = call, .options = call->options, .psnr = NAN, .ssim = NAN};
    const bool ok = reconstruct(&w);
    const bool interrupted = ok && !wp_reconstruct_get_info(w.reconstruct)->finished;
    wp_reconstruct_destroy(&w.reconstruct);
    wp_cartesian_destroy(&w.model);
    wp_complex_destroy(&w.kspace);
    wp_complex_destroy(&w.maps);
    wp_complex_destroy(&w.image);
    wp_mask_destroy(&w.mask);
    wp_image_destroy(&w.truth);
    wp_image_destroy(&w.magnitude);
    wp_curve_free(&w.curve);
    if (!ok)
        return wp_last_error();
    return interrupted ? WP_ERROR_INTERRUPTED : WP_ERROR_NONE;
}

const struct wp_command wp_command_reconstruct = {
    .name = "reconstruct",
    .summary = "an image or volume from a part of its k-space",
    .arguments = "KSPACE -m MASK -o IMAGE",
    .description =
        "Looks for the image with the least total variation and the least wavelet coefficients, "
        "each with its weight, among those whose k-space is what was measured (compressed sensing "
        "MRI, by Split Bregman).\n\n"
        "KSPACE is a NPY of complex64 or complex128, (y, x), (z, y, x) or (coils, z, y, x), or "
        "BART's .cfl with its .hdr; zero frequency is at index 0, or in the middle with --centred. "
        "Its transform is unitary. 'undersample' makes one of an image.\n\n"
        "Ctrl+C ends it behind the iteration that runs, writes what was reached, says so, and "
        "exits with 130; once more, and nothing is written.",
    .examples = "wavepass undersample head.nii.gz -o k.npy --mask-output m.npy --rate 4\n"
                "wavepass reconstruct k.npy -m m.npy -o head4.nii --like head.nii.gz\n"
                "wavepass reconstruct k.npy -m m.npy -o u.npy --wav 1 -w haar --spin --tv 0\n"
                "wavepass reconstruct k.npy -m m.npy -o u.npy --tv 1 --wav 0.3 -w cdf97 --exact\n"
                "wavepass reconstruct k.npy -m m.npy -o u.png --truth t.png --plot curve.svg",
    .arguments_min = 1,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
