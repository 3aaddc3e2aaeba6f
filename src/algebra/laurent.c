#include "laurent.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A term of a sum; `size` is the sum of magnitudes, to detect cancellation.
struct pending_term {
    struct wp_term term;
    double size;
};

// The order of terms: negative, 0 or positive.
static int poly_compare(const int s[WP_VARIABLES], const int t[WP_VARIABLES])
{
    for (int v = WP_VARIABLES - 1; v >= 0; v--)
        if (s[v] != t[v])
            return s[v] < t[v] ? -1 : 1;
    return 0;
}

static const struct wp_poly failed = {.failed = true};

// Sorted terms of a sum.
struct pending_sum {
    int count;
    struct pending_term *at; // NULL if memory is exhausted
};

static struct pending_sum allocate(int count)
{
    return (struct pending_sum){0, wp_try_allocate((size_t)count, sizeof(struct pending_term))};
}

static int compare_heads(const struct pending_sum *a, int i, const struct pending_sum *b, int k)
{
    if (i == a->count || k == b->count)
        return i == a->count ? 1 : -1;
    return poly_compare(a->at[i].term.at, b->at[k].term.at);
}

// Merges two sums and frees them.
static struct pending_sum merge(struct pending_sum a, struct pending_sum b)
{
    struct pending_sum sum = {0};
    if (a.at && b.at)
        sum = allocate(a.count + b.count);
    for (int i = 0, k = 0; sum.at && (i < a.count || k < b.count);) {
        const int order = compare_heads(&a, i, &b, k);
        struct pending_term *term = &sum.at[sum.count++];
        *term = order <= 0 ? a.at[i++] : b.at[k++];
        if (order == 0) {
            term->term.c += b.at[k].term.c;
            term->size += b.at[k++].size;
        }
    }
    free(a.at);
    free(b.at);
    return sum;
}

// Converts a sum to a polynomial and frees it.
static struct wp_poly collect(struct pending_sum sum)
{
    struct wp_poly result = {0};
    if (sum.at)
        result.term = wp_try_allocate((size_t)sum.count, sizeof *result.term);
    for (int i = 0; result.term && i < sum.count; i++)
        if (fabs(sum.at[i].term.c) > 1e-12 * sum.at[i].size)
            result.term[result.count++] = sum.at[i].term;
    free(sum.at);
    if (!result.term)
        return failed;
    if (result.count == 0)
        wp_poly_free(&result);
    return result;
}

static struct pending_term make_pending(const struct wp_term *term)
{
    return (struct pending_term){*term, fabs(term->c)};
}

static struct wp_term multiply_terms(const struct wp_term *a, const struct wp_term *b)
{
    struct wp_term product = {.c = a->c * b->c};
    for (int v = 0; v < WP_VARIABLES; v++)
        product.at[v] = a->at[v] + b->at[v];
    return product;
}

static struct pending_sum make_sum(const struct wp_poly *a)
{
    struct pending_sum sum = allocate(a->count);
    for (int i = 0; i < a->count && sum.at; i++)
        sum.at[sum.count++] = make_pending(&a->term[i]);
    return sum;
}

struct wp_poly wp_poly_monomial(const struct wp_term *term)
{
    struct wp_term copy = *term;
    return collect(make_sum(&(struct wp_poly){.count = 1, .term = &copy}));
}

void wp_poly_free(struct wp_poly *a)
{
    free(a->term);
    *a = (struct wp_poly){0};
}

struct wp_poly wp_poly_add(const struct wp_poly *a, const struct wp_poly *b)
{
    if (a->failed || b->failed)
        return failed;
    if (a->count + b->count == 0)
        return (struct wp_poly){0};
    return collect(merge(make_sum(a), make_sum(b)));
}

// The product of `a` and terms first..first+count-1 of `b`; products with single terms are sorted.
static struct pending_sum multiply(const struct wp_poly *a, const struct wp_poly *b, int first,
                                   int count)
{
    if (count > 1)
        return merge(multiply(a, b, first, count / 2),
                     multiply(a, b, first + count / 2, count - count / 2));
    struct pending_sum product = allocate(a->count);
    for (int i = 0; i < a->count && product.at; i++) {
        const struct wp_term term = multiply_terms(&a->term[i], &b->term[first]);
        product.at[product.count++] = make_pending(&term);
    }
    return product;
}

