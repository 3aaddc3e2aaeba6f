#include "batch.h"
#include "command.h"
#include "open_coefficients.h"
#include "edit.h"
#include "image.h"
#include "metrics.h"
#include "output_path.h"
#include "run.h"
#include "transform.h"
#include "wavepass.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct wp_transform_params transform;
    struct wp_volume_options volume;
    struct wp_option_list edits;
    double sigma;
    const char *output, *like, *suffix;
    bool changed, force;
};

static void list_thresholds(struct wp_text *text)
{
    wp_text_add(text, "soft:universal soft:sure hard:universal hard:sure");
}

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "COEFFS2",
     .help = "coefficient file: .npy, .tiff, .nii, .pfm or .exr, with metadata in COEFFS2.json; .npz "
             "with one array per subband; - writes NPY to stdout",
     .offset = offsetof(struct options, output)},
    {.name = "threshold",
     .kind = WP_OPTION_LIST,
     .value = "HOW:WHICH",
     .help = "hard:T or soft:T for all detail subbands, where T is a number, 'universal' or 'sure'",
     .offset = offsetof(struct options, edits),
     .list = list_thresholds},
    {.name = "keep",
     .kind = WP_OPTION_LIST,
     .value = "PERCENT",
     .help = "keep the largest PERCENT of the coefficients and zero the rest",
     .offset = offsetof(struct options, edits)},
    {.name = "zero",
     .kind = WP_OPTION_LIST,
     .value = "BANDS",
     .help = "zero these subbands: HL1,HH1",
     .offset = offsetof(struct options, edits)},
    {.name = "only",
     .kind = WP_OPTION_LIST,
     .value = "BANDS",
     .help = "zero all subbands except these",
     .offset = offsetof(struct options, edits)},
    {.name = "scale",
     .kind = WP_OPTION_LIST,
     .value = "BAND=F",
     .help = "multiply subbands: HL1=2,HH1=0.5",
     .offset = offsetof(struct options, edits)},
    {.name = "impulse",
     .kind = WP_OPTION_LIST,
     .value = "BAND:X,Y[,Z]",
     .help = "set this coefficient to 1 and all others to 0, for a basis function",
     .offset = offsetof(struct options, edits)},
    {.name = "sigma",
     .kind = WP_OPTION_NUMBER,
     .value = "S",
     .help = "standard deviation of the noise, in units of the image, for 'universal' and 'sure' "
             "(default, and 0: estimated from the finest diagonal subband of each channel)",
     .offset = offsetof(struct options, sigma)},
    {.name = "reference",
     .old = "like",
     .kind = WP_OPTION_TEXT,
     .value = "IMAGE",
     .help = "report the PSNR of the reconstruction against this image",
     .offset = offsetof(struct options, like)},
    {.name = "ignore-changes",
     .old = "changed",
     .kind = WP_OPTION_FLAG,
     .help = "accept coefficients that do not match COEFFS.json",
     .offset = offsetof(struct options, changed)},
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, transform, wp_options_layout),
    WP_OPTIONS(struct options, transform, wp_options_slices),
    WP_OPTIONS(struct options, volume, wp_options_volume),
    WP_OPTIONS(struct options, transform, wp_options_backend),
    WP_OPTIONS(struct options, suffix, wp_options_suffix),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

// What a call holds.
struct shared {
    struct options options;
    struct wp_edit edit[WP_OPTION_LIST_MAX];
};

// What the work on a file holds. Everything in it is released by end().
struct work {
    struct wp_batch_item item;
    const struct wp_call *call;
    struct options own; // with this file's output
    const struct options *options;
    struct wp_coefficient_input from;
    struct wp_image *image; // of coefficients, and in the end what 'inverse' makes of them
    struct wp_image *like;
    struct wp_transform *transform; // back, for the comparison with `like`
    struct wp_wavelet wavelet;
    struct wp_description description;
    const struct wp_edit *edit;
    struct wp_edit_found found[WP_OPTION_LIST_MAX];
    struct wp_edit_amount before, after;
    size_t nonfinite; // after the edits
    double psnr; // NaN where there is nothing to compare with
};

