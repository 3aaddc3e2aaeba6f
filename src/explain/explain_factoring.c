// The factorization of a wavelet's filters with Euclid's algorithm, with the polynomials of each
// division: as text, or as formulas in Markdown or LaTeX (amsmath).
#include "explain_symbols.h"
#include "explain_internal.h"
#include "log.h"
#include "wavelet_growth.h"
#include "wavelet_taps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS = 8, INDENT = 10, TERMS_PER_LINE = 4 };

struct writer {
    struct wp_text *out;
    enum wp_explain_format format;
};

// The names of the four polyphase components.
static const char *name_of(bool high, bool odd)
{
    return high ? (odd ? "g_o" : "g_e") : (odd ? "h_o" : "h_e");
}

static void add_formula(const struct writer *w, const char *formula)
{
    if (w->format == WP_EXPLAIN_MD)
        wp_text_add(w->out, "$$%s$$\n\n", formula);
    else if (w->format == WP_EXPLAIN_TEX)
        wp_text_add(w->out, "\\[%s\\]\n", formula);
    else
        wp_text_add(w->out, "     %s\n", formula);
}

// Adds "0.25 z + 0.5 - 0.75 z^{-1}", with line breaks after every few terms.
static void add_tex_sum(struct wp_text *out, const struct wp_series *poly)
{
    int terms = 0;
    for (int i = 0; i < poly->count; i++) {
        const double c = (double)poly->c[i];
        const int power = -(poly->first + i);
        if (!(fabs(c) > 0))
            continue;
        if (terms && terms % TERMS_PER_LINE == 0)
            wp_text_add(out, " \\\\\n&\\quad ");
        wp_text_add(out, "%s", c < 0 ? "-" : terms ? "+" : "");
        wp_explain_tex_number(out, fabs(c), DIGITS);
        if (power == 1)
            wp_text_add(out, " z");
        else if (power)
            wp_text_add(out, " z^{%d}", power);
        terms++;
    }
    if (terms == 0)
        wp_text_add(out, "0");
}

static void add_poly(const struct writer *w, const char *name, const struct wp_series *poly)
{
    struct wp_text sum = {0};
    if (w->format == WP_EXPLAIN_TXT) {
        wp_series_write(&sum, poly, DIGITS);
        wp_text_add(w->out, "     %s = ", name);
        wp_explain_wrap_sum(w->out, INDENT, wp_text_get(&sum));
        wp_text_add(w->out, "\n");
    } else {
        wp_text_add(&sum, "\\begin{aligned}%s(z) &= ", name);
        add_tex_sum(&sum, poly);
        wp_text_add(&sum, "\\end{aligned}");
        add_formula(w, wp_text_get(&sum));
    }
    wp_text_free(&sum);
}

// Adds a paragraph, wrapped in text.
static void add_words(const struct writer *w, const char *words)
{
    if (w->format == WP_EXPLAIN_TXT)
        wp_explain_wrap(w->out, 0, words);
    else
        wp_text_add(w->out, "%s", words);
    wp_text_add(w->out, w->format == WP_EXPLAIN_TXT ? "\n" : "\n\n");
}

// Adds a name such as "h_e", as a formula if the format supports it.
static void add_name(const struct writer *w, struct wp_text *text_out, const char *name)
{
    const char *const math = w->format == WP_EXPLAIN_TXT ? "" : "$";
    wp_text_add(text_out, "%s%s%s", math, name, math);
}

static void add_filters(const struct writer *w, const struct wp_factoring *f)
{
    const bool text = w->format == WP_EXPLAIN_TXT;
    struct wp_text words = {0};
    wp_text_add(&words, "The polyphase components of the low-pass filter h and the high-pass "
                        "filter g, for even samples (e) and odd samples (o). The gain of h at DC "
                        "is sqrt(2). ");
    add_name(w, &words, text ? "z^-k" : "z^{-k}");
    wp_text_add(&words, " reads k pairs ahead (");
    add_name(w, &words, text ? "z^k" : "z^{k}");
    wp_text_add(&words, " in textbooks, where ");
    add_name(w, &words, text ? "z^-1" : "z^{-1}");
    wp_text_add(&words, " is a delay):");
    add_words(w, wp_text_get(&words));
    for (int high = 0; high < 2; high++)
        for (int odd = 0; odd < 2; odd++)
            add_poly(w, name_of(high, odd), high ? &f->bank.high[odd] : &f->bank.low[odd]);
    wp_text_clear(&words);
    wp_text_add(&words, "The determinant ");
    add_name(w, &words, "h_e g_o - h_o g_e");
    wp_text_add(&words, " is 1, so the filters allow perfect reconstruction.");
    add_words(w, wp_text_get(&words));
    wp_text_free(&words);
    wp_text_add(w->out, text ? "\n" : "");
}

