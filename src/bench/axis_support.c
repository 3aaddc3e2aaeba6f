#include "axis_support.h"

#include "bench_item.h"
#include "text.h"
#include "tiled_exec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool wp_bench_skip(struct wp_bench_set *set, const char *format, ...)
{
    if (set->skipped++ > 0)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(set->skipped_why, sizeof set->skipped_why, format, args);
    va_end(args);
    return false;
}

static bool has_dual(const struct wp_description *p)
{
    struct wp_wavelet dual;
    wp_begin_attempt();
    const bool ok = wp_lifting_dual(p->wavelet, p->norm, &dual);
    wp_end_attempt();
    return ok;
}

// Whether the backend has the redundant bank, and the bank supports the description.
static bool has_bank(struct wp_bench_set *set, const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    const struct wp_backend *backend = config->backend->backend;
    if (!wp_description_is_redundant(p))
        return true;
    wp_begin_attempt();
    const bool ok = wp_description_check(p);
    wp_end_attempt();
    if (!ok)
        return wp_bench_skip(set, "%.*s", (int)strcspn(wp_last_error_text(), "\n"),
                             wp_last_error_text());
    return backend->banks >> p->bank & 1 ||
           wp_bench_skip(set, "backend '%s' does not support bank '%s'", backend->name,
                         wp_bank_names[p->bank]);
}

// Whether the size supports the levels and the border. wp_description_check() would report an
// error.
static bool is_possible(struct wp_bench_set *set, const struct wp_description *p)
{
    const int most = wp_description_levels_most(p, WP_X);
    const int most_z = wp_description_levels_most(p, WP_Z);
    if (p->border == WP_BORDER_SYMMETRIC && p->wavelet->symmetry == WP_SYMMETRY_NONE)
        return wp_bench_skip(set, "wavelet '%s' is not symmetric and requires --border periodic",
                             p->wavelet->name);
    if (p->levels > most)
        return wp_bench_skip(set, "%dx%d has at most %d level%s with %s borders", p->size[WP_X],
                             p->size[WP_Y], most, WP_PLURAL(most), wp_border_names[p->border]);
    if (p->levels_z > most_z && p->size[WP_Z] == 1)
        return wp_bench_skip(set, "an image has no levels along z");
    if (p->levels_z > most_z)
        return wp_bench_skip(set, "%d slices have at most %d level%s with %s borders",
                             p->size[WP_Z], most_z, WP_PLURAL(most_z), wp_border_names[p->border]);
    if (wp_description_taps(p) > 0 && p->layout != WP_LAYOUT_MALLAT)
        return wp_bench_skip(set, "layout '%s' does not support border '%s'",
                             wp_layout_names[p->layout], wp_border_names[p->border]);
    return !p->adjoint || has_dual(p) ||
           wp_bench_skip(set, "the adjoint of '%s' has more steps than a wavelet can have",
                         p->wavelet->name);
}

// Plans load, transform and store in one call.
static bool is_timed_so(struct wp_bench_set *set, const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    return wp_description_is_native(p) ||
           !(config->includes & (WP_INCLUDE_OVERLAPPED | WP_INCLUDE_TILED)) ||
           wp_bench_skip(set, "%s with border '%s' are transformed one after the other",
                         p->adjoint ? "adjoints" : "images", wp_border_names[p->border]);
}

// Whether the device supports that many planes together. Plans of other borders divide them.
static bool supports_planes(struct wp_bench_set *set, const struct wp_bench_config *config)
{
    const struct wp_backend_choice *on = config->backend;
    const struct wp_description *p = &config->params;
    if (wp_description_planes(p) == 1)
        return true;
    if (p->size[WP_Z] > 1)
        return wp_bench_skip(set, "planes of a volume are transformed one by one");
    const int most = on->backend->planes_max ? on->backend->planes_max(on->device, p) : 1;
    return most >= p->planes || !wp_description_is_native(p) ||
           wp_bench_skip(set, "%d planes of %dx%d at once: backend '%s' supports %d", p->planes,
                         p->size[WP_X], p->size[WP_Y], on->backend->name, most > 0 ? most : 1);
}

static bool overlaps(struct wp_bench_set *set, const struct wp_bench_config *config)
{
    const struct wp_backend *backend = config->backend->backend;
    return !(config->includes & WP_INCLUDE_OVERLAPPED) ||
           wp_bench_flows(backend, &config->params) ||
           wp_bench_skip(set, "backend '%s' does not overlap transfers and transforms",
                         backend->name);
}

static bool has_tiled_exec(struct wp_bench_set *set, const struct wp_bench_config *config)
{
    const struct wp_backend *backend = config->backend->backend;
    const struct wp_description *p = &config->params;
    return !(config->includes & WP_INCLUDE_TILED) || wp_tiled_exec_supports_any(backend, p) ||
           wp_bench_skip(set, "backend '%s' does not split %dx%d into windows", backend->name,
                         p->size[WP_X], p->size[WP_Y]);
}

static bool supports_variant(struct wp_bench_set *set, const struct wp_bench_config *config)
{
    const struct wp_variant *variant = config->variant;
    char why[200] = "";
    return !variant || !variant->supports || !wp_description_is_native(&config->params) ||
           variant->supports(variant, &config->params, why, sizeof why) ||
           wp_bench_skip(set, "variant '%s': %s", variant->name, why);
}

bool wp_bench_supports(struct wp_bench_set *set, const struct wp_bench_config *config)
{
    return has_bank(set, config) && is_possible(set, &config->params) &&
           supports_planes(set, config) && is_timed_so(set, config) && overlaps(set, config) &&
           has_tiled_exec(set, config) && supports_variant(set, config);
}

bool wp_bench_supports_reversible(struct wp_bench_set *set, const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    const struct wp_backend *backend = config->backend->backend;
    if (p->adjoint)
        return wp_bench_skip(set, "reversible transforms round, so they have no adjoint");
    if (p->border >= WP_BORDER_NATIVE)
        return wp_bench_skip(set, "border '%s' has no reversible transform",
                             wp_border_names[p->border]);
    if (!wp_lifting_is_reversible(p->wavelet))
        return wp_bench_skip(set, "wavelet '%s' has no reversible form", p->wavelet->name);
    if (!backend->reversible)
        return wp_bench_skip(set, "backend '%s' does not support integer lifting", backend->name);
    if (p->size[WP_Z] > 1 || p->planes > 1)
        return wp_bench_skip(set, "reversible transforms support only images, one channel at a "
                                  "time");
    return (!wp_norm_is_orthonormal(p->norm) && p->precision == WP_PRECISION_F32) ||
           wp_bench_skip(set, "reversible transforms support neither norm orthonormal nor "
                              "precision f16");
}
