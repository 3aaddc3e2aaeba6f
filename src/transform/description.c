#include "description.h"

#include "elements.h"
#include "log.h"
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

bool wp_description_is_redundant(const struct wp_description *d)
{
    return d->bank != WP_BANK_DECIMATED;
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

static int smaller(int a, int b)
{
    return a < b ? a : b;
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
    const int levels = smaller(level, levels_of(d, axis)), taps = wp_description_taps(d);
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
    group.levels_z = smaller(d->levels_z, wp_levels_z_most(depth, WP_BORDER_SYMMETRIC));
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

// For axes that share a number of levels: until the longest axis has one sample; an axis of one
// sample is copied. Periodic borders end all axes at the first odd size.
static int levels_most(const int size[], int axes, enum wp_border border)
{
    int most = 0, even = INT_MAX;
    for (int a = 0; a < axes; a++) {
        int level = 0;
        for (int n = size[a]; n > 1; n = n / 2 + n % 2, level++)
            even = n % 2 ? smaller(even, level) : even;
        most = level > most ? level : most;
    }
    return border == WP_BORDER_PERIODIC ? smaller(most, even) : most;
}

int wp_levels_most(const int size[2], enum wp_border border)
{
    return levels_most(size, 2, border);
}

int wp_levels_z_most(int depth, enum wp_border border)
{
    return levels_most(&depth, 1, border);
}

int wp_description_levels_most(const struct wp_description *d, int axis)
{
    if (wp_description_is_redundant(d))
        return axis == WP_Z ? wp_levels_z_most(wp_description_depth(d), WP_BORDER_SYMMETRIC)
                            : wp_levels_most(d->size, WP_BORDER_SYMMETRIC);
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
        levels = smaller(levels, fit > 0 ? fit : 1);
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

// The largest number of levels of x and y, or of z; together if both numbers are equal.
static int most_of(const struct wp_description *d, int axis, enum wp_border border)
{
    const int size[] = {d->size[WP_X], d->size[WP_Y], wp_description_depth(d)};
    if (size[WP_Z] > 1 && d->levels == d->levels_z &&
        d->decomposition == WP_DECOMPOSITION_DYADIC)
        return levels_most(size, WP_DIMS_MAX, border);
    return axis == WP_Z ? levels_most(&size[WP_Z], 1, border) : levels_most(size, 2, border);
}

// "640x480", for volumes "640x480x16".
static const char *size_text(const struct wp_description *d, int level, char text[64])
{
    const int depth = wp_description_depth(d);
    const int n = snprintf(text, 64, "%dx%d", wp_level_size(d->size[WP_X], level),
                           wp_level_size(d->size[WP_Y], level));
    if (depth > 1)
        snprintf(text + n, 64 - (size_t)n, "x%d", wp_level_size(depth, level));
    return text;
}

static bool check_number(const struct wp_description *d, int axis)
{
    char size[64];
    const int levels = axis == WP_Z ? d->levels_z : d->levels;
    const int most = most_of(d, axis, WP_BORDER_SYMMETRIC), even = most_of(d, axis, d->border);
    const bool volume = wp_description_depth(d) > 1;
    if (levels < 0)
        return wp_fail(WP_ERROR_USAGE, "%d levels are out of range", levels);
    if (wp_description_taps(d) > 0 && wp_description_levels_most(d, axis) > 0)
        return levels <= WP_MAX_LEVELS ||
               wp_fail(WP_ERROR_USAGE, "%d levels are out of range (at most %d)", levels,
                       (int)WP_MAX_LEVELS);
    if (levels > most && axis == WP_Z && !volume)
        return wp_fail(WP_ERROR_USAGE, "an image has no levels along z (%d requested)", levels);
    if (levels > most && axis == WP_Z)
        return wp_fail(WP_ERROR_USAGE,
                       "%d level%s more along z than %d slices have\nhint: at most %d here", levels,
                       WP_PLURAL_IS(levels), wp_description_depth(d), even);
    if (levels > most)
        return wp_fail(WP_ERROR_USAGE,
                       "%d level%s more than a %s %s has\nhint: at most %d here", levels,
                       WP_PLURAL_IS(levels), size_text(d, 0, size), volume ? "volume" : "image",
                       even);
    if (levels > even)
        return wp_fail(WP_ERROR_USAGE,
                       "periodic borders need even sizes, and level %d would split %s"
                       "\nhint: at most %d level%s here; %s",
                       even + 1, size_text(d, even, size), even, WP_PLURAL(even),
                       d->wavelet->symmetry == WP_SYMMETRY_NONE
                           ? "crop the image, because this wavelet supports no other border"
                           : "border 'symmetric' supports every size");
    return true;
}

// Taps of the last level must be less than the longest axis apart.
static bool check_redundant_levels(const struct wp_description *d)
{
    int longest = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        longest = size_of(d, a) > longest && levels_of(d, a) > 0 ? size_of(d, a) : longest;
    const int levels = wp_description_levels(d);
    const int most = wp_levels_z_most(longest, WP_BORDER_SYMMETRIC);
    if (d->levels < 0 || d->levels_z < 0)
        return wp_fail(WP_ERROR_USAGE, "%d levels are out of range",
                       smaller(d->levels, d->levels_z));
    if (d->levels_z > 0 && !(wp_description_transformed(d) >> WP_Z & 1))
        return wp_fail(WP_ERROR_USAGE, "an image has no levels along z (%d requested)",
                       d->levels_z);
    if (d->levels > 0 && d->levels_z > 0 && d->levels != d->levels_z)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' requires as many levels along z (%d) as in the "
                       "plane (%d), or none", wp_bank_names[d->bank], d->levels_z, d->levels);
    return levels <= most ||
           wp_fail(WP_ERROR_USAGE, "the taps of level %d are 2^%d samples apart, and the longest "
                   "axis has %d samples\nhint: at most %d level%s here", levels, levels - 1, longest,
                   most, WP_PLURAL(most));
}

static bool check_levels(const struct wp_description *d)
{
    return check_number(d, WP_X) && check_number(d, WP_Z);
}

static bool check_supported(const struct wp_description *d)
{
    const struct {
        bool requested;
        const char *name;
    } unsupported[] = {
        {wp_description_depth(d) > 1 && d->planes > 1, "planes of a volume together"},
        {wp_elements[d->coefficients].largest > 0, "coefficients that are not floats"},
    };
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        if (unsupported[i].requested)
            return wp_fail(WP_ERROR_USAGE, "%s cannot be transformed by this version",
                           unsupported[i].name);
    return true;
}

static bool check_reversible(const struct wp_description *d)
{
    if (!wp_lifting_is_reversible(d->wavelet))
        return wp_fail(WP_ERROR_USAGE,
                       "wavelet '%s' has no reversible form: its steps are scaled, or have taps "
                       "that are not multiples of 1/%d", d->wavelet->name, 1 << WP_BITS_MOST);
    if (wp_description_depth(d) > 1)
        return wp_fail(WP_ERROR_USAGE, "volumes have no reversible transform: no standard defines "
                                       "the order in which their axes round");
    if (d->kind && d->kind != &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING])
        return wp_fail(WP_ERROR_USAGE,
                       "scheme '%s' is not reversible: it combines lifting steps, and each step "
                       "must round separately"
                       "\nhint: '%s' is reversible", d->kind->name,
                       wp_scheme_kinds[WP_SCHEME_SEP_LIFTING].name);
    if (wp_norm_is_orthonormal(d->norm))
        return wp_fail(WP_ERROR_USAGE, "norm '%s' is not reversible: its coefficients are not "
                                       "integers"
                                       "\nhint: omit the norm", wp_norm_names[d->norm]);
    if (wp_elements[d->coefficients].bytes == 2)
        return wp_fail(WP_ERROR_USAGE, "16-bit coefficients are not reversible: they have too few "
                                       "digits for integers");
    if (d->precision != WP_PRECISION_F32)
        return wp_fail(WP_ERROR_USAGE, "precision '%s' is not reversible: it has too few digits for "
                       "integers", wp_precision_names[d->precision]);
    return true;
}

// Is the adjoint only the transform of the dual wavelet? With periodic borders, and if no step
// reads beyond an end.
static bool is_dual(const struct wp_description *d)
{
    return d->border == WP_BORDER_PERIODIC ||
           (d->border == WP_BORDER_SYMMETRIC && d->wavelet->symmetry == WP_SYMMETRY_LOCAL &&
            d->levels <= most_of(d, WP_X, WP_BORDER_PERIODIC) &&
            d->levels_z <= most_of(d, WP_Z, WP_BORDER_PERIODIC));
}

static bool check_adjoint(const struct wp_description *d)
{
    struct wp_wavelet dual;
    if (d->reversible)
        return wp_fail(WP_ERROR_USAGE, "reversible transforms round, so they have no adjoint");
    return wp_lifting_dual(d->wavelet, d->norm, &dual);
}

// Borders of PyWavelets, whose bands have more coefficients than half of the samples.
static bool check_expansive(const struct wp_description *d)
{
    const char *border = wp_border_names[d->border];
    if (d->layout != WP_LAYOUT_MALLAT)
        return wp_fail(WP_ERROR_USAGE, "layout '%s' has the coefficients at the positions of the "
                       "samples, but border '%s' has more coefficients than samples"
                       "\nhint: layout '%s'", wp_layout_names[d->layout], border,
                       wp_layout_names[WP_LAYOUT_MALLAT]);
    if (d->decomposition != WP_DECOMPOSITION_DYADIC && d->levels > 0 && d->levels_z > 0)
        return wp_fail(WP_ERROR_USAGE, "decomposition '%s' does not support border '%s'"
                       "\nhint: decomposition '%s'", wp_decomposition_names[d->decomposition],
                       border, wp_decomposition_names[WP_DECOMPOSITION_DYADIC]);
    if (d->reversible)
        return wp_fail(WP_ERROR_USAGE, "border '%s' has no reversible transform: no standard "
                       "defines one\nhint: border '%s' or '%s'", border,
                       wp_border_names[WP_BORDER_SYMMETRIC], wp_border_names[WP_BORDER_PERIODIC]);
    double all = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const double most = size_of(d, a) + (double)wp_description_taps(d) * WP_MAX_LEVELS;
        all *= most;
        if (wp_description_expands(d, a) && most > INT_MAX)
            return wp_fail(WP_ERROR_USAGE, "%d samples along an axis have more coefficients than "
                           "an array can have (%d)", size_of(d, a), INT_MAX);
    }
    return all < (double)PTRDIFF_MAX / sizeof(double) ||
           wp_fail(WP_ERROR_TOO_LARGE, "%dx%dx%d samples have too many coefficients",
                   d->size[WP_X], d->size[WP_Y], wp_description_depth(d));
}