static bool is_stdio(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static bool check_options(const struct wp_call *call, const struct options *o)
{
    const bool many = wp_batch_is_many(call, o->output);
    if (o->suffix && !many)
        return wp_fail(WP_ERROR_USAGE, "--suffix is for a folder\nhint: -o DIR/");
    if (o->like && many)
        return wp_fail(WP_ERROR_USAGE, "--reference is for one file, not for a folder");
    if (!o->output && !o->like)
        return wp_fail(WP_ERROR_USAGE, "no output"
                                       "\nhint: -o c2.npy writes the coefficients, --reference "
                                       "IMAGE reports the PSNR of the reconstruction");
    if (o->edits.count == 0)
        return wp_fail(WP_ERROR_USAGE, "nothing to do\nhint: --threshold soft:universal, "
                                       "--keep 5, --zero HL1,HH1, --only, --scale HH1=0.5");
    if (is_stdio(o->output) && call->common.json)
        return wp_fail(WP_ERROR_USAGE, "--json and -o - both write to stdout\nhint: -o FILE");
    if (is_stdio(o->like) && is_stdio(call->argument[0]))
        return wp_fail(WP_ERROR_USAGE, "the coefficients and --reference cannot both be read from "
                                       "stdin"
                                       "\nhint: use a file for one of them");
    return true;
}

static bool parse_edits(struct shared *shared)
{
    const struct wp_option_list *list = &shared->options.edits;
    bool ok = true;
    for (int i = 0; i < list->count && ok; i++)
        ok = wp_edit_parse(list->item[i].option, list->item[i].text, &shared->edit[i]);
    return ok;
}

static struct wp_edit_target target_of(const struct work *w)
{
    return (struct wp_edit_target){&w->description, w->image->depth,
                                   wp_image_colour_planes(w->image), w->image->plane[0]};
}

static bool describe(struct work *w)
{
    struct wp_transform_params params = w->from.params;
    params.width = w->image->width;
    params.height = w->image->height;
    params.depth = w->image->depth;
    params.planes = wp_image_colour_planes(w->image);
    return wp_transform_describe(&params, &w->wavelet, &w->description);
}

// All that can be wrong with what is asked for, before anything is done.
static bool check_edits(const struct work *w)
{
    const struct wp_edit_target target = target_of(w);
    bool ok = true;
    for (int i = 0; i < w->options->edits.count && ok; i++)
        ok = wp_edit_check(&w->edit[i], &target);
    return ok;
}

// Most edits make fractions, which a transform of integers has no place for.
static bool check_kind(const struct work *w)
{
    return !w->from.params.reversible ||
           wp_fail(WP_ERROR_USAGE, "%s has the integers of a reversible transform, which cannot be "
                                   "edited"
                                   "\nhint: wavepass forward without --reversible",
                   w->from.path);
}

static bool read_coefficients(struct work *w)
{
    const struct options *o = w->options;
    return wp_open_coefficients(&w->from, w->item.input, &o->transform, &o->volume, o->changed,
                             NULL, &w->image) &&
           check_kind(w) && describe(w) && check_edits(w) &&
           (!o->output ||
            wp_coefficients_write_check(o->output, w->image->planes, w->image->depth, o->force));
}

// Coefficients of one plane are of the luma where they are like an image in colour.
static bool read_like(struct work *w)
{
    const struct options *o = w->options;
    const struct wp_image *c = w->image;
    if (!o->like)
        return true;
    // The coefficients' file may need to be told what it is, and this one is of the same kind.
    struct wp_read_params params = wp_run_read_params(&o->volume);
    params.volume = c->depth > 1 ? WP_VOLUME_YES : WP_VOLUME_NO;
    wp_progress("reading %s", o->like);
    w->like = wp_image_read_with(o->like, &params, NULL);
    if (!w->like)
        return false;
    if (wp_image_colour_planes(c) == 1)
        wp_image_to_gray(w->like);
    const struct wp_image *i = w->like;
    if (i->width != c->width || i->height != c->height || i->depth != c->depth ||
        wp_image_colour_planes(i) != wp_image_colour_planes(c))
        return wp_fail(WP_ERROR_FILE,
                       "%s has %dx%dx%d samples in %d plane%s, and the coefficients have %dx%dx%d "
                       "in %d",
                       o->like, i->width, i->height, i->depth, wp_image_colour_planes(i),
                       WP_PLURAL(wp_image_colour_planes(i)), c->width, c->height, c->depth,
                       wp_image_colour_planes(c));
    enum wp_chosen_by by;
    w->transform = wp_run_create(&w->from.params, w->image, WP_INVERSE, w->from.nonfinite, &by);
    return w->transform != NULL;
}

static bool apply_edits(struct work *w)
{
    const struct wp_edit_target target = target_of(w);
    bool ok = wp_edit_measure(&target, &w->before);
    for (int i = 0; i < w->options->edits.count && ok; i++) {
        wp_progress("editing: %s", w->options->edits.item[i].option);
        ok = wp_edit_apply(&w->edit[i], w->options->sigma, &target, &w->found[i]);
    }
    w->nonfinite = wp_image_count_nonfinite(w->image);
    if (ok && w->nonfinite > w->from.nonfinite)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite (NaN or infinite) after the edits",
               w->item.input, w->nonfinite, WP_PLURAL_IS(w->nonfinite));
    return ok && wp_edit_measure(&target, &w->after);
}

