#include "axis_support.h"

#include "axis_lists.h"
#include "field_table.h"
#include "log.h"
#include "reference.h"
#include "suggest.h"
#include "text.h"
#include "words.h"
#include "xmemory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const include_names[] = {"upload", "download", "map", "compile",
                                            "overlapped", "windows"};

enum { INCLUDES = sizeof include_names / sizeof *include_names };
enum { LEVELS_AS_PLANE = WP_AXIS_LEVELS_MOST - 1 };

static bool read_schemes(const char *list, int dims, unsigned *bits, unsigned *named)
{
    bool ok = true;
    struct wp_words words = wp_words_of(list);
    while (wp_words_next(&words)) {
        if (strcmp(words.word, "all") == 0) {
            *bits |= (1U << WP_SCHEME_VOLUME_KINDS) - 1;
            continue;
        }
        const struct wp_scheme_kind *kind = ok ? wp_scheme_kind_find(words.word, dims) : NULL;
        ok = ok && kind;
        if (kind)
            *named |= 1U << (kind - wp_scheme_kinds);
    }
    *bits |= *named;
    return ok;
}

static void add_wavelet(struct wp_bench_set *set, const struct wp_wavelet *wavelet)
{
    struct wp_wavelet *copy = wp_xcalloc(1, sizeof *copy);
    *copy = *wavelet;
    set->wavelet = wp_xrealloc(set->wavelet, (size_t)set->wavelet_count + 1, sizeof *set->wavelet);
    set->wavelet[set->wavelet_count++] = copy;
}

// Appends the wavelets of a list to the set.
static bool read_wavelets(const char *list, struct wp_bench_set *set)
{
    bool ok = true;
    struct wp_words words = wp_words_of(list);
    while (wp_words_next(&words)) {
        struct wp_wavelet wavelet;
        if (strcmp(words.word, "all") == 0) {
            for (int i = 0; wp_wavelet_table[i]; i++)
                add_wavelet(set, wp_wavelet_table[i]);
        } else if (ok && wp_wavelet_find(words.word, &wavelet)) {
            add_wavelet(set, &wavelet);
        } else {
            ok = false;
        }
    }
    return ok;
}

// Parameters for opening backends.
struct opening {
    int device;
    bool optional; // skips backends that are not available
    enum wp_in_software software;
};

static bool add_backend(struct wp_bench_set *set, const char *name, const struct opening *how,
                        int *index)
{
    for (*index = 0; *index < set->backend_count; ++*index)
        if (strcmp(set->backend[*index]->backend->name, name) == 0)
            return true;
    struct wp_backend_choice choice = {0};
    if (how->optional) {
        char reason[256] = "";
        choice.backend = wp_backend_named(name);
        if (choice.backend)
            choice.device = choice.backend->open(how->device, true, reason, sizeof reason);
        else
            snprintf(reason, sizeof reason, "not in this build");
        if (!choice.device) {
            wp_log(WP_LOG_INFO, "skipped: backend '%s' is not available (%s)", name, reason);
            *index = -1;
            return true;
        }
        choice.backend->describe(choice.device, &choice.info);
    } else if (!wp_backend_open(name, how->device, how->software, &choice)) {
        return false;
    }
    if (choice.reason[0])
        wp_log(WP_LOG_WARNING, "%s, using %s", choice.reason, choice.backend->name);
    // `auto` may have selected a backend that is already open.
    for (*index = 0; *index < set->backend_count; ++*index) {
        if (set->backend[*index]->backend == choice.backend) {
            wp_backend_close(&choice);
            return true;
        }
    }
    set->backend = wp_xrealloc(set->backend, (size_t)set->backend_count + 1,
                               sizeof *set->backend);
    set->backend[set->backend_count] = wp_xcalloc(1, sizeof **set->backend);
    *set->backend[set->backend_count++] = choice;
    return true;
}

