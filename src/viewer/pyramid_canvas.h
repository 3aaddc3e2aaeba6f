// A pyramid on the canvas: its tiles on textures, and their positions.
#ifndef WP_PYRAMID_CANVAS_H
#define WP_PYRAMID_CANVAS_H

#include "pyramid_cache.h"
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

// Opens the file of the parameters and computes the number of tiles from the memory limit, or from
// a default limit. Called before the window exists. False after an error.
bool wp_pyramid_canvas_open(struct wp_viewer *v);
void wp_pyramid_canvas_start(struct wp_viewer *v);   // starts reading
void wp_pyramid_canvas_release(struct wp_viewer *v); // textures; no-op without a pyramid
void wp_pyramid_canvas_close(struct wp_viewer *v);   // everything else; no-op without a pyramid

// Once per frame: uploads tiles that were read, requests missing ones, and creates the tiles of the
// canvas.
void wp_pyramid_canvas_update(struct wp_viewer *v);
// True if results are waiting for the next update.
bool wp_pyramid_canvas_has_updates(struct wp_viewer *v);
// True if all requested tiles are available or have failed.
bool wp_pyramid_canvas_is_steady(const struct wp_viewer *v);
// Finds the pixel under the pointer. Call after wp_panes_lay_out().
void wp_pyramid_canvas_find_pixel(struct wp_viewer *v);

// Appends a tile of the last level, with the complete image, to the canvas. Returns its index, or
// -1 if it is not available.
int wp_pyramid_canvas_add_all(struct wp_viewer *v);

size_t wp_pyramid_canvas_used(const struct wp_viewer *v); // bytes of textures

#endif
