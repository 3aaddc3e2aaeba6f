#include "command.h"
#include "explain.h"
#include "explain_all.h"
#include "explain_json.h"
#include "explain_passes.h"
#include "explain_report.h"
#include "explain_tiles.h"
#include "explain_work.h"
#include "memory.h"
#include "names.h"
#include "output.h"
#include "wavepass.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    struct wp_transform_params transform; // wavelet, scheme, plain, levels and border alone
    const char *output, *input, *format, *pixel, *vs, *results;
    int what, norm;
    bool inverse, force, diff, numbers, labels, worksheet;
};

#define TEXT(option, placeholder, text) \
    {.name = #option, \
     .kind = WP_OPTION_TEXT, \
     .value = placeholder, \
     .help = text, \
     .offset = offsetof(struct options, option)}
#define FLAG(option, text) \
    {.name = #option, \
     .kind = WP_OPTION_FLAG, \
     .help = text, \
     .offset = offsetof(struct options, option)}

static const struct wp_option options[] = {
    {.name = "what",
     .kind = WP_OPTION_CHOICE,
     .value = "WHAT",
     .help = "what to show (default summary)",
     .offset = offsetof(struct options, what),
     .words = wp_explain_what_names,
     .word_count = WP_EXPLAIN_WHAT_COUNT},
    {.name = "format",
     .kind = WP_OPTION_WORD,
     .value = "FORMAT",
     .help = "form of the answer, where there is such (default by the suffix of -o, else txt; "
             "html for the report)",
     .offset = offsetof(struct options, format),
     .words = wp_explain_format_names,
     .word_count = WP_EXPLAIN_FORMAT_COUNT},
    TEXT(input, "IMAGE", "an image to run the passes on: for passes, pixel, report, all"),
    TEXT(pixel, "X,Y", "show the arithmetic of every pass for this pixel of --input"),
    TEXT(vs, "SCHEME", "with --pixel: a second scheme (or SCHEME/plain), and the difference"),
    FLAG(diff, "the shaders of two schemes A B compared line by line"),
    FLAG(numbers, "matrices multiplied out, instead of in symbols"),
    FLAG(labels, "coefficients beside the arrows of a diagram"),
    FLAG(worksheet, "with report: blanks where the answers would be, and these appended"),
    TEXT(results, "FILE", "with report: JSON of 'wavepass bench', for its times"),
    {.name = "levels",
     .letter = 'l',
     .kind = WP_OPTION_LEVELS,
     .value = "N|max",
     .help = "with --input: levels (default 1)",
     .offset = offsetof(struct options, transform.levels)},
    {.name = "border",
     .kind = WP_OPTION_WORD,
     .value = "KIND",
     .help = "with --input: beyond the image's edge (default symmetric; periodic for wavelets "
             "that are not)",
     .offset = offsetof(struct options, transform.border),
     .words = wp_border_names,
     .word_count = WP_BORDER_COUNT},
    FLAG(inverse, "the inverse transform"),
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
     .help = "file to write to (default stdout); the directory for passes and all",
     .offset = offsetof(struct options, output)},
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, force, wp_options_force),
    {0},
};

static bool is_known_wavelet(const char *name)
{
    struct stat info;
    return (stat(name, &info) == 0 && S_ISREG(info.st_mode)) || wp_wavelet_is_installed(name);
}

// Cuts "/optimized" and the like off the end of `target`.
static bool cut_form(char *target, enum wp_form *form)
{
    const char *slash = strrchr(target, '/');
    const int found = slash ? wp_name_index(slash + 1, wp_form_names, WP_FORM_COUNT) : -1;
    if (found < 0)
        return false;
    *form = (enum wp_form)found;
    target[slash - target] = '\0';
    return true;
}

// Cuts "/SCHEME" off the end of `target`. Wavelets have slashes too ("5/3", paths): what stands
// behind one is a scheme where it is the name of one, or must be one where a form follows or
// a wavelet stands before it.
static bool cut_scheme(char *target, bool must, const struct wp_scheme_kind **kind)
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

// "ns-lift" or "ns-lift/plain".
static bool read_scheme(const char *argument, const struct wp_scheme_kind **kind,
                        enum wp_form *form)
{
    char *name = wp_xstrdup(argument);
    cut_form(name, form);
    *kind = wp_scheme_kind_find(name);
    free(name);
    return *kind;
}

