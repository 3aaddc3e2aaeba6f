#include "command.h"
#include "suggest.h"
#include "output.h"
#include "schedule.h"
#include "lesson.h"
#include "report.h"
#include "transform.h"
#include "wavepass.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    // only wavelet, scheme, plain, levels, levels_z, decomposition, border and reversible
    struct wp_transform_params transform;
    const char *output, *input, *raw, *channel, *format, *pixel, *vs, *results, *page;
    int topic, norm, seed, values, bank;
    bool inverse, force, diff, numbers, labels, worksheet, volume;
};

#define OPTION(...) WP_OPTION(struct options, __VA_ARGS__)

static const struct wp_option options[] = {
    OPTION(CHOICE, "show", "TOPIC", topic,
           "topic to explain (default summary)",
           .old = "what", .noun = "topic", WP_WORDS(wp_explain_topic_names)),
    OPTION(WORD, "format", "FORMAT", format,
           "output format, if the topic supports it (default by the suffix of -o, else txt; html "
           "for the report)", WP_WORDS(wp_explain_format_names)),
    OPTION(FLAG, "volume", NULL, volume,
           "explain volumes (x, y and z); default if a planar scheme is named or --input has "
           "slices"),
    OPTION(TEXT, "input", "IMAGE", input,
           "image or volume to run the passes on: for passes, pixel, report, all"),
    OPTION(TEXT, "raw", "WxHxD:TYPE[:OFFSET]", raw,
           "--input is a file without a header, as in 'forward'"),
    WP_OPTIONS(struct options, values, wp_options_values),
    WP_OPTIONS(struct options, channel, wp_options_channel),
    OPTION(TEXT, "pixel", "X,Y[,Z]", pixel,
           "show the worked calculation of every pass for this pixel or voxel of --input"),
    OPTION(TEXT, "vs", "SCHEME", vs,
           "with --pixel: compare with a second scheme (or SCHEME/plain)"),
    OPTION(FLAG, "diff", NULL, diff, "compare the shaders of two schemes A B line by line"),
    OPTION(FLAG, "numbers", NULL, numbers, "print matrices as numbers instead of symbols"),
    OPTION(FLAG, "labels", NULL, labels, "label the arrows of a diagram with coefficients"),
    OPTION(FLAG, "worksheet", NULL, worksheet,
           "with report: a worksheet with blanks, and the answers at the end"),
    OPTION(INT, "seed", "N", seed,
           "with --worksheet: number of the set of questions (default 1)",
           .minimum = 1, .maximum = WP_QUESTION_SEED_MAX),
    OPTION(TEXT, "web-url", "URL", page,
           "with report: link to the interactive web page at this address", .old = "page"),
    OPTION(TEXT, "results", "FILE", results,
           "with report: JSON of 'wavepass bench', for a table of times"),
    OPTION(LEVELS, "levels", "N|max", transform.levels,
           "with --input: levels (default 1); with bands (default 3); with shift: the level whose "
           "details are shown (1 to 4, default 2)", .letter = 'l'),
    OPTION(LEVELS, "levels-z", "N", transform.levels_z,
           "with bands, for volumes: levels along z, or 0 (default: same as -l)",
           .none = WP_LEVELS_NONE),
    OPTION(WORD, "decomposition", "KIND", transform.decomposition,
           "with bands, for volumes: dyadic, or spatial-temporal, t+2D (default dyadic)",
           WP_WORDS(wp_decomposition_names)),
    OPTION(WORD, "border", "KIND", transform.border,
           "with --input, for border and report: boundary extension mode (default symmetric; "
           "periodic for asymmetric wavelets)",
           WP_WORDS(wp_border_names)),
    OPTION(FLAG, "inverse", NULL, inverse, "explain the inverse transform"),
    OPTION(CHOICE, "norm", "KIND", norm,
           "normalization of the coefficients (default jpeg2000)", WP_WORDS(wp_norm_names)),
    OPTION(CHOICE, "bank", "KIND", bank,
           "filter bank (default decimated); redundant ones for summary, ops, matrix, glsl and "
           "diagram, packets for bands", WP_WORDS(wp_bank_names)),
    OPTION(TEXT, "tree", "TREE", transform.tree,
           "with bands and --bank packets: a digit for each node above the last level, 1 if it is "
           "split, followed by its children, or 0"),
    OPTION(TEXT, "output", "FILE", output,
           "output file (default stdout); a directory for passes and all", .letter = 'o'),
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, transform, wp_options_reversible),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

