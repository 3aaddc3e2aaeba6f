#include "random.h"

#include <math.h>

struct wp_random wp_random_of(unsigned long long seed)
{
    return (struct wp_random){seed};
}

uint64_t wp_random_bits(struct wp_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

double wp_random_uniform(struct wp_random *random)
{
    return (double)(wp_random_bits(random) >> 11) * 0x1p-53;
}

// The bias of the product is below the resolution of 53 bits.
size_t wp_random_below(struct wp_random *random, size_t end)
{
    return (size_t)(wp_random_uniform(random) * (double)end);
}

void wp_random_normal(struct wp_random *random, double value[2])
{
    const double radius = sqrt(-2 * log(1 - wp_random_uniform(random)));
    const double angle = 2 * acos(-1) * wp_random_uniform(random);
    value[0] = radius * cos(angle);
    value[1] = radius * sin(angle);
}
