#include "command.h"

#include "registry.h"
#include "bands.h"
#include "channel.h"
#include "suggest.h"
#include "schedule.h"
#include "scheme.h"
#include "wavelet.h"
#include "wavepass.h"
#include "xmemory.h"

#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wp_options_list_wavelets(struct wp_text *text)
{
    char **names = wp_wavelet_names();
    for (int i = 0; names[i]; i++)
        wp_text_add(text, "%s%s", i ? " " : "", names[i]);
    for (int i = 0; wp_wavelet_family_names[i]; i++) {
        int same = 0; // some names are also aliases
        while (names[same] && strcmp(names[same], wp_wavelet_family_names[i]) != 0)
            same++;
        if (!names[same])
            wp_text_add(text, " %s", wp_wavelet_family_names[i]);
    }
    wp_wavelet_free_names(names);
}

static void list_schemes(struct wp_text *text)
{
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS; i++)
        wp_text_add(text, "%s%s", i ? " " : "", wp_scheme_kinds[i].name);
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS; i++)
        wp_text_add(text, " %s", wp_scheme_kinds[i].alias);
}

static void list_backends(struct wp_text *text)
{
    wp_text_add(text, "auto");
    for (int i = 0; wp_backends[i]; i++)
        wp_text_add(text, " %s", wp_backends[i]->name);
}

static void list_variants(struct wp_text *text)
{
    for (int i = 0; wp_backends[i]; i++)
        for (const struct wp_variant *v = wp_backends[i]->variants; v && v->name; v++)
            wp_text_add(text, "%s ", v->name);
}

static const char *const color_words[] = {"auto", "always", "never"};

#define OPTION(...) WP_OPTION(struct wp_transform_params, __VA_ARGS__)

