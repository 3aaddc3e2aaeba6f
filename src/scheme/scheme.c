#include "scheme.h"

#include "log.h"
#include "memory.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct wp_scheme_kind wp_scheme_kinds[WP_SCHEME_KINDS] = {
    [WP_SCHEME_SEP_CONVOLUTION] =
        {"sep-convolution", "sep-conv", true, WP_GROUP_ALL,
         "all lifting steps of one axis multiplied into one filter pair: two passes"},
    [WP_SCHEME_SEP_POLYCONVOLUTION] =
        {"sep-polyconvolution", "sep-poly", true, WP_GROUP_PAIR,
         "one filter pair for each lifting pair and axis"},
    [WP_SCHEME_SEP_LIFTING] =
        {"sep-lifting", "sep-lift", true, WP_GROUP_STEP,
         "one lifting step of one axis at a time: fewest operations, most barriers"},
    [WP_SCHEME_NONSEP_CONVOLUTION] =
        {"nonsep-convolution", "ns-conv", false, WP_GROUP_ALL,
         "both axes and all lifting steps in one 2-D filter bank: one pass, most operations"},
    [WP_SCHEME_NONSEP_POLYCONVOLUTION] =
        {"nonsep-polyconvolution", "ns-poly", false, WP_GROUP_PAIR,
         "both axes of one lifting pair in one 2-D filter bank: one pass a pair"},
    [WP_SCHEME_NONSEP_LIFTING] =
        {"nonsep-lifting", "ns-lift", false, WP_GROUP_STEP,
         "both axes of one lifting step at a time: half the barriers of separable lifting"},
};

const char *const wp_form_names[WP_FORM_COUNT] = {
    [WP_FORM_SHADER] = "optimized",
    [WP_FORM_BLOCK] = "block",
    [WP_FORM_PLAIN] = "plain",
};

const char *const wp_norm_names[WP_NORM_COUNT] = {
    [WP_NORM_JPEG2000] = "jpeg2000",
    [WP_NORM_ORTHONORMAL] = "orthonormal",
    [WP_NORM_NONE] = "none",
};

const struct wp_scheme_kind *wp_scheme_kind_find(const char *name)
{
    const char *names[2 * WP_SCHEME_KINDS];
    for (int i = 0; i < WP_SCHEME_KINDS; i++) {
        const struct wp_scheme_kind *kind = &wp_scheme_kinds[i];
        if (strcmp(name, kind->name) == 0 || strcmp(name, kind->alias) == 0)
            return kind;
        names[2 * i] = kind->name;
        names[2 * i + 1] = kind->alias;
    }
    const char *near = wp_nearest(name, names, 2 * WP_SCHEME_KINDS);
    wp_fail(WP_ERROR_USAGE, "unknown scheme '%s'\nhint: %s%s%s'wavepass info' lists all", name,
            near ? "did you mean '" : "", near ? near : "", near ? "'?  " : "");
    return NULL;
}

double wp_norm_gain(const struct wp_wavelet *wavelet, enum wp_norm norm, int component)
{
    const double low = norm == WP_NORM_NONE          ? wavelet->zeta
                       : norm == WP_NORM_ORTHONORMAL ? sqrt(2.0)
                                                     : 1.0;
    return (component & 1 ? 1 / low : low) * (component & 2 ? 1 / low : low);
}

// Gains of the four components over raw lifting; an axis that is left out passes unscaled.
static void set_scale(const struct wp_scheme_params *params, double scale[WP_COMPONENTS])
{
    const double low = (params->norm == WP_NORM_NONE ? 1.0 : 1.0 / params->wavelet->zeta) *
                       (params->norm == WP_NORM_ORTHONORMAL ? sqrt(2.0) : 1.0);
    for (int c = 0; c < WP_COMPONENTS; c++) {
        scale[c] = params->axes & WP_AXIS_H ? (c & 1 ? 1 / low : low) : 1.0;
        scale[c] *= params->axes & WP_AXIS_V ? (c & 2 ? 1 / low : low) : 1.0;
    }
}

// An elementary lifting matrix, T_P (update false) or S_U, along one axis.
struct element {
    bool update;
    enum wp_axis axis;
    int pair;
};

// Elements of one block, in time order.
enum { BLOCK_MAX = 4 * WP_MAX_PAIRS };

struct block {
    int count;
    struct element element[BLOCK_MAX];
};

// Which part of a filter goes into a matrix.
enum part { PART_FULL, PART_WITHOUT_CONSTANT };

static const struct wp_filter *element_filter(const struct wp_wavelet *wavelet,
                                              const struct element *e)
{
    const struct wp_pair *pair = &wavelet->pair[e->pair];
    return e->update ? &pair->update : &pair->predict;
}

