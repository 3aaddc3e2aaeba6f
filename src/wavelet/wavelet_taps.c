#include "wavelet_taps.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)WP_FACTOR_STEPS == 2 * WP_MAX_PAIRS &&
                   (int)WP_FACTOR_STEP_TAPS == WP_MAX_TAPS,
               "every factorization is a wavelet");

// to += the step, on filters in samples.
static bool add_step(struct wp_series *to, const struct wp_filter *step,
                     const struct wp_series *from)
{
    for (int i = 0; i < step->count; i++) {
        const struct wp_series tap = {
            .first = 2 * step->tap[i].k, .count = 1, .c = {step->tap[i].c}};
        if (!wp_series_multiply_add(to, 1, &tap, from))
            return false;
    }
    return true;
}

bool wp_wavelet_taps(const struct wp_wavelet *wavelet, struct wp_series *low,
                     struct wp_series *high)
{
    *low = (struct wp_series){.first = 0, .count = 1, .c = {1}};
    *high = (struct wp_series){.first = 1, .count = 1, .c = {1}};
    for (int i = 0; i < wavelet->pairs; i++)
        if (!add_step(high, &wavelet->pair[i].predict, low) ||
            !add_step(low, &wavelet->pair[i].update, high))
            return false;
    wp_series_scale(low, 1 / (wp_real)wavelet->zeta);
    wp_series_scale(high, wavelet->zeta);
    return true;
}

static bool is_near(const struct wp_series *exact, const double *filter, int center)
{
    const double tolerance = 1e-6; // as in wavelet files
    for (int k = -WP_FILTER_CENTER; k <= WP_FILTER_CENTER; k++)
        if (!(fabs((double)wp_series_at(exact, k + center) - filter[k + WP_FILTER_CENTER]) <=
              tolerance))
            return false;
    return true;
}

// Do the filters computed from the steps in double precision agree?
static bool is_exact(const struct wp_wavelet *wavelet, const struct wp_series *low,
                     const struct wp_series *high)
{
    double computed_low[WP_FILTER_SIZE], computed_high[WP_FILTER_SIZE];
    wp_wavelet_filters(wavelet, computed_low, computed_high);
    return is_near(low, computed_low, 0) && is_near(high, computed_high, 1);
}

static struct wp_filter make_filter(const struct wp_series *quotient)
{
    struct wp_filter filter = {0};
    for (int i = 0; i < quotient->count; i++) {
        const double c = (double)quotient->c[i];
        if (c < 0 || c > 0)
            filter.tap[filter.count++] = (struct wp_tap){quotient->first + i, c};
    }
    return filter;
}

void wp_wavelet_set_steps(struct wp_wavelet *wavelet, const struct wp_factoring *factoring)
{
    wavelet->pairs = 0;
    bool open = false; // the last pair has no update yet
    for (int i = 0; i < factoring->divisions; i++) {
        const struct wp_division *division = &factoring->division[i];
        if (division->odd || !open)
            wavelet->pair[wavelet->pairs++] = (struct wp_pair){0};
        struct wp_pair *pair = &wavelet->pair[wavelet->pairs - 1];
        *(division->odd ? &pair->predict : &pair->update) = make_filter(&division->quotient);
        open = division->odd;
    }
    wavelet->zeta = (double)(wp_real_sqrt(2) / factoring->gain);
}

bool wp_wavelet_from_taps(struct wp_wavelet *wavelet, const struct wp_series *low,
                          const struct wp_series *high, enum wp_factor_position position,
                          struct wp_text *why)
{
    struct wp_factoring *factoring = wp_factor(low, high, position, why);
    struct wp_series computed_low, computed_high;
    if (!factoring)
        return false;
    const bool empty = factoring->divisions == 0;
    wp_wavelet_set_steps(wavelet, factoring);
    free(factoring);
    const bool exact = wp_wavelet_taps(wavelet, &computed_low, &computed_high) &&
                       is_exact(wavelet, &computed_low, &computed_high);
    if (empty)
        wp_text_add(why, "the filters have one tap each and transform nothing");
    else if (!exact)
        wp_text_add(why, "the lifting steps are so large that rounding errors exceed the precision "
                         "of the filters");
    return exact && !empty;
}