// Reads a list of backends as indices.
static bool read_backends(const char *list, const struct opening *how, struct wp_bench_set *set,
                          struct wp_axis_numbers *numbers)
{
    bool ok = true;
    struct wp_words words = wp_words_of(list);
    while (wp_words_next(&words)) {
        int index;
        const bool all = strcmp(words.word, "all") == 0;
        if (all && ok && how->device != WP_DEVICE_ANY && !how->optional) {
            ok = wp_fail(WP_ERROR_USAGE, "-b all and a device number exclude each other (each "
                                         "backend has its own)");
        } else if (all) {
            // The reference is not measured with "all".
            const struct opening any = {.device = how->device, .optional = true};
            for (int i = 0; wp_backends[i] && ok; i++) {
                if (wp_backends[i] == &wp_backend_reference)
                    continue;
                ok = add_backend(set, wp_backends[i]->name, &any, &index);
                if (ok && index >= 0)
                    wp_axis_add(numbers, index);
            }
        } else if (ok && add_backend(set, words.word, how, &index)) {
            if (index >= 0)
                wp_axis_add(numbers, index);
        } else {
            ok = false;
        }
    }
    return ok;
}

bool wp_bench_same_size(const struct wp_bench_config *a, const struct wp_bench_config *b)
{
    return memcmp(a->params.size, b->params.size, sizeof a->params.size) == 0;
}

static bool is_equal(const struct wp_bench_config *a, const struct wp_bench_config *b)
{
    const struct wp_description *p = &a->params, *q = &b->params;
    const bool schemeless = wp_backend_is_schemeless(a->backend->backend, p);
    return a->backend == b->backend && a->variant == b->variant && a->includes == b->includes &&
           a->threads == b->threads && a->batch == b->batch &&
           strcmp(p->wavelet->name, q->wavelet->name) == 0 && p->direction == q->direction &&
           wp_fields_equal(p, q, WP_FIELD_SET_ALL) && p->levels == q->levels &&
           p->levels_z == q->levels_z && wp_bench_same_size(a, b) &&
           wp_description_planes(p) == wp_description_planes(q) &&
           p->reversible == q->reversible && p->adjoint == q->adjoint &&
           (schemeless || (p->kind == q->kind && p->form == q->form));
}

static void add_config(struct wp_bench_set *set, const struct wp_bench_config *given)
{
    struct wp_bench_config copy = *given;
    const struct wp_bench_config *const config = &copy;
    if (!wp_bench_supports(set, config))
        return;
    if (!wp_description_is_native(&config->params))
        copy.includes = config->backend->backend->transform ? 0 : WP_INCLUDE_BOTH;
    for (int i = 0; i < set->count; i++)
        if (is_equal(&set->config[i], config))
            return;
    // Configurations are grouped by size.
    int at = set->count;
    while (at > 0 && !wp_bench_same_size(&set->config[at - 1], config))
        at--;
    at = at > 0 ? at : set->count;
    set->config = wp_xrealloc(set->config, (size_t)set->count + 1, sizeof *set->config);
    memmove(&set->config[at + 1], &set->config[at],
            (size_t)(set->count - at) * sizeof *set->config);
    set->config[at] = *config;
    set->count++;
}

// Values of --reversible and --adjoint.
enum { ANSWER_NO, ANSWER_YES, ANSWERS };
static const char *const answer_names[ANSWERS] = {"no", "yes"};

// The values of all axes.
struct product {
    struct wp_axis_numbers sizes, levels, levels_z, backends, threads, planes, batches;
    int first_wavelet;
    unsigned schemes, named_schemes, forms, directions, includes;
    unsigned field[WP_FIELD_DYADIC]; // bits of the words
    unsigned rounding, adjoint;      // bits of answer_names
    const char *variants; // NULL: each backend's default
};

// Whether a scheme equals another one of "all" for this wavelet, or does not apply to its bank.
static bool is_repeated(const struct product *product, const struct wp_description *p, int kind)
{
    const enum wp_grouping grouping = wp_scheme_kinds[kind].grouping;
    const bool repeated = p->wavelet->pairs == 1 && grouping == WP_GROUP_PAIR;
    const bool missing = p->bank == WP_BANK_STARLET && grouping != WP_GROUP_ALL;
    return (repeated || missing) && !(product->named_schemes & 1U << kind);
}

