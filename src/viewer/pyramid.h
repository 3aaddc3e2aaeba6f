// An image as a pyramid of tiles: which level a view wants, and which tiles of it. No OpenGL, and
// no file.
#ifndef WP_PYRAMID_H
#define WP_PYRAMID_H

#include <stddef.h>

// Samples of a tile along an axis, but for the last ones, and the most levels that any size has.
enum { WP_PYRAMID_TILE = 256, WP_PYRAMID_LEVELS = 32 };

// Level l has a sample for 2^l of the image along an axis, the last level one tile. Up to `stored`
// they are the low bands of a transform; further ones are means of 2x2 samples of the one before.
struct wp_pyramid {
    int width, height; // of the image
    int levels;        // the last one; 0: the image is one tile
    int stored;
    double phase;      // along an axis: where a low sample's middle is, in samples behind that of
                       // the even one. CDF 9/7 has 0, Haar 0.5
};

struct wp_pyramid_tile {
    int level, column, row;
};

// A tile's samples: from (x, y) of its level on.
struct wp_pyramid_part {
    int x, y, width, height;
};

// What a window of `width` times `height` pixels shows: (x, y), in samples of the image, is in its
// middle, and one of them is `zoom` pixels wide.
struct wp_pyramid_view {
    double x, y, zoom, width, height;
};

struct wp_pyramid wp_pyramid_of(int width, int height, int stored, double phase);

int wp_pyramid_side(int size, int level);  // ceil(size / 2^level)
int wp_pyramid_tiles(int size, int level); // along an axis of `size` samples of the image
struct wp_pyramid_part wp_pyramid_part(const struct wp_pyramid *p, struct wp_pyramid_tile tile);

// The coordinate at which sample 0 of a level begins, in samples of the image: sample i goes from
// there + i 2^level on, so that a level lies under the one before without a step to the side.
double wp_pyramid_origin(const struct wp_pyramid *p, int level);

// The level with the fewest samples of which none is wider than a pixel, or the finest one that
// needs at most `most` tiles for a view.
int wp_pyramid_level(const struct wp_pyramid *p, const struct wp_pyramid_view *view, size_t most);

// Tiles of a level that a view meets, from its middle outwards; `tile` has room for `most` of them.
size_t wp_pyramid_meet(const struct wp_pyramid *p, const struct wp_pyramid_view *view, int level,
                       struct wp_pyramid_tile tile[], size_t most);

// What is to be there for a view, in the order in which it is wanted: the last level's tile, a few
// of a coarser level, and those of wp_pyramid_level(), which `*level` gets. Up to `most`, which is
// at least WP_PYRAMID_LEAST.
enum { WP_PYRAMID_LEAST = 16 };
size_t wp_pyramid_request(const struct wp_pyramid *p, const struct wp_pyramid_view *view,
                       struct wp_pyramid_tile tile[], size_t most, int *level);

#endif
