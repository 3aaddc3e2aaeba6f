#include "backends.h"
#include "command.h"
#include "image.h"
#include "names.h"
#include "pattern.h"
#include "run.h"
#include "verify.h"
#include "wavepass.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Odd sides, so that every level has a border without a partner.
#define DEFAULT_IMAGE "pattern:noise:131x97"
enum { DEFAULT_LEVELS = 3, FORMS = 2 };

struct options {
    // wavelet, scheme, backend, variant (all lists), device, levels
    struct wp_transform_params transform;
    int norm, precision;
};

#define MEMBER(member) offsetof(struct options, transform.member)

static const struct wp_option options[] = {
    {.name = "wavelet",
     .letter = 'w',
     .kind = WP_OPTION_TEXT,
     .value = "LIST",
     .help = "wavelets, separated by commas (default all, the installed files too)",
     .offset = MEMBER(wavelet)},
    {.name = "scheme",
     .letter = 's',
     .kind = WP_OPTION_TEXT,
     .value = "LIST",
     .help = "schemes, separated by commas (default all)",
     .offset = MEMBER(scheme)},
    {.name = "backend",
     .letter = 'b',
     .kind = WP_OPTION_TEXT,
     .value = "LIST",
     .help = "backends, separated by commas (default all that work here)",
     .offset = MEMBER(backend)},
    {.name = "variant",
     .kind = WP_OPTION_TEXT,
     .value = "LIST",
     .help = "the backends' ways to compute, or all (default each one's own choice)",
     .offset = MEMBER(variant)},
    {.name = "device",
     .letter = 'd',
     .kind = WP_OPTION_DEVICE,
     .value = "N",
     .help = "device number as in 'wavepass info', for one -b (default any)",
     .offset = MEMBER(device)},
    {.name = "levels",
     .letter = 'l',
     .kind = WP_OPTION_LEVELS,
     .value = "N|max",
     .help = "levels, fewer where the image is too small (default 3)",
     .offset = MEMBER(levels)},
    {.name = "norm",
     .kind = WP_OPTION_CHOICE,
     .value = "KIND",
     .help = "scaling of the coefficients (default jpeg2000)",
     .offset = offsetof(struct options, norm),
     .words = wp_norm_names,
     .word_count = WP_NORM_COUNT},
    {.name = "precision",
     .kind = WP_OPTION_CHOICE,
     .value = "KIND",
     .help = "what backends keep samples in; f16 for those that can (default f32)",
     .offset = offsetof(struct options, precision),
     .words = wp_precision_names,
     .word_count = WP_PRECISION_COUNT},
    {0},
};

// What one call holds. Everything in it is released by run().
struct work {
    const struct wp_call *call;
    const struct options *options;
    struct wp_image *image;
    int levels;
    int wavelet_count;
    struct wp_wavelet *wavelet;
    unsigned kinds; // bits, as in struct wp_verify_params
    int count[WP_VERIFY_STATUS_COUNT];
    json_t *rows, *backends;
    // Of the backend, wavelet and scheme that is being verified.
    const struct wp_backend *backend;
    const struct wp_variant *variant; // that was named, or NULL
    char backend_name[64];            // "fragment", or with the variant "fragment/tile-2x2"
    const struct wp_wavelet *current;
    struct wp_verify_row worst[WP_BORDER_COUNT * FORMS]; // by border and form
    struct wp_text failures;
};

// The names in a list; NULL after WP_ERROR_USAGE where there is none.
static char **split(const char *option, const char *list, int *count)
{
    char **items = NULL;
    *count = 0;
    while (*list) {
        const size_t length = strcspn(list, ",");
        if (length) {
            items = wp_xrealloc(items, (size_t)*count + 1, sizeof *items);
            items[*count] = wp_xcalloc(length + 1, 1);
            memcpy(items[(*count)++], list, length);
        }
        list += length + (list[length] == ',');
    }
    if (!items)
        wp_fail(WP_ERROR_USAGE, "%s: there is no name in the list", option);
    return items;
}

static void free_items(char **items, int count)
{
    for (int i = 0; i < count; i++)
        free(items[i]);
    free(items);
}

