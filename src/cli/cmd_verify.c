#include "verify_parts.h"

#include "pattern.h"
#include "run.h"
#include "suggest.h"
#include "transform.h"
#include "words.h"
#include "xmemory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Odd sides, so that the last sample of a row or column has no pair on some levels.
#define DEFAULT_IMAGE "pattern:noise:131x97"
enum { DEFAULT_LEVELS = 3 };

#define OPTION(...) WP_OPTION(struct wp_verify_options, __VA_ARGS__)

static const struct wp_option options[] = {
    OPTION(TEXT, "wavelet", "LIST", transform.wavelet,
           "wavelets, separated by commas (default all but those of families)", .letter = 'w'),
    OPTION(TEXT, "scheme", "LIST", transform.scheme,
           "schemes, separated by commas (default all)", .letter = 's'),
    OPTION(TEXT, "backend", "LIST", transform.backend,
           "backends, separated by commas (default all that work here)", .letter = 'b'),
    OPTION(TEXT, "variant", "LIST", transform.variant,
           "implementation variants of the backends, or all (default: the default of each)"),
    OPTION(DEVICE, "device", "N", transform.device,
           "device number as in 'wavepass info', for one -b (default any)", .letter = 'd'),
    OPTION(LEVELS, "levels", "N|max", transform.levels,
           "levels, fewer if the image is too small (default 3)",
           .letter = 'l', .none = WP_LEVELS_NONE),
    OPTION(LEVELS, "levels-z", "N|max", transform.levels_z,
           "levels along the third axis of a volume, fewer if it is too thin (default: same as "
           "-l)", .none = WP_LEVELS_NONE),
    OPTION(WORD, "decomposition", "KIND", transform.decomposition,
           "volumes: dyadic, or spatial-temporal (t+2D), all levels of a slice before those "
           "along z (default dyadic, and one scheme of spatial-temporal)",
           WP_WORDS(wp_decomposition_names)),
    OPTION(TEXT, "size", "WxH[xD]", size,
           "noise of this size instead of IN: an image or a volume (default 131x97)"),
    WP_OPTIONS(struct wp_verify_options, volume, wp_options_volume),
    OPTION(TEXT, "border", "LIST", border,
           "borders, separated by commas, or all (default symmetric and periodic, and one of "
           "PyWavelets and one adjoint for each wavelet in one scheme)"),
    OPTION(FLAG, "adjoint", NULL, transform.adjoint,
           "the adjoints of these borders, not the transforms (default symmetric and periodic)"),
    OPTION(CHOICE, "norm", "KIND", norm,
           "normalization of the coefficients (default jpeg2000)", WP_WORDS(wp_norm_names)),
    OPTION(CHOICE, "bank", "KIND", bank,
           "filter bank (default decimated); others are verified with the borders symmetric and "
           "periodic, and with adjoints", WP_WORDS(wp_bank_names)),
    OPTION(INT, "start-level", "N", transform.start_level,
           "redundant banks: levels before the first one, whose taps are 2^N samples apart (default "
           "0)", .maximum = WP_MAX_LEVELS - 1),
    OPTION(CHOICE, "precision", "KIND", precision,
           "sample storage format; f16 on backends that support it (default f32)",
           WP_WORDS(wp_precision_names)),
    OPTION(FLAG, "reversible", NULL, transform.reversible,
           "integer lifting (rounding), for wavelets that support it: results must be identical"),
    {0},
};

// Adds a wavelet, unless it was added before by this name or an alias.
static bool add_wavelet(struct wp_verify_job *j, const char *name)
{
    j->wavelet = wp_xrealloc(j->wavelet, (size_t)j->wavelet_count + 1, sizeof *j->wavelet);
    struct wp_wavelet *wavelet = &j->wavelet[j->wavelet_count];
    if (!wp_wavelet_find(name, wavelet))
        return false;
    for (int i = 0; i < j->wavelet_count; i++)
        if (strcmp(j->wavelet[i].name, wavelet->name) == 0)
            return true;
    j->wavelet_count++;
    return true;
}

static bool add_scheme(struct wp_verify_job *j, const char *name)
{
    const struct wp_scheme_kind *kind = wp_scheme_kind_find(name, wp_verify_is_volume(j) ? 3 : 2);
    if (kind)
        j->kinds |= 1U << (kind - wp_scheme_kinds);
    return kind != NULL;
}

