// Which descriptions backends and plans support.
#include "description.h"

#include "elements.h"
#include "log.h"
#include "packets.h"
#include "subbands.h"
#include "text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int size_of(const struct wp_description *d, int axis)
{
    return wp_description_size(d, axis, 0);
}

// The largest number of levels of x and y, or of z; together if both numbers are equal.
static int most_of(const struct wp_description *d, int axis, enum wp_border border)
{
    const int size[] = {d->size[WP_X], d->size[WP_Y], wp_description_depth(d)};
    if (size[WP_Z] > 1 && d->levels == d->levels_z &&
        d->decomposition == WP_DECOMPOSITION_DYADIC)
        return wp_levels_most_together(size, WP_DIMS_MAX, border);
    return axis == WP_Z ? wp_levels_z_most(size[WP_Z], border)
                         : wp_levels_most(size, border);
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
    const int levels = wp_description_levels(d), start = d->start_level, last = start + levels;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        if ((a == WP_Z ? d->levels_z : d->levels) > 0 || levels == 0)
            longest = size_of(d, a) > longest ? size_of(d, a) : longest;
    const int most = wp_levels_z_most(longest, WP_BORDER_SYMMETRIC);
    if (d->levels < 0 || d->levels_z < 0)
        return wp_fail(WP_ERROR_USAGE, "%d levels are out of range",
                       d->levels < d->levels_z ? d->levels : d->levels_z);
    if (d->levels_z > 0 && !(wp_description_transformed(d) >> WP_Z & 1))
        return wp_fail(WP_ERROR_USAGE, "an image has no levels along z (%d requested)",
                       d->levels_z);
    if (d->levels > 0 && d->levels_z > 0 && d->levels != d->levels_z)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' requires as many levels along z (%d) as in the "
                       "plane (%d), or none", wp_bank_names[d->bank], d->levels_z, d->levels);
    if (start > 0 && start >= most)
        return wp_fail(WP_ERROR_USAGE, "start level %d: taps would be 2^%d samples apart, and the "
                       "longest axis has %d sample%s\nhint: at most %d here", start, start, longest,
                       WP_PLURAL(longest), most > 0 ? most - 1 : 0);
    return last <= most ||
           wp_fail(WP_ERROR_USAGE, "the taps of level %d are 2^%d samples apart, and the longest "
                   "axis has %d sample%s\nhint: at most %d level%s here", last, last - 1, longest,
                   WP_PLURAL(longest), most - start, WP_PLURAL(most - start));
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

// `kind` and `name`: of the border or bank that has more coefficients than samples.
static bool check_layout(const struct wp_description *d, const char *kind, const char *name)
{
    return d->layout == WP_LAYOUT_MALLAT ||
           wp_fail(WP_ERROR_USAGE, "layout '%s' has the coefficients at the positions of the "
                   "samples, but %s '%s' has more coefficients than samples"
                   "\nhint: layout '%s'", wp_layout_names[d->layout], kind, name,
                   wp_layout_names[WP_LAYOUT_MALLAT]);
}

// For banks that transform x, y and z of a level together.
static bool check_dyadic(const struct wp_description *d)
{
    return d->decomposition == WP_DECOMPOSITION_DYADIC || d->levels <= 0 || d->levels_z <= 0 ||
           wp_fail(WP_ERROR_USAGE, "bank '%s' does not support decomposition '%s'"
                   "\nhint: decomposition '%s'", wp_bank_names[d->bank],
                   wp_decomposition_names[d->decomposition],
                   wp_decomposition_names[WP_DECOMPOSITION_DYADIC]);
}

