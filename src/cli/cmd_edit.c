#include "flow.h"
#include "command.h"
#include "edit.h"
#include "image.h"
#include "metrics.h"
#include "output.h"
#include "transform.h"
#include "wavepass.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct wp_flow_options flow; // the first member
    struct wp_option_list edits;
    double sigma;
    const char *reference;
};

static void list_thresholds(struct wp_text *text)
{
    for (int s = 0; s < WP_SHRINK_COUNT; s++)
        for (int r = WP_EDIT_UNIVERSAL; r < WP_EDIT_RULES; r++)
            wp_text_add(text, "%s%s:%s", text->length ? " " : "", wp_shrink_names[s],
                        wp_edit_rule_names[r]);
}

static const struct wp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "COEFFS2",
     .help = "coefficient file: .npy, .tiff, .nii, .pfm or .exr, with metadata in COEFFS2.json; .npz "
             "with one array per subband; - writes NPY to stdout",
     .offset = offsetof(struct options, flow.output)},
    {.name = "threshold",
     .kind = WP_OPTION_LIST,
     .value = "HOW:WHICH",
     .help = "hard:T, soft:T or garrote:T for all detail subbands, where T is a number, 'bayes', "
             "'sure' or 'universal'; soft:HL1=0.1,HH1=0.2 for these",
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
     .help = "standard deviation of the noise, " WP_HELP_SIGMA,
     .offset = offsetof(struct options, sigma)},
    {.name = "reference",
     .old = "like",
     .kind = WP_OPTION_TEXT,
     .value = "IMAGE",
     .help = "report the PSNR of the reconstruction against this image",
     .offset = offsetof(struct options, reference)},
    WP_OPTIONS(struct options, flow.changed, wp_options_changed),
    WP_OPTIONS(struct options, flow.transform, wp_options_scheme),
    WP_OPTIONS(struct options, flow.transform, wp_options_layout),
    WP_OPTIONS(struct options, flow, wp_options_files),
    {0},
};

// Options and parsed edits, which the files of a call share.
struct shared {
    struct options options; // the first member
    struct wp_edit edit[WP_OPTION_LIST_MAX];
};

// The state for one file.
struct job {
    struct wp_flow f; // the first member
    const struct shared *shared;
    struct wp_wavelet wavelet;
    struct wp_description description;
    struct wp_image shape; // of the samples, without planes in memory
    struct wp_edit_found found[WP_OPTION_LIST_MAX];
    struct wp_edit_amount before, after;
    double psnr; // NaN without a reference
};

