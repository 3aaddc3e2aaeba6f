// An image as a pyramid of tiles: selects level and tiles for a view. Does not use OpenGL or files.
#ifndef WP_PYRAMID_H
#define WP_PYRAMID_H

#include <stdbool.h>
#include <stddef.h>

// Samples per tile and axis (less at the edges), and the maximum number of levels.
enum { WP_PYRAMID_TILE = 256, WP_PYRAMID_LEVELS = 32 };

// Level l has one sample per 2^l samples of the image along each axis; the last level is one tile.
// Levels up to `stored` are low bands of a transform, further ones are means of 2x2 samples.
struct wp_pyramid {
    int width, height; // of the image
    int levels;        // last level; 0: the image is one tile
    int stored;
    double phase;      // center of a low sample relative to its even sample, in samples along an
                       // axis: 0 for CDF 9/7, 0.5 for Haar
};

struct wp_pyramid_tile {
    int level, column, row;
};

static inline bool wp_pyramid_same_tile(struct wp_pyramid_tile a, struct wp_pyramid_tile b)
{
    return a.level == b.level && a.column == b.column && a.row == b.row;
}

// The samples of a tile: from (x, y) in its level.
struct wp_pyramid_part {
    int x, y, width, height;
};

// A view of width x height pixels, centered at (x, y) in samples of the image; `zoom` is in pixels
// per sample.
struct wp_pyramid_view {
    double x, y, zoom, width, height;
};

struct wp_pyramid wp_pyramid_source(int width, int height, int stored, double phase);

int wp_pyramid_size(int size, int level);  // ceil(size / 2^level)
int wp_pyramid_tiles(int size, int level); // along an axis of `size` samples of the image
struct wp_pyramid_part wp_pyramid_part(const struct wp_pyramid *p, struct wp_pyramid_tile tile);

// The coordinate of the left edge of sample 0 of a level, in samples of the image. Sample i begins
// at that + i * 2^level. Levels are aligned with each other.
double wp_pyramid_origin(const struct wp_pyramid *p, int level);

// The sample of a level at coordinate `at` of an axis of `size` samples of the image, limited to
// the level.
int wp_pyramid_sample(const struct wp_pyramid *p, int level, int size, double at);

// The coarsest level whose samples are at most one pixel wide, or the finest one that needs at most
// `most` tiles for the view.
int wp_pyramid_level(const struct wp_pyramid *p, const struct wp_pyramid_view *view, size_t most);

// Tiles of a level in a view, nearest to its center first. Writes and returns up to `most` tiles.
size_t wp_pyramid_find_visible(const struct wp_pyramid *p, const struct wp_pyramid_view *view,
                               int level, struct wp_pyramid_tile tile[], size_t most);

// Tiles for a view in order of priority: the last level, some of a coarser level, and those of
// wp_pyramid_level(), which is stored in `*level`. Writes and returns up to `most` tiles; `most` is
// at least WP_PYRAMID_LEAST.
enum { WP_PYRAMID_LEAST = 16 };
size_t wp_pyramid_request(const struct wp_pyramid *p, const struct wp_pyramid_view *view,
                          struct wp_pyramid_tile tile[], size_t most, int *level);

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

#endif
