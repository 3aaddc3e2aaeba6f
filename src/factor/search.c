#include "search.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

// States of one depth that are gone on from: the best of all, but no more than ALIKE of those whose
// polynomials stand in the same places, which often differ by a factor only.
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

// Takes away the coefficient at k with the divisor's `end`.
static bool take_away(struct wp_series *remainder, int k, const struct wp_series *divisor, int end,
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
        if (!take_away(remainder, first + i, divisor, 0, quotient))
            return false;
    for (int i = 0; i < choice->right; i++)
        if (!take_away(remainder, last - i, divisor, divisor->count - 1, quotient))
            return false;
    // What was taken away is 0 but for rounding.
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

// The power of a signal that samples in 0..1 make, as multiple of theirs: these have a mean of 1/2
// and a variance of 1/12.
static double size_of(const struct wp_series signal[2])
{
    const double sum = (double)(wp_series_sum(&signal[0]) + wp_series_sum(&signal[1]));
    return (power_of(&signal[0], &signal[1]) + 3 * sum * sum) / 4;
}

// What errors of a signal's values do: forward to coefficients by what is left to do, in the
// inverse to samples by what was done, whose inverse has the entries of its matrix (the determinant
// is 1).
static double reach_of(const struct wp_state *state, enum wp_factor_direction way, bool odd)
{
    const struct wp_series(*signal)[2] = state->signal;
    return way == WP_FACTOR_FORWARD
               ? power_of(&state->bank.low[odd], &state->bank.high[odd])
               : power_of(&signal[!odd][0], &signal[!odd][1]);
}

// The result of a step is rounded, forward as it is after it, in the inverse as it was before.
// Where more axes go together before they are scaled, the other ones' signals make it as many times
// larger or smaller, and so what errors do.
static void add_growth(struct wp_state *state, enum wp_factor_direction way, bool odd)
{
    const double part[2] = {size_of(state->signal[0]) * reach_of(state, way, false),
                            size_of(state->signal[1]) * reach_of(state, way, true)};
    double together = 1;
    for (int axes = 1; axes <= WP_FACTOR_AXES; axes++) {
        state->path.growth[axes - 1][way] += axes * part[odd] * together;
        together *= part[0] + part[1];
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

// Of images, whose schemes take both axes before they scale.
static double growth_of(const struct wp_path *path)
{
    return path->growth[1][WP_FACTOR_FORWARD] + path->growth[1][WP_FACTOR_INVERSE];
}

struct search {
    bool symmetric;
    wp_real noise;
    struct wp_path *best;
    int found;
    // states[0] is the child that is being made, order[] the others of the next depth, best first.
    struct wp_state *states;
    struct wp_state *order[WIDTH + 1];
    int count;
};

// The low-pass is even samples alone, times a number, and in its place.
static bool is_last(const struct wp_state *state)
{
    const struct wp_series *low = state->bank.low;
    return low[1].count == 0 && low[0].count == 1 && low[0].first == 0;
}

// Better by more than rounding, else shorter, else with a predict first, as people write it.
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

// order[] holds WIDTH + 1 states, of which the last is the child's place.
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
    // The child is swapped with a state that is free.
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
    // One half of the states is gone on from while the other one is filled.
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

// b(1/z) = sign a(z), but for the rounding of somebody's steps.
static bool is_opposite(const struct wp_series *a, const struct wp_series *b, int sign)
{
    bool same = a->count == b->count && a->first + a->count - 1 == -b->first;
    for (int i = 0; same && i < a->count; i++)
        same = wp_real_abs(a->c[i] - sign * b->c[b->count - 1 - i]) <= 1e-9;
    return same;
}

// Where there are steps of one tap alone, Haar's, the order is for people: both are looked at.
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
    // An orthogonal high-pass is the low-pass turned round: its factorisations are no others.
    if (symmetric || !is_orthogonal(bank))
        search_from(&search, bank, true);
    free(search.states);
    return search.found;
}
