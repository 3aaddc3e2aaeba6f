// Redundant banks as schemes. A pass reads the bands of a sample and of its neighbors instead of
// quads, and positions in its polynomials are in units of the distance of the level's taps, so that
// all levels have the same passes.
#include "redundant.h"

#include "log.h"
#include "memory.h"

#include <stdio.h>
#include <string.h>

// The positions that a pass of the default scheme reads at most; otherwise it is separable.
enum { FEW_POSITIONS = 25 };

// Axes that are filtered together.
struct groups {
    int count;
    unsigned axes[WP_DIMS_MAX];
};

static struct wp_poly monomial(int axis, int at, double c)
{
    struct wp_term term = {.c = c};
    term.at[axis] = at;
    return wp_poly_monomial(&term);
}

static struct wp_poly constant(double c)
{
    return monomial(0, 0, c);
}

static struct wp_poly poly_of(const struct wp_redundant_filter *filter, int axis)
{
    struct wp_poly sum = {0};
    for (int i = 0; i < filter->count; i++) {
        struct wp_poly term = monomial(axis, filter->first + i, filter->tap[i]);
        struct wp_poly longer = wp_poly_add(&sum, &term);
        wp_poly_free(&sum);
        wp_poly_free(&term);
        sum = longer;
    }
    return sum;
}

// *a += c b; frees b.
static void add(struct wp_poly *a, double c, struct wp_poly b)
{
    struct wp_poly factor = constant(c), scaled = wp_poly_multiply(&b, &factor);
    struct wp_poly sum = wp_poly_add(a, &scaled);
    wp_poly_free(&factor);
    wp_poly_free(&scaled);
    wp_poly_free(&b);
    wp_poly_free(a);
    *a = sum;
}

// ---- undecimated ----

// Along one axis: components 0 and 1 are low and high. Axes that a pass does not filter have both,
// or only one: those that a forward transform has not filtered yet, or an inverse one has already.
static struct wp_matrix axis_matrix(const struct wp_redundant *bank, int axis, bool filtered,
                                    bool both)
{
    const bool splits = bank->rule == WP_LEVEL_SPLIT;
    struct wp_matrix matrix = {.components = 2};
    if (filtered) {
        matrix.at[0][0] = poly_of(&bank->filter[0], axis);
        matrix.at[splits][!splits] = poly_of(&bank->filter[1], axis);
    } else {
        matrix.at[0][0] = constant(1);
        if (both)
            matrix.at[1][1] = constant(1);
    }
    return matrix;
}

// `before`: axes that earlier passes filtered.
static struct wp_matrix filter_matrix(const struct wp_redundant *bank, int dims, unsigned group,
                                      unsigned before)
{
    const unsigned both = bank->rule == WP_LEVEL_SPLIT ? before : bank->axes & ~before;
    struct wp_matrix axis[WP_DIMS_MAX];
    for (int a = 0; a < dims; a++)
        axis[a] = axis_matrix(bank, a, group >> a & 1, both >> a & 1);
    const struct wp_matrix all = wp_matrix_of_axes(axis, dims);
    for (int a = 0; a < dims; a++)
        wp_matrix_free(&axis[a]);
    return all;
}

// ---- starlet ----

static struct wp_poly smoothing(const struct wp_redundant *bank, unsigned group)
{
    struct wp_poly product = constant(1);
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        if (!(group >> a & 1))
            continue;
        struct wp_poly filter = poly_of(&bank->filter[0], a);
        struct wp_poly more = wp_poly_multiply(&product, &filter);
        wp_poly_free(&filter);
        wp_poly_free(&product);
        product = more;
    }
    return product;
}

