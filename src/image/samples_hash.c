#include "samples_hash.h"

#include "xmemory.h"

#include <stdlib.h>

// All of it compiled here: nothing to link with, and a state of known size.
#define XXH_INLINE_ALL
#include <xxhash.h>

struct wp_samples_hash {
    XXH64_state_t state;
};

struct wp_samples_hash *wp_samples_hash_create(void)
{
    struct wp_samples_hash *hash = wp_xcalloc(1, sizeof *hash);
    XXH64_reset(&hash->state, 0);
    return hash;
}

void wp_samples_hash_add(struct wp_samples_hash *hash, const float *samples, size_t count)
{
    XXH64_update(&hash->state, samples, count * sizeof *samples);
}

unsigned long long wp_samples_hash_get(const struct wp_samples_hash *hash)
{
    return XXH64_digest(&hash->state);
}

void wp_samples_hash_destroy(struct wp_samples_hash **hash)
{
    free(*hash);
    *hash = NULL;
}
