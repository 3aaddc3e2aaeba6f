#include "command.h"
#include "image.h"
#include "json_value.h"
#include "messages.h"
#include "output.h"
#include "bench.h"
#include "reconstruction.h"
#include "text.h"
#include "words.h"
#include "xmemory.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the curve ----

// Checks the path of a log. False after WP_ERROR_USAGE if it ends in neither .json nor .csv, or if
// the file must not be overwritten.
static bool curve_check_log(const char *path, bool overwrite)
{
    if (!wp_ends_with(path, ".json") && !wp_ends_with(path, ".csv"))
        return wp_fail(WP_ERROR_USAGE, "--log %s: .json or .csv", path);
    return wp_output_check(path, overwrite);
}

// The columns of a log and their members in a point.
static const struct {
    const char *name;
    size_t offset;
} columns[] = {
    {"residual", offsetof(struct wp_curve_point, residual)},
    {"seconds", offsetof(struct wp_curve_point, seconds)},
    {"psnr", offsetof(struct wp_curve_point, psnr)},
    {"ssim", offsetof(struct wp_curve_point, ssim)},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double value_of(const struct wp_curve_point *point, int column)
{
    return *(const double *)((const char *)point + columns[column].offset);
}

static void add_csv(const struct wp_curve *curve, struct wp_text *text)
{
    wp_text_add(text, "iteration");
    for (int c = 0; c < COLUMNS; c++)
        wp_text_add(text, ",%s", columns[c].name);
    wp_text_add(text, "\n");
    for (int i = 0; i < curve->count; i++) {
        wp_text_add(text, "%d", curve->point[i].iteration);
        for (int c = 0; c < COLUMNS; c++) {
            char number[WP_NUMBER_SIZE];
            const double value = value_of(&curve->point[i], c);
            wp_text_add(text, ",%s", isfinite(value) ? wp_format_number(number, value, 9) : "");
        }
        wp_text_add(text, "\n");
    }
}

static void add_json(const struct wp_curve *curve, struct wp_text *text)
{
    json_t *rows = json_array();
    for (int i = 0; i < curve->count; i++) {
        json_t *row = json_pack("{s:i}", "iteration", curve->point[i].iteration);
        for (int c = 0; c < COLUMNS; c++)
            json_object_set_new(row, columns[c].name,
                                wp_json_number(value_of(&curve->point[i], c)));
        json_array_append_new(rows, row);
    }
    char *dumped = json_dumps(rows, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    wp_text_add(text, "%s\n", dumped ? dumped : "[]");
    free(dumped);
    json_decref(rows);
}

static bool curve_write_log(const struct wp_curve *curve, const char *path, bool overwrite)
{
    struct wp_text text = {0};
    if (wp_ends_with(path, ".csv"))
        add_csv(curve, &text);
    else
        add_json(curve, &text);
    const bool ok = wp_output_text(path, overwrite, wp_text_get(&text));
    wp_text_free(&text);
    return ok;
}

// A column as a line of a chart with a logarithmic axis, without values that it cannot show. The
// points are stored in `memory`, 2 * curve->count values.
static struct wp_plot_line make_line(const struct wp_curve *curve, int column, double *memory)
{
    struct wp_plot_line line = {.label = columns[column].name, .x = memory,
                                .y = memory + curve->count};
    for (int i = 0; i < curve->count; i++) {
        const double value = value_of(&curve->point[i], column);
        if (!(value >= WP_PLOT_LEAST && value <= WP_PLOT_MOST)) // also excludes NaN
            continue;
        memory[line.count] = curve->point[i].iteration;
        memory[curve->count + line.count++] = value;
    }
    return line;
}

// Writes an SVG of the PSNR, if it was measured, and below it the residual.
static bool curve_write_plot(const struct wp_curve *curve, const char *title, const char *path,
                             bool overwrite)
{
    enum { RESIDUAL, PSNR = 2 };
    double *memory = wp_xcalloc(4 * (size_t)curve->count + 1, sizeof *memory);
    const struct wp_plot_line psnr = make_line(curve, PSNR, memory);
    const struct wp_plot_line residual =
        make_line(curve, RESIDUAL, memory + 2 * (size_t)curve->count);
    const struct wp_plot_panel panels[] = {{"PSNR in dB", true, 1, &psnr},
                                           {"residual |K u - f|", false, 1, &residual}};
    const bool measured = psnr.count > 0;
    const struct wp_plot plot = {
        .title = title,
        .description = "Lines over the iterations of a reconstruction.",
        .caption = measured ? "Above: PSNR of the magnitudes, peak 1. Below: distance of the "
                              "image's k-space from the measured one."
                            : "Distance of the image's k-space from the measured one.",
        .x_label = "iteration",
        .y_label = measured ? "" : "residual |K u - f|",
        .log_y = true,
        .panel_count = measured ? 2 : 1,
        .panel = measured ? panels : panels + 1,
    };
    struct wp_text svg = {0};
    wp_plot_lines(&plot, &svg);
    const bool ok = wp_output_text(path, overwrite, wp_text_get(&svg));
    wp_text_free(&svg);
    free(memory);
    return ok;
}

// ---- the command ----

#define OPTION(...) WP_OPTION(struct wp_reconstruction_options, __VA_ARGS__)

const struct wp_option wp_options_reconstruct[] = {
    OPTION(TEXT, "mask", "MASK", mask,
           "sampling mask: NPY of 0 and 1 for each sample or each line along x (default: samples "
           "that are not zero)", .letter = 'm'),
    OPTION(TEXT, "truth", "FILE", truth,
           "true image: report PSNR of every iteration and SSIM of every outer loop"),
    OPTION(TEXT, "maps", "FILE", maps,
           "complex sensitivity maps of several coils: .npy of (coils, z, y, x), or .cfl"),
    OPTION(FLAG, "centred", NULL, centred,
           "k-space and mask have DC at n/2, and the image its origin, as in BART",
           .old = "centered"),
    OPTION(NUMBER, "tv", "X", weights.tv,
           "weight of total variation (default 1; 0 if only --wav is given)"),
    OPTION(NUMBER, "wav", "X", weights.wav,
           "weight of the wavelet L1 norm (default 0.1; 0 if only --tv is given)"),
    OPTION(NUMBER, "mu", "X", weights.mu, "penalty of the data (default 100)", .positive = true),
    OPTION(NUMBER, "lambda", "X", weights.lambda,
           "penalty of total variation (default 100)", .positive = true),
    OPTION(NUMBER, "gamma", "X", weights.gamma,
           "penalty of the wavelet (default 100 times --wav)", .positive = true),
    OPTION(NUMBER, "peak", "X", peak,
           "approximate peak of the image, used to scale the weights (default 1, or estimated if "
           "the data differ greatly)", .positive = true),
    OPTION(INT, "outer", "N", outer, "outer loops (default 16)", .minimum = 1, .maximum = 100000),
    OPTION(INT, "inner", "N", inner,
           "inner loops of each (default 32)", .minimum = 1, .maximum = 100000),
    OPTION(INT, "iterations", "N", iterations,
           "stop after N iterations, even within an outer loop (default: all)",
           .minimum = 1, .maximum = 2147483647),
    OPTION(NUMBER, "sigma", "X", sigma,
           "noise level: stop when |K u - f| is below X (default: never)"),
    OPTION(FLAG, "cycle-spinning", NULL, spin,
           "cycle spinning: shift the image randomly before each wavelet transform, against "
           "block artifacts", .old = "spin"),
    OPTION(INT, "seed", "N", seed,
           "random seed of cycle spinning (default 0)", .minimum = 0, .maximum = 2147483647),
    OPTION(FLAG, "exact", NULL, exact,
           "solve exactly for wavelets that are not orthonormal, by conjugate gradients"),
    OPTION(INT, "threads", "N", threads,
           "number of threads (default: one per processor)", .minimum = 1, .maximum = 1024),
    {0},
};

const struct wp_option wp_options_reconstruct_wavelet[] = {
    OPTION(TEXT, "wavelet", "NAME|FILE", wavelet,
           "a name, or a file of lifting steps or taps (default haar)", .letter = 'w'),
    OPTION(INT, "levels", "N", levels,
           "levels along every axis (default 4)", .letter = 'l', .minimum = 1, .maximum = 12),
    OPTION(TEXT, "backend", "NAME", backend,
           "backend: cpu (default), cuda, which requires cuFFT, or compute (OpenGL)",
           .letter = 'b'),
    {0},
};

#undef OPTION

struct options {
    struct wp_reconstruction_options reconstruct;
    const char *output, *template, *log, *plot, *resume;
    const char *slice;
    bool magnitude, force;
};

#define OPTION(...) WP_OPTION(struct options, __VA_ARGS__)

static const struct wp_option options[] = {
    OPTION(TEXT, "output", "IMAGE", output,
           "complex: .npy, .cfl; magnitude: .png, .nii, .nii.gz, .tiff, .pfm, .y4m", .letter = 'o'),
    WP_OPTIONS(struct options, reconstruct, wp_options_reconstruct),
    WP_OPTIONS(struct options, reconstruct, wp_options_reconstruct_wavelet),
    OPTION(FLAG, "magnitude", NULL, magnitude, "write magnitudes to .npy, too"),
    OPTION(TEXT, "slice", "Z", slice,
           "slice of a volume to write to a .png (default the middle one)"),
    OPTION(TEXT, "template", "FILE", template,
           "NIfTI file whose geometry is copied to a .nii", .old = "like"),
    OPTION(TEXT, "log", "FILE", log,
           "residual, seconds, PSNR and SSIM by iteration: .json or .csv"),
    OPTION(TEXT, "plot", "FILE.svg", plot, "curves of PSNR and residual"),
    OPTION(TEXT, "resume", "STATE", resume,
           "continue from this file if it exists, and save the state to it at the end"),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// The state of one call. run() frees its members.
struct job {
    const struct wp_call *call;
    const struct options *options;
    struct wp_reconstruction reconstruction;
    struct wp_geometry geometry;
    int slice;   // --slice, or -1
    bool failed; // an error occurred in the callback
};

static struct wp_reconstruction_output output_of(const struct job *j)
{
    const struct options *o = j->options;
    return (struct wp_reconstruction_output){.path = o->output, .magnitude = o->magnitude,
                                             .overwrite = o->force,
                                             .slice = j->slice,
                                             .geometry = o->template ? &j->geometry : NULL};
}

static bool check_output(const struct job *j, int depth)
{
    const struct wp_reconstruction_output output = output_of(j);
    return wp_reconstruction_check_output(&output, depth);
}

static bool read_slice(struct job *j)
{
    const char *text = j->options->slice;
    j->slice = -1;
    return !text || (wp_parse_int(text, &j->slice) && j->slice >= 0) ||
           wp_fail(WP_ERROR_USAGE, "--slice: '%s' is not a slice number (0 is the first slice)",
                   text);
}

static bool check_options(struct job *j)
{
    const struct options *o = j->options;
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "no output\nhint: -o image.npy");
    if (strcmp(o->output, "-") == 0)
        return wp_fail(WP_ERROR_USAGE, "-o needs the name of a file, not -");
    if (o->magnitude && wp_has_suffix(o->output, ".cfl"))
        return wp_fail(WP_ERROR_USAGE, "--magnitude is for .npy; a .cfl is complex");
    if (o->template && !wp_has_suffix(o->output, ".nii") && !wp_has_suffix(o->output, ".nii.gz"))
        return wp_fail(WP_ERROR_USAGE, "--template is for .nii and .nii.gz; %s keeps no geometry",
                       o->output);
    if (o->slice && !wp_has_suffix(o->output, ".png"))
        return wp_fail(WP_ERROR_USAGE, "--slice is for .png");
    if (!read_slice(j))
        return false;
    const struct wp_output_named outputs[] = {
        {"-o", o->output}, {"--log", o->log}, {"--plot", o->plot}};
    if (!wp_output_check_apart(outputs, sizeof outputs / sizeof *outputs))
        return false;
    // The depth is not known yet.
    return check_output(j, 1) && (!o->log || curve_check_log(o->log, o->force)) &&
           (!o->plot || wp_output_check(o->plot, o->force));
}

static bool read_geometry(struct job *j)
{
    const char *path = j->options->template;
    if (!path)
        return true;
    size_t nonfinite;
    const struct wp_read_params params = {.volume = WP_VOLUME_EITHER};
    struct wp_image *template = wp_image_read_with(path, &params, &nonfinite);
    if (!template)
        return false;
    const int size[3] = {template->width, template->height, template->depth};
    j->geometry = template->geometry;
    wp_image_destroy(&template);
    const int *expected = j->reconstruction.kspace->size;
    return wp_volume_size_equals(size, expected) || wp_volume_size_fail(path, size, expected);
}

static bool prepare(struct job *j)
{
    struct wp_reconstruction *r = &j->reconstruction;
    const struct options *o = j->options;
    wp_progress("preparing");
    if (!wp_reconstruction_prepare(r) ||
        !wp_reconstruction_create(r, r->truth || o->log || o->plot ? 1 : 0))
        return false;
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    char padded[WP_SIZE_TEXT], size[WP_SIZE_TEXT];
    if (!wp_volume_size_equals(info->padded, r->kspace->size))
        wp_log(WP_LOG_INFO, "zero-padding %s to %s (multiple of 2^levels) for the wavelet "
                            "transform",
               wp_size_text(size, r->kspace->size),
               wp_size_text(padded, info->padded));
    return true;
}

static bool fail_read(const char *path, int why)
{
    return wp_fail(WP_ERROR_FILE, "%s: cannot be read (%s)", path,
                   why ? strerror(why) : "it ends early");
}

static bool read_state(struct job *j, FILE *file)
{
    const char *path = j->options->resume;
    const size_t size = wp_reconstruct_state_size(j->reconstruction.reconstruct);
    unsigned char *state = wp_xcalloc(size + 1, 1);
    errno = 0;
    const size_t got = fread(state, 1, size + 1, file);
    bool ok = !ferror(file) || fail_read(path, errno);
    if (ok && !wp_reconstruct_resume(j->reconstruction.reconstruct, state, got))
        ok = wp_fail(WP_ERROR_USAGE, "%s cannot be resumed"
                                     "\nhint: omit --resume, or use the data and options that it "
                                     "was written with", path);
    free(state);
    if (ok)
        wp_log(WP_LOG_INFO, "%s: resuming after %d iterations", path,
               wp_reconstruct_get_info(j->reconstruction.reconstruct)->iterations);
    return ok;
}

static bool resume(struct job *j)
{
    const char *path = j->options->resume;
    if (!path)
        return true;
    FILE *file = fopen(path, "rb");
    if (!file)
        return errno == ENOENT || fail_read(path, errno);
    const bool ok = read_state(j, file);
    fclose(file);
    return ok;
}

static bool write_state(const struct job *j)
{
    const char *path = j->options->resume;
    if (!path)
        return true;
    const size_t size = wp_reconstruct_state_size(j->reconstruction.reconstruct);
    unsigned char *state = wp_xcalloc(size, 1);
    wp_reconstruct_save(j->reconstruction.reconstruct, state);
    struct wp_output *output = wp_output_open(path, true);
    const bool wrote = output && fwrite(state, 1, size, wp_output_stream(output)) == size;
    free(state);
    return wrote ? wp_output_commit(&output) : (wp_output_discard(&output), output != NULL);
}

static void show(const struct wp_reconstruction *r)
{
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    const int most = wp_reconstruction_most(r);
    char bar[WP_BAR + 3], likeness[32] = "";
    if (r->truth)
        snprintf(likeness, sizeof likeness, ", PSNR %.2f dB", r->psnr);
    wp_progress("%s %d/%d, residual %.4g%s", wp_progress_bar(bar, info->iterations, most),
                info->iterations, most, info->residual, likeness);
}

static bool after_iteration(void *user, struct wp_reconstruct *solver)
{
    struct job *j = user;
    const bool ended = wp_reconstruction_is_finished(&j->reconstruction);
    j->failed = !wp_reconstruction_record(&j->reconstruction, wp_interrupted);
    show(&j->reconstruction);
    if (j->reconstruction.curve.count == 1)
        wp_log(WP_LOG_VERBOSE, "first iteration done, in %.1f ms",
               wp_reconstruct_get_info(solver)->seconds * 1e3);
    return !wp_interrupted && !j->failed && !ended;
}

static bool write_image(struct job *j)
{
    const struct wp_reconstruction_output output = output_of(j);
    wp_progress("writing %s", output.path);
    return wp_reconstruction_fetch(&j->reconstruction) &&
           wp_reconstruction_write(&j->reconstruction, &output);
}

static bool write_curve(const struct job *j)
{
    const struct options *o = j->options;
    const struct wp_curve *curve = &j->reconstruction.curve;
    return (!o->log || curve_write_log(curve, o->log, o->force)) &&
           (!o->plot || curve_write_plot(curve, "Reconstruction", o->plot, o->force));
}

static void print_json(const struct job *j)
{
    const struct wp_reconstruction *r = &j->reconstruction;
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    const int *size = r->kspace->size;
    const bool ended = wp_reconstruction_is_finished(r);
    json_t *result = json_pack(
        "{s:s, s:i, s:i, s:i, s:i, s:o, s:s, s:s, s:i, s:i, s:b, s:b, s:b, s:o, s:o, s:o, s:o,"
        " s:o, s:o, s:i, s:[i, i, i], s:o, s:o, s:{s:o}}",
        "command", "reconstruct", "width", size[0], "height", size[1], "depth", size[2], "coils",
        r->kspace->coils, "rate", wp_json_number(wp_mask_rate(r->mask)), "backend", info->backend,
        "form", info->form, "iterations", info->iterations, "most", wp_reconstruction_most(r),
        "finished", ended, "interrupted", !ended, "reached_sigma", info->reached_sigma,
        "residual", wp_json_number(info->residual), "psnr", wp_json_number(r->psnr), "ssim",
        wp_json_number(r->ssim), "seconds", wp_json_number(info->seconds),
        "transform_seconds", wp_json_number(info->transform_seconds), "bytes",
        wp_json_amount(info->bytes), "transforms", info->transforms, "padded", info->padded[0],
        info->padded[1], info->padded[2], "peak", wp_json_number(r->peak), "total_seconds",
        wp_json_number(wp_seconds_since_start()), "files", "image",
        wp_json_text(j->options->output));
    wp_print_json(result);
}

static void log_result(const struct job *j)
{
    const struct wp_reconstruction *r = &j->reconstruction;
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    const double sigma = r->options.sigma;
    if (!wp_reconstruction_is_finished(r))
        wp_log(WP_LOG_WARNING, "interrupted after %d of %d iterations: the result so far is in "
                               "%s%s", info->iterations, info->most, j->options->output,
               j->options->resume ? "" : "\nhint: --resume STATE makes it resumable");
    else if (sigma > 0 && !info->reached_sigma)
        wp_log(WP_LOG_WARNING, "--sigma %g was not reached: |K u - f| is %.4g after all %d "
                               "iterations", sigma, info->residual, info->iterations);
    char size[WP_SIZE_TEXT], likeness[64] = "";
    if (r->truth)
        snprintf(likeness, sizeof likeness, ", PSNR %.2f dB, SSIM %.4f", r->psnr, r->ssim);
    wp_log(WP_LOG_INFO, "%s from 1 of %.2f samples, %d iterations, %s, residual %.4g%s, %.2f s",
           wp_size_text(size, r->kspace->size), wp_mask_rate(r->mask), info->iterations,
           info->backend, info->residual, likeness, info->seconds);
}

static bool read_files(struct job *j)
{
    const char *kspace = j->call->argument[0];
    wp_progress("reading %s", kspace);
    return wp_reconstruction_read(&j->reconstruction, kspace) &&
           check_output(j, j->reconstruction.kspace->size[2]) && read_geometry(j);
}

static bool iterate(struct job *j)
{
    wp_interrupt_catch();
    return (wp_reconstruction_is_finished(&j->reconstruction) ||
            wp_reconstruct_run(j->reconstruction.reconstruct, after_iteration, j)) &&
           !j->failed && wp_reconstruction_measure(&j->reconstruction, true);
}

static bool reconstruct(struct job *j)
{
    if (!wp_reconstruction_begin(&j->reconstruction, &j->options->reconstruct) ||
        !check_options(j) || !read_files(j) || !prepare(j) || !resume(j) || !iterate(j) ||
        !write_image(j) || !write_curve(j) || !write_state(j))
        return false;
    log_result(j);
    if (j->call->common.json)
        print_json(j);
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    struct job j = {.call = call, .options = call->options};
    const bool ok = reconstruct(&j);
    const bool interrupted = ok && !wp_reconstruction_is_finished(&j.reconstruction);
    wp_reconstruction_free(&j.reconstruction);
    if (!ok)
        return wp_last_error();
    return interrupted ? WP_ERROR_INTERRUPTED : WP_ERROR_NONE;
}

const struct wp_command wp_command_reconstruct = {
    .name = "reconstruct",
    .summary = "compressed-sensing reconstruction of an image or volume from undersampled k-space",
    .arguments = "KSPACE -m MASK -o IMAGE",
    .description =
        "Finds the image that minimizes a weighted sum of total variation and wavelet L1 norm, "
        "subject to the measured k-space (compressed sensing MRI with Split Bregman).\n\n"
        "KSPACE is a NPY of complex64 or complex128, (y, x), (z, y, x) or (coils, z, y, x), or "
        "BART's .cfl with its .hdr (FILE.cfl, or FILE); DC is at index 0, or with --centred at n/2, "
        "as in BART. The transform is unitary. 'undersample' simulates one from an image.\n\n"
        "Ctrl+C stops after the current iteration and saves the result (exit code 130); a second "
        "Ctrl+C quits without saving.",
    .examples = "wavepass undersample head.nii.gz -o k.npy --mask-output m.npy --rate 4\n"
                "wavepass reconstruct k.npy -m m.npy -o head4.nii --template head.nii.gz\n"
                "wavepass reconstruct k.npy -m m.npy -o u.npy --wav 1 -w haar --cycle-spinning --tv 0\n"
                "wavepass reconstruct k.npy -m m.npy -o u.npy --tv 1 --wav 0.3 -w cdf97 --exact\n"
                "wavepass reconstruct k.npy -m m.npy -o u.png --truth t.png --plot curve.svg",
    .arguments_min = 1,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
