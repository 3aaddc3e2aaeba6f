#include "scheme.h"

#include "log.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)WP_VARIABLES == (int)WP_DIMS_MAX, "a variable for each axis");

char wp_axis_letter(enum wp_axis axis)
{
    return axis == WP_AXIS_H ? 'H' : axis == WP_AXIS_V ? 'V' : 'D';
}

double wp_norm_gain(const struct wp_wavelet *wavelet, enum wp_norm norm, unsigned axes,
                    unsigned component)
{
    const double low = norm == WP_NORM_NONE            ? fabs(wavelet->zeta)
                       : wp_norm_is_orthonormal(norm) ? sqrt(2.0)
                                                      : 1.0;
    double gain = 1;
    for (unsigned a = 0; a < WP_DIMS_MAX; a++)
        if (axes >> a & 1)
            gain *= component >> a & 1 ? 1 / low : low;
    return gain;
}

// An elementary lifting matrix, T_P (update false) or S_U, along one axis.
struct element {
    bool update;
    enum wp_axis axis;
    int pair;
};

// The elements of one block, in order of execution.
struct block {
    int count;
    struct element element[WP_FACTORS_MAX];
};

// The part of a filter that is in a matrix.
enum part { PART_FULL, PART_WITHOUT_CONSTANT };

static const struct wp_lifting_step *step_of(const struct wp_lifting *lifting, bool update,
                                             int pair)
{
    return &lifting->step[2 * pair + update];
}

static const struct wp_filter *element_filter(const struct wp_lifting *lifting,
                                              const struct element *e)
{
    return &step_of(lifting, e->update, e->pair)->filter;
}

static double constant_term(const struct wp_filter *filter)
{
    for (int i = 0; i < filter->count; i++)
        if (filter->tap[i].k == 0)
            return filter->tap[i].c;
    return 0;
}

// The positions of a step's filter in a matrix: from component `from` to component `to`, for every
// component of the other axes; exchanged in the inverse. Returns their number.
static int element_positions(const struct wp_scheme *scheme, bool update, enum wp_axis axis,
                             int from[WP_STATEMENTS_MAX], int to[WP_STATEMENTS_MAX])
{
    const struct wp_lifting_step *step = &scheme->lifting.step[update];
    const int components = 1 << scheme->dims;
    int count = 0;
    for (int i = 0; i < components; i++) {
        const int c = scheme->direction == WP_FORWARD ? i : components - 1 - i;
        if (((c & (int)axis) != 0) != step->odd)
            continue;
        to[count] = c;
        from[count++] = c ^ (int)axis;
    }
    return count;
}

static int number_of(enum wp_axis axis)
{
    return axis == WP_AXIS_H ? WP_X : axis == WP_AXIS_V ? WP_Y : WP_Z;
}

// The matrix of an element on the even and the odd sample of a pair along its axis.
static struct wp_matrix element_matrix(const struct wp_lifting *lifting, const struct element *e,
                                       enum part part)
{
    const struct wp_lifting_step *step = step_of(lifting, e->update, e->pair);
    struct wp_matrix matrix = wp_matrix_identity(2);
    struct wp_poly *entry = &matrix.at[step->odd][!step->odd];
    for (int t = 0; t < step->filter.count; t++) {
        const struct wp_tap *tap = &step->filter.tap[t];
        if (part == PART_WITHOUT_CONSTANT && tap->k == 0)
            continue;
        struct wp_term term = {.c = tap->c};
        term.at[number_of(e->axis)] = tap->k;
        struct wp_poly monomial = wp_poly_monomial(&term);
        struct wp_poly sum = wp_poly_add(entry, &monomial);
        wp_poly_free(&monomial);
        wp_poly_free(entry);
        *entry = sum;
    }
    return matrix;
}

// Adds a step along each axis of a set.
static void add_elements(const struct wp_lifting *lifting, unsigned axes, int step,
                         struct block *block)
{
    for (unsigned axis = WP_AXIS_H; axis <= WP_AXIS_D; axis <<= 1) {
        const struct element e = {step % 2, (enum wp_axis)axis, step / 2};
        if ((axes & axis) && element_filter(lifting, &e)->count > 0)
            block->element[block->count++] = e;
    }
}