// The pass of a group of axes: the first one reads c and the band, later ones the smoothed image
// from component 0 and from component W what the last one adds.
static struct wp_matrix starlet_matrix(const struct wp_redundant *bank, int dims, unsigned group,
                                       bool first, bool last)
{
    const unsigned w = bank->axes;
    struct wp_matrix m = {.components = 1 << dims};
    switch (bank->rule) {
    case WP_LEVEL_DIFFERENCE:
        m.at[0][0] = smoothing(bank, group);
        add(&m.at[w][first ? 0 : w], 1, constant(1));
        if (last)
            add(&m.at[w][0], -1, smoothing(bank, group));
        break;
    case WP_LEVEL_MERGE:
        m.at[0][0] = smoothing(bank, group);
        if (first)
            add(&m.at[0][w], -1, smoothing(bank, group));
        add(&m.at[last ? 0 : w][w], 1, constant(1));
        break;
    case WP_LEVEL_SUM:
        m.at[0][0] = constant(1);
        m.at[0][w] = constant(1);
        break;
    case WP_LEVEL_REPEAT:
        m.at[0][0] = constant(1);
        m.at[w][0] = constant(1);
        break;
    case WP_LEVEL_SPLIT:
    case WP_LEVEL_JOIN: break;
    }
    return m;
}

// ---- schemes ----

static int axes_of(unsigned set)
{
    return (int)((set & 1) + (set >> 1 & 1) + (set >> 2 & 1));
}

static double positions_of(const struct wp_redundant *bank, unsigned group)
{
    const struct wp_redundant_filter *low = &bank->filter[0], *high = &bank->filter[1];
    int first = low->first, end = low->first + low->count;
    if (high->count > 0 && high->first < first)
        first = high->first;
    if (high->count > 0 && high->first + high->count > end)
        end = high->first + high->count;
    double all = 1;
    for (int a = axes_of(group); a > 0; a--)
        all *= end - first;
    return all;
}

static const struct wp_scheme_kind *choose_kind(const struct wp_description *d,
                                                const struct wp_redundant *bank)
{
    if (d->kind)
        return d->kind;
    return &wp_scheme_kinds[positions_of(bank, bank->axes) <= FEW_POSITIONS
                                ? WP_SCHEME_NONSEP_CONVOLUTION
                                : WP_SCHEME_SEP_CONVOLUTION];
}

// Forward in the order of the axes, inverse in the opposite one.
static struct groups find_groups(const struct wp_redundant *bank, enum wp_direction direction,
                                 enum wp_fusion fusion)
{
    struct groups groups = {0};
    const unsigned parts[][WP_DIMS_MAX] = {
        [WP_FUSE_NONE] = {WP_AXIS_H, WP_AXIS_V, WP_AXIS_D},
        [WP_FUSE_PLANE] = {WP_AXIS_BOTH, WP_AXIS_D},
        [WP_FUSE_ALL] = {WP_AXIS_ALL},
    };
    if (bank->rule == WP_LEVEL_SUM || bank->rule == WP_LEVEL_REPEAT)
        fusion = WP_FUSE_ALL; // without filters
    for (int i = 0; i < WP_DIMS_MAX; i++) {
        const unsigned axes =
            parts[fusion][direction == WP_FORWARD ? i : WP_DIMS_MAX - 1 - i] & bank->axes;
        if (axes)
            groups.axes[groups.count++] = axes;
    }
    return groups;
}

static void label(struct wp_pass *pass, const struct wp_redundant *bank, unsigned group)
{
    static const char *const letters[] = {
        [WP_LEVEL_SPLIT] = "A",      [WP_LEVEL_JOIN] = "R", [WP_LEVEL_DIFFERENCE] = "B",
        [WP_LEVEL_SUM] = "sum",      [WP_LEVEL_MERGE] = "B", [WP_LEVEL_REPEAT] = "copy",
    };
    const bool filters = bank->rule != WP_LEVEL_SUM && bank->rule != WP_LEVEL_REPEAT;
    size_t used = (size_t)snprintf(pass->label, sizeof pass->label, "%s", letters[bank->rule]);
    used += (size_t)snprintf(pass->label + used, sizeof pass->label - used, filters ? "^" : "");
    for (int a = 0; a < WP_DIMS_MAX && filters; a++)
        if (group >> a & 1)
            pass->label[used++] = wp_axis_letter((enum wp_axis)(1U << a));
}

