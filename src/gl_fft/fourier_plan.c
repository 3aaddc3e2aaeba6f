#include "fourier_plan.h"

enum {
    CELL = 2 * sizeof(float),
    SAMPLES = 2048,      // per workgroup, if a line is not longer
    SHORT = 64,          // length of lines below which a workgroup processes more of them
    THREADS_MOST = 256,
    WARP = 32,
    LINES_MOST = 64,
    LINES_ADJACENT = 16, // 128 bytes, one memory transaction
    LINES_LEAST = 4,         // 32 bytes
    GROUPS_TARGET = 264,     // workgroups that occupy a large device
};

bool wp_fourier_is_summed(int radix)
{
    return radix > WP_FOURIER_RADIX;
}

// Splits 2^exponent into radices of at most 16, about equal.
static int add_twos(int exponent, int *radix)
{
    const int count = (exponent + 3) / 4;
    for (int i = 0; i < count; i++)
        radix[i] = 1 << (exponent / count + (i < exponent % count));
    return count;
}

static int smallest_prime(int n)
{
    for (int p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

// Radices of butterflies first, then primes that are summed up. Those are neither first nor last:
// a pass of radix 1, which only copies, is added if necessary.
static int factorise(int length, int *radix)
{
    int twos = 0, rest = length;
    for (; rest % 2 == 0; rest /= 2)
        twos++;
    int count = add_twos(twos, radix);
    while (rest > 1) {
        const int prime = smallest_prime(rest);
        if (count == 0 && wp_fourier_is_summed(prime))
            radix[count++] = 1;
        radix[count++] = prime;
        rest /= prime;
    }
    if (count == 0 || wp_fourier_is_summed(radix[count - 1]))
        radix[count++] = 1;
    return count;
}

static int line_cells(const struct wp_fourier_plan *plan, bool spread)
{
    return plan->length + (spread ? plan->length / WP_FOURIER_SPREAD + 1 : 0);
}

static int divide_up(long long a, int b)
{
    return (int)((a + b - 1) / b);
}

static int largest_radix(const struct wp_fourier_plan *plan)
{
    int largest = 1;
    for (int i = 0; i < plan->passes; i++)
        if (!wp_fourier_is_summed(plan->radix[i]) && plan->radix[i] > largest)
            largest = plan->radix[i];
    return largest;
}

static int threads_for(const struct wp_fourier_plan *plan, int most)
{
    const int threads = divide_up((long long)plan->lines * plan->length, largest_radix(plan));
    const int rounded = divide_up(threads, WARP) * WARP;
    return rounded < most ? rounded : most;
}

static void choose_lines(struct wp_fourier_plan *plan, long long count, int cells_most)
{
    const int cells = line_cells(plan, plan->along_x);
    const int most = SAMPLES < cells_most ? SAMPLES : cells_most;
    const int most_lines = plan->length < SHORT ? LINES_MOST : LINES_ADJACENT;
    const int least = plan->along_x ? 1 : LINES_LEAST;
    plan->lines = most_lines;
    while (plan->lines > 1 &&
           (plan->lines * cells > most ||
            (plan->lines > least && count / plan->lines < GROUPS_TARGET &&
             plan->lines * plan->length > 2 * WARP * WP_FOURIER_RADIX)))
        plan->lines /= 2;
}

bool wp_fourier_plan_make(int length, bool along_x, long long count,
                          const struct wp_fourier_limits *limits, struct wp_fourier_plan *plan,
                          int *most)
{
    const int cells_most = limits->shared / CELL;
    *plan = (struct wp_fourier_plan){.length = length, .along_x = along_x};
    *most = cells_most - cells_most / WP_FOURIER_SPREAD - 1;
    if (length > *most)
        return false;
    plan->passes = factorise(length, plan->radix);
    choose_lines(plan, count, cells_most);
    plan->threads =
        threads_for(plan, limits->threads < THREADS_MOST ? limits->threads : THREADS_MOST);
    plan->cells = plan->lines * line_cells(plan, along_x);
    if (plan->cells < plan->threads) // for sums over a workgroup
        plan->cells = plan->threads;
    return true;
}