static void add_criterion(const struct writer *w, const struct wp_wavelet *wavelet,
                          const struct wp_factoring *f)
{
    struct wp_text words = {0};
    char number[2][2][WP_NUMBER_SIZE];
    for (int axes = 0; axes < 2; axes++)
        for (int direction = 0; direction < 2; direction++)
            wp_format_number(number[axes][direction], f->growth[axes][direction], 3);
    add_words(w, f->symmetric
                     ? "The filters are symmetric. Every division removes as many terms at one end "
                       "of the dividend as at the other, so every step is symmetric too."
                     : "Every division can remove terms at either end of the dividend.");
    wp_text_add(&words,
                "Among the %d factorizations found, this one has the smallest rounding errors for "
                "images: those of %s roundings forward and %s inverse along one axis, and of %s "
                "and %s if every step processes both axes.", f->found, number[0][WP_FACTOR_FORWARD],
                number[0][WP_FACTOR_INVERSE], number[1][WP_FACTOR_FORWARD],
                number[1][WP_FACTOR_INVERSE]);
    add_words(w, wp_text_get(&words));
    wp_text_clear(&words);
    wp_wavelet_write_error(wavelet, &words);
    if (words.length) {
        wp_text_add(&words, ".");
        add_words(w, wp_text_get(&words));
    }
    wp_text_free(&words);
    wp_text_add(w->out, w->format == WP_EXPLAIN_TXT ? "\n" : "");
}

static void add_division(const struct writer *w, const struct wp_division *d, int number)
{
    const char *const dividend = name_of(d->of_high, !d->odd);
    const char *const divisor = name_of(d->of_high, d->odd);
    struct wp_text words = {0};
    char formula[32];
    snprintf(formula, sizeof formula, "%s = q %s + r", dividend, divisor);
    wp_text_add(&words, w->format == WP_EXPLAIN_TXT ? "%2d. " : "%d. ", number);
    add_name(w, &words, formula);
    wp_text_add(&words, ", for the step %s += q %s:", d->odd ? "odd" : "even",
                d->odd ? "even" : "odd");
    add_words(w, wp_text_get(&words));
    add_poly(w, "q", &d->quotient);
    add_poly(w, "r", &d->remainder);
    if (d->remainder.count) {
        wp_text_clear(&words);
        wp_text_add(&words, w->format == WP_EXPLAIN_TXT ? "     " : "");
        add_name(w, &words, dividend);
        wp_text_add(&words, " is r in the following divisions.");
        wp_text_add(w->out, "%s%s", wp_text_get(&words), w->format == WP_EXPLAIN_TXT ? "\n"
                                                                                      : "\n\n");
    }
    wp_text_free(&words);
}

static void add_scaling(const struct writer *w, const struct wp_factoring *f)
{
    const bool text = w->format == WP_EXPLAIN_TXT;
    char gain[WP_NUMBER_SIZE], zeta[WP_NUMBER_SIZE];
    wp_format_number(gain, (double)f->gain, DIGITS);
    wp_format_number(zeta, (double)(wp_real_sqrt(2) / f->gain), DIGITS);
    struct wp_text words = {0};
    wp_text_add(&words,
                text ? "A scaling remains: h_e = %s, g_o = 1 / %s."
                     : "A scaling remains: $h_e = %s$, $g_o = 1 / (%s)$.", gain, gain);
    add_words(w, wp_text_get(&words));
    wp_text_clear(&words);
    wp_text_add(&words, text ? "Therefore zeta = sqrt(2) / h_e = %s."
                             : "Therefore $\\zeta = \\sqrt{2} / h_e = %s$.", zeta);
    add_words(w, wp_text_get(&words));
    wp_text_free(&words);
}

static void write_factoring(const struct wp_wavelet *wavelet, const struct wp_factoring *f,
                            const struct writer *w)
{
    static const char *const heading[WP_EXPLAIN_FORMAT_COUNT] = {
        [WP_EXPLAIN_MD] = "# ", [WP_EXPLAIN_TEX] = "\\paragraph{", [WP_EXPLAIN_TXT] = ""};
    wp_text_add(w->out, "%s%s: %s%s\n\n", heading[w->format], wavelet->name, wavelet->title,
                w->format == WP_EXPLAIN_TEX ? "}" : "");
    add_filters(w, f);
    add_criterion(w, wavelet, f);
    for (int i = 0; i < f->divisions; i++) {
        const struct wp_division *d = &f->division[i];
        if (i > 0 && d->of_high != f->division[i - 1].of_high)
            add_words(w, d->of_high
                             ? "One component of h is 0 now. The next divisions are of g:"
                             : "One component of g is 0 now. The next divisions are of h:");
        add_division(w, d, i + 1);
    }
    add_scaling(w, f);
}

struct wp_factoring *wp_explain_factor(const struct wp_wavelet *wavelet)
{
    struct wp_series low, high;
    struct wp_text reason = {0};
    struct wp_factoring *f = NULL;
    if (!wp_wavelet_taps(wavelet, &low, &high))
        wp_text_add(&reason, "the filters are too long");
    else
        f = wp_factor(&low, &high, WP_FACTOR_STAY, &reason);
    if (!f)
        wp_fail(WP_ERROR_USAGE, "%s cannot be factored (%s)", wavelet->name,
                reason.length ? wp_text_get(&reason) : "not enough memory");
    wp_text_free(&reason);
    return f;
}

bool wp_explain_factoring(const struct wp_wavelet *wavelet, enum wp_explain_format format,
                          struct wp_text *out)
{
    struct wp_factoring *f = wp_explain_factor(wavelet);
    if (f)
        write_factoring(wavelet, f, &(struct writer){out, format});
    const bool ok = f;
    free(f);
    return ok;
}