// What was said of the coefficients that were read is true of these.
static struct wp_sidecar describe_result(const struct work *w)
{
    const char *given = w->options->transform.wavelet;
    struct wp_sidecar s = wp_sidecar_of(&w->description, given, NULL, NULL);
    if (w->from.has_sidecar) {
        s = w->from.sidecar;
        s.wavelet = w->wavelet;
        return s;
    }
    s.depth = w->image->depth;
    s.naming = w->from.sidecar.naming;
    s.scheme_named = w->options->transform.scheme != NULL;
    s.precision = NULL;
    if (!s.scheme_named)
        s.scheme = s.form = NULL;
    return s;
}

static bool write_coefficients(struct work *w)
{
    const struct options *o = w->options;
    if (!o->output)
        return true;
    const struct wp_sidecar sidecar = describe_result(w);
    wp_progress("writing %s", o->output);
    return wp_coefficients_write(w->image, &sidecar, o->output, o->force);
}

// In the coefficients' own memory, because nobody needs them any more.
static bool compare(struct work *w)
{
    if (!w->transform)
        return true;
    wp_progress("inverse transform");
    if (!wp_transform_inverse(w->transform, w->image->plane[0], w->image->plane[0]))
        return false;
    wp_run_done(w->transform);
    w->psnr = wp_metrics_psnr(w->image, w->like);
    return true;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

// "0.0412", or "0.0412..0.0431" of several planes or bands.
static void add_range(struct wp_text *text, double least, double most)
{
    char number[WP_NUMBER_SIZE];
    wp_text_add(text, "%s", wp_format_number(number, least, 4));
    if (least < most)
        wp_text_add(text, "..%s", wp_format_number(number, most, 4));
}

static void tell_threshold(const struct work *w, int i)
{
    const struct wp_edit_found *f = &w->found[i];
    struct wp_text text = {0};
    if (w->edit[i].kind != WP_EDIT_THRESHOLD || w->edit[i].rule == WP_EDIT_LIMIT ||
        f->least > f->most)
        return;
    wp_text_add(&text, "%s: noise of ", w->options->edits.item[i].text);
    add_range(&text, f->least_sigma, f->most_sigma);
    wp_text_add(&text, "%s, threshold ", w->options->sigma > 0 ? "" : " (estimated)");
    add_range(&text, f->least, f->most);
    wp_log(WP_LOG_INFO, "%s", wp_text_get(&text));
    wp_text_free(&text);
}

static void add_summary(const struct work *w, struct wp_text *text)
{
    for (int i = 0; i < w->options->edits.count; i++)
        tell_threshold(w, i);
    char number[WP_NUMBER_SIZE];
    wp_text_add(text, "%.0f of %.0f coefficients are not 0", w->after.nonzero, w->after.samples);
    wp_text_add(text, ", %s %%",
                wp_format_number(number, percent(w->after.nonzero, w->after.samples), 4));
    const double energy = percent(w->after.energy, w->before.energy);
    if (isfinite(energy))
        wp_text_add(text, ", with %s %% of the energy", wp_format_number(number, energy, 6));
    if (w->transform && isinf(w->psnr))
        wp_text_add(text, "; the same as %s", w->options->like);
    else if (w->transform)
        wp_text_add(text, "; PSNR %s dB to %s", wp_format_number(number, w->psnr, 4),
                    w->options->like);
}

static json_t *edit_json(const struct work *w, int i)
{
    const struct wp_edit_found *f = &w->found[i];
    json_t *edit = json_pack("{s:s, s:o}", "edit", w->options->edits.item[i].option, "value",
                             wp_json_text(w->options->edits.item[i].text));
    if (w->edit[i].kind != WP_EDIT_THRESHOLD)
        return edit;
    if (w->edit[i].rule != WP_EDIT_LIMIT)
        json_object_set_new(edit, "sigma", json_pack("[o, o]", wp_json_number(f->least_sigma),
                                                     wp_json_number(f->most_sigma)));
    json_object_set_new(edit, "threshold",
                        json_pack("[o, o]", wp_json_number(f->least), wp_json_number(f->most)));
    return edit;
}

static json_t *result_of(const struct work *w)
{
    const struct wp_description *d = &w->description;
    json_t *edits = json_array();
    for (int i = 0; i < w->options->edits.count; i++)
        json_array_append_new(edits, edit_json(w, i));
    char *beside = w->options->output ? wp_sidecar_path(w->options->output) : NULL;
    json_t *result = json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:o, s:{s:o, s:o, s:o, s:o},"
        " s:o, s:I, s:{s:o, s:o, s:o}, s:o}",
        "command", w->call->command->name,                                        //
        "wavelet", wp_json_text(d->wavelet->name),                                //
        "border", wp_border_names[d->border],                                     //
        "norm", wp_norm_names[d->norm],                                           //
        "layout", wp_layout_names[d->layout],                                     //
        "levels", d->levels,                                                      //
        "levels_z", d->levels_z,                                                  //
        "width", w->image->width,                                                 //
        "height", w->image->height,                                               //
        "depth", w->image->depth,                                                 //
        "planes", w->image->planes,                                               //
        "alpha", (int)w->image->alpha,                                            //
        "edits", edits,                                                           //
        "kept",                                                                   //
        "count", wp_json_amount(w->after.nonzero),                                //
        "of", wp_json_amount(w->after.samples),                                   //
        "percent", wp_json_number(percent(w->after.nonzero, w->after.samples)),   //
        "energy_percent", wp_json_number(percent(w->after.energy, w->before.energy)), //
        "psnr", wp_json_number(w->psnr),                                          //
        "nonfinite", (json_int_t)w->nonfinite,                                    //
        "files",                                                                  //
        "coefficients", wp_json_text(w->options->output),                         //
        "sidecar", wp_json_text(beside),                                          //
        "like", wp_json_text(w->options->like),                                   //
        "total_seconds", wp_json_number(wp_seconds_since_start()));
    free(beside);
    return result;
}