// The hint depends on the size.
static bool fail_asymmetric(const struct wp_description *d)
{
    char hint[160], size[64];
    const int periodic = most_of(d, WP_X, WP_BORDER_PERIODIC);
    if (periodic == 0)
        snprintf(hint, sizeof hint, "border 'periodic' needs even sizes: crop the image, or use a "
                                    "symmetric wavelet such as cdf97");
    else if (periodic < d->levels)
        snprintf(hint, sizeof hint, "border 'periodic' works with every wavelet, for at most %d "
                                    "level%s of %s; a symmetric wavelet such as cdf97 has no limit",
                 periodic, WP_PLURAL(periodic), size_text(d, 0, size));
    else
        snprintf(hint, sizeof hint, "border 'periodic' works with every wavelet");
    return wp_fail(WP_ERROR_USAGE,
                   "wavelet '%s' is not symmetric, so symmetric borders cannot be inverted"
                   "\nhint: %s", d->wavelet->name, hint);
}

// What redundant.h defines.
static bool check_redundant(const struct wp_description *d)
{
    const char *bank = wp_bank_names[d->bank], *border = wp_border_names[d->border];
    const char *symmetric = wp_border_names[WP_BORDER_SYMMETRIC];
    const char *periodic = wp_border_names[WP_BORDER_PERIODIC];
    if (d->border >= WP_BORDER_NATIVE)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' does not support border '%s', with which its "
                       "bands would have more coefficients than the image has samples"
                       "\nhint: border '%s' or '%s'", bank, border, symmetric, periodic);
    if (d->bank == WP_BANK_UNDECIMATED && d->border == WP_BORDER_SYMMETRIC &&
        d->wavelet->symmetry != WP_SYMMETRY_WHOLE)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' cannot be inverted with border '%s' for wavelet "
                       "'%s', whose filters are not symmetric about a sample"
                       "\nhint: border '%s' works with every wavelet and size", bank, border,
                       d->wavelet->name, periodic);
    if (d->bank == WP_BANK_UNDECIMATED && d->wavelet->window > WP_BANK_TAPS_MOST)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' supports filters of up to %d taps, and wavelet "
                       "'%s' has %d", bank, (int)WP_BANK_TAPS_MOST, d->wavelet->name,
                       d->wavelet->window);
    if (d->layout != WP_LAYOUT_MALLAT)
        return wp_fail(WP_ERROR_USAGE, "layout '%s' has the coefficients at the positions of the "
                       "samples, but bank '%s' has more coefficients than samples"
                       "\nhint: layout '%s'", wp_layout_names[d->layout], bank,
                       wp_layout_names[WP_LAYOUT_MALLAT]);
    if (d->decomposition != WP_DECOMPOSITION_DYADIC && d->levels > 0 && d->levels_z > 0)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' does not support decomposition '%s'"
                       "\nhint: decomposition '%s'", bank,
                       wp_decomposition_names[d->decomposition],
                       wp_decomposition_names[WP_DECOMPOSITION_DYADIC]);
    if (d->reversible)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' has no reversible transform: it is not computed "
                       "by lifting", bank);
    if (d->kind && d->kind->grouping != WP_GROUP_ALL && d->bank == WP_BANK_STARLET)
        return wp_fail(WP_ERROR_USAGE, "scheme '%s' does not apply to bank '%s': it groups lifting "
                       "steps, and a B3 spline alone has none\nhint: scheme '%s' or '%s', or omit it", d->kind->name, bank,
                       wp_scheme_kinds[WP_SCHEME_SEP_CONVOLUTION].name,
                       wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION].name);
    const double extent = (double)size_of(d, wp_description_stack(d)) * stacked(d);
    const double bytes = (double)wp_description_samples(d) * stacked(d) * sizeof(double);
    return (extent <= INT_MAX && bytes < (double)PTRDIFF_MAX) ||
           wp_fail(WP_ERROR_TOO_LARGE, "bank '%s' with %d levels has %d bands of %dx%dx%d samples, "
                   "more than an array can have", bank, wp_description_levels(d), stacked(d),
                   d->size[WP_X], d->size[WP_Y], wp_description_depth(d));
}