static bool is_known_wavelet(const char *name)
{
    struct stat info;
    return (stat(name, &info) == 0 && S_ISREG(info.st_mode)) || wp_wavelet_is_known(name);
}

// Removes a form such as "/optimized" from the end of `target`. False if there is none.
static bool strip_form(char *target, enum wp_form *form)
{
    const char *slash = strrchr(target, '/');
    const int found = slash ? wp_name_index(slash + 1, wp_form_names, WP_FORM_COUNT) : -1;
    if (found < 0)
        return false;
    *form = (enum wp_form)found;
    target[slash - target] = '\0';
    return true;
}

// Removes "/SCHEME" from the end of `target`. Wavelets may contain slashes too ("5/3", paths), so
// the part after the last slash is a scheme if it is a scheme's name. It is an invalid scheme if
// `required`, because a form follows, or if the part before the slash is a wavelet; false then,
// after WP_ERROR_USAGE.
static bool strip_scheme(char *target, bool required, const struct wp_scheme_kind **kind)
{
    char *slash = strrchr(target, '/');
    if (!slash)
        return true;
    const struct wp_scheme_kind *named = wp_scheme_kind_named(slash + 1);
    *slash = '\0';
    if (named) {
        *kind = named;
        return true;
    }
    required = required || is_known_wavelet(target);
    *slash = '/';
    if (!required || is_known_wavelet(target))
        return true;
    return wp_scheme_kind_find(slash + 1, 3) != NULL;
}

// Parses "cdf97", "cdf97/ns-lift" or "cdf97/nonsep-lifting/plain".
static bool read_target(const char *argument, struct wp_wavelet *wavelet,
                        struct wp_explain_params *params)
{
    char *target = wp_xstrdup(argument);
    const bool has_form = strip_form(target, &params->form);
    const bool ok = strip_scheme(target, has_form, &params->kind) &&
                    wp_wavelet_find(target, wavelet);
    free(target);
    if (ok && has_form && !params->kind)
        return wp_fail(WP_ERROR_USAGE, "'%s' names a form without a scheme\nhint: "
                                       "WAVELET/SCHEME/FORM, or --no-optimize", argument);
    return ok;
}

// Parses "ns-lift" or "ns-lift/plain".
static bool read_scheme(const char *argument, const struct wp_scheme_kind **kind,
                        enum wp_form *form)
{
    char *name = wp_xstrdup(argument);
    strip_form(name, form);
    *kind = wp_scheme_kind_find(name, 3);
    free(name);
    return *kind;
}

static bool is_scheme(const char *argument)
{
    char *name = wp_xstrdup(argument);
    enum wp_form form;
    strip_form(name, &form);
    const bool found = wp_scheme_kind_named(name);
    free(name);
    return found;
}

// Sets the format: from --format or --json, otherwise from the suffix of -o. Shaders and wavelet
// files may have any suffix. False after WP_ERROR_USAGE.
static bool find_format(const struct wp_call *call, struct wp_explain_params *params)
{
    const struct options *o = call->options;
    const char *name = o->output ? strrchr(o->output, '/') : NULL;
    const char *suffix = o->output ? strrchr(name ? name : o->output, '.') : NULL;
    const char *given = o->format ? o->format : call->common.json ? "json" : NULL;
    if (o->format && call->common.json && strcmp(o->format, "json") != 0)
        return wp_fail(WP_ERROR_USAGE, "both --json and --format %s", o->format);
    if (!given && suffix && !wp_report_is_files(params->topic))
        given = suffix + 1;
    params->format = params->topic == WP_EXPLAIN_REPORT ? WP_EXPLAIN_HTML : WP_EXPLAIN_TXT;
    if (!given)
        return true;
    const int format = wp_name_index(given, wp_explain_format_names, WP_EXPLAIN_FORMAT_COUNT);
    if (format >= 0)
        params->format = (enum wp_explain_format)format;
    const bool any = params->topic == WP_EXPLAIN_GLSL || params->topic == WP_EXPLAIN_CUDA ||
                     params->topic == WP_EXPLAIN_STEPS;
    if (format >= 0 || (any && !o->format && !call->common.json))
        return true;
    struct wp_text known = {0};
    for (int f = 0; f < WP_EXPLAIN_FORMAT_COUNT; f++)
        if (wp_explain_has(params->topic, (enum wp_explain_format)f))
            wp_text_add(&known, "%s.%s", known.length ? ", " : "", wp_explain_format_names[f]);
    wp_fail(WP_ERROR_USAGE, "cannot write %s (unknown suffix)\nhint: use %s, or --format",
            o->output, wp_text_get(&known));
    wp_text_free(&known);
    return false;
}