// Each wavelet once, also where a name and an alias of it were given.
static bool add_wavelet(struct work *w, const char *name)
{
    w->wavelet = wp_xrealloc(w->wavelet, (size_t)w->wavelet_count + 1, sizeof *w->wavelet);
    struct wp_wavelet *wavelet = &w->wavelet[w->wavelet_count];
    if (!wp_wavelet_find(name, wavelet))
        return false;
    for (int i = 0; i < w->wavelet_count; i++)
        if (strcmp(w->wavelet[i].name, wavelet->name) == 0)
            return true;
    w->wavelet_count++;
    return true;
}

static bool add_scheme(struct work *w, const char *name)
{
    const struct wp_scheme_kind *kind = wp_scheme_kind_find(name, 2);
    if (kind)
        w->kinds |= 1U << (kind - wp_scheme_kinds);
    return kind != NULL;
}

// Calls `take` for each name in the list of an option.
static bool each_name(struct work *w, const char *option, const char *list,
                      bool (*take)(struct work *w, const char *name))
{
    int count;
    char **names = split(option, list, &count);
    bool ok = names != NULL;
    for (int i = 0; i < count && ok; i++)
        ok = take(w, names[i]);
    free_items(names, count);
    return ok;
}

static bool choose_wavelets(struct work *w)
{
    if (w->options->transform.wavelet)
        return each_name(w, "-w", w->options->transform.wavelet, add_wavelet);
    char **names = wp_wavelet_names();
    bool ok = true;
    for (int i = 0; names[i] && ok; i++)
        ok = add_wavelet(w, names[i]);
    wp_wavelet_free_names(names);
    return ok;
}

static bool choose_schemes(struct work *w)
{
    return !w->options->transform.scheme ||
           each_name(w, "-s", w->options->transform.scheme, add_scheme);
}

static bool read_image(struct work *w)
{
    const int levels = w->options->transform.levels;
    w->levels = levels == WP_LEVELS_MOST ? WP_MAX_LEVELS : levels ? levels : DEFAULT_LEVELS;
    size_t nonfinite;
    const char *path = w->call->argument_count ? w->call->argument[0] : DEFAULT_IMAGE;
    w->image = wp_run_read(path, &nonfinite);
    if (!w->image)
        return false;
    if (nonfinite)
        return wp_fail(WP_ERROR_FILE, "%s: nothing can be verified with values that are not "
                                      "finite", path);
    wp_image_to_gray(w->image);
    return true;
}

// "3.1e-06". The program never sets a locale.
static const char *format_error(char number[WP_NUMBER_SIZE], double error)
{
    snprintf(number, WP_NUMBER_SIZE, "%.1e", error);
    return number;
}

// Where an error is: "at HL1 (17,0)".
static void add_place(struct wp_text *text, const struct wp_verify_row *row)
{
    if (row->level)
        wp_text_add(text, "at %s%d (%d,%d)", wp_band_names[row->band], row->level, row->x, row->y);
    else
        wp_text_add(text, "at pixel (%d,%d)", row->x, row->y);
}

static const char *scheme_name(const struct wp_verify_row *row)
{
    return row->kind ? row->kind->name : "any scheme";
}

static void add_failure(struct work *w, const struct wp_verify_row *row)
{
    char error[WP_NUMBER_SIZE], tolerance[WP_NUMBER_SIZE];
    wp_text_add(&w->failures, "FAIL %s %s %s: max|err| %s > %s ", w->current->name,
                row->kind ? row->kind->alias : scheme_name(row), w->backend_name,
                format_error(error, row->error), format_error(tolerance, row->tolerance));
    add_place(&w->failures, row);
    wp_text_add(&w->failures, " (%s%s%s, %s)\n", wp_verify_check_names[row->check],
                row->kind ? ", " : "", row->kind ? wp_form_names[row->form] : "",
                wp_border_names[row->border]);
}

