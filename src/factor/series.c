#include "factor.h"

#include <complex.h>
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

// ---- filters from the zeros of their products ----

enum { DEGREE = WP_SPECTRAL_ORDER - 1 };

struct number { // complex
    wp_real re, im;
};

static struct number multiply(struct number a, struct number b)
{
    return (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static struct number divide(struct number a, struct number b)
{
    const wp_real square = b.re * b.re + b.im * b.im;
    const struct number product = multiply(a, (struct number){b.re, -b.im});
    return (struct number){product.re / square, product.im / square};
}

static struct number root_of(struct number a)
{
    const wp_real size = wp_real_sqrt(a.re * a.re + a.im * a.im);
    const wp_real re = wp_real_sqrt((size + a.re) / 2), im = wp_real_sqrt((size - a.re) / 2);
    return (struct number){re, a.im < 0 ? -im : im};
}

// The coefficients of Q, integers below 2^53.
static void set_coefficients(int degree, double q[DEGREE + 1])
{
    q[0] = 1;
    for (int k = 1; k <= degree; k++)
        q[k] = q[k - 1] * (degree + k) / k;
}

// Computes all zeros with Aberth's iteration, to double precision.
static void find_zeros(int degree, const double q[DEGREE + 1], double complex zero[DEGREE])
{
    for (int i = 0; i < degree; i++)
        zero[i] = 0.5 * cexp(I * (2.0 * i + 0.5));
    for (int times = 0; times < 200; times++) {
        for (int i = 0; i < degree; i++) {
            double complex value = 0, slope = 0, others = 0;
            for (int k = degree; k >= 0; k--) {
                slope = slope * zero[i] + value;
                value = value * zero[i] + q[k];
            }
            for (int j = 0; j < degree; j++)
                if (j != i)
                    others += 1 / (zero[i] - zero[j]);
            const double complex step = value / slope;
            zero[i] -= step / (1 - step * others);
        }
    }
}

// Newton's method in high precision.
static struct number polish(int degree, const double q[DEGREE + 1], double complex zero)
{
    struct number at = {creal(zero), cimag(zero)};
    for (int times = 0; times < 8; times++) {
        struct number value = {0}, slope = {0};
        for (int k = degree; k >= 0; k--) {
            slope = multiply(slope, at);
            slope = (struct number){slope.re + value.re, slope.im + value.im};
            value = multiply(value, at);
            value.re += q[k];
        }
        const struct number step = divide(value, slope);
        at = (struct number){at.re - step.re, at.im - step.im};
    }
    return at;
}

// The zeros of Q, one per pair of conjugates, sorted by real part. im is 0 for real ones. Returns
// their number.
static int list_groups(int p, struct number group[DEGREE])
{
    double q[DEGREE + 1];
    double complex zero[DEGREE];
    int count = 0;
    set_coefficients(p - 1, q);
    find_zeros(p - 1, q, zero);
    for (int i = 0; i < p - 1; i++) {
        if (cimag(zero[i]) < -1e-3)
            continue;
        struct number new = polish(p - 1, q, zero[i]);
        if (cimag(zero[i]) < 1e-3)
            new.im = 0;
        int at = count++;
        for (; at > 0 && group[at - 1].re > new.re; at--)
            group[at] = group[at - 1];
        group[at] = new;
    }
    return count;
}

// a *= b. The results of all calls fit.
static void multiply_by(struct wp_series *a, const struct wp_series *b)
{
    struct wp_series product = {0};
    wp_series_multiply_add(&product, 1, a, b);
    *a = product;
}

// ((1 + z^-1) / 2)^zeros, about 0 or 1/2.
static struct wp_series make_nyquist(int zeros)
{
    const wp_real half = (wp_real)1 / 2;
    const struct wp_series one = {.count = 2, .c = {half, half}};
    struct wp_series product = {.first = -(zeros / 2), .count = 1, .c = {1}};
    for (int i = 0; i < zeros; i++)
        multiply_by(&product, &one);
    return product;
}

// The z inside of the unit circle with y = (2 - z - 1/z) / 4.
static struct number inside_of(struct number y)
{
    const struct number w = {1 - 2 * y.re, -2 * y.im};
    struct number square = multiply(w, w);
    square.re -= 1;
    const struct number root = root_of(square);
    const struct number z = {w.re + root.re, w.im + root.im};
    const struct number one = {1, 0};
    return z.re * z.re + z.im * z.im > 1 ? divide(one, z) : z;
}

struct wp_series wp_spectral_orthogonal(int p, int outside)
{
    struct number group[DEGREE];
    const int groups = list_groups(p, group);
    struct wp_series low = make_nyquist(p);
    for (int g = 0; g < groups; g++) {
        const struct number z = inside_of(group[g]);
        const bool real = !(wp_real_abs(group[g].im) > 0);
        struct wp_series factor = {.count = 3, .c = {z.re * z.re + z.im * z.im, -2 * z.re, 1}};
        if (real)
            factor = (struct wp_series){.count = 2, .c = {-z.re, 1}};
        if (outside >> g & 1)
            for (int i = 0, j = factor.count - 1; i < j; i++, j--) {
                const wp_real c = factor.c[i];
                factor.c[i] = factor.c[j];
                factor.c[j] = c;
            }
        wp_series_scale(&factor, 1 / wp_series_sum(&factor));
        multiply_by(&low, &factor);
    }
    low.first = 1 - p;
    return low;
}

struct wp_spectral_pair wp_spectral_biorthogonal(int zeros_dual, int zeros_low, int of_dual)
{
    const wp_real quarter = (wp_real)1 / 4;
    struct number group[DEGREE];
    const int groups = list_groups((zeros_dual + zeros_low) / 2, group);
    struct wp_spectral_pair pair = {make_nyquist(zeros_low), make_nyquist(zeros_dual)};
    for (int g = 0; g < groups; g++) {
        // 1 - y / zero, for a pair the product of both.
        const struct number zero = group[g];
        const wp_real square = zero.re * zero.re + zero.im * zero.im;
        const bool real = !(wp_real_abs(zero.im) > 0);
        const struct wp_series one = {.count = 1, .c = {1}};
        const struct wp_series y = {
            .first = -1, .count = 3, .c = {-quarter, 2 * quarter, -quarter}};
        struct wp_series factor = one;
        wp_series_multiply_add(&factor, real ? -1 / zero.re : -2 * zero.re / square, &one, &y);
        if (!real)
            wp_series_multiply_add(&factor, 1 / square, &y, &y);
        multiply_by(of_dual >> g & 1 ? &pair.dual : &pair.low, &factor);
    }
    return pair;
}