struct wp_poly wp_poly_multiply(const struct wp_poly *a, const struct wp_poly *b)
{
    if (a->failed || b->failed)
        return failed;
    if (a->count == 0 || b->count == 0)
        return (struct wp_poly){0};
    const bool longer = a->count >= b->count;
    return collect(multiply(longer ? a : b, longer ? b : a, 0, longer ? b->count : a->count));
}

// The product for the case that all variables in `b` come after those in `a`, so that no like terms
// occur.
static struct wp_poly poly_multiply_axes(const struct wp_poly *a, const struct wp_poly *b)
{
    struct wp_poly product = {.failed = a->failed || b->failed};
    if (product.failed || a->count == 0 || b->count == 0)
        return product;
    product.term = wp_try_allocate((size_t)a->count * (size_t)b->count, sizeof *product.term);
    if (!product.term)
        return failed;
    for (int k = 0; k < b->count; k++)
        for (int i = 0; i < a->count; i++)
            product.term[product.count++] = multiply_terms(&a->term[i], &b->term[k]);
    return product;
}

bool wp_term_is_local(const struct wp_term *term)
{
    for (int v = 0; v < WP_VARIABLES; v++)
        if (term->at[v] != 0)
            return false;
    return true;
}

static bool poly_is_local(const struct wp_poly *a)
{
    return a->count == 0 || (a->count == 1 && wp_term_is_local(&a->term[0]));
}

bool wp_poly_is_one(const struct wp_poly *a)
{
    return a->count == 1 && poly_is_local(a) && fabs(a->term[0].c - 1.0) < 1e-12;
}

