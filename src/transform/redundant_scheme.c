// Redundant banks as schemes. A pass reads the bands of a sample and of its neighbors instead of
// quads, and positions in its polynomials are in units of the distance of the level's taps, so that
// all levels have the same passes. The undecimated bank has the schemes of the decimated one: passes
// of the filters, or of lifting steps at every sample.
#include "redundant.h"

#include "log.h"
#include "memory.h"

#include <math.h>
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

// The passes along an axis: one of the filters, or blocks of lifting steps. Lifting steps of all
// decimated transforms that a level contains are those of one of them at every sample: component 0
// of a sample is the even one of the transform that has it as such, component 1 the odd one, of the
// sample after it with periodic borders, as high[n] in redundant.h.
struct plan {
    struct wp_redundant bank;
    const struct wp_scheme_kind *kind;
    struct wp_lifting lifting;
    int shift;      // of component 1
    double gain[2]; // of both bands, forward at the end, inverse in the beginning; lifting
    double average; // of the results of both decimated transforms; lifting
    int blocks;     // passes along an axis
    int first[WP_STEPS_MAX + 1]; // step of a block; blocks end where the next one begins
};

// *a = b a; frees b.
static void apply(struct wp_matrix *a, struct wp_matrix b)
{
    wp_matrix_apply(a, &b);
    wp_matrix_free(&b);
}

static struct wp_matrix diagonal(double first, double second)
{
    struct wp_matrix matrix = {.components = 2};
    matrix.at[0][0] = constant(first);
    matrix.at[1][1] = constant(second);
    return matrix;
}

static struct wp_matrix step_matrix(const struct plan *plan, int axis, int number)
{
    const struct wp_lifting_step *step = &plan->lifting.step[number];
    // From component 1 to 0, or back, without the shift.
    const int apart = plan->shift ? 0 : step->odd ? -1 : 1;
    struct wp_matrix matrix = diagonal(1, 1);
    for (int t = 0; t < step->filter.count; t++)
        add(&matrix.at[step->odd][!step->odd], 1,
            monomial(axis, 2 * step->filter.tap[t].k + apart, step->filter.tap[t].c));
    return matrix;
}

static struct wp_matrix lifting_matrix(const struct plan *plan, int axis, int block)
{
    const bool forward = plan->bank.rule == WP_LEVEL_SPLIT;
    struct wp_matrix all = diagonal(1, 1);
    if (block == 0 && forward) {
        struct wp_matrix both = {.components = 2};
        both.at[0][0] = constant(1);
        both.at[1][0] = monomial(axis, plan->shift, 1);
        apply(&all, both);
    } else if (block == 0) {
        apply(&all, diagonal(plan->gain[0], plan->gain[1]));
    }
    for (int s = plan->first[block]; s < plan->first[block + 1]; s++)
        apply(&all, step_matrix(plan, axis, s));
    if (block == plan->blocks - 1 && forward) {
        apply(&all, diagonal(plan->gain[0], plan->gain[1]));
    } else if (block == plan->blocks - 1) {
        struct wp_matrix sum = {.components = 2};
        sum.at[0][0] = constant(plan->average);
        sum.at[0][1] = monomial(axis, -plan->shift, plan->average);
        apply(&all, sum);
    }
    return all;
}

static struct wp_matrix filters_matrix(const struct plan *plan, int axis)
{
    const bool splits = plan->bank.rule == WP_LEVEL_SPLIT;
    struct wp_matrix matrix = {.components = 2};
    matrix.at[0][0] = poly_of(&plan->bank.filter[0], axis);
    matrix.at[splits][!splits] = poly_of(&plan->bank.filter[1], axis);
    return matrix;
}

// Axes that a pass does not filter have both components, or only the low one: those that a forward
// transform has not filtered yet, or an inverse one has already.
static struct wp_matrix other_matrix(bool both)
{
    struct wp_matrix matrix = {.components = 2};
    matrix.at[0][0] = constant(1);
    if (both)
        matrix.at[1][1] = constant(1);
    return matrix;
}

// `before`: axes that earlier passes filtered.
static struct wp_matrix filter_matrix(const struct plan *plan, int dims, unsigned group, int block,
                                      unsigned before)
{
    const struct wp_redundant *bank = &plan->bank;
    const unsigned both = bank->rule == WP_LEVEL_SPLIT ? before : bank->axes & ~before;
    struct wp_matrix axis[WP_DIMS_MAX];
    for (int a = 0; a < dims; a++)
        axis[a] = !(group >> a & 1)                          ? other_matrix(both >> a & 1)
                  : plan->kind->grouping == WP_GROUP_ALL ? filters_matrix(plan, a)
                                                         : lifting_matrix(plan, a, block);
    const struct wp_matrix all = wp_matrix_of_axes(axis, dims);
    for (int a = 0; a < dims; a++)
        wp_matrix_free(&axis[a]);
    return all;
}

// Divides the steps into blocks, without those that have no taps.
static void find_blocks(struct plan *plan)
{
    const int each = plan->kind->grouping == WP_GROUP_PAIR ? 2 : 1;
    plan->blocks = 0;
    for (int s = 0; s < plan->lifting.steps; s += each) {
        int taps = 0;
        for (int i = s; i < s + each && i < plan->lifting.steps; i++)
            taps += plan->lifting.step[i].filter.count;
        if (taps > 0 || plan->blocks == 0)
            plan->first[plan->blocks++] = s;
    }
    plan->first[plan->blocks] = plan->lifting.steps;
}