static bool add_border(struct wp_verify_job *j, const char *name)
{
    const bool all = strcmp(name, "all") == 0;
    const int border =
        all ? 0 : wp_name_find("border", name, wp_border_names, WP_BORDER_COUNT,
                                "there are all, ");
    if (border >= 0)
        j->borders |= all ? (1U << WP_BORDER_COUNT) - 1 : 1U << border;
    return border >= 0;
}

// Calls `add` for each name in the list of an option, until it fails. False after WP_ERROR_USAGE if
// the list is empty.
static bool each_name(struct wp_verify_job *j, const char *option, const char *list,
                      bool (*add)(struct wp_verify_job *j, const char *name))
{
    bool ok = true, some = false;
    struct wp_words words = wp_words_of(list);
    while (wp_words_next(&words)) {
        const bool name = words.word[0] != '\0';
        some = some || name;
        ok = ok && (!name || add(j, words.word));
    }
    return some ? ok : wp_fail(WP_ERROR_USAGE, "%s: the list is empty", option);
}

static bool choose_wavelets(struct wp_verify_job *j)
{
    if (j->options->transform.wavelet)
        return each_name(j, "-w", j->options->transform.wavelet, add_wavelet);
    char **names = wp_wavelet_names();
    bool ok = true;
    for (int i = 0; names[i] && ok; i++)
        ok = add_wavelet(j, names[i]);
    int count = 0;
    for (int i = 0; i < j->wavelet_count; i++)
        if (!j->options->transform.reversible || wp_lifting_is_reversible(&j->wavelet[i]))
            j->wavelet[count++] = j->wavelet[i];
    j->wavelet_count = count;
    wp_wavelet_free_names(names);
    return ok;
}

// Adds the path of the input: IN or a noise pattern.
static bool find_input(const struct wp_verify_job *j, struct wp_text *path)
{
    const char *size = j->options->size;
    int sides[3];
    if (size && j->call->argument_count)
        return wp_fail(WP_ERROR_USAGE, "--size is for noise, not for a file");
    if (size && wp_parse_size(size, WP_PATTERN_SIDE_MAX, sides) < 2)
        return wp_fail(WP_ERROR_USAGE, "--size: '%s' is not a size (each side 1 to %d)"
                                       "\nhint: for example 640x480 or 64x64x64",
                       size, WP_PATTERN_SIDE_MAX);
    wp_text_add(path, "%s", j->call->argument_count ? j->call->argument[0] : DEFAULT_IMAGE);
    if (size) {
        wp_text_clear(path);
        wp_text_add(path, "pattern:noise:%s", size);
    }
    return true;
}

static int most_levels(int given, int default_)
{
    return given == WP_LEVELS_MOST   ? WP_MAX_LEVELS
           : given == WP_LEVELS_NONE ? 0
           : given                   ? given
                                     : default_;
}

static bool set_extent(struct wp_verify_job *j, const char *path)
{
    const struct wp_transform_params *given = &j->options->transform;
    const int levels = most_levels(given->levels, DEFAULT_LEVELS);
    j->extent = (struct wp_verify_extent){
        .size = {j->image->width, j->image->height, j->image->depth},
        .levels = levels,
        .levels_z = j->image->depth > 1 ? most_levels(given->levels_z, levels) : 0,
    };
    if (j->image->depth == 1 && (given->levels_z || given->decomposition))
        return wp_fail(WP_ERROR_USAGE, "%s: an image has no levels along z", path);
    return j->extent.levels || j->extent.levels_z ||
           wp_fail(WP_ERROR_USAGE, "%s: 0 levels leave nothing to verify", path);
}

// Makes the samples integers: 8-bit samples are multiplied by 255 again, other samples up to 1 by
// 65535, and larger ones are rounded.
static void make_integers(struct wp_image *image)
{
    const double factor = image->origin.bits == 8      ? 255
                          : wp_integer_samples_largest(image) > 1 ? 1
                                                        : 65535;
    wp_integer_samples_scale(image, factor, true);
}

// The given decomposition, or dyadic.
static enum wp_decomposition decomposition_of(const struct wp_verify_job *j)
{
    const char *given = j->options->transform.decomposition;
    return given ? (enum wp_decomposition)wp_name_index(given, wp_decomposition_names,
                                                        WP_DECOMPOSITION_COUNT)
                 : WP_DECOMPOSITION_DYADIC;
}

