#include "explain_symbols.h"

#include "explain.h"
#include "xmemory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct wp_markup wp_markup_tex = {"_{", "}", "^{", "}"};
const struct wp_markup wp_markup_html = {"<sub>", "</sub>", "<sup>", "</sup>"};

// A sum of products of symbols. Zero has no terms; the term of one is "".
struct sum {
    int count;
    struct wp_text *term;
};

// The 2x2 matrix of one axis, with even and odd rows and columns.
struct square {
    struct sum at[2][2];
};

static void free_sum(struct sum *sum)
{
    for (int t = 0; t < sum->count; t++)
        wp_text_free(&sum->term[t]);
    free(sum->term);
    *sum = (struct sum){0};
}

static void add_term(struct sum *sum, const char *left, const char *right)
{
    sum->term = wp_xrealloc(sum->term, (size_t)sum->count + 1, sizeof *sum->term);
    sum->term[sum->count] = (struct wp_text){0};
    wp_text_add(&sum->term[sum->count++], "%s%s%s", left, *left && *right ? " " : "", right);
}

static struct square create_square(const char *ee, const char *eo, const char *oe)
{
    struct square square = {0};
    add_term(&square.at[0][0], ee, "");
    add_term(&square.at[1][1], "", "");
    if (*eo)
        add_term(&square.at[0][1], eo, "");
    if (*oe)
        add_term(&square.at[1][0], oe, "");
    return square;
}

static void free_square(struct square *square)
{
    for (int i = 0; i < 4; i++)
        free_sum(&square->at[i / 2][i % 2]);
}

// Computes square = left square.
static void apply(struct square *square, const struct square *left)
{
    struct square product = {0};
    for (int i = 0; i < 8; i++) {
        const struct sum *a = &left->at[i / 4][i % 2], *b = &square->at[i % 2][i / 2 % 2];
        for (int s = 0; s < a->count; s++)
            for (int t = 0; t < b->count; t++)
                add_term(&product.at[i / 4][i / 2 % 2], wp_text_get(&a->term[s]),
                         wp_text_get(&b->term[t]));
    }
    free_square(square);
    *square = product;
}

static void add_sum(struct wp_text *out, const struct sum *sum)
{
    for (int t = 0; t < sum->count; t++) {
        const char *term = wp_text_get(&sum->term[t]);
        wp_text_add(out, "%s%s", t ? " + " : "", *term ? term : "1");
    }
}

// The taps of a factor as a polynomial in z_m.
static struct wp_poly create_filter(const struct wp_scheme *scheme, const struct wp_factor *factor)
{
    return wp_explain_filter(&scheme->lifting.step[2 * factor->pair + factor->update].filter, 1,
                             factor->reduced);
}

static bool is_zero(const struct wp_scheme *scheme, const struct wp_factor *factor)
{
    struct wp_poly filter = create_filter(scheme, factor);
    const bool zero = filter.count == 0;
    wp_poly_free(&filter);
    return zero;
}

// The symbol with this name, or NULL.
static struct wp_symbol *find_symbol(struct wp_symbols *symbols, const char *name)
{
    for (int s = 0; s < symbols->count; s++)
        if (strcmp(symbols->symbol[s].name, name) == 0)
            return &symbols->symbol[s];
    return NULL;
}

static struct wp_symbol *add_symbol(struct wp_symbols *symbols, const char *name)
{
    struct wp_symbol *symbol = &symbols->symbol[symbols->count++];
    snprintf(symbol->name, sizeof symbol->name, "%s", name);
    return symbol;
}

static void set_name(char name[24], const struct wp_symbols *symbols, const char *letter, int pair)
{
    if (symbols->numbered)
        snprintf(name, 24, "%s(%d)", letter, pair + 1);
    else
        snprintf(name, 24, "%s", letter);
}

static void name_factor(char name[24], const struct wp_scheme *scheme,
                        const struct wp_factor *factor, struct wp_symbols *symbols)
{
    const char *const letters[2][2] = {{"P", "P1"}, {"U", "U1"}};
    set_name(name, symbols, letters[factor->update][factor->reduced], factor->pair);
    if (!find_symbol(symbols, name))
        add_symbol(symbols, name)->filter = create_filter(scheme, factor);
}

// The matrix of the factors of `list` from index `at`: two if they are a predict step and its
// update, else one. Returns how many.
static int create_block(const struct wp_scheme *scheme, const struct wp_factor *const *list, int at,
                        int count, struct wp_symbols *symbols, struct square *block)
{
    char first[24], second[24], both[24];
    name_factor(first, scheme, list[at], symbols);
    if (list[at]->update) {
        *block = create_square("", first, "");
        return 1;
    }
    if (at + 1 == count || !list[at + 1]->update || list[at + 1]->pair != list[at]->pair) {
        *block = create_square("", "", first);
        return 1;
    }
    name_factor(second, scheme, list[at + 1], symbols);
    set_name(both, symbols, "V", list[at]->pair);
    if (!find_symbol(symbols, both))
        wp_text_add(&add_symbol(symbols, both)->expression, "%s %s + 1", first, second);
    *block = create_square(both, second, first);
    return 2;
}

