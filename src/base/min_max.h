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

#endif