const struct wp_term *wp_poly_find(const struct wp_poly *a, const int at[WP_VARIABLES])
{
    int low = 0, high = a->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = poly_compare(a->term[middle].at, at);
        if (order == 0)
            return &a->term[middle];
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

double complex wp_poly_evaluate(const struct wp_poly *a, const double complex z[WP_VARIABLES])
{
    int at[WP_VARIABLES] = {0};
    double complex sum = 0, power[WP_VARIABLES] = {1, 1, 1};
    for (int i = 0; i < a->count; i++) {
        double complex value = a->term[i].c;
        for (int v = 0; v < WP_VARIABLES; v++) {
            if (a->term[i].at[v] != at[v]) { // rarely, since terms are sorted
                at[v] = a->term[i].at[v];
                power[v] = cpow(z[v], -at[v]);
            }
            value *= power[v];
        }
        sum += value;
    }
    return sum;
}

// ---- polyphase matrices ----

struct wp_matrix wp_matrix_identity(int components)
{
    struct wp_matrix identity = {.components = components};
    for (int i = 0; i < components; i++)
        identity.at[i][i] = wp_poly_monomial(&(struct wp_term){.c = 1.0});
    return identity;
}

static struct wp_matrix matrix_multiply(const struct wp_matrix *a, const struct wp_matrix *b)
{
    struct wp_matrix product = {.components = a->components};
    for (int i = 0; i < a->components; i++) {
        for (int j = 0; j < a->components; j++) {
            for (int k = 0; k < a->components; k++) {
                struct wp_poly term = wp_poly_multiply(&a->at[i][k], &b->at[k][j]);
                if (term.count == 0 && !term.failed)
                    continue; // frequent: elementary steps are nearly the identity
                struct wp_poly sum = wp_poly_add(&product.at[i][j], &term);
                wp_poly_free(&term);
                wp_poly_free(&product.at[i][j]);
                product.at[i][j] = sum;
            }
        }
    }
    return product;
}

void wp_matrix_free(struct wp_matrix *a)
{
    for (int i = 0; i < a->components; i++)
        for (int j = 0; j < a->components; j++)
            wp_poly_free(&a->at[i][j]);
}

bool wp_matrix_failed(const struct wp_matrix *a)
{
    for (int i = 0; i < a->components; i++)
        for (int j = 0; j < a->components; j++)
            if (a->at[i][j].failed)
                return true;
    return false;
}

void wp_matrix_apply(struct wp_matrix *a, const struct wp_matrix *b)
{
    struct wp_matrix product = matrix_multiply(b, a);
    wp_matrix_free(a);
    *a = product;
}

struct wp_matrix wp_matrix_of_axes(const struct wp_matrix axis[], int dims)
{
    struct wp_matrix all = {.components = 1 << dims};
    for (int i = 0; i < all.components; i++) {
        for (int j = 0; j < all.components; j++) {
            struct wp_poly product = wp_poly_monomial(&(struct wp_term){.c = 1.0});
            for (int a = 0; a < dims; a++) {
                struct wp_poly next =
                    poly_multiply_axes(&product, &axis[a].at[i >> a & 1][j >> a & 1]);
                wp_poly_free(&product);
                product = next;
            }
            all.at[i][j] = product;
        }
    }
    return all;
}

bool wp_matrix_is_identity(const struct wp_matrix *a)
{
    for (int i = 0; i < a->components; i++)
        for (int j = 0; j < a->components; j++)
            if (i == j ? !wp_poly_is_one(&a->at[i][j]) : a->at[i][j].count != 0)
                return false;
    return true;
}

bool wp_matrix_is_local(const struct wp_matrix *a)
{
    for (int i = 0; i < a->components; i++)
        for (int j = 0; j < a->components; j++)
            if (!poly_is_local(&a->at[i][j]))
                return false;
    return true;
}

int wp_matrix_operations(const struct wp_matrix *a)
{
    int operations = 0;
    for (int i = 0; i < a->components; i++)
        for (int j = 0; j < a->components; j++)
            if (i != j || !wp_poly_is_one(&a->at[i][j]))
                operations += a->at[i][j].count;
    return operations;
}

// Merges the sorted terms of all entries: sets `at` to the smallest position from `next` on, and
// advances past it. False at the end.
static bool next_position(const struct wp_matrix *a, int next[], int at[WP_VARIABLES])
{
    const int polys = a->components * a->components;
    const int *first = NULL;
    for (int p = 0; p < polys; p++) {
        const struct wp_poly *poly = &a->at[p / a->components][p % a->components];
        const int *position = next[p] < poly->count ? poly->term[next[p]].at : NULL;
        if (position && (!first || poly_compare(position, first) < 0))
            first = position;
    }
    if (!first)
        return false;
    memcpy(at, first, WP_VARIABLES * sizeof *at);
    for (int p = 0; p < polys; p++) {
        const struct wp_poly *poly = &a->at[p / a->components][p % a->components];
        next[p] += next[p] < poly->count && poly_compare(poly->term[next[p]].at, at) == 0;
    }
    return true;
}

// The center is always read.
static int count_positions(const struct wp_matrix *a)
{
    static const int middle[WP_VARIABLES] = {0};
    int next[WP_COMPONENTS_MAX * WP_COMPONENTS_MAX] = {0}, at[WP_VARIABLES], count = 1;
    while (next_position(a, next, at))
        count += memcmp(at, middle, sizeof middle) != 0;
    return count;
}

unsigned wp_matrix_rows(const struct wp_matrix *a)
{
    unsigned rows = 0;
    for (int i = 0; i < a->components; i++)
        for (int j = 0; j < a->components; j++)
            rows |= a->at[i][j].count ? 1U << i : 0U;
    return rows;
}

unsigned wp_matrix_columns(const struct wp_matrix *a)
{
    unsigned columns = 0;
    for (int i = 0; i < a->components; i++)
        for (int j = 0; j < a->components; j++)
            columns |= a->at[i][j].count ? 1U << j : 0U;
    return columns;
}

struct wp_reach wp_matrix_reach(const struct wp_matrix *a)
{
    struct wp_reach reach = {0};
    for (int i = 0; i < a->components; i++) {
        for (int j = 0; j < a->components; j++) {
            for (int k = 0; k < a->at[i][j].count; k++) {
                const struct wp_term *t = &a->at[i][j].term[k];
                for (int v = 0; v < WP_VARIABLES; v++) {
                    reach.low[v] = t->at[v] < reach.low[v] ? t->at[v] : reach.low[v];
                    reach.high[v] = t->at[v] > reach.high[v] ? t->at[v] : reach.high[v];
                }
            }
        }
    }
    reach.fetches = count_positions(a);
    return reach;
}

// A point of the unit circle from a linear congruential generator (Numerical Recipes' ranqd1).
static double complex random_point(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return cexp(I * (6.283185307179586 * (double)*state / 4294967296.0));
}

double wp_matrix_distance(const struct wp_matrix *a, const struct wp_matrix *b, int points,
                          unsigned seed)
{
    double distance = 0;
    for (int p = 0; p < points; p++) {
        double complex z[WP_VARIABLES];
        for (int v = 0; v < WP_VARIABLES; v++)
            z[v] = random_point(&seed);
        for (int i = 0; i < a->components; i++)
            for (int j = 0; j < a->components; j++)
                distance = fmax(distance, cabs(wp_poly_evaluate(&a->at[i][j], z) -
                                               wp_poly_evaluate(&b->at[i][j], z)));
    }
    return distance;
}
