#include "wavelet_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILTER(...)                                                             \
    {                                                                           \
        .count = (int)(sizeof((const struct wp_tap[]){__VA_ARGS__}) /           \
                       sizeof(struct wp_tap)),                                  \
        .tap = {__VA_ARGS__}                                                    \
    }

static const struct wp_wavelet haar = {
    .name = "haar",
    .title = "Haar, 2/2 taps",
    .aliases = "db1 bior1.1 rbio1.1",
    .source = "A. Haar, Zur Theorie der orthogonalen Funktionensysteme, 1910; "
              "lifting: Daubechies & Sweldens 1998, section 7.1",
    .pairs = 1,
    .pair = {{FILTER({0, -1.0}), FILTER({0, 1.0 / 2})}},
    .zeta = 1,
    .symmetry = WP_SYMMETRY_LOCAL,
    .window = 2,
};

static const struct wp_wavelet cdf53 = {
    .name = "cdf53",
    .title = "Cohen-Daubechies-Feauveau 5/3 (LeGall), JPEG 2000's reversible filter",
    .aliases = "5/3 bior2.2 legall",
    .source = "D. Le Gall & A. Tabatabai, ICASSP 1988; ISO/IEC 15444-1, Annex F",
    .pairs = 1,
    .pair = {{FILTER({0, -1.0 / 2}, {1, -1.0 / 2}), FILTER({-1, 1.0 / 4}, {0, 1.0 / 4})}},
    .zeta = 1,
    .symmetry = WP_SYMMETRY_WHOLE,
    .window = 6,
};

static const struct wp_wavelet cdf97 = {
    .name = "cdf97",
    .title = "Cohen-Daubechies-Feauveau 9/7, JPEG 2000's irreversible filter",
    .aliases = "9/7 bior4.4",
    .source = "I. Daubechies & W. Sweldens, Factoring wavelet transforms into lifting steps, "
              "1998, section 7.7; ISO/IEC 15444-1, Annex F",
    .pairs = 2,
    .pair = {{FILTER({0, -1.586134342059924}, {1, -1.586134342059924}),
              FILTER({-1, -0.052980118572961}, {0, -0.052980118572961})},
             {FILTER({0, 0.882911075530934}, {1, 0.882911075530934}),
              FILTER({-1, 0.443506852043971}, {0, 0.443506852043971})}},
    .zeta = 1.230174104914001,
    .symmetry = WP_SYMMETRY_WHOLE,
    .window = 10,
};

static const struct wp_wavelet dd137 = {
    .name = "dd137",
    .title = "Deslauriers-Dubuc 13/7, interpolating (4,4)",
    .aliases = "13/7",
    .source = "W. Sweldens, The lifting scheme: a custom-design construction of biorthogonal "
              "wavelets, ACHA 3(2), 1996",
    .pairs = 1,
    .pair = {{FILTER({-1, 1.0 / 16}, {0, -9.0 / 16}, {1, -9.0 / 16}, {2, 1.0 / 16}),
              FILTER({-2, -1.0 / 32}, {-1, 9.0 / 32}, {0, 9.0 / 32}, {1, -1.0 / 32})}},
    .zeta = 1,
    .symmetry = WP_SYMMETRY_WHOLE,
    .window = 14,
};

const struct wp_wavelet *const wp_wavelet_table[] = {&haar, &cdf53, &cdf97, &dd137, NULL};

bool wp_wavelet_has_name(const struct wp_wavelet *wavelet, const char *name)
{
    if (strcmp(wavelet->name, name) == 0)
        return true;
    const size_t length = strlen(name);
    for (const char *at = wavelet->aliases; *at;) {
        const size_t part = strcspn(at, " ");
        if (part == length && memcmp(at, name, length) == 0)
            return true;
        at += part + (at[part] == ' ');
    }
    return false;
}

const struct wp_wavelet *wp_wavelet_built_in(const char *name)
{
    for (int i = 0; wp_wavelet_table[i]; i++)
        if (wp_wavelet_has_name(wp_wavelet_table[i], name))
            return wp_wavelet_table[i];
    return NULL;
}

static const char *check_filter(const struct wp_filter *filter)
{
    if (filter->count < 0 || filter->count > WP_MAX_TAPS)
        return "a filter has too many taps";
    for (int i = 0; i < filter->count; i++) {
        const struct wp_tap tap = filter->tap[i];
        if (tap.k < -WP_MAX_REACH || tap.k > WP_MAX_REACH)
            return "the position of a tap is out of range";
        if (i > 0 && tap.k <= filter->tap[i - 1].k)
            return "taps are not sorted, or one is repeated";
        if (!isfinite(tap.c) || tap.c == 0)
            return "a tap is zero or not finite";
    }
    return NULL;
}

static double filter_sum(const struct wp_filter *filter)
{
    double sum = 0;
    for (int i = 0; i < filter->count; i++)
        sum += filter->tap[i].c;
    return sum;
}

// Are the taps at k and at twice_center - k equal up to rounding?
static bool is_symmetric(const struct wp_filter *filter, int twice_center)
{
    for (int i = 0; i < filter->count; i++) {
        const struct wp_tap a = filter->tap[i], b = filter->tap[filter->count - 1 - i];
        if (a.k + b.k != twice_center || fabs(a.c - b.c) > 1e-12 * fabs(a.c))
            return false;
    }
    return true;
}

static bool is_local(const struct wp_filter *filter)
{
    return filter->count == 0 || (filter->count == 1 && filter->tap[0].k == 0);
}

