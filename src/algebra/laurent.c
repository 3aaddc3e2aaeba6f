#include "laurent.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

// A term on its way into a sum; `size` adds up magnitudes to tell cancellation from a value.
struct pending_term {
    struct wp_term term;
    double size;
};

// The order in which terms of a polynomial lie.
static int compare_at(const int s[WP_VARIABLES], const int t[WP_VARIABLES])
{
    for (int v = WP_VARIABLES - 1; v >= 0; v--)
        if (s[v] != t[v])
            return s[v] < t[v] ? -1 : 1;
    return 0;
}

static int compare_positions(const void *a, const void *b)
{
    return compare_at(((const struct pending_term *)a)->term.at,
                      ((const struct pending_term *)b)->term.at);
}

static const struct wp_poly failed = {.failed = true};

static void sort(struct pending_term *pending, int count)
{
    for (int i = 1; i < count; i++) {
        if (compare_positions(&pending[i - 1], &pending[i]) > 0) {
            qsort(pending, (size_t)count, sizeof *pending, compare_positions);
            return; // most are in order: products with a monomial
        }
    }
}

// `count` is not 0.
static struct wp_poly collect(struct pending_term *pending, int count)
{
    struct wp_poly result = {0};
    result.term = wp_try_allocate((size_t)count, sizeof *result.term);
    if (!result.term)
        return failed;
    sort(pending, count);
    for (int i = 0; i < count;) {
        struct pending_term sum = pending[i++];
        while (i < count && compare_positions(&sum, &pending[i]) == 0) {
            sum.term.c += pending[i].term.c;
            sum.size += pending[i++].size;
        }
        if (fabs(sum.term.c) > 1e-12 * sum.size)
            result.term[result.count++] = sum.term;
    }
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

struct wp_poly wp_poly_monomial(const struct wp_term *term)
{
    struct pending_term one = make_pending(term);
    return collect(&one, 1);
}

void wp_poly_free(struct wp_poly *a)
{
    free(a->term);
    *a = (struct wp_poly){0};
}

struct wp_poly wp_poly_add(const struct wp_poly *a, const struct wp_poly *b)
{
    const int count = a->count + b->count;
    if (a->failed || b->failed)
        return failed;
    if (count == 0)
        return (struct wp_poly){0};
    struct pending_term *pending = wp_try_allocate((size_t)count, sizeof *pending);
    if (!pending)
        return failed;
    // Both are in order, and so is what is made of them: collect() has nothing to sort.
    for (int i = 0, k = 0; i + k < count;) {
        const bool first = k == b->count ||
                           (i < a->count && compare_at(a->term[i].at, b->term[k].at) <= 0);
        pending[i + k] = make_pending(first ? &a->term[i] : &b->term[k]);
        i += first;
        k += !first;
    }
    struct wp_poly sum = collect(pending, count);
    free(pending);
    return sum;
}

struct wp_poly wp_poly_multiply(const struct wp_poly *a, const struct wp_poly *b)
{
    if (a->failed || b->failed)
        return failed;
    if (a->count == 0 || b->count == 0)
        return (struct wp_poly){0};
    struct pending_term *pending =
        wp_try_allocate((size_t)a->count * (size_t)b->count, sizeof *pending);
    if (!pending)
        return failed;
    int count = 0;
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) {
            const struct wp_term term = multiply_terms(&a->term[i], &b->term[j]);
            pending[count++] = make_pending(&term);
        }
    }
    struct wp_poly product = collect(pending, count);
    free(pending);
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

bool wp_poly_reads(const struct wp_poly *a, const int at[WP_VARIABLES])
{
    int low = 0, high = a->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = compare_at(a->term[middle].at, at);
        if (order == 0)
            return true;
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

double complex wp_poly_evaluate(const struct wp_poly *a, const double complex z[WP_VARIABLES])
{
    int at[WP_VARIABLES] = {0};
    double complex sum = 0, power[WP_VARIABLES] = {1, 1, 1};
    for (int i = 0; i < a->count; i++) {
        double complex value = a->term[i].c;
        for (int v = 0; v < WP_VARIABLES; v++) {
            if (a->term[i].at[v] != at[v]) { // not often, since terms are sorted
                at[v] = a->term[i].at[v];
                power[v] = cpow(z[v], -at[v]);
            }
            value *= power[v];
        }
        sum += value;
    }
    return sum;
}
