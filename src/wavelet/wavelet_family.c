// Families of wavelets with the names of PyWavelets and MATLAB, computed from their definitions.
// The positions of their filters are those of PyWavelets with `periodization`: centered at sample
// 2n, or between 2n and 2n+1 if the length is even.
#include "wavelet_internal.h"

#include "log.h"
#include "factor.h"
#include "wavelet_taps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wp_wavelet_family_names[] = {
    "db1", "db2", "db3", "db4", "db5", "db6", "db7", "db8", "db9", "db10", "db11", "db12",
    "db13", "db14", "db15", "db16", "db17", "db18", "db19", "db20", "sym2", "sym3", "sym4",
    "sym5", "sym6", "sym7", "sym8", "sym9", "sym10", "sym11", "sym12", "sym13", "sym14",
    "sym15", "sym16", "sym17", "sym18", "sym19", "sym20", "coif1", "coif2", "coif3", "coif4",
    "coif5", "bior1.1", "bior1.3", "bior1.5", "bior2.2", "bior2.4", "bior2.6", "bior2.8",
    "bior3.1", "bior3.3", "bior3.5", "bior3.7", "bior3.9", "bior4.4", "bior5.5", "bior6.8",
    "rbio1.1", "rbio1.3", "rbio1.5", "rbio2.2", "rbio2.4", "rbio2.6", "rbio2.8", "rbio3.1",
    "rbio3.3", "rbio3.5", "rbio3.7", "rbio3.9", "rbio4.4", "rbio5.5", "rbio6.8", NULL,
};

const struct wp_wavelet_family wp_wavelet_families[] = {
    {"db1 to db20", "Daubechies, orthogonal, extremal phase; N vanishing moments, 2N taps"},
    {"sym2 to sym20", "symlets: the same moments, nearly symmetric"},
    {"coif1 to coif5", "coiflets, orthogonal, 6N taps; moments of both filters vanish"},
    {"bior1.1 to bior6.8", "biorthogonal, symmetric: Cohen, Daubechies, Feauveau"},
    {"rbio1.1 to rbio6.8", "their duals: analysis and synthesis exchanged"},
    {NULL, NULL},
};

// The sets of zeros of symlets outside of the unit circle (factor.h), derived from the taps of
// PyWavelets: those with the most linear phase.
static const int symlet[] = {0,  0,  1,  1,  1,  2,   2,   6,   5,   9,  10,
                             25, 42, 35, 83, 99, 166, 113, 178, 395, 666};

// I. Daubechies, Orthonormal bases of compactly supported wavelets II, SIAM J. Math. Anal. 24,
// 1993; digits from PyWavelets.
static const double coiflet[5][30] = {
    {-0.07273261951252645, 0.33789766245748182, 0.85257202021160039, 0.38486484686485778,
     -0.07273261951252645, -0.015655728135791993},
    {0.016387336463203641, -0.041464936786871777, -0.067372554723725595, 0.38611006682276289,
     0.81272363544941351, 0.41700518442323908, -0.076488599078280761, -0.059434418646431092,
     0.02368017194684777, 0.0056114348193688343, -0.0018232088709110323,
     -0.00072054944552034698},
    {-0.0037935128643808019, 0.0077825964256727463, 0.023452696142077168, -0.065771911281469364,
     -0.061123390002972552, 0.40517690240911824, 0.79377722262608719, 0.42848347637737,
     -0.071799821619154838, -0.082301927106299827, 0.034555027573297738, 0.015880544863669452,
     -0.0090079761367306242, -0.0025745176881367972, 0.0011175187708306303,
     0.00046621695982040288, -7.0983302506379004e-05, -3.4599773197272781e-05},
    {0.00089231390253700297, -0.001629492425226786, -0.0073461679362680507,
     0.016068947131575029, 0.02668230466960483, -0.081266710249193727, -0.056077319603569258,
     0.41530842700068227, 0.78223893442428261, 0.43438603311435653, -0.066627472366817167,
     -0.096220424535952642, 0.039334422605589149, 0.025082253337949612, -0.015211728187697211,
     -0.0056582838001308835, 0.0037514346971460866, 0.0012665610789256603,
     -0.00058902022463321654, -0.00025997433712225682, 6.2338854312787192e-05,
     3.1229861599195265e-05, -3.259647940030751e-06, -1.7849909144933469e-06},
    {-0.000212081862067494, 0.00035857774116175768, 0.0021782943778456947,
     -0.0041593126275786402, -0.010131584846900276, 0.023408322118927783, 0.028169744270532353,
     -0.091921588060086087, -0.052046670253554764, 0.42157126673075435, 0.77429362286032744,
     0.43798230665916338, -0.06203775157498196, -0.10556315130733723, 0.041287530472117834,
     0.032674799467057355, -0.019758391600965465, -0.0091595073386761625, 0.0067615202206204169,
     0.0024315754425382886, -0.0016616273039298788, -0.00063755892612588115,
     0.00030185794166824478, 0.00014035632812373243, -4.1219861924265501e-05,
     -2.1270221672515614e-05, 3.7007277113394796e-06, 2.0612203985788783e-06,
     -1.6237995172048338e-07, -9.6040101127678941e-08},
};

// Zeros at the Nyquist frequency of the dual and of the low-pass filter, and the groups of other
// zeros of the dual. bior5.5, a name of MATLAB, has six and four.
static const struct {
    const char *name;
    int dual, low, groups;
} biorthogonal[] = {
    {"1.1", 1, 1, 0}, {"1.3", 1, 3, 0}, {"1.5", 1, 5, 0}, {"2.2", 2, 2, 0}, {"2.4", 2, 4, 0},
    {"2.6", 2, 6, 0}, {"2.8", 2, 8, 0}, {"3.1", 3, 1, 0}, {"3.3", 3, 3, 0}, {"3.5", 3, 5, 0},
    {"3.7", 3, 7, 0}, {"3.9", 3, 9, 0}, {"4.4", 4, 4, 1}, {"5.5", 6, 4, 1}, {"6.8", 6, 8, 2},
};