// The option of a row of fields.h.
#define FIELD(member, NAME, word, text) \
    OPTION(WORD, #member, "KIND", member, text " (default " word ")", \
           WP_WORDS(wp_##member##_names)),

const struct wp_option wp_options_wavelet[] = {
    OPTION(TEXT, "wavelet", "NAME|FILE", wavelet,
           "a name, or a file of lifting steps or taps (default cdf97)",
           .letter = 'w', .list = wp_options_list_wavelets),
    OPTION(TEXT, "taps", "LOW;[HIGH]", wavelet,
           "instead of -w: the taps of two filters, or 'LOW;' for an orthogonal low-pass"),
    {0},
};

const struct wp_option wp_options_scheme[] = {
    {.kind = WP_OPTION_TABLE, .table = wp_options_wavelet},
    OPTION(TEXT, "scheme", "NAME", scheme,
           "scheme that groups lifting steps into passes (default nonsep-polyconvolution, or the "
           "one that 'info' shows)", .letter = 's', .list = list_schemes),
    OPTION(FLAG, "no-optimize", NULL, plain,
           "do not fuse constant steps into registers", .old = "plain"),
    {0},
};

const struct wp_option wp_options_reversible[] = {
    OPTION(FLAG, "reversible", NULL, reversible,
           "integer lifting: every step rounds, as in JPEG 2000, and the inverse is exact "
           "(default wavelet cdf53)"),
    {0},
};

const struct wp_option wp_options_adjoint[] = {
    OPTION(FLAG, "adjoint", NULL, adjoint,
           "the transposed transform: forward computes the transpose of the inverse, inverse that "
           "of the forward transform"),
    {0},
};

const struct wp_option wp_options_levels[] = {
    OPTION(LEVELS, "levels", "N|max", levels,
           "levels (default 3, fewer if the image is too small); volumes also support 0",
           .letter = 'l', .none = WP_LEVELS_NONE),
    WP_FIELDS_LEVELS(FIELD)
    {0},
};

const struct wp_option wp_options_layout[] = {
    {.kind = WP_OPTION_TABLE, .table = wp_options_levels},
    WP_FIELDS_ARRAY(FIELD)
    {0},
};

const struct wp_option wp_options_tree[] = {
    OPTION(TEXT, "tree", "TREE", tree,
           "tree of wavelet packets: a digit for each node above the last level, 1 if it is split, "
           "followed by its children, or 0; 'forward' also supports best (default: all nodes are "
           "split)"),
    {0},
};

const struct wp_option wp_options_backend[] = {
    OPTION(TEXT, "backend", "NAME", backend,
           "backend that computes (default auto: the first that has a GPU, else cpu; a named "
           "scheme or variant or --precision f16 requires shaders, so fragment then, with or "
           "without a GPU)", .letter = 'b', .list = list_backends),
    OPTION(TEXT, "variant", "NAME", variant,
           "implementation variant of the backend (default and names: 'wavepass info')",
           .list = list_variants),
    OPTION(DEVICE, "device", "N", device,
           "device number as in 'wavepass info' (default any)", .letter = 'd'),
    {0},
};

const struct wp_option wp_options_slices[] = {
    OPTION(LEVELS, "levels-z", "N|max", levels_z,
           "levels along the third axis of a volume, or 0 (default: same as -l, or fewer if the "
           "volume is too thin)", .none = WP_LEVELS_NONE),
    WP_FIELDS_VOLUME(FIELD)
    OPTION(INT, "gop", "N", gop,
           "transform groups of N slices (frames) separately (default: all slices together)",
           .minimum = 1, .maximum = 1 << 20),
    {0},
};

const struct wp_option wp_options_values[] = {
    {.name = "values",
     .kind = WP_OPTION_CHOICE,
     .value = "VALUES",
     .help = "values of integer samples: raw (as stored), unit (divided by the largest one of "
             "their type), or auto (default): unit in 8 and 16-bit pictures, raw otherwise",
     WP_WORDS(wp_values_names)},
    {0},
};

const struct wp_option wp_options_volume_index[] = {
    {.name = "volume-index",
     .kind = WP_OPTION_INT,
     .value = "N",
     .help = "volume of a 4-D NIfTI, from 0 on",
     .minimum = 0,
     .maximum = 32766,
     .plus_one = true},
    {0},
};

const struct wp_option wp_options_volume[] = {
    WP_OPTION(struct wp_volume_options, FLAG, "volume", NULL, volume,
              "read an NPY of three axes as a volume, not as an image with channels"),
    WP_OPTION(struct wp_volume_options, TEXT, "raw", "WxHxD:TYPE", raw,
              "read a file without a header: u8, i8, u16le, i16le, u32le, i32le, u64le, i64le, "
              "f16le, f32le, f64le, or be for big-endian; :BYTES to skip"),
    WP_OPTIONS(struct wp_volume_options, values, wp_options_values),
    WP_OPTIONS(struct wp_volume_options, volume_number, wp_options_volume_index),
    {0},
};

const struct wp_option wp_options_channel[] = {
    {.name = "channel",
     .kind = WP_OPTION_WORD,
     .value = "CHANNEL",
     .help = "channel of a color image: rgb, luma (Rec. 601), or one channel by number or name "
             "(default rgb)",
     WP_WORDS(wp_channel_words)},
    {0},
};

const struct wp_option wp_options_suffix[] = {
    {.name = "suffix",
     .kind = WP_OPTION_TEXT,
     .value = ".SUFFIX",
     .help = "format of the files that are written to a folder"},
    {0},
};

const struct wp_option wp_options_changed[] = {
    {.name = "ignore-changes",
     .old = "changed",
     .kind = WP_OPTION_FLAG,
     .help = "accept coefficients that do not match COEFFS.json"},
    {0},
};

const struct wp_option wp_options_precision[] = {
    WP_FIELDS_DEVICE(FIELD)
    {0},
};

const struct wp_option wp_options_common[] = {
    WP_OPTION(struct wp_common, FLAG, "json", NULL, json,
              "print the result, or the error, as a JSON object on stdout"),
    WP_OPTION(struct wp_common, FLAG, "quiet", NULL, quiet,
              "print only warnings and errors on stderr", .letter = 'q'),
    WP_OPTION(struct wp_common, COUNT, "verbose", NULL, verbose,
              "print progress with timestamps; -vv adds OpenGL debug messages", .letter = 'v'),
    WP_OPTION(struct wp_common, CHOICE, "color", "WHEN", color,
              "colors in messages (default auto: on a terminal, unless NO_COLOR is set)",
              WP_WORDS(color_words)),
    WP_OPTION(struct wp_common, FLAG, "version", NULL, version,
              "print the version; with -v also how it was built"),
    WP_OPTION(struct wp_common, FLAG, "help", NULL, help, "print this page", .letter = 'h'),
    {0},
};

const struct wp_option wp_options_force[] = {
    {.name = "force",
     .letter = 'f',
     .kind = WP_OPTION_FLAG,
     .help = "overwrite existing files"},
    {0},
};

void wp_options_traverse(const struct wp_option *table, size_t offset,
                     void (*visit)(void *user, const struct wp_option *option, size_t offset),
                     void *user)
{
    for (const struct wp_option *o = table; o && o->kind != WP_OPTION_END; o++) {
        if (o->kind == WP_OPTION_TABLE)
            wp_options_traverse(o->table, offset + o->offset, visit, user);
        else
            visit(user, o, offset + o->offset);
    }
}

struct search {
    const char *name;
    const char *values;
    const char *const *but;
    const struct wp_option *found;
    size_t offset; // of `found`
};

static void look_for_name(void *user, const struct wp_option *option, size_t offset)
{
    struct search *search = user;
    if (!search->found && strcmp(option->name, search->name) == 0) {
        search->found = option;
        search->offset = offset;
    }
}

static struct search find_option(const struct wp_option *table, const char *name)
{
    struct search search = {.name = name};
    wp_options_traverse(table, 0, look_for_name, &search);
    return search;
}

bool wp_options_have(const struct wp_option *table, const char *name)
{
    return find_option(table, name).found;
}

const void *wp_option_member(const struct wp_option *table, const char *name, const void *values)
{
    const struct search search = find_option(table, name);
    return search.found ? (const char *)values + search.offset : NULL;
}

static size_t size_of(enum wp_option_kind kind)
{
    switch (kind) {
    case WP_OPTION_FLAG: return sizeof(bool);
    case WP_OPTION_TEXT:
    case WP_OPTION_WORD: return sizeof(const char *);
    case WP_OPTION_NUMBER: return sizeof(double);
    default: return sizeof(int); // of a list its count
    }
}

static bool is_zero(const struct wp_option *option, const char *member)
{
    bool zero = true;
    for (size_t i = 0; i < size_of(option->kind); i++)
        zero = zero && member[i] == 0;
    return zero;
}

bool wp_option_is_given(const struct wp_option *table, const char *name, const void *values)
{
    const struct search search = find_option(table, name);
    return search.found && !is_zero(search.found, (const char *)values + search.offset);
}

static void look_for_given(void *user, const struct wp_option *option, size_t offset)
{
    struct search *search = user;
    bool skip = is_zero(option, search->values + offset);
    for (const char *const *but = search->but; *but; but++)
        skip = skip || strcmp(*but, option->name) == 0;
    if (!skip && !search->found)
        search->found = option;
}

const struct wp_option *wp_options_given(const struct wp_option *table, const void *values,
                                         const char *const *but)
{
    struct search search = {.values = values, .but = but};
    wp_options_traverse(table, 0, look_for_given, &search);
    return search.found;
}

// A table without included tables, and the same table for popt.
struct flat {
    int count, popt_count;
    const struct wp_option **option;
    size_t *offset;
    struct poptOption *popt;
};

static void count_option(void *user, const struct wp_option *option, size_t offset)
{
    (void)offset;
    ((struct flat *)user)->count++;
    ((struct flat *)user)->popt_count += option->old ? 2 : 1;
}

static void add_option(void *user, const struct wp_option *option, size_t offset)
{
    struct flat *flat = user;
    for (int known = 0; known < flat->count; known++)
        if (strcmp(flat->option[known]->name, option->name) == 0)
            return;
    const int i = flat->count++;
    flat->option[i] = option;
    flat->offset[i] = offset;
    const struct poptOption row = {
        .longName = option->name,
        .shortName = option->letter,
        .argInfo = option->value ? POPT_ARG_STRING : POPT_ARG_NONE,
        .val = i + 1,
    };
    flat->popt[flat->popt_count++] = row;
    if (option->old) {
        struct poptOption *old = &flat->popt[flat->popt_count++];
        *old = row;
        old->longName = option->old;
        old->shortName = 0;
    }
}

static struct flat flatten(const struct wp_option *table)
{
    struct flat flat = {0};
    wp_options_traverse(table, 0, count_option, &flat);
    const size_t size = (size_t)flat.count + 1;
    flat.option = wp_xcalloc(size, sizeof *flat.option);
    flat.offset = wp_xcalloc(size, sizeof *flat.offset);
    flat.popt = wp_xcalloc((size_t)flat.popt_count + 1, sizeof *flat.popt);
    flat.count = flat.popt_count = 0;
    wp_options_traverse(table, 0, add_option, &flat);
    return flat;
}

static void free_flat(struct flat *flat)
{
    free(flat->option);
    free(flat->offset);
    free(flat->popt);
}

static bool bad_value(const struct wp_option *option, const char *text, const char *expected)
{
    return wp_fail(WP_ERROR_USAGE, "--%s: '%s' is not %s", option->name, text, expected);
}

// Parses numbers between commas.
static bool parse_numbers(const char *text, struct wp_option_numbers *numbers)
{
    numbers->count = 0;
    for (bool more = true; more;) {
        char number[WP_NUMBER_SIZE];
        const size_t length = strcspn(text, ",");
        double *value = &numbers->number[numbers->count++];
        more = text[length] == ',';
        if (length >= sizeof number || (more && numbers->count == WP_OPTION_NUMBERS_MAX))
            return false;
        memcpy(number, text, length);
        number[length] = '\0';
        if (!wp_parse_double(number, value) || *value < 0)
            return false;
        text += length + 1;
    }
    return true;
}

// The index of `text` among the option's words, or -1 after an error.
static int find_word(const struct wp_option *option, const char *text)
{
    struct wp_text before = {0};
    wp_text_add(&before, "--%s supports ", option->name);
    const int found = wp_name_find(option->noun ? option->noun : option->name, text, option->words,
                                   option->word_count, wp_text_get(&before));
    wp_text_free(&before);
    return found;
}

static bool store_item(const struct wp_option *option, const char *text,
                       struct wp_option_list *list)
{
    if (list->count == WP_OPTION_LIST_MAX)
        return wp_fail(WP_ERROR_USAGE, "--%s: more than %d of these options", option->name,
                       WP_OPTION_LIST_MAX);
    list->item[list->count].option = option->name;
    list->item[list->count++].text = text;
    return text[0] || bad_value(option, text, "a value");
}

static bool store(const struct wp_option *option, const char *text, void *at)
{
    switch (option->kind) {
    case WP_OPTION_FLAG:
        *(bool *)at = true;
        return true;
    case WP_OPTION_COUNT:
        ++*(int *)at;
        return true;
    case WP_OPTION_TEXT:
        *(const char **)at = text;
        return text[0] || bad_value(option, text, "a value");
    case WP_OPTION_WORD: {
        const int word = find_word(option, text);
        if (word >= 0)
            *(const char **)at = option->words[word];
        return word >= 0;
    }
    case WP_OPTION_CHOICE:
        *(int *)at = find_word(option, text);
        return *(int *)at >= 0;
    case WP_OPTION_INT:
        if (!wp_parse_int(text, at) || *(int *)at < option->minimum ||
            *(int *)at > option->maximum)
            return wp_fail(WP_ERROR_USAGE, "--%s: '%s' is not an integer from %d to %d",
                           option->name, text, option->minimum, option->maximum);
        *(int *)at += option->plus_one;
        return true;
    case WP_OPTION_NUMBER:
        return (wp_parse_double(text, at) && *(double *)at >= 0 &&
                !(option->positive && *(double *)at <= 0)) ||
               bad_value(option, text, option->positive ? "a number above 0"
                                                        : "a number of 0 or more");
    case WP_OPTION_NUMBERS:
        return parse_numbers(text, at) ||
               bad_value(option, text, "a number of 0 or more, or a list such as 3,2,1.5");
    case WP_OPTION_LEVELS:
        if (strcmp(text, "max") == 0) {
            *(int *)at = WP_LEVELS_MOST;
            return true;
        }
        if (option->none && strcmp(text, "0") == 0) {
            *(int *)at = option->none;
            return true;
        }
        return (wp_parse_int(text, at) && *(int *)at >= 1) ||
               bad_value(option, text, "a number of levels\nhint: 1, 2, 3, … or max");
    case WP_OPTION_DEVICE:
        if (!wp_parse_int(text, at) || *(int *)at < 0 || *(int *)at == INT_MAX)
            return bad_value(option, text,
                             "a device number\nhint: 'wavepass info' lists the devices");
        ++*(int *)at;
        return true;
    case WP_OPTION_LIST: return store_item(option, text, at);
    case WP_OPTION_END:
    case WP_OPTION_TABLE:
        break;
    }
    return wp_fail(WP_ERROR_INTERNAL, "--%s has no kind", option->name);
}

static bool unknown_option(const struct flat *flat, const char *given)
{
    char word[64];
    const char *start = given + strspn(given, "-");
    const size_t length = strcspn(start, "=");
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), start);
    struct wp_lookup lookup = {.name = word};
    // A single letter is not a useful suggestion.
    for (int i = 0; length > 1 && i < flat->count; i++)
        if (!flat->option[i]->hidden)
            wp_lookup_is(&lookup, flat->option[i]->name);
    struct wp_text nearest = {0};
    wp_text_add(&nearest, "--%s", lookup.nearest ? lookup.nearest : "");
    lookup.nearest = lookup.nearest ? wp_text_get(&nearest) : NULL;
    wp_lookup_fail(&lookup, "--help lists all", "unknown option '%s'", given);
    wp_text_free(&nearest);
    return false;
}