// The topic: --show, or implied by --pixel or --diff.
static enum wp_explain_topic find_topic(const struct options *o)
{
    if (o->topic == WP_EXPLAIN_SUMMARY && o->pixel)
        return WP_EXPLAIN_PIXEL;
    if (o->topic == WP_EXPLAIN_SUMMARY && o->diff)
        return WP_EXPLAIN_GLSL;
    return (enum wp_explain_topic)o->topic;
}

// Rejects options that have no effect on the topic.
static bool check_use(const struct options *o, enum wp_explain_topic topic)
{
    enum {
        MATRIX = 1 << WP_EXPLAIN_MATRIX,
        GLSL = 1 << WP_EXPLAIN_GLSL,
        CUDA = 1 << WP_EXPLAIN_CUDA,
        DIAGRAM = 1 << WP_EXPLAIN_DIAGRAM,
        FOOTPRINT = 1 << WP_EXPLAIN_FOOTPRINT,
        BANDS = 1 << WP_EXPLAIN_BANDS,
        BORDER = 1 << WP_EXPLAIN_BORDER,
        SHIFT = 1 << WP_EXPLAIN_SHIFT,
        PASSES = 1 << WP_EXPLAIN_PASSES,
        PIXEL = 1 << WP_EXPLAIN_PIXEL,
        REPORT = 1 << WP_EXPLAIN_REPORT,
        ALL = 1 << WP_EXPLAIN_ALL,
        COUNTS = 1 << WP_EXPLAIN_SUMMARY | 1 << WP_EXPLAIN_OPS | 1 << WP_EXPLAIN_TILES,
        RUNS = MATRIX | GLSL | PASSES | PIXEL | REPORT | ALL,
    };
    static const struct {
        const char *name;
        int use;
    } uses[] = {
        {"input", PASSES | PIXEL | REPORT | ALL},
        {"raw", PASSES | PIXEL | REPORT | ALL},
        {"values", PASSES | PIXEL | REPORT | ALL},
        {"channel", PASSES | PIXEL | REPORT | ALL},
        {"pixel", PIXEL | REPORT | ALL},
        {"levels", BANDS | SHIFT | PASSES | PIXEL | REPORT | ALL},
        {"levels-z", BANDS},
        {"decomposition", BANDS},
        {"border", BORDER | PASSES | PIXEL | REPORT | ALL},
        {"scheme", COUNTS | CUDA | DIAGRAM | FOOTPRINT | RUNS},
        {"reversible", 1 << WP_EXPLAIN_SUMMARY | MATRIX | GLSL | DIAGRAM},
        {"no-optimize", COUNTS | DIAGRAM | FOOTPRINT | RUNS},
        {"inverse", COUNTS | CUDA | BORDER | DIAGRAM | FOOTPRINT | RUNS},
        {"norm", BORDER | RUNS},
        {"bank", 1 << WP_EXPLAIN_SUMMARY | 1 << WP_EXPLAIN_OPS | MATRIX | GLSL | DIAGRAM | BANDS},
        {"tree", BANDS},
        {"vs", PIXEL},
        {"diff", GLSL},
        {"numbers", MATRIX},
        {"labels", DIAGRAM | REPORT},
        {"worksheet", REPORT},
        {"seed", REPORT},
        {"web-url", REPORT},
        {"results", REPORT | ALL},
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].use >> topic & 1 || !wp_option_is_given(options, uses[i].name, o))
            continue;
        struct wp_text list = {0};
        for (int w = 0; w < WP_EXPLAIN_TOPIC_COUNT; w++)
            if (uses[i].use >> w & 1)
                wp_text_add(&list, "%s%s", list.length ? ", " : "", wp_explain_topic_names[w]);
        wp_fail(WP_ERROR_USAGE, "--%s is not for --show %s\nhint: it is for --show %s",
                uses[i].name, wp_explain_topic_names[topic], wp_text_get(&list));
        wp_text_free(&list);
        return false;
    }
    return true;
}