static void add_passes(struct wp_scheme *scheme, const struct wp_redundant *bank,
                       const struct groups *groups)
{
    const bool starlet = bank->rule != WP_LEVEL_SPLIT && bank->rule != WP_LEVEL_JOIN;
    unsigned before = 0;
    for (int g = 0; g < groups->count; g++) {
        struct wp_pass *pass = &scheme->pass[scheme->pass_count++];
        const unsigned group = groups->axes[g];
        pass->core = starlet ? starlet_matrix(bank, scheme->dims, group, g == 0,
                                              g == groups->count - 1)
                             : filter_matrix(bank, scheme->dims, group, before);
        pass->reach = wp_matrix_reach(&pass->core);
        scheme->components |= wp_matrix_rows(&pass->core) | wp_matrix_columns(&pass->core);
        label(pass, bank, group);
        before |= group;
    }
}

// Terms of all passes are limited by the time to compile them.
static bool check_positions(const struct wp_description *d, const struct wp_redundant *bank,
                            const struct groups *groups, const struct wp_scheme_kind *kind)
{
    enum { POSITIONS_MOST = 4096 };
    for (int g = 0; g < groups->count; g++) {
        const double positions = positions_of(bank, groups->axes[g]);
        if (positions > POSITIONS_MOST)
            return wp_fail(WP_ERROR_TOO_LARGE,
                           "scheme '%s' of bank '%s' reads %.0f samples in a pass with wavelet "
                           "'%s' (at most %d)\nhint: scheme '%s' reads fewer", kind->name,
                           wp_bank_names[d->bank], positions, d->wavelet->name,
                           (int)POSITIONS_MOST, wp_scheme_kinds[WP_SCHEME_SEP_CONVOLUTION].name);
    }
    return true;
}

struct wp_scheme *wp_redundant_scheme(const struct wp_description *d)
{
    struct wp_redundant bank;
    if (!wp_redundant_make(d, &bank))
        return NULL;
    const struct wp_scheme_kind *kind = choose_kind(d, &bank);
    const struct groups groups = find_groups(&bank, d->direction, kind->fusion);
    if (!check_positions(d, &bank, &groups, kind))
        return NULL;
    struct wp_scheme *scheme = wp_allocate(1, sizeof *scheme, "a scheme");
    if (scheme)
        scheme->pass = wp_allocate((size_t)groups.count, sizeof *scheme->pass, "a scheme");
    if (!scheme || !scheme->pass) {
        wp_scheme_destroy(&scheme);
        return NULL;
    }
    scheme->redundant = true;
    scheme->wavelet = *d->wavelet;
    scheme->kind = kind;
    scheme->form = WP_FORM_PLAIN;
    scheme->direction = d->direction;
    scheme->dims = bank.axes >> WP_Z & 1 ? WP_DIMS_MAX : 2;
    scheme->axes = (enum wp_axis)bank.axes;
    for (int c = 0; c < WP_COMPONENTS_MAX; c++)
        scheme->scale_in[c] = scheme->scale_out[c] = 1;
    if (d->bank == WP_BANK_STARLET)
        snprintf(scheme->name, sizeof scheme->name, "%s/%s", wp_bank_names[d->bank], kind->name);
    else
        snprintf(scheme->name, sizeof scheme->name, "%s/%s/%s", d->wavelet->name,
                 wp_bank_names[d->bank], kind->name);
    add_passes(scheme, &bank, &groups);
    bool failed = false;
    for (int p = 0; p < scheme->pass_count; p++)
        failed = failed || wp_matrix_failed(&scheme->pass[p].core);
    if (failed) {
        wp_scheme_destroy(&scheme);
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for scheme '%s' of wavelet '%s'",
                kind->name, d->wavelet->name);
    }
    return scheme;
}
