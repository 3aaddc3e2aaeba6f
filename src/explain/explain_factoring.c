// How Euclid's algorithm finds a wavelet's steps, with the polynomials of every division.
#include "explain_internal.h"
#include "log.h"
#include "wavelet_taps.h"

#include <math.h>
#include <stdlib.h>

enum { DIGITS = 8, INDENT = 10 };

// What a lecture calls the four polynomials.
static const char *name_of(bool high, bool odd)
{
    return high ? (odd ? "g_o" : "g_e") : (odd ? "h_o" : "h_e");
}

static void add_poly(struct wp_text *out, const char *name, const struct wp_series *poly)
{
    struct wp_text sum = {0};
    wp_series_write(&sum, poly, DIGITS);
    wp_text_add(out, "     %s = ", name);
    wp_explain_wrap_sum(out, INDENT, wp_text_get(&sum));
    wp_text_add(out, "\n");
    wp_text_free(&sum);
}

static void add_filters(const struct wp_factoring *f, struct wp_text *out)
{
    wp_text_add(out, "The filters, split into what they make of even samples (e) and of odd ones "
                     "(o); z^-k reads k\npairs ahead. The low-pass, h, has gain sqrt(2) at DC:\n");
    for (int odd = 0; odd < 2; odd++)
        add_poly(out, name_of(false, odd), &f->bank.low[odd]);
    for (int odd = 0; odd < 2; odd++)
        add_poly(out, name_of(true, odd), &f->bank.high[odd]);
    wp_text_add(out, "The determinant h_e g_o - h_o g_e is 1, one term: they reconstruct "
                     "perfectly.\n\n");
}

static void add_choice(const struct wp_factoring *f, struct wp_text *out)
{
    char forward[WP_NUMBER_SIZE], inverse[WP_NUMBER_SIZE];
    wp_format_number(forward, f->growth[0][0], 3);
    wp_format_number(inverse, f->growth[0][1], 3);
    wp_text_add(out, f->symmetric
                         ? "They are symmetric: every division takes as much from both ends, and "
                           "so every step is\nsymmetric, too.\n"
                         : "Every division may choose from which ends of the dividend it takes "
                           "away.\n");
    wp_text_add(out, "Of %d found, this factorisation has the smallest errors: of %s roundings "
                     "forward, of %s inverse.\n\n", f->found, forward, inverse);
}

static void add_division(const struct wp_division *d, int number, struct wp_text *out)
{
    const char *const dividend = name_of(d->of_high, !d->odd);
    const char *const divisor = name_of(d->of_high, d->odd);
    wp_text_add(out, "%2d. %s = q %s + r, the step %s += q %s:\n", number, dividend, divisor,
                d->odd ? "odd" : "even", d->odd ? "even" : "odd");
    add_poly(out, "q", &d->quotient);
    add_poly(out, "r", &d->remainder);
    if (d->remainder.count)
        wp_text_add(out, "     %s is r from here on.\n", dividend);
}

static void show(const struct wp_wavelet *wavelet, const struct wp_factoring *f,
                 struct wp_text *out)
{
    wp_text_add(out, "%s: %s\n\n", wavelet->name, wavelet->title);
    add_filters(f, out);
    add_choice(f, out);
    for (int i = 0; i < f->divisions; i++) {
        const struct wp_division *d = &f->division[i];
        if (i > 0 && d->of_high != f->division[i - 1].of_high)
            wp_text_add(out, "Of %s one half is left, and of the other band as much goes:\n",
                        d->of_high ? "h" : "g");
        add_division(d, i + 1, out);
    }
    char gain[WP_NUMBER_SIZE], zeta[WP_NUMBER_SIZE];
    wp_format_number(gain, (double)f->gain, DIGITS);
    wp_format_number(zeta, (double)(wp_real_sqrt(2) / f->gain), DIGITS);
    wp_text_add(out, "What is left is a scaling: h_e = %s, g_o = 1 / %s.\n"
                     "So zeta = sqrt(2) / h_e = %s.\n", gain, gain, zeta);
}

bool wp_explain_factoring(const struct wp_wavelet *wavelet, struct wp_text *out)
{
    struct wp_series low, high;
    struct wp_text why = {0};
    struct wp_factoring *f = NULL;
    if (!wp_wavelet_taps(wavelet, &low, &high))
        wp_text_add(&why, "the filters are too long");
    else
        f = wp_factor(&low, &high, WP_FACTOR_STAY, &why);
    if (f)
        show(wavelet, f, out);
    else
        wp_fail(WP_ERROR_USAGE, "%s cannot be factored (%s)", wavelet->name,
                why.length ? wp_text_get(&why) : "not enough memory");
    const bool done = f;
    wp_text_free(&why);
    free(f);
    return done;
}