// Finds the wavelet and the scheme that the argument, -w or -s name.
static bool read_subject(const struct options *o, const char *argument, struct wp_wavelet *wavelet,
                         struct wp_explain_params *params)
{
    if (o->transform.scheme && !(params->kind = wp_scheme_kind_find(o->transform.scheme, 3)))
        return false;
    if (!argument)
        return wp_wavelet_find(o->transform.wavelet      ? o->transform.wavelet
                               : o->transform.reversible ? "cdf53"
                                                         : "cdf97",
                               wavelet);
    if (o->transform.wavelet)
        return wp_fail(WP_ERROR_USAGE, "both '%s' and -w name a wavelet", argument);
    const struct wp_scheme_kind *given = params->kind;
    if (!read_target(argument, wavelet, params))
        return false;
    if (given && params->kind != given)
        return wp_fail(WP_ERROR_USAGE, "both '%s' and -s name a scheme", argument);
    return true;
}

// Sets the levels for --show bands, which has no image size that limits them.
static bool set_levels(const struct options *o, struct wp_explain_params *explain)
{
    const struct wp_transform_params *t = &o->transform;
    if (explain->topic != WP_EXPLAIN_BANDS)
        return true;
    if (t->levels == WP_LEVELS_MOST || t->levels_z == WP_LEVELS_MOST)
        return wp_fail(WP_ERROR_USAGE, "--show bands has no size that limits the levels"
                                       "\nhint: give a number of levels");
    const int levels = t->levels ? t->levels : WP_EXPLAIN_LEVELS;
    const int levels_z = t->levels_z ? t->levels_z : levels;
    if (levels > WP_MAX_LEVELS || levels_z > WP_MAX_LEVELS)
        return wp_fail(WP_ERROR_USAGE, "at most %d levels are supported", WP_MAX_LEVELS);
    explain->levels = levels;
    explain->levels_z = levels_z == WP_LEVELS_NONE ? 0 : levels_z;
    if (t->levels_z || t->decomposition)
        explain->dims = 3;
    if (t->decomposition)
        explain->decomposition = (enum wp_decomposition)wp_name_index(
            t->decomposition, wp_decomposition_names, WP_DECOMPOSITION_COUNT);
    return true;
}

static struct wp_report_params get_params(const struct options *o,
                                           const struct wp_wavelet *wavelet)
{
    return (struct wp_report_params){
        .explain = {.wavelet = wavelet,
                    .form = o->transform.plain ? WP_FORM_PLAIN : WP_FORM_SHADER,
                    .direction = o->inverse ? WP_INVERSE : WP_FORWARD,
                    .norm = (enum wp_norm)o->norm,
                    .bank = (enum wp_bank)o->bank,
                    .tree = o->transform.tree,
                    .topic = find_topic(o),
                    .numbers = o->numbers,
                    .arrows = o->labels ? WP_EXPLAIN_LABELLED_ARROWS : WP_EXPLAIN_ARROWS},
        .input = {.image = o->input,
                  .read = {.raw = o->raw, .values = (enum wp_values)o->values},
                  .channel = o->channel,
                  .volume = o->volume,
                  .border = o->transform.border,
                  .levels = o->transform.levels},
        .worksheet = o->worksheet,
        .seed = o->seed,
        .page = o->page,
        .results = o->results,
        .directory = o->output,
        .overwrite = o->force,
    };
}

static bool read_pixel(const char *text, int pixel[3])
{
    char *copy = wp_xstrdup(text), *at = copy;
    int axes = 0;
    bool ok = true;
    pixel[2] = WP_REPORT_NO_Z;
    for (; at && ok; axes++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        ok = axes < 3 && wp_parse_int(at, &pixel[axes]);
        at = comma;
    }
    free(copy);
    return (ok && axes >= 2) ||
           wp_fail(WP_ERROR_USAGE, "--pixel: '%s' is not a position"
                                   "\nhint: X,Y from the top left corner, for example 12,7; X,Y,Z "
                                   "for volumes", text);
}

