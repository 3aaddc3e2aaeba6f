// Chains for lifting programs: of pairs, whose intermediate values stay in
// registers, and of steps.
#include "cpu_chain.h"

#include <string.h>

// ---- pairs ----

// Converts a filter with taps only at k0 and k0 + 1. False for others.
static bool is_pair(const struct wp_filter *filter, int k0, wp_real c[2])
{
    c[0] = c[1] = 0;
    for (int t = 0; t < filter->count; t++) {
        if (filter->tap[t].k != k0 && filter->tap[t].k != k0 + 1)
            return false;
        c[filter->tap[t].k - k0] = (wp_real)filter->tap[t].c;
    }
    return true;
}

// Finds integer steps with the chain's taps, which determine the rounding of
// wp_lifting_step.
static bool find_integer_steps(const struct wp_cpu_chain *chain, enum wp_cpu_integer_steps *steps)
{
    static const wp_real taps[][2][4] = {
        [WP_CPU_INTEGER_HAAR] = {{-1, 0, 0, 0.5F}, {0, -0.5F, 1, 0}},
        [WP_CPU_INTEGER_53] = {{-0.5F, -0.5F, 0.25F, 0.25F}, {-0.25F, -0.25F, 0.5F, 0.5F}},
    };
    for (*steps = WP_CPU_INTEGER_HAAR; *steps <= WP_CPU_INTEGER_53; (*steps)++)
        if (chain->pairs == 1 &&
            memcmp(chain->c[0], taps[*steps][chain->mirrored], sizeof chain->c[0]) == 0)
            return true;
    return false;
}

static bool set_pairs(struct wp_cpu_chain *chain, const struct wp_lifting *lifting)
{
    const int pairs = lifting->steps / 2;
    if (pairs > WP_CPU_CHAIN_PAIRS)
        return false;
    // A step on odd samples reads even ones at 0 and 1; one on even samples odd
    // ones at -1, 0.
    for (int s = 0; s < lifting->steps; s++)
        if (!is_pair(&lifting->step[s].filter, lifting->step[s].odd ? 0 : -1,
                     &chain->c[s / 2][s % 2 * 2]))
            return false;
    chain->pairs = chain->before = chain->lag = pairs;
    chain->mirrored = !lifting->step[0].odd;
    chain->below = !chain->mirrored;
    chain->above = chain->mirrored;
    chain->state = 2 * pairs;
    return !lifting->reversible ||
           (WP_CPU_CHAIN_INTEGERS && find_integer_steps(chain, &chain->integer));
}

// ---- steps ----

#ifndef WP_CPU_SMALL

// Steps without taps at both ends are left out.
static bool set_steps(struct wp_cpu_chain *chain, const struct wp_lifting *lifting)
{
    int first = 0, end = lifting->steps;
    while (first < end && lifting->step[first].filter.count == 0)
        first++;
    while (end > first && lifting->step[end - 1].filter.count == 0)
        end--;
    if (lifting->reversible || end - first < WP_CPU_CHAIN_STEPS_MIN ||
        end - first > WP_CPU_CHAIN_STEPS)
        return false;
    chain->odd = lifting->step[first].odd;
    for (int s = first; s < end; s++) {
        const bool odd = lifting->step[s].odd;
        if (!is_pair(&lifting->step[s].filter, odd ? 0 : -1, chain->step[chain->steps++]))
            return false;
        // An odd target reads the even sample after it; an even one the odd sample
        // before it.
        *(odd ? &chain->lag : &chain->before) += 1;
    }
    chain->below = chain->odd;
    chain->state = chain->steps;
    return true;
}

#endif

struct wp_cpu_chain wp_cpu_chain_make(const struct wp_lifting *lifting)
{
    struct wp_cpu_chain chain = {0};
    if (set_pairs(&chain, lifting))
        return chain;
    chain = (struct wp_cpu_chain){0};
#ifndef WP_CPU_SMALL
    if (set_steps(&chain, lifting))
        return chain;
#endif
    return (struct wp_cpu_chain){0};
}