static bool is_scheme(const char *argument)
{
    char *name = wp_xstrdup(argument);
    enum wp_form form;
    cut_form(name, &form);
    const bool found = wp_scheme_kind_named(name);
    free(name);
    return found;
}

static bool writes_directory(enum wp_explain_what what)
{
    return what == WP_EXPLAIN_PASSES || what == WP_EXPLAIN_ALL;
}

// What --format or --json says, or where they are left out what the suffix of -o says. Shaders may
// go by any. False after WP_ERROR_USAGE.
static bool find_format(const struct wp_call *call, struct wp_explain_params *params)
{
    const struct options *o = call->options;
    const char *name = o->output ? strrchr(o->output, '/') : NULL;
    const char *suffix = o->output ? strrchr(name ? name : o->output, '.') : NULL;
    const char *given = o->format ? o->format : call->common.json ? "json" : NULL;
    if (o->format && call->common.json && strcmp(o->format, "json") != 0)
        return wp_fail(WP_ERROR_USAGE, "both --json and --format %s", o->format);
    if (!given && suffix && !writes_directory(params->what))
        given = suffix + 1;
    params->format = params->what == WP_EXPLAIN_REPORT ? WP_EXPLAIN_HTML : WP_EXPLAIN_TXT;
    if (!given)
        return true;
    const int format = wp_name_index(given, wp_explain_format_names, WP_EXPLAIN_FORMAT_COUNT);
    if (format >= 0)
        params->format = (enum wp_explain_format)format;
    if (format >= 0 || (params->what == WP_EXPLAIN_GLSL && !o->format && !call->common.json))
        return true;
    struct wp_text known = {0};
    for (int f = 0; f < WP_EXPLAIN_FORMAT_COUNT; f++)
        if (wp_explain_has(params->what, (enum wp_explain_format)f))
            wp_text_add(&known, "%s.%s", known.length ? ", " : "", wp_explain_format_names[f]);
    wp_fail(WP_ERROR_USAGE, "cannot write %s (unknown suffix)\nhint: use %s, or say --format",
            o->output, wp_text_get(&known));
    wp_text_free(&known);
    return false;
}

// --pixel and --diff say what to show, too.
static enum wp_explain_what find_what(const struct options *o)
{
    if (o->what == WP_EXPLAIN_SUMMARY && o->pixel)
        return WP_EXPLAIN_PIXEL;
    if (o->what == WP_EXPLAIN_SUMMARY && o->diff)
        return WP_EXPLAIN_GLSL;
    return (enum wp_explain_what)o->what;
}

// Options that mean nothing for what is asked would be silently ignored.
static bool check_use(const struct options *o, enum wp_explain_what what)
{
    enum {
        MATRIX = 1 << WP_EXPLAIN_MATRIX,
        GLSL = 1 << WP_EXPLAIN_GLSL,
        DIAGRAM = 1 << WP_EXPLAIN_DIAGRAM,
        FOOTPRINT = 1 << WP_EXPLAIN_FOOTPRINT,
        PASSES = 1 << WP_EXPLAIN_PASSES,
        PIXEL = 1 << WP_EXPLAIN_PIXEL,
        REPORT = 1 << WP_EXPLAIN_REPORT,
        ALL = 1 << WP_EXPLAIN_ALL,
        COUNTS = 1 << WP_EXPLAIN_SUMMARY | 1 << WP_EXPLAIN_OPS | 1 << WP_EXPLAIN_TILES,
        RUNS = MATRIX | GLSL | PASSES | PIXEL | REPORT | ALL,
    };
    const struct {
        const char *name;
        bool given;
        int use;
    } uses[] = {
        {"input", o->input, PASSES | PIXEL | REPORT | ALL},
        {"pixel", o->pixel, PIXEL | REPORT | ALL},
        {"levels", o->transform.levels, PASSES | PIXEL | REPORT | ALL},
        {"border", o->transform.border, PASSES | PIXEL | REPORT | ALL},
        {"scheme", o->transform.scheme, COUNTS | DIAGRAM | FOOTPRINT | RUNS},
        {"plain", o->transform.plain, COUNTS | DIAGRAM | FOOTPRINT | RUNS},
        {"inverse", o->inverse, COUNTS | DIAGRAM | FOOTPRINT | RUNS},
        {"norm", o->norm, RUNS},
        {"vs", o->vs, PIXEL},
        {"diff", o->diff, GLSL},
        {"numbers", o->numbers, MATRIX},
        {"labels", o->labels, DIAGRAM},
        {"worksheet", o->worksheet, REPORT},
        {"results", o->results, REPORT | ALL},
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (!uses[i].given || uses[i].use >> what & 1)
            continue;
        struct wp_text list = {0};
        for (int w = 0; w < WP_EXPLAIN_WHAT_COUNT; w++)
            if (uses[i].use >> w & 1)
                wp_text_add(&list, "%s%s", list.length ? ", " : "", wp_explain_what_names[w]);
        wp_fail(WP_ERROR_USAGE, "--%s is not for --what %s\nhint: it is for --what %s",
                uses[i].name, wp_explain_what_names[what], wp_text_get(&list));
        wp_text_free(&list);
        return false;
    }
    return true;
}