// The sets of axes that form one block each, in order of execution.
static const unsigned splits[][WP_DIMS_MAX] = {
    [WP_FUSE_NONE] = {WP_AXIS_H, WP_AXIS_V, WP_AXIS_D},
    [WP_FUSE_PLANE] = {WP_AXIS_BOTH, WP_AXIS_D},
    [WP_FUSE_ALL] = {WP_AXIS_ALL},
};

// One block per step, first along one axis and then along the other: rounding does not commute.
static int list_reversible_blocks(const struct wp_scheme *scheme,
                                  struct block blocks[WP_PASSES_MAX])
{
    const struct wp_lifting *lifting = &scheme->lifting;
    const unsigned first = wp_lifting_y_first(lifting) ? WP_AXIS_V : WP_AXIS_H;
    int count = 0;
    for (int a = 0; a < 2; a++) {
        const unsigned axis = a == 0 ? first : WP_AXIS_BOTH ^ first;
        for (int step = 0; step < lifting->steps; step++) {
            struct block *block = &blocks[count];
            block->count = 0;
            add_elements(lifting, axis & scheme->axes, step, block);
            count += block->count > 0;
        }
    }
    return count;
}

// Lists the blocks of a scheme: groups of steps in order of execution, each split by axes. Empty
// blocks are omitted.
static int list_blocks(const struct wp_scheme *scheme, struct block blocks[WP_PASSES_MAX])
{
    const struct wp_scheme_kind *kind = scheme->kind;
    const int steps = scheme->lifting.steps;
    if (scheme->lifting.reversible)
        return list_reversible_blocks(scheme, blocks);
    const int group = kind->grouping == WP_GROUP_STEP ? 1
                      : kind->grouping == WP_GROUP_PAIR ? 2
                                                        : steps;
    int count = 0;
    for (int first = 0; first < steps; first += group) {
        for (int split = 0; split < WP_DIMS_MAX; split++) {
            struct block *block = &blocks[count];
            block->count = 0;
            for (int step = first; step < first + group; step++)
                add_elements(&scheme->lifting, splits[kind->fusion][split] & scheme->axes, step,
                             block);
            count += block->count > 0;
        }
    }
    return count;
}

// Number of elements at one end of a block that belong to the same step, and thus commute.
static int run_length(const struct block *block, bool from_end)
{
    const struct element *first = &block->element[from_end ? block->count - 1 : 0];
    int length = 0;
    while (length < block->count) {
        const struct element *e =
            &block->element[from_end ? block->count - 1 - length : length];
        if (e->update != first->update || e->pair != first->pair)
            break;
        length++;
    }
    return length;
}

static void add_constant(const struct wp_lifting *lifting, const struct element *e,
                         struct wp_constant *list, int *count)
{
    const double c = constant_term(element_filter(lifting, e));
    if (c != 0)
        list[(*count)++] = (struct wp_constant){e->update, e->axis, e->pair, c};
}

// Appends constants to those after pass `to`. It has room for all constants of a scheme.
static void move_constants(const struct wp_constant *from, int *count, struct wp_pass *to)
{
    memcpy(to->after + to->after_count, from, (size_t)*count * sizeof *from);
    to->after_count += *count;
    *count = 0;
}

// Multiplies the steps of a block along each axis, which are independent of those along others. The
// caller frees the matrices.
static void multiply_axes(const struct wp_scheme *scheme, const struct block *block,
                          const enum part part[WP_FACTORS_MAX], struct wp_matrix axis[WP_DIMS_MAX])
{
    for (int a = 0; a < scheme->dims; a++)
        axis[a] = wp_matrix_identity(2);
    for (int i = 0; i < block->count; i++) {
        const struct element *e = &block->element[i];
        struct wp_matrix matrix = element_matrix(&scheme->lifting, e, part[i]);
        wp_matrix_apply(&axis[number_of(e->axis)], &matrix);
        wp_matrix_free(&matrix);
    }
}

static void free_axes(const struct wp_scheme *scheme, struct wp_matrix axis[WP_DIMS_MAX])
{
    for (int a = 0; a < scheme->dims; a++)
        wp_matrix_free(&axis[a]);
}

