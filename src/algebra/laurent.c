#include "laurent.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

// A term on its way into a sum; `size` adds up magnitudes to tell cancellation from a value.
struct pending_term {
    struct wp_term term;
    double size;
};

static int compare_positions(const void *a, const void *b)
{
    const struct wp_term *s = &((const struct pending_term *)a)->term;
    const struct wp_term *t = &((const struct pending_term *)b)->term;
    if (s->n != t->n)
        return s->n < t->n ? -1 : 1;
    return s->m < t->m ? -1 : s->m > t->m;
}

static const struct wp_poly failed = {.failed = true};

// `count` is not 0.
static struct wp_poly collect(struct pending_term *pending, int count)
{
    struct wp_poly result = {0};
    result.term = wp_try_allocate((size_t)count, sizeof *result.term);
    if (!result.term)
        return failed;
    qsort(pending, (size_t)count, sizeof *pending, compare_positions);
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

static struct pending_term make_pending(int m, int n, double c)
{
    return (struct pending_term){{m, n, c}, fabs(c)};
}

struct wp_poly wp_poly_monomial(int m, int n, double c)
{
    struct pending_term one = make_pending(m, n, c);
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
    for (int i = 0; i < count; i++) {
        const struct wp_term *t = i < a->count ? &a->term[i] : &b->term[i - a->count];
        pending[i] = make_pending(t->m, t->n, t->c);
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
            const struct wp_term *s = &a->term[i], *t = &b->term[j];
            pending[count++] = make_pending(s->m + t->m, s->n + t->n, s->c * t->c);
        }
    }
    struct wp_poly product = collect(pending, count);
    free(pending);
    return product;
}

bool wp_poly_is_one(const struct wp_poly *a)
{
    return a->count == 1 && wp_poly_is_local(a) && fabs(a->term[0].c - 1.0) < 1e-12;
}

bool wp_poly_is_local(const struct wp_poly *a)
{
    return a->count == 0 || (a->count == 1 && a->term[0].m == 0 && a->term[0].n == 0);
}

double complex wp_poly_evaluate(const struct wp_poly *a, double complex zm, double complex zn)
{
    double complex sum = 0;
    for (int i = 0; i < a->count; i++)
        sum += a->term[i].c * cpow(zm, -a->term[i].m) * cpow(zn, -a->term[i].n);
    return sum;
}