static bool report(const struct flat *flat, poptContext context, int code)
{
    if (code == POPT_ERROR_MALLOC)
        wp_xmemory_end();
    const char *given = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    if (code == POPT_ERROR_BADOPT)
        return unknown_option(flat, given);
    if (code == POPT_ERROR_NOARG)
        return wp_fail(WP_ERROR_USAGE, "option '%s' needs a value", given);
    if (code == POPT_ERROR_UNWANTEDARG)
        return wp_fail(WP_ERROR_USAGE, "option '%s' has no value", given);
    return wp_fail(WP_ERROR_USAGE, "option '%s': %s", given, poptStrerror(code));
}

bool wp_options_parse(const struct wp_option *table, int argc, const char *const argv[],
                      bool leading_only, void *values, struct wp_arguments *arguments)
{
    *arguments = (struct wp_arguments){0};
    struct flat flat = flatten(table);
    arguments->text = wp_xcalloc((size_t)argc + 1, sizeof *arguments->text);
    arguments->argument = wp_xcalloc((size_t)argc + 1, sizeof *arguments->argument);
    const unsigned flags =
        POPT_CONTEXT_KEEP_FIRST | (leading_only ? POPT_CONTEXT_POSIXMEHARDER : 0U);
    // popt reads argv[0] if the argument count is 0.
    poptContext context =
        argc > 0 ? poptGetContext(NULL, argc, (const char **)argv, flat.popt, flags) : NULL;
    if (argc > 0 && !context)
        wp_xmemory_end();
    bool ok = true;
    int code = -1;
    while (ok && context && (code = poptGetNextOpt(context)) > 0) {
        char *text = poptGetOptArg(context);
        if (text)
            arguments->text[arguments->text_count++] = text;
        else if (flat.option[code - 1]->value)
            wp_xmemory_end(); // out of memory
        ok = store(flat.option[code - 1], text, (char *)values + flat.offset[code - 1]);
    }
    if (ok && code < -1)
        ok = report(&flat, context, code);
    const char *argument;
    while (ok && context && (argument = poptGetArg(context)))
        arguments->argument[arguments->count++] = argument;
    arguments->context = context;
    free_flat(&flat);
    return ok;
}

