#include "laurent.h"

#include <math.h>
#include <string.h>

struct wp_matrix wp_matrix_identity(int components)
{
    struct wp_matrix identity = {.components = components};
    for (int i = 0; i < components; i++)
        identity.at[i][i] = wp_poly_monomial(&(struct wp_term){.c = 1.0});
    return identity;
}

struct wp_matrix wp_matrix_multiply(const struct wp_matrix *a, const struct wp_matrix *b)
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
    struct wp_matrix product = wp_matrix_multiply(b, a);
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
                    wp_poly_multiply_axes(&product, &axis[a].at[i >> a & 1][j >> a & 1]);
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
            if (!wp_poly_is_local(&a->at[i][j]))
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
        if (position && (!first || wp_poly_compare(position, first) < 0))
            first = position;
    }
    if (!first)
        return false;
    memcpy(at, first, WP_VARIABLES * sizeof *at);
    for (int p = 0; p < polys; p++) {
        const struct wp_poly *poly = &a->at[p / a->components][p % a->components];
        next[p] += next[p] < poly->count && wp_poly_compare(poly->term[next[p]].at, at) == 0;
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