// Sorts the arguments of --diff: two are schemes, and one that is not a scheme is the wavelet,
// which is stored in `*subject`.
static bool find_diff(const struct wp_call *call, const char *scheme[2], const char **subject)
{
    int schemes = 0, others = 0;
    for (int i = 0; i < call->argument_count; i++) {
        // After a wavelet, an unknown name is a misspelled scheme, which read_scheme() reports.
        if (schemes < 2 && (is_scheme(call->argument[i]) || others == 1))
            scheme[schemes++] = call->argument[i];
        else if (others++ == 0)
            *subject = call->argument[i];
    }
    return (schemes == 2 && others < 2) ||
           wp_fail(WP_ERROR_USAGE, "--diff needs two schemes\nhint: wavepass explain cdf97 "
                                   "--diff sep-lift ns-lift");
}

// Rejects a topic or an option without the options that it requires.
static bool check_needs(const struct options *o, enum wp_explain_topic topic)
{
    if (topic == WP_EXPLAIN_PASSES && (!o->input || !o->output))
        return wp_fail(WP_ERROR_USAGE, "--show passes needs an image and a directory\n"
                                       "hint: --input IMAGE -o DIR");
    if (topic == WP_EXPLAIN_PIXEL && (!o->input || !o->pixel))
        return wp_fail(WP_ERROR_USAGE, "--show pixel needs an image and a position\n"
                                       "hint: --input IMAGE --pixel X,Y");
    if (o->raw && !o->input)
        return wp_fail(WP_ERROR_USAGE, "--raw needs a file\nhint: --input FILE");
    if (o->channel && !o->input)
        return wp_fail(WP_ERROR_USAGE, "--channel needs an image\nhint: --input IMAGE");
    if (o->pixel && !o->input)
        return wp_fail(WP_ERROR_USAGE, "--pixel needs an image\nhint: --input IMAGE");
    if (o->seed && !o->worksheet)
        return wp_fail(WP_ERROR_USAGE, "--seed is for worksheets\nhint: --worksheet");
    if (topic == WP_EXPLAIN_ALL && !o->output)
        return wp_fail(WP_ERROR_USAGE, "--show all needs a directory\nhint: -o DIR");
    return true;
}

// Rejects --format, --json and stdout for topics that write several files to a directory.
static bool check_files(const struct wp_call *call, enum wp_explain_topic topic)
{
    const struct options *o = call->options;
    if (!wp_report_is_files(topic))
        return true;
    if (o->format || call->common.json)
        return wp_fail(WP_ERROR_USAGE, "--show %s writes files of several formats"
                                       "\nhint: omit --%s", wp_explain_topic_names[topic],
                       o->format ? "format" : "json");
    if (o->output && strcmp(o->output, "-") == 0)
        return wp_fail(WP_ERROR_USAGE, "--show %s writes a directory, not to stdout\nhint: -o DIR",
                       wp_explain_topic_names[topic]);
    return true;
}

// True for the schemes that only volumes have.
static bool is_planar(const struct wp_scheme_kind *kind)
{
    return kind && kind->fusion == WP_FUSE_PLANE;
}

// Sets the scheme of reversible transforms, which is sep-lifting, plain.
static bool set_reversible(const struct wp_wavelet *wavelet, struct wp_report_params *params)
{
    struct wp_explain_params *explain = &params->explain;
    const struct wp_description d = {
        .wavelet = wavelet,
        .border = WP_BORDER_PERIODIC,
        .kind = explain->kind,
        .norm = explain->norm,
        .size = {2, 2, explain->dims == 3 ? 2 : 1},
        .reversible = true,
    };
    if (!wp_transform_check_reversible(wavelet) || !wp_description_check(&d))
        return false;
    if (params->other)
        return wp_fail(WP_ERROR_USAGE, "--reversible has only one scheme, so no other can be "
                                       "compared");
    explain->reversible = true;
    explain->kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING];
    explain->form = WP_FORM_PLAIN;
    return true;
}

