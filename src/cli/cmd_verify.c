#include "registry.h"
#include "command.h"
#include "image.h"
#include "suggest.h"
#include "pattern.h"
#include "run.h"
#include "transform.h"
#include "verify.h"
#include "wavelet_growth.h"
#include "wavepass.h"
#include "integer_samples.h"
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
    // wavelet, scheme, backend, variant (all lists), device, levels, levels_z, decomposition
    struct wp_transform_params transform;
    struct wp_volume_options volume;
    const char *size;
    int norm, precision;
};

#define MEMBER(member) offsetof(struct options, transform.member)

static const struct wp_option options[] = {
    {.name = "wavelet",
     .letter = 'w',
     .kind = WP_OPTION_TEXT,
     .value = "LIST",
     .help = "wavelets, separated by commas (default all but those of families)",
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
     .help = "implementation variants of the backends, or all (default: the default of each)",
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
     .help = "levels, fewer if the image is too small (default 3)",
     .offset = MEMBER(levels),
     .none = WP_LEVELS_NONE},
    {.name = "levels-z",
     .kind = WP_OPTION_LEVELS,
     .value = "N|max",
     .help = "levels along the third axis of a volume, fewer if it is too thin (default that of "
             "-l)",
     .offset = MEMBER(levels_z),
     .none = WP_LEVELS_NONE},
    {.name = "decomposition",
     .kind = WP_OPTION_WORD,
     .value = "KIND",
     .help = "volumes: dyadic, or spatial-temporal (t+2D), all levels of a slice before those "
             "along z (default dyadic, and one scheme of spatial-temporal)",
     .offset = MEMBER(decomposition),
     .words = wp_decomposition_names,
     .word_count = WP_DECOMPOSITION_COUNT},
    {.name = "size",
     .kind = WP_OPTION_TEXT,
     .value = "WxH[xD]",
     .help = "noise of this size instead of IN: an image or a volume (default 131x97)",
     .offset = offsetof(struct options, size)},
    WP_OPTIONS(struct options, volume, wp_options_volume),
    {.name = "norm",
     .kind = WP_OPTION_CHOICE,
     .value = "KIND",
     .help = "normalization of the coefficients (default jpeg2000)",
     .offset = offsetof(struct options, norm),
     .words = wp_norm_names,
     .word_count = WP_NORM_COUNT},
    {.name = "precision",
     .kind = WP_OPTION_CHOICE,
     .value = "KIND",
     .help = "sample storage format; f16 on backends that support it (default f32)",
     .offset = offsetof(struct options, precision),
     .words = wp_precision_names,
     .word_count = WP_PRECISION_COUNT},
    {.name = "reversible",
     .kind = WP_OPTION_FLAG,
     .help = "integer lifting (rounding), for wavelets that support it: results must be identical",
     .offset = MEMBER(reversible)},
    {0},
};