static bool check_options(const struct wp_call *call, const struct options *o)
{
    const bool many = wp_batch_is_many(call, o->flow.output);
    if (o->reference && many)
        return wp_fail(WP_ERROR_USAGE, "--reference is for one file, not for a folder");
    if (!wp_batch_check(call, "-o c2.npy writes the coefficients, --reference IMAGE reports the "
                              "PSNR of the reconstruction", o->reference))
        return false;
    if (o->edits.count == 0)
        return wp_fail(WP_ERROR_USAGE, "nothing to do\nhint: --threshold soft:universal, "
                                       "--keep 5, --zero HL1,HH1, --only, --scale HH1=0.5");
    if (wp_is_stdio(o->reference) && wp_is_stdio(call->argument[0]))
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

static struct wp_edit_target target_of(const struct job *j)
{
    const struct wp_image *c = j->f.coefficients;
    return (struct wp_edit_target){&j->description, j->shape.depth, wp_image_colour_planes(c),
                                   c->plane[0]};
}

// Finds the size of the samples, which with redundant banks and the borders of PyWavelets is not that
// of the coefficients, and the description.
static bool describe(struct job *j)
{
    const struct wp_sidecar *s = &j->f.from.sidecar;
    const int *size = s->description.size;
    j->shape = *j->f.coefficients;
    if (j->f.from.has_sidecar && wp_description_is_expansive(&s->description)) {
        j->shape.width = size[WP_X];
        j->shape.height = size[WP_Y];
        j->shape.depth = size[WP_Z];
    }
    const struct wp_transform_params params = wp_run_sized(j->f.params, &j->shape);
    return wp_transform_resolve(&params, &j->wavelet, &j->description) &&
           (j->description.bank == WP_BANK_PACKETS ||
            wp_description_is_expansive(&j->description) ||
            wp_description_check_native(&j->description, "edit"));
}

// Checks all edits against the coefficients before any is applied.
static bool check_edits(const struct job *j)
{
    const struct wp_edit_target target = target_of(j);
    bool ok = true;
    for (int i = 0; i < j->shared->options.edits.count && ok; i++)
        ok = wp_edit_check(&j->shared->edit[i], &target);
    return ok;
}

// Rejects reversible coefficients: most edits produce fractions, and these are integers.
static bool check_kind(const struct job *j)
{
    return !j->f.from.params.reversible ||
           wp_fail(WP_ERROR_USAGE, "%s has the integers of a reversible transform, which cannot be "
                                   "edited"
                                   "\nhint: wavepass forward without --reversible",
                   j->f.from.path);
}

static bool read_coefficients(struct job *j)
{
    const struct options *o = &j->shared->options;
    struct wp_flow *f = &j->f;
    return wp_open_coefficients(f, NULL, &f->coefficients) && check_kind(j) && describe(j) &&
           check_edits(j) &&
           (!f->output || wp_coefficients_write_check(f->output, f->coefficients->planes,
                                                      f->coefficients->depth, o->flow.force));
}

// Reads the reference image, if there is one, and creates the inverse transform.
static bool read_reference(struct job *j)
{
    const char *path = j->shared->options.reference;
    if (!path)
        return true;
    j->f.image = wp_flow_read_like(&j->f, path, &j->shape, "the coefficients have");
    return j->f.image && wp_flow_create(&j->f);
}

static bool apply_edits(struct wp_flow *f)
{
    struct job *j = (struct job *)f;
    const struct wp_edit_target target = target_of(j);
    const struct wp_edit_noise noise = {.sigma = j->shared->options.sigma};
    bool ok = wp_edit_measure(&target, &j->before);
    for (int i = 0; i < j->shared->options.edits.count && ok; i++) {
        wp_progress("editing: %s", j->shared->options.edits.item[i].option);
        ok = wp_edit_apply(&j->shared->edit[i], &noise, &target, &j->found[i]);
    }
    const size_t before = f->values.nonfinite;
    f->values.nonfinite = wp_image_count_nonfinite(f->coefficients);
    if (ok && f->values.nonfinite > before)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite (NaN or infinite) after the edits",
               f->input, f->values.nonfinite, WP_PLURAL_IS(f->values.nonfinite));
    return ok && wp_edit_measure(&target, &j->after);
}

// The metadata of the result: copied from the input if it has any, else created from the options.
static struct wp_sidecar describe_result(const struct job *j)
{
    const char *given = j->shared->options.flow.transform.wavelet;
    struct wp_sidecar s = wp_sidecar_of(&j->description, given, NULL, NULL);
    if (j->f.from.has_sidecar) {
        s = j->f.from.sidecar;
        s.wavelet = j->wavelet;
        return s;
    }
    s.description.size[WP_Z] = j->f.coefficients->depth;
    s.naming = j->f.from.sidecar.naming;
    s.scheme_named = j->shared->options.flow.transform.scheme != NULL;
    s.precision = NULL;
    if (!s.scheme_named)
        s.scheme = s.form = NULL;
    return s;
}

static bool write_coefficients(struct job *j)
{
    const struct options *o = &j->shared->options;
    if (!j->f.output)
        return true;
    const struct wp_sidecar sidecar = describe_result(j);
    wp_progress("writing %s", j->f.output);
    return wp_coefficients_write(j->f.coefficients, &sidecar, j->f.output, o->flow.force);
}

// Computes the PSNR against the reference. The inverse transform overwrites the coefficients, unless
// they are more than the samples.
static bool compare(struct job *j)
{
    if (!j->f.transform)
        return true;
    struct wp_image *c = j->f.coefficients, *own = NULL;
    if (wp_description_is_expansive(&j->description) &&
        !(own = wp_image_create_volume(j->shape.width, j->shape.height, j->shape.depth, c->planes,
                                       c->alpha)))
        return false;
    struct wp_image *image = own ? own : c;
    wp_progress("inverse transform");
    const bool ok = wp_transform_inverse(j->f.transform, WP_ARRAY(c->plane[0]),
                                         WP_ARRAY(image->plane[0]));
    if (ok) {
        wp_run_done(j->f.transform);
        j->psnr = wp_metrics_psnr(image, j->f.image);
    }
    wp_image_destroy(&own);
    return ok;
}