static void tell(struct work *w)
{
    add_summary(w, &w->item.summary);
    if (w->call->common.json)
        w->item.result = result_of(w);
}

static bool read_work(void *work)
{
    struct work *w = work;
    const struct options *o = w->options;
    return (!o->output || wp_coefficients_write_check(o->output, 1, 1, o->force)) &&
           read_coefficients(w) && read_like(w);
}

static bool compute_work(void *work)
{
    struct work *w = work;
    if (!apply_edits(w))
        return false;
    if (!w->item.alone)
        tell(w);
    return true;
}

static bool write_work(void *work)
{
    struct work *w = work;
    if (!write_coefficients(w) || !compare(w))
        return false;
    if (w->item.alone)
        tell(w);
    return true;
}

static void begin_work(void *work, const struct wp_call *call, void *user)
{
    struct work *w = work;
    const struct shared *shared = user;
    w->call = call;
    w->own = shared->options;
    w->own.output = w->item.output;
    w->options = &w->own;
    w->edit = shared->edit;
    w->psnr = NAN;
}

static void end_work(void *work)
{
    struct work *w = work;
    wp_close_coefficients(&w->from);
    wp_transform_destroy(&w->transform);
    wp_image_destroy(&w->image);
    wp_image_destroy(&w->like);
}