// What one call holds. Everything in it is released by run().
struct work {
    const struct wp_call *call;
    const struct options *options;
    struct wp_image *image;
    struct wp_verify_extent whole; // of it
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
    enum wp_decomposition decomposition;
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
        wp_fail(WP_ERROR_USAGE, "%s: the list is empty", option);
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

static bool is_volume(const struct work *w)
{
    return w->whole.size[WP_Z] > 1;
}

static bool add_scheme(struct work *w, const char *name)
{
    const struct wp_scheme_kind *kind = wp_scheme_kind_find(name, is_volume(w) ? 3 : 2);
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
    // Of all those that can.
    int kept = 0;
    for (int i = 0; i < w->wavelet_count; i++)
        if (!w->options->transform.reversible || wp_lifting_is_reversible(&w->wavelet[i]))
            w->wavelet[kept++] = w->wavelet[i];
    w->wavelet_count = kept;
    wp_wavelet_free_names(names);
    return ok;
}

static bool choose_schemes(struct work *w)
{
    return !w->options->transform.scheme ||
           each_name(w, "-s", w->options->transform.scheme, add_scheme);
}

// IN, or a pattern in its place.
static bool find_input(const struct work *w, struct wp_text *path)
{
    const char *size = w->options->size;
    if (size && w->call->argument_count)
        return wp_fail(WP_ERROR_USAGE, "--size is for noise, not for a file");
    wp_text_add(path, "%s", w->call->argument_count ? w->call->argument[0] : DEFAULT_IMAGE);
    if (size) {
        wp_text_clear(path);
        wp_text_add(path, "pattern:noise:%s", size);
    }
    return true;
}

static int most_levels(int asked, int usual)
{
    return asked == WP_LEVELS_MOST   ? WP_MAX_LEVELS
           : asked == WP_LEVELS_NONE ? 0
           : asked                   ? asked
                                     : usual;
}

static bool set_whole(struct work *w, const char *path)
{
    const struct wp_transform_params *given = &w->options->transform;
    const int levels = most_levels(given->levels, DEFAULT_LEVELS);
    w->whole = (struct wp_verify_extent){
        .size = {w->image->width, w->image->height, w->image->depth},
        .levels = levels,
        .levels_z = w->image->depth > 1 ? most_levels(given->levels_z, levels) : 0,
    };
    if (w->image->depth == 1 && (given->levels_z || given->decomposition))
        return wp_fail(WP_ERROR_USAGE, "%s: an image has no levels along z", path);
    return w->whole.levels || w->whole.levels_z ||
           wp_fail(WP_ERROR_USAGE, "%s: 0 levels leave nothing to verify", path);
}

// The integers of the file: what 8 bits were divided by is multiplied again, floats of 0 to 1 get 16
// bits, and larger values are rounded.
static void make_whole(struct wp_image *image)
{
    const double factor = image->origin.bits == 8      ? 255
                          : wp_integer_samples_largest(image) > 1 ? 1
                                                        : 65535;
    wp_integer_samples_scale(image, factor, true);
}

// Whether all that was asked for can round together.
static bool check_reversible(const struct work *w)
{
    for (int i = 0; i < w->wavelet_count; i++) {
        const struct wp_description d = {
            .wavelet = &w->wavelet[i],
            .border = w->wavelet[i].symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PERIODIC
                                                                 : WP_BORDER_SYMMETRIC,
            .norm = (enum wp_norm)w->options->norm,
            .precision = (enum wp_precision)w->options->precision,
            .reversible = true,
            .size = {w->image->width, w->image->height, w->image->depth},
        };
        if (!wp_transform_check_reversible(d.wavelet) || !wp_description_check(&d))
            return false;
    }
    return true;
}

static bool read_image(struct work *w)
{
    struct wp_text text = {0};
    size_t nonfinite;
    bool ok = find_input(w, &text);
    const char *path = wp_text_get(&text);
    w->image = ok ? wp_run_read_volume(path, &w->options->volume, &nonfinite) : NULL;
    ok = w->image && set_whole(w, path);
    if (ok && nonfinite)
        ok = wp_fail(WP_ERROR_FILE, "%s: image contains NaN or infinite values",
                     path);
    wp_text_free(&text);
    if (ok)
        wp_image_to_gray(w->image);
    if (ok && w->options->transform.reversible) {
        make_whole(w->image);
        ok = check_reversible(w);
    }
    return ok;
}

// "3.1e-06". The program never sets a locale.
static const char *format_error(char number[WP_NUMBER_SIZE], double error)
{
    snprintf(number, WP_NUMBER_SIZE, "%.1e", error);
    return number;
}

// Where an error is: "at HL1 (17,0)", "at HLL1 (17,0,3)", "at HL1.H2 (17,0,3)".
static void add_place(const struct work *w, struct wp_text *text, const struct wp_verify_row *row)
{
    const struct wp_subband *band = &row->band;
    char name[WP_BAND_NAME_SIZE];
    if (band->letters)
        wp_subband_name(band, name);
    wp_text_add(text, "at %s (%d,%d", band->letters ? name : is_volume(w) ? "voxel" : "pixel",
                row->at[WP_X], row->at[WP_Y]);
    if (is_volume(w))
        wp_text_add(text, ",%d", row->at[WP_Z]);
    wp_text_add(text, ")");
}

// Steps that round go in the order of one scheme, also where a backend knows of none.
static const char *scheme_name(const struct work *w, const struct wp_verify_row *row)
{
    if (row->kind)
        return row->kind->name;
    return w->options->transform.reversible ? wp_scheme_kinds[WP_SCHEME_SEP_LIFTING].name
                                            : "any scheme";
}

static bool is_temporal(const struct work *w)
{
    return w->decomposition == WP_DECOMPOSITION_SPATIAL_TEMPORAL;
}

static void add_failure(struct work *w, const struct wp_verify_row *row)
{
    char error[WP_NUMBER_SIZE], tolerance[WP_NUMBER_SIZE];
    wp_text_add(&w->failures, "FAIL %s %s %s: max|err| %s > %s ", w->current->name,
                row->kind ? row->kind->alias : scheme_name(w, row), w->backend_name,
                format_error(error, row->error), format_error(tolerance, row->tolerance));
    add_place(w, &w->failures, row);
    wp_text_add(&w->failures, " (%s%s%s%s, %s)\n", wp_verify_check_names[row->check],
                row->kind ? ", " : "", row->kind ? wp_form_names[row->form] : "",
                is_temporal(w) ? ", t+2D" : "", wp_border_names[row->border]);
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
    if (is_volume(w))
        json_object_set_new(json, "decomposition",
                            json_string(wp_decomposition_names[w->decomposition]));
    if (row->status != WP_VERIFY_SKIPPED) {
        struct wp_text place = {0};
        add_place(w, &place, row);
        json_object_set_new(json, "max_error", wp_json_number(row->error));
        json_object_set_new(json, "tolerance", wp_json_number(row->tolerance));
        json_object_set_new(json, "place", wp_json_text(wp_text_get(&place)));
        wp_text_free(&place);
    }
    json_array_append_new(w->rows, json);
}

static bool is_schemeless(const struct work *w)
{
    const struct wp_description any = {.size = {1, 1, w->whole.size[WP_Z]}};
    return wp_backend_is_schemeless(w->backend, &any);
}

// Steps that round have one form.
static int form_count(const struct work *w)
{
    return is_schemeless(w) || w->options->transform.reversible ? 1 : FORMS;
}

// The line of a scheme in the matrix, from the worst check of each cell.
static void print_line(const struct work *w, const struct wp_verify_row *row)
{
    char scheme[32];
    snprintf(scheme, sizeof scheme, "%s%s",
             row->kind && is_temporal(w) ? row->kind->alias : scheme_name(w, row),
             is_temporal(w) ? ", t+2D" : "");
    wp_progress_clear();
    printf("%-10s %-22s", w->current->name, scheme);
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
    wp_progress("%s: %s/%s", w->backend_name, w->current->name, scheme_name(w, row));
    if (row->status == WP_VERIFY_FAILED)
        add_failure(w, row);
    const int forms = form_count(w);
    const int cell = (int)row->border * forms + (forms > 1 && row->form == WP_FORM_PLAIN);
    struct wp_verify_row *worst = &w->worst[cell];
    if (row->check == WP_VERIFY_FORWARD || wp_verify_excess(row) > wp_verify_excess(worst))
        *worst = *row;
    if (w->call->common.json)
        add_json_row(w, row);
    else if (cell == WP_BORDER_COUNT * forms - 1 &&
             (int)row->check == wp_verify_checks(w->whole.size) - 1)
        print_line(w, row);
}

// "131x97", or "40x24x16".
static void add_size(struct wp_text *text, const struct wp_verify_extent *extent)
{
    wp_text_add(text, "%dx%d", extent->size[WP_X], extent->size[WP_Y]);
    if (extent->size[WP_Z] > 1)
        wp_text_add(text, "x%d", extent->size[WP_Z]);
}

static void add_levels(const struct work *w, struct wp_text *text,
                       const struct wp_verify_extent *extent)
{
    wp_text_add(text, ", %d levels", extent->levels);
    if (is_volume(w))
        wp_text_add(text, ", %d along z", extent->levels_z);
}

// Sizes, levels and tolerances.
static void add_terms(const struct work *w, struct wp_text *text)
{
    const struct wp_verify_extent symmetric = wp_verify_extent(&w->whole, WP_BORDER_SYMMETRIC);
    const struct wp_verify_extent periodic = wp_verify_extent(&w->whole, WP_BORDER_PERIODIC);
    const bool half = w->options->precision == WP_PRECISION_F16;
    const double tolerance = WP_WAVELET_EXACT * (half ? WP_VERIFY_HALF : 1);
    wp_text_add(text, is_volume(w) ? "Volume " : "Image ");
    add_size(text, &symmetric);
    add_levels(w, text, &symmetric);
    wp_text_add(text, "; for periodic borders ");
    add_size(text, &periodic);
    wp_text_add(text, " of it");
    add_levels(w, text, &periodic);
    if (w->options->transform.reversible) {
        wp_text_add(text, ". Steps round\nto integers, which must be identical.\n");
        return;
    }
    wp_text_add(text,
                ". Norm %s.\nTolerance %.1e%s, times the gain of the subband over norm\njpeg2000; "
                "more if rounding errors grow in the steps or levels of a wavelet.\n",
                wp_norm_names[w->options->norm], tolerance, half ? " (samples of 16 bits)" : "");
    if (is_volume(w))
        wp_text_add(text,
                    "%.1e for schemes of two lifting pairs or more (cdf97), whose passes process\n"
                    "all three axes before the next pair: these lose digits. %.1e for their plain "
                    "form.\nOne slice must equal the image transform exactly. t+2D is "
                    "spatial-temporal.\n",
                    WP_VERIFY_LOST * tolerance, WP_VERIFY_LOST_PLAIN * tolerance);
}

static void print_task(const struct work *w)
{
    struct wp_text terms = {0};
    add_terms(w, &terms);
    printf("Every scheme against plain separable lifting in double precision: coefficients,\n"
           "inverse and round trip. Each cell shows the largest of the three errors.\n%s\n",
           wp_text_get(&terms));
    wp_text_free(&terms);
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

static bool verify_wavelet(struct work *w, const struct wp_backend_choice *choice,
                           enum wp_decomposition decomposition, unsigned kinds)
{
    const struct wp_verify_params params = {
        .backend = choice->backend,
        .device = choice->device,
        .variant = w->variant,
        .wavelet = w->current,
        .kinds = kinds,
        .norm = (enum wp_norm)w->options->norm,
        .precision = (enum wp_precision)w->options->precision,
        .decomposition = decomposition,
        .reversible = w->options->transform.reversible,
        .whole = w->whole,
        .plane = w->image->plane[0],
    };
    w->decomposition = decomposition;
    return wp_verify(&params, take_row, w);
}

// The decomposition that was asked for. Else the usual one, and of the other, which is made of
// transforms of fewer axes in the same scheme, one scheme; where both are the same, no more.
static bool verify_decompositions(struct work *w, const struct wp_backend_choice *choice)
{
    const char *given = w->options->transform.decomposition;
    const struct wp_verify_extent e = wp_verify_extent(&w->whole, WP_BORDER_SYMMETRIC);
    const unsigned usual = 1U << WP_SCHEME_PLANAR_POLYCONVOLUTION;
    const unsigned first = w->kinds & -w->kinds;
    if (given)
        return verify_wavelet(w, choice, (enum wp_decomposition)wp_name_index(
                                             given, wp_decomposition_names,
                                             WP_DECOMPOSITION_COUNT), w->kinds);
    const bool both = e.levels > 0 && e.levels_z > 0 && e.levels + e.levels_z > 2;
    return verify_wavelet(w, choice, WP_DECOMPOSITION_DYADIC, w->kinds) &&
           (!both || verify_wavelet(w, choice, WP_DECOMPOSITION_SPATIAL_TEMPORAL,
                                    !w->kinds || w->kinds & usual ? usual : first));
}

// NULL: the backend's own choice.
static bool verify_variant(struct work *w, const struct wp_backend_choice *choice,
                           const struct wp_variant *variant)
{
    set_name(w, choice->backend, variant);
    add_backend(w, json_pack("{s:s, s:o, s:o, s:b, s:b}", "name", w->backend->name, "variant",
                             wp_json_text(variant ? variant->name : NULL), "device",
                             wp_json_text(choice->info.name), "software", choice->info.software,
                             "any_scheme", is_schemeless(w)));
    if (!w->call->common.json)
        print_header(w, choice);
    for (int i = 0; i < w->wavelet_count; i++) {
        w->current = &w->wavelet[i];
        wp_progress("%s: %s", w->backend_name, w->current->name);
        if (!verify_decompositions(w, choice))
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
    if (!wp_backend_open(name, w->options->transform.device - 1,
                         is_volume(w) ? WP_IN_SOFTWARE_QUICK : WP_IN_SOFTWARE_ANY, &choice))
        return false;
    const bool ok = wp_backend_check_precision(choice.backend,
                                               (enum wp_precision)w->options->precision) &&
                    (!w->options->transform.reversible ||
                     wp_backend_check_reversible(choice.backend)) &&
                    verify_backend(w, &choice);
    wp_backend_close(&choice);
    return ok;
}

static bool verify_available(struct work *w, const struct wp_backend *backend)
{
    char reason[256];
    if ((w->options->precision == WP_PRECISION_F16 && !backend->half) ||
        (w->options->transform.reversible && !backend->reversible))
        return true;
    struct wp_backend_choice choice = {
        .backend = backend,
        .device = backend->open(WP_DEVICE_ANY, true, reason, sizeof reason),
    };
    if (choice.device) {
        backend->describe(choice.device, &choice.info);
        if (backend->slow_in_software && choice.info.software) {
            snprintf(reason, sizeof reason, "compiling for %s would take minutes; -b %s verifies "
                                            "it",
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

static void print_json(const struct work *w)
{
    const struct wp_verify_extent extent = wp_verify_extent(&w->whole, WP_BORDER_SYMMETRIC);
    json_t *result = json_pack(
        "{s:s, s:i, s:i, s:i, s:s, s:s, s:O, s:O, s:i, s:i, s:i}", "command", "verify", "width",
        w->image->width, "height", w->image->height, "levels", extent.levels, "norm",
        wp_norm_names[w->options->norm], "precision", wp_precision_names[w->options->precision],
        "backends", w->backends, "rows", w->rows, "passed", w->count[WP_VERIFY_PASSED], "failed",
        w->count[WP_VERIFY_FAILED], "skipped", w->count[WP_VERIFY_SKIPPED]);
    if (w->options->transform.reversible)
        json_object_set_new(result, "reversible", json_true());
    if (is_volume(w)) {
        json_object_set_new(result, "depth", json_integer(w->image->depth));
        json_object_set_new(result, "levels_z", json_integer(extent.levels_z));
    }
    wp_print_json(result);
}

static void print_result(struct work *w)
{
    wp_progress_clear();
    if (w->call->common.json) {
        print_json(w);
        return;
    }
    fputs(wp_text_get(&w->failures), stdout);
    for (int i = 0; i < w->wavelet_count; i++)
        if (w->wavelet[i].symmetry == WP_SYMMETRY_NONE)
            printf("skip %s with symmetric borders: the wavelet is not symmetric\n",
                   w->wavelet[i].name);
    for (int i = 0; i < w->wavelet_count; i++) {
        struct wp_text error = {0};
        wp_wavelet_write_error(&w->wavelet[i], &error);
        if (error.length)
            printf("%s: %s\n", w->wavelet[i].name, wp_text_get(&error));
        wp_text_free(&error);
    }
    printf("%d passed, %d failed, %d skipped\n", w->count[WP_VERIFY_PASSED],
           w->count[WP_VERIFY_FAILED], w->count[WP_VERIFY_SKIPPED]);
}

static bool verify(struct work *w)
{
    // What schemes there are depends on what is read.
    if (!choose_wavelets(w) || !choose_variants(w) || !read_image(w) || !choose_schemes(w) ||
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
    .summary = "check every available wavelet, scheme and backend against the reference",
    .arguments = "[IN]",
    .description =
        "Runs every wavelet in every scheme, optimized and plain, with symmetric and periodic "
        "borders, forward and inverse, on every available backend, and compares the results with "
        "plain separable lifting in double precision. A backend without schemes runs once for all "
        "of them. Ends with 'N passed, N failed, N skipped'; the exit code is 5 if one failed.\n\n"
        "IN is an image, whose luma is used, or a volume; without it, noise of 131x97 or --size. "
        "Periodic borders need even sizes and use the largest part that fits. The first slice of "
        "a volume must equal its image transform in every bit; both decompositions are checked, "
        "spatial-temporal (t+2D) in one scheme. Backends that do not support volumes are skipped.",
    .examples = "wavepass verify\n"
                "wavepass verify -w cdf97,cdf53 -s ns-poly -b fragment\n"
                "wavepass verify -w cdf53 -b fragment --variant all\n"
                "wavepass verify --reversible\n"
                "wavepass verify photo.png -l max --json\n"
                "wavepass verify --size 40x24x16 --levels-z 2\n"
                "wavepass verify --size 40x24x16 --decomposition spatial-temporal",
    .arguments_min = 0,
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