// Adds the requested variants of the backend, or its default if it has none of them.
static void add_variants(struct wp_bench_set *set, const struct product *product,
                         struct wp_bench_config *config)
{
    const struct wp_variant *v = product->variants ? config->backend->backend->variants : NULL;
    bool named = false;
    for (; v && v->name; v++) {
        if (!wp_words_have(product->variants, "all") && !wp_words_have(product->variants, v->name))
            continue;
        named = true;
        config->variant = v;
        add_config(set, config);
    }
    config->variant = NULL;
    if (!named)
        add_config(set, config);
}

// Adds the integer transform, which supports only one scheme.
static void add_reversible(struct wp_bench_set *set, const struct product *product,
                           struct wp_bench_config *config)
{
    struct wp_description *p = &config->params;
    p->reversible = true;
    p->kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING];
    p->form = WP_FORM_PLAIN;
    if (wp_bench_supports_reversible(set, config))
        add_variants(set, product, config);
    p->reversible = false;
}

static void add_schemes(struct wp_bench_set *set, const struct product *product,
                        struct wp_bench_config *config)
{
    struct wp_description *p = &config->params;
    const int kinds = p->size[WP_Z] > 1 ? WP_SCHEME_VOLUME_KINDS : WP_SCHEME_KINDS;
    if (product->rounding & 1U << ANSWER_YES)
        add_reversible(set, product, config);
    for (int s = 0; s < kinds && product->rounding & 1U << ANSWER_NO; s++) {
        if (!(product->schemes & 1U << s) || is_repeated(product, p, s))
            continue;
        p->kind = &wp_scheme_kinds[s];
        for (int form = 0; form < WP_FORM_COUNT; form++) {
            p->form = (enum wp_form)form;
            if (product->forms & 1U << form)
                add_variants(set, product, config);
        }
    }
}

// Sets the requested numbers of levels of the plane and of z.
static void set_levels(struct wp_description *p, int plane, int along_z)
{
    const int most_z = wp_description_levels_fit(p, WP_Z);
    p->levels = plane == WP_AXIS_LEVELS_MOST ? wp_description_levels_fit(p, WP_X) : plane;
    if (along_z == LEVELS_AS_PLANE)
        along_z = plane == WP_AXIS_LEVELS_MOST || plane > most_z ? WP_AXIS_LEVELS_MOST : plane;
    p->levels_z = along_z == WP_AXIS_LEVELS_MOST ? most_z : along_z;
}

// All requested words of the fields from number `field` on, all directions, and adjoints.
static void add_fields(struct wp_bench_set *set, const struct product *product,
                       struct wp_bench_config *config, int levels, int levels_z, int field)
{
    struct wp_description *p = &config->params;
    if (field == WP_FIELD_PRECISION) // add_precisions() sets it
        field++;
    for (int i = 0; field < WP_FIELD_DYADIC && i < wp_fields[field].count; i++) {
        if (product->field[field] & 1U << i) {
            wp_field_set(p, (enum wp_field)field, i);
            add_fields(set, product, config, levels, levels_z, field + 1);
        }
    }
    if (field < WP_FIELD_DYADIC)
        return;
    set_levels(p, levels, levels_z);
    if (config->batch)
        p->levels_z = 0;
    if (levels == 0 && p->levels_z == 0) {
        wp_bench_skip(set, "0 levels are not a transform");
        return;
    }
    for (int i = 0; i < WP_DIRECTION_COUNT * ANSWERS; i++) {
        p->direction = (enum wp_direction)(i % WP_DIRECTION_COUNT);
        p->adjoint = i >= WP_DIRECTION_COUNT;
        if (product->directions >> p->direction & 1 && product->adjoint >> p->adjoint & 1)
            add_schemes(set, product, config);
    }
    p->adjoint = false;
}

static void add_transforms(struct wp_bench_set *set, const struct product *product,
                           struct wp_bench_config *config)
{
    for (int w = product->first_wavelet; w < set->wavelet_count; w++) {
        config->params.wavelet = set->wavelet[w];
        for (int l = 0; l < product->levels.count; l++)
            for (int z = 0; z < product->levels_z.count; z++)
                add_fields(set, product, config, product->levels.value[l][0],
                           product->levels_z.value[z][0], 0);
    }
}