enum { EXACT_DIGITS = 17 };

static void write_taps(const char *keyword, const struct wp_filter *filter, struct wp_text *out)
{
    if (filter->count == 0)
        return;
    wp_text_add(out, "%-8s", keyword);
    for (int t = 0; t < filter->count; t++) {
        char number[WP_NUMBER_SIZE];
        wp_text_add(out, " %s%d %s", t ? " " : "", filter->tap[t].k,
                    wp_format_number(number, filter->tap[t].c, EXACT_DIGITS));
    }
    wp_text_add(out, "\n");
}

static void write_check(const char *keyword, const struct wp_series *filter, int center,
                        struct wp_text *out)
{
    wp_text_add(out, "%-8s", keyword);
    for (int i = 0; i < filter->count; i++) {
        char number[WP_NUMBER_SIZE];
        const double c = (double)filter->c[i];
        if (fabs(c) > 1e-16)
            wp_text_add(out, " %s%d %s", i ? " " : "", filter->first + i - center,
                        wp_format_number(number, c, EXACT_DIGITS));
    }
    wp_text_add(out, "\n");
}

// The file format limits positions; filters can exceed it although the steps do not.
static bool has_positions(const struct wp_series *filter, int center)
{
    return filter->first - center >= -WP_MAX_REACH &&
           filter->first + filter->count - 1 - center <= WP_MAX_REACH;
}

void wp_wavelet_write(const struct wp_wavelet *wavelet, struct wp_text *out)
{
    char number[WP_NUMBER_SIZE];
    struct wp_series low, high;
    wp_text_add(out, "# %s\n", wavelet->name);
    if (wavelet->title[0])
        wp_text_add(out, "title    %s\n", wavelet->title);
    wp_text_add(out, "source   %s\n\n", wavelet->source[0] ? wavelet->source : wavelet->name);
    for (int i = 0; i < wavelet->pairs; i++) {
        write_taps("predict", &wavelet->pair[i].predict, out);
        write_taps("update", &wavelet->pair[i].update, out);
    }
    wp_text_add(out, "zeta     %s\n", wp_format_number(number, wavelet->zeta, EXACT_DIGITS));
    if (!wp_wavelet_taps(wavelet, &low, &high) || !is_exact(wavelet, &low, &high) ||
        !has_positions(&low, 0) || !has_positions(&high, 1))
        return;
    wp_text_add(out, "\n");
    write_check("lowpass", &low, 0, out);
    write_check("highpass", &high, 1, out);
}

struct wp_taps wp_wavelet_filter_taps(const struct wp_wavelet *wavelet, enum wp_filter_kind kind)
{
    struct wp_taps taps = {0};
    double *filters = wp_allocate(2 * (size_t)WP_FILTER_SIZE, sizeof *filters, "filters");
    if (!filters)
        return taps;
    wp_wavelet_filters(wavelet, filters, filters + WP_FILTER_SIZE);
    // The polyphase matrix has determinant 1, so that its inverse is its adjugate: the synthesis
    // filters are the other band's analysis filters, reversed, with odd taps negated.
    const bool synthesis = kind == WP_SYNTHESIS_LOW || kind == WP_SYNTHESIS_HIGH;
    const bool high = kind == WP_ANALYSIS_HIGH || kind == WP_SYNTHESIS_HIGH;
    const double *from = filters + (high != synthesis ? WP_FILTER_SIZE : 0) + WP_FILTER_CENTER;
    const int sign = synthesis ? -1 : 1;
    const double none = 1e-14; // rounding errors of terms that cancel
    taps.first = -WP_FILTER_CENTER;
    taps.last = WP_FILTER_CENTER;
    while (taps.first < taps.last && fabs(from[sign * taps.first]) < none)
        taps.first++;
    while (taps.last > taps.first && fabs(from[sign * taps.last]) < none)
        taps.last--;
    taps.tap = wp_allocate((size_t)(taps.last - taps.first + 1), sizeof *taps.tap, "taps");
    for (int k = taps.first; taps.tap && k <= taps.last; k++)
        taps.tap[k - taps.first] = synthesis && k % 2 ? -from[sign * k] : from[sign * k];
    free(filters);
    return taps;
}
