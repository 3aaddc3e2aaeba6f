// The factorization of a wavelet's filters as JSON.
#include "report_factoring.h"

#include "explain_symbols.h"
#include "wavelet_growth.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

// {"first": k, "c": [...]}: c[i] is the coefficient of z^-(k + i).
static json_t *make_series(const struct wp_series *series)
{
    json_t *c = json_array();
    for (int i = 0; i < series->count; i++)
        json_array_append_new(c, json_real((double)series->c[i]));
    return json_pack("{s:i, s:o}", "first", series->count ? series->first : 0, "c", c);
}

static json_t *make_division(const struct wp_division *d)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "band", d->of_high ? "high" : "low",
                     "target", d->odd ? "odd" : "even", "dividend", make_series(&d->dividend),
                     "divisor", make_series(&d->divisor), "quotient", make_series(&d->quotient),
                     "remainder", make_series(&d->remainder));
}

// [one axis, two axes processed together], each [forward, inverse].
static json_t *make_growth(const struct wp_factoring *f)
{
    return json_pack("[[f, f], [f, f]]", f->growth[0][0], f->growth[0][1], f->growth[1][0],
                     f->growth[1][1]);
}

json_t *wp_report_factoring(const struct wp_wavelet *wavelet)
{
    struct wp_factoring *f = wp_explain_factor(wavelet);
    if (!f)
        return NULL;
    json_t *divisions = json_array();
    for (int i = 0; i < f->divisions; i++)
        json_array_append_new(divisions, make_division(&f->division[i]));
    double bound[2];
    for (int axes = 0; axes < 2; axes++)
        bound[axes] = fmax(WP_WAVELET_EXACT,
                           wp_wavelet_error(wavelet, axes + 1, false, WP_WAVELET_EXACT));
    json_t *object = json_pack(
        "{s:s, s:b, s:{s:o, s:o, s:o, s:o}, s:i, s:o, s:[f, f], s:o, s:f, s:f}", "wavelet",
        wavelet->name,
        "symmetric", f->symmetric, "filters", "h_e", make_series(&f->bank.low[0]), "h_o",
        make_series(&f->bank.low[1]), "g_e", make_series(&f->bank.high[0]), "g_o",
        make_series(&f->bank.high[1]), "found", f->found, "growth", make_growth(f), "bound",
        bound[0], bound[1], "divisions", divisions, "gain", (double)f->gain, "zeta",
        (double)(wp_real_sqrt(2) / f->gain));
    free(f);
    return object;
}