void wp_options_free(struct wp_arguments *arguments)
{
    for (int i = 0; i < arguments->text_count; i++)
        free(arguments->text[i]);
    free(arguments->text);
    free(arguments->argument);
    if (arguments->context)
        poptFreeContext(arguments->context);
    *arguments = (struct wp_arguments){0};
}

void wp_option_usage(const struct wp_option *option, struct wp_text *text)
{
    if (option->letter)
        wp_text_add(text, "-%c, ", option->letter);
    wp_text_add(text, "--%s", option->name);
    if (option->value)
        wp_text_add(text, " %s", option->value);
}

void wp_option_values(const struct wp_option *option, struct wp_text *text)
{
    if (option->list)
        option->list(text);
    for (int i = 0; i < option->word_count; i++)
        wp_text_add(text, "%s%s", i ? " " : "", option->words[i]);
    if (option->kind == WP_OPTION_LEVELS)
        wp_text_add(text, "1 2 3 4 5 max");
}

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

// Adds wrapped text from column HELP_COLUMN on.
static void add_wrapped(struct wp_text *text, const char *words)
{
    wp_text_add_words(text, HELP_COLUMN, HELP_COLUMN, HELP_WIDTH, words);
    wp_text_add(text, "\n");
}

struct help {
    const struct wp_option *hiding;
    struct wp_text *text;
};

static void help_option(void *user, const struct wp_option *option, size_t offset)
{
    (void)offset;
    const struct help *help = user;
    struct wp_text *text = help->text;
    if (option->hidden || wp_options_have(help->hiding, option->name))
        return;
    struct wp_text usage = {0};
    wp_option_usage(option, &usage);
    wp_text_add(text, "  %s%-*s", option->letter ? "" : "    ",
                HELP_COLUMN - (option->letter ? 2 : 6), wp_text_get(&usage));
    if (usage.length + (option->letter ? 2 : 6) >= HELP_COLUMN)
        wp_text_add(text, "\n%*s", HELP_COLUMN, "");
    add_wrapped(text, option->help);
    if (option->word_count || option->list) {
        wp_text_clear(&usage);
        wp_text_add(&usage, "one of: ");
        wp_option_values(option, &usage);
        wp_text_add(text, "%*s", HELP_COLUMN, "");
        add_wrapped(text, wp_text_get(&usage));
    }
    wp_text_free(&usage);
}

void wp_options_help(const struct wp_option *table, const struct wp_option *hiding,
                     struct wp_text *text)
{
    wp_options_traverse(table, 0, help_option, &(struct help){hiding, text});
}
