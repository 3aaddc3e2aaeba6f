#include "flow.h"

#include "clock.h"
#include "command.h"
#include "field_table.h"
#include "tile_store.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The path of the file that contains the metadata.
static const char *source_of(const struct wp_coefficient_input *d)
{
    return d->sidecar_path ? d->sidecar_path : d->path;
}

static bool fail_contradiction(const struct wp_coefficient_input *d, const char *option,
                               const char *given, const char *described)
{
    return wp_fail(WP_ERROR_USAGE,
                   "--%s %s contradicts %s ('%s')\nhint: omit the option%s",
                   option, given, source_of(d), described,
                   d->sidecar_path ? ", or rename the .json" : "");
}

// Sets an option that was not given to the value of the metadata. False after WP_ERROR_USAGE if it
// was given and differs.
static bool resolve_word(const struct wp_coefficient_input *d, const char *option,
                         const char *described, const char **word)
{
    if (*word && strcmp(*word, described) != 0)
        return fail_contradiction(d, option, *word, described);
    *word = described;
    return true;
}

// Like resolve_word(), for a set of fields (fields.h).
static bool resolve_fields(struct wp_coefficient_input *d, unsigned fields)
{
    bool ok = true;
    for (int f = 0; f < WP_FIELD_COUNT && ok; f++)
        if (fields >> f & 1)
            ok = resolve_word(d, wp_fields[f].name,
                              wp_field_word(&d->sidecar.description, (enum wp_field)f),
                              wp_field_param(&d->params, (enum wp_field)f));
    return ok;
}

static bool resolve_wavelet(struct wp_coefficient_input *d)
{
    struct wp_wavelet wavelet, described;
    const struct wp_sidecar *s = &d->sidecar;
    if (!d->params.wavelet && wp_sidecar_lost_wavelet(s, &d->lost)) {
        wp_log(WP_LOG_INFO, "wavelet '%s' is not known here; using its lifting steps in %s",
               s->wavelet_name, source_of(d));
        d->params.wavelet_data = &d->lost.data;
        return true;
    }
    if (!d->params.wavelet) {
        d->params.wavelet = s->wavelet_name;
        return wp_sidecar_find_wavelet(s, source_of(d), &wavelet);
    }
    if (!wp_wavelet_find(d->params.wavelet, &wavelet))
        return false;
    if (s->has_steps)
        described = s->wavelet;
    else if (!wp_sidecar_find_wavelet(s, source_of(d), &described))
        return false;
    return wp_wavelet_same_steps(&wavelet, &described) ||
           fail_contradiction(d, "wavelet", d->params.wavelet, s->wavelet_name);
}

// False after WP_ERROR_USAGE if a number was given (not 0) and differs from the metadata.
static bool check_number(const struct wp_coefficient_input *d, const char *option, int given,
                          int described)
{
    char is[16], requested[16];
    const int number = given == WP_LEVELS_NONE ? 0 : given;
    snprintf(is, sizeof is, "%d", described);
    snprintf(requested, sizeof requested, "%d", number);
    return given == 0 || number == described || fail_contradiction(d, option, requested, is);
}

static bool resolve_levels(struct wp_coefficient_input *d)
{
    const struct wp_sidecar *s = &d->sidecar;
    struct wp_transform_params *p = &d->params;
    struct wp_description group = wp_sidecar_description(s);
    group.size[WP_Z] = s->gop ? s->gop : group.size[WP_Z];
    const int most = wp_description_levels_fit(&group, WP_X);
    const int most_z = wp_description_levels_fit(&group, WP_Z);
    if (!check_number(d, "levels", p->levels == WP_LEVELS_MOST ? most : p->levels,
                      s->description.levels) ||
        !check_number(d, "levels-z", p->levels_z == WP_LEVELS_MOST ? most_z : p->levels_z,
                       s->description.levels_z) ||
        !check_number(d, "gop", p->gop, s->gop ? s->gop : s->description.size[WP_Z]))
        return false;
    // For an image with 0 levels no level fits, so the default 0 gives 0 levels again.
    p->levels = s->description.levels == 0 && s->description.size[WP_Z] > 1 ? WP_LEVELS_NONE
                                                                            : s->description.levels;
    p->levels_z = s->description.levels_z == 0 && s->description.size[WP_Z] > 1
                      ? WP_LEVELS_NONE
                      : s->description.levels_z;
    p->gop = s->gop;
    return true;
}

