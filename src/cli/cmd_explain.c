#include "command.h"
#include "explain.h"
#include "explain_passes.h"
#include "memory.h"
#include "output.h"
#include "wavepass.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    struct wp_transform_params transform; // wavelet, scheme and plain alone
    const char *output, *input;
    int what, format, norm;
    bool inverse, force;
};

static const struct wp_option options[] = {
    {.name = "what",
     .kind = WP_OPTION_CHOICE,
     .value = "WHAT",
     .help = "what to show (default summary)",
     .offset = offsetof(struct options, what),
     .words = wp_explain_what_names,
     .word_count = WP_EXPLAIN_WHAT_COUNT},
    {.name = "format",
     .kind = WP_OPTION_CHOICE,
     .value = "FORMAT",
     .help = "txt for all; csv, md, svg and tex where there are such (default by the suffix of -o, else txt)",
     .offset = offsetof(struct options, format),
     .words = wp_explain_format_names,
     .word_count = WP_EXPLAIN_FORMAT_COUNT},
    {.name = "input",
     .kind = WP_OPTION_TEXT,
     .value = "IMAGE",
     .help = "for --what passes: the image that they run on",
     .offset = offsetof(struct options, input)},
    {.name = "inverse",
     .kind = WP_OPTION_FLAG,
     .help = "the inverse transform",
     .offset = offsetof(struct options, inverse)},
    {.name = "norm",
     .kind = WP_OPTION_CHOICE,
     .value = "KIND",
     .help = "scaling of the coefficients (default jpeg2000)",
     .offset = offsetof(struct options, norm),
     .words = wp_norm_names,
     .word_count = WP_NORM_COUNT},
    {.name = "output",
     .letter = 'o',
     .kind = WP_OPTION_TEXT,
     .value = "FILE",
     .help = "file to write to (default stdout); the directory for --what passes",
     .offset = offsetof(struct options, output)},
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

static bool is_known_wavelet(const char *name)
{
    struct stat info;
    bool known = stat(name, &info) == 0 && S_ISREG(info.st_mode);
    char **names = wp_wavelet_names();
    for (int i = 0; names[i] && !known; i++)
        known = strcmp(names[i], name) == 0;
    wp_wavelet_free_names(names);
    return known;
}

// Cuts "/optimized" and the like off the end of `target`.
static bool cut_form(char *target, enum wp_form *form)
{
    const char *slash = strrchr(target, '/');
    for (int f = 0; slash && f < WP_FORM_COUNT; f++) {
        if (strcmp(slash + 1, wp_form_names[f]) == 0) {
            *form = (enum wp_form)f;
            target[slash - target] = '\0';
            return true;
        }
    }
    return false;
}

// Cuts "/SCHEME" off the end of `target`. Wavelets have slashes too ("5/3", paths): what stands
// behind one is a scheme where it is the name of one, or must be one where a form follows or
// a wavelet stands before it.
static bool cut_scheme(char *target, bool must, const struct wp_scheme_kind **kind)
{
    char *slash = strrchr(target, '/');
    if (!slash)
        return true;
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        if (strcmp(slash + 1, wp_scheme_kinds[k].name) == 0 ||
            strcmp(slash + 1, wp_scheme_kinds[k].alias) == 0) {
            *kind = &wp_scheme_kinds[k];
            *slash = '\0';
            return true;
        }
    }
    *slash = '\0';
    must = must || is_known_wavelet(target);
    *slash = '/';
    if (!must || is_known_wavelet(target))
        return true;
    return wp_scheme_kind_find(slash + 1) != NULL;
}

// "cdf97", "cdf97/ns-lift", "cdf97/nonsep-lifting/plain".
static bool read_target(const char *argument, struct wp_wavelet *wavelet,
                        struct wp_explain_params *params)
{
    char *target = wp_xstrdup(argument);
    const bool has_form = cut_form(target, &params->form);
    const bool ok = cut_scheme(target, has_form, &params->kind) &&
                    wp_wavelet_find(target, wavelet);
    free(target);
    if (ok && has_form && !params->kind)
        return wp_fail(WP_ERROR_USAGE, "'%s' names a form without a scheme\nhint: "
                                       "WAVELET/SCHEME/FORM, or --plain", argument);
    return ok;
}

