// A pyramid on the canvas: which of its tiles are on textures, and where they lie.
#ifndef WP_PYRAMID_CANVAS_H
#define WP_PYRAMID_CANVAS_H

#include "pyramid_cache.h"
#include "pyramid_run.h"
#include "texture.h"

struct wp_viewer;

// Textures of a place in the cache, quads of each plane.
struct wp_pyramid_texture {
    struct wp_texture plane[WP_COLOURS];
    int planes; // that the tile has
};

struct wp_pyramid_canvas {
    struct wp_pyramid_run *run;
    struct wp_pyramid_news news;
    struct wp_pyramid_cache cache;
    struct wp_pyramid_texture *texture; // by place
    struct wp_pyramid_tile *want;       // room for all places
    enum wp_channel channel;            // of the tiles that are there
    unsigned opened;                    // of what they are of
    struct wp_pyramid_view view;        // that `want` is for
    int level;                          // and the canvas shows
    size_t missing;                     // tiles of it that are to come
    float least, most;                  // of the last level's samples; NaN: not yet known
    size_t bytes;                       // that textures and reading take, at most
    int colours;                        // that there is room for
    unsigned long long reads, fails;    // tiles so far
    bool has_pixel;                     // a sample of the image is under the pointer:
    int pixel[2], pixel_level;          // its column and row; of which level the value is
    float pixel_value[WP_COLOURS];
    int pixel_planes;
};

// Opens what the parameters name, and finds how many tiles its bound has room for; before there is
// a window. Without a number of bytes the bound is the program's own. False after an error.
bool wp_pyramid_canvas_open(struct wp_viewer *v);
void wp_pyramid_canvas_start(struct wp_viewer *v);   // from here on it reads
void wp_pyramid_canvas_release(struct wp_viewer *v); // its textures; accepts a viewer without
void wp_pyramid_canvas_close(struct wp_viewer *v);   // the rest, likewise

// Once a frame: takes what was read, asks for what the view wants, and makes the tiles.
void wp_pyramid_canvas_update(struct wp_viewer *v);
// Between frames: whether there is something to take.
bool wp_pyramid_canvas_has_news(struct wp_viewer *v);
// Whether all that the view wants is there, or cannot be read.
bool wp_pyramid_canvas_is_steady(const struct wp_viewer *v);
// After the panes have their places: the sample of the image under the pointer.
void wp_pyramid_canvas_find_pixel(struct wp_viewer *v);

// A tile of the last level, as wide as the image, behind those of the canvas; -1: it is not there.
int wp_pyramid_canvas_add_all(struct wp_viewer *v);

size_t wp_pyramid_canvas_used(const struct wp_viewer *v); // bytes of textures

#endif