// Another scheme or form is not a contradiction, since all compute the same.
static void resolve_scheme(struct wp_coefficient_input *d)
{
    const struct wp_sidecar *s = &d->sidecar;
    if (!d->params.scheme && s->scheme_named) {
        d->params.scheme = s->scheme;
        d->params.plain |= strcmp(s->form, wp_form_names[WP_FORM_PLAIN]) == 0;
    }
}

// False after WP_ERROR_USAGE if a tree was given and is not that of the metadata.
static bool resolve_tree(struct wp_coefficient_input *d)
{
    const char *tree = d->sidecar.tree[0] ? d->sidecar.tree : NULL, *given = d->params.tree;
    d->params.tree = tree;
    return !given || (tree && strcmp(given, tree) == 0) ||
           fail_contradiction(d, "tree", given, tree ? tree : "full");
}

static bool apply_sidecar(struct wp_coefficient_input *d)
{
    const struct wp_sidecar *s = &d->sidecar;
    resolve_scheme(d);
    if (d->params.reversible && !s->description.reversible)
        return wp_fail(WP_ERROR_USAGE,
                       "--reversible contradicts %s: the transform was not reversible"
                       "\nhint: omit the option", source_of(d));
    d->params.reversible = s->description.reversible;
    // W^T is applied to coefficients of W, too.
    d->params.adjoint |= s->description.adjoint;
    return resolve_wavelet(d) &&
           resolve_fields(d, WP_FIELD_SET_COMPUTED) && resolve_levels(d) && resolve_tree(d);
}

static const char *or_default(const char *given, const char *default_)
{
    return given ? given : default_;
}

// Handles coefficients without metadata: the levels are required, the others have defaults, which
// are reported. False after WP_ERROR_USAGE.
static bool assume_defaults(const struct wp_coefficient_input *d)
{
    const struct wp_transform_params *p = &d->params;
    const char *missing = d->sidecar_path ? d->sidecar_path : "metadata";
    char what[64];
    if (wp_run_is_expansive(p, what))
        return wp_fail(WP_ERROR_USAGE, "missing %s: with %s the size of the image is not that of the "
                       "coefficients", missing, what);
    struct wp_transform_params params = *p;
    struct wp_text options = {0}, defaults = {0}, words = {0};
    for (int f = 0; f < WP_FIELD_COUNT; f++) {
        const struct wp_field_row *row = &wp_fields[f];
        if (!((WP_FIELD_SET_COEFFICIENTS & ~(unsigned)WP_FIELD_SET_OPTIONAL) >> f & 1))
            continue;
        wp_text_add(&options, ", --%s", row->name);
        wp_text_add(&defaults, ", %s", row->words[0]);
        wp_text_add(&words, ", %s %s", row->name,
                    or_default(*wp_field_param(&params, (enum wp_field)f), row->words[0]));
    }
    if (p->levels == 0)
        wp_fail(WP_ERROR_USAGE,
                "missing %s: the transform parameters are unknown"
                "\nhint: give -l N, and -w%s unless they are cdf97%s",
                missing, wp_text_get(&options), wp_text_get(&defaults));
    else
        wp_log(WP_LOG_INFO, "no %s: assuming %s%s", missing,
               or_default(p->wavelet, p->reversible ? "cdf53" : "cdf97"), wp_text_get(&words));
    wp_text_free(&options);
    wp_text_free(&defaults);
    wp_text_free(&words);
    return p->levels != 0;
}

