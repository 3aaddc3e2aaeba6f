#include "factor.h"

#include "memory.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

// Tolerance of the determinant, relative to a monomial, for perfect reconstruction with taps that
// are given with few digits.
static const double INEXACT = 1e-6;

// Rounding errors of sums that should be 0, relative to their terms, with 113 bits.
static const double NOISE = 1e-20;

struct wp_series wp_factor_high(const struct wp_series *dual)
{
    struct wp_series high = {.first = 2 - dual->first - dual->count, .count = dual->count};
    for (int i = 0; i < high.count; i++) {
        const wp_real c = dual->c[dual->count - 1 - i];
        high.c[i] = (high.first + i) % 2 ? c : -c;
    }
    return high;
}

// Checks a filter and removes zeros at its ends.
static bool check_taps(struct wp_series *filter, const char *name, struct wp_text *why)
{
    for (int i = 0; i < filter->count; i++)
        if (!isfinite((double)filter->c[i])) {
            wp_text_add(why, "a tap of the %s filter is not a finite number", name);
            return false;
        }
    wp_series_trim(filter, 1e-30 * wp_series_largest(filter));
    const int end = filter->first + filter->count;
    if (filter->count == 0)
        wp_text_add(why, "all taps of the %s filter are zero", name);
    else if (filter->count > WP_FACTOR_TAPS)
        wp_text_add(why, "the %s filter has %d taps (at most %d are supported)", name,
                    filter->count, WP_FACTOR_TAPS);
    else if (filter->first < -WP_FACTOR_REACH || end > WP_FACTOR_REACH + 1)
        wp_text_add(why, "positions of the %s filter are out of range (from %d to %d)", name,
                    -WP_FACTOR_REACH, WP_FACTOR_REACH);
    return why->length == 0;
}

static int floor_half(int k)
{
    return k >= 0 ? k / 2 : -((1 - k) / 2);
}

static void split(const struct wp_series *filter, struct wp_series half[2])
{
    half[0] = half[1] = (struct wp_series){0};
    for (int i = 0; i < filter->count; i++) {
        const int k = filter->first + i, m = floor_half(k);
        wp_series_add(&half[k - 2 * m], m, filter->c[i]);
    }
}

// Are the taps at k and at twice_center - k equal up to `noise`? If so, makes them equal.
static bool is_symmetric(struct wp_series *filter, int twice_center, wp_real noise)
{
    struct wp_series even = *filter;
    const int last = filter->first + filter->count - 1;
    if (filter->first + last != twice_center)
        return false;
    for (int i = 0; i < filter->count; i++) {
        const wp_real mirrored = filter->c[filter->count - 1 - i];
        if (wp_real_abs(filter->c[i] - mirrored) > noise)
            return false;
        even.c[i] = (filter->c[i] + mirrored) / 2;
    }
    *filter = even;
    return true;
}

// The second largest coefficient of the determinant relative to the largest; `at` is the latter's
// position.
static wp_real deviation(const struct wp_series *determinant, int *at)
{
    const wp_real largest = wp_series_largest(determinant);
    wp_real second = 0;
    bool found = false;
    for (int i = 0; i < determinant->count; i++) {
        const wp_real size = wp_real_abs(determinant->c[i]);
        if (!found && size >= largest) {
            found = true;
            *at = determinant->first + i;
        } else if (size > second) {
            second = size;
        }
    }
    return second / largest;
}

static bool reject_determinant(const struct wp_series *determinant, struct wp_text *why)
{
    struct wp_series shown = *determinant;
    wp_series_trim(&shown, 1e-12 * wp_series_largest(determinant));
    wp_text_add(why, "no perfect reconstruction: the determinant must be a single term, and is ");
    wp_series_write(why, &shown, 6);
    return false;
}