// Skips more threads than there are processors.
static void add_threads(struct wp_bench_set *set, const struct product *product,
                        struct wp_bench_config *config)
{
    const int most = config->backend->info.threads;
    config->threads = 0;
    if (product->threads.count == 0 || !most)
        add_transforms(set, product, config);
    for (int t = 0; t < product->threads.count && most; t++) {
        config->threads = product->threads.value[t][0];
        if (config->threads <= most)
            add_transforms(set, product, config);
        else
            wp_bench_skip(set, "%d threads: backend '%s' has %d here", config->threads,
                      config->backend->backend->name, most);
    }
}

static void add_precisions(struct wp_bench_set *set, const struct product *product,
                           struct wp_bench_config *config)
{
    const struct wp_backend *backend = config->backend->backend;
    for (int i = 0; i < WP_PRECISION_COUNT; i++) {
        config->params.precision = (enum wp_precision)i;
        if (!(product->field[WP_FIELD_PRECISION] & 1U << i))
            continue;
        if (i == WP_PRECISION_F16 && !backend->half)
            wp_bench_skip(set, "backend '%s' does not support precision 'f16'", backend->name);
        else
            add_threads(set, product, config);
    }
}

// All requested batches; without any, single images or volumes.
static void add_batches(struct wp_bench_set *set, const struct product *product,
                        struct wp_bench_config *config)
{
    struct wp_description *p = &config->params;
    const struct wp_description one = *p;
    if (product->batches.count == 0)
        add_precisions(set, product, config);
    for (int i = 0; i < product->batches.count; i++) {
        config->batch = product->batches.value[i][0];
        if (one.size[WP_Z] > 1 || one.planes > 1) {
            wp_bench_skip(set, "a batch is of images of one plane");
            continue;
        }
        if (config->backend->backend->batches)
            p->size[WP_Z] = config->batch;
        else
            p->planes = config->batch;
        add_precisions(set, product, config);
        memcpy(p->size, one.size, sizeof one.size);
        p->planes = one.planes;
    }
}

static void multiply(struct wp_bench_set *set, const struct product *product)
{
    struct wp_bench_config config = {.includes = product->includes & WP_INCLUDE_TIMED};
    for (int size = 0; size < product->sizes.count; size++) {
        memcpy(config.params.size, product->sizes.value[size], sizeof config.params.size);
        for (int b = 0; b < product->backends.count; b++) {
            config.backend = set->backend[product->backends.value[b][0]];
            for (int p = 0; p < product->planes.count; p++) {
                config.params.planes = product->planes.value[p][0];
                add_batches(set, product, &config);
            }
        }
    }
}

// False if a variant is of no backend in the list; with `optional` it is skipped.
static bool check_variants(struct wp_bench_set *set, const struct product *product, bool optional)
{
    bool ok = true;
    struct wp_words words = wp_words_of(product->variants);
    while (wp_words_next(&words)) {
        struct wp_lookup lookup = {.name = words.word};
        bool known = wp_lookup_is(&lookup, "all");
        for (int b = 0; b < product->backends.count; b++) {
            const struct wp_backend *backend = set->backend[product->backends.value[b][0]]->backend;
            for (const struct wp_variant *v = backend->variants; v && v->name; v++)
                known = known || wp_lookup_is(&lookup, v->name);
        }
        if (known || !ok)
            continue;
        if (optional) {
            wp_bench_skip(set, "no available backend has a variant '%s'", words.word);
            continue;
        }
        ok = wp_lookup_fail(&lookup, "'wavepass bench --list' lists all",
                            "no available backend has a variant '%s'", words.word);
    }
    return ok;
}

static bool check_threads(const struct wp_bench_set *set, const struct product *product)
{
    bool some = product->threads.count == 0;
    for (int b = 0; b < product->backends.count; b++)
        some = some || set->backend[product->backends.value[b][0]]->info.threads > 0;
    return some || wp_fail(WP_ERROR_USAGE, "--threads: no backend of the list uses CPU threads"
                                           "\nhint: -b cpu does");
}

static const char *either(const char *given, const char *default_value)
{
    return given ? given : default_value;
}

static bool has_volumes(const struct wp_axis_numbers *sizes)
{
    bool some = false;
    for (int i = 0; i < sizes->count; i++)
        some = some || sizes->value[i][WP_Z] > 1;
    return some;
}