// The product of a pass's factors along one axis; sums are replaced by new symbols.
static struct square create_axis(const struct wp_scheme *scheme, const struct wp_pass *pass,
                                 enum wp_axis axis, struct wp_symbols *symbols)
{
    const struct wp_factor *list[4 * WP_MAX_PAIRS];
    int count = 0;
    for (int f = 0; f < pass->factor_count; f++)
        if (pass->factor[f].axis == axis && !is_zero(scheme, &pass->factor[f]))
            list[count++] = &pass->factor[f];
    struct square product = create_square("", "", "");
    for (int at = 0; at < count;) {
        struct square block;
        at += create_block(scheme, list, at, count, symbols, &block);
        apply(&product, &block);
        free_square(&block);
    }
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"A", "B", "C", "D"};
        struct sum *sum = &product.at[i / 2][i % 2];
        if (sum->count < 2)
            continue;
        if (!find_symbol(symbols, names[i]))
            add_sum(&add_symbol(symbols, names[i])->expression, sum);
        free_sum(sum);
        add_term(sum, names[i], "");
    }
    return product;
}

// Adds a product with stars after each of its symbols.
static void add_starred(struct wp_text *out, const char *product, int stars)
{
    for (; *product; product++)
        wp_text_add(out, "%c%.*s", *product, product[1] == ' ' || !product[1] ? stars : 0, "**");
}

static bool is_numbered(const struct wp_scheme *scheme, const struct wp_pass *pass)
{
    bool several = scheme->dims == 2 && scheme->lifting.steps > 2;
    for (int f = 1; f < pass->factor_count; f++)
        several = several || pass->factor[f].pair != pass->factor[0].pair;
    return several;
}

// The product of the axes' entries, from the last axis to the first.
static void add_cell(const struct square axis[WP_DIMS_MAX], int dims, int i, int j,
                     struct wp_text *cell)
{
    for (int a = 0; a < dims; a++) {
        if (axis[a].at[i >> a & 1][j >> a & 1].count == 0) {
            wp_text_add(cell, "0");
            return;
        }
    }
    for (int a = dims - 1; a >= 0; a--) {
        const char *factor = wp_text_get(&axis[a].at[i >> a & 1][j >> a & 1].term[0]);
        wp_text_add(cell, "%s", cell->length && *factor ? " " : "");
        add_starred(cell, factor, a);
    }
    if (!cell->length)
        wp_text_add(cell, "1");
}

void wp_symbols_create(struct wp_symbols *symbols, const struct wp_scheme *scheme,
                       const struct wp_pass *pass)
{
    const int components = 1 << scheme->dims;
    // In the inverse odd and even are exchanged.
    const int exchange = scheme->direction == WP_INVERSE ? components - 1 : 0;
    *symbols = (struct wp_symbols){.components = components,
                                   .numbered = is_numbered(scheme, pass)};
    struct square axis[WP_DIMS_MAX];
    for (int a = 0; a < scheme->dims; a++)
        axis[a] = create_axis(scheme, pass, (enum wp_axis)(1 << a), symbols);
    for (int i = 0; i < components; i++)
        for (int j = 0; j < components; j++)
            add_cell(axis, scheme->dims, i, j, &symbols->cell[i ^ exchange][j ^ exchange]);
    for (int a = 0; a < scheme->dims; a++)
        free_square(&axis[a]);
}

void wp_symbols_free(struct wp_symbols *symbols)
{
    for (int i = 0; i < symbols->components; i++)
        for (int j = 0; j < symbols->components; j++)
            wp_text_free(&symbols->cell[i][j]);
    for (int s = 0; s < symbols->count; s++) {
        wp_poly_free(&symbols->symbol[s].filter);
        wp_text_free(&symbols->symbol[s].expression);
    }
}

bool wp_symbols_starred(const struct wp_symbols *symbols, size_t stars)
{
    for (int i = 0; i < symbols->components; i++) {
        for (int j = 0; j < symbols->components; j++) {
            const char *at = wp_text_get(&symbols->cell[i][j]);
            while ((at = strchr(at, '*'))) {
                const size_t run = strspn(at, "*");
                if (run == stars)
                    return true;
                at += run;
            }
        }
    }
    return false;
}

void wp_symbols_mark_up(struct wp_text *out, const char *expression,
                        const struct wp_markup *markup)
{
    while (*expression) {
        const bool symbol = isalpha((unsigned char)*expression);
        wp_text_add(out, "%c", *expression++);
        if (!symbol)
            continue;
        if (isdigit((unsigned char)*expression))
            wp_text_add(out, "%s%c%s", markup->sub, *expression++, markup->sub_end);
        const size_t length = strcspn(expression, " ");
        if (length)
            wp_text_add(out, "%s%.*s%s", markup->super, (int)length, expression,
                        markup->super_end);
        expression += length;
    }
}
