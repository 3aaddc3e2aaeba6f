// Which tiles of a pyramid are where, in a number of places that does not grow: the one that was
// wanted the longest ago goes first.
#ifndef WP_PYRAMID_CACHE_H
#define WP_PYRAMID_CACHE_H

#include "pyramid.h"

#include <stdbool.h>

struct wp_pyramid_slot {
    struct wp_pyramid_tile tile; // level -1: none
    bool failed;                 // it could not be read, and is not there
    unsigned long long wanted;   // when, as wp_pyramid_cache.now counts
};

struct wp_pyramid_cache {
    struct wp_pyramid_slot *slot;
    size_t places;
    unsigned long long now;
};

struct wp_pyramid_cache wp_pyramid_cache_of(size_t places);
void wp_pyramid_cache_free(struct wp_pyramid_cache *cache); // accepts {0}
void wp_pyramid_cache_clear(struct wp_pyramid_cache *cache);

// The place of a tile that was put there, failed ones too; -1: there is none.
int wp_pyramid_cache_find(const struct wp_pyramid_cache *cache, struct wp_pyramid_tile tile);
// What is wanted from now on: of these, those that are there are the last ones to go.
void wp_pyramid_cache_request(struct wp_pyramid_cache *cache, const struct wp_pyramid_tile tile[],
                           size_t count);
// A place for a tile, in place of the one that goes; -1 where all others are wanted now.
int wp_pyramid_cache_put(struct wp_pyramid_cache *cache, struct wp_pyramid_tile tile);

size_t wp_pyramid_cache_count(const struct wp_pyramid_cache *cache); // places that are taken

#endif