static bool set_determinant(struct wp_factoring *f, const struct wp_series *low,
                            const struct wp_series *high, struct wp_text *why)
{
    split(low, f->bank.low);
    split(high, f->bank.high);
    const wp_real size = wp_series_largest(low) * wp_series_largest(high);
    if (!wp_series_multiply_add(&f->determinant, 1, &f->bank.low[0], &f->bank.high[1]) ||
        !wp_series_multiply_add(&f->determinant, -1, &f->bank.low[1], &f->bank.high[0])) {
        wp_text_add(why, "the positions of the filters are too far apart");
        return false;
    }
    wp_series_trim(&f->determinant, 1e-25 * size);
    if (wp_series_largest(&f->determinant) <= INEXACT * size) {
        f->determinant.count = 0;
        return reject_determinant(&f->determinant, why);
    }
    return true;
}

// Scales the filters, moves the high-pass filter, and sets the threshold *noise for zeros.
static bool normalize(struct wp_factoring *f, struct wp_series *low, struct wp_series *high,
                      enum wp_factor_position position, wp_real *noise, struct wp_text *why)
{
    const wp_real sum = wp_series_sum(low);
    wp_real sizes = 0;
    for (int i = 0; i < low->count; i++)
        sizes += wp_real_abs(low->c[i]);
    if (!set_determinant(f, low, high, why))
        return false;
    if (wp_real_abs(sum) <= INEXACT * sizes) {
        wp_text_add(why, "the gain of the low-pass filter at DC is 0 (are the filters exchanged?)");
        return false;
    }
    int at = 0;
    const wp_real inexact = deviation(&f->determinant, &at);
    if (inexact > INEXACT)
        return reject_determinant(&f->determinant, why);
    if (at && position == WP_FACTOR_STAY) {
        wp_text_add(why, "the high-pass filter is %d samples too far to the %s", 2 * abs(at),
                    at > 0 ? "right" : "left");
        return false;
    }
    *noise = inexact * 64 > NOISE ? inexact * 64 : (wp_real)NOISE;
    f->moved = -at;
    f->low_scale = wp_real_sqrt(2) / sum;
    f->high_scale = 1 / (f->low_scale * wp_series_at(&f->determinant, at));
    high->first -= 2 * at;
    wp_series_scale(low, f->low_scale);
    wp_series_scale(high, f->high_scale);
    f->symmetric = is_symmetric(low, 0, *noise) && is_symmetric(high, 2, *noise);
    split(low, f->bank.low);
    split(high, f->bank.high);
    return true;
}

static void record(struct wp_factoring *f, const struct wp_state *state,
                   const struct wp_series *band, bool of_high, bool odd)
{
    struct wp_division *d = &f->division[f->divisions++];
    d->of_high = of_high != state->path.exchanged;
    d->odd = odd != state->path.exchanged;
    d->dividend = band[!odd];
    d->divisor = band[odd];
}

static void copy_growth(const struct wp_path *path, double growth[WP_FACTOR_AXES][2])
{
    for (int axes = 0; axes < WP_FACTOR_AXES; axes++)
        for (int direction = 0; direction < 2; direction++)
            growth[axes][direction] = sqrt(path->growth[axes][direction]);
}

// Repeats the divisions of a path and records them.
static void replay(struct wp_factoring *f, const struct wp_path *path, struct wp_state *state,
                   wp_real noise)
{
    wp_state_start(state, &f->bank, path->exchanged);
    for (int i = 0; i < path->choices; i++) {
        const bool odd = path->choice[i].odd;
        record(f, state, state->bank.low, false, odd);
        struct wp_division *d = &f->division[i];
        wp_divide(&d->dividend, &d->divisor, &path->choice[i], noise, &d->quotient, &d->remainder);
        wp_state_step(state, odd, &d->quotient, noise);
        state->bank.low[!odd] = d->remainder;
    }
    struct wp_series quotient;
    wp_divide_last(state, noise, &quotient);
    if (quotient.count) {
        record(f, state, state->bank.high, true, true);
        f->division[f->divisions - 1].quotient = quotient;
    }
    f->gain = path->exchanged ? 1 / state->bank.low[0].c[0] : state->bank.low[0].c[0];
    copy_growth(path, f->growth);
}