// False after an error if a wavelet does not support the options, or they contradict each other.
static bool check_options(const struct wp_verify_job *j)
{
    const bool reversible = j->options->transform.reversible;
    int border = WP_BORDER_NATIVE; // the first one of PyWavelets, or none
    while (border < WP_BORDER_COUNT && !(j->borders >> border & 1))
        border++;
    if (!reversible && border == WP_BORDER_COUNT && !j->options->transform.start_level)
        return true;
    for (int i = 0; i < j->wavelet_count; i++) {
        const struct wp_description d = {
            .wavelet = &j->wavelet[i],
            .border = border < WP_BORDER_COUNT                     ? (enum wp_border)border
                      : j->wavelet[i].symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PERIODIC
                                                                   : WP_BORDER_SYMMETRIC,
            .norm = (enum wp_norm)j->options->norm,
            .precision = (enum wp_precision)j->options->precision,
            .decomposition = decomposition_of(j),
            .bank = wp_verify_bank(j),
            .start_level = j->options->transform.start_level,
            .reversible = reversible,
            .adjoint = reversible && j->options->transform.adjoint,
            .size = {j->image->width, j->image->height, j->image->depth},
            .levels = !reversible,
            .levels_z = !reversible && j->image->depth > 1,
        };
        if ((reversible && !wp_transform_check_reversible(d.wavelet)) || !wp_description_check(&d))
            return false;
    }
    return true;
}

static bool read_image(struct wp_verify_job *j)
{
    struct wp_text text = {0};
    size_t nonfinite;
    bool ok = find_input(j, &text);
    const char *path = wp_text_get(&text);
    j->image = ok ? wp_run_read_volume(path, &j->options->volume, &nonfinite) : NULL;
    ok = j->image && set_extent(j, path);
    if (ok && nonfinite)
        ok = wp_fail(WP_ERROR_FILE, "%s: image contains NaN or infinite values",
                     path);
    wp_text_free(&text);
    if (ok)
        wp_image_to_gray(j->image);
    if (ok && j->options->transform.reversible)
        make_integers(j->image);
    return ok && check_options(j);
}

static void set_name(struct wp_verify_job *j, const struct wp_backend *backend,
                     const struct wp_variant *variant)
{
    j->backend = backend;
    j->variant = variant;
    snprintf(j->backend_name, sizeof j->backend_name, "%s%s%s", backend->name, variant ? "/" : "",
             variant ? variant->name : "");
}

// Verifies the current wavelet with borders (bits; 0: those of backends) or their adjoints.
static bool verify_wavelet(struct wp_verify_job *j, const struct wp_backend_choice *choice,
                           enum wp_decomposition decomposition, unsigned kinds, unsigned borders,
                           bool adjoint)
{
    const struct wp_verify_params params = {
        .backend = choice->backend,
        .device = choice->device,
        .variant = j->variant,
        .wavelet = j->current,
        .kinds = kinds,
        .borders = borders,
        .adjoint = adjoint,
        .one_form = j->one_form,
        .norm = (enum wp_norm)j->options->norm,
        .precision = (enum wp_precision)j->options->precision,
        .decomposition = decomposition,
        .bank = wp_verify_bank(j),
        .start_level = j->options->transform.start_level,
        .reversible = j->options->transform.reversible,
        .extent = j->extent,
        .plane = j->image->plane[0],
    };
    j->decomposition = decomposition;
    return wp_verify(&params, wp_verify_report_row, j);
}

// One of the schemes to verify: the default, if it is one.
static unsigned one_kind(const struct wp_verify_job *j)
{
    const unsigned default_ = 1U << (wp_verify_is_volume(j) ? WP_SCHEME_PLANAR_POLYCONVOLUTION
                                                  : WP_SCHEME_NONSEP_POLYCONVOLUTION);
    return !j->kinds || j->kinds & default_ ? default_ : j->kinds & -j->kinds;
}

// Verifies the given decomposition. By default dyadic, and one scheme of spatial-temporal, which
// consists of transforms of fewer axes with the same schemes, unless both are equal.
static bool verify_decompositions(struct wp_verify_job *j, const struct wp_backend_choice *choice)
{
    const struct wp_verify_extent e = wp_verify_extent(&j->extent, WP_BORDER_SYMMETRIC);
    const bool both = !j->options->transform.decomposition && !wp_verify_has_bank(j) &&
                      e.levels > 0 && e.levels_z > 0 && e.levels + e.levels_z > 2;
    return verify_wavelet(j, choice, decomposition_of(j), j->kinds, 0, false) &&
           (!both || verify_wavelet(j, choice, WP_DECOMPOSITION_SPATIAL_TEMPORAL, one_kind(j), 0,
                                    false));
}

