// Resolves the parameters (names, sizes, levels) to a description, without a device.
#include "field_table.h"
#include "log.h"
#include "redundant.h"
#include "text.h"
#include "transform_struct.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_LEVELS = 3 };

static bool read_step(const struct wp_step_data *given, int number, struct wp_filter *filter)
{
    if (given->count < 0 || (given->count > 0 && !given->tap))
        return wp_fail(WP_ERROR_USAGE, "step %d of the wavelet has no taps (count %d)", number,
                       given->count);
    for (int t = 0; t < given->count; t++) {
        const int k = given->first + t;
        if (given->tap[t] == 0)
            continue;
        if (filter->count == WP_MAX_TAPS || k < -WP_MAX_REACH || k > WP_MAX_REACH ||
            !isfinite(given->tap[t]))
            return wp_fail(WP_ERROR_USAGE,
                           "step %d of the wavelet: a tap at %d cannot be used (at most %d finite "
                           "ones, from %d to %d)", number, k, (int)WP_MAX_TAPS,
                           -(int)WP_MAX_REACH, (int)WP_MAX_REACH);
        filter->tap[filter->count++] = (struct wp_tap){.k = k, .c = given->tap[t]};
    }
    return true;
}

static bool read_wavelet(const struct wp_wavelet_data *given, struct wp_wavelet *wavelet)
{
    const char *name = given->name ? given->name : "custom";
    if (given->steps < 1 || given->steps > 2 * WP_MAX_PAIRS || !given->step)
        return wp_fail(WP_ERROR_USAGE, "a wavelet of %d steps cannot be used (1 to %d)",
                       given->steps, 2 * WP_MAX_PAIRS);
    *wavelet = (struct wp_wavelet){.pairs = (given->steps + 1) / 2,
                                   .zeta = given->zeta == 0 ? 1 : given->zeta};
    snprintf(wavelet->name, sizeof wavelet->name, "%s", name);
    snprintf(wavelet->title, sizeof wavelet->title, "%s", name);
    for (int s = 0; s < given->steps; s++) {
        struct wp_pair *pair = &wavelet->pair[s / 2];
        if (!read_step(&given->step[s], s + 1, s % 2 ? &pair->update : &pair->predict))
            return false;
    }
    const char *wrong = wp_wavelet_finish(wavelet);
    return !wrong || wp_fail(WP_ERROR_USAGE, "the wavelet '%s' cannot be used (%s)", name, wrong);
}

// Adds the names of reversible wavelets, of the table and of readable files.
static void add_reversible_names(struct wp_text *text)
{
    char **names = wp_wavelet_names();
    struct wp_wavelet wavelet;
    wp_begin_attempt();
    for (int i = 0; names && names[i]; i++)
        if (wp_wavelet_find(names[i], &wavelet) && strcmp(wavelet.name, names[i]) == 0 &&
            wp_lifting_is_reversible(&wavelet))
            wp_text_add(text, "%s%s", text->length ? ", " : "", names[i]);
    wp_end_attempt();
    wp_clear_error();
    wp_wavelet_free_names(names);
}

bool wp_transform_check_reversible(const struct wp_wavelet *wavelet)
{
    struct wp_text names = {0};
    if (wp_lifting_is_reversible(wavelet))
        return true;
    add_reversible_names(&names);
    wp_fail(WP_ERROR_USAGE,
            "wavelet '%s' has no reversible form: its steps are scaled, or have taps that are not "
            "whole numbers over a power of two\nhint: these have one: %s",
            wavelet->name, wp_text_get(&names));
    wp_text_free(&names);
    return false;
}

