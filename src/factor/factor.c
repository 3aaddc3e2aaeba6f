#include "factor.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

struct wp_path {
    bool exchanged; // low and high, even and odd are exchanged: divisions of the high-pass filter
    int choices;
    struct wp_factor_choice choice[WP_FACTOR_STEPS - 1]; // the final division of the other band
                                                         // has no choice
    int steps;
    double growth[WP_FACTOR_AXES][2]; // squares
};

// A state of the search.
struct wp_state {
    struct wp_filter_bank bank;      // remaining filters, applied to the current signals
    struct wp_series signal[2][2];   // current signals: [even, odd] of the [even, odd] samples
    struct wp_path path;
};

// ---- search ----

// Beam search: at each depth the best WIDTH states are expanded, but at most ALIKE of those whose
// polynomials have terms at the same positions, since these often differ only by a factor.
enum { WIDTH = 256, ALIKE = 8 };

static void state_start(struct wp_state *state, const struct wp_filter_bank *bank, bool exchanged)
{
    *state = (struct wp_state){.path.exchanged = exchanged};
    for (int i = 0; i < 2; i++) {
        state->bank.low[i] = exchanged ? bank->high[!i] : bank->low[i];
        state->bank.high[i] = exchanged ? bank->low[!i] : bank->high[i];
        state->signal[i][i] = (struct wp_series){.count = 1, .c = {1}};
    }
}

// Eliminates the coefficient at k with coefficient `end` of the divisor.
static bool eliminate(struct wp_series *remainder, int k, const struct wp_series *divisor, int end,
                      struct wp_series *quotient)
{
    const struct wp_series term = {.first = k - divisor->first - end, .count = 1,
                                   .c = {wp_series_at(remainder, k) / divisor->c[end]}};
    return wp_series_add(quotient, term.first, term.c[0]) &&
           wp_series_multiply_add(remainder, -1, &term, divisor);
}

bool wp_divide(const struct wp_series *dividend, const struct wp_series *divisor,
               const struct wp_factor_choice *choice, wp_real noise, struct wp_series *quotient,
               struct wp_series *remainder)
{
    const int first = dividend->first, last = first + dividend->count - 1;
    *quotient = (struct wp_series){0};
    *remainder = *dividend;
    for (int i = 0; i < choice->left; i++)
        if (!eliminate(remainder, first + i, divisor, 0, quotient))
            return false;
    for (int i = 0; i < choice->right; i++)
        if (!eliminate(remainder, last - i, divisor, divisor->count - 1, quotient))
            return false;
    // Eliminated coefficients are 0 up to rounding.
    const wp_real size = wp_series_largest(dividend) +
                         wp_series_largest(quotient) * wp_series_largest(divisor);
    wp_series_trim(quotient, noise * wp_series_largest(quotient));
    wp_series_trim(remainder, noise * size);
    return quotient->count > 0;
}

// The final division, of the second band by a monomial.
static bool divide_last(const struct wp_state *state, wp_real noise, struct wp_series *quotient)
{
    const struct wp_series *monomial = &state->bank.high[1];
    if (monomial->count != 1 || monomial->first != 0)
        return false;
    *quotient = state->bank.high[0];
    wp_series_scale(quotient, 1 / monomial->c[0]);
    wp_series_trim(quotient, noise * wp_series_largest(quotient));
    return quotient->count <= WP_FACTOR_STEP_TAPS;
}

static double power_of(const struct wp_series *a, const struct wp_series *b)
{
    return wp_series_power(a) + wp_series_power(b);
}

// The power of a signal for samples in 0..1, relative to that of the samples, which have mean 1/2
// and variance 1/12.
static double size_of(const struct wp_series signal[2])
{
    const double sum = (double)(wp_series_sum(&signal[0]) + wp_series_sum(&signal[1]));
    return (power_of(&signal[0], &signal[1]) + 3 * sum * sum) / 4;
}

// The amplification of errors of a signal's values: forward, to coefficients, by the remaining
// filters; inverse, to samples, by the previous steps, whose inverse has the entries of their
// matrix (its determinant is 1).
static double amplification_of(const struct wp_state *state, enum wp_factor_direction direction,
                               bool odd)
{
    const struct wp_series(*signal)[2] = state->signal;
    return direction == WP_FACTOR_FORWARD
               ? power_of(&state->bank.low[odd], &state->bank.high[odd])
               : power_of(&signal[!odd][0], &signal[!odd][1]);
}