// The wavelet and the scheme, which the argument, -w or -s name.
static bool read_subject(const struct options *o, const char *argument, struct wp_wavelet *wavelet,
                         struct wp_explain_params *params)
{
    if (o->transform.scheme && !(params->kind = wp_scheme_kind_find(o->transform.scheme)))
        return false;
    if (!argument)
        return wp_wavelet_find(o->transform.wavelet ? o->transform.wavelet : "cdf97", wavelet);
    if (o->transform.wavelet)
        return wp_fail(WP_ERROR_USAGE, "both '%s' and -w name a wavelet", argument);
    const struct wp_scheme_kind *given = params->kind;
    if (!read_target(argument, wavelet, params))
        return false;
    if (given && params->kind != given)
        return wp_fail(WP_ERROR_USAGE, "both '%s' and -s name a scheme", argument);
    return true;
}

static struct wp_explain_params make_params(const struct options *o,
                                            const struct wp_wavelet *wavelet)
{
    const enum wp_explain_what what = find_what(o);
    return (struct wp_explain_params){
        .wavelet = wavelet,
        .form = o->transform.plain ? WP_FORM_PLAIN : WP_FORM_SHADER,
        .direction = o->inverse ? WP_INVERSE : WP_FORWARD,
        .norm = (enum wp_norm)o->norm,
        .what = what,
        .numbers = o->numbers,
        .arrows = o->labels ? WP_EXPLAIN_LABELLED_ARROWS : WP_EXPLAIN_ARROWS,
    };
}

static struct wp_explain_input make_input(const struct options *o)
{
    return (struct wp_explain_input){
        .image = o->input, .border = o->transform.border, .levels = o->transform.levels};
}

static bool dump_passes(const struct options *o, const struct wp_explain_params *params)
{
    if (!o->input || !o->output)
        return wp_fail(WP_ERROR_USAGE, "--what passes needs an image and a directory\n"
                                       "hint: --input IMAGE -o DIR");
    const struct wp_explain_input input = make_input(o);
    struct wp_image *image = wp_explain_run_read(params, &input);
    struct wp_plan *plan = image ? wp_explain_run_plan(params, &input, image) : NULL;
    const bool ok = plan && wp_explain_passes(plan, image->plane[0], o->output, o->force);
    wp_plan_destroy(&plan);
    wp_image_destroy(&image);
    return ok;
}

static bool read_pixel(const char *text, int pixel[2])
{
    char *x = wp_xstrdup(text), *y = strchr(x, ',');
    bool ok = y;
    if (y)
        *y++ = '\0';
    ok = ok && wp_parse_int(x, &pixel[0]) && wp_parse_int(y, &pixel[1]);
    free(x);
    return ok || wp_fail(WP_ERROR_USAGE, "--pixel: '%s' is not a place\nhint: X,Y from the top "
                                         "left corner, such as 12,7", text);
}

static json_t *work_scheme(const struct wp_explain_params *params,
                           const struct wp_explain_input *input, const struct wp_image *image,
                           const int pixel[2])
{
    struct wp_plan *plan = wp_explain_run_plan(params, input, image);
    json_t *work = plan ? wp_explain_work(plan, image, pixel[0], pixel[1]) : NULL;
    wp_plan_destroy(&plan);
    return work;
}