// Multiplies out a block.
static void build_core(const struct wp_scheme *scheme, const struct block *block,
                       const enum part part[WP_FACTORS_MAX], struct wp_pass *pass)
{
    struct wp_matrix axis[WP_DIMS_MAX];
    multiply_axes(scheme, block, part, axis);
    pass->core = wp_matrix_of_axes(axis, scheme->dims);
    free_axes(scheme, axis);
    pass->factor_count = block->count;
    for (int i = 0; i < block->count; i++) {
        const struct element *e = &block->element[i];
        pass->factor[i] =
            (struct wp_factor){e->update, e->axis, e->pair, part[i] == PART_WITHOUT_CONSTANT};
    }
}

static double count_terms(const struct wp_scheme *scheme, const struct block *block)
{
    static const enum part full[WP_FACTORS_MAX] = {PART_FULL};
    struct wp_matrix axis[WP_DIMS_MAX];
    double terms = 1;
    multiply_axes(scheme, block, full, axis);
    for (int a = 0; a < scheme->dims; a++)
        terms *= axis[a].at[0][0].count + axis[a].at[0][1].count + axis[a].at[1][0].count +
                 axis[a].at[1][1].count;
    free_axes(scheme, axis);
    return terms;
}

// Makes a pass of a block. The constants of its first run of elements are moved to `before` (the
// constant and the rest of a filter commute), those of its last run to `after`; a block with only
// one run needs no `before`.
static struct wp_pass build_pass(const struct wp_scheme *scheme, const struct block *block)
{
    const struct wp_lifting *lifting = &scheme->lifting;
    struct wp_pass pass = {0};
    enum part part[WP_FACTORS_MAX] = {PART_FULL};
    if (scheme->form != WP_FORM_PLAIN) {
        const int trailing = run_length(block, true);
        const int leading = trailing == block->count ? 0 : run_length(block, false);
        for (int i = 0; i < block->count; i++) {
            const bool in_leading = i < leading, in_trailing = i >= block->count - trailing;
            if (in_leading)
                add_constant(lifting, &block->element[i], pass.before, &pass.before_count);
            if (in_trailing)
                add_constant(lifting, &block->element[i], pass.after, &pass.after_count);
            part[i] = in_leading || in_trailing ? PART_WITHOUT_CONSTANT : PART_FULL;
        }
    }
    build_core(scheme, block, part, &pass);
    return pass;
}

// A render pass cannot change its neighbors before it reads them. Constants before a core that
// reads neighbors therefore remain in the core of the first pass ("A@", "N@").
static void fold_before(const struct wp_scheme *scheme, const struct block *block,
                        struct wp_pass *pass)
{
    if (wp_matrix_is_local(&pass->core))
        return;
    enum part part[WP_FACTORS_MAX] = {PART_FULL};
    for (int i = block->count - run_length(block, true); i < block->count; i++)
        part[i] = PART_WITHOUT_CONSTANT;
    wp_matrix_free(&pass->core);
    build_core(scheme, block, part, pass);
    pass->before_count = 0;
}

static void add_name(struct wp_pass *pass, bool update, enum wp_axis axis, const char *part,
                     int pair)
{
    const size_t used = strlen(pass->label);
    snprintf(pass->label + used, sizeof pass->label - used, "%s%s^%c_%s%s(%d)", used ? " " : "",
             update ? "S" : "T", wp_axis_letter(axis), update ? "U" : "P", part, pair + 1);
}

static void add_names(struct wp_pass *pass, const struct wp_constant *constants, int count)
{
    for (int i = count - 1; i >= 0; i--)
        add_name(pass, constants[i].update, constants[i].axis, "0", constants[i].pair);
}

// Labels a pass with its constants and factors, from right to left, as in the paper.
static void label_pass(struct wp_pass *pass)
{
    add_names(pass, pass->after, pass->after_count);
    for (int i = pass->factor_count - 1; i >= 0 && !wp_matrix_is_identity(&pass->core); i--) {
        const struct wp_factor *factor = &pass->factor[i];
        add_name(pass, factor->update, factor->axis, factor->reduced ? "1" : "", factor->pair);
    }
    add_names(pass, pass->before, pass->before_count);
}