// What --format says, or where it is left out what the suffix of -o says.
static enum wp_explain_format find_format(const struct options *o)
{
    const char *suffix = o->output ? strrchr(o->output, '.') : NULL;
    for (int f = 0; suffix && o->format == WP_EXPLAIN_TXT && f < WP_EXPLAIN_FORMAT_COUNT; f++)
        if (o->what != WP_EXPLAIN_PASSES && strcmp(suffix + 1, wp_explain_format_names[f]) == 0)
            return (enum wp_explain_format)f;
    return (enum wp_explain_format)o->format;
}

static bool read_options(const struct wp_call *call, struct wp_wavelet *wavelet,
                         struct wp_explain_params *params)
{
    const struct options *o = call->options;
    *params = (struct wp_explain_params){
        .wavelet = wavelet,
        .form = o->transform.plain ? WP_FORM_PLAIN : WP_FORM_SHADER,
        .direction = o->inverse ? WP_INVERSE : WP_FORWARD,
        .norm = (enum wp_norm)o->norm,
        .what = (enum wp_explain_what)o->what,
        .format = find_format(o),
    };
    if (o->transform.scheme && !(params->kind = wp_scheme_kind_find(o->transform.scheme)))
        return false;
    if (call->argument_count == 0)
        return wp_wavelet_find(o->transform.wavelet ? o->transform.wavelet : "cdf97", wavelet);
    if (o->transform.wavelet)
        return wp_fail(WP_ERROR_USAGE, "both '%s' and -w name a wavelet", call->argument[0]);
    const struct wp_scheme_kind *given = params->kind;
    if (!read_target(call->argument[0], wavelet, params))
        return false;
    if (given && params->kind != given)
        return wp_fail(WP_ERROR_USAGE, "both '%s' and -s name a scheme", call->argument[0]);
    return true;
}

static bool dump_passes(const struct options *o, const struct wp_explain_params *params)
{
    if (!o->input || !o->output)
        return wp_fail(WP_ERROR_USAGE, "--what passes needs an image and a directory\n"
                                       "hint: --input IMAGE -o DIR");
    if (params->direction == WP_INVERSE || params->form == WP_FORM_BLOCK ||
        params->format != WP_EXPLAIN_TXT)
        return wp_fail(WP_ERROR_USAGE, "--what passes shows the forward transform as render "
                                       "passes, in files of their own\nhint: leave out "
                                       "--inverse, --format and '/%s'",
                       wp_form_names[WP_FORM_BLOCK]);
    return wp_explain_passes(params, o->input, o->output, o->force);
}

static bool explain(const struct wp_call *call, struct wp_wavelet *wavelet, struct wp_text *text)
{
    const struct options *o = call->options;
    struct wp_explain_params params;
    if (call->common.json)
        return wp_fail(WP_ERROR_USAGE, "explain has no --json\nhint: --what ops --format csv");
    if (!read_options(call, wavelet, &params))
        return false;
    if (params.what == WP_EXPLAIN_PASSES)
        return dump_passes(o, &params);
    if (o->input)
        return wp_fail(WP_ERROR_USAGE, "--input is for --what passes");
    if (!wp_explain(&params, text))
        return false;
    struct wp_output *output = wp_output_open(o->output ? o->output : "-", o->force);
    if (!output)
        return false;
    fputs(wp_text_get(text), wp_output_stream(output));
    return wp_output_commit(&output);
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
    .summary = "what a scheme does: passes, operation counts, matrices, shaders",
    .arguments = "[WAVELET[/SCHEME[/plain]]]",
    .description =
        "Shows what a wavelet and a scheme come to. Without --what it is a short page. "
        "--what ops counts steps, operations and fetches, of all schemes where none is named. "
        "--what matrix prints the matrix of every pass and the constant steps beside it. "
        "--what glsl prints the shaders that run. --what diagram draws the data flow: an arrow a "
        "multiply-add, a bar a barrier. --what footprint shows which samples a coefficient "
        "depends on. These take nonsep-polyconvolution where no scheme is named. --what filters "
        "shows the wavelet's taps, their responses, and the functions they lead to.\n\n"
        "--what passes --input IMAGE -o DIR runs one level on an image's gray values, on the "
        "reference backend, and writes what every pass leaves as DIR/NN_pass.npy, its picture "
        "and its shader, and what they are to DIR/index.json.",
    .examples = "wavepass explain cdf97\n"
                "wavepass explain cdf97/ns-lift --what matrix\n"
                "wavepass explain cdf53/ns-conv/plain --what glsl --inverse\n"
                "wavepass explain cdf97/ns-poly --what diagram -o diagram.svg\n"
                "wavepass explain dd137 --what ops --format csv",
    .arguments_min = 0,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
