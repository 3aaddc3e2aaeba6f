#include "strip_levels.h"

#include "bank_rows.h"
#include "text.h"

#include <stdio.h>

// Maximum number of values per column in registers, and of pairs loaded next to a lane's columns.
enum { VALUES_MAX = 8, HALO_MAX = 4 };

static int halo_of(const struct wp_lifting *lifting)
{
    return lifting->before > lifting->after ? lifting->before : lifting->after;
}

static bool is_support_too_large(const struct wp_lifting *lifting)
{
    const bool mirrors = lifting->extension == WP_EXTEND_MIRROR;
    return (halo_of(lifting) > 0 && !mirrors && lifting->extension != WP_EXTEND_WRAP) ||
           halo_of(lifting) > HALO_MAX || wp_lines_reach(lifting).stored > VALUES_MAX;
}

bool wp_compute_strips_support(const struct wp_variant *variant,
                               const struct wp_description *description, char *why, size_t why_size)
{
    const struct wp_lifting lifting = wp_description_lifting(description);
    (void)variant;
    if (wp_description_is_redundant(description))
        return wp_compute_bank_rows_support(description, why, why_size);
    if (wp_description_depth(description) > 1)
        snprintf(why, why_size, "it supports only images, not volumes");
    else if (description->kind != &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING])
        snprintf(why, why_size, "it supports only scheme '%s'",
                 wp_scheme_kinds[WP_SCHEME_SEP_LIFTING].name);
    else if (description->reversible)
        snprintf(why, why_size, "it transforms x before y, unlike reversible transforms");
    else if (is_support_too_large(&lifting))
        snprintf(why, why_size, "the support of wavelet '%s' is too large for the registers of an "
                 "invocation",
                 description->wavelet->name);
    else
        return true;
    return false;
}

// The first one that fits is used. One level of 8192x8192 on an H200: CDF 9/7 takes 0.174 ms
// forward and 0.158 inverse with the first shape, 0.179 and 0.156 with the second; 5/3 takes 0.150
// to 0.151 with both. Half as many lanes are slower for 5/3, reading four rows ahead is slower for
// 9/7, and other heights gain in one direction what they lose in the other (docs/decisions.md).
static const struct wp_strip_shape shapes[] = {
    {.lanes = 1024, .width = 4}, {.lanes = 512, .width = 8}, {0}};

enum { ROWS = 64, SOFTWARE_LANES = 32 };

// An invocation reads only its own columns and those of its two neighbors.
static bool fits_halo(const struct wp_strip_shape *shape, const struct wp_lifting *lifting)
{
    return halo_of(lifting) <= shape->width / 2;
}

static struct wp_counts share_counts(const struct wp_strip_shape *shape,
                                     struct wp_tile_counts counts)
{
    const double quads = shape->width / 2.0;
    return (struct wp_counts){counts.operations / quads, counts.fetches / quads};
}

bool wp_compute_strips_count(const struct wp_scheme *scheme, struct wp_counts *counts)
{
    const struct wp_strip_shape *shape = shapes;
    if (scheme->kind != &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING] ||
        is_support_too_large(&scheme->lifting))
        return false;
    while (!fits_halo(shape, &scheme->lifting))
        shape++;
    *counts = share_counts(shape, wp_strip_count(&scheme->lifting, shape));
    return true;
}

bool wp_compute_strips_are_default(const struct wp_gl_info *info, int width, int height)
{
    return !info->software && (size_t)width * (size_t)height >= WP_STRIPS_MIN_SAMPLES;
}

bool wp_compute_strips_fit(const struct wp_gl_info *info, const struct wp_op *op,
                           struct wp_strip_level *level)
{
    const struct wp_strip_shape *shape = shapes;
    if (!op->scheme || op->scheme->axes != WP_AXIS_BOTH || op->height % 2 != 0)
        return false;
    while (shape->lanes && (shape->lanes > info->max_invocations || op->width % shape->width != 0 ||
                           op->width < 2 * shape->width ||
                           !fits_halo(shape, &op->scheme->lifting)))
        shape++;
    *level = (struct wp_strip_level){.shape = *shape, .rows = ROWS};
    if (info->software)
        level->shape.lanes = SOFTWARE_LANES;
    return shape->lanes > 0;
}

struct wp_program *wp_compute_strips_program(struct wp_gl *gl, const struct wp_op *op,
                                             struct wp_strip_level *level, bool stacked)
{
    const struct wp_emit_target target = {.dialect = &wp_glsl_430, .stacked = stacked};
    struct wp_text source = {0};
    level->counts = share_counts(
        &level->shape, wp_emit_strip(&op->scheme->lifting, &level->shape, &target, &source));
    struct wp_program *program = wp_text_is_complete(&source, "a shader")
                                     ? wp_program_get_compute(gl, wp_text_get(&source))
                                     : NULL;
    wp_text_free(&source);
    return program;
}
