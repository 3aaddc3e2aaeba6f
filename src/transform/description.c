#include "description.h"

#include "elements.h"
#include "log.h"
#include "min_max.h"
#include "packets.h"
#include "text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

const char *const wp_precision_names[WP_PRECISION_COUNT] = {
    [WP_PRECISION_F32] = "f32",
    [WP_PRECISION_F16] = "f16",
};

const char *const wp_decomposition_names[WP_DECOMPOSITION_COUNT] = {
    [WP_DECOMPOSITION_DYADIC] = "dyadic",
    [WP_DECOMPOSITION_SPATIAL_TEMPORAL] = "spatial-temporal",
};

const char *const wp_bank_names[WP_BANK_COUNT] = {
    [WP_BANK_DECIMATED] = "decimated",
    [WP_BANK_UNDECIMATED] = "undecimated",
    [WP_BANK_STARLET] = "starlet",
    [WP_BANK_PACKETS] = "packets",
};

size_t wp_precision_bytes(enum wp_precision precision)
{
    return precision == WP_PRECISION_F16 ? sizeof(float) / 2 : sizeof(float);
}

// With at most one level on each axis both decompositions are the same.
static bool is_dyadic(const struct wp_description *d)
{
    return d->decomposition == WP_DECOMPOSITION_DYADIC || d->levels == 0 || d->levels_z == 0 ||
           (d->levels == 1 && d->levels_z == 1);
}

int wp_description_chain(const struct wp_description *d,
                          struct wp_description stage[WP_CHAIN_MAX])
{
    const int time = d->direction == WP_FORWARD ? 1 : 0, plane = 1 - time;
    stage[0] = stage[1] = *d;
    stage[0].decomposition = stage[1].decomposition = WP_DECOMPOSITION_DYADIC;
    if (is_dyadic(d))
        return 1;
    stage[plane].levels_z = 0;
    stage[time].levels = 0;
    return 2;
}

enum wp_element wp_description_arithmetic(const struct wp_description *d)
{
    const bool wide = d->samples == WP_ELEMENT_F64 || d->coefficients == WP_ELEMENT_F64;
    return wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32;
}

int wp_description_planes(const struct wp_description *d)
{
    return d->planes > 1 ? d->planes : 1;
}

bool wp_bank_is_redundant(enum wp_bank bank)
{
    return bank == WP_BANK_UNDECIMATED || bank == WP_BANK_STARLET;
}

bool wp_description_is_redundant(const struct wp_description *d)
{
    return wp_bank_is_redundant(d->bank);
}

const char *wp_description_wavelet_name(const struct wp_description *d)
{
    return d->bank == WP_BANK_STARLET ? NULL : d->wavelet->name;
}

bool wp_description_is_expansive(const struct wp_description *d)
{
    return wp_description_is_redundant(d) || d->border >= WP_BORDER_NATIVE;
}

int wp_description_depth(const struct wp_description *d)
{
    return d->size[WP_Z] > 1 ? d->size[WP_Z] : 1;
}

static int levels_of(const struct wp_description *d, int axis)
{
    return axis == WP_Z ? d->levels_z : d->levels;
}

int wp_description_levels(const struct wp_description *d)
{
    return d->levels > d->levels_z ? d->levels : d->levels_z;
}

unsigned wp_description_axes(const struct wp_description *d, int level)
{
    unsigned axes = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        axes |= level <= levels_of(d, a) ? 1U << a : 0U;
    return wp_description_is_redundant(d) ? axes & wp_description_transformed(d) : axes;
}

static int size_of(const struct wp_description *d, int axis)
{
    return axis == WP_Z ? wp_description_depth(d) : d->size[axis];
}

int wp_description_taps(const struct wp_description *d)
{
    return d->border < WP_BORDER_NATIVE                ? 0
           : d->border == WP_BORDER_PYWT_PERIODIZATION ? 2 // rounds half of an odd size up
                                                       : d->wavelet->window;
}

unsigned wp_description_transformed(const struct wp_description *d)
{
    unsigned axes = d->axes;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        axes |= size_of(d, a) > 1 ? 1U << a : 0U;
    return axes || (wp_description_taps(d) == 0 && !wp_description_is_redundant(d)) ? axes
                                                                                    : 1U << WP_X;
}

static int band_size(int n, int taps)
{
    return n / 2 + (n % 2 + taps - 1) / 2;
}

bool wp_description_expands(const struct wp_description *d, int axis)
{
    return wp_description_taps(d) > 0 && wp_description_transformed(d) >> axis & 1;
}

int wp_description_size(const struct wp_description *d, int axis, int level)
{
    const int levels = wp_min(level, levels_of(d, axis)), taps = wp_description_taps(d);
    int size = size_of(d, axis);
    if (wp_description_is_redundant(d))
        return size;
    if (!wp_description_expands(d, axis))
        return wp_level_size(size, levels);
    for (int l = 0; l < levels; l++)
        size = band_size(size, taps);
    return size;
}

int wp_description_first(const struct wp_description *d, int axis, int level)
{
    const int levels = levels_of(d, axis);
    int first = wp_description_size(d, axis, levels);
    for (int l = level; l < levels; l++)
        first += wp_description_size(d, axis, l + 1);
    return first;
}

int wp_description_bands(const struct wp_description *d, int level)
{
    const unsigned axes = wp_description_axes(d, level);
    return d->bank == WP_BANK_STARLET
               ? 1
               : (1 << ((axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1))) - 1;
}

int wp_description_stack(const struct wp_description *d)
{
    const unsigned axes = wp_description_axes(d, 1);
    return axes >> WP_Z & 1 ? WP_Z : axes >> WP_Y & 1 ? WP_Y : WP_X;
}