static void add_json_row(struct work *w, const struct wp_verify_row *row)
{
    json_t *json = json_pack(
        "{s:s, s:o, s:s, s:o, s:o, s:s, s:s, s:s, s:o}", "backend", w->backend->name, "variant",
        wp_json_text(w->variant ? w->variant->name : NULL), "wavelet",
        w->current->name, "scheme", wp_json_text(row->kind ? row->kind->name : NULL), "form",
        wp_json_text(row->kind ? wp_form_names[row->form] : NULL), "border",
        wp_border_names[row->border], "check", wp_verify_check_names[row->check], "status",
        wp_verify_status_names[row->status], "reason", wp_json_text(row->reason));
    if (row->status != WP_VERIFY_SKIPPED) {
        struct wp_text place = {0};
        add_place(&place, row);
        json_object_set_new(json, "max_error", wp_json_number(row->error));
        json_object_set_new(json, "tolerance", wp_json_number(row->tolerance));
        json_object_set_new(json, "place", wp_json_text(wp_text_get(&place)));
        wp_text_free(&place);
    }
    json_array_append_new(w->rows, json);
}

static int form_count(const struct work *w)
{
    return w->backend->schemeless ? 1 : FORMS;
}

// The line of a scheme in the matrix, from the worst check of each cell.
static void print_line(const struct work *w, const struct wp_verify_row *row)
{
    wp_progress_clear();
    printf("%-10s %-22s", w->current->name, scheme_name(row));
    for (int c = 0; c < WP_BORDER_COUNT * form_count(w); c++) {
        char number[WP_NUMBER_SIZE] = "";
        if (w->worst[c].status != WP_VERIFY_SKIPPED)
            format_error(number, w->worst[c].error);
        printf("  %s %-9s", wp_verify_status_names[w->worst[c].status], number);
    }
    printf("\n");
}

static void take_row(void *user, const struct wp_verify_row *row)
{
    struct work *w = user;
    w->count[row->status]++;
    wp_progress("%s: %s/%s", w->backend_name, w->current->name, scheme_name(row));
    if (row->status == WP_VERIFY_FAILED)
        add_failure(w, row);
    const int forms = form_count(w);
    const int cell = (int)row->border * forms + (row->form == WP_FORM_PLAIN);
    struct wp_verify_row *worst = &w->worst[cell];
    if (row->check == WP_VERIFY_FORWARD ||
        row->error / row->tolerance > worst->error / worst->tolerance)
        *worst = *row;
    if (w->call->common.json)
        add_json_row(w, row);
    else if (cell == WP_BORDER_COUNT * forms - 1 && row->check == WP_VERIFY_CHECK_COUNT - 1)
        print_line(w, row);
}

static void print_task(const struct work *w)
{
    const struct wp_image *image = w->image;
    const struct wp_verify_size
        symmetric = wp_verify_size(image->width, image->height, w->levels, WP_BORDER_SYMMETRIC),
        periodic = wp_verify_size(image->width, image->height, w->levels, WP_BORDER_PERIODIC);
    printf("Every scheme against plain separable lifting in double precision: coefficients,\n"
           "inverse and round trip. The largest error of the three stands beside pass or fail.\n"
           "Image %dx%d, %d levels; for periodic borders %dx%d of it, %d levels. Norm %s.\n"
           "Tolerance %.1e%s, times the band's gain over norm\n"
           "jpeg2000, and times the gain of noise in every level where that exceeds 1.\n\n",
           symmetric.width, symmetric.height, symmetric.levels, periodic.width, periodic.height,
           periodic.levels, wp_norm_names[w->options->norm],
           wp_verify_tolerance(w->wavelet, 0, (enum wp_precision)w->options->precision),
           w->options->precision == WP_PRECISION_F16 ? " (samples of 16 bits)" : "");
}

// Notes a backend, and prints what is done where it is the first one.
static void add_backend(struct work *w, json_t *description)
{
    wp_progress_clear();
    if (!w->call->common.json && json_array_size(w->backends) == 0)
        print_task(w);
    json_array_append_new(w->backends, description);
}

static void print_header(const struct work *w, const struct wp_backend_choice *choice)
{
    printf("%s: %s%s\n\n", w->backend_name, choice->info.name,
           choice->info.software ? " (SOFTWARE)" : "");
    printf("%-10s %-22s", "wavelet", "scheme");
    for (int border = 0; border < WP_BORDER_COUNT; border++) {
        printf("  %-14s", wp_border_names[border]);
        if (form_count(w) > 1)
            printf("  %-14s", "plain");
    }
    printf("\n");
}