// The maximum difference between the filters and those computed from the steps.
static wp_real difference(const struct wp_factoring *f, struct wp_state *state)
{
    const struct wp_series one = {.count = 1, .c = {1}};
    struct wp_series(*signal)[2] = state->signal;
    wp_state_start(state, &(struct wp_filter_bank){{one}, {{0}, one}}, false);
    for (int i = 0; i < f->divisions; i++)
        for (int j = 0; j < 2; j++)
            wp_series_multiply_add(&signal[f->division[i].odd][j], 1, &f->division[i].quotient,
                                   &signal[!f->division[i].odd][j]);
    wp_real worst = 0;
    for (int j = 0; j < 2; j++) {
        wp_series_scale(&signal[0][j], -f->gain);
        wp_series_scale(&signal[1][j], -1 / f->gain);
        wp_series_multiply_add(&signal[0][j], 1, &one, &f->bank.low[j]);
        wp_series_multiply_add(&signal[1][j], 1, &one, &f->bank.high[j]);
        for (int band = 0; band < 2; band++) {
            const wp_real residual = wp_series_largest(&signal[band][j]);
            worst = residual > worst ? residual : worst;
        }
    }
    return worst;
}

static bool factor(struct wp_factoring *f, const struct wp_series *low,
                   const struct wp_series *high, enum wp_factor_position position,
                   struct wp_state *state, struct wp_text *why)
{
    wp_real noise = 0;
    struct wp_series pair[2] = {*low, *high};
    if (!check_taps(&pair[0], "low-pass", why) || !check_taps(&pair[1], "high-pass", why) ||
        !normalize(f, &pair[0], &pair[1], position, &noise, why))
        return false;
    struct wp_path path = {0};
    f->found = wp_search(&f->bank, f->symmetric, noise, &path);
    if (f->found < 0)
        return false;
    if (f->found == 0) {
        wp_text_add(why, "no lifting steps were found (at most %d with at most %d taps; the "
                         "low-pass filter has to reach sample 0)", WP_FACTOR_STEPS,
                    WP_FACTOR_STEP_TAPS);
        return false;
    }
    replay(f, &path, state, noise);
    if (difference(f, state) <= INEXACT)
        return true;
    wp_text_add(why, "the taps have too few digits: the filters of the lifting steps differ by "
                     "more than 1e-6");
    return false;
}

struct wp_factoring *wp_factor(const struct wp_series *low, const struct wp_series *high,
                               enum wp_factor_position position, struct wp_text *why)
{
    struct wp_factoring *f = wp_try_allocate(1, sizeof *f);
    struct wp_state *state = wp_try_allocate(1, sizeof *state);
    const bool done = f && state && factor(f, low, high, position, state, why);
    free(state);
    if (!done) {
        free(f);
        f = NULL;
    }
    return f;
}

bool wp_factor_growth(const struct wp_series *low, const struct wp_series *high, int steps,
                      const struct wp_factor_step *step, double growth[WP_FACTOR_AXES][2])
{
    struct wp_filter_bank bank;
    struct wp_state state;
    split(low, bank.low);
    split(high, bank.high);
    // A gain of one band reduces its errors and increases those of the other, so both are scaled to
    // the normalization in which the low-pass gain at DC is sqrt(2).
    for (int odd = 0; odd < 2; odd++) {
        wp_series_scale(&bank.low[odd], wp_real_sqrt(2));
        wp_series_scale(&bank.high[odd], 1 / wp_real_sqrt(2));
    }
    wp_state_start(&state, &bank, false);
    for (int i = 0; i < steps; i++)
        if (step[i].filter.count && !wp_state_step(&state, step[i].odd, &step[i].filter, NOISE))
            return false;
    copy_growth(&state.path, growth);
    return true;
}
