// XXH3 of 64 bits of samples as they come: quick, and known to other languages under that name. It tells
// files apart that were mixed up; it is no proof against who wants to deceive.
#ifndef WP_SAMPLES_HASH_H
#define WP_SAMPLES_HASH_H

#include <stddef.h>

struct wp_samples_hash;

struct wp_samples_hash *wp_samples_hash_create(void);
void wp_samples_hash_add(struct wp_samples_hash *hash, const float *samples, size_t count);
unsigned long long wp_samples_hash_get(struct wp_samples_hash *hash); // of all so far
// Of a row by itself, which tells by `number` where it belongs.
unsigned long long wp_samples_hash_row(const float *samples, size_t count,
                                       unsigned long long number);
void wp_samples_hash_destroy(struct wp_samples_hash **hash); // accepts NULL, clears the pointer

#endif
