// 64-bit XXH3 of samples, computed incrementally. It detects files that were mixed up, not
// deliberate manipulation.
#ifndef WP_SAMPLES_HASH_H
#define WP_SAMPLES_HASH_H

#include <stddef.h>

struct wp_samples_hash;

struct wp_samples_hash *wp_samples_hash_create(void);
void wp_samples_hash_add(struct wp_samples_hash *hash, const float *samples, size_t count);
unsigned long long wp_samples_hash_get(struct wp_samples_hash *hash); // of all samples so far
// The hash of a single row, seeded with its number.
unsigned long long wp_samples_hash_row(const float *samples, size_t count,
                                       unsigned long long number);
void wp_samples_hash_destroy(struct wp_samples_hash **hash); // accepts NULL, clears the pointer

#endif