// One scheme, or two and how they differ.
static void print_works(const struct options *o, enum wp_explain_format format, json_t *work[2],
                        struct wp_text *text)
{
    if (format == WP_EXPLAIN_JSON) {
        json_t *schemes = json_array();
        for (int i = 0; i < 2 && work[i]; i++)
            json_array_append(schemes, work[i]);
        wp_explain_json_print(json_pack("{s:o, s:o}", "image", wp_json_text(o->input), "schemes",
                                        schemes), text);
        return;
    }
    wp_explain_work_legend(work[0], text);
    wp_text_add(text, "\n");
    for (int i = 0; i < 2 && work[i]; i++) {
        wp_explain_work_print(work[i], false, text);
        wp_text_add(text, "%s", work[1] ? "\n" : "");
    }
    if (work[1])
        wp_explain_work_compare(work[0], work[1], text);
}

static bool show_work(const struct options *o, const struct wp_explain_params *params,
                      struct wp_text *text)
{
    if (!o->input || !o->pixel)
        return wp_fail(WP_ERROR_USAGE, "--what pixel needs an image and a place in it\n"
                                       "hint: --input IMAGE --pixel X,Y");
    int pixel[2];
    struct wp_explain_params other = *params;
    if (!read_pixel(o->pixel, pixel) || (o->vs && !read_scheme(o->vs, &other.kind, &other.form)))
        return false;
    const struct wp_explain_input input = make_input(o);
    struct wp_image *image = wp_explain_run_read(params, &input);
    json_t *work[2] = {image ? work_scheme(params, &input, image, pixel) : NULL};
    if (work[0] && o->vs)
        work[1] = work_scheme(&other, &input, image, pixel);
    const bool ok = work[0] && (!o->vs || work[1]);
    if (ok)
        print_works(o, params->format, work, text);
    json_decref(work[0]);
    json_decref(work[1]);
    wp_image_destroy(&image);
    return ok;
}

static bool show_diff(const struct wp_explain_params *params, const char *const schemes[2],
                      struct wp_text *text)
{
    struct wp_text listing[2] = {0};
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        struct wp_explain_params one = *params;
        ok = read_scheme(schemes[i], &one.kind, &one.form) && wp_explain(&one, &listing[i]);
        wp_text_add(text, "%s %s/%s/%s\n", i ? "+++" : "---", params->wavelet->name,
                    ok ? one.kind->name : "", wp_form_names[one.form]);
    }
    if (ok)
        wp_explain_diff(wp_text_get(&listing[0]), wp_text_get(&listing[1]), text);
    wp_text_free(&listing[0]);
    wp_text_free(&listing[1]);
    return ok;
}

// --diff A B: among the arguments, what is no scheme names the wavelet. Moves that one into
// `subject`.
static bool find_diff(const struct wp_call *call, const char *scheme[2], const char **subject)
{
    int schemes = 0, others = 0;
    for (int i = 0; i < call->argument_count; i++) {
        // With a wavelet and one scheme, the other is a misspelt one: reading it says so.
        if (schemes < 2 && (is_scheme(call->argument[i]) || others == 1))
            scheme[schemes++] = call->argument[i];
        else if (others++ == 0)
            *subject = call->argument[i];
    }
    return (schemes == 2 && others < 2) ||
           wp_fail(WP_ERROR_USAGE, "--diff needs two schemes\nhint: wavepass explain cdf97 "
                                   "--diff sep-lift ns-lift");
}

static bool make_report(const struct options *o, const struct wp_explain_params *params,
                        struct wp_text *text)
{
    int pixel[2];
    if (o->pixel && !o->input)
        return wp_fail(WP_ERROR_USAGE, "--pixel needs an image\nhint: --input IMAGE");
    if (o->pixel && !read_pixel(o->pixel, pixel))
        return false;
    const struct wp_explain_page page = {.params = params,
                                         .input = make_input(o),
                                         .pixel = o->pixel ? pixel : NULL,
                                         .worksheet = o->worksheet,
                                         .results = o->results};
    if (params->what == WP_EXPLAIN_REPORT)
        return wp_explain_report(&page, text);
    if (!o->output)
        return wp_fail(WP_ERROR_USAGE, "--what all needs a directory\nhint: -o DIR");
    return wp_explain_all(&page, o->output, o->force);
}

