#include "pyramid.h"

#include "min_max.h"
#include "xmemory.h"

#include <math.h>
#include <stdlib.h>

// offset of the coarser level that is requested first: a sixteenth of the tiles
enum { BEFORE = 2 };

int wp_pyramid_size(int size, int level)
{
    return (int)(((long long)size + (1LL << level) - 1) >> level);
}

int wp_pyramid_tiles(int size, int level)
{
    return (wp_pyramid_size(size, level) + WP_PYRAMID_TILE - 1) / WP_PYRAMID_TILE;
}

struct wp_pyramid wp_pyramid_source(int width, int height, int stored, double phase)
{
    struct wp_pyramid p = {.width = width, .height = height, .stored = stored, .phase = phase};
    while (wp_pyramid_tiles(width, p.levels) > 1 || wp_pyramid_tiles(height, p.levels) > 1)
        p.levels++;
    return p;
}

struct wp_pyramid_part wp_pyramid_part(const struct wp_pyramid *p, struct wp_pyramid_tile t)
{
    const int x = t.column * WP_PYRAMID_TILE, y = t.row * WP_PYRAMID_TILE;
    const int width = wp_pyramid_size(p->width, t.level) - x;
    const int height = wp_pyramid_size(p->height, t.level) - y;
    return (struct wp_pyramid_part){x, y, wp_min(WP_PYRAMID_TILE, width),
                                    wp_min(WP_PYRAMID_TILE, height)};
}

// The center of sample i of a low band is at 2i + phase of the previous level. Means of 2x2 samples
// have the origin of the first sample.
double wp_pyramid_origin(const struct wp_pyramid *p, int level)
{
    return (p->phase - 0.5) * (ldexp(1, wp_min(level, p->stored)) - 1);
}

int wp_pyramid_sample(const struct wp_pyramid *p, int level, int size, double at)
{
    const double sample = floor((at - wp_pyramid_origin(p, level)) / ldexp(1, level));
    return (int)fmin(fmax(sample, 0), wp_pyramid_size(size, level) - 1);
}

struct range {
    int first, end; // tiles
};

// Tiles of a level within `half` pixels of `middle` along an axis, plus one pixel, because the
// view's origin is rounded.
static struct range range_of(const struct wp_pyramid *p, int level, int size, double middle,
                             double half, double zoom)
{
    const double unit = ldexp(1, level), origin = wp_pyramid_origin(p, level);
    const double samples = wp_pyramid_size(size, level), reach = (half + 1) / zoom;
    const double from = floor((middle - reach - origin) / unit);
    const double to = floor((middle + reach - origin) / unit);
    if (!(to >= 0 && from < samples))
        return (struct range){0, 0};
    return (struct range){(int)fmax(from, 0) / WP_PYRAMID_TILE,
                          (int)fmin(to, samples - 1) / WP_PYRAMID_TILE + 1};
}

static size_t count_of(const struct wp_pyramid *p, const struct wp_pyramid_view *v, int level,
                       struct range *x, struct range *y)
{
    *x = range_of(p, level, p->width, v->x, 0.5 * v->width, v->zoom);
    *y = range_of(p, level, p->height, v->y, 0.5 * v->height, v->zoom);
    return (size_t)(x->end - x->first) * (size_t)(y->end - y->first);
}

int wp_pyramid_level(const struct wp_pyramid *p, const struct wp_pyramid_view *view, size_t most)
{
    struct range x, y;
    int level = 0;
    while (level < p->levels && view->zoom * ldexp(1, level + 1) <= 1)
        level++;
    while (level < p->levels && count_of(p, view, level, &x, &y) > most)
        level++;
    return level;
}

struct near {
    struct wp_pyramid_tile tile;
    double distance;
};

static int by_distance(const void *one, const void *two)
{
    const struct near *a = one, *b = two;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->tile.row != b->tile.row ? a->tile.row - b->tile.row : a->tile.column - b->tile.column;
}

size_t wp_pyramid_find_visible(const struct wp_pyramid *p, const struct wp_pyramid_view *view,
                               int level, struct wp_pyramid_tile tile[], size_t most)
{
    struct range x, y;
    const size_t count = count_of(p, view, level, &x, &y);
    const double tile_size = WP_PYRAMID_TILE * ldexp(1, level),
                 origin = wp_pyramid_origin(p, level);
    struct near *all = wp_xcalloc(count + 1, sizeof *all);
    size_t found = 0;
    for (int row = y.first; row < y.end; row++)
        for (int column = x.first; column < x.end; column++)
            all[found++] = (struct near){{level, column, row},
                                         hypot(origin + (column + 0.5) * tile_size - view->x,
                                               origin + (row + 0.5) * tile_size - view->y)};
    qsort(all, found, sizeof *all, by_distance);
    found = found < most ? found : most;
    for (size_t i = 0; i < found; i++)
        tile[i] = all[i].tile;
    free(all);
    return found;
}

size_t wp_pyramid_request(const struct wp_pyramid *p, const struct wp_pyramid_view *view,
                          struct wp_pyramid_tile tile[], size_t most, int *level)
{
    size_t count = 0;
    // Three quarters of the capacity; coarser tiles need at most as many again, and the last level.
    *level = wp_pyramid_level(p, view, most / 4 * 3);
    tile[count++] = (struct wp_pyramid_tile){p->levels, 0, 0};
    if (*level + BEFORE < p->levels)
        count += wp_pyramid_find_visible(p, view, *level + BEFORE, tile + count, most / 4 - 1);
    if (*level < p->levels)
        count += wp_pyramid_find_visible(p, view, *level, tile + count, most - count);
    return count;
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
        if (wp_pyramid_same_tile(cache->slot[i].tile, tile))
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