static double percent(double value, double total)
{
    return total > 0 ? 100 * value / total : NAN;
}

// Adds a range of values over planes and bands: "0.0412" or "0.0412..0.0431".
static void add_range(struct wp_text *text, double least, double most)
{
    char number[WP_NUMBER_SIZE];
    wp_text_add(text, "%s", wp_format_number(number, least, 4));
    if (least < most)
        wp_text_add(text, "..%s", wp_format_number(number, most, 4));
}

static void log_threshold(const struct job *j, int i)
{
    const struct wp_edit_found *f = &j->found[i];
    struct wp_text text = {0};
    if (j->shared->edit[i].kind != WP_EDIT_THRESHOLD || j->shared->edit[i].rule < WP_EDIT_UNIVERSAL ||
        f->least > f->most)
        return;
    wp_text_add(&text, "%s: noise of ", j->shared->options.edits.item[i].text);
    add_range(&text, f->least_sigma, f->most_sigma);
    wp_text_add(&text, "%s, threshold ", j->shared->options.sigma > 0 ? "" : " (estimated)");
    add_range(&text, f->least, f->most);
    wp_log(WP_LOG_INFO, "%s", wp_text_get(&text));
    wp_text_free(&text);
}

static void add_summary(const struct wp_flow *f, struct wp_text *text)
{
    const struct job *j = (const struct job *)f;
    for (int i = 0; i < j->shared->options.edits.count; i++)
        log_threshold(j, i);
    char number[WP_NUMBER_SIZE];
    wp_text_add(text, "%.0f of %.0f coefficients are not 0", j->after.nonzero, j->after.samples);
    wp_text_add(text, ", %s %%",
                wp_format_number(number, percent(j->after.nonzero, j->after.samples), 4));
    const double energy = percent(j->after.energy, j->before.energy);
    if (isfinite(energy))
        wp_text_add(text, ", with %s %% of the energy", wp_format_number(number, energy, 6));
    if (j->f.transform && isinf(j->psnr))
        wp_text_add(text, "; the same as %s", j->shared->options.reference);
    else if (j->f.transform)
        wp_text_add(text, "; PSNR %s dB to %s", wp_format_number(number, j->psnr, 4),
                    j->shared->options.reference);
}

static json_t *edit_json(const struct job *j, int i)
{
    const struct wp_edit_found *f = &j->found[i];
    json_t *edit = json_pack("{s:s, s:o}", "edit", j->shared->options.edits.item[i].option, "value",
                             wp_json_text(j->shared->options.edits.item[i].text));
    if (j->shared->edit[i].kind != WP_EDIT_THRESHOLD)
        return edit;
    if (j->shared->edit[i].rule >= WP_EDIT_UNIVERSAL)
        json_object_set_new(edit, "sigma", json_pack("[o, o]", wp_json_number(f->least_sigma),
                                                     wp_json_number(f->most_sigma)));
    json_object_set_new(edit, "threshold",
                        json_pack("[o, o]", wp_json_number(f->least), wp_json_number(f->most)));
    return edit;
}