// False after an error; true with an empty text where files were written.
static bool answer(const struct wp_call *call, const struct wp_explain_params *params,
                   const char *const schemes[2], struct wp_text *text)
{
    const struct options *o = call->options;
    switch (params->what) {
    case WP_EXPLAIN_TILES: wp_explain_tiles(params, text); return true;
    case WP_EXPLAIN_PASSES: return dump_passes(o, params);
    case WP_EXPLAIN_PIXEL: return show_work(o, params, text);
    case WP_EXPLAIN_REPORT:
    case WP_EXPLAIN_ALL: return make_report(o, params, text);
    default: break;
    }
    if (o->diff)
        return show_diff(params, schemes, text);
    if (params->format != WP_EXPLAIN_JSON)
        return wp_explain(params, text);
    wp_explain_json(params, text);
    return true;
}

static bool explain(const struct wp_call *call, struct wp_wavelet *wavelet, struct wp_text *text)
{
    const struct options *o = call->options;
    const char *schemes[2] = {0}, *subject = call->argument_count ? call->argument[0] : NULL;
    struct wp_explain_params params = make_params(o, wavelet);
    const bool files = writes_directory(params.what);
    if (!find_format(call, &params))
        return false;
    if (o->diff) {
        subject = NULL;
        if (!find_diff(call, schemes, &subject))
            return false;
    } else if (call->argument_count > 1) {
        return wp_fail(WP_ERROR_USAGE, "unexpected argument '%s'\nhint: one "
                                       "WAVELET/SCHEME, or --diff for two schemes",
                       call->argument[1]);
    }
    if (!check_use(o, params.what) || !read_subject(o, subject, wavelet, &params))
        return false;
    if (params.form == WP_FORM_BLOCK && params.what >= WP_EXPLAIN_PASSES)
        return wp_fail(WP_ERROR_USAGE, "the block form does not run as render passes\n"
                                       "hint: leave out '/%s'", wp_form_names[WP_FORM_BLOCK]);
    if (files && (o->format || call->common.json))
        return wp_fail(WP_ERROR_USAGE, "--what %s writes files of several formats\nhint: leave "
                                       "out --%s", wp_explain_what_names[params.what],
                       o->format ? "format" : "json");
    if (files && o->output && strcmp(o->output, "-") == 0)
        return wp_fail(WP_ERROR_USAGE, "--what %s writes a directory, not to stdout\nhint: -o DIR",
                       wp_explain_what_names[params.what]);
    if ((!files && !wp_explain_check(&params)) || !answer(call, &params, schemes, text))
        return false;
    if (files)
        return true;
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
    .summary = "what a scheme does: passes, counts, diagrams, shaders, numbers",
    .arguments = "[WAVELET[/SCHEME[/plain]]]",
    .description =
        "Shows what a wavelet and a scheme come to. Without --what it is a short page. "
        "--what ops counts steps, operations and fetches, of all schemes where none is named. "
        "--what tiles does so for what runs a level in one draw or dispatch, halos included. "
        "--what matrix prints the matrix of every pass and the constant steps beside it. "
        "--what glsl prints the shaders that run; --diff compares those of two schemes. "
        "--what diagram draws the data flow: an arrow a multiply-add, a bar a barrier. "
        "--what footprint shows which samples a coefficient depends on. These take "
        "nonsep-polyconvolution where no scheme is named. --what filters shows the wavelet's "
        "taps, their responses, and the functions they lead to.\n\n"
        "With --input, passes run on an image's gray values, in double precision; with --inverse "
        "on its coefficients. --what passes writes what every pass leaves as DIR/NN_*.npy, its "
        "picture and its shader, and what they are to DIR/index.json. --pixel X,Y shows the "
        "arithmetic of every pass with numbers, up to the coefficient that the in-place transform "
        "leaves there (forward --layout mixed), and with --vs that of a second scheme.\n\n"
        "--what report makes one HTML page of it for a class, with all schemes where none is "
        "named, and --worksheet one to be filled in. --what all writes everything to a directory.",
    .examples = "wavepass explain cdf97\n"
                "wavepass explain cdf97/ns-lift --what matrix --numbers\n"
                "wavepass explain cdf53/ns-conv/plain --what glsl --inverse\n"
                "wavepass explain cdf97 --diff sep-lift ns-lift\n"
                "wavepass explain cdf97/ns-poly --what diagram -o diagram.svg\n"
                "wavepass explain cdf53/ns-lift --vs sep-lift --input photo.png --pixel 12,7\n"
                "wavepass explain cdf97 --what report --input photo.png -o cdf97.html\n"
                "wavepass explain dd137 --what ops --format csv",
    .arguments_min = 0,
    .arguments_max = 3,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