static bool read_names(const struct wp_transform_params *given, struct wp_transform *t)
{
    struct wp_description *p = &t->description;
    if (given->wavelet && given->wavelet_data)
        return wp_fail(WP_ERROR_USAGE,
                       "a wavelet by name, '%s', and one as data exclude each other",
                       given->wavelet);
    if (given->wavelet_data ? !read_wavelet(given->wavelet_data, &t->wavelet)
                            : !wp_wavelet_find(given->wavelet      ? given->wavelet
                                               : given->reversible ? "cdf53"
                                                                   : "cdf97",
                                               &t->wavelet))
        return false;
    p->wavelet = &t->wavelet;
    p->tree = given->tree;
    p->start_level = given->start_level;
    p->reversible = given->reversible;
    p->adjoint = given->adjoint;
    if (p->reversible && !wp_transform_check_reversible(&t->wavelet))
        return false;
    const bool volume = given->depth > 1;
    const char *scheme = given->scheme   ? given->scheme
                         : volume        ? "planar-polyconvolution"
                         : p->reversible ? "sep-lifting"
                                         : "nonsep-polyconvolution";
    p->kind = wp_scheme_kind_find(scheme, volume ? 3 : 2);
    if (!p->kind)
        return false;
    if (!wp_fields_read(given, p))
        return false;
    if (p->tree && p->bank != WP_BANK_PACKETS)
        return wp_fail(WP_ERROR_USAGE, "a tree is only for bank '%s', not for '%s'",
                       wp_bank_names[WP_BANK_PACKETS], wp_bank_names[p->bank]);
    if (wp_description_is_redundant(p) && !given->scheme)
        p->kind = NULL;
    p->form = given->plain ? WP_FORM_PLAIN : WP_FORM_SHADER;
    if (given->planes < 0)
        return wp_fail(WP_ERROR_USAGE, "%d planes cannot be transformed", given->planes);
    if (given->threads < 0)
        return wp_fail(WP_ERROR_USAGE, "%d threads cannot share work", given->threads);
    t->threads = given->threads;
    t->planes = given->planes > 1 ? given->planes : 1;
    for (int b = 0; b < WP_BATCH_DIMENSIONS; b++) {
        if (given->batch[b] < 0)
            return wp_fail(WP_ERROR_USAGE, "batch dimension %d cannot have %d entries", b + 1,
                           given->batch[b]);
        t->batch[b] = given->batch[b] > 1 ? given->batch[b] : 1;
    }
    p->size[WP_X] = given->width;
    p->size[WP_Y] = given->height;
    if (given->rank < 0 || given->rank > WP_DIMS_MAX)
        return wp_fail(WP_ERROR_USAGE, "%d axes cannot be transformed (1 to %d)", given->rank,
                       (int)WP_DIMS_MAX);
    p->axes = wp_description_is_expansive(p) ? (1U << given->rank) - 1 : 0;
    p->size[WP_Z] = given->gop > 0 && given->gop < given->depth ? given->gop : given->depth;
    t->depth = given->depth > 1 ? given->depth : 1;
    if (given->gop < 0)
        return wp_fail(WP_ERROR_USAGE, "groups of %d slices make no sense", given->gop);
    if (given->levels == WP_LEVELS_NONE && (t->depth == 1 || given->levels_z == WP_LEVELS_NONE))
        return wp_fail(WP_ERROR_USAGE, "0 levels leave %s as it is\nhint: 1, 2, 3, … or max",
                       t->depth > 1 ? "a volume" : "an image");
    return true;
}

// The number of levels of one axis, or of two that share a number.
static int choose_number(int requested, int most, int default_value)
{
    if (requested == WP_LEVELS_MOST)
        return most;
    if (requested == 0)
        return most < default_value ? most : default_value;
    return requested;
}