static void set_name(struct work *w, const struct wp_backend *backend,
                     const struct wp_variant *variant)
{
    w->backend = backend;
    w->variant = variant;
    snprintf(w->backend_name, sizeof w->backend_name, "%s%s%s", backend->name, variant ? "/" : "",
             variant ? variant->name : "");
}

// NULL: the backend's own choice.
static bool verify_variant(struct work *w, const struct wp_backend_choice *choice,
                           const struct wp_variant *variant)
{
    set_name(w, choice->backend, variant);
    add_backend(w, json_pack("{s:s, s:o, s:o, s:b, s:b}", "name", w->backend->name, "variant",
                             wp_json_text(variant ? variant->name : NULL), "device",
                             wp_json_text(choice->info.name), "software", choice->info.software,
                             "any_scheme", w->backend->schemeless));
    if (!w->call->common.json)
        print_header(w, choice);
    for (int i = 0; i < w->wavelet_count; i++) {
        w->current = &w->wavelet[i];
        const struct wp_verify_params params = {
            .backend = choice->backend,
            .device = choice->device,
            .variant = variant,
            .wavelet = w->current,
            .kinds = w->kinds,
            .norm = (enum wp_norm)w->options->norm,
            .precision = (enum wp_precision)w->options->precision,
            .levels = w->levels,
            .width = w->image->width,
            .height = w->image->height,
            .plane = w->image->plane[0],
        };
        wp_progress("%s: %s", w->backend_name, w->current->name);
        if (!wp_verify(&params, take_row, w))
            return false;
    }
    if (!w->call->common.json)
        printf("\n");
    return true;
}

static void skip(struct work *w, const char *reason)
{
    w->count[WP_VERIFY_SKIPPED]++;
    add_backend(w, json_pack("{s:s, s:o, s:n, s:o}", "name", w->backend->name, "variant",
                             wp_json_text(w->variant ? w->variant->name : NULL), "device",
                             "reason", wp_json_text(reason)));
    if (!w->call->common.json)
        printf("%s: skip (%s)\n\n", w->backend_name, reason);
}

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

// The variants that were asked for; the backend's own choice where none of its is.
static bool verify_backend(struct work *w, const struct wp_backend_choice *choice)
{
    const char *list = w->options->transform.variant;
    const bool all = has_word(list, "all");
    bool found = false, ok = true;
    const struct wp_variant *v = list ? choice->backend->variants : NULL;
    for (; v && v->name && ok; v++) {
        char why[256];
        const bool named = has_word(list, v->name);
        if (!named && !all)
            continue;
        found = true;
        // One that was named must work.
        if (named || !v->runs_on || v->runs_on(v, choice->device, why, sizeof why)) {
            ok = verify_variant(w, choice, v);
        } else {
            set_name(w, choice->backend, v);
            skip(w, why);
        }
    }
    return ok && (found || verify_variant(w, choice, NULL));
}

// A name that no backend of the list has is a mistake.
static bool check_variant(struct work *w, const char *name)
{
    const char *backends = w->options->transform.backend;
    struct wp_lookup lookup = {.name = name};
    bool known = wp_lookup_is(&lookup, "all");
    for (int i = 0; wp_backends[i]; i++) {
        if (backends && !has_word(backends, "auto") && !has_word(backends, wp_backends[i]->name))
            continue;
        for (const struct wp_variant *v = wp_backends[i]->variants; v && v->name; v++)
            known = known || wp_lookup_is(&lookup, v->name);
    }
    return known || wp_lookup_fail(&lookup, "'wavepass info' lists all",
                                   "no backend%s has a variant '%s'",
                                   backends ? " of the list" : "", name);
}

static bool choose_variants(struct work *w)
{
    return !w->options->transform.variant ||
           each_name(w, "--variant", w->options->transform.variant, check_variant);
}

// A backend that was asked for by name must work.
static bool verify_named(struct work *w, const char *name)
{
    struct wp_backend_choice choice;
    if (!wp_backend_open(name, w->options->transform.device - 1, false, &choice))
        return false;
    const bool ok = wp_backend_check_precision(choice.backend,
                                               (enum wp_precision)w->options->precision) &&
                    verify_backend(w, &choice);
    wp_backend_close(&choice);
    return ok;
}

