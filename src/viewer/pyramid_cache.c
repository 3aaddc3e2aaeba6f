#include "pyramid_cache.h"

#include "xmemory.h"

#include <stdlib.h>

static bool is_same(struct wp_pyramid_tile a, struct wp_pyramid_tile b)
{
    return a.level == b.level && a.column == b.column && a.row == b.row;
}

struct wp_pyramid_cache wp_pyramid_cache_create(size_t slots)
{
    struct wp_pyramid_cache cache = {.slots = slots};
    cache.slot = wp_xcalloc(slots, sizeof *cache.slot);
    wp_pyramid_cache_clear(&cache);
    return cache;
}

void wp_pyramid_cache_free(struct wp_pyramid_cache *cache)
{
    free(cache->slot);
    *cache = (struct wp_pyramid_cache){0};
}

void wp_pyramid_cache_clear(struct wp_pyramid_cache *cache)
{
    cache->now = 1;
    for (size_t i = 0; i < cache->slots; i++)
        cache->slot[i] = (struct wp_pyramid_slot){.tile = {-1, 0, 0}};
}

int wp_pyramid_cache_find(const struct wp_pyramid_cache *cache, struct wp_pyramid_tile tile)
{
    for (size_t i = 0; i < cache->slots; i++)
        if (is_same(cache->slot[i].tile, tile))
            return (int)i;
    return -1;
}

void wp_pyramid_cache_request(struct wp_pyramid_cache *cache, const struct wp_pyramid_tile tile[],
                              size_t count)
{
    cache->now++;
    for (size_t i = 0; i < count; i++) {
        const int index = wp_pyramid_cache_find(cache, tile[i]);
        if (index >= 0)
            cache->slot[index].requested = cache->now;
    }
}

int wp_pyramid_cache_put(struct wp_pyramid_cache *cache, struct wp_pyramid_tile tile)
{
    size_t oldest = 0;
    for (size_t i = 1; i < cache->slots; i++)
        if (cache->slot[i].requested < cache->slot[oldest].requested)
            oldest = i;
    if (cache->slot[oldest].requested == cache->now)
        return -1;
    cache->slot[oldest] = (struct wp_pyramid_slot){.tile = tile, .requested = cache->now};
    return (int)oldest;
}

size_t wp_pyramid_cache_count(const struct wp_pyramid_cache *cache)
{
    size_t count = 0;
    for (size_t i = 0; i < cache->slots; i++)
        count += cache->slot[i].tile.level >= 0;
    return count;
}