// False after WP_ERROR_USAGE if the adjoint has no lifting steps.
static bool plan_lifting(const struct wp_description *d, struct plan *plan)
{
    struct wp_wavelet dual;
    if (d->adjoint && !wp_lifting_dual(d->wavelet, d->norm, &dual))
        return false;
    const bool analysis = (d->direction == WP_FORWARD) != d->adjoint;
    const double tight = d->norm == WP_NORM_ORTHONORMAL ? sqrt(0.5) : 1;
    const double factor = analysis ? tight : 0.5 / tight;
    const bool forward = d->direction == WP_FORWARD;
    plan->lifting = wp_description_lifting(d);
    plan->shift = d->border == WP_BORDER_PERIODIC;
    plan->average = forward ? 1 : factor;
    for (int c = 0; c < 2; c++)
        plan->gain[c] = plan->lifting.gain[c] * (forward ? factor : 1);
    find_blocks(plan);
    return true;
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

const struct wp_scheme_kind *wp_redundant_kind(const struct wp_description *d)
{
    struct wp_redundant bank;
    return wp_redundant_make(d, &bank) ? choose_kind(d, &bank) : NULL;
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

static void add_axes(struct wp_pass *pass, unsigned group)
{
    size_t used = strlen(pass->label);
    for (int a = 0; a < WP_DIMS_MAX; a++)
        if (group >> a & 1)
            pass->label[used++] = wp_axis_letter((enum wp_axis)(1U << a));
}

static void add_label(struct wp_pass *pass, const char *text)
{
    const size_t used = strlen(pass->label);
    snprintf(pass->label + used, sizeof pass->label - used, "%s", text);
}

// Lifting steps from right to left, as in the paper.
static void label_lifting(struct wp_pass *pass, const struct plan *plan, unsigned group, int block)
{
    for (int s = plan->first[block + 1] - 1; s >= plan->first[block]; s--) {
        const bool odd = plan->lifting.step[s].odd;
        char pair[32];
        add_label(pass, pass->label[0] ? " " : "");
        add_label(pass, odd ? "T^" : "S^");
        add_axes(pass, group);
        snprintf(pair, sizeof pair, "_%s(%d)", odd ? "P" : "U",
                 (plan->lifting.direction == WP_FORWARD ? s : plan->lifting.steps - 1 - s) / 2 + 1);
        add_label(pass, pair);
    }
}

static void label(struct wp_pass *pass, const struct plan *plan, unsigned group, int block)
{
    static const char *const letters[] = {
        [WP_LEVEL_SPLIT] = "A^", [WP_LEVEL_JOIN] = "R^",  [WP_LEVEL_DIFFERENCE] = "B^",
        [WP_LEVEL_SUM] = "sum",  [WP_LEVEL_MERGE] = "B^", [WP_LEVEL_REPEAT] = "copy",
    };
    const enum wp_level_rule rule = plan->bank.rule;
    if (plan->kind->grouping != WP_GROUP_ALL) {
        label_lifting(pass, plan, group, block);
        return;
    }
    add_label(pass, letters[rule]);
    if (rule != WP_LEVEL_SUM && rule != WP_LEVEL_REPEAT)
        add_axes(pass, group);
}

static void add_passes(struct wp_scheme *scheme, const struct plan *plan,
                       const struct groups *groups)
{
    const struct wp_redundant *bank = &plan->bank;
    const bool starlet = bank->rule != WP_LEVEL_SPLIT && bank->rule != WP_LEVEL_JOIN;
    unsigned before = 0;
    for (int i = 0; i < groups->count * plan->blocks; i++) {
        struct wp_pass *pass = &scheme->pass[scheme->pass_count++];
        const int g = i / plan->blocks, block = i % plan->blocks;
        const unsigned group = groups->axes[g];
        pass->core = starlet ? starlet_matrix(bank, scheme->dims, group, g == 0,
                                              g == groups->count - 1)
                             : filter_matrix(plan, scheme->dims, group, block, before);
        pass->reach = wp_matrix_reach(&pass->core);
        scheme->components |= wp_matrix_rows(&pass->core) | wp_matrix_columns(&pass->core);
        label(pass, plan, group, block);
        before |= block == plan->blocks - 1 ? group : 0;
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
    struct plan plan = {.blocks = 1};
    if (!wp_redundant_make(d, &plan.bank))
        return NULL;
    const struct wp_redundant *bank = &plan.bank;
    const struct wp_scheme_kind *kind = plan.kind = choose_kind(d, bank);
    const struct groups groups = find_groups(bank, d->direction, kind->fusion);
    if (kind->grouping == WP_GROUP_ALL ? !check_positions(d, bank, &groups, kind)
                                       : !plan_lifting(d, &plan))
        return NULL;
    struct wp_scheme *scheme = wp_allocate(1, sizeof *scheme, "a scheme");
    if (scheme)
        scheme->pass = wp_allocate((size_t)(groups.count * plan.blocks), sizeof *scheme->pass,
                                   "a scheme");
    if (!scheme || !scheme->pass) {
        wp_scheme_destroy(&scheme);
        return NULL;
    }
    scheme->redundant = true;
    scheme->wavelet = *d->wavelet;
    scheme->kind = kind;
    scheme->form = WP_FORM_PLAIN;
    scheme->direction = d->direction;
    scheme->dims = bank->axes >> WP_Z & 1 ? WP_DIMS_MAX : 2;
    scheme->axes = (enum wp_axis)bank->axes;
    for (int c = 0; c < WP_COMPONENTS_MAX; c++)
        scheme->scale_in[c] = scheme->scale_out[c] = 1;
    if (d->bank == WP_BANK_STARLET)
        snprintf(scheme->name, sizeof scheme->name, "%s/%s", wp_bank_names[d->bank], kind->name);
    else
        snprintf(scheme->name, sizeof scheme->name, "%s/%s/%s", d->wavelet->name,
                 wp_bank_names[d->bank], kind->name);
    add_passes(scheme, &plan, &groups);
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
