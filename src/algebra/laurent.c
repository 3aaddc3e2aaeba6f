#include "laurent.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

// A term of a sum; `size` is the sum of magnitudes, to detect cancellation.
struct pending_term {
    struct wp_term term;
    double size;
};

int wp_poly_compare(const int s[WP_VARIABLES], const int t[WP_VARIABLES])
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
    return wp_poly_compare(a->at[i].term.at, b->at[k].term.at);
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

struct wp_poly wp_poly_multiply_axes(const struct wp_poly *a, const struct wp_poly *b)
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

bool wp_poly_is_one(const struct wp_poly *a)
{
    return a->count == 1 && wp_poly_is_local(a) && fabs(a->term[0].c - 1.0) < 1e-12;
}

bool wp_poly_is_local(const struct wp_poly *a)
{
    return a->count == 0 || (a->count == 1 && wp_term_is_local(&a->term[0]));
}

const struct wp_term *wp_poly_find(const struct wp_poly *a, const int at[WP_VARIABLES])
{
    int low = 0, high = a->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = wp_poly_compare(a->term[middle].at, at);
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
