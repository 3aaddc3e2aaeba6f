// An LRU cache of tiles with a fixed number of slots.
#ifndef WP_PYRAMID_CACHE_H
#define WP_PYRAMID_CACHE_H

#include "pyramid.h"

#include <stdbool.h>

struct wp_pyramid_slot {
    struct wp_pyramid_tile tile; // level -1: empty slot
    bool failed;                 // the tile could not be read
    unsigned long long requested; // time of the latest request, see wp_pyramid_cache.now
};

struct wp_pyramid_cache {
    struct wp_pyramid_slot *slot;
    size_t slots;
    unsigned long long now;
};

struct wp_pyramid_cache wp_pyramid_cache_create(size_t slots);
void wp_pyramid_cache_free(struct wp_pyramid_cache *cache); // accepts {0}
void wp_pyramid_cache_clear(struct wp_pyramid_cache *cache);

// The slot of a tile, also of a failed one; -1: not in the cache.
int wp_pyramid_cache_find(const struct wp_pyramid_cache *cache, struct wp_pyramid_tile tile);
// Sets the tiles that are requested now; they are evicted last.
void wp_pyramid_cache_request(struct wp_pyramid_cache *cache, const struct wp_pyramid_tile tile[],
                              size_t count);
// Returns the least recently used slot for a new tile; -1 if all slots have requested tiles.
int wp_pyramid_cache_put(struct wp_pyramid_cache *cache, struct wp_pyramid_tile tile);

size_t wp_pyramid_cache_count(const struct wp_pyramid_cache *cache); // number of used slots

#endif