static struct wp_series make_coiflet(int number)
{
    struct wp_series low = {.first = 1 - 3 * number, .count = 6 * number};
    for (int i = 0; i < low.count; i++)
        low.c[i] = coiflet[number - 1][i];
    return low;
}

static void describe(struct wp_wavelet *w, const char *title, int taps, int moments,
                     const char *source)
{
    snprintf(w->title, sizeof w->title, "%s, %d taps, %d vanishing moment%s, orthogonal", title,
             taps, moments, WP_PLURAL(moments));
    snprintf(w->source, sizeof w->source, "%s", source);
}

static struct wp_series make_orthogonal(const char *family, int number, struct wp_wavelet *w)
{
    if (strcmp(family, "coif") == 0) {
        describe(w, "Coiflet", 6 * number, 2 * number,
                 "I. Daubechies, Orthonormal bases of compactly supported wavelets II, SIAM J. "
                 "Math. Anal. 24, 1993");
        return make_coiflet(number);
    }
    const bool sym = strcmp(family, "sym") == 0;
    describe(w, sym ? "Symlet" : "Daubechies", 2 * number, number,
             sym ? "I. Daubechies, Ten lectures on wavelets, 1992, section 8.1.1; spectral "
                   "factorization"
                 : "I. Daubechies, Orthonormal bases of compactly supported wavelets, Comm. Pure "
                   "Appl. Math. 41, 1988; spectral factorization");
    return wp_spectral_orthogonal(number, sym ? symlet[number] : WP_SPECTRAL_ALL);
}

static void make_biorthogonal(const char *number, bool dual, struct wp_wavelet *w,
                              struct wp_series *low, struct wp_series *high)
{
    int i = 0;
    while (strcmp(biorthogonal[i].name, number) != 0)
        i++;
    const struct wp_spectral_pair pair = wp_spectral_biorthogonal(
        biorthogonal[i].dual, biorthogonal[i].low, biorthogonal[i].groups);
    *low = dual ? pair.dual : pair.low;
    *high = wp_factor_high(dual ? &pair.low : &pair.dual);
    snprintf(w->title, sizeof w->title, "Cohen-Daubechies-Feauveau, %d and %d taps%s", low->count,
             high->count, dual ? ", dual (analysis and synthesis exchanged)" : "");
    snprintf(w->source, sizeof w->source, "A. Cohen, I. Daubechies & J.-C. Feauveau, Biorthogonal "
             "bases of compactly supported wavelets, Comm. Pure Appl. Math. 45, 1992");
}

bool wp_wavelet_is_of_family(const char *name)
{
    for (int i = 0; wp_wavelet_family_names[i]; i++)
        if (strcmp(name, wp_wavelet_family_names[i]) == 0)
            return true;
    return false;
}

static double sum_of(const struct wp_series *series)
{
    double sum = 0;
    for (int i = 0; i < series->count; i++)
        sum += (double)series->c[i];
    return sum;
}

// Are the taps equal up to a gain and the number of digits that users copy?
static bool has_taps(const struct wp_series *known, const struct wp_series *given, bool reversed)
{
    const double gain = sum_of(known) / sum_of(given);
    for (int i = 0; i < given->count; i++) {
        const int from = reversed ? given->count - 1 - i : i;
        if (!(fabs((double)known->c[i] - gain * (double)given->c[from]) < 1e-5))
            return false;
    }
    return true;
}

const char *wp_wavelet_reversed(const struct wp_series *low)
{
    struct wp_wavelet unused;
    for (int i = 0; wp_wavelet_family_names[i]; i++) {
        const char *const name = wp_wavelet_family_names[i];
        const int letters = (int)strcspn(name, "0123456789"), number = atoi(name + letters);
        char family[8];
        snprintf(family, sizeof family, "%.*s", letters, name);
        // Filters of the other families are symmetric.
        if (low->count != (strcmp(family, "coif") == 0 ? 6 : 2) * number || strstr(family, "bio"))
            continue;
        const struct wp_series known = make_orthogonal(family, number, &unused);
        if (has_taps(&known, low, true) && !has_taps(&known, low, false))
            return name;
    }
    return NULL;
}

bool wp_wavelet_from_family(const char *name, struct wp_wavelet *wavelet)
{
    struct wp_series low, high;
    struct wp_text why = {0};
    char family[8];
    const size_t letters = strcspn(name, "0123456789");
    snprintf(family, sizeof family, "%.*s", (int)letters, name);
    *wavelet = (struct wp_wavelet){0};
    snprintf(wavelet->name, sizeof wavelet->name, "%s", name);
    if (strcmp(family, "bior") == 0 || strcmp(family, "rbio") == 0) {
        make_biorthogonal(name + letters, family[0] == 'r', wavelet, &low, &high);
    } else {
        int number = 0;
        wp_parse_int(name + letters, &number);
        low = make_orthogonal(family, number, wavelet);
        high = wp_factor_high(&low);
    }
    const bool done = wp_wavelet_from_taps(wavelet, &low, &high, WP_FACTOR_STAY, &why);
    const char *reason = done ? wp_wavelet_finish(wavelet) : wp_text_get(&why);
    if (!done && !why.length)
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to factor wavelet '%s'", name);
    else if (reason)
        wp_fail(WP_ERROR_USAGE, "wavelet '%s' cannot be computed (%s)", name, reason);
    wp_text_free(&why);
    return done && !reason;
}