// Verifies the borders of --border, or a sample of those of PyWavelets and of adjoints, with
// another border for each wavelet.
static bool verify_borders(struct wp_verify_job *j, const struct wp_backend_choice *choice)
{
    bool ok = true;
    for (int b = 0; b < WP_BORDER_COUNT && j->borders && ok; b++)
        ok = !(j->borders >> b & 1) || verify_wavelet(j, choice, decomposition_of(j), j->kinds,
                                                      1U << b, j->options->transform.adjoint);
    if (j->borders)
        return ok;
    if (wp_verify_has_bank(j))
        return verify_wavelet(j, choice, WP_DECOMPOSITION_DYADIC, 0, 1U << WP_BORDER_SYMMETRIC,
                              true) &&
               verify_wavelet(j, choice, WP_DECOMPOSITION_DYADIC, 0, 1U << WP_BORDER_PERIODIC,
                              true);
    const int number = (int)(j->current - j->wavelet);
    const int of_pywt = WP_BORDER_NATIVE + number % (WP_BORDER_COUNT - WP_BORDER_NATIVE);
    const bool skipped =
        number % WP_BORDER_COUNT == WP_BORDER_SYMMETRIC && j->current->symmetry == WP_SYMMETRY_NONE;
    const int of_adjoint = skipped ? WP_BORDER_PERIODIC : number % WP_BORDER_COUNT;
    return verify_wavelet(j, choice, WP_DECOMPOSITION_DYADIC, one_kind(j), 1U << of_pywt, false) &&
           verify_wavelet(j, choice, WP_DECOMPOSITION_DYADIC, one_kind(j), 1U << of_adjoint, true);
}

static bool each_wavelet(struct wp_verify_job *j, const struct wp_backend_choice *choice,
                         bool one_border,
                         bool (*verify)(struct wp_verify_job *j,
                                        const struct wp_backend_choice *choice))
{
    bool ok = true;
    j->one_border = one_border;
    j->one_form = one_border && !j->borders;
    wp_verify_report_header(j);
    for (int i = 0; i < j->wavelet_count && ok; i++) {
        j->current = &j->wavelet[i];
        wp_progress("%s: %s", j->backend_name, j->current->name);
        ok = verify(j, choice);
    }
    return ok;
}

// `variant` NULL: the backend's default.
static bool verify_variant(struct wp_verify_job *j, const struct wp_backend_choice *choice,
                           const struct wp_variant *variant)
{
    set_name(j, choice->backend, variant);
    wp_verify_report_backend(j, &choice->info, NULL);
    // Reversible transforms have neither borders of PyWavelets nor adjoints.
    const bool more = !j->options->transform.reversible && !j->options->transform.decomposition;
    const bool ok =
        (j->borders || each_wavelet(j, choice, false, verify_decompositions)) &&
        ((!j->borders && !more) || each_wavelet(j, choice, true, verify_borders));
    if (ok && !j->call->common.json)
        printf("\n");
    return ok;
}

static void skip_backend(struct wp_verify_job *j, const char *reason)
{
    j->count[WP_VERIFY_SKIPPED]++;
    wp_verify_report_backend(j, NULL, reason);
}

// Verifies the variants of the backend that --variant names; its default if there are none.
static bool verify_backend(struct wp_verify_job *j, const struct wp_backend_choice *choice)
{
    const char *list = j->options->transform.variant;
    const bool all = list && wp_words_have(list, "all");
    bool found = false, ok = true;
    const struct wp_variant *v = list ? choice->backend->variants : NULL;
    for (; v && v->name && ok; v++) {
        char why[256];
        const bool named = wp_words_have(list, v->name);
        if (!named && !all)
            continue;
        found = true;
        // A variant that was named must work.
        if (named || !v->runs_on || v->runs_on(v, choice->device, why, sizeof why)) {
            ok = verify_variant(j, choice, v);
        } else {
            set_name(j, choice->backend, v);
            skip_backend(j, why);
        }
    }
    return ok && (found || verify_variant(j, choice, NULL));
}

// Rejects a variant that no backend of the list has.
static bool check_variant(struct wp_verify_job *j, const char *name)
{
    const char *backends = j->options->transform.backend;
    struct wp_lookup lookup = {.name = name};
    bool known = wp_lookup_is(&lookup, "all");
    for (int i = 0; wp_backends[i]; i++) {
        if (backends && !wp_words_have(backends, "auto") &&
            !wp_words_have(backends, wp_backends[i]->name))
            continue;
        for (const struct wp_variant *v = wp_backends[i]->variants; v && v->name; v++)
            known = known || wp_lookup_is(&lookup, v->name);
    }
    return known || wp_lookup_fail(&lookup, "'wavepass info' lists all",
                                   "no backend%s has a variant '%s'",
                                   backends ? " of the list" : "", name);
}