// Sets the rounding of a pass that is a single step.
static void set_rounding(const struct wp_scheme *scheme, struct wp_pass *pass)
{
    const struct wp_factor *factor = &pass->factor[0];
    int from[WP_STATEMENTS_MAX], to[WP_STATEMENTS_MAX];
    const int count = element_positions(scheme, factor->update, factor->axis, from, to);
    pass->round = step_of(&scheme->lifting, factor->update, factor->pair)->round;
    for (int i = 0; i < count; i++)
        pass->rounded |= 1U << to[i];
}

// False if memory is exhausted.
static bool build_passes(struct wp_scheme *scheme)
{
    struct block blocks[WP_PASSES_MAX];
    const int count = list_blocks(scheme, blocks);
    scheme->pass = wp_try_allocate((size_t)count, sizeof *scheme->pass);
    if (!scheme->pass)
        return false;
    for (int b = 0; b < count; b++) {
        struct wp_pass pass = build_pass(scheme, &blocks[b]);
        struct wp_pass *previous = b > 0 ? &scheme->pass[scheme->pass_count - 1] : NULL;
        if (scheme->form == WP_FORM_SHADER) {
            if (previous)
                move_constants(pass.before, &pass.before_count, previous);
            else
                fold_before(scheme, &blocks[b], &pass);
        }
        if (wp_matrix_failed(&pass.core)) {
            wp_matrix_free(&pass.core);
            return false;
        }
        // Without neighbors no barrier and no separate pass is needed.
        if (previous && scheme->form != WP_FORM_PLAIN && wp_matrix_is_identity(&pass.core)) {
            move_constants(pass.before, &pass.before_count, previous);
            move_constants(pass.after, &pass.after_count, previous);
            wp_matrix_free(&pass.core);
            continue;
        }
        scheme->pass[scheme->pass_count++] = pass;
    }
    for (int p = 0; p < scheme->pass_count; p++) {
        struct wp_pass *pass = &scheme->pass[p];
        label_pass(pass);
        pass->reach = wp_matrix_reach(&pass->core);
        if (scheme->lifting.reversible)
            set_rounding(scheme, pass);
    }
    return true;
}

static struct wp_scheme *fail_memory(const struct wp_scheme_params *params,
                                     struct wp_scheme *scheme)
{
    wp_scheme_destroy(&scheme);
    wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for scheme '%s' of wavelet '%s'",
            params->kind->name, params->wavelet->name);
    return NULL;
}

// Creates a scheme without passes. NULL if memory is exhausted.
static struct wp_scheme *begin(const struct wp_scheme_params *params)
{
    struct wp_scheme *scheme = wp_try_allocate(1, sizeof *scheme);
    if (!scheme)
        return NULL;
    scheme->wavelet = *params->wavelet;
    scheme->kind = params->kind;
    scheme->form = params->reversible ? WP_FORM_PLAIN : params->form;
    scheme->direction = params->direction;
    scheme->dims = params->dims ? params->dims : 2;
    scheme->axes = params->axes ? params->axes : scheme->dims == 2 ? WP_AXIS_BOTH : WP_AXIS_ALL;
    scheme->lifting = wp_lifting_make(params->wavelet, params->direction, params->norm,
                                      WP_BORDER_SYMMETRIC);
    if (params->reversible)
        wp_lifting_set_reversible(&scheme->lifting);
    return scheme;
}

static double max_terms(const struct wp_scheme *scheme)
{
    struct block blocks[WP_PASSES_MAX];
    const int count = list_blocks(scheme, blocks);
    double max = 0;
    for (int b = 0; b < count; b++)
        max = fmax(max, count_terms(scheme, &blocks[b]));
    return max;
}

double wp_scheme_terms(const struct wp_scheme_params *params)
{
    struct wp_scheme *scheme = begin(params);
    const double terms = scheme ? max_terms(scheme) : 0;
    wp_scheme_destroy(&scheme);
    return terms;
}

