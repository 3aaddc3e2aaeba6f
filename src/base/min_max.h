#ifndef WP_MIN_MAX_H
#define WP_MIN_MAX_H

static inline int wp_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int wp_max(int a, int b)
{
    return a > b ? a : b;
}

// The quotient, rounded up if n >= 0: the number of units that hold n items.
static inline int wp_divide_up(int n, int unit)
{
    return (n + unit - 1) / unit;
}

// n, rounded up to a multiple of the unit if n >= 0.
static inline int wp_round_up(int n, int unit)
{
    return wp_divide_up(n, unit) * unit;
}

#endif