static double constant_term(const struct wp_filter *filter)
{
    for (int i = 0; i < filter->count; i++)
        if (filter->tap[i].k == 0)
            return filter->tap[i].c;
    return 0;
}

// Where an element's filter stands in a matrix: it feeds `from` into `to`, twice.
static void element_positions(bool update, enum wp_axis axis, int from[2], int to[2])
{
    const int bit = axis == WP_AXIS_H ? 1 : 2, other = 3 - bit;
    for (int i = 0; i < 2; i++) {
        const int even = i * other, odd = even | bit;
        from[i] = update ? odd : even;
        to[i] = update ? even : odd;
    }
}

static struct wp_matrix element_matrix(const struct wp_wavelet *wavelet,
                                       const struct element *e, enum part part)
{
    const struct wp_filter *filter = element_filter(wavelet, e);
    struct wp_matrix matrix = wp_matrix_identity();
    int from[2], to[2];
    element_positions(e->update, e->axis, from, to);
    for (int i = 0; i < 2; i++) {
        struct wp_poly *entry = &matrix.at[to[i]][from[i]];
        for (int t = 0; t < filter->count; t++) {
            const struct wp_tap *tap = &filter->tap[t];
            if (part == PART_WITHOUT_CONSTANT && tap->k == 0)
                continue;
            const bool horizontal = e->axis == WP_AXIS_H;
            struct wp_poly term = wp_poly_monomial(horizontal ? tap->k : 0,
                                                   horizontal ? 0 : tap->k, tap->c);
            struct wp_poly sum = wp_poly_add(entry, &term);
            wp_poly_free(&term);
            wp_poly_free(entry);
            *entry = sum;
        }
    }
    return matrix;
}

static void add_element(const struct wp_wavelet *wavelet, enum wp_axis axes, struct block *block,
                        struct element e)
{
    if ((axes & e.axis) && element_filter(wavelet, &e)->count > 0)
        block->element[block->count++] = e;
}

// The blocks of a scheme: groups of steps in time order, each split by axis where the scheme
// is separable. Empty blocks are left out.
static int list_blocks(const struct wp_wavelet *wavelet, const struct wp_scheme_kind *kind,
                       enum wp_axis axes, struct block blocks[BLOCK_MAX])
{
    const int steps = 2 * wavelet->pairs; // predict, update, predict, …
    const int group = kind->grouping == WP_GROUP_STEP ? 1
                      : kind->grouping == WP_GROUP_PAIR ? 2
                                                        : steps;
    int count = 0;
    for (int first = 0; first < steps; first += group) {
        for (int split = 0; split < (kind->separable ? 2 : 1); split++) {
            struct block *block = &blocks[count];
            block->count = 0;
            for (int step = first; step < first + group; step++) {
                const bool update = step % 2;
                if (!kind->separable || split == 0)
                    add_element(wavelet, axes, block,
                                (struct element){update, WP_AXIS_H, step / 2});
                if (!kind->separable || split == 1)
                    add_element(wavelet, axes, block,
                                (struct element){update, WP_AXIS_V, step / 2});
            }
            count += block->count > 0;
        }
    }
    return count;
}

// How many elements at one end of a block are of the same step, and so commute.
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

static void add_constant(const struct wp_wavelet *wavelet, const struct element *e,
                         struct wp_constant **list, int *count)
{
    const double c = constant_term(element_filter(wavelet, e));
    if (c == 0)
        return;
    *list = wp_xrealloc(*list, (size_t)*count + 1, sizeof **list);
    (*list)[(*count)++] = (struct wp_constant){e->update, e->axis, e->pair, c};
}

static void move_constants(struct wp_constant **from, int *from_count, struct wp_constant **to,
                           int *to_count)
{
    if (*from_count == 0)
        return;
    *to = wp_xrealloc(*to, (size_t)(*to_count + *from_count), sizeof **to);
    memcpy(*to + *to_count, *from, (size_t)*from_count * sizeof **to);
    *to_count += *from_count;
    free(*from);
    *from = NULL;
    *from_count = 0;
}

static void label_element(struct wp_text *label, const struct element *e, const char *part)
{
    wp_text_add(label, "%s%s^%s_%s%s(%d)", label->length ? " " : "", e->update ? "S" : "T",
                e->axis == WP_AXIS_H ? "H" : "V", e->update ? "U" : "P", part, e->pair + 1);
}

static void label_constant(struct wp_text *label, const struct wp_constant *constant)
{
    const struct element e = {constant->update, constant->axis, constant->pair};
    label_element(label, &e, "0");
}

static void free_pass(struct wp_pass *pass)
{
    free(pass->before);
    free(pass->after);
    free(pass->factor);
    wp_matrix_free(&pass->core);
}