static enum wp_in_software software_of(const struct wp_bench_axes *axes,
                                       const struct product *product)
{
    const bool half = product->field[WP_FIELD_PRECISION] & 1U << WP_PRECISION_F16;
    return wp_backend_in_software(axes->scheme || axes->variant || half,
                                  has_volumes(&product->sizes));
}

static bool read_fields(const struct wp_bench_axes *axes, struct product *product)
{
    bool ok = true;
    for (int f = 0; f < WP_FIELD_DYADIC && ok; f++) {
        const struct wp_field_row *row = &wp_fields[f];
        ok = wp_axis_read_names(row->name, either(axes->field[f], row->words[0]), row->words,
                                row->count, &product->field[f]);
    }
    return ok;
}

static bool read_axes(const struct wp_bench_axes *axes, bool optional, struct wp_bench_set *set,
                      struct product *product)
{
    product->first_wavelet = set->wavelet_count;
    product->variants = axes->variant;
    return read_wavelets(either(axes->wavelet, "cdf97"), set) &&
           wp_axis_read("size", either(axes->size, "2048"), &product->sizes) &&
           read_schemes(either(axes->scheme, "all"), has_volumes(&product->sizes) ? 3 : 2,
                        &product->schemes, &product->named_schemes) &&
           wp_axis_read_names("form", either(axes->form, wp_form_names[WP_FORM_SHADER]),
                              wp_form_names, WP_FORM_COUNT, &product->forms) &&
           wp_axis_read("levels", either(axes->levels, "1"), &product->levels) &&
           (!axes->levels_z || wp_axis_read("levels-z", axes->levels_z, &product->levels_z)) &&
           wp_axis_read_names("direction", either(axes->direction, "forward"), wp_direction_names,
                              WP_DIRECTION_COUNT, &product->directions) &&
           read_fields(axes, product) &&
           wp_axis_read_names("reversible", either(axes->reversible, answer_names[ANSWER_NO]),
                              answer_names, ANSWERS, &product->rounding) &&
           wp_axis_read_names("adjoint", either(axes->adjoint, answer_names[ANSWER_NO]),
                              answer_names, ANSWERS, &product->adjoint) &&
           wp_axis_read("planes", either(axes->planes, "1"), &product->planes) &&
           (!axes->batch || wp_axis_read("batch", axes->batch, &product->batches)) &&
           (!axes->include || wp_axis_read_names("include", axes->include, include_names, INCLUDES,
                                                 &product->includes)) &&
           (!axes->threads || wp_axis_read("threads", axes->threads, &product->threads)) &&
           read_backends(either(axes->backend, "auto"),
                         &(struct opening){axes->device, optional, software_of(axes, product)},
                         set, &product->backends) &&
           (product->backends.count == 0 ||
            ((!axes->variant || check_variants(set, product, optional)) &&
             check_threads(set, product)));
}

bool wp_bench_set_add(struct wp_bench_set *set, const struct wp_bench_axes *axes, bool optional)
{
    struct product product = {0};
    bool ok = read_axes(axes, optional, set, &product);
    set->requested |= product.includes & (WP_INCLUDE_MAP | WP_INCLUDE_COMPILE);
    if (!axes->levels_z)
        wp_axis_add(&product.levels_z, LEVELS_AS_PLANE);
    if (ok)
        multiply(set, &product);
    if (ok && set->count == 0 && !optional)
        ok = wp_fail(WP_ERROR_USAGE, "nothing to measure (%s)",
                     set->skipped ? set->skipped_why : "no backend of the list is available");
    free(product.sizes.value);
    free(product.levels.value);
    free(product.levels_z.value);
    free(product.backends.value);
    free(product.threads.value);
    free(product.planes.value);
    free(product.batches.value);
    return ok;
}

void wp_bench_set_free(struct wp_bench_set *set)
{
    for (int i = 0; i < set->backend_count; i++) {
        wp_backend_close(set->backend[i]);
        free(set->backend[i]);
    }
    for (int i = 0; i < set->wavelet_count; i++)
        free(set->wavelet[i]);
    free(set->config);
    free(set->backend);
    free(set->wavelet);
    *set = (struct wp_bench_set){0};
}
