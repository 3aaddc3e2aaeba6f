#include "factor.h"

#include <string.h>

wp_real wp_series_at(const struct wp_series *a, int k)
{
    return k >= a->first && k < a->first + a->count ? a->c[k - a->first] : 0;
}

wp_real wp_series_largest(const struct wp_series *a)
{
    wp_real largest = 0;
    for (int i = 0; i < a->count; i++)
        largest = wp_real_abs(a->c[i]) > largest ? wp_real_abs(a->c[i]) : largest;
    return largest;
}

wp_real wp_series_sum(const struct wp_series *a)
{
    wp_real sum = 0;
    for (int i = 0; i < a->count; i++)
        sum += a->c[i];
    return sum;
}

double wp_series_power(const struct wp_series *a)
{
    double sum = 0;
    for (int i = 0; i < a->count; i++)
        sum += (double)a->c[i] * (double)a->c[i];
    return sum;
}

// Extends the positions of a to include [first, end).
static bool widen(struct wp_series *a, int first, int end)
{
    if (a->count) {
        first = first < a->first ? first : a->first;
        end = end > a->first + a->count ? end : a->first + a->count;
    }
    if (end - first > WP_SERIES_MAX)
        return false;
    const int before = a->count ? a->first - first : 0;
    memmove(a->c + before, a->c, (size_t)a->count * sizeof *a->c);
    for (int i = 0; i < end - first; i++)
        if (i < before || i >= before + a->count)
            a->c[i] = 0;
    a->first = first;
    a->count = end - first;
    return true;
}

bool wp_series_add(struct wp_series *a, int k, wp_real c)
{
    if (!widen(a, k, k + 1))
        return false;
    a->c[k - a->first] += c;
    wp_series_trim(a, 0);
    return true;
}

void wp_series_trim(struct wp_series *a, wp_real noise)
{
    for (int i = 0; i < a->count; i++)
        if (wp_real_abs(a->c[i]) <= noise)
            a->c[i] = 0;
    while (a->count && wp_real_abs(a->c[a->count - 1]) <= 0)
        a->count--;
    int zeros = 0;
    while (zeros < a->count && wp_real_abs(a->c[zeros]) <= 0)
        zeros++;
    a->first += zeros;
    a->count -= zeros;
    memmove(a->c, a->c + zeros, (size_t)a->count * sizeof *a->c);
}

void wp_series_scale(struct wp_series *a, wp_real by)
{
    for (int i = 0; i < a->count; i++)
        a->c[i] *= by;
}

bool wp_series_multiply_add(struct wp_series *sum, wp_real by, const struct wp_series *a,
                            const struct wp_series *b)
{
    if (a->count == 0 || b->count == 0)
        return true;
    const int first = a->first + b->first;
    if (!widen(sum, first, first + a->count + b->count - 1))
        return false;
    wp_real *to = sum->c + (first - sum->first);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            to[i + j] += by * a->c[i] * b->c[j];
    wp_series_trim(sum, 0);
    return true;
}

void wp_series_write(struct wp_text *out, const struct wp_series *a, int digits)
{
    if (a->count == 0)
        wp_text_add(out, "0");
    bool first = true;
    for (int i = 0; i < a->count; i++) {
        const double c = (double)a->c[i];
        const int power = -(a->first + i);
        char number[WP_NUMBER_SIZE];
        if (wp_real_abs(a->c[i]) <= 0)
            continue;
        wp_text_add(out, "%s%s", c < 0 ? (first ? "-" : " - ") : (first ? "" : " + "),
                    wp_format_number(number, fabs(c), digits));
        if (power == 1)
            wp_text_add(out, " z");
        else if (power)
            wp_text_add(out, " z^%d", power);
        first = false;
    }
}