static bool verify_available(struct work *w, const struct wp_backend *backend)
{
    char reason[256];
    if (w->options->precision == WP_PRECISION_F16 && !backend->half)
        return true;
    struct wp_backend_choice choice = {
        .backend = backend,
        .device = backend->open(WP_DEVICE_ANY, true, reason, sizeof reason),
    };
    if (choice.device) {
        backend->describe(choice.device, &choice.info);
        if (backend->slow_in_software && choice.info.software) {
            snprintf(reason, sizeof reason, "%s would compile for minutes; -b %s does it anyway",
                     choice.info.name, backend->name);
            wp_backend_close(&choice);
        }
    }
    if (!choice.device) {
        set_name(w, backend, NULL);
        skip(w, reason);
        return true;
    }
    const bool ok = verify_backend(w, &choice);
    wp_backend_close(&choice);
    return ok;
}

static bool verify_backends(struct work *w)
{
    if (w->options->transform.device && !w->options->transform.backend)
        return verify_named(w, "auto");
    if (w->options->transform.backend)
        return each_name(w, "-b", w->options->transform.backend, verify_named);
    bool ok = true;
    for (int i = 0; wp_backends[i] && ok; i++)
        ok = verify_available(w, wp_backends[i]);
    return ok;
}

static void print_result(struct work *w)
{
    wp_progress_clear();
    if (w->call->common.json) {
        const struct wp_verify_size size = wp_verify_size(w->image->width, w->image->height,
                                                          w->levels, WP_BORDER_SYMMETRIC);
        wp_print_json(json_pack("{s:s, s:i, s:i, s:i, s:s, s:s, s:O, s:O, s:i, s:i, s:i}", "command",
                                "verify", "width", w->image->width, "height", w->image->height,
                                "levels", size.levels, "norm", wp_norm_names[w->options->norm],
                                "precision", wp_precision_names[w->options->precision],
                                "backends", w->backends, "rows", w->rows, "passed",
                                w->count[WP_VERIFY_PASSED], "failed", w->count[WP_VERIFY_FAILED],
                                "skipped", w->count[WP_VERIFY_SKIPPED]));
        return;
    }
    fputs(wp_text_get(&w->failures), stdout);
    for (int i = 0; i < w->wavelet_count; i++)
        if (w->wavelet[i].symmetry == WP_SYMMETRY_NONE)
            printf("skip %s with symmetric borders: the wavelet is not symmetric\n",
                   w->wavelet[i].name);
    printf("%d passed, %d failed, %d skipped\n", w->count[WP_VERIFY_PASSED],
           w->count[WP_VERIFY_FAILED], w->count[WP_VERIFY_SKIPPED]);
}

static bool verify(struct work *w)
{
    if (!choose_wavelets(w) || !choose_schemes(w) || !choose_variants(w) || !read_image(w) ||
        !verify_backends(w))
        return false;
    print_result(w);
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    struct work w = {.call = call,
                     .options = call->options,
                     .rows = json_array(),
                     .backends = json_array()};
    const bool ok = verify(&w);
    json_decref(w.rows);
    json_decref(w.backends);
    wp_text_free(&w.failures);
    wp_image_destroy(&w.image);
    free(w.wavelet);
    if (!ok)
        return wp_last_error();
    return w.count[WP_VERIFY_FAILED] ? WP_ERROR_MISMATCH : WP_ERROR_NONE;
}

const struct wp_command wp_command_verify = {
    .name = "verify",
    .summary = "checks every wavelet, scheme and backend here against the reference",
    .arguments = "[IN]",
    .description =
        "Runs every wavelet in every scheme, optimised and plain, with symmetric and periodic "
        "borders, forward and back, on every backend that works here, and compares with plain "
        "separable lifting in double precision. A backend that has no schemes of its own runs "
        "once for any of them. Ends with 'N passed, N failed, N skipped'; the "
        "exit code is 5 where one failed.\n\n"
        "IN is an image, of which the luma is taken; without it, noise of 131x97. Periodic "
        "borders need even sizes, so they take the largest part of the image that fits.",
    .examples = "wavepass verify\n"
                "wavepass verify -w cdf97,cdf53 -s ns-poly -b fragment\n"
                "wavepass verify -w cdf53 -b fragment --variant all\n"
                "wavepass verify photo.png -l max --json",
    .arguments_min = 0,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
