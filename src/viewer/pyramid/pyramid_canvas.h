// The tiles of a pyramid on textures, for its scene (pyramid_scene.c): requests to the reader,
// results in a cache, tiles of the canvas, and the pixel under the pointer.
#ifndef WP_PYRAMID_CANVAS_H
#define WP_PYRAMID_CANVAS_H

#include "pyramid_run.h"
#include "texture.h"

struct wp_viewer;

// Textures of a cache slot, one per plane.
struct wp_pyramid_texture {
    struct wp_texture plane[WP_COLOURS];
    int planes; // number of planes of the tile
};

struct wp_pyramid_canvas {
    struct wp_pyramid_run *run;
    struct wp_pyramid_status status;
    struct wp_pyramid_cache cache;
    struct wp_pyramid_texture *texture; // by slot
    struct wp_pyramid_tile *requested;  // array of `slots` tiles
    enum wp_channel channel;            // of the cached tiles
    unsigned opened;                    // wp_pyramid_status.opened of the cached tiles
    struct wp_pyramid_view view;        // of the latest request
    int level;                          // shown on the canvas
    size_t missing;                     // number of requested tiles not in the cache
    float least, most;                  // range of the last level; NaN: unknown
    size_t bytes;                       // memory limit for textures and reading
    int colours;                        // the slots are made for
    unsigned long long reads, fails;    // number of tiles
    bool has_pixel;                     // the pointer is on the image
    int pixel[2], pixel_level;          // its column and row; level of pixel_value
    float pixel_value[WP_COLOURS];
    int pixel_planes;
};

enum { WP_MEBIBYTE = 1 << 20 };

// Creates the slots for the current number of colors, for the memory limit or a default limit.
void wp_pyramid_create_slots(struct wp_viewer *v);
void wp_pyramid_release(struct wp_viewer *v); // the textures
size_t wp_pyramid_used(const struct wp_viewer *v); // bytes of textures

// Once per frame: uploads tiles that were read, requests missing ones, and creates the tiles of the
// canvas.
void wp_pyramid_update(struct wp_viewer *v);

// The cache slot of a tile on its texture; -1: missing or failed.
int wp_pyramid_slot(const struct wp_pyramid_canvas *c, struct wp_pyramid_tile tile);
void wp_pyramid_add_tile(struct wp_viewer *v, int slot); // to the canvas

// Finds the pixel under the pointer. Call after wp_panes_lay_out().
void wp_pyramid_find_pixel(struct wp_viewer *v);

#endif