static enum wp_error run(const struct wp_call *call)
{
    struct shared *shared = wp_xcalloc(1, sizeof *shared);
    shared->options = *(const struct options *)call->options;
    const struct options *o = &shared->options;
    const struct wp_batch batch = {sizeof(struct work), o->output, o->suffix, begin_work, read_work,
                                   compute_work, write_work, end_work};
    const enum wp_error code = check_options(call, o) && parse_edits(shared)
                                   ? wp_batch_run(call, &batch, shared)
                                   : wp_last_error();
    free(shared);
    return code;
}

const struct wp_command wp_command_edit = {
    .name = "edit",
    .summary = "edit coefficients: threshold, zero, scale, keep the largest",
    .arguments = "COEFFS... -o COEFFS2",
    .description =
        "Changes coefficients that 'forward' wrote: --threshold, --keep, --zero, --only, --scale "
        "and --impulse, any number of times, in the order given. Reports the number of non-zero "
        "coefficients, the energy they retain and, with --reference IMAGE, the PSNR of the "
        "reconstruction against that image. 'inverse' reads the result with its metadata "
        "COEFFS2.json.\n\n"
        "Thresholds, the ranking of --keep and the energy use the orthonormal norm, whatever the "
        "norm of the file: white noise of standard deviation S in the image has standard "
        "deviation S in each subband (about S for biorthogonal wavelets such as cdf97). hard:T "
        "zeroes coefficients with |c| <= T; soft:T additionally shrinks the others by T. "
        "'universal' is S sqrt(2 ln n) for the n samples of a channel, known as VisuShrink; "
        "'sure' gives each subband the threshold of minimal estimated risk, known as SureShrink, "
        "which is meant for soft:. S is --sigma, or the median magnitude of the finest diagonal "
        "subband (HH1) divided by 0.6745.\n\n"
        "Subbands are named HL1, HH3, for volumes HLL1, for spatial-temporal volumes HL2.H1; an "
        "unknown name prints the list of valid ones. The channels of a color image have separate "
        "noise estimates and share the ranking; alpha is not changed. Without COEFFS.json, give "
        "the transform parameters as for 'inverse'.\n\n"
        "With several inputs, or if -o ends in '/', COEFFS2 is a folder, as in 'forward'; without "
        "--suffix each file keeps its format.",
    .examples = "wavepass edit c.npy --threshold soft:universal -o d.npy\n"
                "wavepass edit c.npy --keep 5 -o d.npy --reference photo.png\n"
                "wavepass edit c.npy --zero HL1,LH1,HH1 --scale HH2=0.5 -o d.npy\n"
                "wavepass edit coefficients/*.npy --threshold soft:sure -o denoised/\n"
                "wavepass edit c.npy --threshold hard:universal --sigma 0.1 --reference clean.png",
    .arguments_min = 1,
    .arguments_max = WP_ARGUMENTS_ANY,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