// Redundant banks and packets have the same number along all axes that have levels.
static void choose_common(const struct wp_transform_params *given, struct wp_description *p)
{
    const bool packets = p->bank == WP_BANK_PACKETS;
    const bool volume = wp_description_transformed(p) >> WP_Z & 1;
    // Packets split no axis of one sample.
    const bool line = packets && p->size[WP_X] <= 1 && p->size[WP_Y] <= 1 && given->levels <= 0;
    const bool plane = given->levels != WP_LEVELS_NONE && !line;
    const bool along_z = volume ? given->levels_z != WP_LEVELS_NONE : given->levels_z > 0;
    const int fit = plane ? wp_description_levels_most(p, WP_X) : 0;
    const int fit_z = along_z ? wp_description_levels_most(p, WP_Z) : 0;
    const bool shorter = plane && along_z && packets ? fit < fit_z : fit > fit_z;
    const int most = shorter ? fit : fit_z;
    p->levels = plane ? choose_number(given->levels, most, DEFAULT_LEVELS) : 0;
    if (along_z)
        p->levels_z = choose_number(given->levels_z, most,
                                    p->levels > 0 ? p->levels : DEFAULT_LEVELS);
}

static void choose_levels(const struct wp_transform_params *given, struct wp_description *p)
{
    if (wp_description_is_redundant(p) || p->bank == WP_BANK_PACKETS) {
        choose_common(given, p);
        return;
    }
    const int plane = wp_description_levels_fit(p, WP_X);
    const bool volume = wp_description_depth(p) > 1 || wp_description_transformed(p) >> WP_Z & 1;
    if (!volume) {
        p->levels = choose_number(given->levels, plane, DEFAULT_LEVELS);
        p->levels_z = given->levels_z > 0 ? given->levels_z : 0;
        return;
    }
    const int along_z = given->levels > 0 ? wp_description_levels_most(p, WP_Z)
                                          : wp_description_levels_fit(p, WP_Z);
    const bool dyadic = p->decomposition == WP_DECOMPOSITION_DYADIC;
    // As many levels as fit: the same number in the plane and along z.
    if (!dyadic && given->levels == WP_LEVELS_MOST && given->levels_z == 0) {
        p->levels = p->levels_z = plane < along_z ? plane : along_z;
        return;
    }
    p->levels = given->levels == WP_LEVELS_NONE
                    ? 0
                    : choose_number(given->levels, plane, DEFAULT_LEVELS);
    p->levels_z = given->levels_z == WP_LEVELS_NONE
                      ? 0
                      : choose_number(given->levels_z, along_z,
                                      p->levels > 0 ? p->levels : DEFAULT_LEVELS);
}

// If the number of levels was not given, at least one axis must have a level.
static bool check_any_level(const struct wp_description *p)
{
    const int depth = wp_description_depth(p);
    if (p->levels > 0 || p->levels_z > 0 || p->size[WP_X] < 1 || p->size[WP_Y] < 1)
        return true;
    if (depth == 1)
        return wp_levels_any(p->size, p->border);
    return wp_fail(WP_ERROR_USAGE, "a volume of %dx%dx%d has no levels with %s borders (they need "
                   "even sizes)\nhint: border '%s' supports every size",
                   p->size[WP_X], p->size[WP_Y], depth, wp_border_names[p->border],
                   wp_border_names[WP_BORDER_SYMMETRIC]);
}

bool wp_transform_read_params(const struct wp_transform_params *given,
                              struct wp_transform_params *params)
{
    if (!given || given->struct_size < offsetof(struct wp_transform_params, threads))
        return wp_fail(WP_ERROR_USAGE, "the parameters are %s"
                       "\nhint: begin with WP_TRANSFORM_PARAMS()",
                       given ? "of no known version (struct_size)" : "NULL");
    if (given->struct_size > sizeof *params)
        return wp_fail(WP_ERROR_USAGE,
                       "the parameters are of a later version than this library, %s "
                       "(%zu bytes, and it knows %zu)",
                       WAVEPASS_VERSION, given->struct_size, sizeof *params);
    *params = (struct wp_transform_params){0};
    memcpy(params, given, given->struct_size);
    return true;
}

struct wp_description wp_transform_group(const struct wp_transform *t, int depth)
{
    return wp_description_group(&t->description, depth);
}