// Reads the arguments: a wavelet, and with --diff two schemes.
static bool read_arguments(const struct wp_call *call, struct wp_wavelet *wavelet,
                           struct wp_report_params *params)
{
    const struct options *o = call->options;
    const char *scheme[2], *subject = call->argument_count ? call->argument[0] : NULL;
    if (o->diff) {
        subject = NULL;
        if (!find_diff(call, scheme, &subject))
            return false;
    } else if (call->argument_count > 1) {
        return wp_fail(WP_ERROR_USAGE, "unexpected argument '%s'\nhint: one "
                                       "WAVELET/SCHEME, or --diff for two schemes",
                       call->argument[1]);
    }
    struct wp_explain_params *explain = &params->explain;
    if (!check_use(o, explain->topic) || !read_subject(o, subject, wavelet, explain))
        return false;
    params->other_form = explain->form;
    if (o->diff && !(read_scheme(scheme[0], &explain->kind, &explain->form) &&
                     read_scheme(scheme[1], &params->other, &params->other_form)))
        return false;
    if (o->vs && !read_scheme(o->vs, &params->other, &params->other_form))
        return false;
    if (o->volume || is_planar(explain->kind) || is_planar(params->other))
        explain->dims = 3;
    return set_levels(o, explain) && (!o->transform.reversible || set_reversible(wavelet, params));
}

// JSON, and costs in TeX, describe quads.
static bool check_bank(const struct options *o, const struct wp_explain_params *explain)
{
    const char *bank = wp_bank_names[explain->bank];
    if (o->transform.tree && explain->bank != WP_BANK_PACKETS)
        return wp_fail(WP_ERROR_USAGE, "--tree is for --bank %s", wp_bank_names[WP_BANK_PACKETS]);
    if (explain->bank == WP_BANK_DECIMATED)
        return true;
    if (explain->bank == WP_BANK_PACKETS)
        return explain->topic == WP_EXPLAIN_BANDS ||
               wp_fail(WP_ERROR_USAGE, "--bank %s runs the passes of bank %s on all nodes of a "
                       "level\nhint: omit it, or use --show bands", bank,
                       wp_bank_names[WP_BANK_DECIMATED]);
    if (explain->topic == WP_EXPLAIN_BANDS)
        return wp_fail(WP_ERROR_USAGE, "--bank %s is not for --show bands: all bands have the size of "
                       "the image", bank);
    if (o->diff || o->transform.reversible)
        return wp_fail(WP_ERROR_USAGE, "--%s is for bank '%s', not '%s'",
                       o->diff ? "diff" : "reversible", wp_bank_names[WP_BANK_DECIMATED], bank);
    const enum wp_explain_format format = explain->format;
    const bool tex = format == WP_EXPLAIN_TEX && explain->topic == WP_EXPLAIN_OPS;
    return (format != WP_EXPLAIN_JSON && format != WP_EXPLAIN_HTML && !tex) ||
           wp_fail(WP_ERROR_USAGE, "--bank %s does not support --format %s for --show %s"
                   "\nhint: omit --format", bank, wp_explain_format_names[explain->format],
                   wp_explain_topic_names[explain->topic]);
}

static bool explain(const struct wp_call *call, struct wp_wavelet *wavelet, struct wp_text *text)
{
    const struct options *o = call->options;
    struct wp_report_params params = get_params(o, wavelet);
    const enum wp_explain_topic topic = params.explain.topic;
    int pixel[3];
    if (!find_format(call, &params.explain) || !read_arguments(call, wavelet, &params))
        return false;
    if (params.explain.form == WP_FORM_BLOCK && topic >= WP_EXPLAIN_PASSES)
        return wp_fail(WP_ERROR_USAGE, "the block form does not run as render passes"
                                       "\nhint: omit '/%s'", wp_form_names[WP_FORM_BLOCK]);
    if (!check_bank(o, &params.explain) || !check_files(call, topic) || !check_needs(o, topic) ||
        (o->pixel && !read_pixel(o->pixel, pixel)))
        return false;
    params.pixel = o->pixel ? pixel : NULL;
    if (o->input)
        wp_progress("reading %s", o->input);
    if (!wp_report(&params, text))
        return false;
    return wp_report_is_files(topic) ||
           wp_output_text(o->output ? o->output : "-", o->force, wp_text_get(text));
}

static enum wp_error run(const struct wp_call *call)
{
    struct wp_text text = {0};
    struct wp_wavelet wavelet;
    const bool ok = explain(call, &wavelet, &text);
    wp_text_free(&text);
    return ok ? WP_ERROR_NONE : wp_last_error();
}