// Multiplies a block out and labels it: factors right to left in time, as in the paper.
static void build_core(const struct wp_wavelet *wavelet, const struct block *block,
                       const enum part part[BLOCK_MAX], struct wp_pass *pass)
{
    struct wp_text label = {0};
    pass->core = wp_matrix_identity();
    pass->factor = wp_xrealloc(pass->factor, (size_t)block->count, sizeof *pass->factor);
    pass->factor_count = block->count;
    for (int i = 0; i < block->count; i++) {
        const struct element *e = &block->element[i];
        struct wp_matrix matrix = element_matrix(wavelet, e, part[i]);
        wp_matrix_apply(&pass->core, &matrix);
        wp_matrix_free(&matrix);
        pass->factor[i] =
            (struct wp_factor){e->update, e->axis, e->pair, part[i] == PART_WITHOUT_CONSTANT};
    }
    for (int i = block->count - 1; i >= 0 && !wp_matrix_is_identity(&pass->core); i--)
        label_element(&label, &block->element[i], part[i] == PART_FULL ? "" : "1");
    snprintf(pass->label, sizeof pass->label, "%s", wp_text_get(&label));
    wp_text_free(&label);
}

// One block as a pass. Its first run of elements gives its constants to `before` (the
// constant and the rest of a filter commute), its last run to `after`; a block of one run
// needs no `before`.
static struct wp_pass build_pass(const struct wp_wavelet *wavelet, const struct block *block,
                                 enum wp_form form)
{
    struct wp_pass pass = {0};
    enum part part[BLOCK_MAX] = {PART_FULL};
    if (form != WP_FORM_PLAIN) {
        const int trailing = run_length(block, true);
        const int leading = trailing == block->count ? 0 : run_length(block, false);
        for (int i = 0; i < block->count; i++) {
            const bool in_leading = i < leading, in_trailing = i >= block->count - trailing;
            if (in_leading)
                add_constant(wavelet, &block->element[i], &pass.before, &pass.before_count);
            if (in_trailing)
                add_constant(wavelet, &block->element[i], &pass.after, &pass.after_count);
            part[i] = in_leading || in_trailing ? PART_WITHOUT_CONSTANT : PART_FULL;
        }
    }
    build_core(wavelet, block, part, &pass);
    return pass;
}

// A render pass cannot change its neighbours before it reads them, so the constants before a
// core that reads neighbours stay inside the core of the first pass ("A@", "N@").
static void fold_before(const struct wp_wavelet *wavelet, const struct block *block,
                        struct wp_pass *pass)
{
    if (wp_matrix_is_local(&pass->core))
        return;
    enum part part[BLOCK_MAX] = {PART_FULL};
    for (int i = block->count - run_length(block, true); i < block->count; i++)
        part[i] = PART_WITHOUT_CONSTANT;
    wp_matrix_free(&pass->core);
    build_core(wavelet, block, part, pass);
    free(pass->before);
    pass->before = NULL;
    pass->before_count = 0;
}

// The constants' names around the core's.
static void label_pass(struct wp_pass *pass)
{
    struct wp_text label = {0};
    for (int i = pass->after_count - 1; i >= 0; i--)
        label_constant(&label, &pass->after[i]);
    if (pass->label[0])
        wp_text_add(&label, "%s%s", label.length ? " " : "", pass->label);
    for (int i = pass->before_count - 1; i >= 0; i--)
        label_constant(&label, &pass->before[i]);
    snprintf(pass->label, sizeof pass->label, "%s", wp_text_get(&label));
    wp_text_free(&label);
}

// The inverse of a lifting factorisation is one too: the pairs in reverse, predict' = -update,
// update' = -predict, even and odd exchanged.
static struct wp_wavelet invert_wavelet(const struct wp_wavelet *wavelet)
{
    struct wp_wavelet inverse = *wavelet;
    for (int k = 0; k < wavelet->pairs; k++) {
        const struct wp_pair *pair = &wavelet->pair[wavelet->pairs - 1 - k];
        inverse.pair[k] = (struct wp_pair){.predict = pair->update, .update = pair->predict};
        for (int t = 0; t < WP_MAX_TAPS; t++) {
            inverse.pair[k].predict.tap[t].c *= -1;
            inverse.pair[k].update.tap[t].c *= -1;
        }
    }
    return inverse;
}

// Exchanging even and odd along both axes numbers component c as 3 - c.
static void exchange_components(struct wp_matrix *matrix)
{
    struct wp_matrix exchanged;
    for (int i = 0; i < WP_COMPONENTS; i++)
        for (int j = 0; j < WP_COMPONENTS; j++)
            exchanged.at[i][j] = matrix->at[3 - i][3 - j];
    *matrix = exchanged;
}