// Borders of PyWavelets, whose bands have more coefficients than half of the samples.
static bool check_expansive(const struct wp_description *d)
{
    const char *border = wp_border_names[d->border];
    if (!check_layout(d, "border", border))
        return false;
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
    if (!check_layout(d, "bank", bank))
        return false;
    if (!check_dyadic(d))
        return false;
    if (d->reversible)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' has no reversible transform: it is not computed "
                       "by lifting\nhint: bank '%s'", bank, wp_bank_names[WP_BANK_DECIMATED]);
    if (d->kind && d->kind->grouping != WP_GROUP_ALL && d->bank == WP_BANK_STARLET)
        return wp_fail(WP_ERROR_USAGE, "scheme '%s' does not apply to bank '%s': it groups lifting "
                       "steps, and the bank has none\nhint: scheme '%s' or '%s', or omit it",
                       d->kind->name, bank,
                       wp_scheme_kinds[WP_SCHEME_SEP_CONVOLUTION].name,
                       wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION].name);
    const double extent = (double)size_of(d, wp_description_stack(d)) * wp_subband_count(d);
    const double bytes = (double)wp_description_samples(d) * wp_subband_count(d) * sizeof(double);
    return (extent <= INT_MAX && bytes < (double)PTRDIFF_MAX) ||
           wp_fail(WP_ERROR_TOO_LARGE, "bank '%s' with %d levels has %d bands of %dx%dx%d samples, "
                   "more than an array can have", bank, wp_description_levels(d), wp_subband_count(d),
                   d->size[WP_X], d->size[WP_Y], wp_description_depth(d));
}

static bool check_packet_levels(const struct wp_description *d)
{
    const char *bank = wp_bank_names[d->bank];
    const int levels = wp_description_levels(d), depth = wp_description_depth(d);
    const unsigned axes = wp_packet_axes(d);
    const int most = wp_packet_levels_limit(d, axes), even = wp_packet_levels_even(d, axes);
    char size[64];
    if (d->levels < 0 || d->levels_z < 0)
        return wp_fail(WP_ERROR_USAGE, "%d levels are out of range",
                       d->levels < d->levels_z ? d->levels : d->levels_z);
    if (d->levels_z > 0 && depth == 1)
        return wp_fail(WP_ERROR_USAGE, "an image has no levels along z (%d requested)",
                       d->levels_z);
    if (d->levels > 0 && d->levels_z > 0 && d->levels != d->levels_z)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' requires as many levels along z (%d, of %d slices) "
                       "as in the plane (%d), or none", bank, d->levels_z, depth, d->levels);
    if (levels == 0)
        return true;
    if (levels <= most)
        return true;
    if (levels <= even)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' with %d levels of %d axes has more than %d nodes"
                       "\nhint: at most %d levels here", bank, levels, __builtin_popcount(axes),
                       (int)WP_PACKET_LEAVES_MOST, most);
    return wp_fail(WP_ERROR_USAGE, "bank '%s' splits all nodes, and %s samples do not support "
                   "%d level%s: %s\nhint: at most %d level%s here", bank, size_text(d, 0, size),
                   levels, WP_PLURAL(levels),
                   d->border == WP_BORDER_PERIODIC
                       ? "with periodic borders each axis must be a multiple of 2^levels"
                       : "each axis must have at least 2^levels samples",
                   most, WP_PLURAL(most));
}

static bool check_tree(const struct wp_description *d)
{
    struct wp_packet_walk walk = {.description = d};
    if (!d->tree)
        return true;
    const size_t length = strlen(d->tree), digits = strspn(d->tree, "01");
    if (length == 0 || digits < length || length > WP_PACKET_TREE_MOST)
        return wp_fail(WP_ERROR_USAGE, "invalid tree '%.20s%s'\nhint: 1 to %d digits, for each node "
                       "1 if it is split, followed by its children, or 0, such as 11000", d->tree,
                       length > 20 ? "…" : "", (int)WP_PACKET_TREE_MOST);
    size_t expected = 0;
    while (wp_packet_next(&walk))
        expected += walk.node.level < wp_description_levels(d);
    return expected == length ||
           wp_fail(WP_ERROR_USAGE, "the tree '%.20s%s' has %zu digit%s, but %zu nodes above level "
                   "%d, with %d children of each node that is split", d->tree,
                   length > 20 ? "…" : "", length, WP_PLURAL(length), expected, wp_description_levels(d),
                   wp_packet_children(d));
}