// Verifies a backend of -b, which must work.
static bool verify_named(struct wp_verify_job *j, const char *name)
{
    struct wp_backend_choice choice;
    if (!wp_backend_open(name, j->options->transform.device - 1,
                         wp_verify_is_volume(j) ? WP_IN_SOFTWARE_QUICK : WP_IN_SOFTWARE_ANY,
                         &choice))
        return false;
    const bool ok = wp_backend_check_precision(choice.backend,
                                               (enum wp_precision)j->options->precision) &&
                    (!j->options->transform.reversible ||
                     wp_backend_check_reversible(choice.backend)) &&
                    wp_backend_check_bank(choice.backend, wp_verify_bank(j)) &&
                    verify_backend(j, &choice);
    wp_backend_close(&choice);
    return ok;
}

static bool verify_available(struct wp_verify_job *j, const struct wp_backend *backend)
{
    char reason[256];
    if ((j->options->precision == WP_PRECISION_F16 && !backend->half) ||
        (j->options->transform.reversible && !backend->reversible) ||
        (wp_bank_is_redundant(wp_verify_bank(j)) && !(backend->banks >> wp_verify_bank(j) & 1)))
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
        set_name(j, backend, NULL);
        skip_backend(j, reason);
        return true;
    }
    const bool ok = verify_backend(j, &choice);
    wp_backend_close(&choice);
    return ok;
}

static bool verify_backends(struct wp_verify_job *j)
{
    if (j->options->transform.device && !j->options->transform.backend)
        return verify_named(j, "auto");
    if (j->options->transform.backend)
        return each_name(j, "-b", j->options->transform.backend, verify_named);
    bool ok = true;
    for (int i = 0; wp_backends[i] && ok; i++)
        ok = verify_available(j, wp_backends[i]);
    return ok;
}

static bool verify(struct wp_verify_job *j)
{
    // Schemes are checked after reading, since they depend on the kind of image.
    const struct wp_transform_params *t = &j->options->transform;
    if (t->adjoint && !j->options->border)
        j->borders = (1U << WP_BORDER_NATIVE) - 1;
    if (!choose_wavelets(j) ||
        (j->options->border && !each_name(j, "--border", j->options->border, add_border)) ||
        (t->variant && !each_name(j, "--variant", t->variant, check_variant)) || !read_image(j) ||
        (t->scheme && !each_name(j, "-s", t->scheme, add_scheme)) || !verify_backends(j))
        return false;
    wp_verify_report_result(j);
    return true;
}

static enum wp_error run(const struct wp_call *call)
{
    struct wp_verify_job j = {.call = call,
                     .options = call->options,
                     .rows = json_array(),
                     .backends = json_array()};
    const bool ok = verify(&j);
    json_decref(j.rows);
    json_decref(j.backends);
    wp_text_free(&j.failures);
    wp_image_destroy(&j.image);
    free(j.wavelet);
    if (!ok)
        return wp_last_error();
    return j.count[WP_VERIFY_FAILED] ? WP_ERROR_MISMATCH : WP_ERROR_NONE;
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
        "With one scheme it also runs each wavelet with one border of PyWavelets and one adjoint; "
        "--border and --adjoint run others, in all schemes. For adjoints the products <W x, y> and "
        "<x, W^T y> must be equal.\n\n"
        "IN is an image, whose luma is used, or a volume; without it, noise of 131x97 or --size. "
        "Periodic borders need even sizes and use the largest part that fits. The first slice of "
        "a volume must equal its image transform in every bit; both decompositions are checked, "
        "spatial-temporal (t+2D) in one scheme. Backends that do not support volumes are skipped.",
    .examples = "wavepass verify\n"
                "wavepass verify -w cdf97,cdf53 -s ns-poly -b fragment\n"
                "wavepass verify -w cdf53 -b fragment --variant all\n"
                "wavepass verify --reversible\n"
                "wavepass verify --border all --adjoint -b cpu\n"
                "wavepass verify photo.png -l max --json\n"
                "wavepass verify --size 40x24x16 --levels-z 2\n"
                "wavepass verify --size 40x24x16 --decomposition spatial-temporal",
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct wp_verify_options),
    .run = run,
};
