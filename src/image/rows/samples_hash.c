#include "samples_hash.h"

#include "xmemory.h"

#include <stdint.h>
#include <stdlib.h>

// Compiled as inline functions, without linking libxxhash, and with a state of known size.
#define XXH_INLINE_ALL
#include <xxhash.h>

// The state requires an alignment of 64 bytes, which calloc() does not guarantee.
enum { ALIGNMENT = 64 };
struct wp_samples_hash {
    unsigned char storage[sizeof(XXH3_state_t) + ALIGNMENT - 1];
};

static XXH3_state_t *state_of(struct wp_samples_hash *hash)
{
    const size_t misalignment = (uintptr_t)hash->storage % ALIGNMENT;
    return (void *)(hash->storage + (misalignment ? ALIGNMENT - misalignment : 0));
}

struct wp_samples_hash *wp_samples_hash_create(void)
{
    struct wp_samples_hash *hash = wp_xcalloc(1, sizeof *hash);
    XXH3_64bits_reset(state_of(hash));
    return hash;
}

void wp_samples_hash_add(struct wp_samples_hash *hash, const float *samples, size_t count)
{
    XXH3_64bits_update(state_of(hash), samples, count * sizeof *samples);
}

unsigned long long wp_samples_hash_get(struct wp_samples_hash *hash)
{
    return XXH3_64bits_digest(state_of(hash));
}

unsigned long long wp_samples_hash_row(const float *samples, size_t count,
                                       unsigned long long number)
{
    return XXH3_64bits_withSeed(samples, count * sizeof *samples, number);
}

void wp_samples_hash_destroy(struct wp_samples_hash **hash)
{
    free(*hash);
    *hash = NULL;
}