// Leaves of several levels are written by several transforms, without another conversion.
static bool check_types(const struct wp_description *d)
{
    return !d->tree || d->coefficients == wp_description_arithmetic(d) ||
           wp_fail(WP_ERROR_USAGE, "a tree of packets requires coefficients of the type of the "
                   "arithmetic, which is f32, or f64 if samples or coefficients are f64"
                   "\nhint: omit the tree, or that type");
}

// What packets.h defines.
static bool check_packets(const struct wp_description *d)
{
    const char *bank = wp_bank_names[d->bank];
    if (d->border >= WP_BORDER_NATIVE)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' does not support border '%s', with which bands "
                       "have more coefficients than half of the samples\nhint: border '%s' or '%s'",
                       bank, wp_border_names[d->border], wp_border_names[WP_BORDER_SYMMETRIC],
                       wp_border_names[WP_BORDER_PERIODIC]);
    if (d->layout != WP_LAYOUT_MALLAT)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' does not support layout '%s'\nhint: layout '%s'",
                       bank, wp_layout_names[d->layout], wp_layout_names[WP_LAYOUT_MALLAT]);
    if (!check_dyadic(d))
        return false;
    if (d->reversible)
        return wp_fail(WP_ERROR_USAGE, "bank '%s' has no reversible transform: no standard defines "
                       "one\nhint: bank '%s'", bank, wp_bank_names[WP_BANK_DECIMATED]);
    return check_packet_levels(d) && check_tree(d) && check_types(d);
}

bool wp_description_is_native(const struct wp_description *d)
{
    return wp_description_is_redundant(d) ||
           (d->bank != WP_BANK_PACKETS && d->border < WP_BORDER_NATIVE &&
            (!d->adjoint || is_dual(d)));
}

bool wp_description_check_native(const struct wp_description *d, const char *user)
{
    if (wp_description_is_redundant(d))
        return wp_fail(WP_ERROR_USAGE, "%s does not support bank '%s', whose bands all have the size "
                       "of the image\nhint: bank '%s'", user, wp_bank_names[d->bank],
                       wp_bank_names[WP_BANK_DECIMATED]);
    if (d->bank == WP_BANK_PACKETS)
        return wp_fail(WP_ERROR_USAGE, "%s does not support bank '%s', which splits high bands, too"
                       "\nhint: bank '%s'", user, wp_bank_names[d->bank],
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

static bool check_start(const struct wp_description *d)
{
    const bool redundant = wp_description_is_redundant(d);
    if (d->start_level == 0 || (redundant && d->start_level > 0 && d->start_level < WP_MAX_LEVELS))
        return true;
    if (!redundant)
        return wp_fail(WP_ERROR_USAGE, "a start level (%d) requires a redundant bank, not '%s'"
                       "\nhint: bank '%s' or '%s'", d->start_level, wp_bank_names[d->bank],
                       wp_bank_names[WP_BANK_UNDECIMATED], wp_bank_names[WP_BANK_STARLET]);
    return wp_fail(WP_ERROR_USAGE, "start level %d is out of range (0 to %d)", d->start_level,
                   WP_MAX_LEVELS - 1);
}

bool wp_description_check(const struct wp_description *d)
{
    if (!check_start(d))
        return false;
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
    if (d->bank == WP_BANK_PACKETS)
        return check_supported(d) && check_packets(d) && (!d->adjoint || check_adjoint(d));
    return check_supported(d) && check_levels(d) &&
           (wp_description_taps(d) == 0 || check_expansive(d)) &&
           (!d->adjoint || check_adjoint(d)) &&
           (!d->reversible || check_reversible(d));
}