static int stacked(const struct wp_description *d)
{
    const int levels = wp_description_levels(d);
    return 1 + (levels > 0 ? levels * wp_description_bands(d, 1) : 0);
}

int wp_description_extent(const struct wp_description *d, int axis)
{
    if (wp_description_is_redundant(d))
        return size_of(d, axis) * (axis == wp_description_stack(d) ? stacked(d) : 1);
    return wp_description_expands(d, axis) ? wp_description_first(d, axis, 0) : size_of(d, axis);
}

size_t wp_description_coefficients(const struct wp_description *d)
{
    size_t count = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        count *= (size_t)wp_description_extent(d, a);
    return count;
}

struct wp_description wp_description_group(const struct wp_description *d, int depth)
{
    struct wp_description group = *d;
    if (depth == wp_description_depth(d))
        return group;
    group.size[WP_Z] = depth;
    group.levels_z = wp_min(d->levels_z, wp_levels_z_most(depth, WP_BORDER_SYMMETRIC));
    return group;
}

size_t wp_description_samples(const struct wp_description *d)
{
    return (size_t)d->size[WP_X] * (size_t)d->size[WP_Y] * (size_t)wp_description_depth(d);
}

const struct wp_wavelet *wp_description_wavelet(const struct wp_description *d,
                                                struct wp_wavelet *dual)
{
    return d->adjoint && wp_lifting_dual(d->wavelet, d->norm, dual) ? dual : d->wavelet;
}

struct wp_lifting wp_description_lifting(const struct wp_description *d)
{
    struct wp_wavelet dual;
    struct wp_lifting lifting =
        wp_lifting_make(wp_description_wavelet(d, &dual), d->direction, d->norm, d->border);
    lifting.dual = d->adjoint;
    if (d->reversible)
        wp_lifting_set_reversible(&lifting);
    return lifting;
}

static struct wp_scheme *make_scheme(const struct wp_description *d, int dims, unsigned axes)
{
    const int kind = d->reversible ? WP_SCHEME_SEP_LIFTING
                     : dims == 2   ? WP_SCHEME_NONSEP_POLYCONVOLUTION
                                   : WP_SCHEME_PLANAR_POLYCONVOLUTION;
    struct wp_wavelet dual;
    return wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = wp_description_wavelet(d, &dual),
        .kind = d->kind ? d->kind : &wp_scheme_kinds[kind],
        .form = d->form,
        .direction = d->direction,
        .norm = d->norm,
        .dims = dims,
        .axes = (enum wp_axis)axes,
        .reversible = d->reversible,
    });
}

struct wp_scheme *wp_description_scheme(const struct wp_description *d, unsigned axes)
{
    return make_scheme(d, 2, axes);
}

struct wp_scheme *wp_description_octet_scheme(const struct wp_description *d, unsigned axes)
{
    return make_scheme(d, WP_DIMS_MAX, axes);
}

// An axis of one sample is copied. Periodic borders end all axes at the first odd size.
int wp_levels_most_together(const int size[], int axes, enum wp_border border)
{
    int most = 0, even = INT_MAX;
    for (int a = 0; a < axes; a++) {
        int level = 0;
        for (int n = size[a]; n > 1; n = n / 2 + n % 2, level++)
            even = n % 2 ? wp_min(even, level) : even;
        most = level > most ? level : most;
    }
    return border == WP_BORDER_PERIODIC ? wp_min(most, even) : most;
}

int wp_levels_most(const int size[2], enum wp_border border)
{
    return wp_levels_most_together(size, 2, border);
}

int wp_levels_z_most(int depth, enum wp_border border)
{
    return wp_levels_most_together(&depth, 1, border);
}

int wp_description_levels_most(const struct wp_description *d, int axis)
{
    if (d->bank == WP_BANK_PACKETS)
        return wp_packet_levels_limit(d, axis == WP_Z ? 1U << WP_Z : 1U << WP_X | 1U << WP_Y);
    if (wp_description_is_redundant(d)) {
        const int all = axis == WP_Z ? wp_levels_z_most(wp_description_depth(d), WP_BORDER_SYMMETRIC)
                                     : wp_levels_most(d->size, WP_BORDER_SYMMETRIC);
        return all > d->start_level ? all - d->start_level : 0;
    }
    if (wp_description_taps(d) > 0)
        return wp_description_transformed(d) >> axis & 1 || axis != WP_Z ? WP_MAX_LEVELS : 0;
    return axis == WP_Z ? wp_levels_z_most(d->size[WP_Z], d->border)
                        : wp_levels_most(d->size, d->border);
}

int wp_description_levels_fit(const struct wp_description *d, int axis)
{
    int levels = wp_description_levels_most(d, axis);
    const unsigned axes = axis == WP_Z ? 1U << WP_Z : 1U << WP_X | 1U << WP_Y;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        if (!(axes >> a & 1) || !wp_description_expands(d, a))
            continue;
        int fit = 0;
        while (size_of(d, a) >> (fit + 1) >= d->wavelet->window - 1)
            fit++;
        levels = wp_min(levels, fit > 0 ? fit : 1);
    }
    return levels;
}

bool wp_levels_any(const int size[2], enum wp_border border)
{
    return wp_levels_most(size, border) > 0 || (size[WP_X] == 1 && size[WP_Y] == 1) ||
           wp_fail(WP_ERROR_USAGE,
                   "%dx%d has no levels with %s borders (they need even sizes)"
                   "\nhint: crop the image, or use border '%s' with a symmetric wavelet such as "
                   "cdf97",
                   size[WP_X], size[WP_Y], wp_border_names[border],
                   wp_border_names[WP_BORDER_SYMMETRIC]);
}