// Adds the rounding error of a step's result: forward the value after the step, inverse that
// before. If several axes are transformed before scaling, the signals and the error amplification
// of the other axes are factors.
static void add_growth(struct wp_state *state, enum wp_factor_direction direction, bool odd)
{
    const double part[2] = {size_of(state->signal[0]) * amplification_of(state, direction, false),
                            size_of(state->signal[1]) * amplification_of(state, direction, true)};
    double others = 1;
    for (int axes = 1; axes <= WP_FACTOR_AXES; axes++) {
        state->path.growth[axes - 1][direction] += axes * part[odd] * others;
        others *= part[0] + part[1];
    }
}

// Applies a lifting step and adds its growth. False if the polynomials are too long.
static bool state_step(struct wp_state *state, bool odd, const struct wp_series *quotient,
                       wp_real noise)
{
    struct wp_series *low = state->bank.low, *high = state->bank.high;
    struct wp_series(*signal)[2] = state->signal;
    add_growth(state, WP_FACTOR_INVERSE, odd);
    const wp_real size[2] = {wp_series_largest(&low[!odd]), wp_series_largest(&high[!odd])};
    for (int i = 0; i < 2; i++)
        if (!wp_series_multiply_add(&signal[odd][i], 1, quotient, &signal[!odd][i]))
            return false;
    if (!wp_series_multiply_add(&low[!odd], -1, quotient, &low[odd]) ||
        !wp_series_multiply_add(&high[!odd], -1, quotient, &high[odd]))
        return false;
    const wp_real factor = wp_series_largest(quotient);
    state->path.steps++;
    wp_series_trim(&low[!odd], noise * (size[0] + factor * wp_series_largest(&low[odd])));
    wp_series_trim(&high[!odd], noise * (size[1] + factor * wp_series_largest(&high[odd])));
    add_growth(state, WP_FACTOR_FORWARD, odd);
    return true;
}

// For images, whose schemes transform both axes before scaling.
static double growth_of(const struct wp_path *path)
{
    return path->growth[1][WP_FACTOR_FORWARD] + path->growth[1][WP_FACTOR_INVERSE];
}

struct search {
    bool symmetric;
    wp_real noise;
    struct wp_path *best;
    int found;
    // states[0] is the new child, order[] the other states of the next depth, best first.
    struct wp_state *states;
    struct wp_state *order[WIDTH + 1];
    int count;
};

// Is the low-pass filter a multiple of the even sample at position 0?
static bool is_last(const struct wp_state *state)
{
    const struct wp_series *low = state->bank.low;
    return low[1].count == 0 && low[0].count == 1 && low[0].first == 0;
}

// True if `a` is better than `b` by more than rounding errors; if they are equal, if it has fewer
// steps, or as many and begins with a predict step.
static bool is_better(const struct wp_path *a, const struct wp_path *b, int found)
{
    const double more = growth_of(a) - growth_of(b), same = 1e-9 * growth_of(b);
    if (found == 0 || more < -same)
        return true;
    if (more > same || a->steps != b->steps)
        return more <= same && a->steps < b->steps;
    return a->choices > 0 && a->choice[0].odd != a->exchanged &&
           b->choice[0].odd == b->exchanged;
}

static void finish(struct search *search, struct wp_state *state)
{
    struct wp_series quotient;
    if (!divide_last(state, search->noise, &quotient) ||
        (quotient.count && !state_step(state, true, &quotient, search->noise)))
        return;
    if (is_better(&state->path, search->best, search->found))
        *search->best = state->path;
    search->found++;
}

static bool is_alike(const struct wp_state *a, const struct wp_state *b)
{
    for (int i = 0; i < 2; i++)
        if (a->bank.low[i].first != b->bank.low[i].first ||
            a->bank.low[i].count != b->bank.low[i].count)
            return false;
    return true;
}

static void remove_at(struct search *search, int i)
{
    struct wp_state *removed = search->order[i];
    search->count--;
    memmove(search->order + i, search->order + i + 1,
            (size_t)(search->count - i) * sizeof *search->order);
    search->order[search->count] = removed;
}

// Inserts the child. order[] has WIDTH + 1 states, the last of which is the child.
static void insert(struct search *search)
{
    struct wp_state *child = search->order[WIDTH];
    int at = 0, alike = 0, worst = -1;
    for (int i = 0; i < search->count; i++) {
        const bool before = growth_of(&search->order[i]->path) <= growth_of(&child->path);
        at += before;
        if (is_alike(search->order[i], child)) {
            alike++;
            worst = i;
        }
    }
    if (at == WIDTH || (alike == ALIKE && worst < at))
        return;
    if (alike == ALIKE)
        remove_at(search, worst);
    else if (search->count == WIDTH)
        remove_at(search, WIDTH - 1);
    // Swaps the child with an unused state.
    search->order[WIDTH] = search->order[search->count];
    memmove(search->order + at + 1, search->order + at,
            (size_t)(search->count - at) * sizeof *search->order);
    search->order[at] = child;
    search->count++;
}

