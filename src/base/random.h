// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014).
#ifndef WP_RANDOM_H
#define WP_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct wp_random {
    uint64_t state;
};

struct wp_random wp_random_of(unsigned long long seed);

uint64_t wp_random_bits(struct wp_random *random);
double wp_random_uniform(struct wp_random *random);          // 0 <= value < 1
size_t wp_random_below(struct wp_random *random, size_t end); // 0 .. end - 1

// Two independent numbers of the normal distribution with mean 0 and standard deviation 1.
void wp_random_normal(struct wp_random *random, double value[2]);

#endif