static void add_json(const struct wp_flow *f, json_t *result)
{
    const struct job *j = (const struct job *)f;
    const struct wp_description *d = &j->description;
    const struct wp_image *c = j->f.coefficients;
    json_t *edits = json_array();
    for (int i = 0; i < j->shared->options.edits.count; i++)
        json_array_append_new(edits, edit_json(j, i));
    char *sidecar_path = j->f.output ? wp_sidecar_path(j->f.output) : NULL;
    json_object_set_new(result, "wavelet", wp_json_text(d->wavelet->name));
    wp_sidecar_add_fields(result, d, WP_FIELD_SET_COEFFICIENTS);
    json_object_update_new(result, json_pack(
        "{s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:o, s:{s:o, s:o, s:o, s:o}, s:o, s:I,"
        " s:{s:o, s:o, s:o}, s:o}",                                                //
        "levels", d->levels,                                                       //
        "levels_z", d->levels_z,                                                   //
        "width", j->shape.width,                                                   //
        "height", j->shape.height,                                                 //
        "depth", j->shape.depth,                                                   //
        "planes", c->planes,                                                       //
        "alpha", (int)c->alpha,                                                    //
        "edits", edits,                                                            //
        "kept",                                                                    //
        "count", wp_json_amount(j->after.nonzero),                                 //
        "of", wp_json_amount(j->after.samples),                                    //
        "percent", wp_json_number(percent(j->after.nonzero, j->after.samples)),    //
        "energy_percent", wp_json_number(percent(j->after.energy, j->before.energy)),//
        "psnr", wp_json_number(j->psnr),                                           //
        "nonfinite", (json_int_t)j->f.values.nonfinite,                            //
        "files",                                                                   //
        "coefficients", wp_json_text(j->f.output),                                 //
        "sidecar", wp_json_text(sidecar_path),                                     //
        "like", wp_json_text(j->shared->options.reference),                        //
        "total_seconds", wp_json_number(wp_seconds_since_start())));
    free(sidecar_path);
}

static bool read_flow(struct wp_flow *f)
{
    struct job *j = (struct job *)f;
    const struct wp_flow_options *o = f->options;
    j->shared = f->options;
    j->psnr = NAN;
    f->kind = WP_FLOW_EDIT;
    return (!f->output || wp_coefficients_write_check(f->output, 1, 1, o->force)) &&
           read_coefficients(j) && read_reference(j);
}

static bool write_flow(struct wp_flow *f)
{
    return write_coefficients((struct job *)f) && compare((struct job *)f);
}

static const struct wp_flow_command command = {
    .size = sizeof(struct job),
    .direction = WP_INVERSE,
    .reports_last = true,
    .read = read_flow,
    .steps = {[WP_FLOW_EDIT] = {apply_edits, write_flow}},
    .add_summary = add_summary,
    .add_json = add_json,
};

static enum wp_error run(const struct wp_call *call)
{
    struct shared *shared = wp_xcalloc(1, sizeof *shared);
    shared->options = *(const struct options *)call->options;
    const enum wp_error code = check_options(call, &shared->options) && parse_edits(shared)
                                   ? wp_batch_run(call, &command, shared)
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
        "zeroes coefficients with |c| <= T; soft:T additionally shrinks the others by T, and "
        "garrote:T by T^2/|c|. "
        "'universal' is S sqrt(2 ln n) for the n samples of a channel, known as VisuShrink; "
        "'sure' gives each subband the threshold of minimal estimated risk, known as SureShrink, "
        "and 'bayes' S^2/X for a subband whose coefficients without noise have the standard "
        "deviation X, known as BayesShrink; both are meant for soft:. " WP_HELP_ESTIMATE ".\n\n"
        "Subbands are named HL1, HH3, for volumes HLL1, for spatial-temporal volumes HL2.H1, the "
        "planes of a starlet C3, W3, W2, W1, the nodes of wavelet packets aa, ah, d; an unknown"
        " name prints the list of valid ones. The channels of a color image have separate "
        "noise estimates and share the ranking; alpha is not changed. Without COEFFS.json, give "
        "the transform parameters as for 'inverse'.\n\n"
        "With several inputs, or if -o ends in '/', COEFFS2 is a folder, as in 'forward'; without "
        "--suffix each file keeps its format.",
    .examples = "wavepass edit c.npy --threshold soft:universal -o d.npy\n"
                "wavepass edit c.npy --keep 5 -o d.npy --reference photo.png\n"
                "wavepass edit c.npy --zero HL1,LH1,HH1 --scale HH2=0.5 -o d.npy\n"
                "wavepass edit starlet.npy --scale W1=0.5,W3=2 -o equalized.npy\n"
                "wavepass edit coefficients/*.npy --threshold soft:sure -o denoised/\n"
                "wavepass edit c.npy --threshold hard:universal --sigma 0.1 --reference clean.png",
    .arguments_min = 1,
    .arguments_max = WP_ARGUMENTS_ANY,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