bool wp_description_is_native(const struct wp_description *d)
{
    return wp_description_is_redundant(d) ||
           (d->border < WP_BORDER_NATIVE && (!d->adjoint || is_dual(d)));
}

bool wp_description_check_native(const struct wp_description *d, const char *user)
{
    if (wp_description_is_redundant(d))
        return wp_fail(WP_ERROR_USAGE, "%s does not support bank '%s', whose bands all have the size "
                       "of the image\nhint: bank '%s'", user, wp_bank_names[d->bank],
                       wp_bank_names[WP_BANK_DECIMATED]);
    if (wp_description_is_native(d))
        return true;
    if (d->border < WP_BORDER_NATIVE)
        return wp_fail(WP_ERROR_USAGE, "%s does not support adjoints with border '%s', which have "
                       "weights at the ends\nhint: border '%s'", user, wp_border_names[d->border],
                       wp_border_names[WP_BORDER_PERIODIC]);
    return wp_fail(WP_ERROR_USAGE, "%s does not support border '%s', which has more coefficients "
                   "than samples\nhint: border '%s' or '%s'", user, wp_border_names[d->border],
                   wp_border_names[WP_BORDER_SYMMETRIC], wp_border_names[WP_BORDER_PERIODIC]);
}

bool wp_description_check(const struct wp_description *d)
{
    if (d->size[WP_Z] < 0)
        return wp_fail(WP_ERROR_USAGE, "a volume of %dx%dx%d has no samples", d->size[WP_X],
                       d->size[WP_Y], d->size[WP_Z]);
    if (d->size[WP_X] < 1 || d->size[WP_Y] < 1)
        return wp_fail(WP_ERROR_USAGE, "an image of %dx%d has no pixels", d->size[WP_X],
                       d->size[WP_Y]);
    if (wp_description_is_redundant(d))
        return check_supported(d) && check_redundant_levels(d) && check_redundant(d);
    if (d->border == WP_BORDER_SYMMETRIC && d->wavelet->symmetry == WP_SYMMETRY_NONE)
        return fail_asymmetric(d);
    return check_supported(d) && check_levels(d) &&
           (wp_description_taps(d) == 0 || check_expansive(d)) &&
           (!d->adjoint || check_adjoint(d)) &&
           (!d->reversible || check_reversible(d));
}