// Handles a file of subbands without metadata: their names and shapes define levels and layout.
static bool apply_arrays(struct wp_coefficient_input *d)
{
    const struct wp_sidecar *s = &d->sidecar;
    struct wp_transform_params *p = &d->params;
    const unsigned fields =
        s->naming == WP_NAMING_PYWT ? WP_FIELD_SET_COMPUTED : 1U << WP_FIELD_LAYOUT;
    const int most = wp_levels_most(s->description.size, s->description.border);
    if (!check_number(d, "levels", p->levels == WP_LEVELS_MOST ? most : p->levels,
                      s->description.levels))
        return false;
    p->levels = s->description.levels;
    return resolve_fields(d, fields) && assume_defaults(d);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

void wp_close_coefficients(struct wp_coefficient_input *d)
{
    free(d->sidecar_path);
    d->sidecar_path = NULL;
}

// Sets the members that do not depend on the contents of the file.
static void begin(struct wp_coefficient_input *d, const char *path,
                  const struct wp_transform_params *options)
{
    wp_close_coefficients(d); // of an earlier attempt
    d->path = path;
    d->params = *options;
    d->sidecar_path = wp_sidecar_path(path);
}

bool wp_open_coefficients(struct wp_flow *f, struct wp_slices **slices, struct wp_image **image)
{
    const struct wp_flow_options *o = f->options;
    struct wp_coefficient_input *d = &f->from;
    begin(d, f->input, &o->transform);
    f->params = &d->params;
    // Check the options before reading, since the file may be large. A missing file is reported by
    // reading it.
    const bool inside = wp_sidecar_is_inside(d->path);
    const bool single =
        !inside && (!d->sidecar_path || (exists(d->path) && !exists(d->sidecar_path)));
    if (single && d->params.levels == 0 && !assume_defaults(d))
        return false;
    wp_progress("reading %s", d->path);
    d->read = (struct wp_coefficients_params){.read = wp_run_read_params(&o->volume),
                                              .gop = d->params.gop,
                                              .changed = o->changed,
                                              .wavelet = o->transform.wavelet};
    return wp_coefficients_open(d->path, &d->read, &d->sidecar, &d->has_sidecar, slices, image,
                                &f->values.nonfinite) &&
           (d->has_sidecar ? apply_sidecar(d) : inside ? apply_arrays(d) : assume_defaults(d));
}

bool wp_open_coefficient_metadata(struct wp_coefficient_input *d, const char *path,
                                  const struct wp_transform_params *options)
{
    begin(d, path, options);
    if (d->sidecar_path && !wp_sidecar_read(d->sidecar_path, &d->sidecar, &d->has_sidecar))
        return false;
    return d->has_sidecar ? apply_sidecar(d) : assume_defaults(d);
}

bool wp_open_coefficient_tiles(struct wp_coefficient_input *d, const char *path,
                               const struct wp_transform_params *options, bool changed,
                               struct wp_tile_store **store, const char **why)
{
    begin(d, path, options);
    *store = NULL;
    d->read = (struct wp_coefficients_params){.changed = changed};
    *why = NULL;
    if (!d->sidecar_path)
        *why = wp_sidecar_is_inside(path) ? ".npz files are read as a whole" : "it is not a file";
    else if (!exists(path))
        *why = "it is not a file";
    if (*why)
        return true;
    if (!wp_sidecar_read(d->sidecar_path, &d->sidecar, &d->has_sidecar))
        return false;
    if (!d->has_sidecar)
        *why = "it has no metadata file";
    return !d->has_sidecar ||
           (apply_sidecar(d) && wp_tile_store_open(path, &d->sidecar, store, why));
}

// ---- regions ----

// Parses an integer of at most nine digits, which fits an int, and advances `*at`.
static bool parse_number(const char **at, int *number)
{
    int length = 0;
    const int found = sscanf(*at, "%9d%n", number, &length);
    const bool plain = found == 1 && **at >= '0' && **at <= '9';
    *at += plain ? length : 0;
    return plain;
}

bool wp_region_parse(const char *text, struct wp_region *region)
{
    int *const part[] = {&region->x, &region->y, &region->width, &region->height};
    const char *at = text;
    bool ok = true;
    for (int i = 0; i < 4 && ok; i++)
        ok = (i == 0 || *at++ == ',') && parse_number(&at, part[i]);
    return (ok && !*at && region->width > 0 && region->height > 0) ||
           wp_fail(WP_ERROR_USAGE, "--region: '%s' is not X,Y,W,H (integers)", text);
}

static bool read_region(struct wp_flow *f, const char *text)
{
    const struct wp_sidecar *s = &f->from.sidecar;
    struct wp_region *r = &f->region.region;
    if (!text) {
        r->width = wp_level_size(s->description.size[WP_X], r->level);
        r->height = wp_level_size(s->description.size[WP_Y], r->level);
    }
    if (!wp_region_check(s, r))
        return false;
    if (s->alpha && r->level > 0)
        wp_log(WP_LOG_INFO, "alpha has no levels and is omitted");
    const double start = wp_clock_seconds();
    f->image = wp_region_read(f->strips.store, s, f->params, r);
    f->region.seconds = wp_clock_seconds() - start;
    f->region.counts = wp_tile_store_counts(f->strips.store);
    return f->image;
}

bool wp_region_run(struct wp_flow *f, const char *text, int level)
{
    const struct wp_flow_options *o = f->options;
    const char *why;
    f->params = &f->from.params;
    f->region.region.level = level;
    if (text && !wp_region_parse(text, &f->region.region))
        return false;
    wp_progress("reading a region of %s", f->input);
    if (!wp_open_coefficient_tiles(&f->from, f->input, &o->transform, false, &f->strips.store,
                                   &why))
        return false;
    return f->strips.store ? read_region(f, text)
                           : wp_fail(WP_ERROR_USAGE, "%s does not support regions (%s)"
                                                     "\nhint: for images of bank '%s', 'forward "
                                                     "--tile %d -o c.tiff' writes a file that does",
                                     f->input, why, wp_bank_names[WP_BANK_DECIMATED],
                                     WP_TILE_COLUMNS);
}

void wp_region_run_summary(const struct wp_flow *f, struct wp_text *text)
{
    const struct wp_region_run *run = &f->region;
    const struct wp_sidecar *s = &f->from.sidecar;
    const struct wp_region *r = &run->region;
    wp_text_add(text, "region %d,%d,%d,%d of level %d of %dx%d, cpu, %.2f ms", r->x, r->y, r->width,
                r->height, r->level, s->description.size[WP_X],
                s->description.size[WP_Y], run->seconds * 1e3);
    if (run->counts.tiles)
        wp_text_add(text, ", %llu tile%s, %.1f MB read", run->counts.tiles,
                    run->counts.tiles == 1 ? "" : "s", (double)run->counts.bytes / 1e6);
}

json_t *wp_region_run_json(const struct wp_flow *f)
{
    const struct wp_flow_options *o = f->options;
    const struct wp_region_run *run = &f->region;
    const struct wp_sidecar *s = &f->from.sidecar;
    const struct wp_region *r = &run->region;
    const bool alpha = s->alpha && r->level == 0;
    const bool tiles = run->counts.tiles > 0;
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:i, s:i, s:i, s:i, s:b, s:{s:s, s:s}, s:{s:i, s:i, s:i, s:i, s:i},"
        " s:o, s:o, s:o, s:o}",                                                     //
        "command", f->call->command->name,                                          //
        "wavelet", wp_json_text(s->wavelet_name),                                   //
        "border", wp_border_names[s->description.border],                           //
        "norm", wp_norm_names[s->description.norm],                                 //
        "levels", s->description.levels,                                            //
        "width", s->description.size[WP_X],                                         //
        "height", s->description.size[WP_Y],                                        //
        "planes", s->planes - (s->alpha && !alpha),                                 //
        "alpha", alpha,                                                             //
        "backend",                                                                  //
        "requested", o->transform.backend ? o->transform.backend : "auto",          //
        "used", "cpu",                                                              //
        "region", "level", r->level, "x", r->x, "y", r->y, "width", r->width,       //
        "height", r->height,                                                        //
        "tiles", tiles ? json_integer((json_int_t)run->counts.tiles) : json_null(), //
        "bytes", tiles ? json_integer((json_int_t)run->counts.bytes) : json_null(), //
        "seconds", wp_json_number(run->seconds),                                    //
        "total_seconds", wp_json_number(wp_seconds_since_start()));
}