int wp_transform_group_depth(const struct wp_transform *t)
{
    return wp_description_depth(&t->description);
}

static bool check_groups(const struct wp_transform *t)
{
    const int rest = t->depth % wp_transform_group_depth(t);
    if (wp_description_taps(&t->description) > 0 && t->depth > wp_transform_group_depth(t))
        return wp_fail(WP_ERROR_USAGE, "border '%s' does not support slices in groups"
                       "\nhint: border '%s' or '%s'", wp_border_names[t->description.border],
                       wp_border_names[WP_BORDER_SYMMETRIC], wp_border_names[WP_BORDER_PERIODIC]);
    if (wp_description_is_redundant(&t->description) && t->depth > wp_transform_group_depth(t))
        return wp_fail(WP_ERROR_USAGE, "bank '%s' does not support slices in groups"
                       "\nhint: bank '%s'", wp_bank_names[t->description.bank],
                       wp_bank_names[WP_BANK_DECIMATED]);
    const struct wp_description last =
        wp_transform_group(t, rest ? rest : wp_transform_group_depth(t));
    // Packets have as many levels along z as in the plane.
    if (t->description.bank == WP_BANK_PACKETS && last.levels_z > 0 &&
        last.levels_z < t->description.levels_z)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' has %d levels along z in groups of %d slices, but "
                       "the last group of %d has %d\nhint: %d level%s, none along z, or groups that "
                       "divide the %d slices", wp_bank_names[WP_BANK_PACKETS],
                       t->description.levels_z, wp_transform_group_depth(t), rest, last.levels_z,
                       last.levels_z, WP_PLURAL(last.levels_z), t->depth);
    return wp_description_check(&t->description) && wp_description_check(&last);
}

// Redundant banks choose the scheme by the taps.
static bool choose_scheme(struct wp_description *p)
{
    if (!p->kind)
        p->kind = wp_redundant_kind(p);
    return p->kind;
}

void wp_transform_sizes(const struct wp_transform *t, bool coefficients, int size[WP_DIMENSIONS])
{
    wp_operand_extents(&t->description, coefficients, size);
    if (t->depth > wp_transform_group_depth(t))
        size[WP_Z] = t->depth;
    size[WP_PLANE] = t->planes;
    memcpy(&size[WP_BATCH], t->batch, sizeof t->batch);
}

// False after WP_ERROR_USAGE if an array of floats would not fit the address space.
static bool check_extents(const struct wp_transform *t)
{
    int size[WP_DIMENSIONS];
    ptrdiff_t bytes = sizeof(float);
    struct wp_text sizes = {0};
    bool fits = true;
    wp_transform_sizes(t, true, size); // not smaller than those of the samples
    for (int a = 0; a < WP_DIMENSIONS; a++) {
        const int extent = size[a] > 1 ? size[a] : 1;
        fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
        if (a < WP_BATCH || extent > 1)
            wp_text_add(&sizes, "%s%d", a ? "x" : "", extent);
    }
    if (!fits)
        wp_fail(WP_ERROR_USAGE, "an array of %s samples (x, y, z, planes, batch) does not fit the "
                "address space of %zu bits", wp_text_get(&sizes), 8 * sizeof(void *));
    wp_text_free(&sizes);
    return fits;
}

bool wp_transform_read(const struct wp_transform_params *given, struct wp_transform *t)
{
    if (!read_names(given, t))
        return false;
    choose_levels(given, &t->description);
    return check_groups(t) && check_any_level(&t->description) && check_extents(t) &&
           choose_scheme(&t->description);
}

bool wp_transform_resolve(const struct wp_transform_params *params, struct wp_wavelet *wavelet,
                           struct wp_description *description)
{
    struct wp_transform t = {0};
    const bool ok = wp_transform_read(params, &t);
    *wavelet = t.wavelet;
    *description = t.description;
    description->wavelet = wavelet;
    return ok;
}