static void try_choice(struct search *search, const struct wp_state *parent,
                       const struct wp_factor_choice *choice)
{
    struct wp_state *child = search->order[WIDTH];
    *child = *parent;
    struct wp_path *path = &child->path;
    path->choice[path->choices++] = *choice;
    struct wp_series quotient, remainder;
    if (!wp_divide(&parent->bank.low[!choice->odd], &parent->bank.low[choice->odd], choice,
                   search->noise, &quotient, &remainder) ||
        !state_step(child, choice->odd, &quotient, search->noise))
        return;
    child->bank.low[!choice->odd] = remainder;
    const struct wp_series *low = &child->bank.low[0];
    const bool can_end_in_place = low->count && low->first <= 0 && low->first + low->count > 0;
    if (is_last(child))
        finish(search, child);
    else if (can_end_in_place && child->bank.low[1].count &&
             (!search->found || growth_of(path) < growth_of(search->best)))
        insert(search);
}

static void try_all(struct search *search, const struct wp_state *parent)
{
    for (int odd = 1; odd >= 0; odd--) {
        const struct wp_series *low = parent->bank.low;
        const int terms = low[!odd].count - low[odd].count + 1;
        if (low[odd].count == 0 || terms < 1 || terms > WP_FACTOR_STEP_TAPS)
            continue;
        for (int left = 0; left <= terms; left++)
            if (!search->symmetric || 2 * left == terms)
                try_choice(search, parent,
                           &(struct wp_factor_choice){odd != 0, left, terms - left});
    }
}

static void search_from(struct search *search, const struct wp_filter_bank *bank, bool exchanged)
{
    // States of one half are expanded while the other half is filled.
    struct wp_state *half[2] = {search->states, search->states + WIDTH + 1};
    struct wp_state *parents[WIDTH] = {half[0]};
    int count = 1;
    state_start(half[0], bank, exchanged);
    if (is_last(half[0])) {
        finish(search, half[0]);
        return;
    }
    for (int depth = 0; depth + 1 < WP_FACTOR_STEPS && count > 0; depth++) {
        for (int i = 0; i <= WIDTH; i++)
            search->order[i] = &half[(depth + 1) % 2][i];
        search->count = 0;
        for (int i = 0; i < count; i++)
            try_all(search, parents[i]);
        count = search->count;
        memcpy(parents, search->order, (size_t)count * sizeof *parents);
    }
}

// b(1/z) = sign a(z), up to rounding errors of given steps.
static bool is_opposite(const struct wp_series *a, const struct wp_series *b, int sign)
{
    bool same = a->count == b->count && a->first + a->count - 1 == -b->first;
    for (int i = 0; same && i < a->count; i++)
        same = wp_real_abs(a->c[i] - sign * b->c[b->count - 1 - i]) <= 1e-9;
    return same;
}

// If steps have only one tap, as for Haar, both orders are searched, because users see the order.
static bool is_orthogonal(const struct wp_filter_bank *bank)
{
    return bank->low[0].count > 1 && is_opposite(&bank->low[0], &bank->high[1], 1) &&
           is_opposite(&bank->low[1], &bank->high[0], -1);
}

// Returns the number of factorizations that were found; -1 if memory is exhausted.
static int wp_search(const struct wp_filter_bank *bank, bool symmetric, wp_real noise,
                     struct wp_path *best)
{
    struct search search = {.symmetric = symmetric, .noise = noise, .best = best};
    search.states = wp_try_allocate(2 * (WIDTH + 1), sizeof *search.states);
    if (!search.states)
        return -1;
    search_from(&search, bank, false);
    // An orthogonal high-pass filter is the reversed low-pass filter: its factorizations are the
    // same.
    if (symmetric || !is_orthogonal(bank))
        search_from(&search, bank, true);
    free(search.states);
    return search.found;
}

// ---- the factorization ----

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
    state_start(state, &f->bank, path->exchanged);
    for (int i = 0; i < path->choices; i++) {
        const bool odd = path->choice[i].odd;
        record(f, state, state->bank.low, false, odd);
        struct wp_division *d = &f->division[i];
        wp_divide(&d->dividend, &d->divisor, &path->choice[i], noise, &d->quotient, &d->remainder);
        state_step(state, odd, &d->quotient, noise);
        state->bank.low[!odd] = d->remainder;
    }
    struct wp_series quotient;
    divide_last(state, noise, &quotient);
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
    state_start(state, &(struct wp_filter_bank){{one}, {{0}, one}}, false);
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
    state_start(&state, &bank, false);
    for (int i = 0; i < steps; i++)
        if (step[i].filter.count && !state_step(&state, step[i].odd, &step[i].filter, NOISE))
            return false;
    copy_growth(&state.path, growth);
    return true;
}
