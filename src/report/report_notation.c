#include "report_notation.h"

#include "html.h"

static const char *const image_words =
    "An operation is a multiply-add. Matrices, diagrams and calculations use the components of a "
    "quad: ee (even x, even y; becomes LL), oe (odd x, even y; HL), eo (even x, odd y; LH) and oo "
    "(odd x, odd y; HH).";
static const char *const volume_words =
    "An operation is a multiply-add. Matrices, diagrams and calculations use the components of an "
    "octet, with a letter for each of x, y and z: eee (all even; becomes LLL), oee (odd x; HLL), "
    "eoe (odd y; LHL) and ooe (odd x and y; HHL) of its even slice; eeo (LLH), oeo (HLH), eoo "
    "(LHH) and ooo (HHH) of its odd slice.";

static void add_labels(const struct wp_explain_params *params, struct wp_text *out)
{
    wp_text_add(out, "<p>In the labels of passes T %s; H is along rows, V along columns%s. "
                     "P<sub>0</sub> and U<sub>0</sub> are the constant terms of P and U, which "
                     "need no barrier; P<sub>1</sub> and U<sub>1</sub> are the other terms. (k) is "
                     "the number of the lifting pair. The factors of a pass apply from right to "
                     "left.</p>\n",
                params->direction == WP_INVERSE ? "inverts an update step and S a predict step"
                                                : "is a predict step and S an update step",
                wp_explain_dims(params) == 3 ? ", D across slices" : "");
}

static bool reads_neighbors(const struct wp_filter *filter)
{
    for (int t = 0; t < filter->count; t++)
        if (filter->tap[t].k)
            return true;
    return false;
}

// Adds the first predict step in powers of z with this page's sign, or that of textbooks.
static void add_predict(const struct wp_wavelet *wavelet, bool textbook, struct wp_text *out)
{
    const struct wp_filter *filter = &wavelet->pair[0].predict;
    struct wp_poly poly = {0};
    for (int t = 0; t < filter->count; t++) {
        const int k = filter->tap[t].k;
        struct wp_poly term =
            wp_poly_monomial(&(struct wp_term){{textbook ? -k : k}, filter->tap[t].c});
        struct wp_poly sum = wp_poly_add(&poly, &term);
        wp_poly_free(&term);
        wp_poly_free(&poly);
        poly = sum;
    }
    wp_html_poly(out, &poly);
    wp_poly_free(&poly);
}

static void add_convention(const struct wp_explain_params *params, struct wp_text *out)
{
    const int dims = wp_explain_dims(params);
    const char *group = wp_explain_vocabulary(dims)->group;
    wp_text_add(out, "<p><strong>Powers of z.</strong> z<sub>m</sub><sup>\u2212k</sup> reads the "
                     "%s k to the right, z<sub>n</sub><sup>\u2212k</sup> the %s k below%s: "
                     "z<sup>\u2212k</sup> stands for x[n+k], as in Barina et al. 2017. Textbooks "
                     "use the opposite sign: their X(z) = \u03a3 x[n] z<sup>\u2212n</sup> makes "
                     "z<sup>\u2212k</sup> a delay, x[n\u2212k], and x[n+k] is z<sup>k</sup>. For "
                     "the textbook form replace z by z<sup>\u22121</sup>.",
                group, group,
                dims == 3 ? ", z<sub>o</sub><sup>\u2212k</sup> the octet k behind" : "");
    if (reads_neighbors(&params->wavelet->pair[0].predict)) {
        wp_text_add(out, " The first predict step of ");
        wp_html_text(out, params->wavelet->name);
        wp_text_add(out, " is ");
        add_predict(params->wavelet, false, out);
        wp_text_add(out, " here and ");
        add_predict(params->wavelet, true, out);
        wp_text_add(out, " in textbooks.");
    }
    wp_text_add(out, "</p>\n");
}

void wp_report_notation(const struct wp_explain_params *params, bool convention,
                        struct wp_text *out)
{
    wp_html_element(out, "p", wp_explain_dims(params) == 3 ? volume_words : image_words);
    add_labels(params, out);
    if (convention)
        add_convention(params, out);
}
