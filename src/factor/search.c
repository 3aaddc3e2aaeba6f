#include "search.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

// Beam search: at each depth the best WIDTH states are expanded, but at most ALIKE of those whose
// polynomials have terms at the same positions, since these often differ only by a factor.
enum { WIDTH = 256, ALIKE = 8 };

void wp_state_start(struct wp_state *state, const struct wp_filter_bank *bank, bool exchanged)
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

bool wp_divide_last(const struct wp_state *state, wp_real noise, struct wp_series *quotient)
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

bool wp_state_step(struct wp_state *state, bool odd, const struct wp_series *quotient,
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
    if (!wp_divide_last(state, search->noise, &quotient) ||
        (quotient.count && !wp_state_step(state, true, &quotient, search->noise)))
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
        !wp_state_step(child, choice->odd, &quotient, search->noise))
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
    wp_state_start(half[0], bank, exchanged);
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

int wp_search(const struct wp_filter_bank *bank, bool symmetric, wp_real noise,
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