struct wp_scheme *wp_scheme_create(const struct wp_scheme_params *params)
{
    struct wp_scheme *scheme = begin(params);
    if (!scheme)
        return fail_memory(params, NULL);
    const double terms = max_terms(scheme);
    if (terms > WP_SCHEME_TERMS_MAX) {
        wp_scheme_destroy(&scheme);
        wp_fail(WP_ERROR_TOO_LARGE,
                "scheme '%s' of wavelet '%s' has %.0f terms in a pass (at most %.0f)\n"
                "hint: lifting schemes have fewer",
                params->kind->name, params->wavelet->name, terms, WP_SCHEME_TERMS_MAX);
        return NULL;
    }
    snprintf(scheme->name, sizeof scheme->name, "%s/%s/%s", params->wavelet->name,
             params->kind->name, params->reversible ? "reversible" : wp_form_names[params->form]);
    if (params->kind->grouping == WP_GROUP_PAIR && params->wavelet->pairs == 1)
        scheme->note = "with one lifting pair, polyconvolution is convolution";
    if (!build_passes(scheme))
        return fail_memory(params, scheme);

    for (int c = 0; c < 1 << scheme->dims; c++) {
        const double gain = wp_lifting_gain(&scheme->lifting, scheme->axes, (unsigned)c);
        scheme->scale_in[c] = params->direction == WP_INVERSE ? gain : 1.0;
        scheme->scale_out[c] = params->direction == WP_INVERSE ? 1.0 : gain;
    }
    return scheme;
}

void wp_scheme_destroy(struct wp_scheme **slot)
{
    struct wp_scheme *scheme = *slot;
    *slot = NULL;
    if (!scheme)
        return;
    for (int p = 0; p < scheme->pass_count; p++)
        wp_matrix_free(&scheme->pass[p].core);
    free(scheme->pass);
    free(scheme);
}

int wp_scheme_statements(const struct wp_scheme *scheme, const struct wp_constant *constant,
                         struct wp_statement statement[WP_STATEMENTS_MAX])
{
    int from[WP_STATEMENTS_MAX], to[WP_STATEMENTS_MAX];
    const int count = element_positions(scheme, constant->update, constant->axis, from, to);
    for (int i = 0; i < count; i++)
        statement[i] = (struct wp_statement){to[i], from[i], constant->c};
    return count;
}

int wp_pass_operations(const struct wp_pass *pass)
{
    const int statements = pass->core.components / 2;
    return wp_matrix_operations(&pass->core) +
           statements * (pass->before_count + pass->after_count);
}

int wp_scheme_operations(const struct wp_scheme *scheme)
{
    int operations = 0;
    for (int p = 0; p < scheme->pass_count; p++)
        operations += wp_pass_operations(&scheme->pass[p]);
    return operations;
}

int wp_scheme_fetches(const struct wp_scheme *scheme)
{
    int fetches = 0;
    for (int p = 0; p < scheme->pass_count; p++)
        fetches += scheme->pass[p].reach.fetches;
    return fetches;
}

struct wp_reach wp_scheme_reach(const struct wp_scheme *scheme)
{
    struct wp_reach sum = {0};
    for (int p = 0; p < scheme->pass_count; p++) {
        const struct wp_reach *reach = &scheme->pass[p].reach;
        for (int a = 0; a < WP_DIMS_MAX; a++) {
            sum.low[a] += reach->low[a];
            sum.high[a] += reach->high[a];
        }
    }
    return sum;
}

static void apply_constants(const struct wp_scheme *scheme, struct wp_matrix *product,
                            const struct wp_constant *constants, int count)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        const int statements = wp_scheme_statements(scheme, &constants[i], statement);
        struct wp_matrix matrix = wp_matrix_identity(product->components);
        for (int s = 0; s < statements; s++)
            matrix.at[statement[s].destination][statement[s].source] =
                wp_poly_monomial(&(struct wp_term){.c = statement[s].c});
        wp_matrix_apply(product, &matrix);
        wp_matrix_free(&matrix);
    }
}

struct wp_matrix wp_scheme_product(const struct wp_scheme *scheme)
{
    return wp_scheme_product_from(scheme, 0);
}

struct wp_matrix wp_scheme_product_from(const struct wp_scheme *scheme, int first)
{
    struct wp_matrix product = wp_matrix_identity(1 << scheme->dims);
    for (int p = first; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        apply_constants(scheme, &product, pass->before, pass->before_count);
        wp_matrix_apply(&product, &pass->core);
        apply_constants(scheme, &product, pass->after, pass->after_count);
    }
    return product;
}