const struct wp_command wp_command_explain = {
    .name = "explain",
    .summary = "explain a scheme: passes, counts, diagrams, shaders, numbers",
    .arguments = "[WAVELET[/SCHEME[/plain]]]",
    .description =
        "Explains what a wavelet and scheme compute. Without --show, prints a one-page summary. "
        "--show ops counts steps, operations and fetches, for all schemes unless one is named. "
        "--show tiles counts them for implementations that run a level in one draw or dispatch, "
        "with halos. --show matrix prints the matrix of every pass and its constant steps. --show "
        "glsl prints the shaders; --diff compares those of two schemes. --show cuda prints the "
        "kernel in which a thread block computes a level. --show diagram draws the data flow: an "
        "arrow is a multiply-add, a bar is a barrier. --show footprint shows which samples a "
        "coefficient depends on. The default scheme of these is nonsep-polyconvolution. --show "
        "filters shows the taps of the wavelet, their frequency responses, and the scaling and "
        "wavelet functions. --show factoring shows the lifting factorization with every "
        "polynomial; --show steps prints a wavelet file with the lifting steps. --show border "
        "shows the sums of one level along an axis that read beyond an end of the samples: how "
        "--border extends them, and the weights before and after extended samples are replaced. "
        "--show shift compares the decimated and undecimated details of a pulse with those of the "
        "same pulse moved by one sample, and their energies. --show bands "
        "lists the subbands of -l levels, for volumes with --levels-z, and with --decomposition "
        "spatial-temporal those of t+2D: all levels of each slice, then all along z.\n\n"
        "--volume explains volumes: octets of 2x2x2 samples instead of quads, r, g, b, a of the "
        "even slice and R, G, B, A of the odd one, nine schemes instead of six (planar schemes "
        "process both axes of a slice together), matrices of eight rows, diagrams and footprints "
        "slice by slice.\n\n"
        "With --input, passes run on the gray values of an image in double precision; for color "
        "images on the luma (Rec. 601), or with --channel on one channel; the images of a report "
        "are in color. With --inverse they run on the coefficients. --show passes writes the "
        "result of every pass to DIR/NN_*.npy, with its image and shader, and a list of them to "
        "DIR/index.json. --pixel X,Y shows the worked calculation of every pass, up to the "
        "coefficient at this position of the in-place transform (forward --layout mixed), with a "
        "border of PyWavelets at this position of the array that 'forward' writes, and "
        "with --vs that of a second scheme. For volumes it is --pixel X,Y,Z.\n\n"
        "--show report writes one HTML page for a class, with all schemes unless one is named, "
        "and --worksheet one to fill in, followed by a set of questions that --seed selects. With "
        "--web-url URL its schemes, passes and questions are links to the same topic on the "
        "interactive web page (an installation has it in share/wavepass/web if it was built); a "
        "relative address is relative to the report. When printed, only expanded sections are "
        "included: by default the passes of the default scheme, at most four pages. --show all "
        "writes everything to a directory.",
    .examples = "wavepass explain cdf97\n"
                "wavepass explain cdf97/ns-lift --show matrix --numbers\n"
                "wavepass explain cdf53/ns-conv/plain --show glsl --inverse\n"
                "wavepass explain cdf97 --diff sep-lift ns-lift\n"
                "wavepass explain cdf97/ns-poly --show diagram -o diagram.svg\n"
                "wavepass explain cdf53/ns-lift --vs sep-lift --input photo.png --pixel 12,7\n"
                "wavepass explain cdf97 --show report --input photo.png -o cdf97.html\n"
                "wavepass explain cdf53 --show report --worksheet --seed 7 --web-url index.html -o w.html\n"
                "wavepass explain dd137 --show ops --format csv\n"
                "wavepass explain cdf97 --volume --show ops\n"
                "wavepass explain cdf53 --show border --border pywt-smooth\n"
                "wavepass explain haar --show shift -l 2 -o shift.svg\n"
                "wavepass explain --show bands -l 2 --decomposition spatial-temporal\n"
                "wavepass explain cdf53/pl-lift --show diagram -o octets.svg\n"
                "wavepass explain cdf53/ns-conv --input head.nii.gz --pixel 90,108,90",
    .arguments_max = 3,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