static enum wp_symmetry find_symmetry(const struct wp_wavelet *wavelet)
{
    bool symmetric = true, local = true;
    for (int i = 0; i < wavelet->pairs; i++) {
        const struct wp_pair *pair = &wavelet->pair[i];
        symmetric = symmetric && is_symmetric(&pair->predict, 1) && is_symmetric(&pair->update, -1);
        local = local && is_local(&pair->predict) && is_local(&pair->update);
    }
    return symmetric ? WP_SYMMETRY_WHOLE : local ? WP_SYMMETRY_LOCAL : WP_SYMMETRY_NONE;
}

static const char *check_gain(const char *band, double gain, double expected, const char *why)
{
    // Negated comparison: fails for NaN.
    if (fabs(gain - expected) <= 1e-6)
        return NULL;
    static _Thread_local char reason[128];
    char number[WP_NUMBER_SIZE];
    snprintf(reason, sizeof reason, "the %s gain at DC is %s, not %.0f (%s)", band,
             wp_format_number(number, gain, 6), expected, why);
    return reason;
}

// to[j] += sum over the taps of c * from[j - 2k]: a step on filters in samples. The arrays are
// large enough: a pair extends the low-pass filter by at most 4 * WP_MAX_REACH. All taps of `from`
// are at most *reach from the center, which becomes that of `to`.
static void add_step(double to[WP_FILTER_SIZE], const struct wp_filter *filter,
                     const double from[WP_FILTER_SIZE], int *reach)
{
    int most = 0;
    for (int i = 0; i < filter->count; i++) {
        const int shift = 2 * filter->tap[i].k, distance = abs(shift);
        const int center = WP_FILTER_CENTER + shift, end = center + *reach + 1;
        for (int j = center > *reach ? center - *reach : 0; j < end && j < WP_FILTER_SIZE; j++)
            to[j] += filter->tap[i].c * from[j - shift];
        most = distance > most ? distance : most;
    }
    *reach += most;
}

void wp_wavelet_filters(const struct wp_wavelet *wavelet, double low[WP_FILTER_SIZE],
                        double high[WP_FILTER_SIZE])
{
    memset(low, 0, WP_FILTER_SIZE * sizeof *low);
    memset(high, 0, WP_FILTER_SIZE * sizeof *high);
    // Until the end both filters are relative to sample 2n.
    low[WP_FILTER_CENTER] = 1;
    high[WP_FILTER_CENTER + 1] = 1;
    int reach = 1;
    for (int i = 0; i < wavelet->pairs; i++) {
        add_step(high, &wavelet->pair[i].predict, low, &reach);
        add_step(low, &wavelet->pair[i].update, high, &reach);
    }
    for (int j = 0; j < WP_FILTER_SIZE; j++) {
        low[j] /= wavelet->zeta;
        high[j] = j + 1 < WP_FILTER_SIZE ? high[j + 1] * wavelet->zeta : 0;
    }
}

// Widens the range until it contains all taps of a filter, which is relative to sample `origin`.
static void contain(const double filter[WP_FILTER_SIZE], int origin, int range[2])
{
    const double none = 1e-12; // rounding errors of terms that cancel
    for (int j = 0; j < WP_FILTER_SIZE; j++) {
        const int k = j - WP_FILTER_CENTER + origin;
        if (fabs(filter[j]) > none && k < range[0])
            range[0] = k;
        if (fabs(filter[j]) > none && k > range[1])
            range[1] = k;
    }
}

static int find_window(const struct wp_wavelet *wavelet)
{
    double low[WP_FILTER_SIZE], high[WP_FILTER_SIZE];
    int range[2] = {0, 1};
    wp_wavelet_filters(wavelet, low, high);
    contain(low, 0, range);
    contain(high, 1, range);
    return 2 * (1 - range[0] > range[1] ? 1 - range[0] : range[1]);
}

const char *wp_wavelet_finish(struct wp_wavelet *wavelet)
{
    if (wavelet->pairs < 1 || wavelet->pairs > WP_MAX_PAIRS)
        return "the number of lifting pairs is out of range";
    if (!isfinite(wavelet->zeta) || wavelet->zeta == 0)
        return "zeta is 0 or not finite";
    // A constant signal has constant bands, so each step is applied to one number per band.
    double low = 1, high = 1;
    for (int i = 0; i < wavelet->pairs; i++) {
        const struct wp_pair *pair = &wavelet->pair[i];
        const char *reason = check_filter(&pair->predict);
        if (!reason)
            reason = check_filter(&pair->update);
        if (reason)
            return reason;
        high += filter_sum(&pair->predict) * low;
        low += filter_sum(&pair->update) * high;
    }
    wavelet->symmetry = find_symmetry(wavelet);
    wavelet->window = find_window(wavelet);
    const char *reason = check_gain("high-pass", high * wavelet->zeta, 0, "a wrong tap");
    if (!reason)
        reason = check_gain("low-pass", low / wavelet->zeta, 1, "wrong zeta or a wrong tap");
    return reason;
}

static bool same_filter(const struct wp_filter *a, const struct wp_filter *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = a->tap[i].k == b->tap[i].k && a->tap[i].c == b->tap[i].c;
    return same;
}

bool wp_wavelet_same_steps(const struct wp_wavelet *a, const struct wp_wavelet *b)
{
    bool same = a->pairs == b->pairs && a->zeta == b->zeta;
    for (int i = 0; same && i < 2 * a->pairs; i++)
        same = same_filter(wp_wavelet_step(a, i), wp_wavelet_step(b, i));
    return same;
}
