// One call at a time per transform, the OpenGL context during a call, and information.
#include "transform_struct.h"

#include "log.h"
#include "redundant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// False after WP_ERROR_USAGE.
static bool transform_check_null(const struct wp_transform *t)
{
    return t || wp_fail(WP_ERROR_USAGE, "the transform is NULL"
                        "\nhint: wp_transform_create() returns NULL after an error");
}

bool wp_transform_lock(struct wp_transform *t)
{
    if (!transform_check_null(t))
        return false;
    return !atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire) ||
           wp_fail(WP_ERROR_USAGE, "the transform is in use by another thread"
                   "\nhint: create one transform per thread, or take turns");
}

bool wp_transform_unlock(struct wp_transform *t, bool ok)
{
    atomic_flag_clear_explicit(&t->busy, memory_order_release);
    return ok;
}

void wp_transform_enter(const struct wp_transform *t, bool dispatches,
                        struct wp_textures_scope *scope)
{
    const bool uses_gl = t->choice.backend && t->choice.backend->gl;
    wp_textures_enter(scope, t->external_context, uses_gl, dispatches);
}

bool wp_transform_set_threads(struct wp_transform *t)
{
    if (!t->choice.backend->set_threads)
        return false;
    t->choice.backend->set_threads(t->choice.device, t->threads);
    return true;
}

// Inserts the bank of packets: "cdf97/packets", "cdf97/packets/ns-lift".
static void name_packets(struct wp_transform *t)
{
    char scheme[sizeof t->name];
    const char *end = t->info.steps > 0 ? strrchr(t->name, '/') : NULL;
    const size_t length = end ? (size_t)(end - t->name) : strlen(t->name);
    snprintf(scheme, sizeof scheme, "%s", end ? end : "");
    snprintf(t->name + length, sizeof t->name - length, "/%s%s", wp_bank_names[WP_BANK_PACKETS],
             scheme);
}

bool wp_transform_fill_info(struct wp_transform *t)
{
    struct wp_description forward = t->description;
    forward.direction = WP_FORWARD;
    struct wp_scheme *scheme = wp_description_is_redundant(&forward) &&
                                       wp_description_levels(&forward) > 0
                                   ? wp_redundant_scheme(&forward)
                               : t->depth > 1 ? wp_description_octet_scheme(&forward, WP_AXIS_ALL)
                                            : wp_description_scheme(&forward, WP_AXIS_BOTH);
    if (!scheme)
        return false;
    if (wp_transform_set_threads(t))
        t->choice.backend->describe(t->choice.device, &t->choice.info);
    snprintf(t->name, sizeof t->name, "%s", scheme->name);
    t->info = (struct wp_transform_info){
        .name = t->name,
        .note = scheme->note,
        .levels = t->description.levels,
        .levels_z = t->description.levels_z,
        .steps = scheme->pass_count,
        .operations = wp_scheme_operations(scheme),
        .fetches = wp_scheme_fetches(scheme),
        .backend = t->choice.backend->name,
        .device = t->choice.info.name,
        .software = t->choice.info.software,
        .reason = t->choice.reason,
    };
    const double headroom = forward.reversible ? wp_description_headroom(&forward, -1, 1) : 0;
    t->info.largest = floor(headroom);
    if (headroom < 0) {
        wp_scheme_destroy(&scheme);
        return false;
    }
    // Backends that ignore the scheme have no passes.
    if (wp_backend_is_schemeless(t->choice.backend, &t->description)) {
        // "cdf97", "cdf97/undecimated", "starlet".
        char *end = wp_description_is_redundant(&forward) ? strrchr(t->name, '/') : NULL;
        if (end)
            *end = '\0';
        else
            snprintf(t->name, sizeof t->name, "%s", t->wavelet.name);
        t->info.note = t->choice.past_software
                           ? "OpenGL is software-rendered on this machine, so the cpu backend was "
                             "used"
                           : NULL;
        t->info.steps = 0;
        t->info.operations = t->info.fetches = 0;
    }
    if (forward.bank == WP_BANK_PACKETS)
        name_packets(t);
    wp_scheme_destroy(&scheme);
    return true;
}

bool wp_transform_band_of(const struct wp_description *d, int index, struct wp_band_info *info)
{
    if (index < 0 || index >= wp_subband_count(d))
        return wp_fail(WP_ERROR_USAGE, "there is no band number %d (there are %d)", index,
                       wp_subband_count(d));
    const struct wp_subband subband = wp_subband_describe(d, index);
    *info = (struct wp_band_info){
        .name = subband.letters,
        .level = subband.level,
        .level_z = subband.level_z,
        .width = subband.grid.size[WP_X],
        .height = subband.grid.size[WP_Y],
        .depth = subband.grid.size[WP_Z],
    };
    ptrdiff_t step = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        info->offset += subband.grid.first[a] * step;
        info->stride[a] = subband.grid.every[a] * step;
        step *= wp_description_extent(d, a);
    }
    return true;
}

int wp_transform_band_count(const struct wp_transform *t)
{
    return transform_check_null(t) ? wp_subband_count(&t->description) : 0;
}

bool wp_transform_get_band(const struct wp_transform *t, int index, struct wp_band_info *info)
{
    if (!transform_check_null(t) || !wp_transform_band_of(&t->description, index, info))
        return false;
    if (t->nodes)
        info->name = t->nodes[index];
    return true;
}

const struct wp_transform_info *wp_transform_get_info(struct wp_transform *t)
{
    return transform_check_null(t) ? &t->info : NULL;
}

const struct wp_description *wp_transform_description(const struct wp_transform *t)
{
    return &t->description;
}

const struct wp_backend_choice *wp_transform_choice(const struct wp_transform *t)
{
    return &t->choice;
}

bool wp_transform_fell_back(const struct wp_transform *t)
{
    return t->fell_back;
}
