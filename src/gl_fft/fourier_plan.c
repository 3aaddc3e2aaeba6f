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

static int line_cells(const struct wp_fourier_plan *schedule, bool spread)
{
    return schedule->length + (spread ? schedule->length / WP_FOURIER_SPREAD + 1 : 0);
}

static int divide_up(long long a, int b)
{
    return (int)((a + b - 1) / b);
}

static int largest_radix(const struct wp_fourier_plan *schedule)
{
    int largest = 1;
    for (int i = 0; i < schedule->passes; i++)
        if (!wp_fourier_is_summed(schedule->radix[i]) && schedule->radix[i] > largest)
            largest = schedule->radix[i];
    return largest;
}

static int threads_for(const struct wp_fourier_plan *schedule, int most)
{
    const int threads =
        divide_up((long long)schedule->lines * schedule->length, largest_radix(schedule));
    const int rounded = divide_up(threads, WARP) * WARP;
    return rounded < most ? rounded : most;
}

static void choose_lines(struct wp_fourier_plan *schedule, long long count, int cells_most)
{
    const int cells = line_cells(schedule, schedule->along_x);
    const int most = SAMPLES < cells_most ? SAMPLES : cells_most;
    const int most_lines = schedule->length < SHORT ? LINES_MOST : LINES_ADJACENT;
    const int least = schedule->along_x ? 1 : LINES_LEAST;
    schedule->lines = most_lines;
    while (schedule->lines > 1 &&
           (schedule->lines * cells > most ||
            (schedule->lines > least && count / schedule->lines < GROUPS_TARGET &&
             schedule->lines * schedule->length > 2 * WARP * WP_FOURIER_RADIX)))
        schedule->lines /= 2;
}

bool wp_fourier_plan_make(int length, bool along_x, long long count,
                          const struct wp_fourier_limits *limits, struct wp_fourier_plan *schedule,
                          int *most)
{
    const int cells_most = limits->shared / CELL;
    *schedule = (struct wp_fourier_plan){.length = length, .along_x = along_x};
    *most = cells_most - cells_most / WP_FOURIER_SPREAD - 1;
    if (length > *most)
        return false;
    schedule->passes = factorise(length, schedule->radix);
    choose_lines(schedule, count, cells_most);
    schedule->threads =
        threads_for(schedule, limits->threads < THREADS_MOST ? limits->threads : THREADS_MOST);
    schedule->cells = schedule->lines * line_cells(schedule, along_x);
    if (schedule->cells < schedule->threads) // for sums over a workgroup
        schedule->cells = schedule->threads;
    return true;
}