static void build_passes(struct wp_scheme *scheme)
{
    const struct wp_wavelet *wavelet = &scheme->steps;
    struct block *blocks = wp_xcalloc(BLOCK_MAX, sizeof *blocks);
    const int count = list_blocks(wavelet, scheme->kind, scheme->axes, blocks);
    scheme->pass = wp_xcalloc((size_t)count, sizeof *scheme->pass);
    for (int b = 0; b < count; b++) {
        struct wp_pass pass = build_pass(wavelet, &blocks[b], scheme->form);
        struct wp_pass *previous = b > 0 ? &scheme->pass[scheme->pass_count - 1] : NULL;
        if (scheme->form == WP_FORM_SHADER) {
            if (previous)
                move_constants(&pass.before, &pass.before_count, &previous->after,
                               &previous->after_count);
            else
                fold_before(wavelet, &blocks[b], &pass);
        }
        // Nothing is read from neighbours: no barrier, no pass of its own.
        if (previous && scheme->form != WP_FORM_PLAIN && wp_matrix_is_identity(&pass.core)) {
            move_constants(&pass.before, &pass.before_count, &previous->after,
                           &previous->after_count);
            move_constants(&pass.after, &pass.after_count, &previous->after,
                           &previous->after_count);
            free_pass(&pass);
            continue;
        }
        scheme->pass[scheme->pass_count++] = pass;
    }
    for (int p = 0; p < scheme->pass_count; p++) {
        struct wp_pass *pass = &scheme->pass[p];
        label_pass(pass);
        if (scheme->direction == WP_INVERSE)
            exchange_components(&pass->core);
        pass->reach = wp_matrix_reach(&pass->core);
    }
    free(blocks);
}

struct wp_scheme *wp_scheme_create(const struct wp_scheme_params *given)
{
    struct wp_scheme_params params = *given;
    if (!params.axes)
        params.axes = WP_AXIS_BOTH;
    struct wp_scheme *scheme = wp_xcalloc(1, sizeof *scheme);
    scheme->wavelet = *params.wavelet;
    scheme->kind = params.kind;
    scheme->form = params.form;
    scheme->direction = params.direction;
    scheme->axes = params.axes;
    snprintf(scheme->name, sizeof scheme->name, "%s/%s/%s", params.wavelet->name,
             params.kind->name, wp_form_names[params.form]);
    if (params.kind->grouping == WP_GROUP_PAIR && params.wavelet->pairs == 1)
        scheme->note = "with one lifting pair, polyconvolution is convolution";

    scheme->steps = params.direction == WP_INVERSE ? invert_wavelet(params.wavelet)
                                                   : *params.wavelet;
    build_passes(scheme);

    double scale[WP_COMPONENTS];
    set_scale(&params, scale);
    for (int c = 0; c < WP_COMPONENTS; c++) {
        scheme->scale_in[c] = params.direction == WP_INVERSE ? 1 / scale[c] : 1.0;
        scheme->scale_out[c] = params.direction == WP_INVERSE ? 1.0 : scale[c];
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
        free_pass(&scheme->pass[p]);
    free(scheme->pass);
    free(scheme);
}

void wp_scheme_statements(const struct wp_scheme *scheme, const struct wp_constant *constant,
                          struct wp_statement statement[2])
{
    int from[2], to[2];
    element_positions(constant->update, constant->axis, from, to);
    for (int i = 0; i < 2; i++) {
        const bool inverse = scheme->direction == WP_INVERSE;
        statement[i] = (struct wp_statement){
            .destination = inverse ? 3 - to[i] : to[i],
            .source = inverse ? 3 - from[i] : from[i],
            .c = constant->c,
        };
    }
}

int wp_pass_operations(const struct wp_pass *pass)
{
    return wp_matrix_operations(&pass->core) + 2 * (pass->before_count + pass->after_count);
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
        sum.left += reach->left;
        sum.right += reach->right;
        sum.top += reach->top;
        sum.bottom += reach->bottom;
    }
    return sum;
}

static void apply_constants(const struct wp_scheme *scheme, struct wp_matrix *product,
                            const struct wp_constant *constants, int count)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[2];
        wp_scheme_statements(scheme, &constants[i], statement);
        struct wp_matrix matrix = wp_matrix_identity();
        for (int s = 0; s < 2; s++)
            matrix.at[statement[s].destination][statement[s].source] =
                wp_poly_monomial(0, 0, statement[s].c);
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
    struct wp_matrix product = wp_matrix_identity();
    for (int p = first; p < scheme->pass_count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        apply_constants(scheme, &product, pass->before, pass->before_count);
        wp_matrix_apply(&product, &pass->core);
        apply_constants(scheme, &product, pass->after, pass->after_count);
    }
    return product;
}
